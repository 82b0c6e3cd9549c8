package sim

import (
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// PTX ISA, Comparison and Selection Instructions.
func compareForms() []form {
	const ordered = "eq|ne|lt|le|gt|ge"
	const unsigned = ordered + "|lo|ls|hi|hs"
	const float = ordered + "|equ|neu|ltu|leu|gtu|geu|num|nan"
	return []form{
		{"setp.eq|ne.and|or|xor?.b16|b32|b64", assembleSetp},
		{"setp." + unsigned + ".and|or|xor?.u16|u32|u64", assembleSetp},
		{"setp." + ordered + ".and|or|xor?.s16|s32|s64", assembleSetp},
		{"setp." + float + ".and|or|xor?.ftz?.f32", assembleSetp},
		{"setp." + float + ".and|or|xor?.f64", assembleSetp},
		{"set.eq|ne.and|or|xor?.u32|s32|f32.b16|b32|b64", assembleSet},
		{"set." + unsigned + ".and|or|xor?.u32|s32|f32.u16|u32|u64", assembleSet},
		{"set." + ordered + ".and|or|xor?.u32|s32|f32.s16|s32|s64", assembleSet},
		{"set." + float + ".and|or|xor?.ftz?.u32|s32|f32.f32", assembleSet},
		{"set." + float + ".and|or|xor?.u32|s32|f32.f64", assembleSet},
		{"setp." + float + ".and|or|xor?.ftz?.f16", assembleSetp},
		{"setp." + float + ".and|or|xor?.bf16", assembleSetp},
		{"setp." + float + ".and|or|xor?.ftz?.f16x2", assembleSetp2},
		{"setp." + float + ".and|or|xor?.bf16x2", assembleSetp2},
		{"set." + float + ".and|or|xor?.ftz?.f16|u16|s16|u32|s32.f16", assembleSet},
		{"set." + float + ".and|or|xor?.bf16.f16", assembleSet},
		{"set." + float + ".and|or|xor?.bf16|u16|s16|u32|s32.bf16", assembleSet},
		{"set.eq|ne.and|or|xor?.f16|bf16.b16|b32|b64", assembleSet},
		{"set." + unsigned + ".and|or|xor?.f16|bf16.u16|u32|u64", assembleSet},
		{"set." + ordered + ".and|or|xor?.f16|bf16.s16|s32|s64", assembleSet},
		{"set." + float + ".and|or|xor?.ftz?.f16.f32", assembleSet},
		{"set." + float + ".and|or|xor?.bf16.f32", assembleSet},
		{"set." + float + ".and|or|xor?.f16|bf16.f64", assembleSet},
		{"set." + float + ".and|or|xor?.ftz?.f16x2|u32|s32.f16x2", assembleSet2},
		{"set." + float + ".and|or|xor?.bf16x2|u32|s32.bf16x2", assembleSet2},
		{"selp.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", assembleSelp},
		{"slct.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.s32", slct(slctS32, "s32")},
		{"slct.ftz?.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.f32", slct(slctF32, "f32")},
	}
}

// bit is 1 for true.
func bit(b bool) uint32 {
	var u uint32
	if b {
		u = 1
	}
	return u
}

// fourBits is a bit for each of its arguments, the first of them lowest. It is computed in bytes, as a processor compares, and widened once.
func fourBits(b0, b1, b2, b3 bool) uint32 {
	return uint32(oneBit(b0) + 2*(oneBit(b1)+2*(oneBit(b2)+2*oneBit(b3))))
}

func oneBit(b bool) uint8 {
	var u uint8
	if b {
		u = 1
	}
	return u
}

// first, both, either and differ combine a comparison with a predicate.
func first(a, _ uint32) uint32  { return a }
func both(a, b uint32) uint32   { return a & b }
func either(a, b uint32) uint32 { return a | b }
func differ(a, b uint32) uint32 { return a ^ b }

// assembleComparison decodes what setp and set have in common: cmp{.boolOp}…, a, b{, {!}c}.
func assembleComparison(d *decoder, in *ptx.Instr) instr {
	t := lastType(in)
	i := instr{op: opCompare, combine: first, flush: has(in, "ftz") && t == "f32", pdst: predSink, pdst2: predSink}
	c := comparison(in.Mods[0], t)
	if f := formats[t]; f != nil {
		c = comparisonForm{compare: comparisonOf(f, in.Mods[0], has(in, "ftz"))}
	}
	i.compare, i.negate = c.compare, c.negate
	combine := map[string]func(a, b uint32) uint32{"and": both, "or": either, "xor": differ}[in.Mods[1]]
	want := 3
	if combine != nil {
		i.combine = combine
		want = 4
	}
	if !d.operands(in, want) {
		return i
	}
	i.a, i.b = d.numberSrc(in.Args[1], t), d.numberSrc(in.Args[2], t)
	if c.swapped {
		i.a, i.b = i.b, i.a
	}
	if combine != nil {
		if _, isConstant := in.Args[3].(ptx.Imm); isConstant && strings.Contains(in.Name(), ".bf16") {
			d.invalid("%s: its predicate cannot be a constant", in.Text)
		}
		i.pa = d.predSrc(in.Args[3])
	}
	return i
}

func assembleSetp(d *decoder, in *ptx.Instr) instr {
	i := assembleComparison(d, in)
	if len(in.Args) == 0 {
		return i
	}
	dst := in.Args[0]
	pair, two := dst.(ptx.Pair)
	if two {
		if formats[lastType(in)] != nil {
			d.invalid("%s: setp of halves has one result", in.Text)
		}
		dst, i.pdst2 = pair.First, d.predDst(pair.Second)
	}
	i.pdst = d.predDst(dst)
	if !two && !i.flush && in.Mods[1] != "and" && in.Mods[1] != "or" && in.Mods[1] != "xor" {
		i.op = opTest
	}
	return i
}

// assembleSet decodes set, which is setp with a number as its result.
func assembleSet(d *decoder, in *ptx.Instr) instr {
	i := assembleComparison(d, in)
	t := ptx.Type(in.Mods[len(in.Mods)-2])
	i.op, i.spread = opSpread, spreadOnes
	if f := formats[t]; f != nil {
		i.spread = spreadOne(f.One())
	} else if t == "f32" {
		i.spread = spreadOne(0x3f800000)
	}
	if len(in.Args) > 0 {
		i.dst = d.numberDst(in.Args[0], t)
	}
	return i
}

// A comparisonForm is a comparison by one of fewer: with its operands swapped, or its opposite.
type comparisonForm struct {
	compare comparer
	swapped bool
	negate  uint32
}

// comparer returns a function that compares so.
func (c comparisonForm) comparer() comparer {
	return func(a, b *lanes) uint32 {
		if c.swapped {
			a, b = b, a
		}
		return c.compare(a, b) ^ c.negate
	}
}

// comparisonOf returns how two registers of type t are compared.
func comparison(op string, t ptx.Type) comparisonForm {
	switch t {
	case "b16", "u16":
		return compareInt(op, eq[uint16], lt[uint16])
	case "s16":
		return compareInt(op, eq[int16], lt[int16])
	case "b32", "u32":
		return compareInt(op, fast.eq32, fast.ltU32)
	case "s32":
		return compareInt(op, fast.eq32, fast.ltS32)
	case "b64", "u64":
		return compareInt(op, fast.eq64, fast.ltU64)
	case "s64":
		return compareInt(op, fast.eq64, fast.ltS64)
	case "f32":
		return compareFloat(op, fast.eqF32, fast.ltF32, fast.leF32, fast.equF32, fast.ltuF32, fast.leuF32, fast.nanF32)
	default:
		return compareFloat(op, fast.eqF64, fast.ltF64, fast.leF64, fast.equF64, fast.ltuF64, fast.leuF64, fast.nanF64)
	}
}

func compareInt(op string, eq, lt comparer) comparisonForm {
	switch op {
	case "eq":
		return comparisonForm{compare: eq}
	case "ne":
		return comparisonForm{compare: eq, negate: full}
	case "lt", "lo":
		return comparisonForm{compare: lt}
	case "le", "ls":
		return comparisonForm{compare: lt, swapped: true, negate: full}
	case "gt", "hi":
		return comparisonForm{compare: lt, swapped: true}
	default: // ge, hs
		return comparisonForm{compare: lt, negate: full}
	}
}

func eq[T integer](a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 4 {
		x, y := four(a, l), four(b, l)
		p = p>>4 | fourBits(T(x[0]) == T(y[0]), T(x[1]) == T(y[1]), T(x[2]) == T(y[2]), T(x[3]) == T(y[3]))<<28
	}
	return p
}

func ne[T integer](a, b *lanes) uint32 { return ^eq[T](a, b) }

func lt[T integer](a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 4 {
		x, y := four(a, l), four(b, l)
		p = p>>4 | fourBits(T(x[0]) < T(y[0]), T(x[1]) < T(y[1]), T(x[2]) < T(y[2]), T(x[3]) < T(y[3]))<<28
	}
	return p
}

// A comparer compares two registers and returns a bit for each lane.
type comparer func(a, b *lanes) uint32

// compareFloat returns a comparison of a floating-point type. Those whose name ends in u also
// hold when an operand is NaN; the others do not.
func compareFloat(op string, eq, lt, le, equ, ltu, leu, nan comparer) comparisonForm {
	switch op {
	case "eq":
		return comparisonForm{compare: eq}
	case "ne":
		return comparisonForm{compare: equ, negate: full}
	case "lt":
		return comparisonForm{compare: lt}
	case "le":
		return comparisonForm{compare: le}
	case "gt":
		return comparisonForm{compare: lt, swapped: true}
	case "ge":
		return comparisonForm{compare: le, swapped: true}
	case "equ":
		return comparisonForm{compare: equ}
	case "neu":
		return comparisonForm{compare: eq, negate: full}
	case "ltu":
		return comparisonForm{compare: ltu}
	case "leu":
		return comparisonForm{compare: leu}
	case "gtu":
		return comparisonForm{compare: ltu, swapped: true}
	case "geu":
		return comparisonForm{compare: leu, swapped: true}
	case "num":
		return comparisonForm{compare: nan, negate: full}
	default: // nan
		return comparisonForm{compare: nan}
	}
}

func ltF32(a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := floatsOf(a, l), floatsOf(b, l)
		p = p>>4 | fourBits(x[0] < y[0], x[2] < y[2], x[4] < y[4], x[6] < y[6])<<28
		p = p>>4 | fourBits(x[8] < y[8], x[10] < y[10], x[12] < y[12], x[14] < y[14])<<28
	}
	return p
}

func leF32(a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := floatsOf(a, l), floatsOf(b, l)
		p = p>>4 | fourBits(x[0] <= y[0], x[2] <= y[2], x[4] <= y[4], x[6] <= y[6])<<28
		p = p>>4 | fourBits(x[8] <= y[8], x[10] <= y[10], x[12] <= y[12], x[14] <= y[14])<<28
	}
	return p
}

// The other comparisons of f32 are made of those two.

func eqF32(a, b *lanes) uint32  { return leF32(a, b) & leF32(b, a) }
func equF32(a, b *lanes) uint32 { return ^(ltF32(a, b) | ltF32(b, a)) }
func ltuF32(a, b *lanes) uint32 { return ^leF32(b, a) }
func leuF32(a, b *lanes) uint32 { return ^ltF32(b, a) }
func nanF32(a, b *lanes) uint32 { return ^(leF32(a, b) | leF32(b, a)) }

func ltF64(a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := doublesOf(a, l), doublesOf(b, l)
		p = p>>4 | fourBits(x[0] < y[0], x[1] < y[1], x[2] < y[2], x[3] < y[3])<<28
		p = p>>4 | fourBits(x[4] < y[4], x[5] < y[5], x[6] < y[6], x[7] < y[7])<<28
	}
	return p
}

func leF64(a, b *lanes) (p uint32) {
	for l := 0; l < warpSize; l += 8 {
		x, y := doublesOf(a, l), doublesOf(b, l)
		p = p>>4 | fourBits(x[0] <= y[0], x[1] <= y[1], x[2] <= y[2], x[3] <= y[3])<<28
		p = p>>4 | fourBits(x[4] <= y[4], x[5] <= y[5], x[6] <= y[6], x[7] <= y[7])<<28
	}
	return p
}

func eqF64(a, b *lanes) uint32  { return leF64(a, b) & leF64(b, a) }
func equF64(a, b *lanes) uint32 { return ^(ltF64(a, b) | ltF64(b, a)) }
func ltuF64(a, b *lanes) uint32 { return ^leF64(b, a) }
func leuF64(a, b *lanes) uint32 { return ^ltF64(b, a) }
func nanF64(a, b *lanes) uint32 { return ^(leF64(a, b) | leF64(b, a)) }

// compared compares the operands of in, flushed if it says so.
func (w *warp) compared(in *instr) uint32 {
	a, b := &w.regs[in.a], &w.regs[in.b]
	if in.flush {
		flushed(&w.flushA, a)
		flushed(&w.flushB, b)
		a, b = &w.flushA, &w.flushB
	}
	return in.compare(a, b) ^ in.negate
}

// compare executes setp: the second destination gets the opposite comparison,
// combined with the same predicate.
func (w *warp) compare(in *instr, e uint32) {
	p, c := w.compared(in), w.pred(in.pa)
	one, two := in.combine(p, c), in.combine(^p, c)
	w.preds[in.pdst] = w.preds[in.pdst]&^e | one&e
	w.preds[in.pdst2] = w.preds[in.pdst2]&^e | two&e
}

// spread executes set.
func (w *warp) spread(in *instr, e uint32) {
	in.spread(&w.result, in.combine(w.compared(in), w.pred(in.pa)))
	blend(&w.regs[in.dst], &w.result, e)
}

// spreadOnes is all ones for true.
func spreadOnes(d *lanes, p uint32) {
	for l := range d {
		d[l] = -uint64(p >> l & 1)
	}
}

// spreadOne is 1.0, whose bits are one, for true.
func spreadOne(one uint64) func(d *lanes, p uint32) {
	return func(d *lanes, p uint32) {
		for l := range d {
			d[l] = one * uint64(p>>l&1)
		}
	}
}

func assembleSelp(d *decoder, in *ptx.Instr) instr {
	i, t := instr{op: opSelect}, lastType(in)
	if d.operands(in, 4) {
		i.dst, i.a, i.b, i.pa = d.dst(in.Args[0], t), d.src(in.Args[1], t), d.src(in.Args[2], t), d.predSrc(in.Args[3])
	}
	return i
}

func slct(fn laneFunc, c ptx.Type) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		t := ptx.Type(in.Mods[len(in.Mods)-2])
		i := instr{op: opLanes, fn: fn}
		if has(in, "ftz") {
			i.fn = slctFtz
		}
		if d.operands(in, 4) {
			i.dst, i.a, i.b, i.c = d.dst(in.Args[0], t), d.src(in.Args[1], t), d.src(in.Args[2], t), d.src(in.Args[3], c)
		}
		return i
	}
}

// slctS32 is a where c is not negative, else b.
func slctS32(d, a, b, c *lanes) {
	for l := range d {
		if int32(c[l]) >= 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}

// slctFtz is slctF32 with c flushed.
func slctFtz(d, a, b, c *lanes) {
	var z lanes
	flushed(&z, c)
	slctF32(d, a, b, &z)
}

// slctF32 is a where c >= 0, which -0 is, else b.
func slctF32(d, a, b, c *lanes) {
	for l := range d {
		if f32(c[l]) >= 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}
