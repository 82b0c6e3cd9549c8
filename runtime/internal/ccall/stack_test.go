//go:build (linux || windows) && !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// A filling is the arguments of memset.
type filling struct {
	to    *uint64
	value uint64
	bytes uint64
}

// fillAfter lets memset write to a variable of the goroutine's stack, after grow. It returns the variable's value, and
// whether the variable has moved since the words were filled.
//
//go:noinline
func fillAfter(memset uintptr, grow func()) (value uint64, moved bool) {
	var out uint64
	before := uintptr(unsafe.Pointer(&out))
	words := filling{to: &out, value: 0x5a, bytes: 8}
	call := ccall.Call{Function: memset, Words: unsafe.Pointer(&words), Count: 3}
	grow()
	ccall.Invoke(&call)
	return out, before != uintptr(unsafe.Pointer(&out))
}

// deep makes the goroutine's stack grow.
//
//go:noinline
func deep(n int) byte {
	var frame [1024]byte
	if n > 0 {
		frame[n] = deep(n - 1)
	}
	return frame[n]
}

// TestStackGrows: a call is right where the stack has moved since its words were filled. Without a trampoline, all that
// it points to is in the heap, and has not.
func TestStackGrows(t *testing.T) {
	memset := symbol(t, "memset")
	done := make(chan struct{})
	go func() {
		defer close(done)
		value, moved := fillAfter(memset, func() { deep(100) })
		assert.Equal(t, uint64(0x5a5a5a5a5a5a5a5a), value)
		assert.Equal(t, onStack, moved)
	}()
	<-done
}
