package interp

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/coverage"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/profile"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

func newBlock(k *bytecode.Kernel, mem *memory.Memory, cfg driver.LaunchConfig, place *Placement, params []byte, stop *atomic.Bool) *block {
	b := &block{k: k, plan: planner.Planned(k.Program), mem: mem, cfg: cfg, place: place, params: slices.Clone(params), stop: stop}
	b.code = b.plan.Quickest()
	b.sharedBytes = uint64(k.SharedBytes) + uint64(cfg.SharedBytes)
	if k.Reserves {
		b.sharedBytes = b.reservedAt() + bytecode.ReservedShared
	}
	b.shared = memory.Words(b.sharedBytes)
	threads := int(cfg.Block.X * cfg.Block.Y * cfg.Block.Z)
	b.warps = make([]warp, (threads+bytecode.WarpSize-1)/bytecode.WarpSize)
	each := k.Registers()
	registers := make([]simd.Lanes, len(b.warps)*each)
	for n := range b.warps {
		w := &b.warps[n]
		w.first = n * bytecode.WarpSize
		w.lanes = bytecode.Full >> max(0, bytecode.WarpSize-(threads-w.first))
		w.regs = registers[n*each : (n+1)*each : (n+1)*each]
		simd.SpoilLanes(w.regs[:k.Regs])
		w.surveys = make([]survey, b.plan.Slots)
		w.kept = bytecode.NewRegisterSet(k.Regs)
		w.preds = make([]uint32, k.Preds)
		w.preds[bytecode.PredTrue] = bytecode.Full
		w.localBytes = uint64(bytecode.RoundUp(k.LocalBytes, bytecode.FrameAlign))
		w.local = memory.Words(w.localBytes * bytecode.WarpSize)
		if k.Stack {
			w.stack = &callStack{active: make(map[*bytecode.Function]uint32)}
		}
		for c, value := range k.Constants {
			simd.Fast.Fill(&w.regs[k.FirstConst()+c], value)
		}
		b.placeConstants(w)
		b.fillSpecials(w, bytecode.Never)
		b.fillSpecials(w, bytecode.ByLaunch)
	}
	b.prepare()
	return b
}

// prepare computes in all warps of b what is the same for all blocks.
func (b *block) prepare() {
	for n := range b.warps {
		w := &b.warps[n]
		for i := range b.plan.Hoisted {
			switch in := &b.plan.Hoisted[i]; in.Op {
			case bytecode.OpLanes:
				in.Fn(&w.regs[in.Dst], &w.regs[in.A], &w.regs[in.B], &w.regs[in.C])
			case bytecode.OpLanesFloat:
				w.adjusted(in, bytecode.Full)
			default:
				b.loadParam(w, in, bytecode.Full)
			}
		}
	}
}

// placeConstants sets the constants that are addresses of variables.
func (b *block) placeConstants(w *warp) {
	for _, p := range b.k.Placed {
		simd.Fast.Fill(&w.regs[b.k.FirstConst()+p.Constant], b.k.Variables[p.Variable]+p.Offset)
	}
}

// fillSpecials sets the special registers of w that vary so, and reports whether one has changed.
func (b *block) fillSpecials(w *warp, varying bytecode.Variation) (changed bool) {
	for n, s := range b.k.Specials {
		if bytecode.SpecialRegisters[s].Varies != varying {
			continue
		}
		r := &w.regs[b.k.FirstSpecial()+n]
		if varying != bytecode.Never {
			if v := specialValues[s](b, uint32(w.first)); v != r[0] {
				simd.Fast.Fill(r, v)
				changed = true
			}
			continue
		}
		for l := range uint32(bytecode.WarpSize) {
			r[l] = specialValues[s](b, uint32(w.first)+l)
		}
	}
	return changed
}

// observe has checks look at what b does, through an observer if they need one.
func (b *block) observe(c Checks) {
	if c.Coverage || c.plainly || b.debug != nil {
		b.plan = planner.Unplanned(b.k.Program)
		b.code = b.plan.Code
	}
	if c.Coverage {
		b.coverage = coverage.New(b.k.Program)
	}
	if c.Profile {
		b.profile = profile.New(b.k, len(b.warps))
	}
	if c.Undefined {
		b.shadow = newShadow(b)
	}
	if c.Races && b.sharedBytes > 0 {
		b.lookForRaces()
		b.races.plainly = c.plainly
	}
	var arrays *bytecode.ArrayBounds
	if c.Arrays {
		arrays = planner.Bounded(b.k.Program)
	}
	if b.races != nil || b.shadow != nil || b.globalRaces != nil || b.zones != nil || arrays != nil || b.profile != nil || b.debug != nil {
		b.observer = &observer{b, b.races, b.shadow, b.globalRaces, b.zones, arrays, b.profile, b.debug}
		b.code = b.plan.Code
	}
}

// fitLocal gives w the local memory that the kernel begins with: calls and alloca of a block before may have needed more.
func (w *warp) fitLocal(k *bytecode.Kernel) {
	if n := uint64(bytecode.RoundUp(k.LocalBytes, bytecode.FrameAlign)); w.localBytes != n {
		w.localBytes, w.local = n, w.local[:n*bytecode.WarpSize/8]
	}
}

// begin makes the block the one at index, before its first instruction.
func (b *block) begin(index driver.Dim3) {
	b.index, b.began, b.live, b.spent = index, b.executed, 0, 0
	simd.Spoil(b.shared)
	if b.k.Reserves {
		clear(b.shared[b.reservedAt()/8:]) // as the driver does: cooperative groups begin with it
	}
	clear(b.barriers[:])
	b.waiting = 0
	if b.cluster != nil {
		b.cluster.reset()
	}
	if b.races != nil && b.races.blocks[0] == b {
		b.races.begin()
	}
	for n := range b.warps {
		w := &b.warps[n]
		for _, r := range b.plan.Spoiled {
			simd.Fast.Fill(&w.regs[r], simd.UndefinedWord)
		}
		clear(w.preds[bytecode.FirstPred:])
		w.fitLocal(b.k)
		simd.Spoil(w.local)
		w.carry = 0
		w.live, w.resting = w.lanes, 0
		b.live += uint32(bits.OnesCount32(w.lanes))
		w.groups = append(w.groups[:0], group{pc: b.k.Start, mask: w.lanes})
		if w.stack != nil {
			w.stack.reset(bytecode.RoundUp(b.k.LocalBytes, bytecode.FrameAlign))
		}
		b.fillSpecials(w, bytecode.ByBlock)
	}
	if b.shadow != nil {
		b.shadow.begin()
	}
	if b.profile != nil {
		b.profile.Begin((uint64(index.Z)*uint64(b.cfg.Grid.Y)+uint64(index.Y))*uint64(b.cfg.Grid.X) + uint64(index.X))
	}
	b.turns = b.schedule.Warps(index, len(b.warps))
}
