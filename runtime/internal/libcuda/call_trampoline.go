//go:build !cudagen_nodriver && !cudagen_portable && linux && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// callTrampolineAddress returns the address of the C function
// int32 trampoline(callRecord *), which calls what the record says.
func callTrampolineAddress() uintptr

var callTrampoline = callTrampolineAddress()

// invoke makes the call. It keeps nothing of r.
func invoke(r *callRecord) driver.Result {
	return driver.Result(ccall.Enter(callTrampoline, unsafe.Pointer(r)))
}

// invokeOut makes a call whose first argument is the address of its result.
func invokeOut(fn, b, c, d uintptr) (uint64, driver.Result) {
	var out uint64
	r := ccall.Enter(callTrampoline, unsafe.Pointer(&callRecord{fn: fn, args: [6]uintptr{0, b, c, d}, first: unsafe.Pointer(&out)}))
	return out, driver.Result(r)
}
