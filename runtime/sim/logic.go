package sim

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Logic and Shift Instructions; prmt of Data Movement and Conversion.
func logicForms() []form {
	return []form{
		{"and.pred", logic(both)},
		{"or.pred", logic(either)},
		{"xor.pred", logic(differ)},
		{"not.pred", logic(func(a, _ uint32) uint32 { return ^a })},
		{"and.b16", binaryOp(simd.Fast.And, "b16")},
		{"and.b32", binaryOp(simd.Fast.And, "b32")},
		{"and.b64", binaryOp(simd.Fast.And, "b64")},
		{"or.b16", binaryOp(simd.Fast.Or, "b16")},
		{"or.b32", binaryOp(simd.Fast.Or, "b32")},
		{"or.b64", binaryOp(simd.Fast.Or, "b64")},
		{"xor.b16", binaryOp(simd.Fast.Xor, "b16")},
		{"xor.b32", binaryOp(simd.Fast.Xor, "b32")},
		{"xor.b64", binaryOp(simd.Fast.Xor, "b64")},
		{"not.b16", unaryOp(not, "b16")},
		{"not.b32", unaryOp(not, "b32")},
		{"not.b64", unaryOp(not, "b64")},
		{"cnot.b16", unaryOp(cnot[uint16], "b16")},
		{"cnot.b32", unaryOp(cnot[uint32], "b32")},
		{"cnot.b64", unaryOp(cnot[uint64], "b64")},
		{"shl.b16", alu(simd.Fast.Shl, "b16", "b16", "u32")},
		{"shl.b32", alu(simd.Fast.Shl, "b32", "b32", "u32")},
		{"shl.b64", alu(simd.Fast.Shl, "b64", "b64", "u32")},
		{"shr.b16|u16", alu(simd.Shr[uint16], "u16", "u16", "u32")},
		{"shr.b32|u32", alu(simd.Fast.ShrU32, "u32", "u32", "u32")},
		{"shr.b64|u64", alu(simd.Fast.ShrU64, "u64", "u64", "u32")},
		{"shr.s16", alu(simd.Shr[int16], "s16", "s16", "u32")},
		{"shr.s32", alu(simd.Fast.ShrS32, "s32", "s32", "u32")},
		{"shr.s64", alu(simd.Shr[int64], "s64", "s64", "u32")},
		{"shf.l.wrap.b32", alu(shfLeft(wrapShift), "b32", "b32", "b32", "u32")},
		{"shf.l.clamp.b32", alu(shfLeft(clampShift), "b32", "b32", "b32", "u32")},
		{"shf.r.wrap.b32", alu(shfRight(wrapShift), "b32", "b32", "b32", "u32")},
		{"shf.r.clamp.b32", alu(shfRight(clampShift), "b32", "b32", "b32", "u32")},
		{"lop3.b32", assembleLop3},
		{"lop3.and|or.b32", assembleLop3Bool},
		{"prmt.b32", alu(prmt(selectorDefault), "b32", "b32", "b32", "b32")},
		{"prmt.b32.f4e", alu(prmt(selectorF4E), "b32", "b32", "b32", "b32")},
		{"prmt.b32.b4e", alu(prmt(selectorB4E), "b32", "b32", "b32", "b32")},
		{"prmt.b32.rc8", alu(prmt(selectorRC8), "b32", "b32", "b32", "b32")},
		{"prmt.b32.ecl", alu(prmt(selectorECL), "b32", "b32", "b32", "b32")},
		{"prmt.b32.ecr", alu(prmt(selectorECR), "b32", "b32", "b32", "b32")},
		{"prmt.b32.rc16", alu(prmt(selectorRC16), "b32", "b32", "b32", "b32")},
	}
}

// logic makes the assembler of an instruction on predicates.
func logic(combine func(a, b uint32) uint32) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opLogic, combine: combine, pdst: predSink}
		want := 3
		if in.Op == "not" || in.Op == "mov" {
			want = 2
		}
		if !d.operands(in, want) {
			return i
		}
		i.pdst, i.pa = d.predDst(in.Args[0]), d.predSrc(in.Args[1])
		if want == 3 {
			i.pb = d.predSrc(in.Args[2])
		}
		return i
	}
}

// logic executes an instruction on predicates.
func (w *warp) logic(in *instr, e uint32) {
	v := in.combine(w.pred(in.pa), w.pred(in.pb))
	w.preds[in.pdst] = w.preds[in.pdst]&^e | v&e
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
func assembleLop3(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opLanes}
	if !d.operands(in, 5) {
		return i
	}
	table, ok := in.Args[4].(ptx.Imm)
	if !ok || table.Value > 255 {
		d.invalid("%s: its table is a constant from 0 to 255", in.Text)
		return i
	}
	i.fn = lop3(uint8(table.Value))
	i.dst, i.a, i.b, i.c = d.dst(in.Args[0], "b32"), d.src(in.Args[1], "b32"), d.src(in.Args[2], "b32"), d.src(in.Args[3], "b32")
	return i
}

// assembleLop3Bool decodes lop3.op.b32 d|p, a, b, c, table, q: p is (d != 0) op q. It is
// several instructions, of which only the last writes a predicate that may be its guard.
func assembleLop3Bool(d *decoder, in *ptx.Instr) instr {
	test := instr{op: opCompare, compare: ne[uint32], combine: both, b: d.constant(0), pdst: predSink, pdst2: predSink}
	if in.Mods[0] == "or" {
		test.combine = either
	}
	if !d.operands(in, 6) {
		return test
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		d.invalid("%s: the destination is not a pair", in.Text)
		return test
	}
	kept := int32(d.k.regs) // d may be _
	d.k.regs++
	plain := *in
	plain.Args = append([]ptx.Operand{ptx.Symbol{Name: "_"}}, in.Args[1:5]...)
	computed := assembleLop3(d, &plain)
	computed.dst = kept
	test.a, test.pa, test.pdst = kept, d.predSrc(in.Args[5]), d.predDst(pair.Second)
	d.emitGuarded(computed, in)
	d.emitGuarded(instr{op: opLanes, fn: simd.Mov, dst: d.dst(pair.First, "b32"), a: kept}, in)
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

// The selectors of prmt's modes, as the table in the PTX ISA has them.
func selectorDefault(c uint64) uint64 { return c }
func selectorF4E(c uint64) uint64     { return [...]uint64{0x3210, 0x4321, 0x5432, 0x6543}[c&3] }
func selectorB4E(c uint64) uint64     { return [...]uint64{0x5670, 0x6701, 0x7012, 0x0123}[c&3] }
func selectorRC8(c uint64) uint64     { return [...]uint64{0x0000, 0x1111, 0x2222, 0x3333}[c&3] }
func selectorECL(c uint64) uint64     { return [...]uint64{0x3210, 0x3211, 0x3222, 0x3333}[c&3] }
func selectorECR(c uint64) uint64     { return [...]uint64{0x0000, 0x1110, 0x2210, 0x3210}[c&3] }
func selectorRC16(c uint64) uint64    { return [...]uint64{0x1010, 0x3232, 0x1010, 0x3232}[c&3] }
