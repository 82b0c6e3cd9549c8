package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A Launch is one that a Debugger follows. Its methods are for the time while it is stopped.
type Launch struct {
	Number uint64 // from 1
	Kernel *bytecode.Kernel
	Config driver.LaunchConfig
	Params []byte

	d      *Debugger
	blocks []*block
	count  uint64 // of the instructions of warps that have begun
	before map[*warp]passed
	now    moment
	step   *step
	hit    *Stop // a watch's, behind the instruction
}

// passed is the instruction that a warp has executed last.
type passed struct {
	pc   int32
	mask uint32
}

// moment is the instruction that is being executed.
type moment struct {
	b            *block
	w            *warp
	pc           int32
	mask, active uint32
}

// follow has l follow the blocks of a gang. l may be nil.
func (l *Launch) follow(blocks []*block) {
	if l == nil {
		return
	}
	for _, b := range blocks {
		b.debug = l
	}
	l.blocks = append(l.blocks, blocks...)
}

// reach is called before the lanes of mask execute the instruction at pc, and stops the launch if it is to stop there.
func (l *Launch) reach(b *block, w *warp, pc int32, mask uint32) {
	l.count++
	in := &b.code[pc]
	l.now = moment{b, w, pc, mask, mask & (w.preds[in.Guard.Index] ^ in.Guard.Flip)}
	last, began := l.before[w]
	l.before[w] = passed{pc, mask}
	began = began && pc != b.k.Start // where the warp may be that of another block
	d := l.d
	d.mu.Lock()
	stop := l.stopHere()
	if l.stepped(b, w, mask, &stop) {
		stop.Reason, stop.Stepped = AtStep, true
	}
	if d.breaks[l.Kernel][pc] && !(began && mask&^last.mask == 0 && l.sameLine(last.pc, pc) && last.pc != pc) {
		stop.Reason = AtBreakpoint
	}
	if d.paused {
		d.paused = false
		stop.Reason = AtPause
	}
	if d.target == (Moment{Launch: l.Number, Count: l.count}) {
		stop.Reason = AtTarget
	}
	d.trace.see(l, b, w, pc, mask)
	d.mu.Unlock()
	if stop.Reason != "" {
		l.stop(&stop)
	}
}

// done is called behind an instruction that was executed.
func (l *Launch) done() {
	l.watchRegisters()
	l.d.mu.Lock()
	target := l.d.target == Moment{l.Number, l.count, true}
	l.d.mu.Unlock()
	hit := l.hit
	l.hit = nil
	if hit == nil && target {
		stop := l.stopHere()
		hit = &stop
	}
	if hit == nil {
		return
	}
	if target {
		hit.Reason = AtTarget
	}
	hit.Moment.After = true
	l.stop(hit)
}

// sameLine reports whether two instructions are of one line of a function.
func (l *Launch) sameLine(a, b int32) bool {
	places := l.Kernel.Places
	return places[a].Source == places[b].Source && l.Kernel.FunctionOf(a) == l.Kernel.FunctionOf(b)
}

// stopHere returns a stop at the instruction that is being executed, without a reason.
func (l *Launch) stopHere() Stop {
	m := &l.now
	lane := bits.TrailingZeros32(m.active)
	if m.active == 0 {
		lane = bits.TrailingZeros32(m.mask)
	}
	return Stop{Launch: l, Moment: Moment{Launch: l.Number, Count: l.count}, Block: m.b.index, Warp: m.w.number(), PC: m.pc, Mask: m.mask, Active: m.active, Lane: lane}
}

// stop stops the launch until the debugger lets it go on.
func (l *Launch) stop(s *Stop) {
	resume := l.d.Stopped(s)
	if resume.Kind == KeepStep {
		return
	}
	if l.step = nil; resume.Kind == NoStep {
		return
	}
	b, w := l.warp(resume.Block, resume.Warp)
	if w == nil {
		return
	}
	pc, _ := l.position(w, resume.Lane)
	l.step = &step{Resume: resume, b: b, w: w, from: l.Kernel.Places[max(pc, 0)].Source, depth: w.depth(resume.Lane)}
}

// reported stops the launch at a report of a check.
func (l *Launch) reported(f *Failure) {
	if l == nil || l.now.b == nil {
		return
	}
	s := l.stopHere()
	s.Reason, s.Text = AtReport, f.Check+": "+f.Error()
	if f.Block == s.Block && f.Warp == s.Warp {
		s.Lane = f.Lane
	}
	l.stop(&s)
}

// failed stops the launch at the instruction that ends it.
func (l *Launch) failed(f *Failure) {
	if l == nil || f.Result == driver.ErrorLaunchTimeout {
		return
	}
	s := l.stopHere()
	s.Reason, s.Text, s.Lane = AtFault, f.Error(), f.Lane
	l.stop(&s)
}

// depth is how many calls are under way in a lane.
func (w *warp) depth(lane int) int {
	if w.stack == nil {
		return 0
	}
	return len(w.stack.lanes[lane])
}

// A step is one under way.
type step struct {
	Resume
	b     *block
	w     *warp
	from  bytecode.Source
	depth int
}

// stepped reports whether the step that is under way ends at the instruction of stop.
func (l *Launch) stepped(b *block, w *warp, mask uint32, stop *Stop) bool {
	s := l.step
	if s == nil {
		return false
	}
	if s.b.index != s.Block || s.w.live == 0 || !s.ByWarp && s.w.live>>s.Lane&1 == 0 {
		stop.Ended = true
		return true
	}
	if b != s.b || w != s.w || !s.ByWarp && mask>>s.Lane&1 == 0 {
		return false
	}
	lane := s.Lane
	if mask>>lane&1 == 0 {
		lane = bits.TrailingZeros32(mask)
	}
	source, depth := l.Kernel.Places[stop.PC].Source, w.depth(lane)
	moved := source != s.from && source != (bytecode.Source{})
	ends := s.Kind == StepInstruction || depth < s.depth
	switch s.Kind {
	case StepInto:
		ends = ends || moved || depth > s.depth && source != (bytecode.Source{})
	case StepOver:
		ends = ends || depth == s.depth && moved
	}
	if ends {
		stop.Lane = lane
	}
	return ends
}
