package templates

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// The components of every vector type, and of nothing else, are those of package vec.
func TestVector(t *testing.T) {
	found := 0
	for _, typ := range []any{vec.Char1{}, vec.UChar2{}, vec.Short3{}, vec.UShort4{}, vec.Int1{}, vec.UInt2{}, vec.Long3{}, vec.ULong4{}, vec.LongLong1{},
		vec.ULongLong2{}, vec.Float3{}, vec.Float4{}, vec.Double2{}, vec.Float16x2{}, vec.BFloat16x2{}} {
		r := reflect.TypeOf(typ)
		v := vectorOf(model.GoType{Kind: model.Vec, Name: r.Name(), Size: int64(r.Size()), Align: int64(r.Align())})
		require.NotNil(t, v, r)
		assert.EqualValues(t, r.NumField(), v.Len, r)
		for i := range r.NumField() {
			assert.Equal(t, r.Field(i).Type.Name(), v.Elem.Name, r)
			assert.EqualValues(t, r.Field(i).Type.Size(), v.Elem.Size, r)
		}
		assert.Equal(t, r.Field(0).Type.PkgPath() != "", v.Elem.Kind == model.Vec, r)
		found++
	}
	assert.Equal(t, 15, found)
	for _, other := range []model.GoType{{Kind: model.Runtime, Name: "Texture"}, {Kind: model.Vec, Name: "Float16"}, {Kind: model.Local, Name: "Float4"}, {Kind: model.Basic, Name: "float32"}} {
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
