package queue

import (
	"runtime"
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

// Work for anyone runs where somebody waits for it, up to what is not for anyone; if it panics there, or exits the goroutine, what is behind it runs.
func TestForAnyone(t *testing.T) {
	var ended atomic.Uint64
	q := New(&ended)
	held := make(chan struct{})
	q.Enqueue(func() { <-held }) // so that what follows is not begun before somebody waits
	var ran []int
	q.EnqueueForAnyone(func() { ran = append(ran, 1) })
	q.Enqueue(func() { ran = append(ran, 2) })
	q.EnqueueForAnyone(func() { ran = append(ran, 3) })
	close(held)
	q.Wait()
	assert.Equal(t, []int{1, 2, 3}, ran)

	for name, leave := range map[string]func(){"panic": func() { panic("a writer's") }, "exit": runtime.Goexit} {
		for range 100 { // it may be the queue's goroutine that begins, which nobody can catch
			q := New(&ended)
			q.called = true // as if one had been started that has not begun
			left, done := make(chan struct{}), false
			q.EnqueueForAnyone(leave)
			q.EnqueueForAnyone(func() { done = true })
			go func() {
				defer close(left)
				defer func() { recover() }()
				q.Wait()
			}()
			<-left
			q.mu.Lock()
			q.called = false
			q.call()
			q.mu.Unlock()
			q.Wait()
			assert.True(t, done, name)
			assert.True(t, q.IsIdle())
		}
	}
}
