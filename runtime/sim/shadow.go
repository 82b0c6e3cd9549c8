package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A shadow follows which bits of registers and memory are undefined: nobody has written them, or they
// were computed from such bits. It has a one for each, where the value has its own bit. Copies and
// arithmetic of undefined bits are allowed, so padding may be copied. What is reported is a use: an
// address, a branch, or what the host reads.
//
// It exists only if initcheck is on. The loop of block.checked asks it before each instruction.
type shadow struct {
	b      *block
	rules  []rule         // by pc
	lines  []*checkedLine // by pc; nil where no line is
	width  []uint64
	warps  []warpShadow
	shared []uint64
}

// A warpShadow is the shadow of a warp's registers and local memory.
type warpShadow struct {
	regs  []simd.Lanes
	dirty registerSet // those that have undefined bits in some lane
	preds []uint32
	carry uint32
	local []uint64
	saved [warpSize][]uint64 // of registers of functions that were called again

	found origin // where undefined bits were last read

	result simd.Lanes
}

// An origin is where undefined bits come from: where they were read from memory, or the shuffle that has taken them from a lane that
// took no part.
type origin struct {
	pc      int32
	space   string
	address uint64
	known   bool

	shuffled       bool
	lane, source   uint32
	mask, takePart uint32
}

func newShadow(b *block) *shadow {
	s := &shadow{b: b, rules: b.plan.shadowRules(b.k), width: b.k.widths(), warps: make([]warpShadow, len(b.warps)), shared: memory.Words(b.sharedBytes)}
	s.lines = b.plan.checkedLines(b.k)
	for n := range s.warps {
		w := &s.warps[n]
		w.regs, w.dirty, w.preds = make([]simd.Lanes, b.k.registers()), newRegisterSet(b.k.registers()), make([]uint32, b.k.preds)
	}
	return s
}

// begin makes everything undefined that a block finds so, but for registers that every thread writes before it reads
// them.
func (s *shadow) begin() {
	memory.Ones(s.shared)
	for n := range s.warps {
		w, ws := &s.b.warps[n], &s.warps[n]
		ws.clean()
		for _, r := range s.b.plan.spoiled {
			if r == regSink {
				continue
			}
			ws.dirty.set(r, true)
			for l := range warpSize {
				ws.regs[r][l] = s.width[r] & -uint64(w.lanes>>l&1)
			}
		}
		for p := firstPred; p < s.b.k.preds; p++ {
			ws.preds[p] = w.lanes
		}
		ws.carry, ws.found = w.lanes, origin{}
		ws.local = memory.Words(uint64(len(w.local)) * 8)
		memory.Ones(ws.local)
		for l := range ws.saved {
			ws.saved[l] = ws.saved[l][:0]
		}
	}
}

// of returns the shadow of w.
func (s *shadow) of(w *warp) *warpShadow { return &s.warps[w.number()] }

// clean makes all registers defined.
func (ws *warpShadow) clean() {
	for n, word := range ws.dirty {
		for ; word != 0; word &= word - 1 {
			ws.regs[64*n+bits.TrailingZeros64(word)] = simd.Lanes{}
		}
		ws.dirty[n] = 0
	}
}

// define makes the lanes e of a register defined.
func (ws *warpShadow) define(r int32, e uint32) {
	if !ws.dirty.has(r) {
		return
	}
	if e == full {
		ws.regs[r] = simd.Lanes{}
		ws.dirty.set(r, false)
		return
	}
	u := &ws.regs[r]
	for ; e != 0; e &= e - 1 {
		u[bits.TrailingZeros32(e)&(warpSize-1)] = 0
	}
	ws.dirty.set(r, u.Any())
}

// set gives the lanes e of register r the undefined bits of u.
func (s *shadow) set(ws *warpShadow, r int32, u *simd.Lanes, e uint32) {
	if r == regSink || int(r) >= s.b.k.regs {
		return
	}
	d := &ws.regs[r]
	for width := s.width[r]; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		d[l] = u[l] & width
	}
	ws.dirty.set(r, d.Any())
}

// undefinedIn returns the lanes of e in which register r has undefined bits within mask.
func (ws *warpShadow) undefinedIn(r int32, mask uint64, e uint32) (set uint32) {
	if !ws.dirty.has(r) {
		return 0
	}
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
		set |= simd.Bit(ws.regs[r][l]&mask != 0) << l
	}
	return set
}

// before notes what the instruction at pc is going to do to the shadow in the lanes e of mask.
func (s *shadow) before(w *warp, in *instr, pc int32, mask, e uint32) {
	ws := s.of(w)
	unsure := ws.preds[in.guard.index] & mask
	if unsure != 0 {
		if in.op == opBranch || in.op >= opBarrier || in.op == opStore || in.op == opAtomic || in.op == opCall {
			s.report(w, ws, in, pc, unsure, "an undefined value decides whether "+s.does(in))
			ws.preds[in.guard.index] &^= mask
			unsure = 0
		}
	}
	if e == 0 && unsure == 0 {
		return
	}
	switch in.op {
	case opLanes, opLanesFloat:
		if ws.dirty.has(in.a) || ws.dirty.has(in.b) || ws.dirty.has(in.c) {
			s.rules[pc].apply(s, w, ws, in, e)
		} else if ws.dirty.has(in.dst) {
			ws.define(in.dst, e)
		}
	case opLoad, opStore, opAtomic:
		if ws.dirty.has(in.a) {
			if set := ws.undefinedIn(in.a, in.mask, e); set != 0 {
				s.report(w, ws, in, pc, set, "an undefined value is used as an address")
				ws.define(in.a, set)
			}
		}
	case opTest:
		if ws.dirty.has(in.a) || ws.dirty.has(in.b) || ws.preds[in.pdst]&e != 0 {
			ws.setPred(in.pdst, s.uncertain(w, ws, in, pc), e)
		}
	case opLoadParam:
		for n := range in.elems {
			ws.define(in.vec[n], e)
		}
	case opBranch, opNothing, opInvoke, opReturn, opExit, opTrap, opFence, opWarpBarrier, opShuffle, opVote, opBallot, opMatchAny, opMatchAll, opReduce:
	case opOperation: // see operated
		if m := metadataOf(in.own); m != nil {
			if set := m.undefinedIn(ws); set != 0 {
				s.report(w, ws, in, pc, set, "an undefined value is the metadata of a sparse matrix")
			}
		}
	default:
		s.other(w, ws, in, pc, e)
	}
	if unsure != 0 && in.op < opBranch && in.op != opTest && in.op != opCompare && in.op != opLogic {
		s.smear(ws, in.dst, unsure)
	}
}

// does says what an instruction does.
func (s *shadow) does(in *instr) string {
	switch in.op {
	case opBranch:
		return "the thread branches"
	case opStore, opAtomic:
		return "the thread writes"
	case opExit, opTrap:
		return "the thread ends"
	}
	return "the thread takes part"
}

// smear makes all bits of lanes of a register undefined.
func (s *shadow) smear(ws *warpShadow, r int32, e uint32) {
	u := simd.Lanes{}
	for ; e != 0; e &= e - 1 {
		u[bits.TrailingZeros32(e)] = ^uint64(0)
	}
	s.set(ws, r, &u, u.LanesOf())
}

// report reports the use of undefined bits in lanes.
func (s *shadow) report(w *warp, ws *warpShadow, in *instr, pc int32, set uint32, what string) {
	b := s.b
	b.report(placeOf{initcheck, pc, 0}, func() *failure {
		lane := bits.TrailingZeros32(set)
		if f := s.shuffled(w, ws, what+" at "+b.k.where(pc)); f != nil {
			return f
		}
		f := b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%s: %s", what, s.advice(ws))
		if in.op == opLoad || in.op == opStore || in.op == opAtomic {
			f.Address = w.regs[in.a][lane]&in.mask + in.offset
		}
		return f
	})
}

// shuffled returns the failure of the shuffle that undefined bits come from, or nil. used says what they are used for.
func (s *shadow) shuffled(w *warp, ws *warpShadow, used string) *failure {
	o := &ws.found
	if !o.shuffled {
		return nil
	}
	return s.b.fault(w, o.pc, int(o.lane), driver.ErrorLaunchFailed, "the lane takes the value of lane %d, which takes no part (member mask %#08x, lanes here %#08x), so it is undefined; %s", o.source, o.mask, o.takePart, used)
}

// advice says where the undefined bits come from, as far as it is known.
func (s *shadow) advice(ws *warpShadow) string {
	if !ws.found.known {
		return "give the variable that it comes from a value first"
	}
	return "undefined bytes were read at " + s.b.k.where(ws.found.pc) + " from " + ws.found.space + " address " + hex(ws.found.address) + ": write them first, or Clear the buffer"
}
