package sim

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// pciBusID is what no device of a computer has: bus 0, device 0 is its root.
const pciBusID = "0000:00:00.0"

func (d *device) DeviceGetByPCIBusId(id string) (driver.Device, driver.Result) {
	if r := d.check(0); r != driver.Success {
		return 0, r
	}
	if !strings.EqualFold(id, pciBusID) {
		return 0, driver.ErrorInvalidDevice
	}
	return 0, driver.Success
}

func (d *device) DeviceGetPCIBusId(dev driver.Device) (string, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return "", r
	}
	return pciBusID, driver.Success
}

// DeviceCanAccessPeer knows one device, which is no peer of itself.
func (d *device) DeviceCanAccessPeer(dev, peer driver.Device) (bool, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return false, r
	}
	return false, d.check(peer)
}

func (d *device) CtxEnablePeerAccess(driver.Context, uint32) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	return driver.ErrorInvalidContext
}

func (d *device) CtxDisablePeerAccess(driver.Context) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	return driver.ErrorPeerAccessNotEnabled
}

func (d *device) LibraryGetGlobal(handle driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(handle, name, false)
}

func (d *device) LibraryGetManaged(handle driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(handle, name, true)
}

// variable finds a variable of a module, and with managed only what is managed.
func (d *device) variable(handle driver.Library, name string, managed bool) (driver.DevicePtr, uint64, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[handle]
	if lib == nil {
		return 0, 0, driver.ErrorInvalidHandle
	}
	for _, v := range lib.variables {
		if v.decl.Name == name && (!managed || slices.Contains(v.decl.Attributes, "managed")) {
			return driver.DevicePtr(v.address), uint64(len(v.image)), driver.Success
		}
	}
	return 0, 0, driver.ErrorNotFound
}
