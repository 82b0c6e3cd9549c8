//go:build !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/dynlib"
	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// onStack says that a call and what it points to may stay on the goroutine's stack.
const onStack = false

// symbol returns the address of a function of the C library.
func symbol(t testing.TB, name string) uintptr {
	t.Helper()
	handle, err := dynlib.Load("msvcrt.dll")
	require.NoError(t, err)
	address := dynlib.Symbol(handle, name)
	require.NotZero(t, address, name)
	return address
}

func TestFloats(t *testing.T) {
	scaled := struct {
		x        float64
		exponent int32
		_        [4]byte
	}{1.5, 4, [4]byte{}}
	call := ccall.Call{Function: symbol(t, "ldexp"), Words: unsafe.Pointer(&scaled), Count: 2, Floats: 1}
	assert.Equal(t, 24.0, math.Float64frombits(ccall.InvokeFloat(&call)))

	split := struct {
		x        float64
		exponent *int32
	}{24, new(int32)}
	call = ccall.Call{Function: symbol(t, "frexp"), Words: unsafe.Pointer(&split), Count: 2, Floats: 1}
	assert.Equal(t, 0.75, math.Float64frombits(ccall.InvokeFloat(&call)))
	assert.Equal(t, int32(5), *split.exponent)

	powers := struct {
		x float32
		_ [4]byte
		y float32
		_ [4]byte
	}{x: 3, y: 4}
	call = ccall.Call{Function: symbol(t, "powf"), Words: unsafe.Pointer(&powers), Count: 2, Floats: 3}
	assert.Equal(t, float32(81), math.Float32frombits(uint32(ccall.InvokeFloat(&call))))
}
