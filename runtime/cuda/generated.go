package cuda

import (
	"fmt"
	"math"
)

// This file holds what generated code calls besides LaunchKernel.

// GeneratedCode1 is the version of generated code that this package supports. Generated
// files refer to it, so a file generated for another version does not compile.
const GeneratedCode1 = true

// Count converts a dimension or a size computed from arguments. A value that does not
// fit, or is negative, becomes the largest uint32, which every device refuses.
func Count(n int) uint32 {
	if n < 0 || n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// Blocks returns how many blocks of perBlock threads cover threads: the quotient, rounded
// up. If a number is negative or the result overflows, the result is the largest uint32;
// otherwise, if a number is 0, it is 0. Every device refuses both.
func Blocks(threads, perBlock int) uint32 {
	if threads <= 0 || perBlock <= 0 {
		return Count(min(threads, perBlock))
	}
	return Count((threads-1)/perBlock + 1)
}

// ClusterBlocks returns Blocks rounded up to a multiple of cluster, which is 1 to 16.
func ClusterBlocks(threads, perBlock, cluster int) uint32 {
	blocks := Blocks(threads, perBlock)
	return Count((int(blocks) + cluster - 1) / cluster * cluster)
}

// ShortSlice returns the error of a launch whose slice param has have elements although
// the kernel may access want.
//
//go:noinline
func ShortSlice(k *Kernel, param string, have, want int) error {
	return k.launchArgument(fmt.Sprintf("%s has %d elements, needs %d", param, have, want), ErrShortSlice)
}

// Overflow returns the error of a launch whose parameter param is inferred as value,
// which is larger than limit, the maximum of its C type.
//
//go:noinline
func Overflow(k *Kernel, param string, value, limit int) error {
	return k.launchArgument(fmt.Sprintf("%s would be %d, limit %d", param, value, limit), ErrOverflow)
}

func (k *Kernel) launchArgument(detail string, err error) error {
	e := &Error{Op: "launch", Detail: detail, Err: err}
	if k != nil {
		e.Kernel, e.Device = k.name, k.dev.String()
	}
	return e
}
