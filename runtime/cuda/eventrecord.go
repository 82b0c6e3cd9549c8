package cuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// recordOp is what errors call Record.
const recordOp = "record an event"

// Record records e on s: e completes when the work queued on s so far has run. It does
// not wait, and replaces an earlier Record. s must be on e's device.
//
// CUDA Driver API, Event Management, cuEventRecord.
func (e *Event) Record(s *Stream) error {
	const op = recordOp
	defer e.hold().release()
	event, err := e.use(op)
	if err != nil {
		return err
	}
	defer e.end()
	if s != nil && s.dev != e.dev {
		return e.dev.invalid(op, "the stream is on "+s.dev.besides(e.dev), ErrInvalidValue)
	}
	if m := s.capturing(); m != nil {
		return m.record(e, event)
	}
	stream, err := s.open(op)
	if err != nil {
		return err
	}
	if e.captured.Load() != nil { // a store costs more
		e.captured.Store(nil)
	}
	e.recordedBy(s.failures)
	if r := e.dev.drv.EventRecord(event, stream); r != driver.Success {
		return e.dev.fail(op, r)
	}
	return nil
}

// waitOp is what errors call WaitEvent.
const waitOp = "make a stream wait for an event"

// WaitEvent makes work that is queued on s later wait for the last Record of e. The
// caller does not wait. e may be of another device.
//
// CUDA Driver API, Stream Management, cuStreamWaitEvent.
func (s *Stream) WaitEvent(e *Event) error {
	const op = waitOp
	defer s.hold().release()
	defer e.hold().release()
	event, err := e.use(op)
	if err != nil {
		return err
	}
	defer e.end()
	if s != nil && (s.capturing() != nil || e.captured.Load() != nil) {
		return s.waitCaptured(e, event)
	}
	stream, err := s.open(op)
	if err != nil {
		return err
	}
	if s.dev.simulated != e.dev.simulated {
		return s.dev.invalid(op, "the event is on "+e.dev.besides(s.dev), ErrInvalidValue)
	}
	if r := s.dev.drv.StreamWaitEvent(stream, event, 0); r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

// record captures the recording of e.
func (m *captureMember) record(e *Event, handle driver.Event) error {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(recordOp); err != nil {
		return err
	}
	if r := c.dev.drv.EventRecord(handle, driver.Stream(m.inner.handle.Load())); r != driver.Success {
		return c.dev.fail(recordOp, r)
	}
	e.captured.Store(&c.link)
	return nil
}

// waitCaptured makes s, which may be no part of a capture yet, wait for e, which was captured, or
// says why it cannot.
func (s *Stream) waitCaptured(e *Event, handle driver.Event) error {
	m, c := s.capturing(), (*capture)(nil)
	if l := e.captured.Load(); l != nil {
		c = (*l).(*capture)
	}
	switch {
	case c == nil:
		return s.dev.invalid(waitOp, "the stream captures a graph, and the event was recorded outside of the capture: use Event.WaitNode", ErrStreamCaptureUnsupported)
	case m != nil && m.capture != c:
		return s.dev.invalid(waitOp, "the event is of another capture", ErrStreamCaptureUnsupported)
	case s.dev != c.dev:
		return s.dev.invalid(waitOp, "the event is of a capture on "+c.dev.besides(s.dev), ErrInvalidValue)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(waitOp); err != nil {
		return err
	}
	inner := (*Stream)(nil)
	if m != nil {
		inner = m.inner
	} else {
		var err error
		if inner, err = c.dev.newPlainStream(true); err != nil {
			return err
		}
	}
	if r := c.dev.drv.StreamWaitEvent(driver.Stream(inner.handle.Load()), handle, 0); r != driver.Success {
		if m == nil {
			inner.close()
		}
		return c.dev.fail(waitOp, r)
	}
	if m == nil {
		c.admit(s, inner)
	}
	return nil
}
