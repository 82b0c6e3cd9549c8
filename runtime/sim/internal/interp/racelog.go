package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A raceLog keeps accesses that no other thread can have raced with, in a few words each, for the cells that races compares
// accesses by. Most of them never get there: a barrier of all threads orders them before all that follows.
//
// Its filter knows of each word which thread has accessed it since that barrier. An access to a word that only its
// thread has accessed, or that nobody has written, or that only atomics update, is no race, whatever orders the others. All other
// accesses, and those of which more than this counts, are checked one by one, after the log was brought into the cells.
type raceLog struct {
	entries []logged
	offsets []simd.Lanes // of entries that have no pattern
	filter  []uint32     // by word: the phase, and in the low bits who has accessed it; what is less than now is of earlier phases
	now     uint32
	writing bool // the filter has all accesses of the phase; there may be others than reads
}

// A logged is an access of lanes of a warp.
type logged struct {
	w           *warp
	in          *bytecode.Instr
	pc          int32
	set         uint32
	clock, step uint32
	whole       uint32 // when all lanes of the warp had last met
	slab        int32  // where its offsets are, if they have no pattern
	first       uint64 // cell of lane 0
	upper       uint64 // cell of lane 16, if the halves of the warp have patterns
	kind        accessKind
	pattern     simd.Pattern
}

// maxLogged is how many accesses are kept at a time.
const maxLogged = 4096

// Who has accessed a word. Threads are numbered below byMany.
const (
	byMany    = 1 << 14 // several threads have read it
	byAtomics = byMany + 1
	byRaces   = byMany + 2 // it is checked access by access
	wrote     = 1 << 15    // the thread has written it
	oneMore   = 1 << 16    // phase
)

// nextPhase forgets all accesses: those that follow come after them.
func (l *raceLog) nextPhase() {
	l.entries, l.offsets, l.writing = l.entries[:0], l.offsets[:0], false
	if l.now += oneMore; l.now == 0 {
		clear(l.filter)
		l.now = oneMore
	}
}

// log notes what in is about to do in the lanes of set, to bytes that begin at cell first and as far behind it as the offsets say. It reports
// whether that is no race.
func (r *races) log(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind, first uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	l, n := &r.logged, w.racing
	if kind == updates && !r.updatesOnly(n, pc) || kind != updates && in.Strong || kind != reads && len(r.pending)+len(r.products.pending) > 0 {
		return false
	}
	e := logged{w: w, in: in, pc: pc, set: set, clock: r.known[n].clocks[n], step: r.step, whole: r.whole[n], kind: kind, pattern: p}
	e.first, e.upper = first+offsets[0], first+offsets[bytecode.WarpSize/2]
	if kind != reads {
		r.filterReads()
	}
	if l.writing && !l.admits(&e, uint32(n)*bytecode.WarpSize, first, offsets) {
		return false
	}
	if len(l.entries) == maxLogged {
		r.flush()
	}
	if p == simd.Anywhere {
		e.first, e.slab = first, int32(len(l.offsets))
		l.offsets = append(l.offsets, *offsets)
	}
	l.entries = append(l.entries, e)
	return true
}

// accessAll is access for all lanes of w, to the shared memory of its block. It reports false where they must be looked at one by one.
func (r *races) accessAll(w *warp, in *bytecode.Instr, pc int32, kind accessKind, by uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	return !r.plainly && r.log(w, in, pc, bytecode.Full, kind, r.firstOf(w)+by, offsets, p)
}

// updatesOnly reports whether an atomic of warp n hands no knowledge on.
func (r *races) updatesOnly(n int, pc int32) bool {
	return r.fenced[n] == nil && len(r.handed) == 0 && r.orderingOf(pc) == bytecode.OrdersNothing
}

// filterReads brings the reads of a phase that had nothing else into the filter.
func (r *races) filterReads() {
	l := &r.logged
	if l.writing {
		return
	}
	l.writing = true
	var offsets simd.Lanes
	for n := range l.entries {
		e := &l.entries[n]
		first := l.offsetsOf(e, &offsets)
		l.admits(e, uint32(e.w.racing)*bytecode.WarpSize, first, &offsets)
	}
}

// flush brings the log into the cells.
func (r *races) flush() {
	l := &r.logged
	if len(l.entries) == 0 {
		return
	}
	r.filterReads()
	var offsets simd.Lanes
	step := r.step
	r.replaying = true
	for n := range l.entries {
		e := &l.entries[n]
		whole := &r.whole[e.w.racing]
		held := *whole
		*whole, r.step = e.whole, e.step
		first := l.offsetsOf(e, &offsets)
		r.note32(e.w, e.in, e.pc, e.set, e.kind, e.clock, first, &offsets)
		*whole = held
	}
	r.step, r.replaying = step, false
	l.entries, l.offsets = l.entries[:0], l.offsets[:0]
}

// offsetsOf computes the offsets of an access from cell first.
func (l *raceLog) offsetsOf(e *logged, offsets *simd.Lanes) (first uint64) {
	width := e.in.Width()
	switch e.pattern {
	case simd.Equal:
		simd.Fill(offsets, 0)
	case simd.Consecutive:
		for i := range offsets {
			offsets[i] = uint64(i) * width
		}
	case simd.HalfEqual, simd.HalfConsecutive:
		step := width
		if e.pattern == simd.HalfEqual {
			step = 0
		}
		for i := range uint64(bytecode.WarpSize / 2) {
			offsets[i], offsets[i+bytecode.WarpSize/2] = i*step, e.upper-e.first+i*step
		}
	default:
		*offsets = l.offsets[e.slab]
	}
	return e.first
}

// stored returns n bytes at a cell as they are in memory: where log has found no race, the last thread to write has
// left them there.
func (r *races) stored(cell, n uint64) (value uint32) {
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.blocks[cell/r.bytes].shared)), cell%r.bytes)
	if n == 1 {
		return uint32(*(*uint8)(p))
	}
	return *(*uint32)(p)
}

// admits notes an access of a warp whose lane 0 is a thread, and reports whether no other access of the phase can race with it.
func (l *raceLog) admits(e *logged, thread uint32, first uint64, offsets *simd.Lanes) bool {
	width := e.in.Width()
	if e.kind == reads {
		switch {
		case e.pattern == simd.Equal:
			return l.readByMany(e.first, width)
		case e.pattern == simd.HalfEqual:
			return l.readByMany(e.first, width) && l.readByMany(e.upper, width)
		case e.pattern == simd.Consecutive && width == 4:
			return l.readNear(l.filter[e.first/4:][:bytecode.WarpSize], thread)
		case e.pattern == simd.HalfConsecutive && width == 4:
			return l.readNear(l.filter[e.first/4:][:bytecode.WarpSize/2], thread) && l.readNear(l.filter[e.upper/4:][:bytecode.WarpSize/2], thread+bytecode.WarpSize/2)
		}
	} else if e.kind == writes && e.pattern == simd.Consecutive && width == 4 {
		return l.writeNear(l.filter[e.first/4:][:bytecode.WarpSize], thread)
	}
	for m := e.set; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		at := first + offsets[lane]
		words, by, ok := l.filter[at/4:(at+width+3)/4], thread+uint32(lane), false
		switch e.kind {
		case reads:
			ok = l.readNear(words[:1], by) && (len(words) == 1 || l.readAlone(words[1:], by))
		case writes:
			ok = l.writeNear(words[:1], by) && (len(words) == 1 || l.writeAlone(words[1:], by))
		default:
			ok = l.update(words)
		}
		if !ok {
			return false
		}
	}
	return true
}

// readNear notes that threads read a word each.
func (l *raceLog) readNear(words []uint32, thread uint32) bool {
	now, by := l.now, l.now|thread
	for n, was := range words {
		switch {
		case was < now:
			words[n] = by
		case was == by, was == by|wrote, was == now|byMany:
		case was < now|byMany:
			words[n] = now | byMany
		default:
			return false
		}
		by++
	}
	return true
}

// writeNear notes that threads write a word each.
func (l *raceLog) writeNear(words []uint32, thread uint32) bool {
	now, by := l.now, l.now|thread
	for n, was := range words {
		if was >= now && was != by && was != by|wrote {
			return false
		}
		words[n] = by | wrote
		by++
	}
	return true
}

// readAlone and writeAlone note that one thread accesses words.
func (l *raceLog) readAlone(words []uint32, thread uint32) bool {
	for n := range words {
		if !l.readNear(words[n:n+1], thread) {
			return false
		}
	}
	return true
}

func (l *raceLog) writeAlone(words []uint32, thread uint32) bool {
	for n := range words {
		if !l.writeNear(words[n:n+1], thread) {
			return false
		}
	}
	return true
}

// readByMany notes that several threads read bytes.
func (l *raceLog) readByMany(from, width uint64) bool {
	words := l.filter[from/4 : (from+width+3)/4]
	for n, was := range words {
		if was > l.now|byMany {
			return false
		}
		words[n] = l.now | byMany
	}
	return true
}

// update notes that a thread updates words atomically.
func (l *raceLog) update(words []uint32) bool {
	for n, was := range words {
		if was >= l.now && was != l.now|byAtomics {
			return false
		}
		words[n] = l.now | byAtomics
	}
	return true
}

// checkEach has accesses to cells be checked one by one until the next phase.
func (r *races) checkEach(from, width uint64) {
	r.filterReads()
	r.flush()
	words := r.logged.filter[from/4 : (from+width+3)/4]
	for n := range words {
		words[n] = r.logged.now | byRaces
	}
}
