package cuda

import (
	"errors"
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A DeviceInfo describes a GPU, open or not.
type DeviceInfo struct {
	Ordinal      int    // what Open takes
	Name         string // the driver's: "NVIDIA H200"
	UUID         string // as nvidia-smi prints it: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
	Major, Minor int    // compute capability
	TotalMemory  uint64 // bytes
	Simulated    bool   // not a GPU
}

// Devices describes the GPUs that the driver shows (CUDA_VISIBLE_DEVICES applies), in the
// driver's order. It makes no context. Without a driver or a GPU the list is empty and
// the error nil; a driver that does not work is an error. Simulated devices are in the list
// only if the environment asks for them instead of GPUs, as Open says.
//
// CUDA Driver API, Device Management.
func Devices() ([]DeviceInfo, error) {
	if asked, err := simulatedDevices(); err != nil {
		return nil, err
	} else if asked > 0 {
		return describeSimulated(asked)
	}
	drv, count, err := gpus()
	if err != nil {
		return nil, err
	}
	var infos []DeviceInfo
	for ordinal := range count {
		info, r := describe(drv, ordinal)
		if r != driver.Success {
			return nil, &Error{Op: fmt.Sprintf("get device %d", ordinal), Err: Code(r)}
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// describeSimulated describes count simulated devices.
func describeSimulated(count int) (infos []DeviceInfo, err error) {
	for ordinal := range count {
		drv, _, err := newSimulator(ordinal)
		if err != nil {
			return nil, err
		}
		info, r := describe(drv, ordinal)
		if r != driver.Success {
			return nil, &Error{Op: fmt.Sprintf("get device %d", ordinal), Err: Code(r)}
		}
		info.Simulated = true
		infos = append(infos, info)
	}
	return infos, nil
}

func describe(drv driver.Driver, ordinal int) (info DeviceInfo, r driver.Result) {
	info.Ordinal = ordinal
	dev, r := drv.DeviceGet(ordinal)
	if r != driver.Success {
		return info, r
	}
	if info.Name, r = drv.DeviceGetName(dev); r != driver.Success {
		return info, r
	}
	uuid, r := drv.DeviceGetUuid(dev)
	if r != driver.Success {
		return info, r
	}
	info.UUID = formatUUID(uuid)
	if info.Major, r = drv.DeviceGetAttribute(driver.ComputeCapabilityMajor, dev); r != driver.Success {
		return info, r
	}
	if info.Minor, r = drv.DeviceGetAttribute(driver.ComputeCapabilityMinor, dev); r != driver.Success {
		return info, r
	}
	info.TotalMemory, r = drv.DeviceTotalMem(dev)
	return info, r
}

// DriverVersion returns the CUDA version that this machine's driver supports, such as 13,
// 0. It needs no GPU. The error wraps ErrNoDriver if there is no driver or the program
// was built without driver support.
//
// CUDA Driver API, Version Management, cuDriverGetVersion.
func DriverVersion() (major, minor int, err error) {
	const op = "read the driver version"
	drv, err := libcuda.Open()
	if errors.Is(err, libcuda.ErrNotInstalled) {
		return 0, 0, &Error{Op: op, Detail: err.Error(), Err: ErrNoDriver}
	}
	if err != nil {
		return 0, 0, &Error{Op: "open the CUDA driver", Err: err}
	}
	version, r := drv.DriverGetVersion()
	if r != driver.Success {
		return 0, 0, &Error{Op: op, Err: Code(r)}
	}
	return version / 1000, version % 1000 / 10, nil
}
