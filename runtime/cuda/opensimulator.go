package cuda

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

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
	return openDevice(drv, sim, ordinal, nil)
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
