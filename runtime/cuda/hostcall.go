package cuda

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/goroutine"
)

// runHostFunc calls f, and returns when f has, whichever way: an error if it did not return.
func runHostFunc(d *Device, f func()) (failed *Error) {
	callApart(func() {
		defer beginHostFunc(d, f)()
		f()
	}, func(value any) { failed = hostFuncError(d, "run a host function", value) })
	return failed
}

// callApart calls f, and returns when f has, whichever way. If it did not return, failed has been called with what it panicked
// with, or nil after runtime.Goexit. f has a goroutine of its own because that would end the process on a thread of the driver's.
func callApart(f func(), failed func(value any)) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		returned := false
		defer func() {
			if !returned {
				failed(recover())
			}
		}()
		f()
		returned = true
	}()
	<-ended
}

// hostFuncs are the calls of host functions that are under way on all devices.
var hostFuncs struct {
	number      atomic.Int64
	byGoroutine sync.Map // number of the goroutine → *hostFuncCall
}

// A hostFuncCall is one call of a host function.
type hostFuncCall struct {
	dev   *Device
	f     func()
	began time.Time
}

// beginHostFunc notes that the goroutine calls f for d, until end is called.
func beginHostFunc(d *Device, f func()) (end func()) {
	id := goroutine.ID()
	hostFuncs.byGoroutine.Store(id, &hostFuncCall{d, f, time.Now()})
	hostFuncs.number.Add(1)
	return func() {
		hostFuncs.number.Add(-1)
		hostFuncs.byGoroutine.Delete(id)
	}
}

// hostFuncHere returns the call of a host function that the goroutine is in, or nil.
func hostFuncHere() *hostFuncCall {
	if hostFuncs.number.Load() == 0 {
		return nil
	}
	call, _ := hostFuncs.byGoroutine.Load(goroutine.ID())
	c, _ := call.(*hostFuncCall)
	return c
}

// mayWait returns the error of op, which may have to wait for d, in a host function: work waits for that.
// It is asked before anything is done.
func (d *Device) mayWait(op string) error {
	c := hostFuncHere()
	if c == nil {
		return nil
	}
	e := &Error{Op: op, Detail: fmt.Sprintf("the host function %s must not wait for a device, which waits for the function", c.name()), Err: ErrNotPermitted,
		Hint: "wait on another goroutine, which the function does not wait for"}
	if !d.isUnmade() {
		e.Device, e.Driver = d.String(), d.version
	}
	return e
}

// name returns the name of the Go function.
func (c *hostFuncCall) name() string {
	if f := runtime.FuncForPC(reflect.ValueOf(c.f).Pointer()); f != nil {
		return f.Name()
	}
	return "without a name"
}

// oldestHostFunc returns the host function of d that runs for the longest time, or nil.
func (d *Device) oldestHostFunc() (oldest *hostFuncCall) {
	hostFuncs.byGoroutine.Range(func(_, value any) bool {
		if c := value.(*hostFuncCall); c.dev == d && (oldest == nil || c.began.Before(oldest.began)) {
			oldest = c
		}
		return true
	})
	return oldest
}

// hostFailures is what events share with the stream on which they were recorded, or with the
// exec that records them: the error of its first host function that did not return.
type hostFailures struct {
	first atomic.Pointer[Error]
	told  atomic.Bool // to somebody who waited
}

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
		h.told.Store(true)
		return e
	}
	return nil
}

// untold returns the error that nobody has got, or nil.
func (h *hostFailures) untold() error {
	if h == nil || h.told.Load() {
		return nil
	}
	return h.failure()
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

// hostFuncError is the error of a function of the program's that did not return, but panicked with value,
// or called runtime.Goexit if that is nil.
func hostFuncError(d *Device, op string, value any) *Error {
	e := &Error{Op: op, Device: d.String(), Driver: d.version, Detail: "it called runtime.Goexit", Err: ErrHostFunc}
	if value != nil {
		e.Detail = fmt.Sprintf("it panicked: %v\n%s", value, debug.Stack())
	}
	if err, ok := value.(error); ok {
		e.Err = &hostPanic{err}
	}
	return e
}
