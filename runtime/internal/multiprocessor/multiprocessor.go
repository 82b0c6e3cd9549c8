// Package multiprocessor has what a multiprocessor of compute capability 9.0 holds at once, for the simulated device and for
// the profiler. It knows no device and no kernel, and imports nothing.
//
// CUDA Programming Guide, Compute Capabilities; cuda_occupancy.h.
package multiprocessor

// What a multiprocessor holds, and what each block takes of its shared memory beside its own.
const (
	Blocks         = 32
	Threads        = 2048
	Registers      = 64 << 10
	SharedBytes    = 228 << 10
	ReservedShared = 1 << 10

	sharedUnit = 128 // bytes that a block gets at a time: cudaOccSMemAllocationGranularity
)

// BySharedMemory returns how many blocks its shared memory allows that have so many bytes each, static and dynamic ones.
func BySharedMemory(bytes uint64) int {
	units := (bytes + ReservedShared + sharedUnit - 1) / sharedUnit
	return int(SharedBytes / sharedUnit / units)
}
