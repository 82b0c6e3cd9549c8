//go:build linux && !cudagen_nodriver && !cudagen_portable && (amd64 || arm64)

package ccall_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// onStack says that a call and what it points to may stay on the goroutine's stack.
const onStack = true

func TestNothingIsAllocated(t *testing.T) {
	l := compile(t, "")
	fill, empty := l.symbol(t, "fill"), l.symbol(t, "empty")
	assert.Zero(t, testing.AllocsPerRun(100, func() { fillAfter(fill, func() {}) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		words := struct{ a, b float64 }{1, 2}
		ccall.InvokeFloat(&ccall.Call{Function: empty, Words: unsafe.Pointer(&words), Count: 2, Floats: 3})
	}))
}

// TestAllocationIsSeen is the control of TestNothingIsAllocated.
func TestAllocationIsSeen(t *testing.T) {
	fill := compile(t, "").symbol(t, "fill")
	assert.NotZero(t, testing.AllocsPerRun(100, func() {
		words := &filling{to: escaped}
		escaped = &words.value
		ccall.Invoke(&ccall.Call{Function: fill, Words: unsafe.Pointer(words), Count: 11})
	}))
}

var escaped = new(uint64)
