package cuda

import (
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Stream is a queue of work on one device. What is queued on one stream runs in
// order; different streams run independently of each other.
type Stream struct {
	handle atomic.Uintptr // driver.Stream; 0 once closed
	dev    *Device
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING: no implicit ordering with the null
// stream, which other libraries in the process may use.
const streamNonBlocking = 1

// NewStream makes a stream on d.
//
// CUDA Driver API, Stream Management, cuStreamCreate.
func (d *Device) NewStream() (*Stream, error) {
	if d.isClosed() {
		return nil, &Error{Op: "make a stream", Device: d.String(), Err: ErrClosed}
	}
	s := &Stream{dev: d}
	r := d.inContext(func() driver.Result {
		handle, r := d.drv.StreamCreate(streamNonBlocking)
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

// Synchronize blocks until everything queued on s so far has run, and returns the
// first error of it. It blocks a thread.
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
	return nil
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
	if destroyed := s.dev.drv.StreamDestroy(handle); r == driver.Success {
		r = destroyed
	}
	if r != driver.Success {
		return s.dev.failWork("close a stream", r)
	}
	return nil
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
