package nccl

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestNotedStreams: each stream with work is noted once, as long as the program has it, and a question lets others be noted.
func TestNotedStreams(t *testing.T) {
	c := &shared{streams: make(map[weak.Pointer[cuda.Stream]]bool), prune: 2}
	kept := []*cuda.Stream{new(cuda.Stream), new(cuda.Stream)}
	c.noteStream(new(cuda.Stream))
	c.stream.Store(nil)
	runtime.GC()
	for range 2 {
		for _, s := range kept {
			c.noteStream(s)
			assert.Same(t, s, c.stream.Load())
		}
		assert.ElementsMatch(t, kept, c.noted())
	}
	assert.Len(t, c.streams, 2, "what is gone is dropped where there are more than prune")
	assert.Equal(t, 2*2+64, c.prune)
	runtime.KeepAlive(kept)
}
