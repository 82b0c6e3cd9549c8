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
