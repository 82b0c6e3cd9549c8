package cuda

import (
	"runtime"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A watch reports a handle that becomes unreachable before it is closed. It exists only
// with leak detection (CUDAGEN_LEAKS=1, simtest): docs/decisions, "Why is leak
// detection off by default?".
type watch struct {
	record  *leak.Record
	cleanup runtime.Cleanup
}

// watching begins a watch on h, a what on d. If h is lost while d is open, free, which
// releases its object, is queued. free must not refer to h.
func watching[T any](h *T, d *Device, what string, free func()) watch {
	if !d.leaks.Enabled() {
		return watch{}
	}
	record := d.leaks.Opened(what + " on " + d.String())
	return watch{record, runtime.AddCleanup(h, func(free func()) {
		if d.isClosed() { // and so is h
			record.Closed()
			return
		}
		record.Lost()
		d.park(free)
	}, free)}
}

// end says that the handle was closed.
func (w *watch) end() {
	if w.record.Closed() {
		w.cleanup.Stop()
	}
}

// park keeps free until no queue can use what it gives back: until Device.Synchronize
// has succeeded, or Device.Close. A handle may be lost before the work that uses it
// has run, and even before it is launched.
func (d *Device) park(free func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parked = append(d.parked, free)
}

// unpark returns what was parked so far.
func (d *Device) unpark() (free []func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	free, d.parked = d.parked, nil
	return free
}

// restore parks again what unpark has returned.
func (d *Device) restore(free []func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parked = append(d.parked, free...)
}

// An owned is an object that its device destroys when it is closed.
type owned struct {
	destroy func() driver.Result
	record  *leak.Record
}

// own makes d destroy an object in Device.Close, unless disown is called before. key is
// the object's weak pointer, record says that it is open. own returns false if d is closed.
func (d *Device) own(key any, record *leak.Record, destroy func() driver.Result) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed() {
		return false
	}
	d.owned[key] = owned{destroy, record}
	return true
}

// disown gives the caller the duty to destroy an object; open is false if another caller
// has it.
func (d *Device) disown(key any) (destroy func() driver.Result, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	object, open := d.owned[key]
	delete(d.owned, key)
	return object.destroy, open
}

// disownAll is disown for all objects.
func (d *Device) disownAll() (all []func() driver.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, object := range d.owned {
		object.record.Closed()
		all = append(all, object.destroy)
	}
	d.owned = nil
	return all
}

// destroyOwned destroys an object, unless another caller did or does. The caller must
// hold an epoch.
func (d *Device) destroyOwned(op string, key any) error {
	destroy, open := d.disown(key)
	if !open {
		return nil
	}
	if r := destroy(); r != driver.Success {
		return d.fail(op, r)
	}
	return nil
}

// giveBack returns what gives a lost object back.
func (d *Device) giveBack(key any) func() {
	return func() {
		if destroy, open := d.disown(key); open {
			d.given(destroy())
		}
	}
}
