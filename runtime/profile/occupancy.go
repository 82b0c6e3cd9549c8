package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/multiprocessor"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

const (
	maxWarps     = multiprocessor.Threads / 32
	registerUnit = 256 // registers that a warp gets at a time
	warpUnit     = 4   // warps, of which each is in another part of the multiprocessor
	maxRegisters = 255 // of a thread

	multiprocessors = 132 // of an H100 SXM or H200
)

// An occupancy is how many blocks of a launch a multiprocessor holds.
type occupancy struct {
	warps     int // of a block
	blocks    int
	limiters  []string
	registers int  // of a thread, with which it still holds so many
	known     bool // how many registers a thread has
}

// percent is how many of the warps that a multiprocessor can hold it does.
func (o occupancy) percent() int { return 100 * o.warps * o.blocks / maxWarps }

// occupancyOf computes the occupancy of a group from its threads and its shared memory and, if they are known, its registers.
func occupancyOf(g *profiled.Group, r *resources) (o occupancy) {
	threads := uint64(g.Block.X) * uint64(g.Block.Y) * uint64(g.Block.Z)
	o.warps = int((threads + 31) / 32)
	limits := []limit{
		{multiprocessor.Blocks, "the blocks that a multiprocessor takes"},
		{maxWarps / max(1, o.warps), "threads"},
		{multiprocessor.BySharedMemory(uint64(g.Kernel.SharedBytes) + uint64(g.SharedBytes)), "shared memory"},
	}
	if r != nil {
		o.known = true
		limits = append(limits, limit{byRegisters(r.registers, o.warps), "registers"})
	}
	o.blocks = slices.MinFunc(limits, func(a, b limit) int { return a.blocks - b.blocks }).blocks
	for _, l := range limits {
		if l.blocks == o.blocks {
			o.limiters = append(o.limiters, l.name)
		}
	}
	for n := 8; n <= maxRegisters+1 && byRegisters(n, o.warps) >= o.blocks; n += 8 {
		o.registers = min(n, maxRegisters)
	}
	return o
}

// A limit is how many blocks something allows.
type limit struct {
	blocks int
	name   string
}

// byRegisters is how many blocks of so many warps the registers allow, of which each thread has some.
func byRegisters(each, warps int) int {
	ofWarp := (each*32 + registerUnit - 1) / registerUnit * registerUnit
	return multiprocessor.Registers / max(1, ofWarp) / warpUnit * warpUnit / max(1, warps)
}

// String says the occupancy, and what limits it.
func (o occupancy) String() string {
	text := fmt.Sprintf("%d %%: %s of %s on a multiprocessor of compute capability 9.0, limited by %s", o.percent(), counted(uint64(o.blocks), "block", "blocks"), counted(uint64(o.warps), "warp", "warps"), strings.Join(o.limiters, " and "))
	if !o.known && o.registers < maxRegisters {
		text += fmt.Sprintf("; fewer above %d registers a thread (nvcc -Xptxas -v prints them)", o.registers)
	}
	return text
}

// blocksOf is how many blocks a launch of a group has.
func blocksOf(g *profiled.Group) uint64 {
	return uint64(g.Grid.X) * uint64(g.Grid.Y) * uint64(g.Grid.Z)
}
