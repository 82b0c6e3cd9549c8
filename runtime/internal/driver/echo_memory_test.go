package driver

import "unsafe"

// said is what echo returns the address of.
var said byte

func (e *echo) StreamCreateWithPriority(flags uint32, priority int) (Stream, Result) {
	return 41, e.note("StreamCreateWithPriority", flags, priority)
}

func (e *echo) CtxGetStreamPriorityRange() (int, int, Result) {
	return 41, 42, e.note("CtxGetStreamPriorityRange")
}

func (e *echo) StreamWaitEvent(s Stream, ev Event, flags uint32) Result {
	return e.note("StreamWaitEvent", s, ev, flags)
}

func (e *echo) LaunchHostFunc(s Stream, f func()) Result {
	return e.note("LaunchHostFunc", s, f != nil)
}

func (e *echo) EventCreate(flags uint32) (Event, Result) {
	return 41, e.note("EventCreate", flags)
}

func (e *echo) EventDestroy(ev Event) Result {
	return e.note("EventDestroy", ev)
}

func (e *echo) EventRecord(ev Event, s Stream) Result {
	return e.note("EventRecord", ev, s)
}

func (e *echo) EventQuery(ev Event) Result {
	return e.note("EventQuery", ev)
}

func (e *echo) EventSynchronize(ev Event) Result {
	return e.note("EventSynchronize", ev)
}

func (e *echo) EventElapsedTime(start, end Event) (float32, Result) {
	return 41, e.note("EventElapsedTime", start, end)
}

func (e *echo) MemGetInfo() (uint64, uint64, Result) {
	return 41, 42, e.note("MemGetInfo")
}

func (e *echo) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, Result) {
	return unsafe.Pointer(&said), e.note("MemHostAlloc", bytes, flags)
}

func (e *echo) MemFreeHost(p unsafe.Pointer) Result {
	return e.note("MemFreeHost", p)
}

func (e *echo) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (DevicePtr, Result) {
	return 41, e.note("MemHostGetDevicePointer", p, flags)
}

func (e *echo) MemAllocManaged(bytes uint64, flags uint32) (DevicePtr, unsafe.Pointer, Result) {
	return 41, unsafe.Pointer(&said), e.note("MemAllocManaged", bytes, flags)
}

func (e *echo) MemFree(p DevicePtr) Result {
	return e.note("MemFree", p)
}

func (e *echo) MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result {
	return e.note("MemPrefetchAsync", p, bytes, to, s)
}

func (e *echo) MemAdvise(p DevicePtr, bytes uint64, advice MemAdvice, dev Device) Result {
	return e.note("MemAdvise", p, bytes, advice, dev)
}

func (e *echo) MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result {
	return e.note("MemsetD16Async", dst, value, count, s)
}

func (e *echo) MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result {
	return e.note("MemsetD32Async", dst, value, count, s)
}

func (e *echo) Memcpy3DAsync(c Copy3D, s Stream) Result {
	return e.note("Memcpy3DAsync", c, s)
}

func (e *echo) MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) Result {
	return e.note("MemcpyPeerAsync", dst, dstCtx, src, srcCtx, bytes, s)
}

func (e *echo) DeviceGetDefaultMemPool(dev Device) (MemPool, Result) {
	return 41, e.note("DeviceGetDefaultMemPool", dev)
}

func (e *echo) MemPoolCreate(dev Device) (MemPool, Result) {
	return 41, e.note("MemPoolCreate", dev)
}

func (e *echo) MemPoolDestroy(p MemPool) Result {
	return e.note("MemPoolDestroy", p)
}

func (e *echo) MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (uint64, Result) {
	return 41, e.note("MemPoolGetAttribute", p, attr)
}

func (e *echo) MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result {
	return e.note("MemPoolSetAttribute", p, attr, value)
}

func (e *echo) MemPoolTrimTo(p MemPool, keepBytes uint64) Result {
	return e.note("MemPoolTrimTo", p, keepBytes)
}

func (e *echo) MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result {
	return e.note("MemPoolSetAccess", p, dev, flags)
}

func (e *echo) MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (DevicePtr, Result) {
	return 41, e.note("MemAllocFromPoolAsync", bytes, p, s)
}

func (e *echo) LibraryGetGlobal(lib Library, name string) (DevicePtr, uint64, Result) {
	return 41, 42, e.note("LibraryGetGlobal", lib, name)
}

func (e *echo) LibraryGetManaged(lib Library, name string) (DevicePtr, uint64, Result) {
	return 41, 42, e.note("LibraryGetManaged", lib, name)
}

func (e *echo) DeviceGetByPCIBusId(id string) (Device, Result) {
	return 41, e.note("DeviceGetByPCIBusId", id)
}

func (e *echo) DeviceGetPCIBusId(dev Device) (string, Result) {
	return "said", e.note("DeviceGetPCIBusId", dev)
}

func (e *echo) DeviceCanAccessPeer(dev, peer Device) (bool, Result) {
	return true, e.note("DeviceCanAccessPeer", dev, peer)
}

func (e *echo) CtxEnablePeerAccess(peer Context, flags uint32) Result {
	return e.note("CtxEnablePeerAccess", peer, flags)
}

func (e *echo) CtxDisablePeerAccess(peer Context) Result {
	return e.note("CtxDisablePeerAccess", peer)
}
