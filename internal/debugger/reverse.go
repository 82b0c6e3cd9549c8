package debugger

import (
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/cudagen/cudagen/internal/debugwire"
)

// A replay is a run of the program to a point where it was. Launches and their instructions come in the same order in each run.
type replay struct {
	target  debugwire.Moment
	was     *stop                 // how the program stood there, or nil
	why     *dap.StoppedEventBody // what the client is told there, or nil
	trace   *debugwire.Trace      // moments before the target are wanted
	logs    *debugwire.Watchpoint // or nil
	breaks  bool                  // breakpoints and data breakpoints are looked at
	last    *seen                 // what they have found last
	arrived func(st *stop) arrival
}

// seen is a stop that the client would see if this were no replay.
type seen struct {
	moment debugwire.Moment
	focus  debugwire.Lane
	why    *dap.StoppedEventBody
}

// An arrival is what becomes of a program at the target of a replay.
type arrival int

const (
	shown  arrival = iota // the client sees where it is
	silent                // the client sees it stopped, and has never seen it go on
	ended                 // another run has begun
)

// prepare tells a program what a replay needs.
func (r *replay) prepare(t *target, watchpoints []debugwire.Watchpoint) error {
	switch {
	case r.logs != nil:
		watchpoints = []debugwire.Watchpoint{*r.logs}
	case !r.breaks:
		watchpoints = []debugwire.Watchpoint{}
	}
	err := t.call(debugwire.CallTarget, r.target, nil)
	if err == nil && r.trace != nil {
		err = t.call(debugwire.CallTrace, *r.trace, nil)
	}
	return errors.Join(err, t.call(debugwire.CallWatch, watchpoints, nil))
}

// pass notes a stop before the target. s.mu is held.
func (r *replay) pass(st *stop, why *dap.StoppedEventBody) {
	if r.breaks && why != nil {
		r.last = &seen{st.Moment, st.focus, why}
	}
}

// differs says how the program stands at the target otherwise than it stood there, or returns "".
func (r *replay) differs(st *stop) string {
	is := func(st *stop) string {
		name := "?"
		if st.kernel != nil {
			name = st.kernel.Name
		}
		return fmt.Sprintf("%s, instruction %d of %s warp %d, lanes %#08x", name, st.PC, blockName(st.At.Block), st.At.Warp, st.Mask)
	}
	if r.was == nil || is(r.was) == is(st) {
		return ""
	}
	return fmt.Sprintf("the program did not come to the same point again: what it does varies from run to run: it is at %s, and was at %s", is(st), is(r.was))
}

// again runs the program from its beginning. s.mu is held.
func (s *session) again(r *replay) error {
	s.replay = r
	s.quiet.Store(true)
	s.stop = nil
	old := s.target
	old.kill()
	return s.start()
}

// stepBack lets a thread of the client go back to the line that it has executed before, or the instruction.
func (s *session) stepBack(thread int, granularity dap.SteppingGranularity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil || s.replay != nil {
		return errRunning
	}
	focus, err := s.laneOf(thread)
	if err != nil {
		return err
	}
	at, err := s.represents(focus)
	if err != nil {
		return err
	}
	now := s.stop.Moment
	r := &replay{target: now, was: s.stop, trace: &debugwire.Trace{Launch: now.Launch, Of: at, ByWarp: focus.Lane == allLanes}}
	r.arrived = func(st *stop) arrival {
		var to debugwire.Earlier
		if err := s.target.call(debugwire.CallEarlier, nil, &to); err != nil {
			s.say("%v", err)
		}
		count := to.Line
		if granularity == "instruction" || count == 0 {
			count = to.Instruction
		}
		st.focus = focus
		if count == 0 {
			s.say("this is the first instruction of the warp or lane")
			return shown
		}
		return s.goTo(&seen{debugwire.Moment{Launch: now.Launch, Count: count}, focus, &dap.StoppedEventBody{Reason: "step", Description: "stepped back"}})
	}
	return s.again(r)
}

// goTo runs the program again to a stop. s.mu is held.
func (s *session) goTo(to *seen) arrival {
	r := &replay{target: to.moment, why: to.why, arrived: func(st *stop) arrival {
		st.focus = to.focus
		return shown
	}}
	if err := s.again(r); err != nil {
		s.say("%v", err)
	}
	return ended
}

// reverseContinue goes back to the last stop of a breakpoint before this one, or to the beginning of the first launch.
func (s *session) reverseContinue() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil || s.replay != nil {
		return errRunning
	}
	focus := s.stop.focus
	r := &replay{target: s.stop.Moment, was: s.stop, breaks: true}
	r.arrived = func(st *stop) arrival {
		if r.last == nil {
			focus.Block, focus.Warp = debugwire.Dim3{}, 0
			r.last = &seen{debugwire.Moment{Launch: 1, Count: 1}, focus, &dap.StoppedEventBody{Reason: "entry", Description: "no breakpoint was hit before"}}
		}
		return s.goTo(r.last)
	}
	return s.again(r)
}

// who finds out which thread has written what an expression names last, and tells it to answer. s.mu is held, and when answer is called, too.
func (s *session) who(f *frame, expr string, answer func(text string, err error)) error {
	w, err := s.watchOf(f, expr)
	if err != nil {
		return err
	}
	w.Logs = true
	was, handles := s.stop, s.handles
	r := &replay{target: was.Moment, was: was, logs: w}
	r.arrived = func(st *stop) arrival {
		var a *debugwire.Access
		err := s.target.call(debugwire.CallLastWrite, nil, &a)
		text := fmt.Sprintf("nobody has written %s before", expr)
		if w.Space == "global" {
			text = fmt.Sprintf("no thread of a kernel has written %s before: the host has, or nobody", expr)
		}
		if a != nil {
			text = s.describeAccess(a)
		}
		err = errors.Join(err, s.target.call(debugwire.CallWatch, s.watchpoints(), nil))
		st.focus, s.handles = was.focus, handles
		answer(text, err)
		return silent
	}
	return s.again(r)
}
