//go:build !cudagen_portable

package sim

import "unsafe"

// accelerated is t with what a processor with AVX2 and FMA does faster.
func accelerated(t twins) twins {
	if !hasAVX2() {
		return t
	}
	t.add, t.sub, t.mulLo, t.mul64, t.and, t.or, t.xor, t.mov = avxAdd, avxSub, avxMulWideU32, avxMul64, avxAnd, avxOr, avxXor, avxMov
	t.mulWideU32, t.mulWideS32, t.madWideU32, t.madWideS32, t.madLo = avxMulWideU32, avxMulWideS32, avxMadWideU32, avxMadWideS32, avxMadWideU32
	t.mulHiU32, t.mulHiS32 = avxMulHiU32, avxMulHiS32
	t.shl, t.shrU32, t.shrS32, t.shrU64 = avxShl, avxShrU32, avxShrS32, avxShrU64
	t.minU32, t.minS32, t.maxU32, t.maxS32 = avxMinU32, avxMinS32, avxMaxU32, avxMaxS32
	t.extendU32, t.extendS32 = avxExtendU32, avxExtendS32

	t.addF32, t.subF32, t.mulF32, t.divF32, t.fmaF32 = avxAddF32, avxSubF32, avxMulF32, avxDivF32, avxFmaF32
	t.sqrtF32, t.rcpF32, t.rsqrtF32 = avxSqrtF32, avxRcpF32, avxRsqrtF32
	t.negF32, t.absF32, t.minF32, t.maxF32, t.s32ToF32 = avxNegF32, avxAbsF32, avxMinF32, avxMaxF32, avxS32ToF32
	t.addF64, t.subF64, t.mulF64, t.divF64, t.sqrtF64 = avxAddF64, avxSubF64, avxMulF64, avxDivF64, avxSqrtF64
	t.fmaF64 = fmaOrNaN64

	t.eq32, t.ltS32, t.ltU32, t.eq64, t.ltS64, t.ltU64 = avxEq32, avxLtS32, avxLtU32, avxEq64, avxLtS64, avxLtU64
	t.eqF32, t.ltF32, t.leF32, t.nanF32, t.equF32, t.ltuF32, t.leuF32 = avxEqF32, avxLtF32, avxLeF32, avxNanF32, avxEquF32, avxLtuF32, avxLeuF32
	t.eqF64, t.ltF64, t.leF64, t.nanF64, t.equF64, t.ltuF64, t.leuF64 = avxEqF64, avxLtF64, avxLeF64, avxNanF64, avxEquF64, avxLtuF64, avxLeuF64

	t.choose, t.blend, t.fill, t.offsets = avxSelect, avxBlend, avxFill, avxOffsets
	t.near8, t.near16, t.near32, t.nearS32, t.near64 = avxLoadNear8, avxLoadNear16, avxLoadNear32, avxLoadNearS32, avxLoadNear64
	t.half32, t.fillHalf = avxHalf32, avxFillHalf
	t.extremes = avxExtremes
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
func fmaOrNaN64(d, a, b, c *lanes) {
	if !avxFmaF64(d, a, b, c) {
		fmaF64(d, a, b, c)
	}
}

func cpuid(leaf, sub uint32) (eax, ebx, ecx uint32)
func xgetbv() (eax uint32)

//go:noescape
func avxAdd(d, a, b, c *lanes)

//go:noescape
func avxSub(d, a, b, c *lanes)

//go:noescape
func avxAnd(d, a, b, c *lanes)

//go:noescape
func avxOr(d, a, b, c *lanes)

//go:noescape
func avxXor(d, a, b, c *lanes)

//go:noescape
func avxMov(d, a, b, c *lanes)

//go:noescape
func avxMulWideU32(d, a, b, c *lanes)

//go:noescape
func avxMulWideS32(d, a, b, c *lanes)

//go:noescape
func avxMadWideU32(d, a, b, c *lanes)

//go:noescape
func avxMadWideS32(d, a, b, c *lanes)

//go:noescape
func avxMulHiU32(d, a, b, c *lanes)

//go:noescape
func avxMulHiS32(d, a, b, c *lanes)

//go:noescape
func avxMul64(d, a, b, c *lanes)

//go:noescape
func avxShl(d, a, b, c *lanes)

//go:noescape
func avxShrU64(d, a, b, c *lanes)

//go:noescape
func avxShrU32(d, a, b, c *lanes)

//go:noescape
func avxShrS32(d, a, b, c *lanes)

//go:noescape
func avxMinU32(d, a, b, c *lanes)

//go:noescape
func avxMinS32(d, a, b, c *lanes)

//go:noescape
func avxMaxU32(d, a, b, c *lanes)

//go:noescape
func avxMaxS32(d, a, b, c *lanes)

//go:noescape
func avxExtendS32(d, a, b, c *lanes)

//go:noescape
func avxExtendU32(d, a, b, c *lanes)

//go:noescape
func avxAddF32(d, a, b, c *lanes)

//go:noescape
func avxSubF32(d, a, b, c *lanes)

//go:noescape
func avxMulF32(d, a, b, c *lanes)

//go:noescape
func avxDivF32(d, a, b, c *lanes)

//go:noescape
func avxFmaF32(d, a, b, c *lanes)

//go:noescape
func avxSqrtF32(d, a, b, c *lanes)

//go:noescape
func avxRcpF32(d, a, b, c *lanes)

//go:noescape
func avxRsqrtF32(d, a, b, c *lanes)

//go:noescape
func avxNegF32(d, a, b, c *lanes)

//go:noescape
func avxAbsF32(d, a, b, c *lanes)

//go:noescape
func avxMinF32(d, a, b, c *lanes)

//go:noescape
func avxMaxF32(d, a, b, c *lanes)

//go:noescape
func avxS32ToF32(d, a, b, c *lanes)

//go:noescape
func avxAddF64(d, a, b, c *lanes)

//go:noescape
func avxMulF64(d, a, b, c *lanes)

//go:noescape
func avxSubF64(d, a, b, c *lanes)

//go:noescape
func avxDivF64(d, a, b, c *lanes)

//go:noescape
func avxSqrtF64(d, a, b, c *lanes)

//go:noescape
func avxFmaF64(d, a, b, c *lanes) bool

//go:noescape
func avxEq32(a, b *lanes) uint32

//go:noescape
func avxLtS32(a, b *lanes) uint32

//go:noescape
func avxLtU32(a, b *lanes) uint32

//go:noescape
func avxEq64(a, b *lanes) uint32

//go:noescape
func avxLtS64(a, b *lanes) uint32

//go:noescape
func avxLtU64(a, b *lanes) uint32

//go:noescape
func avxEqF32(a, b *lanes) uint32

//go:noescape
func avxLtF32(a, b *lanes) uint32

//go:noescape
func avxLeF32(a, b *lanes) uint32

//go:noescape
func avxNanF32(a, b *lanes) uint32

//go:noescape
func avxEquF32(a, b *lanes) uint32

//go:noescape
func avxLtuF32(a, b *lanes) uint32

//go:noescape
func avxLeuF32(a, b *lanes) uint32

//go:noescape
func avxEqF64(a, b *lanes) uint32

//go:noescape
func avxLtF64(a, b *lanes) uint32

//go:noescape
func avxLeF64(a, b *lanes) uint32

//go:noescape
func avxNanF64(a, b *lanes) uint32

//go:noescape
func avxEquF64(a, b *lanes) uint32

//go:noescape
func avxLtuF64(a, b *lanes) uint32

//go:noescape
func avxLeuF64(a, b *lanes) uint32

//go:noescape
func avxBlend(d, s *lanes, e uint32)

//go:noescape
func avxSelect(d, a, b *lanes, p uint32)

//go:noescape
func avxFill(d *lanes, value uint64)

//go:noescape
func avxOffsets(offsets, addrs *lanes, r *reach) pattern

//go:noescape
func avxExtremes(offsets *lanes) (lowest, highest uint64)

//go:noescape
func avxFillHalf(d *halfLanes, value uint64)

//go:noescape
func avxHalf32(d *halfLanes, p unsafe.Pointer)

//go:noescape
func avxLoadNear8(d *lanes, p unsafe.Pointer)

//go:noescape
func avxLoadNear16(d *lanes, p unsafe.Pointer)

//go:noescape
func avxLoadNear32(d *lanes, p unsafe.Pointer)

//go:noescape
func avxLoadNearS32(d *lanes, p unsafe.Pointer)

//go:noescape
func avxLoadNear64(d *lanes, p unsafe.Pointer)

//go:noescape
func avxStoreNear32(p unsafe.Pointer, s *lanes)

//go:noescape
func avxStoreNear64(p unsafe.Pointer, s *lanes)

//go:noescape
func avxLoadScattered32(d *lanes, base unsafe.Pointer, by uint64, offsets *lanes)
