package driver

// An EntryPoint is an entry point of the driver API, one for each method of Driver
// that has one. Its Name is the method's name with cu in front.
type EntryPoint uint8

// The entry points.
const (
	Init EntryPoint = iota
	DriverGetVersion
	DeviceGetCount
	DeviceGet
	DeviceGetName
	DeviceGetUuid
	DeviceGetAttribute
	DeviceTotalMem
	DevicePrimaryCtxRetain
	DevicePrimaryCtxRelease
	CtxPushCurrent
	CtxPopCurrent
	CtxSynchronize
	LibraryLoadData
	LibraryUnload
	LibraryGetKernel
	KernelGetParamInfo
	KernelGetAttribute
	StreamCreate
	StreamDestroy
	StreamSynchronize
	StreamQuery
	MemAllocAsync
	MemFreeAsync
	MemcpyHtoDAsync
	MemcpyDtoHAsync
	MemcpyDtoDAsync
	MemsetD8Async
	StreamCreateWithPriority
	CtxGetStreamPriorityRange
	StreamWaitEvent
	LaunchHostFunc
	EventCreate
	EventDestroy
	EventRecord
	EventQuery
	EventSynchronize
	EventElapsedTime
	MemGetInfo
	MemHostAlloc
	MemFreeHost
	MemHostGetDevicePointer
	MemAllocManaged
	MemFree
	MemPrefetchAsync
	MemAdvise
	MemsetD16Async
	MemsetD32Async
	Memcpy3DAsync
	MemcpyPeerAsync
	DeviceGetDefaultMemPool
	MemPoolCreate
	MemPoolDestroy
	MemPoolGetAttribute
	MemPoolSetAttribute
	MemPoolTrimTo
	MemPoolSetAccess
	MemAllocFromPoolAsync
	LibraryGetGlobal
	LibraryGetManaged
	DeviceGetByPCIBusId
	DeviceGetPCIBusId
	DeviceCanAccessPeer
	CtxEnablePeerAccess
	CtxDisablePeerAccess
	LaunchKernel
	LaunchKernelEx
	KernelSetAttribute
	OccupancyMaxActiveBlocksPerMultiprocessor
	OccupancyMaxPotentialBlockSize

	NumEntryPoints = int(OccupancyMaxPotentialBlockSize) + 1
)

// MinVersion is the oldest driver that cudagen works with, as cuDriverGetVersion
// counts: CUDA 12.0, which brought the cuLibrary functions.
const MinVersion = 12000

// A symbol is how libcuda exports an entry point.
//
// Names carry their suffix. cuda.h hides it behind macros, but the library still
// exports the older function, with another signature, under the name without one.
type symbol struct {
	name     string // as the manual has it
	exported string // as the library has it
	since    int    // the CUDA version that brought this form: 1000*major + 10*minor
	required bool   // no program can do without it
}

// symbols is the table of entry points. since is from NVIDIA's cudaTypedefs.h.
var symbols = [NumEntryPoints]symbol{
	Init:                      {"cuInit", "cuInit", 2000, true},
	DriverGetVersion:          {"cuDriverGetVersion", "cuDriverGetVersion", 2020, true},
	DeviceGetCount:            {"cuDeviceGetCount", "cuDeviceGetCount", 2000, true},
	DeviceGet:                 {"cuDeviceGet", "cuDeviceGet", 2000, true},
	DeviceGetName:             {"cuDeviceGetName", "cuDeviceGetName", 2000, true},
	DeviceGetUuid:             {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040, false},
	DeviceGetAttribute:        {"cuDeviceGetAttribute", "cuDeviceGetAttribute", 2000, true},
	DeviceTotalMem:            {"cuDeviceTotalMem", "cuDeviceTotalMem_v2", 3020, false},
	DevicePrimaryCtxRetain:    {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", 7000, true},
	DevicePrimaryCtxRelease:   {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", 11000, true},
	CtxPushCurrent:            {"cuCtxPushCurrent", "cuCtxPushCurrent_v2", 4000, true},
	CtxPopCurrent:             {"cuCtxPopCurrent", "cuCtxPopCurrent_v2", 4000, true},
	CtxSynchronize:            {"cuCtxSynchronize", "cuCtxSynchronize", 2000, false},
	LibraryLoadData:           {"cuLibraryLoadData", "cuLibraryLoadData", 12000, true},
	LibraryUnload:             {"cuLibraryUnload", "cuLibraryUnload", 12000, true},
	LibraryGetKernel:          {"cuLibraryGetKernel", "cuLibraryGetKernel", 12000, true},
	KernelGetParamInfo:        {"cuKernelGetParamInfo", "cuKernelGetParamInfo", 12040, false},
	KernelGetAttribute:        {"cuKernelGetAttribute", "cuKernelGetAttribute", 12000, false},
	StreamCreate:              {"cuStreamCreate", "cuStreamCreate", 2000, true},
	StreamDestroy:             {"cuStreamDestroy", "cuStreamDestroy_v2", 4000, true},
	StreamSynchronize:         {"cuStreamSynchronize", "cuStreamSynchronize", 2000, true},
	StreamQuery:               {"cuStreamQuery", "cuStreamQuery", 2000, false},
	MemAllocAsync:             {"cuMemAllocAsync", "cuMemAllocAsync", 11020, true},
	MemFreeAsync:              {"cuMemFreeAsync", "cuMemFreeAsync", 11020, true},
	MemcpyHtoDAsync:           {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", 3020, true},
	MemcpyDtoHAsync:           {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", 3020, true},
	MemcpyDtoDAsync:           {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", 3020, false},
	MemsetD8Async:             {"cuMemsetD8Async", "cuMemsetD8Async", 3020, false},
	StreamCreateWithPriority:  {"cuStreamCreateWithPriority", "cuStreamCreateWithPriority", 5050, false},
	CtxGetStreamPriorityRange: {"cuCtxGetStreamPriorityRange", "cuCtxGetStreamPriorityRange", 5050, false},
	StreamWaitEvent:           {"cuStreamWaitEvent", "cuStreamWaitEvent", 3020, false},
	LaunchHostFunc:            {"cuLaunchHostFunc", "cuLaunchHostFunc", 10000, false},
	EventCreate:               {"cuEventCreate", "cuEventCreate", 2000, false},
	EventDestroy:              {"cuEventDestroy", "cuEventDestroy_v2", 4000, false},
	EventRecord:               {"cuEventRecord", "cuEventRecord", 2000, false},
	EventQuery:                {"cuEventQuery", "cuEventQuery", 2000, false},
	EventSynchronize:          {"cuEventSynchronize", "cuEventSynchronize", 2000, false},
	EventElapsedTime:          {"cuEventElapsedTime", "cuEventElapsedTime", 2000, false},
	MemGetInfo:                {"cuMemGetInfo", "cuMemGetInfo_v2", 3020, false},
	MemHostAlloc:              {"cuMemHostAlloc", "cuMemHostAlloc", 2020, false},
	MemFreeHost:               {"cuMemFreeHost", "cuMemFreeHost", 2000, false},
	MemHostGetDevicePointer:   {"cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2", 3020, false},
	MemAllocManaged:           {"cuMemAllocManaged", "cuMemAllocManaged", 6000, false},
	MemFree:                   {"cuMemFree", "cuMemFree_v2", 3020, false},
	MemPrefetchAsync:          {"cuMemPrefetchAsync", "cuMemPrefetchAsync", 8000, false},
	MemAdvise:                 {"cuMemAdvise", "cuMemAdvise", 8000, false},
	MemsetD16Async:            {"cuMemsetD16Async", "cuMemsetD16Async", 3020, false},
	MemsetD32Async:            {"cuMemsetD32Async", "cuMemsetD32Async", 3020, false},
	Memcpy3DAsync:             {"cuMemcpy3DAsync", "cuMemcpy3DAsync_v2", 3020, false},
	MemcpyPeerAsync:           {"cuMemcpyPeerAsync", "cuMemcpyPeerAsync", 4000, false},
	DeviceGetDefaultMemPool:   {"cuDeviceGetDefaultMemPool", "cuDeviceGetDefaultMemPool", 11020, false},
	MemPoolCreate:             {"cuMemPoolCreate", "cuMemPoolCreate", 11020, false},
	MemPoolDestroy:            {"cuMemPoolDestroy", "cuMemPoolDestroy", 11020, false},
	MemPoolGetAttribute:       {"cuMemPoolGetAttribute", "cuMemPoolGetAttribute", 11020, false},
	MemPoolSetAttribute:       {"cuMemPoolSetAttribute", "cuMemPoolSetAttribute", 11020, false},
	MemPoolTrimTo:             {"cuMemPoolTrimTo", "cuMemPoolTrimTo", 11020, false},
	MemPoolSetAccess:          {"cuMemPoolSetAccess", "cuMemPoolSetAccess", 11020, false},
	MemAllocFromPoolAsync:     {"cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync", 11020, false},
	LibraryGetGlobal:          {"cuLibraryGetGlobal", "cuLibraryGetGlobal", 12000, false},
	LibraryGetManaged:         {"cuLibraryGetManaged", "cuLibraryGetManaged", 12000, false},
	DeviceGetByPCIBusId:       {"cuDeviceGetByPCIBusId", "cuDeviceGetByPCIBusId", 4010, false},
	DeviceGetPCIBusId:         {"cuDeviceGetPCIBusId", "cuDeviceGetPCIBusId", 4010, false},
	DeviceCanAccessPeer:       {"cuDeviceCanAccessPeer", "cuDeviceCanAccessPeer", 4000, false},
	CtxEnablePeerAccess:       {"cuCtxEnablePeerAccess", "cuCtxEnablePeerAccess", 4000, false},
	CtxDisablePeerAccess:      {"cuCtxDisablePeerAccess", "cuCtxDisablePeerAccess", 4000, false},
	LaunchKernel:              {"cuLaunchKernel", "cuLaunchKernel", 4000, true},

	LaunchKernelEx:     {"cuLaunchKernelEx", "cuLaunchKernelEx", 11060, false},
	KernelSetAttribute: {"cuKernelSetAttribute", "cuKernelSetAttribute", 12000, false},
	OccupancyMaxActiveBlocksPerMultiprocessor: {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, false},
	OccupancyMaxPotentialBlockSize:            {"cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSize", 6050, false},
}

// Name returns the entry point's name in the CUDA Driver API manual.
func (e EntryPoint) Name() string { return symbols[e].name }

// Symbol returns the name under which libcuda exports the entry point: the manual's
// name with the suffix that cuda.h adds.
func (e EntryPoint) Symbol() string { return symbols[e].exported }

// Since returns the CUDA version that brought Symbol: 1000*major + 10*minor.
func (e EntryPoint) Since() int { return symbols[e].since }

// Required says whether a driver without Symbol is unusable. The others fail one
// call with ErrorCallRequiresNewerDriver when they are missing.
func (e EntryPoint) Required() bool { return symbols[e].required }
