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
)

// A Dim3 counts blocks of a grid or threads of a block.
type Dim3 struct{ X, Y, Z uint32 }

// A LaunchConfig says how a kernel is launched.
type LaunchConfig struct {
	Grid, Block Dim3
	SharedBytes uint32 // dynamic shared memory of a block
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

	// Primary context and context management.
	DevicePrimaryCtxRetain(dev Device) (Context, Result)
	DevicePrimaryCtxRelease(dev Device) Result
	// DevicePrimaryCtxReset destroys the context, whoever has retained it, and all
	// that belongs to it. Retaining it again makes another.
	DevicePrimaryCtxReset(dev Device) Result
	CtxPushCurrent(ctx Context) Result
	CtxPopCurrent() (Context, Result)
	CtxSynchronize() Result // context

	// Library management.

	// LibraryLoadData loads image: PTX text, a cubin or a fatbin. The driver
	// copies it. Loading is lazy: PTX that it cannot compile may come to light in
	// LibraryGetKernel only.
	LibraryLoadData(image []byte) (Library, Result)
	LibraryUnload(lib Library) Result
	LibraryGetKernel(lib Library, name string) (Kernel, Result)
	// LibraryLog returns what the compiler in the driver has said about lib so
	// far; with lib 0, about the last image that LibraryLoadData refused. It has no
	// entry point of its own: the driver writes to a buffer given when loading.
	LibraryLog(lib Library) string
	KernelGetParamInfo(k Kernel, index int) (offset, size uint64, r Result) // context; optional, CUDA 12.4
	KernelGetAttribute(attr FunctionAttribute, k Kernel, dev Device) (int, Result)

	// Stream management.
	StreamCreate(flags uint32) (Stream, Result) // context
	StreamDestroy(s Stream) Result
	StreamSynchronize(s Stream) Result
	StreamQuery(s Stream) Result

	// Stream-ordered memory. After a copy from or to Go memory the caller keeps
	// that memory alive and synchronizes s before it returns to its own caller.
	MemAllocAsync(bytes uint64, s Stream) (DevicePtr, Result)
	MemFreeAsync(p DevicePtr, s Stream) Result
	MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes uint64, s Stream) Result
	MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes uint64, s Stream) Result
	MemcpyDtoDAsync(dst, src DevicePtr, bytes uint64, s Stream) Result
	MemsetD8Async(dst DevicePtr, value uint8, count uint64, s Stream) Result

	// LaunchKernel launches k with a parameter block of the layout that the
	// kernel's C++ parameters have; offsets holds where each parameter begins.
	// runtime/cuda calls it for devices that are not libcuda's and gives it a copy
	// of the block; a launch on libcuda goes past this interface, to
	// libcuda.Launch, because the block must not escape.
	LaunchKernel(k Kernel, cfg LaunchConfig, s Stream, params []byte, offsets []uint32) Result
}
