package sim

import (
	"math/bits"
	"unsafe"
)

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
	for l := range d {
		d[l] = b[l] ^ (a[l]^b[l])&-uint64(p>>l&1)
	}
}

// blendEach copies the lanes in e.
func blendEach(d, s *lanes, e uint32) {
	for ; e != 0; e &= e - 1 {
		l := bits.TrailingZeros32(e) & (warpSize - 1)
		d[l] = s[l]
	}
}

func fill(d *lanes, value uint64) {
	for l := range d {
		d[l] = value
	}
}
