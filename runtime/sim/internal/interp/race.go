package interp

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// races finds data races in the shared memory of a block, or of the blocks of a cluster: two threads reach a byte, one of them
// writes it, at least one access is weak, and nothing orders them. What orders is what PTX's
// memory model has: barriers of the block, of the cluster and in memory, bar.warp.sync, and strong accesses with
// fences. That lanes of a warp run in lockstep does not. A copy that runs by itself is done for those who have
// waited for it, and for those who know that.
//
// PTX ISA, Memory Consistency Model: Morally strong operations, Causality order, Data races.
//
// Time is counted in columns: one for each warp; one for the copies (cp.async) of each warp, whose time is that of
// their groups; and one for the bulk copies that complete at an mbarrier. Within a warp it is counted by the lanes'
// meetings, too. It goes on from block to block, so that what an earlier block left in the shadow is known to be old.
type races struct {
	blocks []*block // of the cluster, by rank; one without clusters
	warps  int      // of all blocks
	bytes  uint64   // of the shared memory of a block, in whole words

	time   uint32       // all of earlier blocks is at most this old
	known  []knowledge  // by warp; its own time is its clock
	met    []uint32     // by warp: its time when all its lanes last met
	times  []uint32     // by column of copies: the last time
	fenced []*knowledge // by warp: what its strong stores hand on, since its last fence; or nil
	found  []*knowledge // by warp: what its strong loads have found; a fence makes it known
	exited knowledge
	bars   [][barrierCount]knowledge // by block
	handed map[uint64]*knowledge     // by address: what strong stores have handed on

	mbarriers map[unsafe.Pointer]*sharedBarrier
	cluster   sharedBarrier
	copies    []warpCopies // by warp
	pending   []pendingRead
	products  products
	copying   bool // the blocks have begun copies that may be under way

	collecting bool // what a copy writes, of which the mbarrier is not known yet
	collected  []cellRange

	step  uint32                                         // counts meetings of lanes
	meets [][bytecode.WarpSize][bytecode.WarpSize]uint32 // [w][l][m]: the step from which on lane l of w knows all that lane m did
	own   [][bytecode.WarpSize]uint32                    // [w][l]: up to which time of w lane l knows by other ways what w did
	whole []uint32                                       // [w]: the step at which all lanes of w last met

	logged    raceLog
	plainly   bool // each access is checked by itself
	replaying bool // accesses are those of the log

	// Bytes have a cell each: those of a block behind those of the block before. As long as whole words are
	// accessed, the cell of a word's first byte is that of all four.
	instance uint32 // counts instructions
	split    []bool // by word
	writes   []written
	beside   [][]written         // pages of cells, each with a write of another warp that nothing orders with the last; nil where there is none
	reads    [][]reading         // pages of cells, each with what each warp has read; nil where nobody has
	updates  [][]reading         // the same, of atomics: they do not hide what is not atomic, nor does that hide them
	mixed    []lanePlaces        // of readings whose lanes have read at several places
	unmixed  []int32             // those of mixed that are not in use
	order    []bytecode.Ordering // by pc
}

// written is the last write of a cell.
type written struct {
	clock, step, instance uint32
	value                 uint64
	pc                    int32
	column, warp          uint16 // the column of its time, and whose instruction it was
	lane                  uint8
	strength              strength
}

// reading is what lanes of one warp have read of a cell since they last met, or updated.
type reading struct {
	clock, step uint32
	lanes       uint32
	pc          int32 // of all lanes; or, below 0, ^pc is the number in mixed of where each was
	strength    strength
}

// lanePlaces is the pc of each lane.
type lanePlaces [bytecode.WarpSize]int32

// cellsOfPage is how many cells have a page of reads.
const cellsOfPage = 64

// newRaces returns what looks for races between the threads of blocks, which reach each other's shared memory.
func newRaces(blocks ...*block) *races {
	perBlock := len(blocks[0].warps)
	r := &races{blocks: blocks, warps: perBlock * len(blocks), bytes: uint64(bytecode.RoundUp(int64(blocks[0].sharedBytes), 4))}
	r.known, r.met, r.times = make([]knowledge, r.warps), make([]uint32, r.warps), make([]uint32, r.warps)
	r.fenced, r.found = make([]*knowledge, r.warps), make([]*knowledge, r.warps)
	r.bars, r.copies = make([][barrierCount]knowledge, len(blocks)), make([]warpCopies, r.warps)
	r.meets, r.own = make([][bytecode.WarpSize][bytecode.WarpSize]uint32, r.warps), make([][bytecode.WarpSize]uint32, r.warps)
	r.whole = make([]uint32, r.warps)
	for rank, b := range blocks {
		for n := range b.warps {
			b.warps[n].racing = rank*perBlock + n
		}
	}
	cells := r.bytes * uint64(len(blocks))
	r.split = make([]bool, cells/4)
	r.logged = raceLog{filter: make([]uint32, cells/4), now: oneMore}
	r.writes = make([]written, cells)
	r.reads = make([][]reading, (cells+cellsOfPage-1)/cellsOfPage)
	r.updates = make([][]reading, len(r.reads))
	r.beside = make([][]written, len(r.reads))
	return r
}

// lookForRaces has b look for races in its shared memory, with the other blocks of its cluster.
func (b *block) lookForRaces() {
	switch {
	case b.cluster == nil:
		b.races = newRaces(b)
	case b == b.cluster.blocks[0]:
		b.races = newRaces(b.cluster.blocks...)
	default:
		b.races = b.cluster.blocks[0].races
	}
}

// isYoung reports whether the times of r are far from their end. r may be nil.
func (r *races) isYoung() bool { return r == nil || max(r.time, r.step, r.instance) < 1<<31 }

// begin starts the blocks.
func (r *races) begin() {
	for w := range r.known {
		r.time = max(r.time, r.known[w].of(w))
	}
	for _, t := range r.times {
		r.time = max(r.time, t)
	}
	for w := range r.known {
		k := &r.known[w]
		k.forget()
		k.learn(r.warps-1, 0)
		for v := range r.warps {
			k.clocks[v] = r.time
		}
		k.clocks[w]++
		r.met[w], r.fenced[w], r.found[w] = r.time, nil, nil
		r.own[w] = [bytecode.WarpSize]uint32{}
		r.copies[w] = warpCopies{}
	}
	r.times = r.times[:r.warps]
	for n := range r.times {
		r.times[n] = r.time
	}
	for n := range r.bars {
		r.bars[n] = [barrierCount]knowledge{}
	}
	clear(r.split)
	r.logged.nextPhase()
	r.mixed, r.unmixed = r.mixed[:0], r.unmixed[:0]
	r.pending, r.copying = nil, false
	r.collecting, r.products = false, products{}
	r.exited, r.cluster, r.handed, r.mbarriers = knowledge{}, sharedBarrier{}, nil, nil
}

// number is w's in its block.
func (w *warp) number() int { return w.first / bytecode.WarpSize }

// number is w's among the warps of all blocks.
func (r *races) number(w *warp) int { return w.racing }

// block is that of a warp, by its number.
func (r *races) block(warp int) *block { return r.blocks[warp/len(r.blocks[0].warps)] }

// rank is that of w's block.
func (r *races) rank(w *warp) int { return w.racing / len(r.blocks[0].warps) }

// rankOf is that of a block.
func (r *races) rankOf(b *block) int { return slices.Index(r.blocks, b) }

// firstOf is the first cell of the shared memory of w's block.
func (r *races) firstOf(w *warp) uint64 {
	if len(r.blocks) == 1 {
		return 0
	}
	return uint64(r.rank(w)) * r.bytes
}

// cellsAt returns the number of the first cell of the shared memory at base, or false.
func (r *races) cellsAt(base unsafe.Pointer) (first uint64, ok bool) {
	for rank, b := range r.blocks {
		if b.sharedBytes > 0 && base == unsafe.Pointer(unsafe.SliceData(b.shared)) {
			return uint64(rank) * r.bytes, true
		}
	}
	return 0, false
}

// rowOf returns what each warp has read of a cell, or updated, or nil if none has. room makes room for it.
func (r *races) rowOf(pages [][]reading, cell uint64, room bool) []reading {
	page := pages[cell/cellsOfPage]
	if page == nil {
		if !room {
			return nil
		}
		page = make([]reading, cellsOfPage*r.warps)
		pages[cell/cellsOfPage] = page
	}
	row := int(cell%cellsOfPage) * r.warps
	return page[row : row+r.warps]
}

// orderingOf returns what the instruction at pc orders by itself, as .acquire and .release do.
func (r *races) orderingOf(pc int32) bytecode.Ordering {
	k := r.blocks[0].k
	if r.order == nil {
		r.order = make([]bytecode.Ordering, len(k.Code))
	}
	if r.order[pc] == bytecode.UnknownOrdering {
		r.order[pc] = k.SemanticsOf(pc).Ordering
	}
	return r.order[pc]
}

// access notes what in does in the lanes of set, whose addresses are in w.at, and reports the races
// that it is part of.
func (r *races) access(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind) {
	first, ok := r.cellsAt(w.at.Base)
	if !ok {
		return
	}
	if r.plainly || !r.log(w, in, pc, set, kind, first, &w.at.Offset, simd.Anywhere) {
		r.accessEach(w, in, pc, set, kind, first)
	}
}

// accessEach checks an access lane by lane.
func (r *races) accessEach(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind, first uint64) {
	for m := set; m != 0; m &= m - 1 {
		r.checkEach(first+w.at.Offset[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)], in.Width())
	}
	n := r.number(w)
	clock := r.known[n].clocks[n]
	strong := kind == updates || in.Strong
	if strong {
		if o := r.orderingOf(pc); o >= bytecode.Releases {
			r.publish(w, set)
			clock = r.known[n].clocks[n]
		}
	}
	r.note32(w, in, pc, set, kind, clock, first, &w.at.Offset)
	if strong {
		if o := r.orderingOf(pc); o == bytecode.Acquires || o == bytecode.AcquiresAndReleases {
			r.acquire(w, set, r.found[n])
		}
	}
}

// note32 notes what in does in the lanes of set at offsets from cell first.
func (r *races) note32(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind, clock uint32, first uint64, offset *simd.Lanes) {
	r.instance++
	a := access{w: w, warp: r.number(w), pc: pc, clock: clock, kind: kind, strength: strengthOf(in, kind)}
	a.column = a.warp
	width := in.Width()
	for rest := set; rest != 0; {
		lane := bits.TrailingZeros32(rest) & (bytecode.WarpSize - 1)
		from := offset[lane]
		a.lanes = 1 << lane
		if kind == reads { // neighbours that read the same
			for l := lane + 1; l < bytecode.WarpSize && rest>>l&1 != 0 && offset[l] == from; l++ {
				a.lanes |= 1 << l
			}
		}
		rest &^= a.lanes
		r.span(&a, in, lane, first+from, width)
		if a.strength != weak {
			r.hand(w, first+from, kind)
		}
	}
}

// touch notes an access of an operation, such as one on a matrix, to cells.
func (r *races) touch(w *warp, pc int32, lane int, from, width uint64, kind accessKind) {
	a := access{w: w, warp: r.number(w), pc: pc, lanes: 1 << lane, kind: kind}
	order := bytecode.OrdersNothing
	if kind == updates {
		a.strength, order = asAtomic, r.orderingOf(pc)
	}
	if kind != reads && r.collecting {
		r.collected = append(r.collected, cellRange{from, width, a.strength})
		return
	}
	if r.products.reading != nil && kind == reads {
		r.products.reading.mark(from, width)
	}
	r.checkEach(from, width)
	if order >= bytecode.Releases {
		r.publish(w, a.lanes)
	}
	r.instance++
	a.column, a.clock = a.warp, r.known[a.warp].clocks[a.warp]
	r.range32(&a, from, width)
	if kind == updates {
		r.hand(w, from, kind)
	}
	if order == bytecode.Acquires || order == bytecode.AcquiresAndReleases {
		r.acquire(w, a.lanes, r.found[a.warp])
	}
}

// update notes a strong update of cells by an operation.
func (r *races) update(w *warp, pc int32, lane int, from, width uint64) {
	r.checkEach(from, width)
	r.instance++
	a := access{w: w, warp: r.number(w), pc: pc, lanes: 1 << lane, kind: updates, strength: asAtomic}
	a.column, a.clock = a.warp, r.known[a.warp].clocks[a.warp]
	r.range32(&a, from, width)
}

// cellOf returns the first cell that an operation of a lane of w accesses at a, in shared memory.
func (r *races) cellOf(b *block, w *warp, a *bytecode.Address, lane int) uint64 {
	addr := w.regs[a.In.A][lane]&a.In.Mask + a.In.Offset
	at, _ := b.locate(w, a.In.Space, addr, false)
	first, _ := r.cellsAt(at.base)
	return first + addr - at.from
}

// range32 checks cells of an access whose values are not looked at, by word where it can.
func (r *races) range32(a *access, from, width uint64) {
	for at := from; at < from+width; {
		n := uint64(4)
		if at%4 != 0 || from+width-at < 4 || r.split[at/4] {
			n = 1
			if !r.split[at/4] {
				r.part(at / 4)
			}
		}
		r.check(a, at, unknown)
		at += n
	}
}

// unknown is the value of a write that is not looked at: no other is the same.
const unknown = ^uint64(0)

// An access is one of lanes of a warp to the same bytes; only reads have several lanes. That of a copy has the
// column and the time of the copy.
type access struct {
	w      *warp
	warp   int
	column int
	clock  uint32
	lanes  uint32
	pc     int32
	kind   accessKind

	strength strength
}

// A strength says with which accesses one does not race. PTX has weak and strong ones, and volatile ones
// are strong. Between lanes of a warp they are taken as weak here: programs that have them, and no
// barrier of the warp, rely on lanes in lockstep, as before Volta.
type strength uint8

const (
	weak strength = iota
	asVolatile
	asAtomic
)

// strengthOf returns the strength of an access of in.
func strengthOf(in *bytecode.Instr, kind accessKind) strength {
	switch {
	case kind == updates || in.Strong && !in.IsVolatile:
		return asAtomic
	case in.Strong:
		return asVolatile
	}
	return weak
}

// harmless reports whether a does not race with an access of that strength of a warp, whatever orders them.
func (a *access) harmless(warp int, s strength) bool {
	return a.strength != weak && s != weak && (a.strength == asAtomic || s == asAtomic || a.warp != warp)
}

// span checks the cells of an access to width bytes at from, by word where it can.
func (r *races) span(a *access, in *bytecode.Instr, lane int, from, width uint64) {
	for at := from; at < from+width; {
		word := at / 4
		whole := at%4 == 0 && from+width-at >= 4
		if !whole && !r.split[word] {
			r.part(word)
		}
		n := uint64(1)
		if whole && !r.split[word] {
			n = 4
		}
		value := uint32(0)
		switch {
		case a.kind != writes:
		case r.replaying:
			value = r.stored(at, n)
		default:
			element := (at - from) / uint64(in.Size)
			value = uint32(a.w.regs[in.Vec[element]][lane] >> (8 * ((at - from) % uint64(in.Size))))
			if n == 1 {
				value &= 0xff
			} else if in.Size < 4 { // a vector of narrow elements
				value = r.gather(a, in, lane, at-from)
			}
		}
		r.check(a, at, uint64(value))
		at += n
	}
}

// gather returns the four bytes at offset of a vector of narrow elements.
func (r *races) gather(a *access, in *bytecode.Instr, lane int, offset uint64) (value uint32) {
	for i := range uint64(4) {
		element, shift := (offset+i)/uint64(in.Size), 8*((offset+i)%uint64(in.Size))
		value |= uint32(uint8(a.w.regs[in.Vec[element]][lane]>>shift)) << (8 * i)
	}
	return value
}

// part gives each byte of a word a cell of its own.
func (r *races) part(word uint64) {
	r.split[word] = true
	first := r.writes[4*word]
	for i := range uint64(4) {
		cell := first
		if first.value != unknown {
			cell.value = first.value >> (8 * i) & 0xff
		}
		r.writes[4*word+i] = cell
	}
	if beside := r.besideOf(4*word, false); beside != nil {
		for i := range uint64(4) {
			r.beside[(4*word+i)/cellsOfPage][(4*word+i)%cellsOfPage] = *beside
		}
	}
	for _, pages := range [...][][]reading{r.reads, r.updates} {
		if row := r.rowOf(pages, 4*word, false); row != nil {
			for i := range uint64(3) {
				r.copyRow(r.rowOf(pages, 4*word+1+i, true), row)
			}
		}
	}
}

// besideOf returns the write of a cell that nothing orders with the last one, or nil if there is none. room makes room for it.
func (r *races) besideOf(cell uint64, room bool) *written {
	page := r.beside[cell/cellsOfPage]
	if page == nil {
		if !room {
			return nil
		}
		page = make([]written, cellsOfPage)
		r.beside[cell/cellsOfPage] = page
	}
	return &page[cell%cellsOfPage]
}

// check compares an access to a cell with the accesses before, and notes it.
func (r *races) check(a *access, at, value uint64) {
	last := &r.writes[at]
	besides := false // a goes on beside the last write, which is of another warp
	if last.clock > r.time {
		races := r.racesWith(a, last, value)
		if besides = a.kind == writes && int(last.warp) != a.warp; races || besides {
			lane, before := r.ordered(a, int(last.column), 1<<last.lane, last.clock, last.step)
			if besides = besides && !before; races && !before {
				r.raceWrite(a, lane, at, last)
				r.checkBeside(a, at, value)
			} else if before && a.kind != reads {
				r.checkBeside(a, at, value)
			}
		}
	}
	if a.strength == weak {
		r.compare(a, at, r.rowOf(r.updates, at, false), "updated")
	}
	if a.kind == reads {
		r.note(a, &r.rowOf(r.reads, at, true)[a.warp])
		return
	}
	if len(r.pending) > 0 {
		r.checkPending(a, at)
	}
	if len(r.products.pending) > 0 {
		r.checkProducts(a, at)
	}
	r.compare(a, at, r.rowOf(r.reads, at, false), "read")
	if a.strength == asAtomic && a.column == a.warp {
		r.note(a, &r.rowOf(r.updates, at, true)[a.warp])
		return
	}
	if besides {
		*r.besideOf(at, true) = *last
	}
	*last = written{a.clock, r.step, r.instance, value, a.pc, uint16(a.column), uint16(a.warp), uint8(bits.TrailingZeros32(a.lanes)), a.strength}
}

// racesWith reports whether a races with a write before, if nothing orders them. Writes of one value do not: whoever wins, it is the same.
func (r *races) racesWith(a *access, w *written, value uint64) bool {
	return !a.harmless(int(w.warp), w.strength) && (a.kind != writes || w.strength == asAtomic || w.value != value || value == unknown)
}

// checkBeside compares an access that races with the last write of a cell with the one beside that.
func (r *races) checkBeside(a *access, at, value uint64) {
	w := r.besideOf(at, false)
	if w == nil || w.clock <= r.time || !r.racesWith(a, w, value) {
		return
	}
	if lane, ok := r.ordered(a, int(w.column), 1<<w.lane, w.clock, w.step); !ok {
		r.raceWrite(a, lane, at, w)
	}
}

// raceWrite reports the race between a and a write before.
func (r *races) raceWrite(a *access, lane int, at uint64, w *written) {
	did := "wrote"
	if int(w.column) >= r.warps {
		did = copyWrites
	}
	r.race(a, lane, at, earlier{int(w.warp), int(w.lane), w.pc, did, w.strength, w.instance == r.instance})
}

// compare compares an access to a cell with what each warp has done to it before.
func (r *races) compare(a *access, at uint64, row []reading, did string) {
	for v := range row {
		before := &row[v]
		if before.clock <= r.time || a.harmless(v, before.strength) {
			continue
		}
		if lane, ok := r.ordered(a, v, before.lanes, before.clock, before.step); !ok {
			other, pc := r.culprit(a, lane, v, before)
			r.race(a, lane, at, earlier{v, other, pc, did, before.strength, false})
		}
	}
}

// culprit returns a lane of those that have accessed a cell before a, that does not come before a's lane, and where it was: on another line, if
// there is one.
func (r *races) culprit(a *access, lane, v int, before *reading) (other int, pc int32) {
	other = -1
	for m := before.lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		if v == a.warp && (l == lane || r.meets[v][lane][l] > before.step) || v != a.warp && r.known[a.warp].knowsLanes(v, 1<<l, before.step) {
			continue
		}
		at := r.placeOf(before, l)
		if other < 0 {
			other, pc = l, at
		}
		if !r.blocks[0].k.SameLine(at, a.pc) {
			return l, at
		}
	}
	return other, pc
}

// placeOf returns where a lane has made a reading.
func (r *races) placeOf(read *reading, lane int) int32 {
	if read.pc >= 0 {
		return read.pc
	}
	return r.mixed[^read.pc][lane]
}

// ordered reports whether accesses of lanes in column v come before a. If not, lane is one of a's
// for which they do not.
func (r *races) ordered(a *access, v int, lanes uint32, clock, step uint32) (lane int, ok bool) {
	if v >= r.warps {
		return r.copied(a, v, clock)
	}
	if a.warp != v {
		k := &r.known[a.warp]
		return bits.TrailingZeros32(a.lanes), k.clocks[v] >= clock || k.knowsLanes(v, lanes, step)
	}
	if r.whole[v] > step || a.lanes == lanes && lanes&(lanes-1) == 0 {
		return 0, true
	}
	for m := a.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		if r.own[v][lane] >= clock {
			continue
		}
		for o := lanes &^ (1 << lane); o != 0; o &= o - 1 {
			if r.meets[v][lane][bits.TrailingZeros32(o)&(bytecode.WarpSize-1)] <= step {
				return lane, false
			}
		}
	}
	return 0, true
}

// note adds lanes to those that have read a cell. Lanes whose reads come before these need not
// be known any more: who comes after these comes after them.
func (r *races) note(a *access, read *reading) {
	if read.clock == a.clock && read.step == r.step && read.strength == a.strength {
		r.add(a, read)
		return
	}
	if read.clock > r.time {
		if _, before := r.ordered(a, a.warp, read.lanes, read.clock, read.step); !before {
			r.add(a, read)
			read.strength = min(read.strength, a.strength)
			return
		}
		r.forget(read)
	}
	*read = reading{a.clock, r.step, a.lanes, a.pc, a.strength}
}

// add adds the lanes of a to a reading.
func (r *races) add(a *access, read *reading) {
	if read.pc != a.pc {
		r.mix(a, read)
	}
	read.lanes |= a.lanes
}

// mix notes where the lanes of a are, which is elsewhere than others of a reading.
func (r *races) mix(a *access, read *reading) {
	if pc := read.pc; pc >= 0 {
		read.pc = ^r.unused()
		r.mixed[^read.pc].set(read.lanes, pc)
	}
	r.mixed[^read.pc].set(a.lanes, a.pc)
}

func (p *lanePlaces) set(lanes uint32, pc int32) {
	for m := lanes; m != 0; m &= m - 1 {
		p[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)] = pc
	}
}

// unused returns the number of one of mixed that is not in use.
func (r *races) unused() int32 {
	if last := len(r.unmixed) - 1; last >= 0 {
		n := r.unmixed[last]
		r.unmixed = r.unmixed[:last]
		return n
	}
	r.mixed = append(r.mixed, lanePlaces{})
	return int32(len(r.mixed) - 1)
}

// forget drops where the lanes of a reading of this block were.
func (r *races) forget(read *reading) {
	if read.pc < 0 {
		r.unmixed = append(r.unmixed, ^read.pc)
	}
}

// copyRow copies what each warp has read of a cell to the row of another.
func (r *races) copyRow(to, from []reading) {
	copy(to, from)
	for n := range to {
		if read := &to[n]; read.pc < 0 && read.clock > r.time {
			n := r.unused()
			r.mixed[n] = r.mixed[^read.pc]
			read.pc = ^n
		}
	}
}
