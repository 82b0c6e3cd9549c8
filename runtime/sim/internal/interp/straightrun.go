package interp

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// straight executes instructions that stand in a line, in the lanes e, until one of them needs
// more than what is done here. It returns how many it has executed; there is at least one.
func (b *block) straight(w *warp, line []bytecode.Instr, e uint32) (executed int) {
	base := unsafe.Pointer(unsafe.SliceData(w.regs))
	in, left := unsafe.SliceData(line), len(line)
	for {
		switch in.Op {
		case bytecode.OpLanes:
			if e == bytecode.Full || in.Temporary || !w.kept.Has(in.Dst) {
				in.Fn(simd.RegisterOf(base, in.Dst), simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
			} else {
				in.Fn(&w.result, simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
				simd.Fast.Blend(simd.RegisterOf(base, in.Dst), &w.result, e)
			}
		case bytecode.OpTest:
			p := in.Compare(simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B)) ^ in.Negate
			w.preds[in.Pdst] = w.preds[in.Pdst]&^e | p&e
		case bytecode.OpPair:
			if e == bytecode.Full || in.Temporary || !w.kept.Has(in.Dst) {
				p := in.Pair(simd.RegisterOf(base, in.Dst), simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C)) ^ in.Negate
				w.preds[in.Pdst] = w.preds[in.Pdst]&^e | p&e
			} else {
				w.paired(in, e)
			}
		case bytecode.OpLoad:
			if e != bytecode.Full {
				return len(line) - left
			}
			base, by, offsets, p := b.reached(w, in)
			if p == simd.Faulty {
				return len(line) - left
			}
			w.loadAt(in, base, by, offsets, p)
		case bytecode.OpStore:
			if e != bytecode.Full {
				return len(line) - left
			}
			base, by, offsets, p := b.reached(w, in)
			if p == simd.Faulty {
				return len(line) - left
			}
			w.storeAt(in, base, by, offsets, p)
		case bytecode.OpSelect:
			w.choose(in, e)
		case bytecode.OpLogic:
			w.logic(in, e)
		}
		if left--; left == 0 {
			return len(line)
		}
		in = (*bytecode.Instr)(unsafe.Add(unsafe.Pointer(in), unsafe.Sizeof(*in))) // left says that there is one: it never points behind the line
	}
}
