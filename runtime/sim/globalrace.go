package sim

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// globalRaces finds data races in global memory: between blocks, warps of a block and lanes of a warp.
// What orders in a block is every barrier that completes, also one in memory, and within a warp bar.warp.sync. Between blocks it
// is what fences and strong accesses hand on. A fence or a release hands on all that its block has done, and
// every strong read takes what it finds: where that is more than PTX's memory model has, a race
// is not found, but none is made up. Blocks run one after another while it looks.
type globalRaces struct {
	cells  map[uint64]*globalCell // by address / 4
	blocks map[uint64]*globalBlock
	handed map[uint64]map[uint64]uint32 // by address: the clocks of blocks that strong writes hand on
}

// A globalBlock is what is known about a block, by its turn.
type globalBlock struct {
	clock    uint32            // its fences
	known    map[uint64]uint32 // up to which clock of other blocks it knows what they did
	released map[uint64]uint32 // what its strong writes hand on
	epoch    uint32            // its barriers
	steps    []uint32          // of each warp: its bar.warp.syncs
}

// A globalCell is the accesses to a word that later ones may race with.
type globalCell struct{ writes, reads []globalAccess }

// A globalAccess is one of a thread to bytes of a word.
type globalAccess struct {
	block        uint64
	index        driver.Dim3
	warp, lane   int32
	pc           int32
	clock, epoch uint32
	step         uint32
	bytes        uint8
	kind         accessKind
	strong       bool
	value        uint64
}

// maxGlobalReads is how many reads of a word are kept that nothing orders.
const maxGlobalReads = 8

func newGlobalRaces() *globalRaces {
	return &globalRaces{cells: make(map[uint64]*globalCell), blocks: make(map[uint64]*globalBlock), handed: make(map[uint64]map[uint64]uint32)}
}

func (g *globalRaces) of(b *block) *globalBlock {
	known := g.blocks[b.key()]
	if known == nil {
		known = &globalBlock{clock: 1, known: make(map[uint64]uint32), steps: make([]uint32, len(b.warps))}
		g.blocks[b.key()] = known
	}
	return known
}

// key is the number of b in its grid.
func (b *block) key() uint64 {
	return uint64(b.index.X) + uint64(b.cfg.Grid.X)*(uint64(b.index.Y)+uint64(b.cfg.Grid.Y)*uint64(b.index.Z))
}

// barrier and meet note that the threads of a block, or lanes of a warp, have met.
func (g *globalRaces) barrier(b *block)       { g.of(b).epoch++ }
func (g *globalRaces) meet(b *block, w *warp) { g.of(b).steps[w.number()]++ }

// clusterBarrier notes that the threads of blocks have met.
func (g *globalRaces) clusterBarrier(blocks []*block) {
	all := make(map[uint64]uint32)
	for _, b := range blocks {
		g.barrier(b)
		g.fence(b)
		all = joinKnown(all, g.of(b).released)
	}
	for _, b := range blocks {
		g.of(b).known = joinKnown(g.of(b).known, all)
	}
}

// fence lets strong writes of b hand on what it has done.
func (g *globalRaces) fence(b *block) {
	of := g.of(b)
	of.released = joinKnown(joinKnown(nil, of.known), map[uint64]uint32{b.key(): of.clock})
	of.clock++
}

func joinKnown(a, b map[uint64]uint32) map[uint64]uint32 {
	if a == nil {
		a = make(map[uint64]uint32, len(b))
	}
	for k, v := range b {
		a[k] = max(a[k], v)
	}
	return a
}

// access notes what in is about to do in the lanes of set.
func (g *globalRaces) access(b *block, w *warp, in *instr, pc int32, set uint32, kind accessKind) {
	if in.space != global && in.space != generic {
		return
	}
	strong := kind == updates || in.strong
	text := b.k.places[pc].text
	if strong && (strings.Contains(text, ".release") || strings.Contains(text, ".acq_rel")) {
		g.fence(b)
	}
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		addr := w.regs[in.a][l]&in.mask + in.offset
		if addr>>offsetBits < firstID {
			continue
		}
		if strong {
			g.hand(b, addr, kind)
		}
		for n := range max(1, in.elems) {
			value := unknown
			if kind == writes {
				value = w.regs[in.vec[n]][l]
			}
			g.span(b, w, pc, l, addr+uint64(n*in.size), uint64(in.size), kind, strong, value)
		}
	}
}

// touch notes an access of an operation.
func (g *globalRaces) touch(b *block, w *warp, pc int32, lane int, addr, width uint64, write bool) {
	if addr>>offsetBits < firstID {
		return
	}
	kind := reads
	if write {
		kind = writes
	}
	g.span(b, w, pc, lane, addr, width, kind, false, unknown)
}

// hand passes knowledge on through strong accesses to addr.
func (g *globalRaces) hand(b *block, addr uint64, kind accessKind) {
	of := g.of(b)
	if found := g.handed[addr]; found != nil && kind != writes {
		of.known = joinKnown(of.known, found)
	}
	if kind != reads && of.released != nil {
		g.handed[addr] = joinKnown(g.handed[addr], of.released)
	}
}

// span checks the words of an access to width bytes.
func (g *globalRaces) span(b *block, w *warp, pc int32, lane int, addr, width uint64, kind accessKind, strong bool, value uint64) {
	of := g.of(b)
	a := globalAccess{block: b.key(), index: b.index, warp: int32(w.number()), lane: int32(lane), pc: pc, clock: of.clock, epoch: of.epoch, step: of.steps[w.number()], kind: kind, strong: strong}
	for at := addr; at < addr+width; at = at&^3 + 4 {
		n := min(addr+width, at&^3+4) - at
		a.bytes, a.value = uint8(1<<n-1)<<(at&3), unknown
		if value != unknown {
			a.value = value >> (8 * (at - addr)) & (1<<(8*n) - 1)
		}
		cell := g.cells[at/4]
		if cell == nil {
			cell = new(globalCell)
			g.cells[at/4] = cell
		}
		g.check(b, w, cell, a, at)
	}
}

// check compares an access with those before, and keeps it.
func (g *globalRaces) check(b *block, w *warp, cell *globalCell, a globalAccess, at uint64) {
	of := g.of(b)
	kept := cell.writes[:0]
	for _, old := range cell.writes {
		same := a.kind == writes && old.value == a.value && old.bytes == a.bytes && a.value != unknown
		ordered := of.after(&a, &old)
		if old.bytes&a.bytes != 0 && !same && !(a.strong && old.strong) && !ordered {
			g.report(b, w, &a, &old, at)
		}
		if a.kind == reads || old.bytes&^a.bytes != 0 {
			kept = append(kept, old)
		}
	}
	cell.writes = kept
	if a.kind == reads {
		for n := range cell.reads {
			if old := &cell.reads[n]; of.after(&a, old) && old.bytes&^a.bytes == 0 {
				*old = a
				return
			}
		}
		if len(cell.reads) < maxGlobalReads {
			cell.reads = append(cell.reads, a)
		}
		return
	}
	kept = cell.reads[:0]
	for _, old := range cell.reads {
		if old.bytes&a.bytes != 0 && !(a.strong && old.strong) && !of.after(&a, &old) {
			g.report(b, w, &a, &old, at)
		}
		if old.bytes&^a.bytes != 0 {
			kept = append(kept, old)
		}
	}
	cell.reads = kept
	cell.writes = append(cell.writes, a)
}

// after reports whether a comes after old.
func (of *globalBlock) after(a, old *globalAccess) bool {
	switch {
	case a.block != old.block:
		return of.known[old.block] >= old.clock
	case a.warp == old.warp && a.lane == old.lane, a.epoch > old.epoch:
		return true
	case a.warp == old.warp:
		return a.step > old.step
	}
	return of.known[a.block] >= old.clock // handed on within the block
}

// report reports the race between a and an access before.
func (g *globalRaces) report(b *block, w *warp, a, old *globalAccess, at uint64) {
	b.report(placeOf{racecheck, a.pc, old.pc}, func() *failure {
		does := [...]string{"reads", "writes", "updates"}[a.kind]
		did := [...]string{"read", "wrote", "updated"}[old.kind]
		t := b.thread(int(old.warp)*warpSize + int(old.lane))
		who := fmt.Sprintf("thread (%d,%d,%d)", t.X, t.Y, t.Z)
		mend := "put __syncthreads() between, or use an atomic"
		switch {
		case a.block != old.block:
			who += fmt.Sprintf(" of block (%d,%d,%d)", old.index.X, old.index.Y, old.index.Z)
			mend = "use an atomic, give each block memory of its own, or use two launches"
		case a.warp == old.warp:
			who += " of the same warp"
			mend = "put __syncwarp() between, or use an atomic"
			if a.pc == old.pc {
				mend = "let one thread write, or use an atomic"
			}
		}
		where := ""
		if alloc := allocationOf(at >> offsetBits); alloc != nil {
			where = fmt.Sprintf(" (offset %d of %d%v)", at&offsetMask, alloc.size, provenanceOf(at))
		}
		f := b.accessFault(w, a.pc, int(a.lane), at, driver.ErrorLaunchFailed, "race: %s global address %#x%s, which %s %s at %s, with nothing between that orders them: %s", does, at, where, who, did, b.k.where(old.pc), mend)
		f.Allocated = provenanceOf(at).allocated
		return f
	})
}
