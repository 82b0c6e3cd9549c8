package ctype_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

func constant(t ctype.Type) ctype.Type { return &ctype.Qualified{Type: t, Const: true} }
func pointer(t ctype.Type) ctype.Type  { return &ctype.Pointer{Elem: t} }

// returning returns the type of a function of an int.
func returning(t ctype.Type) ctype.Type {
	return &ctype.Function{Result: t, Params: []ctype.Type{ctype.Builtin(ctype.Int)}}
}

// The spellings of a type, and the mangled form of it whose demangling is the judge.
func TestSpellings(t *testing.T) {
	float := ctype.Type(ctype.Builtin(ctype.Float))
	integer := ctype.Type(ctype.Builtin(ctype.Int))
	plate := &ctype.Struct{Name: "Plate", Scope: []string{"ns"}}
	hidden := &ctype.Struct{Name: "S", Scope: []string{ctype.AnonymousNamespace}}
	vec := &ctype.Alias{Name: "vec", Type: &ctype.Array{Elem: float, Len: 3}}
	tests := []struct {
		typ             ctype.Type
		source, mangled string
	}{
		{integer, "int", "i"},
		{ctype.Builtin(ctype.UnsignedLongLong), "unsigned long long", "y"},
		{ctype.Builtin(ctype.Char16), "char16_t", "Ds"},
		{ctype.Builtin(ctype.WChar), "wchar_t", "w"},
		{ctype.Standard("uint8_t"), "uint8_t", "h"},
		{pointer(float), "float *", "Pf"},
		{pointer(constant(float)), "const float *", "PKf"},
		{pointer(constant(pointer(constant(float)))), "const float *const *", "PKPKf"},
		{pointer(&ctype.Qualified{Type: float, Const: true, Volatile: true}), "const volatile float *", "PVKf"},
		{pointer(&ctype.Qualified{Type: pointer(float), Restrict: true}), "float *__restrict__ *", "PrPf"},
		{pointer(pointer(constant(ctype.Standard("size_t")))), "const size_t **", "PPKm"},
		{&ctype.Reference{Elem: constant(integer)}, "const int &", "RKi"},
		{&ctype.Reference{Elem: integer, RValue: true}, "int &&", "Oi"},
		{pointer(plate), "ns::Plate *", "PN2ns5PlateE"},
		{pointer(constant(hidden)), "const S *", "PKN12_GLOBAL__N_11SE"},
		{ctype.LookupVector("uchar4"), "uchar4", "6uchar4"},
		{pointer(&ctype.Array{Elem: float, Len: 4}), "float (*)[4]", "PA4_f"},
		{pointer(&ctype.Array{Elem: &ctype.Array{Elem: constant(float), Len: 4}, Len: 3}), "const float (*)[3][4]", "PA3_A4_Kf"},
		{pointer(constant(&ctype.Array{Elem: float, Len: 4})), "const float (*)[4]", "PA4_Kf"},
		{pointer(constant(vec)), "const vec *", "PA3_Kf"},
		{&ctype.Reference{Elem: &ctype.Array{Elem: integer, Len: 3}}, "int (&)[3]", "RA3_i"},
		{&ctype.Reference{Elem: &ctype.Array{Elem: pointer(constant(integer)), Len: 3}}, "const int *(&)[3]", "RA3_PKi"},
		{pointer(&ctype.Function{Result: ctype.Builtin(ctype.Void), Params: []ctype.Type{integer, pointer(constant(float))}}), "void (*)(int, const float *)", "PFviPKfE"},
		{pointer(&ctype.Function{Result: pointer(integer), Variadic: true, Params: []ctype.Type{integer}}), "int *(*)(int, ...)", "PFPiizE"},
		{pointer(pointer(&ctype.Function{Result: integer})), "int (**)()", "PPFivE"},
		{pointer(&ctype.Array{Elem: pointer(&ctype.Function{Result: integer}), Len: 2}), "int (*(*)[2])()", "PA2_PFivE"},
		{pointer(returning(pointer(returning(float)))), "float (*(*)(int))(int)", "PFPFfiEiE"},
		{pointer(returning(pointer(&ctype.Array{Elem: integer, Len: 2}))), "int (*(*)(int))[2]", "PFPA2_iiE"},
		{pointer(returning(&ctype.Reference{Elem: returning(float)})), "float (&(*)(int))(int)", "PFRFfiEiE"},
		{pointer(pointer(returning(pointer(returning(pointer(returning(float))))))), "float (*(*(**)(int))(int))(int)", "PPFPFPFfiEiEiE"},
		{&ctype.MemberPointer{Class: plate, Elem: returning(pointer(returning(float)))}, "float (*(ns::Plate::*)(int))(int)", "MN2ns5PlateEFPFfiEiE"},
		{&ctype.Enum{Name: "E", Scope: []string{"ns"}}, "ns::E", "N2ns1EE"},
		{&ctype.Struct{Name: "V", Args: []ctype.TemplateArg{{Type: float}, {Type: integer, Value: -4, IsValue: true}}}, "V<float, -4>", "1VIfLin4EE"},
		{&ctype.Struct{Name: "V", Args: []ctype.TemplateArg{{Type: ctype.Builtin(ctype.UnsignedLong), Value: 4, IsValue: true}, {Type: ctype.Builtin(ctype.Bool), Value: 1, IsValue: true}}}, "V<4ul, true>", "1VILm4ELb1EE"},
		{&ctype.Struct{Name: "V", Args: []ctype.TemplateArg{{Type: &ctype.Struct{Name: "V", Args: []ctype.TemplateArg{{Type: float}}}}}}, "V<V<float> >", "1VIS_IfEE"},
		{&ctype.Struct{Name: "V", Args: []ctype.TemplateArg{{Type: ctype.Builtin(ctype.UnsignedChar), Value: 4, IsValue: true}}}, "V<(unsigned char)4>", "1VILh4EE"},
		{pointer(ctype.Known("__half2")), "__half2 *", "P7__half2"},
		{ctype.Complex("std::complex", float), "std::complex<float>", "St7complexIfE"},
		{pointer(constant(&ctype.Alias{Name: "cfloat", Type: constant(float)})), "const cfloat *", "PKf"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			assert.Equal(t, test.source, test.typ.String())
			text, err := demangle.ToString("_Z1k" + test.mangled)
			require.NoError(t, err)
			want := strings.TrimSuffix(strings.TrimPrefix(text, "k("), ")")
			assert.Equal(t, want, test.typ.Demangled())
		})
	}
}

func TestVectors(t *testing.T) {
	tests := []struct {
		name               string
		size, align, count int64
	}{
		{"char1", 1, 1, 1}, {"uchar3", 3, 1, 3}, {"char4", 4, 4, 4},
		{"short3", 6, 2, 3}, {"ushort4", 8, 8, 4}, {"int2", 8, 8, 2}, {"float3", 12, 4, 3}, {"float4", 16, 16, 4},
		{"long1", 8, 8, 1}, {"ulong2", 16, 16, 2}, {"longlong3", 24, 8, 3}, {"long4", 32, 16, 4},
		{"double2", 16, 16, 2}, {"double4", 32, 16, 4}, {"double4_16a", 32, 16, 4}, {"double4_32a", 32, 32, 4},
		{"dim3", 12, 4, 3},
	}
	for _, test := range tests {
		v := ctype.LookupVector(test.name)
		require.NotNil(t, v, test.name)
		assert.Equal(t, []int64{test.size, test.align, test.count}, []int64{v.Size(), v.Align, v.Count}, test.name)
	}
	for _, none := range []string{"float5", "float4_16a", "double2_32a", "half2", "dim2", ""} {
		assert.Nil(t, ctype.LookupVector(none), none)
	}
}

func TestStandard(t *testing.T) {
	assert.Equal(t, "unsigned long", ctype.Standard("size_t").Demangled())
	assert.Equal(t, "signed char", ctype.Standard("int8_t").Demangled())
	assert.Nil(t, ctype.Standard("index_t"))
}

func TestUnqualified(t *testing.T) {
	size := ctype.Standard("size_t")
	assert.Same(t, ctype.Builtin(ctype.UnsignedLong), ctype.Unqualified(constant(size)))
	assert.Same(t, ctype.Builtin(ctype.UnsignedLong), ctype.Unalias(size))
	assert.Equal(t, constant(size), ctype.Unalias(constant(size)))
}

// Every name in the tables of the libraries leads to a type.
func TestKnown(t *testing.T) {
	for name, want := range map[string]string{
		"float4": "float4", "size_t": "unsigned long", "half": "__half", "__half2": "__half2", "nv_bfloat16": "__nv_bfloat16",
		"cudaStream_t": "CUstream_st*", "FILE": "_IO_FILE", "CUtensorMap": "CUtensorMap",
		"cuDoubleComplex": "double2", "curandState": "curandStateXORWOW", "cudaTextureObject_t": "unsigned long long",
	} {
		known := ctype.Known(name)
		require.NotNil(t, known, name)
		assert.Equal(t, want, known.Demangled(), name)
	}
	assert.Nil(t, ctype.Known("index_t"))
	for _, handle := range []string{"cudaArray_t", "CUgraphExec", "cudnnHandle_t"} {
		pointer, ok := ctype.Unalias(ctype.Known(handle)).(*ctype.Pointer)
		require.True(t, ok, handle)
		assert.False(t, pointer.Elem.(*ctype.Struct).Complete)
	}
	assert.Nil(t, ctype.Complex("std::complex", ctype.Builtin(ctype.Int)))
	assert.Nil(t, ctype.Smart("std::unique_ptr", ctype.Builtin(ctype.Int)))
}

// The sizes and alignments of CUDA's classes are such as C++ has, and those of one format are alike.
func TestLibraryLayouts(t *testing.T) {
	for l := range ctype.Libraries {
		assert.Positive(t, l.Align, l.Name)
		assert.Zero(t, l.Align&(l.Align-1), "the alignment of %s is a power of two", l.Name)
		assert.Zero(t, l.Size%l.Align, "the size of %s is a multiple of its alignment", l.Name)
		for _, count := range []int64{2, 4} { // __nv_fp8x4_e4m3 holds four __nv_fp8_e4m3
			format, ok := strings.CutPrefix(l.Name, "__nv_fp")
			if before, after, several := strings.Cut(format, fmt.Sprintf("x%d_", count)); ok && several {
				one := ctype.Known("__nv_fp" + before + "_" + after).(*ctype.Library)
				bits := count * 8 * one.Size
				if before == "4" { // two lie in a byte
					bits = count * 4
				}
				assert.Equal(t, max(bits, 8), 8*l.Size, l.Name)
			}
		}
	}
}

func TestSplitList(t *testing.T) {
	for list, want := range map[string][]string{
		"":                                {},
		" ":                               {},
		"int":                             {"int"},
		"1UL, f<int, 2>, char (*)(int,x)": {"1UL", "f<int, 2>", "char (*)(int,x)"},
		"If<((3)>(2)), int>::type, A<(3)<<(1)>, A<(2)>=(1)>, W<int (float)> (*)(int), A<(x)>": {"If<((3)>(2)), int>::type", "A<(3)<<(1)>", "A<(2)>=(1)>", "W<int (float)> (*)(int)", "A<(x)>"},
	} {
		assert.ElementsMatch(t, want, ctype.SplitList(list), list)
	}
}
