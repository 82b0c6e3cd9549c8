package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// straighten counts for each instruction how many frequent ones without guards stand in a line
// from it on. Lanes that execute the first execute all of them.
func (p *planner) straighten() {
	code := p.plan.code
	for pc := len(code) - 1; pc >= 0; pc-- {
		in := &code[pc]
		if in.guarded() || !in.isFrequent() {
			continue
		}
		in.straight = 1
		if pc+1 < len(code) {
			in.straight += code[pc+1].straight
		}
	}
}

// relieve marks instructions that need not keep what the other lanes have in their destination:
// nobody reads it there.
func (p *planner) relieve() {
	for pc := range p.plan.code {
		if in := &p.plan.code[pc]; in.op == opLanes || in.op == opSelect {
			in.temporary = p.passes(in.dst)
		}
	}
}

// isFrequent reports whether straight executes in.
func (in *instr) isFrequent() bool {
	switch in.op {
	case opLanes, opTest, opSelect, opLogic, opHoisted:
		return true
	case opLoad:
		return in.loadWhole != nil
	case opStore:
		return in.storeWhole != nil
	}
	return false
}

// straight executes instructions that stand in a line, in the lanes e, until one of them needs
// more than what is done here. It returns how many it has executed; there is at least one.
func (b *block) straight(w *warp, line []instr, e uint32) (executed int) {
	base := unsafe.Pointer(unsafe.SliceData(w.regs))
	in, left := unsafe.SliceData(line), len(line)
	for {
		switch in.op {
		case opLanes:
			if e == full || in.temporary || !w.kept.has(in.dst) {
				in.fn(simd.RegisterOf(base, in.dst), simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
			} else {
				in.fn(&w.result, simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
				simd.Fast.Blend(simd.RegisterOf(base, in.dst), &w.result, e)
			}
		case opTest:
			p := in.compare(simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b)) ^ in.negate
			w.preds[in.pdst] = w.preds[in.pdst]&^e | p&e
		case opPair:
			if e == full || in.temporary || !w.kept.has(in.dst) {
				p := in.pair(simd.RegisterOf(base, in.dst), simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c)) ^ in.negate
				w.preds[in.pdst] = w.preds[in.pdst]&^e | p&e
			} else {
				w.paired(in, e)
			}
		case opLoad:
			if e != full {
				return len(line) - left
			}
			base, by, offsets, p := b.reached(w, in)
			if p == simd.Faulty {
				return len(line) - left
			}
			w.loadAt(in, base, by, offsets, p)
		case opStore:
			if e != full {
				return len(line) - left
			}
			base, by, offsets, p := b.reached(w, in)
			if p == simd.Faulty {
				return len(line) - left
			}
			w.storeAt(in, base, by, offsets, p)
		case opSelect:
			w.choose(in, e)
		case opLogic:
			w.logic(in, e)
		}
		if left--; left == 0 {
			return len(line)
		}
		in = (*instr)(unsafe.Add(unsafe.Pointer(in), unsafe.Sizeof(*in))) // left says that there is one: it never points behind the line
	}
}

// choose executes selp.
func (w *warp) choose(in *instr, e uint32) {
	d, a, b, p := &w.regs[in.dst], &w.regs[in.a], &w.regs[in.b], w.pred(in.pa)
	if e == full || in.temporary {
		simd.Fast.Choose(d, a, b, p)
		return
	}
	simd.Fast.Choose(&w.result, a, b, p)
	simd.Fast.Blend(d, &w.result, e)
}
