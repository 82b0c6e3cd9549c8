package element

import (
	"reflect"
	"structs"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

type (
	address struct{ _ uint64 }
	slice   struct{ _ [2]uint64 }
)

// pointerType takes address and slice for types of package cuda.
func pointerType(t reflect.Type) (is, alone bool) {
	return t == reflect.TypeFor[address]() || t == reflect.TypeFor[slice](), t == reflect.TypeFor[address]()
}

// TestInC: plain data has its size and alignment in C++, and what has another one there is refused.
func TestInC(t *testing.T) {
	type pair struct {
		_ structs.HostLayout
		A uint8
		B [3]uint8
		C uint32
	}
	for _, test := range []struct {
		value       any
		size, align uint64
		wrong       string
	}{
		{true, 1, 1, ""},
		{int16(0), 2, 2, ""},
		{float64(0), 8, 8, ""},
		{complex64(0), 8, 8, ""},
		{complex128(0), 16, 16, ""},
		{[3]int32{}, 12, 4, ""},
		{pair{}, 8, 4, ""},
		{vec.Float4{}, 16, 16, ""},
		{vec.Float2{}, 8, 8, ""},
		{vec.Float3{}, 12, 4, ""},
		{address{}, 8, 8, ""},
		{slice{}, 0, 0, "has more than an address: use cuda.Ptr inside of structs"},
		{0, 0, 0, "int has the width of the platform"},
		{uintptr(0), 0, 0, "uintptr has the width of the platform"},
		{[0]int32{}, 0, 0, "[0]int32 has no size"},
		{[2]string{}, 0, 0, "string does not exist in C++"},
		{new(int32), 0, 0, "*int32 is Go memory"},
		{unsafe.Pointer(nil), 0, 0, "is Go memory"},
		{[]int32{}, 0, 0, "[]int32 is Go memory"},
		{struct{}{}, 0, 0, "struct {} has 0 bytes, in C++ 1"},
		{struct{ X []byte }{}, 0, 0, "is Go memory, which a kernel must not use: use cuda.Slice or cuda.Ptr, in field X of"},
		{struct {
			A int32
			B complex128
		}{}, 0, 0, "field B of struct { A int32; B complex128 } is at byte 8, in C++ at 16: add fields of padding"},
		{struct {
			A complex128
			B int64
		}{}, 0, 0, "has 24 bytes, in C++ 32: add fields of padding"},
		{struct {
			A vec.Float4
			B int32
			_ [3]int32
		}{}, 32, 16, ""},
	} {
		size, align, err := InC(reflect.TypeOf(test.value), pointerType)
		if test.wrong != "" {
			assert.ErrorContains(t, err, test.wrong)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, [2]uint64{test.size, test.align}, [2]uint64{size, align}, "%T", test.value)
	}
}

// TestDescription: a description has what lies where, and no names.
func TestDescription(t *testing.T) {
	for want, value := range map[string]any{
		"float32": float32(0), "[3]int8": [3]int8{}, "float16": vec.Float16(0), "bfloat16": vec.BFloat16(0),
		"{0:float32,8:int64;16}": struct {
			_ structs.HostLayout
			A float32
			_ [4]byte
			B int64
		}{},
		"{0:[2]{0:uint8;1};2}": struct{ A [2]struct{ B uint8 } }{},
	} {
		assert.Equal(t, want, Description(reflect.TypeOf(value)))
	}
}

// TestTexels: a texel is one, two or four numbers of one type.
func TestTexels(t *testing.T) {
	for _, test := range []struct {
		value         any
		want          string
		bytes         uint64
		float, narrow bool
	}{
		{float32(0), "1 × float32", 4, true, false},
		{vec.Float4{}, "4 × float32", 16, true, false},
		{vec.Float16(0), "1 × Float16", 2, true, false},
		{[2]vec.Float16{}, "2 × Float16", 4, true, false},
		{[2]uint16{}, "2 × uint16", 4, false, true},
		{[4]uint8{}, "4 × uint8", 4, false, true},
		{int8(0), "1 × int8", 1, false, true},
		{int16(0), "1 × int16", 2, false, true},
		{int32(0), "1 × int32", 4, false, false},
		{struct{ X, Y uint32 }{}, "2 × uint32", 8, false, false},
	} {
		for range 2 { // found, and known
			f := TexelOf(reflect.TypeOf(test.value))
			assert.Equal(t, test.want, f.String())
			assert.Equal(t, test.bytes, f.Bytes(), test.want)
			assert.Equal(t, [2]bool{test.float, test.narrow}, [2]bool{f.IsFloat(), f.IsNarrow()}, test.want)
		}
	}
	for _, value := range []any{vec.Float3{}, vec.BFloat16(0), [2]vec.BFloat16{}, [3]uint8{}, [8]uint8{}, struct{}{}, struct {
		X uint8
		Y int8
	}{}, float64(0), uint64(0), true, [2]bool{}, "text"} {
		assert.Equal(t, Texel{}, TexelOf(reflect.TypeOf(value)), "%T", value)
	}
	assert.Equal(t, driver.FormatUint8, TexelOf(reflect.TypeFor[uint8]()).Format)
}

// TestNotSeenByBoth: only bools are kept from shared memory.
func TestNotSeenByBoth(t *testing.T) {
	assert.Empty(t, NotSeenByBoth(reflect.TypeFor[[2]uint8]()))
	assert.Contains(t, NotSeenByBoth(reflect.TypeFor[bool]()), "a bool cannot be in memory")
	assert.Contains(t, NotSeenByBoth(reflect.TypeFor[[2]bool]()), "[2]bool, which has a bool, cannot be in memory")
}
