package inuse

import "sync"

// A word of lifetime.users is the tag of the object's device and the bits of the streams
// that use the object. Tags keep the streams of one device apart from the objects of
// another: no two devices that a process opens have the same. Each has 8 bits of 16, so
// that a word with all bits of a tag has that tag.
const (
	tagBits  = 16
	tagShift = 64 - tagBits

	// NoBit is the bit of streams that have none of their own; no lifetime has it.
	NoBit = 1 << (tagShift - 1)

	// AllBits are the bits that streams may have.
	AllBits = NoBit - 1
)

// tags hands out tags.
var tags struct {
	sync.Mutex
	last uint64
}

// NewTag returns the tag of a device, or 0 when a process has opened 12,870.
func NewTag() uint64 {
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

// Bits hands out a bit to each of up to 47 streams of a device that live at a time.
// The device's mutex guards it.
type Bits struct {
	Tag   uint64
	given uint64 // to streams that are not gone
	stale uint64 // of streams that are gone: lifetimes may still have them
}

// Take returns the word of a stream: the tag and a bit that no lifetime has, or NoBit. forget takes bits
// from all lifetimes; it is nil if they cannot be found.
func (b *Bits) Take(forget func(bits uint64)) uint64 {
	if b.Tag == 0 {
		return NoBit
	}
	free := AllBits &^ (b.given | b.stale)
	if free == 0 && b.stale != 0 && forget != nil {
		forget(b.stale)
		free, b.stale = b.stale, 0
	}
	if free == 0 {
		return b.Tag | NoBit
	}
	bit := free & -free
	b.given |= bit
	return b.Tag | bit
}

// GiveBack takes the word of a stream that is gone.
func (b *Bits) GiveBack(word uint64) {
	b.given &^= word & AllBits
	b.stale |= word & AllBits
}
