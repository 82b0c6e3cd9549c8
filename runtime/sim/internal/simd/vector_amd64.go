//go:build !cudagen_portable

package simd

// accelerated is t with what a processor with AVX2 and FMA does faster.
func accelerated(t Dispatch) Dispatch {
	if !hasAVX2() {
		return t
	}
	t.Add, t.Sub, t.MulLo, t.Mul64, t.And, t.Or, t.Xor, t.Mov = avxAdd, avxSub, avxMulWideU32, avxMul64, avxAnd, avxOr, avxXor, avxMov
	t.MulWideU32, t.MulWideS32, t.MadWideU32, t.MadWideS32, t.MadLo = avxMulWideU32, avxMulWideS32, avxMadWideU32, avxMadWideS32, avxMadWideU32
	t.MulHiU32, t.MulHiS32 = avxMulHiU32, avxMulHiS32
	t.Shl, t.ShrU32, t.ShrS32, t.ShrU64 = avxShl, avxShrU32, avxShrS32, avxShrU64
	t.MinU32, t.MinS32, t.MaxU32, t.MaxS32 = avxMinU32, avxMinS32, avxMaxU32, avxMaxS32
	t.ExtendU32, t.ExtendS32 = avxExtendU32, avxExtendS32

	t.AddF32, t.SubF32, t.MulF32, t.DivF32, t.FmaF32 = avxAddF32, avxSubF32, avxMulF32, avxDivF32, avxFmaF32
	t.SqrtF32, t.RcpF32, t.RsqrtF32 = avxSqrtF32, avxRcpF32, avxRsqrtF32
	t.NegF32, t.AbsF32, t.MinF32, t.MaxF32, t.S32ToF32 = avxNegF32, avxAbsF32, avxMinF32, avxMaxF32, avxS32ToF32
	t.AddF64, t.SubF64, t.MulF64, t.DivF64, t.SqrtF64 = avxAddF64, avxSubF64, avxMulF64, avxDivF64, avxSqrtF64
	t.FmaF64 = fmaOrNaN64

	t.Eq32, t.LtS32, t.LtU32, t.Eq64, t.LtS64, t.LtU64 = avxEq32, avxLtS32, avxLtU32, avxEq64, avxLtS64, avxLtU64
	t.EqF32, t.LtF32, t.LeF32, t.NanF32, t.EquF32, t.LtuF32, t.LeuF32 = avxEqF32, avxLtF32, avxLeF32, avxNanF32, avxEquF32, avxLtuF32, avxLeuF32
	t.EqF64, t.LtF64, t.LeF64, t.NanF64, t.EquF64, t.LtuF64, t.LeuF64 = avxEqF64, avxLtF64, avxLeF64, avxNanF64, avxEquF64, avxLtuF64, avxLeuF64

	t.Choose, t.Blend, t.Fill, t.Offsets = avxSelect, avxBlend, avxFill, avxOffsets
	t.near8, t.near16, t.near32, t.nearS32, t.near64 = avxLoadNear8, avxLoadNear16, avxLoadNear32, avxLoadNearS32, avxLoadNear64
	t.half32, t.FillHalf = avxHalf32, avxFillHalf
	t.Extremes = avxExtremes
	t.scattered32 = avxLoadScattered32
	t.storeNear32, t.storeNear64 = avxStoreNear32, avxStoreNear64
	return t
}

// hasAVX2 reports whether processor and operating system have AVX2 and FMA.
func hasAVX2() bool {
	const fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28
	const avx2 = 1 << 5
	const vectors = 1<<1 | 1<<2 // saved by the system
	highest, _, _ := cpuid(0, 0)
	if highest < 7 {
		return false
	}
	_, _, features := cpuid(1, 0)
	if features&(fma|osxsave|avx) != fma|osxsave|avx || xgetbv()&vectors != vectors {
		return false
	}
	_, more, _ := cpuid(7, 0)
	return more&avx2 != 0
}

// fmaOrNaN64 leaves NaNs to fmaF64: which operand's NaN wins is not the processor's choice.
func fmaOrNaN64(d, a, b, c *Lanes) {
	if !avxFmaF64(d, a, b, c) {
		FmaF64(d, a, b, c)
	}
}

func cpuid(leaf, sub uint32) (eax, ebx, ecx uint32)
func xgetbv() (eax uint32)

//go:noescape
func avxFmaF64(d, a, b, c *Lanes) bool
