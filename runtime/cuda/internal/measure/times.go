package measure

import (
	"runtime"
	"sync"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A Device is what Times need of a device.
type Device struct {
	Driver    driver.Driver
	InContext func(func() driver.Result) driver.Result
	Hold      func() (release func()) // keeps the context, and what the driver is told of
	Given     func(driver.Result)     // takes the result of releasing an object
}

// Times measure when work ran on a device: they have a stream and events for that. The zero Times
// measure nothing.
type Times struct {
	dev  Device
	file *tracefile.Writer
	now  func() int64

	collecting sync.Mutex // held while times are asked for

	mu      sync.Mutex
	closed  bool
	begun   int            // timings between Begin and End, whose events calls record
	stream  driver.Stream  // of clocks; 0 if no times are measured
	idle    []driver.Event // with timing
	all     []driver.Event
	pending []measured
	clock   *clock // of work that is queued from now on
}

// A clock relates the times of a device to those of the host: an event, and when it was. Times are
// measured as differences of events in 32 bits, so a clock serves for a second only.
type clock struct {
	event driver.Event
	at    int64
	users int // pending measurements; under Times.mu
}

const clockFor = int64(1e9)

// A Timing is a pair of events around work that is queued. Without times it is zero.
type Timing struct {
	Start, End driver.Event
	stream     driver.Stream
	base       *clock
}

// TimingOf makes a Timing of what a driver.WatchedCall has kept of it.
func TimingOf(start, end driver.Event, stream driver.Stream, owner any) Timing {
	base, _ := owner.(*clock)
	return Timing{start, end, stream, base}
}

// Owner returns what TimingOf takes for the owner of a driver.WatchedCall.
func (t Timing) Owner() any { return t.base }

// A measured is a Timing that waits for its work to end.
type measured struct {
	Timing
	event tracefile.Event
	sum   *Total
	bytes uint64
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING.
const streamNonBlocking = 1

// Open makes what measuring times needs: events of file have them, by the clock now. Without it, or when it cannot be made,
// nothing is measured.
func (ts *Times) Open(dev Device, file *tracefile.Writer, now func() int64) {
	ts.dev, ts.file, ts.now = dev, file, now
	defer dev.Hold()()
	r := dev.InContext(func() (r driver.Result) {
		ts.stream, r = dev.Driver.StreamCreate(streamNonBlocking)
		return r
	})
	if r != driver.Success {
		ts.stream = 0
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.tick()
}

// eventsMade is the number of events that are made at once.
const eventsMade = 64

// take returns an event, or 0. ts.mu is held.
func (ts *Times) take() driver.Event {
	if len(ts.idle) == 0 {
		ts.dev.InContext(func() driver.Result {
			for range eventsMade {
				e, r := ts.dev.Driver.EventCreate(0)
				if r != driver.Success {
					return r
				}
				ts.idle, ts.all = append(ts.idle, e), append(ts.all, e)
			}
			return driver.Success
		})
	}
	if len(ts.idle) == 0 {
		return 0
	}
	e := ts.idle[len(ts.idle)-1]
	ts.idle = ts.idle[:len(ts.idle)-1]
	return e
}

// tick makes a clock, if there is none or the last one is old. ts.mu is held.
func (ts *Times) tick() {
	if ts.stream == 0 || ts.closed || ts.clock != nil && ts.now()-ts.clock.at < clockFor {
		return
	}
	event := ts.take()
	if event == 0 {
		return
	}
	var at int64  // of the event as it was recorded last
	for range 3 { // the first one may take long
		before := ts.now()
		if ts.dev.Driver.EventRecord(event, ts.stream) != driver.Success || !ts.idles() {
			ts.idle = append(ts.idle, event)
			return
		}
		at = (before + ts.now()) / 2
	}
	if old := ts.clock; old != nil && old.users == 0 {
		ts.idle = append(ts.idle, old.event)
	}
	ts.clock = &clock{event: event, at: at}
}

// clockPatience is how long a clock may take.
const clockPatience = 100 * time.Millisecond

// idles waits for the stream of clocks, for a short time, and reports whether its work has run. A call
// that waits would be in the trace.
func (ts *Times) idles() bool {
	for began := time.Now(); time.Since(began) < clockPatience; runtime.Gosched() {
		if r := ts.dev.Driver.StreamQuery(ts.stream); r != driver.ErrorNotReady {
			return r == driver.Success
		}
	}
	return false
}

// Begin records an event on a stream of the device before work is queued there.
func (ts *Times) Begin(stream driver.Stream) Timing {
	if ts.stream == 0 {
		return Timing{}
	}
	ts.mu.Lock()
	var t Timing
	if !ts.closed && ts.clock != nil && len(ts.pending) < mostTimings {
		t = Timing{Start: ts.take(), End: ts.take(), stream: stream, base: ts.clock}
		ts.clock.users++
		ts.begun++
	}
	ts.mu.Unlock()
	if t.base == nil {
		return Timing{}
	}
	if t.End == 0 || ts.dev.Driver.EventRecord(t.Start, stream) != driver.Success {
		ts.GiveBack(t)
		return Timing{}
	}
	return t
}

// End records an event after the work, whose time becomes that of e.
func (ts *Times) End(t Timing, e *tracefile.Event, sum *Total, bytes uint64) {
	if ts.dev.Driver.EventRecord(t.End, t.stream) != driver.Success {
		ts.GiveBack(t)
		return
	}
	ts.mu.Lock()
	ts.pending = append(ts.pending, measured{t, *e, sum, bytes})
	n := len(ts.pending)
	ts.ended()
	ts.mu.Unlock()
	if n%collectAt == 0 { // work comes faster than others collect
		ts.Collect()
	}
}

// The events of collectAt timings are looked at at the latest, and mostTimings wait for their work at
// most: what is queued then has no time.
const (
	collectAt   = 1024
	mostTimings = 1 << 15
)

// GiveBack takes back what Begin gave.
func (ts *Times) GiveBack(t Timing) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.reuse(t)
	ts.ended()
}

// ended notes that a call has recorded its events. The last one of a trace that was closed meanwhile
// destroys all events. ts.mu is held.
func (ts *Times) ended() {
	if ts.begun--; ts.begun == 0 && ts.closed {
		ts.destroy()
	}
}

// reuse lets events be used again. ts.mu is held.
func (ts *Times) reuse(t Timing) {
	for _, e := range []driver.Event{t.Start, t.End} {
		if e != 0 {
			ts.idle = append(ts.idle, e)
		}
	}
	if t.base.users--; t.base.users == 0 && t.base != ts.clock {
		ts.idle = append(ts.idle, t.base.event)
	}
}

// Collect adds what has ended to the trace.
func (ts *Times) Collect() {
	ts.collecting.Lock()
	defer ts.collecting.Unlock()
	ts.mu.Lock()
	if ts.closed || ts.stream == 0 {
		ts.mu.Unlock()
		return
	}
	defer ts.dev.Hold()()
	ts.tick()
	pending := ts.pending
	ts.pending = nil
	ts.mu.Unlock()
	var over []Timing
	rest := pending[:0]
	for i := range pending {
		m := &pending[i]
		if ts.dev.Driver.EventQuery(m.End) == driver.ErrorNotReady {
			rest = append(rest, *m)
			continue
		}
		ts.measure(m)
		over = append(over, m.Timing)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range over {
		ts.reuse(t)
	}
	ts.pending = append(rest, ts.pending...)
}

// measure adds m, whose work has ended, to the trace.
func (ts *Times) measure(m *measured) {
	since, r := ts.dev.Driver.EventElapsedTime(m.base.event, m.Start)
	took, r2 := ts.dev.Driver.EventElapsedTime(m.Start, m.End)
	if r != driver.Success || r2 != driver.Success {
		return // the work has failed
	}
	e := &m.event
	e.Start = max(e.Start, m.base.at+int64(float64(since)*1e6)) // it did not begin before it was queued
	e.Duration = int64(float64(took) * 1e6)
	ts.file.Add(e)
	m.sum.ran(e.Duration, m.bytes)
}

// IsReleased reports whether Release was called.
func (ts *Times) IsReleased() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.closed
}

// Release has destroyed what Open and take have made, as soon as no call on its way records an event.
func (ts *Times) Release() {
	ts.collecting.Lock()
	defer ts.collecting.Unlock()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		return
	}
	ts.closed = true
	if ts.begun == 0 {
		ts.destroy()
	}
}

// destroy is Release when no event is in use. ts.mu is held.
func (ts *Times) destroy() {
	if ts.stream == 0 { // then there are no events
		return
	}
	defer ts.dev.Hold()()
	for _, e := range ts.all {
		ts.dev.Given(ts.dev.Driver.EventDestroy(e))
	}
	ts.dev.Given(ts.dev.Driver.StreamDestroy(ts.stream))
}
