// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

package drivertest

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (ec *Echo) Init() driver.Result {
	return ec.note("Init")
}

func (ec *Echo) DriverGetVersion() (version int, r driver.Result) {
	return 41, ec.note("DriverGetVersion")
}

func (ec *Echo) DeviceGetCount() (int, driver.Result) {
	return 41, ec.note("DeviceGetCount")
}

func (ec *Echo) DeviceGet(ordinal int) (driver.Device, driver.Result) {
	return 41, ec.note("DeviceGet", ordinal)
}

func (ec *Echo) DeviceGetName(dev driver.Device) (string, driver.Result) {
	return "said", ec.note("DeviceGetName", dev)
}

func (ec *Echo) DeviceGetUuid(dev driver.Device) ([16]byte, driver.Result) {
	return [16]byte{1, 2}, ec.note("DeviceGetUuid", dev)
}

func (ec *Echo) DeviceGetAttribute(attr driver.DeviceAttribute, dev driver.Device) (int, driver.Result) {
	return 41, ec.note("DeviceGetAttribute", attr, dev)
}

func (ec *Echo) DeviceTotalMem(dev driver.Device) (bytes uint64, r driver.Result) {
	return 41, ec.note("DeviceTotalMem", dev)
}

func (ec *Echo) DeviceGetByPCIBusId(id string) (driver.Device, driver.Result) {
	return 41, ec.note("DeviceGetByPCIBusId", id)
}

func (ec *Echo) DeviceGetPCIBusId(dev driver.Device) (string, driver.Result) {
	return "said", ec.note("DeviceGetPCIBusId", dev)
}

func (ec *Echo) DeviceCanAccessPeer(dev, peer driver.Device) (bool, driver.Result) {
	return true, ec.note("DeviceCanAccessPeer", dev, peer)
}

func (ec *Echo) DeviceGetDefaultMemPool(dev driver.Device) (driver.MemPool, driver.Result) {
	return 41, ec.note("DeviceGetDefaultMemPool", dev)
}

func (ec *Echo) DevicePrimaryCtxRetain(dev driver.Device) (driver.Context, driver.Result) {
	return 41, ec.note("DevicePrimaryCtxRetain", dev)
}

func (ec *Echo) DevicePrimaryCtxRelease(dev driver.Device) driver.Result {
	return ec.note("DevicePrimaryCtxRelease", dev)
}

func (ec *Echo) CtxPushCurrent(ctx driver.Context) driver.Result {
	return ec.note("CtxPushCurrent", ctx)
}

func (ec *Echo) CtxPopCurrent() (driver.Context, driver.Result) {
	return 41, ec.note("CtxPopCurrent")
}

func (ec *Echo) CtxGetCurrent() (driver.Context, driver.Result) {
	return 41, ec.note("CtxGetCurrent")
}

func (ec *Echo) CtxSetCurrent(ctx driver.Context) driver.Result {
	return ec.note("CtxSetCurrent", ctx)
}

func (ec *Echo) CtxSynchronize() driver.Result {
	return ec.note("CtxSynchronize")
}

func (ec *Echo) CtxGetStreamPriorityRange() (least, greatest int, r driver.Result) {
	return 41, 42, ec.note("CtxGetStreamPriorityRange")
}

func (ec *Echo) CtxEnablePeerAccess(peer driver.Context, flags uint32) driver.Result {
	return ec.note("CtxEnablePeerAccess", peer, flags)
}

func (ec *Echo) CtxDisablePeerAccess(peer driver.Context) driver.Result {
	return ec.note("CtxDisablePeerAccess", peer)
}

func (ec *Echo) LibraryLoadData(image []byte) (driver.Library, driver.Result) {
	return 41, ec.note("LibraryLoadData", image)
}

func (ec *Echo) LibraryUnload(lib driver.Library) driver.Result {
	return ec.note("LibraryUnload", lib)
}

func (ec *Echo) LibraryGetGlobal(lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	return 41, 42, ec.note("LibraryGetGlobal", lib, name)
}

func (ec *Echo) LibraryGetManaged(lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	return 41, 42, ec.note("LibraryGetManaged", lib, name)
}

func (ec *Echo) LibraryGetKernel(lib driver.Library, name string) (driver.Kernel, driver.Result) {
	return 41, ec.note("LibraryGetKernel", lib, name)
}

func (ec *Echo) LibraryLog(lib driver.Library) string {
	ec.note("LibraryLog", lib)
	return "said"
}

func (ec *Echo) KernelGetParamInfo(k driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	return 41, 42, ec.note("KernelGetParamInfo", k, index)
}

func (ec *Echo) KernelGetAttribute(attr driver.FunctionAttribute, k driver.Kernel, dev driver.Device) (int, driver.Result) {
	return 41, ec.note("KernelGetAttribute", attr, k, dev)
}

func (ec *Echo) StreamCreate(flags uint32) (driver.Stream, driver.Result) {
	return 41, ec.note("StreamCreate", flags)
}

func (ec *Echo) StreamCreateWithPriority(flags uint32, priority int) (driver.Stream, driver.Result) {
	return 41, ec.note("StreamCreateWithPriority", flags, priority)
}

func (ec *Echo) StreamDestroy(s driver.Stream) driver.Result {
	return ec.note("StreamDestroy", s)
}

func (ec *Echo) StreamSynchronize(s driver.Stream) driver.Result {
	return ec.note("StreamSynchronize", s)
}

func (ec *Echo) StreamQuery(s driver.Stream) driver.Result {
	return ec.note("StreamQuery", s)
}

func (ec *Echo) StreamGetCtx(s driver.Stream) (ctx driver.Context, r driver.Result) {
	return 41, ec.note("StreamGetCtx", s)
}

func (ec *Echo) StreamWaitEvent(s driver.Stream, e driver.Event, flags uint32) driver.Result {
	return ec.note("StreamWaitEvent", s, e, flags)
}

func (ec *Echo) LaunchHostFunc(s driver.Stream, run func()) driver.Result {
	return ec.note("LaunchHostFunc", s, run != nil)
}

func (ec *Echo) EventCreate(flags uint32) (driver.Event, driver.Result) {
	return 41, ec.note("EventCreate", flags)
}

func (ec *Echo) EventDestroy(e driver.Event) driver.Result {
	return ec.note("EventDestroy", e)
}

func (ec *Echo) EventRecord(e driver.Event, s driver.Stream) driver.Result {
	return ec.note("EventRecord", e, s)
}

func (ec *Echo) EventQuery(e driver.Event) driver.Result {
	return ec.note("EventQuery", e)
}

func (ec *Echo) EventSynchronize(e driver.Event) driver.Result {
	return ec.note("EventSynchronize", e)
}

func (ec *Echo) EventElapsedTime(start, end driver.Event) (milliseconds float32, r driver.Result) {
	return 41, ec.note("EventElapsedTime", start, end)
}

func (ec *Echo) MemAllocAsync(bytes uint64, s driver.Stream) (driver.DevicePtr, driver.Result) {
	return 41, ec.note("MemAllocAsync", bytes, s)
}

func (ec *Echo) MemFreeAsync(p driver.DevicePtr, s driver.Stream) driver.Result {
	return ec.note("MemFreeAsync", p, s)
}

func (ec *Echo) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) driver.Result {
	return ec.note("MemcpyHtoDAsync", dst, src, bytes, s)
}

func (ec *Echo) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return ec.note("MemcpyDtoHAsync", dst, src, bytes, s)
}

func (ec *Echo) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) driver.Result {
	return ec.note("MemcpyDtoDAsync", dst, src, bytes, s)
}

func (ec *Echo) MemsetD8Async(dst driver.DevicePtr, value uint8, count uint64, s driver.Stream) driver.Result {
	return ec.note("MemsetD8Async", dst, value, count, s)
}

func (ec *Echo) MemsetD16Async(dst driver.DevicePtr, value uint16, count uint64, s driver.Stream) driver.Result {
	return ec.note("MemsetD16Async", dst, value, count, s)
}

func (ec *Echo) MemsetD32Async(dst driver.DevicePtr, value uint32, count uint64, s driver.Stream) driver.Result {
	return ec.note("MemsetD32Async", dst, value, count, s)
}

func (ec *Echo) Memcpy3DAsync(c driver.Copy3D, s driver.Stream) driver.Result {
	return ec.note("Memcpy3DAsync", c, s)
}

func (ec *Echo) MemcpyPeerAsync(dst driver.DevicePtr, dstCtx driver.Context, src driver.DevicePtr, srcCtx driver.Context, bytes uint64, s driver.Stream) driver.Result {
	return ec.note("MemcpyPeerAsync", dst, dstCtx, src, srcCtx, bytes, s)
}

func (ec *Echo) MemAllocFromPoolAsync(bytes uint64, p driver.MemPool, s driver.Stream) (driver.DevicePtr, driver.Result) {
	return 41, ec.note("MemAllocFromPoolAsync", bytes, p, s)
}

func (ec *Echo) MemPoolCreate(dev driver.Device, maxBytes uint64) (driver.MemPool, driver.Result) {
	return 41, ec.note("MemPoolCreate", dev, maxBytes)
}

func (ec *Echo) MemPoolDestroy(p driver.MemPool) driver.Result {
	return ec.note("MemPoolDestroy", p)
}

func (ec *Echo) MemPoolGetAttribute(p driver.MemPool, attr driver.MemPoolAttribute) (value uint64, r driver.Result) {
	return 41, ec.note("MemPoolGetAttribute", p, attr)
}

func (ec *Echo) MemPoolSetAttribute(p driver.MemPool, attr driver.MemPoolAttribute, value uint64) driver.Result {
	return ec.note("MemPoolSetAttribute", p, attr, value)
}

func (ec *Echo) MemPoolTrimTo(p driver.MemPool, keepBytes uint64) driver.Result {
	return ec.note("MemPoolTrimTo", p, keepBytes)
}

func (ec *Echo) MemPoolSetAccess(p driver.MemPool, dev driver.Device, flags driver.MemAccess) driver.Result {
	return ec.note("MemPoolSetAccess", p, dev, flags)
}

func (ec *Echo) MemGetInfo() (free, total uint64, r driver.Result) {
	return 41, 42, ec.note("MemGetInfo")
}

func (ec *Echo) MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, driver.Result) {
	return unsafe.Pointer(&said), ec.note("MemHostAlloc", bytes, flags)
}

func (ec *Echo) MemFreeHost(p unsafe.Pointer) driver.Result {
	return ec.note("MemFreeHost", p)
}

func (ec *Echo) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (driver.DevicePtr, driver.Result) {
	return 41, ec.note("MemHostGetDevicePointer", p, flags)
}

func (ec *Echo) MemAllocManaged(bytes uint64, flags uint32) (p driver.DevicePtr, host unsafe.Pointer, r driver.Result) {
	return 41, unsafe.Pointer(&said), ec.note("MemAllocManaged", bytes, flags)
}

func (ec *Echo) MemFree(p driver.DevicePtr) driver.Result {
	return ec.note("MemFree", p)
}

func (ec *Echo) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) driver.Result {
	return ec.note("MemHostRegister", p, bytes, flags)
}

func (ec *Echo) MemHostUnregister(p unsafe.Pointer) driver.Result {
	return ec.note("MemHostUnregister", p)
}

func (ec *Echo) MemAlloc(bytes uint64) (driver.DevicePtr, driver.Result) {
	return 41, ec.note("MemAlloc", bytes)
}

func (ec *Echo) MemPrefetchAsync(p driver.DevicePtr, bytes uint64, to driver.Device, s driver.Stream) driver.Result {
	return ec.note("MemPrefetchAsync", p, bytes, to, s)
}

func (ec *Echo) MemAdvise(p driver.DevicePtr, bytes uint64, advice driver.MemAdvice, dev driver.Device) driver.Result {
	return ec.note("MemAdvise", p, bytes, advice, dev)
}

func (ec *Echo) IpcGetMemHandle(p driver.DevicePtr) (h driver.IpcHandle, r driver.Result) {
	return driver.IpcHandle{}, ec.note("IpcGetMemHandle", p)
}

func (ec *Echo) IpcOpenMemHandle(h driver.IpcHandle, flags uint32) (p driver.DevicePtr, r driver.Result) {
	return 41, ec.note("IpcOpenMemHandle", h, flags)
}

func (ec *Echo) IpcCloseMemHandle(p driver.DevicePtr) driver.Result {
	return ec.note("IpcCloseMemHandle", p)
}

func (ec *Echo) IpcGetEventHandle(e driver.Event) (h driver.IpcHandle, r driver.Result) {
	return driver.IpcHandle{}, ec.note("IpcGetEventHandle", e)
}

func (ec *Echo) IpcOpenEventHandle(h driver.IpcHandle) (e driver.Event, r driver.Result) {
	return 41, ec.note("IpcOpenEventHandle", h)
}

func (ec *Echo) Array3DCreate(desc driver.ArrayDesc) (driver.Array, driver.Result) {
	return 41, ec.note("Array3DCreate", desc)
}

func (ec *Echo) ArrayDestroy(a driver.Array) driver.Result {
	return ec.note("ArrayDestroy", a)
}

func (ec *Echo) MipmappedArrayCreate(desc driver.ArrayDesc, levels uint32) (driver.MipmappedArray, driver.Result) {
	return 41, ec.note("MipmappedArrayCreate", desc, levels)
}

func (ec *Echo) MipmappedArrayGetLevel(m driver.MipmappedArray, level uint32) (driver.Array, driver.Result) {
	return 41, ec.note("MipmappedArrayGetLevel", m, level)
}

func (ec *Echo) MipmappedArrayDestroy(m driver.MipmappedArray) driver.Result {
	return ec.note("MipmappedArrayDestroy", m)
}

func (ec *Echo) TexObjectCreate(of driver.ResourceDesc, read driver.TextureDesc, view driver.ResourceViewDesc) (driver.TexObject, driver.Result) {
	return 41, ec.note("TexObjectCreate", of, read, view)
}

func (ec *Echo) TexObjectDestroy(t driver.TexObject) driver.Result {
	return ec.note("TexObjectDestroy", t)
}

func (ec *Echo) SurfObjectCreate(of driver.ResourceDesc) (driver.SurfObject, driver.Result) {
	return 41, ec.note("SurfObjectCreate", of)
}

func (ec *Echo) SurfObjectDestroy(s driver.SurfObject) driver.Result {
	return ec.note("SurfObjectDestroy", s)
}

func (ec *Echo) ProfilerStart() driver.Result {
	return ec.note("ProfilerStart")
}

func (ec *Echo) ProfilerStop() driver.Result {
	return ec.note("ProfilerStop")
}

func (ec *Echo) LaunchKernel(k driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	return ec.note("LaunchKernel", k, cfg, s, params, offsets)
}

func (ec *Echo) LaunchKernelEx(k driver.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	return ec.note("LaunchKernelEx", k, cfg, a, s, params, offsets)
}

func (ec *Echo) KernelSetAttribute(attr driver.FunctionAttribute, value int, k driver.Kernel, dev driver.Device) driver.Result {
	return ec.note("KernelSetAttribute", attr, value, k, dev)
}

func (ec *Echo) OccupancyMaxActiveBlocksPerMultiprocessor(k driver.Kernel, blockThreads int, sharedBytes uint64) (blocks int, r driver.Result) {
	return 41, ec.note("OccupancyMaxActiveBlocksPerMultiprocessor", k, blockThreads, sharedBytes)
}

func (ec *Echo) OccupancyMaxPotentialBlockSize(k driver.Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r driver.Result) {
	return 41, 42, ec.note("OccupancyMaxPotentialBlockSize", k, sharedBytes, maxBlockThreads)
}

func (ec *Echo) GraphCreate(flags uint32) (driver.Graph, driver.Result) {
	return 41, ec.note("GraphCreate", flags)
}

func (ec *Echo) GraphDestroy(g driver.Graph) driver.Result {
	return ec.note("GraphDestroy", g)
}

func (ec *Echo) GraphClone(g driver.Graph) (driver.Graph, driver.Result) {
	return 41, ec.note("GraphClone", g)
}

func (ec *Echo) GraphGetNodes(g driver.Graph) ([]driver.GraphNode, driver.Result) {
	return nil, ec.note("GraphGetNodes", g)
}

func (ec *Echo) GraphNodeFindInClone(original driver.GraphNode, clone driver.Graph) (driver.GraphNode, driver.Result) {
	return 41, ec.note("GraphNodeFindInClone", original, clone)
}

func (ec *Echo) GraphNodeGetType(n driver.GraphNode) (typ driver.GraphNodeType, r driver.Result) {
	return 41, ec.note("GraphNodeGetType", n)
}

func (ec *Echo) GraphNodeGetDependencies(n driver.GraphNode) ([]driver.GraphNode, driver.Result) {
	return nil, ec.note("GraphNodeGetDependencies", n)
}

func (ec *Echo) GraphDestroyNode(n driver.GraphNode) driver.Result {
	return ec.note("GraphDestroyNode", n)
}

func (ec *Echo) GraphAddNode(g driver.Graph, after []driver.GraphEdge, p driver.NodeParams) (driver.AddedNode, driver.Result) {
	return driver.AddedNode{}, ec.note("GraphAddNode", g, after, p)
}

func (ec *Echo) GraphKernelNodeSetAttribute(n driver.GraphNode, id uint32, value [8]uint64) driver.Result {
	return ec.note("GraphKernelNodeSetAttribute", n, id, value)
}

func (ec *Echo) GraphConditionalHandleCreate(g driver.Graph, ctx driver.Context, initial, flags uint32) (h driver.GraphConditionalHandle, r driver.Result) {
	return 41, ec.note("GraphConditionalHandleCreate", g, ctx, initial, flags)
}

func (ec *Echo) GraphInstantiateWithParams(g driver.Graph, flags uint64) (e driver.GraphExec, at driver.GraphNode, outcome driver.GraphInstantiateResult, r driver.Result) {
	return 41, 42, 43, ec.note("GraphInstantiateWithParams", g, flags)
}

func (ec *Echo) GraphExecDestroy(e driver.GraphExec) driver.Result {
	return ec.note("GraphExecDestroy", e)
}

func (ec *Echo) GraphUpload(e driver.GraphExec, s driver.Stream) driver.Result {
	return ec.note("GraphUpload", e, s)
}

func (ec *Echo) GraphLaunch(e driver.GraphExec, s driver.Stream) driver.Result {
	return ec.note("GraphLaunch", e, s)
}

func (ec *Echo) GraphExecNodeSetParams(e driver.GraphExec, n driver.GraphNode, p driver.NodeParams) driver.Result {
	return ec.note("GraphExecNodeSetParams", e, n, p)
}

func (ec *Echo) GraphExecUpdate(e driver.GraphExec, g driver.Graph) (at, from driver.GraphNode, outcome driver.GraphExecUpdateResult, r driver.Result) {
	return 41, 42, 43, ec.note("GraphExecUpdate", e, g)
}

func (ec *Echo) GraphNodeSetEnabled(e driver.GraphExec, n driver.GraphNode, enabled uint32) driver.Result {
	return ec.note("GraphNodeSetEnabled", e, n, enabled)
}

func (ec *Echo) KeepHostFunc(run func()) driver.HostFunc {
	ec.note("KeepHostFunc", run != nil)
	return 41
}

func (ec *Echo) DropHostFunc(h driver.HostFunc) bool {
	ec.note("DropHostFunc", h)
	return true
}

func (ec *Echo) StreamBeginCapture(s driver.Stream, mode driver.StreamCaptureMode) driver.Result {
	return ec.note("StreamBeginCapture", s, mode)
}

func (ec *Echo) StreamEndCapture(s driver.Stream) (g driver.Graph, r driver.Result) {
	return 41, ec.note("StreamEndCapture", s)
}

func (ec *Echo) StreamGetCaptureInfo(s driver.Stream) (status driver.StreamCaptureStatus, id uint64, g driver.Graph, last []driver.GraphNode, r driver.Result) {
	return 41, 42, 43, nil, ec.note("StreamGetCaptureInfo", s)
}

func (ec *Echo) StreamUpdateCaptureDependencies(s driver.Stream, after []driver.GraphNode, flags uint32) driver.Result {
	return ec.note("StreamUpdateCaptureDependencies", s, after, flags)
}
