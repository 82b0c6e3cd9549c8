package driver

import (
	"runtime"
	"unsafe"
)

// InContext returns d for a driver that demands a current context also for the calls
// that are not marked "context" in Driver and concern one: it makes ctx current around
// each of them. That costs a locked thread and two more calls.
func InContext(d Driver, ctx Context) Driver { return inContext{d, ctx} }

// An inContext leaves alone what asks about devices and contexts, and what is marked
// "context".
type inContext struct {
	Driver
	ctx Context
}

// around calls f on a thread where the context is current, and leaves the thread as it
// was.
func (c inContext) around(f func() Result) Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := c.CtxPushCurrent(c.ctx); r != Success {
		return r
	}
	r := f()
	if _, popped := c.CtxPopCurrent(); r == Success {
		r = popped
	}
	return r
}

func (c inContext) LibraryLoadData(image []byte) (lib Library, r Result) {
	r = c.around(func() (r Result) { lib, r = c.Driver.LibraryLoadData(image); return r })
	return lib, r
}

func (c inContext) LibraryUnload(lib Library) Result {
	return c.around(func() Result { return c.Driver.LibraryUnload(lib) })
}

func (c inContext) LibraryGetKernel(lib Library, name string) (k Kernel, r Result) {
	r = c.around(func() (r Result) { k, r = c.Driver.LibraryGetKernel(lib, name); return r })
	return k, r
}

func (c inContext) KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (value int, r Result) {
	r = c.around(func() (r Result) { value, r = c.Driver.KernelGetAttribute(attr, k, dev); return r })
	return value, r
}

func (c inContext) KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result {
	return c.around(func() Result { return c.Driver.KernelSetAttribute(attr, value, k, dev) })
}

func (c inContext) StreamDestroy(s Stream) Result {
	return c.around(func() Result { return c.Driver.StreamDestroy(s) })
}

func (c inContext) StreamSynchronize(s Stream) Result {
	return c.around(func() Result { return c.Driver.StreamSynchronize(s) })
}

func (c inContext) StreamQuery(s Stream) Result {
	return c.around(func() Result { return c.Driver.StreamQuery(s) })
}

func (c inContext) StreamWaitEvent(s Stream, e Event, flags uint32) Result {
	return c.around(func() Result { return c.Driver.StreamWaitEvent(s, e, flags) })
}

func (c inContext) EventDestroy(e Event) Result {
	return c.around(func() Result { return c.Driver.EventDestroy(e) })
}

func (c inContext) EventRecord(e Event, s Stream) Result {
	return c.around(func() Result { return c.Driver.EventRecord(e, s) })
}

func (c inContext) EventQuery(e Event) Result {
	return c.around(func() Result { return c.Driver.EventQuery(e) })
}

func (c inContext) EventSynchronize(e Event) Result {
	return c.around(func() Result { return c.Driver.EventSynchronize(e) })
}

func (c inContext) EventElapsedTime(start, end Event) (milliseconds float32, r Result) {
	r = c.around(func() (r Result) { milliseconds, r = c.Driver.EventElapsedTime(start, end); return r })
	return milliseconds, r
}

func (c inContext) MemAllocAsync(bytes uint64, s Stream) (p DevicePtr, r Result) {
	r = c.around(func() (r Result) { p, r = c.Driver.MemAllocAsync(bytes, s); return r })
	return p, r
}

func (c inContext) MemFreeAsync(p DevicePtr, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemFreeAsync(p, s) })
}

func (c inContext) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemcpyHtoDAsync(dst, src, bytes, s) })
}

func (c inContext) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemcpyDtoHAsync(dst, src, bytes, s) })
}

func (c inContext) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemcpyDtoDAsync(dst, src, bytes, s) })
}

func (c inContext) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemsetD8Async(dst, value, count, s) })
}

func (c inContext) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemsetD16Async(dst, value, count, s) })
}

func (c inContext) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result {
	return c.around(func() Result { return c.Driver.MemsetD32Async(dst, value, count, s) })
}

func (c inContext) MemFreeHost(p unsafe.Pointer) Result {
	return c.around(func() Result { return c.Driver.MemFreeHost(p) })
}

func (c inContext) MemAllocFromPoolAsync(bytes uint64, from MemPool, s Stream) (p DevicePtr, r Result) {
	r = c.around(func() (r Result) { p, r = c.Driver.MemAllocFromPoolAsync(bytes, from, s); return r })
	return p, r
}

func (c inContext) MemPoolCreate(dev Device) (p MemPool, r Result) {
	r = c.around(func() (r Result) { p, r = c.Driver.MemPoolCreate(dev); return r })
	return p, r
}

func (c inContext) MemPoolDestroy(p MemPool) Result {
	return c.around(func() Result { return c.Driver.MemPoolDestroy(p) })
}

func (c inContext) MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (value uint64, r Result) {
	r = c.around(func() (r Result) { value, r = c.Driver.MemPoolGetAttribute(p, attr); return r })
	return value, r
}

func (c inContext) MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result {
	return c.around(func() Result { return c.Driver.MemPoolSetAttribute(p, attr, value) })
}

func (c inContext) MemPoolTrimTo(p MemPool, keepBytes uint64) Result {
	return c.around(func() Result { return c.Driver.MemPoolTrimTo(p, keepBytes) })
}

func (c inContext) MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result {
	return c.around(func() Result { return c.Driver.MemPoolSetAccess(p, dev, flags) })
}

func (c inContext) LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result {
	return c.around(func() Result { return c.Driver.LaunchKernel(k, cfg, s, params, offsets) })
}

func (c inContext) LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result {
	return c.around(func() Result { return c.Driver.LaunchKernelEx(k, cfg, a, s, params, offsets) })
}
