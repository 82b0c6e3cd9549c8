package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// extent returns the bytes from the first to behind the last that c copies at m, and
// whether they can be counted and rows do not overlap.
func extent(c driver.Copy3D, m driver.Memory3D) (uint64, bool) {
	if c.WidthBytes > m.PitchBytes && c.Height > 1 || c.Height > m.Height && c.Depth > 1 {
		return 0, false
	}
	n := c.WidthBytes
	for _, part := range [][3]uint64{{c.Height - 1, m.PitchBytes, 1}, {c.Depth - 1, m.PitchBytes, m.Height}} {
		hi, size := bits.Mul64(part[1], part[2])
		over, product := bits.Mul64(size, part[0])
		sum, carry := bits.Add64(n, product, 0)
		if hi != 0 && part[0] != 0 || over != 0 || carry != 0 || sum > limits.TotalMemory {
			return 0, false
		}
		n = sum
	}
	return n, true
}

// filledBytes returns the bytes from the first element that m sets to the last, or false if the
// device does not take m.
func filledBytes(m driver.MemsetNodeParams) (uint64, bool) {
	size := uint64(m.ElementBytes)
	if size != 1 && size != 2 && size != 4 || uint64(m.Dst)%size != 0 || m.Width == 0 || m.Height == 0 || m.Width > limits.TotalMemory {
		return 0, false
	}
	return extent(driver.Copy3D{WidthBytes: m.Width * size, Height: m.Height, Depth: 1}, driver.Memory3D{PitchBytes: m.PitchBytes})
}
