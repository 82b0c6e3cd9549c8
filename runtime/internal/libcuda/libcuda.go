// Package libcuda implements driver.Driver with NVIDIA's driver library, libcuda
// (nvcuda.dll on Windows). It calls the library through purego, without cgo.
//
// Open loads the library once for the process. Kernel launches call the function Launch, not
// a method of driver.Driver, because the parameter block must not escape to the heap
// (docs/decisions, "Why does a launch bypass the driver interface?").
//
// On linux/amd64 and linux/arm64 assembly trampolines take the arguments from the
// goroutine's stack. Elsewhere, with -tags cudagen_portable, and for rare calls with more
// than six arguments or with structs, they are copied to a pooled frame in the heap.
//
// With -tags cudagen_nodriver, and on systems that have no CUDA driver, the package
// imports nothing but the driver interface, and Open returns an error.
package libcuda

import (
	"errors"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// ErrNotInstalled is what errors.Is finds in Open's error when this machine, or this
// binary, has no CUDA driver at all. A driver that is there and does not work is
// another error.
var ErrNotInstalled = errors.New("there is no CUDA driver")

// MaxParams is how many parameters a kernel can be launched with: an array of
// pointers to them lies on the C stack, 32 KiB at most.
const MaxParams = 4096

// A LaunchRecord holds the arguments of one kernel launch. Params is the address of the
// parameter block.
//
// The record and what it points to may lie on the goroutine's stack. Write the record
// where it is used, as Launch(&LaunchRecord{…}): the compiler builds a variable whose
// address is taken later twice. A record refers to Go memory by pointers only: a block
// that is only reachable through a uintptr is collected before the driver reads it.
type LaunchRecord struct {
	Target     *Target
	Stream     driver.Stream
	Params     unsafe.Pointer
	Config     *LaunchConfig
	Attributes *AttributeList // nil unless the Target's Entry is AttributedEntry's
}

// A BatchRecord is a launch of a Batch. KernelParams is the array that cuLaunchKernel takes:
// the address of each parameter in the block, all of it in the heap; a kernel without
// parameters has an array all the same. It is nil in a record with Attributes.
type BatchRecord struct {
	LaunchRecord
	KernelParams *unsafe.Pointer
}

// A Batch is Count launches at Records, made by one call of LaunchBatch. Launched counts
// those that the driver has accepted; it begins as 0.
type Batch struct {
	Records  *BatchRecord
	Count    uint32
	Launched uint32
}

// A Target is what is launched, the same for every launch of a kernel.
//
// Offsets is the address of Count numbers, which say where in the parameter block each
// parameter begins; all are less than ParamBytes, the size of the block: Launch does
// not check. The caller keeps a Target in the kernel's own cache line: by the time
// of the next launch the driver has displaced everything from the processor's caches,
// and every further line costs.
type Target struct {
	Entry      Entry
	Kernel     driver.Kernel
	Offsets    *uint32
	Count      uint32
	ParamBytes uint32
}

// An Entry is what a launch calls.
type Entry struct {
	function   uintptr // cuLaunchKernel or cuLaunchKernelEx
	trampoline uintptr // of the assembly; 0 in the portable form
}

// A LaunchConfig is how a kernel is launched. It has fields of one level only, so that
// the assembly knows them by name.
type LaunchConfig struct {
	GridX, GridY, GridZ    uint32 // blocks
	BlockX, BlockY, BlockZ uint32 // threads
	SharedBytes            uint32 // dynamic shared memory of a block
}
