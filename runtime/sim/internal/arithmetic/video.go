package arithmetic

import (
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Video Instructions: scalar ones, and those on two halves or four bytes.
func VideoForms() []bytecode.Form {
	const types = ".u32|s32.u32|s32.u32|s32"
	const compared = ".u32|s32.u32|s32.eq|ne|lt|le|gt|ge"
	const ops = "vadd|vsub|vabsdiff|vmin|vmax"
	return []bytecode.Form{
		{Pattern: ops + types + ".sat?.add|min|max?", Assemble: assembleVideo},
		{Pattern: "vshl|vshr.u32|s32.u32|s32.u32.sat?.clamp|wrap.add|min|max?", Assemble: assembleVideo},
		{Pattern: "vset" + compared + ".add|min|max?", Assemble: assembleVideo},
		{Pattern: "vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2|vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4" + types + ".sat?", Assemble: assembleVideo},
		{Pattern: "vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2|vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4" + types + ".add", Assemble: assembleVideo},
		{Pattern: "vmad" + types + ".po?.sat?.shr7|shr15?", Assemble: assembleVmad},
		{Pattern: "vset2|vset4" + compared + ".add?", Assemble: assembleVideo},
		{Pattern: "add.u16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return x + y }, unsigned16), "b32")},
		{Pattern: "add.s16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return x + y }, unsigned16), "b32")},
		{Pattern: "min.u16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return min(x, y) }, unsigned16), "b32")},
		{Pattern: "max.u16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return max(x, y) }, unsigned16), "b32")},
		{Pattern: "min.s16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return min(x, y) }, signed16), "b32")},
		{Pattern: "max.s16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return max(x, y) }, signed16), "b32")},
		{Pattern: "min.relu.s16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return max(0, min(x, y)) }, signed16), "b32")},
		{Pattern: "max.relu.s16x2", Assemble: bytecode.BinaryOp(by16(func(x, y int64) int64 { return max(0, x, y) }, signed16), "b32")},
		{Pattern: "min.relu.s32", Assemble: bytecode.BinaryOp(signedRelu(func(x, y int32) int32 { return max(0, min(x, y)) }), "s32")},
		{Pattern: "max.relu.s32", Assemble: bytecode.BinaryOp(signedRelu(func(x, y int32) int32 { return max(0, x, y) }), "s32")},
	}
}

func by16(op func(x, y int64) int64, read func(uint64) uint64) simd.Func {
	return lanewise(func(a, b, _ uint64) uint64 {
		low := op(int64(read(a)), int64(read(b)))
		high := op(int64(read(a>>16)), int64(read(b>>16)))
		return uint64(low)&0xffff | uint64(high)&0xffff<<16
	})
}

func signedRelu(op func(x, y int32) int32) simd.Func {
	return lanewise(func(a, b, _ uint64) uint64 { return uint64(uint32(op(int32(a), int32(b)))) })
}

// A video is a video instruction. Its operands are parts of registers: bytes, halves, or all.
type video struct {
	op                        string // without the number of parts
	parts                     int    // 1, 2 or 4
	signedA, signedB, signedD bool
	sat                       bool
	compare                   string // of vset
	clamp                     bool   // of shifts
	second                    string // add, min, max, or empty
	selA, selB                []int  // the position of each part in b:a, in units of the part
	width                     int    // bits of a part of a and b; see widthB
	widthB                    int
	into                      int // the bit of d where the result goes, if it is merged
	intoWidth                 int // 0 if it is not merged
	mask                      int // of the parts that are computed
}

// selected splits off what follows a register: %r1.b3 is byte 3 of %r1.
func selected(op ptx.Operand) (register ptx.Operand, selector string) {
	reg, ok := op.(ptx.Reg)
	if !ok {
		return op, ""
	}
	name, selector, _ := strings.Cut(reg.Name, ".")
	return ptx.Reg{Name: name}, selector
}

func assembleVideo(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	v := &video{op: strings.TrimRight(in.Op, "24"), parts: 1, sat: bytecode.Has(in, "sat"), clamp: bytecode.Has(in, "clamp")}
	if n := in.Op[len(in.Op)-1]; n == '2' || n == '4' {
		v.parts = int(n - '0')
	}
	types := in.Mods
	if v.op == "vset" {
		v.compare = in.Mods[2]
		types = append([]string{"u32"}, in.Mods...)
	}
	v.signedD, v.signedA, v.signedB = types[0] == "s32", types[1] == "s32", types[2] == "s32"
	if last := in.Mods[len(in.Mods)-1]; last == "add" || last == "min" || last == "max" {
		v.second = last
	}
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: lanewise(v.compute)}
	if len(in.Args) != 4 && (v.parts > 1 || v.second != "" || !d.Operands(in, 3)) {
		d.Operands(in, 4)
		return i
	}
	dst, dsel := selected(in.Args[0])
	a, asel := selected(in.Args[1])
	b, bsel := selected(in.Args[2])
	if ok := v.positions(asel, bsel, dsel); !ok {
		d.Unsupported("the selectors of %s", in.Text)
	}
	if v.parts == 1 && dsel != "" && len(in.Args) != 4 {
		d.Invalid("%s: a result that is a part of a register needs a fourth operand", in.Text)
	}
	for _, op := range in.Args {
		if _, isRegister := op.(ptx.Reg); v.parts > 1 && !isRegister {
			d.Invalid("%s: its operands are registers", in.Text)
		}
	}
	i.Dst, i.A, i.B = d.Dst(dst, "u32"), d.Src(a, "u32"), d.Src(b, "u32")
	if len(in.Args) == 4 {
		i.C = d.Src(in.Args[3], "u32")
	}
	return i
}

// part returns which part of a register a selector names, and its bits.
func part(selector string) (index, bits int, ok bool) {
	switch {
	case selector == "":
		return 0, 32, true
	case len(selector) == 2 && selector[0] == 'b' && '0' <= selector[1] && selector[1] <= '3':
		return int(selector[1] - '0'), 8, true
	case len(selector) == 2 && selector[0] == 'h' && '0' <= selector[1] && selector[1] <= '1':
		return int(selector[1] - '0'), 16, true
	}
	return 0, 0, false
}

// positions reads the selectors of a, b and d.
func (v *video) positions(asel, bsel, dsel string) bool {
	if v.parts == 1 {
		a, widthA, okA := part(asel)
		b, widthB, okB := part(bsel)
		into, width, okD := part(dsel)
		v.selA, v.selB, v.width, v.widthB, v.mask = []int{a}, []int{b}, widthA, widthB, 1
		if dsel != "" {
			v.into, v.intoWidth = into*width, width
		}
		return okA && okB && okD
	}
	v.width = 32 / v.parts
	v.widthB = v.width
	letter := "h"
	if v.parts == 4 {
		letter = "b"
	}
	read := func(selector string, first, limit int) (list []int, ok bool) {
		digits, ok := strings.CutPrefix(selector, letter)
		if selector == "" {
			for n := range v.parts {
				list = append(list, first+n)
			}
			return list, true
		}
		for n := len(digits) - 1; n >= 0; n-- { // the highest part stands first
			list = append(list, int(digits[n]-'0'))
			ok = ok && '0' <= digits[n] && int(digits[n]-'0') < limit
		}
		return list, ok
	}
	var okA, okB, okD bool
	var parts []int
	v.selA, okA = read(asel, 0, 2*v.parts)
	v.selB, okB = read(bsel, v.parts, 2*v.parts)
	parts, okD = read(dsel, 0, v.parts)
	for _, n := range parts {
		v.mask |= 1 << n
	}
	return okA && okB && okD && len(v.selA) == v.parts && len(v.selB) == v.parts
}

// field returns the nth field of a number of bits, extended.
func field(x uint64, n, width int, signed bool) int64 {
	drop := 64 - width
	if x = x >> (n * width) << drop; signed {
		return int64(x) >> drop
	}
	return int64(x >> drop)
}

func (v *video) compute(a, b, c uint64) uint64 {
	if v.parts == 1 {
		return uint64(v.scalar(uint32(a), uint32(b), uint32(c)))
	}
	both := b<<32 | uint64(uint32(a))
	result, sum := uint32(c), int64(0)
	for n := range v.parts {
		if v.mask>>n&1 == 0 {
			continue
		}
		r := v.one(field(both, v.selA[n], v.width, v.signedA), field(both, v.selB[n], v.width, v.signedB))
		if v.sat {
			r = saturated(r, v.width, v.signedD)
		}
		sum += r
		result = merged(result, r, n*v.width, v.width)
	}
	if v.second == "add" {
		return uint64(uint32(sum) + uint32(c))
	}
	return uint64(result)
}

// merged puts the low bits of r into x.
func merged(x uint32, r int64, at, width int) uint32 {
	low := uint32(1)<<width - 1
	return x&^(low<<at) | uint32(r)&low<<at
}

// scalar computes a scalar video instruction as ptxas expands it for devices that have none:
// the PTX ISA's definition where it does not overflow, and otherwise what an H200 gives.
func (v *video) scalar(a, b, c uint32) uint32 {
	r := v.one(field(uint64(a), v.selA[0], v.width, v.signedA), field(uint64(b), v.selB[0], v.widthB, v.signedB))
	if v.op == "vadd" || v.op == "vsub" {
		r = v.limited(r)
		if v.intoWidth == 0 {
			r = int64(int32(r)) // a second operation sees 32 bits with a sign
		}
	} else if v.sat {
		r = v.limited(r)
	}
	switch {
	case v.into == 16 && v.intoWidth == 16: // of the result, its own upper half
		return c&0xffff | uint32(r)&^0xffff
	case v.intoWidth > 0:
		return merged(c, r, v.into, v.intoWidth)
	case v.second == "add":
		return uint32(r) + c
	case v.second != "":
		signed := v.signedD || v.op == "vset" && v.signedA
		return lesser(r, c, signed, v.second == "max")
	}
	return uint32(r)
}

// lesser is the lesser of r and c, a number with or without a sign, or else the greater.
func lesser(r int64, c uint32, signed, greater bool) uint32 {
	less := uint64(r) < uint64(c)
	if signed {
		less = r < int64(int32(c))
	}
	if less != greater {
		return uint32(r)
	}
	return c
}

// limited is .sat. An unsigned result of 32 bits that is too large keeps its low bits, one of a
// part of a register that is negative becomes the largest value, and a shift counts 34 bits.
func (v *video) limited(r int64) int64 {
	if !v.sat {
		return r
	}
	isShift := v.op == "vshl" || v.op == "vshr"
	switch {
	case isShift:
		r = r << 30 >> 30
		return int64(int32(saturated(r, 32, v.signedD)))
	case v.intoWidth > 0:
		largest := int64(1)<<v.intoWidth - 1
		if v.signedD {
			largest >>= 1
		}
		if r < 0 || r > largest {
			return largest
		}
		return r
	case v.signedD:
		return saturated(r, 32, true)
	}
	return max(r, 0)
}

// saturated clamps x to an integer of some bits.
func saturated(x int64, bits int, signed bool) int64 {
	if signed {
		return min(max(x, -1<<(bits-1)), 1<<(bits-1)-1)
	}
	return min(max(x, 0), 1<<bits-1)
}

func (v *video) one(x, y int64) int64 {
	switch v.op {
	case "vadd":
		return x + y
	case "vsub":
		return x - y
	case "vabsdiff":
		return max(x-y, y-x)
	case "vmin":
		return min(x, y)
	case "vmax":
		return max(x, y)
	case "vavrg":
		return (x + y + int64(simd.Bit(x+y >= 0))) >> 1
	case "vset":
		return int64(simd.Bit(holds(v.compare, x, y)))
	}
	n := uint64(uint32(y))
	if v.clamp {
		n = min(n, 32)
	} else {
		n &= 31
	}
	if v.op == "vshl" {
		return x << n
	}
	return x >> n
}

// holds compares two numbers.
func holds(compare string, x, y int64) bool {
	switch compare {
	case "eq":
		return x == y
	case "ne":
		return x != y
	case "lt":
		return x < y
	case "le":
		return x <= y
	case "gt":
		return x > y
	}
	return x >= y
}
