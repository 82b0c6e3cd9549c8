//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestAddressesStay: what C gets as a number is where it was when the stack has grown. The control is a variable on the stack.
func TestAddressesStay(t *testing.T) {
	stayed, moved := make(chan bool), make(chan bool)
	go func() { // with a small stack
		p := new(id)
		at := address(p)
		deep(100)
		stayed <- at == uintptr(unsafe.Pointer(p))
	}()
	go func() {
		p := new(id)
		at := uintptr(unsafe.Pointer(p))
		deep(100)
		moved <- at != uintptr(unsafe.Pointer(p))
	}()
	assert.True(t, <-stayed)
	assert.True(t, <-moved, "the control")
}

//go:noinline
func deep(n int) byte {
	var room [1024]byte
	room[n%len(room)] = byte(n)
	if n == 0 {
		return room[0]
	}
	return room[n%len(room)] + deep(n-1)
}
