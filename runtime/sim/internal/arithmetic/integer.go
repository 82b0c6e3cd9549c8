// Package arithmetic has the instructions of PTX that compute registers from registers: the forms of each chapter of the PTX ISA,
// and what they compute. An instruction comes in, and its bytecode goes out. It knows no memory, and no other threads.
package arithmetic

import (
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Integer Arithmetic Instructions.
func IntegerForms() []bytecode.Form {
	forms := slices.Concat(arithmetic[uint16]("u16"), arithmetic[int16]("s16"), arithmetic[uint32]("u32"), arithmetic[int32]("s32"),
		arithmetic[uint64]("u64"), arithmetic[int64]("s64"), signedArithmetic[int16]("s16"), signedArithmetic[int32]("s32"), signedArithmetic[int64]("s64"))
	return append(forms, []bytecode.Form{
		{Pattern: "add.sat.s32", Assemble: plain(bytecode.BinaryOp(saturating(func(a, b, _ int64) int64 { return a + b }), "s32"))},
		{Pattern: "sub.sat.s32", Assemble: plain(bytecode.BinaryOp(saturating(func(a, b, _ int64) int64 { return a - b }), "s32"))},
		{Pattern: "mul.hi.u16", Assemble: bytecode.BinaryOp(mulHi16[uint16], "u16")},
		{Pattern: "mul.hi.s16", Assemble: bytecode.BinaryOp(mulHi16[int16], "s16")},
		{Pattern: "mul.hi.u32", Assemble: bytecode.BinaryOp(simd.Fast.MulHiU32, "u32")},
		{Pattern: "mul.hi.s32", Assemble: bytecode.BinaryOp(simd.Fast.MulHiS32, "s32")},
		{Pattern: "mul.hi.u64", Assemble: bytecode.BinaryOp(mulHiU64, "u64")},
		{Pattern: "mul.hi.s64", Assemble: bytecode.BinaryOp(mulHiS64, "s64")},
		{Pattern: "mul.wide.u16", Assemble: bytecode.Alu(simd.MulWide[uint16], "u32", "u16", "u16")},
		{Pattern: "mul.wide.s16", Assemble: bytecode.Alu(simd.MulWide[int16], "s32", "s16", "s16")},
		{Pattern: "mul.wide.u32", Assemble: summed(bytecode.Alu(simd.Fast.MulWideU32, "u64", "u32", "u32"), simd.Fast.MadWideU32)},
		{Pattern: "mul.wide.s32", Assemble: summed(bytecode.Alu(simd.Fast.MulWideS32, "s64", "s32", "s32"), simd.Fast.MadWideS32)},
		{Pattern: "mad.hi.u16", Assemble: bytecode.TernaryOp(madHi(mulHi16[uint16]), "u16")},
		{Pattern: "mad.hi.s16", Assemble: bytecode.TernaryOp(madHi(mulHi16[int16]), "s16")},
		{Pattern: "mad.hi.u32", Assemble: bytecode.TernaryOp(madHi(simd.Fast.MulHiU32), "u32")},
		{Pattern: "mad.hi.s32", Assemble: bytecode.TernaryOp(madHi(simd.Fast.MulHiS32), "s32")},
		{Pattern: "mad.hi.u64", Assemble: bytecode.TernaryOp(madHi(mulHiU64), "u64")},
		{Pattern: "mad.hi.s64", Assemble: bytecode.TernaryOp(madHi(mulHiS64), "s64")},
		{Pattern: "mad.hi.sat.s32", Assemble: plain(bytecode.TernaryOp(saturating(func(a, b, c int64) int64 { return a*b>>32 + c }), "s32"))},
		{Pattern: "mad.wide.u16", Assemble: bytecode.Alu(simd.MadWide[uint16], "u32", "u16", "u16", "u32")},
		{Pattern: "mad.wide.s16", Assemble: bytecode.Alu(simd.MadWide[int16], "s32", "s16", "s16", "s32")},
		{Pattern: "mad.wide.u32", Assemble: bytecode.Alu(simd.Fast.MadWideU32, "u64", "u32", "u32", "u64")},
		{Pattern: "mad.wide.s32", Assemble: bytecode.Alu(simd.Fast.MadWideS32, "s64", "s32", "s32", "s64")},
		{Pattern: "mul24.lo.u32", Assemble: bytecode.BinaryOp(mul24(unsigned24, 0), "u32")},
		{Pattern: "mul24.lo.s32", Assemble: bytecode.BinaryOp(mul24(signed24, 0), "s32")},
		{Pattern: "mul24.hi.u32", Assemble: bytecode.BinaryOp(mul24(unsigned24, 16), "u32")},
		{Pattern: "mul24.hi.s32", Assemble: bytecode.BinaryOp(mul24(signed24, 16), "s32")},
		{Pattern: "mad24.lo.u32", Assemble: bytecode.TernaryOp(madHi(mul24(unsigned24, 0)), "u32")},
		{Pattern: "mad24.lo.s32", Assemble: bytecode.TernaryOp(madHi(mul24(signed24, 0)), "s32")},
		{Pattern: "mad24.hi.u32", Assemble: bytecode.TernaryOp(madHi(mul24(unsigned24, 16)), "u32")},
		{Pattern: "mad24.hi.s32", Assemble: bytecode.TernaryOp(madHi(mul24(signed24, 16)), "s32")},
		{Pattern: "mad24.hi.sat.s32", Assemble: plain(bytecode.TernaryOp(saturating(func(a, b, c int64) int64 {
			return int64(int32(signed24(uint64(a))*signed24(uint64(b))>>16)) + c
		}), "s32"))},
	}...)
}

// arithmetic is what every integer type has.
func arithmetic[T simd.Integer](t ptx.Type) []bytecode.Form {
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
	return []bytecode.Form{
		{Pattern: "add" + name, Assemble: with(bytecode.BinaryOp(simd.Fast.Add, t), func(i *bytecode.Instr) { i.Sums = t.Size() == 8 })},
		{Pattern: "sub" + name, Assemble: bytecode.BinaryOp(simd.Fast.Sub, t)},
		{Pattern: "mul.lo" + name, Assemble: bytecode.BinaryOp(mul, t)},
		{Pattern: "mad.lo" + name, Assemble: bytecode.TernaryOp(mad, t)},
		{Pattern: "sad" + name, Assemble: bytecode.TernaryOp(sad[T], t)},
		{Pattern: "div" + name, Assemble: bytecode.BinaryOp(div[T], t)},
		{Pattern: "rem" + name, Assemble: bytecode.BinaryOp(rem[T], t)},
		{Pattern: "min" + name, Assemble: bytecode.BinaryOp(least, t)},
		{Pattern: "max" + name, Assemble: bytecode.BinaryOp(most, t)},
	}
}

func signedArithmetic[T simd.Integer](t ptx.Type) []bytecode.Form {
	return []bytecode.Form{{Pattern: "abs." + string(t), Assemble: bytecode.UnaryOp(abs[T], t)}, {Pattern: "neg." + string(t), Assemble: bytecode.UnaryOp(neg[T], t)}}
}

// with changes what assemble makes.
func with(assemble bytecode.Assembler, change func(i *bytecode.Instr)) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := assemble(d, in)
		change(&i)
		return i
	}
}

// summed says what a product and a sum are together.
func summed(assemble bytecode.Assembler, fn simd.Func) bytecode.Assembler {
	return with(assemble, func(i *bytecode.Instr) { i.Summed = fn })
}

// plain undoes what Alu makes of .sat and .ftz, which are fn's own business.
func plain(assemble bytecode.Assembler) bytecode.Assembler {
	return with(assemble, func(i *bytecode.Instr) { i.Op, i.Flush, i.Sat = bytecode.OpLanes, false, false })
}

// clamp32 saturates x to the range of an int32.
func clamp32(x int64) uint64 { return uint64(min(max(x, -1<<31), 1<<31-1)) }

// saturating computes a signed integer of 32 bits, exactly but for its range.
func saturating(exact func(a, b, c int64) int64) simd.Func {
	return lanewise(func(a, b, c uint64) uint64 { return clamp32(exact(int64(int32(a)), int64(int32(b)), int64(int32(c)))) })
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
