package sim

import "math/bits"

// maxLiveWords is how many words a plan keeps at most of what is live.
const maxLiveWords = 1 << 20

// live finds which registers lanes may read that stand at an instruction, before they write them. An instruction that other lanes of
// the warp execute may leave anything in the rest of their registers, but for those that are computed once for all blocks.
func (p *planner) live() {
	varying := newRegisterSet(p.k.regs)
	for n := range varying {
		varying[n] = ^uint64(0)
	}
	for n := range p.plan.hoisted {
		_, writes, _ := p.plan.hoisted[n].roles()
		for _, r := range writes {
			varying.set(r, false)
		}
	}
	code := p.plan.code
	starts := p.blockStarts()
	words := (p.k.regs + 63) / 64
	if len(starts)*words > maxLiveWords {
		return
	}
	live := make([]registerSet, len(code)+1)
	sets := newRegisterSet(64 * words * (len(starts) + 1))
	for n, pc := range append(starts, int32(len(code))) {
		live[pc] = sets[n*words : (n+1)*words]
	}
	set := newRegisterSet(64 * words)
	for changed := true; changed; {
		changed = false
		end := int32(len(code))
		for n := len(starts) - 1; n >= 0; n-- {
			clear(set)
			p.follows(set, live, end-1)
			for pc := end - 1; pc >= starts[n]; pc-- {
				p.liveBefore(set, &code[pc])
			}
			set.intersect(varying)
			end = starts[n]
			changed = live[end].join(set) || changed
		}
	}
	p.plan.live = live
}

// join adds other and reports whether it had more.
func (s registerSet) join(other registerSet) (more bool) {
	for n, word := range other {
		more = more || word&^s[n] != 0
		s[n] |= word
	}
	return more
}

func (s registerSet) intersect(other registerSet) {
	for n, word := range other {
		s[n] &= word
	}
}

// blockStarts returns where lanes may come to, or stand, in ascending order: the blocks between them are executed from the first to the last.
func (p *planner) blockStarts() (starts []int32) {
	code := p.plan.code
	for pc := range code {
		switch {
		case pc == 0, p.region[pc] != p.region[pc-1], code[pc].standsApart(), code[pc-1].standsApart(), int32(pc) == p.k.start:
			starts = append(starts, int32(pc))
		}
	}
	return starts
}

// standsApart reports whether lanes may stand at in or right behind it while others of their warp go on.
func (in *instr) standsApart() bool {
	return in.op == opBranch || in.op >= opAtomic
}

// follows adds to set what is live behind the instruction at pc.
func (p *planner) follows(set registerSet, live []registerSet, pc int32) {
	in := &p.plan.code[pc]
	switch in.op {
	case opBranch:
		set.join(live[in.target])
		if !in.guarded() {
			return
		}
	case opBranchIndexed:
		for _, target := range in.targets {
			set.join(live[target])
		}
	case opExit, opTrap:
		if !in.guarded() {
			return
		}
	}
	set.join(live[pc+1])
}

// liveBefore makes set, which is live behind in, what is live before it.
func (p *planner) liveBefore(set registerSet, in *instr) {
	reads, writes, _ := in.roles()
	if !in.guarded() {
		for _, r := range writes {
			if int(r) < p.k.regs {
				set.set(r, false)
			}
		}
	}
	for _, r := range reads {
		if r > regSink && int(r) < p.k.regs {
			set.set(r, true)
		}
	}
}

// keep finds what the lanes of w may still read that do not run now, when others go on at pc.
func (w *warp) keep(p *plan, pc int32, mask uint32) {
	clear(w.kept)
	if p.live == nil && len(w.groups) == 0 {
		return
	}
	for n := range w.groups {
		var live registerSet
		if p.live != nil {
			live = p.live[w.groups[n].pc]
		}
		if live == nil {
			for n := range w.kept {
				w.kept[n] = ^uint64(0)
			}
			return
		}
		w.kept.join(live)
	}
	w.rest(p.live[pc], pc, mask)
}

// rest gives the other lanes a value where those of mask go on with what is live and the others never read it again. In a loop that they have left,
// their values would go on to grow until they are no numbers, which are slow, as are zeros in an fma. Those that are small stay so, mostly.
func (w *warp) rest(live registerSet, pc int32, mask uint32) {
	if live == nil || w.restsAt == pc && ^mask&^w.resting == 0 {
		return
	}
	w.restsAt, w.resting = pc, ^mask
	for n, word := range live {
		for word &^= w.kept[n]; word != 0; word &= word - 1 {
			fast.blend(&w.regs[64*n+bits.TrailingZeros64(word)], &small, ^mask)
		}
	}
}

// small is a register of numbers that are small and normal, as f32 and as f64.
var small = func() (r lanes) {
	fill(&r, 0x3c00000021000000)
	return r
}()
