package interp

import (
	"math/bits"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Parallel Synchronization and Communication Instructions: bar, barrier,
// bar.warp.sync, membar, fence.
func barrierForms() []bytecode.Form {
	return []bytecode.Form{
		{Pattern: "bar.cta?.sync", Assemble: bar(bytecode.BarSync, true)},
		{Pattern: "bar.cta?.arrive", Assemble: bar(bytecode.BarArrive, true)},
		{Pattern: "barrier.cta?.sync.aligned", Assemble: bar(bytecode.BarSync, true)},
		{Pattern: "barrier.cta?.arrive.aligned", Assemble: bar(bytecode.BarArrive, true)},
		{Pattern: "barrier.cta?.sync", Assemble: bar(bytecode.BarSync, false)},
		{Pattern: "barrier.cta?.arrive", Assemble: bar(bytecode.BarArrive, false)},
		{Pattern: "bar.cta?.red.popc.u32", Assemble: assembleBarrierReduction},
		{Pattern: "bar.cta?.red.and|or.pred", Assemble: assembleBarrierReduction},
		{Pattern: "barrier.cta?.red.popc.aligned?.u32", Assemble: assembleBarrierReduction},
		{Pattern: "barrier.cta?.red.and|or.aligned?.pred", Assemble: assembleBarrierReduction},
		{Pattern: "bar.warp.sync", Assemble: assembleWarpBarrier},
		{Pattern: "membar.cta|gl|sys", Assemble: assembleFence},
		{Pattern: "fence.sc|acq_rel|acquire|release?.cta|cluster|gpu|sys", Assemble: assembleFence},
		{Pattern: "fence.acquire|release.sync_restrict::shared::cluster|sync_restrict::shared::cta.cluster", Assemble: assembleFence},
		{Pattern: "fence.mbarrier_init.release.cluster", Assemble: assembleFence},
		{Pattern: "fence.proxy.alias", Assemble: assembleFence},
		{Pattern: "fence.proxy.async.global|shared::cta|shared::cluster?", Assemble: assembleFence},
		{Pattern: "fence.proxy.async::generic.acquire|release.sync_restrict::shared::cluster|sync_restrict::shared::cta.cluster", Assemble: assembleFence},
		{Pattern: "fence.proxy.tensormap::generic.release|acquire.cta|cluster|gpu|sys", Assemble: assembleFence},
	}
}

// assembleBarrierReduction decodes bar.red d, a{, b}, {!}c: d is for how many threads c holds, or
// whether for all or for any.
func assembleBarrierReduction(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpBarrier, Barrier: bytecode.BarReduce, Aligned: in.Op == "bar" || bytecode.Has(in, "aligned"), B: d.Constant(0), Pdst: bytecode.PredSink}
	args := in.Args
	if len(args) != 4 && !d.Operands(in, 3) {
		return i
	}
	switch {
	case bytecode.Has(in, "popc"):
		i.Dst = d.Dst(args[0], "u32")
	case bytecode.Has(in, "and"):
		i.Pdst, i.Combine = d.PredDst(args[0]), func(count, arrived uint32) uint32 { return allOrNone(count == arrived) }
	default:
		i.Pdst, i.Combine = d.PredDst(args[0]), func(count, _ uint32) uint32 { return allOrNone(count > 0) }
	}
	i.A = d.Src(args[1], "u32")
	if len(args) == 4 {
		i.B = d.Src(args[2], "u32")
	}
	i.Pa = d.PredSrc(args[len(args)-1])
	return i
}

// allOrNone is the mask of all lanes for true.
func allOrNone(b bool) uint32 { return -simd.Bit(b) }

// bar assembles bar a{, b}: the number of the barrier and how many threads it counts.
func bar(kind bytecode.BarrierKind, aligned bool) bytecode.Assembler {
	return func(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
		i := bytecode.Instr{Op: bytecode.OpBarrier, Barrier: kind, Aligned: aligned, B: d.Constant(0)}
		if len(in.Args) == 2 {
			i.B = d.Src(in.Args[1], "u32")
		} else if !d.Operands(in, 1) {
			return i
		}
		if kind == bytecode.BarArrive && len(in.Args) == 1 {
			d.Invalid("%s needs the number of threads that it counts", in.Text)
		}
		i.A = d.Src(in.Args[0], "u32")
		return i
	}
}

func assembleWarpBarrier(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	i := bytecode.Instr{Op: bytecode.OpWarpBarrier}
	if d.Operands(in, 1) {
		i.C = d.Src(in.Args[0], "b32")
	}
	return i
}

// assembleFence decodes a fence. That of a tensor map names the map and its size.
func assembleFence(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	if bytecode.Has(in, "tensormap::generic") && bytecode.Has(in, "acquire") && len(in.Args) == 2 {
		d.Access(in, in.Args[0], "b8", 1)
	} else {
		d.Operands(in, 0)
	}
	return bytecode.Instr{Op: bytecode.OpFence}
}

var fenced atomic.Uint32

// fence orders the memory accesses of this goroutine as membar orders those of its
// threads: Go's atomics are sequentially consistent.
func fence() { fenced.Add(1) }

// arrive counts the lanes e of w at a barrier and lets them wait there.
func (b *block) arrive(w *warp, in *bytecode.Instr, pc int32, e uint32) *Failure {
	lane := bits.TrailingZeros32(e)
	number, wanted := uint32(w.regs[in.A][lane]), uint32(w.regs[in.B][lane])
	for m := e; m != 0 && !(b.k.IsConstant(in.A) && b.k.IsConstant(in.B)); m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if uint32(w.regs[in.A][l]) != number || uint32(w.regs[in.B][l]) != wanted {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the lanes of the warp name different barriers or thread counts")
		}
	}
	switch {
	case number >= barrierCount:
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier %d does not exist: a block has %d", number, barrierCount)
	case wanted%bytecode.WarpSize != 0:
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "%d threads is not a multiple of the warp size", wanted)
	}
	bar := &b.barriers[number]
	if bar.arrived == 0 {
		bar.wanted, bar.pc = wanted, pc
		b.waiting++
	} else if bar.wanted != wanted {
		return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier %d counts %d threads here but %d at PTX line %d",
			number, wanted, bar.wanted, b.k.Places[bar.pc].Line)
	}
	if b.races != nil {
		b.races.arrive(w, int(number))
	}
	if b.profile != nil {
		b.profile.Arrive(int(number), w.number(), pc)
	}
	if in.Barrier == bytecode.BarArrive {
		bar.arrived += uint32(bits.OnesCount32(e))
		bar.passing = true
		w.push(group{pc: pc + 1, mask: e})
		if in.Aligned && e != w.live {
			return b.fault(w, pc, lane, driver.ErrorLaunchFailed, "barrier divergence: the lanes of the warp do not all arrive together")
		}
	} else {
		bar.arrived += uint32(bits.OnesCount32(e))
		if in.Barrier == bytecode.BarReduce {
			bar.holds += uint32(bits.OnesCount32(w.pred(in.Pa) & e))
			if b.shadow != nil {
				b.shadow.joins(w, in, e, bar)
			}
		}
		w.push(group{pc: pc, mask: e, state: atBarrier, barrier: uint8(number)})
	}
	return b.complete(int(number))
}

// complete releases the barrier if all the threads it counts have arrived.
func (b *block) complete(number int) *Failure {
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
	if b.profile != nil {
		b.profile.Complete(number)
	}
	if b.races != nil {
		b.races.complete(b, number)
	}
	return nil
}

// release lets the lanes of w that wait at the barrier go on. Those of an aligned
// barrier must be all the warp's live lanes, at one instruction.
func (b *block) release(w *warp, number int) *Failure {
	groups := w.groups
	w.groups = w.groups[:0] // push writes at most where groups was read
	for _, g := range groups {
		if g.state != atBarrier || int(g.barrier) != number {
			w.push(g)
			continue
		}
		if b.k.Code[g.pc].Aligned && g.mask != w.live {
			return b.fault(w, g.pc, bits.TrailingZeros32(g.mask), driver.ErrorLaunchFailed,
				"barrier divergence: lanes %#08x of the warp are here, of %#08x that have not exited", g.mask, w.live)
		}
		if in := &b.k.Code[g.pc]; in.Barrier == bytecode.BarReduce {
			w.reduced(in, g.mask, &b.barriers[number])
			if b.shadow != nil {
				b.shadow.reduced(w, in, g.mask, &b.barriers[number])
			}
		}
		if b.races != nil {
			b.races.depart(w, number, g.mask, b.barriers[number].wanted == 0)
		}
		if b.profile != nil {
			b.profile.Depart(number, w.number(), g.pc)
		}
		w.push(group{pc: g.pc + 1, mask: g.mask})
	}
	return nil
}

// reduced gives lanes the result of a barrier's reduction.
func (w *warp) reduced(in *bytecode.Instr, mask uint32, bar *barrier) {
	if in.Combine == nil {
		w.setAll(in.Dst, mask, uint64(bar.holds))
		return
	}
	w.preds[in.Pdst] = w.preds[in.Pdst]&^mask | in.Combine(bar.holds, bar.arrived)&mask
}

// reportNamed reports a member mask that names lanes which have exited. Those that are left do not wait for them; what was meant to
// come from them is missing.
//
// CUDA C++ Programming Guide, Warp Shuffle Functions: threads may only read data from another thread which is actively participating.
func (b *block) reportNamed(w *warp, pc int32, set, mask, gone uint32) {
	b.report(placeOf{check: synccheck, pc: pc}, func() *Failure {
		return b.fault(w, pc, bits.TrailingZeros32(set), driver.ErrorLaunchFailed, "the member mask %#08x names %d lanes that have exited, %#08x: name those that take part, or let all of them come here before they return", mask, bits.OnesCount32(gone), gone)
	})
}

// reportExited reports a barrier for all threads of the block that some have exited before. Today's GPUs
// do not wait for them; the manual wants all threads there, and so did older GPUs.
//
// CUDA C++ Programming Guide, Synchronization Functions.
func (b *block) reportExited(number int) {
	total := uint32(limits.Count(b.cfg.Block))
	if b.live >= total {
		return
	}
	pc := b.barriers[number].pc
	b.report(placeOf{check: synccheck, pc: pc}, func() *Failure {
		for n := range b.warps {
			w := &b.warps[n]
			if gone := w.lanes &^ w.live; gone != 0 {
				return b.fault(w, pc, bits.TrailingZeros32(gone), driver.ErrorLaunchFailed, "%d of %d threads, this one first, have exited before the barrier: let all threads of the block reach it, and return behind the last one", total-b.live, total)
			}
		}
		return nil
	})
}
