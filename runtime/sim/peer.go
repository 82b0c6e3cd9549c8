package sim

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// peerCalls is the calls about other devices: access to their memory, and copies between devices.
type peerCalls struct{ *primaryContext }

// pciBusID is in a domain that no computer has.
func (d *peerCalls) pciBusID() string { return fmt.Sprintf("FFFF:%02X:00.0", d.ordinal) }

func (d *peerCalls) DeviceGetByPCIBusId(id string) (driver.Device, driver.Result) {
	if r := d.check(d.dev); r != driver.Success {
		return 0, r
	}
	if !strings.EqualFold(id, d.pciBusID()) {
		return 0, driver.ErrorInvalidDevice
	}
	return d.dev, driver.Success
}

func (d *peerCalls) DeviceGetPCIBusId(dev driver.Device) (string, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return "", r
	}
	return d.pciBusID(), driver.Success
}

// DeviceCanAccessPeer is true of any two devices.
func (d *peerCalls) DeviceCanAccessPeer(dev, peer driver.Device) (bool, driver.Result) {
	if r := d.check(dev); r != driver.Success {
		return false, r
	}
	return dev != peer, d.known(peer)
}

func (d *peerCalls) CtxEnablePeerAccess(peer driver.Context, flags uint32) driver.Result {
	return d.setPeerAccess(peer, flags, true, driver.ErrorPeerAccessAlreadyEnabled)
}

func (d *peerCalls) CtxDisablePeerAccess(peer driver.Context) driver.Result {
	return d.setPeerAccess(peer, 0, false, driver.ErrorPeerAccessNotEnabled)
}

// setPeerAccess returns same when kernels on d may access the peer's memory as it is.
func (d *peerCalls) setPeerAccess(peer driver.Context, flags uint32, access bool, same driver.Result) driver.Result {
	if r := d.current(); r != driver.Success {
		return r
	}
	of := d.contextOf(peer)
	switch {
	case of == nil || of == d.primaryContext:
		return driver.ErrorInvalidContext
	case flags != 0:
		return driver.ErrorInvalidValue
	case !d.mem.SetPeer(of.mem, access):
		return same
	}
	return driver.Success
}

func (d *peerCalls) LibraryGetGlobal(handle driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(handle, name, false)
}

func (d *peerCalls) LibraryGetManaged(handle driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(handle, name, true)
}

// variable finds a variable of a module, and with managed only what is managed.
func (d *peerCalls) variable(handle driver.Library, name string, managed bool) (driver.DevicePtr, uint64, driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lib := d.libraries[handle]
	if lib == nil {
		return 0, 0, driver.ErrorInvalidHandle
	}
	address, size, unsupported, ok := lib.Variable(name, managed)
	switch {
	case !ok:
		return 0, 0, driver.ErrorNotFound
	case unsupported != "":
		lib.mu.Lock()
		defer lib.mu.Unlock()
		lib.log = unsupported
		return 0, 0, driver.ErrorNotSupported
	}
	return driver.DevicePtr(address), size, driver.Success
}
