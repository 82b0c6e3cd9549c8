package interp

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// apply computes the undefined bits of the result of in, of whose sources some have such.
func apply(r bytecode.Rule, s *shadow, w *warp, ws *warpShadow, in *bytecode.Instr, e uint32) {
	a, b, c := &ws.regs[in.A], &ws.regs[in.B], &ws.regs[in.C]
	x, y, z := &w.regs[in.A], &w.regs[in.B], &w.regs[in.C]
	u := &ws.result
	switch r {
	case bytecode.Upwards:
		for l := range u {
			v := a[l] | b[l] | c[l]
			u[l] = v | -v
		}
	case bytecode.SumOfProduct:
		for l := range u {
			v := -uint64(simd.Bit(a[l]|b[l] != 0)) | c[l]
			u[l] = v | -v
		}
	case bytecode.Bitwise:
		changes(in, u, [3]*simd.Lanes{x, y, z}, [3]*simd.Lanes{a, b, c})
	case bytecode.SmearsHalf:
		for l := range u {
			v := a[l] | b[l] | c[l]
			u[l] = -uint64(simd.Bit(v>>32 != 0))<<32 | -uint64(simd.Bit(uint32(v) != 0))>>32
		}
	case bytecode.SmearsShort:
		smearParts(u, a, b, c, 16)
	case bytecode.SmearsByte:
		smearParts(u, a, b, c, 8)
	case bytecode.PacksShorts:
		for l := range u {
			u[l] = (-uint64(simd.Bit(a[l] != 0))<<16 | -uint64(simd.Bit(b[l] != 0))>>48) & (1<<32 - 1)
		}
	case bytecode.SumOfLow, bytecode.SumOfHigh:
		used := uint64(0xffff)
		if r == bytecode.SumOfHigh {
			used <<= 16
		}
		for l := range u {
			u[l] = -uint64(simd.Bit(a[l]|b[l]&used|c[l] != 0))
		}
	case bytecode.Between:
		var least, most simd.Lanes
		for l := range u {
			least[l], most[l] = x[l]&^a[l], x[l]|a[l]
		}
		in.Fn(&least, &least, y, z)
		in.Fn(&most, &most, y, z)
		for l := range u {
			u[l] = -uint64(simd.Bit(least[l] != most[l]))
		}
	case bytecode.SumOfBytes:
		for l := range u {
			u[l] = -uint64(simd.Bit(counts(a[l], y[l]|b[l]) || counts(b[l], x[l]|a[l]) || c[l] != 0))
		}
	case bytecode.Moves:
		in.Fn(u, a, b, c)
	case bytecode.MovesByB:
		in.Fn(u, a, y, c)
		spill(u, b)
	case bytecode.MovesByC:
		in.Fn(u, a, b, z)
		spill(u, c)
	case bytecode.MovesByBC:
		in.Fn(u, a, y, z)
		spill(u, b)
		spill(u, c)
	default:
		for l := range u {
			u[l] = -uint64(simd.Bit(a[l]|b[l]|c[l] != 0))
		}
	}
	s.set(ws, in.Dst, u, e)
}

// counts reports whether a byte has undefined bits and its factor, at the same place, may be another number than 0.
func counts(undefined, factor uint64) bool {
	for ; undefined != 0; undefined, factor = undefined>>8, factor>>8 {
		if undefined&0xff != 0 && factor&0xff != 0 {
			return true
		}
	}
	return false
}

// smearParts makes each part of so many bits of a result undefined if any of that part of a source is.
func smearParts(u, a, b, c *simd.Lanes, bits uint) {
	part := uint64(1)<<bits - 1
	for l := range u {
		v, result := a[l]|b[l]|c[l], uint64(0)
		for at := uint(0); at < 32; at += bits {
			if v>>at&part != 0 {
				result |= part << at
			}
		}
		u[l] = result
	}
}

// spill makes a result undefined where what decides it is.
func spill(u, by *simd.Lanes) {
	for l := range u {
		u[l] |= -uint64(simd.Bit(by[l] != 0))
	}
}

// changes computes the bits of a bitwise function that flipping undefined bits of its sources changes.
func changes(in *bytecode.Instr, u *simd.Lanes, values, undefined [3]*simd.Lanes) {
	var plain, other simd.Lanes
	in.Fn(&plain, values[0], values[1], values[2])
	*u = simd.Lanes{}
	for set := 1; set < 8; set++ {
		var flipped [3]simd.Lanes
		for n := range flipped {
			flipped[n] = *values[n]
			if set>>n&1 != 0 {
				for l := range bytecode.WarpSize {
					flipped[n][l] ^= undefined[n][l]
				}
			}
		}
		in.Fn(&other, &flipped[0], &flipped[1], &flipped[2])
		for l := range u {
			u[l] |= plain[l] ^ other[l]
		}
	}
}

// other is before for the instructions that are not frequent.
func (s *shadow) other(w *warp, ws *warpShadow, in *bytecode.Instr, pc int32, e uint32) {
	switch in.Op {
	case bytecode.OpCompare:
		p, c := w.compared(in), w.pred(in.Pa)
		up, uc := s.uncertain(w, ws, in, pc), ws.preds[in.Pa.Index]
		one, two := varies(in.Combine, p, c, up, uc), varies(in.Combine, ^p, c, up, uc)
		ws.setPred(in.Pdst, one, e)
		ws.setPred(in.Pdst2, two, e)
	case bytecode.OpLogic:
		ws.setPred(in.Pdst, varies(in.Combine, w.pred(in.Pa), w.pred(in.Pb), ws.preds[in.Pa.Index], ws.preds[in.Pb.Index]), e)
	case bytecode.OpSpread:
		set := varies(in.Combine, w.compared(in), w.pred(in.Pa), s.uncertain(w, ws, in, pc), ws.preds[in.Pa.Index])
		ws.define(in.Dst, e)
		s.smear(ws, in.Dst, set&e)
	case bytecode.OpSelect:
		s.selects(w, ws, in, e)
	case bytecode.OpPack:
		s.packs(ws, in, e)
	case bytecode.OpUnpack:
		s.unpacks(ws, in, e)
	case bytecode.OpCarry:
		s.carries(ws, in, pc, e)
	case bytecode.OpInsert:
		u := &ws.result
		arithmetic.Bfi(u, &ws.regs[in.A], &ws.regs[in.B], &w.regs[in.C], &w.regs[in.Vec[0]], in.Mask)
		spill(u, &ws.regs[in.C])
		spill(u, &ws.regs[in.Vec[0]])
		s.set(ws, in.Dst, u, e)
	case bytecode.OpBranchIndexed:
		if set := ws.undefinedIn(in.A, 1<<32-1, e); set != 0 {
			s.report(w, ws, in, pc, set, "an undefined value decides where the thread branches")
			ws.define(in.A, set)
		}
	case bytecode.OpCall:
		s.called(w, ws, in, pc, e)
	case bytecode.OpActiveMask, bytecode.OpClock, bytecode.OpElect, bytecode.OpStackSave, bytecode.OpAlloca:
		ws.define(in.Dst, e)
		if in.Op == bytecode.OpElect {
			ws.setPred(in.Pdst, 0, e)
		}
	}
}

// selects follows selp: the result is that of a or b, or undefined where the predicate is and they differ.
func (s *shadow) selects(w *warp, ws *warpShadow, in *bytecode.Instr, e uint32) {
	unsure := ws.preds[in.Pa.Index]
	if !ws.dirty.Has(in.A) && !ws.dirty.Has(in.B) && unsure&e == 0 {
		ws.define(in.Dst, e)
		return
	}
	u, a, b := &ws.result, &ws.regs[in.A], &ws.regs[in.B]
	simd.Choose(u, a, b, w.pred(in.Pa))
	for m := unsure; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if a[l]|b[l] != 0 || (w.regs[in.A][l]^w.regs[in.B][l])&s.width[in.A] != 0 {
			u[l] = ^uint64(0)
		}
	}
	s.set(ws, in.Dst, u, e)
}

// packs follows a mov of a vector into a register, and unpacks one of a register into a vector.
func (s *shadow) packs(ws *warpShadow, in *bytecode.Instr, e uint32) {
	width := 8 * in.Size
	u := simd.Lanes{}
	for n := range in.Elems {
		for l, v := range &ws.regs[in.Vec[n]] {
			u[l] |= v & (1<<width - 1) << (width * n)
		}
	}
	s.set(ws, in.Dst, &u, e)
}

func (s *shadow) unpacks(ws *warpShadow, in *bytecode.Instr, e uint32) {
	if !ws.dirty.Has(in.A) {
		for n := range in.Elems {
			ws.define(in.Vec[n], e)
		}
		return
	}
	width, from := 8*in.Size, ws.regs[in.A]
	for n := range in.Elems {
		for l := range from {
			ws.result[l] = from[l] >> (width * n) & (1<<width - 1)
		}
		s.set(ws, in.Vec[n], &ws.result, e)
	}
}

// carries follows sums and products with a carry.
func (s *shadow) carries(ws *warpShadow, in *bytecode.Instr, pc int32, e uint32) {
	set := ws.undefinedIn(in.A, ^uint64(0), e) | ws.undefinedIn(in.B, ^uint64(0), e) | ws.undefinedIn(in.C, ^uint64(0), e)
	if name := s.b.k.Places[pc].Text; strings.Contains(name, "addc") || strings.Contains(name, "subc") || strings.Contains(name, "madc") {
		set |= ws.carry & e
	}
	ws.define(in.Dst, e)
	s.smear(ws, in.Dst, set)
	if in.SetCarry {
		ws.carry = ws.carry&^e | set
	}
}

// uncertain returns the lanes in which a comparison depends on undefined bits.
func (s *shadow) uncertain(w *warp, ws *warpShadow, in *bytecode.Instr, pc int32) (set uint32) {
	if !ws.dirty.Has(in.A) && !ws.dirty.Has(in.B) {
		return 0
	}
	a, b := &ws.regs[in.A], &ws.regs[in.B]
	for l := range bytecode.WarpSize {
		set |= simd.Bit(a[l]|b[l] != 0) << l
	}
	if set != 0 && s.rules[pc] == bytecode.Equality {
		set &^= s.settled(w, ws, in)
	}
	return set
}

// settled returns the lanes in which one defined bit tells the operands apart.
func (s *shadow) settled(w *warp, ws *warpShadow, in *bytecode.Instr) (set uint32) {
	for l := range bytecode.WarpSize {
		u := ws.regs[in.A][l] | ws.regs[in.B][l]
		set |= simd.Bit((w.regs[in.A][l]^w.regs[in.B][l])&^u&s.width[in.A]&s.width[in.B] != 0) << l
	}
	return set
}

// varies returns where a combination of predicates depends on the lanes that are undefined.
func varies(combine func(a, b uint32) uint32, p, c, up, uc uint32) uint32 {
	if up|uc == 0 {
		return 0
	}
	plain := combine(p, c)
	return (plain ^ combine(p^up, c)) | (plain ^ combine(p, c^uc)) | (plain ^ combine(p^up, c^uc))
}

// setPred sets in which lanes of e a predicate is undefined.
func (ws *warpShadow) setPred(p int32, set, e uint32) {
	if p >= bytecode.FirstPred {
		ws.preds[p] = ws.preds[p]&^e | set&e
	}
}

// meet follows an instruction for which lanes of a warp meet.
func (s *shadow) meet(w *warp, in *bytecode.Instr, pc int32, set uint32) {
	ws := s.of(w)
	switch in.Op {
	case bytecode.OpShuffle:
		if !ws.dirty.Has(in.A) && !ws.dirty.Has(in.Dst) && !ws.dirty.Has(in.B) {
			ws.setPred(in.Pdst, 0, set)
			return
		}
		control := [2]simd.Lanes{ws.regs[in.B], ws.regs[in.Vec[0]]}
		from := ws.regs[in.A]
		u := simd.Lanes{}
		for m := set; m != 0; m &= m - 1 {
			l := uint32(bits.TrailingZeros32(m))
			source, ok := in.Source(l, uint32(w.regs[in.B][l]), uint32(w.regs[in.Vec[0]][l]))
			switch {
			case !ok:
				source = l
			case set>>source&1 == 0: // the ISA leaves the value undefined
				u[l] = ^uint64(0)
				ws.found = origin{pc: pc, known: true, shuffled: true, lane: l, source: source, mask: uint32(w.regs[in.C][l]), takePart: set}
				continue
			}
			u[l] = from[source]
			if control[0][l]|control[1][l] != 0 {
				u[l] = ^uint64(0)
			}
		}
		ws.setPred(in.Pdst, 0, set)
		s.set(ws, in.Dst, &u, set)
	case bytecode.OpVote:
		ws.setPred(in.Pdst, -simd.Bit(ws.preds[in.Pa.Index]&set != 0), set)
	case bytecode.OpBallot:
		u := simd.Lanes{}
		for l := range u {
			u[l] = uint64(ws.preds[in.Pa.Index] & set)
		}
		s.set(ws, in.Dst, &u, set)
	case bytecode.OpMatchAny, bytecode.OpMatchAll, bytecode.OpReduce:
		any := ws.undefinedIn(in.A, ^uint64(0), set)
		ws.define(in.Dst, set)
		ws.setPred(in.Pdst, -simd.Bit(any != 0), set)
		if any != 0 {
			s.smear(ws, in.Dst, set)
		}
	}
}

func hex(v uint64) string { return fmt.Sprintf("%#x", v) }
