// Code generated from the interface Driver by runtime/internal/driver/generate. DO NOT EDIT.

package driver

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
	DeviceGetByPCIBusId
	DeviceGetPCIBusId
	DeviceCanAccessPeer
	DeviceGetDefaultMemPool
	DevicePrimaryCtxRetain
	DevicePrimaryCtxRelease
	CtxPushCurrent
	CtxPopCurrent
	CtxGetCurrent
	CtxSetCurrent
	CtxSynchronize
	CtxGetStreamPriorityRange
	CtxEnablePeerAccess
	CtxDisablePeerAccess
	LibraryLoadData
	LibraryUnload
	LibraryGetGlobal
	LibraryGetManaged
	LibraryGetKernel
	KernelGetParamInfo
	KernelGetAttribute
	StreamCreate
	StreamCreateWithPriority
	StreamDestroy
	StreamSynchronize
	StreamQuery
	StreamGetCtx
	StreamWaitEvent
	LaunchHostFunc
	EventCreate
	EventDestroy
	EventRecord
	EventQuery
	EventSynchronize
	EventElapsedTime
	MemAllocAsync
	MemFreeAsync
	MemcpyHtoDAsync
	MemcpyDtoHAsync
	MemcpyDtoDAsync
	MemsetD8Async
	MemsetD16Async
	MemsetD32Async
	Memcpy3DAsync
	MemcpyPeerAsync
	MemAllocFromPoolAsync
	MemPoolCreate
	MemPoolDestroy
	MemPoolGetAttribute
	MemPoolSetAttribute
	MemPoolTrimTo
	MemPoolSetAccess
	MemGetInfo
	MemHostAlloc
	MemFreeHost
	MemHostGetDevicePointer
	MemAllocManaged
	MemFree
	MemHostRegister
	MemHostUnregister
	MemAlloc
	MemPrefetchAsync
	MemAdvise
	IpcGetMemHandle
	IpcOpenMemHandle
	IpcCloseMemHandle
	IpcGetEventHandle
	IpcOpenEventHandle
	Array3DCreate
	ArrayDestroy
	MipmappedArrayCreate
	MipmappedArrayGetLevel
	MipmappedArrayDestroy
	TexObjectCreate
	TexObjectDestroy
	SurfObjectCreate
	SurfObjectDestroy
	TensorMapEncodeTiled
	TensorMapEncodeIm2col
	ProfilerStart
	ProfilerStop
	LaunchKernel
	LaunchKernelEx
	KernelSetAttribute
	OccupancyMaxActiveBlocksPerMultiprocessor
	OccupancyMaxPotentialBlockSize
	GraphCreate
	GraphDestroy
	GraphClone
	GraphGetNodes
	GraphNodeFindInClone
	GraphNodeGetType
	GraphNodeGetDependencies
	GraphDestroyNode
	GraphAddNode
	GraphKernelNodeSetAttribute
	GraphConditionalHandleCreate
	GraphInstantiateWithParams
	GraphExecDestroy
	GraphUpload
	GraphLaunch
	GraphExecNodeSetParams
	GraphExecUpdate
	GraphNodeSetEnabled
	StreamBeginCapture
	StreamEndCapture
	StreamGetCaptureInfo
	StreamUpdateCaptureDependencies
	GraphAddKernelNode
	GraphAddMemcpyNode
	GraphAddMemsetNode
	GraphAddHostNode
	GraphAddChildGraphNode
	GraphAddEmptyNode
	GraphAddEventRecordNode
	GraphAddEventWaitNode
	GraphAddMemAllocNode
	GraphAddMemFreeNode
	GraphExecKernelNodeSetParams
	GraphExecMemcpyNodeSetParams
	GraphExecMemsetNodeSetParams
	GraphExecHostNodeSetParams
	GraphExecChildGraphNodeSetParams
	GraphExecEventRecordNodeSetEvent
	GraphExecEventWaitNodeSetEvent

	NumEntryPoints = int(GraphExecEventWaitNodeSetEvent) + 1
)

var symbols = [NumEntryPoints]symbol{
	Init:                      {"cuInit", "cuInit", 2000, true},
	DriverGetVersion:          {"cuDriverGetVersion", "cuDriverGetVersion", 2020, true},
	DeviceGetCount:            {"cuDeviceGetCount", "cuDeviceGetCount", 2000, true},
	DeviceGet:                 {"cuDeviceGet", "cuDeviceGet", 2000, true},
	DeviceGetName:             {"cuDeviceGetName", "cuDeviceGetName", 2000, true},
	DeviceGetUuid:             {"cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040, false},
	DeviceGetAttribute:        {"cuDeviceGetAttribute", "cuDeviceGetAttribute", 2000, true},
	DeviceTotalMem:            {"cuDeviceTotalMem", "cuDeviceTotalMem_v2", 3020, false},
	DeviceGetByPCIBusId:       {"cuDeviceGetByPCIBusId", "cuDeviceGetByPCIBusId", 4010, false},
	DeviceGetPCIBusId:         {"cuDeviceGetPCIBusId", "cuDeviceGetPCIBusId", 4010, false},
	DeviceCanAccessPeer:       {"cuDeviceCanAccessPeer", "cuDeviceCanAccessPeer", 4000, false},
	DeviceGetDefaultMemPool:   {"cuDeviceGetDefaultMemPool", "cuDeviceGetDefaultMemPool", 11020, false},
	DevicePrimaryCtxRetain:    {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", 7000, true},
	DevicePrimaryCtxRelease:   {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", 11000, true},
	CtxPushCurrent:            {"cuCtxPushCurrent", "cuCtxPushCurrent_v2", 4000, true},
	CtxPopCurrent:             {"cuCtxPopCurrent", "cuCtxPopCurrent_v2", 4000, true},
	CtxGetCurrent:             {"cuCtxGetCurrent", "cuCtxGetCurrent", 4000, false},
	CtxSetCurrent:             {"cuCtxSetCurrent", "cuCtxSetCurrent", 4000, false},
	CtxSynchronize:            {"cuCtxSynchronize", "cuCtxSynchronize", 2000, false},
	CtxGetStreamPriorityRange: {"cuCtxGetStreamPriorityRange", "cuCtxGetStreamPriorityRange", 5050, false},
	CtxEnablePeerAccess:       {"cuCtxEnablePeerAccess", "cuCtxEnablePeerAccess", 4000, false},
	CtxDisablePeerAccess:      {"cuCtxDisablePeerAccess", "cuCtxDisablePeerAccess", 4000, false},
	LibraryLoadData:           {"cuLibraryLoadData", "cuLibraryLoadData", 12000, true},
	LibraryUnload:             {"cuLibraryUnload", "cuLibraryUnload", 12000, true},
	LibraryGetGlobal:          {"cuLibraryGetGlobal", "cuLibraryGetGlobal", 12000, false},
	LibraryGetManaged:         {"cuLibraryGetManaged", "cuLibraryGetManaged", 12000, false},
	LibraryGetKernel:          {"cuLibraryGetKernel", "cuLibraryGetKernel", 12000, true},
	KernelGetParamInfo:        {"cuKernelGetParamInfo", "cuKernelGetParamInfo", 12040, false},
	KernelGetAttribute:        {"cuKernelGetAttribute", "cuKernelGetAttribute", 12000, false},
	StreamCreate:              {"cuStreamCreate", "cuStreamCreate", 2000, true},
	StreamCreateWithPriority:  {"cuStreamCreateWithPriority", "cuStreamCreateWithPriority", 5050, false},
	StreamDestroy:             {"cuStreamDestroy", "cuStreamDestroy_v2", 4000, true},
	StreamSynchronize:         {"cuStreamSynchronize", "cuStreamSynchronize", 2000, true},
	StreamQuery:               {"cuStreamQuery", "cuStreamQuery", 2000, false},
	StreamGetCtx:              {"cuStreamGetCtx", "cuStreamGetCtx", 9020, false},
	StreamWaitEvent:           {"cuStreamWaitEvent", "cuStreamWaitEvent", 3020, false},
	LaunchHostFunc:            {"cuLaunchHostFunc", "cuLaunchHostFunc", 10000, false},
	EventCreate:               {"cuEventCreate", "cuEventCreate", 2000, false},
	EventDestroy:              {"cuEventDestroy", "cuEventDestroy_v2", 4000, false},
	EventRecord:               {"cuEventRecord", "cuEventRecord", 2000, false},
	EventQuery:                {"cuEventQuery", "cuEventQuery", 2000, false},
	EventSynchronize:          {"cuEventSynchronize", "cuEventSynchronize", 2000, false},
	EventElapsedTime:          {"cuEventElapsedTime", "cuEventElapsedTime", 2000, false},
	MemAllocAsync:             {"cuMemAllocAsync", "cuMemAllocAsync", 11020, true},
	MemFreeAsync:              {"cuMemFreeAsync", "cuMemFreeAsync", 11020, true},
	MemcpyHtoDAsync:           {"cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2", 3020, true},
	MemcpyDtoHAsync:           {"cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2", 3020, true},
	MemcpyDtoDAsync:           {"cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2", 3020, false},
	MemsetD8Async:             {"cuMemsetD8Async", "cuMemsetD8Async", 3020, false},
	MemsetD16Async:            {"cuMemsetD16Async", "cuMemsetD16Async", 3020, false},
	MemsetD32Async:            {"cuMemsetD32Async", "cuMemsetD32Async", 3020, false},
	Memcpy3DAsync:             {"cuMemcpy3DAsync", "cuMemcpy3DAsync_v2", 3020, false},
	MemcpyPeerAsync:           {"cuMemcpyPeerAsync", "cuMemcpyPeerAsync", 4000, false},
	MemAllocFromPoolAsync:     {"cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync", 11020, false},
	MemPoolCreate:             {"cuMemPoolCreate", "cuMemPoolCreate", 11020, false},
	MemPoolDestroy:            {"cuMemPoolDestroy", "cuMemPoolDestroy", 11020, false},
	MemPoolGetAttribute:       {"cuMemPoolGetAttribute", "cuMemPoolGetAttribute", 11020, false},
	MemPoolSetAttribute:       {"cuMemPoolSetAttribute", "cuMemPoolSetAttribute", 11020, false},
	MemPoolTrimTo:             {"cuMemPoolTrimTo", "cuMemPoolTrimTo", 11020, false},
	MemPoolSetAccess:          {"cuMemPoolSetAccess", "cuMemPoolSetAccess", 11020, false},
	MemGetInfo:                {"cuMemGetInfo", "cuMemGetInfo_v2", 3020, false},
	MemHostAlloc:              {"cuMemHostAlloc", "cuMemHostAlloc", 2020, false},
	MemFreeHost:               {"cuMemFreeHost", "cuMemFreeHost", 2000, false},
	MemHostGetDevicePointer:   {"cuMemHostGetDevicePointer", "cuMemHostGetDevicePointer_v2", 3020, false},
	MemAllocManaged:           {"cuMemAllocManaged", "cuMemAllocManaged", 6000, false},
	MemFree:                   {"cuMemFree", "cuMemFree_v2", 3020, false},
	MemHostRegister:           {"cuMemHostRegister", "cuMemHostRegister_v2", 6050, false},
	MemHostUnregister:         {"cuMemHostUnregister", "cuMemHostUnregister", 4000, false},
	MemAlloc:                  {"cuMemAlloc", "cuMemAlloc_v2", 3020, false},
	MemPrefetchAsync:          {"cuMemPrefetchAsync", "cuMemPrefetchAsync", 8000, false},
	MemAdvise:                 {"cuMemAdvise", "cuMemAdvise", 8000, false},
	IpcGetMemHandle:           {"cuIpcGetMemHandle", "cuIpcGetMemHandle", 4010, false},
	IpcOpenMemHandle:          {"cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2", 11000, false},
	IpcCloseMemHandle:         {"cuIpcCloseMemHandle", "cuIpcCloseMemHandle", 4010, false},
	IpcGetEventHandle:         {"cuIpcGetEventHandle", "cuIpcGetEventHandle", 4010, false},
	IpcOpenEventHandle:        {"cuIpcOpenEventHandle", "cuIpcOpenEventHandle", 4010, false},
	Array3DCreate:             {"cuArray3DCreate", "cuArray3DCreate_v2", 3020, false},
	ArrayDestroy:              {"cuArrayDestroy", "cuArrayDestroy", 2000, false},
	MipmappedArrayCreate:      {"cuMipmappedArrayCreate", "cuMipmappedArrayCreate", 5000, false},
	MipmappedArrayGetLevel:    {"cuMipmappedArrayGetLevel", "cuMipmappedArrayGetLevel", 5000, false},
	MipmappedArrayDestroy:     {"cuMipmappedArrayDestroy", "cuMipmappedArrayDestroy", 5000, false},
	TexObjectCreate:           {"cuTexObjectCreate", "cuTexObjectCreate", 5000, false},
	TexObjectDestroy:          {"cuTexObjectDestroy", "cuTexObjectDestroy", 5000, false},
	SurfObjectCreate:          {"cuSurfObjectCreate", "cuSurfObjectCreate", 5000, false},
	SurfObjectDestroy:         {"cuSurfObjectDestroy", "cuSurfObjectDestroy", 5000, false},
	TensorMapEncodeTiled:      {"cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", 12000, false},
	TensorMapEncodeIm2col:     {"cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2col", 12000, false},
	ProfilerStart:             {"cuProfilerStart", "cuProfilerStart", 4000, false},
	ProfilerStop:              {"cuProfilerStop", "cuProfilerStop", 4000, false},
	LaunchKernel:              {"cuLaunchKernel", "cuLaunchKernel", 4000, true},
	LaunchKernelEx:            {"cuLaunchKernelEx", "cuLaunchKernelEx", 11060, false},
	KernelSetAttribute:        {"cuKernelSetAttribute", "cuKernelSetAttribute", 12000, false},
	OccupancyMaxActiveBlocksPerMultiprocessor: {"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050, false},
	OccupancyMaxPotentialBlockSize:            {"cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSize", 6050, false},
	GraphCreate:                               {"cuGraphCreate", "cuGraphCreate", 10000, false},
	GraphDestroy:                              {"cuGraphDestroy", "cuGraphDestroy", 10000, false},
	GraphClone:                                {"cuGraphClone", "cuGraphClone", 10000, false},
	GraphGetNodes:                             {"cuGraphGetNodes", "cuGraphGetNodes", 10000, false},
	GraphNodeFindInClone:                      {"cuGraphNodeFindInClone", "cuGraphNodeFindInClone", 10000, false},
	GraphNodeGetType:                          {"cuGraphNodeGetType", "cuGraphNodeGetType", 10000, false},
	GraphNodeGetDependencies:                  {"cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies", 10000, false},
	GraphDestroyNode:                          {"cuGraphDestroyNode", "cuGraphDestroyNode", 10000, false},
	GraphAddNode:                              {"cuGraphAddNode", "cuGraphAddNode_v2", 12030, false},
	GraphKernelNodeSetAttribute:               {"cuGraphKernelNodeSetAttribute", "cuGraphKernelNodeSetAttribute", 11000, false},
	GraphConditionalHandleCreate:              {"cuGraphConditionalHandleCreate", "cuGraphConditionalHandleCreate", 12030, false},
	GraphInstantiateWithParams:                {"cuGraphInstantiateWithParams", "cuGraphInstantiateWithParams", 12000, false},
	GraphExecDestroy:                          {"cuGraphExecDestroy", "cuGraphExecDestroy", 10000, false},
	GraphUpload:                               {"cuGraphUpload", "cuGraphUpload", 11010, false},
	GraphLaunch:                               {"cuGraphLaunch", "cuGraphLaunch", 10000, false},
	GraphExecNodeSetParams:                    {"cuGraphExecNodeSetParams", "cuGraphExecNodeSetParams", 12020, false},
	GraphExecUpdate:                           {"cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000, false},
	GraphNodeSetEnabled:                       {"cuGraphNodeSetEnabled", "cuGraphNodeSetEnabled", 11060, false},
	StreamBeginCapture:                        {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010, false},
	StreamEndCapture:                          {"cuStreamEndCapture", "cuStreamEndCapture", 10000, false},
	StreamGetCaptureInfo:                      {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030, false},
	StreamUpdateCaptureDependencies:           {"cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies", 11030, false},
	GraphAddKernelNode:                        {"cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000, false},
	GraphAddMemcpyNode:                        {"cuGraphAddMemcpyNode", "cuGraphAddMemcpyNode", 10000, false},
	GraphAddMemsetNode:                        {"cuGraphAddMemsetNode", "cuGraphAddMemsetNode", 10000, false},
	GraphAddHostNode:                          {"cuGraphAddHostNode", "cuGraphAddHostNode", 10000, false},
	GraphAddChildGraphNode:                    {"cuGraphAddChildGraphNode", "cuGraphAddChildGraphNode", 10000, false},
	GraphAddEmptyNode:                         {"cuGraphAddEmptyNode", "cuGraphAddEmptyNode", 10000, false},
	GraphAddEventRecordNode:                   {"cuGraphAddEventRecordNode", "cuGraphAddEventRecordNode", 11010, false},
	GraphAddEventWaitNode:                     {"cuGraphAddEventWaitNode", "cuGraphAddEventWaitNode", 11010, false},
	GraphAddMemAllocNode:                      {"cuGraphAddMemAllocNode", "cuGraphAddMemAllocNode", 11040, false},
	GraphAddMemFreeNode:                       {"cuGraphAddMemFreeNode", "cuGraphAddMemFreeNode", 11040, false},
	GraphExecKernelNodeSetParams:              {"cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000, false},
	GraphExecMemcpyNodeSetParams:              {"cuGraphExecMemcpyNodeSetParams", "cuGraphExecMemcpyNodeSetParams", 10020, false},
	GraphExecMemsetNodeSetParams:              {"cuGraphExecMemsetNodeSetParams", "cuGraphExecMemsetNodeSetParams", 10020, false},
	GraphExecHostNodeSetParams:                {"cuGraphExecHostNodeSetParams", "cuGraphExecHostNodeSetParams", 10020, false},
	GraphExecChildGraphNodeSetParams:          {"cuGraphExecChildGraphNodeSetParams", "cuGraphExecChildGraphNodeSetParams", 11010, false},
	GraphExecEventRecordNodeSetEvent:          {"cuGraphExecEventRecordNodeSetEvent", "cuGraphExecEventRecordNodeSetEvent", 11010, false},
	GraphExecEventWaitNodeSetEvent:            {"cuGraphExecEventWaitNodeSetEvent", "cuGraphExecEventWaitNodeSetEvent", 11010, false},
}

// results describes each Result: what the driver API calls it, and what it means.
var results = map[Result]struct{ name, description string }{
	Success:                           {"CUDA_SUCCESS", "success"},
	ErrorInvalidValue:                 {"CUDA_ERROR_INVALID_VALUE", "an argument is outside of its range"},
	ErrorOutOfMemory:                  {"CUDA_ERROR_OUT_OF_MEMORY", "not enough memory"},
	ErrorNotInitialized:               {"CUDA_ERROR_NOT_INITIALIZED", "cuInit has not been called, or failed"},
	ErrorDeinitialized:                {"CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
	ErrorProfilerDisabled:             {"CUDA_ERROR_PROFILER_DISABLED", "the profiler is off, as it is when another profiling tool runs"},
	ErrorProfilerNotInitialized:       {"CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler is not initialized (unused since CUDA 5.0)"},
	ErrorProfilerAlreadyStarted:       {"CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler runs already (unused since CUDA 5.0)"},
	ErrorProfilerAlreadyStopped:       {"CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler is stopped already (unused since CUDA 5.0)"},
	ErrorStubLibrary:                  {"CUDA_ERROR_STUB_LIBRARY", "the library loaded is the toolkit's stub, not a driver"},
	ErrorCallRequiresNewerDriver:      {"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the installed driver is too old for this call"},
	ErrorDeviceUnavailable:            {"CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy, or in exclusive or prohibited compute mode"},
	ErrorNoDevice:                     {"CUDA_ERROR_NO_DEVICE", "the driver sees no CUDA device"},
	ErrorInvalidDevice:                {"CUDA_ERROR_INVALID_DEVICE", "there is no such device, or it cannot do this"},
	ErrorDeviceNotLicensed:            {"CUDA_ERROR_DEVICE_NOT_LICENSED", "the device's GRID license is missing"},
	ErrorInvalidImage:                 {"CUDA_ERROR_INVALID_IMAGE", "the kernel image is malformed"},
	ErrorInvalidContext:               {"CUDA_ERROR_INVALID_CONTEXT", "no valid context is current on this thread"},
	ErrorContextAlreadyCurrent:        {"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "the context is current already (unused since CUDA 3.2)"},
	ErrorMapFailed:                    {"CUDA_ERROR_MAP_FAILED", "a resource could not be mapped"},
	ErrorUnmapFailed:                  {"CUDA_ERROR_UNMAP_FAILED", "a resource could not be unmapped"},
	ErrorArrayIsMapped:                {"CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped, so it cannot be destroyed"},
	ErrorAlreadyMapped:                {"CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already"},
	ErrorNoBinaryForGPU:               {"CUDA_ERROR_NO_BINARY_FOR_GPU", "the image has no code for this device"},
	ErrorAlreadyAcquired:              {"CUDA_ERROR_ALREADY_ACQUIRED", "the resource is held already"},
	ErrorNotMapped:                    {"CUDA_ERROR_NOT_MAPPED", "the resource is not mapped"},
	ErrorNotMappedAsArray:             {"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource is mapped, but not as an array"},
	ErrorNotMappedAsPointer:           {"CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource is mapped, but not as a pointer"},
	ErrorECCUncorrectable:             {"CUDA_ERROR_ECC_UNCORRECTABLE", "device memory had an error that ECC could not correct"},
	ErrorUnsupportedLimit:             {"CUDA_ERROR_UNSUPPORTED_LIMIT", "the device does not have this limit"},
	ErrorContextAlreadyInUse:          {"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "the context is bound to another thread"},
	ErrorPeerAccessUnsupported:        {"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "these devices cannot reach each other's memory"},
	ErrorInvalidPTX:                   {"CUDA_ERROR_INVALID_PTX", "the driver could not compile the PTX"},
	ErrorInvalidGraphicsContext:       {"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "the OpenGL or DirectX context is unusable"},
	ErrorNVLinkUncorrectable:          {"CUDA_ERROR_NVLINK_UNCORRECTABLE", "NVLink had an error that could not be corrected"},
	ErrorJITCompilerNotFound:          {"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the driver's PTX compiler library is missing"},
	ErrorUnsupportedPTXVersion:        {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver's compiler"},
	ErrorJITCompilationDisabled:       {"CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling PTX is switched off"},
	ErrorUnsupportedExecAffinity:      {"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the device does not have this execution affinity"},
	ErrorUnsupportedDevsideSync:       {"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "the PTX calls cudaDeviceSynchronize, which the driver no longer compiles"},
	ErrorContained:                    {"CUDA_ERROR_CONTAINED", "an exception on the device was contained; the process must be restarted"},
	ErrorInvalidSource:                {"CUDA_ERROR_INVALID_SOURCE", "the kernel source is malformed"},
	ErrorFileNotFound:                 {"CUDA_ERROR_FILE_NOT_FOUND", "no such file"},
	ErrorSharedObjectSymbolNotFound:   {"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "a shared library lacks a symbol"},
	ErrorSharedObjectInitFailed:       {"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a shared library could not be initialized"},
	ErrorOperatingSystem:              {"CUDA_ERROR_OPERATING_SYSTEM", "a call to the operating system failed"},
	ErrorInvalidHandle:                {"CUDA_ERROR_INVALID_HANDLE", "no such stream, event or other object"},
	ErrorIllegalState:                 {"CUDA_ERROR_ILLEGAL_STATE", "a resource is in the wrong state for this call"},
	ErrorLossyQuery:                   {"CUDA_ERROR_LOSSY_QUERY", "the answer would leave out something that matters"},
	ErrorNotFound:                     {"CUDA_ERROR_NOT_FOUND", "no kernel, variable or symbol of this name"},
	ErrorNotReady:                     {"CUDA_ERROR_NOT_READY", "earlier work has not finished; not a failure"},
	ErrorIllegalAddress:               {"CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed memory that is not there; the context is lost"},
	ErrorLaunchOutOfResources:         {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too few registers or other resources for this launch, or too many arguments"},
	ErrorLaunchTimeout:                {"CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than the display allows; the context is lost"},
	ErrorLaunchIncompatibleTexturing:  {"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "the launch uses an incompatible texture mode"},
	ErrorPeerAccessAlreadyEnabled:     {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already"},
	ErrorPeerAccessNotEnabled:         {"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"},
	ErrorPrimaryContextActive:         {"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context exists already"},
	ErrorContextIsDestroyed:           {"CUDA_ERROR_CONTEXT_IS_DESTROYED", "the current context was destroyed"},
	ErrorAssert:                       {"CUDA_ERROR_ASSERT", "an assertion failed in a kernel; the context is lost"},
	ErrorTooManyPeers:                 {"CUDA_ERROR_TOO_MANY_PEERS", "a device has no room for another peer"},
	ErrorHostMemoryAlreadyRegistered:  {"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "this host memory is registered already"},
	ErrorHostMemoryNotRegistered:      {"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "this host memory is not registered"},
	ErrorHardwareStackError:           {"CUDA_ERROR_HARDWARE_STACK_ERROR", "a kernel overran or corrupted its stack; the context is lost"},
	ErrorIllegalInstruction:           {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an illegal instruction; the context is lost"},
	ErrorMisalignedAddress:            {"CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel accessed memory at a misaligned address; the context is lost"},
	ErrorInvalidAddressSpace:          {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an instruction on the wrong address space; the context is lost"},
	ErrorInvalidPC:                    {"CUDA_ERROR_INVALID_PC", "a kernel's program counter left its code; the context is lost"},
	ErrorLaunchFailed:                 {"CUDA_ERROR_LAUNCH_FAILED", "a kernel failed with an exception; the context is lost"},
	ErrorCooperativeLaunchTooLarge:    {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "the cooperative grid does not fit on the device at once"},
	ErrorTensorMemoryLeak:             {"CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel ended without freeing its tensor memory; the context is lost"},
	ErrorNotPermitted:                 {"CUDA_ERROR_NOT_PERMITTED", "this is not permitted"},
	ErrorNotSupported:                 {"CUDA_ERROR_NOT_SUPPORTED", "this device, driver or system does not have this"},
	ErrorSystemNotReady:               {"CUDA_ERROR_SYSTEM_NOT_READY", "the system cannot run CUDA yet: see its configuration and services"},
	ErrorSystemDriverMismatch:         {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the kernel module and libcuda are of different versions"},
	ErrorCompatNotSupportedOnDevice:   {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "this device does not run with the forward compatibility package"},
	ErrorMPSConnectionFailed:          {"CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the MPS control daemon or server"},
	ErrorMPSRPCFailure:                {"CUDA_ERROR_MPS_RPC_FAILURE", "a call to the MPS server failed"},
	ErrorMPSServerNotReady:            {"CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server takes no clients at the moment"},
	ErrorMPSMaxClientsReached:         {"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for another client"},
	ErrorMPSMaxConnectionsReached:     {"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the MPS server has no room for another connection"},
	ErrorMPSClientTerminated:          {"CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS server ended this client; the process must be restarted"},
	ErrorCDPNotSupported:              {"CUDA_ERROR_CDP_NOT_SUPPORTED", "dynamic parallelism does not work in this configuration"},
	ErrorCDPVersionMismatch:           {"CUDA_ERROR_CDP_VERSION_MISMATCH", "the module mixes versions of dynamic parallelism"},
	ErrorStreamCaptureUnsupported:     {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while the stream is captured"},
	ErrorStreamCaptureInvalidated:     {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "an earlier error has spoiled the capture"},
	ErrorStreamCaptureMerge:           {"CUDA_ERROR_STREAM_CAPTURE_MERGE", "this would merge two separate captures"},
	ErrorStreamCaptureUnmatched:       {"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture did not begin on this stream"},
	ErrorStreamCaptureUnjoined:        {"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "the capture has a fork that was not joined to its stream"},
	ErrorStreamCaptureIsolation:       {"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a dependency would cross the capture's border"},
	ErrorStreamCaptureImplicit:        {"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the legacy stream would implicitly depend on a capture"},
	ErrorCapturedEvent:                {"CUDA_ERROR_CAPTURED_EVENT", "the event was recorded in a capture"},
	ErrorStreamCaptureWrongThread:     {"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread began this capture"},
	ErrorTimeout:                      {"CUDA_ERROR_TIMEOUT", "the time limit has passed"},
	ErrorGraphExecUpdateFailure:       {"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph differs too much for an update"},
	ErrorExternalDevice:               {"CUDA_ERROR_EXTERNAL_DEVICE", "a device that CUDA works with has failed"},
	ErrorInvalidClusterSize:           {"CUDA_ERROR_INVALID_CLUSTER_SIZE", "the cluster does not fit the grid or the device"},
	ErrorFunctionNotLoaded:            {"CUDA_ERROR_FUNCTION_NOT_LOADED", "the function is not loaded"},
	ErrorInvalidResourceType:          {"CUDA_ERROR_INVALID_RESOURCE_TYPE", "a resource has the wrong type for this call"},
	ErrorInvalidResourceConfiguration: {"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "a resource is missing or configured otherwise"},
	ErrorKeyRotation:                  {"CUDA_ERROR_KEY_ROTATION", "confidential computing failed to rotate its keys"},
	ErrorUnknown:                      {"CUDA_ERROR_UNKNOWN", "the driver does not know what is wrong"},
}
