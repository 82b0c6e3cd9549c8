// Package planner plans and analyzes kernels: bytecode comes in, and the same code with less work, and which arrays
// each register may point to, go out. It knows what instructions read and write. It knows neither PTX nor what executes the plan.
package planner

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// Planned returns k's plan, which is made when k is launched first.
func Planned(k *bytecode.Program) *bytecode.Plan {
	k.Planning.Do(func() {
		if k.Stack { // its functions are reached from anywhere
			k.Plan.Code, k.Plan.Spoiled = k.Code, k.AllRegisters()
			return
		}
		p := Planner{K: k, Plan: &k.Plan}
		p.Plan.Code = slices.Clone(k.Code)
		p.divide()
		p.follow()
		p.read = p.firstRead()
		p.spoil()
		p.hoist()
		p.survey()
		p.straighten()
		p.fuse()
		p.relieve()
		p.unify()
		p.keepLive()
		p.pair()
	})
	return &k.Plan
}

// Unplanned returns the plan that leaves nothing out.
func Unplanned(k *bytecode.Program) *bytecode.Plan {
	return &bytecode.Plan{Code: k.Code, Spoiled: k.AllRegisters()}
}

// firstRead returns what threads may read before they write it.
func (p *Planner) firstRead() bytecode.RegisterSet {
	live := p.live()
	if live == nil {
		return nil
	}
	return live[p.K.Start]
}

// written reports whether every thread that reads r has written it before. Where that is not known, its first mention
// must write it, and whoever reaches another one must come from there.
func (p *Planner) written(r int) bool {
	u := &p.registers[r]
	if p.read != nil {
		return !p.read.Has(int32(r))
	}
	return !u.mentioned || u.writtenAt && (u.first < p.firstBranch || p.region[u.first] == p.region[u.last])
}

// spoil lists the registers that show whether they are read before they are written.
func (p *Planner) spoil() {
	for r := range p.registers {
		if !p.written(r) || p.registers[r].opaque {
			p.Plan.Spoiled = append(p.Plan.Spoiled, int32(r))
		}
	}
}

// hoist takes instructions out that give the same in all blocks. The place of those that stand
// together is one step.
func (p *Planner) hoist() {
	code := p.Plan.Code
	constant := make([]bool, p.K.Registers())
	for r := p.K.FirstConst(); r < len(constant); r++ {
		constant[r] = r < p.K.FirstSpecial() || bytecode.SpecialRegisters[p.K.Specials[r-p.K.FirstSpecial()]].Varies != bytecode.ByBlock
	}
	for pc := range code {
		in := &code[pc]
		if guarded(in) || in.Op != bytecode.OpLanes && in.Op != bytecode.OpLanesFloat && in.Op != bytecode.OpLoadParam {
			continue
		}
		reads, writes, _ := roles(in)
		if slices.ContainsFunc(reads, func(r int32) bool { return r != bytecode.RegSink && !constant[r] }) || slices.ContainsFunc(writes, func(r int32) bool {
			return r == bytecode.RegSink || !p.written(int(r)) || p.registers[r].writes != 1 || p.registers[r].opaque
		}) {
			continue
		}
		for _, r := range writes {
			constant[r] = true
		}
		p.Plan.Hoisted = append(p.Plan.Hoisted, *in)
		*in = bytecode.Instr{Op: bytecode.OpHoisted}
	}
	for pc := int32(len(code)) - 1; pc >= 0; pc-- {
		if code[pc].Op != bytecode.OpHoisted {
			continue
		}
		code[pc].Target = pc + 1
		if next := pc + 1; int(next) < len(code) && code[next].Op == bytecode.OpHoisted && p.region[next] == p.region[pc] {
			code[pc].Target = code[next].Target
		}
	}
}
