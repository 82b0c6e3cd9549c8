package cuda

import (
	"fmt"
	"math"
	"slices"
)

// Generated has what only generated code calls. Programs do not use it.
var Generated generated

// A generated has methods in place of functions, so that the documentation of the package
// lists what programs call. It has no size: a call of a method is a call of a function.
type generated struct {
	// Version1 stands for the version of generated code that this package supports.
	// Generated files refer to it, so a file generated for another version does not
	// compile.
	Version1 [0]struct{}
}

// Count converts a dimension or a size computed from arguments. A value that does not
// fit, or is negative, becomes the largest uint32, which every device refuses.
func (generated) Count(n int) uint32 {
	if n < 0 || n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// Blocks returns how many blocks of perBlock threads cover threads: the quotient, rounded
// up. If a number is negative or the result overflows, the result is the largest uint32, which
// every device refuses. Otherwise, if a number is 0, it is 0: LaunchComputed launches nothing.
func (generated) Blocks(threads, perBlock int) uint32 {
	blocks := min(threads, perBlock)
	if blocks > 0 {
		blocks = (threads-1)/perBlock + 1
	}
	return Generated.Count(blocks)
}

// ClusterBlocks returns Blocks rounded up to a multiple of cluster. If cluster is not 1 to 16,
// the result is the largest uint32, which every device refuses.
func (generated) ClusterBlocks(threads, perBlock, cluster int) uint32 {
	if cluster < 1 || cluster > maxCluster {
		return math.MaxUint32
	}
	blocks := Generated.Blocks(threads, perBlock)
	return Generated.Count((int(blocks) + cluster - 1) / cluster * cluster)
}

// Owners returns the owners that a launch configuration and arguments name.
func (generated) Owners(a, b []Owner) []Owner {
	if len(b) == 0 {
		return a
	}
	return slices.Concat(a, b)
}

// ShortSlice returns the error of a launch whose slice param has have elements although
// the kernel may access want.
//
//go:noinline
func (generated) ShortSlice(k *Kernel, param string, have, want int) error {
	return k.badArgument(fmt.Sprintf("%s has %d elements, needs %d", param, have, want), ErrShortSlice)
}

// Overflow returns the error of a launch whose parameter param is inferred as value,
// which is larger than limit, the maximum of its C type.
//
//go:noinline
func (generated) Overflow(k *Kernel, param string, value, limit int) error {
	return k.badArgument(fmt.Sprintf("%s would be %d, limit %d", param, value, limit), ErrOverflow)
}

// badArgument is the error of an argument that no launch can have. Launch, Prepare and Set find
// it in the same way.
func (k *Kernel) badArgument(detail string, err error) error {
	return k.argumentError("check the arguments of", detail, err)
}

// launchArgument is the error of a launch whose argument cannot be used, or not on its stream.
func (k *Kernel) launchArgument(detail string, err error) error {
	return k.argumentError("launch", detail, err)
}

func (k *Kernel) argumentError(op, detail string, err error) error {
	e := &Error{Op: op, Detail: detail, Err: err}
	if k != nil {
		e.Kernel, e.Device = k.name, k.dev.String()
	}
	return e
}
