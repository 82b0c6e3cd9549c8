// Package sim is the simulated device: it executes PTX on the CPU, so that a program
// that launches CUDA kernels runs, and can be tested, on a machine without a GPU.
//
// Importing it is enough:
//
//	import _ "github.com/cudagen/cudagen/runtime/sim"
//
// cuda.OpenDefault then falls back to it where there is no driver or no device, and
// CUDAGEN_DEVICE=sim demands it. It stands below the same interface as libcuda and
// answers with the driver's result codes.
//
// A kernel is decoded into bytecode when its library is loaded. An instruction, a
// modifier, a type or an operand that the simulator does not know is an error then,
// with its line; Opcodes lists what it knows. Warps of 32 lanes run in lockstep:
// lanes that have diverged are brought together again by running the lowest
// instruction first. Blocks are spread over GOMAXPROCS workers.
//
// Results are those of the PTX ISA, bit by bit, for integers and for floating-point
// operations that name their rounding (.rn, .rz, …, or none, which means .rn); an
// operation named .approx is within the error that the ISA allows it. A multiplication
// and an addition without a rounding are never fused, as a device's compiler may do.
// Results do not vary from run to run, except for kernels whose blocks race through
// plain or volatile accesses to global memory.
//
// Addresses carry the number of their allocation, so every access that is outside
// of its allocation, misaligned or to freed memory is found. It ends the launch and,
// as on a device, every later call fails with the same code until the primary
// context is released; LastFault says which instruction, block and thread it was.
// A barrier that cannot complete is found as well. What the ISA leaves undefined and a
// kernel can see (uninitialised registers, shared and device memory) is zero.
//
// Device memory lies in the process's memory, in the byte order of the host, which
// must be little-endian.
package sim
