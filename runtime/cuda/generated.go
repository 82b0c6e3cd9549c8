package cuda

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
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
// every device refuses. Otherwise, if a number is 0, it is 0: a computed configuration launches nothing.
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

// Threads returns the threads of a grid in one dimension, or the largest int.
func (generated) Threads(grid, block uint32) int {
	return int(min(uint64(grid)*uint64(block), math.MaxInt))
}

// LacksBlocks reports whether a grid has fewer than want blocks in one dimension, and also fewer threads than
// want blocks of per threads have. A per of 0 leaves the threads out.
func (generated) LacksBlocks(grid, block uint32, want, per int) bool {
	if want <= int(grid) {
		return false
	}
	hi, threads := bits.Mul64(uint64(want), uint64(per))
	return per == 0 || hi != 0 || threads > uint64(grid)*uint64(block)
}

// Few returns the error of a launch with a configuration of the caller's that has fewer threads, or blocks, in
// the dimension axis than directive, such as "threads n", whose value is want.
//
//go:noinline
func (generated) Few(k *Kernel, cfg *LaunchConfig, directive, axis string, want int) error {
	if k == nil || k.dev == nil {
		return notLoaded(nil)
	}
	if detail := k.dev.limits.broken(cfg); detail != "" {
		return k.launchError(cfg, detail, ErrInvalidValue)
	}
	i := strings.Index("xyz", axis)
	have := counted(int(cfg.Grid.array()[i]), "block")
	if strings.HasPrefix(directive, "threads") {
		have = counted(Generated.Threads(cfg.Grid.array()[i], cfg.Block.array()[i]), "thread")
	}
	return k.badConfig(fmt.Sprintf("%s in %s, fewer than the %d of %s: add blocks, or set LaunchConfig.Fewer if that is meant", have, axis, want, directive), ErrInvalidValue)
}

// Share gives cfg, a configuration of the caller's, the dynamic shared memory of directive, such as "shared
// 4*block.x", unless the caller chose it: less than want bytes are an error.
func (generated) Share(k *Kernel, cfg *LaunchConfig, directive string, want int) error {
	if want <= int(cfg.SharedBytes) {
		return nil
	}
	return k.share(cfg, directive, want)
}

//go:noinline
func (k *Kernel) share(cfg *LaunchConfig, directive string, want int) error {
	switch {
	case want > math.MaxUint32:
		return k.badConfig(fmt.Sprintf("%s is %d, which is too large", directive, want), ErrOverflow)
	case cfg.SharedBytes != 0:
		return k.badConfig(fmt.Sprintf("LaunchConfig.SharedBytes is %d, less than the %d of %s: leave it 0, which stands for that", cfg.SharedBytes, want, directive), ErrInvalidValue)
	}
	cfg.SharedBytes = uint32(want)
	return nil
}

// Attributes gives cfg, a configuration of the caller's, the launch attributes of the directives, unless
// the caller chose some. Then it is an error if they lack what the directives say.
//
//go:noinline
func (generated) Attributes(k *Kernel, cfg *LaunchConfig, directives *LaunchAttributes) error {
	switch a := cfg.Attributes; {
	case a == nil:
		cfg.Attributes = directives
	case directives.Cooperative && !a.Cooperative:
		return k.badConfig("the kernel is cooperative by its directive: set LaunchAttributes.Cooperative", ErrInvalidValue)
	case directives.Cluster != Dim3{} && a.Cluster == Dim3{}:
		return k.badConfig(fmt.Sprintf("the kernel has clusters of %v by its directive: set LaunchAttributes.Cluster", directives.Cluster), ErrInvalidValue)
	}
	return nil
}

// Owners returns the owners that a launch configuration and arguments name.
func (generated) Owners(a, b []Owner) []Owner {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b)
}

// ShortSlice returns the error of a launch whose slice param has have elements although
// the kernel may access want.
//
//go:noinline
func (generated) ShortSlice(k *Kernel, param string, have, want int) error {
	return k.badArgument(fmt.Sprintf("%s has %s, needs %d", param, counted(have, "element"), want), ErrShortSlice)
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

// badConfig is the error of a launch configuration that the directives of k refuse.
func (k *Kernel) badConfig(detail string, err error) error {
	return k.argumentError("check the launch configuration of", detail, err)
}

// launchArgument is the error of a launch whose argument cannot be used, or not on its stream.
func (k *Kernel) launchArgument(detail string, err error) error {
	return k.argumentError("launch", detail, err)
}

func (k *Kernel) argumentError(op, detail string, err error) error {
	e := &Error{Op: op, Detail: detail, Err: err}
	if k != nil && k.dev != nil {
		e.Kernel, e.Device = k.name, k.dev.String()
	}
	return e
}
