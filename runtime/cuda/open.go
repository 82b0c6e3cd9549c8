package cuda

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
	"github.com/cudagen/cudagen/runtime/internal/watched"
)

// OpenDefault opens the first GPU. If there is no CUDA driver or no GPU, it opens the
// simulated device, provided that the program imports runtime/sim. Any other failure of
// the driver is an error: there is no silent fallback.
//
// CUDAGEN_DEVICE overrides the choice: "sim", an ordinal ("0", "1") or a UUID as
// nvidia-smi prints it ("GPU-…", or the beginning of one). CUDAGEN_SIM_DEVICES asks for
// simulated devices, as Open says.
//
// CUDAGEN_SIM_CHECKS has simulated devices check kernels as runtime/simtest does: all, or words such as races,undefined. What is
// found is printed to standard error, and Device.Close returns it. docs/testing.md has the words.
func OpenDefault() (*Device, error) {
	asked, err := simulatedDevices()
	switch want := os.Getenv("CUDAGEN_DEVICE"); {
	case err != nil:
		return nil, err
	case want == "sim":
		return Open(0)
	case strings.HasPrefix(want, "GPU-"):
		return openUUID(want)
	case want != "":
		ordinal, _ := strconv.Atoi(want) // which simulatedDevices has looked at
		return Open(ordinal)
	case asked > 0:
		return openSimulated(0)
	}
	drv, count, err := gpus()
	if err != nil {
		return nil, err
	}
	if count > 0 {
		return openDevice(drv, nil, 0, nil)
	}
	if driver.Simulator() != nil {
		return OpenSimulator()
	}
	return nil, noGPU()
}

// Open opens the GPU with the given ordinal, counted from 0 as the driver does
// (CUDA_VISIBLE_DEVICES applies).
//
// With the environment variable CUDAGEN_SIM_DEVICES=n, there are n simulated devices
// instead of GPUs, 1 to 256, and Open opens one; with CUDAGEN_DEVICE=sim alone there is
// one. The program must import runtime/sim. Each Open then opens a device of its own, as
// OpenSimulator does.
//
// A GPU may be opened more than once. Each Device has streams, buffers and libraries of its own,
// which work together only with each other (docs/decisions, "What is a GPU that was opened
// twice?").
func Open(ordinal int) (*Device, error) {
	if asked, err := simulatedDevices(); err != nil {
		return nil, err
	} else if asked > 0 {
		if ordinal < 0 || ordinal >= asked {
			return nil, noSuchDevice(ordinal, asked)
		}
		return openSimulated(ordinal)
	}
	drv, count, err := gpus()
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, noGPU()
	}
	if ordinal < 0 || ordinal >= count {
		return nil, noSuchDevice(ordinal, count)
	}
	return openDevice(drv, nil, ordinal, nil)
}

func noSuchDevice(ordinal, count int) error {
	return &Error{Op: fmt.Sprintf("open device %d", ordinal), Detail: fmt.Sprintf("valid ordinals are 0 to %d", count-1), Err: ErrInvalidDevice}
}

// openUUID opens the device of those that Devices returns whose UUID begins with want.
func openUUID(want string) (*Device, error) {
	digits, isUUID := strings.CutPrefix(strings.ToLower(want), "gpu-")
	if !isUUID || digits == "" {
		return nil, &Error{Op: "open a device by its UUID", Detail: fmt.Sprintf("%q is not a UUID as nvidia-smi prints it, nor the beginning of one: write GPU- and at least one digit", want), Err: ErrInvalidValue}
	}
	infos, err := Devices()
	if err != nil {
		return nil, err
	}
	if len(infos) == 0 {
		return nil, noGPU()
	}
	found := -1
	for i, info := range infos {
		if !strings.HasPrefix(info.UUID, "GPU-"+digits) {
			continue
		}
		if found >= 0 {
			return nil, &Error{Op: "open " + want, Detail: fmt.Sprintf("devices %d and %d have UUIDs with this prefix: use a longer one", found, i), Err: ErrInvalidDevice}
		}
		found = i
	}
	if found < 0 {
		return nil, &Error{Op: "open " + want, Detail: fmt.Sprintf("none of the %d devices has this UUID", len(infos)), Err: ErrInvalidDevice}
	}
	return Open(found)
}

// gpus returns NVIDIA's driver and its number of devices. If there is no driver, it
// returns nil and 0, without an error.
func gpus() (driver.Driver, int, error) {
	drv, err := libcuda.Open()
	if errors.Is(err, libcuda.ErrNotInstalled) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, &Error{Op: "open the CUDA driver", Err: err}
	}
	switch r := drv.Init(); r {
	case driver.Success:
	case driver.ErrorNoDevice:
		return drv, 0, nil
	default:
		return nil, 0, &Error{Op: "initialize the CUDA driver", Err: Code(r)}
	}
	count, r := drv.DeviceGetCount()
	switch r {
	case driver.Success:
		return drv, count, nil
	case driver.ErrorNoDevice:
		return drv, 0, nil
	}
	return nil, 0, &Error{Op: "count the devices", Err: Code(r)}
}

func noGPU() error {
	simulated := `import _ "github.com/cudagen/cudagen/runtime/sim" to run on the simulated device`
	if driver.Simulator() != nil {
		simulated = "set CUDAGEN_DEVICE=sim to run on the simulated device"
	}
	return &Error{Op: "open a device", Detail: "no GPU with a CUDA driver here: install NVIDIA's driver, or " + simulated, Err: ErrNoDriver}
}

// OpenID opens the GPU with the given UUID, as nvidia-smi prints it ("GPU-…"), with a UUID that
// begins so, or with the given PCI bus ID, as Device.PCIBusID returns it. CUDA_VISIBLE_DEVICES may
// hide the GPU. Simulated devices are found if the environment asks for them, as Open says.
//
// CUDA Driver API, Device Management, cuDeviceGetByPCIBusId.
func OpenID(id string) (*Device, error) {
	if len(id) >= 4 && strings.EqualFold(id[:4], "GPU-") {
		return openUUID(id)
	}
	switch asked, err := simulatedDevices(); {
	case err != nil:
		return nil, err
	case asked > 0:
		return openSimulatedBus(id, asked)
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

// openSimulatedBus opens the one of so many simulated devices that has a PCI bus ID.
func openSimulatedBus(id string, devices int) (*Device, error) {
	for i := range devices {
		drv, _, err := newSimulator(i)
		if err != nil {
			return nil, err
		}
		drv.Init()
		if _, r := drv.DeviceGetByPCIBusId(id); r == driver.Success {
			return openSimulated(i)
		}
	}
	return nil, &Error{Op: "open " + id, Detail: fmt.Sprintf("none of the %d simulated devices has this PCI bus ID", devices), Err: ErrInvalidDevice}
}

// OpenSimulator opens a simulated device. The program must import
// github.com/cudagen/cudagen/runtime/sim.
//
// Each call opens a device of its own, with its own memory and errors, so tests that run
// in parallel do not affect each other. Copies between simulated devices, peer access and
// waiting for each other's events work as between GPUs. All devices of OpenSimulator have
// the ordinal 0 and the same name.
func OpenSimulator() (*Device, error) { return openSimulated(0) }

// maxSimulated is the largest CUDAGEN_SIM_DEVICES.
const maxSimulated = 256

// simulatedDevices returns how many simulated devices the environment asks for instead of
// GPUs, or 0. A CUDAGEN_DEVICE that asks for nothing that there is, such as SIM, is an error wherever it
// might have asked for them.
func simulatedDevices() (int, error) {
	want := os.Getenv("CUDAGEN_DEVICE")
	if _, err := strconv.Atoi(want); err != nil && want != "" && want != "sim" && !strings.HasPrefix(want, "GPU-") {
		return 0, fmt.Errorf("cuda: CUDAGEN_DEVICE=%s: want sim, an ordinal such as 0, or a UUID such as GPU-…", want)
	}
	if _, _, err := simulatedChecks(); err != nil {
		return 0, err
	}
	text := os.Getenv("CUDAGEN_SIM_DEVICES")
	if text == "" {
		if want == "sim" {
			return 1, nil
		}
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxSimulated {
		return 0, fmt.Errorf("cuda: CUDAGEN_SIM_DEVICES=%s: want a number of devices from 1 to %d", text, maxSimulated)
	}
	return n, nil
}

// openSimulated opens a simulated device of its own.
func openSimulated(ordinal int) (*Device, error) {
	drv, sim, err := newSimulator(ordinal)
	if err != nil {
		return nil, err
	}
	checks, asked, err := simulatedChecks()
	if err != nil {
		return nil, err
	}
	d, err := openDevice(drv, sim, ordinal, nil)
	if err == nil && asked {
		d.check(checks)
	}
	return d, err
}

// setChecks says what d, which is simulated, checks.
func (d *Device) setChecks(c driver.Checks) {
	if d.sim.SetChecks(c); c.RedZones {
		d.useRedZones()
	}
}

// check has d, which is simulated, check what the environment asks for, and print what is found.
func (d *Device) check(c driver.Checks) {
	d.checked = true
	d.setChecks(c)
	d.sim.OnReport(func(found *driver.Fault) {
		f := d.reported(found)
		fmt.Fprintf(os.Stderr, "cuda: %s on %s: %v\n", f.Check, f.Device, f)
	})
}

// newSimulator returns the driver of a simulated device of its own.
func newSimulator(ordinal int) (driver.Driver, driver.Simulation, error) {
	open := driver.Simulator()
	if open == nil {
		return nil, nil, &Error{Op: "open the simulated device", Detail: `it is not linked in: import _ "github.com/cudagen/cudagen/runtime/sim"`, Err: ErrNoDriver}
	}
	drv, sim := open(ordinal)
	if r := drv.Init(); r != driver.Success {
		return nil, nil, &Error{Op: "open the simulated device", Err: Code(r)}
	}
	return driver.Watchable(drv), sim, nil
}

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

func init() { watched.Register(openWatched, onStale) }

// openWatched opens a simulated device with leak detection, for runtime/simtest.
func openWatched(ordinal int) (watched.Device, error) {
	drv, sim, err := newSimulator(ordinal)
	if err != nil {
		return watched.Device{}, err
	}
	leaks := new(leak.Scope)
	d, err := openDevice(drv, sim, ordinal, leaks)
	if err != nil {
		return watched.Device{}, err
	}
	return watched.Device{Device: d, Leaks: leaks, SetOutput: sim.SetOutput, SetChecks: d.setChecks, Reports: func() (found []error, more int) {
		list, more := d.reports()
		for _, f := range list {
			found = append(found, f)
		}
		return found, more
	}, SetStale: func(report func(error)) { d.stale = report }, Heap: sim.Heap, Coverage: sim.Coverage, Stop: sim.Stop, Fault: func() error {
		if first := d.fault.Load(); first != nil {
			return first
		}
		return nil
	}}, nil
}
