package sim

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
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
func (b *block) run(w *warp) (ran bool, fault *failure) {
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
		if mask != full {
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
			if in.straight > 1 {
				line, done := code[pc:min(pc+in.straight, limit)], 0
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
			e := mask & (preds[in.guard.index] ^ in.guard.flip)
			if e == 0 {
				pc++
				continue
			}
			switch in.op {
			case opLanes:
				if e == full || e == mask && !w.kept.has(in.dst) {
					in.fn(simd.RegisterOf(base, in.dst), simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
				} else {
					in.fn(&w.result, simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b), simd.RegisterOf(base, in.c))
					simd.Fast.Blend(simd.RegisterOf(base, in.dst), &w.result, e)
				}
			case opLanesFloat:
				w.adjusted(in, e)
			case opTest:
				p := in.compare(simd.RegisterOf(base, in.a), simd.RegisterOf(base, in.b)) ^ in.negate
				preds[in.pdst] = preds[in.pdst]&^e | p&e
			case opPair:
				w.paired(in, e)
			case opCompare:
				w.compare(in, e)
			case opLogic:
				w.logic(in, e)
			case opSelect:
				w.choose(in, e)
			case opSpread:
				w.spread(in, e)
			case opPack:
				w.pack(in, e)
			case opUnpack:
				w.unpack(in, e)
			case opLoad:
				fault = b.load(w, in, pc, e)
			case opLoadParam:
				b.loadParam(w, in, e)
			case opStore:
				fault = b.storeLanes(w, in, pc, e)
			case opBranch:
				jumps++
				if e == mask && len(w.groups) == 0 && jumps < slice {
					pc = in.target
					continue
				}
				jumps += diverged
				if e == mask && in.target <= pc && jumps < slice && !w.standsAt(in.target) { // still the lowest
					limit = w.limit(in.target)
					pc = in.target
					continue
				}
				w.skip(pc, mask&^e)
				w.push(group{pc: in.target, mask: e, state: turn(jumps)})
				goto next
			case opHoisted: // which lanes at the places between execute, too
				next := min(in.target, limit)
				executed += active * uint64(next-pc-1)
				pc = next
				continue
			case opNothing:
			default:
				if in.op >= opBarrier {
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

// What rare returns for an instruction whose lanes wait for others of their warp, for one behind which
// other threads should run first, and for one at which some lanes wait and others have been sent on.
var (
	wait   = &failure{}
	yield  = &failure{}
	parted = &failure{}
)

// rare executes instructions that need not be as fast as the others. executed counts the
// thread instructions that b.executed has not yet.
//
//go:noinline
func (b *block) rare(w *warp, in *instr, pc int32, mask, e uint32, executed uint64) *failure {
	switch in.op {
	case opCarry:
		out := in.carry(&w.result, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c], w.carry)
		blend(&w.regs[in.dst], &w.result, e)
		if in.setCarry {
			w.carry = w.carry&^e | out&e
		}
	case opInsert:
		bfi(&w.result, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c], &w.regs[in.vec[0]], in.mask)
		blend(&w.regs[in.dst], &w.result, e)
	case opActiveMask:
		activemask(&w.result, mask)
		blend(&w.regs[in.dst], &w.result, e)
	case opAtomic:
		return b.atomic(w, in, pc, e)
	case opShuffle, opVote, opBallot, opMatchAny, opMatchAll, opReduce, opElect, opWarpBarrier:
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
	case opFence:
		fence()
		if b.races != nil {
			b.races.fence(w, e)
		}
		if b.globalRaces != nil {
			b.globalRaces.fence(b, b.globalRaces.semanticsOf(b.k, pc).scope)
		}
	case opClock:
		w.setAll(in.dst, e, clocks[in.size].read(b.executed+executed-b.began))
	case opCall:
		return b.call(w, in, pc, e)
	case opAlloca, opStackSave, opStackRestore:
		return b.stackOp(w, in, pc, e)
	case opClusterArrive:
		b.arriveCluster(w, in, e)
	case opOperation:
		return in.own.run(b, w, in, pc, e)
	}
	return nil
}

// transfer executes instructions behind which lanes do not simply go on.
//
//go:noinline
func (b *block) transfer(w *warp, in *instr, pc int32, mask, e uint32, state groupState) *failure {
	w.skip(pc, mask&^e)
	switch in.op {
	case opBarrier:
		return b.arrive(w, in, pc, e)
	case opBranchIndexed:
		return b.branchIndexed(w, in, pc, e, state)
	case opInvoke:
		return b.invoke(w, in, pc, e, state)
	case opReturn:
		b.returns(w, e, state)
		return nil
	case opYield:
		w.push(group{pc: pc + 1, mask: e, state: yielded})
		return nil
	case opClusterWait:
		b.waitCluster(w, pc, e)
		return nil
	case opExit:
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

// blend copies the lanes in e.
func blend(d, s *simd.Lanes, e uint32) {
	simd.Fast.Blend(d, s, e)
}

func (w *warp) pred(p predicate) uint32 { return w.preds[p.index] ^ p.flip }
