package cuda

import (
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A word of lifetime.users is the tag of the object's device and the bits of the streams
// that use the object. Tags keep the streams of one device apart from the objects of
// another: no two devices that a process opens have the same.
const (
	tagShift = 48
	tagMask  = 0xffff << tagShift

	// noBit is the bit of streams that have none of their own; no lifetime has it.
	noBit = 1 << (tagShift - 1)

	// allBits are the bits that streams may have.
	allBits = noBit - 1
)

var lastTag atomic.Uint64

// newTag returns the tag of a device, or 0 when a process has opened too many.
func newTag() uint64 {
	if n := lastTag.Add(1); n <= tagMask>>tagShift {
		return n << tagShift
	}
	return 0
}

// streamBits hands out a bit to each of up to 47 streams of a device that live at a time.
// The device's mutex guards it.
type streamBits struct {
	tag   uint64
	given uint64 // to streams that are not gone
	stale uint64 // of streams that are gone: lifetimes may still have them
}

// take returns the word of a stream: the tag and a bit that no lifetime has, or noBit.
func (b *streamBits) take(memory *memoryList) uint64 {
	if b.tag == 0 {
		return noBit
	}
	free := allBits &^ (b.given | b.stale)
	if free == 0 && b.stale != 0 && !leak.Enabled() { // then the list has no lifetimes
		memory.forget(b.stale)
		free, b.stale = b.stale, 0
	}
	if free == 0 {
		return b.tag | noBit
	}
	bit := free & -free
	b.given |= bit
	return b.tag | bit
}

// giveBack takes the word of a stream that is gone.
func (b *streamBits) giveBack(word uint64) {
	b.given &^= word & allBits
	b.stale |= word & allBits
}

// lacks returns 0 if users, of a lifetime, has the tag and the bit of word, a stream's.
func lacks(users, word uint64) uint64 { return (users ^ word) & (word | tagMask) }
