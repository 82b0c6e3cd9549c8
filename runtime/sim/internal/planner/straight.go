package planner

import "github.com/cudagen/cudagen/runtime/sim/internal/bytecode"

// straighten counts for each instruction how many frequent ones without guards stand in a line
// from it on. Lanes that execute the first execute all of them.
func (p *Planner) straighten() {
	code := p.Plan.Code
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		if guarded(in) || !isFrequent(in) {
			continue
		}
		in.Straight = 1
		if pc+1 < len(code) {
			in.Straight += code[pc+1].Straight
		}
	}
}

// relieve marks instructions that need not keep what the other lanes have in their destination:
// nobody reads it there.
func (p *Planner) relieve() {
	for pc := range p.Plan.Code {
		if in := &p.Plan.Code[pc]; in.Op == bytecode.OpLanes || in.Op == bytecode.OpSelect {
			in.Temporary = p.passes(in.Dst)
		}
	}
}

// isFrequent reports whether straight executes in.
func isFrequent(in *bytecode.Instr) bool {
	switch in.Op {
	case bytecode.OpLanes, bytecode.OpTest, bytecode.OpSelect, bytecode.OpLogic, bytecode.OpHoisted:
		return true
	case bytecode.OpLoad:
		return in.LoadWhole != nil
	case bytecode.OpStore:
		return in.StoreWhole != nil
	}
	return false
}
