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
	memset, empty := l.symbol(t, "memset"), l.symbol(t, "empty")
	assert.Zero(t, testing.AllocsPerRun(100, func() { fillAfter(memset, func() {}) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		words := struct{ a, b float64 }{1, 2}
		ccall.InvokeFloat(&ccall.Call{Function: empty, Words: unsafe.Pointer(&words), Count: 2, Floats: 3})
	}))
}

// TestAllocationIsSeen is the control of TestNothingIsAllocated.
func TestAllocationIsSeen(t *testing.T) {
	memset := compile(t, "").symbol(t, "memset")
	assert.NotZero(t, testing.AllocsPerRun(100, func() {
		escaped = new(uint64)
		words := filling{to: escaped}
		ccall.Invoke(&ccall.Call{Function: memset, Words: unsafe.Pointer(&words), Count: 3})
	}))
}

var escaped *uint64
