package driver

import "unsafe"

// echo is a Driver that notes which method was called with what. It returns the same
// distinct values from every method.
type echo struct {
	called string
	args   []any
}

func (e *echo) note(method string, args ...any) Result {
	e.called, e.args = method, args
	return ErrorAssert
}

func (e *echo) Init() Result { return e.note("Init") }

func (e *echo) DriverGetVersion() (int, Result) {
	return 41, e.note("DriverGetVersion")
}

func (e *echo) DeviceGetCount() (int, Result) {
	return 41, e.note("DeviceGetCount")
}

func (e *echo) DeviceGet(ordinal int) (Device, Result) {
	return 41, e.note("DeviceGet", ordinal)
}

func (e *echo) DeviceGetName(dev Device) (string, Result) {
	return "said", e.note("DeviceGetName", dev)
}

func (e *echo) DeviceGetUuid(dev Device) ([16]byte, Result) {
	return [16]byte{1, 2}, e.note("DeviceGetUuid", dev)
}

func (e *echo) DeviceGetAttribute(attr DeviceAttribute, dev Device) (int, Result) {
	return 41, e.note("DeviceGetAttribute", attr, dev)
}

func (e *echo) DeviceTotalMem(dev Device) (uint64, Result) {
	return 41, e.note("DeviceTotalMem", dev)
}

func (e *echo) DevicePrimaryCtxRetain(dev Device) (Context, Result) {
	return 41, e.note("DevicePrimaryCtxRetain", dev)
}

func (e *echo) DevicePrimaryCtxRelease(dev Device) Result {
	return e.note("DevicePrimaryCtxRelease", dev)
}

func (e *echo) CtxPushCurrent(ctx Context) Result { return e.note("CtxPushCurrent", ctx) }

func (e *echo) CtxPopCurrent() (Context, Result) {
	return 41, e.note("CtxPopCurrent")
}

func (e *echo) CtxSynchronize() Result { return e.note("CtxSynchronize") }

func (e *echo) LibraryLoadData(image []byte) (Library, Result) {
	return 41, e.note("LibraryLoadData", image)
}

func (e *echo) LibraryUnload(lib Library) Result { return e.note("LibraryUnload", lib) }

func (e *echo) LibraryGetKernel(lib Library, name string) (Kernel, Result) {
	return 41, e.note("LibraryGetKernel", lib, name)
}

func (e *echo) LibraryLog(lib Library) string {
	e.note("LibraryLog", lib)
	return "said"
}

func (e *echo) KernelGetParamInfo(k Kernel, index int) (uint64, uint64, Result) {
	return 41, 42, e.note("KernelGetParamInfo", k, index)
}

func (e *echo) KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (int, Result) {
	return 41, e.note("KernelGetAttribute", attr, k, dev)
}

func (e *echo) StreamCreate(flags uint32) (Stream, Result) {
	return 41, e.note("StreamCreate", flags)
}

func (e *echo) StreamDestroy(s Stream) Result { return e.note("StreamDestroy", s) }

func (e *echo) StreamSynchronize(s Stream) Result { return e.note("StreamSynchronize", s) }

func (e *echo) StreamQuery(s Stream) Result { return e.note("StreamQuery", s) }

func (e *echo) MemAllocAsync(bytes uint64, s Stream) (DevicePtr, Result) {
	return 41, e.note("MemAllocAsync", bytes, s)
}

func (e *echo) MemFreeAsync(p DevicePtr, s Stream) Result { return e.note("MemFreeAsync", p, s) }

func (e *echo) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result {
	return e.note("MemcpyHtoDAsync", dst, src, bytes, s)
}

func (e *echo) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result {
	return e.note("MemcpyDtoHAsync", dst, src, bytes, s)
}

func (e *echo) MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result {
	return e.note("MemcpyDtoDAsync", dst, src, bytes, s)
}

func (e *echo) MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result {
	return e.note("MemsetD8Async", dst, value, count, s)
}

func (e *echo) LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result {
	return e.note("LaunchKernel", k, cfg, s, params, offsets)
}

func (e *echo) LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result {
	return e.note("LaunchKernelEx", k, cfg, a, s, params, offsets)
}

func (e *echo) KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result {
	return e.note("KernelSetAttribute", attr, value, k, dev)
}

func (e *echo) OccupancyMaxActiveBlocksPerMultiprocessor(k Kernel, blockThreads int, sharedBytes uint64) (int, Result) {
	return 41, e.note("OccupancyMaxActiveBlocksPerMultiprocessor", k, blockThreads, sharedBytes)
}

func (e *echo) OccupancyMaxPotentialBlockSize(k Kernel, sharedBytes uint64, maxBlockThreads int) (int, int, Result) {
	return 41, 42, e.note("OccupancyMaxPotentialBlockSize", k, sharedBytes, maxBlockThreads)
}
