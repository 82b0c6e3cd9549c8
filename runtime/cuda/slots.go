package cuda

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Slots bound how many goroutines do something at a time.
type slots chan struct{}

// Copies between a device and Go memory that block a thread each. Those that are hasty need
// not wait for a goroutine to be woken; they may block as long as the work before them. Those
// that are patient have waited until their stream was idle. Together with those that enter, and
// with a thread of Go's for each core, they are fewer than 32 threads and two a core.
var (
	hasty   = make(slots, runtime.NumCPU()+8)
	patient = make(slots, 8)
)

// Copies that ask for their stream, and queue what need not wait. The driver lets few in at a time,
// and the others would block a thread each.
var entering = make(slots, 4)

// longestEntering bounds how long a copy waits for others that enter: the driver may let these
// wait for work that waits for this one.
const longestEntering = time.Second

// take waits for a slot. It reports false if ctx is done first.
func (s slots) take(ctx context.Context) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// takeWithin waits for a slot, but not longer than ctx and limit allow. It reports whether it has one.
func (s slots) takeWithin(ctx context.Context, limit time.Duration) bool {
	if s.tryTake() {
		return true
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

// tryTake takes a slot if one is free.
func (s slots) tryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) give() { <-s }

// What copies between a device and Go memory queue on one stream. The driver lets callers wait, in their threads,
// while a stream's queue is full.
const (
	maxStaged = 64 // copies by way of page-locked memory
	maxParked = 8  // events of those that wait until it is idle
)

// streamCopies bounds what copies queue on a stream. Any goroutine may call its methods.
type streamCopies struct {
	staged atomic.Int32
	parked atomic.Pointer[slots]
}

// stage counts a copy that is queued, and reports whether it may be.
func (c *streamCopies) stage() bool {
	if c.staged.Add(1) <= maxStaged {
		return true
	}
	c.unstage()
	return false
}

// unstage ends what stage began.
func (c *streamCopies) unstage() { c.staged.Add(-1) }

// turns are those of the copies that wait until the stream is idle.
func (c *streamCopies) turns() slots {
	if s := c.parked.Load(); s != nil {
		return *s
	}
	s := make(slots, maxParked)
	if c.parked.CompareAndSwap(nil, &s) {
		return s
	}
	return *c.parked.Load()
}
