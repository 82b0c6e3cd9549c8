//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// DeviceGetByPCIBusId finds no device under a name with a NUL in it.
func (d *Driver) DeviceGetByPCIBusId(id string) (driver.Device, driver.Result) {
	if strings.Contains(id, "\x00") {
		return 0, driver.ErrorInvalidDevice
	}
	f := newFrame()
	defer f.free()
	ended := append([]byte(id), 0)
	r := d.call(driver.DeviceGetByPCIBusId, f, f.outAddress(0), f.address(0, unsafe.Pointer(&ended[0])))
	return driver.Device(int32(f.out[0])), r
}

func (d *Driver) DeviceGetPCIBusId(dev driver.Device) (string, driver.Result) {
	f := newFrame()
	defer f.free()
	id := make([]byte, 32)
	r := d.call(driver.DeviceGetPCIBusId, f, f.address(0, unsafe.Pointer(&id[0])), uintptr(len(id)), uintptr(dev))
	return cString(id), r
}

func (d *Driver) DeviceCanAccessPeer(dev, peer driver.Device) (bool, driver.Result) {
	can, r := d.callOut(driver.DeviceCanAccessPeer, uintptr(dev), uintptr(peer), 0)
	return int32(can) != 0, r
}

func (d *Driver) CtxEnablePeerAccess(peer driver.Context, flags uint32) driver.Result {
	return d.callPlain(driver.CtxEnablePeerAccess, uintptr(peer), uintptr(flags))
}

func (d *Driver) CtxDisablePeerAccess(peer driver.Context) driver.Result {
	return d.callPlain(driver.CtxDisablePeerAccess, uintptr(peer))
}

// LibraryGetGlobal finds no variable under a name with a NUL in it.
func (d *Driver) LibraryGetGlobal(lib driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(driver.LibraryGetGlobal, lib, name)
}

// LibraryGetManaged finds no variable under a name with a NUL in it.
func (d *Driver) LibraryGetManaged(lib driver.Library, name string) (driver.DevicePtr, uint64, driver.Result) {
	return d.variable(driver.LibraryGetManaged, lib, name)
}

func (d *Driver) variable(e driver.EntryPoint, lib driver.Library, name string) (p driver.DevicePtr, bytes uint64, r driver.Result) {
	if strings.Contains(name, "\x00") {
		return 0, 0, driver.ErrorNotFound
	}
	f := newFrame()
	defer f.free()
	ended := append([]byte(name), 0)
	r = d.call(e, f, f.outAddress(0), f.outAddress(1), uintptr(lib), f.address(0, unsafe.Pointer(&ended[0])))
	return driver.DevicePtr(f.out[0]), f.out[1], r
}
