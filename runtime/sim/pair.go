package sim

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// pair makes code in which pairs of instructions are executed at once. The first one's place stays, so that what is executed is counted as before.
// Checks that follow each instruction use the code without pairs.
func (p *planner) pair() {
	code := p.plan.code
	if !slices.ContainsFunc(code, func(in instr) bool { return in.isFirst() }) {
		return
	}
	p.follow() // instructions have other operands since
	uniform, taken := p.uniforms(), make([]bool, len(code))
	for pc := range code {
		if taken[pc] || !code[pc].isFirst() {
			continue
		}
		last, c := p.partner(pc, uniform)
		if c == nil || taken[last] {
			continue
		}
		taken[last] = true
		if p.plan.paired == nil {
			p.plan.paired = slices.Clone(code)
		}
		first, second := &p.plan.paired[pc], &p.plan.paired[last]
		second.join(first, c)
		*first = instr{op: opHoisted, target: int32(pc) + 1, straight: first.straight}
	}
}

// isFirst reports whether in may be the first of a pair.
func (in *instr) isFirst() bool {
	return in.op == opLanes && in.straight > 1 && simd.BeginsPair(in.fn)
}

// farthestPartner bounds how many instructions later the second of a pair is looked for, so that planning takes linear time.
const farthestPartner = 128

// partner returns the instruction that the one at pc is executed with, and how; or nil.
func (p *planner) partner(pc int, uniform []bool) (int, *simd.Pairing) {
	code := p.plan.code
	first := &code[pc]
	for last := pc + 1; last < pc+min(int(first.straight), farthestPartner) && p.region[last] == p.region[pc]; last++ {
		second := &code[last]
		reads, writes, _ := second.roles()
		if !slices.Contains(reads, first.dst) {
			if slices.ContainsFunc(writes, func(r int32) bool { return r == first.dst || r == first.a || r == first.b }) {
				break
			}
			continue
		}
		return last, p.pairing(first, second, last, uniform)
	}
	return 0, nil
}

// pairing returns how second is executed with first, whose result it is the first to read; or nil.
func (p *planner) pairing(first, second *instr, last int, uniform []bool) *simd.Pairing {
	if second.a == second.b || first.dst <= regSink {
		return nil
	}
	at, other := 0, second.b
	if second.b == first.dst {
		at, other = 1, second.a
	}
	var c *simd.Pairing
	switch second.op {
	case opLanes:
		c = simd.PairOf(first.fn, second.fn, at)
	case opTest:
		c = simd.PairOf(first.fn, second.compare, at)
	}
	if c == nil || c.Test != nil && !uniform[other] || !c.Keeps && (!p.passes(first.dst) || p.registers[first.dst].last != int32(last)) {
		return nil
	}
	return c
}

// join makes in what it and first do.
func (in *instr) join(first *instr, c *simd.Pairing) {
	other := in.b
	if c.At == 1 {
		other = in.a
	}
	in.a, in.b, in.c = first.a, first.b, other
	if c.Test == nil {
		in.fn = c.Both
		return
	}
	in.op, in.pair, in.temporary = opPair, c.Pair, true
	if c.Keeps {
		in.dst, in.temporary = first.dst, first.temporary
	}
}

// paired executes a pair in the lanes e.
func (w *warp) paired(in *instr, e uint32) {
	d := &w.regs[in.dst]
	if e != full && !in.temporary {
		d = &w.result
	}
	p := in.pair(d, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]) ^ in.negate
	w.preds[in.pdst] = w.preds[in.pdst]&^e | p&e
	if e != full && !in.temporary {
		simd.Fast.Blend(&w.regs[in.dst], d, e)
	}
}
