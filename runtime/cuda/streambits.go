package cuda

import (
	"sync"
)

// A word of lifetime.users is the tag of the object's device and the bits of the streams
// that use the object. Tags keep the streams of one device apart from the objects of
// another: no two devices that a process opens have the same. Each has 8 bits of 16, so
// that a word with all bits of a tag has that tag.
const (
	tagBits  = 16
	tagShift = 64 - tagBits

	// noBit is the bit of streams that have none of their own; no lifetime has it.
	noBit = 1 << (tagShift - 1)

	// allBits are the bits that streams may have.
	allBits = noBit - 1
)

// tags hands out tags.
var tags struct {
	sync.Mutex
	last uint64
}

// newTag returns the tag of a device, or 0 when a process has opened 12,870.
func newTag() uint64 {
	tags.Lock()
	defer tags.Unlock()
	tags.last = nextTag(tags.last)
	if tags.last >= 1<<tagBits {
		return 0
	}
	return tags.last << tagShift
}

// nextTag returns the next larger number with 8 bits set; the first one behind 0. It stays
// at what has more than 16 bits.
func nextTag(x uint64) uint64 {
	switch {
	case x == 0:
		return 1<<(tagBits/2) - 1
	case x >= 1<<tagBits:
		return x
	}
	lowest := x & -x
	ripple := x + lowest
	return ripple | (x^ripple)>>2/lowest
}

// streamBits hands out a bit to each of up to 47 streams of a device that live at a time.
// The device's mutex guards it.
type streamBits struct {
	tag   uint64
	given uint64 // to streams that are not gone
	stale uint64 // of streams that are gone: lifetimes may still have them
}

// take returns the word of a stream: the tag and a bit that no lifetime has, or noBit. Where
// leaks are noted, the list has no lifetimes to take bits from.
func (b *streamBits) take(memory *memoryList, leaks bool) uint64 {
	if b.tag == 0 {
		return noBit
	}
	free := allBits &^ (b.given | b.stale)
	if free == 0 && b.stale != 0 && !leaks {
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
