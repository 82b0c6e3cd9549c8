package compare_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// A resolution is the type of a parameter, or why there is none.
type resolution struct {
	typ ctype.Type
	err error
}

// resolveFile makes the types of all kernels in beyond.cu from what a compiler says alone.
func resolveFile(t *testing.T, compile func(*testing.T, string) []byte) map[string][]resolution {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", "beyond.cu"))
	require.NoError(t, err)
	queries := witness.Queries{Kernels: []witness.KernelQuery{{Name: "chosen"}, {Name: "twins"}, {Name: "virtuals"}, {Name: "member"}, {Name: "qualified"}}}
	answers, debug, img := statements(t, &queries, compile(t, string(source)+queries.Source()))
	made := make(map[string][]resolution)
	var r compare.Resolver
	for i, q := range queries.Kernels {
		compiled, err := img.Find(q.Name, nil)
		require.NoError(t, err)
		k := debug.Kernel(compiled.Symbol)
		require.Len(t, k.Params, len(answers.Kernels[i]), q.Name)
		for j, p := range k.Params {
			typ, err := r.Param(p.Type, &answers.Kernels[i][j], compiled.ParamTypes[j])
			made[q.Name] = append(made[q.Name], resolution{typ, err})
			if err != nil {
				continue
			}
			size, _, err := layout.Of(typ)
			require.NoError(t, err)
			assert.Equal(t, compiled.Params[j].Size, size)
			assert.Equal(t, compiled.ParamTypes[j], typ.Demangled())
		}
	}
	return made
}

func TestResolveBeyondTheSource(t *testing.T) {
	for name, compile := range compilers {
		t.Run(name, func(t *testing.T) {
			made := resolveFile(t, compile)
			chosen := made["chosen"]
			for _, p := range chosen {
				require.NoError(t, p.err)
			}
			assert.Equal(t, "Wide", chosen[0].typ.Demangled())
			packed, err := layout.Struct(ctype.Unqualified(chosen[2].typ).(*ctype.Struct))
			require.NoError(t, err)
			assert.Equal(t, []int64{7, 1}, []int64{packed.Size, packed.Align})
			var offsets []int64
			for _, m := range packed.Members {
				offsets = append(offsets, m.Offset)
			}
			assert.Equal(t, []int64{0, 1, 5}, offsets)

			for i, want := range []string{"Wide", "Wide", "int const*"} {
				require.NoError(t, made["qualified"][i].err)
				assert.Equal(t, want, made["qualified"][i].typ.Demangled())
			}

			virtual := made["virtuals"]
			assert.ErrorContains(t, virtual[0].err, "Virtual has virtual functions")
			require.NoError(t, virtual[1].err, "it may be pointed at")
			_, err = layout.Struct(targetOf(virtual[1].typ).(*ctype.Struct))
			assert.ErrorContains(t, err, "Virtual has virtual functions")

			member := made["member"]
			assert.ErrorContains(t, member[0].err, "")
			require.NoError(t, member[2].err)
			choice := ctype.Unqualified(member[2].typ).(*ctype.Enum)
			assert.Equal(t, ctype.Builtin(ctype.Long), choice.Underlying)
			assert.True(t, choice.Scoped || name == "clang")
			assert.Equal(t, "NO", choice.Enumerators[0].Name)

			// nvcc 13 does not say namespaces: the second Twin has no name then.
			twins := made["twins"][0]
			require.NoError(t, twins.err)
			fields := ctype.Unqualified(twins.typ).(*ctype.Struct).Fields
			x, y := ctype.Unqualified(fields[0].Type).(*ctype.Struct), ctype.Unqualified(fields[1].Type).(*ctype.Struct)
			assert.Equal(t, []string{"Twin", "a"}, []string{x.Name, x.Fields[0].Name})
			assert.Equal(t, "b", y.Fields[1].Name)
			assert.NotEqual(t, layout.Identity(x), layout.Identity(y))
			if name == "clang" {
				assert.Equal(t, []string{"one::Twin", "two::Twin"}, []string{x.QualifiedName(), y.QualifiedName()})
			}
		})
	}
}

// When debug information and probe do not agree, nothing is made.
func TestResolveErrors(t *testing.T) {
	integer := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	class := func(fields ...witness.Field) *witness.Type {
		return &witness.Type{Kind: witness.Class, Name: "S", Size: 8, Fields: fields}
	}
	circle := class()
	circle.Fields = []witness.Field{{Name: "s", Type: circle}}
	wide := &witness.Type{Kind: witness.Enum, Name: "E", Size: 8, Enumerators: []witness.Enumerator{{Name: "A", Value: -1}}}
	for _, tt := range []struct {
		name   string
		typ    *witness.Type
		object witness.Object
		want   string
	}{
		{"kind", integer, witness.Object{Size: 4, Align: 4, Kind: witness.Float}, "signed integer by the debug information and a float by the probe"},
		{"size", integer, witness.Object{Size: 8, Align: 8, Kind: witness.Signed}, "4 bytes by the debug information and 8 by the probe"},
		{"alignment", class(witness.Field{Name: "i", Type: integer}), witness.Object{Size: 8, Align: 16, Kind: witness.Class}, "8 bytes, aligned to 16"},
		{"field outside", class(witness.Field{Name: "i", Type: integer, Offset: 6}), witness.Object{Size: 8, Align: 4, Kind: witness.Class}, "field i begins at bit 48"},
		{"contains itself", circle, witness.Object{Size: 8, Align: 4, Kind: witness.Class}, "contains itself"},
		{"only declared", &witness.Type{Kind: witness.Class, Name: "S"}, witness.Object{Kind: witness.Class}, "not known"},
		{"sign of an enum inside", class(witness.Field{Name: "e", Type: wide}), witness.Object{Size: 8, Align: 8, Kind: witness.Class}, "the underlying type of enum E"},
		{"unknown", &witness.Type{Name: "ptr_to_member", Size: 8}, witness.Object{Size: 8, Align: 8}, `calls its type "ptr_to_member", which has no form in Go`},
		{"half as a builtin", &witness.Type{Kind: witness.Float, Name: "_Float16", Size: 2}, witness.Object{Size: 2, Align: 2, Kind: witness.Float}, `type "_Float16", float of 2 bytes, which is not known`},
		{"no elements", class(witness.Field{Name: "a", Type: &witness.Type{Kind: witness.Array, Elem: integer}}), witness.Object{Size: 8, Align: 4, Kind: witness.Class}, "has no elements"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r compare.Resolver
			made, err := r.Param(tt.typ, &witness.Answer{Object: tt.object}, "")
			if err == nil {
				_, _, err = layout.Of(made)
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A class without scopes is another one than that of a symbol, or of the same name, that differs inside.
func TestResolveSameNames(t *testing.T) {
	class := func(name string, size int64, field *witness.Type) *witness.Type {
		return &witness.Type{Kind: witness.Class, Name: name, Size: size, Fields: []witness.Field{{Name: "v", Type: field}}}
	}
	integer, float := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}, &witness.Type{Kind: witness.Float, Name: "float", Size: 4}
	first, second := class("Box", 4, class("In", 4, integer)), class("Box", 4, class("In", 4, float))
	again := class("Box", 4, class("In", 4, integer))
	inner := class("Params", 4, integer)
	outer := &witness.Type{Kind: witness.Class, Name: "Params", Size: 16, Fields: []witness.Field{
		{Name: "a", Type: first}, {Name: "b", Type: second, Offset: 4}, {Name: "c", Type: again, Offset: 8}, {Name: "d", Type: inner, Offset: 12},
	}}
	var r compare.Resolver
	made, err := r.Param(outer, &witness.Answer{Object: witness.Object{Kind: witness.Class, Size: 16, Align: 4}}, "lib::Params")
	require.NoError(t, err)
	var names []string
	for _, f := range made.(*ctype.Struct).Fields {
		names = append(names, f.Type.(*ctype.Struct).Name)
	}
	assert.Equal(t, []string{"Box", "", "Box", ""}, names)

	// Two classes of which the symbols say the same name are an error.
	_, err = r.Param(class("Params", 4, float), &witness.Answer{Object: witness.Object{Kind: witness.Class, Size: 4, Align: 4}}, "lib::Params")
	assert.ErrorContains(t, err, "there are two types lib::Params")
}

// Names that a compiler mangles are the source's all the same.
func TestResolveMangledNames(t *testing.T) {
	integer := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	for mangled, want := range map[string]string{
		"_ZN4phys8ParticleE":          "phys::Particle",
		"_ZN4phys5FixedIdLi3EE4MarkE": "phys::Fixed<double, 3>::Mark",
		"_ZN4phys5UtterE":             "phys::Utter",
		"_ZN4phys36_GLOBAL__N__9870a5b9_4_k_cu_7f19f7e86HiddenE": "phys::(anonymous namespace)::Hidden",
		"_ZN4phys8ParticleUt_E":                                  "",
		"__C12":                                                  "",
		"__Clock":                                                "__Clock",
		"_Zone":                                                  "_Zone",
	} {
		class := &witness.Type{Kind: witness.Class, Name: mangled, Size: 4, Fields: []witness.Field{{Name: "i", Type: integer}}}
		outer := &witness.Type{Kind: witness.Class, Name: "Outer", Size: 4, Fields: []witness.Field{{Name: "inner", Type: class}}}
		enum := &witness.Type{Kind: witness.Enum, Name: mangled, Size: 4, Elem: integer, Enumerators: []witness.Enumerator{{Name: "A"}}}
		object := witness.Object{Size: 4, Align: 4, Kind: witness.Class}
		var r compare.Resolver
		made, err := r.Param(outer, &witness.Answer{Object: object}, "Outer")
		require.NoError(t, err)
		assert.Equal(t, want, made.(*ctype.Struct).Fields[0].Type.(*ctype.Struct).QualifiedName())
		object.Kind, object.Under = witness.Enum, witness.Signed
		made, err = new(compare.Resolver).Param(enum, &witness.Answer{Object: object}, "")
		require.NoError(t, err)
		assert.Equal(t, want, made.(*ctype.Enum).QualifiedName())
	}
}

// A class may be a field of one parameter and, aligned, a parameter of its own.
func TestResolveLearns(t *testing.T) {
	integer := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	aligned := &witness.Type{Kind: witness.Class, Name: "Aligned", Size: 32, Fields: []witness.Field{{Name: "i", Type: integer}}}
	outer := &witness.Type{Kind: witness.Class, Name: "Outer", Size: 32, Fields: []witness.Field{{Name: "a", Type: aligned}}}
	alignedAnswer := &witness.Answer{Object: witness.Object{Size: 32, Align: 32, Kind: witness.Class}}
	outerAnswer := *alignedAnswer
	var r compare.Resolver
	r.Learn(outer, &outerAnswer, "n::Outer")
	r.Learn(aligned, alignedAnswer, "n::Aligned")
	made, err := r.Param(outer, &outerAnswer, "n::Outer")
	require.NoError(t, err)
	field := made.(*ctype.Struct).Fields[0].Type.(*ctype.Struct)
	assert.Equal(t, "n::Aligned", field.QualifiedName())
	assert.Equal(t, int64(32), field.Stated.Align)
	again, err := r.Param(aligned, alignedAnswer, "n::Aligned")
	require.NoError(t, err)
	assert.Same(t, field, again)

	var late compare.Resolver
	_, err = late.Param(outer, &outerAnswer, "n::Outer")
	require.NoError(t, err)
	_, err = late.Param(aligned, alignedAnswer, "n::Aligned")
	assert.ErrorContains(t, err, "aligned to 32 by the probe, but a type was made with it, aligned to 4, before Learn was told")
}
