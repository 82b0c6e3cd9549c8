package queue

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestQueue: work runs in the order in which it was enqueued, also by work, and is counted.
func TestQueue(t *testing.T) {
	var ended atomic.Uint64
	q := New(&ended)
	assert.True(t, q.IsIdle())
	q.Wait()
	hold := make(chan struct{})
	var ran []int
	q.Enqueue(func() {
		<-hold
		q.Enqueue(func() { ran = append(ran, 100) })
	})
	for n := range 10 {
		q.Enqueue(func() { ran = append(ran, n) })
	}
	assert.False(t, q.IsIdle())
	assert.Zero(t, ended.Load())
	close(hold)
	q.Wait()
	assert.True(t, q.IsIdle())
	assert.Len(t, ran, 11)
	assert.IsIncreasing(t, ran)
	assert.EqualValues(t, 12, ended.Load())
	q.Enqueue(func() { ran = nil })
	q.Wait()
	assert.Empty(t, ran, "a queue that was idle goes on")
}

// TestMarks: others hear when a queue comes by a mark.
func TestMarks(t *testing.T) {
	q := New(new(atomic.Uint64))
	first, second, hold := NewMark(), NewMark(), make(chan struct{})
	q.Enqueue(first.Pass)
	q.Enqueue(func() { <-hold })
	q.Enqueue(second.Pass)
	first.Wait()
	assert.True(t, first.IsPassed())
	assert.False(t, second.IsPassed())
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(second.Wait)
	}
	close(hold)
	waiting.Wait()
	<-second.Passed()
	assert.True(t, second.IsPassed())
	assert.GreaterOrEqual(t, second.Since(first), first.Since(first))
}
