package sim

import "unsafe"

// twins is the functions on all lanes of which a processor may have faster ones, which do the
// same bit for bit. What lies above the width of a type is not compared.
type twins struct {
	add, sub, mulLo, mul64, and, or, xor, mov             laneFunc
	mulWideU32, mulWideS32, madWideU32, madWideS32, madLo laneFunc
	mulHiU32, mulHiS32                                    laneFunc
	shl, shrU32, shrS32, shrU64                           laneFunc
	minU32, minS32, maxU32, maxS32                        laneFunc
	extendU32, extendS32                                  laneFunc

	addF32, subF32, mulF32, divF32, fmaF32, sqrtF32, rcpF32, rsqrtF32 laneFunc
	negF32, absF32, minF32, maxF32, s32ToF32                          laneFunc
	addF64, subF64, mulF64, divF64, fmaF64, sqrtF64                   laneFunc

	eq32, ltS32, ltU32, eq64, ltS64, ltU64 comparer
	eqF32, ltF32, leF32, nanF32            comparer
	equF32, ltuF32, leuF32                 comparer // these hold for a NaN, too
	eqF64, ltF64, leF64, nanF64            comparer
	equF64, ltuF64, leuF64                 comparer
	choose                                 func(d, a, b *lanes, p uint32)
	blend                                  func(d, s *lanes, e uint32)
	fill                                   func(d *lanes, value uint64)
	offsets                                func(offsets, addrs *lanes, r *reach) pattern
	extremes                               func(offsets *lanes) (lowest, highest uint64)
	near8, near16, near32, nearS32, near64 func(d *lanes, p unsafe.Pointer)
	half32                                 func(d *halfLanes, p unsafe.Pointer)
	fillHalf                               func(d *halfLanes, value uint64)
	scattered32                            func(d *lanes, base unsafe.Pointer, by uint64, offsets *lanes)
	storeNear32, storeNear64               func(p unsafe.Pointer, s *lanes)
}

// portable is the twins that any processor has.
var portable = twins{
	add: addInt, sub: subInt, mulLo: mulLo[uint32], mul64: mulLo[uint64], and: and, or: or, xor: xor, mov: mov,
	mulWideU32: mulWide[uint32], mulWideS32: mulWide[int32], madWideU32: madWide[uint32], madWideS32: madWide[int32], madLo: madLo[uint32],
	mulHiU32: mulHiU32, mulHiS32: mulHiS32,
	shl: shl, shrU32: shr[uint32], shrS32: shr[int32], shrU64: shr[uint64],
	minU32: minimum[uint32], minS32: minimum[int32], maxU32: maximum[uint32], maxS32: maximum[int32],
	extendU32: extend[uint32], extendS32: extend[int32],

	addF32: addF32, subF32: subF32, mulF32: mulF32, divF32: divF32, fmaF32: fmaF32, sqrtF32: sqrtF32, rcpF32: rcpF32, rsqrtF32: rsqrtF32,
	negF32: negF32, absF32: absF32, minF32: minF32, maxF32: maxF32, s32ToF32: s32ToF32,
	addF64: addF64, subF64: subF64, mulF64: mulF64, divF64: divF64, fmaF64: fmaF64, sqrtF64: sqrtF64,

	eq32: eq[uint32], ltS32: lt[int32], ltU32: lt[uint32], eq64: eq[uint64], ltS64: lt[int64], ltU64: lt[uint64],
	eqF32: eqF32, ltF32: ltF32, leF32: leF32, nanF32: nanF32,
	equF32: equF32, ltuF32: ltuF32, leuF32: leuF32,
	eqF64: eqF64, ltF64: ltF64, leF64: leF64, nanF64: nanF64,
	equF64: equF64, ltuF64: ltuF64, leuF64: leuF64,
	choose: choose, blend: blendEach, fill: fill, offsets: offsets, extremes: extremes,
	near8: near[uint8], near16: near[uint16], near32: near[uint32], nearS32: near[int32], near64: near[uint64],
	half32: half32, fillHalf: fillHalf,
	scattered32: scattered[uint32],
	storeNear32: storeNear[uint32], storeNear64: storeNear[uint64],
}

// fast is the twins that are used: this processor's.
var fast = accelerated(portable)

// choose is a in the lanes p, else b.
func choose(d, a, b *lanes, p uint32) {
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
func blendEach(d, s *lanes, e uint32) {
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

func fill(d *lanes, value uint64) {
	for l := 0; l < warpSize; l += 8 {
		to := eight(d, l)
		to[0], to[1], to[2], to[3] = value, value, value, value
		to[4], to[5], to[6], to[7] = value, value, value, value
	}
}
