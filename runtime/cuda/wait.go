package cuda

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A waiter lets goroutines wait for a device's streams and events without a thread each:
// one goroutine, which exists while others wait, queries the driver (docs/DECISIONS.md,
// "Why does waiting poll?").
//
// The driver is queried with mu held, and no call under mu waits. The queried events
// exist until then: events of streams belong to the waiter, and a waited-for event of the
// user is in use.
type waiter struct {
	dev *Device

	mu      sync.Mutex
	streams map[*Stream][]*pending // in the order in which they were recorded, which is that in which they end
	events  map[*Event]*pending
	idle    []driver.Event // that were made for streams and can be used again
	polling bool
	latest  time.Time // when somebody came or was woken
}

// maxIdleEvents bounds what is kept of a time when many goroutines waited.
const maxIdleEvents = 64

// A pending is an event that goroutines wait for.
type pending struct {
	event driver.Event
	done  chan struct{} // closed when it is over
	err   error         // read after done is closed
	users int           // goroutines that wait; under waiter.mu
}

// stream waits for what is queued on s.
func (w *waiter) stream(ctx context.Context, s *Stream, op string) error {
	epoch := s.hold() // here: one more deferred call there would double the stack of those who wait
	p, err := w.enterStream(s, op)
	epoch.release()
	if p == nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		w.leaveStream(s, p)
		return abandoned(ctx, op, w.dev)
	}
}

func abandoned(ctx context.Context, op string, d *Device) error {
	return d.invalid(op, "stopped waiting, the work continues", context.Cause(ctx))
}

// enterStream returns the pending to wait for, or nil if the work has ended or there is
// an error.
func (w *waiter) enterStream(s *Stream, op string) (*pending, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	handle, err := s.open(op)
	if err != nil {
		return nil, err
	}
	if over, err := w.dev.queried(op, w.dev.drv.StreamQuery(handle)); over || err != nil {
		return nil, errors.Join(err, s.failure())
	}
	event, r := w.takeEvent()
	if r == driver.Success {
		if r = w.dev.drv.EventRecord(event, handle); r != driver.Success {
			w.putEvent(event)
		}
	}
	if r != driver.Success {
		return nil, w.dev.fail(op, r)
	}
	p := &pending{event: event, done: make(chan struct{}), users: 1}
	w.streams[s] = append(w.streams[s], p)
	w.start()
	return p, nil
}

// leaveStream stops waiting for p. Others that wait for the same stream are not affected.
func (w *waiter) leaveStream(s *Stream, p *pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.dev.hold().release()
	for i, q := range w.streams[s] {
		if q == p {
			w.streams[s] = append(w.streams[s][:i:i], w.streams[s][i+1:]...)
			w.putEvent(p.event)
			break
		}
	}
	if len(w.streams[s]) == 0 {
		delete(w.streams, s)
	}
}

// event waits for e.
func (w *waiter) event(ctx context.Context, e *Event, op string) error {
	p, err := w.enterEvent(e, op)
	if p == nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		if p.users--; p.users == 0 && w.events[e] == p {
			w.drop(e)
		}
		return abandoned(ctx, op, w.dev)
	}
}

func (w *waiter) enterEvent(e *Event, op string) (*pending, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer e.hold().release()
	handle, err := e.use(op)
	if err != nil {
		return nil, err
	}
	p := w.events[e]
	if p != nil {
		e.end() // p is a use already
	} else {
		if over, err := w.dev.queried(op, w.dev.drv.EventQuery(handle)); over || err != nil {
			e.end()
			return nil, err
		}
		p = &pending{event: handle, done: make(chan struct{})}
		w.events[e] = p
		w.start()
	}
	p.users++
	return p, nil
}

// drop stops querying e. w.mu is held.
func (w *waiter) drop(e *Event) {
	defer e.hold().release()
	delete(w.events, e)
	e.end()
}

// abandon wakes the goroutines that wait for e, with ErrClosed.
func (w *waiter) abandon(e *Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.events[e]; p != nil {
		w.drop(e)
		p.finish(w.dev.closedError("wait for an event", "the event"))
	}
}

// forget wakes the goroutines that wait for s: its work has ended, with err. The caller
// must hold an epoch.
func (w *waiter) forget(s *Stream, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.streams[s] {
		w.putEvent(p.event)
		p.finish(err)
	}
	delete(w.streams, s)
}

// close wakes all waiting goroutines and destroys the idle events. All work of the device
// must have ended.
func (w *waiter) close() {
	w.round()
	w.mu.Lock()
	defer w.mu.Unlock()
	for s, queue := range w.streams {
		for _, p := range queue {
			w.putEvent(p.event)
			p.finish(w.dev.closedError("wait for a stream", "the stream"))
		}
		delete(w.streams, s)
	}
	for e, p := range w.events {
		w.drop(e)
		p.finish(w.dev.closedError("wait for an event", "the event"))
	}
	for _, e := range w.idle {
		w.dev.given(w.dev.drv.EventDestroy(e))
	}
	w.idle = nil
}

func (p *pending) finish(err error) {
	p.err = err
	close(p.done)
}

func (w *waiter) takeEvent() (driver.Event, driver.Result) {
	if n := len(w.idle); n > 0 {
		e := w.idle[n-1]
		w.idle = w.idle[:n-1]
		return e, driver.Success
	}
	// On a goroutine of its own: the depth of these calls would double the stack of one
	// that then stays to wait.
	type made struct {
		event driver.Event
		r     driver.Result
	}
	events := make(chan made)
	go func() {
		var e driver.Event
		r := w.dev.inContext(func() (r driver.Result) {
			e, r = w.dev.drv.EventCreate(driver.EventDisableTiming)
			return r
		})
		events <- made{e, r}
	}()
	m := <-events
	return m.event, m.r
}

func (w *waiter) putEvent(e driver.Event) {
	if len(w.idle) < maxIdleEvents {
		w.idle = append(w.idle, e)
		return
	}
	w.dev.given(w.dev.drv.EventDestroy(e))
}

// start makes sure that the polling goroutine runs. w.mu is held.
func (w *waiter) start() {
	w.latest = time.Now()
	if !w.polling {
		w.polling = true
		go w.poll()
	}
}

// The pauses between two rounds of queries grow with the time since the last event: a
// goroutine is woken late by at most a quarter of that time, and at most 1 ms. At first
// there is no pause, for work of a few microseconds.
const (
	eagerFor = 20 * time.Microsecond
	maxPause = time.Millisecond
)

func (w *waiter) poll() {
	for w.round() {
		w.mu.Lock()
		waited := time.Since(w.latest)
		w.mu.Unlock()
		if waited < eagerFor {
			runtime.Gosched()
			continue
		}
		time.Sleep(min(waited/4, maxPause))
	}
}

// round queries everything once, and reports whether goroutines still wait.
func (w *waiter) round() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.dev.hold().release()
	for s, queue := range w.streams {
		ended := 0
		for _, p := range queue {
			over, err := w.dev.queried("wait for a stream", w.dev.drv.EventQuery(p.event))
			if !over && err == nil {
				break
			}
			ended++
			w.putEvent(p.event)
			p.finish(errors.Join(err, s.failure()))
		}
		if ended == len(queue) {
			delete(w.streams, s)
		} else if ended > 0 {
			w.streams[s] = append(queue[:0:0], queue[ended:]...)
		}
		if ended > 0 {
			w.latest = time.Now()
		}
	}
	for e, p := range w.events {
		over, err := w.dev.queried("wait for an event", w.dev.drv.EventQuery(p.event))
		if !over && err == nil {
			continue
		}
		w.drop(e)
		p.finish(err)
		w.latest = time.Now()
	}
	w.polling = len(w.streams)+len(w.events) > 0
	return w.polling
}
