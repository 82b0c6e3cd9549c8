package driver

import "unsafe"

// tracer is a Driver that notes the names of the methods called.
type tracer struct{ called []string }

func (s *tracer) note(method string) Result {
	s.called = append(s.called, method)
	return Success
}

func (s *tracer) Init() Result                            { return s.note("Init") }
func (s *tracer) DriverGetVersion() (int, Result)         { return 0, s.note("DriverGetVersion") }
func (s *tracer) DeviceGetCount() (int, Result)           { return 0, s.note("DeviceGetCount") }
func (s *tracer) DeviceGet(int) (Device, Result)          { return 0, s.note("DeviceGet") }
func (s *tracer) DeviceGetName(Device) (string, Result)   { return "", s.note("DeviceGetName") }
func (s *tracer) DeviceGetUuid(Device) ([16]byte, Result) { return [16]byte{}, s.note("DeviceGetUuid") }
func (s *tracer) DeviceGetAttribute(DeviceAttribute, Device) (int, Result) {
	return 0, s.note("DeviceGetAttribute")
}
func (s *tracer) DeviceTotalMem(Device) (uint64, Result) { return 0, s.note("DeviceTotalMem") }
func (s *tracer) DevicePrimaryCtxRetain(Device) (Context, Result) {
	return 0, s.note("DevicePrimaryCtxRetain")
}
func (s *tracer) DevicePrimaryCtxRelease(Device) Result    { return s.note("DevicePrimaryCtxRelease") }
func (s *tracer) CtxPushCurrent(Context) Result            { return s.note("CtxPushCurrent") }
func (s *tracer) CtxPopCurrent() (Context, Result)         { return 0, s.note("CtxPopCurrent") }
func (s *tracer) CtxSynchronize() Result                   { return s.note("CtxSynchronize") }
func (s *tracer) LibraryLoadData([]byte) (Library, Result) { return 0, s.note("LibraryLoadData") }
func (s *tracer) LibraryUnload(Library) Result             { return s.note("LibraryUnload") }
func (s *tracer) LibraryGetKernel(Library, string) (Kernel, Result) {
	return 0, s.note("LibraryGetKernel")
}
func (s *tracer) LibraryLog(Library) string { s.note("LibraryLog"); return "" }
func (s *tracer) KernelGetParamInfo(Kernel, int) (uint64, uint64, Result) {
	return 0, 0, s.note("KernelGetParamInfo")
}
func (s *tracer) KernelGetAttribute(FunctionAttribute, Kernel, Device) (int, Result) {
	return 0, s.note("KernelGetAttribute")
}
func (s *tracer) StreamCreate(uint32) (Stream, Result)             { return 0, s.note("StreamCreate") }
func (s *tracer) StreamDestroy(Stream) Result                      { return s.note("StreamDestroy") }
func (s *tracer) StreamSynchronize(Stream) Result                  { return s.note("StreamSynchronize") }
func (s *tracer) StreamQuery(Stream) Result                        { return s.note("StreamQuery") }
func (s *tracer) MemAllocAsync(uint64, Stream) (DevicePtr, Result) { return 0, s.note("MemAllocAsync") }
func (s *tracer) MemFreeAsync(DevicePtr, Stream) Result            { return s.note("MemFreeAsync") }
func (s *tracer) MemcpyHtoDAsync(DevicePtr, unsafe.Pointer, uint64, Stream) Result {
	return s.note("MemcpyHtoDAsync")
}
func (s *tracer) MemcpyDtoHAsync(unsafe.Pointer, DevicePtr, uint64, Stream) Result {
	return s.note("MemcpyDtoHAsync")
}
func (s *tracer) MemcpyDtoDAsync(DevicePtr, DevicePtr, uint64, Stream) Result {
	return s.note("MemcpyDtoDAsync")
}
func (s *tracer) MemsetD8Async(DevicePtr, uint8, uint64, Stream) Result {
	return s.note("MemsetD8Async")
}
func (s *tracer) LaunchKernel(Kernel, LaunchConfig, Stream, []byte, []uint32) Result {
	return s.note("LaunchKernel")
}
