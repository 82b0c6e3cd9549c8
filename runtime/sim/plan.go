package sim

import (
	"slices"
	"sync"
)

// A plan is a kernel's code as it is executed when nothing is checked that needs each instruction:
// the same results from less work.
type plan struct {
	code    []instr // as the kernel's, instruction for instruction
	paired  []instr // the same, with pairs executed at once, where nothing is checked; or nil
	hoisted []instr // whose results are the same for all blocks, in their order
	spoiled []int32 // the registers that may be read before they are written
	slots   int     // of surveys
	fused   []int32 // the sums that are computed with their product

	live []registerSet // by pc: what lanes that stand there may read before they write it; nil where none stand

	lining sync.Once
	lines  []*checkedLine // by pc
}

// planned returns k's plan, which is made when k is launched first.
func (k *kernel) planned() *plan {
	k.planning.Do(func() {
		if k.stack { // its functions are reached from anywhere
			k.plan.code, k.plan.spoiled = k.code, k.allRegisters()
			return
		}
		p := planner{k: k, plan: &k.plan}
		p.plan.code = slices.Clone(k.code)
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
	return &k.plan
}

// quickest returns the code for a block at which nothing looks.
func (p *plan) quickest() []instr {
	if p.paired != nil {
		return p.paired
	}
	return p.code
}

// unplanned returns the plan that leaves nothing out.
func (k *kernel) unplanned() *plan {
	return &plan{code: k.code, spoiled: k.allRegisters()}
}

// allRegisters returns the registers of k's program.
func (k *kernel) allRegisters() (all []int32) {
	for r := range k.regs {
		all = append(all, int32(r))
	}
	return all
}

// A planner makes a plan.
type planner struct {
	k           *kernel
	plan        *plan
	region      []int32 // of each instruction: it is reached only from the one before it, or begins a region
	firstBranch int32   // up to which every thread executes every instruction
	registers   []usage
	read        registerSet // what threads may read before they write it; nil if that is not known
}

// usage is where a register is mentioned.
type usage struct {
	mentioned   bool
	first, last int32
	writtenAt   bool // the first mention only writes it, in every thread
	writes      int
	opaque      bool // an instruction that is not looked into mentions it
}

// divide finds the regions: a label begins one.
func (p *planner) divide() {
	code := p.plan.code
	labels := make([]bool, len(code)+1)
	p.firstBranch = int32(len(code))
	for pc := range code {
		in := &code[pc]
		if in.op == opBranch {
			labels[in.target] = true
		}
		for _, target := range in.targets {
			labels[target] = true
		}
		if in.op == opBranch || in.op > opBarrier {
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
func (in *instr) roles() (reads, writes []int32, known bool) {
	vec := in.vec[:min(in.elems, len(in.vec))]
	switch in.op {
	case opLanes, opLanesFloat, opSelect, opSpread:
		return []int32{in.a, in.b, in.c}, []int32{in.dst}, true
	case opTest, opCompare:
		return []int32{in.a, in.b}, nil, true
	case opLogic, opBranch, opNothing, opExit:
		return nil, nil, true
	case opPack:
		return vec, []int32{in.dst}, true
	case opUnpack, opLoad:
		return []int32{in.a}, vec, true
	case opLoadParam:
		return nil, vec, true
	case opStore:
		return append([]int32{in.a}, vec...), nil, true
	}
	reads = append([]int32{in.dst, in.a, in.b, in.c}, in.vec[:]...)
	if in.call != nil {
		for _, r := range in.call.registers() {
			reads = append(reads, *r)
		}
	}
	if in.own != nil {
		for _, r := range in.own.registers() {
			reads = append(reads, *r)
		}
	}
	return reads, nil, false
}

// guarded reports whether lanes that reach in may not execute it.
func (in *instr) guarded() bool { return in.guard != (predicate{}) }

// follow finds where registers are mentioned.
func (p *planner) follow() {
	p.registers = make([]usage, p.k.regs)
	for pc := range p.plan.code {
		in := &p.plan.code[pc]
		reads, writes, known := in.roles()
		for _, r := range reads {
			if u := p.mention(r, pc); u != nil {
				u.opaque = u.opaque || !known
			}
		}
		for _, r := range writes {
			if u := p.mention(r, pc); u != nil {
				u.writtenAt = u.writtenAt || u.first == int32(pc) && !in.guarded() && !slices.Contains(reads, r)
				u.writes++
			}
		}
	}
}

// mention notes a mention of a register of the program, or returns nil for another.
func (p *planner) mention(r int32, pc int) *usage {
	if r <= regSink || int(r) >= p.k.regs { // operations have -1 for none
		return nil
	}
	u := &p.registers[r]
	if !u.mentioned {
		u.mentioned, u.first = true, int32(pc)
	}
	u.last = int32(pc)
	return u
}

// firstRead returns what threads may read before they write it.
func (p *planner) firstRead() registerSet {
	live := p.live()
	if live == nil {
		return nil
	}
	return live[p.k.start]
}

// written reports whether every thread that reads r has written it before. Where that is not known, its first mention
// must write it, and whoever reaches another one must come from there.
func (p *planner) written(r int) bool {
	u := &p.registers[r]
	if p.read != nil {
		return !p.read.has(int32(r))
	}
	return !u.mentioned || u.writtenAt && (u.first < p.firstBranch || p.region[u.first] == p.region[u.last])
}

// spoil lists the registers that show whether they are read before they are written.
func (p *planner) spoil() {
	for r := range p.registers {
		if !p.written(r) || p.registers[r].opaque {
			p.plan.spoiled = append(p.plan.spoiled, int32(r))
		}
	}
}

// hoist takes instructions out that give the same in all blocks. The place of those that stand
// together is one step.
func (p *planner) hoist() {
	code := p.plan.code
	constant := make([]bool, p.k.registers())
	for r := p.k.firstConst(); r < len(constant); r++ {
		constant[r] = r < p.k.firstSpecial() || !specialRegisters[p.k.specials[r-p.k.firstSpecial()]].varies
	}
	for pc := range code {
		in := &code[pc]
		if in.guarded() || in.op != opLanes && in.op != opLanesFloat && in.op != opLoadParam {
			continue
		}
		reads, writes, _ := in.roles()
		if slices.ContainsFunc(reads, func(r int32) bool { return r != regSink && !constant[r] }) || slices.ContainsFunc(writes, func(r int32) bool {
			return r == regSink || !p.written(int(r)) || p.registers[r].writes != 1 || p.registers[r].opaque
		}) {
			continue
		}
		for _, r := range writes {
			constant[r] = true
		}
		p.plan.hoisted = append(p.plan.hoisted, *in)
		*in = instr{op: opHoisted}
	}
	for pc := int32(len(code)) - 1; pc >= 0; pc-- {
		if code[pc].op != opHoisted {
			continue
		}
		code[pc].target = pc + 1
		if next := pc + 1; int(next) < len(code) && code[next].op == opHoisted && p.region[next] == p.region[pc] {
			code[pc].target = code[next].target
		}
	}
}

// prepare computes in all warps of b what is the same for all blocks.
func (b *block) prepare() {
	for n := range b.warps {
		w := &b.warps[n]
		for i := range b.plan.hoisted {
			switch in := &b.plan.hoisted[i]; in.op {
			case opLanes:
				in.fn(&w.regs[in.dst], &w.regs[in.a], &w.regs[in.b], &w.regs[in.c])
			case opLanesFloat:
				w.adjusted(in, full)
			default:
				b.loadParam(w, in, full)
			}
		}
	}
}
