package simd

// fmaUniformF32 is fmaF32 where b is the same in all lanes.
func fmaUniformF32(d, a, b, c *Lanes) {
	y := float64(F32(b[0]))
	for l := 0; l < warpSize; l += 8 {
		x, z, to := floatsOf(a, l), floatsOf(c, l), floatsOf(d, l)
		r0, odd0 := sumNearly(float64(x[0])*y, float64(z[0]))
		r1, odd1 := sumNearly(float64(x[2])*y, float64(z[2]))
		r2, odd2 := sumNearly(float64(x[4])*y, float64(z[4]))
		r3, odd3 := sumNearly(float64(x[6])*y, float64(z[6]))
		if (odd0|odd1|odd2|odd3)>>61 == 0 {
			to[0], to[2], to[4], to[6] = r0, r1, r2, r3
		} else {
			fmaEach(d, a, b, c, l)
		}
		r0, odd0 = sumNearly(float64(x[8])*y, float64(z[8]))
		r1, odd1 = sumNearly(float64(x[10])*y, float64(z[10]))
		r2, odd2 = sumNearly(float64(x[12])*y, float64(z[12]))
		r3, odd3 = sumNearly(float64(x[14])*y, float64(z[14]))
		if (odd0|odd1|odd2|odd3)>>61 == 0 {
			to[8], to[10], to[12], to[14] = r0, r1, r2, r3
		} else {
			fmaEach(d, a, b, c, l+4)
		}
	}
}
