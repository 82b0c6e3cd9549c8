package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// A multiprocessor is what one of compute capability 9.0 holds at once (CUDA Programming Guide, Compute Capabilities).
const (
	maxBlocks      = 32
	maxWarps       = 64
	sharedBytes    = 228 << 10
	sharedReserved = 1 << 10 // of each block's
	registers      = 64 << 10
	registerUnit   = 256 // registers that a warp gets at a time
	maxRegisters   = 255 // of a thread

	multiprocessors = 132 // of an H100 SXM or H200
)

// An occupancy is how many blocks of a launch a multiprocessor holds.
type occupancy struct {
	warps     int // of a block
	blocks    int
	limiters  []string
	registers int // of a thread, with which it still holds so many
}

// percent is how many of the warps that a multiprocessor can hold it does.
func (o occupancy) percent() int { return 100 * o.warps * o.blocks / maxWarps }

// occupancyOf computes the occupancy of a group from its threads and its shared memory.
func occupancyOf(g *profiled.Group) (o occupancy) {
	threads := uint64(g.Block.X) * uint64(g.Block.Y) * uint64(g.Block.Z)
	o.warps = int((threads + 31) / 32)
	shared := uint64(g.Kernel.SharedBytes) + uint64(g.SharedBytes) + sharedReserved
	limits := []struct {
		blocks int
		name   string
	}{
		{maxBlocks, "the blocks that a multiprocessor takes"},
		{maxWarps / max(1, o.warps), "threads"},
		{int(sharedBytes / shared), "shared memory"},
	}
	o.blocks = slices.MinFunc(limits, func(a, b struct {
		blocks int
		name   string
	}) int {
		return a.blocks - b.blocks
	}).blocks
	for _, l := range limits {
		if l.blocks == o.blocks {
			o.limiters = append(o.limiters, l.name)
		}
	}
	if o.blocks > 0 {
		each := registers / (o.blocks * o.warps) / registerUnit * registerUnit / 32 // of a thread
		o.registers = min(maxRegisters, each/8*8)
	}
	return o
}

// String says the occupancy, and what limits it.
func (o occupancy) String() string {
	text := fmt.Sprintf("%d %%: %s of %s on a multiprocessor of compute capability 9.0, limited by %s", o.percent(), counted(uint64(o.blocks), "block", "blocks"), counted(uint64(o.warps), "warp", "warps"), strings.Join(o.limiters, " and "))
	if o.registers < maxRegisters {
		text += fmt.Sprintf("; fewer above %d registers a thread (nvcc -Xptxas -v prints them)", o.registers)
	}
	return text
}

// blocksOf is how many blocks a launch of a group has.
func blocksOf(g *profiled.Group) uint64 {
	return uint64(g.Grid.X) * uint64(g.Grid.Y) * uint64(g.Grid.Z)
}
