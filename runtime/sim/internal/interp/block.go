// Package interp executes kernels: bytecode, a launch and memory come in, and changed memory, faults, printed text and reports of checks
// go out. It knows grids, clusters, blocks, warps and the instructions that need them, and the checks of
// memory and races. It knows no streams, handles or calls of the driver.
package interp

import (
	"math/bits"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A block executes the blocks of a grid that one worker is given, one after
// another. Its warps take turns, so nothing in it needs a lock.
type block struct {
	k      *bytecode.Kernel
	plan   *bytecode.Plan
	code   []bytecode.Instr // the plan's, with pairs where nothing is checked, or the kernel's where each instruction is
	mem    *memory.Memory
	cfg    driver.LaunchConfig
	params []byte // in the layout of the PTX
	stop   *atomic.Bool

	printed *printed // of the launch
	out     []byte   // that its threads have printed

	place   *Placement
	cluster *cluster // that the block is in, or nil

	index       driver.Dim3
	warps       []warp
	registers   []simd.Lanes // of the warps
	shared      []uint64
	sharedBytes uint64
	barriers    [barrierCount]barrier
	races       *races       // nil unless they are looked for
	shadow      *shadow      // nil unless undefined values are looked for
	observer    *observer    // nil if no check looks at accesses
	reports     *reports     // of the launch
	exited      bool         // barriers that threads have exited before are reported
	globalRaces *globalRaces // of the launch; nil unless they are looked for
	coverage    *coverage    // nil unless it is counted
	zones       *redZones    // of the launch; nil unless its slices cover parts of buffers
	gangTurn    uint64       // in which it began
	schedule    Schedule
	turns       *turns // of the warps
	live        uint32 // threads that have not exited
	waiting     int    // barriers at which threads have arrived
	executed    uint64 // thread instructions, of all blocks
	began       uint64 // executed before this block
	spent       int    // jumps that a share of time does not have, because the block only waits
}

const barrierCount = 16

// A barrier is one of a block's barriers in use.
type barrier struct {
	arrived uint32 // threads
	holds   uint32 // those for which the predicate of a reduction holds
	unsure  unsure // of holds
	wanted  uint32 // threads; 0 means all that have not exited
	passing bool   // some have arrived and do not wait
	pc      int32  // of the first to arrive
}

// A warp is 32 threads in lockstep.
type warp struct {
	regs   []simd.Lanes
	preds  []uint32
	carry  uint32
	first  int     // thread number of lane 0
	lanes  uint32  // that exist
	live   uint32  // that have not exited
	groups []group // at least one for the live lanes, except while it runs

	local      []uint64
	localBytes uint64     // of a lane
	stack      *callStack // of a kernel with calls or alloca

	phases [bytecode.WarpSize]uint32 // of the cluster's barrier, in which each lane arrived
	racing int                       // the number of the warp among those that races are looked for between

	result          simd.Lanes // of an instruction that some lanes skip
	flushA, flushB  simd.Lanes
	flushC, scratch simd.Lanes
	at              bytecode.Accessed // of the access under way
	reach           simd.Reach
	kept            bytecode.RegisterSet // what the lanes that do not run now may still read
	resting         uint32               // the lanes that have small values in what is live at restsAt
	restsAt         int32
	surveys         []survey
}

// A group is the lanes of a warp that stand at one instruction.
type group struct {
	pc      int32
	mask    uint32
	state   groupState
	barrier uint8 // number, when waiting at one
}

type groupState uint8

const (
	ready   groupState = iota
	yielded            // has used its share of time while others had none
	atSync             // waits for lanes of its warp
	atBarrier
	atCluster // waits for the threads of its cluster
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

// threads is how many threads b has, exited or not.
func (b *block) threads() uint32 { return b.cfg.Block.X * b.cfg.Block.Y * b.cfg.Block.Z }

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

// reservedAt is where the shared memory of the kernel ends.
func (b *block) reservedAt() uint64 {
	return uint64(bytecode.RoundUp(b.k.SharedBytes+int64(b.cfg.SharedBytes), bytecode.FrameAlign))
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
	b.turns = b.schedule.warps(index, len(b.warps))
}

// turn lets each warp run for its share of time. alive reports whether any is left, and progress
// whether any executed an instruction.
func (b *block) turn() (alive, progress bool, fault *Failure) {
	b.turns.shuffle()
	for n := range b.warps {
		w := &b.warps[b.turns.at(n)]
		if w.live == 0 {
			continue
		}
		ran, fault := b.advance(w)
		if fault != nil {
			return true, true, fault
		}
		progress = progress || ran
		alive = alive || w.live != 0
	}
	if alive {
		fault = b.interrupted() // its warps may never run for long
	}
	return alive, progress, fault
}

// interrupted returns the failure of a block that must stop between the turns of its warps,
// or nil.
func (b *block) interrupted() *Failure {
	if !b.stop.Load() {
		return nil
	}
	for n := range b.warps {
		w := &b.warps[n]
		if len(w.groups) > 0 {
			return b.stopAt(w, w.groups[0].pc, bits.TrailingZeros32(w.groups[0].mask))
		}
	}
	return nil
}

// stopAt is the failure of a block that is stopped at pc, because the device is being closed.
func (b *block) stopAt(w *warp, pc int32, lane int) *Failure {
	return b.fault(w, pc, lane, driver.ErrorLaunchTimeout, Stopped)
}

// push adds lanes to w's groups.
func (w *warp) push(g group) {
	for n := range w.groups {
		if o := &w.groups[n]; o.pc == g.pc && o.state == g.state && o.barrier == g.barrier {
			o.mask |= g.mask
			return
		}
	}
	w.groups = append(w.groups, g)
}

// pick takes the ready group with the lowest pc, joined by all that stand at the same
// instruction, out of w's groups. Running the lowest first is what brings lanes that
// have diverged together again.
func (w *warp) pick() (pc int32, mask uint32, ok bool) {
	best := -1
	for n := range w.groups {
		if g := &w.groups[n]; g.state == ready && (best < 0 || g.pc < w.groups[best].pc) {
			best = n
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	pc = w.groups[best].pc
	kept := w.groups[:0]
	for _, g := range w.groups {
		if g.pc == pc && g.state < atBarrier {
			mask |= g.mask
		} else {
			kept = append(kept, g)
		}
	}
	w.groups = kept
	return pc, mask, true
}

// limit is the lowest pc above pc at which another group stands, which a group
// running from pc must not pass.
func (w *warp) limit(pc int32) int32 {
	limit := int32(1<<31 - 1)
	for n := range w.groups {
		if g := &w.groups[n]; g.state < atBarrier && g.pc > pc && g.pc < limit {
			limit = g.pc
		}
	}
	return limit
}

// standsAt reports whether lanes of another group stand at pc.
func (w *warp) standsAt(pc int32) bool {
	for n := range w.groups {
		if w.groups[n].pc == pc {
			return true
		}
	}
	return false
}

// wake makes the groups in state s ready, and reports whether there were any.
func (w *warp) wake(s groupState) bool {
	woken := false
	for n := range w.groups {
		if w.groups[n].state == s {
			w.groups[n].state = ready
			woken = true
		}
	}
	return woken
}

// exit ends lanes of w. Those that wait for them are asked again.
func (b *block) exit(w *warp, mask uint32) *Failure {
	w.live &^= mask
	b.live -= uint32(bits.OnesCount32(mask))
	if b.races != nil {
		b.races.exit(w)
	}
	w.wake(atSync)
	if b.cluster != nil {
		b.cluster.complete()
	}
	for n := 0; b.waiting > 0 && n < barrierCount; n++ {
		if b.barriers[n].arrived > 0 {
			if fault := b.complete(n); fault != nil {
				return fault
			}
		}
	}
	return nil
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

// keep finds what the lanes of w may still read that do not run now, when others go on at pc.
func (w *warp) keep(p *bytecode.Plan, pc int32, mask uint32) {
	clear(w.kept)
	if p.Live == nil && len(w.groups) == 0 {
		return
	}
	for n := range w.groups {
		var live bytecode.RegisterSet
		if p.Live != nil {
			live = p.Live[w.groups[n].pc]
		}
		if live == nil {
			for n := range w.kept {
				w.kept[n] = ^uint64(0)
			}
			return
		}
		w.kept.Join(live)
	}
	w.rest(p.Live[pc], pc, mask)
}

// rest gives the other lanes a value where those of mask go on with what is live and the others never read it again. In a loop that they have left,
// their values would go on to grow until they are no numbers, which are slow, as are zeros in an fma. Those that are small stay so, mostly.
func (w *warp) rest(live bytecode.RegisterSet, pc int32, mask uint32) {
	if live == nil || w.restsAt == pc && ^mask&^w.resting == 0 {
		return
	}
	w.restsAt, w.resting = pc, ^mask
	for n, word := range live {
		for word &^= w.kept[n]; word != 0; word &= word - 1 {
			simd.Fast.Blend(&w.regs[64*n+bits.TrailingZeros64(word)], &planner.Small, ^mask)
		}
	}
}
