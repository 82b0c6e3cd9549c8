package cuda

import "github.com/cudagen/cudagen/runtime/internal/leak"

// noBit is the bit of streams that have none of their own; no lifetime has it.
const noBit = 1 << 63

// streamBits hands out a bit to each of up to 63 streams of a device that live at a time.
// The device's mutex guards it.
type streamBits struct {
	given uint64 // to streams that are not gone
	stale uint64 // of streams that are gone: lifetimes may still have them
}

// take returns a bit that no lifetime has, or noBit.
func (b *streamBits) take(memory *memoryList) uint64 {
	free := ^(b.given | b.stale | noBit)
	if free == 0 && b.stale != 0 && !leak.Enabled() { // then the list has no lifetimes
		memory.forget(b.stale)
		free, b.stale = b.stale, 0
	}
	if free == 0 {
		return noBit
	}
	bit := free & -free
	b.given |= bit
	return bit
}

// giveBack takes the bit of a stream that is gone.
func (b *streamBits) giveBack(bit uint64) {
	if bit != noBit {
		b.given &^= bit
		b.stale |= bit
	}
}
