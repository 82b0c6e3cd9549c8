// Package softfloat has the floating-point arithmetic of PTX that Go does not have: the formats
// narrower than an f32, and the rounding modes. It knows values, and no registers or instructions.
package softfloat

import "math"

// A Format is a binary floating-point format that is narrower than an f32.
//
// PTX ISA, Types: Alternate Floating-Point Data Formats.
type Format struct {
	exponent, fraction uint   // bits
	largest            uint64 // the largest finite value
	Infinity           uint64 // what lies beyond it; NaN in a format without infinities
	NaN                uint64 // canonical
	Shift              uint   // of the bits in a register
}

// The narrow formats of PTX.
var (
	F16  = &Format{5, 10, 0x7bff, 0x7c00, 0x7fff, 0}
	BF16 = &Format{8, 7, 0x7f7f, 0x7f80, 0x7fff, 0}
	TF32 = &Format{8, 10, 0x3fbff, 0x3fc00, 0x3ffff, 13}
	E4M3 = &Format{4, 3, 0x7e, 0x7f, 0x7f, 0}
	E5M2 = &Format{5, 2, 0x7b, 0x7c, 0x7f, 0}
)

// Width is the number of bits of a value.
func (f *Format) Width() uint { return 1 + f.exponent + f.fraction }

// Sign is the bit of the sign.
func (f *Format) Sign() uint64 { return 1 << (f.exponent + f.fraction) }

// IsNaN reports whether bits are a NaN.
func (f *Format) IsNaN(bits uint64) bool {
	if f == E4M3 {
		return bits&0x7f == 0x7f
	}
	return bits&(f.Sign()-1) > f.Infinity
}

// isSubnormal reports whether bits are a subnormal number or a zero.
func (f *Format) isSubnormal(bits uint64) bool { return bits&(f.Sign()-1)>>f.fraction == 0 }

// Value returns the number that bits, of which the low ones count, stand for.
func (f *Format) Value(bits uint64) float64 {
	size, sign := bits&(f.Sign()-1), bits>>(f.exponent+f.fraction)&1<<63
	exponent := size >> f.fraction
	switch {
	case f.IsNaN(bits):
		return math.NaN()
	case size == f.Infinity:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exponent == 0:
		least := 1023 + 1 - f.bias() - uint64(f.fraction) // the exponent of the last place
		return math.Float64frombits(math.Float64bits(float64(size)*math.Float64frombits(least<<52)) | sign)
	}
	return math.Float64frombits(sign | (exponent-f.bias()+1023)<<52 | size<<(64-f.fraction)>>12)
}

func (f *Format) bias() uint64 { return 1<<(f.exponent-1) - 1 }

// One is the number 1.
func (f *Format) One() uint64 { return f.bias() << f.fraction }

// ToNaN64 returns the quiet f64 NaN with the sign and the payload of a NaN.
func (f *Format) ToNaN64(bits uint64) uint64 {
	return bits>>(f.exponent+f.fraction)&1<<63 | 0x7ff<<52 | 1<<51 | bits&(f.Sign()-1)<<(64-f.fraction)>>12
}

// OfNaN64 returns the quiet NaN with the sign and the high bits of the payload of an f64 NaN.
func (f *Format) OfNaN64(bits uint64) uint64 {
	quiet := f.Infinity | 1<<(f.fraction-1)
	return bits>>63<<(f.exponent+f.fraction) | quiet | bits>>(52-f.fraction)&(1<<f.fraction-1)
}

// Round returns the bits of x, rounded once. x is exact, or an exact value rounded to odd.
func (f *Format) Round(x float64, mode Rounding) uint64 {
	b := math.Float64bits(x)
	negative, exponent, fraction := b>>63 != 0, int(b>>52&0x7ff), b&(1<<52-1)
	sign := b >> 63 << (f.exponent + f.fraction)
	switch {
	case exponent == 0x7ff && fraction != 0:
		return f.NaN
	case exponent == 0x7ff:
		return sign | f.Infinity
	case exponent == 0 && fraction == 0:
		return sign
	case exponent != 0:
		fraction |= 1 << 52
	}
	e := exponent - 1023 + int(f.bias())
	drop := 52 - f.fraction
	if e < 1 {
		drop = min(drop+uint(1-e), 54)
		e = 1
	}
	kept, rest, half := fraction>>drop, fraction&(1<<drop-1), uint64(1)<<(drop-1)
	if roundsUp(mode, negative, kept&1 != 0, rest, half) {
		kept++
	}
	bits := uint64(e-1)<<f.fraction + kept // the leading one counts up the exponent
	if bits > f.largest {
		if mode == TowardZero || mode == Up && negative || mode == Down && !negative {
			return sign | f.largest
		}
		return sign | f.Infinity
	}
	return sign | bits
}

// roundsUp reports whether a size of which rest is dropped becomes one greater in its last
// place, which is odd or not.
func roundsUp(mode Rounding, negative, odd bool, rest, half uint64) bool {
	switch mode {
	case Nearest:
		return rest > half || rest == half && odd
	case NearestAway:
		return rest >= half
	case Up:
		return rest != 0 && !negative
	case Down:
		return rest != 0 && negative
	}
	return false
}

// Finite is Round with the largest finite value for what is beyond, as .satfinite has it.
func (f *Format) Finite(x float64, mode Rounding) uint64 {
	bits := f.Round(x, mode)
	if x == x && bits&(f.Sign()-1) > f.largest {
		return bits&f.Sign() | f.largest
	}
	return bits
}

// Flush turns a subnormal number into a zero of its sign.
func (f *Format) Flush(bits uint64) uint64 {
	if f.isSubnormal(bits) {
		return bits & f.Sign()
	}
	return bits
}

// IsTiny reports whether x is less than the least normal number also after it is rounded to the
// format's precision: .ftz makes it a zero, although its subnormals' coarser steps may round it up.
func (f *Format) IsTiny(x float64) bool {
	const scale = 1 << 8
	least := 1023 + 1 - f.bias()
	return x == x && f.Value(f.Round(math.Abs(x)*scale, Nearest)) < scale*math.Float64frombits(least<<52)
}

// Clamp is .sat: a value in [0, 1]; NaN becomes +0.
func (f *Format) Clamp(bits uint64) uint64 {
	one := f.One()
	switch {
	case f.IsNaN(bits) || bits&f.Sign() != 0:
		return 0
	case bits > one:
		return one
	}
	return bits
}

// ReLU is .relu: a negative value becomes +0, and a NaN canonical.
func (f *Format) ReLU(bits uint64) uint64 {
	switch {
	case f.IsNaN(bits):
		return f.NaN
	case bits&f.Sign() != 0:
		return 0
	}
	return bits
}
