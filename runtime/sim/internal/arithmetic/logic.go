package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Logic and Shift Instructions; prmt of Data Movement and Conversion.
func LogicForms() []bytecode.Form {
	forms := []bytecode.Form{
		{Pattern: "and.pred", Assemble: logic(simd.Both)},
		{Pattern: "or.pred", Assemble: logic(simd.Either)},
		{Pattern: "xor.pred", Assemble: logic(simd.Differ)},
		{Pattern: "not.pred", Assemble: logic(func(a, _ uint32) uint32 { return ^a })},
		{Pattern: "shl.b16", Assemble: bytecode.Alu(simd.Fast.Shl, "b16", "b16", "u32")},
		{Pattern: "shl.b32", Assemble: bytecode.Alu(simd.Fast.Shl, "b32", "b32", "u32")},
		{Pattern: "shl.b64", Assemble: bytecode.Alu(simd.Fast.Shl, "b64", "b64", "u32")},
		{Pattern: "shr.b16|u16", Assemble: bytecode.Alu(simd.Shr[uint16], "u16", "u16", "u32")},
		{Pattern: "shr.b32|u32", Assemble: bytecode.Alu(simd.Fast.ShrU32, "u32", "u32", "u32")},
		{Pattern: "shr.b64|u64", Assemble: bytecode.Alu(simd.Fast.ShrU64, "u64", "u64", "u32")},
		{Pattern: "shr.s16", Assemble: bytecode.Alu(simd.Shr[int16], "s16", "s16", "u32")},
		{Pattern: "shr.s32", Assemble: bytecode.Alu(simd.Fast.ShrS32, "s32", "s32", "u32")},
		{Pattern: "shr.s64", Assemble: bytecode.Alu(simd.Shr[int64], "s64", "s64", "u32")},
		{Pattern: "shf.l.wrap.b32", Assemble: bytecode.Alu(shfLeft(wrapShift), "b32", "b32", "b32", "u32")},
		{Pattern: "shf.l.clamp.b32", Assemble: bytecode.Alu(shfLeft(clampShift), "b32", "b32", "b32", "u32")},
		{Pattern: "shf.r.wrap.b32", Assemble: bytecode.Alu(shfRight(wrapShift), "b32", "b32", "b32", "u32")},
		{Pattern: "shf.r.clamp.b32", Assemble: bytecode.Alu(shfRight(clampShift), "b32", "b32", "b32", "u32")},
		{Pattern: "lop3.b32", Assemble: assembleLop3},
		{Pattern: "lop3.and|or.b32", Assemble: assembleLop3Bool},
		{Pattern: "prmt.b32", Assemble: bytecode.Alu(prmt(func(c uint64) uint64 { return c }), "b32", "b32", "b32", "b32")},
	}
	for t, cnot := range map[ptx.Type]simd.Func{"b16": cnot[uint16], "b32": cnot[uint32], "b64": cnot[uint64]} {
		name := "." + string(t)
		forms = append(forms, []bytecode.Form{
			{Pattern: "and" + name, Assemble: bytecode.BinaryOp(simd.Fast.And, t)},
			{Pattern: "or" + name, Assemble: bytecode.BinaryOp(simd.Fast.Or, t)},
			{Pattern: "xor" + name, Assemble: bytecode.BinaryOp(simd.Fast.Xor, t)},
			{Pattern: "not" + name, Assemble: bytecode.UnaryOp(not, t)},
			{Pattern: "cnot" + name, Assemble: bytecode.UnaryOp(cnot, t)},
		}...)
	}
	for mode, selectors := range map[string][4]uint64{ // of the two lowest bits of c, as the table in the PTX ISA has them
		"f4e":  {0x3210, 0x4321, 0x5432, 0x6543},
		"b4e":  {0x5670, 0x6701, 0x7012, 0x0123},
		"rc8":  {0x0000, 0x1111, 0x2222, 0x3333},
		"ecl":  {0x3210, 0x3211, 0x3222, 0x3333},
		"ecr":  {0x0000, 0x1110, 0x2210, 0x3210},
		"rc16": {0x1010, 0x3232, 0x1010, 0x3232},
	} {
		forms = append(forms, bytecode.Form{Pattern: "prmt.b32." + mode, Assemble: bytecode.Alu(prmt(func(c uint64) uint64 { return selectors[c&3] }), "b32", "b32", "b32", "b32")})
	}
	return forms
}

// logic makes the assembler of an instruction on predicates.
func logic(combine func(a, b uint32) uint32) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpLogic, Combine: combine, Pdst: bytecode.PredSink}
		want := 3
		if in.Op == "not" || in.Op == "mov" {
			want = 2
		}
		if !d.Operands(in, want) {
			return i
		}
		i.Pdst, i.Pa = d.PredDst(in.Args[0]), d.PredSrc(in.Args[1])
		if want == 3 {
			i.Pb = d.PredSrc(in.Args[2])
		}
		return i
	}
}

func not(d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = ^a[l]
	}
}

// cnot is the logical negation of C: 1 for zero, else 0.
func cnot[T simd.Integer](d, a, _, _ *simd.Lanes) {
	for l := range d {
		d[l] = uint64(simd.Bit(T(a[l]) == 0))
	}
}

func wrapShift(n uint64) uint32  { return uint32(n) & 31 }
func clampShift(n uint64) uint32 { return min(uint32(n), 32) }

// shfLeft is the high half of b:a shifted left.
func shfLeft(amount func(uint64) uint32) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			n := amount(c[l])
			d[l] = b[l]<<32>>32<<n | uint64(uint32(a[l]))>>(32-n)
		}
	}
}

// shfRight is the low half of b:a shifted right.
func shfRight(amount func(uint64) uint32) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			d[l] = (b[l]<<32 | uint64(uint32(a[l]))) >> amount(c[l])
		}
	}
}

// assembleLop3 decodes lop3.b32 d, a, b, c, table.
func assembleLop3(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpLanes}
	if !d.Operands(in, 5) {
		return i
	}
	table, ok := in.Args[4].(ptx.Imm)
	if !ok || table.Value > 255 {
		d.Invalid("%s: its table is a constant from 0 to 255", in.Text)
		return i
	}
	i.Fn = lop3(uint8(table.Value))
	i.Dst, i.A, i.B, i.C = d.Dst(in.Args[0], "b32"), d.Src(in.Args[1], "b32"), d.Src(in.Args[2], "b32"), d.Src(in.Args[3], "b32")
	return i
}

// assembleLop3Bool decodes lop3.op.b32 d|p, a, b, c, table, q: p is (d != 0) op q. It is
// several instructions, of which only the last writes a predicate that may be its guard.
func assembleLop3Bool(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	test := bytecode.Instr{Op: bytecode.OpCompare, Compare: simd.Ne[uint32], Combine: simd.Both, B: d.Constant(0), Pdst: bytecode.PredSink, Pdst2: bytecode.PredSink}
	if in.Mods[0] == "or" {
		test.Combine = simd.Either
	}
	if !d.Operands(in, 6) {
		return test
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		d.Invalid("%s: the destination is not a pair", in.Text)
		return test
	}
	kept := int32(d.K.Regs) // d may be _
	d.K.Regs++
	plain := *in
	plain.Args = append([]ptx.Operand{ptx.Symbol{Name: "_"}}, in.Args[1:5]...)
	computed := assembleLop3(d, &plain)
	computed.Dst = kept
	test.A, test.Pa, test.Pdst = kept, d.PredSrc(in.Args[5]), d.PredDst(pair.Second)
	d.EmitGuarded(computed, in)
	d.EmitGuarded(bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Mov, Dst: d.Dst(pair.First, "b32"), A: kept}, in)
	return test
}

// lop3 looks each bit of the result up in a truth table, at index a<<2 | b<<1 | c.
func lop3(table uint8) simd.Func {
	var term [8]uint64
	for n := range term {
		term[n] = -uint64(table >> n & 1)
	}
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			x, y, z := a[l], b[l], c[l]
			d[l] = ^x&(^y&(^z&term[0]|z&term[1])|y&(^z&term[2]|z&term[3])) |
				x&(^y&(^z&term[4]|z&term[5])|y&(^z&term[6]|z&term[7]))
		}
	}
}

// prmt picks each byte of the result from b:a. The selector function makes four
// nibbles of c: three bits choose a byte, the highest replicates its sign.
func prmt(selector func(c uint64) uint64) simd.Func {
	return func(d, a, b, c *simd.Lanes) {
		for l := range d {
			bytes, s, r := b[l]<<32|uint64(uint32(a[l])), selector(c[l]), uint64(0)
			for n := 0; n < 32; n += 8 {
				v := bytes >> (s & 7 * 8) & 0xff
				if s&8 != 0 {
					v = uint64(uint8(int8(v) >> 7))
				}
				r |= v << n
				s >>= 4
			}
			d[l] = r
		}
	}
}
