package planner

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A Planner makes a plan.
type Planner struct {
	K           *bytecode.Program
	Plan        *bytecode.Plan
	region      []int32 // of each instruction: it is reached only from the one before it, or begins a region
	firstBranch int32   // up to which every thread executes every instruction
	registers   []usage
	read        bytecode.RegisterSet // what threads may read before they write it; nil if that is not known
}

// usage is where a register is mentioned.
type usage struct {
	mentioned   bool
	first, last int32
	writtenAt   bool // the first mention only writes it, in every thread
	writes      int
	opaque      bool // an instruction that is not looked into mentions it
}

// divide finds the regions: a label begins one. It also finds out whether the kernel has loops.
func (p *Planner) divide() {
	code := p.Plan.Code
	p.Plan.Forward = true
	labels := make([]bool, len(code)+1)
	p.firstBranch = int32(len(code))
	for pc := range code {
		in := &code[pc]
		if in.Op == bytecode.OpBranch {
			labels[in.Target] = true
			p.Plan.Forward = p.Plan.Forward && int(in.Target) > pc
		}
		for _, target := range in.Targets {
			labels[target] = true
			p.Plan.Forward = p.Plan.Forward && int(target) > pc
		}
		if in.Op == bytecode.OpBranch || in.Op > bytecode.OpBarrier {
			p.firstBranch = min(p.firstBranch, int32(pc))
		}
	}
	p.region = make([]int32, len(code))
	for pc, n := 0, int32(0); pc < len(code); pc++ {
		if labels[pc] {
			n++
		}
		p.region[pc] = n
	}
}

// roles returns which registers in reads and which it writes. known is false for instructions
// that are not looked into: those that reads names may be written, too.
func roles(in *bytecode.Instr) (reads, writes []int32, known bool) {
	vec := in.Vec[:min(in.Elems, len(in.Vec))]
	switch in.Op {
	case bytecode.OpLanes, bytecode.OpLanesFloat, bytecode.OpSelect, bytecode.OpSpread:
		return []int32{in.A, in.B, in.C}, []int32{in.Dst}, true
	case bytecode.OpTest, bytecode.OpCompare:
		return []int32{in.A, in.B}, nil, true
	case bytecode.OpLogic, bytecode.OpBranch, bytecode.OpNothing, bytecode.OpExit:
		return nil, nil, true
	case bytecode.OpPack:
		return vec, []int32{in.Dst}, true
	case bytecode.OpUnpack, bytecode.OpLoad:
		return []int32{in.A}, vec, true
	case bytecode.OpLoadParam:
		return nil, vec, true
	case bytecode.OpStore:
		return append([]int32{in.A}, vec...), nil, true
	}
	reads = append([]int32{in.Dst, in.A, in.B, in.C}, in.Vec[:]...)
	if in.Call != nil {
		for _, r := range in.Call.Registers() {
			reads = append(reads, *r)
		}
	}
	if in.Own != nil {
		for _, r := range in.Own.Registers() {
			reads = append(reads, *r)
		}
	}
	return reads, nil, false
}

// guarded reports whether lanes that reach in may not execute it.
func guarded(in *bytecode.Instr) bool { return in.Guard != (bytecode.Predicate{}) }

// follow finds where registers are mentioned.
func (p *Planner) follow() {
	p.registers = make([]usage, p.K.Regs)
	for pc := range p.Plan.Code {
		in := &p.Plan.Code[pc]
		reads, writes, known := roles(in)
		for _, r := range reads {
			if u := p.mention(r, pc); u != nil {
				u.opaque = u.opaque || !known
			}
		}
		for _, r := range writes {
			if u := p.mention(r, pc); u != nil {
				u.writtenAt = u.writtenAt || u.first == int32(pc) && !guarded(in) && !slices.Contains(reads, r)
				u.writes++
			}
		}
	}
}

// mention notes a mention of a register of the program, or returns nil for another.
func (p *Planner) mention(r int32, pc int) *usage {
	if r <= bytecode.RegSink || int(r) >= p.K.Regs { // operations have -1 for none
		return nil
	}
	u := &p.registers[r]
	if !u.mentioned {
		u.mentioned, u.first = true, int32(pc)
	}
	u.last = int32(pc)
	return u
}
