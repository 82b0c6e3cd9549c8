package cuda

import (
	"errors"
	"runtime"

	"github.com/cudagen/cudagen/runtime/internal/ccall"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Do calls f on a thread where d's context is current, for cgo code and other libraries that
// need one: NCCL, cuBLAS, the CUDA runtime API, which then takes d's context as its own. The
// goroutine stays on that thread until f returns. After that the thread has the context that it
// had before, whatever f made current, also when f panics or calls runtime.Goexit. Do returns the
// error of f.
//
// Methods of this package need no Do: they work on every thread, whatever context is current
// there, and goroutines that f starts run on other threads. The context exists until f returns,
// even if d is closed meanwhile. On a simulated device f has no context of CUDA's.
//
// Where the context is current already, as inside of another Do, it costs two calls of the driver, else four: a loop of
// short calls, also of package nccl, is better inside of one Do than each call in its own.
//
// CUDA Driver API, Context Management, cuCtxPushCurrent, cuCtxPopCurrent.
func (d *Device) Do(f func() error) (err error) {
	const op = "make the context current"
	if d.isClosed() {
		return d.closedError(op, "")
	}
	if f == nil {
		return d.invalid(op, "the function is nil", ErrInvalidValue)
	}
	if !d.useContext() {
		return d.closedError(op, "")
	}
	defer func() {
		if r := d.unuseContext(); r != driver.Success {
			d.given(r)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, r := d.enter()
	if r != driver.Success {
		return d.fail(op, r)
	}
	defer func() {
		if r := d.leave(before); r != driver.Success {
			err = errors.Join(err, d.fail("put back a thread's context", r))
		}
	}()
	return f()
}

// contextCalls is a driver that other libraries can be called beside.
type contextCalls interface {
	ContextCalls() (push, pop uintptr) // the C functions, which take and return a context; 0 for Do instead
}

// Surround has a make d's context current around a call of another library, on its thread, and keeps the context until Surrounded.
// It returns false, and nothing is to be ended, where only Do can do that, or knows why it cannot be done.
//
// CUDA Driver API, Context Management, cuCtxPushCurrent, cuCtxPopCurrent.
func (generated) Surround(d *Device, a *ccall.Around) bool {
	if d.foreign == nil || d.isClosed() {
		return false
	}
	push, pop := d.foreign.ContextCalls()
	if push == 0 || pop == 0 || !d.useContext() {
		return false
	}
	a.Before, a.Argument, a.After = push, uintptr(d.ctx), pop
	return true
}

// Surrounded ends what Surround has begun.
func (generated) Surrounded(d *Device) {
	if r := d.unuseContext(); r != driver.Success {
		d.given(r)
	}
}

// useContext keeps the context until unuseContext, also when d is closed: with an epoch, Close would wait for
// Do. It returns false if the context may be gone.
func (d *Device) useContext() bool {
	for {
		n := d.users.Load()
		if n == 0 {
			return false
		}
		if d.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// unuseContext ends what useContext began. The last one gives the context back to the driver.
func (d *Device) unuseContext() driver.Result {
	if d.users.Add(-1) > 0 {
		return driver.Success
	}
	return d.drv.DevicePrimaryCtxRelease(d.dev)
}

// inContext calls f on a thread where d's context is current, and leaves the
// thread as it was.
func (d *Device) inContext(f func() driver.Result) driver.Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := d.drv.CtxPushCurrent(d.ctx); r != driver.Success {
		return r
	}
	r := f()
	if _, popped := d.drv.CtxPopCurrent(); r == driver.Success {
		r = popped
	}
	return r
}

// create returns what f makes in the context of d. If that fails behind it, destroy destroys what was made.
func create[H ~uintptr | ~uint64](d *Device, f func() (H, driver.Result), destroy func(H) driver.Result) (made H, r driver.Result) {
	r = d.inContext(func() (r driver.Result) {
		made, r = f()
		return r
	})
	if r != driver.Success && made != 0 {
		d.given(d.inContext(func() driver.Result { return destroy(made) }))
	}
	return made, r
}

// enter makes d's context current, and returns which one was before. The goroutine is locked to its
// thread.
func (d *Device) enter() (before driver.Context, r driver.Result) {
	if !d.simulated { // whose threads have no contexts
		if before, r = d.drv.CtxGetCurrent(); r != driver.Success || before == d.ctx {
			return before, r
		}
	}
	return before, d.drv.CtxPushCurrent(d.ctx)
}

// leave makes the context from before enter current again, whatever has been pushed, popped or set
// since.
func (d *Device) leave(before driver.Context) driver.Result {
	if d.simulated || before != d.ctx {
		if _, r := d.drv.CtxPopCurrent(); d.simulated {
			return r
		}
	}
	for range maxPushed {
		now, r := d.drv.CtxGetCurrent()
		if now == before || r != driver.Success {
			return r
		}
		if _, r := d.drv.CtxPopCurrent(); now == 0 || r != driver.Success {
			break // more was popped than pushed
		}
	}
	return d.drv.CtxSetCurrent(before)
}

// maxPushed bounds how many contexts Do pops that its function has left.
const maxPushed = 1000

// ProfilerStart begins to collect what a profiling tool collects, in the context of d: tools
// such as Nsight Systems can be told to wait for it. Without a tool it has no effect.
//
// CUDA Driver API, Profiler Control, cuProfilerStart.
func (d *Device) ProfilerStart() error {
	return d.profile("start the profiler", driver.Driver.ProfilerStart)
}

// ProfilerStop ends what ProfilerStart has begun.
//
// CUDA Driver API, Profiler Control, cuProfilerStop.
func (d *Device) ProfilerStop() error {
	return d.profile("stop the profiler", driver.Driver.ProfilerStop)
}

func (d *Device) profile(op string, call func(driver.Driver) driver.Result) error {
	_, err := ask(d, op, func() (struct{}, driver.Result) {
		return struct{}{}, d.inContext(func() driver.Result { return call(d.drv) })
	})
	return err
}
