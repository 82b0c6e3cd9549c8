package inuse

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	var c Count
	closed, last := c.Begin()
	assert.False(t, closed || last)
	first, last := c.Close()
	assert.True(t, first)
	assert.False(t, last, "a call uses it")
	assert.True(t, c.IsClosed())
	closed, last = c.Begin()
	assert.True(t, closed)
	assert.False(t, last)
	assert.True(t, c.End())
	first, last = c.Close()
	assert.False(t, first || last)
	var unused Count
	first, last = unused.Close()
	assert.True(t, first && last)
}

// TestTags: no tag is given twice, and none is within another.
func TestTags(t *testing.T) {
	var tags []uint64
	for tag := nextTag(0); tag < 1<<tagBits; tag = nextTag(tag) {
		tags = append(tags, tag)
	}
	assert.Len(t, tags, 12870)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(tags))), len(tags))
	for _, tag := range tags {
		if bits.OnesCount64(tag) != 8 || tag >= 1<<16 {
			t.Fatalf("tag %#x", tag)
		}
	}
}

func TestTakeBits(t *testing.T) {
	b := Bits{Tag: NewTag()}
	var words []uint64
	for range bits.OnesCount64(AllBits) {
		w := b.Take(nil)
		assert.Equal(t, b.Tag, w&^AllBits)
		words = append(words, w)
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(words))), 47)
	assert.Equal(t, b.Tag|NoBit, b.Take(nil), "there are no more")
	b.GiveBack(words[5])
	assert.Equal(t, b.Tag|NoBit, b.Take(nil), "lifetimes may have it")
	var forgotten uint64
	assert.Equal(t, words[5], b.Take(func(bits uint64) { forgotten = bits }))
	assert.Equal(t, words[5]&AllBits, forgotten)
	assert.Equal(t, uint64(NoBit), new(Bits).Take(nil), "a device without a tag")
}
