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

// addUniformF32 and its like have the same b in all lanes.
func addUniformF32(d, a, b, _ *Lanes) {
	y := F32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]+y, x[2]+y, x[4]+y, x[6]+y)
		sum += setFloats(to, 8, x[8]+y, x[10]+y, x[12]+y, x[14]+y)
		if sum != sum {
			canonical(d, l)
		}
	}
}

func subUniformF32(d, a, b, _ *Lanes) {
	y := F32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]-y, x[2]-y, x[4]-y, x[6]-y)
		sum += setFloats(to, 8, x[8]-y, x[10]-y, x[12]-y, x[14]-y)
		if sum != sum {
			canonical(d, l)
		}
	}
}

func mulUniformF32(d, a, b, _ *Lanes) {
	y := F32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]*y, x[2]*y, x[4]*y, x[6]*y)
		sum += setFloats(to, 8, x[8]*y, x[10]*y, x[12]*y, x[14]*y)
		if sum != sum {
			canonical(d, l)
		}
	}
}

// doubleF32 is addF32 of a and a.
func doubleF32(d, a, _, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]+x[0], x[2]+x[2], x[4]+x[4], x[6]+x[6])
		sum += setFloats(to, 8, x[8]+x[8], x[10]+x[10], x[12]+x[12], x[14]+x[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}

// squareF32 is mulF32 of a and a.
func squareF32(d, a, _, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]*x[0], x[2]*x[2], x[4]*x[4], x[6]*x[6])
		sum += setFloats(to, 8, x[8]*x[8], x[10]*x[10], x[12]*x[12], x[14]*x[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}
