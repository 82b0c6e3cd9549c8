package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
)

// integer is the Go types of the integer types of PTX.
type integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}

// PTX ISA, Integer Arithmetic Instructions.
func integerForms() []form {
	return []form{
		{"add.u16|s16", binaryOp(add[uint16], "s16")},
		{"add.u32|s32", binaryOp(add[uint32], "s32")},
		{"add.u64|s64", binaryOp(add[uint64], "s64")},
		{"add.sat.s32", plain(binaryOp(addSat, "s32"))},
		{"sub.u16|s16", binaryOp(sub[uint16], "s16")},
		{"sub.u32|s32", binaryOp(sub[uint32], "s32")},
		{"sub.u64|s64", binaryOp(sub[uint64], "s64")},
		{"sub.sat.s32", plain(binaryOp(subSat, "s32"))},
		{"mul.lo.u16|s16", binaryOp(mulLo[uint16], "s16")},
		{"mul.lo.u32|s32", binaryOp(mulLo[uint32], "s32")},
		{"mul.lo.u64|s64", binaryOp(mulLo[uint64], "s64")},
		{"mul.hi.u16", binaryOp(mulHi16[uint16], "u16")},
		{"mul.hi.s16", binaryOp(mulHi16[int16], "s16")},
		{"mul.hi.u32", binaryOp(mulHiU32, "u32")},
		{"mul.hi.s32", binaryOp(mulHiS32, "s32")},
		{"mul.hi.u64", binaryOp(mulHiU64, "u64")},
		{"mul.hi.s64", binaryOp(mulHiS64, "s64")},
		{"mul.wide.u16", alu(mulWide[uint16], "u32", "u16", "u16")},
		{"mul.wide.s16", alu(mulWide[int16], "s32", "s16", "s16")},
		{"mul.wide.u32", alu(mulWide[uint32], "u64", "u32", "u32")},
		{"mul.wide.s32", alu(mulWide[int32], "s64", "s32", "s32")},
		{"mad.lo.u16|s16", ternaryOp(madLo[uint16], "s16")},
		{"mad.lo.u32|s32", ternaryOp(madLo[uint32], "s32")},
		{"mad.lo.u64|s64", ternaryOp(madLo[uint64], "s64")},
		{"mad.hi.u32", ternaryOp(madHi(mulHiU32), "u32")},
		{"mad.hi.s32", ternaryOp(madHi(mulHiS32), "s32")},
		{"mad.hi.u64", ternaryOp(madHi(mulHiU64), "u64")},
		{"mad.hi.s64", ternaryOp(madHi(mulHiS64), "s64")},
		{"mad.wide.u16", alu(madWide[uint16], "u32", "u16", "u16", "u32")},
		{"mad.wide.s16", alu(madWide[int16], "s32", "s16", "s16", "s32")},
		{"mad.wide.u32", alu(madWide[uint32], "u64", "u32", "u32", "u64")},
		{"mad.wide.s32", alu(madWide[int32], "s64", "s32", "s32", "s64")},
		{"mul24.lo.u32", binaryOp(mul24Lo(func(x uint64) uint64 { return x & 0xffffff }), "u32")},
		{"mul24.lo.s32", binaryOp(mul24Lo(signed24), "s32")},
		{"sad.u16", ternaryOp(sad[uint16], "u16")},
		{"sad.s16", ternaryOp(sad[int16], "s16")},
		{"sad.u32", ternaryOp(sad[uint32], "u32")},
		{"sad.s32", ternaryOp(sad[int32], "s32")},
		{"sad.u64", ternaryOp(sad[uint64], "u64")},
		{"sad.s64", ternaryOp(sad[int64], "s64")},
		{"div.u16", binaryOp(div[uint16], "u16")},
		{"div.s16", binaryOp(div[int16], "s16")},
		{"div.u32", binaryOp(div[uint32], "u32")},
		{"div.s32", binaryOp(div[int32], "s32")},
		{"div.u64", binaryOp(div[uint64], "u64")},
		{"div.s64", binaryOp(div[int64], "s64")},
		{"rem.u16", binaryOp(rem[uint16], "u16")},
		{"rem.s16", binaryOp(rem[int16], "s16")},
		{"rem.u32", binaryOp(rem[uint32], "u32")},
		{"rem.s32", binaryOp(rem[int32], "s32")},
		{"rem.u64", binaryOp(rem[uint64], "u64")},
		{"rem.s64", binaryOp(rem[int64], "s64")},
		{"abs.s16", unaryOp(abs[int16], "s16")},
		{"abs.s32", unaryOp(abs[int32], "s32")},
		{"abs.s64", unaryOp(abs[int64], "s64")},
		{"neg.s16", unaryOp(neg[int16], "s16")},
		{"neg.s32", unaryOp(neg[int32], "s32")},
		{"neg.s64", unaryOp(neg[int64], "s64")},
		{"min.u16", binaryOp(minimum[uint16], "u16")},
		{"min.s16", binaryOp(minimum[int16], "s16")},
		{"min.u32", binaryOp(minimum[uint32], "u32")},
		{"min.s32", binaryOp(minimum[int32], "s32")},
		{"min.u64", binaryOp(minimum[uint64], "u64")},
		{"min.s64", binaryOp(minimum[int64], "s64")},
		{"max.u16", binaryOp(maximum[uint16], "u16")},
		{"max.s16", binaryOp(maximum[int16], "s16")},
		{"max.u32", binaryOp(maximum[uint32], "u32")},
		{"max.s32", binaryOp(maximum[int32], "s32")},
		{"max.u64", binaryOp(maximum[uint64], "u64")},
		{"max.s64", binaryOp(maximum[int64], "s64")},
		{"popc.b32", alu(popc32, "u32", "b32")},
		{"popc.b64", alu(popc64, "u32", "b64")},
		{"clz.b32", alu(clz32, "u32", "b32")},
		{"clz.b64", alu(clz64, "u32", "b64")},
		{"bfind.u32", alu(bfind(findU32), "u32", "u32")},
		{"bfind.s32", alu(bfind(findS32), "u32", "s32")},
		{"bfind.u64", alu(bfind(findU64), "u32", "u64")},
		{"bfind.s64", alu(bfind(findS64), "u32", "s64")},
		{"bfind.shiftamt.u32", alu(bfindShift(findU32, 32), "u32", "u32")},
		{"bfind.shiftamt.s32", alu(bfindShift(findS32, 32), "u32", "s32")},
		{"bfind.shiftamt.u64", alu(bfindShift(findU64, 64), "u32", "u64")},
		{"bfind.shiftamt.s64", alu(bfindShift(findS64, 64), "u32", "s64")},
		{"brev.b32", unaryOp(brev32, "b32")},
		{"brev.b64", unaryOp(brev64, "b64")},
		{"bfe.u32", alu(bfeU32, "u32", "u32", "u32", "u32")},
		{"bfe.s32", alu(bfeS32, "s32", "s32", "u32", "u32")},
		{"bfe.u64", alu(bfeU64, "u64", "u64", "u32", "u32")},
		{"bfe.s64", alu(bfeS64, "s64", "s64", "u32", "u32")},
		{"bfi.b32", assembleBfi},
		{"bfi.b64", assembleBfi},
		{"dp4a.u32.u32", alu(dp4a(unsigned8, unsigned8), "u32", "b32", "b32", "u32")},
		{"dp4a.u32.s32", alu(dp4a(unsigned8, signed8), "s32", "b32", "b32", "s32")},
		{"dp4a.s32.u32", alu(dp4a(signed8, unsigned8), "s32", "b32", "b32", "s32")},
		{"dp4a.s32.s32", alu(dp4a(signed8, signed8), "s32", "b32", "b32", "s32")},
	}
}

// plain undoes what alu makes of .sat, which on integers is fn's own business.
func plain(assemble assembler) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := assemble(d, in)
		i.op, i.sat = opLanes, false
		return i
	}
}

func add[T integer](d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(T(a[l]) + T(b[l]))
	}
}

func sub[T integer](d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(T(a[l]) - T(b[l]))
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
	for l := range d {
		d[l] = uint64(T(a[l]) * T(b[l]))
	}
}

func mulHi16[T uint16 | int16](d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(int64(T(a[l])) * int64(T(b[l])) >> 16)
	}
}

func mulHiU32(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(uint32(a[l])) * uint64(uint32(b[l])) >> 32
	}
}

func mulHiS32(d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(int64(int32(a[l])) * int64(int32(b[l])) >> 32)
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
	for l := range d {
		d[l] = uint64(T(a[l])) * uint64(T(b[l]))
	}
}

func madLo[T integer](d, a, b, c *lanes) {
	for l := range d {
		d[l] = uint64(T(a[l])*T(b[l]) + T(c[l]))
	}
}

func madWide[T integer](d, a, b, c *lanes) {
	for l := range d {
		d[l] = uint64(T(a[l]))*uint64(T(b[l])) + c[l]
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

func signed24(x uint64) uint64 { return uint64(int64(x<<40) >> 40) }

func mul24Lo(low func(uint64) uint64) laneFunc {
	return func(d, a, b, _ *lanes) {
		for l := range d {
			d[l] = low(a[l]) * low(b[l])
		}
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
	for l := range d {
		d[l] = uint64(min(T(a[l]), T(b[l])))
	}
}

func maximum[T integer](d, a, b, _ *lanes) {
	for l := range d {
		d[l] = uint64(max(T(a[l]), T(b[l])))
	}
}

func popc32(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(bits.OnesCount32(uint32(a[l])))
	}
}

func popc64(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(bits.OnesCount64(a[l]))
	}
}

func clz32(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(bits.LeadingZeros32(uint32(a[l])))
	}
}

func clz64(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(bits.LeadingZeros64(a[l]))
	}
}

// findU32 and its like return x such that the highest set bit of x is the most
// significant bit of the operand that is not a sign bit.
func findU32(x uint64) uint64 { return uint64(uint32(x)) }
func findS32(x uint64) uint64 { return uint64(uint32(int32(x) ^ int32(x)>>31)) }
func findU64(x uint64) uint64 { return x }
func findS64(x uint64) uint64 { return x ^ uint64(int64(x)>>63) }

// bfind is the position of the bit, or all ones when there is none.
func bfind(find func(uint64) uint64) laneFunc {
	return func(d, a, _, _ *lanes) {
		for l := range d {
			d[l] = uint64(uint32(bits.Len64(find(a[l])) - 1))
		}
	}
}

// bfindShift is how far to shift left to bring the bit to the top.
func bfindShift(find func(uint64) uint64, width int) laneFunc {
	return func(d, a, _, _ *lanes) {
		for l := range d {
			if n := bits.Len64(find(a[l])); n > 0 {
				d[l] = uint64(width - n)
			} else {
				d[l] = uint64(^uint32(0))
			}
		}
	}
}

func brev32(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = uint64(bits.Reverse32(uint32(a[l])))
	}
}

func brev64(d, a, _, _ *lanes) {
	for l := range d {
		d[l] = bits.Reverse64(a[l])
	}
}

// bfeU32 and its like extract the field of length c at bit b, both taken modulo 256, as the
// ISA says; an H200 computes so for 32 bits, but takes all of them for 64.
// Above the highest bit stand copies of the sign, or zeros.
func bfeU32(d, a, b, c *lanes) {
	for l := range d {
		d[l] = uint64(uint32(a[l])) >> uint8(b[l]) & (1<<uint8(c[l]) - 1)
	}
}

func bfeU64(d, a, b, c *lanes) {
	for l := range d {
		d[l] = a[l] >> uint8(b[l]) & (1<<uint8(c[l]) - 1)
	}
}

func bfeS32(d, a, b, c *lanes) {
	for l := range d {
		d[l] = extractSigned(int64(int32(a[l])), uint8(b[l]), uint8(c[l]), 32)
	}
}

func bfeS64(d, a, b, c *lanes) {
	for l := range d {
		d[l] = extractSigned(int64(a[l]), uint8(b[l]), uint8(c[l]), 64)
	}
}

// extractSigned extracts from x, sign-extended; the sign of the result is the bit at
// min(pos+length-1, width-1).
func extractSigned(x int64, pos, length uint8, width int) uint64 {
	if length == 0 {
		return 0
	}
	sign := x >> min(int(pos)+int(length)-1, width-1) & 1
	field := uint64(x>>pos) & (1<<length - 1)
	return field | uint64(-sign)<<length
}

// assembleBfi decodes bfi f, a, b, c, d: the low d bits of a go into b at bit c.
func assembleBfi(d *decoder, in *ptx.Instr) instr {
	t := lastType(in)
	i := instr{op: opInsert}
	if d.operands(in, 5) {
		i.dst = d.dst(in.Args[0], t)
		i.a, i.b = d.src(in.Args[1], t), d.src(in.Args[2], t)
		i.c, i.vec[0] = d.src(in.Args[3], "u32"), d.src(in.Args[4], "u32")
	}
	return i
}

// bfi inserts a field; position and length are taken modulo 256, and what lies
// beyond the top is dropped.
func bfi(d, a, b, pos, length *lanes) {
	for l := range d {
		field := uint64(1<<uint8(length[l])-1) << uint8(pos[l])
		d[l] = b[l]&^field | a[l]<<uint8(pos[l])&field
	}
}

func signed8(x uint64) uint64   { return uint64(int8(x)) }
func unsigned8(x uint64) uint64 { return uint64(uint8(x)) }

// dp4a adds the products of the four bytes of a and b to c.
func dp4a(byteA, byteB func(uint64) uint64) laneFunc {
	return func(d, a, b, c *lanes) {
		for l := range d {
			sum := c[l]
			for shift := 0; shift < 32; shift += 8 {
				sum += byteA(a[l]>>shift) * byteB(b[l]>>shift)
			}
			d[l] = sum
		}
	}
}
