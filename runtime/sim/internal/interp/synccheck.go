package interp

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// reportNamed reports a member mask that names lanes which have exited. Those that are left do not wait for them; what was meant to
// come from them is missing.
//
// CUDA C++ Programming Guide, Warp Shuffle Functions: threads may only read data from another thread which is actively participating.
func (b *block) reportNamed(w *warp, pc int32, set, mask, gone uint32) {
	b.report(placeOf{synccheck, pc, 0}, func() *Failure {
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
	b.report(placeOf{synccheck, pc, 0}, func() *Failure {
		for n := range b.warps {
			w := &b.warps[n]
			if gone := w.lanes &^ w.live; gone != 0 {
				return b.fault(w, pc, bits.TrailingZeros32(gone), driver.ErrorLaunchFailed, "%d of %d threads, this one first, have exited before the barrier: let all threads of the block reach it, and return behind the last one", total-b.live, total)
			}
		}
		return nil
	})
}
