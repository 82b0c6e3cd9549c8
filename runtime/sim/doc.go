// Package sim is the simulated device. It executes PTX on the CPU, so programs that
// launch CUDA kernels run without a GPU.
//
// Import it to use it:
//
//	import _ "github.com/cudagen/cudagen/runtime/sim"
//
// cuda.OpenDefault then opens it if there is no driver or no GPU; CUDAGEN_DEVICE=sim
// selects it. It implements the same interface as package libcuda and returns the
// driver's result codes.
//
// Kernels are decoded into bytecode when their library is loaded. An unsupported
// instruction, modifier, type, operand, variable or call is an error of each launch of the
// kernel that has it, with its line; the other kernels of the library run. Opcodes lists the
// supported instructions. PTX that is wrong does not load. The output of printf goes to
// standard output when its kernel has ended, in the order of blocks; a failed assert is a
// fault. Warps of 32 lanes run in lockstep. Diverged lanes
// reconverge because the lanes at the lowest instruction run first; device functions lie
// in front of what calls them. GOMAXPROCS workers run the blocks.
//
// Results are bit for bit those of the PTX ISA for integers and for floating-point
// operations with a rounding mode (.rn, .rz, …, or none, which means .rn); where the ISA leaves
// a value open, such as the payload of a NaN or a remainder by zero, they are an H200's. Operations
// with .approx are within the error that the ISA allows. A multiplication and an addition
// without rounding modes are never fused, although a device's compiler may fuse them.
// Results do not vary from run to run, except for kernels whose blocks race through plain
// or volatile accesses to global memory.
//
// Addresses contain the number of their allocation, so every access that is outside of
// its allocation, misaligned or to freed memory is detected. So is a barrier that cannot
// complete. Either ends the launch and, as on a GPU, every later call fails with the same
// code until the primary context is released; cuda.Fault has the instruction, block and
// thread. What the checks of runtime/simtest and of CUDAGEN_SIM_CHECKS find, such as a race, is reported, and the device
// goes on. A kernel that does not end is stopped when its device is closed.
//
// What nobody has written (registers, shared, local and device memory, also where memory is used again)
// holds a pattern: floats of every size are NaN, integers far from zero. A program that forgets
// to clear a sum gets no zeros here. Variables without an initial value are zero, as PTX has it.
//
// Each device that is opened has its own memory and errors. Devices copy between each
// other, wait for each other's events, and have peer access.
//
// Device memory is memory of the process. The host must be little-endian.
package sim
