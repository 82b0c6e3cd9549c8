// Package driver is the CUDA driver API as Go sees it: one method for one entry
// point, and the tables of symbols, result codes and attributes.
//
// It is the seam. Everything above it (runtime/cuda) is the same code on every
// device; below it stand runtime/internal/libcuda, which calls the real driver,
// and runtime/sim, which is one. Start with the interface Driver.
//
// Methods take and return values, results included, because a pointer that goes
// through an interface escapes to the heap (docs/DECISIONS.md, "Why does the
// driver interface return its results?").
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
)

// A Dim3 counts blocks of a grid or threads of a block.
type Dim3 struct{ X, Y, Z uint32 }

// A LaunchConfig says how a kernel is launched.
type LaunchConfig struct {
	Grid, Block Dim3
	SharedBytes uint32 // dynamic shared memory of a block
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
type Driver interface {
	// Initialization and version.
	Init() Result
	DriverGetVersion() (version int, r Result) // 1000*major + 10*minor

	// Device management.
	DeviceGetCount() (int, Result)
	DeviceGet(ordinal int) (Device, Result)
	DeviceGetName(dev Device) (string, Result)
	DeviceGetUuid(dev Device) ([16]byte, Result)
	DeviceGetAttribute(attr DeviceAttribute, dev Device) (int, Result)
	DeviceTotalMem(dev Device) (bytes uint64, r Result)

	DeviceGetByPCIBusId(id string) (Device, Result)
	DeviceGetPCIBusId(dev Device) (string, Result)
	DeviceCanAccessPeer(dev, peer Device) (bool, Result)
	DeviceGetDefaultMemPool(dev Device) (MemPool, Result)

	// Primary context and context management.
	DevicePrimaryCtxRetain(dev Device) (Context, Result)
	DevicePrimaryCtxRelease(dev Device) Result
	CtxPushCurrent(ctx Context) Result
	CtxPopCurrent() (Context, Result)
	CtxSynchronize() Result                                     // context
	CtxGetStreamPriorityRange() (least, greatest int, r Result) // context
	CtxEnablePeerAccess(peer Context, flags uint32) Result      // context
	CtxDisablePeerAccess(peer Context) Result                   // context

	// Library management.

	// LibraryLoadData loads image: PTX text, a cubin or a fatbin. The driver
	// copies it. Loading is lazy: PTX that it cannot compile may come to light in
	// LibraryGetKernel only.
	LibraryLoadData(image []byte) (Library, Result)
	LibraryUnload(lib Library) Result
	LibraryGetGlobal(lib Library, name string) (p DevicePtr, bytes uint64, r Result)  // context
	LibraryGetManaged(lib Library, name string) (p DevicePtr, bytes uint64, r Result) // context
	LibraryGetKernel(lib Library, name string) (Kernel, Result)
	// LibraryLog returns what the compiler in the driver has said about lib so
	// far; with lib 0, about the last image that LibraryLoadData refused. It has no
	// entry point of its own: the driver writes to a buffer given when loading.
	LibraryLog(lib Library) string
	KernelGetParamInfo(k Kernel, index int) (offset, size uint64, r Result) // context; optional, CUDA 12.4
	KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (int, Result)

	// Stream management.
	StreamCreate(flags uint32) (Stream, Result)                           // context
	StreamCreateWithPriority(flags uint32, priority int) (Stream, Result) // context
	StreamDestroy(s Stream) Result
	StreamSynchronize(s Stream) Result
	StreamQuery(s Stream) Result
	StreamWaitEvent(s Stream, e Event, flags uint32) Result
	// LaunchHostFunc runs f after what was queued on s before, on a thread of the
	// driver's or the simulator's, which waits for it. f must not panic, end its
	// goroutine or call the driver. After an error that sticks it may never run.
	LaunchHostFunc(s Stream, f func()) Result // context

	// Event management.
	EventCreate(flags uint32) (Event, Result) // context
	EventDestroy(e Event) Result
	EventRecord(e Event, s Stream) Result
	EventQuery(e Event) Result
	EventSynchronize(e Event) Result
	EventElapsedTime(start, end Event) (milliseconds float32, r Result)

	// Stream-ordered memory. After a copy from or to Go memory the caller keeps
	// that memory alive and synchronizes s before it returns to its own caller.
	MemAllocAsync(bytes uint64, s Stream) (DevicePtr, Result)
	MemFreeAsync(p DevicePtr, s Stream) Result
	MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result
	MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result
	MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result
	MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result
	MemsetD16Async(dst DevicePtr, value uint16, count uint64, s Stream) Result
	MemsetD32Async(dst DevicePtr, value uint32, count uint64, s Stream) Result
	Memcpy3DAsync(c Copy3D, s Stream) Result                                                                     // context
	MemcpyPeerAsync(dst DevicePtr, dstCtx Context, src DevicePtr, srcCtx Context, bytes uint64, s Stream) Result // context

	// Memory pools. MemPoolCreate takes of CUmemPoolProps only the device.
	MemAllocFromPoolAsync(bytes uint64, p MemPool, s Stream) (DevicePtr, Result)
	MemPoolCreate(dev Device) (MemPool, Result)
	MemPoolDestroy(p MemPool) Result
	MemPoolGetAttribute(p MemPool, attr MemPoolAttribute) (uint64, Result)
	MemPoolSetAttribute(p MemPool, attr MemPoolAttribute, value uint64) Result
	MemPoolTrimTo(p MemPool, keepBytes uint64) Result
	MemPoolSetAccess(p MemPool, dev Device, flags MemAccess) Result

	// Page-locked and managed memory, which the CPU reads and writes where the
	// pointer says, and the device at the DevicePtr.
	MemGetInfo() (free, total uint64, r Result)                       // context
	MemHostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, Result) // context
	MemFreeHost(p unsafe.Pointer) Result
	MemHostGetDevicePointer(p unsafe.Pointer, flags uint32) (DevicePtr, Result)              // context
	MemAllocManaged(bytes uint64, flags uint32) (p DevicePtr, host unsafe.Pointer, r Result) // context
	MemFree(p DevicePtr) Result                                                              // context
	MemPrefetchAsync(p DevicePtr, bytes uint64, to Device, s Stream) Result                  // context; to may be CPU
	MemAdvise(p DevicePtr, bytes uint64, advice MemAdvice, dev Device) Result                // context; dev may be CPU

	// LaunchKernel launches k with a parameter block of the layout that the
	// kernel's C++ parameters have; offsets holds where each parameter begins.
	// runtime/cuda calls it for devices that are not libcuda's and gives it a copy
	// of the block; a launch on libcuda goes past this interface, to
	// libcuda.Launch, because the block must not escape.
	LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result

	// Launches with attributes, and what a kernel may use. LaunchKernelEx is to
	// libcuda.Launch what LaunchKernel is.
	LaunchKernelEx(k Kernel, cfg LaunchConfig, a LaunchAttributes, s Stream, params []byte, offsets []uint32) Result
	KernelSetAttribute(attr FunctionAttribute, value int, k Kernel, dev Device) Result
	OccupancyMaxActiveBlocksPerMultiprocessor(k Kernel, blockThreads int, sharedBytes uint64) (blocks int, r Result)              // context
	OccupancyMaxPotentialBlockSize(k Kernel, sharedBytes uint64, maxBlockThreads int) (minGridBlocks, blockThreads int, r Result) // context
}
