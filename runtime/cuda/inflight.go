package cuda

import (
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/goroutine"
)

// A call holds an epoch while it uses handles of the driver, so that Close knows when
// they are unused. It costs a launch one load from a cache line that it reads anyway
// (docs/decisions, "How does Close know that no call is in progress?").
//
// The rule for a call: take the epoch first, then read handles, and drop the epoch
// when the driver has returned:
//
//	defer s.hold().release()
//
// The rule for Close: make the handle 0 first, then retire its object. That ends the
// device's epoch. Calls that take the next epoch find the 0; calls that read the handle
// hold this epoch or an older one. The garbage collector counts the holders: when no
// stack reaches an ended epoch, the driver's object is destroyed.
type epoch struct {
	next *epoch // once this one has ended: a call holds all that came later, too
}

// hold returns the epoch that a call on s is in; nil for no stream and a closed one.
func (s *Stream) hold() *epoch {
	if s == nil {
		return nil
	}
	return s.epoch.Load()
}

// hold returns the epoch that a call on d is in.
func (d *Device) hold() *epoch {
	if d == nil {
		return nil
	}
	return d.epoch.Load()
}

// release ends a call. A nil epoch may be released.
func (e *epoch) release() { runtime.KeepAlive(e) }

// retire calls free, on its own goroutine, once all calls have returned that may have
// read the handle before Close made it 0. It does not wait: free runs after a garbage
// collection, at the latest in Device.Close, which waits.
//
// Ending an epoch takes time for each open stream, so what is retired while calls of an ended
// epoch are awaited waits for the end of the next one.
func (d *Device) retire(free func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retireLocked(retirement{free: free})
}

// A retirement is a function to call when no call uses an object any more.
type retirement struct {
	free  func()
	quick bool // it does not wait for work
}

// retireLocked is retire with d.mu held.
func (d *Device) retireLocked(r retirement) {
	d.retiring++
	d.due = append(d.due, r)
	if !d.ending {
		d.endDue()
	}
}

// endDue ends the epoch for all that is due. d.mu is held.
func (d *Device) endDue() {
	due := d.due
	d.due, d.ending = nil, true
	d.endEpoch(func() {
		go d.freeAll(due)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.ending = false; len(d.due) > 0 {
			d.endDue()
		}
	})
}

// freeAll calls the retired functions. Of those that may wait for work, each on a thread, few run
// at a time.
func (d *Device) freeAll(retired []retirement) {
	for _, r := range retired {
		if r.quick {
			go d.free(r)
		}
	}
	for _, r := range retired {
		if !r.quick {
			d.freeing <- struct{}{}
			go func() {
				defer d.freeing.Give()
				d.free(r)
			}()
		}
	}
}

func (d *Device) free(r retirement) {
	r.free()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retiring--; d.retiring == 0 {
		d.retired.Broadcast()
	}
}

// pin begins a call that blocks, for which Device.Close waits although it holds no epoch. It
// reports false if d is closed.
func (d *Device) pin() bool {
	d.blocking.Add(1)
	if d.isClosed() { // or its Close, which comes later, sees the count
		d.unpin()
		return false
	}
	return true
}

// pinWork is pin for a call that waits for work, which also begins while d is being closed: what it
// waits for may use memory of another device, or memory that d leaves to the caller to free. It
// reports false once the work of d has run.
func (d *Device) pinWork() bool {
	if d.pin() {
		return true
	}
	d.mu.Lock()
	open := !d.ends
	if open {
		d.blocking.Add(1)
	}
	d.mu.Unlock()
	if !open {
		<-d.quiet
	}
	return open
}

// unpin ends what pin or pinWork began.
func (d *Device) unpin() {
	if d.blocking.Add(-1) == 0 && d.isClosed() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.retired.Broadcast()
	}
}

// endEpoch begins the next epoch, and calls then when no call holds the ended epoch or an
// older one. d.mu is held.
func (d *Device) endEpoch(then func()) {
	ended, begun := d.epoch.Load(), new(epoch)
	ended.next = begun
	d.epoch.Store(begun)
	for s := range d.streams {
		if s := s.Value(); s != nil {
			s.epoch.Store(begun)
		}
	}
	e := &epochEnd{then: then}
	if d.sim != nil {
		d.epochEnds = append(slices.DeleteFunc(d.epochEnds, func(e *epochEnd) bool { return e.came.Load() }), e)
	}
	runtime.AddCleanup(ended, (*epochEnd).come, e)
}

// An epochEnd is what follows when no call holds an epoch any more.
type epochEnd struct {
	then func()
	came atomic.Bool
}

// come calls what follows, on a goroutine of its own, unless that was done.
func (e *epochEnd) come() {
	if e.came.CompareAndSwap(false, true) {
		go e.then()
	}
}

// awaitBlocked returns when no call that blocks is under way. d is closed. If it ends, no other such
// call begins.
func (d *Device) awaitBlocked(ends bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.blocking.Load() > 0 {
		d.retired.Wait()
	}
	d.ends = ends
}

// endEpochs lets come what follows the epochs that have ended. No call holds one.
func (d *Device) endEpochs() {
	d.mu.Lock()
	ends := d.epochEnds
	d.epochEnds = nil
	d.mu.Unlock()
	for _, e := range ends {
		e.come()
	}
}

// awaitCalls returns when no call that began before is under way, but for calls that block, and
// everything that was retired is gone. The caller holds no epoch. What waits for the end of the next epoch
// goes with this one: each takes a garbage collection, unless the stacks of all goroutines show that none is in a call.
func (d *Device) awaitCalls() {
	returned := make(chan struct{})
	d.mu.Lock()
	due := d.due
	d.due = nil
	d.endEpoch(func() {
		go d.freeAll(due)
		d.mu.Lock()
		defer d.mu.Unlock()
		for d.retiring > 0 {
			d.retired.Wait()
		}
		close(returned)
	})
	d.mu.Unlock()
	pause := time.Millisecond
	if d.sim != nil {
		pause /= 8 // for calls that are about to return
	}
	for ; ; pause = min(2*pause, time.Second) {
		switch {
		case d.sim != nil && goroutine.NoneIn(packagePath, harmless):
			d.endEpochs()
		case d.sim == nil || pause >= time.Millisecond:
			runtime.GC()
		}
		select {
		case <-returned:
			return
		case <-time.After(pause):
		}
	}
}

// A call holds its epoch on the stack, in a function of this package. The garbage collector sees it there, and so does who reads the stacks.

// packagePath is what the names of functions of this package and those inside of it begin with.
var packagePath = reflect.TypeFor[Device]().PkgPath()

// harmless are functions that hold no epoch. What they call has frames of its own.
var harmless = map[string]bool{
	".(*Device).Close": true, ".(*Device).CloseContext": true, ".(*Device).close": true, ".(*Device).closeWithin": true, ".(*Device).closeWithin.func1": true,
	".(*Device).awaitClosing": true, ".(*Device).awaitCalls": true, ".(*Device).awaitCalls.func1": true,
	".(*Device).awaitCalls.func1.gowrap1": true, ".(*Device).endDue.func1": true, ".(*Device).endDue.func1.gowrap1": true,
	".(*Device).freeAll": true, ".(*Device).freeAll.func1": true, ".(*Device).freeAll.gowrap1": true, ".(*Device).free": true,
	".(*waiter).poll": true,
}
