package stops

import (
	"fmt"
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A Warp is one that executes. Two are equal if they are the same.
type Warp interface {
	Place() (block driver.Dim3, warp int) // of the block that it is in now
	Live() uint32                         // lanes that have not exited
	Depth(lane int) int                   // calls that are under way
	Stands(lane int) (pc int32, ok bool)  // of one that does not execute now
	Register(n int32) *simd.Lanes         // nil if there is none
}

// An Inspector looks into a launch that is stopped.
type Inspector interface {
	// Warp returns a warp of a block that runs, or nil.
	Warp(block driver.Dim3, warp int) Warp
	// Warps returns where the warps of the blocks that run stand, but for the lanes that execute now.
	Warps() []WarpState
	// Calls returns the calls that are under way in a lane, the innermost first, and the place of each.
	Calls(block driver.Dim3, warp, lane int) ([]Frame, error)
	// Register returns a register, or predicate, in all lanes of a warp. In a frame beyond the first it is right in lane only.
	Register(block driver.Dim3, warp, lane int, index int32, predicate bool, frame int) (*simd.Lanes, error)
	// Read returns n bytes at an address as a lane reaches it.
	Read(block driver.Dim3, warp, lane int, space bytecode.Space, addr, n uint64) ([]byte, error)
	// Absolute returns the space that an address of a thread is in, the address there and, of shared memory, the block whose it is.
	Absolute(block driver.Dim3, warp, lane int, space bytecode.Space, addr uint64) (bytecode.Space, uint64, driver.Dim3, error)
}

// A WarpState is where the lanes of a warp stand.
type WarpState struct {
	Block  driver.Dim3
	Warp   int
	Live   uint32 // lanes that have not exited
	Groups []GroupState
}

// A GroupState is lanes that stand at one instruction.
type GroupState struct {
	PC    int32
	Mask  uint32
	Waits string // for what; empty if they are ready
}

// A Frame is a call under way in a lane, or the kernel.
type Frame struct {
	PC       int32              // of the instruction that is executed next, or of the call; -1 for the lane's own, which Launch.Frames knows
	Function *bytecode.Function // nil for the kernel
	Base     uint64             // of its variables in local memory
}

// A Launch is one that a Debugger follows. The methods of its Inspector are for the time while it is stopped.
type Launch struct {
	Number    uint64 // from 1
	Kernel    *bytecode.Kernel
	Config    driver.LaunchConfig
	Params    []byte
	Inspector Inspector

	d      *Debugger
	count  uint64 // of the instructions of warps that have begun
	before map[Warp]passed
	now    moment
	step   *step
	hit    *Stop // a watchpoint's, behind the instruction
}

// passed is the instruction that a warp has executed last.
type passed struct {
	pc   int32
	mask uint32
}

// moment is the instruction that is being executed.
type moment struct {
	w            Warp
	block        driver.Dim3
	warp         int
	pc           int32
	mask, active uint32
}

// Reach is called before the lanes of mask come to the instruction at pc, which those of active execute. It stops the launch if it is to stop there.
func (l *Launch) Reach(w Warp, pc int32, mask, active uint32) {
	l.count++
	block, warp := w.Place()
	l.now = moment{w, block, warp, pc, mask, active}
	last, began := l.before[w]
	l.before[w] = passed{pc, mask}
	began = began && pc != l.Kernel.Start // where the warp may be that of another block
	d := l.d
	d.mu.Lock()
	stop := l.stopHere()
	if l.stepped(&stop) {
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
	d.trace.see(l)
	d.mu.Unlock()
	if stop.Reason != "" {
		l.stop(&stop)
	}
}

// Done is called behind an instruction that was executed.
func (l *Launch) Done() {
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
	return Stop{Launch: l, Moment: Moment{Launch: l.Number, Count: l.count}, Block: m.block, Warp: m.warp, PC: m.pc, Mask: m.mask, Active: m.active, Lane: lane}
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
	w := l.Inspector.Warp(resume.Block, resume.Warp)
	if w == nil {
		return
	}
	pc, _ := l.position(w, resume.Lane)
	l.step = &step{Resume: resume, w: w, from: l.Kernel.Places[max(pc, 0)].Source, depth: w.Depth(resume.Lane)}
}

// position returns where a lane stands, or false if it has exited.
func (l *Launch) position(w Warp, lane int) (pc int32, ok bool) {
	if w == l.now.w && l.now.mask>>lane&1 != 0 {
		return l.now.pc, true
	}
	return w.Stands(lane)
}

// Report stops the launch at a report of a check. It is nil if nobody follows it.
func (l *Launch) Report(f *driver.Fault, text string) {
	if l == nil || l.now.w == nil {
		return
	}
	s := l.stopHere()
	s.Reason, s.Text = AtReport, f.Check+": "+text
	if f.Block == s.Block && f.Warp == s.Warp {
		s.Lane = f.Lane
	}
	l.stop(&s)
}

// Fail stops the launch at the instruction that ends it. It is nil if nobody follows it.
func (l *Launch) Fail(f *driver.Fault, text string) {
	if l == nil || l.now.w == nil || f.Result == driver.ErrorLaunchTimeout {
		return
	}
	s := l.stopHere()
	s.Reason, s.Text, s.Lane = AtFault, text, f.Lane
	l.stop(&s)
}

// Stuck stops the launch, which ends, where threads wait for each other. It is nil if nobody follows it.
func (l *Launch) Stuck(f *driver.Fault, text string) {
	if l == nil {
		return
	}
	l.now = moment{} // no warp executes
	w := l.Inspector.Warp(f.Block, f.Warp)
	if w == nil {
		return
	}
	s := Stop{Launch: l, Reason: AtFault, Moment: Moment{Launch: l.Number, Count: l.count}, Block: f.Block, Warp: f.Warp, Lane: f.Lane, Text: text}
	s.PC, _ = w.Stands(f.Lane)
	for _, waiting := range f.Waiting {
		if waiting.Block == f.Block && waiting.Warp == f.Warp && waiting.Lanes>>f.Lane&1 != 0 {
			s.Mask = waiting.Lanes
		}
	}
	s.Active = s.Mask
	if n := l.d.waiting.Load(); n > 0 {
		s.Text += fmt.Sprintf("; launches that wait until this one has ended, since a debugger has kernels run one after another: %d. It may wait for them", n)
	}
	l.stop(&s)
}

// Warps returns where the warps of the blocks that run stand.
func (l *Launch) Warps() []WarpState {
	list := l.Inspector.Warps()
	for i := range list {
		s := &list[i]
		if s.Block == l.now.block && s.Warp == l.now.warp && l.now.mask&s.Live != 0 {
			s.Groups = append([]GroupState{{PC: l.now.pc, Mask: l.now.mask & s.Live}}, s.Groups...)
		}
	}
	return list
}

// Frames returns the calls that are under way in a lane, the innermost first.
func (l *Launch) Frames(block driver.Dim3, warp, lane int) ([]Frame, error) {
	frames, err := l.Inspector.Calls(block, warp, lane)
	if err == nil && frames[0].PC < 0 {
		pc, ok := l.position(l.Inspector.Warp(block, warp), lane)
		if !ok {
			return nil, fmt.Errorf("lane %d of warp %d has exited", lane, warp)
		}
		frames[0].PC = pc
	}
	return frames, err
}

// A step is one under way.
type step struct {
	Resume
	w     Warp
	from  bytecode.Source
	depth int
}

// stepped reports whether the step that is under way ends at the instruction of stop.
func (l *Launch) stepped(stop *Stop) bool {
	s := l.step
	if s == nil {
		return false
	}
	live := s.w.Live()
	if block, _ := s.w.Place(); block != s.Block || live == 0 || !s.ByWarp && live>>s.Lane&1 == 0 {
		stop.Ended = true
		return true
	}
	if l.now.w != s.w || !s.ByWarp && l.now.mask>>s.Lane&1 == 0 {
		return false
	}
	lane := s.Lane
	if l.now.mask>>lane&1 == 0 {
		lane = bits.TrailingZeros32(l.now.mask)
	}
	source, depth := l.Kernel.Places[stop.PC].Source, s.w.Depth(lane)
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
