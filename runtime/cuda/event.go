package cuda

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// An Event is a place in a stream: recorded there, it is over when all work queued on
// the stream before it has run. Any goroutine may call its methods, but for Close,
// which must come after every other call has returned. Whoever made it closes it.
type Event struct {
	handle atomic.Uintptr // driver.Event; 0 once closed
	dev    *Device
	timing bool
}

// An EventConfig says what an event is for. The zero value is for waiting alone, which
// costs least.
type EventConfig struct {
	Timing bool // Elapsed needs it
}

// NewEvent makes an event on d. It has not been recorded, and so is over.
//
// CUDA Driver API, Event Management, cuEventCreate.
func (d *Device) NewEvent(cfg EventConfig) (*Event, error) {
	const op = "make an event"
	if d.isClosed() {
		return nil, &Error{Op: op, Device: d.String(), Err: ErrClosed}
	}
	flags := uint32(driver.EventBlockingSync)
	if !cfg.Timing {
		flags |= driver.EventDisableTiming
	}
	e := &Event{dev: d, timing: cfg.Timing}
	r := d.inContext(func() driver.Result {
		handle, r := d.drv.EventCreate(flags)
		e.handle.Store(uintptr(handle))
		return r
	})
	if r != driver.Success {
		return nil, d.fail(op, r)
	}
	return e, nil
}

func (e *Event) open(op string) (driver.Event, error) {
	if e == nil {
		return 0, &Error{Op: op, Detail: "the event is nil: make one with Device.NewEvent"}
	}
	handle := e.handle.Load()
	if handle == 0 {
		return 0, &Error{Op: op, Device: e.dev.String(), Detail: "the event", Err: ErrClosed}
	}
	return driver.Event(handle), nil
}

// Record makes e the place that s has reached. It does not wait, and takes the place
// of an earlier Record. s must be on e's device.
//
// CUDA Driver API, Event Management, cuEventRecord.
func (e *Event) Record(s *Stream) error {
	const op = "record an event"
	event, err := e.open(op)
	if err != nil {
		return err
	}
	stream, err := s.open(op)
	if err != nil {
		return err
	}
	if s.dev != e.dev {
		return &Error{Op: op, Device: e.dev.String(), Detail: "the stream is on " + s.dev.String(), Err: ErrInvalidValue}
	}
	if r := e.dev.drv.EventRecord(event, stream); r != driver.Success {
		return e.dev.fail(op, r)
	}
	return nil
}

// Query reports whether e is over, without waiting. One that was never recorded is. An
// error may be of the work before it.
//
// CUDA Driver API, Event Management, cuEventQuery.
func (e *Event) Query() (bool, error) {
	const op = "query an event"
	handle, err := e.open(op)
	if err != nil {
		return false, err
	}
	return e.dev.queried(op, e.dev.drv.EventQuery(handle))
}

// queried is what a query's result says.
func (d *Device) queried(op string, r driver.Result) (bool, error) {
	switch r {
	case driver.Success:
		return true, nil
	case driver.ErrorNotReady:
		return false, nil
	}
	return false, d.failWork(op, r)
}

// Synchronize blocks until e is over, and returns the first error of the work before
// it. It blocks a thread: Wait does not.
//
// CUDA Driver API, Event Management, cuEventSynchronize.
func (e *Event) Synchronize() error {
	const op = "synchronize an event"
	handle, err := e.open(op)
	if err != nil {
		return err
	}
	if r := e.dev.drv.EventSynchronize(handle); r != driver.Success {
		return e.dev.failWork(op, r)
	}
	return nil
}

// Wait parks the goroutine until e is over or ctx is, whichever is first: then it
// returns ctx's error, and e goes on. Otherwise it returns the first error of the work
// before e. Recording e again meanwhile makes Wait wait for that, too. Any number of
// goroutines may wait; they cost no threads.
func (e *Event) Wait(ctx context.Context) error {
	const op = "wait for an event"
	if _, err := e.open(op); err != nil {
		return err
	}
	return e.dev.waits.event(ctx, e, op)
}

// Elapsed returns the time from e to later, which must both be over and have timing.
// Its resolution is about half a microsecond on a GPU.
//
// CUDA Driver API, Event Management, cuEventElapsedTime.
func (e *Event) Elapsed(later *Event) (time.Duration, error) {
	const op = "measure the time between events"
	start, err := e.open(op)
	if err != nil {
		return 0, err
	}
	end, err := later.open(op)
	if err != nil {
		return 0, err
	}
	if !e.timing || !later.timing {
		return 0, &Error{Op: op, Device: e.dev.String(), Detail: "an event has no timing: make it with EventConfig{Timing: true}", Err: ErrInvalidValue}
	}
	if e.dev != later.dev {
		return 0, &Error{Op: op, Device: e.dev.String(), Detail: "the other event is on " + later.dev.String(), Err: ErrInvalidValue}
	}
	milliseconds, r := e.dev.drv.EventElapsedTime(start, end)
	switch r {
	case driver.Success:
		return time.Duration(float64(milliseconds) * float64(time.Millisecond)), nil
	case driver.ErrorNotReady:
		return 0, &Error{Op: op, Device: e.dev.String(), Detail: "an event is not over: wait for it first", Err: ErrNotReady}
	case driver.ErrorInvalidHandle:
		return 0, &Error{Op: op, Device: e.dev.String(), Detail: "an event was not recorded", Err: Code(r)}
	}
	return 0, e.dev.failWork(op, r)
}

// Close destroys e. Streams that wait for it still do. It may be called more than once.
//
// CUDA Driver API, Event Management, cuEventDestroy.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	return e.dev.waits.destroy(e)
}
