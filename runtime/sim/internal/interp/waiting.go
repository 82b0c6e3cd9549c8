package interp

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// waiting returns where the threads of blocks stand.
func waiting(blocks []*block) (list []driver.Waiting) {
	for _, b := range blocks {
		for n := range b.warps {
			w := &b.warps[n]
			for _, g := range w.groups {
				at := &b.k.Places[g.pc]
				list = append(list, driver.Waiting{
					Block: b.index, Thread: b.thread(w.first + bits.TrailingZeros32(g.mask)), Warp: n, Lanes: g.mask,
					PTXLine: at.Line, Instruction: at.Text, Source: sourcefile.Shown(at.Source.File), Line: at.Source.Line, InlinedAt: at.InlinedAt(),
					For: b.awaited(w, g),
				})
			}
		}
	}
	return list
}

// awaited says what a group of lanes waits for.
func (b *block) awaited(w *warp, g group) string {
	switch g.state {
	case atBarrier:
		bar := b.barriers[g.barrier]
		wanted := bar.wanted
		if wanted == 0 {
			wanted = b.live
		}
		return fmt.Sprintf("barrier %d, at which %d of %d threads have arrived", g.barrier, bar.arrived, wanted)
	case atSync:
		if in := &b.k.Code[g.pc]; in.Op >= bytecode.OpShuffle && in.Op <= bytecode.OpWarpBarrier && in.Op != bytecode.OpActiveMask {
			members := &w.regs[in.C]
			mask, same := uint32(members[bits.TrailingZeros32(g.mask)]), uint32(0)
			for m := g.mask; m != 0; m &= m - 1 {
				if l := bits.TrailingZeros32(m); uint32(members[l]) == mask {
					same |= 1 << l
				}
			}
			missing := mask & w.live &^ same
			if missing&^g.mask == 0 {
				return fmt.Sprintf("lanes %#08x of its warp with the same member mask, %#08x: theirs is another", missing, mask)
			}
			return fmt.Sprintf("lanes %#08x of its warp, which its member mask names", missing)
		}
		return "the other lanes of its warp"
	case atCluster:
		return "the other blocks of its cluster"
	}
	return ""
}

// sortWaiting sorts by block, warp and lane.
func sortWaiting(list []driver.Waiting) {
	slices.SortStableFunc(list, func(a, b driver.Waiting) int {
		return cmp.Or(cmp.Compare(a.Block.Z, b.Block.Z), cmp.Compare(a.Block.Y, b.Block.Y), cmp.Compare(a.Block.X, b.Block.X),
			cmp.Compare(a.Warp, b.Warp), cmp.Compare(bits.TrailingZeros32(a.Lanes), bits.TrailingZeros32(b.Lanes)))
	})
}

// deadlock describes blocks of which every thread waits for another.
func deadlock(blocks []*block) *Failure {
	return standstill(blocks[0].k.Name, driver.ErrorLaunchFailed, "deadlock: every thread of the block waits for another", waiting(blocks))
}

// standstill is the failure of a launch whose threads wait at the places of list.
func standstill(kernel string, code driver.Result, reason string, list []driver.Waiting) *Failure {
	first := list[0]
	return &Failure{Fault: driver.Fault{
		Result: code, Symbol: kernel,
		PTXLine: first.PTXLine, Instruction: first.Instruction, Source: first.Source, Line: first.Line, InlinedAt: first.InlinedAt,
		Block: first.Block, Thread: first.Thread, Warp: first.Warp, Lane: bits.TrailingZeros32(first.Lanes),
		Reason:  reason + gathered(list),
		Waiting: list,
	}}
}

// How much of a list a text has.
const (
	maxPlacesShown = 8
	maxWarpsShown  = 4
)

// gathered says what stands at each place.
func gathered(list []driver.Waiting) string {
	type place struct {
		line int
		what string
	}
	var order []place
	groups := make(map[place][]driver.Waiting)
	for _, w := range list {
		p := place{w.PTXLine, w.For}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], w)
	}
	var text strings.Builder
	for i, p := range order {
		if i == maxPlacesShown {
			fmt.Fprintf(&text, "; and at %d more places", len(order)-i)
			break
		}
		at, threads := groups[p], 0
		for _, w := range at {
			threads += bits.OnesCount32(w.Lanes)
		}
		where := fmt.Sprintf("PTX line %d", p.line)
		if at[0].Source != "" {
			where = fmt.Sprintf("%s:%d", at[0].Source, at[0].Line)
			if inlined := driver.InlinedText(at[0].InlinedAt); inlined != "" {
				where += ", " + inlined
			}
		}
		if p.what == "" {
			fmt.Fprintf(&text, "; %d threads repeat a loop at %s (%s):", threads, where, at[0].Instruction)
		} else {
			fmt.Fprintf(&text, "; %d threads wait at %s (%s) for %s:", threads, where, at[0].Instruction, p.what)
		}
		for j, w := range at {
			if j == maxWarpsShown {
				fmt.Fprintf(&text, " and %d more warps", len(at)-j)
				break
			}
			fmt.Fprintf(&text, " block (%d,%d,%d) warp %d", w.Block.X, w.Block.Y, w.Block.Z, w.Warp)
			if j < len(at)-1 {
				text.WriteByte(',')
			}
		}
	}
	return text.String()
}
