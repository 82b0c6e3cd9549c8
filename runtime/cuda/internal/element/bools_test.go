package element

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// flagType is a bool of a name, as enumerations are.
type flagType bool

func TestBoolsOf(t *testing.T) {
	type inner struct {
		N int32
		A bool
		_ [2]byte
		B [3]bool
	}
	type outer struct {
		First inner
		F     flagType
		Many  [2][3]inner
		None  [4]uint8
	}
	for _, test := range []struct {
		t    reflect.Type
		want []uintptr // offsets
	}{
		{reflect.TypeFor[uint8](), nil},
		{reflect.TypeFor[struct{ X [4]float32 }](), nil},
		{reflect.TypeFor[[0]bool](), nil},
		{reflect.TypeFor[bool](), []uintptr{0}},
		{reflect.TypeFor[flagType](), []uintptr{0}},
		{reflect.TypeFor[[2][2]bool](), []uintptr{0, 1, 2, 3}},
		{reflect.TypeFor[inner](), []uintptr{4, 7, 8, 9}},
		{reflect.TypeFor[[2]inner](), []uintptr{4, 7, 8, 9, 16, 19, 20, 21}},
	} {
		t.Run(fmt.Sprint(test.t), func(t *testing.T) {
			b := make([]byte, test.t.Size())
			for i := range b {
				b[i] = 0xa5
			}
			if len(b) > 0 {
				BoolsOf(test.t).Make(unsafe.Pointer(&b[0]))
			}
			var changed []uintptr
			for i, v := range b {
				if v != 0xa5 {
					assert.Equal(t, byte(1), v)
					changed = append(changed, uintptr(i))
				}
			}
			assert.Equal(t, test.want, changed)
		})
	}
	assert.Len(t, BoolsOf(reflect.TypeFor[[1 << 20]inner]()), 1, "a plan does not grow with the length")
	assert.Equal(t, Bools{{count: 300}}, BoolsOf(reflect.TypeFor[[3]bool]()).Repeated(100, 3))
	var o outer
	all := unsafe.Slice((*byte)(unsafe.Pointer(&o)), unsafe.Sizeof(o))
	for i := range all {
		all[i] = byte(i)
	}
	BoolsOf(reflect.TypeFor[outer]()).Make(unsafe.Pointer(&o))
	assert.Equal(t, []bool{true, true}, []bool{o.First.A, bool(o.F)})
	for i := range o.Many {
		for j := range o.Many[i] {
			assert.Equal(t, [3]bool{true, true, true}, o.Many[i][j].B)
		}
	}
	none := byte(unsafe.Offsetof(o.None))
	assert.Equal(t, [4]uint8{none, none + 1, none + 2, none + 3}, o.None, "no bools")
}

// FuzzMakeBools compares words of 8 bytes with single ones.
func FuzzMakeBools(f *testing.F) {
	f.Add([]byte{0, 1, 2, 255, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 128})
	f.Fuzz(func(t *testing.T, b []byte) {
		want := make([]byte, len(b))
		for i, v := range b {
			want[i] = min(v, 1)
		}
		makeBytesBools(b)
		assert.Equal(t, want, b)
	})
}

// BenchmarkMakeBools measures what a copy to Go memory costs more for bools.
func BenchmarkMakeBools(b *testing.B) {
	for _, test := range []struct {
		name string
		make func(n int) (unsafe.Pointer, Bools, int)
	}{
		{"bool", func(n int) (unsafe.Pointer, Bools, int) {
			return unsafe.Pointer(unsafe.SliceData(make([]bool, n))), BoolsOf(reflect.TypeFor[bool]()).Repeated(uintptr(n), 1), n
		}},
		{"struct of 16 bytes", func(n int) (unsafe.Pointer, Bools, int) {
			type hit struct {
				T, U, V float32
				Hit     bool
			}
			return unsafe.Pointer(unsafe.SliceData(make([]hit, n/16))), BoolsOf(reflect.TypeFor[hit]()).Repeated(uintptr(n/16), 16), n
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			p, runs, bytes := test.make(1 << 20)
			b.SetBytes(int64(bytes))
			for b.Loop() {
				runs.Make(p)
			}
		})
	}
}
