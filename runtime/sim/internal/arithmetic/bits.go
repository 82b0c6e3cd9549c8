package arithmetic

import (
	"math"
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Integer Arithmetic Instructions: those on bits and fields, dp2a and dp4a.
func BitForms() []bytecode.Form {
	forms := []bytecode.Form{
		{Pattern: "popc.b32", Assemble: bytecode.Alu(popc32, "u32", "b32")},
		{Pattern: "popc.b64", Assemble: bytecode.Alu(popc64, "u32", "b64")},
		{Pattern: "clz.b32", Assemble: bytecode.Alu(clz32, "u32", "b32")},
		{Pattern: "clz.b64", Assemble: bytecode.Alu(clz64, "u32", "b64")},
		{Pattern: "bfind.u32", Assemble: bytecode.Alu(bfind(findU32), "u32", "u32")},
		{Pattern: "bfind.s32", Assemble: bytecode.Alu(bfind(findS32), "u32", "s32")},
		{Pattern: "bfind.u64", Assemble: bytecode.Alu(bfind(findU64), "u32", "u64")},
		{Pattern: "bfind.s64", Assemble: bytecode.Alu(bfind(findS64), "u32", "s64")},
		{Pattern: "bfind.shiftamt.u32", Assemble: bytecode.Alu(bfindShift(findU32, 32), "u32", "u32")},
		{Pattern: "bfind.shiftamt.s32", Assemble: bytecode.Alu(bfindShift(findS32, 32), "u32", "s32")},
		{Pattern: "bfind.shiftamt.u64", Assemble: bytecode.Alu(bfindShift(findU64, 64), "u32", "u64")},
		{Pattern: "bfind.shiftamt.s64", Assemble: bytecode.Alu(bfindShift(findS64, 64), "u32", "s64")},
		{Pattern: "fns.b32", Assemble: bytecode.Alu(lanewise(fns), "b32", "b32", "b32", "s32")},
		{Pattern: "brev.b32", Assemble: bytecode.UnaryOp(brev32, "b32")},
		{Pattern: "brev.b64", Assemble: bytecode.UnaryOp(brev64, "b64")},
		{Pattern: "bfe.u32", Assemble: bytecode.Alu(bfeU32, "u32", "u32", "u32", "u32")},
		{Pattern: "bfe.s32", Assemble: bytecode.Alu(bfeS32, "s32", "s32", "u32", "u32")},
		{Pattern: "bfe.u64", Assemble: bytecode.Alu(bfeU64, "u64", "u64", "u32", "u32")},
		{Pattern: "bfe.s64", Assemble: bytecode.Alu(bfeS64, "s64", "s64", "u32", "u32")},
		{Pattern: "bfi.b32", Assemble: assembleBfi},
		{Pattern: "bfi.b64", Assemble: assembleBfi},
		{Pattern: "szext.clamp.u32|s32", Assemble: assembleSzext},
		{Pattern: "szext.wrap.u32|s32", Assemble: assembleSzext},
		{Pattern: "bmsk.clamp.b32", Assemble: bytecode.Alu(bmsk(true), "b32", "b32", "b32")},
		{Pattern: "bmsk.wrap.b32", Assemble: bytecode.Alu(bmsk(false), "b32", "b32", "b32")},
	}
	for a, byteA := range map[string]func(uint64) uint64{"u32": unsigned8, "s32": signed8} {
		for b, byteB := range map[string]func(uint64) uint64{"u32": unsigned8, "s32": signed8} {
			sum := ptx.Type("s32")
			if a == b {
				sum = ptx.Type(a)
			}
			halfA := unsigned16
			if a == "s32" {
				halfA = signed16
			}
			forms = append(forms,
				bytecode.Form{Pattern: "dp4a." + a + "." + b, Assemble: bytecode.Alu(dp4a(byteA, byteB), sum, "b32", "b32", sum)},
				bytecode.Form{Pattern: "dp2a.lo." + a + "." + b, Assemble: bytecode.Alu(dp2a(halfA, byteB, 0), sum, "b32", "b32", sum)},
				bytecode.Form{Pattern: "dp2a.hi." + a + "." + b, Assemble: bytecode.Alu(dp2a(halfA, byteB, 16), sum, "b32", "b32", sum)})
		}
	}
	return forms
}

func popc32(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(bits.OnesCount32(uint32(a[l])))
	}
}

func popc64(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(bits.OnesCount64(a[l]))
	}
}

func clz32(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(bits.LeadingZeros32(uint32(a[l])))
	}
}

func clz64(d, a, _, _ *simd.Lanes) {
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
func bfind(find func(uint64) uint64) simd.Func {
	return lanewise(func(a, _, _ uint64) uint64 { return uint64(uint32(bits.Len64(find(a)) - 1)) })
}

// bfindShift is how far to shift left to bring the bit to the top.
func bfindShift(find func(uint64) uint64, width int) simd.Func {
	return lanewise(func(a, _, _ uint64) uint64 {
		if n := bits.Len64(find(a)); n > 0 {
			return uint64(width - n)
		}
		return uint64(^uint32(0))
	})
}

func brev32(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(bits.Reverse32(uint32(a[l])))
	}
}

func brev64(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = bits.Reverse64(a[l])
	}
}

// bfeU32 and its like extract the field of length c at bit b. Of 32 bits both are taken modulo
// 256, as the ISA says; of 64 bits they are taken whole, as on an H200. Above the highest bit
// stand copies of the sign, or zeros.
func bfeU32(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = uint64(uint32(a[l])) >> uint8(b[l]) & (1<<uint8(c[l]) - 1)
	}
}

func bfeU64(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = a[l] >> uint32(b[l]) & (1<<uint32(c[l]) - 1)
	}
}

func bfeS32(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = extractSigned(int64(int32(a[l])), uint64(uint8(b[l])), uint64(uint8(c[l])), 32)
	}
}

func bfeS64(d, a, b, c *simd.Lanes) {
	for l := range d {
		d[l] = extractSigned(int64(a[l]), uint64(uint32(b[l])), uint64(uint32(c[l])), 64)
	}
}

// extractSigned extracts from x, sign-extended; the sign of the result is the bit at
// min(pos+length-1, width-1).
func extractSigned(x int64, pos, length, width uint64) uint64 {
	if length == 0 {
		return 0
	}
	sign := x >> min(pos+length-1, width-1) & 1
	field := uint64(x>>pos) & (1<<length - 1)
	return field | uint64(-sign)<<length
}

// assembleBfi decodes bfi f, a, b, c, d: the low d bits of a go into b at bit c. Of 64 bits c and
// d are taken whole, as on an H200, and else modulo 256.
func assembleBfi(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpInsert, Mask: 0xff}
	if t == "b64" {
		i.Mask = 1<<32 - 1
	}
	if d.Operands(in, 5) {
		i.Dst = d.Dst(in.Args[0], t)
		i.A, i.B = d.Src(in.Args[1], t), d.Src(in.Args[2], t)
		i.C, i.Vec[0] = d.Src(in.Args[3], "u32"), d.Src(in.Args[4], "u32")
	}
	return i
}

// Bfi inserts a field; what lies beyond the top is dropped.
func Bfi(d, a, b, pos, length *simd.Lanes, mask uint64) {
	for l := range d {
		at, count := uint32(pos[l]&mask), uint32(length[l]&mask)
		field := uint64(1<<count-1) << at
		d[l] = b[l]&^field | a[l]<<at&field
	}
}

func signed8(x uint64) uint64   { return uint64(int8(x)) }
func unsigned8(x uint64) uint64 { return uint64(uint8(x)) }

// dp4a adds the products of the four bytes of a and b to c.
func dp4a(byteA, byteB func(uint64) uint64) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			sum := c[l]
			for shift := 0; shift < 32; shift += 8 {
				sum += byteA(a[l]>>shift) * byteB(b[l]>>shift)
			}
			d[l] = sum
		}
	}
}

func signed16(x uint64) uint64   { return uint64(int16(x)) }
func unsigned16(x uint64) uint64 { return uint64(uint16(x)) }

// dp2a adds the products of the halves of a with the bytes of b from bit at on to c.
func dp2a(halfA, byteB func(uint64) uint64, at int) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			d[l] = c[l] + halfA(a[l])*byteB(b[l]>>at) + halfA(a[l]>>16)*byteB(b[l]>>(at+8))
		}
	}
}

// fns is the position of the nth set bit of a, counted from bit b on upwards or, if c is
// negative, downwards; all ones if there is none. If c is zero only bit b counts.
func fns(a, b, c uint64) uint64 {
	mask, at, n, step := uint32(a), int64(uint32(b)), int64(int32(c)), int64(1)
	switch {
	case n == math.MinInt32: // its opposite is negative, too, and an H200 finds that below every count
		return 0
	case n < 0:
		n, step = -n, -1
	case n == 0:
		if at < 32 && mask>>at&1 != 0 {
			return uint64(at)
		}
		return 1<<32 - 1
	}
	for ; 0 <= at && at < 32; at += step {
		if mask>>at&1 == 0 {
			continue
		}
		if n--; n == 0 {
			return uint64(at)
		}
	}
	return 1<<32 - 1
}

// assembleSzext decodes szext d, a, b: the low b bits of a, extended by zeros or the sign.
func assembleSzext(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	return bytecode.Alu(szext(in.Mods[0] == "clamp", bytecode.IsSigned(t)), t, t, "u32")(d, in)
}

func szext(clamp, signed bool) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			n := uint32(b[l])
			if clamp && n >= 32 {
				d[l] = a[l]
				continue
			}
			drop := 32 - n&31
			field := uint32(a[l]) << drop >> drop // 0 for n of 0
			if signed {
				field = uint32(int32(uint32(a[l])<<drop) >> drop)
			}
			if n&31 == 0 {
				field = 0
			}
			d[l] = uint64(field)
		}
	}
}

// bmsk is b ones from bit a on.
func bmsk(clamp bool) simd.Func {
	return func(d, a, b, _ *simd.Lanes) {
		for l := range d {
			at, width := uint32(a[l]), uint32(b[l])
			if clamp {
				at, width = min(at, 32), min(width, 32)
			} else {
				at, width = at&31, width&31
			}
			d[l] = (1<<width - 1) << at & (1<<32 - 1)
		}
	}
}
