package sim

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// reportExited reports a barrier for all threads of the block that some have exited before. Today's GPUs
// do not wait for them; the manual wants all threads there, and so did older GPUs.
//
// CUDA C++ Programming Guide, Synchronization Functions.
func (b *block) reportExited(number int) {
	total := uint32(count(b.cfg.Block))
	if b.live >= total {
		return
	}
	pc := b.barriers[number].pc
	b.report(placeOf{synccheck, pc, 0}, func() *failure {
		for n := range b.warps {
			w := &b.warps[n]
			if gone := w.lanes &^ w.live; gone != 0 {
				return b.fault(w, pc, bits.TrailingZeros32(gone), driver.ErrorLaunchFailed, "%d of %d threads, this one first, have exited before the barrier: let all threads of the block reach it, and return behind the last one", total-b.live, total)
			}
		}
		return nil
	})
}
