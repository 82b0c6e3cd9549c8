package bytecode

// straighten counts for each instruction how many frequent ones without guards stand in a line
// from it on. Lanes that execute the first execute all of them.
func (p *Planner) straighten() {
	code := p.Plan.Code
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		if in.guarded() || !in.isFrequent() {
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
		if in := &p.Plan.Code[pc]; in.Op == OpLanes || in.Op == OpSelect {
			in.Temporary = p.passes(in.Dst)
		}
	}
}

// isFrequent reports whether straight executes in.
func (in *Instr) isFrequent() bool {
	switch in.Op {
	case OpLanes, OpTest, OpSelect, OpLogic, OpHoisted:
		return true
	case OpLoad:
		return in.LoadWhole != nil
	case OpStore:
		return in.StoreWhole != nil
	}
	return false
}
