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
