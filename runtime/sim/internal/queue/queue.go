// Package queue runs work in order, as a stream does, and knows places in it, as an event does. It
// does not know what the work is.
package queue

import (
	"sync"
	"sync/atomic"
)

// A Queue runs its work in order, on a goroutine that lives while there is any.
type Queue struct {
	mu    sync.Mutex
	idle  *sync.Cond
	work  []func()
	busy  bool // a goroutine is running the queue
	ended *atomic.Uint64
}

// New returns a queue that counts in ended the work that has run.
func New(ended *atomic.Uint64) *Queue {
	q := &Queue{ended: ended}
	q.idle = sync.NewCond(&q.mu)
	return q
}

// Enqueue appends work and returns at once.
func (q *Queue) Enqueue(work func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.work = append(q.work, work)
	if !q.busy {
		q.busy = true
		go q.run()
	}
}

func (q *Queue) run() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.work) > 0 {
		work := q.work[0]
		q.work[0] = nil
		q.work = q.work[1:]
		q.mu.Unlock()
		work()
		q.ended.Add(1)
		q.mu.Lock()
	}
	q.work, q.busy = nil, false
	q.idle.Broadcast()
}

// Wait returns when all that was enqueued has run.
func (q *Queue) Wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.busy {
		q.idle.Wait()
	}
}

// IsIdle reports whether all that was enqueued has run.
func (q *Queue) IsIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy
}
