package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// Products of warpgroups run by themselves: they read their operands in shared memory until their group is waited
// for. Registers need no look: ptxas waits before an instruction that uses one of a product that is under way.
//
// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: wgmma.commit_group, wgmma.wait_group.

// A pendingProduct is what the products of a group still read, of one warp and instruction.
type pendingProduct struct {
	w     *warp
	pc    int32
	group uint32   // of the warp, from 1
	units []uint64 // of so many bytes of shared memory: a bit each
}

// unitBytes is what a product reads at a time.
const unitBytes = tensormap.ChunkBytes

// products is what is known about the products of the blocks.
type products struct {
	committed []uint32 // groups, by warp
	pending   []*pendingProduct
	reading   *pendingProduct // of the product that is being executed, or nil
}

// maxProducts is how many products are known at a time.
const maxProducts = 4096

// beginProduct notes that a product of w begins. What is read until endProduct is read until its group is waited for.
func (r *races) beginProduct(w *warp, pc int32) {
	p, n := &r.products, r.number(w)
	if p.committed == nil {
		p.committed = make([]uint32, r.warps)
	}
	group := p.committed[n] + 1
	for _, known := range p.pending {
		if known.w == w && known.pc == pc && known.group == group {
			p.reading = known
			return
		}
	}
	if len(p.pending) < maxProducts {
		p.reading = &pendingProduct{w: w, pc: pc, group: group, units: make([]uint64, len(r.writes)/unitBytes/64+1)}
		p.pending = append(p.pending, p.reading)
	}
}

func (r *races) endProduct() { r.products.reading = nil }

// mark notes that cells are read.
func (p *pendingProduct) mark(from, width uint64) {
	for unit := from / unitBytes; unit <= (from+width-1)/unitBytes; unit++ {
		p.units[unit/64] |= 1 << (unit % 64)
	}
}

// reads reports whether a cell is read.
func (p *pendingProduct) reads(cell uint64) bool {
	return p.units[cell/unitBytes/64]>>(cell/unitBytes%64)&1 != 0
}

// commitProducts and waitProducts are about the groups of products of w.
func (r *races) commitProducts(w *warp) {
	if c := r.products.committed; c != nil {
		c[r.number(w)]++
	}
}

// waitProducts makes the reads of products reads of w itself, except those of the last groups and
// of products without a group.
func (r *races) waitProducts(w *warp, last uint64) {
	p := &r.products
	if p.committed == nil {
		return
	}
	committed := uint64(p.committed[r.number(w)])
	rest := p.pending[:0]
	for _, known := range p.pending {
		if known.w != w || uint64(known.group) > committed-min(last, committed) {
			rest = append(rest, known)
			continue
		}
		for n, word := range known.units {
			for ; word != 0; word &= word - 1 {
				r.touch(w, known.pc, 0, uint64(64*n+bits.TrailingZeros64(word))*unitBytes, unitBytes, reads)
			}
		}
	}
	clear(p.pending[len(rest):])
	p.pending = rest
}

// checkProducts reports a write to a cell that a product still reads.
func (r *races) checkProducts(a *access, cell uint64) {
	for _, p := range r.products.pending {
		if p.reads(cell) {
			r.race(a, bits.TrailingZeros32(a.lanes), cell, earlier{warp: r.number(p.w), pc: p.pc, did: productReads})
			return
		}
	}
}

// A warpgroupGroup is wgmma.commit_group or wgmma.wait_group.
type warpgroupGroup struct {
	commit bool
	last   uint64 // groups that a wait does not wait for
}

func (g *warpgroupGroup) Registers() []*int32 { return nil }

// run does nothing but for what looks for races: products are done when they begin.
func (g *warpgroupGroup) run(b *block, w *warp, _ *bytecode.Instr, _ int32, e uint32) *Failure {
	switch r := b.races; {
	case r == nil:
	case !w.together(e):
		return wait
	case g.commit:
		r.commitProducts(w)
	default:
		r.waitProducts(w, g.last)
	}
	return nil
}
