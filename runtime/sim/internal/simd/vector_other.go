//go:build !amd64 || cudagen_portable

package simd

import "math"

// accelerated is t with what the processor does faster without assembly.
func accelerated(t Dispatch) Dispatch {
	if fuses() {
		t.FmaF32 = fmaFusedF32
	}
	return t
}

// fmaFusedF32 is FmaF32 where the compiler makes one instruction of a product and a sum, as it does
// for arm64 and, from GOAMD64=v3 on, for amd64.
func fmaFusedF32(d, a, b, c *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, z, to := floatsOf(a, l), floatsOf(b, l), floatsOf(c, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]*y[0]+z[0], x[2]*y[2]+z[2], x[4]*y[4]+z[4], x[6]*y[6]+z[6])
		sum += setFloats(to, 8, x[8]*y[8]+z[8], x[10]*y[10]+z[10], x[12]*y[12]+z[12], x[14]*y[14]+z[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

// fuses reports whether fmaFusedF32 rounds once in every lane. The language allows it, and
// promises nothing.
func fuses() bool {
	const x, square = 1 + 1.0/(1<<12), 1 + 1.0/(1<<11) // the square of x is 2^-24 more
	var d, a, c Lanes
	Fill(&a, uint64(math.Float32bits(x)))
	Fill(&c, uint64(math.Float32bits(-square)))
	fmaFusedF32(&d, &a, &a, &c)
	for l := range d {
		if F32(d[l]) != 1.0/(1<<24) {
			return false
		}
	}
	return true
}
