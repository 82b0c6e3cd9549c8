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

// A Comparison compares two registers and returns a bit for each lane.
type Comparison func(a, b *Lanes) uint32

func eqF32(a, b *Lanes) uint32 { return leF32(a, b) & leF32(b, a) }

func equF32(a, b *Lanes) uint32 { return ^(ltF32(a, b) | ltF32(b, a)) }

func ltuF32(a, b *Lanes) uint32 { return ^leF32(b, a) }

func leuF32(a, b *Lanes) uint32 { return ^ltF32(b, a) }

func nanF32(a, b *Lanes) uint32 { return ^(leF32(a, b) | leF32(b, a)) }

func eqF64(a, b *Lanes) uint32 { return leF64(a, b) & leF64(b, a) }

func equF64(a, b *Lanes) uint32 { return ^(ltF64(a, b) | ltF64(b, a)) }

func ltuF64(a, b *Lanes) uint32 { return ^leF64(b, a) }

func leuF64(a, b *Lanes) uint32 { return ^ltF64(b, a) }

func nanF64(a, b *Lanes) uint32 { return ^(leF64(a, b) | leF64(b, a)) }
