//go:build !cudagen_nodriver && !cudagen_portable && linux && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// launchTrampolineAddress returns the address of the C function
// int32 trampoline(LaunchRecord *), which reads all of the record before it calls the
// driver. It is a function, and not a variable that the assembly defines, so that a
// build without the assembly fails when it is linked.
func launchTrampolineAddress() uintptr

// attributedTrampolineAddress is launchTrampolineAddress for a record with Attributes, and
// batchTrampolineAddress for int32 trampoline(Batch *).
func attributedTrampolineAddress() uintptr
func batchTrampolineAddress() uintptr

var (
	launchTrampoline     = launchTrampolineAddress()
	attributedTrampoline = attributedTrampolineAddress()
	batchTrampoline      = batchTrampolineAddress()
)

func entryOf(fn uintptr) Entry { return Entry{function: fn, trampoline: launchTrampoline} }

func attributedEntryOf(fn uintptr) Entry {
	return Entry{function: fn, trampoline: attributedTrampoline}
}

func launch(r *LaunchRecord) driver.Result {
	return driver.Result(ccall.Enter(r.Target.Entry.trampoline, unsafe.Pointer(r)))
}

func launchBatch(b *Batch) driver.Result {
	return driver.Result(ccall.Enter(batchTrampoline, unsafe.Pointer(b)))
}
