package sizes

import (
	"math"
	"math/bits"
)

// MaxCluster is the number of blocks that a cluster may have on some devices. CUDA C++ Programming Guide, Thread
// Block Clusters.
const MaxCluster = 16

// Count converts a dimension or a size computed from arguments. A value that does not
// fit, or is negative, becomes the largest uint32, which every device refuses.
func (Arithmetic) Count(n int) uint32 {
	if n < 0 || n > math.MaxUint32 {
		return math.MaxUint32
	}
	return uint32(n)
}

// Blocks returns how many blocks of perBlock threads cover threads: the quotient, rounded
// up. If a number is negative or the result overflows, the result is the largest uint32, which
// every device refuses. Otherwise, if a number is 0, it is 0: a computed configuration launches nothing.
func (a Arithmetic) Blocks(threads, perBlock int) uint32 {
	blocks := min(threads, perBlock)
	if blocks > 0 {
		blocks = (threads-1)/perBlock + 1
	}
	return a.Count(blocks)
}

// ClusterBlocks returns Blocks rounded up to a multiple of cluster. If cluster is not 1 to 16,
// the result is the largest uint32, which every device refuses.
func (a Arithmetic) ClusterBlocks(threads, perBlock, cluster int) uint32 {
	if cluster < 1 || cluster > MaxCluster {
		return math.MaxUint32
	}
	blocks := a.Blocks(threads, perBlock)
	return a.Count((int(blocks) + cluster - 1) / cluster * cluster)
}

// Threads returns the threads of a grid in one dimension, or the largest int.
func (Arithmetic) Threads(grid, block uint32) int {
	return int(min(uint64(grid)*uint64(block), math.MaxInt))
}

// LacksBlocks reports whether a grid has fewer than want blocks in one dimension, and also fewer threads than
// want blocks of per threads have. A per of 0 leaves the threads out.
func (Arithmetic) LacksBlocks(grid, block uint32, want, per int) bool {
	if want <= int(grid) {
		return false
	}
	hi, threads := bits.Mul64(uint64(want), uint64(per))
	return per == 0 || hi != 0 || threads > uint64(grid)*uint64(block)
}
