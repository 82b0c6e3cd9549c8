package arithmetic

import (
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Comparison and Selection Instructions.
func CompareForms() []bytecode.Form {
	const ordered = "eq|ne|lt|le|gt|ge"
	const unsigned = ordered + "|lo|ls|hi|hs"
	const float = ordered + "|equ|neu|ltu|leu|gtu|geu|num|nan"
	return []bytecode.Form{
		{Pattern: "setp.eq|ne.and|or|xor?.b16|b32|b64", Assemble: assembleSetp},
		{Pattern: "setp." + unsigned + ".and|or|xor?.u16|u32|u64", Assemble: assembleSetp},
		{Pattern: "setp." + ordered + ".and|or|xor?.s16|s32|s64", Assemble: assembleSetp},
		{Pattern: "setp." + float + ".and|or|xor?.ftz?.f32", Assemble: assembleSetp},
		{Pattern: "setp." + float + ".and|or|xor?.f64", Assemble: assembleSetp},
		{Pattern: "set.eq|ne.and|or|xor?.u32|s32|f32.b16|b32|b64", Assemble: assembleSet},
		{Pattern: "set." + unsigned + ".and|or|xor?.u32|s32|f32.u16|u32|u64", Assemble: assembleSet},
		{Pattern: "set." + ordered + ".and|or|xor?.u32|s32|f32.s16|s32|s64", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.ftz?.u32|s32|f32.f32", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.u32|s32|f32.f64", Assemble: assembleSet},
		{Pattern: "setp." + float + ".and|or|xor?.ftz?.f16", Assemble: assembleSetp},
		{Pattern: "setp." + float + ".and|or|xor?.bf16", Assemble: assembleSetp},
		{Pattern: "setp." + float + ".and|or|xor?.ftz?.f16x2", Assemble: assembleSetp2},
		{Pattern: "setp." + float + ".and|or|xor?.bf16x2", Assemble: assembleSetp2},
		{Pattern: "set." + float + ".and|or|xor?.ftz?.f16|u16|s16|u32|s32.f16", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.bf16.f16", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.bf16|u16|s16|u32|s32.bf16", Assemble: assembleSet},
		{Pattern: "set.eq|ne.and|or|xor?.f16|bf16.b16|b32|b64", Assemble: assembleSet},
		{Pattern: "set." + unsigned + ".and|or|xor?.f16|bf16.u16|u32|u64", Assemble: assembleSet},
		{Pattern: "set." + ordered + ".and|or|xor?.f16|bf16.s16|s32|s64", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.ftz?.f16.f32", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.bf16.f32", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.f16|bf16.f64", Assemble: assembleSet},
		{Pattern: "set." + float + ".and|or|xor?.ftz?.f16x2|u32|s32.f16x2", Assemble: assembleSet2},
		{Pattern: "set." + float + ".and|or|xor?.bf16x2|u32|s32.bf16x2", Assemble: assembleSet2},
		{Pattern: "selp.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", Assemble: assembleSelp},
		{Pattern: "slct.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.s32", Assemble: slct(slctS32, "s32")},
		{Pattern: "slct.ftz?.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.f32", Assemble: slct(slctF32, "f32")},
	}
}

// assembleComparison decodes what setp and set have in common: cmp{.boolOp}…, a, b{, {!}c}.
func assembleComparison(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	t := bytecode.LastType(in)
	i := bytecode.Instr{Op: bytecode.OpCompare, Combine: simd.First, Flush: bytecode.Has(in, "ftz") && t == "f32", Pdst: bytecode.PredSink, Pdst2: bytecode.PredSink}
	c := comparison(in.Mods[0], t)
	if f := bytecode.Formats[t]; f != nil {
		c = comparisonForm{compare: comparisonOf(f, in.Mods[0], bytecode.Has(in, "ftz"))}
	}
	i.Compare, i.Negate = c.compare, c.negate
	combine := map[string]func(a, b uint32) uint32{"and": simd.Both, "or": simd.Either, "xor": simd.Differ}[in.Mods[1]]
	want := 3
	if combine != nil {
		i.Combine = combine
		want = 4
	}
	if !d.Operands(in, want) {
		return i
	}
	i.A, i.B = d.NumberSrc(in.Args[1], t), d.NumberSrc(in.Args[2], t)
	if c.swapped {
		i.A, i.B = i.B, i.A
	}
	if combine != nil {
		if _, isConstant := in.Args[3].(ptx.Imm); isConstant && strings.Contains(in.Name(), ".bf16") {
			d.Invalid("%s: its predicate cannot be a constant", in.Text)
		}
		i.Pa = d.PredSrc(in.Args[3])
	}
	return i
}

func assembleSetp(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := assembleComparison(d, in)
	if len(in.Args) == 0 {
		return i
	}
	dst := in.Args[0]
	pair, two := dst.(ptx.Pair)
	if two {
		if bytecode.Formats[bytecode.LastType(in)] != nil {
			d.Invalid("%s: setp of halves has one result", in.Text)
		}
		dst, i.Pdst2 = pair.First, d.PredDst(pair.Second)
	}
	i.Pdst = d.PredDst(dst)
	if !two && !i.Flush && in.Mods[1] != "and" && in.Mods[1] != "or" && in.Mods[1] != "xor" {
		i.Op = bytecode.OpTest
	}
	return i
}

// assembleSet decodes set, which is setp with a number as its result.
func assembleSet(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := assembleComparison(d, in)
	t := ptx.Type(in.Mods[len(in.Mods)-2])
	i.Op, i.Spread = bytecode.OpSpread, spreadOnes
	if f := bytecode.Formats[t]; f != nil {
		i.Spread = spreadOne(f.One())
	} else if t == "f32" {
		i.Spread = spreadOne(0x3f800000)
	}
	if len(in.Args) > 0 {
		i.Dst = d.NumberDst(in.Args[0], t)
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
	return map[string]comparisonForm{
		"eq": {eq, false, 0}, "ne": {eq, false, bytecode.Full},
		"lt": {lt, false, 0}, "le": {lt, true, bytecode.Full}, "gt": {lt, true, 0}, "ge": {lt, false, bytecode.Full},
		"lo": {lt, false, 0}, "ls": {lt, true, bytecode.Full}, "hi": {lt, true, 0}, "hs": {lt, false, bytecode.Full},
	}[op]
}

// compareFloat returns a comparison of a floating-point type. Those whose name ends in u also
// hold when an operand is NaN; the others do not.
func compareFloat(op string, eq, lt, le, equ, ltu, leu, nan simd.Comparison) comparisonForm {
	return map[string]comparisonForm{
		"eq": {eq, false, 0}, "ne": {equ, false, bytecode.Full}, "lt": {lt, false, 0}, "le": {le, false, 0}, "gt": {lt, true, 0}, "ge": {le, true, 0},
		"equ": {equ, false, 0}, "neu": {eq, false, bytecode.Full}, "ltu": {ltu, false, 0}, "leu": {leu, false, 0}, "gtu": {ltu, true, 0}, "geu": {leu, true, 0},
		"num": {nan, false, bytecode.Full}, "nan": {nan, false, 0},
	}[op]
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

func assembleSelp(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i, t := bytecode.Instr{Op: bytecode.OpSelect}, bytecode.LastType(in)
	if d.Operands(in, 4) {
		i.Dst, i.A, i.B, i.Pa = d.Dst(in.Args[0], t), d.Src(in.Args[1], t), d.Src(in.Args[2], t), d.PredSrc(in.Args[3])
	}
	return i
}

func slct(fn simd.Func, c ptx.Type) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		t := ptx.Type(in.Mods[len(in.Mods)-2])
		i := bytecode.Instr{Op: bytecode.OpLanes, Fn: fn}
		if bytecode.Has(in, "ftz") {
			i.Fn = slctFtz
		}
		if d.Operands(in, 4) {
			i.Dst, i.A, i.B, i.C = d.Dst(in.Args[0], t), d.Src(in.Args[1], t), d.Src(in.Args[2], t), d.Src(in.Args[3], c)
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
	Flushed(&z, c)
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
