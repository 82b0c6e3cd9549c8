package planner

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// pair makes code in which pairs of instructions are executed at once. The first one's place stays, so that what is executed is counted as before.
// Checks that follow each instruction use the code without pairs.
func (p *Planner) pair() {
	code := p.Plan.Code
	if !slices.ContainsFunc(code, func(in bytecode.Instr) bool { return isFirst(&in) }) {
		return
	}
	p.follow() // instructions have other operands since
	uniform, taken := p.Uniforms(), make([]bool, len(code))
	for pc := range code {
		if taken[pc] || !isFirst(&code[pc]) {
			continue
		}
		last, c := p.partner(pc, uniform)
		if c == nil || taken[last] {
			continue
		}
		taken[last] = true
		if p.Plan.Paired == nil {
			p.Plan.Paired = slices.Clone(code)
		}
		first, second := &p.Plan.Paired[pc], &p.Plan.Paired[last]
		join(second, first, c)
		*first = bytecode.Instr{Op: bytecode.OpHoisted, Target: int32(pc) + 1, Straight: first.Straight}
	}
}

// isFirst reports whether in may be the first of a pair.
func isFirst(in *bytecode.Instr) bool {
	return in.Op == bytecode.OpLanes && in.Straight > 1 && simd.BeginsPair(in.Fn)
}

// farthestPartner bounds how many instructions later the second of a pair is looked for, so that planning takes linear time.
const farthestPartner = 128

// partner returns the instruction that the one at pc is executed with, and how; or nil.
func (p *Planner) partner(pc int, uniform []bool) (int, *simd.Pairing) {
	code := p.Plan.Code
	first := &code[pc]
	for last := pc + 1; last < pc+min(int(first.Straight), farthestPartner) && p.region[last] == p.region[pc]; last++ {
		second := &code[last]
		reads, writes, _ := roles(second)
		if !slices.Contains(reads, first.Dst) {
			if slices.ContainsFunc(writes, func(r int32) bool { return r == first.Dst || r == first.A || r == first.B }) {
				break
			}
			continue
		}
		return last, p.pairing(first, second, last, uniform)
	}
	return 0, nil
}

// pairing returns how second is executed with first, whose result it is the first to read; or nil.
func (p *Planner) pairing(first, second *bytecode.Instr, last int, uniform []bool) *simd.Pairing {
	if second.A == second.B || first.Dst <= bytecode.RegSink {
		return nil
	}
	at, other := 0, second.B
	if second.B == first.Dst {
		at, other = 1, second.A
	}
	var c *simd.Pairing
	switch second.Op {
	case bytecode.OpLanes:
		c = simd.PairOf(first.Fn, second.Fn, at)
	case bytecode.OpTest:
		c = simd.PairOf(first.Fn, second.Compare, at)
	}
	if c == nil || c.Test != nil && !uniform[other] || !c.Keeps && (!p.passes(first.Dst) || p.registers[first.Dst].last != int32(last)) {
		return nil
	}
	return c
}

// join makes in what it and first do.
func join(in *bytecode.Instr, first *bytecode.Instr, c *simd.Pairing) {
	other := in.B
	if c.At == 1 {
		other = in.A
	}
	in.A, in.B, in.C = first.A, first.B, other
	if c.Test == nil {
		in.Fn = c.Both
		return
	}
	in.Op, in.Pair, in.Temporary = bytecode.OpPair, c.Pair, true
	if c.Keeps {
		in.Dst, in.Temporary = first.Dst, first.Temporary
	}
}
