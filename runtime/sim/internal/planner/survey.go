package planner

import "github.com/cudagen/cudagen/runtime/sim/internal/bytecode"

// maxSurveys is how many surveys of accesses a warp keeps.
const maxSurveys = 4

// survey finds accesses that may follow others.
func (p *Planner) survey() {
	type open struct {
		leader int
		in     *bytecode.Instr
	}
	var kept [maxSurveys]open
	next := 0
	for pc := range p.Plan.Code {
		in := &p.Plan.Code[pc]
		_, writes, known := roles(in)
		if !known || in.Op == bytecode.OpBranch || pc > 0 && p.region[pc] != p.region[pc-1] {
			kept, next = [maxSurveys]open{}, 0
		}
		if surveyable(in) {
			found := false
			for n := range kept {
				if lead := kept[n].in; lead != nil && mayFollow(in, lead) {
					in.Slot, lead.Slot, lead.Leads = uint8(n+1), uint8(n+1), true
					in.Narrower = in.Width() < lead.Width()
					p.Plan.Slots = max(p.Plan.Slots, n+1)
					found = true
				}
			}
			if !found {
				kept[next%maxSurveys] = open{pc, in}
				next++
			}
		}
		for n := range kept {
			for _, r := range writes {
				if kept[n].in != nil && kept[n].in.A == r {
					kept[n].in = nil
				}
			}
		}
	}
}

// surveyable reports whether in is an access that may lead or follow.
func surveyable(in *bytecode.Instr) bool {
	return !guarded(in) && in.Space <= bytecode.Shared && in.Space != bytecode.Constant && (in.Op == bytecode.OpLoad && in.LoadWhole != nil || in.Op == bytecode.OpStore && in.StoreWhole != nil)
}

// mayFollow reports whether in reaches what lead does, a constant further: no more bytes in a lane,
// and as well aligned.
func mayFollow(in *bytecode.Instr, lead *bytecode.Instr) bool {
	return lead.A == in.A && lead.Mask == in.Mask && lead.Space == in.Space && in.Width() <= lead.Width() && (in.Offset-lead.Offset)&(in.Width()-1) == 0
}
