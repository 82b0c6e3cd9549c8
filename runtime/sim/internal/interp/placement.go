package interp

import (
	"runtime"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// A Placement says which blocks of a launch run at once.
type Placement struct {
	Gang      driver.Dim3 // blocks that run at once; it divides the grid
	cluster   driver.Dim3 // blocks of a cluster; it divides the gang
	clustered bool        // by the launch or the kernel

	cooperative bool
	workspace   uint64 // address of what the blocks of a cooperative launch wait for each other with
	grid        uint64 // number of the launch
}

// Alone is the placement of blocks that do not depend on each other.
func Alone() Placement {
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	return Placement{Gang: one, cluster: one}
}

// grids counts launches.
var grids atomic.Uint64

// workspaceBytes is the size of a cooperative launch's workspace: the size itself and a barrier.
const workspaceBytes = 64

// PlacementOf returns which blocks of a launch run at once, or why a is refused.
//
// CUDA Driver API, CUlaunchAttributeValue; CUDA C++ Programming Guide, Thread Block Clusters.
func PlacementOf(k *bytecode.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes) (Placement, driver.Result) {
	p := Alone()
	c := a.Cluster
	switch none := (driver.Dim3{}); {
	case c == none:
		c = k.RequiredCluster
	case k.RequiredCluster != none && c != k.RequiredCluster:
		return p, driver.ErrorInvalidClusterSize
	}
	if c != (driver.Dim3{}) {
		limit := uint64(limits.PortableCluster)
		if k.NonPortableCluster.Load() {
			limit = limits.NonPortableCluster
		}
		switch {
		case c.X == 0 || c.Y == 0 || c.Z == 0 || cfg.Grid.X%c.X != 0 || cfg.Grid.Y%c.Y != 0 || cfg.Grid.Z%c.Z != 0:
			return p, driver.ErrorInvalidValue
		case limits.Count(c) > limit:
			return p, driver.ErrorInvalidClusterSize
		}
		p.Gang, p.cluster, p.clustered = c, c, true
	}
	if a.Cooperative {
		blocks := k.Resident(limits.Count(cfg.Block), uint64(cfg.SharedBytes)) * Multiprocessors()
		if limits.Count(cfg.Grid) > uint64(blocks) {
			return p, driver.ErrorCooperativeLaunchTooLarge
		}
		p.Gang, p.cooperative = cfg.Grid, true
	}
	return p, driver.Success
}

// Multiprocessors is how many a device has: one for each worker that runs blocks.
func Multiprocessors() int { return runtime.GOMAXPROCS(0) }
