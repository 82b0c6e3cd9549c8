package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// nvcc describes a bit-field with all bits of its type as any other field. Nothing else about it may differ.
func TestWholeBitFields(t *testing.T) {
	for name, test := range map[string]struct {
		bits   int64 // of the bit-field behind a char
		field  witness.Field
		differ bool
	}{
		"the same":               {32, witness.Field{Name: "b", Offset: 4}, false},
		"as a bit-field":         {32, witness.Field{Name: "b", Offset: 4, BitField: true, Bits: 32, BitOffset: 32}, false},
		"another offset":         {32, witness.Field{Name: "b", Offset: 8}, true},
		"another first bit":      {32, witness.Field{Name: "b", Offset: 4, BitField: true, Bits: 32, BitOffset: 40}, true},
		"not all bits":           {31, witness.Field{Name: "b", Offset: 4}, true},
		"not all bits, the same": {31, witness.Field{Name: "b", Offset: 4, BitField: true, Bits: 31, BitOffset: 32}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &ctype.Struct{Name: "S", Complete: true, Fields: []ctype.Field{
				{Name: "a", Type: ctype.Builtin(ctype.Char)},
				{Name: "b", Type: ctype.Builtin(ctype.Int), BitField: true, Bits: test.bits},
			}}
			test.field.Type = &witness.Type{Name: "int", Kind: witness.Signed, Size: 4}
			debug := &witness.Type{Name: "S", Kind: witness.Class, Size: 8, Fields: []witness.Field{
				{Name: "a", Type: &witness.Type{Name: "char", Kind: witness.Signed, Size: 1}}, test.field,
			}}
			_, err := compare.Variable("v", s, debug)
			assert.Equal(t, test.differ, err != nil, "%v", err)
		})
	}
}
