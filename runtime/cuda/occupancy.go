package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Occupancy says how many blocks of a kernel a device holds at once.
type Occupancy struct {
	BlocksPerMultiprocessor int
	Blocks                  int // on the whole device: the largest grid of a cooperative launch
}

// Occupancy returns how many blocks of k with the shape and the dynamic shared memory of
// cfg the device holds at once; its grid and its attributes do not matter.
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
		return Occupancy{}, &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("block has %d threads, wanted 1 to %d", threads, k.dev.limits.threadsPerBlock), Err: ErrInvalidValue}
	}
	if cfg.SharedBytes > k.dynamicShared.Load() { // else the driver counts no blocks
		if err := k.allowShared(&cfg); err != nil {
			return Occupancy{}, err
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
		return Occupancy{}, k.dev.failed(&Error{Op: op, Kernel: k.name}, r)
	}
	o.Blocks = o.BlocksPerMultiprocessor * multiprocessors
	return o, nil
}

// SuggestedBlock returns how many threads a block of k should have for most of them to be
// on the device at once, maxThreads at most (0 for the kernel's own limit), when each block
// has sharedBytes of dynamic shared memory; and how many such blocks fill the device.
//
// CUDA Driver API, Occupancy, cuOccupancyMaxPotentialBlockSize.
func (k *Kernel) SuggestedBlock(sharedBytes uint32, maxThreads int) (threads, fullGrid int, err error) {
	const op = "suggest a block for"
	defer k.hold().release()
	if err := k.openFor(op); err != nil {
		return 0, 0, err
	}
	if maxThreads < 0 {
		return 0, 0, &Error{Op: op, Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("%d threads at most is no limit", maxThreads), Err: ErrInvalidValue}
	}
	if sharedBytes > k.dynamicShared.Load() {
		if err := k.allowShared(&LaunchConfig{Grid: Dim(1), Block: Dim(1), SharedBytes: sharedBytes}); err != nil {
			return 0, 0, err
		}
	}
	r := k.dev.inContext(func() (r driver.Result) {
		fullGrid, threads, r = k.dev.drv.OccupancyMaxPotentialBlockSize(k.handle(), uint64(sharedBytes), maxThreads)
		return r
	})
	if r != driver.Success {
		return 0, 0, k.dev.failed(&Error{Op: op, Kernel: k.name}, r)
	}
	return threads, fullGrid, nil
}

// ConfigFor returns a launch configuration of one dimension for at least threads threads,
// with the block that SuggestedBlock suggests for sharedBytes of dynamic shared memory: for
// kernels whose directives give no block. The last block may have threads too many.
func (k *Kernel) ConfigFor(threads int, sharedBytes uint32) (LaunchConfig, error) {
	block, _, err := k.SuggestedBlock(sharedBytes, 0)
	if err != nil {
		return LaunchConfig{}, err
	}
	cfg := LaunchConfig{Grid: Dim(Blocks(threads, block)), Block: Dim(uint32(block)), SharedBytes: sharedBytes}
	if detail := k.dev.limits.broken(&cfg); detail != "" {
		return LaunchConfig{}, &Error{Op: "configure", Kernel: k.name, Device: k.dev.String(), Detail: fmt.Sprintf("for %d threads %s", threads, detail), Err: ErrInvalidValue}
	}
	return cfg, nil
}
