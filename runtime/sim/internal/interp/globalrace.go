package interp

import (
	"fmt"
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// GlobalRaces finds data races in global memory: between blocks, warps of a block and lanes of a warp.
// What orders in a block is every barrier that completes, also one in memory, and within a warp bar.warp.sync. All else is ordered by
// what fences and strong accesses hand on, as far as their scopes scope. A fence or a release hands on all that its block has
// done, and what a strong read finds is known to its whole block behind a fence, an acquire or a barrier of the block: where that is more
// than PTX's memory model has, a race is not found, but none is made up. Blocks run one after another while it looks.
//
// PTX ISA, Memory Consistency Model: Scope, Morally strong operations, Release and Acquire Patterns.
type globalRaces struct {
	cells  map[uint64]*globalCell // by address / 4
	blocks map[uint64]*globalBlock
	handed map[handedAt]map[uint64]uint32 // the clocks of blocks that strong writes hand on
	meant  []bytecode.Semantics           // by pc
}

// A handedAt is where strong accesses of a scope meet: a place in memory, and the block, the cluster or the device that they are
// of. Shared memory belongs to a block.
type handedAt struct {
	addr, owner uint64
	scope       bytecode.MemoryScope
	within      uint64
}

// A globalBlock is what is known about a block, by its turn.
type globalBlock struct {
	cluster  uint64                                      // its number
	clock    uint32                                      // its fences
	known    map[uint64]uint32                           // up to which clock of other blocks it knows what they did
	released [bytecode.DeviceScope + 1]map[uint64]uint32 // by scope: what its strong writes hand on
	found    [bytecode.DeviceScope + 1]map[uint64]uint32 // by scope: what its strong reads have found
	epoch    uint32                                      // its barriers
	steps    []uint32                                    // of each warp: its bar.warp.syncs
}

// A globalCell is the accesses to a word that later ones may race with. Updates are in their order.
type globalCell struct{ writes, reads []globalAccess }

// A globalAccess is one of a thread to bytes of a word.
type globalAccess struct {
	block, cluster uint64
	index          driver.Dim3
	warp, lane     int32
	pc             int32
	clock, epoch   uint32
	step           uint32
	bytes          uint8
	observes       bool // it updates, and the kernel reads what was there
	kind           accessKind
	scope          bytecode.MemoryScope
	value          uint64
}

// maxGlobalAccesses is how many reads of a word, and how many writes, are kept that nothing orders.
const maxGlobalAccesses = 8

func newGlobalRaces(k *bytecode.Kernel) *globalRaces {
	return &globalRaces{cells: make(map[uint64]*globalCell), blocks: make(map[uint64]*globalBlock), handed: make(map[handedAt]map[uint64]uint32), meant: make([]bytecode.Semantics, len(k.Code))}
}

// of returns what is known about b.
func (g *globalRaces) of(b *block) *globalBlock {
	known := g.blocks[b.key()]
	if known == nil {
		known = &globalBlock{cluster: b.key(), clock: 1, known: make(map[uint64]uint32), steps: make([]uint32, len(b.warps))}
		if b.cluster != nil {
			known.cluster = b.cluster.blocks[0].key()
		}
		g.blocks[b.key()] = known
	}
	return known
}

// SemanticsOf returns what the instruction at pc orders by itself.
func (g *globalRaces) semanticsOf(k *bytecode.Kernel, pc int32) bytecode.Semantics {
	if g.meant[pc].Ordering == bytecode.UnknownOrdering {
		g.meant[pc] = k.SemanticsOf(pc)
	}
	return g.meant[pc]
}

// key is the number of b in its grid.
func (b *block) key() uint64 {
	return uint64(b.index.X) + uint64(b.cfg.Grid.X)*(uint64(b.index.Y)+uint64(b.cfg.Grid.Y)*uint64(b.index.Z))
}

// barrier notes that the threads of a block have met. Behind it all of them know what strong reads of one have found: that one
// thread asks and others read behind __syncthreads() is how CUDA's guide has it.
func (g *globalRaces) barrier(b *block) {
	of := g.of(b)
	of.epoch++
	of.acquire(bytecode.DeviceScope)
}

// meet notes that lanes of a warp have met.
func (g *globalRaces) meet(b *block, w *warp) { g.of(b).steps[w.number()]++ }

// clusterBarrier notes that the threads of blocks have met.
func (g *globalRaces) clusterBarrier(blocks []*block) {
	all := make(map[uint64]uint32)
	for _, b := range blocks {
		g.barrier(b)
		g.fence(b, bytecode.ClusterScope)
		all = joinKnown(all, g.of(b).released[bytecode.ClusterScope])
	}
	for _, b := range blocks {
		g.of(b).known = joinKnown(g.of(b).known, all)
	}
}

// fence makes known what strong reads of b have found, and lets its strong writes hand on what it has done, both up to a scope.
func (g *globalRaces) fence(b *block, scope bytecode.MemoryScope) {
	of := g.of(b)
	of.acquire(scope)
	all := joinKnown(joinKnown(nil, of.known), map[uint64]uint32{b.key(): of.clock})
	for s := bytecode.BlockScope; s <= scope; s++ {
		of.released[s] = all
	}
	of.clock++
}

// acquire makes known what strong reads have found, up to a scope.
func (of *globalBlock) acquire(scope bytecode.MemoryScope) {
	for s := bytecode.BlockScope; s <= scope; s++ {
		if of.found[s] != nil {
			of.known, of.found[s] = joinKnown(of.known, of.found[s]), nil
		}
	}
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
func (g *globalRaces) access(b *block, w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind) {
	if in.Space > bytecode.Shared || in.Space == bytecode.Constant {
		return
	}
	scope, order := bytecode.WeakScope, bytecode.OrdersNothing
	if kind == updates || in.Strong {
		meant := g.semanticsOf(b.k, pc)
		if scope, order = meant.Scope, meant.Ordering; order >= bytecode.Releases {
			g.fence(b, scope)
		}
	}
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		addr := w.regs[in.A][l]&in.Mask + in.Offset
		if scope != bytecode.WeakScope {
			g.hand(b, in.Space, addr, kind, scope)
		}
		if in.Space == bytecode.Shared || addr>>memory.OffsetBits < memory.FirstID {
			continue
		}
		for n := range max(1, in.Elems) {
			value := unknown
			if kind == writes {
				value = w.regs[in.Vec[n]][l]
			}
			g.span(b, w, pc, l, addr+uint64(n*in.Size), uint64(in.Size), kind, scope, value, kind == updates && in.Returns)
		}
	}
	if order == bytecode.Acquires || order == bytecode.AcquiresAndReleases {
		g.of(b).acquire(scope)
	}
}

// touch notes an access of an operation.
func (g *globalRaces) touch(b *block, w *warp, pc int32, lane int, space bytecode.Space, addr, width uint64, kind accessKind) {
	meant := bytecode.Semantics{Ordering: bytecode.OrdersNothing}
	if kind == updates {
		if meant = g.semanticsOf(b.k, pc); meant.Ordering >= bytecode.Releases {
			g.fence(b, meant.Scope)
		}
		g.hand(b, space, addr, kind, meant.Scope)
	}
	if space != bytecode.Shared && addr>>memory.OffsetBits >= memory.FirstID {
		g.span(b, w, pc, lane, addr, width, kind, meant.Scope, unknown, kind == updates)
	}
	if meant.Ordering == bytecode.Acquires || meant.Ordering == bytecode.AcquiresAndReleases {
		g.of(b).acquire(meant.Scope)
	}
}

// hand passes knowledge on through strong accesses to addr, in each scope up to theirs.
func (g *globalRaces) hand(b *block, space bytecode.Space, addr uint64, kind accessKind, scope bytecode.MemoryScope) {
	of := g.of(b)
	at := handedAt{addr: addr}
	if space == bytecode.Shared || addr>>memory.OffsetBits == memory.SharedWindow {
		at.addr, at.owner = memory.SharedWindow<<memory.OffsetBits|addr&(1<<memory.PeerShift-1), b.key()
		if peer, ok := b.peer(addr); ok && addr&peerMask != 0 {
			at.owner = peer.key()
		}
	} else if addr>>memory.OffsetBits < memory.FirstID {
		return
	}
	within := [...]uint64{bytecode.BlockScope: b.key(), bytecode.ClusterScope: of.cluster, bytecode.DeviceScope: 0}
	for s := bytecode.BlockScope; s <= scope; s++ {
		at.scope, at.within = s, within[s]
		if found := g.handed[at]; found != nil && kind != writes {
			of.found[s] = joinKnown(of.found[s], found)
		}
		if kind != reads && of.released[s] != nil {
			g.handed[at] = joinKnown(g.handed[at], of.released[s])
		}
	}
}

// span checks the words of an access to width bytes.
func (g *globalRaces) span(b *block, w *warp, pc int32, lane int, addr, width uint64, kind accessKind, scope bytecode.MemoryScope, value uint64, observes bool) {
	of := g.of(b)
	a := globalAccess{block: b.key(), cluster: of.cluster, index: b.index, warp: int32(w.number()), lane: int32(lane), pc: pc, clock: of.clock, epoch: of.epoch, step: of.steps[w.number()], kind: kind, scope: scope, observes: observes}
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
	cell.writes = g.compare(b, w, cell.writes, &a, at)
	if a.kind == reads {
		cell.reads = keepAccess(g.dropKnown(b, cell.reads, &a), a)
		return
	}
	cell.reads = g.compare(b, w, cell.reads, &a, at)
	cell.writes = keepAccess(cell.writes, a)
}

// compare reports the races between an access and those before, and returns those with which later ones may race besides.
func (g *globalRaces) compare(b *block, w *warp, before []globalAccess, a *globalAccess, at uint64) []globalAccess {
	of := g.of(b)
	kept := before[:0]
	for n, old := range before {
		same := a.kind == writes && old.kind == writes && old.value == a.value && old.bytes == a.bytes && a.value != unknown
		ordered, strong := of.after(a, &old), a.morallyStrong(&old)
		races := old.bytes&a.bytes != 0 && !same && !strong && !ordered
		if races && of.observed(a, &old, before[n+1:]) {
			ordered, races = true, false
		}
		if races {
			g.report(b, w, a, &old, at)
		}
		if a.kind == reads || old.bytes&^a.bytes != 0 || !races && !same && !(ordered && a.scope <= old.scope) {
			kept = append(kept, old)
		}
	}
	return kept
}

// dropKnown returns the reads with which later writes may race besides the read a.
func (g *globalRaces) dropKnown(b *block, before []globalAccess, a *globalAccess) []globalAccess {
	of := g.of(b)
	kept := before[:0]
	for _, old := range before {
		if old.bytes&^a.bytes != 0 || a.scope > old.scope || !of.after(a, &old) {
			kept = append(kept, old)
		}
	}
	return kept
}

// keepAccess adds a to the end of a list. If there are too many, it replaces a strong one: of its block, or the first if a is plain or
// observes those before; else a plain one of a warp that has two others. Else it is lost.
func keepAccess(list []globalAccess, a globalAccess) []globalAccess {
	if len(list) < maxGlobalAccesses {
		return append(list, a)
	}
	for n := range list {
		if list[n].scope != bytecode.WeakScope && (a.scope == bytecode.WeakScope || a.observes || list[n].block == a.block) {
			return append(append(list[:n], list[n+1:]...), a)
		}
	}
	for n := range list {
		if list[n].scope == bytecode.WeakScope && !list[n].ofWarp(&a) && likes(list[:n], &list[n]) >= 2 {
			return append(append(list[:n], list[n+1:]...), a)
		}
	}
	return list
}

// likes is how many accesses of a list are as one is, but for their lanes.
func likes(list []globalAccess, one *globalAccess) (n int) {
	for i := range list {
		if o := &list[i]; o.ofWarp(one) && o.scope == one.scope && o.clock == one.clock && o.epoch == one.epoch && o.step == one.step && one.bytes&^o.bytes == 0 {
			n++
		}
	}
	return n
}

// ofWarp reports whether two accesses are of one warp.
func (a *globalAccess) ofWarp(o *globalAccess) bool { return a.block == o.block && a.warp == o.warp }

// morallyStrong reports whether two accesses are strong, and each is in the scope of the other.
func (a *globalAccess) morallyStrong(old *globalAccess) bool {
	scope := min(a.scope, old.scope)
	switch {
	case a.block == old.block:
		return scope >= bytecode.BlockScope
	case a.cluster == old.cluster:
		return scope >= bytecode.ClusterScope
	}
	return scope >= bytecode.DeviceScope
}

// after reports whether a comes after old.
func (of *globalBlock) after(a, old *globalAccess) bool {
	switch {
	case a.block != old.block:
		return of.known[old.block] >= old.clock
	case a.warp == old.warp && a.lane == old.lane, a.epoch > old.epoch:
		return true
	case a.warp == old.warp && a.step > old.step:
		return true
	}
	return of.known[a.block] >= old.clock // handed on within the block
}

// observed reports whether a, which is plain, comes behind an update that has observed old: one that is in since, what came
// behind old. The updates of a word have one order: the block whose atomic finds that all have come may use the word plainly.
//
// PTX ISA, Memory Consistency Model: Coherence.
func (of *globalBlock) observed(a, old *globalAccess, since []globalAccess) bool {
	if old.kind != updates || a.scope != bytecode.WeakScope {
		return false
	}
	for n := range since {
		if own := &since[n]; own.observes && own.block == a.block && old.bytes&^own.bytes == 0 && own.morallyStrong(old) && of.after(a, own) {
			return true
		}
	}
	return false
}

// convincing says how convincing the race between a and an access before is.
func (a *globalAccess) convincing(k *bytecode.Kernel, old *globalAccess) (c convincing) {
	if a.scope == bytecode.WeakScope && old.scope == bytecode.WeakScope {
		c |= plainly
	}
	if !k.SameLine(a.pc, old.pc) {
		c |= elsewhere
	}
	if !a.ofWarp(old) {
		c |= ofOtherWarp
	}
	if a.block != old.block {
		c |= ofOtherBlock
	}
	return c
}

// report reports the race between a and an access before.
func (g *globalRaces) report(b *block, w *warp, a, old *globalAccess, at uint64) {
	b.reportRace(placeOf{check: racecheck, pc: a.pc, other: old.pc, global: true}, a.convincing(b.k, old), false, func() *Failure {
		does := [...]string{"reads", "writes", "updates"}[a.kind]
		did := [...]string{"read", "wrote", "updated"}[old.kind]
		t := b.thread(int(old.warp)*bytecode.WarpSize + int(old.lane))
		who := fmt.Sprintf("thread (%d,%d,%d)", t.X, t.Y, t.Z)
		mend := "put __syncthreads() between, or use an atomic"
		if b.k.SameLine(a.pc, old.pc) {
			mend = "let one thread do that, use an atomic, or put __syncthreads() between turns of a loop"
		}
		switch {
		case a.block != old.block:
			who += fmt.Sprintf(" of block (%d,%d,%d)", old.index.X, old.index.Y, old.index.Z)
			mend = "use an atomic, hand it over by a flag with __threadfence() before it is set and behind where it is read, give each block memory of its own, or use two launches"
			if a.scope != bytecode.WeakScope && old.scope != bytecode.WeakScope {
				mend = "an operation of the block's scope is no atomic for other blocks: use one of the device's"
			}
		case a.warp == old.warp:
			who += " of the same warp"
			mend = "put __syncwarp() between, or use an atomic"
			if b.k.SameLine(a.pc, old.pc) {
				mend = "let one thread do that, or use an atomic"
			}
		}
		if a.kind == reads && old.kind == updates || a.kind == updates && old.kind == reads {
			mend += guessed
		}
		where := ""
		if alloc := memory.AllocationOf(at >> memory.OffsetBits); alloc != nil {
			where = fmt.Sprintf(" (offset %d of %d%v)", at&memory.OffsetMask, alloc.Size, memory.ProvenanceOf(at))
		}
		f := b.accessFault(w, a.pc, int(a.lane), at, driver.ErrorLaunchFailed, "race: %s global address %#x%s, which %s %s at %s, with nothing between that orders them: %s", does, at, where, who, did, b.k.Where(old.pc), mend)
		f.Allocated = memory.ProvenanceOf(at).Allocated
		return f
	})
}
