package cuda

import (
	"fmt"
	"math"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// explainLaunch names the limit that a failed launch broke. It is looked for only
// after the failure, so that launches that succeed pay nothing.
//
//go:noinline
func (k *Kernel) explainLaunch(cfg *LaunchConfig, r driver.Result) error {
	e := &Error{Op: "launch", Kernel: k.name, Config: *cfg}
	switch r {
	case driver.ErrorInvalidValue, driver.ErrorLaunchOutOfResources, driver.ErrorCooperativeLaunchTooLarge, driver.ErrorInvalidClusterSize, driver.ErrorNotSupported:
		e.Detail = k.brokenLimit(cfg)
	}
	if e.Detail == "" && r == driver.ErrorInvalidClusterSize {
		e.Detail = fmt.Sprintf("the cluster is too large for this kernel on this device: use %d blocks, which every device with clusters supports", portableCluster)
	}
	return k.failed(e, r)
}

// brokenLimit describes the limit of the device or of k that a launch with cfg exceeds.
// It is empty if the launch exceeds no known limit.
func (k *Kernel) brokenLimit(cfg *LaunchConfig) string {
	defer k.hold().release()
	if detail := k.dev.limits.broken(cfg); detail != "" {
		return detail
	}
	attributes, err := k.Attributes()
	if err != nil {
		return ""
	}
	threads := cfg.Block.count()
	registersPerBlock, _ := k.dev.drv.DeviceGetAttribute(driver.MaxRegistersPerBlock, k.dev.dev)
	dynamic, err := k.mostDynamicShared()
	switch shared := attributes.SharedBytes + int(cfg.SharedBytes); {
	case err == nil && int(cfg.SharedBytes) > dynamic:
		return fmt.Sprintf("a block uses %d bytes of shared memory (%d static, %d dynamic), limit %d", shared, attributes.SharedBytes, cfg.SharedBytes, attributes.SharedBytes+dynamic)
	case registersPerBlock > 0 && threads*uint64(attributes.Registers) > uint64(registersPerBlock):
		return fmt.Sprintf("a block of %d threads with %d registers each needs %d registers, limit %d", threads, attributes.Registers, threads*uint64(attributes.Registers), registersPerBlock)
	case threads > uint64(attributes.MaxThreadsPerBlock):
		return fmt.Sprintf("the block has %d threads, limit %d for this kernel with its launch bounds and %d registers per thread", threads, attributes.MaxThreadsPerBlock, attributes.Registers)
	}
	if detail := k.brokenCluster(cfg); detail != "" {
		return detail
	}
	return k.brokenCooperation(cfg)
}

// broken says which of the device's own limits cfg breaks.
func (l *limits) broken(cfg *LaunchConfig) string {
	grid, block := cfg.Grid.array(), cfg.Block.array()
	for i, axis := range axes {
		switch {
		case grid[i] == 0:
			return "the grid has no blocks in " + axis + ": a launch needs at least one"
		case block[i] == 0:
			return "the block has no threads in " + axis + ": a launch needs at least one"
		case int64(grid[i]) > int64(l.grid[i]):
			return fmt.Sprintf("the grid has %s blocks in %s, limit %d", countText(grid[i]), axis, l.grid[i])
		}
	}
	if threads := cfg.Block.count(); threads > uint64(l.threadsPerBlock) || block[0] > uint32(l.block[0]) {
		return fmt.Sprintf("the block has %d threads, limit %d", threads, l.threadsPerBlock)
	}
	for i, axis := range axes {
		if int64(block[i]) > int64(l.block[i]) {
			return fmt.Sprintf("the block has %d threads in %s, limit %d", block[i], axis, l.block[i])
		}
	}
	return ""
}

// countText returns n, which is the largest number if one that was computed is larger.
func countText(n uint32) string {
	if n == math.MaxUint32 {
		return fmt.Sprint(n, " or more")
	}
	return fmt.Sprint(n)
}

// brokenCluster says what is wrong with the cluster that cfg asks for, or that the
// kernel was compiled for by __cluster_dims__.
func (k *Kernel) brokenCluster(cfg *LaunchConfig) string {
	required, r := k.requiredCluster()
	if r != driver.Success {
		return ""
	}
	cluster, whose := required, "the kernel's cluster (__cluster_dims__)"
	if cfg.Attributes != nil && cfg.Attributes.Cluster != (Dim3{}) {
		cluster, whose = cfg.Attributes.Cluster, "the cluster"
		if required != (Dim3{}) && required != cluster {
			return fmt.Sprintf("the cluster is %v, but the kernel was compiled for %v", cluster, required)
		}
	}
	if cluster == (Dim3{}) {
		return ""
	}
	if blocks := cluster.count(); blocks > maxCluster {
		return fmt.Sprintf("%s has %d blocks, limit %d", whose, blocks, maxCluster)
	}
	dims, grid := cluster.array(), cfg.Grid.array()
	for i, axis := range axes {
		if dims[i] == 0 {
			return whose + " has no blocks in " + axis + ": it needs at least one"
		}
		if grid[i]%dims[i] != 0 {
			return fmt.Sprintf("the grid has %d blocks in %s, must be a multiple of the %d of %s", grid[i], axis, dims[i], whose)
		}
	}
	return ""
}

// brokenCooperation describes by how much the grid of a cooperative launch is too large.
func (k *Kernel) brokenCooperation(cfg *LaunchConfig) string {
	if cfg.Attributes == nil || !cfg.Attributes.Cooperative {
		return ""
	}
	occupancy, err := k.Occupancy(*cfg)
	if err != nil || cfg.Grid.count() <= uint64(occupancy.Blocks) {
		return ""
	}
	return fmt.Sprintf("the grid has %d blocks, limit %d: all blocks of a cooperative launch must be on the device at once (%d on each of %d multiprocessors)",
		cfg.Grid.count(), occupancy.Blocks, occupancy.BlocksPerMultiprocessor, occupancy.Blocks/max(1, occupancy.BlocksPerMultiprocessor))
}

var axes = [3]string{"x", "y", "z"}

func (d Dim3) array() [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

// count returns the product of the dimensions, or the largest uint64.
func (d Dim3) count() uint64 {
	if d.X == 0 || d.Y == 0 || d.Z == 0 {
		return 0
	}
	xy := uint64(d.X) * uint64(d.Y)
	if xy > ^uint64(0)/uint64(d.Z) {
		return ^uint64(0)
	}
	return xy * uint64(d.Z)
}

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
