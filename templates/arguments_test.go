package templates

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// The components of every vector type, and of nothing else, are those of package cuda.
func TestVector(t *testing.T) {
	found := 0
	for _, typ := range []any{cuda.Char1{}, cuda.UChar2{}, cuda.Short3{}, cuda.UShort4{}, cuda.Int1{}, cuda.UInt2{}, cuda.Long3{}, cuda.ULong4{}, cuda.LongLong1{},
		cuda.ULongLong2{}, cuda.Float3{}, cuda.Float4{}, cuda.Double2{}, cuda.Float16x2{}, cuda.BFloat16x2{}} {
		r := reflect.TypeOf(typ)
		v := vectorOf(model.GoType{Kind: model.Runtime, Name: r.Name(), Size: int64(r.Size()), Align: int64(r.Align())})
		require.NotNil(t, v, r)
		assert.EqualValues(t, r.NumField(), v.Len, r)
		for i := range r.NumField() {
			assert.Equal(t, r.Field(i).Type.Name(), v.Elem.Name, r)
			assert.EqualValues(t, r.Field(i).Type.Size(), v.Elem.Size, r)
		}
		assert.Equal(t, r.Field(0).Type.PkgPath() != "", v.Elem.Kind == model.Runtime, r)
		found++
	}
	assert.Equal(t, 15, found)
	for _, other := range []model.GoType{{Kind: model.Runtime, Name: "Texture"}, {Kind: model.Runtime, Name: "Float16"}, {Kind: model.Local, Name: "Float4"}, {Kind: model.Basic, Name: "float32"}} {
		assert.Nil(t, vectorOf(other), other.Name)
	}
}

func TestUnused(t *testing.T) {
	k := model.Kernel{Args: []model.Arg{{Name: "in"}, {Name: "in2"}, {Name: "w"}}}
	for name, want := range map[string]string{"in": "in3", "w": "w2", "out": "out"} {
		got, err := unused(k, name)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := unused(&k, "a b")
	assert.EqualError(t, err, `"a b" is not a Go name`)
	_, err = unused(&model.File{}, "x")
	assert.EqualError(t, err, "unused is for the names of a kernel's arguments, and not of *model.File")
}
