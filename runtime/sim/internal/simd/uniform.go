package simd

import (
	"math/bits"
	"unsafe"
)

// UniformVariants is functions that do the same as portable ones of which an operand is the same in all lanes, as constants and the parameters of a
// kernel are. What such an operand is computed from, a load and a test in each lane, is saved.
var UniformVariants = []struct {
	Of, With Func // with has the same b in all lanes
	Both     Func // the same c, too; or nil
	Same     Func // its a and b are one register; or nil
	Commutes bool // it may be a instead
}{
	{Of: Portable.Add, With: addUniform, Commutes: true},
	{Of: Portable.And, With: andUniform, Commutes: true},
	{Of: Portable.Shl, With: shlUniform},
	{Of: Portable.ShrU32, With: shrUniform[uint32]},
	{Of: Portable.ShrS32, With: shrUniform[int32]},
	{Of: Portable.ShrU64, With: shrUniform[uint64]},
	{Of: Portable.MulWideU32, With: mulWideUniform[uint32]},
	{Of: Portable.MulWideS32, With: mulWideUniform[int32]},
	{Of: Portable.MadWideU32, With: madWideUniform[uint32], Both: scaleUniform[uint32]},
	{Of: Portable.MadWideS32, With: madWideUniform[int32], Both: scaleUniform[int32]},
	{Of: Portable.AddF32, With: addUniformF32, Same: doubleF32, Commutes: true},
	{Of: Portable.SubF32, With: subUniformF32},
	{Of: Portable.MulF32, With: mulUniformF32, Same: squareF32, Commutes: true},
	{Of: Portable.FmaF32, With: fmaUniformF32, Commutes: true},
}

// UniformComparers is the same for comparisons: one with the same b, and one with the same a in all lanes.
var UniformComparers = []struct{ Of, WithB, WithA Comparison }{
	{Portable.Eq32, eqUniform[uint32], func(a, b *Lanes) uint32 { return eqUniform[uint32](b, a) }},
	{Portable.LtS32, ltUniform[int32], uniformLt[int32]},
	{Portable.LtU32, ltUniform[uint32], uniformLt[uint32]},
	{Portable.LeF32, leUniformF32, nil},
	{Portable.LtF32, ltUniformF32, nil},
}

func shlUniform(d, a, b, _ *Lanes) {
	by := uint32(b[0])
	if by > 63 {
		Fill(d, 0)
		return
	}
	by &= 63
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]<<by, x[1]<<by, x[2]<<by, x[3]<<by
		to[4], to[5], to[6], to[7] = x[4]<<by, x[5]<<by, x[6]<<by, x[7]<<by
	}
}

func shrUniform[T Integer](d, a, b, c *Lanes) {
	by := uint32(b[0])
	if by > 31 {
		Shr[T](d, a, b, c)
		return
	}
	by &= 31
	for l, x, to := 0, eight(a, 0), eight(d, 0); l < warpSize; l, x, to = l+8, eight(a, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0])>>by), uint64(T(x[1])>>by), uint64(T(x[2])>>by), uint64(T(x[3])>>by)
		to[4], to[5], to[6], to[7] = uint64(T(x[4])>>by), uint64(T(x[5])>>by), uint64(T(x[6])>>by), uint64(T(x[7])>>by)
	}
}

// pushBelow shifts into p whether x is below y. The compiler keeps it in the flag of the carry.
func pushBelow(p, x, y uint64) uint64 {
	_, below := bits.Sub64(x, y, 0)
	p, _ = bits.Add64(p, p, below)
	return p
}

// rank is x as an integer without a sign in the order of those of type T.
func rank[T Integer](x uint64) uint64 {
	switch {
	case ^T(0) > 0:
		return uint64(T(x))
	case unsafe.Sizeof(T(0)) == 8:
		return x + 1<<63
	}
	return uint64(uint32(T(x)) + 1<<31)
}

func eqUniform[T Integer](a, b *Lanes) uint32 {
	y, p := T(b[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x := eight(a, l)
		p = pushBelow(pushBelow(p, uint64(T(x[7])^y), 1), uint64(T(x[6])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[5])^y), 1), uint64(T(x[4])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[3])^y), 1), uint64(T(x[2])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[1])^y), 1), uint64(T(x[0])^y), 1)
	}
	return uint32(p)
}

func ltUniform[T Integer](a, b *Lanes) uint32 {
	y, p := rank[T](b[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x := eight(a, l)
		p = pushBelow(pushBelow(p, rank[T](x[7]), y), rank[T](x[6]), y)
		p = pushBelow(pushBelow(p, rank[T](x[5]), y), rank[T](x[4]), y)
		p = pushBelow(pushBelow(p, rank[T](x[3]), y), rank[T](x[2]), y)
		p = pushBelow(pushBelow(p, rank[T](x[1]), y), rank[T](x[0]), y)
	}
	return uint32(p)
}

// uniformLt is lt where a is the same in all lanes.
func uniformLt[T Integer](a, b *Lanes) uint32 {
	x, p := rank[T](a[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		y := eight(b, l)
		p = pushBelow(pushBelow(p, x, rank[T](y[7])), x, rank[T](y[6]))
		p = pushBelow(pushBelow(p, x, rank[T](y[5])), x, rank[T](y[4]))
		p = pushBelow(pushBelow(p, x, rank[T](y[3])), x, rank[T](y[2]))
		p = pushBelow(pushBelow(p, x, rank[T](y[1])), x, rank[T](y[0]))
	}
	return uint32(p)
}
