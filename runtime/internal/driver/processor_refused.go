//go:build 386 || arm || mips || mipsle || mips64 || ppc64 || s390x

package driver

// Addresses of the device are 64 bits wide, its memory is little-endian, and structs lie there as Go lays them out. A
// processor of another kind would give kernels wrong bytes.
var _ = cudagenNeedsALittleEndianProcessorOf64Bits
