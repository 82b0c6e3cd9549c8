package driver

import "sync/atomic"

// A Watcher is told of driver calls. Its methods are called by the goroutine that makes the call,
// and must not make one that it watches.
type Watcher interface {
	// Watches reports whether the Watcher is told of calls of e. It does not change.
	Watches(e EntryPoint) bool
	// Begin is called before a call. What it returns, End gets back.
	Begin(WatchedCall) WatchedCall
	// End is called after the call.
	End(WatchedCall, Result)
}

// A WatchedCall is a driver call that a Watcher is told of.
type WatchedCall struct {
	Of    Driver // which makes it, if it is that of a simulated device; nil for libcuda
	Entry EntryPoint
	// Args are the first arguments in C's order. Addresses that are not the device's may be 0. The
	// third of Memcpy3DAsync is the number of its bytes.
	Args [6]uintptr

	Began  int64      // the Watcher's
	Events [2]uintptr // the Watcher's
	Owner  any        // the Watcher's
}

var watcher atomic.Pointer[Watcher]

// SetWatcher makes w the Watcher of the process, or removes it, if w is nil. Simulated devices look
// at it by themselves; libcuda.Watch has to be called.
func SetWatcher(w Watcher) {
	if w == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&w)
}

// Watching returns the Watcher of the process, or nil.
func Watching() Watcher {
	if w := watcher.Load(); w != nil {
		return *w
	}
	return nil
}
