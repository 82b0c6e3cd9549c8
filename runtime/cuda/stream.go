package cuda

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Stream is a queue of work on one device. What is queued on one stream runs in
// order; different streams run independently of each other.
type Stream struct {
	handle atomic.Uintptr // driver.Stream; 0 once closed
	dev    *Device

	hostFailure atomic.Pointer[Error] // of the first host function that did not return
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING: no implicit ordering with the null
// stream, which other libraries in the process may use.
const streamNonBlocking = 1

// NewStream makes a stream on d.
//
// CUDA Driver API, Stream Management, cuStreamCreate.
func (d *Device) NewStream() (*Stream, error) {
	return d.newStream(func() (driver.Stream, driver.Result) { return d.drv.StreamCreate(streamNonBlocking) })
}

// NewStreamWithPriority makes a stream on d whose kernels get processors before those
// of streams with a larger number. priority must be within StreamPriorities.
//
// CUDA Driver API, Stream Management, cuStreamCreateWithPriority.
func (d *Device) NewStreamWithPriority(priority int) (*Stream, error) {
	least, greatest, err := d.StreamPriorities()
	if err != nil {
		return nil, err
	}
	if priority > least || priority < greatest {
		return nil, &Error{Op: "make a stream", Device: d.String(), Detail: fmt.Sprintf("priority %d is not within %d (first) to %d (last)", priority, greatest, least), Err: ErrInvalidValue}
	}
	return d.newStream(func() (driver.Stream, driver.Result) {
		return d.drv.StreamCreateWithPriority(streamNonBlocking, priority)
	})
}

// StreamPriorities returns the range of priorities: least is the number of those that
// come last and of NewStream, greatest, which is smaller, of those that come first.
//
// CUDA Driver API, Context Management, cuCtxGetStreamPriorityRange.
func (d *Device) StreamPriorities() (least, greatest int, err error) {
	const op = "read the stream priorities"
	if d.isClosed() {
		return 0, 0, &Error{Op: op, Device: d.String(), Err: ErrClosed}
	}
	r := d.inContext(func() (r driver.Result) {
		least, greatest, r = d.drv.CtxGetStreamPriorityRange()
		return r
	})
	if r != driver.Success {
		return 0, 0, d.fail(op, r)
	}
	return least, greatest, nil
}

func (d *Device) newStream(create func() (driver.Stream, driver.Result)) (*Stream, error) {
	if d.isClosed() {
		return nil, &Error{Op: "make a stream", Device: d.String(), Err: ErrClosed}
	}
	s := &Stream{dev: d}
	r := d.inContext(func() driver.Result {
		handle, r := create()
		s.handle.Store(uintptr(handle))
		return r
	})
	if r != driver.Success {
		return nil, d.fail("make a stream", r)
	}
	d.mu.Lock()
	d.streams[s] = true
	d.mu.Unlock()
	return s, nil
}

// Device returns the device that s belongs to.
func (s *Stream) Device() *Device { return s.dev }

// Query reports whether everything queued on s has run, without waiting. An error may
// be of that work.
//
// CUDA Driver API, Stream Management, cuStreamQuery.
func (s *Stream) Query() (bool, error) {
	const op = "query a stream"
	handle, err := s.open(op)
	if err != nil {
		return false, err
	}
	over, err := s.dev.queried(op, s.dev.drv.StreamQuery(handle))
	if err == nil {
		err = s.failure()
	}
	return over, err
}

// Wait parks the goroutine until everything queued on s so far has run or ctx is done,
// whichever is first: then it returns an error that wraps ctx's, and the work goes on.
// Otherwise it returns the first error of the work. Any number of goroutines may wait;
// they cost no threads. When the work takes long, they are woken up to 1 ms late.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "wait for a stream"
	if _, err := s.open(op); err != nil {
		return err
	}
	return s.dev.waits.stream(ctx, s, op)
}

// WaitEvent makes what is queued on s from now on wait until e is over, as it was last
// recorded. The caller does not wait. e may be of another device.
//
// CUDA Driver API, Stream Management, cuStreamWaitEvent.
func (s *Stream) WaitEvent(e *Event) error {
	const op = "make a stream wait for an event"
	stream, err := s.open(op)
	if err != nil {
		return err
	}
	event, err := e.open(op)
	if err != nil {
		return err
	}
	if s.dev.simulated != e.dev.simulated {
		return &Error{Op: op, Device: s.dev.String(), Detail: "the event is on " + e.dev.String(), Err: ErrInvalidValue}
	}
	if r := s.dev.drv.StreamWaitEvent(stream, event, 0); r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

// Synchronize blocks until everything queued on s so far has run, and returns the
// first error of it. It blocks a thread: Wait does not.
//
// CUDA Driver API, Stream Management, cuStreamSynchronize.
func (s *Stream) Synchronize() error {
	handle, err := s.open("synchronize a stream")
	if err != nil {
		return err
	}
	if r := s.dev.drv.StreamSynchronize(handle); r != driver.Success {
		return s.dev.failWork("synchronize a stream", r)
	}
	return s.failure()
}

// Close waits for the work queued on s and destroys it. It may be called more than
// once; it returns the error of the work it waited for.
//
// CUDA Driver API, Stream Management, cuStreamDestroy.
func (s *Stream) Close() error {
	handle := driver.Stream(s.handle.Swap(0))
	if handle == 0 {
		return nil
	}
	s.dev.mu.Lock()
	delete(s.dev.streams, s)
	s.dev.mu.Unlock()
	r := s.dev.drv.StreamSynchronize(handle)
	err := s.failure()
	if r != driver.Success {
		err = s.dev.failWork("close a stream", r)
	}
	s.dev.waits.forget(s, err)
	if destroyed := s.dev.drv.StreamDestroy(handle); err == nil && destroyed != driver.Success {
		err = s.dev.failWork("close a stream", destroyed)
	}
	return err
}

func (s *Stream) open(op string) (driver.Stream, error) {
	if s == nil {
		return 0, &Error{Op: op, Detail: "the stream is nil: make one with Device.NewStream"}
	}
	handle := s.handle.Load()
	if handle == 0 {
		return 0, &Error{Op: op, Device: s.dev.String(), Detail: "the stream", Err: ErrClosed}
	}
	return driver.Stream(handle), nil
}
