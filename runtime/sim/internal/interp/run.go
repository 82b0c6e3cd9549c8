package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/arithmetic"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// slice is the number of jumps after which a group lets others run. A jump while
// other lanes of the warp wait counts for many: they may be what it waits for.
const (
	slice    = 1 << 14
	diverged = 16
)

// run executes w until all its live lanes wait at barriers or its share of time is
// used. ran reports whether any instruction was executed.
//
// Instructions are executed in lockstep by the lanes that stand at the same one.
func (b *block) run(w *warp) (ran bool, fault *Failure) {
	code := b.code
	regs, preds := w.regs, w.preds
	base := unsafe.Pointer(unsafe.SliceData(regs))
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
		active := uint64(bits.OnesCount32(mask))
		executed := uint64(0)
		for {
			if pc >= limit {
				w.push(group{pc: pc, mask: mask})
				break
			}
			in := &code[pc]
			if in.Straight > 1 {
				line, done := code[pc:min(pc+in.Straight, limit)], 0
				if b.observer == nil {
					done = b.straight(w, line, mask)
				} else {
					done = b.observer.straight(w, line, pc, mask)
				}
				executed += active * uint64(done)
				pc += int32(done)
				if done > 0 {
					continue
				}
			}
			executed += active
			e := mask & (preds[in.Guard.Index] ^ in.Guard.Flip)
			if e == 0 {
				pc++
				continue
			}
			switch in.Op {
			case bytecode.OpLanes:
				if e == bytecode.Full || e == mask && !w.kept.Has(in.Dst) {
					in.Fn(simd.RegisterOf(base, in.Dst), simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
				} else {
					in.Fn(&w.result, simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B), simd.RegisterOf(base, in.C))
					simd.Fast.Blend(simd.RegisterOf(base, in.Dst), &w.result, e)
				}
			case bytecode.OpLanesFloat:
				w.adjusted(in, e)
			case bytecode.OpTest:
				p := in.Compare(simd.RegisterOf(base, in.A), simd.RegisterOf(base, in.B)) ^ in.Negate
				preds[in.Pdst] = preds[in.Pdst]&^e | p&e
			case bytecode.OpPair:
				w.paired(in, e)
			case bytecode.OpCompare:
				w.compare(in, e)
			case bytecode.OpLogic:
				w.logic(in, e)
			case bytecode.OpSelect:
				w.choose(in, e)
			case bytecode.OpSpread:
				w.spread(in, e)
			case bytecode.OpPack:
				w.pack(in, e)
			case bytecode.OpUnpack:
				w.unpack(in, e)
			case bytecode.OpLoad:
				fault = b.load(w, in, pc, e)
			case bytecode.OpLoadParam:
				b.loadParam(w, in, e)
			case bytecode.OpStore:
				fault = b.storeLanes(w, in, pc, e)
			case bytecode.OpBranch:
				jumps++
				if e == mask && len(w.groups) == 0 && jumps < slice {
					pc = in.Target
					continue
				}
				jumps += diverged
				if e == mask && in.Target <= pc && jumps < slice && !w.standsAt(in.Target) { // still the lowest
					limit = w.limit(in.Target)
					pc = in.Target
					continue
				}
				w.skip(pc, mask&^e)
				w.push(group{pc: in.Target, mask: e, state: turn(jumps)})
				goto next
			case bytecode.OpHoisted: // which lanes at the places between execute, too
				next := min(in.Target, limit)
				executed += active * uint64(next-pc-1)
				pc = next
				continue
			case bytecode.OpNothing:
			default:
				if in.Op >= bytecode.OpBarrier {
					jumps++
					fault = b.transfer(w, in, pc, mask, e, turn(jumps))
					goto next
				}
				if fault = b.rare(w, in, pc, mask, e, executed); fault == wait || fault == yield || fault == parted {
					w.pause(pc, mask, e, fault)
					fault = nil
					goto next
				}
			}
			if fault != nil {
				break
			}
			pc++
		}
	next:
		b.executed += executed
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

// skip lets lanes that do not execute the instruction at pc go on behind it.
func (w *warp) skip(pc int32, lanes uint32) {
	if lanes != 0 {
		w.push(group{pc: pc + 1, mask: lanes})
	}
}

// rare executes instructions that need not be as fast as the others. executed counts the
// thread instructions that b.executed has not yet.
//
//go:noinline
func (b *block) rare(w *warp, in *bytecode.Instr, pc int32, mask, e uint32, executed uint64) *Failure {
	switch in.Op {
	case bytecode.OpCarry:
		out := in.Carry(&w.result, &w.regs[in.A], &w.regs[in.B], &w.regs[in.C], w.carry)
		blend(&w.regs[in.Dst], &w.result, e)
		if in.SetCarry {
			w.carry = w.carry&^e | out&e
		}
	case bytecode.OpInsert:
		arithmetic.Bfi(&w.result, &w.regs[in.A], &w.regs[in.B], &w.regs[in.C], &w.regs[in.Vec[0]], in.Mask)
		blend(&w.regs[in.Dst], &w.result, e)
	case bytecode.OpActiveMask:
		activemask(&w.result, mask)
		blend(&w.regs[in.Dst], &w.result, e)
	case bytecode.OpAtomic:
		return b.atomic(w, in, pc, e)
	case bytecode.OpShuffle, bytecode.OpVote, bytecode.OpBallot, bytecode.OpMatchAny, bytecode.OpMatchAll, bytecode.OpReduce, bytecode.OpElect, bytecode.OpWarpBarrier:
		waiting, fault := b.collective(w, in, pc, e)
		switch waiting {
		case 0:
			return fault
		case e:
			return wait
		}
		w.skip(pc, mask&^waiting)
		w.push(group{pc: pc, mask: waiting, state: atSync})
		return parted
	case bytecode.OpFence:
		fence()
		if b.races != nil {
			b.races.fence(w, e)
		}
		if b.globalRaces != nil {
			b.globalRaces.fence(b, b.globalRaces.semanticsOf(b.k, pc).Scope)
		}
	case bytecode.OpClock:
		w.setAll(in.Dst, e, bytecode.Clocks[in.Size].Read(b.executed+executed-b.began))
	case bytecode.OpCall:
		return b.call(w, in, pc, e)
	case bytecode.OpAlloca, bytecode.OpStackSave, bytecode.OpStackRestore:
		return b.stackOp(w, in, pc, e)
	case bytecode.OpClusterArrive:
		b.arriveCluster(w, in, e)
	case bytecode.OpOperation:
		return in.Own.(executable).run(b, w, in, pc, e)
	}
	return nil
}

// transfer executes instructions behind which lanes do not simply go on.
//
//go:noinline
func (b *block) transfer(w *warp, in *bytecode.Instr, pc int32, mask, e uint32, state groupState) *Failure {
	w.skip(pc, mask&^e)
	switch in.Op {
	case bytecode.OpBarrier:
		return b.arrive(w, in, pc, e)
	case bytecode.OpBranchIndexed:
		return b.branchIndexed(w, in, pc, e, state)
	case bytecode.OpInvoke:
		return b.invoke(w, in, pc, e, state)
	case bytecode.OpReturn:
		b.returns(w, e, state)
		return nil
	case bytecode.OpYield:
		w.push(group{pc: pc + 1, mask: e, state: yielded})
		return nil
	case bytecode.OpClusterWait:
		b.waitCluster(w, pc, e)
		return nil
	case bytecode.OpExit:
		return b.exit(w, e)
	}
	return b.fault(w, pc, bits.TrailingZeros32(e), driver.ErrorLaunchFailed, "trap")
}

// turn returns the state of a group that jumps: once its share of time is used, the
// others go first.
func turn(jumps int) groupState {
	if jumps >= slice {
		return yielded
	}
	return ready
}

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

// pause lets the lanes e wait at the instruction at pc for others of their warp, or behind it for other threads, as
// why says. Those that parted are where they belong.
func (w *warp) pause(pc int32, mask, e uint32, why *Failure) {
	switch why {
	case wait:
		w.skip(pc, mask&^e)
		w.push(group{pc: pc, mask: e, state: atSync})
	case yield:
		w.skip(pc, mask&^e)
		w.push(group{pc: pc + 1, mask: e, state: yielded})
	}
}
