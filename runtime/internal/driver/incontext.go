package driver

import "runtime"

// InContext returns d for a driver that demands a current context also for the calls
// that are marked neither "context" nor "global" in Driver: it makes ctx current around
// each of them. That costs a locked thread and two more calls.
func InContext(d Driver, ctx Context) Driver { return inContext{d, ctx} }

// An inContext leaves alone what is marked "global" or "context".
type inContext struct {
	Driver
	ctx Context
}

// around calls f on a thread where the context is current, and leaves the thread as it
// was.
func (in inContext) around(f func() Result) Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := in.CtxPushCurrent(in.ctx); r != Success {
		return r
	}
	r := f()
	if _, popped := in.CtxPopCurrent(); r == Success {
		r = popped
	}
	return r
}
