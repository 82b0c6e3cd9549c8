package simd

// Bit is 1 for true.
func Bit(b bool) uint32 {
	var u uint32
	if b {
		u = 1
	}
	return u
}

// fourBits is a bit for each of its arguments, the first of them lowest. It is computed in bytes, as a processor compares, and widened once.
func fourBits(b0, b1, b2, b3 bool) uint32 {
	return uint32(oneBit(b0) + 2*(oneBit(b1)+2*(oneBit(b2)+2*oneBit(b3))))
}

func oneBit(b bool) uint8 {
	var u uint8
	if b {
		u = 1
	}
	return u
}

func Eq[T Integer](a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 4 {
		x, y := four(a, l), four(b, l)
		p = p>>4 | fourBits(T(x[0]) == T(y[0]), T(x[1]) == T(y[1]), T(x[2]) == T(y[2]), T(x[3]) == T(y[3]))<<28
	}
	return p
}

func Lt[T Integer](a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 4 {
		x, y := four(a, l), four(b, l)
		p = p>>4 | fourBits(T(x[0]) < T(y[0]), T(x[1]) < T(y[1]), T(x[2]) < T(y[2]), T(x[3]) < T(y[3]))<<28
	}
	return p
}

// A Comparison compares two registers and returns a bit for each lane.
type Comparison func(a, b *Lanes) uint32

func ltF32(a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := floatsOf(a, l), floatsOf(b, l)
		p = p>>4 | fourBits(x[0] < y[0], x[2] < y[2], x[4] < y[4], x[6] < y[6])<<28
		p = p>>4 | fourBits(x[8] < y[8], x[10] < y[10], x[12] < y[12], x[14] < y[14])<<28
	}
	return p
}

func leF32(a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := floatsOf(a, l), floatsOf(b, l)
		p = p>>4 | fourBits(x[0] <= y[0], x[2] <= y[2], x[4] <= y[4], x[6] <= y[6])<<28
		p = p>>4 | fourBits(x[8] <= y[8], x[10] <= y[10], x[12] <= y[12], x[14] <= y[14])<<28
	}
	return p
}

func eqF32(a, b *Lanes) uint32 { return leF32(a, b) & leF32(b, a) }

func equF32(a, b *Lanes) uint32 { return ^(ltF32(a, b) | ltF32(b, a)) }

func ltuF32(a, b *Lanes) uint32 { return ^leF32(b, a) }

func leuF32(a, b *Lanes) uint32 { return ^ltF32(b, a) }

func nanF32(a, b *Lanes) uint32 { return ^(leF32(a, b) | leF32(b, a)) }

func ltF64(a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := doublesOf(a, l), doublesOf(b, l)
		p = p>>4 | fourBits(x[0] < y[0], x[1] < y[1], x[2] < y[2], x[3] < y[3])<<28
		p = p>>4 | fourBits(x[4] < y[4], x[5] < y[5], x[6] < y[6], x[7] < y[7])<<28
	}
	return p
}

func leF64(a, b *Lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := doublesOf(a, l), doublesOf(b, l)
		p = p>>4 | fourBits(x[0] <= y[0], x[1] <= y[1], x[2] <= y[2], x[3] <= y[3])<<28
		p = p>>4 | fourBits(x[4] <= y[4], x[5] <= y[5], x[6] <= y[6], x[7] <= y[7])<<28
	}
	return p
}

func eqF64(a, b *Lanes) uint32 { return leF64(a, b) & leF64(b, a) }

func equF64(a, b *Lanes) uint32 { return ^(ltF64(a, b) | ltF64(b, a)) }

func ltuF64(a, b *Lanes) uint32 { return ^leF64(b, a) }

func leuF64(a, b *Lanes) uint32 { return ^ltF64(b, a) }

func nanF64(a, b *Lanes) uint32 { return ^(leF64(a, b) | leF64(b, a)) }
