package sim

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// races finds data races in the shared memory of a block: two threads reach a byte, one of them
// writes it, at least one access is weak, and nothing orders them. What orders is what PTX's
// memory model has: barriers of the block, bar.warp.sync, and strong accesses with fences. That lanes
// of a warp run in lockstep does not.
//
// PTX ISA, Memory Consistency Model: Morally strong operations, Causality order, Data races.
//
// Time is counted for each warp, and within a warp by the lanes' meetings. It goes on from block to
// block, so that what an earlier block left in the shadow is known to be old.
type races struct {
	b     *block
	warps int

	time   uint32     // all of earlier blocks is at most this old
	clocks [][]uint32 // [w][v]: up to which time of warp v warp w knows what v did
	fenced [][]uint32 // [w]: its clocks at its last fence, which its strong stores hand on; or nil
	found  [][]uint32 // [w]: the clocks that its strong loads have found; a fence makes them known
	bars   [barrierCount][]uint32
	exited []uint32
	handed map[uint64][]uint32 // by address: the clocks that strong stores have handed on

	step  uint32                       // counts meetings of lanes
	meets [][warpSize][warpSize]uint32 // [w][l][m]: the step from which on lane l of w knows all that lane m did
	whole []uint32                     // [w]: the step at which all lanes of w last met

	// From a barrier of all threads to the next write, reads race with nothing. They are noted when a
	// write comes, or not at all if a barrier comes first.
	quiet bool
	later []laterRead

	// Bytes have a cell each. As long as whole words are accessed, the cell of a word's first byte
	// is that of all four.
	instance uint32 // counts instructions
	split    []bool // by word
	writes   []written
	reads    []reading // [byte*warps+warp]
}

// written is the last write of a cell.
type written struct {
	clock, step, instance uint32
	value                 uint64
	pc                    int32
	warp, lane            uint8
	strong                bool
}

// reading is what lanes of one warp have read of a cell since they last met.
type reading struct {
	clock, step uint32
	lanes       uint32
	pc          int32
	strong      bool
}

func newRaces(b *block) *races {
	r := &races{b: b, warps: len(b.warps)}
	r.clocks, r.fenced, r.found = make([][]uint32, r.warps), make([][]uint32, r.warps), make([][]uint32, r.warps)
	for w := range r.clocks {
		r.clocks[w] = make([]uint32, r.warps)
	}
	r.meets = make([][warpSize][warpSize]uint32, r.warps)
	r.whole = make([]uint32, r.warps)
	bytes := roundUp(int64(b.sharedBytes), 4)
	r.split = make([]bool, bytes/4)
	r.writes = make([]written, bytes)
	r.reads = make([]reading, bytes*int64(r.warps))
	return r
}

// begin starts a block.
func (r *races) begin() {
	for w := range r.clocks {
		r.time = max(r.time, r.clocks[w][w])
	}
	for w := range r.clocks {
		for v := range r.clocks[w] {
			r.clocks[w][v] = r.time
		}
		r.clocks[w][w]++
		r.fenced[w], r.found[w] = nil, nil
	}
	r.bars = [barrierCount][]uint32{}
	r.quiet, r.later = true, r.later[:0]
	r.exited = nil
	r.handed = nil
}

// join adds to a what b knows. a may be nil.
func join(a, b []uint32) []uint32 {
	if a == nil {
		return append([]uint32(nil), b...)
	}
	for i, t := range b {
		a[i] = max(a[i], t)
	}
	return a
}

// release adds what warp w has done to clocks, and begins a new time of w.
func (r *races) release(w int, clocks []uint32) []uint32 {
	clocks = join(clocks, r.clocks[w])
	r.clocks[w][w]++
	return clocks
}

// arrive, depart and complete are about a barrier: a warp comes to it, goes on behind it, and all have.
func (r *races) arrive(w *warp, number int) {
	r.bars[number] = r.release(w.number(), r.bars[number])
}

func (r *races) depart(w *warp, number int, lanes uint32) {
	n := w.number()
	join(r.clocks[n], r.bars[number])
	join(r.clocks[n], r.exited)
	r.meet(w, lanes)
}

func (r *races) complete(number int, everybody bool) {
	r.bars[number] = nil
	if everybody {
		r.quiet, r.later = true, r.later[:0]
	}
}

// exit notes that lanes of w do nothing any more, which barriers do not wait for.
func (r *races) exit(w *warp) { r.exited = r.release(w.number(), r.exited) }

// meet orders what the lanes of w did before they met and what they do later.
func (r *races) meet(w *warp, lanes uint32) {
	r.step++
	if lanes == w.lanes { // what was before comes before all that follows
		r.whole[w.number()] = r.step
		return
	}
	known := &r.meets[w.number()]
	var all [warpSize]uint32
	for m := lanes; m != 0; m &= m - 1 {
		for l, step := range known[bits.TrailingZeros32(m)&(warpSize-1)] {
			all[l] = max(all[l], step)
		}
	}
	for m := lanes; m != 0; m &= m - 1 {
		all[bits.TrailingZeros32(m)&(warpSize-1)] = r.step
	}
	for m := lanes; m != 0; m &= m - 1 {
		known[bits.TrailingZeros32(m)&(warpSize-1)] = all
	}
}

// fence makes known what strong loads of w have found, and lets its strong stores hand on what it
// has done.
func (r *races) fence(w *warp, lanes uint32) {
	n := w.number()
	join(r.clocks[n], r.found[n])
	r.fenced[n] = r.release(n, nil)
	r.meet(w, lanes)
}

// number is w's in its block.
func (w *warp) number() int { return w.first / warpSize }

// Kinds of accesses.
type accessKind uint8

const (
	reads accessKind = iota
	writes
	updates // an atomic, which is strong
)

// access notes what in does in the lanes of set, whose addresses are in w.at, and reports the races
// that it is part of.
func (r *races) access(w *warp, in *instr, pc int32, set uint32, kind accessKind) {
	b := r.b
	if b.sharedBytes == 0 || w.at.base != unsafe.Pointer(unsafe.SliceData(b.shared)) {
		return
	}
	if kind == reads && r.quiet && !in.strong && len(r.later) < maxLater {
		r.later = append(r.later, laterRead{w: w, in: in, pc: pc, set: set, clock: r.clocks[w.number()][w.number()], step: r.step, offset: w.at.offset})
		return
	}
	if kind != reads || len(r.later) == maxLater {
		r.loud()
	}
	r.note32(w, in, pc, set, kind, r.clocks[w.number()][w.number()], &w.at.offset)
}

// maxLater is how many reads are noted later.
const maxLater = 1024

// A laterRead is a read that is not noted yet.
type laterRead struct {
	w           *warp
	in          *instr
	pc          int32
	set         uint32
	clock, step uint32
	offset      lanes
}

// loud notes the reads that are not noted yet, since a write comes.
func (r *races) loud() {
	if !r.quiet {
		return
	}
	r.quiet = false
	step := r.step
	for n := range r.later {
		l := &r.later[n]
		r.step = l.step
		r.note32(l.w, l.in, l.pc, l.set, reads, l.clock, &l.offset)
	}
	r.step, r.later = step, r.later[:0]
}

// note32 notes what in does in the lanes of set at offsets.
func (r *races) note32(w *warp, in *instr, pc int32, set uint32, kind accessKind, clock uint32, offset *lanes) {
	r.instance++
	a := access{w: w, warp: w.number(), pc: pc, clock: clock, kind: kind, strong: kind == updates || in.strong}
	width := uint64(in.size * max(1, in.elems))
	for rest := set; rest != 0; {
		lane := bits.TrailingZeros32(rest) & (warpSize - 1)
		from := offset[lane]
		a.lanes = 1 << lane
		if kind == reads { // neighbours that read the same
			for l := lane + 1; l < warpSize && rest>>l&1 != 0 && offset[l] == from; l++ {
				a.lanes |= 1 << l
			}
		}
		rest &^= a.lanes
		r.span(&a, in, lane, from, width)
		if a.strong {
			r.hand(w, from, kind)
		}
	}
}

// touch notes an access of an operation: of a matrix, an asynchronous copy.
func (r *races) touch(w *warp, pc int32, lane int, from, width uint64, write bool) {
	r.loud()
	r.instance++
	a := access{w: w, warp: w.number(), pc: pc, lanes: 1 << lane}
	if write {
		a.kind = writes
	}
	a.clock = r.clocks[a.warp][a.warp]
	for at := from; at < from+width; {
		n := uint64(4)
		if at%4 != 0 || from+width-at < 4 || r.split[at/4] {
			n = 1
			if !r.split[at/4] {
				r.part(at / 4)
			}
		}
		r.check(&a, at, unknown)
		at += n
	}
}

// unknown is the value of a write that is not looked at: no other is the same.
const unknown = ^uint64(0)

// An access is one of lanes of a warp to the same bytes; only reads have several lanes.
type access struct {
	w      *warp
	warp   int
	clock  uint32
	lanes  uint32
	pc     int32
	kind   accessKind
	strong bool
}

// span checks the cells of an access to width bytes at from, by word where it can.
func (r *races) span(a *access, in *instr, lane int, from, width uint64) {
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
		if a.kind == writes {
			element := (at - from) / uint64(in.size)
			value = uint32(a.w.regs[in.vec[element]][lane] >> (8 * ((at - from) % uint64(in.size))))
			if n == 1 {
				value &= 0xff
			} else if in.size < 4 { // a vector of narrow elements
				value = r.gather(a, in, lane, at-from)
			}
		}
		r.check(a, at, uint64(value))
		at += n
	}
}

// gather returns the four bytes at offset of a vector of narrow elements.
func (r *races) gather(a *access, in *instr, lane int, offset uint64) (value uint32) {
	for i := range uint64(4) {
		element, shift := (offset+i)/uint64(in.size), 8*((offset+i)%uint64(in.size))
		value |= uint32(uint8(a.w.regs[in.vec[element]][lane]>>shift)) << (8 * i)
	}
	return value
}

// part gives each byte of a word a cell of its own.
func (r *races) part(word uint64) {
	r.split[word] = true
	first := r.writes[4*word]
	row := r.reads[4*word*uint64(r.warps):][:r.warps]
	for i := range uint64(4) {
		cell := first
		if first.value != unknown {
			cell.value = first.value >> (8 * i) & 0xff
		}
		r.writes[4*word+i] = cell
		copy(r.reads[(4*word+i)*uint64(r.warps):], row)
	}
}

// hand passes clocks on through strong accesses.
func (r *races) hand(w *warp, address uint64, kind accessKind) {
	n := w.number()
	if clocks := r.handed[address]; clocks != nil && kind != writes {
		r.found[n] = join(r.found[n], clocks)
	}
	if kind != reads && r.fenced[n] != nil {
		if r.handed == nil {
			r.handed = make(map[uint64][]uint32)
		}
		r.handed[address] = join(r.handed[address], r.fenced[n])
	}
}

// check compares an access to a cell with the accesses before, and notes it.
func (r *races) check(a *access, at, value uint64) {
	last := &r.writes[at]
	if last.clock > r.time && !(a.strong && last.strong) && !(a.kind == writes && !last.strong && last.value == value && value != unknown) { // one value: whoever wins
		if lane, ok := r.ordered(a, int(last.warp), 1<<last.lane, last.clock, last.step); !ok {
			r.race(a, lane, at, int(last.warp), int(last.lane), last.pc, "wrote", last.instance == r.instance)
		}
	}
	row := r.reads[at*uint64(r.warps) : (at+1)*uint64(r.warps)]
	if a.kind == reads {
		r.note(a, &row[a.warp])
		return
	}
	for v := range row {
		read := &row[v]
		if read.clock <= r.time || a.strong && read.strong {
			continue
		}
		if lane, ok := r.ordered(a, v, read.lanes, read.clock, read.step); !ok {
			others := read.lanes
			if v == a.warp {
				others &^= 1 << lane
			}
			r.race(a, lane, at, v, bits.TrailingZeros32(others), read.pc, "read", false)
		}
	}
	*last = written{a.clock, r.step, r.instance, value, a.pc, uint8(a.warp), uint8(bits.TrailingZeros32(a.lanes)), a.strong}
}

// ordered reports whether accesses of lanes of warp v come before a. If not, lane is one of a's
// for which they do not.
func (r *races) ordered(a *access, v int, lanes uint32, clock, step uint32) (lane int, ok bool) {
	if a.warp != v {
		return bits.TrailingZeros32(a.lanes), r.clocks[a.warp][v] >= clock
	}
	if r.whole[v] > step || a.lanes == lanes && lanes&(lanes-1) == 0 {
		return 0, true
	}
	for m := a.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (warpSize - 1)
		for o := lanes &^ (1 << lane); o != 0; o &= o - 1 {
			if r.meets[v][lane][bits.TrailingZeros32(o)&(warpSize-1)] <= step {
				return lane, false
			}
		}
	}
	return 0, true
}

// note adds lanes to those that have read a cell. Lanes whose reads come before these need not
// be known any more: who comes after these comes after them.
func (r *races) note(a *access, read *reading) {
	if read.clock == a.clock && read.step == r.step && read.strong == a.strong {
		read.lanes |= a.lanes
		return
	}
	if read.clock > r.time {
		if _, before := r.ordered(a, a.warp, read.lanes, read.clock, read.step); !before {
			read.lanes |= a.lanes
			read.strong = read.strong && a.strong
			return
		}
	}
	*read = reading{a.clock, r.step, a.lanes, a.pc, a.strong}
}

// race reports the race between a and an access before, of lane l of warp v at other.
func (r *races) race(a *access, lane int, at uint64, v, l int, other int32, did string, together bool) {
	r.b.report(placeOf{racecheck, a.pc, other}, func() *failure { return r.describe(a, lane, at, v, l, other, did, together) })
}

// describe describes the race between a and an access before, of lane l of warp v at other.
func (r *races) describe(a *access, lane int, at uint64, v, l int, other int32, did string, together bool) *failure {
	b, w, pc := r.b, a.w, a.pc
	does := [...]string{"reads", "writes", "updates"}[a.kind]
	place := b.k.places[other]
	where := fmt.Sprintf("PTX line %d", place.line)
	if place.source.file != "" {
		where = fmt.Sprintf("%s:%d", place.source.file, place.source.line)
	}
	thread := b.thread(v*warpSize + l)
	who := fmt.Sprintf("thread (%d,%d,%d)", thread.X, thread.Y, thread.Z)
	switch {
	case together:
		return b.accessFault(w, pc, lane, at, driver.ErrorLaunchFailed, "race: %s writes another value to shared address %#x in the same instruction: let one thread write, or use an atomic", who, at)
	case v == w.number():
		return b.accessFault(w, pc, lane, at, driver.ErrorLaunchFailed, "race: %s shared address %#x, which %s of the same warp %s at %s, with nothing between that orders them: put __syncwarp() or __syncthreads() between", does, at, who, did, where)
	}
	return b.accessFault(w, pc, lane, at, driver.ErrorLaunchFailed, "race: %s shared address %#x, which %s %s at %s, with no barrier between: put __syncthreads() between", does, at, who, did, where)
}
