package cuda

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A DeviceAttribute is a CUdevice_attribute. Any value that the driver knows is valid;
// common ones are constants of this package.
type DeviceAttribute driver.DeviceAttribute

// Device attributes. CUDA Driver API, CUdevice_attribute, defines their meaning and
// units.
const (
	MaxThreadsPerBlock      = DeviceAttribute(driver.MaxThreadsPerBlock)
	MaxSharedMemoryPerBlock = DeviceAttribute(driver.MaxSharedMemoryPerBlock)
	MaxSharedMemoryOptIn    = DeviceAttribute(driver.MaxSharedMemoryPerBlockOpt)
	WarpSize                = DeviceAttribute(driver.WarpSize)
	MultiprocessorCount     = DeviceAttribute(driver.MultiprocessorCount)
	ManagedMemory           = DeviceAttribute(driver.ManagedMemory)
	ConcurrentManagedAccess = DeviceAttribute(driver.ConcurrentManagedAccess)
	MemoryPoolsSupported    = DeviceAttribute(driver.MemoryPoolsSupported)
)

// Attribute returns the value of a device attribute; yes is 1 and no is 0. Unknown
// attributes are ErrInvalidValue.
//
// CUDA Driver API, Device Management, cuDeviceGetAttribute.
func (d *Device) Attribute(attr DeviceAttribute) (int, error) {
	defer d.hold().release()
	if d.isClosed() {
		return 0, d.closedError(fmt.Sprintf("read attribute %d", attr), "")
	}
	v, r := d.drv.DeviceGetAttribute(driver.DeviceAttribute(attr), d.dev)
	if r != driver.Success {
		return 0, d.fail(fmt.Sprintf("read attribute %d", attr), r)
	}
	return v, nil
}

// MemoryInfo returns the device's memory in bytes: free, which no process uses, and
// total.
//
// CUDA Driver API, Memory Management, cuMemGetInfo.
func (d *Device) MemoryInfo() (free, total uint64, err error) {
	const op = "read the memory in use"
	defer d.hold().release()
	if d.isClosed() {
		return 0, 0, d.closedError(op, "")
	}
	r := d.inContext(func() (r driver.Result) {
		free, total, r = d.drv.MemGetInfo()
		return r
	})
	if r != driver.Success {
		return 0, 0, d.fail(op, r)
	}
	return free, total, nil
}

// PCIBusID returns the device's PCI bus ID, such as 0000:01:00.0: domain, bus, device,
// function.
//
// CUDA Driver API, Device Management, cuDeviceGetPCIBusId.
func (d *Device) PCIBusID() (string, error) {
	defer d.hold().release()
	if d.isClosed() {
		return "", d.closedError("read the PCI bus id", "")
	}
	id, r := d.drv.DeviceGetPCIBusId(d.dev)
	if r != driver.Success {
		return "", d.fail("read the PCI bus id", r)
	}
	return id, nil
}

// OpenID opens the GPU with the given UUID, as nvidia-smi prints it ("GPU-…"), with a UUID that
// begins so, or with the given PCI bus ID, as Device.PCIBusID returns it. CUDA_VISIBLE_DEVICES may
// hide the GPU.
//
// CUDA Driver API, Device Management, cuDeviceGetByPCIBusId.
func OpenID(id string) (*Device, error) {
	if len(id) >= 4 && strings.EqualFold(id[:4], "GPU-") {
		return openUUID(id)
	}
	drv, count, err := gpus()
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, noGPU()
	}
	dev, r := drv.DeviceGetByPCIBusId(id)
	if r != driver.Success {
		return nil, &Error{Op: "open " + id, Detail: "the driver shows no device with this PCI bus ID", Err: Code(r), said: true}
	}
	return openDevice(drv, nil, int(dev), nil)
}
