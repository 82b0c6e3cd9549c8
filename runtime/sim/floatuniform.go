package sim

// addUniformF32 and its like have the same b in all lanes.
func addUniformF32(d, a, b, _ *lanes) {
	y := f32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]+y, x[2]+y, x[4]+y, x[6]+y)
		sum += setFloats(to, 8, x[8]+y, x[10]+y, x[12]+y, x[14]+y)
		if sum != sum {
			canonical(d, l)
		}
	}
}

func subUniformF32(d, a, b, _ *lanes) {
	y := f32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]-y, x[2]-y, x[4]-y, x[6]-y)
		sum += setFloats(to, 8, x[8]-y, x[10]-y, x[12]-y, x[14]-y)
		if sum != sum {
			canonical(d, l)
		}
	}
}

func mulUniformF32(d, a, b, _ *lanes) {
	y := f32(b[0])
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
func doubleF32(d, a, _, _ *lanes) {
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
func squareF32(d, a, _, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := floatsOf(a, l), floatsOf(d, l)
		sum := setFloats(to, 0, x[0]*x[0], x[2]*x[2], x[4]*x[4], x[6]*x[6])
		sum += setFloats(to, 8, x[8]*x[8], x[10]*x[10], x[12]*x[12], x[14]*x[14])
		if sum != sum {
			canonical(d, l)
		}
	}
}
