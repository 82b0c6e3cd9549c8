package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// Memory and events of a simulated device are of its process alone.

func (d *peerCalls) IpcGetMemHandle(driver.DevicePtr) (h driver.IpcHandle, r driver.Result) {
	return h, driver.ErrorNotSupported
}

func (d *peerCalls) IpcOpenMemHandle(driver.IpcHandle, uint32) (driver.DevicePtr, driver.Result) {
	return 0, driver.ErrorNotSupported
}

func (d *peerCalls) IpcCloseMemHandle(driver.DevicePtr) driver.Result {
	return driver.ErrorNotSupported
}

func (d *peerCalls) IpcGetEventHandle(driver.Event) (h driver.IpcHandle, r driver.Result) {
	return h, driver.ErrorNotSupported
}

func (d *peerCalls) IpcOpenEventHandle(driver.IpcHandle) (driver.Event, driver.Result) {
	return 0, driver.ErrorNotSupported
}
