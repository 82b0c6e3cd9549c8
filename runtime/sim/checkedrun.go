package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// advance runs w for its share of time, by the loop that its checks need.
func (b *block) advance(w *warp) (ran bool, fault *failure) {
	if b.shadow == nil && b.coverage == nil {
		return b.run(w)
	}
	return b.checked(w)
}

// checked is run for checks that follow each instruction, where there is something to follow. What an instruction does is in the same
// functions (docs/DECISIONS.md, "Why do checks run a loop of their own?").
func (b *block) checked(w *warp) (ran bool, fault *failure) {
	code, s, c := b.code, b.shadow, b.coverage
	w.wake(yielded)
	for jumps := b.spent; ; {
		pc, mask, ok := w.pick()
		if !ok {
			return ran, nil
		}
		ran = true
		limit := w.limit(pc)
		if mask != full {
			w.keep(b.plan, pc, mask)
		}
		for {
			if pc >= limit {
				w.push(group{pc: pc, mask: mask})
				break
			}
			in := &code[pc]
			if in.straight > 0 && s != nil {
				if line := s.lines[pc]; s.of(w).definedIn(line) {
					if done := b.observer.straight(w, code[pc:min(line.end, limit)], pc, mask); done > 0 {
						b.executed += uint64(bits.OnesCount32(mask)) * uint64(done)
						pc += int32(done)
						continue
					}
				}
			}
			b.executed += uint64(bits.OnesCount32(mask))
			e := mask & (w.preds[in.guard.index] ^ in.guard.flip)
			if s != nil {
				s.before(w, in, pc, mask, e)
			}
			if c != nil {
				c.count(in, pc, mask, e)
			}
			if e == 0 {
				pc++
				continue
			}
			if in.op == opHoisted {
				next := min(in.target, limit)
				b.executed += uint64(bits.OnesCount32(mask)) * uint64(next-pc-1)
				pc = next
				continue
			}
			if in.op == opBranch {
				jumps++
				if e == mask && len(w.groups) == 0 && jumps < slice {
					pc = in.target
					continue
				}
				jumps += diverged
				w.skip(pc, mask&^e)
				w.push(group{pc: in.target, mask: e, state: turn(jumps)})
				break
			}
			if in.op >= opBarrier {
				jumps++
				fault = b.transfer(w, in, pc, mask, e, turn(jumps))
				break
			}
			fault = b.execute(w, in, pc, mask, e)
			if s != nil && in.op == opOperation && (fault == nil || fault == yield) {
				s.operated(w, in, e)
			}
			if fault == wait || fault == yield || fault == parted {
				w.pause(pc, mask, e, fault)
				fault = nil
				break
			}
			if fault != nil {
				break
			}
			pc++
		}
		if fault != nil {
			return ran, fault
		}
		if jumps >= slice {
			jumps = b.spent
			if b.stop.Load() {
				return ran, b.stopAt(w, pc, bits.TrailingZeros32(mask))
			}
		}
	}
}

// pause lets the lanes e wait at the instruction at pc for others of their warp, or behind it for other threads, as
// why says. Those that parted are where they belong.
func (w *warp) pause(pc int32, mask, e uint32, why *failure) {
	switch why {
	case wait:
		w.skip(pc, mask&^e)
		w.push(group{pc: pc, mask: e, state: atSync})
	case yield:
		w.skip(pc, mask&^e)
		w.push(group{pc: pc + 1, mask: e, state: yielded})
	}
}

// execute executes one instruction behind which the lanes e go on.
func (b *block) execute(w *warp, in *instr, pc int32, mask, e uint32) *failure {
	regs, preds := w.regs, w.preds
	switch in.op {
	case opLanes:
		if e == full {
			in.fn(&regs[in.dst], &regs[in.a], &regs[in.b], &regs[in.c])
		} else {
			in.fn(&w.result, &regs[in.a], &regs[in.b], &regs[in.c])
			blend(&regs[in.dst], &w.result, e)
		}
	case opLanesFloat:
		w.adjusted(in, e)
	case opTest:
		p := in.compare(&regs[in.a], &regs[in.b]) ^ in.negate
		preds[in.pdst] = preds[in.pdst]&^e | p&e
	case opCompare:
		w.compare(in, e)
	case opLogic:
		v := in.combine(w.pred(in.pa), w.pred(in.pb))
		preds[in.pdst] = preds[in.pdst]&^e | v&e
	case opSelect:
		simd.Fast.Choose(&w.result, &regs[in.a], &regs[in.b], w.pred(in.pa))
		blend(&regs[in.dst], &w.result, e)
	case opSpread:
		w.spread(in, e)
	case opPack:
		w.pack(in, e)
	case opUnpack:
		w.unpack(in, e)
	case opLoad:
		return b.load(w, in, pc, e)
	case opLoadParam:
		b.loadParam(w, in, e)
	case opStore:
		return b.storeLanes(w, in, pc, e)
	case opNothing:
	default:
		return b.rare(w, in, pc, mask, e, 0)
	}
	return nil
}
