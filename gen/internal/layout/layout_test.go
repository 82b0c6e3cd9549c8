package layout_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

func basic(k ctype.Kind) ctype.Type { return ctype.Builtin(k) }

func structure(name string, fields ...ctype.Field) *ctype.Struct {
	return &ctype.Struct{Name: name, Complete: true, Fields: fields}
}

func field(name string, t ctype.Type) ctype.Field { return ctype.Field{Name: name, Type: t} }

func TestOf(t *testing.T) {
	empty := structure("Empty")
	padded := structure("Padded", field("d", basic(ctype.Double)), field("c", basic(ctype.Char)))
	aligned := structure("Aligned", field("c", basic(ctype.Char)))
	aligned.Align = 32
	member := structure("Member", field("c", basic(ctype.Char)),
		ctype.Field{Name: "s", Type: basic(ctype.Short), Align: 16})
	tests := map[string]struct {
		typ         ctype.Type
		size, align int64
	}{
		"bool":                  {basic(ctype.Bool), 1, 1},
		"long has 8 bytes":      {basic(ctype.Long), 8, 8},
		"wchar_t has 4 bytes":   {basic(ctype.WChar), 4, 4},
		"alias":                 {ctype.Standard("size_t"), 8, 8},
		"qualified":             {&ctype.Qualified{Type: basic(ctype.Short), Const: true}, 2, 2},
		"pointer":               {&ctype.Pointer{Elem: basic(ctype.Char)}, 8, 8},
		"reference":             {&ctype.Reference{Elem: aligned}, 8, 8},
		"float3 like its float": {ctype.LookupVector("float3"), 12, 4},
		"float4":                {ctype.LookupVector("float4"), 16, 16},
		"double4":               {ctype.LookupVector("double4"), 32, 16},
		"double4_32a":           {ctype.LookupVector("double4_32a"), 32, 32},
		"dim3":                  {ctype.LookupVector("dim3"), 12, 4},
		"array":                 {&ctype.Array{Elem: padded, Len: 3}, 48, 8},
		"empty struct":          {empty, 1, 1},
		"tail padding":          {padded, 16, 8},
		"alignas of the struct": {aligned, 32, 32},
		"alignas of a member":   {member, 32, 16},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			size, align, err := layout.Of(test.typ)
			require.NoError(t, err)
			assert.Equal(t, test.size, size, "size")
			assert.Equal(t, test.align, align, "alignment")
		})
	}
}

// Classes with bases, unions, bit-fields, packing and empty members. The numbers are what
// nvcc 13.0 prints of the same source; the tests of gen/inspect compare thousands more.
func TestClasses(t *testing.T) {
	char, integer, short := basic(ctype.Char), basic(ctype.Int), basic(ctype.Short)
	empty := structure("Empty")
	other := structure("Other")
	plain := structure("Plain", field("x", integer), field("c", char)) // 8 bytes, 5 of them data
	private := structure("Private", plain.Fields...)
	private.POD = ctype.PODNo
	derived := func(fields []ctype.Field, bases ...*ctype.Struct) *ctype.Struct {
		s := structure("Derived", fields...)
		s.POD = ctype.PODNo
		for _, base := range bases {
			s.Bases = append(s.Bases, ctype.Base{Type: base})
		}
		return s
	}
	fields := func(list ...ctype.Field) []ctype.Field { return list }
	with := func(s *ctype.Struct, change func(*ctype.Struct)) *ctype.Struct { change(s); return s }
	bits := func(name string, t ctype.Type, n int64) ctype.Field {
		return ctype.Field{Name: name, Type: t, BitField: true, Bits: n}
	}
	tests := map[string]struct {
		class       *ctype.Struct
		size, align int64
		offsets     []int64 // of all members, those of bases first
	}{
		// Itanium C++ ABI, Non-POD Class Types, and Definitions: POD for the purpose of layout.
		"padding of a plain base is left alone": {derived(fields(field("d", char)), plain), 12, 4, []int64{0, 4, 8}},
		"padding of another base is used":       {derived(fields(field("d", char)), private), 8, 4, []int64{0, 4, 5}},
		"padding of a member is left alone":     {structure("S", field("p", private), field("d", char)), 12, 4, []int64{0, 8}},
		"two bases":                             {derived(fields(field("d", char)), structure("A", field("c", char)), plain), 16, 4, []int64{0, 4, 8, 12}},
		"an empty base takes no room":           {derived(fields(field("c", char)), empty), 1, 1, []int64{0}},
		"an empty base and a member of it":      {derived(fields(field("e", empty), field("c", char)), empty), 3, 1, []int64{1, 2}},
		"different empty bases":                 {derived(fields(field("x", integer)), empty, other), 4, 4, []int64{0}},
		"an empty base deep in a member": {
			derived(fields(field("s", structure("Deep", field("e", empty), field("i", integer)))), empty), 12, 4, []int64{4},
		},
		"an array of an empty base": {
			derived(fields(field("a", &ctype.Array{Elem: empty, Len: 3}), field("s", short)), empty), 6, 2, []int64{1, 4},
		},
		"a class with only an empty base": {derived(nil, empty), 1, 1, nil},

		// C++ standard, [class.union]; alignas.
		"union": {with(structure("U", field("c", char), field("d", basic(ctype.Double)), field("x", &ctype.Array{Elem: integer, Len: 5})),
			func(s *ctype.Struct) { s.Union = true }), 24, 8, []int64{0, 0, 0}},

		// GCC manual, Structure-Layout Pragmas and Common Type Attributes.
		"pack(2)": {with(structure("P", field("a", char), field("b", ctype.LookupVector("float4")), field("c", char), field("s", short)),
			func(s *ctype.Struct) { s.Pack = 2 }), 22, 2, []int64{0, 2, 18, 20}},
		"pack(1) of an aligned class": {with(structure("P", field("a", char), field("b", integer)),
			func(s *ctype.Struct) { s.Pack, s.Align = 1, 8 }), 8, 8, []int64{0, 1}},
		"packed": {with(structure("P", field("a", char), field("b", ctype.LookupVector("float4")), field("p", plain)),
			func(s *ctype.Struct) { s.Packed = true }), 25, 1, []int64{0, 1, 17}},
		"a packed field": {structure("P", field("a", char), ctype.Field{Name: "b", Type: integer, Packed: true}, field("c", char)), 6, 1, []int64{0, 1, 5}},

		// AMD64 ABI supplement, Bit-Fields.
		"bit-fields share a unit":         {structure("B", bits("a", integer, 3), bits("b", integer, 5), field("c", char)), 4, 4, []int64{0, 0, 1}},
		"a bit-field begins a unit":       {structure("B", bits("a", integer, 17), bits("b", integer, 16), field("d", char)), 8, 4, []int64{0, 4, 6}},
		"a bit-field behind a field":      {structure("B", field("c", char), bits("a", basic(ctype.Long), 33), field("d", char)), 8, 8, []int64{0, 1, 6}},
		"width 0 begins a unit":           {structure("B", field("i", integer), field("c", char), bits("", integer, 0), field("d", char)), 12, 4, []int64{0, 4, 8}},
		"a bit-field without a name pads": {structure("B", field("i", integer), field("c", char), bits("", integer, 5), field("d", char)), 8, 4, []int64{0, 4, 6}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			class, err := layout.Struct(test.class)
			require.NoError(t, err)
			var offsets []int64
			for _, m := range class.Members {
				offsets = append(offsets, m.Offset)
			}
			assert.Equal(t, test.offsets, offsets, "offsets")
			assert.Equal(t, []int64{test.size, test.align}, []int64{class.Size, class.Align}, "size and alignment")
		})
	}

	packed := func(fields ...ctype.Field) *ctype.Struct {
		return with(structure("Packed", fields...), func(s *ctype.Struct) { s.Packed = true })
	}
	unsure := with(structure("Unsure", plain.Fields...), func(s *ctype.Struct) { s.POD = ctype.PODUnsure })
	unionOf := func(fields ...ctype.Field) *ctype.Struct {
		return with(structure("U", fields...), func(s *ctype.Struct) { s.Union = true })
	}
	for name, test := range map[string]struct {
		class *ctype.Struct
		want  string
	}{
		"virtual function":          {with(structure("V", field("x", integer)), func(s *ctype.Struct) { s.Virtual = true }), "it has virtual functions"},
		"virtual base":              {with(derived(nil, plain), func(s *ctype.Struct) { s.Bases[0].Virtual = true }), "base class Plain is virtual"},
		"padding of an unsure base": {derived(fields(field("d", char)), unsure), "compilers differ on whether the padding behind its base class is used again"},
		"bit-field behind it":       {derived(fields(bits("d", char, 2)), unsure), "whose padding compilers use in different ways"},
		"packed base":               {derived(nil, packed(field("c", char), field("i", integer))), "its base class Packed is packed or has bit-fields"},
		"bit-fields in a base":      {derived(nil, structure("B", bits("a", integer, 3))), "its base class B is packed or has bit-fields"},
		"packed with bases":         {with(derived(fields(field("i", integer)), empty), func(s *ctype.Struct) { s.Pack = 1 }), "it is packed and has base classes"},
		"packed class member":       {packed(field("c", char), field("p", private)), "its class is not a plain C struct"},
		"packed dim3":               {packed(field("c", char), field("d", ctype.LookupVector("dim3"))), "its class is not a plain C struct"},
		"packed and aligned":        {packed(ctype.Field{Name: "c", Type: char, Align: 8}), "both packed and aligned"},
		"packed bit-field":          {packed(bits("a", integer, 3)), "bit-fields that are packed"},
		"aligned under pack": {
			with(structure("P", ctype.Field{Name: "c", Type: char, Align: 8}), func(s *ctype.Struct) { s.Pack = 2 }), "aligned under #pragma pack",
		},
		"bit-field too wide":      {structure("B", bits("a", char, 9)), "has 9 bits, and its type has 8"},
		"alignment by no name":    {structure("B", field("c", char), bits("", integer, 5)), "hosts treat in different ways"},
		"long double":             {structure("L", field("d", basic(ctype.LongDouble))), "two ways"},
		"empty member in a union": {derived(fields(field("u", unionOf(field("e", empty), field("i", integer)))), empty), "once in a union"},
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			_, err := layout.Struct(test.class)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// The classes of <curand_kernel.h> lie as their members do, which the header declares in
// this order. TestLibrariesAgainstNVCC compares them where the header is installed.
func TestCurandStates(t *testing.T) {
	unsigned, integer, float, double := basic(ctype.UnsignedInt), basic(ctype.Int), basic(ctype.Float), basic(ctype.Double)
	for _, test := range []struct {
		name        string
		members     *ctype.Struct
		size, align int64
	}{
		{"curandState", structure("XORWOW", field("d", unsigned), field("v", &ctype.Array{Elem: unsigned, Len: 5}), field("boxmuller_flag", integer),
			field("boxmuller_flag_double", integer), field("boxmuller_extra", float), field("boxmuller_extra_double", double)), 48, 8},
		{"curandStatePhilox4_32_10_t", structure("Philox", field("ctr", ctype.LookupVector("uint4")), field("output", ctype.LookupVector("uint4")),
			field("key", ctype.LookupVector("uint2")), field("STATE", unsigned), field("boxmuller_flag", integer), field("boxmuller_flag_double", integer),
			field("boxmuller_extra", float), field("boxmuller_extra_double", double)), 64, 16},
	} {
		for _, typ := range []ctype.Type{test.members, ctype.Known(test.name)} {
			size, align, err := layout.Of(typ)
			require.NoError(t, err)
			assert.Equal(t, []int64{test.size, test.align}, []int64{size, align}, test.name)
		}
	}
}

func TestOfErrors(t *testing.T) {
	recursive := structure("Recursive")
	recursive.Fields = []ctype.Field{field("inner", recursive)}
	unsupported := structure("Flags", field("x", basic(ctype.Int)))
	unsupported.Unsupported = &ctype.Reason{Message: diag.Message{Text: "field x is a bit-field"}}
	huge := &ctype.Array{Elem: &ctype.Array{Elem: basic(ctype.Double), Len: 1 << 40}, Len: 1 << 40}
	tests := map[string]struct {
		typ  ctype.Type
		want string
	}{
		"nil":           {nil, "has no layout"},
		"void":          {basic(ctype.Void), "void has no size"},
		"empty array":   {&ctype.Array{Elem: basic(ctype.Int)}, "has no elements"},
		"huge array":    {huge, "is too large"},
		"declared only": {&ctype.Struct{Name: "Later"}, "layout of Later is not known"},
		"unsupported":   {unsupported, "layout of Flags is not understood: field x is a bit-field"},
		"in a field":    {structure("Outer", field("f", unsupported)), "field f of Outer: layout of Flags"},
		"recursive":     {recursive, "Recursive contains itself"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := layout.Of(test.typ)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// Structs that hold the one before twice double in size each time, and must not
// double the work.
func TestDeepNesting(t *testing.T) {
	inner := structure("S", field("c", basic(ctype.Char)))
	for range 40 {
		inner = structure("S", field("a", inner), field("b", inner))
	}
	size, align, err := layout.Of(inner)
	require.NoError(t, err)
	assert.EqualValues(t, 1<<40, size)
	assert.EqualValues(t, 1, align)
	_, err = layout.GoType(inner, named)
	assert.NoError(t, err)
}

func TestParams(t *testing.T) {
	char, integer := basic(ctype.Char), basic(ctype.Int)
	pointer := &ctype.Pointer{Elem: integer}
	tests := map[string]struct {
		types      []ctype.Type
		offsets    []int64
		end, align int64
	}{
		"none":            {nil, nil, 0, 1},
		"no tail padding": {[]ctype.Type{integer, pointer, integer}, []int64{0, 8, 16}, 20, 8},
		"vectors":         {[]ctype.Type{char, ctype.LookupVector("float3"), ctype.LookupVector("double2")}, []int64{0, 4, 16}, 32, 16},
		"all of the room": {[]ctype.Type{&ctype.Array{Elem: char, Len: layout.MaxParams}}, []int64{0}, layout.MaxParams, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			places, end, align, err := layout.Params(test.types)
			require.NoError(t, err)
			var offsets []int64
			for _, place := range places {
				offsets = append(offsets, place.Offset)
			}
			assert.Equal(t, test.offsets, offsets)
			assert.Equal(t, test.end, end)
			assert.Equal(t, test.align, align)
		})
	}
	_, _, _, err := layout.Params([]ctype.Type{&ctype.Array{Elem: char, Len: layout.MaxParams}, char})
	assert.ErrorContains(t, err, "parameter 2 ends at byte 32765")
	_, _, _, err = layout.Params([]ctype.Type{integer, nil})
	assert.ErrorContains(t, err, "parameter 2: ")
}

// named names types after themselves.
func named(t ctype.Type) model.GoType {
	return model.GoType{Kind: model.Local, Name: "Go" + t.String()}
}

func TestGoType(t *testing.T) {
	byteType := &model.GoType{Kind: model.Basic, Name: "byte", Size: 1, Align: 1}
	float := &model.GoType{Kind: model.Basic, Name: "float32", Size: 4, Align: 4}
	node := structure("Node", field("v", ctype.LookupVector("double4_32a")))
	node.Fields = append(node.Fields, field("next", &ctype.Pointer{Elem: node}))
	local := model.GoType{Kind: model.Local, Name: "GoNode", Size: 64, Align: 8}
	tests := map[string]struct {
		typ  ctype.Type
		want model.GoType
	}{
		"int":         {basic(ctype.Int), model.GoType{Kind: model.Basic, Name: "int32", Size: 4, Align: 4}},
		"char":        {basic(ctype.Char), model.GoType{Kind: model.Basic, Name: "int8", Size: 1, Align: 1}},
		"long":        {basic(ctype.Long), model.GoType{Kind: model.Basic, Name: "int64", Size: 8, Align: 8}},
		"bool":        {basic(ctype.Bool), model.GoType{Kind: model.Basic, Name: "bool", Size: 1, Align: 1}},
		"size_t":      {ctype.Standard("size_t"), model.GoType{Kind: model.Basic, Name: "uint64", Size: 8, Align: 8}},
		"uchar4":      {ctype.LookupVector("uchar4"), model.GoType{Kind: model.Vec, Name: "UChar4", Size: 4, Align: 1}},
		"longlong2":   {ctype.LookupVector("longlong2"), model.GoType{Kind: model.Vec, Name: "LongLong2", Size: 16, Align: 8}},
		"double4_32a": {ctype.LookupVector("double4_32a"), model.GoType{Kind: model.Vec, Name: "Double4", Size: 32, Align: 8}},
		"dim3":        {ctype.LookupVector("dim3"), model.GoType{Kind: model.Runtime, Name: "Dim3", Size: 12, Align: 4}},
		"void *":      {&ctype.Pointer{Elem: basic(ctype.Void)}, model.GoType{Kind: model.Pointer, Elem: byteType, Size: 8, Align: 8}},
		"const float *": {
			&ctype.Pointer{Elem: &ctype.Qualified{Type: basic(ctype.Float), Const: true}},
			model.GoType{Kind: model.Pointer, Elem: float, Size: 8, Align: 8},
		},
		"float &":   {&ctype.Reference{Elem: basic(ctype.Float)}, model.GoType{Kind: model.Pointer, Elem: float, Size: 8, Align: 8}},
		"float [3]": {&ctype.Array{Elem: basic(ctype.Float), Len: 3}, model.GoType{Kind: model.Array, Elem: float, Len: 3, Size: 12, Align: 4}},
		"struct":    {node, local},
		"hidden *":  {&ctype.Pointer{Elem: &ctype.Struct{Name: "Hidden"}}, model.GoType{Kind: model.Pointer, Elem: byteType, Size: 8, Align: 8}},
		"function pointer": {
			&ctype.Pointer{Elem: &ctype.Function{Result: basic(ctype.Void)}},
			model.GoType{Kind: model.Basic, Name: "uint64", Size: 8, Align: 8},
		},
		"__half":            {ctype.Known("__half"), model.GoType{Kind: model.Vec, Name: "Float16", Size: 2, Align: 2}},
		"__half2":           {ctype.Known("half2"), model.GoType{Kind: model.Vec, Name: "Float16x2", Size: 4, Align: 2}},
		"__nv_bfloat16":     {ctype.Known("nv_bfloat16"), model.GoType{Kind: model.Vec, Name: "BFloat16", Size: 2, Align: 2}},
		"__nv_bfloat162":    {ctype.Known("nv_bfloat162"), model.GoType{Kind: model.Vec, Name: "BFloat16x2", Size: 4, Align: 2}},
		"__nv_bfloat16_raw": {ctype.Known("__nv_bfloat16_raw"), model.GoType{Kind: model.Vec, Name: "BFloat16", Size: 2, Align: 2}},
		"__nv_fp8_e4m3":     {ctype.Known("__nv_fp8_e4m3"), model.GoType{Kind: model.Basic, Name: "uint8", Size: 1, Align: 1}},
		"std::complex<double>": {
			ctype.Complex("std::complex", basic(ctype.Double)), model.GoType{Kind: model.Basic, Name: "complex128", Size: 16, Align: 8},
		},
		"thrust::complex<float>": {
			ctype.Complex("thrust::complex", basic(ctype.Float)), model.GoType{Kind: model.Basic, Name: "complex64", Size: 8, Align: 4},
		},
		"curandState": {
			ctype.Known("curandState"),
			model.GoType{Kind: model.Array, Elem: &model.GoType{Kind: model.Basic, Name: "uint64", Size: 8, Align: 8}, Len: 6, Size: 48, Align: 8},
		},
		"enum": {
			&ctype.Enum{Name: "Mode", Underlying: ctype.Builtin(ctype.Short)}, model.GoType{Kind: model.Local, Name: "GoMode", Size: 2, Align: 2},
		},
		"__int128": {
			basic(ctype.Int128),
			model.GoType{Kind: model.Array, Elem: &model.GoType{Kind: model.Basic, Name: "uint64", Size: 8, Align: 8}, Len: 2, Size: 16, Align: 8},
		},
		"long double": {basic(ctype.LongDouble), model.GoType{Kind: model.Basic, Name: "float64", Size: 8, Align: 8}},
		"struct *":    {&ctype.Pointer{Elem: node}, model.GoType{Kind: model.Pointer, Elem: &local, Size: 8, Align: 8}},
	}
	for label, test := range tests {
		t.Run(label, func(t *testing.T) {
			got, err := layout.GoType(test.typ, named)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}

	hidden := &ctype.Struct{Name: "Hidden"}
	_, err := layout.GoType(hidden, named)
	assert.ErrorContains(t, err, "layout of Hidden is not known")
	for v := range ctype.Vectors {
		_, err := layout.GoType(v, named)
		assert.NoError(t, err, v.Name)
	}
}

// Go aligns a struct as its field: Go specification, Size and alignment guarantees.
func TestGoAlignment(t *testing.T) {
	types := []ctype.Type{
		&ctype.Pointer{Elem: basic(ctype.Int)}, &ctype.Array{Elem: basic(ctype.Short), Len: 3}, structure("Inner", field("x", basic(ctype.Float))),
		&ctype.Enum{Name: "E", Underlying: ctype.Builtin(ctype.UnsignedChar)}, &ctype.Reference{Elem: basic(ctype.Char)},
	}
	for _, kind := range []ctype.Kind{ctype.Bool, ctype.Char, ctype.Short, ctype.WChar, ctype.Int, ctype.Long, ctype.LongLong, ctype.Float, ctype.Double, ctype.Int128} {
		types = append(types, basic(kind))
	}
	for v := range ctype.Vectors {
		types = append(types, v)
	}
	for l := range ctype.Libraries {
		types = append(types, l)
	}
	for _, typ := range types {
		own, err := layout.GoType(typ, named)
		require.NoError(t, err)
		outer, err := layout.GoType(structure("Outer", field("x", typ)), named)
		require.NoError(t, err)
		assert.Equal(t, own.Align, outer.Align, "%s", typ)
	}
}

// A field that Go would align further than the class allows, or lies where Go has none of
// its type, is bytes.
func TestRaw(t *testing.T) {
	char, integer := basic(ctype.Char), basic(ctype.Int)
	for name, test := range map[string]struct {
		class *ctype.Struct
		want  []bool
	}{
		"plain":                        {structure("P", field("a", char), field("b", integer)), []bool{false, false}},
		"packed, at a multiple of 4":   {&ctype.Struct{Name: "P", Complete: true, Packed: true, Fields: []ctype.Field{field("b", integer), field("a", char)}}, []bool{true, false}},
		"an odd place, aligned enough": {&ctype.Struct{Name: "P", Complete: true, Pack: 1, Align: 8, Fields: []ctype.Field{field("a", char), field("b", integer)}}, []bool{false, true}},
	} {
		class, err := layout.Struct(test.class)
		require.NoError(t, err, name)
		for i := range class.Members {
			m := &class.Members[i]
			own, err := layout.GoType(m.Type, named)
			require.NoError(t, err, name)
			assert.Equal(t, test.want[i], class.Raw(m, own), "%s: %s", name, m.Name)
		}
	}
}

// Types are told apart by their names, and by themselves when they have none.
func TestIdentity(t *testing.T) {
	assert.Equal(t, layout.Identity(structure("S")), layout.Identity(structure("S", field("a", basic(ctype.Int)))))
	assert.NotEqual(t, layout.Identity(structure("S")), layout.Identity(structure("T")))
	assert.NotEqual(t, layout.Identity(&ctype.Enum{Name: "E"}), layout.Identity(&ctype.Enum{Name: "F"}))
	a, b := structure("", field("x", basic(ctype.Int))), structure("", field("x", basic(ctype.Int)))
	assert.False(t, layout.Identity(a) == layout.Identity(b))
	c, d := &ctype.Enum{}, &ctype.Enum{}
	assert.False(t, layout.Identity(c) == layout.Identity(d))
}
