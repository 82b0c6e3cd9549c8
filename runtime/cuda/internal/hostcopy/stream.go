package hostcopy

import "sync/atomic"

// What copies between a device and Go memory queue on one stream. The driver lets callers wait, in their threads,
// while a stream's queue is full.
const (
	maxStaged = 64 // copies by way of page-locked memory
	maxParked = 8  // events of those that wait until it is idle
)

// A Stream bounds what copies queue on a stream. Any goroutine may call its methods.
type Stream struct {
	staged atomic.Int32
	parked atomic.Pointer[Semaphore]
}

// Stage counts a copy that is queued, and reports whether it may be.
func (c *Stream) Stage() bool {
	if c.staged.Add(1) <= maxStaged {
		return true
	}
	c.Unstage()
	return false
}

// Unstage ends what Stage began.
func (c *Stream) Unstage() { c.staged.Add(-1) }

// Turns are those of the copies that wait until the stream is idle.
func (c *Stream) Turns() Semaphore {
	if s := c.parked.Load(); s != nil {
		return *s
	}
	s := make(Semaphore, maxParked)
	if c.parked.CompareAndSwap(nil, &s) {
		return s
	}
	return *c.parked.Load()
}
