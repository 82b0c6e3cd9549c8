package sim

import (
	"github.com/cudagen/cudagen/internal/ptx"
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
func assembleSetp2(d *decoder, in *ptx.Instr) instr {
	lower := assembleComparison(d, in)
	if len(in.Args) == 0 {
		return lower
	}
	pair, ok := in.Args[0].(ptx.Pair)
	if !ok {
		lower.pdst = d.predDst(in.Args[0])
		return lower
	}
	d.keepGuard(in)
	kept := int32(d.k.preds)
	d.k.preds++
	upper := lower
	upper.compare = upperHalves(lower.compare)
	lower.pdst, upper.pdst = kept, d.predDst(pair.Second)
	d.emitGuarded(lower, in)
	d.emitGuarded(upper, in)
	return instr{op: opLogic, combine: first, pdst: d.predDst(pair.First), pa: predicate{index: kept}}
}

// keepGuard guards what follows of in by a copy of its guard, which in may write.
func (d *decoder) keepGuard(in *ptx.Instr) {
	if in.Guard == nil {
		return
	}
	kept := int32(d.k.preds)
	d.k.preds++
	d.emit(instr{op: opLogic, combine: first, pdst: kept, pa: d.guard}, place{in.Pos.Line, in.Text, d.source})
	d.guard = predicate{index: kept}
}

// assembleSet2 decodes set.f16x2.f16x2 d, a, b{, c}: 1.0 or 0 in each half, or all ones if d is
// an integer. It is several instructions, of which the last writes d.
func assembleSet2(d *decoder, in *ptx.Instr) instr {
	one := uint64(0xffff)
	if f := formats[ptx.Type(in.Mods[len(in.Mods)-2])]; f != nil {
		one = f.One()
	}
	lower := assembleComparison(d, in)
	lower.op, lower.spread = opSpread, spreadOne(one)
	upper := lower
	upper.compare, upper.spread = upperHalves(lower.compare), spreadOne(one<<16)
	lower.dst, upper.dst = int32(d.k.regs), int32(d.k.regs+1)
	d.k.regs += 2
	d.emitGuarded(lower, in)
	d.emitGuarded(upper, in)
	i := instr{op: opLanes, fn: simd.Or, a: lower.dst, b: upper.dst}
	if len(in.Args) > 0 {
		i.dst = d.numberDst(in.Args[0], ptx.Type(in.Mods[len(in.Mods)-2]))
	}
	return i
}
