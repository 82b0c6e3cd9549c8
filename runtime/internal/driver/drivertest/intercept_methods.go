// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

package drivertest

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (ic interceptor) Init() (r driver.Result) {
	if r = ic.before(driver.Init.Name()); r != driver.Success {
		return r
	}
	return ic.next.Init()
}

func (ic interceptor) DriverGetVersion() (version int, r driver.Result) {
	if r = ic.before(driver.DriverGetVersion.Name()); r != driver.Success {
		return version, r
	}
	return ic.next.DriverGetVersion()
}

func (ic interceptor) DeviceGetCount() (out int, r driver.Result) {
	if r = ic.before(driver.DeviceGetCount.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetCount()
}

func (ic interceptor) DeviceGet(ordinal int) (out driver.Device, r driver.Result) {
	if r = ic.before(driver.DeviceGet.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGet(ordinal)
}

func (ic interceptor) DeviceGetName(dev driver.Device) (out string, r driver.Result) {
	if r = ic.before(driver.DeviceGetName.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetName(dev)
}

func (ic interceptor) DeviceGetUuid(dev driver.Device) (out [16]byte, r driver.Result) {
	if r = ic.before(driver.DeviceGetUuid.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetUuid(dev)
}

func (ic interceptor) DeviceGetAttribute(attr driver.DeviceAttribute, dev driver.Device) (out int, r driver.Result) {
	if r = ic.before(driver.DeviceGetAttribute.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetAttribute(attr, dev)
}

func (ic interceptor) DeviceTotalMem(dev driver.Device) (bytes uint64, r driver.Result) {
	if r = ic.before(driver.DeviceTotalMem.Name()); r != driver.Success {
		return bytes, r
	}
	return ic.next.DeviceTotalMem(dev)
}

func (ic interceptor) DeviceGetByPCIBusId(id string) (out driver.Device, r driver.Result) {
	if r = ic.before(driver.DeviceGetByPCIBusId.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetByPCIBusId(id)
}

func (ic interceptor) DeviceGetPCIBusId(dev driver.Device) (out string, r driver.Result) {
	if r = ic.before(driver.DeviceGetPCIBusId.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetPCIBusId(dev)
}

func (ic interceptor) DeviceCanAccessPeer(dev, peer driver.Device) (out bool, r driver.Result) {
	if r = ic.before(driver.DeviceCanAccessPeer.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceCanAccessPeer(dev, peer)
}

func (ic interceptor) DeviceGetDefaultMemPool(dev driver.Device) (out driver.MemPool, r driver.Result) {
	if r = ic.before(driver.DeviceGetDefaultMemPool.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DeviceGetDefaultMemPool(dev)
}

func (ic interceptor) DevicePrimaryCtxRetain(dev driver.Device) (out driver.Context, r driver.Result) {
	if r = ic.before(driver.DevicePrimaryCtxRetain.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.DevicePrimaryCtxRetain(dev)
}

func (ic interceptor) DevicePrimaryCtxRelease(dev driver.Device) (r driver.Result) {
	if r = ic.before(driver.DevicePrimaryCtxRelease.Name()); r != driver.Success {
		return r
	}
	return ic.next.DevicePrimaryCtxRelease(dev)
}

func (ic interceptor) CtxPushCurrent(ctx driver.Context) (r driver.Result) {
	if r = ic.before(driver.CtxPushCurrent.Name()); r != driver.Success {
		return r
	}
	return ic.next.CtxPushCurrent(ctx)
}

func (ic interceptor) CtxPopCurrent() (out driver.Context, r driver.Result) {
	if r = ic.before(driver.CtxPopCurrent.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.CtxPopCurrent()
}

func (ic interceptor) CtxGetCurrent() (out driver.Context, r driver.Result) {
	if r = ic.before(driver.CtxGetCurrent.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.CtxGetCurrent()
}

func (ic interceptor) CtxSetCurrent(ctx driver.Context) (r driver.Result) {
	if r = ic.before(driver.CtxSetCurrent.Name()); r != driver.Success {
		return r
	}
	return ic.next.CtxSetCurrent(ctx)
}

func (ic interceptor) CtxSynchronize() (r driver.Result) {
	if r = ic.before(driver.CtxSynchronize.Name()); r != driver.Success {
		return r
	}
	return ic.next.CtxSynchronize()
}

func (ic interceptor) CtxGetStreamPriorityRange() (least, greatest int, r driver.Result) {
	if r = ic.before(driver.CtxGetStreamPriorityRange.Name()); r != driver.Success {
		return least, greatest, r
	}
	return ic.next.CtxGetStreamPriorityRange()
}

func (ic interceptor) CtxEnablePeerAccess(peer driver.Context, flags uint32) (r driver.Result) {
	if r = ic.before(driver.CtxEnablePeerAccess.Name()); r != driver.Success {
		return r
	}
	return ic.next.CtxEnablePeerAccess(peer, flags)
}

func (ic interceptor) CtxDisablePeerAccess(peer driver.Context) (r driver.Result) {
	if r = ic.before(driver.CtxDisablePeerAccess.Name()); r != driver.Success {
		return r
	}
	return ic.next.CtxDisablePeerAccess(peer)
}

func (ic interceptor) LibraryLoadData(image []byte) (out driver.Library, r driver.Result) {
	if r = ic.before(driver.LibraryLoadData.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.LibraryLoadData(image)
}

func (ic interceptor) LibraryUnload(lib driver.Library) (r driver.Result) {
	if r = ic.before(driver.LibraryUnload.Name()); r != driver.Success {
		return r
	}
	return ic.next.LibraryUnload(lib)
}

func (ic interceptor) LibraryGetGlobal(lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	if r = ic.before(driver.LibraryGetGlobal.Name()); r != driver.Success {
		return p, bytes, r
	}
	return ic.next.LibraryGetGlobal(lib, name)
}

func (ic interceptor) LibraryGetManaged(lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	if r = ic.before(driver.LibraryGetManaged.Name()); r != driver.Success {
		return p, bytes, r
	}
	return ic.next.LibraryGetManaged(lib, name)
}

func (ic interceptor) LibraryGetKernel(lib driver.Library, name string) (out driver.Kernel, r driver.Result) {
	if r = ic.before(driver.LibraryGetKernel.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.LibraryGetKernel(lib, name)
}

func (ic interceptor) LibraryLog(lib driver.Library) string {
	return ic.next.LibraryLog(lib)
}

func (ic interceptor) KernelGetParamInfo(k driver.Kernel, index int) (offset, size uint64, r driver.Result) {
	if r = ic.before(driver.KernelGetParamInfo.Name()); r != driver.Success {
		return offset, size, r
	}
	return ic.next.KernelGetParamInfo(k, index)
}

func (ic interceptor) KernelGetAttribute(attr driver.FunctionAttribute, k driver.Kernel, dev driver.Device) (out int, r driver.Result) {
	if r = ic.before(driver.KernelGetAttribute.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.KernelGetAttribute(attr, k, dev)
}

func (ic interceptor) StreamCreate(flags uint32) (out driver.Stream, r driver.Result) {
	if r = ic.before(driver.StreamCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.StreamCreate(flags)
}

func (ic interceptor) StreamCreateWithPriority(flags uint32, priority int) (out driver.Stream, r driver.Result) {
	if r = ic.before(driver.StreamCreateWithPriority.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.StreamCreateWithPriority(flags, priority)
}

func (ic interceptor) StreamDestroy(s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.StreamDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamDestroy(s)
}

func (ic interceptor) StreamSynchronize(s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.StreamSynchronize.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamSynchronize(s)
}

func (ic interceptor) StreamQuery(s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.StreamQuery.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamQuery(s)
}

func (ic interceptor) StreamGetCtx(s driver.Stream) (ctx driver.Context, r driver.Result) {
	if r = ic.before(driver.StreamGetCtx.Name()); r != driver.Success {
		return ctx, r
	}
	return ic.next.StreamGetCtx(s)
}

func (ic interceptor) StreamWaitEvent(s driver.Stream, e driver.Event, flags uint32) (r driver.Result) {
	if r = ic.before(driver.StreamWaitEvent.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamWaitEvent(s, e, flags)
}

func (ic interceptor) LaunchHostFunc(s driver.Stream, run func()) (r driver.Result) {
	if r = ic.before(driver.LaunchHostFunc.Name()); r != driver.Success {
		return r
	}
	return ic.next.LaunchHostFunc(s, run)
}

func (ic interceptor) EventCreate(flags uint32) (out driver.Event, r driver.Result) {
	if r = ic.before(driver.EventCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.EventCreate(flags)
}

func (ic interceptor) EventDestroy(e driver.Event) (r driver.Result) {
	if r = ic.before(driver.EventDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.EventDestroy(e)
}

func (ic interceptor) EventRecord(e driver.Event, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.EventRecord.Name()); r != driver.Success {
		return r
	}
	return ic.next.EventRecord(e, s)
}

func (ic interceptor) EventQuery(e driver.Event) (r driver.Result) {
	if r = ic.before(driver.EventQuery.Name()); r != driver.Success {
		return r
	}
	return ic.next.EventQuery(e)
}

func (ic interceptor) EventSynchronize(e driver.Event) (r driver.Result) {
	if r = ic.before(driver.EventSynchronize.Name()); r != driver.Success {
		return r
	}
	return ic.next.EventSynchronize(e)
}

func (ic interceptor) EventElapsedTime(start, end driver.Event) (milliseconds float32, r driver.Result) {
	if r = ic.before(driver.EventElapsedTime.Name()); r != driver.Success {
		return milliseconds, r
	}
	return ic.next.EventElapsedTime(start, end)
}

func (ic interceptor) MemAllocAsync(bytes uint64, s driver.Stream) (out driver.DevicePtr, r driver.Result) {
	if r = ic.before(driver.MemAllocAsync.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemAllocAsync(bytes, s)
}

func (ic interceptor) MemFreeAsync(p driver.DevicePtr, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemFreeAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemFreeAsync(p, s)
}

func (ic interceptor) MemcpyHtoDAsync(dst driver.DevicePtr, src unsafe.Pointer, bytes uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemcpyHtoDAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemcpyHtoDAsync(dst, src, bytes, s)
}

func (ic interceptor) MemcpyDtoHAsync(dst unsafe.Pointer, src driver.DevicePtr, bytes uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemcpyDtoHAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemcpyDtoHAsync(dst, src, bytes, s)
}

func (ic interceptor) MemcpyDtoDAsync(dst, src driver.DevicePtr, bytes uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemcpyDtoDAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemcpyDtoDAsync(dst, src, bytes, s)
}

func (ic interceptor) MemsetD8Async(dst driver.DevicePtr, value uint8, count uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemsetD8Async.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemsetD8Async(dst, value, count, s)
}

func (ic interceptor) MemsetD16Async(dst driver.DevicePtr, value uint16, count uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemsetD16Async.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemsetD16Async(dst, value, count, s)
}

func (ic interceptor) MemsetD32Async(dst driver.DevicePtr, value uint32, count uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemsetD32Async.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemsetD32Async(dst, value, count, s)
}

func (ic interceptor) Memcpy3DAsync(c driver.Copy3D, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.Memcpy3DAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.Memcpy3DAsync(c, s)
}

func (ic interceptor) MemcpyPeerAsync(dst driver.DevicePtr, dstCtx driver.Context, src driver.DevicePtr, srcCtx driver.Context, bytes uint64, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemcpyPeerAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemcpyPeerAsync(dst, dstCtx, src, srcCtx, bytes, s)
}

func (ic interceptor) MemAllocFromPoolAsync(bytes uint64, p driver.MemPool, s driver.Stream) (out driver.DevicePtr, r driver.Result) {
	if r = ic.before(driver.MemAllocFromPoolAsync.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemAllocFromPoolAsync(bytes, p, s)
}

func (ic interceptor) MemPoolCreate(dev driver.Device, maxBytes uint64) (out driver.MemPool, r driver.Result) {
	if r = ic.before(driver.MemPoolCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemPoolCreate(dev, maxBytes)
}

func (ic interceptor) MemPoolDestroy(p driver.MemPool) (r driver.Result) {
	if r = ic.before(driver.MemPoolDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemPoolDestroy(p)
}

func (ic interceptor) MemPoolGetAttribute(p driver.MemPool, attr driver.MemPoolAttribute) (value uint64, r driver.Result) {
	if r = ic.before(driver.MemPoolGetAttribute.Name()); r != driver.Success {
		return value, r
	}
	return ic.next.MemPoolGetAttribute(p, attr)
}

func (ic interceptor) MemPoolSetAttribute(p driver.MemPool, attr driver.MemPoolAttribute, value uint64) (r driver.Result) {
	if r = ic.before(driver.MemPoolSetAttribute.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemPoolSetAttribute(p, attr, value)
}

func (ic interceptor) MemPoolTrimTo(p driver.MemPool, keepBytes uint64) (r driver.Result) {
	if r = ic.before(driver.MemPoolTrimTo.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemPoolTrimTo(p, keepBytes)
}

func (ic interceptor) MemPoolSetAccess(p driver.MemPool, dev driver.Device, flags driver.MemAccess) (r driver.Result) {
	if r = ic.before(driver.MemPoolSetAccess.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemPoolSetAccess(p, dev, flags)
}

func (ic interceptor) MemGetInfo() (free, total uint64, r driver.Result) {
	if r = ic.before(driver.MemGetInfo.Name()); r != driver.Success {
		return free, total, r
	}
	return ic.next.MemGetInfo()
}

func (ic interceptor) MemHostAlloc(bytes uint64, flags uint32) (out unsafe.Pointer, r driver.Result) {
	if r = ic.before(driver.MemHostAlloc.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemHostAlloc(bytes, flags)
}

func (ic interceptor) MemFreeHost(p unsafe.Pointer) (r driver.Result) {
	if r = ic.before(driver.MemFreeHost.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemFreeHost(p)
}

func (ic interceptor) MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (out driver.DevicePtr, r driver.Result) {
	if r = ic.before(driver.MemHostGetDevicePointer.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemHostGetDevicePointer(p, flags)
}

func (ic interceptor) MemAllocManaged(bytes uint64, flags uint32) (p driver.DevicePtr, host unsafe.Pointer, r driver.Result) {
	if r = ic.before(driver.MemAllocManaged.Name()); r != driver.Success {
		return p, host, r
	}
	return ic.next.MemAllocManaged(bytes, flags)
}

func (ic interceptor) MemFree(p driver.DevicePtr) (r driver.Result) {
	if r = ic.before(driver.MemFree.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemFree(p)
}

func (ic interceptor) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) (r driver.Result) {
	if r = ic.before(driver.MemHostRegister.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemHostRegister(p, bytes, flags)
}

func (ic interceptor) MemHostUnregister(p unsafe.Pointer) (r driver.Result) {
	if r = ic.before(driver.MemHostUnregister.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemHostUnregister(p)
}

func (ic interceptor) MemAlloc(bytes uint64) (out driver.DevicePtr, r driver.Result) {
	if r = ic.before(driver.MemAlloc.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MemAlloc(bytes)
}

func (ic interceptor) MemPrefetchAsync(p driver.DevicePtr, bytes uint64, to driver.Device, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.MemPrefetchAsync.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemPrefetchAsync(p, bytes, to, s)
}

func (ic interceptor) MemAdvise(p driver.DevicePtr, bytes uint64, advice driver.MemAdvice, dev driver.Device) (r driver.Result) {
	if r = ic.before(driver.MemAdvise.Name()); r != driver.Success {
		return r
	}
	return ic.next.MemAdvise(p, bytes, advice, dev)
}

func (ic interceptor) IpcGetMemHandle(p driver.DevicePtr) (h driver.IpcHandle, r driver.Result) {
	if r = ic.before(driver.IpcGetMemHandle.Name()); r != driver.Success {
		return h, r
	}
	return ic.next.IpcGetMemHandle(p)
}

func (ic interceptor) IpcOpenMemHandle(h driver.IpcHandle, flags uint32) (p driver.DevicePtr, r driver.Result) {
	if r = ic.before(driver.IpcOpenMemHandle.Name()); r != driver.Success {
		return p, r
	}
	return ic.next.IpcOpenMemHandle(h, flags)
}

func (ic interceptor) IpcCloseMemHandle(p driver.DevicePtr) (r driver.Result) {
	if r = ic.before(driver.IpcCloseMemHandle.Name()); r != driver.Success {
		return r
	}
	return ic.next.IpcCloseMemHandle(p)
}

func (ic interceptor) IpcGetEventHandle(e driver.Event) (h driver.IpcHandle, r driver.Result) {
	if r = ic.before(driver.IpcGetEventHandle.Name()); r != driver.Success {
		return h, r
	}
	return ic.next.IpcGetEventHandle(e)
}

func (ic interceptor) IpcOpenEventHandle(h driver.IpcHandle) (e driver.Event, r driver.Result) {
	if r = ic.before(driver.IpcOpenEventHandle.Name()); r != driver.Success {
		return e, r
	}
	return ic.next.IpcOpenEventHandle(h)
}

func (ic interceptor) Array3DCreate(desc driver.ArrayDesc) (out driver.Array, r driver.Result) {
	if r = ic.before(driver.Array3DCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.Array3DCreate(desc)
}

func (ic interceptor) ArrayDestroy(a driver.Array) (r driver.Result) {
	if r = ic.before(driver.ArrayDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.ArrayDestroy(a)
}

func (ic interceptor) MipmappedArrayCreate(desc driver.ArrayDesc, levels uint32) (out driver.MipmappedArray, r driver.Result) {
	if r = ic.before(driver.MipmappedArrayCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MipmappedArrayCreate(desc, levels)
}

func (ic interceptor) MipmappedArrayGetLevel(m driver.MipmappedArray, level uint32) (out driver.Array, r driver.Result) {
	if r = ic.before(driver.MipmappedArrayGetLevel.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.MipmappedArrayGetLevel(m, level)
}

func (ic interceptor) MipmappedArrayDestroy(m driver.MipmappedArray) (r driver.Result) {
	if r = ic.before(driver.MipmappedArrayDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.MipmappedArrayDestroy(m)
}

func (ic interceptor) TexObjectCreate(of driver.ResourceDesc, read driver.TextureDesc, view driver.ResourceViewDesc) (out driver.TexObject, r driver.Result) {
	if r = ic.before(driver.TexObjectCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.TexObjectCreate(of, read, view)
}

func (ic interceptor) TexObjectDestroy(t driver.TexObject) (r driver.Result) {
	if r = ic.before(driver.TexObjectDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.TexObjectDestroy(t)
}

func (ic interceptor) SurfObjectCreate(of driver.ResourceDesc) (out driver.SurfObject, r driver.Result) {
	if r = ic.before(driver.SurfObjectCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.SurfObjectCreate(of)
}

func (ic interceptor) SurfObjectDestroy(s driver.SurfObject) (r driver.Result) {
	if r = ic.before(driver.SurfObjectDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.SurfObjectDestroy(s)
}

func (ic interceptor) ProfilerStart() (r driver.Result) {
	if r = ic.before(driver.ProfilerStart.Name()); r != driver.Success {
		return r
	}
	return ic.next.ProfilerStart()
}

func (ic interceptor) ProfilerStop() (r driver.Result) {
	if r = ic.before(driver.ProfilerStop.Name()); r != driver.Success {
		return r
	}
	return ic.next.ProfilerStop()
}

func (ic interceptor) LaunchKernel(k driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) (r driver.Result) {
	if r = ic.before(driver.LaunchKernel.Name()); r != driver.Success {
		return r
	}
	return ic.next.LaunchKernel(k, cfg, s, params, offsets)
}

func (ic interceptor) LaunchKernelEx(k driver.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes, s driver.Stream, params []byte, offsets []uint32) (r driver.Result) {
	if r = ic.before(driver.LaunchKernelEx.Name()); r != driver.Success {
		return r
	}
	return ic.next.LaunchKernelEx(k, cfg, a, s, params, offsets)
}

func (ic interceptor) KernelSetAttribute(attr driver.FunctionAttribute, value int, k driver.Kernel, dev driver.Device) (r driver.Result) {
	if r = ic.before(driver.KernelSetAttribute.Name()); r != driver.Success {
		return r
	}
	return ic.next.KernelSetAttribute(attr, value, k, dev)
}

func (ic interceptor) OccupancyMaxActiveBlocksPerMultiprocessor(k driver.Kernel, blockThreads int, sharedBytes uint64) (blocks int, r driver.Result) {
	if r = ic.before(driver.OccupancyMaxActiveBlocksPerMultiprocessor.Name()); r != driver.Success {
		return blocks, r
	}
	return ic.next.OccupancyMaxActiveBlocksPerMultiprocessor(k, blockThreads, sharedBytes)
}

func (ic interceptor) OccupancyMaxPotentialBlockSize(k driver.Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r driver.Result) {
	if r = ic.before(driver.OccupancyMaxPotentialBlockSize.Name()); r != driver.Success {
		return minGridBlocks, blockThreads, r
	}
	return ic.next.OccupancyMaxPotentialBlockSize(k, sharedBytes, maxBlockThreads)
}

func (ic interceptor) GraphCreate(flags uint32) (out driver.Graph, r driver.Result) {
	if r = ic.before(driver.GraphCreate.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphCreate(flags)
}

func (ic interceptor) GraphDestroy(g driver.Graph) (r driver.Result) {
	if r = ic.before(driver.GraphDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphDestroy(g)
}

func (ic interceptor) GraphClone(g driver.Graph) (out driver.Graph, r driver.Result) {
	if r = ic.before(driver.GraphClone.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphClone(g)
}

func (ic interceptor) GraphGetNodes(g driver.Graph) (out []driver.GraphNode, r driver.Result) {
	if r = ic.before(driver.GraphGetNodes.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphGetNodes(g)
}

func (ic interceptor) GraphNodeFindInClone(original driver.GraphNode, clone driver.Graph) (out driver.GraphNode, r driver.Result) {
	if r = ic.before(driver.GraphNodeFindInClone.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphNodeFindInClone(original, clone)
}

func (ic interceptor) GraphNodeGetType(n driver.GraphNode) (typ driver.GraphNodeType, r driver.Result) {
	if r = ic.before(driver.GraphNodeGetType.Name()); r != driver.Success {
		return typ, r
	}
	return ic.next.GraphNodeGetType(n)
}

func (ic interceptor) GraphNodeGetDependencies(n driver.GraphNode) (out []driver.GraphNode, r driver.Result) {
	if r = ic.before(driver.GraphNodeGetDependencies.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphNodeGetDependencies(n)
}

func (ic interceptor) GraphDestroyNode(n driver.GraphNode) (r driver.Result) {
	if r = ic.before(driver.GraphDestroyNode.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphDestroyNode(n)
}

func (ic interceptor) GraphAddNode(g driver.Graph, after []driver.GraphEdge, p driver.NodeParams) (out driver.AddedNode, r driver.Result) {
	if r = ic.before(driver.GraphAddNode.Name()); r != driver.Success {
		return out, r
	}
	return ic.next.GraphAddNode(g, after, p)
}

func (ic interceptor) GraphKernelNodeSetAttribute(n driver.GraphNode, id uint32, value [8]uint64) (r driver.Result) {
	if r = ic.before(driver.GraphKernelNodeSetAttribute.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphKernelNodeSetAttribute(n, id, value)
}

func (ic interceptor) GraphConditionalHandleCreate(g driver.Graph, ctx driver.Context, initial, flags uint32) (h driver.GraphConditionalHandle, r driver.Result) {
	if r = ic.before(driver.GraphConditionalHandleCreate.Name()); r != driver.Success {
		return h, r
	}
	return ic.next.GraphConditionalHandleCreate(g, ctx, initial, flags)
}

func (ic interceptor) GraphInstantiateWithParams(g driver.Graph, flags uint64) (e driver.GraphExec, at driver.GraphNode, outcome driver.GraphInstantiateResult, r driver.Result) {
	if r = ic.before(driver.GraphInstantiateWithParams.Name()); r != driver.Success {
		return e, at, outcome, r
	}
	return ic.next.GraphInstantiateWithParams(g, flags)
}

func (ic interceptor) GraphExecDestroy(e driver.GraphExec) (r driver.Result) {
	if r = ic.before(driver.GraphExecDestroy.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphExecDestroy(e)
}

func (ic interceptor) GraphUpload(e driver.GraphExec, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.GraphUpload.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphUpload(e, s)
}

func (ic interceptor) GraphLaunch(e driver.GraphExec, s driver.Stream) (r driver.Result) {
	if r = ic.before(driver.GraphLaunch.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphLaunch(e, s)
}

func (ic interceptor) GraphExecNodeSetParams(e driver.GraphExec, n driver.GraphNode, p driver.NodeParams) (r driver.Result) {
	if r = ic.before(driver.GraphExecNodeSetParams.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphExecNodeSetParams(e, n, p)
}

func (ic interceptor) GraphExecUpdate(e driver.GraphExec, g driver.Graph) (at, from driver.GraphNode, outcome driver.GraphExecUpdateResult, r driver.Result) {
	if r = ic.before(driver.GraphExecUpdate.Name()); r != driver.Success {
		return at, from, outcome, r
	}
	return ic.next.GraphExecUpdate(e, g)
}

func (ic interceptor) GraphNodeSetEnabled(e driver.GraphExec, n driver.GraphNode, enabled uint32) (r driver.Result) {
	if r = ic.before(driver.GraphNodeSetEnabled.Name()); r != driver.Success {
		return r
	}
	return ic.next.GraphNodeSetEnabled(e, n, enabled)
}

func (ic interceptor) KeepHostFunc(run func()) driver.HostFunc {
	return ic.next.KeepHostFunc(run)
}

func (ic interceptor) DropHostFunc(h driver.HostFunc) bool {
	return ic.next.DropHostFunc(h)
}

func (ic interceptor) StreamBeginCapture(s driver.Stream, mode driver.StreamCaptureMode) (r driver.Result) {
	if r = ic.before(driver.StreamBeginCapture.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamBeginCapture(s, mode)
}

func (ic interceptor) StreamEndCapture(s driver.Stream) (g driver.Graph, r driver.Result) {
	if r = ic.before(driver.StreamEndCapture.Name()); r != driver.Success {
		return g, r
	}
	return ic.next.StreamEndCapture(s)
}

func (ic interceptor) StreamGetCaptureInfo(s driver.Stream) (status driver.StreamCaptureStatus, id uint64, g driver.Graph, last []driver.GraphNode, r driver.Result) {
	if r = ic.before(driver.StreamGetCaptureInfo.Name()); r != driver.Success {
		return status, id, g, last, r
	}
	return ic.next.StreamGetCaptureInfo(s)
}

func (ic interceptor) StreamUpdateCaptureDependencies(s driver.Stream, after []driver.GraphNode, flags uint32) (r driver.Result) {
	if r = ic.before(driver.StreamUpdateCaptureDependencies.Name()); r != driver.Success {
		return r
	}
	return ic.next.StreamUpdateCaptureDependencies(s, after, flags)
}

var contextual = map[string]bool{
	"cuCtxSynchronize":                            true,
	"cuCtxGetStreamPriorityRange":                 true,
	"cuCtxEnablePeerAccess":                       true,
	"cuCtxDisablePeerAccess":                      true,
	"cuLibraryGetGlobal":                          true,
	"cuLibraryGetManaged":                         true,
	"cuKernelGetParamInfo":                        true,
	"cuStreamCreate":                              true,
	"cuStreamCreateWithPriority":                  true,
	"cuLaunchHostFunc":                            true,
	"cuEventCreate":                               true,
	"cuMemcpy3DAsync":                             true,
	"cuMemcpyPeerAsync":                           true,
	"cuMemGetInfo":                                true,
	"cuMemHostAlloc":                              true,
	"cuMemHostGetDevicePointer":                   true,
	"cuMemAllocManaged":                           true,
	"cuMemFree":                                   true,
	"cuMemHostRegister":                           true,
	"cuMemHostUnregister":                         true,
	"cuMemAlloc":                                  true,
	"cuMemPrefetchAsync":                          true,
	"cuMemAdvise":                                 true,
	"cuIpcGetMemHandle":                           true,
	"cuIpcOpenMemHandle":                          true,
	"cuIpcCloseMemHandle":                         true,
	"cuIpcGetEventHandle":                         true,
	"cuIpcOpenEventHandle":                        true,
	"cuArray3DCreate":                             true,
	"cuArrayDestroy":                              true,
	"cuMipmappedArrayCreate":                      true,
	"cuMipmappedArrayGetLevel":                    true,
	"cuMipmappedArrayDestroy":                     true,
	"cuTexObjectCreate":                           true,
	"cuTexObjectDestroy":                          true,
	"cuSurfObjectCreate":                          true,
	"cuSurfObjectDestroy":                         true,
	"cuProfilerStart":                             true,
	"cuProfilerStop":                              true,
	"cuOccupancyMaxActiveBlocksPerMultiprocessor": true,
	"cuOccupancyMaxPotentialBlockSize":            true,
	"cuGraphInstantiateWithParams":                true,
}

var global = map[string]bool{
	"cuInit":                    true,
	"cuDriverGetVersion":        true,
	"cuDeviceGetCount":          true,
	"cuDeviceGet":               true,
	"cuDeviceGetName":           true,
	"cuDeviceGetUuid":           true,
	"cuDeviceGetAttribute":      true,
	"cuDeviceTotalMem":          true,
	"cuDeviceGetByPCIBusId":     true,
	"cuDeviceGetPCIBusId":       true,
	"cuDeviceCanAccessPeer":     true,
	"cuDeviceGetDefaultMemPool": true,
	"cuDevicePrimaryCtxRetain":  true,
	"cuDevicePrimaryCtxRelease": true,
	"cuCtxPushCurrent":          true,
	"cuCtxPopCurrent":           true,
	"cuCtxGetCurrent":           true,
	"cuCtxSetCurrent":           true,
}
