// Package profile counts what the instructions of a kernel cost: warp and thread instructions, sectors of global memory, wavefronts of
// shared memory, rounds of atomics, local memory and waits at barriers, each by the rules that CUDA documents. It knows instructions and
// addresses, and not what executes them.
package profile

import (
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// Counts is what one block after another does. It is not for several goroutines.
type Counts struct {
	kernel *bytecode.Kernel
	at     []driver.InstructionCounts // by pc
	worst  []driver.WorstRequests     // by pc

	lines []struct{ warps, threads int64 } // by pc: how much more than at the instruction before come to it in a line
	parts []int32                          // by pc: how many before it are parts of another; nil if none is

	block              uint64
	clocks             []uint64         // by warp: the instructions that it has executed, and waited for
	latest             [barriers]uint64 // by barrier: the clock of the last warp that has arrived
	moves              []move           // of the operation under way
	moved              int32            // its pc
	mover              int32            // its warp
	offset             simd.Lanes       // scratch: the addresses of an access
	reach              simd.Reach
	sectorSet, wordSet set
}

// barriers is how many a block has.
const barriers = 16

// New returns counts of nothing, for blocks of so many warps.
func New(k *bytecode.Kernel, warps int) *Counts {
	c := &Counts{
		lines: make([]struct{ warps, threads int64 }, len(k.Code)+1), kernel: k, at: make([]driver.InstructionCounts, len(k.Code)), worst: make([]driver.WorstRequests, len(k.Code)),
		clocks: make([]uint64, warps), reach: simd.Reach{Last: 1<<63 - 1},
	}
	if slices.ContainsFunc(k.Places, func(p bytecode.Place) bool { return p.Part }) {
		c.parts = make([]int32, len(k.Places)+1)
		for pc, place := range k.Places {
			c.parts[pc+1] = c.parts[pc]
			if place.Part {
				c.parts[pc+1]++
			}
		}
	}
	return c
}

// Begin makes what follows that of a block of the grid.
func (c *Counts) Begin(block uint64) {
	c.block = block
	clear(c.clocks)
	clear(c.latest[:])
	c.moves = c.moves[:0]
}

// Count counts the instruction at pc, which the lanes of mask of a warp come to and e execute. regs are the registers of the warp.
func (c *Counts) Count(in *bytecode.Instr, pc int32, warp int, mask, e uint32, regs []simd.Lanes) {
	if len(c.moves) > 0 {
		c.settle()
	}
	at := &c.at[pc]
	at.Warps++
	at.Threads += uint64(bits.OnesCount32(mask))
	at.Executed += uint64(bits.OnesCount32(e))
	c.clocks[warp] += c.whole(pc, 1)
	switch in.Op {
	case bytecode.OpLoad, bytecode.OpStore, bytecode.OpAtomic:
		if e != 0 && !c.isFurther(in, pc) {
			c.access(in, at, pc, warp, e, &regs[in.A])
		}
	}
}

// isFurther reports whether in, at pc, updates an element of a vector behind the first one, which counts the access of them all.
func (c *Counts) isFurther(in *bytecode.Instr, pc int32) bool {
	return in.Op == bytecode.OpAtomic && pc > 0 && c.kernel.Places[pc-1].Part && c.kernel.Code[pc-1].Op == bytecode.OpAtomic
}

// Again says that lanes wait at the instruction at pc, which was counted, and come to it again.
func (c *Counts) Again(pc int32, warp int, lanes uint32, all bool) {
	at := &c.at[pc]
	at.Threads -= uint64(bits.OnesCount32(lanes))
	at.Executed -= uint64(bits.OnesCount32(lanes))
	if all {
		at.Warps--
		c.clocks[warp] -= c.whole(pc, 1)
	}
}

// Line counts n instructions from pc on, which the lanes of mask of a warp execute one behind the other. Whole counts what they access.
func (c *Counts) Line(pc int32, n, warp int, mask uint32) {
	threads := int64(bits.OnesCount32(mask))
	first, behind := &c.lines[pc], &c.lines[int(pc)+n]
	first.warps++
	first.threads += threads
	behind.warps--
	behind.threads -= threads
	c.clocks[warp] += c.whole(pc, n)
}

// whole is how many instructions of the PTX n from pc on are.
func (c *Counts) whole(pc int32, n int) uint64 {
	if c.parts != nil {
		n -= int(c.parts[int(pc)+n] - c.parts[pc])
	}
	return uint64(n)
}

// Whole counts an access of all lanes, by and their offsets behind one address, in shared or global memory.
func (c *Counts) Whole(in *bytecode.Instr, pc int32, warp int, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	r := request{at: &c.at[pc], pc: pc, warp: int32(warp), lanes: bytecode.Full, width: in.Width(), pattern: p, reads: in.Op == bytecode.OpLoad, offsets: offsets, by: by}
	if in.Space == bytecode.Shared {
		c.shared(&r)
	} else {
		c.global(&r)
	}
}

// Arrive says that a warp arrives at a barrier of the block.
func (c *Counts) Arrive(barrier, warp int, pc int32) {
	c.at[pc].BarrierArrivals++
	c.latest[barrier] = max(c.latest[barrier], c.clocks[warp])
}

// Depart says that a warp that has waited at pc leaves a barrier, at which all have arrived.
func (c *Counts) Depart(barrier, warp int, pc int32) {
	waited := max(c.latest[barrier], c.clocks[warp]) - c.clocks[warp] // whose other lanes may have gone on
	c.at[pc].BarrierWaits += waited
	c.clocks[warp] += waited
}

// Complete says that all that have waited at a barrier have left it.
func (c *Counts) Complete(barrier int) { c.latest[barrier] = 0 }

// Add adds what another has counted.
func (c *Counts) Add(other *Counts) {
	other.settle()
	for pc := range c.at {
		c.at[pc].Add(&other.at[pc])
		c.lines[pc].warps += other.lines[pc].warps
		c.lines[pc].threads += other.lines[pc].threads
		c.worst[pc].Join(&other.worst[pc])
	}
}

// Profile returns what was counted by instruction. What the bytecode has several instructions for counts once.
// It is called once.
func (c *Counts) Profile() (counts []driver.InstructionCounts, worst []driver.WorstRequests) {
	c.settle()
	var warps, threads int64
	for pc, place := range c.kernel.Places {
		warps += c.lines[pc].warps
		threads += c.lines[pc].threads
		c.at[pc].Warps += uint64(warps)
		c.at[pc].Threads += uint64(threads)
		c.at[pc].Executed += uint64(threads)
		if place.Part {
			c.at[pc].Warps, c.at[pc].Threads, c.at[pc].Executed = 0, 0, 0
		}
	}
	return c.at, c.worst
}

// access counts an access of the lanes e.
func (c *Counts) access(in *bytecode.Instr, at *driver.InstructionCounts, pc int32, warp int, e uint32, addrs *simd.Lanes) {
	c.reach.Mask, c.reach.Add = in.Mask, in.Offset
	c.reach.Width = in.Width()
	r := request{at: at, pc: pc, warp: int32(warp), lanes: e, width: in.Width(), atomic: in.Op == bytecode.OpAtomic, reads: in.Op == bytecode.OpLoad, offsets: &c.offset}
	if e == bytecode.Full {
		r.pattern = simd.Fast.Offsets(&c.offset, addrs, &c.reach)
	}
	if r.pattern == simd.Faulty || e != bytecode.Full { // a fault follows if all lanes execute, and some have lanes with any address
		r.pattern = simd.Anywhere
		for l := range c.offset {
			c.offset[l] = addrs[l]&in.Mask + in.Offset
		}
	}
	switch in.Space {
	case bytecode.Generic:
		c.generic(&r)
	case bytecode.Global:
		c.global(&r)
	case bytecode.Shared:
		c.shared(&r)
	case bytecode.Local:
		if !in.OfCall { // machine code has those in registers
			c.local(&r)
		}
	}
}

// generic counts the parts of a request that are in each space.
func (c *Counts) generic(r *request) {
	var parts [bytecode.Param + 1]uint32
	for e := r.lanes; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e)
		parts[spaceOf(c.offset[l])] |= 1 << l
	}
	for space, lanes := range parts {
		if lanes == 0 {
			continue
		}
		part := *r
		if part.lanes = lanes; lanes != r.lanes {
			part.pattern = simd.Anywhere
		}
		switch bytecode.Space(space) {
		case bytecode.Global:
			c.global(&part)
		case bytecode.Shared:
			c.shared(&part)
		case bytecode.Local:
			c.local(&part)
		}
	}
}

// spaceOf returns the space that a generic address is in.
func spaceOf(addr uint64) bytecode.Space {
	switch addr >> memory.OffsetBits {
	case memory.SharedWindow:
		return bytecode.Shared
	case memory.LocalWindow:
		return bytecode.Local
	case memory.ParamWindow:
		return bytecode.Param
	}
	return bytecode.Global
}
