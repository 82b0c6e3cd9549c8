package cuda

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// own makes d destroy an object in Device.Close, unless disown is called before. key is
// the object's weak pointer. own returns false if d is closed.
func (d *Device) own(key any, destroy func() driver.Result) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed() {
		return false
	}
	d.owned[key] = destroy
	return true
}

// disown gives the caller the duty to destroy an object; open is false if another caller
// has it.
func (d *Device) disown(key any) (destroy func() driver.Result, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	destroy, open = d.owned[key]
	delete(d.owned, key)
	return destroy, open
}

// disownAll is disown for all objects.
func (d *Device) disownAll() []func() driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Collect(maps.Values(d.owned))
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
