//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"runtime"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

func (d *Driver) IpcGetMemHandle(p driver.DevicePtr) (h driver.IpcHandle, r driver.Result) {
	r = d.callAt(driver.IpcGetMemHandle, [6]uintptr{0, uintptr(p)}, unsafe.Pointer(&h), nil)
	return h, r
}

func (d *Driver) IpcGetEventHandle(e driver.Event) (h driver.IpcHandle, r driver.Result) {
	r = d.callAt(driver.IpcGetEventHandle, [6]uintptr{0, uintptr(e)}, unsafe.Pointer(&h), nil)
	return h, r
}

func (d *Driver) IpcOpenMemHandle(h driver.IpcHandle, flags uint32) (driver.DevicePtr, driver.Result) {
	out, r := d.callWithHandle(driver.IpcOpenMemHandle, h, uintptr(flags))
	return driver.DevicePtr(out), r
}

func (d *Driver) IpcOpenEventHandle(h driver.IpcHandle) (driver.Event, driver.Result) {
	out, r := d.callWithHandle(driver.IpcOpenEventHandle, h, 0)
	return driver.Event(out), r
}

// handleWords is the size of a handle in words.
const handleWords = len(driver.IpcHandle{}) / 8

// registerArguments is how many arguments amd64 passes in registers, on systems other than Windows.
const registerArguments = 6

// callWithHandle calls e, whose arguments are the address of its result, a handle by value and flags.
// A structure of 64 bytes is passed on the stack in the System V ABI of amd64, where it does not count
// among the arguments in registers; elsewhere the address of a copy is passed.
//
// System V Application Binary Interface, AMD64 Architecture Processor Supplement, Parameter Passing.
// Procedure Call Standard for the Arm 64-bit Architecture, Parameter passing. Microsoft x64 calling
// convention, Parameter passing.
func (d *Driver) callWithHandle(e driver.EntryPoint, h driver.IpcHandle, flags uintptr) (uint64, driver.Result) {
	fn := d.address(e)
	if fn == 0 {
		return 0, driver.ErrorCallRequiresNewerDriver
	}
	f := newFrame()
	defer f.free()
	var args [registerArguments + handleWords]uintptr
	n := 3
	args[0] = f.outAddress(0)
	if runtime.GOARCH == "amd64" && runtime.GOOS != "windows" {
		args[1], n = flags, len(args)
		copy(args[registerArguments:], (*[handleWords]uintptr)(unsafe.Pointer(&h))[:])
	} else {
		args[1], args[2] = f.address(0, unsafe.Pointer(&h)), flags
	}
	r, _, _ := purego.SyscallN(fn, args[:n]...)
	return f.out[0], driver.Result(int32(r))
}
