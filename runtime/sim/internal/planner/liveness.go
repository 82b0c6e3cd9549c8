package planner

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// maxLiveWords is how many words a plan keeps at most of what is live.
const maxLiveWords = 1 << 19

// live returns by pc which registers lanes may read that stand there, before they write them; nil where none stand, or where there is too much
// to know.
func (p *Planner) live() []bytecode.RegisterSet {
	code, end := p.Plan.Code, int32(len(p.Plan.Code))
	starts := p.blockStarts()
	words := (p.K.Regs + 63) / 64
	if len(starts)*words > maxLiveWords {
		return nil
	}
	live := make([]bytecode.RegisterSet, len(code)+1)
	sets := bytecode.NewRegisterSet(64 * words * (3*len(starts) + 1))
	next := func() bytecode.RegisterSet {
		set := sets[:words:words]
		sets = sets[words:]
		return set
	}
	live[end] = next()
	passed := make([]bytecode.RegisterSet, len(starts)) // what a block does not write
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
			set.Intersect(passed[n])
			behind = starts[n]
			changed = live[behind].Join(set) || changed
		}
	}
	return live
}

// keepLive finds what the plan's lanes may leave in registers that others of their warp do not read: anything, unless it is computed once for
// all blocks.
func (p *Planner) keepLive() {
	p.Plan.Live = p.live()
	once := bytecode.NewRegisterSet(p.K.Regs)
	for n := range p.Plan.Hoisted {
		_, writes, _ := roles(&p.Plan.Hoisted[n])
		for _, r := range writes {
			once.Set(r, true)
		}
	}
	for _, set := range p.Plan.Live {
		for n := range set {
			set[n] &^= once[n]
		}
	}
}

// blockStarts returns where lanes may come to, or stand, in ascending order: the blocks between them are executed from the first to the last.
func (p *Planner) blockStarts() (starts []int32) {
	code := p.Plan.Code
	for pc := range code {
		switch {
		case pc == 0, p.region[pc] != p.region[pc-1], standsApart(&code[pc]), standsApart(&code[pc-1]), int32(pc) == p.K.Start:
			starts = append(starts, int32(pc))
		}
	}
	return starts
}

// standsApart reports whether lanes may stand at in or right behind it while others of their warp go on.
func standsApart(in *bytecode.Instr) bool {
	return in.Op == bytecode.OpBranch || in.Op >= bytecode.OpAtomic
}

// follows adds to set what is live behind the instruction at pc.
func (p *Planner) follows(set bytecode.RegisterSet, live []bytecode.RegisterSet, pc int32) {
	in := &p.Plan.Code[pc]
	switch in.Op {
	case bytecode.OpBranch:
		set.Join(live[in.Target])
		if !guarded(in) {
			return
		}
	case bytecode.OpBranchIndexed:
		for _, target := range in.Targets {
			set.Join(live[target])
		}
	case bytecode.OpExit, bytecode.OpTrap:
		if !guarded(in) {
			return
		}
	}
	set.Join(live[pc+1])
}

// before makes read, what instructions behind in read before they write it, and passed, what they do not write, those of in and them.
func (p *Planner) before(in *bytecode.Instr, read, passed bytecode.RegisterSet) {
	reads, writes, _ := roles(in)
	if !guarded(in) {
		for _, r := range writes {
			if int(r) < p.K.Regs {
				read.Set(r, false)
				passed.Set(r, false)
			}
		}
	}
	for _, r := range reads {
		if r > bytecode.RegSink && int(r) < p.K.Regs {
			read.Set(r, true)
		}
	}
}

// Small is a register of numbers that are small and normal, as f32 and as f64.
var Small = func() (r simd.Lanes) {
	simd.Fill(&r, 0x3c00000021000000)
	return r
}()
