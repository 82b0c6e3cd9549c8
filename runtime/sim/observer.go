package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// An observer is told of accesses to memory by those checks that want to know them. A block without
// one may access memory in faster ways.
type observer struct {
	b      *block
	races  *races
	shadow *shadow
	global *globalRaces
	zones  *redZones
	arrays *arrayBounds
}

// observe has checks look at what b does, through an observer if they need one.
func (b *block) observe(c checks) {
	if c.coverage || c.plainly {
		b.plan = b.k.unplanned()
		b.code = b.plan.code
	}
	if c.coverage {
		b.coverage = newCoverage(b.k)
	}
	if c.undefined {
		b.shadow = newShadow(b)
	}
	if c.races {
		b.lookForRaces()
		b.races.plainly = c.plainly
	}
	var arrays *arrayBounds
	if c.arrays {
		arrays = b.k.bounded()
	}
	if b.races != nil || b.shadow != nil || b.globalRaces != nil || b.zones != nil || arrays != nil {
		b.observer = &observer{b, b.races, b.shadow, b.globalRaces, b.zones, arrays}
		b.code = b.plan.code
	}
}

// access is told what in is about to do in the lanes of set, whose memory is in w.at.
func (o *observer) access(w *warp, in *instr, pc int32, set uint32, kind accessKind) {
	if o.races != nil {
		o.races.access(w, in, pc, set, kind)
	}
	if o.global != nil {
		o.global.access(o.b, w, in, pc, set, kind)
	}
	if o.zones != nil {
		o.zones.access(o.b, w, in, pc, set)
	}
	if o.arrays != nil {
		o.arrays.access(o.b, w, in, pc, set)
	}
	if o.shadow != nil {
		o.shadow.access(w, in, pc, set, kind)
	}
}

// touch is told what an operation is about to access: width bytes at addr, which are at p in r.
func (o *observer) touch(w *warp, at *address, pc int32, lane int, addr uint64, r region, p unsafe.Pointer, width uint64, write bool) {
	if o.races != nil && !at.ordered {
		if first, ok := o.races.cellsAt(r.base); ok {
			o.races.touch(w, pc, lane, first+addr-r.from, width, write)
		}
	}
	if o.global != nil && (at.in.space == global || at.in.space == generic) {
		o.global.touch(o.b, w, pc, lane, addr, width, write)
	}
	if o.zones != nil && (at.in.space == global || at.in.space == generic) {
		o.zones.touch(o.b, w, pc, lane, addr, width)
	}
	if o.arrays != nil {
		o.arrays.look(o.b, w, &at.in, pc, lane, addr, width)
	}
	if o.shadow != nil {
		o.shadow.touch(w, at, pc, lane, addr, r, p, width, write)
	}
}

// load executes ld in all lanes if they access one memory, or reports false.
func (o *observer) load(w *warp, in *instr, pc int32) bool {
	if o.b.whole(w, in, &w.at) == simd.Faulty {
		return false
	}
	o.access(w, in, pc, full, reads)
	for n := range in.elems {
		in.loadWhole.Any(&w.regs[in.vec[n]], w.at.base, uint64(n*in.size), &w.at.offset)
	}
	return true
}
