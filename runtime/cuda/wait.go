package cuda

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A waiter lets goroutines wait for a device's streams and events without a thread each:
// one goroutine, which exists while others wait, queries the driver (docs/decisions,
// "Why does waiting poll?").
//
// The driver is queried with mu held, and no call under mu waits. The queried events
// exist until then: events of streams belong to the waiter, and a waited-for event of the
// user is in use.
type waiter struct {
	dev    *Device
	behind atomic.Int64 // goroutines that wait for others that wait for a stream

	mu      sync.Mutex
	streams map[*Stream]*pendings
	events  map[*Event]*pending
	idle    []driver.Event // that were made for streams and can be used again
	polling bool
	latest  time.Time // when somebody came or was woken
}

// maxIdleEvents bounds the events that are kept after many goroutines have waited.
const maxIdleEvents = 64

// A pending is an event that goroutines wait for.
type pending struct {
	event driver.Event
	op    string        // what errors call the wait
	done  chan struct{} // closed when it is over
	err   error         // read after done is closed
	users int           // goroutines that wait; under waiter.mu
	then  func()        // called when it is over, if nobody waits for it any more; under waiter.mu

	prev, next *pending // in pendings
}

// pendings are those of one stream, in the order in which they were recorded, which is
// that in which they end.
type pendings struct{ first, last *pending }

func (q *pendings) add(p *pending) {
	if p.prev = q.last; p.prev == nil {
		q.first = p
	} else {
		p.prev.next = p
	}
	q.last = p
}

func (q *pendings) remove(p *pending) {
	if p.prev == nil {
		q.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		q.last = p.prev
	} else {
		p.next.prev = p.prev
	}
	p.prev, p.next = nil, nil
}

// stream waits for what is queued on s.
func (w *waiter) stream(ctx context.Context, s *Stream, op string) error {
	epoch := s.hold() // here: one more deferred call there would double the stack of those who wait
	p, err := w.enterStream(s, op)
	epoch.release()
	if p == nil {
		return err
	}
	return w.await(ctx, s, p)
}

// await waits for p, which is one of s.
func (w *waiter) await(ctx context.Context, s *Stream, p *pending) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		w.leaveStream(s, p)
		return abandoned(ctx, p.op, w.dev)
	}
}

// abandoned is the error of a wait that ctx has ended. It wraps ctx's error and its cause.
func abandoned(ctx context.Context, op string, d *Device) error {
	return d.invalid(op, "stopped waiting, the work continues", ended.Cause(ctx))
}

// enterStream returns the pending to wait for, or nil if the work has ended or there is
// an error.
func (w *waiter) enterStream(s *Stream, op string) (*pending, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	handle, err := s.working(op)
	if err != nil {
		return nil, err
	}
	if over, err := w.dev.queried(op, w.dev.drv.StreamQuery(handle)); over || err != nil {
		return nil, err
	}
	event, r := w.takeEvent()
	if r != driver.Success {
		return nil, w.dev.fail(op, r)
	}
	return w.record(s, handle, event, op)
}

// queued calls queue, which queues work on s, whose handle is handle, and returns the pending
// of that work. After an error the work is over.
func (w *waiter) queued(s *Stream, handle driver.Stream, op string, queue func() driver.Result) (*pending, error) {
	w.mu.Lock()
	event, r := w.takeEvent()
	w.mu.Unlock()
	if r != driver.Success {
		return nil, w.dev.fail(op, r)
	}
	r = queue() // which may wait
	w.mu.Lock()
	var p *pending
	err := error(nil)
	if r == driver.Success {
		p, err = w.record(s, handle, event, op)
	} else {
		w.putEvent(event)
		err = w.dev.fail(op, r)
	}
	w.mu.Unlock()
	if err != nil {
		w.dev.given(w.dev.drv.StreamSynchronize(handle))
	}
	return p, err
}

// record records event on s, whose handle is handle, and returns the pending to wait for.
// w.mu is held.
func (w *waiter) record(s *Stream, handle driver.Stream, event driver.Event, op string) (*pending, error) {
	if r := w.dev.drv.EventRecord(event, handle); r != driver.Success {
		w.putEvent(event)
		return nil, w.dev.fail(op, r)
	}
	p := &pending{event: event, op: op, done: make(chan struct{}), users: 1}
	q := w.streams[s]
	if q == nil {
		q = new(pendings)
		w.streams[s] = q
	}
	q.add(p)
	w.start()
	return p, nil
}

// leaveStream stops waiting for p. Others that wait for the same stream are not affected.
func (w *waiter) leaveStream(s *Stream, p *pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.dev.hold().release()
	if !p.isOver() {
		w.endStream(s, p)
	}
}

// leaveLater stops waiting for p, and has then called when it is over. It reports false if
// it is.
func (w *waiter) leaveLater(p *pending, then func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.isOver() {
		return false
	}
	p.users, p.then = 0, then
	return true
}

// endStream takes p, which is one of s, out of the queue. w.mu is held, and an epoch.
func (w *waiter) endStream(s *Stream, p *pending) {
	q := w.streams[s]
	q.remove(p)
	if q.first == nil {
		delete(w.streams, s)
	}
	w.putEvent(p.event)
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
		p = &pending{event: handle, op: op, done: make(chan struct{})}
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
		p.finish(w.dev.closedError(p.op, "the event"))
	}
}

// forget wakes the goroutines that wait for s, whose work has ended with err. Those whose
// work was queued by calls beside its Close still wait. The caller must hold an epoch.
func (w *waiter) forget(s *Stream, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.streams[s]; q != nil {
		w.advance(s, q, err)
	}
}

// advance ends what is over of q, the queue of s, whose error is err or that of a query. It
// reports whether there was anything. w.mu is held, and an epoch.
func (w *waiter) advance(s *Stream, q *pendings, err error) (ended bool) {
	for p := q.first; p != nil; p = q.first {
		over, failed := w.dev.queried(p.op, w.dev.drv.EventQuery(p.event))
		if !over && failed == nil {
			break
		}
		ended = true
		w.endStream(s, p)
		p.finish(cmp.Or(err, failed))
	}
	return ended
}

// close wakes all waiting goroutines and destroys the idle events. All work of the device
// must have ended.
func (w *waiter) close() {
	w.round()
	w.mu.Lock()
	defer w.mu.Unlock()
	for s, q := range w.streams {
		for p := q.first; p != nil; p = q.first {
			w.endStream(s, p)
			p.finish(w.dev.closedError(p.op, "the stream"))
		}
	}
	for e, p := range w.events {
		w.drop(e)
		p.finish(w.dev.closedError(p.op, "the event"))
	}
	for _, e := range w.idle {
		w.dev.given(w.dev.drv.EventDestroy(e))
	}
	w.idle = nil
}

// isOver reports whether finish was called. waiter.mu is held.
func (p *pending) isOver() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// finish wakes those who wait for p. waiter.mu is held.
func (p *pending) finish(err error) {
	p.err = err
	close(p.done)
	if p.then != nil {
		p.then()
	}
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
	for s, q := range w.streams {
		if w.advance(s, q, nil) {
			w.latest = time.Now()
		}
	}
	for e, p := range w.events {
		over, err := w.dev.queried(p.op, w.dev.drv.EventQuery(p.event))
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

// waiting returns how many goroutines wait.
func (w *waiter) waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = int(w.behind.Load())
	for _, q := range w.streams {
		for p := q.first; p != nil; p = p.next {
			n += p.users
		}
	}
	for _, p := range w.events {
		n += p.users
	}
	return n
}
