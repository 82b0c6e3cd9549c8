// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"math"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (d *Driver) Init() driver.Result {
	return d.callPlain(driver.Init, 0)
}

func (d *Driver) DriverGetVersion() (version int, r driver.Result) {
	out, r := d.callOut(driver.DriverGetVersion, 0, 0, 0)
	return int(int32(out)), r
}

func (d *Driver) DeviceGetCount() (int, driver.Result) {
	out, r := d.callOut(driver.DeviceGetCount, 0, 0, 0)
	return int(int32(out)), r
}

func (d *Driver) DeviceGet(ordinal int) (driver.Device, driver.Result) {
	out, r := d.callOut(driver.DeviceGet, uintptr(ordinal), 0, 0)
	return driver.Device(int32(out)), r
}

func (d *Driver) DeviceGetAttribute(attr driver.DeviceAttribute, dev driver.Device) (int, driver.Result) {
	out, r := d.callOut(driver.DeviceGetAttribute, uintptr(attr), uintptr(dev), 0)
	return int(int32(out)), r
}

func (d *Driver) DeviceTotalMem(dev driver.Device) (bytes uint64, r driver.Result) {
	out, r := d.callOut(driver.DeviceTotalMem, uintptr(dev), 0, 0)
	return out, r
}

func (d *Driver) DeviceCanAccessPeer(dev, peer driver.Device) (bool, driver.Result) {
	out, r := d.callOut(driver.DeviceCanAccessPeer, uintptr(dev), uintptr(peer), 0)
	return int32(out) != 0, r
}

func (d *Driver) DeviceGetDefaultMemPool(dev driver.Device) (driver.MemPool, driver.Result) {
	out, r := d.callOut(driver.DeviceGetDefaultMemPool, uintptr(dev), 0, 0)
	return driver.MemPool(out), r
}

func (d *Driver) DevicePrimaryCtxRetain(dev driver.Device) (driver.Context, driver.Result) {
	out, r := d.callOut(driver.DevicePrimaryCtxRetain, uintptr(dev), 0, 0)
	return driver.Context(out), r
}

func (d *Driver) DevicePrimaryCtxRelease(dev driver.Device) driver.Result {
	return d.callPlain(driver.DevicePrimaryCtxRelease, uintptr(dev))
}

func (d *Driver) CtxPushCurrent(ctx driver.Context) driver.Result {
	return d.callPlain(driver.CtxPushCurrent, uintptr(ctx))
}

func (d *Driver) CtxPopCurrent() (driver.Context, driver.Result) {
	out, r := d.callOut(driver.CtxPopCurrent, 0, 0, 0)
	return driver.Context(out), r
}

func (d *Driver) CtxGetCurrent() (driver.Context, driver.Result) {
	out, r := d.callOut(driver.CtxGetCurrent, 0, 0, 0)
	return driver.Context(out), r
}

func (d *Driver) CtxSetCurrent(ctx driver.Context) driver.Result {
	return d.callPlain(driver.CtxSetCurrent, uintptr(ctx))
}

func (d *Driver) CtxSynchronize() driver.Result {
	return d.callPlain(driver.CtxSynchronize)
}

func (d *Driver) CtxGetStreamPriorityRange() (least, greatest int, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.CtxGetStreamPriorityRange, f, f.outAddress(0), f.outAddress(1))
	return int(int32(f.out[0])), int(int32(f.out[1])), r
}

func (d *Driver) CtxEnablePeerAccess(peer driver.Context, flags uint32) driver.Result {
	return d.callPlain(driver.CtxEnablePeerAccess, uintptr(peer), uintptr(flags))
}

func (d *Driver) CtxDisablePeerAccess(peer driver.Context) driver.Result {
	return d.callPlain(driver.CtxDisablePeerAccess, uintptr(peer))
}

func (d *Driver) KernelGetParamInfo(k driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.KernelGetParamInfo, f, uintptr(k), uintptr(index), f.outAddress(0), f.outAddress(1))
	return f.out[0], f.out[1], r
}

func (d *Driver) KernelGetAttribute(attr driver.FunctionAttribute, k driver.Kernel, dev driver.Device) (int, driver.Result) {
	out, r := d.callOut(driver.KernelGetAttribute, uintptr(attr), uintptr(k), uintptr(dev))
	return int(int32(out)), r
}

func (d *Driver) StreamCreate(flags uint32) (driver.Stream, driver.Result) {
	out, r := d.callOut(driver.StreamCreate, uintptr(flags), 0, 0)
	return driver.Stream(out), r
}

func (d *Driver) StreamCreateWithPriority(flags uint32, priority int) (driver.Stream, driver.Result) {
	out, r := d.callOut(driver.StreamCreateWithPriority, uintptr(flags), uintptr(priority), 0)
	return driver.Stream(out), r
}

func (d *Driver) StreamDestroy(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamDestroy, uintptr(s))
}

func (d *Driver) StreamSynchronize(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamSynchronize, uintptr(s))
}

func (d *Driver) StreamQuery(s driver.Stream) driver.Result {
	return d.callPlain(driver.StreamQuery, uintptr(s))
}

func (d *Driver) StreamGetCtx(s driver.Stream) (ctx driver.Context, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.StreamGetCtx, f, uintptr(s), f.outAddress(0))
	return driver.Context(f.out[0]), r
}

func (d *Driver) StreamWaitEvent(s driver.Stream, e driver.Event, flags uint32) driver.Result {
	return d.callPlain(driver.StreamWaitEvent, uintptr(s), uintptr(e), uintptr(flags))
}

func (d *Driver) EventCreate(flags uint32) (driver.Event, driver.Result) {
	out, r := d.callOut(driver.EventCreate, uintptr(flags), 0, 0)
	return driver.Event(out), r
}

func (d *Driver) EventDestroy(e driver.Event) driver.Result {
	return d.callPlain(driver.EventDestroy, uintptr(e))
}

func (d *Driver) EventRecord(e driver.Event, s driver.Stream) driver.Result {
	return d.callPlain(driver.EventRecord, uintptr(e), uintptr(s))
}

func (d *Driver) EventQuery(e driver.Event) driver.Result {
	return d.callPlain(driver.EventQuery, uintptr(e))
}

func (d *Driver) EventSynchronize(e driver.Event) driver.Result {
	return d.callPlain(driver.EventSynchronize, uintptr(e))
}

func (d *Driver) EventElapsedTime(start, end driver.Event) (milliseconds float32, r driver.Result) {
	out, r := d.callOut(driver.EventElapsedTime, uintptr(start), uintptr(end), 0)
	return math.Float32frombits(uint32(out)), r
}

func (d *Driver) MemAllocAsync(bytes uint64, s driver.Stream) (driver.DevicePtr, driver.Result) {
	out, r := d.callOut(driver.MemAllocAsync, uintptr(bytes), uintptr(s), 0)
	return driver.DevicePtr(out), r
}

func (d *Driver) MemFreeAsync(p driver.DevicePtr, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemFreeAsync, uintptr(p), uintptr(s))
}

func (d *Driver) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	r := d.memcpyHtoDAsyncHere(dst, src, bytes, s)
	if r == driver.ErrorInvalidValue {
		r = d.inContextOf(s, func() driver.Result { return d.memcpyHtoDAsyncHere(dst, src, bytes, s) })
	}
	return r
}

func (d *Driver) memcpyHtoDAsyncHere(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	return d.callAt(driver.MemcpyHtoDAsync, [6]uintptr{uintptr(dst), 0, uintptr(bytes), uintptr(s)}, nil, src)
}

func (d *Driver) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	r := d.memcpyDtoHAsyncHere(dst, src, bytes, s)
	if r == driver.ErrorInvalidValue {
		r = d.inContextOf(s, func() driver.Result { return d.memcpyDtoHAsyncHere(dst, src, bytes, s) })
	}
	return r
}

func (d *Driver) memcpyDtoHAsyncHere(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return d.callAt(driver.MemcpyDtoHAsync, [6]uintptr{0, uintptr(src), uintptr(bytes), uintptr(s)}, dst, nil)
}

func (d *Driver) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	r := d.memcpyDtoDAsyncHere(dst, src, bytes, s)
	if r == driver.ErrorInvalidValue {
		r = d.inContextOf(s, func() driver.Result { return d.memcpyDtoDAsyncHere(dst, src, bytes, s) })
	}
	return r
}

func (d *Driver) memcpyDtoDAsyncHere(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *Driver) MemsetD8Async(dst driver.DevicePtr, value uint8, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD8Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *Driver) MemsetD16Async(dst driver.DevicePtr, value uint16, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD16Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *Driver) MemsetD32Async(dst driver.DevicePtr, value uint32, count uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemsetD32Async, uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *Driver) MemcpyPeerAsync(dst driver.DevicePtr, dstCtx driver.Context, src driver.DevicePtr, srcCtx driver.Context, bytes uint64, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(bytes), uintptr(s))
}

func (d *Driver) MemAllocFromPoolAsync(bytes uint64, p driver.MemPool, s driver.Stream) (driver.DevicePtr, driver.Result) {
	out, r := d.callOut(driver.MemAllocFromPoolAsync, uintptr(bytes), uintptr(p), uintptr(s))
	return driver.DevicePtr(out), r
}

func (d *Driver) MemPoolDestroy(p driver.MemPool) driver.Result {
	return d.callPlain(driver.MemPoolDestroy, uintptr(p))
}

func (d *Driver) MemPoolGetAttribute(p driver.MemPool, attr driver.MemPoolAttribute) (value uint64, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.MemPoolGetAttribute, f, uintptr(p), uintptr(attr), f.outAddress(0))
	return f.out[0], r
}

func (d *Driver) MemPoolTrimTo(p driver.MemPool, keepBytes uint64) driver.Result {
	return d.callPlain(driver.MemPoolTrimTo, uintptr(p), uintptr(keepBytes))
}

func (d *Driver) MemGetInfo() (free, total uint64, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.MemGetInfo, f, f.outAddress(0), f.outAddress(1))
	return f.out[0], f.out[1], r
}

func (d *Driver) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, driver.Result) {
	out, r := d.callOut(driver.MemHostAlloc, uintptr(bytes), uintptr(flags), 0)
	return pointer(out), r
}

func (d *Driver) MemFreeHost(p unsafe.Pointer) driver.Result {
	return d.callAt(driver.MemFreeHost, [6]uintptr{0}, p, nil)
}

func (d *Driver) MemFree(p driver.DevicePtr) driver.Result {
	return d.callPlain(driver.MemFree, uintptr(p))
}

func (d *Driver) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) driver.Result {
	return d.callAt(driver.MemHostRegister, [6]uintptr{0, uintptr(bytes), uintptr(flags)}, p, nil)
}

func (d *Driver) MemHostUnregister(p unsafe.Pointer) driver.Result {
	return d.callAt(driver.MemHostUnregister, [6]uintptr{0}, p, nil)
}

func (d *Driver) MemAlloc(bytes uint64) (driver.DevicePtr, driver.Result) {
	out, r := d.callOut(driver.MemAlloc, uintptr(bytes), 0, 0)
	return driver.DevicePtr(out), r
}

func (d *Driver) MemPrefetchAsync(p driver.DevicePtr, bytes uint64, to driver.Device, s driver.Stream) driver.Result {
	return d.callPlain(driver.MemPrefetchAsync, uintptr(p), uintptr(bytes), uintptr(to), uintptr(s))
}

func (d *Driver) MemAdvise(p driver.DevicePtr, bytes uint64, advice driver.MemAdvice, dev driver.Device) driver.Result {
	return d.callPlain(driver.MemAdvise, uintptr(p), uintptr(bytes), uintptr(advice), uintptr(dev))
}

func (d *Driver) IpcCloseMemHandle(p driver.DevicePtr) driver.Result {
	return d.callPlain(driver.IpcCloseMemHandle, uintptr(p))
}

func (d *Driver) ArrayDestroy(a driver.Array) driver.Result {
	return d.callPlain(driver.ArrayDestroy, uintptr(a))
}

func (d *Driver) MipmappedArrayGetLevel(m driver.MipmappedArray, level uint32) (driver.Array, driver.Result) {
	out, r := d.callOut(driver.MipmappedArrayGetLevel, uintptr(m), uintptr(level), 0)
	return driver.Array(out), r
}

func (d *Driver) MipmappedArrayDestroy(m driver.MipmappedArray) driver.Result {
	return d.callPlain(driver.MipmappedArrayDestroy, uintptr(m))
}

func (d *Driver) TexObjectDestroy(t driver.TexObject) driver.Result {
	return d.callPlain(driver.TexObjectDestroy, uintptr(t))
}

func (d *Driver) SurfObjectDestroy(s driver.SurfObject) driver.Result {
	return d.callPlain(driver.SurfObjectDestroy, uintptr(s))
}

func (d *Driver) ProfilerStart() driver.Result {
	return d.callPlain(driver.ProfilerStart)
}

func (d *Driver) ProfilerStop() driver.Result {
	return d.callPlain(driver.ProfilerStop)
}

func (d *Driver) KernelSetAttribute(attr driver.FunctionAttribute, value int, k driver.Kernel, dev driver.Device) driver.Result {
	return d.callPlain(driver.KernelSetAttribute, uintptr(attr), uintptr(value), uintptr(k), uintptr(dev))
}

func (d *Driver) OccupancyMaxActiveBlocksPerMultiprocessor(k driver.Kernel, blockThreads int, sharedBytes uint64) (blocks int, r driver.Result) {
	out, r := d.callOut(driver.OccupancyMaxActiveBlocksPerMultiprocessor, uintptr(k), uintptr(blockThreads), uintptr(sharedBytes))
	return int(int32(out)), r
}

func (d *Driver) OccupancyMaxPotentialBlockSize(k driver.Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.OccupancyMaxPotentialBlockSize, f, f.outAddress(0), f.outAddress(1), uintptr(k), 0, uintptr(sharedBytes), uintptr(maxBlockThreads))
	return int(int32(f.out[0])), int(int32(f.out[1])), r
}

func (d *Driver) GraphCreate(flags uint32) (driver.Graph, driver.Result) {
	out, r := d.callOut(driver.GraphCreate, uintptr(flags), 0, 0)
	return driver.Graph(out), r
}

func (d *Driver) GraphDestroy(g driver.Graph) driver.Result {
	return d.callPlain(driver.GraphDestroy, uintptr(g))
}

func (d *Driver) GraphClone(g driver.Graph) (driver.Graph, driver.Result) {
	out, r := d.callOut(driver.GraphClone, uintptr(g), 0, 0)
	return driver.Graph(out), r
}

func (d *Driver) GraphNodeFindInClone(original driver.GraphNode, clone driver.Graph) (driver.GraphNode, driver.Result) {
	out, r := d.callOut(driver.GraphNodeFindInClone, uintptr(original), uintptr(clone), 0)
	return driver.GraphNode(out), r
}

func (d *Driver) GraphNodeGetType(n driver.GraphNode) (typ driver.GraphNodeType, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.GraphNodeGetType, f, uintptr(n), f.outAddress(0))
	return driver.GraphNodeType(int32(f.out[0])), r
}

func (d *Driver) GraphDestroyNode(n driver.GraphNode) driver.Result {
	return d.callPlain(driver.GraphDestroyNode, uintptr(n))
}

func (d *Driver) GraphConditionalHandleCreate(g driver.Graph, ctx driver.Context, initial, flags uint32) (h driver.GraphConditionalHandle, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.GraphConditionalHandleCreate, f, f.outAddress(0), uintptr(g), uintptr(ctx), uintptr(initial), uintptr(flags))
	return driver.GraphConditionalHandle(f.out[0]), r
}

func (d *Driver) GraphExecDestroy(e driver.GraphExec) driver.Result {
	return d.callPlain(driver.GraphExecDestroy, uintptr(e))
}

func (d *Driver) GraphUpload(e driver.GraphExec, s driver.Stream) driver.Result {
	return d.callPlain(driver.GraphUpload, uintptr(e), uintptr(s))
}

func (d *Driver) GraphLaunch(e driver.GraphExec, s driver.Stream) driver.Result {
	return d.callPlain(driver.GraphLaunch, uintptr(e), uintptr(s))
}

func (d *Driver) GraphNodeSetEnabled(e driver.GraphExec, n driver.GraphNode, enabled uint32) driver.Result {
	return d.callPlain(driver.GraphNodeSetEnabled, uintptr(e), uintptr(n), uintptr(enabled))
}

func (d *Driver) StreamBeginCapture(s driver.Stream, mode driver.StreamCaptureMode) driver.Result {
	return d.callPlain(driver.StreamBeginCapture, uintptr(s), uintptr(mode))
}

func (d *Driver) StreamEndCapture(s driver.Stream) (g driver.Graph, r driver.Result) {
	f := newFrame()
	defer f.free()
	r = d.call(driver.StreamEndCapture, f, uintptr(s), f.outAddress(0))
	return driver.Graph(f.out[0]), r
}
