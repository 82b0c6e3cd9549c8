package cuda

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda/internal/hostcopy"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Stream is a queue of work on one device. Work on one stream runs in order; different
// streams are independent of each other.
//
// Any goroutine may call any method, even while others launch on the stream or close it.
//
// # Waiting
//
// Launches of kernels, copies and fills, Clear, host functions and the freeing of buffers are
// queued and run later, in stream order. CopyFrom and CopyTo, which copy Go memory, and
// Symbol's Get and Set are complete when they return.
//
// Device.Wait, Stream.Wait and Event.Wait park the goroutine and take a context.Context.
// Copies from and to Go memory, Upload and Download have forms that take one, whose names end
// with Context. While their streams are busy few copies block a thread, and the others park
// their goroutines. Other calls that wait block a thread: Synchronize of streams, events and
// devices, and Stream.Close. HostBuffer.Close and ManagedBuffer.Close
// wait for the device. Buffer.Close waits only if other streams than the one that
// allocated the buffer have used it, or if that stream is closed. Device.Close waits for
// the device's work, for calls of other goroutines, and for a garbage collection.
// LoadLibrary waits while another goroutine loads the same image. To wait with a
// context.Context for what blocks, call Wait first.
type Stream struct {
	// What a launch reads fits one cache line.
	handle atomic.Uintptr        // driver.Stream; 0 once closed
	epoch  atomic.Pointer[epoch] // the device's; nil once closed
	turn   atomic.Uint64         // when a buffer that s uses was closed last: a number of no other turn of any stream
	dev    *Device
	word   uint64 // the device's tag and a bit for lifetime.users; inuse.NoBit if too many streams live
	watch  watch

	failures *hostFailures

	capture atomic.Pointer[captureLink] // nil unless it takes part in a capture; handle is 0 then

	recorder *recorder // nil unless launches on it are prepared; handle is 0 then

	queue *queue        // whose generation s is; nil if s is a capture's
	until atomic.Uint64 // the last generation of the queue in which there may be work of s

	foreign sync.Mutex // held while mark is made
	mark    *Event     // nil unless other libraries use it; see Handle

	lent atomic.Bool // other libraries use it; see HandleAfterUse

	copies hostcopy.Stream
}

// streamNonBlocking is CU_STREAM_NON_BLOCKING: no implicit ordering with the null
// stream, which other libraries in the process may use.
const streamNonBlocking = 1

// NewStream makes a stream on d, of the lowest priority.
//
// CUDA Driver API, Stream Management, cuStreamCreate.
func (d *Device) NewStream() (*Stream, error) { return d.newPlainStream(false) }

// NewStreamWithPriority makes a stream on d whose priority is within StreamPriorities. Kernels of streams with lower
// numbers are scheduled first; 0 is the lowest priority, that of NewStream.
//
// CUDA Driver API, Stream Management, cuStreamCreateWithPriority.
func (d *Device) NewStreamWithPriority(priority int) (*Stream, error) {
	if priority == 0 {
		return d.NewStream()
	}
	least, greatest, err := d.StreamPriorities()
	if err != nil {
		return nil, err
	}
	if priority > least || priority < greatest {
		return nil, d.invalid("make a stream", fmt.Sprintf("priority %d is not within %d (first) to %d (last)", priority, greatest, least), ErrInvalidValue)
	}
	return d.newStream(false, func() (*queue, error) {
		return d.createQueue("make a stream", func() (driver.Stream, driver.Result) {
			return d.drv.StreamCreateWithPriority(streamNonBlocking, priority)
		})
	})
}

// newPlainStream makes a stream without a priority: of an idle queue if there is one, or of one on which the driver captures.
func (d *Device) newPlainStream(captures bool) (*Stream, error) {
	return d.newStream(!captures, func() (*queue, error) {
		q, err := d.createQueue("make a stream", func() (driver.Stream, driver.Result) { return d.drv.StreamCreate(streamNonBlocking) })
		if err == nil {
			q.plain, q.captures = !captures, captures
		}
		return q, err
	})
}

// StreamPriorities returns the range of stream priorities: least is the lowest priority,
// greatest the highest. Lower numbers are higher priorities.
//
// CUDA Driver API, Context Management, cuCtxGetStreamPriorityRange.
func (d *Device) StreamPriorities() (least, greatest int, err error) {
	ends, err := ask(d, "read the stream priorities", func() (ends [2]int, r driver.Result) {
		r = d.inContext(func() (r driver.Result) {
			ends[0], ends[1], r = d.drv.CtxGetStreamPriorityRange()
			return r
		})
		return ends, r
	})
	return ends[0], ends[1], err
}

// newStream makes a stream of an idle queue, if again is true and there is one, or of one that
// create makes.
func (d *Device) newStream(again bool, create func() (*queue, error)) (*Stream, error) {
	const op = "make a stream"
	defer d.hold().release()
	if d.isClosed() {
		return nil, d.closedError(op, "")
	}
	var q *queue
	if again {
		q = d.takeQueue()
	}
	if q == nil {
		var err error
		if q, err = create(); err != nil {
			return nil, err
		}
	}
	s := &Stream{dev: d, queue: q, failures: new(hostFailures)}
	s.until.Store(q.generation.Load())
	s.nextTurn()
	s.handle.Store(uintptr(q.handle))
	self := weak.Make(s)
	s.watch = watching(s, d, "a stream", func() {
		if q := d.takeStream(self); q != nil {
			q.release()
		}
	})
	forget := d.memory.forget
	if d.leaks.Enabled() { // then the list has no lifetimes
		forget = nil
	}
	d.mu.Lock()
	closed := d.isClosed()
	if !closed {
		s.epoch.Store(d.epoch.Load())
		s.word = d.bits.Take(forget)
		d.streams[self] = q
	}
	d.mu.Unlock()
	if closed { // meanwhile
		s.watch.end()
		d.retire(q.release) // calls on the stream that had it before may be on their way
		return nil, d.closedError(op, "")
	}
	return s, nil
}

func (d *Device) createQueue(op string, create func() (driver.Stream, driver.Result)) (*queue, error) {
	handle, err := d.createStream(op, create)
	if err != nil {
		return nil, err
	}
	return &queue{handle: handle, dev: d}, nil
}

func (d *Device) createStream(op string, f func() (driver.Stream, driver.Result)) (driver.Stream, error) {
	handle, r := create(d, f, d.drv.StreamDestroy)
	if r != driver.Success {
		return 0, d.fail(op, r)
	}
	return handle, nil
}

var lastTurn atomic.Uint64

// nextTurn makes prepared calls look at their buffers again when they are launched on s.
func (s *Stream) nextTurn() { s.turn.Store(lastTurn.Add(1)) }

// nextTurns begins the next turn of all streams of d: a library was closed, and graphs look at
// their kernels when they look at their buffers.
func (d *Device) nextTurns() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.streams {
		if s := s.Value(); s != nil {
			s.nextTurn()
		}
	}
}

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
	if _, err := s.open(waitForStreamOp); err != nil {
		return err
	}
	if err := s.dev.mayWait(waitForStreamOp); err != nil {
		return err
	}
	return s.waitForWork(ctx)
}

// waitForStreamOp is what errors call the wait for a stream.
const waitForStreamOp = "wait for a stream"

// waitForWork is Wait for the work of s, which may capture meanwhile.
func (s *Stream) waitForWork(ctx context.Context) error {
	const op = waitForStreamOp
	if t := tracing.Load(); t != nil {
		return t.waitStream(ctx, s, op)
	}
	return s.wait(ctx, op)
}

func (s *Stream) wait(ctx context.Context, op string) error {
	if err := s.dev.waits.stream(ctx, s, op); err != nil {
		return err
	}
	return s.failure()
}

// Synchronize blocks until all work queued on s so far has run, and returns its first
// error. It blocks a thread; Wait does not.
//
// CUDA Driver API, Stream Management, cuStreamSynchronize.
func (s *Stream) Synchronize() error {
	const op = "synchronize a stream"
	epoch := s.hold()
	handle, err := s.open(op)
	if err != nil {
		return err
	}
	if err := s.dev.mayWait(op); err != nil {
		return err
	}
	pinned := s.pin()
	if pinned {
		epoch.release()
		epoch = nil
	}
	r := s.dev.drv.StreamSynchronize(handle)
	epoch.release()
	s.unpin(pinned)
	if r != driver.Success {
		return s.dev.fail(op, r)
	}
	return s.failure()
}

// pin lets the caller, which holds an epoch, release it before a call that blocks, so that what
// others close meanwhile can go. It reports false if the device is closed, which then waits for
// the epoch.
func (s *Stream) pin() bool {
	if !s.dev.pin() {
		return false
	}
	if !s.queue.begin() {
		s.dev.unpin()
		return false
	}
	return true
}

// unpin ends what pin began.
func (s *Stream) unpin(pinned bool) {
	if pinned {
		s.queue.end()
		s.dev.unpin()
	}
}

// Close waits for the work queued on s and returns its error. Later calls on s fail with
// ErrClosed; concurrent calls still queue their work. The driver's stream becomes that of a
// later NewStream, or is destroyed when no call uses it any more, at the latest by
// Device.Close. Close may be called more
// than once. On the simulated device, Close stops the device if no block of a kernel and no
// other work ends for five seconds, as Device.Close does after two.
//
// CUDA Driver API, Stream Management, cuStreamDestroy.
func (s *Stream) Close() error {
	if s == nil || s.dev == nil {
		return nil
	}
	if s.isShut() {
		return nil
	}
	if err := s.dev.mayWait(closeStreamOp); err != nil {
		return err
	}
	return s.close()
}

// closeStreamOp is what errors call Close.
const closeStreamOp = "close a stream"

// isShut reports whether s is closed, or its capture has ended.
func (s *Stream) isShut() bool { return s.handle.Load() == 0 && !s.IsCapturing() }

// close is Close of a stream that was made.
func (s *Stream) close() error {
	d := s.dev
	if s.IsCapturing() {
		return s.refused(closeStreamOp)
	}
	if !d.pin() {
		return nil
	}
	defer d.unpin()
	q := d.takeStream(weak.Make(s))
	if q == nil {
		return nil
	}
	s.shut()
	defer d.closingStream(q.handle)()
	r := d.drv.StreamSynchronize(q.handle)
	taken := s.takeBack()
	if r != driver.Success {
		err := d.fail(closeStreamOp, r)
		d.waits.forget(s, err)
		d.leaveQueue(q, s.word, false) // its work may go on
		return err
	}
	d.waits.forget(s, nil)
	q.generation.Add(1)
	d.leaveQueue(q, s.word, q.plain && !taken && q.name.Load() == nil)
	return s.failure()
}

// drain waits for the work queued on s, which may be closed: calls that were on their
// way then may have queued more.
func (s *Stream) drain() driver.Result {
	return s.queue.synchronize(s.until.Load())
}

// isLate reports whether s was closed, maybe before the driver was called: what was queued on s
// then may have come after the work that Close has waited for, and among that of the next
// stream of the queue.
func (s *Stream) isLate() bool { return s.handle.Load() == 0 && s.queue != nil }

// noteLate notes that there may be such work, which ends before the Close after the next.
func (s *Stream) noteLate() {
	until := s.queue.generation.Load() + 1
	for now := s.until.Load(); now < until && !s.until.CompareAndSwap(now, until); now = s.until.Load() {
	}
}

// shut makes calls on s that begin from now on fail. Launches that are under way look at their
// buffers again.
func (s *Stream) shut() {
	s.handle.Store(0)
	s.epoch.Store(nil) // after the handle: who has that has an epoch, too
	s.nextTurn()       // after the handle: who has that finds another turn, or is waited for
	s.watch.end()
}

// takeStream gives the caller the duty to leave the queue of a stream. It returns nil if
// another caller has it.
func (d *Device) takeStream(s weak.Pointer[Stream]) *queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.streams[s]
	delete(d.streams, s)
	return q
}

// open returns the handle of s. The caller has called hold before.
func (s *Stream) open(op string) (driver.Stream, error) {
	if s == nil {
		return 0, &Error{Op: op, Detail: "the stream is nil: make one with Device.NewStream", Err: ErrInvalidValue}
	}
	handle := s.handle.Load()
	if handle == 0 {
		if s.IsCapturing() {
			return 0, s.refused(op)
		}
		return 0, s.dev.closedError(op, s.what())
	}
	return driver.Stream(handle), nil
}

// working is open for the stream where the work of s is, which may capture meanwhile. The caller has asked for an epoch.
func (s *Stream) working(op string) (driver.Stream, error) {
	if l := s.capture.Load(); l != nil && l.handle != 0 && !s.dev.isClosed() {
		return l.handle, nil
	}
	return s.open(op)
}

// what returns the name of s, which cannot be used, in errors.
func (s *Stream) what() string {
	if s.queue == nil && s.dev != nil {
		return "the stream of a capture that has ended"
	}
	return "the stream"
}

// A captureLink is what a stream has of a capture. Launches do not know graphs, whose nodes they become there.
type captureLink struct {
	member any                               // the *captureMember
	launch func(launch capturedLaunch) error // makes a node of a launch on the stream
	handle driver.Stream                     // of the stream, for afterwards; 0 if it is the capture's own
}

// A capturedLaunch is a launch of call, or of a kernel with the parameter block.
type capturedLaunch struct {
	call     *Call
	kernel   *Kernel
	config   LaunchConfig
	computed bool
	params   unsafe.Pointer // a block of its own
	owners   []Owner
}

// IsCapturing reports whether s takes part in a capture: what is queued there becomes nodes of a graph.
//
// CUDA Driver API, Stream Management, cuStreamIsCapturing.
func (s *Stream) IsCapturing() bool { return s != nil && s.capture.Load() != nil }

// refused is the error of what no capture can have.
func (s *Stream) refused(op string) error {
	return &Error{Op: op, Device: s.dev.String(), Driver: s.dev.version, Err: ErrStreamCaptureUnsupported,
		Detail: "the stream captures a graph, which takes launches, copies between buffers, fills, host functions and events: do this before, or after the capture"}
}
