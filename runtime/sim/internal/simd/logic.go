package simd

func and(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]&y[0], x[1]&y[1], x[2]&y[2], x[3]&y[3]
		to[4], to[5], to[6], to[7] = x[4]&y[4], x[5]&y[5], x[6]&y[6], x[7]&y[7]
	}
}

func Or(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]|y[0], x[1]|y[1], x[2]|y[2], x[3]|y[3]
		to[4], to[5], to[6], to[7] = x[4]|y[4], x[5]|y[5], x[6]|y[6], x[7]|y[7]
	}
}

func xor(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]^y[0], x[1]^y[1], x[2]^y[2], x[3]^y[3]
		to[4], to[5], to[6], to[7] = x[4]^y[4], x[5]^y[5], x[6]^y[6], x[7]^y[7]
	}
}

// shl shifts in zeros; by the width or more it leaves zero.
func shl(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]<<uint32(y[0]), x[1]<<uint32(y[1]), x[2]<<uint32(y[2]), x[3]<<uint32(y[3])
		to[4], to[5], to[6], to[7] = x[4]<<uint32(y[4]), x[5]<<uint32(y[5]), x[6]<<uint32(y[6]), x[7]<<uint32(y[7])
	}
}

// Shr shifts in zeros or, for signed types, the sign; shifts beyond the width count
// as the width.
func Shr[T Integer](d, a, b, _ *Lanes) {
	for l, x, y, to := 0, eight(a, 0), eight(b, 0), eight(d, 0); l < warpSize; l, x, y, to = l+8, eight(a, l+8), eight(b, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0])>>uint32(y[0])), uint64(T(x[1])>>uint32(y[1])), uint64(T(x[2])>>uint32(y[2])), uint64(T(x[3])>>uint32(y[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])>>uint32(y[4])), uint64(T(x[5])>>uint32(y[5])), uint64(T(x[6])>>uint32(y[6])), uint64(T(x[7])>>uint32(y[7]))
	}
}
