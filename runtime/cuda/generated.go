package cuda

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda/internal/element"
	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/cuda/internal/sizes"
)

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
	have := extent.Counted(int(cfg.Grid.array()[i]), "block")
	if strings.HasPrefix(directive, "threads") {
		have = extent.Counted(Generated.Threads(cfg.Grid.array()[i], cfg.Block.array()[i]), "thread")
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
	return k.badArgument(fmt.Sprintf("%s has %s, needs %d", param, extent.Counted(have, "element"), want), ErrShortSlice)
}

// Overflow returns the error of a launch whose parameter param is inferred as value,
// which is larger than limit, the maximum of its C type.
//
//go:noinline
func (generated) Overflow(k *Kernel, param string, value, limit int) error {
	return k.badArgument(fmt.Sprintf("%s would be %d, limit %d", param, value, limit), ErrOverflow)
}

// BadSize returns the error of a launch because the expression in directive, such as
// "threads rows*cols", has the value size. names are what it reads, such as "rows, cols", and
// values their values.
//
//go:noinline
func (generated) BadSize(k *Kernel, directive string, size int, names string, values ...int) error {
	problem, large := sizes.Problem(size)
	err := error(ErrInvalidValue)
	if large {
		err = ErrOverflow
	}
	list := strings.Split(names, ", ")
	for i := range min(len(list), len(values)) {
		list[i] += fmt.Sprint("=", values[i])
	}
	return k.badArgument(directive+" "+problem+" with "+strings.Join(list, ", "), err)
}

// NegativeInput returns the error of a launch because the parameter param, which directive
// counts with, is negative.
//
//go:noinline
func (generated) NegativeInput(k *Kernel, directive, param string, value int) error {
	return k.badArgument(fmt.Sprintf("%s: %s is %d, must not be negative", directive, param, value), ErrInvalidValue)
}

// LargeInput returns the error of a launch because the parameter param, which directive
// counts with, does not fit into an int.
//
//go:noinline
func (generated) LargeInput(k *Kernel, directive, param string, value uint64) error {
	return k.badArgument(fmt.Sprintf("%s: %s is %d, limit %d", directive, param, value, math.MaxInt), ErrOverflow)
}

// Bools makes the bools in *v, whose bytes may be those of a device, false where they are 0 and true
// elsewhere. v is a pointer.
func (generated) Bools(v any) {
	p := reflect.ValueOf(v)
	element.BoolsOf(p.Type().Elem()).Make(p.UnsafePointer())
}
