package arithmetic

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// Approximations of f32 as ptxas expands them for an H200: the function unit takes and gives no
// subnormals. What the unit itself computes is here rounded once; its own tables are not public.

// revolutions is 1/(2π), by which an angle is multiplied before the unit takes it.
const revolutions = 0.15915493667125701904

// ofRevolution makes sin or cos of an angle: rounded to a part of a revolution, of which only the
// fraction counts.
func ofRevolution(fn func(float64) float64) simd.Func {
	return func(d, a, _, _ *simd.Lanes) {
		for l := range d {
			y := simd.F32(Ftz(uint64(math.Float32bits(softfloat.Round32(float64(simd.F32(a[l]))*revolutions, 0, softfloat.TowardZero)))))
			turn := float64(y) - math.Trunc(float64(y))
			if turn == 0 {
				turn = math.Copysign(0, float64(y))
			}
			d[l] = Ftz(simd.Bits32(float32(fn(2 * math.Pi * turn))))
		}
	}
}

// ex2ApproxF32 squares the power of half of an exponent whose own power is subnormal.
func ex2ApproxF32(d, a, _, _ *simd.Lanes) {
	for l := range d {
		x := simd.F32(a[l])
		if !(x < -126) {
			d[l] = simd.Bits32(float32(math.Exp2(float64(simd.F32(Ftz(a[l]))))))
			continue
		}
		r := float32(math.Exp2(float64(x * 0.5)))
		d[l] = simd.Bits32(r * r)
	}
}

// divFullF32 multiplies by the reciprocal, with both operands scaled where that would be subnormal
// or infinite.
func divFullF32(d, a, b, _ *simd.Lanes) {
	const large, least = 1 << 126, 0x1p-126
	for l := range d {
		x, y := simd.F32(a[l]), simd.F32(b[l])
		switch size := math.Abs(float64(y)); {
		case size > large:
			x, y = x*0.25, y*0.25
		case size < least:
			x, y = x*(1<<24), y*(1<<24)
		}
		reciprocal := simd.F32(Ftz(simd.Bits32(1 / y)))
		d[l] = simd.Bits32(x * reciprocal)
	}
}
