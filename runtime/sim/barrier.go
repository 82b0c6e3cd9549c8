package sim

import (
	"math/bits"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: bar, barrier,
// bar.warp.sync, membar, fence.
func barrierForms() []form {
	return []form{
		{"bar.cta?.sync", bar(barSync, true)},
		{"bar.cta?.arrive", bar(barArrive, true)},
		{"barrier.cta?.sync.aligned", bar(barSync, true)},
		{"barrier.cta?.arrive.aligned", bar(barArrive, true)},
		{"barrier.cta?.sync", bar(barSync, false)},
		{"barrier.cta?.arrive", bar(barArrive, false)},
		{"bar.cta?.red.popc.u32", assembleBarrierReduction},
		{"bar.cta?.red.and|or.pred", assembleBarrierReduction},
		{"barrier.cta?.red.popc.aligned?.u32", assembleBarrierReduction},
		{"barrier.cta?.red.and|or.aligned?.pred", assembleBarrierReduction},
		{"bar.warp.sync", assembleWarpBarrier},
		{"membar.cta|gl|sys", assembleFence},
		{"fence.sc|acq_rel|acquire|release?.cta|cluster|gpu|sys", assembleFence},
		{"fence.acquire|release.sync_restrict::shared::cluster|sync_restrict::shared::cta.cluster", assembleFence},
		{"fence.mbarrier_init.release.cluster", assembleFence},
		{"fence.proxy.alias", assembleFence},
		{"fence.proxy.async.global|shared::cta|shared::cluster?", assembleFence},
		{"fence.proxy.async::generic.acquire|release.sync_restrict::shared::cluster|sync_restrict::shared::cta.cluster", assembleFence},
		{"fence.proxy.tensormap::generic.release|acquire.cta|cluster|gpu|sys", assembleFence},
	}
}

// assembleBarrierReduction decodes bar.red d, a{, b}, {!}c: d is for how many threads c holds, or
// whether for all or for any.
func assembleBarrierReduction(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opBarrier, barrier: barReduce, aligned: in.Op == "bar" || has(in, "aligned"), b: d.constant(0), pdst: predSink}
	args := in.Args
	if len(args) != 4 && !d.operands(in, 3) {
		return i
	}
	switch {
	case has(in, "popc"):
		i.dst = d.dst(args[0], "u32")
	case has(in, "and"):
		i.pdst, i.combine = d.predDst(args[0]), func(count, arrived uint32) uint32 { return allOrNone(count == arrived) }
	default:
		i.pdst, i.combine = d.predDst(args[0]), func(count, _ uint32) uint32 { return allOrNone(count > 0) }
	}
	i.a = d.src(args[1], "u32")
	if len(args) == 4 {
		i.b = d.src(args[2], "u32")
	}
	i.pa = d.predSrc(args[len(args)-1])
	return i
}

// allOrNone is the mask of all lanes for true.
func allOrNone(b bool) uint32 { return -simd.Bit(b) }

// bar assembles bar a{, b}: the number of the barrier and how many threads it counts.
func bar(kind barrierKind, aligned bool) assembler {
	return func(d *decoder, in *ptx.Instr) instr {
		i := instr{op: opBarrier, barrier: kind, aligned: aligned, b: d.constant(0)}
		if len(in.Args) == 2 {
			i.b = d.src(in.Args[1], "u32")
		} else if !d.operands(in, 1) {
			return i
		}
		if kind == barArrive && len(in.Args) == 1 {
			d.invalid("%s needs the number of threads that it counts", in.Text)
		}
		i.a = d.src(in.Args[0], "u32")
		return i
	}
}

func assembleWarpBarrier(d *decoder, in *ptx.Instr) instr {
	i := instr{op: opWarpBarrier}
	if d.operands(in, 1) {
		i.c = d.src(in.Args[0], "b32")
	}
	return i
}

// assembleFence decodes a fence. That of a tensor map names the map and its size.
func assembleFence(d *decoder, in *ptx.Instr) instr {
	if has(in, "tensormap::generic") && has(in, "acquire") && len(in.Args) == 2 {
		d.access(in, in.Args[0], "b8", 1)
	} else {
		d.operands(in, 0)
	}
	return instr{op: opFence}
}

var fenced atomic.Uint32

// fence orders the memory accesses of this goroutine as membar orders those of its
// threads: Go's atomics are sequentially consistent.
func fence() { fenced.Add(1) }

// arrive counts the lanes e of w at a barrier and lets them wait there.
func (b *block) arrive(w *warp, in *instr, pc int32, e uint32) *failure {
	lane := bits.TrailingZeros32(e)
	number, wanted := uint32(w.regs[in.a][lane]), uint32(w.regs[in.b][lane])
	for m := e; m != 0 && !(b.k.isConstant(in.a) && b.k.isConstant(in.b)); m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if uint32(w.regs[in.a][l]) != number || uint32(w.regs[in.b][l]) != wanted {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the lanes of the warp name different barriers or thread counts")
		}
	}
	switch {
	case number >= barrierCount:
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier %d does not exist: a block has %d", number, barrierCount)
	case wanted%warpSize != 0:
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%d threads is not a multiple of the warp size", wanted)
	}
	bar := &b.barriers[number]
	if bar.arrived == 0 {
		bar.wanted, bar.pc = wanted, pc
		b.waiting++
	} else if bar.wanted != wanted {
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier %d counts %d threads here but %d at PTX line %d",
			number, wanted, bar.wanted, b.k.places[bar.pc].line)
	}
	if b.races != nil {
		b.races.arrive(w, int(number))
	}
	if in.barrier == barArrive {
		bar.arrived += uint32(bits.OnesCount32(e))
		bar.passing = true
		w.push(group{pc: pc + 1, mask: e})
		if in.aligned && e != w.live {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier divergence: the lanes of the warp do not all arrive together")
		}
	} else {
		bar.arrived += uint32(bits.OnesCount32(e))
		if in.barrier == barReduce {
			bar.holds += uint32(bits.OnesCount32(w.pred(in.pa) & e))
			if b.shadow != nil {
				b.shadow.joins(w, in, e, bar)
			}
		}
		w.push(group{pc: pc, mask: e, state: atBarrier, barrier: uint8(number)})
	}
	return b.complete(int(number))
}

// complete releases the barrier if all the threads it counts have arrived.
func (b *block) complete(number int) *failure {
	bar := &b.barriers[number]
	switch {
	case bar.wanted == 0 && bar.arrived < b.live, bar.arrived < bar.wanted:
		return nil
	case bar.wanted != 0 && bar.arrived > bar.wanted:
		return b.fault(&b.warps[0], bar.pc, 0, driver.ErrorLaunchFailed, "%d threads arrived at barrier %d, which counts %d", bar.arrived, number, bar.wanted)
	}
	if b.exited && bar.wanted == 0 {
		b.reportExited(number)
	}
	if b.races != nil {
		b.races.completes(!bar.passing && (bar.wanted == 0 || bar.wanted >= b.threads()))
	}
	for n := range b.warps {
		if fault := b.release(&b.warps[n], number); fault != nil {
			return fault
		}
	}
	*bar = barrier{}
	if b.globalRaces != nil {
		b.globalRaces.barrier(b)
	}
	b.waiting--
	if b.races != nil {
		b.races.complete(b, number)
	}
	return nil
}

// release lets the lanes of w that wait at the barrier go on. Those of an aligned
// barrier must be all the warp's live lanes, at one instruction.
func (b *block) release(w *warp, number int) *failure {
	groups := w.groups
	w.groups = w.groups[:0] // push writes at most where groups was read
	for _, g := range groups {
		if g.state != atBarrier || int(g.barrier) != number {
			w.push(g)
			continue
		}
		if b.k.code[g.pc].aligned && g.mask != w.live {
			return b.fault(w, g.pc, bits.TrailingZeros32(g.mask), driver.ErrorLaunchFailed,
				"barrier divergence: lanes %#08x of the warp are here, of %#08x that have not exited", g.mask, w.live)
		}
		if in := &b.k.code[g.pc]; in.barrier == barReduce {
			w.reduced(in, g.mask, &b.barriers[number])
			if b.shadow != nil {
				b.shadow.reduced(w, in, g.mask, &b.barriers[number])
			}
		}
		if b.races != nil {
			b.races.depart(w, number, g.mask, b.barriers[number].wanted == 0)
		}
		w.push(group{pc: g.pc + 1, mask: g.mask})
	}
	return nil
}

// reduced gives lanes the result of a barrier's reduction.
func (w *warp) reduced(in *instr, mask uint32, bar *barrier) {
	if in.combine == nil {
		w.setAll(in.dst, mask, uint64(bar.holds))
		return
	}
	w.preds[in.pdst] = w.preds[in.pdst]&^mask | in.combine(bar.holds, bar.arrived)&mask
}

// unfinished reports a barrier at which threads arrived without waiting and that
// never completed.
func (b *block) unfinished() *failure {
	for n := range b.barriers {
		if bar := &b.barriers[n]; bar.arrived > 0 {
			return b.fault(&b.warps[0], bar.pc, 0, driver.ErrorLaunchFailed, "the block ended while barrier %d had %d of %d threads", n, bar.arrived, bar.wanted)
		}
	}
	return nil
}
