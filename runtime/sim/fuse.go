package sim

import "slices"

// fuse makes one instruction of a product and the sum that alone needs it, which stand in a line:
// the address of an element is such a sum. The product's place stays, so that what is executed is
// counted as before.
func (p *planner) fuse() {
	code := p.plan.code
	for pc := range code {
		product := &code[pc]
		if product.op != opLanes || product.summed == nil || !p.passes(product.dst) {
			continue
		}
		u := &p.registers[product.dst]
		sum := &code[u.last]
		if u.first != int32(pc) || !p.alone(pc, int(u.last)) {
			continue
		}
		addend := sum.a
		if addend == product.dst {
			addend = sum.b
		}
		sum.fn, sum.a, sum.b, sum.c, sum.sums = product.summed, product.a, product.b, addend, false
		p.plan.fused = append(p.plan.fused, u.last)
		*product = instr{op: opHoisted, target: int32(pc) + 1, straight: product.straight}
	}
}

// maxFusedDistance is how many instructions a product and its sum are apart at most: what is between is looked at for each.
const maxFusedDistance = 1 << 9

// alone reports whether the sum at last is what the product at first is needed for, and could be
// computed from its operands.
func (p *planner) alone(first, last int) bool {
	code := p.plan.code
	product, sum := &code[first], &code[last]
	if sum.op != opLanes || !sum.sums || sum.a == sum.b || last-first > maxFusedDistance {
		return false
	}
	for pc := first + 1; pc < last; pc++ {
		reads, writes, _ := code[pc].roles()
		if slices.Contains(reads, product.dst) || slices.ContainsFunc(writes, func(r int32) bool {
			return r == product.dst || r == product.a || r == product.b
		}) {
			return false
		}
	}
	return true
}

// passes reports whether r hands a value on in a line and is nowhere else: its first mention, in the
// line of the last, writes it.
func (p *planner) passes(r int32) bool {
	if r <= regSink || int(r) >= p.k.regs {
		return false
	}
	u := &p.registers[r]
	return u.writtenAt && p.region[u.first] == p.region[u.last] && u.last < u.first+p.plan.code[u.first].straight
}
