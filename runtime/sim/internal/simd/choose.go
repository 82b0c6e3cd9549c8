package simd

// Choose is a in the lanes p, else b.
func Choose(d, a, b *Lanes, p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to, p := eight(a, l), eight(b, l), eight(d, l), p>>l
		to[0], to[1], to[2], to[3] = chosen(x[0], y[0], p&1), chosen(x[1], y[1], p&2), chosen(x[2], y[2], p&4), chosen(x[3], y[3], p&8)
		to[4], to[5], to[6], to[7] = chosen(x[4], y[4], p&16), chosen(x[5], y[5], p&32), chosen(x[6], y[6], p&64), chosen(x[7], y[7], p&128)
	}
}

// chosen is x, unless p is zero. It does not branch.
func chosen(x, y uint64, p uint32) uint64 {
	if p != 0 {
		y = x
	}
	return y
}

// blendEach copies the lanes in e.
func blendEach(d, s *Lanes, e uint32) {
	for l := 0; l < warpSize; l += 8 {
		from, to, e := eight(s, l), eight(d, l), e>>l&0xff
		switch e {
		case 0:
		case 0xff:
			to[0], to[1], to[2], to[3] = from[0], from[1], from[2], from[3]
			to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
		default:
			to[0], to[1], to[2], to[3] = chosen(from[0], to[0], e&1), chosen(from[1], to[1], e&2), chosen(from[2], to[2], e&4), chosen(from[3], to[3], e&8)
			to[4], to[5], to[6], to[7] = chosen(from[4], to[4], e&16), chosen(from[5], to[5], e&32), chosen(from[6], to[6], e&64), chosen(from[7], to[7], e&128)
		}
	}
}
