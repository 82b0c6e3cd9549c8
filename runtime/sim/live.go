package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// maxLiveWords is how many words a plan keeps at most of what is live.
const maxLiveWords = 1 << 19

// live returns by pc which registers lanes may read that stand there, before they write them; nil where none stand, or where there is too much
// to know.
func (p *planner) live() []registerSet {
	code, end := p.plan.code, int32(len(p.plan.code))
	starts := p.blockStarts()
	words := (p.k.regs + 63) / 64
	if len(starts)*words > maxLiveWords {
		return nil
	}
	live := make([]registerSet, len(code)+1)
	sets := newRegisterSet(64 * words * (3*len(starts) + 1))
	next := func() registerSet {
		set := sets[:words:words]
		sets = sets[words:]
		return set
	}
	live[end] = next()
	passed := make([]registerSet, len(starts)) // what a block does not write
	for n, start := range starts {
		live[start], passed[n] = next(), next()
		for w := range passed[n] {
			passed[n][w] = ^uint64(0)
		}
		behind := end
		if n+1 < len(starts) {
			behind = starts[n+1]
		}
		for pc := behind - 1; pc >= start; pc-- {
			p.before(&code[pc], live[start], passed[n])
		}
	}
	set := next()
	for changed := true; changed; {
		changed = false
		behind := end
		for n := len(starts) - 1; n >= 0; n-- {
			clear(set)
			p.follows(set, live, behind-1)
			set.intersect(passed[n])
			behind = starts[n]
			changed = live[behind].join(set) || changed
		}
	}
	return live
}

// keepLive finds what the plan's lanes may leave in registers that others of their warp do not read: anything, unless it is computed once for
// all blocks.
func (p *planner) keepLive() {
	p.plan.live = p.live()
	once := newRegisterSet(p.k.regs)
	for n := range p.plan.hoisted {
		_, writes, _ := p.plan.hoisted[n].roles()
		for _, r := range writes {
			once.set(r, true)
		}
	}
	for _, set := range p.plan.live {
		for n := range set {
			set[n] &^= once[n]
		}
	}
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

// before makes read, what instructions behind in read before they write it, and passed, what they do not write, those of in and them.
func (p *planner) before(in *instr, read, passed registerSet) {
	reads, writes, _ := in.roles()
	if !in.guarded() {
		for _, r := range writes {
			if int(r) < p.k.regs {
				read.set(r, false)
				passed.set(r, false)
			}
		}
	}
	for _, r := range reads {
		if r > regSink && int(r) < p.k.regs {
			read.set(r, true)
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
			simd.Fast.Blend(&w.regs[64*n+bits.TrailingZeros64(word)], &small, ^mask)
		}
	}
}

// small is a register of numbers that are small and normal, as f32 and as f64.
var small = func() (r simd.Lanes) {
	simd.Fill(&r, 0x3c00000021000000)
	return r
}()
