package cuda

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Stream is a queue of work on one device. Work on one stream runs in order; different
// streams are independent of each other.
//
// Any goroutine may call any method, even while others launch on the stream or close it.
type Stream struct {
	// What a launch reads fits one cache line.
	handle atomic.Uintptr        // driver.Stream; 0 once closed
	epoch  atomic.Pointer[epoch] // the device's; nil once closed
	turn   atomic.Uint64         // when a buffer that s uses was closed last: a number of no other turn of any stream
	dev    *Device
	word   uint64 // the device's tag and a bit for lifetime.users; noBit if too many streams live
	watch  watch

	failures *hostFailures

	capture atomic.Pointer[captureMember] // nil unless it takes part in a capture; handle is 0 then

	mu          sync.Mutex
	undestroyed driver.Stream // 0 once the driver has destroyed it
	gone        atomic.Bool   // the driver has destroyed it
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING: no implicit ordering with the null
// stream, which other libraries in the process may use.
const streamNonBlocking = 1

// NewStream makes a stream on d, with the zero StreamConfig.
//
// CUDA Driver API, Stream Management, cuStreamCreate.
func (d *Device) NewStream() (*Stream, error) { return d.NewStreamWith(StreamConfig{}) }

// A StreamConfig configures a stream.
type StreamConfig struct {
	// Priority is within StreamPriorities. Kernels of streams with lower numbers are
	// scheduled first; 0 is the lowest priority.
	Priority int
}

// NewStreamWith makes a stream on d.
//
// CUDA Driver API, Stream Management, cuStreamCreate, cuStreamCreateWithPriority.
func (d *Device) NewStreamWith(cfg StreamConfig) (*Stream, error) {
	if cfg.Priority == 0 {
		return d.newStream(func() (driver.Stream, driver.Result) { return d.drv.StreamCreate(streamNonBlocking) })
	}
	least, greatest, err := d.StreamPriorities()
	if err != nil {
		return nil, err
	}
	if cfg.Priority > least || cfg.Priority < greatest {
		return nil, d.invalid("make a stream", fmt.Sprintf("priority %d is not within %d (first) to %d (last)", cfg.Priority, greatest, least), ErrInvalidValue)
	}
	return d.newStream(func() (driver.Stream, driver.Result) {
		return d.drv.StreamCreateWithPriority(streamNonBlocking, cfg.Priority)
	})
}

// StreamPriorities returns the range of stream priorities: least is the lowest priority,
// greatest the highest. Lower numbers are higher priorities.
//
// CUDA Driver API, Context Management, cuCtxGetStreamPriorityRange.
func (d *Device) StreamPriorities() (least, greatest int, err error) {
	const op = "read the stream priorities"
	defer d.hold().release()
	if d.isClosed() {
		return 0, 0, d.closedError(op, "")
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
	const op = "make a stream"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	handle, err := d.createStream(op, create)
	if err != nil {
		return nil, err
	}
	s := &Stream{dev: d, undestroyed: handle, failures: new(hostFailures)}
	s.nextTurn()
	s.handle.Store(uintptr(handle))
	self := weak.Make(s)
	s.watch = watching(s, d, "a stream", func() {
		if handle, open := d.takeStream(self); open {
			d.given(d.drv.StreamDestroy(handle))
		}
	})
	d.mu.Lock()
	closed := d.isClosed()
	if !closed {
		s.epoch.Store(d.epoch.Load())
		s.word = d.bits.take(&d.memory, d.leaks.Enabled())
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

func (d *Device) createStream(op string, create func() (driver.Stream, driver.Result)) (handle driver.Stream, err error) {
	r := d.inContext(func() (r driver.Result) {
		handle, r = create()
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

var lastTurn atomic.Uint64

// nextTurn makes prepared calls look at their buffers again when they are launched on s.
func (s *Stream) nextTurn() { s.turn.Store(lastTurn.Add(1)) }

// Device returns the device that s belongs to.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Query reports whether all work queued on s has run, without waiting. An error may
// belong to that work.
//
// CUDA Driver API, Stream Management, cuStreamQuery.
func (s *Stream) Query() (bool, error) {
	const op = "query a stream"
	defer s.hold().release()
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

// Wait parks the goroutine until all work queued on s so far has run or ctx is done. If
// ctx is done first, it returns an error that wraps ctx's, and the work continues.
// Otherwise it returns the first error of the work. Any number of goroutines may wait;
// they occupy no threads. After long work they wake up to 1 ms late.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "wait for a stream"
	if _, err := s.open(op); err != nil {
		return err
	}
	if err := s.dev.waits.stream(ctx, s, op); err != nil {
		return err
	}
	return s.failure()
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

// Synchronize blocks until all work queued on s so far has run, and returns its first
// error. It blocks a thread; Wait does not.
//
// CUDA Driver API, Stream Management, cuStreamSynchronize.
func (s *Stream) Synchronize() error {
	defer s.hold().release()
	handle, err := s.open("synchronize a stream")
	if err != nil {
		return err
	}
	if r := s.dev.drv.StreamSynchronize(handle); r != driver.Success {
		return s.dev.fail("synchronize a stream", r)
	}
	return s.failure()
}

// Close waits for the work queued on s and returns its error. Later calls on s fail with
// ErrClosed; concurrent calls still queue their work. The driver's stream is destroyed
// when no call uses it any more, at the latest by Device.Close. Close may be called more
// than once. On the simulated device, Close stops the device if no block of a kernel and no
// other work ends for five seconds, as Device.Close does after two.
//
// CUDA Driver API, Stream Management, cuStreamDestroy.
func (s *Stream) Close() error {
	if s == nil || s.dev == nil {
		return nil
	}
	d := s.dev
	defer d.hold().release()
	if m := s.capturing(); m != nil {
		return m.refused("close a stream")
	}
	handle, open := d.takeStream(weak.Make(s))
	if !open {
		return nil
	}
	s.shut()
	defer d.closingStream(handle)()
	var err error
	if r := d.drv.StreamSynchronize(handle); r != driver.Success {
		err = d.fail("close a stream", r)
	}
	d.waits.forget(s, err)
	d.retire(s.destroy)
	return cmp.Or(err, s.failure())
}

// drain waits for the work queued on s, which may be closed: calls that were on their
// way then may have queued more. When its device is closed, that has waited.
func (s *Stream) drain() driver.Result {
	defer s.dev.hold().release()
	if s.dev.isClosed() {
		return driver.Success
	}
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
	s.gone.Store(true)
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.dev.bits.giveBack(s.word)
}

// shut makes calls on s that begin from now on fail.
func (s *Stream) shut() {
	s.handle.Store(0)
	s.epoch.Store(nil) // after the handle: who has that has an epoch, too
	s.watch.end()
}

// takeStream gives the caller the duty to destroy a stream; open is false if another
// caller has it.
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
		if m := s.capturing(); m != nil {
			return 0, m.refused(op)
		}
		return 0, s.dev.closedError(op, "the stream")
	}
	return driver.Stream(handle), nil
}
