package cuda

import "slices"

// useOp is what errors call the method Use.
const useOp = "use memory in another library's work"

// foreignOp is what errors call such work.
const foreignOp = "run the work of another library"

// Use says that work which another library queues on s next uses owners. It returns an error if
// one of them is closed or on a device that s's device does not reach, and otherwise has buffers
// wait for the work when they are closed, as launches do. The caller must keep the owners open
// until the work is queued.
//
// On a stream that captures, the graph keeps the owners if work of other libraries or a host function is captured
// next, and its execs cannot be launched when one is closed.
func (s *Stream) Use(owners ...Owner) error {
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.keep(owners)
	}
	if _, err := s.open(useOp); err != nil {
		return err
	}
	for _, o := range owners {
		if o.lifetime == nil || s.word&^o.users.Load() == 0 {
			continue
		}
		if err := o.usable(s.dev); err != nil {
			return err
		}
		if !o.usedOn(s) {
			return o.closedError(s.dev, useOp, "the "+o.what)
		}
	}
	return nil
}

// usable returns why other libraries' work on d cannot use l.
func (l *lifetime) usable(d *Device) error {
	switch {
	case l == nil:
		return nil
	case l.graphOnly:
		return d.invalid(useOp, "the "+l.what+" exists only in a graph", ErrInvalidValue)
	case !l.isOpenTo(d):
		return l.closedError(d, useOp, "the "+l.what)
	case !l.reachableFrom(d):
		return d.invalid(useOp, "the "+l.what+" is on "+l.dev.besides(d), ErrInvalidValue)
	}
	return nil
}

// keep has the graph of the capture keep owners, for work of other libraries.
func (m *captureMember) keep(owners []Owner) error {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(useOp); err != nil {
		return err
	}
	for _, o := range owners {
		if o.lifetime == nil {
			continue
		}
		if err := o.usable(c.dev); err != nil {
			return err
		}
		if !slices.Contains(c.kept, o.lifetime) {
			c.kept = append(c.kept, o.lifetime)
		}
	}
	return nil
}

// Fail says that work which another library queued on s has failed with err: whatever waits for
// s returns an *Error that wraps err from then on, as after a host function that has panicked. Of
// several errors of a stream the first one counts.
func (s *Stream) Fail(err error) error {
	const op = "note a failure"
	defer s.hold().release()
	if _, opened := s.open(op); opened != nil {
		return opened
	}
	if err == nil {
		return s.dev.invalid(op, "the error is nil", ErrInvalidValue)
	}
	s.failures.note(s.dev, &Error{Op: foreignOp, Device: s.dev.String(), Driver: s.dev.version, Err: err})
	return nil
}
