package vec

import "math"

// A Float16 is the bits of a __half: IEEE 754 binary16, with 5 bits of exponent and 10 of
// fraction.
type Float16 uint16

// A BFloat16 is the bits of a __nv_bfloat16: the upper half of a float32, with 8 bits of
// exponent and 7 of fraction.
type BFloat16 uint16

// The Go forms of pairs have the same size and fields, but Go's alignment: generated code
// pads where C++ would.
type (
	// Float16x2 is CUDA's __half2.
	Float16x2 struct{ X, Y Float16 }
	// BFloat16x2 is CUDA's __nv_bfloat162.
	BFloat16x2 struct{ X, Y BFloat16 }
)

// Every NaN becomes this one, as in CUDA.
const (
	nanFloat16  Float16  = 0x7fff
	nanBFloat16 BFloat16 = 0x7fff
)

// NewFloat16 returns the Float16 nearest to f, rounding half to even. Values that are too
// large become infinite, and every NaN becomes 0x7fff.
//
// CUDA Math API, Half Precision Conversion and Data Movement, __float2half_rn.
func NewFloat16(f float32) Float16 {
	bits := math.Float32bits(f)
	sign := Float16(bits >> 16 & 0x8000)
	magnitude := bits & 0x7fffffff
	switch {
	case magnitude > 0x7f800000:
		return nanFloat16
	case magnitude >= 0x477ff000: // 65520, half way from the largest to what would follow it
		return sign | 0x7c00
	case magnitude < 0x38800000: // below 2^-14, the smallest normal one: a multiple of 2^-24
		// Adding 0.5, whose last bit is worth 2^-24, makes the processor round.
		return sign | Float16(math.Float32bits(math.Float32frombits(magnitude)+0.5)-math.Float32bits(0.5))
	}
	magnitude -= (127 - 15) << 23
	magnitude += 0xfff + magnitude>>13&1
	return sign | Float16(magnitude>>13)
}

// Float32 returns the exact value of h. A NaN becomes some NaN.
//
// CUDA Math API, Half Precision Conversion and Data Movement, __half2float.
func (h Float16) Float32() float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0:
		const smallest = 1.0 / (1 << 24)
		return math.Float32frombits(math.Float32bits(float32(fraction)*smallest) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// NewBFloat16 returns the BFloat16 nearest to f, rounding half to even. Values that are
// too large become infinite, and every NaN becomes 0x7fff.
//
// CUDA Math API, Bfloat16 Precision Conversion and Data Movement, __float2bfloat16_rn.
func NewBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return nanBFloat16
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the exact value of b. A NaN becomes some NaN.
//
// CUDA Math API, Bfloat16 Precision Conversion and Data Movement, __bfloat162float.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }
