package debugger

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugwire"
)

// A stop is a launch that waits for the client.
type stop struct {
	debugwire.Stop
	image  *image
	kernel *debugwire.Kernel
	focus  debugwire.Lane // of which the lane is allLanes where the warp is meant
	warps  []debugwire.Warp
	resume chan debugwire.Resume
}

// allLanes is the lane of a focus that is a warp.
const allLanes = -1

// Reasons of stops, as the simulated device names them.
const (
	atBreakpoint = "breakpoint"
	atStep       = "step"
	atData       = "data breakpoint"
	atReport     = "report"
	atFault      = "fault"
	atTarget     = "target"
)

// stopped decides what becomes of a launch that has stopped, and waits until the client lets it go on, if it is to see it.
func (s *session) stopped(t *target, at debugwire.Stop) debugwire.Resume {
	s.mu.Lock()
	if s.target != t {
		s.mu.Unlock()
		return debugwire.Resume{}
	}
	st := s.newStop(at)
	s.stop = st
	why := s.decide(st)
	if why == nil && st.Reason != atTarget {
		s.stop = nil
		s.mu.Unlock()
		return debugwire.Resume{Step: "keep"}
	}
	how := shown
	if r := s.replay; r != nil {
		if st.Reason != atTarget {
			r.pass(st, why)
			s.stop = nil
			s.mu.Unlock()
			return debugwire.Resume{Step: "keep"}
		}
		if r.why != nil {
			why = r.why
		}
		if different := r.differs(st); different != "" {
			s.say("%s", different)
		} else if how = r.arrived(st); how == ended {
			s.mu.Unlock()
			<-t.ended
			return debugwire.Resume{}
		}
		s.replay = nil
		s.quiet.Store(false)
		if r.logs == nil { // who has set its own
			s.target.call(debugwire.CallWatch, s.watchpoints(), nil)
		}
	}
	if how == silent {
		s.mu.Unlock()
		return s.await(t, st)
	}
	s.handles = nil
	e := &dap.StoppedEvent{Event: event("stopped"), Body: *why}
	e.Body.ThreadId, e.Body.AllThreadsStopped = s.threadOf(st.focus), true
	s.send(e)
	s.mu.Unlock()
	return s.await(t, st)
}

// await waits until the client lets a launch go on.
func (s *session) await(t *target, st *stop) debugwire.Resume {
	select {
	case r := <-st.resume:
		return r
	case <-t.ended:
		return debugwire.Resume{}
	}
}

// newStop returns a stop whose focus is where the launch has stopped. s.mu is held.
func (s *session) newStop(at debugwire.Stop) *stop {
	st := &stop{Stop: at, focus: at.At, resume: make(chan debugwire.Resume, 1), image: s.images[s.launch.Image]}
	if st.image != nil {
		st.kernel = st.image.kernels[s.launch.Kernel]
	}
	if s.config.StepBy != "lane" {
		st.focus.Lane = allLanes
	}
	return st
}

// decide returns what the client is told of a stop, or nil if the launch goes on. s.mu is held.
func (s *session) decide(st *stop) *dap.StoppedEventBody {
	switch st.Reason {
	case atBreakpoint:
		if why := s.hit(st); why != nil {
			return why
		}
		if !st.Stepped {
			return nil
		}
		fallthrough
	case atStep:
		why := &dap.StoppedEventBody{Reason: "step"}
		switch {
		case st.Ended:
			why.Description = "what was stepped has ended"
		case s.byLane:
			st.focus.Lane = st.At.Lane
		}
		return why
	case atData:
		return s.hitData(st)
	case atReport, atFault:
		if st.Reason == atReport && !s.stops[filterReports] || st.Reason == atFault && !s.stops[filterFaults] {
			return nil
		}
		st.focus.Lane = st.At.Lane
		return &dap.StoppedEventBody{Reason: "exception", Description: st.Reason, Text: st.Text}
	case atTarget:
		return &dap.StoppedEventBody{Reason: "step", Description: "back"}
	}
	return &dap.StoppedEventBody{Reason: "pause"}
}

// hit returns what the client is told of a breakpoint whose condition holds, or nil. s.mu is held.
func (s *session) hit(st *stop) *dap.StoppedEventBody {
	if st.kernel == nil {
		return nil
	}
	if s.config.Entry && !s.entered && st.PC == st.kernel.Start {
		s.entered = true
		if s.target != nil {
			s.applyAll()
		}
		return &dap.StoppedEventBody{Reason: "entry"}
	}
	why := &dap.StoppedEventBody{Reason: "breakpoint"}
	for _, b := range s.breaks[site{st.image.Image, st.kernel.Name, st.PC}] {
		if b.function != "" && matches(st.kernel.Name, b.function) {
			if b.stopped == st.Launch {
				continue
			}
			why.Reason = "function breakpoint"
		}
		holds, all, err := s.holds(b, st)
		switch {
		case err != nil:
			why.Description, why.Text = "the condition has no value", fmt.Sprintf("condition %s: %v", b.text, err)
			s.say("%s", why.Text)
		case !holds:
			continue
		case b.log != "":
			s.logAt(b, st)
			continue
		case !all:
			st.focus.Lane = st.At.Lane
		}
		b.stopped = st.Launch
		why.HitBreakpointIds = append(why.HitBreakpointIds, b.id)
	}
	if len(why.HitBreakpointIds) == 0 {
		return nil
	}
	return why
}

// holds reports whether the condition of b holds in a lane that has stopped, which becomes that of the stop, and whether in all. s.mu is held.
func (s *session) holds(b *breakpoint, st *stop) (holds, all bool, err error) {
	if b.condition == nil {
		return true, true, nil
	}
	lanes := st.Active
	if lanes == 0 {
		lanes = st.Mask
	}
	first, all := -1, true
	cache := make(map[int32][]uint64)
	for m := lanes; m != 0; m &= m - 1 {
		at := st.At
		at.Lane = bits.TrailingZeros32(m)
		f := &frame{at: at, Frame: debugwire.Frame{PC: st.PC}, image: st.image, kernel: st.kernel, cache: cache}
		f.Function, _ = functionAt(st.kernel, st.PC)
		if f.Function != "" {
			if f, err = s.topFrame(at); err != nil {
				return false, false, err
			}
			f.cache = cache
		}
		is, err := s.contextOf(f).Holds(b.condition)
		if err != nil {
			st.At = at
			st.focus.Lane = at.Lane
			return false, false, err
		}
		if is && first < 0 {
			first = at.Lane
		}
		all = all && is
	}
	if first >= 0 {
		st.At.Lane = first
	}
	return first >= 0, all, nil
}

// braced matches an expression in the message of a logpoint.
var braced = regexp.MustCompile(`\{[^{}]*\}`)

// logAt shows the message of a logpoint. s.mu is held.
func (s *session) logAt(b *breakpoint, st *stop) {
	if s.replay != nil {
		return
	}
	f, err := s.topFrame(st.At)
	if err != nil {
		s.say("%v", err)
		return
	}
	s.say("%s", braced.ReplaceAllStringFunc(b.log, func(expr string) string {
		v, err := s.eval(f, expr[1:len(expr)-1])
		if err != nil {
			return "<" + err.Error() + ">"
		}
		return s.contextOf(f).Format(v)
	}))
}

// hitData returns what the client is told of an access that a data breakpoint is for, or nil. s.mu is held.
func (s *session) hitData(st *stop) *dap.StoppedEventBody {
	a := st.Access
	i := slices.IndexFunc(s.data, func(b *breakpoint) bool { return b.id == a.Watch })
	if i < 0 {
		return nil
	}
	b := s.data[i]
	st.focus.Lane = st.At.Lane
	why := &dap.StoppedEventBody{Reason: "data breakpoint", HitBreakpointIds: []int{b.id}, Text: s.describeAccess(a)}
	if b.condition != nil {
		f, err := s.topFrame(st.At)
		if err == nil {
			var is bool
			if is, err = s.contextOf(f).Holds(b.condition); err == nil && !is {
				return nil
			}
		}
		if err != nil {
			why.Text = fmt.Sprintf("condition %s: %v", b.text, err)
		}
	}
	return why
}

// describeAccess says who has accessed what, and where. s.mu is held.
func (s *session) describeAccess(a *debugwire.Access) string {
	does := "read it"
	if a.Write {
		does = "wrote it"
	}
	at := fmt.Sprintf("PTX line %d", a.PTXLine)
	if a.File != "" {
		at = fmt.Sprintf("%s:%d", a.File, a.Line)
	}
	return fmt.Sprintf("%s: %s thread %s (warp %d, lane %d) %s at %s: %s, in launch %d", a.Kernel, blockName(a.At.Block), dims(a.Thread), a.At.Warp, a.At.Lane, does, at, a.Instruction, a.Moment.Launch)
}

func dims(d debugwire.Dim3) string { return fmt.Sprintf("(%d,%d,%d)", d.X, d.Y, d.Z) }

func blockName(d debugwire.Dim3) string { return "block " + dims(d) }

// errRunning is the error of requests for which a kernel must be stopped.
var errRunning = errors.New("no kernel is stopped")

// resume lets the launch that is stopped go on.
func (s *session) resume(r debugwire.Resume) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil || s.replay != nil {
		return errRunning
	}
	st := s.stop
	s.stop, s.handles = nil, nil
	s.byLane = r.Step != "" && !r.ByWarp
	st.resume <- r
	return nil
}

// step begins a step of a thread that the client has: a warp or a lane.
func (s *session) step(kind string, thread int, granularity dap.SteppingGranularity) error {
	s.mu.Lock()
	focus, err := s.laneOf(thread)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if granularity == "instruction" {
		kind = "instruction"
	}
	at, byWarp, err := s.representative(focus)
	if err != nil {
		return err
	}
	return s.resume(debugwire.Resume{Step: kind, ByWarp: byWarp, Of: at})
}

// representative returns the lane that stands for a focus, and whether that is a warp.
func (s *session) representative(focus debugwire.Lane) (at debugwire.Lane, byWarp bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err = s.represents(focus)
	return at, focus.Lane == allLanes, err
}

// represents returns the lane that stands for a focus: of the warp that has stopped the one for which it has, of others the lowest that runs. s.mu is held.
func (s *session) represents(focus debugwire.Lane) (debugwire.Lane, error) {
	if s.stop == nil {
		return focus, errRunning
	}
	if focus.Lane != allLanes {
		return focus, nil
	}
	at := s.stop.At
	if focus.Block == at.Block && focus.Warp == at.Warp {
		return at, nil
	}
	for _, w := range s.warpsOf(s.stop) {
		if w.Block == focus.Block && w.Warp == focus.Warp && w.Live != 0 {
			focus.Lane = bits.TrailingZeros32(w.Live)
			return focus, nil
		}
	}
	return focus, fmt.Errorf("%s warp %d has ended", blockName(focus.Block), focus.Warp)
}

// warpsOf returns the warps that run. s.mu is held.
func (s *session) warpsOf(st *stop) []debugwire.Warp {
	if st.warps == nil {
		s.target.call(debugwire.CallWarps, nil, &st.warps) // what fails has no warps
	}
	return st.warps
}

// exceptionInfo returns the report or fault at which the kernel is stopped.
func (s *session) exceptionInfo() (body dap.ExceptionInfoResponseBody, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil || s.stop.Text == "" {
		return body, errors.New("the kernel has not stopped at a report or fault")
	}
	return dap.ExceptionInfoResponseBody{ExceptionId: s.stop.Reason, Description: s.stop.Text, BreakMode: "always"}, nil
}

// frame is a call of a lane, as the client has seen it.
type frame struct {
	debugwire.Frame
	at     debugwire.Lane
	level  int // 0 is the innermost
	image  *image
	kernel *debugwire.Kernel
	cache  map[int32][]uint64 // registers of all lanes, of the innermost frame
}

// topFrame returns the innermost call of a focus. s.mu is held.
func (s *session) topFrame(focus debugwire.Lane) (*frame, error) {
	frames, err := s.framesOf(focus)
	if err != nil {
		return nil, err
	}
	return frames[0], nil
}

// framesOf returns the calls of a focus, the innermost first; there is at least one. s.mu is held.
func (s *session) framesOf(focus debugwire.Lane) ([]*frame, error) {
	at, err := s.represents(focus)
	if err != nil {
		return nil, err
	}
	if s.stop.kernel == nil {
		return nil, errors.New("the kernel that runs is of no image that the debugger knows")
	}
	var calls []debugwire.Frame
	if err := s.target.call(debugwire.CallFrames, at, &calls); err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, errRunning
	}
	var list []*frame
	for level, c := range calls {
		list = append(list, &frame{Frame: c, at: at, level: level, image: s.stop.image, kernel: s.stop.kernel})
	}
	return list, nil
}
