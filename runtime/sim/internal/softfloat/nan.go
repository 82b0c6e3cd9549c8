package softfloat

import "math"

// NaN32 is every NaN that an operation of f32 makes.
const NaN32 = 0x7fffffff

const (
	nan64   = 0xfff8000000000000 // of an operation without a NaN operand
	quiet64 = 1 << 51
)

// NaN64 returns the NaN that an f64 operation on x, y and z makes: the first of them that
// is one, made quiet. The ISA says that NaN payloads are supported, and not whose wins: the
// order is that of NVIDIA's devices.
//
//go:noinline
func NaN64(x, y, z float64) uint64 {
	for _, operand := range [...]float64{x, y, z} {
		if operand != operand {
			return math.Float64bits(operand) | quiet64
		}
	}
	return nan64
}
