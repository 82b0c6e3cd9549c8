package planner

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// unify has instructions use that an operand is the same in all lanes.
func (p *Planner) unify() {
	uniform := p.Uniforms()
	for pc := range p.Plan.Code {
		in := &p.Plan.Code[pc]
		switch in.Op {
		case bytecode.OpLanes:
			unify(in, uniform)
		case bytecode.OpTest:
			a, b := uniform[in.A], uniform[in.B]
			for _, variant := range simd.UniformComparers {
				if (a || b) && simd.CodeOf(in.Compare) == simd.CodeOf(variant.Of) {
					if b {
						in.Compare = variant.WithB
					} else if variant.WithA != nil {
						in.Compare = variant.WithA
					}
					break
				}
			}
		}
	}
}

func unify(in *bytecode.Instr, uniform []bool) {
	a, b, c := uniform[in.A], uniform[in.B], uniform[in.C]
	if !a && !b && in.A != in.B {
		return
	}
	for _, variant := range simd.UniformVariants {
		if simd.CodeOf(in.Fn) != simd.CodeOf(variant.Of) {
			continue
		}
		if a && !b && variant.Commutes {
			in.A, in.B, b = in.B, in.A, true
		}
		switch {
		case b && c && variant.Both != nil:
			in.Fn = variant.Both
		case b:
			in.Fn = variant.With
		case in.A == in.B && variant.Same != nil:
			in.Fn = variant.Same
		}
		return
	}
}

// Uniforms returns which registers have the same value in all lanes at all times: constants, special registers that do not tell lanes apart, and
// what is computed once for all blocks from those.
func (p *Planner) Uniforms() []bool {
	uniform := make([]bool, p.K.Registers())
	for r := p.K.FirstConst(); r < len(uniform); r++ {
		uniform[r] = r < p.K.FirstSpecial() || isUniform(bytecode.SpecialRegisters[p.K.Specials[r-p.K.FirstSpecial()]])
	}
	for n := range p.Plan.Hoisted {
		reads, writes, _ := roles(&p.Plan.Hoisted[n])
		same := true
		for _, r := range reads {
			same = same && (r == bytecode.RegSink || uniform[r])
		}
		for _, r := range writes {
			uniform[r] = same
		}
	}
	return uniform
}

// uniformRegisters is the special registers that are the same in all threads of a block, of those that never vary.
var uniformRegisters = map[string]bool{"%ntid.x": true, "%ntid.y": true, "%ntid.z": true}

// isUniform reports whether r is the same in all threads of a block. What varies from launch to launch or from block to block does not within one.
func isUniform(r bytecode.SpecialRegister) bool {
	return r.Varies != bytecode.Never || uniformRegisters[r.Name]
}
