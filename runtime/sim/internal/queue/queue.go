// Package queue runs work in order, as a stream does, and knows places in it, as an event does. It
// does not know what the work is.
package queue

import (
	"sync"
	"sync/atomic"
)

// A Queue runs its work in order, on a goroutine that lives while there is any, or on one that waits for it.
type Queue struct {
	mu      sync.Mutex
	idle    *sync.Cond
	work    []item // from next on
	next    int
	busy    bool // there is work that has not ended
	running bool // and a goroutine runs it
	called  bool // a goroutine has been started for it
	ended   *atomic.Uint64
	drain   func() // is run, made once
}

// An item is work, and whether any goroutine may run it.
type item struct {
	run    func()
	anyone bool
}

// New returns a queue that counts in ended the work that has run.
func New(ended *atomic.Uint64) *Queue {
	q := &Queue{ended: ended}
	q.idle, q.drain = sync.NewCond(&q.mu), q.run
	return q
}

// Enqueue appends work and returns at once. The work runs on a goroutine of the queue's.
func (q *Queue) Enqueue(work func()) { q.enqueue(item{run: work}) }

// EnqueueForAnyone is Enqueue for work that may also run on the goroutine that waits for it, which spares the way between them.
// Of the program's it calls at most the writer of printf.
func (q *Queue) EnqueueForAnyone(work func()) { q.enqueue(item{work, true}) }

func (q *Queue) enqueue(work item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.work) == cap(q.work) && q.next > len(q.work)/2 { // it never became idle
		n := copy(q.work, q.work[q.next:])
		clear(q.work[n:])
		q.work, q.next = q.work[:n], 0
	}
	q.work = append(q.work, work)
	q.busy = true
	q.call()
}

// call starts a goroutine for the work, unless one is there. q.mu is held.
func (q *Queue) call() {
	if !q.running && !q.called {
		q.called = true
		go q.drain()
	}
}

// run is what the queue's goroutine does.
func (q *Queue) run() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.called = false
	q.proceed(false)
}

// mostKept is how many places for work a queue keeps that is idle.
const mostKept = 1 << 10

// proceed runs the work of q, or what anyone may run of it, if no other goroutine does. q.mu is held.
func (q *Queue) proceed(anyone bool) {
	if q.running || !q.busy {
		return
	}
	q.running = true
	for q.next < len(q.work) {
		work := q.work[q.next]
		if anyone && !work.anyone {
			q.running = false
			q.call()
			return
		}
		q.work[q.next] = item{}
		if q.next++; q.next == len(q.work) {
			q.work, q.next = q.work[:0], 0
		}
		q.do(work)
	}
	q.rest()
}

// do runs work. q.mu is held, but not meanwhile. If that panics or exits its goroutine, another one goes on behind it.
func (q *Queue) do(work item) {
	returned := false
	q.mu.Unlock()
	defer func() {
		q.ended.Add(1)
		if q.mu.Lock(); returned {
			return
		}
		if q.running = false; q.next < len(q.work) {
			q.call()
		} else {
			q.rest()
		}
	}()
	work.run()
	returned = true
}

// rest notes that all work has run. q.mu is held.
func (q *Queue) rest() {
	if cap(q.work) > mostKept {
		q.work = nil
	}
	q.busy, q.running = false, false
	q.idle.Broadcast()
}

// Wait returns when all that was enqueued has run.
func (q *Queue) Wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.proceed(true)
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
