package cuda

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/goroutine"
)

// LaunchHostFunc queues f on s: f runs after the work queued before it, and work queued
// later waits for f. f runs on its own goroutine.
//
// f must not call this package: the driver forbids it, and may hang. Calls of f that wait for a
// device, or may have to, are errors that wrap ErrNotPermitted: Synchronize and Wait, copies between
// a device and Go memory, and Close of what has work. A goroutine that does so is not noticed: if f waits for
// that goroutine, the device stands still, until Device.Close says so. If f panics or calls
// runtime.Goexit, the program continues, and whatever waits for s returns an *Error from then
// on, which wraps ErrHostFunc and, if f panicked with an error, that error: Synchronize, Wait,
// Query and Close of s, copies between s's device and Go memory on s, waits for events that
// were recorded on s, and Synchronize and Wait of the device as long as s is open.
// Other work on s still runs, copies included. f does not run if earlier
// work failed with an error that makes the device unusable.
//
// CUDA Driver API, Execution Control, cuLaunchHostFunc.
func (s *Stream) LaunchHostFunc(f func()) error {
	const op = "queue a host function"
	defer s.hold().release()
	if m := s.capturing(); m != nil {
		return m.add(op, NewHostNode(f))
	}
	handle, err := s.open(op)
	if err != nil {
		return err
	}
	if f == nil {
		return s.dev.invalid(op, "the function is nil", ErrInvalidValue)
	}
	r := s.dev.inContext(func() driver.Result {
		return s.dev.drv.LaunchHostFunc(handle, func() {
			if err := runHostFunc(s.dev, f); err != nil {
				s.failures.note(s.dev, err)
			}
		})
	})
	if r != driver.Success {
		return s.dev.fail(op, r)
	}
	return nil
}

// runHostFunc calls f, and returns when f has, whichever way: an error if it did not return. f
// has a goroutine of its own because runtime.Goexit would end the process on a thread of the
// driver's.
func runHostFunc(d *Device, f func()) (failed *Error) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer beginHostFunc(d, f)()
		returned := false
		defer func() {
			if returned {
				return
			}
			failed = hostFuncError(d, recover())
		}()
		f()
		returned = true
	}()
	<-ended
	return failed
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
