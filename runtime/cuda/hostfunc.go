package cuda

import "github.com/cudagen/cudagen/runtime/internal/driver"

// LaunchHostFunc queues f on s: f runs after the work queued before it, and work queued
// later waits for f. f runs on its own goroutine.
//
// f must not call this package: the driver forbids it, and may hang. If f panics or calls
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
