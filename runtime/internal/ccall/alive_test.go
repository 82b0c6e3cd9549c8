//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package ccall_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
)

// collectedDuring returns whether the garbage collector took an object while a C function ran, with the object's
// address, as P, as its argument.
func collectedDuring[P uintptr | unsafe.Pointer](t *testing.T, l library) bool {
	hold, release := l.symbol(t, "hold"), l.symbol(t, "release")
	var collected atomic.Bool
	var word P
	func() {
		object := new([64]byte)
		runtime.AddCleanup(object, func(int) { collected.Store(true) }, 0)
		word = P(unsafe.Pointer(object))
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 50 {
			if runtime.GC(); !collected.Load() {
				time.Sleep(time.Millisecond)
			}
		}
		ccall.Invoke(&ccall.Call{Function: release})
	}()
	ccall.Invoke(&ccall.Call{Function: hold, Words: unsafe.Pointer(&word), Count: 1})
	during := collected.Load()
	<-done
	return during
}

// TestMemoryStaysAlive: a call keeps alive what its words point to. A number is the control.
func TestMemoryStaysAlive(t *testing.T) {
	l := compile(t, "")
	assert.False(t, collectedDuring[unsafe.Pointer](t, l))
	assert.True(t, collectedDuring[uintptr](t, l))
}
