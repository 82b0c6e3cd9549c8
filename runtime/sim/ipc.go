package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// Memory and events of a simulated device are of its process alone.

func (d *device) IpcGetMemHandle(driver.DevicePtr) (h driver.IpcHandle, r driver.Result) {
	return h, driver.ErrorNotSupported
}

func (d *device) IpcOpenMemHandle(driver.IpcHandle, uint32) (driver.DevicePtr, driver.Result) {
	return 0, driver.ErrorNotSupported
}

func (d *device) IpcCloseMemHandle(driver.DevicePtr) driver.Result { return driver.ErrorNotSupported }

func (d *device) IpcGetEventHandle(driver.Event) (h driver.IpcHandle, r driver.Result) {
	return h, driver.ErrorNotSupported
}

func (d *device) IpcOpenEventHandle(driver.IpcHandle) (driver.Event, driver.Result) {
	return 0, driver.ErrorNotSupported
}
