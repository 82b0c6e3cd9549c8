package cuda

import (
	"context"
	"sync/atomic"
	"time"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Event marks a point in a stream: once recorded there, it completes when all work
// queued on the stream before it has run. Any goroutine may call its methods, even while
// another closes it. The caller of NewEvent must close it.
type Event struct {
	handle driver.Event
	uses   inuse.Count
	dev    *Device
	timing bool
	shared bool // with other processes: EventConfig.Interprocess, EventHandle.Import
	watch  watch

	captured atomic.Pointer[any]          // the *capture in which it was recorded last, or nil
	failures atomic.Pointer[hostFailures] // of the stream on which it was recorded last
}

// An EventConfig configures an event. The zero value is an event for waiting only, the
// cheapest kind.
type EventConfig struct {
	Timing bool // Elapsed needs it

	// Interprocess is for an event that Export gives to other processes. Such an event has no
	// Timing.
	Interprocess bool
}

// NewEvent makes an event on d. An event that was never recorded is complete.
//
// CUDA Driver API, Event Management, cuEventCreate.
func (d *Device) NewEvent(cfg EventConfig) (*Event, error) {
	const op = "make an event"
	if cfg.Timing && cfg.Interprocess {
		return nil, d.invalid(op, "an event of several processes has no timing: unset Timing or Interprocess", ErrInvalidValue)
	}
	flags := uint32(driver.EventBlockingSync)
	if !cfg.Timing {
		flags |= driver.EventDisableTiming
	}
	if cfg.Interprocess {
		flags |= driver.EventInterprocess
	}
	e, err := d.newEvent(op, func() (driver.Event, driver.Result) { return d.drv.EventCreate(flags) })
	if err != nil {
		return nil, err
	}
	e.timing, e.shared = cfg.Timing, cfg.Interprocess
	return e, nil
}

// newEvent makes an event of the driver's that f makes.
func (d *Device) newEvent(op string, f func() (driver.Event, driver.Result)) (*Event, error) {
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	handle, r := create(d, f, d.drv.EventDestroy)
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	e := &Event{handle: handle, dev: d}
	destroy := func() driver.Result { return d.drv.EventDestroy(handle) }
	e.watch = watching(e, d, "an event", d.giveBack(weak.Make(e)))
	if !d.own(weak.Make(e), e.watch.record, destroy) { // it was closed meanwhile
		e.watch.end()
		d.given(destroy())
		return nil, d.closedError(op, "")
	}
	return e, nil
}

// hold returns the epoch that a call on e is in.
func (e *Event) hold() *epoch {
	if e == nil {
		return nil
	}
	return e.dev.hold()
}

// use returns the handle of e and begins a use of it, which end ends, unless there is an
// error. The caller has called hold before.
func (e *Event) use(op string) (driver.Event, error) {
	if e == nil {
		return 0, missingEvent(op)
	}
	if e.dev.isClosed() {
		return 0, e.dev.closedError(op, "the event")
	}
	closed, last := e.uses.Begin()
	if last {
		e.destroy() // an error has nobody to tell
	}
	if closed {
		return 0, e.dev.closedError(op, "the event")
	}
	return e.handle, nil
}

// missingEvent is the error of op on no event.
func missingEvent(op string) error {
	return &Error{Op: op, Detail: "the event is nil: make one with Device.NewEvent", Err: ErrInvalidValue}
}

func (e *Event) end() {
	if e.uses.End() {
		e.destroy() // an error has nobody to tell: Close has returned
	}
}

// destroy destroys the driver's event, unless that was done.
func (e *Event) destroy() error {
	return e.dev.destroyOwned("close an event", weak.Make(e))
}

// Query reports whether e is complete, without waiting. An event that was never recorded
// is complete. An error may belong to the work before e.
//
// CUDA Driver API, Event Management, cuEventQuery.
func (e *Event) Query() (bool, error) {
	const op = "query an event"
	defer e.hold().release()
	handle, err := e.use(op)
	if err != nil {
		return false, err
	}
	defer e.end()
	if err := e.passed(op); err != nil {
		return false, err
	}
	over, err := e.dev.queried(op, e.dev.drv.EventQuery(handle))
	if over {
		err = e.failure()
	}
	return over, err
}

// queried is what a query's result says.
func (d *Device) queried(op string, r driver.Result) (bool, error) {
	switch r {
	case driver.Success:
		return true, nil
	case driver.ErrorNotReady:
		return false, nil
	}
	return false, d.fail(op, r)
}

// Synchronize blocks until e is complete, and returns the first error of the work before
// it. It blocks a thread; Wait does not.
//
// CUDA Driver API, Event Management, cuEventSynchronize.
func (e *Event) Synchronize() error {
	const op = "synchronize an event"
	if e == nil {
		return missingEvent(op)
	}
	if e.dev == nil || !e.dev.pin() {
		return e.dev.closedError(op, "the event")
	}
	defer e.dev.unpin()
	handle, err := e.use(op)
	if err != nil {
		return err
	}
	defer e.end()
	if err := e.passed(op); err != nil {
		return err
	}
	if err := e.dev.mayWait(op); err != nil {
		return err
	}
	if r := e.dev.drv.EventSynchronize(handle); r != driver.Success {
		return e.dev.fail(op, r)
	}
	return e.failure()
}

// Wait parks the goroutine until e is complete or ctx is done. If ctx is done first, it
// returns an error that wraps ctx's, and the work continues. Otherwise it returns the
// first error of the work before e. If e is recorded again during Wait, Wait waits for
// that, too. Any number of goroutines may wait; they occupy no threads.
func (e *Event) Wait(ctx context.Context) error {
	const op = "wait for an event"
	switch {
	case e == nil:
		return missingEvent(op)
	case e.dev == nil:
		return e.dev.closedError(op, "the event")
	}
	if err := e.passed(op); err != nil {
		return err
	}
	if err := e.dev.mayWait(op); err != nil {
		return err
	}
	if t := tracing.Load(); t != nil {
		return t.waitEvent(ctx, e, op)
	}
	return e.wait(ctx, op)
}

func (e *Event) wait(ctx context.Context, op string) error {
	if err := e.dev.waits.event(ctx, e, op); err != nil {
		return err
	}
	return e.failure()
}

// Elapsed returns the time from e to later. Both must be complete and made with
// EventConfig.Timing. Its resolution is about half a microsecond on a GPU.
//
// CUDA Driver API, Event Management, cuEventElapsedTime.
func (e *Event) Elapsed(later *Event) (time.Duration, error) {
	const op = "measure the time between events"
	defer e.hold().release()
	start, err := e.use(op)
	if err != nil {
		return 0, err
	}
	defer e.end()
	defer later.hold().release()
	end, err := later.use(op)
	if err != nil {
		return 0, err
	}
	defer later.end()
	for _, event := range []*Event{e, later} {
		if err := event.passed(op); err != nil {
			return 0, err
		}
	}
	if !e.timing || !later.timing {
		return 0, e.dev.invalid(op, "an event has no timing: make it with EventConfig{Timing: true}", ErrInvalidValue)
	}
	if e.dev != later.dev {
		return 0, e.dev.invalid(op, "the other event is on "+later.dev.besides(e.dev), ErrInvalidValue)
	}
	milliseconds, r := e.dev.drv.EventElapsedTime(start, end)
	switch r {
	case driver.Success:
		return time.Duration(float64(milliseconds) * float64(time.Millisecond)), nil
	case driver.ErrorNotReady:
		return 0, e.dev.invalid(op, "an event is not over: wait for it first", ErrNotReady)
	case driver.ErrorInvalidHandle:
		return 0, e.dev.failed(&Error{Op: op, Detail: "an event was not recorded"}, r)
	}
	return 0, e.dev.fail(op, r)
}

// Close destroys e when no call uses it any more. Goroutines in Wait, and later calls, get ErrClosed; those in Synchronize, and
// streams that wait for it, wait on. Close may be called more than once.
//
// CUDA Driver API, Event Management, cuEventDestroy.
func (e *Event) Close() error {
	if e == nil || e.dev == nil {
		return nil
	}
	defer e.hold().release()
	first, last := e.uses.Close()
	if !first {
		return nil
	}
	e.watch.end()
	e.dev.waits.abandon(e)
	if !last {
		return nil
	}
	return e.destroy()
}

// passed returns why e cannot be asked or waited for by the program, or nil: it was captured.
func (e *Event) passed(op string) error {
	if e.captured.Load() == nil {
		return nil
	}
	return e.dev.invalid(op, "the event was recorded in a capture: record it on a stream that does not capture", ErrCapturedEvent)
}
