package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// paired executes a pair in the lanes e.
func (w *warp) paired(in *bytecode.Instr, e uint32) {
	d := &w.regs[in.Dst]
	if e != bytecode.Full && !in.Temporary {
		d = &w.result
	}
	p := in.Pair(d, &w.regs[in.A], &w.regs[in.B], &w.regs[in.C]) ^ in.Negate
	w.preds[in.Pdst] = w.preds[in.Pdst]&^e | p&e
	if e != bytecode.Full && !in.Temporary {
		simd.Fast.Blend(&w.regs[in.Dst], d, e)
	}
}

// choose executes selp.
func (w *warp) choose(in *bytecode.Instr, e uint32) {
	d, a, b, p := &w.regs[in.Dst], &w.regs[in.A], &w.regs[in.B], w.pred(in.Pa)
	if e == bytecode.Full || in.Temporary {
		simd.Fast.Choose(d, a, b, p)
		return
	}
	simd.Fast.Choose(&w.result, a, b, p)
	simd.Fast.Blend(d, &w.result, e)
}

// compared compares the operands of in, flushed if it says so.
func (w *warp) compared(in *bytecode.Instr) uint32 {
	a, b := &w.regs[in.A], &w.regs[in.B]
	if in.Flush {
		arithmetic.Flushed(&w.flushA, a)
		arithmetic.Flushed(&w.flushB, b)
		a, b = &w.flushA, &w.flushB
	}
	return in.Compare(a, b) ^ in.Negate
}

// compare executes setp: the second destination gets the opposite comparison,
// combined with the same predicate.
func (w *warp) compare(in *bytecode.Instr, e uint32) {
	p, c := w.compared(in), w.pred(in.Pa)
	one, two := in.Combine(p, c), in.Combine(^p, c)
	w.preds[in.Pdst] = w.preds[in.Pdst]&^e | one&e
	w.preds[in.Pdst2] = w.preds[in.Pdst2]&^e | two&e
}

// spread executes set.
func (w *warp) spread(in *bytecode.Instr, e uint32) {
	in.Spread(&w.result, in.Combine(w.compared(in), w.pred(in.Pa)))
	blend(&w.regs[in.Dst], &w.result, e)
}

// adjusted executes an f32 instruction with .ftz or .sat.
func (w *warp) adjusted(in *bytecode.Instr, e uint32) {
	a, b, c := &w.regs[in.A], &w.regs[in.B], &w.regs[in.C]
	if in.Flush {
		arithmetic.Flushed(&w.flushA, a)
		arithmetic.Flushed(&w.flushB, b)
		arithmetic.Flushed(&w.flushC, c)
		a, b, c = &w.flushA, &w.flushB, &w.flushC
	}
	in.Fn(&w.result, a, b, c)
	if in.Flush {
		arithmetic.Flushed(&w.result, &w.result)
	}
	if in.Sat {
		arithmetic.Saturate(&w.result)
	}
	blend(&w.regs[in.Dst], &w.result, e)
}

// logic executes an instruction on predicates.
func (w *warp) logic(in *bytecode.Instr, e uint32) {
	v := in.Combine(w.pred(in.Pa), w.pred(in.Pb))
	w.preds[in.Pdst] = w.preds[in.Pdst]&^e | v&e
}

// pack makes one value of several, the first of them lowest.
func (w *warp) pack(in *bytecode.Instr, e uint32) {
	width := 8 * in.Size
	low := uint64(1)<<width - 1
	w.result = simd.Lanes{}
	for n := range in.Elems {
		elem := &w.regs[in.Vec[n]]
		for l := range elem {
			w.result[l] |= elem[l] & low << (width * n)
		}
	}
	blend(&w.regs[in.Dst], &w.result, e)
}

// unpack takes a value apart. It is read before the first part is written, which may
// be the same register.
func (w *warp) unpack(in *bytecode.Instr, e uint32) {
	width := 8 * in.Size
	w.scratch = w.regs[in.A]
	for n := range in.Elems {
		d := &w.regs[in.Vec[n]]
		for m := e; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
			d[l] = w.scratch[l] >> (width * n)
		}
	}
}

// blend copies the lanes in e.
func blend(d, s *simd.Lanes, e uint32) {
	simd.Fast.Blend(d, s, e)
}

// pred returns the lanes in which p holds.
func (w *warp) pred(p bytecode.Predicate) uint32 { return w.preds[p.Index] ^ p.Flip }

// setAll gives the lanes in set a value.
func (w *warp) setAll(dst int32, set uint32, value uint64) {
	for m := set; m != 0; m &= m - 1 {
		w.regs[dst][bits.TrailingZeros32(m)] = value
	}
}

// typeMask has a one for each bit of t.
func typeMask(t ptx.Type) uint64 { return ^uint64(0) >> (64 - 8*t.Size()) }
