package simd

// Integer is the Go types of the integer types of PTX.
type Integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}

// addInt and subInt are those of every type: what is above its width is unspecified.
func addInt(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		to[4], to[5], to[6], to[7] = x[4]+y[4], x[5]+y[5], x[6]+y[6], x[7]+y[7]
	}
}

func subInt(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		to[4], to[5], to[6], to[7] = x[4]-y[4], x[5]-y[5], x[6]-y[6], x[7]-y[7]
	}
}

func MulLo[T Integer](d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(T(x[0])*T(y[0])), uint64(T(x[1])*T(y[1])), uint64(T(x[2])*T(y[2])), uint64(T(x[3])*T(y[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])*T(y[4])), uint64(T(x[5])*T(y[5])), uint64(T(x[6])*T(y[6])), uint64(T(x[7])*T(y[7]))
	}
}

func MulHiU32(d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(uint32(x[0]))*uint64(uint32(y[0]))>>32, uint64(uint32(x[1]))*uint64(uint32(y[1]))>>32, uint64(uint32(x[2]))*uint64(uint32(y[2]))>>32, uint64(uint32(x[3]))*uint64(uint32(y[3]))>>32
		to[4], to[5], to[6], to[7] = uint64(uint32(x[4]))*uint64(uint32(y[4]))>>32, uint64(uint32(x[5]))*uint64(uint32(y[5]))>>32, uint64(uint32(x[6]))*uint64(uint32(y[6]))>>32, uint64(uint32(x[7]))*uint64(uint32(y[7]))>>32
	}
}

func MulHiS32(d, a, b, _ *Lanes) {
	for l, x, y, to := 0, eight(a, 0), eight(b, 0), eight(d, 0); l < warpSize; l, x, y, to = l+8, eight(a, l+8), eight(b, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(int64(int32(x[0]))*int64(int32(y[0]))>>32), uint64(int64(int32(x[1]))*int64(int32(y[1]))>>32), uint64(int64(int32(x[2]))*int64(int32(y[2]))>>32), uint64(int64(int32(x[3]))*int64(int32(y[3]))>>32)
		to[4], to[5], to[6], to[7] = uint64(int64(int32(x[4]))*int64(int32(y[4]))>>32), uint64(int64(int32(x[5]))*int64(int32(y[5]))>>32), uint64(int64(int32(x[6]))*int64(int32(y[6]))>>32), uint64(int64(int32(x[7]))*int64(int32(y[7]))>>32)
	}
}

func MulWide[T Integer](d, a, b, _ *Lanes) {
	for l, x, y, to := 0, eight(a, 0), eight(b, 0), eight(d, 0); l < warpSize; l, x, y, to = l+8, eight(a, l+8), eight(b, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*uint64(T(y[0])), uint64(T(x[1]))*uint64(T(y[1])), uint64(T(x[2]))*uint64(T(y[2])), uint64(T(x[3]))*uint64(T(y[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*uint64(T(y[4])), uint64(T(x[5]))*uint64(T(y[5])), uint64(T(x[6]))*uint64(T(y[6])), uint64(T(x[7]))*uint64(T(y[7]))
	}
}

func MadLo[T Integer](d, a, b, c *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, z, to := eight(a, l), eight(b, l), eight(c, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(T(x[0])*T(y[0])+T(z[0])), uint64(T(x[1])*T(y[1])+T(z[1])), uint64(T(x[2])*T(y[2])+T(z[2])), uint64(T(x[3])*T(y[3])+T(z[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])*T(y[4])+T(z[4])), uint64(T(x[5])*T(y[5])+T(z[5])), uint64(T(x[6])*T(y[6])+T(z[6])), uint64(T(x[7])*T(y[7])+T(z[7]))
	}
}

func MadWide[T Integer](d, a, b, c *Lanes) {
	for l, x, y, z, to := 0, eight(a, 0), eight(b, 0), eight(c, 0), eight(d, 0); l < warpSize; l, x, y, z, to = l+8, eight(a, l+8), eight(b, l+8), eight(c, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*uint64(T(y[0]))+z[0], uint64(T(x[1]))*uint64(T(y[1]))+z[1], uint64(T(x[2]))*uint64(T(y[2]))+z[2], uint64(T(x[3]))*uint64(T(y[3]))+z[3]
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*uint64(T(y[4]))+z[4], uint64(T(x[5]))*uint64(T(y[5]))+z[5], uint64(T(x[6]))*uint64(T(y[6]))+z[6], uint64(T(x[7]))*uint64(T(y[7]))+z[7]
	}
}

func Minimum[T Integer](d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(min(T(x[0]), T(y[0]))), uint64(min(T(x[1]), T(y[1]))), uint64(min(T(x[2]), T(y[2]))), uint64(min(T(x[3]), T(y[3])))
		to[4], to[5], to[6], to[7] = uint64(min(T(x[4]), T(y[4]))), uint64(min(T(x[5]), T(y[5]))), uint64(min(T(x[6]), T(y[6]))), uint64(min(T(x[7]), T(y[7])))
	}
}

func Maximum[T Integer](d, a, b, _ *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(max(T(x[0]), T(y[0]))), uint64(max(T(x[1]), T(y[1]))), uint64(max(T(x[2]), T(y[2]))), uint64(max(T(x[3]), T(y[3])))
		to[4], to[5], to[6], to[7] = uint64(max(T(x[4]), T(y[4]))), uint64(max(T(x[5]), T(y[5]))), uint64(max(T(x[6]), T(y[6]))), uint64(max(T(x[7]), T(y[7])))
	}
}
