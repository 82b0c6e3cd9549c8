package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// advance runs w for its share of time, by the loop that its checks need.
func (b *block) advance(w *warp) (ran bool, fault *Failure) {
	if b.shadow == nil && b.coverage == nil && b.profile == nil && b.debug == nil {
		return b.run(w)
	}
	return b.checked(w)
}

// checked is run for checks that follow each instruction, where there is something to follow. What an instruction does is in the same
// functions (docs/decisions, "Why do checks run a loop of their own?").
func (b *block) checked(w *warp) (ran bool, fault *Failure) {
	code, s, c, p, d := b.code, b.shadow, b.coverage, b.profile, b.debug
	w.wake(yielded)
	for jumps := b.spent; ; {
		pc, mask, ok := w.pick()
		if !ok {
			return ran, nil
		}
		ran = true
		limit := w.limit(pc)
		if mask != bytecode.Full {
			w.keep(b.plan, pc, mask)
		}
		for {
			if pc >= limit {
				w.push(group{pc: pc, mask: mask})
				break
			}
			in := &code[pc]
			if d != nil {
				d.Reach(debugged{b, w}, pc, mask, mask&(w.preds[in.Guard.Index]^in.Guard.Flip))
			}
			if in.Straight > 0 {
				if done := b.line(w, in, pc, limit, mask); done > 0 {
					pc += done
					continue
				}
			}
			b.executed += uint64(bits.OnesCount32(mask))
			e := mask & (w.preds[in.Guard.Index] ^ in.Guard.Flip)
			if s != nil {
				s.before(w, in, pc, mask, e)
			}
			if c != nil {
				c.Count(in, pc, mask, e)
			}
			if p != nil {
				p.Count(in, pc, w.number(), mask, e, w.regs)
			}
			if e == 0 {
				pc++
				continue
			}
			if in.Op == bytecode.OpHoisted {
				next := min(in.Target, limit)
				b.executed += uint64(bits.OnesCount32(mask)) * uint64(next-pc-1)
				if p != nil {
					p.Line(pc+1, int(next-pc-1), w.number(), mask)
				}
				pc = next
				continue
			}
			if in.Op == bytecode.OpBranch {
				jumps++
				if e == mask && len(w.groups) == 0 && jumps < slice {
					pc = in.Target
					continue
				}
				jumps += diverged
				w.skip(pc, mask&^e)
				w.push(group{pc: in.Target, mask: e, state: turn(jumps)})
				break
			}
			if in.Op >= bytecode.OpBarrier {
				jumps++
				fault = b.transfer(w, in, pc, mask, e, turn(jumps))
				break
			}
			fault = b.execute(w, in, pc, mask, e)
			if s != nil && in.Op == bytecode.OpOperation && (fault == nil || fault == yield) {
				s.operated(w, in, e)
			}
			if d != nil {
				d.Done()
			}
			if fault == wait || fault == yield || fault == parted {
				w.pause(pc, mask, e, fault)
				if p != nil && fault != yield {
					b.comesAgain(w, pc, fault == wait)
				}
				fault = nil
				break
			}
			if fault != nil {
				break
			}
			pc++
		}
		if fault != nil {
			d.Fail(&fault.Fault, fault.Error())
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

// line executes instructions that stand in a line from in on, which is at pc, if the checks can follow them together. It returns how many.
func (b *block) line(w *warp, in *bytecode.Instr, pc, limit int32, mask uint32) int32 {
	end := pc
	if s := b.shadow; s != nil {
		if line := s.lines[pc]; s.of(w).definedIn(line) {
			end = line.End
		}
	} else if b.profile != nil {
		end += in.Straight
	}
	if end = min(end, limit); end == pc {
		return 0
	}
	done := b.observer.straight(w, b.code[pc:end], pc, mask)
	b.executed += uint64(bits.OnesCount32(mask)) * uint64(done)
	if b.profile != nil && done > 0 {
		b.profile.Line(pc, done, w.number(), mask)
	}
	return int32(done)
}

// comesAgain says that the lanes of w which wait at pc for others of their warp have not executed the instruction, and so perhaps none.
func (b *block) comesAgain(w *warp, pc int32, none bool) {
	for n := range w.groups {
		if g := &w.groups[n]; g.pc == pc && g.state == atSync {
			b.profile.Again(pc, w.number(), g.mask, none)
		}
	}
}

// execute executes one instruction behind which the lanes e go on.
func (b *block) execute(w *warp, in *bytecode.Instr, pc int32, mask, e uint32) *Failure {
	regs, preds := w.regs, w.preds
	switch in.Op {
	case bytecode.OpLanes:
		if e == bytecode.Full {
			in.Fn(&regs[in.Dst], &regs[in.A], &regs[in.B], &regs[in.C])
		} else {
			in.Fn(&w.result, &regs[in.A], &regs[in.B], &regs[in.C])
			blend(&regs[in.Dst], &w.result, e)
		}
	case bytecode.OpLanesFloat:
		w.adjusted(in, e)
	case bytecode.OpTest:
		p := in.Compare(&regs[in.A], &regs[in.B]) ^ in.Negate
		preds[in.Pdst] = preds[in.Pdst]&^e | p&e
	case bytecode.OpCompare:
		w.compare(in, e)
	case bytecode.OpLogic:
		v := in.Combine(w.pred(in.Pa), w.pred(in.Pb))
		preds[in.Pdst] = preds[in.Pdst]&^e | v&e
	case bytecode.OpSelect:
		simd.Fast.Choose(&w.result, &regs[in.A], &regs[in.B], w.pred(in.Pa))
		blend(&regs[in.Dst], &w.result, e)
	case bytecode.OpSpread:
		w.spread(in, e)
	case bytecode.OpPack:
		w.pack(in, e)
	case bytecode.OpUnpack:
		w.unpack(in, e)
	case bytecode.OpLoad:
		return b.load(w, in, pc, e)
	case bytecode.OpLoadParam:
		b.loadParam(w, in, e)
	case bytecode.OpStore:
		return b.storeLanes(w, in, pc, e)
	case bytecode.OpNothing:
	default:
		return b.rare(w, in, pc, mask, e, 0)
	}
	return nil
}

// definedIn reports whether nothing that a line mentions has undefined bits.
func (ws *warpShadow) definedIn(line *bytecode.CheckedLine) bool {
	undefined := uint64(0)
	for _, m := range line.Mentioned {
		undefined |= ws.dirty[m.Index] & m.Mask
	}
	return undefined == 0
}
