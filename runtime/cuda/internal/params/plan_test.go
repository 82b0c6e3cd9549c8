package params

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
)

// What stands for types of package cuda, whose Owner is of another package than Args.
type (
	owner  = image.Param
	buffer struct {
		addr  uint64
		_     int
		owner *int
	}
	pointer struct{ _ uint64 }
)

var types = &Types{
	Owner: reflect.TypeFor[owner](), Owners: reflect.TypeFor[[]owner](),
	Address: func(t reflect.Type) (Address, bool) {
		switch t {
		case reflect.TypeFor[buffer]():
			return Address{SliceOf, unsafe.Offsetof(buffer{}.addr), unsafe.Offsetof(buffer{}.owner), reflect.TypeFor[[2]int16]()}, true
		case reflect.TypeFor[pointer]():
			return Address{Kind: Scalar}, true
		}
		return Address{}, false
	},
}

func planOf[T any]() (*Plan, error) { return Of(reflect.TypeFor[T](), types) }

type args struct {
	N    int32
	X    buffer
	Y    buffer `cuda:"nullable"`
	In   struct{ P pointer }
	By   owner
	Also []owner
}

func TestPlan(t *testing.T) {
	p, err := planOf[args]()
	require.NoError(t, err)
	again, _ := planOf[args]()
	assert.Same(t, p, again)
	var a args
	assert.Equal(t, []Slice{
		{unsafe.Offsetof(a.X), unsafe.Offsetof(a.X) + 16, true},
		{unsafe.Offsetof(a.Y), unsafe.Offsetof(a.Y) + 16, false},
	}, p.Slices)
	assert.Equal(t, []uintptr{unsafe.Offsetof(a.By)}, p.Named)
	assert.Equal(t, []uintptr{unsafe.Offsetof(a.Also)}, p.Lists)
	assert.Equal(t, uint64(2), p.Params[1].ElemAlign)
	assert.Equal(t, Struct, p.Params[3].Kind)
	assert.Empty(t, p.Differs([]image.Param{{Offset: 0, Size: 4}, {Offset: 8, Size: 8}, {Offset: 16, Size: 8}, {Offset: 24, Size: 8}}))
	assert.Equal(t, "it has 1 parameters, the Go code has 4", p.Differs([]image.Param{{Size: 4}}))
	assert.Equal(t, "parameter 0 (N) has 8 bytes, 4 as int32", p.Differs([]image.Param{{Size: 8}, {}, {}, {}}))
	assert.Equal(t, "parameter 1 (X) is at byte 4, at 8 as params.buffer", p.Differs([]image.Param{{Size: 4}, {Offset: 4, Size: 8}, {}, {}}))
}

func TestNoPlan(t *testing.T) {
	for want, plan := range map[string]func() (*Plan, error){
		"int32 is not a struct":       planOf[int32],
		"image.Param is not a struct": planOf[image.Param],
		"is embedded in":              planOf[struct{ pointer }],
		"field 1 of":                  planOf[struct{ A, _ int32 }],
		"there is only cuda:\"nullable\"": planOf[struct {
			N int32 `cuda:"nullable"`
		}],
		"has the width of the platform": planOf[struct{ N int }],
		"has more than an address":      planOf[struct{ In struct{ X buffer } }],
	} {
		_, err := plan()
		assert.ErrorContains(t, err, want)
	}
}
