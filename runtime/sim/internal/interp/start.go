package interp

import (
	"math/bits"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/coverage"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

func newBlock(k *bytecode.Kernel, mem *memory.Memory, cfg driver.LaunchConfig, place *Placement, params []byte, stop *atomic.Bool) *block {
	b := &block{k: k, plan: planner.Planned(k), mem: mem, cfg: cfg, place: place, params: params, stop: stop}
	b.code = b.plan.Quickest()
	b.sharedBytes = uint64(k.SharedBytes) + uint64(cfg.SharedBytes)
	if k.Reserves {
		b.sharedBytes = b.reservedAt() + bytecode.ReservedShared
	}
	b.shared = memory.Words(b.sharedBytes)
	threads := int(cfg.Block.X * cfg.Block.Y * cfg.Block.Z)
	b.warps = make([]warp, (threads+bytecode.WarpSize-1)/bytecode.WarpSize)
	each := k.Registers()
	b.registers = takeRegisters(k, len(b.warps)*each)
	for n := range b.warps {
		w := &b.warps[n]
		w.first = n * bytecode.WarpSize
		w.lanes = bytecode.Full >> max(0, bytecode.WarpSize-(threads-w.first))
		w.regs = b.registers[n*each : (n+1)*each : (n+1)*each]
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
			for l := range bytecode.WarpSize {
				w.regs[k.FirstConst()+c][l] = value
			}
		}
		b.fillSpecials(w, false)
	}
	b.prepare()
	return b
}

// takeRegisters returns n registers, whose values are left from another block. To make and to clear
// them is much of what a short launch costs.
func takeRegisters(k *bytecode.Kernel, n int) []simd.Lanes {
	if spare, ok := k.Spare.Get().(*[]simd.Lanes); ok && cap(*spare) >= n {
		return (*spare)[:n]
	}
	return make([]simd.Lanes, n)
}

// retire gives the registers of b, which has ended, to later launches.
func (b *block) retire() {
	registers := b.registers
	b.registers, b.warps = nil, nil
	b.k.Spare.Put(&registers)
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

// fillSpecials sets the special registers of w: those that vary between blocks, or
// the others.
func (b *block) fillSpecials(w *warp, varying bool) {
	for n, s := range b.k.Specials {
		if bytecode.SpecialRegisters[s].Varies != varying {
			continue
		}
		r := &w.regs[b.k.FirstSpecial()+n]
		if varying { // and so from block to block only
			simd.Fast.Fill(r, specialValues[s](b, uint32(w.first)))
			continue
		}
		for l := range uint32(bytecode.WarpSize) {
			r[l] = specialValues[s](b, uint32(w.first)+l)
		}
	}
}

// observe has checks look at what b does, through an observer if they need one.
func (b *block) observe(c Checks) {
	if c.Coverage || c.plainly || b.debug != nil {
		b.plan = planner.Unplanned(b.k)
		b.code = b.plan.Code
	}
	if c.Coverage {
		b.coverage = coverage.New(b.k)
	}
	if c.Undefined {
		b.shadow = newShadow(b)
	}
	if c.Races {
		b.lookForRaces()
		b.races.plainly = c.plainly
	}
	var arrays *bytecode.ArrayBounds
	if c.Arrays {
		arrays = planner.Bounded(b.k)
	}
	if b.races != nil || b.shadow != nil || b.globalRaces != nil || b.zones != nil || arrays != nil || b.debug != nil {
		b.observer = &observer{b, b.races, b.shadow, b.globalRaces, b.zones, arrays, b.debug}
		b.code = b.plan.Code
	}
}

// begin makes the block the one at index, before its first instruction.
func (b *block) begin(index driver.Dim3) {
	b.index, b.began, b.live, b.spent = index, b.executed, 0, 0
	simd.Spoil(b.shared)
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
		simd.Spoil(w.local)
		w.carry = 0
		w.live, w.resting = w.lanes, 0
		b.live += uint32(bits.OnesCount32(w.lanes))
		w.groups = append(w.groups[:0], group{pc: b.k.Start, mask: w.lanes})
		if w.stack != nil {
			w.stack.reset(bytecode.RoundUp(b.k.LocalBytes, bytecode.FrameAlign))
		}
		b.fillSpecials(w, true)
	}
	if b.shadow != nil {
		b.shadow.begin()
	}
	b.turns = b.schedule.Warps(index, len(b.warps))
}
