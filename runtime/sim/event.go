package sim

import (
	"slices"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
)

// eventCalls is the calls about events: places in the work of streams.
type eventCalls struct{ *primaryContext }

// An event refers to the place in a stream where it was recorded last.
type event struct {
	timing bool
	mark   *queue.Mark // nil before it is recorded; under device.mu

	capture *capture // in which it was recorded last, or nil; under device.mu
	last    []*graphNode
}

// mark returns where the event was recorded, nil if nowhere, and whether it has timing.
func (d *primaryContext) mark(handle driver.Event) (m *queue.Mark, timing bool, r driver.Result) {
	if r := d.usable(); r != driver.Success {
		return nil, false, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.events[handle]
	if e == nil {
		return nil, false, driver.ErrorInvalidHandle
	}
	if r := e.usableMark(); r != driver.Success {
		return nil, false, r
	}
	return e.mark, e.timing, driver.Success
}

func (d *eventCalls) EventCreate(flags uint32) (driver.Event, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, r
	}
	if flags&^(driver.EventBlockingSync|driver.EventDisableTiming|driver.EventInterprocess) != 0 {
		return 0, driver.ErrorInvalidValue
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	created := driver.Event(handle())
	d.events[created] = &event{timing: flags&driver.EventDisableTiming == 0}
	return created, driver.Success
}

func (d *eventCalls) EventDestroy(handle driver.Event) driver.Result {
	if !d.initialized.Load() {
		return driver.ErrorNotInitialized
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.events[handle] == nil {
		return driver.ErrorInvalidHandle
	}
	delete(d.events, handle)
	return driver.Result(d.sticky.Load())
}

func (d *eventCalls) EventRecord(handle driver.Event, on driver.Stream) driver.Result {
	if r := d.usable(); r != driver.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s, e := d.streams[on], d.events[handle]
	if s == nil || e == nil {
		return driver.ErrorInvalidHandle
	}
	if c := d.graphs.captured[on]; c != nil {
		return e.recordCaptured(c)
	}
	m := queue.NewMark()
	e.mark, e.capture, e.last = m, nil, nil
	s.Enqueue(m.Pass)
	return driver.Success
}

func (d *eventCalls) EventQuery(handle driver.Event) driver.Result {
	m, _, r := d.mark(handle)
	if r != driver.Success || m == nil {
		return r
	}
	if !m.IsPassed() {
		return driver.ErrorNotReady
	}
	return d.usable()
}

func (d *eventCalls) EventSynchronize(handle driver.Event) driver.Result {
	m, _, r := d.mark(handle)
	if r != driver.Success || m == nil {
		return r
	}
	m.Wait()
	d.trimPools()
	return d.usable()
}

func (d *eventCalls) EventElapsedTime(start, end driver.Event) (float32, driver.Result) {
	var marks [2]*queue.Mark
	for i, handle := range []driver.Event{start, end} {
		m, timing, r := d.mark(handle)
		if r != driver.Success {
			return 0, r
		}
		if m == nil || !timing {
			return 0, driver.ErrorInvalidHandle
		}
		marks[i] = m
	}
	for _, m := range marks {
		if !m.IsPassed() {
			return 0, driver.ErrorNotReady
		}
	}
	return float32(marks[1].Since(marks[0]).Seconds() * 1000), d.usable()
}

// anyMark is mark for the events of all devices. foreign is the device, if it is not d.
func (d *primaryContext) anyMark(handle driver.Event) (m *queue.Mark, foreign *primaryContext, r driver.Result) {
	m, _, r = d.mark(handle)
	if r != driver.ErrorInvalidHandle {
		return m, nil, r
	}
	for _, other := range d.others() {
		other.mu.Lock()
		e := other.events[handle]
		if e != nil {
			m = e.mark
		}
		other.mu.Unlock()
		if e != nil {
			return m, other, driver.Success
		}
	}
	return nil, nil, r
}

// hasEvent reports whether d, or another device, has the event: what waits may be of any.
func (d *primaryContext) hasEvent(handle driver.Event) bool {
	for _, device := range append(d.others(), d) {
		device.mu.Lock()
		e := device.events[handle]
		device.mu.Unlock()
		if e != nil {
			return true
		}
	}
	return false
}

// foreignWait returns what waits for a mark of another device until d is stopped. A mark of
// d needs no such care: the work before it ends then. What keeps another device busy is not
// known, so a kernel of d that is stopped at the same time has the better report.
func (d *primaryContext) foreignWait(m *queue.Mark, other *primaryContext) func() {
	stop := d.stop.Load()
	return func() {
		d.await(other, 1)
		defer d.await(other, -1)
		select {
		case <-m.Passed():
			return
		case <-stop.done:
		}
		for d.running.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		d.fail(&driver.Fault{Result: driver.ErrorLaunchTimeout, Reason: "stopped: a stream was still waiting for an event of another device when its device was closed"})
	}
}

// await counts in d.awaited that a stream waits for other, or with -1 no longer.
func (d *primaryContext) await(other *primaryContext, streams int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited[other] += streams; d.awaited[other] == 0 {
		delete(d.awaited, other)
	}
}

// recordCaptured is EventRecord on a stream that captures. d.mu is held.
func (e *event) recordCaptured(c *captured) driver.Result {
	if c.Invalid {
		return driver.ErrorStreamCaptureInvalidated
	}
	e.capture, e.last = c.Capture, slices.Clone(c.Last)
	return driver.Success
}

// usableMark returns why an event cannot be asked or waited for by the program: it is captured,
// which breaks the capture. d.mu is held.
func (e *event) usableMark() driver.Result {
	if e.capture == nil {
		return driver.Success
	}
	if !e.capture.Over {
		e.capture.Invalid = true
	}
	return driver.ErrorCapturedEvent
}
