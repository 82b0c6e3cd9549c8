package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// The simulated device has no tensor memory accelerator (docs/simulator.md).

func (d *device) TensorMapEncodeTiled(driver.TensorMapDesc) (m driver.TensorMap, r driver.Result) {
	return m, driver.ErrorNotSupported
}

func (d *device) TensorMapEncodeIm2col(driver.TensorMapDesc) (m driver.TensorMap, r driver.Result) {
	return m, driver.ErrorNotSupported
}
