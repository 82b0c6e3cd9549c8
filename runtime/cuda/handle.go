package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// handleOp is what errors call the methods Handle.
const handleOp = "hand out a handle"

// noHandle is the error of Handle of an object on d, which is simulated.
func (d *Device) noHandle(what string) error {
	return d.invalid(handleOp, "the device is simulated: it has no "+what+", and other libraries cannot use it", ErrNotSupported)
}

// Handle returns the CUcontext of d, its primary context, which the CUDA runtime API uses, too.
// It is valid until d is closed. The CUdevice is d.Ordinal. Do makes the context current. On a
// simulated device the error wraps ErrNotSupported.
//
// CUDA Driver API, Primary Context Management.
func (d *Device) Handle() (uintptr, error) {
	defer d.hold().release()
	switch {
	case d.isClosed():
		return 0, d.closedError(handleOp, "")
	case d.simulated:
		return 0, d.noHandle("CUcontext")
	}
	return uintptr(d.ctx), nil
}

// Handle returns the CUkernel of k, which cuLaunchKernel also takes as a CUfunction. It is valid
// until the library of k is closed. On a simulated device the error wraps ErrNotSupported.
//
// CUDA Driver API, Library Management.
func (k *Kernel) Handle() (uintptr, error) {
	defer k.hold().release()
	if err := k.openFor(handleOp + " of"); err != nil {
		return 0, err
	}
	if k.dev.simulated {
		return 0, k.dev.noHandle("CUkernel")
	}
	return uintptr(k.handle()), nil
}

// Handle returns the CUevent of e. It is valid until e is closed. On a simulated device the error
// wraps ErrNotSupported.
//
// CUDA Driver API, Event Management.
func (e *Event) Handle() (uintptr, error) {
	defer e.hold().release()
	handle, err := e.use(handleOp)
	if err != nil {
		return 0, err
	}
	defer e.end()
	if e.dev.simulated {
		return 0, e.dev.noHandle("CUevent")
	}
	return uintptr(handle), nil
}

// Handle returns the CUstream of s, so that other libraries queue their work there: its order
// is that of s, and waiting for s waits for it. It is valid until s is closed. The caller must
// keep s reachable, and must not capture on it or destroy it.
//
// This package does not see which memory that work uses; HandleAfterUse tells it. So from the first Handle on, buffers that
// are closed are freed after all work that s has at that time, whether or not it uses them: a Buffer
// in stream order, without waiting; other memory after Close has waited. Memory that work refers to
// which is queued after Close must stay open, as for launches.
//
// In a capture, the handle is that of the stream on which the driver captures, until the capture ends:
// what other libraries queue there becomes nodes that cannot be updated.
//
// A stream of a simulated device has no handle: the error wraps ErrNotSupported. There is no handle 0,
// which would be the null stream.
//
// CUDA Driver API, Stream Management.
func (s *Stream) Handle() (uintptr, error) {
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.innerHandle()
	}
	handle, err := s.realHandle()
	if err != nil {
		return 0, err
	}
	if err := s.handOut(); err != nil {
		return 0, err
	}
	return handle, nil
}

// HandleAfterUse is Handle for work that uses only memory whose owners Use has named: other buffers that are closed do
// not wait for it. Work that waits for another device, as that of NCCL does, needs this: a free that is ordered behind it
// would hold back what it waits for.
//
// CUDA Driver API, Stream Management.
func (s *Stream) HandleAfterUse() (uintptr, error) {
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.innerHandle()
	}
	if s != nil && !s.lent.Load() {
		s.lent.Store(true)
	}
	return s.realHandle()
}

// realHandle returns the handle of s, which does not capture. The caller has called hold before.
func (s *Stream) realHandle() (uintptr, error) {
	handle, err := s.open(handleOp)
	if err != nil {
		return 0, err
	}
	if s.dev.simulated {
		return 0, s.dev.noHandle("CUstream")
	}
	return uintptr(handle), nil
}

// innerHandle is Handle of a stream that takes part in a capture. Nothing runs there, so that no buffer
// has to wait for it.
func (m *captureMember) innerHandle() (uintptr, error) {
	c := m.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.dev.hold().release()
	if err := c.usable(handleOp); err != nil {
		return 0, err
	}
	if c.dev.simulated {
		return 0, c.dev.noHandle("CUstream")
	}
	return m.inner.handle.Load(), nil
}

// handedOut are the streams of all devices that other libraries use.
var handedOut struct {
	any     atomic.Bool // there were some
	mu      sync.Mutex
	streams map[weak.Pointer[Stream]]bool
}

// handOut notes that work on s may use all memory.
func (s *Stream) handOut() error {
	s.foreign.Lock()
	defer s.foreign.Unlock()
	if s.mark != nil {
		return nil
	}
	mark, err := s.dev.NewEvent(EventConfig{})
	if err != nil {
		return err
	}
	s.mark = mark
	handedOut.mu.Lock()
	defer handedOut.mu.Unlock()
	if handedOut.streams == nil {
		handedOut.streams = make(map[weak.Pointer[Stream]]bool)
	}
	handedOut.streams[weak.Make(s)] = true
	handedOut.any.Store(true)
	return nil
}

// foreignStreams returns the streams on which other libraries may use memory of d, and forgets
// those that are gone.
func (d *Device) foreignStreams() (streams []*Stream) {
	if !handedOut.any.Load() || d.simulated {
		return nil
	}
	handedOut.mu.Lock()
	defer handedOut.mu.Unlock()
	for w := range handedOut.streams {
		if s := w.Value(); s != nil && !s.queue.gone.Load() && !s.dev.isClosed() {
			streams = append(streams, s)
		} else {
			delete(handedOut.streams, w)
		}
	}
	return streams
}

// awaitForeign waits for the work of the streams that other libraries use.
func (d *Device) awaitForeign() (r driver.Result) {
	for _, s := range d.foreignStreams() {
		r = cmp.Or(r, s.drain())
	}
	return r
}

// orderAfterForeign has work that is queued on home later run after the work that streams have
// that other libraries use. It waits only for what cannot be ordered so.
func (d *Device) orderAfterForeign(home driver.Stream) (r driver.Result) {
	for _, s := range d.foreignStreams() {
		if !s.markInto(d, home) {
			r = cmp.Or(r, s.drain())
		}
	}
	return r
}

// markInto has home, a stream of d, wait for the work of s. It reports whether it will.
func (s *Stream) markInto(d *Device, home driver.Stream) bool {
	defer s.dev.hold().release()
	q := s.queue
	if q.handle == home || !q.begin() {
		return true // or it is gone, after its work
	}
	defer q.end()
	mark, err := s.mark.use(handleOp)
	if err != nil {
		return false
	}
	defer s.mark.end()
	return s.dev.drv.EventRecord(mark, q.handle) == driver.Success && d.drv.StreamWaitEvent(home, mark, 0) == driver.Success
}

// takeBack ends what other libraries may do on s, which is closed. It reports whether they had
// its handle: no other stream gets that.
func (s *Stream) takeBack() bool {
	s.foreign.Lock()
	defer s.foreign.Unlock()
	if s.mark == nil {
		return s.lent.Load()
	}
	s.mark.Close()
	return true
}
