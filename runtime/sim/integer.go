package sim

import (
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Integer Arithmetic Instructions.
func integerForms() []form {
	forms := slices.Concat(arithmetic[uint16]("u16"), arithmetic[int16]("s16"), arithmetic[uint32]("u32"), arithmetic[int32]("s32"),
		arithmetic[uint64]("u64"), arithmetic[int64]("s64"), signedArithmetic[int16]("s16"), signedArithmetic[int32]("s32"), signedArithmetic[int64]("s64"))
	return append(forms, []form{
		{"add.sat.s32", plain(binaryOp(addSat, "s32"))},
		{"sub.sat.s32", plain(binaryOp(subSat, "s32"))},
		{"mul.hi.u16", binaryOp(mulHi16[uint16], "u16")},
		{"mul.hi.s16", binaryOp(mulHi16[int16], "s16")},
		{"mul.hi.u32", binaryOp(simd.Fast.MulHiU32, "u32")},
		{"mul.hi.s32", binaryOp(simd.Fast.MulHiS32, "s32")},
		{"mul.hi.u64", binaryOp(mulHiU64, "u64")},
		{"mul.hi.s64", binaryOp(mulHiS64, "s64")},
		{"mul.wide.u16", alu(simd.MulWide[uint16], "u32", "u16", "u16")},
		{"mul.wide.s16", alu(simd.MulWide[int16], "s32", "s16", "s16")},
		{"mul.wide.u32", alu(simd.Fast.MulWideU32, "u64", "u32", "u32").summed(simd.Fast.MadWideU32)},
		{"mul.wide.s32", alu(simd.Fast.MulWideS32, "s64", "s32", "s32").summed(simd.Fast.MadWideS32)},
		{"mad.hi.u16", ternaryOp(madHi(mulHi16[uint16]), "u16")},
		{"mad.hi.s16", ternaryOp(madHi(mulHi16[int16]), "s16")},
		{"mad.hi.u32", ternaryOp(madHi(simd.Fast.MulHiU32), "u32")},
		{"mad.hi.s32", ternaryOp(madHi(simd.Fast.MulHiS32), "s32")},
		{"mad.hi.u64", ternaryOp(madHi(mulHiU64), "u64")},
		{"mad.hi.s64", ternaryOp(madHi(mulHiS64), "s64")},
		{"mad.hi.sat.s32", plain(ternaryOp(madHiSat, "s32"))},
		{"mad.wide.u16", alu(simd.MadWide[uint16], "u32", "u16", "u16", "u32")},
		{"mad.wide.s16", alu(simd.MadWide[int16], "s32", "s16", "s16", "s32")},
		{"mad.wide.u32", alu(simd.Fast.MadWideU32, "u64", "u32", "u32", "u64")},
		{"mad.wide.s32", alu(simd.Fast.MadWideS32, "s64", "s32", "s32", "s64")},
		{"mul24.lo.u32", binaryOp(mul24(unsigned24, 0), "u32")},
		{"mul24.lo.s32", binaryOp(mul24(signed24, 0), "s32")},
		{"mul24.hi.u32", binaryOp(mul24(unsigned24, 16), "u32")},
		{"mul24.hi.s32", binaryOp(mul24(signed24, 16), "s32")},
		{"mad24.lo.u32", ternaryOp(madHi(mul24(unsigned24, 0)), "u32")},
		{"mad24.lo.s32", ternaryOp(madHi(mul24(signed24, 0)), "s32")},
		{"mad24.hi.u32", ternaryOp(madHi(mul24(unsigned24, 16)), "u32")},
		{"mad24.hi.s32", ternaryOp(madHi(mul24(signed24, 16)), "s32")},
		{"mad24.hi.sat.s32", plain(ternaryOp(mad24HiSat, "s32"))},
	}...)
}

// arithmetic is what every integer type has.
func arithmetic[T simd.Integer](t ptx.Type) []form {
	name := "." + string(t)
	mul, mad := simd.Fast.MulLo, simd.Fast.MadLo
	if t.Size() == 8 {
		mul, mad = simd.Fast.Mul64, simd.MadLo[T]
	}
	least, most := simd.Minimum[T], simd.Maximum[T]
	switch t {
	case "u32":
		least, most = simd.Fast.MinU32, simd.Fast.MaxU32
	case "s32":
		least, most = simd.Fast.MinS32, simd.Fast.MaxS32
	}
	return []form{
		{"add" + name, sums(t.Size() == 8, binaryOp(simd.Fast.Add, t))},
		{"sub" + name, binaryOp(simd.Fast.Sub, t)},
		{"mul.lo" + name, binaryOp(mul, t)},
		{"mad.lo" + name, ternaryOp(mad, t)},
		{"sad" + name, ternaryOp(sad[T], t)},
		{"div" + name, binaryOp(div[T], t)},
		{"rem" + name, binaryOp(rem[T], t)},
		{"min" + name, binaryOp(least, t)},
		{"max" + name, binaryOp(most, t)},
	}
}

func signedArithmetic[T simd.Integer](t ptx.Type) []form {
	return []form{{"abs." + string(t), unaryOp(abs[T], t)}, {"neg." + string(t), unaryOp(neg[T], t)}}
}

// summed says what a product and a sum are together.
func (assemble assembler) summed(fn simd.Func) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := assemble(d, in)
		i.summed = fn
		return i
	}
}

// sums says whether an addition may be the sum.
func sums(wide bool, assemble assembler) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := assemble(d, in)
		i.sums = wide
		return i
	}
}

// plain undoes what alu makes of .sat, which on integers is fn's own business.
func plain(assemble assembler) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := assemble(d, in)
		i.op, i.flush, i.sat = opLanes, false, false
		return i
	}
}

// clamp32 saturates x to the range of an int32.
func clamp32(x int64) uint64 { return uint64(min(max(x, -1<<31), 1<<31-1)) }

func addSat(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l])) + int64(int32(b[l])))
	}
}

func subSat(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l])) - int64(int32(b[l])))
	}
}

func mulHi16[T uint16 | int16](d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(int64(T(a[l])) * int64(T(b[l])) >> 16)
	}
}

func mulHiU64(d, a, b, _ *simd.Lanes) {
	for l := range d {
		d[l], _ = bits.Mul64(a[l], b[l])
	}
}

// mulHiS64 corrects the unsigned product for each negative factor.
func mulHiS64(d, a, b, _ *simd.Lanes) {
	for l := range d {
		x, y := a[l], b[l]
		hi, _ := bits.Mul64(x, y)
		d[l] = hi - y&uint64(int64(x)>>63) - x&uint64(int64(y)>>63)
	}
}

func madHi(mulHi simd.Func) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		var hi simd.Lanes
		mulHi(&hi, a, b, nil)
		for l := range d {
			d[l] = hi[l] + c[l]
		}
	}
}

func madHiSat(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l]))*int64(int32(b[l]))>>32 + int64(int32(c[l])))
	}
}

func unsigned24(x uint64) uint64 { return x & 0xffffff }
func signed24(x uint64) uint64   { return uint64(int64(x<<40) >> 40) }

// mul24 is 32 bits of the product of the low 24 bits of a and b, from bit at on.
func mul24(low func(uint64) uint64, at int) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			d[l] = low(a[l]) * low(b[l]) >> at
		}
	}
}

func mad24HiSat(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(signed24(a[l])*signed24(b[l])>>16)) + int64(int32(c[l])))
	}
}

func sad[T simd.Integer](d, a, b, c *simd.Lanes) {
	for l := range d {
		x, y := T(a[l]), T(b[l])
		d[l] = c[l] + uint64(max(x, y)-min(x, y))
	}
}

// div divides, rounding towards zero. The quotient by zero, which the ISA leaves
// open, is all ones, as on NVIDIA's devices.
func div[T simd.Integer](d, a, b, _ *simd.Lanes) {
	for l := range d {
		if y := T(b[l]); y != 0 {
			d[l] = uint64(T(a[l]) / y)
		} else {
			d[l] = ^uint64(0)
		}
	}
}

// rem is the remainder with the sign of the dividend. That by zero, which the ISA
// leaves open, is all ones, as on NVIDIA's devices.
func rem[T simd.Integer](d, a, b, _ *simd.Lanes) {
	for l := range d {
		if y := T(b[l]); y != 0 {
			d[l] = uint64(T(a[l]) % y)
		} else {
			d[l] = ^uint64(0)
		}
	}
}

func abs[T simd.Integer](d, a, _, _ *simd.Lanes) {
	for l := range d {
		x := T(a[l])
		d[l] = uint64(max(x, -x)) // the lowest value, which has no opposite, stays
	}
}

func neg[T simd.Integer](d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(-T(a[l]))
	}
}
