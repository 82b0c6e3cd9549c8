package arithmetic

import "github.com/cudagen/cudagen/runtime/sim/internal/simd"

// lanewise computes each lane by itself. Instructions that kernels spend their time in have loops of their own.
func lanewise(fn func(a, b, c uint64) uint64) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			d[l] = fn(a[l], b[l], c[l])
		}
	}
}

// lanewise32 is lanewise of f32 values, exact as f64.
func lanewise32(fn func(a, b, c float64) float32) simd.Func {
	return lanewise(func(a, b, c uint64) uint64 {
		return simd.Bits32(fn(float64(simd.F32(a)), float64(simd.F32(b)), float64(simd.F32(c))))
	})
}
