package arithmetic

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// PTX ISA, Half Precision Comparison Instructions.

// comparisonOf returns the function that compares two registers of format f.
func comparisonOf(f *softfloat.Format, op string, ftz bool) simd.Comparison {
	read := f.Value
	if ftz {
		read = func(bits uint64) float64 { return f.Value(f.Flush(bits & 0xffff)) }
	}
	each := func(holds func(x, y float64) bool) simd.Comparison {
		return func(a, b *simd.Lanes) (p uint32) {
			for l := range a {
				p |= simd.Bit(holds(read(a[l]), read(b[l]))) << l
			}
			return p
		}
	}
	return compareFloat(op,
		each(func(x, y float64) bool { return x == y }),
		each(func(x, y float64) bool { return x < y }),
		each(func(x, y float64) bool { return x <= y }),
		each(func(x, y float64) bool { return !(x < y) && !(x > y) }),
		each(func(x, y float64) bool { return !(x >= y) }),
		each(func(x, y float64) bool { return !(x > y) }),
		each(func(x, y float64) bool { return x != x || y != y })).comparer()
}

// upperHalves compares the upper halves of packed registers.
func upperHalves(compare simd.Comparison) simd.Comparison {
	return func(a, b *simd.Lanes) uint32 {
		var x, y simd.Lanes
		for l := range a {
			x[l], y[l] = a[l]>>16, b[l]>>16
		}
		return compare(&x, &y)
	}
}

// assembleSetp2 decodes setp.f16x2 p{|q}, a, b{, c}: p compares the lower halves and q the upper
// ones. It is several instructions; c and the guard count as they were before.
func assembleSetp2(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	lower := assembleComparison(d, in)
	if len(in.Args) == 0 {
		return lower
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		lower.Pdst = d.PredDst(in.Args[0])
		return lower
	}
	keepGuard(d, in)
	kept := int32(d.K.Preds)
	d.K.Preds++
	upper := lower
	upper.Compare = upperHalves(lower.Compare)
	lower.Pdst, upper.Pdst = kept, d.PredDst(pair.Second)
	d.EmitGuarded(lower, in)
	d.EmitGuarded(upper, in)
	return bytecode.Instr{Op: bytecode.OpLogic, Combine: simd.First, Pdst: d.PredDst(pair.First), Pa: bytecode.Predicate{Index: kept}}
}

// keepGuard guards what follows of in by a copy of its guard, which in may write.
func keepGuard(d *bytecode.Decoder, in *ptx.Instr) {
	if in.Guard == nil {
		return
	}
	kept := int32(d.K.Preds)
	d.K.Preds++
	d.Emit(bytecode.Instr{Op: bytecode.OpLogic, Combine: simd.First, Pdst: kept, Pa: d.Guard}, bytecode.Place{Line: in.Pos.Line, Text: in.Text, Source: d.Source})
	d.Guard = bytecode.Predicate{Index: kept}
}

// assembleSet2 decodes set.f16x2.f16x2 d, a, b{, c}: 1.0 or 0 in each half, or all ones if d is
// an integer. It is several instructions, of which the last writes d.
func assembleSet2(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	one := uint64(0xffff)
	if f := bytecode.Formats[ptx.Type(in.Mods[len(in.Mods)-2])]; f != nil {
		one = f.One()
	}
	lower := assembleComparison(d, in)
	lower.Op, lower.Spread = bytecode.OpSpread, spreadOne(one)
	upper := lower
	upper.Compare, upper.Spread = upperHalves(lower.Compare), spreadOne(one<<16)
	lower.Dst, upper.Dst = int32(d.K.Regs), int32(d.K.Regs+1)
	d.K.Regs += 2
	d.EmitGuarded(lower, in)
	d.EmitGuarded(upper, in)
	i := bytecode.Instr{Op: bytecode.OpLanes, Fn: simd.Or, A: lower.Dst, B: upper.Dst}
	if len(in.Args) > 0 {
		i.Dst = d.NumberDst(in.Args[0], ptx.Type(in.Mods[len(in.Mods)-2]))
	}
	return i
}
