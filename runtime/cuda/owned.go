package cuda

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

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
