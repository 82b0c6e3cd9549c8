package sim

import (
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// process is all simulated devices of the process that are in use, which copy between
// each other and wait for each other's events.
var process struct {
	mu      sync.Mutex
	made    int32
	devices map[driver.Device]*primaryContext // from the first use of the primary context to the last
}

// number returns the handle of a device that is made. The first is 0.
func number() driver.Device {
	process.mu.Lock()
	defer process.mu.Unlock()
	process.made++
	return driver.Device(process.made - 1)
}

// join makes d visible to the other devices, and leave undoes it.
func (d *primaryContext) join() {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.devices == nil {
		process.devices = make(map[driver.Device]*primaryContext)
	}
	process.devices[d.dev] = d
}

func (d *primaryContext) leave() {
	process.mu.Lock()
	defer process.mu.Unlock()
	delete(process.devices, d.dev)
}

// peer returns the device dev, which is d or another in use, or nil.
func (d *primaryContext) peer(dev driver.Device) *primaryContext {
	if dev == d.dev {
		return d
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.devices[dev]
}

// others returns the devices in use besides d.
func (d *primaryContext) others() (list []*primaryContext) {
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, other := range process.devices {
		if other != d {
			list = append(list, other)
		}
	}
	return list
}

// known returns why no device that d knows of is dev, or Success.
func (d *primaryContext) known(dev driver.Device) driver.Result {
	switch {
	case !d.initialized.Load():
		return driver.ErrorNotInitialized
	case d.peer(dev) == nil:
		return driver.ErrorInvalidDevice
	}
	return driver.Success
}

// contextOf returns the device whose primary context is ctx, or nil.
func (d *primaryContext) contextOf(ctx driver.Context) *primaryContext {
	if ctx == 0 {
		return nil
	}
	return d.peer(driver.Device(ctx - 1))
}

// primary is the handle of d's only context.
func (d *primaryContext) primary() driver.Context { return driver.Context(d.dev) + 1 }

var handles atomic.Uint64

// handle returns a handle that no device of the process has used.
func handle() uintptr { return uintptr(handles.Add(1)) }
