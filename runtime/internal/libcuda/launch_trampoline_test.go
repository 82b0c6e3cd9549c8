//go:build !cudagen_nodriver && !cudagen_portable && linux && (amd64 || arm64)

package libcuda

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
)

// pooledLaunch says that launches use pooled frames.
const pooledLaunch = false

// emptyCall calls the C function at fn, which does nothing: the floor of a launch.
func emptyCall(fn uintptr) driver.Result { return driver.Result(ccall.Enter(fn, nil)) }

// TestTrampolinePreservesRegisters calls the trampoline from C.
func TestTrampolinePreservesRegisters(t *testing.T) {
	d := newDevice(t)
	for _, count := range []int{0, 1, 2, 3, 64, 513} {
		params := slices.Repeat([]param{{4, 4}}, count)
		k := d.kernels(t, params)[0]
		offsets, size := layout(params)
		call := d.record(k, pattern(1, size), offsets)
		call.Target.Entry = entryOf(d.entry(driver.LaunchKernel))
		var pin runtime.Pinner
		pin.Pin(call)
		assert.Zero(t, d.fake.Clobbered(t, launchTrampoline, unsafe.Pointer(call)), "%d parameters", count)

		call.Target.Entry = attributedEntryOf(d.entry(driver.LaunchKernelEx))
		call.Attributes = &AttributeList{}
		assert.Zero(t, d.fake.Clobbered(t, attributedTrampoline, unsafe.Pointer(call)), "%d parameters", count)
		attributed := batchRecord(call)
		call.Target.Entry = entryOf(d.entry(driver.LaunchKernel))
		call.Attributes = nil
		b := &Batch{Records: &[]BatchRecord{attributed, batchRecord(call)}[0], Count: 2}
		pin.Pin(b)
		pin.Pin(b.Records)
		assert.Zero(t, d.fake.Clobbered(t, batchTrampoline, unsafe.Pointer(b)), "%d parameters", count)
		assert.Equal(t, uint32(2), b.Launched)
		pin.Unpin()
	}
	assert.Len(t, d.fake.Launches(), 24)
}

func TestClobberedRegistersAreSeen(t *testing.T) {
	d := newDevice(t)
	assert.NotZero(t, d.fake.Clobbered(t, d.fake.Symbol(t, "fake_clobber"), nil))
}
