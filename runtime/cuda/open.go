package cuda

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// OpenDefault opens the first GPU. If there is no CUDA driver or no GPU, it opens the
// simulated device, provided that the program imports runtime/sim. Any other failure of
// the driver is an error: there is no silent fallback.
//
// CUDAGEN_DEVICE overrides the choice: "sim", an ordinal ("0", "1") or a UUID as
// nvidia-smi prints it ("GPU-…", or the beginning of one). CUDAGEN_SIM_DEVICES asks for
// simulated devices, as Open says.
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
