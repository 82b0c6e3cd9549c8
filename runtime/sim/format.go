package sim

import (
	"math"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A format is a binary floating-point format that is narrower than an f32.
//
// PTX ISA, Types: Alternate Floating-Point Data Formats.
type format struct {
	exponent, fraction uint   // bits
	largest            uint64 // the largest finite value
	infinity           uint64 // what lies beyond it; NaN in a format without infinities
	nan                uint64 // canonical
	shift              uint   // of the bits in a register
}

var (
	formatF16  = &format{5, 10, 0x7bff, 0x7c00, 0x7fff, 0}
	formatBF16 = &format{8, 7, 0x7f7f, 0x7f80, 0x7fff, 0}
	formatTF32 = &format{8, 10, 0x3fbff, 0x3fc00, 0x3ffff, 13}
	formatE4M3 = &format{4, 3, 0x7e, 0x7f, 0x7f, 0}
	formatE5M2 = &format{5, 2, 0x7b, 0x7c, 0x7f, 0}
)

// formats has the narrow formats by their types in PTX.
var formats = map[ptx.Type]*format{
	"f16": formatF16, "f16x2": formatF16, "bf16": formatBF16, "bf16x2": formatBF16, "tf32": formatTF32,
	"e4m3": formatE4M3, "e4m3x2": formatE4M3, "e5m2": formatE5M2, "e5m2x2": formatE5M2,
}

// width is the number of bits of a value.
func (f *format) width() uint { return 1 + f.exponent + f.fraction }

func (f *format) sign() uint64 { return 1 << (f.exponent + f.fraction) }

// isNaN reports whether bits are a NaN.
func (f *format) isNaN(bits uint64) bool {
	if f == formatE4M3 {
		return bits&0x7f == 0x7f
	}
	return bits&(f.sign()-1) > f.infinity
}

// isSubnormal reports whether bits are a subnormal number or a zero.
func (f *format) isSubnormal(bits uint64) bool { return bits&(f.sign()-1)>>f.fraction == 0 }

// value returns the number that bits, of which the low ones count, stand for.
func (f *format) value(bits uint64) float64 {
	size, sign := bits&(f.sign()-1), bits>>(f.exponent+f.fraction)&1<<63
	exponent := size >> f.fraction
	switch {
	case f.isNaN(bits):
		return math.NaN()
	case size == f.infinity:
		return math.Float64frombits(sign | 0x7ff<<52)
	case exponent == 0:
		least := 1023 + 1 - f.bias() - uint64(f.fraction) // the exponent of the last place
		return math.Float64frombits(math.Float64bits(float64(size)*math.Float64frombits(least<<52)) | sign)
	}
	return math.Float64frombits(sign | (exponent-f.bias()+1023)<<52 | size<<(64-f.fraction)>>12)
}

func (f *format) bias() uint64 { return 1<<(f.exponent-1) - 1 }

// round returns the bits of x, rounded once. x is exact, or an exact value rounded to odd.
func (f *format) round(x float64, mode rounding) uint64 {
	b := math.Float64bits(x)
	negative, exponent, fraction := b>>63 != 0, int(b>>52&0x7ff), b&(1<<52-1)
	sign := b >> 63 << (f.exponent + f.fraction)
	switch {
	case exponent == 0x7ff && fraction != 0:
		return f.nan
	case exponent == 0x7ff:
		return sign | f.infinity
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
		if mode == towardZero || mode == up && negative || mode == down && !negative {
			return sign | f.largest
		}
		return sign | f.infinity
	}
	return sign | bits
}

// roundsUp reports whether a size of which rest is dropped becomes one greater in its last
// place, which is odd or not.
func roundsUp(mode rounding, negative, odd bool, rest, half uint64) bool {
	switch mode {
	case nearest:
		return rest > half || rest == half && odd
	case nearestAway:
		return rest >= half
	case up:
		return rest != 0 && !negative
	case down:
		return rest != 0 && negative
	}
	return false
}

// finite is round with the largest finite value for what is beyond, as .satfinite has it.
func (f *format) finite(x float64, mode rounding) uint64 {
	bits := f.round(x, mode)
	if x == x && bits&(f.sign()-1) > f.largest {
		return bits&f.sign() | f.largest
	}
	return bits
}

// flush turns a subnormal number into a zero of its sign.
func (f *format) flush(bits uint64) uint64 {
	if f.isSubnormal(bits) {
		return bits & f.sign()
	}
	return bits
}

// isTiny reports whether x is less than the least normal number also after it is rounded to the
// format's precision: .ftz makes it a zero, although its subnormals' coarser steps may round it up.
func (f *format) isTiny(x float64) bool {
	const scale = 1 << 8
	least := 1023 + 1 - f.bias()
	return x == x && f.value(f.round(math.Abs(x)*scale, nearest)) < scale*math.Float64frombits(least<<52)
}

// clamp is .sat: a value in [0, 1]; NaN becomes +0.
func (f *format) clamp(bits uint64) uint64 {
	one := f.bias() << f.fraction
	switch {
	case f.isNaN(bits) || bits&f.sign() != 0:
		return 0
	case bits > one:
		return one
	}
	return bits
}

// relu is .relu: a negative value becomes +0, and a NaN canonical.
func (f *format) relu(bits uint64) uint64 {
	switch {
	case f.isNaN(bits):
		return f.nan
	case bits&f.sign() != 0:
		return 0
	}
	return bits
}
