// Package interp executes kernels: bytecode, a launch and memory come in, and changed memory, faults, printed text and reports of checks
// go out. It knows grids, clusters, blocks, warps and the instructions that need them, and the checks of
// memory and races. It knows no streams, handles or calls of the driver.
//
// Its files lie in layers, of which each uses those before it: blocks and their warps, accesses to memory and the checks of them;
// operations of a chapter of the PTX ISA each; the loops that execute instructions (run, checkedrun); blocks that run at once and
// the workers that run them (start, gang, launch). Start with launch.go.
package interp

import (
	"math/bits"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/coverage"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/profile"
	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
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
	shared      []uint64
	sharedBytes uint64
	barriers    [barrierCount]barrier
	races       *races           // nil unless they are looked for
	shadow      *shadow          // nil unless undefined values are looked for
	observer    *observer        // nil if no check looks at accesses
	reports     *reports         // of the launch
	exited      bool             // barriers that threads have exited before are reported
	globalRaces *globalRaces     // of the launch; nil unless they are looked for
	coverage    *coverage.Counts // nil unless it is counted
	profile     *profile.Counts  // nil unless it is counted
	debug       *stops.Launch    // nil without a debugger
	zones       *redZones        // of the launch; nil unless its slices cover parts of buffers
	gangTurn    uint64           // in which it began
	schedule    schedule.Seed
	turns       *schedule.Turns // of the warps
	live        uint32          // threads that have not exited
	waiting     int             // barriers at which threads have arrived
	executed    uint64          // thread instructions, of all blocks
	began       uint64          // executed before this block
	spent       int             // jumps that a share of time does not have, because the block only waits
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

// threads is how many threads b has, exited or not.
func (b *block) threads() uint32 { return b.cfg.Block.X * b.cfg.Block.Y * b.cfg.Block.Z }

// reservedAt is where the shared memory of the kernel ends.
func (b *block) reservedAt() uint64 {
	return uint64(bytecode.RoundUp(b.k.SharedBytes+int64(b.cfg.SharedBytes), bytecode.FrameAlign))
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
