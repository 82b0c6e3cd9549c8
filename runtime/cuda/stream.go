package cuda

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Stream is a queue of work on one device. What is queued on one stream runs in
// order; different streams run independently of each other.
//
// Any goroutine may call any method, also while others launch on the stream or close
// it.
type Stream struct {
	// What a launch reads fits one cache line.
	handle atomic.Uintptr        // driver.Stream; 0 once closed
	epoch  atomic.Pointer[epoch] // the device's; nil once closed
	dev    *Device
	watch  watch

	mu          sync.Mutex
	undestroyed driver.Stream // 0 once the driver has destroyed it
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING: no implicit ordering with the null
// stream, which other libraries in the process may use.
const streamNonBlocking = 1

// NewStream makes a stream on d.
//
// CUDA Driver API, Stream Management, cuStreamCreate.
func (d *Device) NewStream() (*Stream, error) {
	const op = "make a stream"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	handle, err := d.createStream(op)
	if err != nil {
		return nil, err
	}
	s := &Stream{dev: d, undestroyed: handle}
	s.handle.Store(uintptr(handle))
	self := weak.Make(s)
	s.watch = watching(s, d, "a stream", func() {
		if handle, open := d.takeStream(self); open {
			d.given(d.drv.StreamDestroy(handle))
		}
	})
	d.mu.Lock()
	closed := d.closed
	if !closed {
		s.epoch.Store(d.epoch.Load())
		d.streams[self] = handle
	}
	d.mu.Unlock()
	if closed { // meanwhile
		s.watch.end()
		d.given(d.drv.StreamDestroy(handle))
		return nil, d.closedError(op, "")
	}
	return s, nil
}

func (d *Device) createStream(op string) (handle driver.Stream, err error) {
	r := d.inContext(func() (r driver.Result) {
		handle, r = d.drv.StreamCreate(streamNonBlocking)
		return r
	})
	if r == driver.Success {
		return handle, nil
	}
	if handle != 0 { // it was the context
		d.given(d.drv.StreamDestroy(handle))
	}
	return 0, d.fail(op, r)
}

// Device returns the device that s belongs to.
func (s *Stream) Device() *Device { return s.dev }

// Synchronize blocks until everything queued on s so far has run, and returns the
// first error of it. It blocks a thread.
//
// CUDA Driver API, Stream Management, cuStreamSynchronize.
func (s *Stream) Synchronize() error {
	defer s.hold().release()
	handle, err := s.open("synchronize a stream")
	if err != nil {
		return err
	}
	if r := s.dev.drv.StreamSynchronize(handle); r != driver.Success {
		return s.dev.failWork("synchronize a stream", r)
	}
	return nil
}

// Close waits for the work queued on s and returns the error of that work. Calls on s
// that begin later fail with ErrClosed; what was on its way still gets to the queue.
// The driver's stream is destroyed when no call uses it any more, at the latest by
// Device.Close. Close may be called more than once.
//
// CUDA Driver API, Stream Management, cuStreamDestroy.
func (s *Stream) Close() error {
	d := s.dev
	defer d.hold().release()
	handle, open := d.takeStream(weak.Make(s))
	if !open {
		return nil
	}
	s.shut()
	r := d.drv.StreamSynchronize(handle)
	d.retire(s.destroy)
	if r != driver.Success {
		return d.failWork("close a stream", r)
	}
	return nil
}

// drain waits for the work queued on s, which may be closed: calls that were on their
// way then may have queued more. The caller holds an epoch.
func (s *Stream) drain() driver.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.undestroyed == 0 {
		return driver.Success
	}
	return s.dev.drv.StreamSynchronize(s.undestroyed)
}

// destroy destroys the driver's stream after its work.
func (s *Stream) destroy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dev.given(s.dev.drv.StreamSynchronize(s.undestroyed))
	s.dev.given(s.dev.drv.StreamDestroy(s.undestroyed))
	s.undestroyed = 0
}

// shut makes calls on s that begin from now on fail.
func (s *Stream) shut() {
	s.handle.Store(0)
	s.epoch.Store(nil) // after the handle: who has that has an epoch, too
	s.watch.end()
}

// takeStream makes the caller the one who destroys a stream, if nobody else is.
func (d *Device) takeStream(s weak.Pointer[Stream]) (handle driver.Stream, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	handle, open = d.streams[s]
	delete(d.streams, s)
	return handle, open
}

// open returns the handle of s. The caller has called hold before.
func (s *Stream) open(op string) (driver.Stream, error) {
	if s == nil {
		return 0, &Error{Op: op, Detail: "the stream is nil: make one with Device.NewStream", Err: ErrInvalidValue}
	}
	handle := s.handle.Load()
	if handle == 0 {
		return 0, s.dev.closedError(op, "the stream")
	}
	return driver.Stream(handle), nil
}
