package proof

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

func TestGate(t *testing.T) {
	why := diag.Message{Text: "why"}
	two := []string{"source", "probe"}
	part := func(name string, witnesses ...string) emittedPart {
		return emittedPart{Name: name, Witnesses: witnesses}
	}
	for _, test := range []struct {
		name string
		is   emitted
		want string
	}{
		{"two", emitted{Name: "struct A", Witnesses: two, Parts: []emittedPart{part("field a", "debug", "probe")}}, ""},
		{"nobody", emitted{Name: "struct A", reason: why}, "struct A: nothing states it: why"},
		{"one", emitted{Name: "enum E", Witnesses: []string{"source"}, reason: why}, "enum E: only the source states it, and nothing confirms it: why"},
		{"one, twice", emitted{Name: "enum E", Witnesses: []string{"source", "source"}, reason: why}, "enum E: only the source states it, and nothing confirms it: why"},
		{
			"a part", emitted{Name: "struct A", Witnesses: two, Parts: []emittedPart{part("field a", two...), part("field b", "debug")}, reason: why},
			"struct A: field b: only the debug information states it, and nothing confirms it: why",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			unproved := gate([]emitted{{Name: "constant N", Witnesses: two}, test.is})
			if test.want == "" {
				assert.Empty(t, unproved)
				return
			}
			require.Len(t, unproved, 1)
			assert.Equal(t, test.want, unproved[0].message().Error())
		})
	}
}

// Of a class that a compiler told, the offset of a field that C++ cannot say has one witness; those of the fields behind it have two.
func TestEmittedFields(t *testing.T) {
	integer := ctype.Builtin(ctype.Int)
	stated := &ctype.Stated{Size: 24, Align: 8, BitOffsets: []int64{0, 64, 128}}
	for _, test := range []struct {
		name   string
		stated *ctype.Stated
		want   []string
	}{
		{"by the source", nil, []string{"field a", "field ref", "field c"}},
		{"by a compiler", stated, []string{"field a", "field c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			class := &ctype.Struct{Name: "S", Complete: true, Stated: test.stated, Fields: []ctype.Field{
				{Name: "a", Type: integer}, {Name: "ref", Type: &ctype.Reference{Elem: integer}}, {Name: "c", Type: integer},
			}}
			a := &confirmation{
				Statement: Statement{
					Selection: &selection.Selection{File: &cu.File{}}, Proofs: &Proofs{}, Model: &model.File{Structs: []model.Struct{{GoName: "S"}}}, Origins: map[string]selection.Origin{"S": {Type: class}},
				},
				record: &record.Record{Structs: []record.Struct{{Name: "S", Fields: []record.Field{{Name: "a"}, {Name: "ref"}, {Name: "c"}}}}},
			}
			list := a.emitted()
			require.Len(t, list, 1)
			var got []string
			for _, part := range list[0].Parts {
				got = append(got, part.Name)
			}
			assert.Equal(t, test.want, got)
		})
	}
}
