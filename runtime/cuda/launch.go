package cuda

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Dim3 counts blocks of a grid or threads of a block in three dimensions.
type Dim3 struct{ X, Y, Z uint32 }

// Dim makes a Dim3; dimensions that are not given are 1.
func Dim(x uint32, yz ...uint32) Dim3 {
	d := Dim3{x, 1, 1}
	if len(yz) > 0 {
		d.Y = yz[0]
	}
	if len(yz) > 1 {
		d.Z = yz[1]
	}
	return d
}

// String writes d as CUDA does in a launch: 4 or {4,2,1}.
func (d Dim3) String() string {
	if d.Y == 1 && d.Z == 1 {
		return fmt.Sprint(d.X)
	}
	return fmt.Sprintf("{%d,%d,%d}", d.X, d.Y, d.Z)
}

// A LaunchConfig is how a kernel is launched: Grid counts blocks, Block counts
// threads, each at least 1 in every dimension; SharedBytes is the dynamic shared
// memory of a block.
type LaunchConfig struct {
	Grid, Block Dim3
	SharedBytes uint32
}

// A *LaunchConfig is handed to libcuda as it is: an error here means that the two
// differ.
func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(LaunchConfig{})-unsafe.Sizeof(libcuda.LaunchConfig{})]
	_ = same[unsafe.Offsetof(LaunchConfig{}.Block)-unsafe.Offsetof(libcuda.LaunchConfig{}.BlockX)]
	_ = same[unsafe.Offsetof(LaunchConfig{}.SharedBytes)-unsafe.Offsetof(libcuda.LaunchConfig{}.SharedBytes)]
}

// LaunchKernel enqueues k on s with the parameter block at params, which has the
// layout that k was loaded with. Generated code calls it.
//
// params is read before LaunchKernel returns and is not kept. Any goroutine may
// call it; no context need be current. An error may belong to earlier work on s.
//
// CUDA Driver API, Execution Control, cuLaunchKernel.
func LaunchKernel(k *Kernel, s *Stream, cfg *LaunchConfig, params unsafe.Pointer) error {
	if k == nil || s == nil {
		return notLoaded(k)
	}
	epoch := s.epoch.Load() // before the handles
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	if kernel == 0 || stream == 0 || k.native != s.dev {
		return launchElsewhere(k, s, cfg, params)
	}
	r := libcuda.Launch(&libcuda.LaunchRecord{
		Target: &k.target,
		Stream: stream,
		Params: params,
		Config: (*libcuda.LaunchConfig)(unsafe.Pointer(cfg)),
	})
	epoch.release()
	if r != driver.Success {
		return explainLaunch(k, cfg, r)
	}
	return nil
}

// launchElsewhere launches through the driver interface, which the simulator and drivers
// that demand a context need, or says why k cannot be launched on s. The driver gets a copy of the parameter block, so that the block itself does not
// escape.
//
//go:noinline
func launchElsewhere(k *Kernel, s *Stream, cfg *LaunchConfig, params unsafe.Pointer) error {
	defer s.hold().release()
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	if kernel == 0 || stream == 0 || k.dev != s.dev {
		return notLaunchable(k, s, cfg)
	}
	block := make([]byte, k.target.ParamBytes)
	copy(block, unsafe.Slice((*byte)(params), k.target.ParamBytes))
	config := driver.LaunchConfig{Grid: driver.Dim3(cfg.Grid), Block: driver.Dim3(cfg.Block), SharedBytes: cfg.SharedBytes}
	if r := k.dev.drv.LaunchKernel(kernel, config, stream, block, unsafe.Slice(k.target.Offsets, k.target.Count)); r != driver.Success {
		return explainLaunch(k, cfg, r)
	}
	return nil
}

//go:noinline
func notLoaded(k *Kernel) error {
	if k == nil {
		return &Error{Op: "launch", Detail: "the kernel was not loaded: use the Kernels that Load… returned"}
	}
	return &Error{Op: "launch", Kernel: k.name, Device: k.dev.String(), Detail: "the stream is nil: make one with Device.NewStream"}
}

func notLaunchable(k *Kernel, s *Stream, cfg *LaunchConfig) error {
	e := &Error{Op: "launch", Kernel: k.name, Config: *cfg, Device: k.dev.String(), Driver: k.dev.version, Err: ErrClosed}
	switch {
	case k.dev != s.dev:
		e.Detail, e.Err = "the stream is on "+s.dev.String(), ErrInvalidValue
	case k.handle() == 0:
		e.Detail = "the kernel's library"
	default:
		e.Detail = "the stream"
	}
	return e
}

// explainLaunch names the limit that a failed launch broke. It is looked for only
// after the failure, so that launches that succeed pay nothing.
//
//go:noinline
func explainLaunch(k *Kernel, cfg *LaunchConfig, r driver.Result) error {
	e := &Error{Op: "launch", Kernel: k.name, Config: *cfg}
	switch r {
	case driver.ErrorInvalidHandle:
		if k.handle() == 0 { // since the launch began
			e.Device, e.Driver, e.Detail, e.Err = k.dev.String(), k.dev.version, "the kernel's library", ErrClosed
			return e
		}
	case driver.ErrorInvalidValue, driver.ErrorLaunchOutOfResources:
		e.Detail = k.brokenLimit(cfg)
	}
	return k.dev.failed(e, r)
}

func (k *Kernel) brokenLimit(cfg *LaunchConfig) string {
	limits := &k.dev.limits
	grid := [3]uint32{cfg.Grid.X, cfg.Grid.Y, cfg.Grid.Z}
	block := [3]uint32{cfg.Block.X, cfg.Block.Y, cfg.Block.Z}
	for i, axis := range [3]string{"x", "y", "z"} {
		switch {
		case grid[i] == 0:
			return "the grid has no blocks in " + axis + ": a launch needs at least one"
		case block[i] == 0:
			return "the block has no threads in " + axis + ": a launch needs at least one"
		case int64(grid[i]) > int64(limits.grid[i]):
			return fmt.Sprintf("the grid has %d blocks in %s, limit %d", grid[i], axis, limits.grid[i])
		}
	}
	threads := uint64(block[0]) * uint64(block[1]) * uint64(block[2])
	if threads > uint64(limits.threadsPerBlock) || block[0] > uint32(limits.block[0]) {
		return fmt.Sprintf("block has %d threads, limit %d", threads, limits.threadsPerBlock)
	}
	for i, axis := range [3]string{"x", "y", "z"} {
		if int64(block[i]) > int64(limits.block[i]) {
			return fmt.Sprintf("block has %d threads in %s, limit %d", block[i], axis, limits.block[i])
		}
	}
	attributes, err := k.Attributes()
	if err != nil {
		return ""
	}
	switch shared := attributes.SharedBytes + int(cfg.SharedBytes); {
	case shared > limits.sharedBytes:
		return fmt.Sprintf("a block uses %d bytes of shared memory (%d static, %d dynamic), limit %d", shared, attributes.SharedBytes, cfg.SharedBytes, limits.sharedBytes)
	case threads > uint64(attributes.MaxThreadsPerBlock):
		return fmt.Sprintf("block has %d threads; the kernel, with %d registers a thread and its launch bounds, takes %d", threads, attributes.Registers, attributes.MaxThreadsPerBlock)
	}
	return ""
}
