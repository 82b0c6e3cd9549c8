package sim

import (
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
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
	compare simd.Comparison
	swapped bool
	negate  uint32
}

// comparer returns a function that compares so.
func (c comparisonForm) comparer() simd.Comparison {
	return func(a, b *simd.Lanes) uint32 {
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
		return compareInt(op, simd.Eq[uint16], simd.Lt[uint16])
	case "s16":
		return compareInt(op, simd.Eq[int16], simd.Lt[int16])
	case "b32", "u32":
		return compareInt(op, simd.Fast.Eq32, simd.Fast.LtU32)
	case "s32":
		return compareInt(op, simd.Fast.Eq32, simd.Fast.LtS32)
	case "b64", "u64":
		return compareInt(op, simd.Fast.Eq64, simd.Fast.LtU64)
	case "s64":
		return compareInt(op, simd.Fast.Eq64, simd.Fast.LtS64)
	case "f32":
		return compareFloat(op, simd.Fast.EqF32, simd.Fast.LtF32, simd.Fast.LeF32, simd.Fast.EquF32, simd.Fast.LtuF32, simd.Fast.LeuF32, simd.Fast.NanF32)
	default:
		return compareFloat(op, simd.Fast.EqF64, simd.Fast.LtF64, simd.Fast.LeF64, simd.Fast.EquF64, simd.Fast.LtuF64, simd.Fast.LeuF64, simd.Fast.NanF64)
	}
}

func compareInt(op string, eq, lt simd.Comparison) comparisonForm {
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

func ne[T simd.Integer](a, b *simd.Lanes) uint32 { return ^simd.Eq[T](a, b) }

// compareFloat returns a comparison of a floating-point type. Those whose name ends in u also
// hold when an operand is NaN; the others do not.
func compareFloat(op string, eq, lt, le, equ, ltu, leu, nan simd.Comparison) comparisonForm {
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

// The other comparisons of f32 are made of those two.

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
func spreadOnes(d *simd.Lanes, p uint32) {
	for l := range d {
		d[l] = -uint64(p >> l & 1)
	}
}

// spreadOne is 1.0, whose bits are one, for true.
func spreadOne(one uint64) func(d *simd.Lanes, p uint32) {
	return func(d *simd.Lanes, p uint32) {
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

func slct(fn simd.Func, c ptx.Type) assembler {
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
func slctS32(d, a, b, c *simd.Lanes) {
	for l := range d {
		if int32(c[l]) >= 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}

// slctFtz is slctF32 with c flushed.
func slctFtz(d, a, b, c *simd.Lanes) {
	var z simd.Lanes
	flushed(&z, c)
	slctF32(d, a, b, &z)
}

// slctF32 is a where c >= 0, which -0 is, else b.
func slctF32(d, a, b, c *simd.Lanes) {
	for l := range d {
		if simd.F32(c[l]) >= 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
}
