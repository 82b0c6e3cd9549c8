// Package driver declares the CUDA driver API as a Go interface, one method for each entry
// point, and holds the tables of symbols, result codes and attributes.
//
// runtime/cuda uses the interface and is the same code on every device.
// runtime/internal/libcuda implements it with NVIDIA's driver, and runtime/sim with a
// simulated device. Start with the interface Driver.
//
// Methods take and return values, results included, because a pointer that is passed through
// an interface escapes to the heap (docs/decisions, "Why does the driver interface have no
// out-parameters?").
package driver

import "unsafe"

// Handles of the driver API. The zero value of each is the driver's null handle.
type (
	Device    int32   // CUdevice: an ordinal
	Context   uintptr // CUcontext
	Library   uintptr // CUlibrary
	Kernel    uintptr // CUkernel
	Stream    uintptr // CUstream
	DevicePtr uint64  // CUdeviceptr
	Event     uintptr // CUevent
	MemPool   uintptr // CUmemoryPool
	Graph     uintptr // CUgraph
	GraphNode uintptr // CUgraphNode
	GraphExec uintptr // CUgraphExec

	Array          uintptr // CUarray
	MipmappedArray uintptr // CUmipmappedArray
	TexObject      uint64  // CUtexObject
	SurfObject     uint64  // CUsurfObject

	GraphConditionalHandle uint64 // CUgraphConditionalHandle
)

// An IpcHandle is a CUipcMemHandle or a CUipcEventHandle, for another process on the machine.
type IpcHandle [64]byte

// A Dim3 counts blocks of a grid or threads of a block.
type Dim3 struct{ X, Y, Z uint32 }

// A LaunchConfig says how a kernel is launched.
type LaunchConfig struct {
	Grid, Block Dim3
	SharedBytes uint32 // dynamic shared memory of a block

	Covers *Covers // what the arguments cover, for the simulated device; nil if it does not look at that
}

// Covers is what memory the arguments of a launch name.
type Covers struct {
	Slices []Cover
	Whole  []DevicePtr // addresses in other allocations that the kernel may use, all of them
}

// A Cover is what the slice for a parameter covers.
type Cover struct {
	Param int // its number, from 0
	Addr  DevicePtr
	Bytes uint64
}

// LaunchAttributes is what a launch by cuLaunchKernelEx has beside its LaunchConfig. The
// zero value is a plain launch.
type LaunchAttributes struct {
	Cluster      Dim3 // blocks; zero for no clusters
	Cooperative  bool // all blocks are on the device at once
	Programmatic bool // programmatic stream serialization
	HasPriority  bool
	Priority     int32 // when HasPriority; lower numbers go first
}

// A Driver is an implementation of the CUDA driver API.
//
// Any goroutine may call any method. Methods marked "context" need a current
// context on the calling thread, so callers lock the thread around CtxPushCurrent,
// the call and CtxPopCurrent; the others work on any thread.
//
// Each method is the entry point of the same name with cu in front; the CUDA
// Driver API manual documents it.
//
// The interface is the table of entry points. The comment behind a method is the rest of
// its row: the CUDA version that brought the entry point in this form, then, after commas,
//
//	_v2           the library's name of it has this suffix
//	required      no program can do without it: Open fails on a driver that lacks it
//	context       it needs a current context
//	global        it concerns the driver, a device or contexts themselves, and needs none
//	              even on a driver for which InContext is made
//	C(k, i, size) the arguments in C: parameters, results by their names, 0. Without it
//	              they are the results, then the parameters
//	elsewhere     it fails with ErrorInvalidValue on a thread whose current context is
//	              another device's: libcuda calls it again in the context of its Stream s
//	watched       simulated devices tell a Watcher of it
//	by hand       its method of libcuda.Driver is written by hand, because it is more than
//	              a call with these arguments
//
// go generate makes from it what one row needs in other places: the constants and symbols,
// the methods of libcuda.Driver, of InContext and of Watchable, drivertest, and the fake driver's table
// (docs/decisions, "How is a driver entry point added?").
//
//go:generate go run ./generate
type Driver interface {
	// Initialization and version.
	Init() Result // CUDA 2.0, required, global, C(0)
	// DriverGetVersion returns 1000*major + 10*minor.
	DriverGetVersion() (version int, r Result) // CUDA 2.2, required, global

	// Device management.
	DeviceGetCount() (int, Result)                                     // CUDA 2.0, required, global
	DeviceGet(ordinal int) (Device, Result)                            // CUDA 2.0, required, global
	DeviceGetName(dev Device) (string, Result)                         // CUDA 2.0, required, global, by hand
	DeviceGetUuid(dev Device) ([16]byte, Result)                       // CUDA 11.4, _v2, global, by hand
	DeviceGetAttribute(attr DeviceAttribute, dev Device) (int, Result) // CUDA 2.0, required, global
	DeviceTotalMem(dev Device) (bytes uint64, r Result)                // CUDA 3.2, _v2, global

	DeviceGetByPCIBusId(id string) (Device, Result)       // CUDA 4.1, global, by hand
	DeviceGetPCIBusId(dev Device) (string, Result)        // CUDA 4.1, global, by hand
	DeviceCanAccessPeer(dev, peer Device) (bool, Result)  // CUDA 4.0, global
	DeviceGetDefaultMemPool(dev Device) (MemPool, Result) // CUDA 11.2, global

	// Primary context and context management.
	DevicePrimaryCtxRetain(dev Device) (Context, Result)        // CUDA 7.0, required, global
	DevicePrimaryCtxRelease(dev Device) Result                  // CUDA 11.0, _v2, required, global
	CtxPushCurrent(ctx Context) Result                          // CUDA 4.0, _v2, required, global
	CtxPopCurrent() (Context, Result)                           // CUDA 4.0, _v2, required, global
	CtxGetCurrent() (Context, Result)                           // CUDA 4.0, global
	CtxSetCurrent(ctx Context) Result                           // CUDA 4.0, global
	CtxSynchronize() Result                                     // CUDA 2.0, context, watched
	CtxGetStreamPriorityRange() (least, greatest int, r Result) // CUDA 5.5, context
	CtxEnablePeerAccess(peer Context, flags uint32) Result      // CUDA 4.0, context
	CtxDisablePeerAccess(peer Context) Result                   // CUDA 4.0, context

	// Library management.

	// LibraryLoadData loads image: PTX text, a cubin or a fatbin. The driver
	// copies it. Loading is lazy: PTX that it cannot compile may come to light in
	// LibraryGetKernel only.
	LibraryLoadData(image []byte) (Library, Result)                                   // CUDA 12.0, required, by hand, watched
	LibraryUnload(lib Library) Result                                                 // CUDA 12.0, required, by hand
	LibraryGetGlobal(lib Library, name string) (p DevicePtr, bytes uint64, r Result)  // CUDA 12.0, context, by hand
	LibraryGetManaged(lib Library, name string) (p DevicePtr, bytes uint64, r Result) // CUDA 12.0, context, by hand
	LibraryGetKernel(lib Library, name string) (Kernel, Result)                       // CUDA 12.0, required, by hand, watched
	// LibraryLog returns what the compiler in the driver has said about lib so
	// far. An image that LibraryLoadData refuses has a handle, too, or 0 if it was not
	// looked at, for one call of LibraryLog. It has no entry point of its own: the
	// driver writes to a buffer given when loading.
	LibraryLog(lib Library) string                                                 // no entry point
	KernelGetParamInfo(k Kernel, index int) (offset, size uint64, r Result)        // CUDA 12.4, context, C(k, index, offset, size)
	KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (int, Result) // CUDA 12.0

	// Stream management.
	StreamCreate(flags uint32) (Stream, Result)                           // CUDA 2.0, required, context
	StreamCreateWithPriority(flags uint32, priority int) (Stream, Result) // CUDA 5.5, context
	StreamDestroy(s Stream) Result                                        // CUDA 4.0, _v2, required
	StreamSynchronize(s Stream) Result                                    // CUDA 2.0, required, watched
	StreamQuery(s Stream) Result                                          // CUDA 2.0
	StreamGetCtx(s Stream) (ctx Context, r Result)                        // CUDA 9.2, C(s, ctx)
	StreamWaitEvent(s Stream, e Event, flags uint32) Result               // CUDA 3.2
	// LaunchHostFunc calls run after what was queued on s before, on a thread of the
	// driver's or the simulator's, which waits for it. run must not panic, end its
	// goroutine or call the driver. After an error that sticks it may never run.
	LaunchHostFunc(s Stream, run func()) Result // CUDA 10.0, context, by hand, watched

	// Event management.
	EventCreate(flags uint32) (Event, Result)                           // CUDA 2.0, context
	EventDestroy(e Event) Result                                        // CUDA 4.0, _v2
	EventRecord(e Event, s Stream) Result                               // CUDA 2.0
	EventQuery(e Event) Result                                          // CUDA 2.0
	EventSynchronize(e Event) Result                                    // CUDA 2.0, watched
	EventElapsedTime(start, end Event) (milliseconds float32, r Result) // CUDA 2.0

	// Stream-ordered memory. After a copy from or to Go memory the caller keeps
	// that memory alive and synchronizes s before it returns to its own caller.
	MemAllocAsync(bytes uint64, s Stream) (DevicePtr, Result)                                                    // CUDA 11.2, required, watched
	MemFreeAsync(p DevicePtr, s Stream) Result                                                                   // CUDA 11.2, required, watched
	MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result                            // CUDA 3.2, _v2, required, elsewhere, watched
	MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result                            // CUDA 3.2, _v2, required, elsewhere, watched
	MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result                                           // CUDA 3.2, _v2, elsewhere, watched
	MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result                                     // CUDA 3.2, watched
	MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result                                   // CUDA 3.2, watched
	MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result                                   // CUDA 3.2, watched
	Memcpy3DAsync(c Copy3D, s Stream) Result                                                                     // CUDA 3.2, _v2, context, by hand
	MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) Result // CUDA 4.0, context, watched

	// Memory pools. MemPoolCreate takes of CUmemPoolProps only the device and, since CUDA 12.2,
	// maxSize.
	MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (DevicePtr, Result)   // CUDA 11.2, watched
	MemPoolCreate(dev Device, maxBytes uint64) (MemPool, Result)                   // CUDA 11.2, by hand
	MemPoolDestroy(p MemPool) Result                                               // CUDA 11.2
	MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (value uint64, r Result) // CUDA 11.2, C(p, attr, value)
	MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result     // CUDA 11.2, by hand
	MemPoolTrimTo(p MemPool, keepBytes uint64) Result                              // CUDA 11.2
	MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result                // CUDA 11.2, by hand

	// Page-locked and managed memory, which the CPU reads and writes where the
	// pointer says, and the device at the DevicePtr. The device of MemPrefetchAsync and of
	// MemAdvise may be CPU.
	MemGetInfo() (free, total uint64, r Result)                                              // CUDA 3.2, _v2, context
	MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, Result)                        // CUDA 2.2, context, watched
	MemFreeHost(p unsafe.Pointer) Result                                                     // CUDA 2.0, watched
	MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (DevicePtr, Result)              // CUDA 3.2, _v2, context, by hand
	MemAllocManaged(bytes uint64, flags uint32) (p DevicePtr, host unsafe.Pointer, r Result) // CUDA 6.0, context, by hand, watched
	MemFree(p DevicePtr) Result                                                              // CUDA 3.2, _v2, context, watched
	MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) Result                     // CUDA 6.5, _v2, context, watched
	MemHostUnregister(p unsafe.Pointer) Result                                               // CUDA 4.0, context, watched
	// MemAlloc allocates memory that is from no pool, at once.
	MemAlloc(bytes uint64) (DevicePtr, Result)                                // CUDA 3.2, _v2, context, watched
	MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result   // CUDA 8.0, context, watched
	MemAdvise(p DevicePtr, bytes uint64, advice MemAdvice, dev Device) Result // CUDA 8.0, context

	// Memory and events of other processes. Memory that another process has exported is closed
	// here, not freed.
	IpcGetMemHandle(p DevicePtr) (h IpcHandle, r Result)                // CUDA 4.1, context, by hand
	IpcOpenMemHandle(h IpcHandle, flags uint32) (p DevicePtr, r Result) // CUDA 11.0, _v2, context, by hand, watched
	IpcCloseMemHandle(p DevicePtr) Result                               // CUDA 4.1, context, watched
	IpcGetEventHandle(e Event) (h IpcHandle, r Result)                  // CUDA 4.1, context, by hand
	IpcOpenEventHandle(h IpcHandle) (e Event, r Result)                 // CUDA 4.1, context, by hand

	// Arrays, whose layout in memory is the device's, and the objects by which kernels read and
	// write them. A view with the format 0 is none.
	Array3DCreate(desc ArrayDesc) (Array, Result)                                                 // CUDA 3.2, _v2, context, by hand, watched
	ArrayDestroy(a Array) Result                                                                  // CUDA 2.0, context, watched
	MipmappedArrayCreate(desc ArrayDesc, levels uint32) (MipmappedArray, Result)                  // CUDA 5.0, context, by hand, watched
	MipmappedArrayGetLevel(m MipmappedArray, level uint32) (Array, Result)                        // CUDA 5.0, context
	MipmappedArrayDestroy(m MipmappedArray) Result                                                // CUDA 5.0, context, watched
	TexObjectCreate(of ResourceDesc, read TextureDesc, view ResourceViewDesc) (TexObject, Result) // CUDA 5.0, context, by hand
	TexObjectDestroy(t TexObject) Result                                                          // CUDA 5.0, context
	SurfObjectCreate(of ResourceDesc) (SurfObject, Result)                                        // CUDA 5.0, context, by hand
	SurfObjectDestroy(s SurfObject) Result                                                        // CUDA 5.0, context

	// Tensor maps, which kernels copy boxes by. They are values, and need no destroying.
	TensorMapEncodeTiled(desc TensorMapDesc) (TensorMap, Result)  // CUDA 12.0, context, by hand
	TensorMapEncodeIm2col(desc TensorMapDesc) (TensorMap, Result) // CUDA 12.0, context, by hand

	// Profiling, for tools that were told to begin switched off.
	ProfilerStart() Result // CUDA 4.0, context
	ProfilerStop() Result  // CUDA 4.0, context

	// LaunchKernel launches k with a parameter block of the layout that the
	// kernel's C++ parameters have; offsets holds where each parameter begins.
	// runtime/cuda calls it for devices that are not libcuda's and gives it a copy
	// of the block; a launch on libcuda goes past this interface, to
	// libcuda.Launch, because the block must not escape.
	LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result // CUDA 4.0, required, by hand

	// Launches with attributes, and what a kernel may use. LaunchKernelEx is to
	// libcuda.Launch what LaunchKernel is.
	LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result              // CUDA 11.6, by hand
	KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result                                            // CUDA 12.0
	OccupancyMaxActiveBlocksPerMultiprocessor(k Kernel, blockThreads int, sharedBytes uint64) (blocks int, r Result)              // CUDA 6.5, context
	OccupancyMaxPotentialBlockSize(k Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r Result) // CUDA 6.5, context, C(minGridBlocks, blockThreads, k, 0, sharedBytes, maxBlockThreads)

	// Graphs. GraphAddNode and GraphExecNodeSetParams do for every kind of node what older
	// drivers have an entry point each for: Typed lists those. Calls on one graph or exec
	// must not overlap. An attribute of a node is a CUlaunchAttribute.
	GraphCreate(flags uint32) (Graph, Result)                                                                               // CUDA 10.0
	GraphDestroy(g Graph) Result                                                                                            // CUDA 10.0
	GraphClone(g Graph) (Graph, Result)                                                                                     // CUDA 10.0
	GraphGetNodes(g Graph) ([]GraphNode, Result)                                                                            // CUDA 10.0, by hand
	GraphNodeFindInClone(original GraphNode, clone Graph) (GraphNode, Result)                                               // CUDA 10.0
	GraphNodeGetType(n GraphNode) (typ GraphNodeType, r Result)                                                             // CUDA 10.0, C(n, typ)
	GraphNodeGetDependencies(n GraphNode) ([]GraphNode, Result)                                                             // CUDA 10.0, by hand
	GraphDestroyNode(n GraphNode) Result                                                                                    // CUDA 10.0
	GraphAddNode(g Graph, after []GraphEdge, p NodeParams) (AddedNode, Result)                                              // CUDA 12.3, _v2, by hand
	GraphKernelNodeSetAttribute(n GraphNode, id uint32, value [8]uint64) Result                                             // CUDA 11.0, by hand
	GraphConditionalHandleCreate(g Graph, ctx Context, initial, flags uint32) (h GraphConditionalHandle, r Result)          // CUDA 12.3
	GraphInstantiateWithParams(g Graph, flags uint64) (e GraphExec, at GraphNode, outcome GraphInstantiateResult, r Result) // CUDA 12.0, context, by hand, watched
	GraphExecDestroy(e GraphExec) Result                                                                                    // CUDA 10.0
	GraphUpload(e GraphExec, s Stream) Result                                                                               // CUDA 11.1, watched
	GraphLaunch(e GraphExec, s Stream) Result                                                                               // CUDA 10.0
	GraphExecNodeSetParams(e GraphExec, n GraphNode, p NodeParams) Result                                                   // CUDA 12.2, by hand
	GraphExecUpdate(e GraphExec, g Graph) (at, from GraphNode, outcome GraphExecUpdateResult, r Result)                     // CUDA 12.0, _v2, by hand
	GraphNodeSetEnabled(e GraphExec, n GraphNode, enabled uint32) Result                                                    // CUDA 11.6
	// KeepHostFunc returns the number of run for the host nodes of graphs, which call it
	// however often until DropHostFunc. The rules of LaunchHostFunc apply.
	KeepHostFunc(run func()) HostFunc // no entry point
	// DropHostFunc forgets a function. It reports whether there was one.
	DropHostFunc(h HostFunc) bool // no entry point

	// Capture: what is queued on a stream becomes nodes of a graph.
	StreamBeginCapture(s Stream, mode StreamCaptureMode) Result                                                 // CUDA 10.1, _v2
	StreamEndCapture(s Stream) (g Graph, r Result)                                                              // CUDA 10.0, C(s, g)
	StreamGetCaptureInfo(s Stream) (status StreamCaptureStatus, id uint64, g Graph, last []GraphNode, r Result) // CUDA 11.3, _v2, by hand
	StreamUpdateCaptureDependencies(s Stream, after []GraphNode, flags uint32) Result                           // CUDA 11.3, by hand
}

// Typed is the table of entry points for which libcuda uses a general one of Driver where the
// driver has that. They have no methods.
type Typed interface {
	GraphAddKernelNode() Result               // CUDA 12.0, _v2, by hand
	GraphAddMemcpyNode() Result               // CUDA 10.0, by hand
	GraphAddMemsetNode() Result               // CUDA 10.0, by hand
	GraphAddHostNode() Result                 // CUDA 10.0, by hand
	GraphAddChildGraphNode() Result           // CUDA 10.0, by hand
	GraphAddEmptyNode() Result                // CUDA 10.0, by hand
	GraphAddEventRecordNode() Result          // CUDA 11.1, by hand
	GraphAddEventWaitNode() Result            // CUDA 11.1, by hand
	GraphAddMemAllocNode() Result             // CUDA 11.4, by hand
	GraphAddMemFreeNode() Result              // CUDA 11.4, by hand
	GraphExecKernelNodeSetParams() Result     // CUDA 12.0, _v2, by hand
	GraphExecMemcpyNodeSetParams() Result     // CUDA 10.2, by hand
	GraphExecMemsetNodeSetParams() Result     // CUDA 10.2, by hand
	GraphExecHostNodeSetParams() Result       // CUDA 10.2, by hand
	GraphExecChildGraphNodeSetParams() Result // CUDA 11.1, by hand
	GraphExecEventRecordNodeSetEvent() Result // CUDA 11.1, by hand
	GraphExecEventWaitNodeSetEvent() Result   // CUDA 11.1, by hand
}
