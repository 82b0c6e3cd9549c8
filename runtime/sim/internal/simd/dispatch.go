package simd

import "unsafe"

// Dispatch is the functions on all lanes of which a processor may have faster ones, which do the
// same bit for bit. What lies above the width of a type is not compared.
type Dispatch struct {
	Add, Sub, MulLo, Mul64, And, Or, Xor, Mov             Func
	MulWideU32, MulWideS32, MadWideU32, MadWideS32, MadLo Func
	MulHiU32, MulHiS32                                    Func
	Shl, ShrU32, ShrS32, ShrU64                           Func
	MinU32, MinS32, MaxU32, MaxS32                        Func
	ExtendU32, ExtendS32                                  Func

	AddF32, SubF32, MulF32, DivF32, FmaF32, SqrtF32, RcpF32, RsqrtF32 Func
	NegF32, AbsF32, MinF32, MaxF32, S32ToF32                          Func
	AddF64, SubF64, MulF64, DivF64, FmaF64, SqrtF64                   Func

	Eq32, LtS32, LtU32, Eq64, LtS64, LtU64 Comparison
	EqF32, LtF32, LeF32, NanF32            Comparison
	EquF32, LtuF32, LeuF32                 Comparison // these hold for a NaN, too
	EqF64, LtF64, LeF64, NanF64            Comparison
	EquF64, LtuF64, LeuF64                 Comparison
	Choose                                 func(d, a, b *Lanes, p uint32)
	Blend                                  func(d, s *Lanes, e uint32)
	Fill                                   func(d *Lanes, value uint64)
	Offsets                                func(offsets, addrs *Lanes, r *Reach) Pattern
	Extremes                               func(offsets *Lanes) (lowest, highest uint64)
	near8, near16, near32, nearS32, near64 func(d *Lanes, p unsafe.Pointer)
	half32                                 func(d *HalfLanes, p unsafe.Pointer)
	FillHalf                               func(d *HalfLanes, value uint64)
	scattered32                            func(d *Lanes, base unsafe.Pointer, by uint64, offsets *Lanes)
	storeNear32, storeNear64               func(p unsafe.Pointer, s *Lanes)
}

// Portable is the functions that any processor has.
var Portable = Dispatch{
	Add: addInt, Sub: subInt, MulLo: MulLo[uint32], Mul64: MulLo[uint64], And: and, Or: Or, Xor: xor, Mov: Mov,
	MulWideU32: MulWide[uint32], MulWideS32: MulWide[int32], MadWideU32: MadWide[uint32], MadWideS32: MadWide[int32], MadLo: MadLo[uint32],
	MulHiU32: MulHiU32, MulHiS32: MulHiS32,
	Shl: shl, ShrU32: Shr[uint32], ShrS32: Shr[int32], ShrU64: Shr[uint64],
	MinU32: Minimum[uint32], MinS32: Minimum[int32], MaxU32: Maximum[uint32], MaxS32: Maximum[int32],
	ExtendU32: Extend[uint32], ExtendS32: Extend[int32],

	AddF32: AddF32, SubF32: SubF32, MulF32: MulF32, DivF32: divF32, FmaF32: FmaF32, SqrtF32: sqrtF32, RcpF32: rcpF32, RsqrtF32: rsqrtF32,
	NegF32: negF32, AbsF32: absF32, MinF32: MinF32, MaxF32: MaxF32, S32ToF32: s32ToF32,
	AddF64: AddF64, SubF64: SubF64, MulF64: MulF64, DivF64: DivF64, FmaF64: FmaF64, SqrtF64: SqrtF64,

	Eq32: Eq[uint32], LtS32: Lt[int32], LtU32: Lt[uint32], Eq64: Eq[uint64], LtS64: Lt[int64], LtU64: Lt[uint64],
	EqF32: eqF32, LtF32: ltF32, LeF32: leF32, NanF32: nanF32,
	EquF32: equF32, LtuF32: ltuF32, LeuF32: leuF32,
	EqF64: eqF64, LtF64: ltF64, LeF64: leF64, NanF64: nanF64,
	EquF64: equF64, LtuF64: ltuF64, LeuF64: leuF64,
	Choose: Choose, Blend: blendEach, Fill: Fill, Offsets: offsets, Extremes: extremes,
	near8: near[uint8], near16: near[uint16], near32: near[uint32], nearS32: near[int32], near64: near[uint64],
	half32: half32, FillHalf: fillHalf,
	scattered32: scattered[uint32],
	storeNear32: storeNear[uint32], storeNear64: storeNear[uint64],
}

// Fast is the functions that are used: this processor's.
var Fast = accelerated(Portable)
