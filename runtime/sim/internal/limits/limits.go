// Package limits has what the simulated device says about itself, and how many blocks fit into a
// multiprocessor by that. It knows no device and no kernel.
package limits

import (
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/multiprocessor"
)

// The limits of compute capability 9.0 (CUDA Programming Guide, Compute Capabilities), and those of
// the simulated device.
const (
	Capability  = 90 // 10 × major + minor
	MaxPTXMajor = 9  // of .version
	WarpSize    = 32

	MaxThreadsPerBlock = 1024
	maxBlockX          = 1024
	maxBlockY          = 1024
	maxBlockZ          = 64
	maxGridX           = math.MaxInt32
	maxGridY           = 65535
	maxGridZ           = 65535
	MaxSharedPerBlock  = 48 << 10
	MaxSharedOptIn     = 227 << 10
	registersPerBlock  = multiprocessor.Registers

	PortableCluster    = 8 // blocks
	NonPortableCluster = 16

	MaxParamBytes    = 32764
	MaxConstantBytes = 64 << 10
	MaxLocalBytes    = 512 << 10 // of a thread
	TotalMemory      = 4 << 30   // of a device
)

// LastAttribute is the highest attribute that CUDA 13.0 knows (CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED).
const LastAttribute driver.DeviceAttribute = 147

// Attributes are the attributes of a device that never change: what holds for every device of the compute capability.
var Attributes = map[driver.DeviceAttribute]int{
	driver.MaxThreadsPerBlock: MaxThreadsPerBlock, driver.MaxBlockDimX: maxBlockX, driver.MaxBlockDimY: maxBlockY, driver.MaxBlockDimZ: maxBlockZ,
	driver.MaxGridDimX: maxGridX, driver.MaxGridDimY: maxGridY, driver.MaxGridDimZ: maxGridZ,
	driver.MaxSharedMemoryPerBlock: MaxSharedPerBlock, driver.MaxSharedMemoryPerBlockOpt: MaxSharedOptIn,
	driver.WarpSize: WarpSize, driver.MaxRegistersPerBlock: registersPerBlock, driver.MaxThreadsPerMultiprocessor: multiprocessor.Threads,
	driver.CooperativeLaunch: 1, driver.ClusterLaunch: 1,
	driver.TotalConstantMemory: MaxConstantBytes, driver.MaxPitch: math.MaxInt32, driver.MaxRegistersPerMultiprocessor: multiprocessor.Registers,
	driver.MaxSharedMemoryPerMultiprocessor: multiprocessor.SharedBytes, driver.ReservedSharedMemoryPerBlock: multiprocessor.ReservedShared, driver.MaxBlocksPerMultiprocessor: multiprocessor.Blocks,
	driver.ConcurrentKernels: 1, driver.CanMapHostMemory: 1, driver.CanGatherTextures: 1, driver.StreamPrioritiesSupported: 1, driver.HostRegisterSupported: 1,
	driver.TensorMapsSupported: 1, driver.KernelExecutionTimeout: 0, driver.Integrated: 0, driver.ComputeMode: 0,
	driver.MemoryPoolsSupported: 1, driver.UnifiedAddressing: 1, driver.ManagedMemory: 1, driver.ConcurrentManagedAccess: 1,
}

// Allow reports whether blocks and a grid may have these dimensions.
func Allow(grid, block driver.Dim3) bool {
	within := func(v, limit uint32) bool { return 0 < v && v <= limit }
	return within(grid.X, maxGridX) && within(grid.Y, maxGridY) && within(grid.Z, maxGridZ) &&
		within(block.X, maxBlockX) && within(block.Y, maxBlockY) && within(block.Z, maxBlockZ)
}

// ResidentBlocks returns how many blocks a multiprocessor holds at once that have these threads and this static and
// dynamic shared memory: the least of what its limits allow. Registers are none of them: those of PTX are not those of a machine.
func ResidentBlocks(threads, staticBytes, dynamicBytes uint64) int {
	if threads == 0 || threads > MaxThreadsPerBlock || dynamicBytes > MaxSharedOptIn-staticBytes {
		return 0
	}
	threads = (threads + WarpSize - 1) / WarpSize * WarpSize
	return int(min(multiprocessor.Blocks, multiprocessor.Threads/threads, uint64(multiprocessor.BySharedMemory(staticBytes+dynamicBytes))))
}
