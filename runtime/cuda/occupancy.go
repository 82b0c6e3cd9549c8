package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Occupancy counts the blocks of a kernel that a device holds at once.
type Occupancy struct {
	BlocksPerMultiprocessor int
	Blocks                  int // on the whole device: the largest grid of a cooperative launch
}

// Occupancy returns how many blocks of k the device holds at once, with the block shape
// and the dynamic shared memory of cfg. The grid and the attributes of cfg are ignored.
//
// CUDA Driver API, Occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor.
func (k *Kernel) Occupancy(cfg LaunchConfig) (Occupancy, error) {
	const op = "compute the occupancy of"
	defer k.hold().release()
	if err := k.openFor(op); err != nil {
		return Occupancy{}, err
	}
	threads := cfg.Block.count()
	if threads == 0 || threads > uint64(k.dev.limits.threadsPerBlock) {
		return Occupancy{}, &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("the block has %d threads, must have 1 to %d", threads, k.dev.limits.threadsPerBlock), Err: ErrInvalidValue}
	}
	if cfg.SharedBytes > 0 && cfg.SharedBytes >= k.launchable() { // else the driver counts no blocks
		if err := k.allowShared(&LaunchConfig{Grid: Dim(1), Block: cfg.Block, SharedBytes: cfg.SharedBytes}); err != nil {
			return Occupancy{}, notLaunched(err, op, LaunchConfig{})
		}
	}
	var o Occupancy
	r := k.dev.inContext(func() (r driver.Result) {
		o.BlocksPerMultiprocessor, r = k.dev.drv.OccupancyMaxActiveBlocksPerMultiprocessor(k.handle(), int(threads), uint64(cfg.SharedBytes))
		return r
	})
	multiprocessors := 0
	if r == driver.Success {
		multiprocessors, r = k.dev.drv.DeviceGetAttribute(driver.MultiprocessorCount, k.dev.dev)
	}
	if r != driver.Success {
		return Occupancy{}, k.failed(&Error{Op: op, Kernel: k.name}, r)
	}
	o.Blocks = o.BlocksPerMultiprocessor * multiprocessors
	return o, nil
}

// SuggestedBlock returns the number of threads per block that gives k the highest
// occupancy with sharedBytes of dynamic shared memory per block, and the number of such
// blocks that fill the device. threads is at most maxThreads; 0 means the kernel's own
// limit.
//
// CUDA Driver API, Occupancy, cuOccupancyMaxPotentialBlockSize.
func (k *Kernel) SuggestedBlock(sharedBytes uint32, maxThreads int) (threads, fullGrid int, err error) {
	const op = "suggest a block for"
	defer k.hold().release()
	if err := k.openFor(op); err != nil {
		return 0, 0, err
	}
	if maxThreads < 0 {
		return 0, 0, &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("maxThreads is %d, must be at least 0", maxThreads), Err: ErrInvalidValue}
	}
	if sharedBytes > 0 && sharedBytes >= k.launchable() {
		if err := k.allowShared(&LaunchConfig{Grid: Dim(1), Block: Dim(1), SharedBytes: sharedBytes}); err != nil {
			return 0, 0, notLaunched(err, op, LaunchConfig{})
		}
	}
	r := k.dev.inContext(func() (r driver.Result) {
		fullGrid, threads, r = k.dev.drv.OccupancyMaxPotentialBlockSize(k.handle(), uint64(sharedBytes), maxThreads)
		return r
	})
	if r != driver.Success {
		return 0, 0, k.failed(&Error{Op: op, Kernel: k.name}, r)
	}
	return threads, fullGrid, nil
}

// ConfigFor returns a one-dimensional launch configuration of at least threads threads,
// with the block size that SuggestedBlock returns for sharedBytes of dynamic shared
// memory. It is for kernels whose directives set no block. The last block may have more
// threads than are needed.
//
// threads is at least 1: a program that may have none launches nothing then.
func (k *Kernel) ConfigFor(threads int, sharedBytes uint32) (LaunchConfig, error) {
	block, _, err := k.SuggestedBlock(sharedBytes, 0)
	if err != nil {
		return LaunchConfig{}, err
	}
	detail := ""
	cfg := LaunchConfig{Grid: Dim(Generated.Blocks(threads, block)), Block: Dim(uint32(block)), SharedBytes: sharedBytes}
	switch limit := k.dev.limits.grid[0]; {
	case threads < 1:
		detail = fmt.Sprintf("threads is %d, must be at least 1", threads)
	case (threads-1)/block >= limit:
		detail = fmt.Sprintf("%d threads are %d blocks of %d, limit %d", threads, (threads-1)/block+1, block, limit)
	default:
		return cfg, nil
	}
	return LaunchConfig{}, &Error{Op: "configure", Kernel: k.name, Device: k.dev.String(), Driver: k.dev.version, Detail: detail, Err: ErrInvalidValue}
}

// notLaunched makes err, which is that of a launch, one of op with cfg.
func notLaunched(err error, op string, cfg LaunchConfig) error {
	if e, ok := err.(*Error); ok {
		as := *e
		as.Op, as.Config = op, cfg
		return &as
	}
	return err
}
