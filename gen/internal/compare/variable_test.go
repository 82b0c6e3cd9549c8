package compare_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

func TestVariable(t *testing.T) {
	step := &ctype.Struct{Name: "Step", Complete: true, Fields: []ctype.Field{
		{Name: "count", Type: ctype.Builtin(ctype.Int)}, {Name: "scale", Type: ctype.Builtin(ctype.Double)},
	}}
	source := &ctype.Array{Elem: step, Len: 3}
	number := &witness.Type{Kind: witness.Signed, Name: "int", Size: 4}
	real := &witness.Type{Kind: witness.Float, Name: "double", Size: 8}
	class := func(offset int64) *witness.Type {
		return &witness.Type{Kind: witness.Class, Name: "Step", Size: 16, Fields: []witness.Field{{Name: "count", Type: number}, {Name: "scale", Type: real, Offset: offset}}}
	}
	array := func(of *witness.Type, length int64) *witness.Type {
		return &witness.Type{Kind: witness.Array, Elem: of, Len: length, Size: length * of.Size}
	}
	classes, err := compare.Variable("steps", source, array(class(8), 3))
	require.NoError(t, err)
	assert.True(t, classes[layout.Identity(step)])
	for want, debug := range map[string]*witness.Type{
		"steps: its type: number of elements is 3 by the source and 4 by the compiler":     array(class(8), 4),
		"steps: its type, field [].scale: offset is 8 by the source and 4 by the compiler": array(class(4), 3),
		"steps: its type: kind is array by the source and class by the compiler":           class(8),
	} {
		_, err := compare.Variable("steps", source, debug)
		assert.EqualError(t, err, want)
	}
}
