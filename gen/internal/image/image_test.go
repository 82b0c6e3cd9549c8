package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

const header = ".version 8.4\n.target sm_90a, debug\n.address_size 64\n"

func read(t *testing.T, src string) *Image {
	t.Helper()
	img, err := ReadPTX("k.ptx", []byte(header+src))
	require.NoError(t, err)
	return img
}

func TestReadPTX(t *testing.T) {
	img := read(t, `
.extern .func vprintf(.param .b64 a);
.visible .entry plain(
	.param .u32 p0,
	.param .u64 .ptr .global .align 1 p1,
	.param .align 32 .b8 p2[24],
	.param .u8 p3
)
.maxntid 128, 2
.minnctapersm 2
{
	ret;
}
.visible .entry _Z4nonev()
.reqntid 8, 4, 2
{
	ret;
}
`)
	assert.Equal(t, "k.ptx", img.File)
	assert.Equal(t, "8.4", img.Version)
	assert.Equal(t, "sm_90a", img.Target)
	require.Len(t, img.Kernels, 2)
	plain, none := img.Kernels[0], img.Kernels[1]
	assert.Equal(t, "plain", plain.Symbol)
	assert.Equal(t, "plain", plain.Name)
	assert.Nil(t, plain.ParamTypes)
	assert.Equal(t, []Param{{Offset: 0, Size: 4, Align: 4}, {Offset: 8, Size: 8, Align: 8}, {Offset: 32, Size: 24, Align: 32}, {Offset: 56, Size: 1, Align: 1}}, plain.Params)
	assert.Equal(t, int64(57), plain.Bytes)
	assert.Equal(t, [3]int{128, 2, 1}, plain.MaxThreads)
	assert.Zero(t, plain.ReqThreads)
	assert.Equal(t, "k.ptx", plain.Pos.Filename)
	assert.Equal(t, 6, plain.Pos.Line)
	assert.Equal(t, "none", none.Name)
	assert.Equal(t, []string{}, none.ParamTypes)
	assert.Zero(t, none.Bytes)
	assert.Equal(t, [3]int{8, 4, 2}, none.ReqThreads)
}

func TestReadPTXErrors(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"not PTX", "hello", "k.ptx:"},
		{"twice", ".entry a() { ret; }\n.entry a() { ret; }\n", "k.ptx:5:8: kernel a is defined twice"},
		{"no threads", ".entry a()\n.maxntid 0, 1, 1\n{ ret; }\n", "k.ptx:4:8: kernel a: .maxntid has values [0 1 1]"},
		{"too many threads", ".entry a()\n.reqntid 4294967296\n{ ret; }\n", ".reqntid"},
		{"too many dimensions", ".entry a()\n.reqntid 1, 1, 1, 1\n{ ret; }\n", ".reqntid"},
		{"parameter without a size", ".entry a(.param .b8 p[])\n{ ret; }\n", "kernel a: a parameter has no size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadPTX("k.ptx", []byte(header+tt.src))
			var list diag.List
			require.True(t, errors.As(err, &list), "%v", err)
			assert.ErrorContains(t, err, tt.want)
			if tt.name == "not PTX" {
				assert.Equal(t, diag.CompilerOutput, diag.CodeOf(err))
			}
		})
	}
}

func TestExample(t *testing.T) {
	path := filepath.Join("..", "..", "..", "example", "kernels.ptx")
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	img, err := ReadPTX("kernels.ptx", src)
	require.NoError(t, err)
	for _, tt := range []struct {
		name    string
		offsets string
		bytes   int64
	}{
		{"saxpy", "0 4 8 16", 24},
		{"mandelbrot", "0 8 12 16 32 40", 44},
		{"heat_step", "0 8 16 56 60", 64},
		{"stats::histogram", "0 8 16 20", 24},
		{"add_delta", "0 8 16", 20},
		{"transform", "0 8 32 64", 68},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, err := img.Find(tt.name, nil)
			require.NoError(t, err)
			var offsets []string
			for _, p := range k.Params {
				offsets = append(offsets, fmt.Sprint(p.Offset))
			}
			assert.Equal(t, tt.offsets, strings.Join(offsets, " "))
			assert.Equal(t, tt.bytes, k.Bytes)
		})
	}
	sum, err := img.Find("sum", nil)
	require.NoError(t, err)
	assert.Equal(t, [3]int{256, 1, 1}, sum.MaxThreads)
}

func TestDemangled(t *testing.T) {
	for _, tt := range []struct {
		symbol, name string
		types        []string
	}{
		{"saxpy", "saxpy", nil},
		{"_Z4nonev", "none", []string{}},
		{"_Z1kPKfxh", "k", []string{"float const*", "long long", "unsigned char"}},
		{"_ZN5stats9histogramEPKhPjij", "stats::histogram", []string{"unsigned char const*", "unsigned int*", "int", "unsigned int"}},
		{"_ZN38_GLOBAL__N__d848fd7a_7_anon_cu__Z3usev2anEPfNS_1AE", "(anonymous namespace)::an", []string{"float*", "(anonymous namespace)::A"}},
		{"_ZN2n133_GLOBAL__N__11b4344c_7_shuf_cu_k12k2EPi", "n1::(anonymous namespace)::k2", []string{"int*"}},
		{"_ZN12_GLOBAL__N_12anEPf", "(anonymous namespace)::an", []string{"float*"}},
		{"_ZN1q1v1tIfLi4EEEvPKT_i1EPFviE1CRbRA3_S3_", "q::v::t<float, 4>",
			[]string{"float const*", "int", "E", "void (*)(int)", "C", "bool&", "float const (&) [3]"}},
		{"__nv_static_26__fe59136c_5_al_cu__Z4nonev__Z2stc", "st", []string{"char"}},
		{"__nv_static_22__11b4344c_7_shuf_cu_k1__ZN2n133_GLOBAL__N__11b4344c_7_shuf_cu_k12k2EPi", "n1::(anonymous namespace)::k2", []string{"int*"}},
		{"__nv_static_22__11b4344c_7_shuf_cu_k1_plain", "plain", nil},
		{"__nv_static_", "__nv_static_", nil},
		{"__nv_static_99__x", "__nv_static_99__x", nil},
		{"__nv_static_9223372036854775807__x", "__nv_static_9223372036854775807__x", nil},
		{"_ZN3cub17CUB_300001_SM_7506detail11EmptyKernelIvEEvv", "cub::detail::EmptyKernel<void>", []string{}},
		{"_Z1kN4cuda3std3__47complexIfEEN6thrust23THRUST_300001_SM_750_NS7complexIfEE", "k", []string{"cuda::std::complex<float>", "thrust::complex<float>"}},
		{"_ZN1a3cub17CUB_300001_SM_7501kEv", "a::cub::k", []string{}},
		{"_Z1kIXadL_Z3addffEEEvPf", "k<&add>", []string{"float*"}},
		{"_Z1kIXadL_ZN34_INTERNAL_42808b65_4_b_cu__Z3addff4saddEffEEEvPf", "k<&sadd>", []string{"float*"}},
		{"_Z1kIXadL_ZL4saddffEEEvPf", "k<&sadd>", []string{"float*"}}, // clang
		{"_Z1kIXadL_ZN34_INTERNAL_42808b65_4_b_cu__Z3addff2ns36_GLOBAL__N__42808b65_4_b_cu__Z3addff4anonEffEEEvPf", "k<&ns::(anonymous namespace)::anon>", []string{"float*"}},
		{"_Z1kIXadL_ZN2ns1fILi4EEEfffEEEvPf", "k<&ns::f<4> >", []string{"float*"}},
		{"_Z1kIXadL_ZN2TSIfE2smIfEEffT_EEEvPf", "k<&TS<float>::sm<float> >", []string{"float*"}},
		{"_Z1kILPFfffE0EEvPf", "k<(float (*)(float, float))0>", []string{"float*"}},
		{"_Z2krIL_Z3addffEEvPf", "kr<add>", []string{"float*"}},
		{"_Z4krefIXcvRKiL_Z4globEEEvi", "kref<glob>", []string{"int"}}, // clang
		{"_Z2kdILi4ELi2EXadL_Z2dqPKviiR6float2EEfEvS1_PT2_", "kd<4, 2, &dq, float>", []string{"void const*", "float*"}},
		{"_Z2kaIXadL_ZN1S1mEEEEvPf", "ka<&S::m>", []string{"float*"}},
		{"_Z5kpackIJifdEEviDpT_DpPKS0_", "kpack<int, float, double>", []string{"int", "int", "float", "double", "int const*", "float const*", "double const*"}},
		{"_Z5kpackIJEEviDpT_DpPKS0_", "kpack<>", []string{"int"}},
		{"_Z1kIfENSt9enable_ifIXsr3std17is_floating_pointIT_EE5valueEvE4typeEPS1_i", "k<float>", []string{"", ""}},
		{"_Z1kIfENSt9enable_ifIXgtstT_Li2EEvE4typeEPS1_i", "k<float>", []string{"float*", "int"}},
		{"_Z9csr2denseIfEvPKT_PS0_", "csr2dense<float>", []string{"float const*", "float*"}},
		{"_Z8Xcsr2cooIfEvPKT_i", "Xcsr2coo<float>", []string{"float const*", "int"}},
		{"_Z1kIA16_fENSt9enable_ifIXsr3std17is_floating_pointIT_EE5valueEvE4typeEPS2_i", "k<float [16]>", []string{"", ""}},
		{"_Zoo", "_Zoo", nil},
		{"_ZN5stats5localE", "_ZN5stats5localE", nil},
	} {
		t.Run(tt.symbol, func(t *testing.T) {
			name, types := demangled(tt.symbol)
			assert.Equal(t, tt.name, name)
			assert.Equal(t, tt.types, types)
		})
	}
}

func TestFind(t *testing.T) {
	entries := func(symbols ...string) *Image {
		var src strings.Builder
		for _, s := range symbols {
			fmt.Fprintf(&src, ".visible .entry %s() { ret; }\n", s)
		}
		return read(t, src.String())
	}
	img := entries("saxpy", "_Z4blurPfi", "_Z4blurPdi", "_ZN1n4blurEPf", "mix", "_Z3mixf", "_ZN12_GLOBAL__N_12anEPf")
	for _, tt := range []struct{ name, types, want string }{
		{"saxpy", "", "saxpy"},
		{"saxpy", "int", "saxpy"},
		{"blur", "float*,int", "_Z4blurPfi"},
		{"blur", "double*,int", "_Z4blurPdi"},
		{"n::blur", "double*", "_ZN1n4blurEPf"}, // the only one: its parameters are Prove's to check
		{"mix", "float", "_Z3mixf"},
		{"mix", "int", "mix"},
		{"(anonymous namespace)::an", "float*", "_ZN12_GLOBAL__N_12anEPf"},
	} {
		t.Run(tt.name+"("+tt.types+")", func(t *testing.T) {
			k, err := img.Find(tt.name, strings.Split(tt.types, ","))
			require.NoError(t, err)
			assert.Equal(t, tt.want, k.Symbol)
		})
	}
	t.Run("overload", func(t *testing.T) {
		_, err := img.Find("blur", []string{"int*", "int"})
		assert.EqualError(t, err, "k.ptx has no kernel blur(int*, int): its overloads are blur(float*, int), blur(double*, int)")
	})
	t.Run("nearest first", func(t *testing.T) {
		_, err := img.Find("saxpi", nil)
		var missing *NotFoundError
		require.True(t, errors.As(err, &missing))
		assert.Equal(t, "saxpy", missing.Have[0])
		assert.Len(t, missing.Have, 7)
		assert.ErrorContains(t, err, "k.ptx has no kernel saxpi: it has saxpy, ")
	})
	t.Run("many", func(t *testing.T) {
		_, err := entries("a", "b", "c", "d", "e", "f", "g", "h", "i", "j").Find("zz", nil)
		assert.ErrorContains(t, err, "h and 2 more")
	})
	t.Run("none", func(t *testing.T) {
		_, err := entries().Find("a", nil)
		assert.ErrorContains(t, err, "it has no kernels")
	})
}

func FuzzDemangled(f *testing.F) {
	f.Add("_ZN1q1v1tIfLi4EEEvPKT_i1EPFviE1CRbRA3_S3_")
	f.Add("__nv_static_26__fe59136c_5_al_cu__Z4nonev__Z2stc")
	f.Fuzz(func(t *testing.T, symbol string) { demangled(symbol) })
}

// functionArguments has kernels whose names and parameters differ in what the functions among
// their template arguments are, or only in how a symbol spells a type.
const functionArguments = `.version 8.4
.target sm_75
.address_size 64
.visible .entry _Z1kIXadL_Z1fILi4EfET0_S0_EEEvPf(.param .u64 a) { ret; }
.visible .entry _Z1kIXadL_Z1fILi5EfET0_S0_EEEvPf(.param .u64 a) { ret; }
.visible .entry _Z1lIXadL_Z1fILi4EfET0_S0_EEEvPf(.param .u64 a) { ret; }
.visible .entry _Z1dIfEvPN2TrIT_E4typeES1_(.param .u64 a, .param .f32 b) { ret; }
.visible .entry _Z1dIfEvPN2TrIT_E5otherES1_S1_(.param .u64 a, .param .f32 b, .param .f32 c) { ret; }
.visible .entry _Z1eIfENSt9enable_ifIXsr3std17is_floating_pointIT_EE5valueEvE4typeEPS1_i(.param .u64 a, .param .u32 b) { ret; }
.visible .entry _Z1eIfENSt9enable_ifIXsr3std17is_floating_pointIT_EE5valueEvE4typeEPS1_(.param .u64 a) { ret; }
`

func TestFindFunctionArguments(t *testing.T) {
	img, err := ReadPTX("f.ptx", []byte(functionArguments))
	require.NoError(t, err)
	for _, test := range []struct {
		name   string
		types  []string
		symbol string // empty for an error
	}{
		{"l<&f<4> >", []string{"float*"}, "_Z1lIXadL_Z1fILi4EfET0_S0_EEEvPf"},
		{"l<&f>", []string{"float*"}, "_Z1lIXadL_Z1fILi4EfET0_S0_EEEvPf"},
		{"k<&f<4, float> >", []string{"float*"}, "_Z1kIXadL_Z1fILi4EfET0_S0_EEEvPf"},
		{"k<&f<4> >", []string{"float*"}, ""}, // there are two
		{"k<&g<4> >", []string{"float*"}, ""},
		{"d<float>", []string{"", "float"}, "_Z1dIfEvPN2TrIT_E4typeES1_"},
		{"d<float>", []string{"", "float", "float"}, "_Z1dIfEvPN2TrIT_E5otherES1_S1_"},
		{"e<float>", []string{"float*", "int"}, "_Z1eIfENSt9enable_ifIXsr3std17is_floating_pointIT_EE5valueEvE4typeEPS1_i"},
		{"d<float>", []string{"", "int"}, ""},
	} {
		k, err := img.Find(test.name, test.types)
		if test.symbol == "" {
			assert.Error(t, err, test.name)
			continue
		}
		if assert.NoError(t, err, test.name) {
			assert.Equal(t, test.symbol, k.Symbol, test.name)
		}
	}
	_, err = img.Find("k<&f<4> >", []string{"float*"})
	assert.ErrorContains(t, err, "f.ptx has several kernels k<&f<4> >(float*): k<&f<4, float> >(float*), k<&f<5, float> >(float*)")
}
