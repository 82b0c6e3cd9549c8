package planner

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// fuse makes one instruction of a product and the sum that alone needs it, which stand in a line:
// the address of an element is such a sum. The product's place stays, so that what is executed is
// counted as before.
func (p *Planner) fuse() {
	code := p.Plan.Code
	for pc := range code {
		product := &code[pc]
		if product.Op != bytecode.OpLanes || product.Summed == nil || !p.passes(product.Dst) {
			continue
		}
		u := &p.registers[product.Dst]
		sum := &code[u.last]
		if u.first != int32(pc) || !p.alone(pc, int(u.last)) {
			continue
		}
		addend := sum.A
		if addend == product.Dst {
			addend = sum.B
		}
		sum.Fn, sum.A, sum.B, sum.C, sum.Sums = product.Summed, product.A, product.B, addend, false
		p.Plan.Fused = append(p.Plan.Fused, u.last)
		*product = bytecode.Instr{Op: bytecode.OpHoisted, Target: int32(pc) + 1, Straight: product.Straight}
	}
}

// maxFusedDistance is how many instructions a product and its sum are apart at most: what is between is looked at for each.
const maxFusedDistance = 1 << 9

// alone reports whether the sum at last is what the product at first is needed for, and could be
// computed from its operands.
func (p *Planner) alone(first, last int) bool {
	code := p.Plan.Code
	product, sum := &code[first], &code[last]
	if sum.Op != bytecode.OpLanes || !sum.Sums || sum.A == sum.B || last-first > maxFusedDistance {
		return false
	}
	for pc := first + 1; pc < last; pc++ {
		reads, writes, _ := roles(&code[pc])
		if slices.Contains(reads, product.Dst) || slices.ContainsFunc(writes, func(r int32) bool {
			return r == product.Dst || r == product.A || r == product.B
		}) {
			return false
		}
	}
	return true
}

// passes reports whether r hands a value on in a line and is nowhere else: its first mention, in the
// line of the last, writes it.
func (p *Planner) passes(r int32) bool {
	if r <= bytecode.RegSink || int(r) >= p.K.Regs {
		return false
	}
	u := &p.registers[r]
	return u.writtenAt && p.region[u.first] == p.region[u.last] && u.last < u.first+p.Plan.Code[u.first].Straight
}
