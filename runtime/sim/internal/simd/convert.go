package simd

// Extend reads a as a T and extends it to the width of any register.
func Extend[T Integer](d, a, _, _ *Lanes) {
	for l, x, to := 0, eight(a, 0), eight(d, 0); l < warpSize; l, x, to = l+8, eight(a, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0])), uint64(T(x[1])), uint64(T(x[2])), uint64(T(x[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])), uint64(T(x[5])), uint64(T(x[6])), uint64(T(x[7]))
	}
}

func s32ToF32(d, a, _, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), floatsOf(d, l)
		to[0], to[2], to[4], to[6] = float32(int32(x[0])), float32(int32(x[1])), float32(int32(x[2])), float32(int32(x[3]))
		to[8], to[10], to[12], to[14] = float32(int32(x[4])), float32(int32(x[5])), float32(int32(x[6])), float32(int32(x[7]))
	}
}
