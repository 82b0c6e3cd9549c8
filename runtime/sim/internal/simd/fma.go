package simd

import (
	"math"

	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// FmaF32 rounds twice, and computes four lanes anew where that may do harm.
func FmaF32(d, a, b, c *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, z, to := floatsOf(a, l), floatsOf(b, l), floatsOf(c, l), floatsOf(d, l)
		r0, odd0 := sumNearly(float64(x[0])*float64(y[0]), float64(z[0]))
		r1, odd1 := sumNearly(float64(x[2])*float64(y[2]), float64(z[2]))
		r2, odd2 := sumNearly(float64(x[4])*float64(y[4]), float64(z[4]))
		r3, odd3 := sumNearly(float64(x[6])*float64(y[6]), float64(z[6]))
		if (odd0|odd1|odd2|odd3)>>61 == 0 {
			to[0], to[2], to[4], to[6] = r0, r1, r2, r3
		} else {
			fmaEach(d, a, b, c, l)
		}
		r0, odd0 = sumNearly(float64(x[8])*float64(y[8]), float64(z[8]))
		r1, odd1 = sumNearly(float64(x[10])*float64(y[10]), float64(z[10]))
		r2, odd2 = sumNearly(float64(x[12])*float64(y[12]), float64(z[12]))
		r3, odd3 = sumNearly(float64(x[14])*float64(y[14]), float64(z[14]))
		if (odd0|odd1|odd2|odd3)>>61 == 0 {
			to[8], to[10], to[12], to[14] = r0, r1, r2, r3
		} else {
			fmaEach(d, a, b, c, l+4)
		}
	}
}

// sumNearly is p+c rounded twice, where p is the product of two singles. odd has one of its three highest bits where fmaBits may be
// another: the result is no normal number, or lies midway between two.
func sumNearly(p, c float64) (result float32, odd uint64) {
	const least, midway = 0x381 << 53, 1 << 29 // in the bits without the sign
	sum := p + c
	above := 2*math.Float64bits(sum) - (least + midway)
	return float32(sum), above | (above&(1<<30-1) - 1)
}

// fmaEach computes lanes l to l+3.
//
//go:noinline
func fmaEach(d, a, b, c *Lanes, l int) {
	for end := l + 4; l < end; l++ {
		d[l] = fmaBits(F32(a[l]), F32(b[l]), F32(c[l]))
	}
}

// fmaBits is the bits of x*y+z, rounded once.
//
// The product is exact in double precision. The sum is not; rounding it again to
// single precision goes wrong only where it lies midway between two singles and
// the exact sum does not. There, and among the subnormals where midway has many
// forms, the sum is first moved off the middle, towards the exact one.
func fmaBits(x, y, z float32) uint64 {
	const least, infinite = 0x381 << 53, 0x7ff << 53 // without the sign
	p, c := float64(x)*float64(y), float64(z)
	sum := p + c
	bits := math.Float64bits(sum)
	if bits<<1-least < infinite-least && bits&(1<<29-1) != 1<<28 {
		return uint64(math.Float32bits(float32(sum)))
	}
	return roundedOnce(p, c, sum)
}

//go:noinline
func roundedOnce(p, c, sum float64) uint64 {
	return Bits32(float32(softfloat.ToOdd(sum, softfloat.SumError(p, c, sum))))
}

// Fma32 is x*y+z, rounded once.
func Fma32(x, y, z float32) float32 { return F32(fmaBits(x, y, z)) }
