package sim

import "github.com/cudagen/cudagen/runtime/sim/internal/simd"

// unify has instructions use that an operand is the same in all lanes.
func (p *planner) unify() {
	uniform := p.uniforms()
	for pc := range p.plan.code {
		in := &p.plan.code[pc]
		switch in.op {
		case opLanes:
			in.unify(uniform)
		case opTest:
			a, b := uniform[in.a], uniform[in.b]
			for _, variant := range simd.UniformComparers {
				if (a || b) && simd.CodeOf(in.compare) == simd.CodeOf(variant.Of) {
					if b {
						in.compare = variant.WithB
					} else if variant.WithA != nil {
						in.compare = variant.WithA
					}
					break
				}
			}
		}
	}
}

func (in *instr) unify(uniform []bool) {
	a, b, c := uniform[in.a], uniform[in.b], uniform[in.c]
	if !a && !b && in.a != in.b {
		return
	}
	for _, variant := range simd.UniformVariants {
		if simd.CodeOf(in.fn) != simd.CodeOf(variant.Of) {
			continue
		}
		if a && !b && variant.Commutes {
			in.a, in.b, b = in.b, in.a, true
		}
		switch {
		case b && c && variant.Both != nil:
			in.fn = variant.Both
		case b:
			in.fn = variant.With
		case in.a == in.b && variant.Same != nil:
			in.fn = variant.Same
		}
		return
	}
}

// uniforms returns which registers have the same value in all lanes at all times: constants, special registers that do not tell lanes apart, and
// what is computed once for all blocks from those.
func (p *planner) uniforms() []bool {
	uniform := make([]bool, p.k.registers())
	for r := p.k.firstConst(); r < len(uniform); r++ {
		uniform[r] = r < p.k.firstSpecial() || specialRegisters[p.k.specials[r-p.k.firstSpecial()]].isUniform()
	}
	for n := range p.plan.hoisted {
		reads, writes, _ := p.plan.hoisted[n].roles()
		same := true
		for _, r := range reads {
			same = same && (r == regSink || uniform[r])
		}
		for _, r := range writes {
			uniform[r] = same
		}
	}
	return uniform
}

// uniformRegisters is the special registers that are the same in all threads of a block, of those that are the same in all blocks.
var uniformRegisters = map[string]bool{"%ntid.x": true, "%ntid.y": true, "%ntid.z": true, "%nctaid.x": true, "%nctaid.y": true, "%nctaid.z": true}

// isUniform reports whether r is the same in all threads of a block. What varies from block to block does not within.
func (r specialRegister) isUniform() bool { return r.varies || uniformRegisters[r.name] }
