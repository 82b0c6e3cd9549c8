package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A rule says which bits of a result are undefined.
type rule uint8

const (
	smears       rule = iota // all, if any of a source is
	bitwise                  // those that a source's undefined bit can change
	upwards                  // from the lowest undefined bit of a source on: sums and low products
	moves                    // the instruction moves bits: it moves undefined ones alike
	movesByB                 // the same, by b
	movesByC                 // the same, by c
	movesByBC                // the same, by b and c
	equality                 // a comparison, which one differing bit decides
	sumOfProduct             // c plus the product of a and b, which is undefined if one of them is
	smearsHalf               // all of a half, if any of that half of a source is
)

// ruleNames has the rule of instructions by how their names begin; the longest counts.
var ruleNames = map[string]rule{
	"and": bitwise, "or": bitwise, "xor": bitwise, "not": bitwise, "lop3": bitwise,
	"add.u": upwards, "add.s": upwards, "sub.u": upwards, "sub.s": upwards, "mul.lo": upwards, "mad.lo": upwards, "neg.s": upwards, "cvta": upwards,
	"add.sat": smears, "sub.sat": smears,
	"mov": moves, "brev": moves,
	"shl": movesByB, "shr": movesByB, "bfe": movesByBC, "prmt": movesByC, "shf": movesByC,
}

// ruleOf returns the rule of an instruction.
func ruleOf(text string) rule {
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	parts := strings.Split(name, ".")
	if parts[len(parts)-1] == "f32x2" {
		return smearsHalf
	}
	if (parts[0] == "setp" || parts[0] == "set") && len(parts) > 2 {
		if t := parts[len(parts)-1]; (parts[1] == "eq" || parts[1] == "ne") && isInteger(t) {
			return equality
		}
		return smears
	}
	if parts[0] == "cvt" {
		if len(parts) == 3 && isInteger(parts[1]) && isInteger(parts[2]) {
			return moves
		}
		return smears
	}
	for n := min(2, len(parts)); n > 0; n-- {
		if r, ok := ruleNames[strings.Join(parts[:n], ".")]; ok {
			return r
		}
	}
	if len(parts) > 1 && parts[1] != "" {
		if r, ok := ruleNames[parts[0]+"."+parts[1][:1]]; ok {
			return r
		}
	}
	return smears
}

func isInteger(t string) bool {
	return len(t) > 1 && strings.ContainsRune("usb", rune(t[0])) && t[1] >= '1' && t[1] <= '9'
}

// shadowRules returns the rules of a kernel's instructions as p has them.
func (p *plan) shadowRules(k *kernel) []rule {
	k.shadowOnce.Do(func() {
		k.rules = make([]rule, len(k.code))
		for pc := range k.code {
			k.rules[pc] = ruleOf(k.places[pc].text)
		}
	})
	if len(p.fused) == 0 {
		return k.rules
	}
	rules := slices.Clone(k.rules)
	for _, pc := range p.fused {
		rules[pc] = sumOfProduct
	}
	return rules
}

// widths returns the bits of each register.
func (k *kernel) widths() []uint64 {
	width := make([]uint64, k.registers())
	for r := range width {
		width[r] = ^uint64(0)
		if size := k.sizes[int32(r)]; size > 0 && size < 8 {
			width[r] = 1<<(8*size) - 1
		}
	}
	return width
}

// apply computes the undefined bits of the result of in, of whose sources some have such.
func (r rule) apply(s *shadow, w *warp, ws *warpShadow, in *instr, e uint32) {
	a, b, c := &ws.regs[in.a], &ws.regs[in.b], &ws.regs[in.c]
	x, y, z := &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	u := &ws.result
	switch r {
	case upwards:
		for l := range u {
			v := a[l] | b[l] | c[l]
			u[l] = v | -v
		}
	case sumOfProduct:
		for l := range u {
			v := -uint64(simd.Bit(a[l]|b[l] != 0)) | c[l]
			u[l] = v | -v
		}
	case bitwise:
		in.changes(u, [3]*simd.Lanes{x, y, z}, [3]*simd.Lanes{a, b, c})
	case smearsHalf:
		for l := range u {
			v := a[l] | b[l] | c[l]
			u[l] = -uint64(simd.Bit(v>>32 != 0))<<32 | -uint64(simd.Bit(uint32(v) != 0))>>32
		}
	case moves:
		in.fn(u, a, b, c)
	case movesByB:
		in.fn(u, a, y, c)
		spill(u, b)
	case movesByC:
		in.fn(u, a, b, z)
		spill(u, c)
	case movesByBC:
		in.fn(u, a, y, z)
		spill(u, b)
		spill(u, c)
	default:
		for l := range u {
			u[l] = -uint64(simd.Bit(a[l]|b[l]|c[l] != 0))
		}
	}
	s.set(ws, in.dst, u, e)
}

// spill makes a result undefined where what decides it is.
func spill(u, by *simd.Lanes) {
	for l := range u {
		u[l] |= -uint64(simd.Bit(by[l] != 0))
	}
}

// changes computes the bits of a bitwise function that flipping undefined bits of its sources changes.
func (in *instr) changes(u *simd.Lanes, values, undefined [3]*simd.Lanes) {
	var plain, other simd.Lanes
	in.fn(&plain, values[0], values[1], values[2])
	*u = simd.Lanes{}
	for set := 1; set < 8; set++ {
		var flipped [3]simd.Lanes
		for n := range flipped {
			flipped[n] = *values[n]
			if set>>n&1 != 0 {
				for l := range warpSize {
					flipped[n][l] ^= undefined[n][l]
				}
			}
		}
		in.fn(&other, &flipped[0], &flipped[1], &flipped[2])
		for l := range u {
			u[l] |= plain[l] ^ other[l]
		}
	}
}

// other is before for the instructions that are not frequent.
func (s *shadow) other(w *warp, ws *warpShadow, in *instr, pc int32, e uint32) {
	switch in.op {
	case opCompare:
		p, c := w.compared(in), w.pred(in.pa)
		up, uc := s.uncertain(w, ws, in, pc), ws.preds[in.pa.index]
		one, two := varies(in.combine, p, c, up, uc), varies(in.combine, ^p, c, up, uc)
		ws.setPred(in.pdst, one, e)
		ws.setPred(in.pdst2, two, e)
	case opLogic:
		ws.setPred(in.pdst, varies(in.combine, w.pred(in.pa), w.pred(in.pb), ws.preds[in.pa.index], ws.preds[in.pb.index]), e)
	case opSpread:
		set := varies(in.combine, w.compared(in), w.pred(in.pa), s.uncertain(w, ws, in, pc), ws.preds[in.pa.index])
		ws.define(in.dst, e)
		s.smear(ws, in.dst, set&e)
	case opSelect:
		s.selects(w, ws, in, e)
	case opPack:
		s.packs(ws, in, e)
	case opUnpack:
		s.unpacks(ws, in, e)
	case opCarry:
		s.carries(ws, in, pc, e)
	case opInsert:
		u := &ws.result
		bfi(u, &ws.regs[in.a], &ws.regs[in.b], &w.regs[in.c], &w.regs[in.vec[0]], in.mask)
		spill(u, &ws.regs[in.c])
		spill(u, &ws.regs[in.vec[0]])
		s.set(ws, in.dst, u, e)
	case opBranchIndexed:
		if set := ws.undefinedIn(in.a, 1<<32-1, e); set != 0 {
			s.report(w, ws, in, pc, set, "an undefined value decides where the thread branches")
			ws.define(in.a, set)
		}
	case opCall:
		s.called(w, ws, in, pc, e)
	case opActiveMask, opClock, opElect, opStackSave, opAlloca:
		ws.define(in.dst, e)
		if in.op == opElect {
			ws.setPred(in.pdst, 0, e)
		}
	}
}

// selects follows selp: the result is that of a or b, or undefined where the predicate is and they differ.
func (s *shadow) selects(w *warp, ws *warpShadow, in *instr, e uint32) {
	unsure := ws.preds[in.pa.index]
	if !ws.dirty.has(in.a) && !ws.dirty.has(in.b) && unsure&e == 0 {
		ws.define(in.dst, e)
		return
	}
	u, a, b := &ws.result, &ws.regs[in.a], &ws.regs[in.b]
	simd.Choose(u, a, b, w.pred(in.pa))
	for m := unsure; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if a[l]|b[l] != 0 || (w.regs[in.a][l]^w.regs[in.b][l])&s.width[in.a] != 0 {
			u[l] = ^uint64(0)
		}
	}
	s.set(ws, in.dst, u, e)
}

// packs follows a mov of a vector into a register, and unpacks one of a register into a vector.
func (s *shadow) packs(ws *warpShadow, in *instr, e uint32) {
	width := 8 * in.size
	u := simd.Lanes{}
	for n := range in.elems {
		for l, v := range &ws.regs[in.vec[n]] {
			u[l] |= v & (1<<width - 1) << (width * n)
		}
	}
	s.set(ws, in.dst, &u, e)
}

func (s *shadow) unpacks(ws *warpShadow, in *instr, e uint32) {
	if !ws.dirty.has(in.a) {
		for n := range in.elems {
			ws.define(in.vec[n], e)
		}
		return
	}
	width, from := 8*in.size, ws.regs[in.a]
	for n := range in.elems {
		for l := range from {
			ws.result[l] = from[l] >> (width * n) & (1<<width - 1)
		}
		s.set(ws, in.vec[n], &ws.result, e)
	}
}

// carries follows sums and products with a carry.
func (s *shadow) carries(ws *warpShadow, in *instr, pc int32, e uint32) {
	set := ws.undefinedIn(in.a, ^uint64(0), e) | ws.undefinedIn(in.b, ^uint64(0), e) | ws.undefinedIn(in.c, ^uint64(0), e)
	if name := s.b.k.places[pc].text; strings.Contains(name, "addc") || strings.Contains(name, "subc") || strings.Contains(name, "madc") {
		set |= ws.carry & e
	}
	ws.define(in.dst, e)
	s.smear(ws, in.dst, set)
	if in.setCarry {
		ws.carry = ws.carry&^e | set
	}
}

// uncertain returns the lanes in which a comparison depends on undefined bits.
func (s *shadow) uncertain(w *warp, ws *warpShadow, in *instr, pc int32) (set uint32) {
	if !ws.dirty.has(in.a) && !ws.dirty.has(in.b) {
		return 0
	}
	a, b := &ws.regs[in.a], &ws.regs[in.b]
	for l := range warpSize {
		set |= simd.Bit(a[l]|b[l] != 0) << l
	}
	if set != 0 && s.rules[pc] == equality {
		set &^= s.settled(w, ws, in)
	}
	return set
}

// settled returns the lanes in which one defined bit tells the operands apart.
func (s *shadow) settled(w *warp, ws *warpShadow, in *instr) (set uint32) {
	for l := range warpSize {
		u := ws.regs[in.a][l] | ws.regs[in.b][l]
		set |= simd.Bit((w.regs[in.a][l]^w.regs[in.b][l])&^u&s.width[in.a]&s.width[in.b] != 0) << l
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
	if p >= firstPred {
		ws.preds[p] = ws.preds[p]&^e | set&e
	}
}

// meet follows an instruction for which lanes of a warp meet.
func (s *shadow) meet(w *warp, in *instr, pc int32, set uint32) {
	ws := s.of(w)
	switch in.op {
	case opShuffle:
		if !ws.dirty.has(in.a) && !ws.dirty.has(in.dst) && !ws.dirty.has(in.b) {
			ws.setPred(in.pdst, 0, set)
			return
		}
		control := [2]simd.Lanes{ws.regs[in.b], ws.regs[in.vec[0]]}
		from := ws.regs[in.a]
		u := simd.Lanes{}
		for m := set; m != 0; m &= m - 1 {
			l := uint32(bits.TrailingZeros32(m))
			source, ok := in.source(l, uint32(w.regs[in.b][l]), uint32(w.regs[in.vec[0]][l]))
			switch {
			case !ok:
				source = l
			case set>>source&1 == 0: // the ISA leaves the value undefined
				u[l] = ^uint64(0)
				ws.found = origin{pc: pc, known: true, shuffled: true, lane: l, source: source, mask: uint32(w.regs[in.c][l]), takePart: set}
				continue
			}
			u[l] = from[source]
			if control[0][l]|control[1][l] != 0 {
				u[l] = ^uint64(0)
			}
		}
		ws.setPred(in.pdst, 0, set)
		s.set(ws, in.dst, &u, set)
	case opVote:
		ws.setPred(in.pdst, -simd.Bit(ws.preds[in.pa.index]&set != 0), set)
	case opBallot:
		u := simd.Lanes{}
		for l := range u {
			u[l] = uint64(ws.preds[in.pa.index] & set)
		}
		s.set(ws, in.dst, &u, set)
	case opMatchAny, opMatchAll, opReduce:
		any := ws.undefinedIn(in.a, ^uint64(0), set)
		ws.define(in.dst, set)
		ws.setPred(in.pdst, -simd.Bit(any != 0), set)
		if any != 0 {
			s.smear(ws, in.dst, set)
		}
	}
}

// where is the place of the instruction at pc.
func (k *kernel) where(pc int32) string {
	at := k.places[pc]
	if at.source.file != "" {
		return fmt.Sprintf("%s:%d", at.source.file, at.source.line)
	}
	return fmt.Sprintf("PTX line %d", at.line)
}

func hex(v uint64) string { return fmt.Sprintf("%#x", v) }

// setSize notes the bytes of a register.
func (k *kernel) setSize(r int32, size int) {
	if k.sizes == nil {
		k.sizes = make(map[int32]int)
	}
	k.sizes[r] = size
}
