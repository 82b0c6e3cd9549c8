package sim

import (
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/internal/ptx"
)

// integer is the Go types of the integer types of PTX.
type integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}

// PTX ISA, Integer Arithmetic Instructions.
func integerForms() []form {
	forms := slices.Concat(arithmetic[uint16]("u16"), arithmetic[int16]("s16"), arithmetic[uint32]("u32"), arithmetic[int32]("s32"),
		arithmetic[uint64]("u64"), arithmetic[int64]("s64"), signedArithmetic[int16]("s16"), signedArithmetic[int32]("s32"), signedArithmetic[int64]("s64"))
	return append(forms, []form{
		{"add.sat.s32", plain(binaryOp(addSat, "s32"))},
		{"sub.sat.s32", plain(binaryOp(subSat, "s32"))},
		{"mul.hi.u16", binaryOp(mulHi16[uint16], "u16")},
		{"mul.hi.s16", binaryOp(mulHi16[int16], "s16")},
		{"mul.hi.u32", binaryOp(fast.mulHiU32, "u32")},
		{"mul.hi.s32", binaryOp(fast.mulHiS32, "s32")},
		{"mul.hi.u64", binaryOp(mulHiU64, "u64")},
		{"mul.hi.s64", binaryOp(mulHiS64, "s64")},
		{"mul.wide.u16", alu(mulWide[uint16], "u32", "u16", "u16")},
		{"mul.wide.s16", alu(mulWide[int16], "s32", "s16", "s16")},
		{"mul.wide.u32", alu(fast.mulWideU32, "u64", "u32", "u32").summed(fast.madWideU32)},
		{"mul.wide.s32", alu(fast.mulWideS32, "s64", "s32", "s32").summed(fast.madWideS32)},
		{"mad.hi.u16", ternaryOp(madHi(mulHi16[uint16]), "u16")},
		{"mad.hi.s16", ternaryOp(madHi(mulHi16[int16]), "s16")},
		{"mad.hi.u32", ternaryOp(madHi(fast.mulHiU32), "u32")},
		{"mad.hi.s32", ternaryOp(madHi(fast.mulHiS32), "s32")},
		{"mad.hi.u64", ternaryOp(madHi(mulHiU64), "u64")},
		{"mad.hi.s64", ternaryOp(madHi(mulHiS64), "s64")},
		{"mad.hi.sat.s32", plain(ternaryOp(madHiSat, "s32"))},
		{"mad.wide.u16", alu(madWide[uint16], "u32", "u16", "u16", "u32")},
		{"mad.wide.s16", alu(madWide[int16], "s32", "s16", "s16", "s32")},
		{"mad.wide.u32", alu(fast.madWideU32, "u64", "u32", "u32", "u64")},
		{"mad.wide.s32", alu(fast.madWideS32, "s64", "s32", "s32", "s64")},
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
func arithmetic[T integer](t ptx.Type) []form {
	name := "." + string(t)
	mul, mad := fast.mulLo, fast.madLo
	if t.Size() == 8 {
		mul, mad = fast.mul64, madLo[T]
	}
	least, most := minimum[T], maximum[T]
	switch t {
	case "u32":
		least, most = fast.minU32, fast.maxU32
	case "s32":
		least, most = fast.minS32, fast.maxS32
	}
	return []form{
		{"add" + name, sums(t.Size() == 8, binaryOp(fast.add, t))},
		{"sub" + name, binaryOp(fast.sub, t)},
		{"mul.lo" + name, binaryOp(mul, t)},
		{"mad.lo" + name, ternaryOp(mad, t)},
		{"sad" + name, ternaryOp(sad[T], t)},
		{"div" + name, binaryOp(div[T], t)},
		{"rem" + name, binaryOp(rem[T], t)},
		{"min" + name, binaryOp(least, t)},
		{"max" + name, binaryOp(most, t)},
	}
}

func signedArithmetic[T integer](t ptx.Type) []form {
	return []form{{"abs." + string(t), unaryOp(abs[T], t)}, {"neg." + string(t), unaryOp(neg[T], t)}}
}

// summed says what a product and a sum are together.
func (assemble assembler) summed(fn laneFunc) assembler {
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

// addInt and subInt serve every type: bits above its width are unspecified.
func addInt(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		to[4], to[5], to[6], to[7] = x[4]+y[4], x[5]+y[5], x[6]+y[6], x[7]+y[7]
	}
}

func subInt(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		to[4], to[5], to[6], to[7] = x[4]-y[4], x[5]-y[5], x[6]-y[6], x[7]-y[7]
	}
}

// clamp32 saturates x to the range of an int32.
func clamp32(x int64) uint64 { return uint64(min(max(x, -1<<31), 1<<31-1)) }

func addSat(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l])) + int64(int32(b[l])))
	}
}

func subSat(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l])) - int64(int32(b[l])))
	}
}

func mulLo[T integer](d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(T(x[0])*T(y[0])), uint64(T(x[1])*T(y[1])), uint64(T(x[2])*T(y[2])), uint64(T(x[3])*T(y[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])*T(y[4])), uint64(T(x[5])*T(y[5])), uint64(T(x[6])*T(y[6])), uint64(T(x[7])*T(y[7]))
	}
}

func mulHi16[T uint16 | int16](d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(int64(T(a[l])) * int64(T(b[l])) >> 16)
	}
}

func mulHiU32(d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(uint32(x[0]))*uint64(uint32(y[0]))>>32, uint64(uint32(x[1]))*uint64(uint32(y[1]))>>32, uint64(uint32(x[2]))*uint64(uint32(y[2]))>>32, uint64(uint32(x[3]))*uint64(uint32(y[3]))>>32
		to[4], to[5], to[6], to[7] = uint64(uint32(x[4]))*uint64(uint32(y[4]))>>32, uint64(uint32(x[5]))*uint64(uint32(y[5]))>>32, uint64(uint32(x[6]))*uint64(uint32(y[6]))>>32, uint64(uint32(x[7]))*uint64(uint32(y[7]))>>32
	}
}

func mulHiS32(d, a, b, _ *lanes) {
	for l, x, y, to := 0, eight(a, 0), eight(b, 0), eight(d, 0); l < warpSize; l, x, y, to = l+8, eight(a, l+8), eight(b, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(int64(int32(x[0]))*int64(int32(y[0]))>>32), uint64(int64(int32(x[1]))*int64(int32(y[1]))>>32), uint64(int64(int32(x[2]))*int64(int32(y[2]))>>32), uint64(int64(int32(x[3]))*int64(int32(y[3]))>>32)
		to[4], to[5], to[6], to[7] = uint64(int64(int32(x[4]))*int64(int32(y[4]))>>32), uint64(int64(int32(x[5]))*int64(int32(y[5]))>>32), uint64(int64(int32(x[6]))*int64(int32(y[6]))>>32), uint64(int64(int32(x[7]))*int64(int32(y[7]))>>32)
	}
}

func mulHiU64(d, a, b, _ *lanes) {
	for l := range d {
		d[l], _ = bits.Mul64(a[l], b[l])
	}
}

// mulHiS64 corrects the unsigned product for each negative factor.
func mulHiS64(d, a, b, _ *lanes) {
	for l := range d {
		x, y := a[l], b[l]
		hi, _ := bits.Mul64(x, y)
		d[l] = hi - y&uint64(int64(x)>>63) - x&uint64(int64(y)>>63)
	}
}

func mulWide[T integer](d, a, b, _ *lanes) {
	for l, x, y, to := 0, eight(a, 0), eight(b, 0), eight(d, 0); l < warpSize; l, x, y, to = l+8, eight(a, l+8), eight(b, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*uint64(T(y[0])), uint64(T(x[1]))*uint64(T(y[1])), uint64(T(x[2]))*uint64(T(y[2])), uint64(T(x[3]))*uint64(T(y[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*uint64(T(y[4])), uint64(T(x[5]))*uint64(T(y[5])), uint64(T(x[6]))*uint64(T(y[6])), uint64(T(x[7]))*uint64(T(y[7]))
	}
}

func madLo[T integer](d, a, b, c *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, z, to := eight(a, l), eight(b, l), eight(c, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(T(x[0])*T(y[0])+T(z[0])), uint64(T(x[1])*T(y[1])+T(z[1])), uint64(T(x[2])*T(y[2])+T(z[2])), uint64(T(x[3])*T(y[3])+T(z[3]))
		to[4], to[5], to[6], to[7] = uint64(T(x[4])*T(y[4])+T(z[4])), uint64(T(x[5])*T(y[5])+T(z[5])), uint64(T(x[6])*T(y[6])+T(z[6])), uint64(T(x[7])*T(y[7])+T(z[7]))
	}
}

func madWide[T integer](d, a, b, c *lanes) {
	for l, x, y, z, to := 0, eight(a, 0), eight(b, 0), eight(c, 0), eight(d, 0); l < warpSize; l, x, y, z, to = l+8, eight(a, l+8), eight(b, l+8), eight(c, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*uint64(T(y[0]))+z[0], uint64(T(x[1]))*uint64(T(y[1]))+z[1], uint64(T(x[2]))*uint64(T(y[2]))+z[2], uint64(T(x[3]))*uint64(T(y[3]))+z[3]
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*uint64(T(y[4]))+z[4], uint64(T(x[5]))*uint64(T(y[5]))+z[5], uint64(T(x[6]))*uint64(T(y[6]))+z[6], uint64(T(x[7]))*uint64(T(y[7]))+z[7]
	}
}

func madHi(mulHi laneFunc) laneFunc {
	return func(d, a, b, c *lanes) {
		var hi lanes
		mulHi(&hi, a, b, nil)
		for l := range d {
			d[l] = hi[l] + c[l]
		}
	}
}

func madHiSat(d, a, b, c *lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(a[l]))*int64(int32(b[l]))>>32 + int64(int32(c[l])))
	}
}

func unsigned24(x uint64) uint64 { return x & 0xffffff }
func signed24(x uint64) uint64   { return uint64(int64(x<<40) >> 40) }

// mul24 is 32 bits of the product of the low 24 bits of a and b, from bit at on.
func mul24(low func(uint64) uint64, at int) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = low(a[l]) * low(b[l]) >> at
		}
	}
}

func mad24HiSat(d, a, b, c *lanes) {
	for l := range d {
		d[l] = clamp32(int64(int32(signed24(a[l])*signed24(b[l])>>16)) + int64(int32(c[l])))
	}
}

func sad[T integer](d, a, b, c *lanes) {
	for l := range d {
		x, y := T(a[l]), T(b[l])
		d[l] = c[l] + uint64(max(x, y)-min(x, y))
	}
}

// div divides, rounding towards zero. The quotient by zero, which the ISA leaves
// open, is all ones, as on NVIDIA's devices.
func div[T integer](d, a, b, _ *lanes) {
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
func rem[T integer](d, a, b, _ *lanes) {
	for l := range d {
		if y := T(b[l]); y != 0 {
			d[l] = uint64(T(a[l]) % y)
		} else {
			d[l] = ^uint64(0)
		}
	}
}

func abs[T integer](d, a, _, _ *lanes) {
	for l := range d {
		x := T(a[l])
		d[l] = uint64(max(x, -x)) // the lowest value, which has no opposite, stays
	}
}

func neg[T integer](d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(-T(a[l]))
	}
}

func minimum[T integer](d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(min(T(x[0]), T(y[0]))), uint64(min(T(x[1]), T(y[1]))), uint64(min(T(x[2]), T(y[2]))), uint64(min(T(x[3]), T(y[3])))
		to[4], to[5], to[6], to[7] = uint64(min(T(x[4]), T(y[4]))), uint64(min(T(x[5]), T(y[5]))), uint64(min(T(x[6]), T(y[6]))), uint64(min(T(x[7]), T(y[7])))
	}
}

func maximum[T integer](d, a, b, _ *lanes) {
	for l := 0; l < warpSize; l += 8 {
		x, y, to := eight(a, l), eight(b, l), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(max(T(x[0]), T(y[0]))), uint64(max(T(x[1]), T(y[1]))), uint64(max(T(x[2]), T(y[2]))), uint64(max(T(x[3]), T(y[3])))
		to[4], to[5], to[6], to[7] = uint64(max(T(x[4]), T(y[4]))), uint64(max(T(x[5]), T(y[5]))), uint64(max(T(x[6]), T(y[6]))), uint64(max(T(x[7]), T(y[7])))
	}
}
