package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
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
	rules  []bytecode.Rule         // by pc
	lines  []*bytecode.CheckedLine // by pc; nil where no line is
	width  []uint64
	warps  []warpShadow
	shared []uint64
}

// A warpShadow is the shadow of a warp's registers and local memory.
type warpShadow struct {
	regs  []simd.Lanes
	dirty bytecode.RegisterSet // those that have undefined bits in some lane
	preds []uint32
	carry uint32
	local []uint64
	saved [bytecode.WarpSize][]uint64 // of registers of functions that were called again

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
	s := &shadow{b: b, rules: b.plan.ShadowRules(b.k.Program), width: b.k.Widths(), warps: make([]warpShadow, len(b.warps)), shared: memory.Words(b.sharedBytes)}
	s.lines = planner.CheckedLines(b.plan, b.k.Program)
	for n := range s.warps {
		w := &s.warps[n]
		w.regs, w.dirty, w.preds = make([]simd.Lanes, b.k.Registers()), bytecode.NewRegisterSet(b.k.Registers()), make([]uint32, b.k.Preds)
	}
	return s
}

// begin makes everything undefined that a block finds so, but for registers that every thread writes before it reads
// them.
func (s *shadow) begin() {
	memory.Ones(s.shared)
	if s.b.k.Reserves {
		clear(s.shared[s.b.reservedAt()/8:])
	}
	for n := range s.warps {
		w, ws := &s.b.warps[n], &s.warps[n]
		ws.clean()
		for _, r := range s.b.plan.Spoiled {
			if r == bytecode.RegSink {
				continue
			}
			ws.dirty.Set(r, true)
			for l := range bytecode.WarpSize {
				ws.regs[r][l] = s.width[r] & -uint64(w.lanes>>l&1)
			}
		}
		for p := bytecode.FirstPred; p < s.b.k.Preds; p++ {
			ws.preds[p] = w.lanes
		}
		ws.carry, ws.found = w.lanes, origin{}
		if len(ws.local) != len(w.local) {
			ws.local = memory.Words(uint64(len(w.local)) * 8)
		}
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
	if !ws.dirty.Has(r) {
		return
	}
	if e == bytecode.Full {
		ws.regs[r] = simd.Lanes{}
		ws.dirty.Set(r, false)
		return
	}
	u := &ws.regs[r]
	for ; e != 0; e &= e - 1 {
		u[bits.TrailingZeros32(e)&(bytecode.WarpSize-1)] = 0
	}
	ws.dirty.Set(r, u.Any())
}

// set gives the lanes e of register r the undefined bits of u.
func (s *shadow) set(ws *warpShadow, r int32, u *simd.Lanes, e uint32) {
	if r == bytecode.RegSink || int(r) >= s.b.k.Regs {
		return
	}
	d := &ws.regs[r]
	for width := s.width[r]; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (bytecode.WarpSize - 1)
		d[l] = u[l] & width
	}
	ws.dirty.Set(r, d.Any())
}

// undefinedIn returns the lanes of e in which register r has undefined bits within mask.
func (ws *warpShadow) undefinedIn(r int32, mask uint64, e uint32) (set uint32) {
	if !ws.dirty.Has(r) {
		return 0
	}
	for m := e; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		set |= simd.Bit(ws.regs[r][l]&mask != 0) << l
	}
	return set
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
func (s *shadow) report(w *warp, ws *warpShadow, in *bytecode.Instr, pc int32, set uint32, what string) {
	b := s.b
	b.report(placeOf{check: Initcheck, pc: pc}, func() *Failure {
		lane := bits.TrailingZeros32(set)
		if f := s.shuffled(w, ws, what+" at "+b.k.Where(pc)); f != nil {
			return f
		}
		f := b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%s: %s", what, s.advice(ws))
		if in.Op == bytecode.OpLoad || in.Op == bytecode.OpStore || in.Op == bytecode.OpAtomic {
			f.Address = w.regs[in.A][lane]&in.Mask + in.Offset
		}
		return f
	})
}

// shuffled returns the failure of the shuffle that undefined bits come from, or nil. used says what they are used for.
func (s *shadow) shuffled(w *warp, ws *warpShadow, used string) *Failure {
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
	return "undefined bytes were read at " + s.b.k.Where(ws.found.pc) + " from " + ws.found.space + " address " + hex(ws.found.address) + ": write them first, or Clear the buffer"
}

// unsure counts what is undefined of a barrier's reduction.
type unsure struct {
	given uint32 // threads whose predicate is undefined
	holds uint32 // those of them that hold
}

// joins follows the predicates that the lanes e give to the reduction of a barrier.
func (s *shadow) joins(w *warp, in *bytecode.Instr, e uint32, bar *barrier) {
	set := s.of(w).preds[in.Pa.Index] & e
	bar.unsure.given += uint32(bits.OnesCount32(set))
	bar.unsure.holds += uint32(bits.OnesCount32(w.pred(in.Pa) & set))
}

// reduced follows what lanes get from the reduction of a barrier: it is undefined where it depends on predicates that
// are.
func (s *shadow) reduced(w *warp, in *bytecode.Instr, mask uint32, bar *barrier) {
	ws := s.of(w)
	if in.Combine == nil {
		ws.define(in.Dst, mask)
		if bar.unsure.given > 0 {
			s.smear(ws, in.Dst, mask)
		}
		return
	}
	fewest := bar.holds - bar.unsure.holds
	set := in.Combine(fewest, bar.arrived) ^ in.Combine(fewest+bar.unsure.given, bar.arrived)
	ws.setPred(in.Pdst, set, mask)
}
