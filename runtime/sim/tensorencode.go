package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

func (d *textureCalls) TensorMapEncodeTiled(desc driver.TensorMapDesc) (m driver.TensorMap, r driver.Result) {
	if r := d.usable(); r != driver.Success {
		return m, r
	}
	return tensormap.Encode(desc, false)
}

// TensorMapEncodeIm2col encodes the channels and the number of pixels as the first two numbers of a box.
func (d *textureCalls) TensorMapEncodeIm2col(desc driver.TensorMapDesc) (m driver.TensorMap, r driver.Result) {
	if desc.Rank < 3 {
		return m, driver.ErrorInvalidValue
	}
	if r := d.usable(); r != driver.Success {
		return m, r
	}
	desc.Box = [driver.MaxTensorRank]uint32{desc.Channels, desc.Pixels}
	return tensormap.Encode(desc, true)
}
