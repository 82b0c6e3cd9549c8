package cuda

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// hostFailures is what events share with the stream on which they were recorded, or with the
// exec that records them: the error of its first host function that did not return.
type hostFailures struct{ first atomic.Pointer[Error] }

// note keeps err, unless another function of d failed before there.
func (h *hostFailures) note(d *Device, err *Error) {
	h.first.CompareAndSwap(nil, err)
	d.hostFailed.Store(true)
}

// failure returns the error, or nil.
func (h *hostFailures) failure() error {
	if h == nil {
		return nil
	}
	if e := h.first.Load(); e != nil {
		return e
	}
	return nil
}

// failure returns the error of the first host function of s that did not return.
func (s *Stream) failure() error { return s.failures.failure() }

// failure returns the error of the first host function that did not return, of the stream on
// which e was recorded last.
func (e *Event) failure() error { return e.failures.Load().failure() }

// recordedBy notes whose host functions e comes after.
func (e *Event) recordedBy(h *hostFailures) {
	if e.failures.Load() != h {
		e.failures.Store(h)
	}
}

// hostFailure returns the error of the first host function that did not return, of any stream
// that is open.
func (d *Device) hostFailure() error {
	if !d.hostFailed.Load() {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.streams {
		if s := s.Value(); s != nil && s.failure() != nil {
			return s.failure()
		}
	}
	return nil
}

// A hostPanic is why a host function failed whose panic value is an error.
type hostPanic struct{ value error }

func (p *hostPanic) Error() string   { return ErrHostFunc.Error() }
func (p *hostPanic) Unwrap() []error { return []error{ErrHostFunc, p.value} }

// hostFuncError is the error of a host function that did not return, but panicked with value,
// or called runtime.Goexit if that is nil.
func hostFuncError(d *Device, value any) *Error {
	e := &Error{Op: "run a host function", Device: d.String(), Driver: d.version, Detail: "it called runtime.Goexit", Err: ErrHostFunc}
	if value != nil {
		e.Detail = fmt.Sprintf("it panicked: %v\n%s", value, debug.Stack())
	}
	if err, ok := value.(error); ok {
		e.Err = &hostPanic{err}
	}
	return e
}
