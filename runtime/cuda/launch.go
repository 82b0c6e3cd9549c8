package cuda

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/sizes"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Dim3 counts blocks of a grid or threads of a block in three dimensions.
type Dim3 struct{ X, Y, Z uint32 }

// Dim makes a Dim3; dimensions that are not given are 1. Of more than three it makes the zero
// Dim3, with which no kernel can be launched.
func Dim(x uint32, yz ...uint32) Dim3 {
	if len(yz) > 2 {
		return Dim3{}
	}
	d := Dim3{x, 1, 1}
	if len(yz) > 0 {
		d.Y = yz[0]
	}
	if len(yz) > 1 {
		d.Z = yz[1]
	}
	return d
}

// DimOf is Dim for ints. A dimension that is negative or larger than a uint32 is an error that
// wraps ErrOverflow, and so are more than three.
func DimOf(x int, yz ...int) (Dim3, error) {
	if len(yz) > 2 {
		return Dim3{}, &Error{Op: "make dimensions", Detail: fmt.Sprintf("there are %d, limit 3", 1+len(yz)), Err: ErrOverflow}
	}
	dims := [3]uint32{1, 1, 1}
	for i, n := range append([]int{x}, yz...) {
		if n < 0 || n > math.MaxUint32 {
			return Dim3{}, &Error{Op: "make dimensions", Detail: fmt.Sprintf("%s is %d, must be from 0 to %d", axes[i], n, uint32(math.MaxUint32)), Err: ErrOverflow}
		}
		dims[i] = uint32(n)
	}
	return Dim3{dims[0], dims[1], dims[2]}, nil
}

// String formats d as in a CUDA launch: 4 or {4,2,1}.
func (d Dim3) String() string {
	if d.Y == 1 && d.Z == 1 {
		return fmt.Sprint(d.X)
	}
	return fmt.Sprintf("{%d,%d,%d}", d.X, d.Y, d.Z)
}

// A LaunchConfig is the configuration of a launch. Grid counts blocks and Block counts
// threads, each at least 1 in every dimension. SharedBytes is the dynamic shared memory
// per block; above 48 KiB the launch opts in by itself. Attributes may be nil.
//
// Fewer allows fewer threads or blocks than the directives threads and grid of the kernel state: for a
// kernel that loops over the rest (a grid-stride loop), or for a launch over a part. Without it they are
// an error.
//
// Owners are objects that the kernel uses besides its slices: those that pointers inside
// of structs, plain pointers and handles among the arguments refer to. The launch fails if
// one of them is closed or on another device.
type LaunchConfig struct {
	Grid, Block Dim3
	SharedBytes uint32
	Fewer       bool
	Attributes  *LaunchAttributes
	Owners      []Owner
}

// The beginning of a *LaunchConfig is handed to libcuda as it is: an error here means
// that the two differ.
func _() {
	var same [1]struct{}
	_ = same[unsafe.Offsetof(LaunchConfig{}.Block)-unsafe.Offsetof(libcuda.LaunchConfig{}.BlockX)]
	_ = same[unsafe.Offsetof(LaunchConfig{}.SharedBytes)-unsafe.Offsetof(libcuda.LaunchConfig{}.SharedBytes)]
	_ = same[unsafe.Offsetof(LaunchConfig{}.SharedBytes)+4-unsafe.Sizeof(libcuda.LaunchConfig{})]
}

// Generated has what only generated code calls. Programs do not use it.
var Generated generated

// A generated has methods in place of functions, so that the documentation of the package
// lists what programs call. It has no size: a call of a method is a call of a function.
type generated struct {
	// Version1 stands for the version of generated code that this package supports.
	// Generated files refer to it, so a file generated for another version does not
	// compile.
	Version1 [0]struct{}

	arithmetic
}

// arithmetic has the methods of Generated that compute with numbers.
type arithmetic = sizes.Arithmetic

// Launch enqueues k on s with the parameter block at params, which has the layout that k
// was loaded with. owners are those of the arguments, in the order of the parameters that
// are Owned. If cfg was computed of the arguments and its grid has no blocks, nothing is
// launched, and that is not an error.
//
// An owner that is closed or on another device is an error. So is a buffer that another
// goroutine closes during the call: its memory may be freed before the kernel runs, and
// the driver does not report that. The owners stay reachable until Launch returns.
//
// params is read before Launch returns and is not kept. Any goroutine may
// call it; no context need be current. An error may belong to earlier work on s.
//
// CUDA Driver API, Execution Control, cuLaunchKernel.
func (generated) Launch(k *Kernel, s *Stream, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners ...Owner) error {
	if k == nil || s == nil {
		return notLoadedFor(k, s)
	}
	turn := s.turn.Load() // before the owners are looked at
	users := uint64(allUsers)
	for i, o := range owners {
		if o.lifetime == nil {
			users &= k.usersOfNone(i, params)
			continue
		}
		users &= o.users.Load()
	}
	special := s.word&^users | cfg.emptyGrid() | uint64(len(cfg.Owners))
	epoch := s.epoch.Load() // before the handles
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	// The driver's work has displaced what the processor knows of these branches: there are
	// few, and but for the loop's none is taken.
	if special|uint64(uintptr(unsafe.Pointer(cfg.Attributes))|differ(k.native, s.dev)) == 0 && kernel != 0 && stream != 0 && cfg.SharedBytes < k.sharedEnd.Load() {
		r := libcuda.Launch(&libcuda.LaunchRecord{
			Target: &k.target,
			Stream: stream,
			Params: params,
			Config: (*libcuda.LaunchConfig)(unsafe.Pointer(cfg)),

			Attributes: nil, // written out, the record is not filled with zeros before
		})
		epoch.release()
		if r|driver.Result(s.turn.Load()-turn) == driver.Success {
			runtime.KeepAlive(unsafe.SliceData(owners))
			return nil
		}
		return k.launched(s, cfg, r, owners)
	}
	return k.launchSpecially(s, cfg, computed, params, owners)
}

// emptyGrid returns 0 unless a dimension of the grid is 0.
func (cfg *LaunchConfig) emptyGrid() uint64 {
	return ((uint64(cfg.Grid.X) - 1) | (uint64(cfg.Grid.Y) - 1) | (uint64(cfg.Grid.Z) - 1)) >> 63
}

// differ returns 0 for the same pointer twice.
func differ[T any](a, b *T) uintptr { return uintptr(unsafe.Pointer(a)) ^ uintptr(unsafe.Pointer(b)) }

// launchSpecially is launch for owners that must be checked, and for launches that are not plain.
// launch ends with this call: a call that returned to it would make it save its registers, also in
// launches without the call.
//
//go:noinline
func (k *Kernel) launchSpecially(s *Stream, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	if r := s.recorder; r != nil {
		return r.record(k, cfg, computed, params, owners)
	}
	if err := k.unfit(params, owners); err != nil {
		return err
	}
	if l := s.capture.Load(); l != nil { // which gets copies, so that what it is given does not escape
		return l.launch(capturedLaunch{kernel: k, config: *cfg, computed: computed, params: newBlock(params, k), owners: slices.Clone(owners)})
	}
	if k.dev != s.dev { // before its buffers, which may be on either device
		return k.notLaunchable(s, cfg)
	}
	if err := k.use(s, cfg, owners); err != nil {
		return err
	}
	if computed && cfg.emptyGrid() != 0 {
		return k.launchNothing(s, cfg)
	}
	if err := k.launchElsewhere(s, cfg, params, k.ownerCovers(owners, cfg.Owners)); err != nil {
		return err
	}
	return k.launched(s, cfg, driver.Success, owners)
}

// launchNothing returns the error that a launch on s whose grid has no blocks would have if
// it had some.
func (k *Kernel) launchNothing(s *Stream, cfg *LaunchConfig) error {
	if k.handle() == 0 || s.handle.Load() == 0 || k.dev != s.dev {
		return k.notLaunchable(s, cfg)
	}
	if detail := k.dev.limits.broken(cfg.nonempty()); detail != "" {
		return k.launchError(cfg, detail, ErrInvalidValue)
	}
	return nil
}

// nonempty returns cfg with one block where it has none.
func (cfg *LaunchConfig) nonempty() *LaunchConfig {
	some := *cfg
	some.Grid = Dim3{max(cfg.Grid.X, 1), max(cfg.Grid.Y, 1), max(cfg.Grid.Z, 1)}
	return &some
}

// launched returns the error of a launch whose result is r, or that one of owners was closed
// meanwhile, or nil.
//
//go:noinline
func (k *Kernel) launched(s *Stream, cfg *LaunchConfig, r driver.Result, owners []Owner) error {
	if r != driver.Success {
		return k.explainLaunch(cfg, r)
	}
	for _, list := range [][]Owner{cfg.Owners, owners} {
		for _, o := range list {
			o.usedLate(s)
		}
	}
	return meanwhile(k.use(s, cfg, owners))
}

// use notes that s uses owners and those of cfg, or returns why a launch of k on s cannot.
func (k *Kernel) use(s *Stream, cfg *LaunchConfig, owners []Owner) error {
	for i, o := range owners {
		if s.word&^o.usersOf() == 0 {
			continue
		}
		if err := o.checkLaunch(k, s, k.owned(i)); err != nil {
			return err
		}
	}
	for _, o := range cfg.Owners {
		if err := o.checkLaunch(k, s, configOwner); err != nil {
			return err
		}
	}
	return nil
}

// configOwner stands in errors for the parameter of an owner in LaunchConfig.Owners, or in
// those of the arguments.
const configOwner = "Owners"

// owned returns the name of the parameter of the ith owner.
func (k *Kernel) owned(i int) string {
	if i == named {
		return configOwner
	}
	if p := k.ownedParam(i); p != nil {
		return p.Name
	}
	return "a parameter"
}

// ownedParam returns the parameter of the ith owner, or nil.
func (k *Kernel) ownedParam(i int) *ParamSpec {
	for n := range k.params.all {
		if p := &k.params.all[n]; p.Owned {
			if i == 0 {
				return p
			}
			i--
		}
	}
	return nil
}

// meanwhile returns err, which was found after a launch and not before.
func meanwhile(err error) error {
	if e, ok := err.(*Error); ok {
		e.Hint = "it was closed during the launch, so the kernel may use freed memory"
	}
	return err
}

// launchElsewhere launches with attributes, with more shared memory than before, and
// through the driver interface, which the simulator and drivers that demand a context
// need; or it says why k cannot be launched on s. The interface gets a copy of the
// parameter block, so that the block itself does not escape. covers is nil without red zones.
//
//go:noinline
func (k *Kernel) launchElsewhere(s *Stream, cfg *LaunchConfig, params unsafe.Pointer, covers *driver.Covers) error {
	defer s.hold().release()
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	if kernel == 0 || stream == 0 || k.dev != s.dev {
		return k.notLaunchable(s, cfg)
	}
	if err := k.allow(cfg); err != nil {
		return err
	}
	if t := tracing.Load(); t != nil {
		return t.launch(k, kernel, s, stream, cfg, params, covers)
	}
	return k.enqueue(kernel, stream, cfg, params, covers)
}

// enqueue calls the driver for launchElsewhere.
func (k *Kernel) enqueue(kernel driver.Kernel, stream driver.Stream, cfg *LaunchConfig, params unsafe.Pointer, covers *driver.Covers) error {
	if k.native != nil {
		target, attributes, err := k.extended(cfg)
		if err != nil {
			return err
		}
		list := &attributes
		if cfg.Attributes == nil {
			list = nil
		}
		r := libcuda.Launch(&libcuda.LaunchRecord{
			Target:     &target,
			Stream:     stream,
			Params:     params,
			Config:     (*libcuda.LaunchConfig)(unsafe.Pointer(cfg)),
			Attributes: list,
		})
		if r != driver.Success {
			return k.explainLaunch(cfg, r)
		}
		return nil
	}
	block := make([]byte, k.target.ParamBytes)
	copy(block, unsafe.Slice((*byte)(params), k.target.ParamBytes))
	offsets := unsafe.Slice(k.target.Offsets, k.target.Count)
	config := driverConfig(cfg, covers)
	var r driver.Result
	if cfg.Attributes == nil {
		r = k.dev.drv.LaunchKernel(kernel, config, stream, block, offsets)
	} else {
		r = k.dev.drv.LaunchKernelEx(kernel, config, cfg.Attributes.driver(), stream, block, offsets)
	}
	if r != driver.Success {
		return k.explainLaunch(cfg, r)
	}
	return nil
}

func driverConfig(cfg *LaunchConfig, covers *driver.Covers) driver.LaunchConfig {
	return driver.LaunchConfig{Grid: driver.Dim3(cfg.Grid), Block: driver.Dim3(cfg.Block), SharedBytes: cfg.SharedBytes, Covers: covers}
}

//go:noinline
func notLoaded(k *Kernel) error {
	if k == nil {
		return &Error{Op: "launch", Detail: "the kernel was not loaded, or the call not prepared: use the Kernels that Load… returned, and the calls that Prepare returned", Err: ErrInvalidValue}
	}
	return &Error{Op: "launch", Kernel: k.name, Device: k.dev.String(), Detail: "the stream is nil: make one with Device.NewStream", Err: ErrInvalidValue}
}

// notLoadedFor is notLoaded, or the error of Prepare if s is a recorder's.
//
//go:noinline
func notLoadedFor(k *Kernel, s *Stream) error {
	if s != nil && s.recorder != nil {
		return k.openFor("prepare")
	}
	return notLoaded(k)
}

func (k *Kernel) notLaunchable(s *Stream, cfg *LaunchConfig) error {
	if k.dev == nil {
		return notLoaded(nil)
	}
	e := &Error{Op: "launch", Kernel: k.name, Config: *cfg, Device: k.dev.String(), Driver: k.dev.version, Err: ErrClosed}
	switch {
	case s.dev == nil:
		e.Detail, e.Err = unmadeDetail("the stream"), ErrInvalidValue
	case k.dev != s.dev:
		e.Detail, e.Err = "the stream is on "+s.dev.besides(k.dev), ErrInvalidValue
	case k.handle() == 0:
		e.Detail = k.dev.closedObject("the kernel's library")
	default:
		e.Detail = s.dev.closedObject(s.what())
	}
	return e
}
