//go:build !cudagen_nodriver && (windows || (linux && cudagen_portable)) && (amd64 || arm64)

package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// invoke makes the call, through a frame in the heap.
func invoke(r *callRecord) driver.Result {
	f := newFrame()
	defer f.free()
	copy(f.args[:], r.args[:])
	f.args[0] += f.address(0, r.first)
	f.args[1] += f.address(1, r.second)
	f.args[2] += f.address(2, r.third)
	result, _, _ := purego.SyscallN(r.fn, f.args[:len(r.args)]...)
	return driver.Result(int32(result))
}

// invokeOut makes a call whose first argument is the address of its result.
func invokeOut(fn, b, c, d uintptr) (uint64, driver.Result) {
	f := newFrame()
	defer f.free()
	f.args[0], f.args[1], f.args[2], f.args[3] = uintptr(unsafe.Pointer(&f.out)), b, c, d
	result, _, _ := purego.SyscallN(fn, f.args[:6]...)
	return f.out[0], driver.Result(int32(result))
}
