package cuda

import (
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// primaries counts the Devices that use each primary context, which the process has
// one of for a GPU.
var primaries = struct {
	sync.Mutex
	uses map[primary]*primaryUse
}{uses: make(map[primary]*primaryUse)}

// A primary names a device's primary context.
type primary struct {
	simulated bool
	ordinal   int
}

type primaryUse struct {
	devices int
	faulted bool // one of them was closed after an error that ended the context
}

// retainContext makes d.ctx the device's primary context.
func (d *Device) retainContext() (r driver.Result) {
	primaries.Lock()
	defer primaries.Unlock()
	if d.ctx, r = d.drv.DevicePrimaryCtxRetain(d.dev); r != driver.Success {
		return r
	}
	name := primary{d.simulated, d.ordinal}
	if primaries.uses[name] == nil {
		primaries.uses[name] = new(primaryUse)
	}
	primaries.uses[name].devices++
	return driver.Success
}

// releaseContext ends what retainContext began. The last one resets a context that has
// ended.
func (d *Device) releaseContext() driver.Result {
	primaries.Lock()
	defer primaries.Unlock()
	name := primary{d.simulated, d.ordinal}
	use := primaries.uses[name]
	use.devices--
	use.faulted = use.faulted || d.fault.Load() != nil
	if use.devices > 0 {
		return d.drv.DevicePrimaryCtxRelease(d.dev)
	}
	delete(primaries.uses, name)
	r := d.drv.DevicePrimaryCtxRelease(d.dev)
	if use.faulted {
		r = d.drv.DevicePrimaryCtxReset(d.dev)
	}
	return r
}
