package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/profile"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
)

// An observer is told of accesses to memory by those checks that want to know them. A block without
// one may access memory in faster ways.
type observer struct {
	b       *block
	races   *races
	shadow  *shadow
	global  *globalRaces
	zones   *redZones
	arrays  *bytecode.ArrayBounds
	profile *profile.Counts // of what straight executes
	debug   *stops.Launch
}

// access is told what in is about to do in the lanes of set, whose memory is in w.at.
func (o *observer) access(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind) {
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
		checkArrays(o.arrays, o.b, w, in, pc, set)
	}
	if o.shadow != nil {
		o.shadow.access(w, in, pc, set, kind)
	}
	if o.debug != nil {
		o.watch(w, in, set, kind)
	}
}

// touch is told what an operation is about to access: width bytes at addr, which are at p in r.
func (o *observer) touch(w *warp, at *bytecode.Address, pc int32, lane int, addr uint64, r region, p unsafe.Pointer, width uint64, kind accessKind) {
	if o.races != nil && !at.Ordered {
		if first, ok := o.races.cellsAt(r.base); ok {
			o.races.touch(w, pc, lane, first+addr-r.from, width, kind)
		}
	}
	if o.global != nil && (kind == updates || at.In.Space == bytecode.Global || at.In.Space == bytecode.Generic) {
		o.global.touch(o.b, w, pc, lane, at.In.Space, addr, width, kind)
	}
	if o.zones != nil && (at.In.Space == bytecode.Global || at.In.Space == bytecode.Generic) {
		o.zones.touch(o.b, w, pc, lane, addr, width)
	}
	if o.arrays != nil {
		look(o.arrays, o.b, w, &at.In, pc, lane, addr, width)
	}
	if o.shadow != nil {
		o.shadow.touch(w, at, pc, lane, addr, r, p, width, kind == writes)
	}
	if o.debug != nil {
		space, addr, owner := o.b.absolute(at.In.Space, addr)
		o.debug.Access(lane, space, addr, width, owner.index, kind != writes, kind != reads)
	}
}

// load executes ld in all lanes if they access one memory, or reports false.
func (o *observer) load(w *warp, in *bytecode.Instr, pc int32) bool {
	if o.b.whole(w, in, &w.at) == simd.Faulty {
		return false
	}
	o.access(w, in, pc, bytecode.Full, reads)
	for n := range in.Elems {
		in.LoadWhole.Any(&w.regs[in.Vec[n]], w.at.Base, uint64(n*in.Size), &w.at.Offset)
	}
	return true
}

// straight executes instructions that stand in a line from pc on, in the lanes e, until one of them needs more than what is done here. It
// returns how many it has executed. The registers that they mention have no undefined bits.
func (o *observer) straight(w *warp, line []bytecode.Instr, pc int32, e uint32) (executed int) {
	base := unsafe.Pointer(unsafe.SliceData(w.regs))
	var ws *warpShadow
	if o.shadow != nil {
		ws = o.shadow.of(w)
	}
	for n := range line {
		in := &line[n]
		switch in.Op {
		case bytecode.OpLanes:
			if e == bytecode.Full || in.Temporary || !w.kept.Has(in.Dst) {
				in.Fn(simd.RegisterOf(base, in.Dst), simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
			} else {
				in.Fn(&w.result, simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
				simd.Fast.Blend(simd.RegisterOf(base, in.Dst), &w.result, e)
			}
		case bytecode.OpTest:
			p := in.Compare(simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B)) ^ in.Negate
			w.preds[in.Pdst] = w.preds[in.Pdst]&^e | p&e
			if ws != nil {
				ws.preds[in.Pdst] &^= e
			}
		case bytecode.OpLoad:
			if e != bytecode.Full || !o.loadAll(w, in, pc+int32(n)) {
				return n
			}
		case bytecode.OpStore:
			if e != bytecode.Full || !o.storeAll(w, in, pc+int32(n)) {
				return n
			}
		case bytecode.OpSelect:
			if ws != nil && ws.preds[in.Pa.Index]&e != 0 {
				return n
			}
			w.choose(in, e)
		case bytecode.OpLogic:
			if ws != nil {
				if (ws.preds[in.Pa.Index]|ws.preds[in.Pb.Index])&e != 0 {
					return n
				}
				ws.preds[in.Pdst] &^= e
			}
			w.logic(in, e)
		}
	}
	return len(line)
}

// loadAll executes ld in all lanes, or reports false.
func (o *observer) loadAll(w *warp, in *bytecode.Instr, pc int32) bool {
	base, by, offsets, p := o.b.reached(w, in)
	if p == simd.Faulty || !o.looks(in) || o.arrays != nil && in.Space == bytecode.Shared && !o.arrays.AdmitsAll(in, by, offsets, p) {
		return false
	}
	if o.shadow != nil {
		if from := o.shadow.reached(w, in); from != nil && !definedAll(from, in, by, offsets, p) {
			return false
		}
	}
	if o.races != nil && in.Space == bytecode.Shared && !o.races.accessAll(w, in, pc, reads, by, offsets, p) {
		return false
	}
	if o.profile != nil {
		o.profile.Whole(in, pc, w.number(), by, offsets, p)
	}
	w.loadAt(in, base, by, offsets, p)
	return true
}

// storeAll executes st in all lanes, or reports false.
func (o *observer) storeAll(w *warp, in *bytecode.Instr, pc int32) bool {
	base, by, offsets, p := o.b.reached(w, in)
	if p == simd.Faulty || !o.looks(in) || o.arrays != nil && in.Space == bytecode.Shared && !o.arrays.AdmitsAll(in, by, offsets, p) {
		return false
	}
	if o.races != nil && in.Space == bytecode.Shared && !o.races.accessAll(w, in, pc, writes, by, offsets, p) {
		return false
	}
	if o.shadow != nil {
		if to := o.shadow.reached(w, in); to != nil {
			defineAll(to, in, by, offsets, p)
		}
	}
	if o.profile != nil {
		o.profile.Whole(in, pc, w.number(), by, offsets, p)
	}
	w.storeAt(in, base, by, offsets, p)
	return true
}

// looks reports whether an access may be looked at for all lanes at once.
func (o *observer) looks(in *bytecode.Instr) bool {
	return in.Space == bytecode.Shared || o.global == nil && o.zones == nil
}

// A debugged warp is what a debugger sees of one.
type debugged struct {
	b *block
	w *warp
}

func (d debugged) Place() (driver.Dim3, int) { return d.b.index, d.w.number() }

func (d debugged) Live() uint32 { return d.w.live }

func (d debugged) Depth(lane int) int {
	if d.w.stack == nil {
		return 0
	}
	return len(d.w.stack.lanes[lane])
}

func (d debugged) Stands(lane int) (pc int32, ok bool) {
	for _, g := range d.w.groups {
		if g.mask>>lane&1 != 0 {
			return g.pc, true
		}
	}
	return 0, false
}

func (d debugged) Register(n int32) *simd.Lanes {
	if n < 0 || int(n) >= len(d.w.regs) {
		return nil
	}
	return &d.w.regs[n]
}

// watch tells a debugger of the accesses of the lanes of set.
func (o *observer) watch(w *warp, in *bytecode.Instr, set uint32, kind accessKind) {
	if !o.debug.Watches() {
		return
	}
	for m := set; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		space, addr, owner := o.b.absolute(in.Space, w.regs[in.A][lane]&in.Mask+in.Offset)
		o.debug.Access(lane, space, addr, in.Width(), owner.index, kind != writes, kind != reads)
	}
}

// absolute returns the space that an address is in, and the address there. Of shared memory it returns whose it is.
func (b *block) absolute(space bytecode.Space, addr uint64) (bytecode.Space, uint64, *block) {
	if space == bytecode.Generic {
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			space = bytecode.Shared
		case memory.LocalWindow:
			space = bytecode.Local
		case memory.ParamWindow:
			space = bytecode.Param
		}
		if space != bytecode.Generic {
			addr &= memory.OffsetMask
		}
	}
	switch space {
	case bytecode.Shared:
		if addr&peerMask == 0 {
			return space, addr, b
		}
		if peer, ok := b.peer(addr); ok {
			return space, addr &^ peerMask, peer
		}
	case bytecode.Generic, bytecode.Constant:
		space = bytecode.Global
	}
	return space, addr, b
}
