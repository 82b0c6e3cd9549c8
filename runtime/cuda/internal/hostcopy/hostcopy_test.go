package hostcopy

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestSemaphore(t *testing.T) {
	s := make(Semaphore, 2)
	ctx, cancel := context.WithCancel(t.Context())
	assert.True(t, s.Take(ctx))
	assert.True(t, s.TryTake())
	assert.False(t, s.TryTake())
	assert.False(t, s.TakeWithin(ctx, time.Millisecond))
	s.Give()
	assert.True(t, s.TakeWithin(ctx, time.Minute))
	cancel()
	assert.False(t, s.Take(ctx))
	assert.False(t, s.TakeWithin(ctx, time.Minute))
}

func TestStream(t *testing.T) {
	var s Stream
	for range maxStaged {
		assert.True(t, s.Stage())
	}
	assert.False(t, s.Stage())
	s.Unstage()
	assert.True(t, s.Stage())
	assert.Equal(t, maxParked, cap(s.Turns()))
	s.Turns() <- struct{}{}
	assert.Len(t, s.Turns(), 1, "they are the same")
}

// TestStaging: blocks that are out do not overlap, and all memory goes back.
func TestStaging(t *testing.T) {
	slabs, frees := 0, 0
	s := NewStaging(func(bytes uint64) unsafe.Pointer {
		if slabs == 3 {
			return nil
		}
		slabs++
		return unsafe.Pointer(unsafe.SliceData(make([]byte, bytes)))
	}, func(unsafe.Pointer) { frees++ })
	for _, bytes := range []uint64{0, maxBlock + 1} {
		_, ok := s.Take(bytes)
		assert.False(t, ok, bytes)
	}
	var blocks []Block
	for b, ok := s.Take(maxBlock - 1); ok; b, ok = s.Take(maxBlock - 1) {
		for i := range b.Of(maxBlock) {
			assert.Zero(t, b.Of(maxBlock)[i])
			b.Of(maxBlock)[i] = 1
		}
		blocks = append(blocks, b)
	}
	assert.Len(t, blocks, 3*slab/maxBlock)
	s.Put(blocks[0])
	again, ok := s.Take(maxBlock)
	assert.True(t, ok)
	assert.Equal(t, blocks[0], again)
	closed := make(chan struct{})
	go func() {
		s.Close()
		close(closed)
	}()
	for _, b := range blocks {
		select {
		case <-closed:
			t.Fatal("it was closed before all blocks were back")
		default:
		}
		s.Put(b)
	}
	<-closed
	assert.Equal(t, 3, frees)
}
