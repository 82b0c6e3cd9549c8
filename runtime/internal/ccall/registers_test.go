//go:build linux && !cudagen_nodriver && !cudagen_portable && (amd64 || arm64)

package ccall

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/fakecuda"
)

// TestTrampolinePreservesRegisters calls the trampoline from C.
func TestTrampolinePreservesRegisters(t *testing.T) {
	fake := fakecuda.Load(t, fakecuda.Build(t, fakecuda.Options{}))
	for count := range uintptr(MaxArguments + 1) {
		for _, floats := range []uint64{0, 1, 0x5555555555555555, 1<<64 - 1} {
			words := new([MaxArguments]uint64)
			call := &Call{Function: fake.EmptyFunction(t), Words: unsafe.Pointer(words), Count: count, Floats: floats}
			var pin runtime.Pinner
			pin.Pin(call)
			assert.Zero(t, fake.Clobbered(t, trampoline, unsafe.Pointer(call)), "%d arguments, floats %#x", count, floats)
			pin.Unpin()
		}
	}
}

// TestClobberedRegistersAreSeen is the control of TestTrampolinePreservesRegisters.
func TestClobberedRegistersAreSeen(t *testing.T) {
	fake := fakecuda.Load(t, fakecuda.Build(t, fakecuda.Options{}))
	assert.NotZero(t, fake.Clobbered(t, fake.Symbol(t, "fake_clobber"), nil))
}
