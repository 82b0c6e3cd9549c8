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
	dims, grid := cluster.array(), cfg.Grid.array()
	for i, axis := range axes {
		if dims[i] == 0 {
			return whose + " has no blocks in " + axis + ": it needs at least one"
		}
		if grid[i]%dims[i] != 0 {
			return fmt.Sprintf("the grid has %d blocks in %s, must be a multiple of the %d of %s", grid[i], axis, dims[i], whose)
		}
	}
	if blocks := cluster.count(); blocks > maxCluster {
		return fmt.Sprintf("%s has %d blocks, limit %d", whose, blocks, maxCluster)
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
