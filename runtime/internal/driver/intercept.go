package driver

import "unsafe"

// Intercept returns a Driver that calls before ahead of every call to d. before is
// given the entry point's name, as "cuMemAllocAsync". When it returns Success, the
// call is made; any other result is the call's result, and d is not called.
//
// So before is a logger, a fault injector or a counter. LibraryLog has no entry
// point and cannot fail: it goes to d as it is. Any goroutine may call before, and
// it must not call the Driver that Intercept returned.
func Intercept(d Driver, before func(entryPoint string) Result) Driver {
	return interceptor{d, before}
}

// interceptor names every method: were Driver embedded, a method that is forgotten
// would pass by before.
type interceptor struct {
	next   Driver
	before func(entryPoint string) Result
}

func (i interceptor) check(e EntryPoint) Result { return i.before(e.Name()) }

func (i interceptor) Init() Result {
	if r := i.check(Init); r != Success {
		return r
	}
	return i.next.Init()
}

func (i interceptor) DriverGetVersion() (version int, r Result) {
	if r = i.check(DriverGetVersion); r != Success {
		return 0, r
	}
	return i.next.DriverGetVersion()
}

func (i interceptor) DeviceGetCount() (int, Result) {
	if r := i.check(DeviceGetCount); r != Success {
		return 0, r
	}
	return i.next.DeviceGetCount()
}

func (i interceptor) DeviceGet(ordinal int) (Device, Result) {
	if r := i.check(DeviceGet); r != Success {
		return 0, r
	}
	return i.next.DeviceGet(ordinal)
}

func (i interceptor) DeviceGetName(dev Device) (string, Result) {
	if r := i.check(DeviceGetName); r != Success {
		return "", r
	}
	return i.next.DeviceGetName(dev)
}

func (i interceptor) DeviceGetUuid(dev Device) ([16]byte, Result) {
	if r := i.check(DeviceGetUuid); r != Success {
		return [16]byte{}, r
	}
	return i.next.DeviceGetUuid(dev)
}

func (i interceptor) DeviceGetAttribute(attr DeviceAttribute, dev Device) (int, Result) {
	if r := i.check(DeviceGetAttribute); r != Success {
		return 0, r
	}
	return i.next.DeviceGetAttribute(attr, dev)
}

func (i interceptor) DeviceTotalMem(dev Device) (bytes uint64, r Result) {
	if r = i.check(DeviceTotalMem); r != Success {
		return 0, r
	}
	return i.next.DeviceTotalMem(dev)
}

func (i interceptor) DevicePrimaryCtxRetain(dev Device) (Context, Result) {
	if r := i.check(DevicePrimaryCtxRetain); r != Success {
		return 0, r
	}
	return i.next.DevicePrimaryCtxRetain(dev)
}

func (i interceptor) DevicePrimaryCtxRelease(dev Device) Result {
	if r := i.check(DevicePrimaryCtxRelease); r != Success {
		return r
	}
	return i.next.DevicePrimaryCtxRelease(dev)
}

func (i interceptor) CtxPushCurrent(ctx Context) Result {
	if r := i.check(CtxPushCurrent); r != Success {
		return r
	}
	return i.next.CtxPushCurrent(ctx)
}

func (i interceptor) CtxPopCurrent() (Context, Result) {
	if r := i.check(CtxPopCurrent); r != Success {
		return 0, r
	}
	return i.next.CtxPopCurrent()
}

func (i interceptor) CtxSynchronize() Result {
	if r := i.check(CtxSynchronize); r != Success {
		return r
	}
	return i.next.CtxSynchronize()
}

func (i interceptor) LibraryLoadData(image []byte) (Library, Result) {
	if r := i.check(LibraryLoadData); r != Success {
		return 0, r
	}
	return i.next.LibraryLoadData(image)
}

func (i interceptor) LibraryUnload(lib Library) Result {
	if r := i.check(LibraryUnload); r != Success {
		return r
	}
	return i.next.LibraryUnload(lib)
}

func (i interceptor) LibraryGetKernel(lib Library, name string) (Kernel, Result) {
	if r := i.check(LibraryGetKernel); r != Success {
		return 0, r
	}
	return i.next.LibraryGetKernel(lib, name)
}

func (i interceptor) LibraryLog(lib Library) string { return i.next.LibraryLog(lib) }

func (i interceptor) KernelGetParamInfo(k Kernel, index int) (offset, size uint64, r Result) {
	if r = i.check(KernelGetParamInfo); r != Success {
		return 0, 0, r
	}
	return i.next.KernelGetParamInfo(k, index)
}

func (i interceptor) KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (int, Result) {
	if r := i.check(KernelGetAttribute); r != Success {
		return 0, r
	}
	return i.next.KernelGetAttribute(attr, k, dev)
}

func (i interceptor) StreamCreate(flags uint32) (Stream, Result) {
	if r := i.check(StreamCreate); r != Success {
		return 0, r
	}
	return i.next.StreamCreate(flags)
}

func (i interceptor) StreamDestroy(s Stream) Result {
	if r := i.check(StreamDestroy); r != Success {
		return r
	}
	return i.next.StreamDestroy(s)
}

func (i interceptor) StreamSynchronize(s Stream) Result {
	if r := i.check(StreamSynchronize); r != Success {
		return r
	}
	return i.next.StreamSynchronize(s)
}

func (i interceptor) StreamQuery(s Stream) Result {
	if r := i.check(StreamQuery); r != Success {
		return r
	}
	return i.next.StreamQuery(s)
}

func (i interceptor) MemAllocAsync(bytes uint64, s Stream) (DevicePtr, Result) {
	if r := i.check(MemAllocAsync); r != Success {
		return 0, r
	}
	return i.next.MemAllocAsync(bytes, s)
}

func (i interceptor) MemFreeAsync(p DevicePtr, s Stream) Result {
	if r := i.check(MemFreeAsync); r != Success {
		return r
	}
	return i.next.MemFreeAsync(p, s)
}

func (i interceptor) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result {
	if r := i.check(MemcpyHtoDAsync); r != Success {
		return r
	}
	return i.next.MemcpyHtoDAsync(dst, src, bytes, s)
}

func (i interceptor) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result {
	if r := i.check(MemcpyDtoHAsync); r != Success {
		return r
	}
	return i.next.MemcpyDtoHAsync(dst, src, bytes, s)
}

func (i interceptor) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	if r := i.check(MemcpyDtoDAsync); r != Success {
		return r
	}
	return i.next.MemcpyDtoDAsync(dst, src, bytes, s)
}

func (i interceptor) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result {
	if r := i.check(MemsetD8Async); r != Success {
		return r
	}
	return i.next.MemsetD8Async(dst, value, count, s)
}

func (i interceptor) LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result {
	if r := i.check(LaunchKernel); r != Success {
		return r
	}
	return i.next.LaunchKernel(k, cfg, s, params, offsets)
}

func (i interceptor) LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result {
	if r := i.check(LaunchKernelEx); r != Success {
		return r
	}
	return i.next.LaunchKernelEx(k, cfg, a, s, params, offsets)
}

func (i interceptor) KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result {
	if r := i.check(KernelSetAttribute); r != Success {
		return r
	}
	return i.next.KernelSetAttribute(attr, value, k, dev)
}

func (i interceptor) OccupancyMaxActiveBlocksPerMultiprocessor(k Kernel, blockThreads int, sharedBytes uint64) (blocks int, r Result) {
	if r = i.check(OccupancyMaxActiveBlocksPerMultiprocessor); r != Success {
		return 0, r
	}
	return i.next.OccupancyMaxActiveBlocksPerMultiprocessor(k, blockThreads, sharedBytes)
}

func (i interceptor) OccupancyMaxPotentialBlockSize(k Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r Result) {
	if r = i.check(OccupancyMaxPotentialBlockSize); r != Success {
		return 0, 0, r
	}
	return i.next.OccupancyMaxPotentialBlockSize(k, sharedBytes, maxBlockThreads)
}
