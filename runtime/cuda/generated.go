package cuda

import (
	"fmt"
	"math"
	"math/bits"
)

// This file holds what generated code calls besides LaunchKernel.

// GeneratedCode1 is the layout of generated code that this package supports.
// Generated files refer to it, so that one made for another layout does not compile.
const GeneratedCode1 = true

// Count converts a dimension or a size computed from arguments. What does not fit,
// negative values among it, becomes the largest uint32, which every device refuses.
func Count(n int) uint32 {
	if n < 0 || n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// Blocks returns how many blocks of perBlock threads cover threads: the quotient,
// rounded up. What does not fit becomes the largest uint32, which every device
// refuses; so does any number of threads over blocks of none.
func Blocks(threads, perBlock int) uint32 {
	if threads <= 0 || perBlock <= 0 {
		return Count(min(threads, perBlock))
	}
	return Count((threads-1)/perBlock + 1)
}

// ClusterBlocks is Blocks rounded up to a multiple of cluster, from 1 to 16: no more of them
// are without threads than a cluster needs to be complete.
func ClusterBlocks(threads, perBlock, cluster int) uint32 {
	blocks := Blocks(threads, perBlock)
	return Count((int(blocks) + cluster - 1) / cluster * cluster)
}

// Mul returns a*b for a, b ≥ 0, or the largest int when that overflows or a
// factor is negative: no slice is as long, no device takes as many threads.
func Mul(a, b int) int {
	if a < 0 || b < 0 {
		return math.MaxInt
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt {
		return math.MaxInt
	}
	return int(lo)
}

// Add returns a+b for a, b ≥ 0, or the largest int when that overflows.
func Add(a, b int) int {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxInt
}

// ShortSlice is the error of a launch whose slice param has have elements where
// the kernel may touch want.
//
//go:noinline
func ShortSlice(k *Kernel, param string, have, want int) error {
	return k.launchArgument(fmt.Sprintf("%s has %d elements, needs %d", param, have, want), ErrShortSlice)
}

// Overflow is the error of a launch whose parameter would be inferred as value,
// more than its C type holds.
//
//go:noinline
func Overflow(k *Kernel, param string, value, limit int) error {
	return k.launchArgument(fmt.Sprintf("%s would be %d, but its type ends at %d", param, value, limit), ErrOverflow)
}

func (k *Kernel) launchArgument(detail string, err error) error {
	e := &Error{Op: "launch", Detail: detail, Err: err}
	if k != nil {
		e.Kernel, e.Device = k.name, k.dev.String()
	}
	return e
}
