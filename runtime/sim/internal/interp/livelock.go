package interp

import "github.com/cudagen/cudagen/runtime/sim/internal/bytecode"

// A pulse finds out whether blocks repeat themselves: whether all their registers, and the places of
// all their threads, are what they were before. Blocks that do so wait for something that others must
// do. Threads that count how long they wait do not repeat themselves; those that ask %globaltimer do, as waits of libcu++.
//
// It is Brent's way to find a cycle: one state is kept, and replaced after 1, 2, 4, … others.
type pulse struct {
	kept           uint64 // hash of a state
	age, limit     int    // of the kept state, and when it is replaced
	turns          int    // since the last beat
	executed       uint64 // by then
	repeats        bool
	period, missed int // of the repetition; beats since kept was last seen
}

// How many turns, and thread instructions, come before the state is looked at again.
const (
	beatTurns    = 16
	beatExecuted = 1 << 18
	waitingSlice = 1 << 9 // jumps of a share of time of blocks that only wait
)

func (p *pulse) reset() { *p = pulse{limit: 1} }

// beat counts a turn of g. repeats then tells whether g repeats itself.
func (p *pulse) beat(g *gang) {
	executed := uint64(0)
	for _, b := range g.running {
		executed += b.executed
	}
	if p.turns++; p.turns < beatTurns && executed-p.executed < beatExecuted {
		return
	}
	p.turns, p.executed = 0, executed
	if p.see(g.state()) {
		for _, b := range g.running {
			b.spent = slice - waitingSlice
		}
	}
}

// see notes a state, and reports whether it was seen before.
func (p *pulse) see(state uint64) bool {
	p.age++
	switch {
	case state == p.kept:
		p.repeats, p.period, p.age, p.missed = true, p.age, 0, 0
		return true
	case p.repeats:
		if p.missed++; p.missed < p.period {
			return false
		}
		p.repeats, p.limit = false, 1
	case p.age < p.limit:
		return false
	}
	p.kept, p.age = state, 0
	p.limit *= 2
	return false
}

// state is a hash of what the blocks of g that have not ended are about to do.
func (g *gang) state() uint64 {
	h := uint64(len(g.running))
	for _, b := range g.running {
		timed := b.k.Timed()
		for n := range b.warps {
			h = b.warps[n].hash(h, timed)
		}
	}
	return h
}

// hash adds what w is about to do to h, but for what follows from the time.
func (w *warp) hash(h uint64, timed *bytecode.Timed) uint64 {
	for _, g := range w.groups {
		h = mix(mix(h, uint64(g.pc)<<32|uint64(g.mask)), uint64(g.state)<<8|uint64(g.barrier))
	}
	for n, p := range w.preds {
		if !timed.Preds[n] {
			h = mix(h, uint64(p))
		}
	}
	for n := range w.regs {
		if timed.Regs[n] {
			continue
		}
		for _, v := range &w.regs[n] {
			h = mix(h, v)
		}
	}
	return h
}

// mix adds v to a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
