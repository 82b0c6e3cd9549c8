// Package hostcopy bounds and buffers copies between devices and Go memory: semaphores for those that block a thread or
// enter the driver, bounds for what is queued on a stream, and blocks of page-locked memory. It copies nothing, and knows
// no device and no stream.
package hostcopy

import (
	"context"
	"time"
)

// A Semaphore bounds how many goroutines do something at a time.
type Semaphore chan struct{}

// Take waits for a slot. It reports false if ctx is done first.
func (s Semaphore) Take(ctx context.Context) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// TakeWithin waits for a slot, but not longer than ctx and limit allow. It reports whether it has one.
func (s Semaphore) TakeWithin(ctx context.Context, limit time.Duration) bool {
	if s.TryTake() {
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

// TryTake takes a slot if one is free.
func (s Semaphore) TryTake() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give ends what the others began.
func (s Semaphore) Give() { <-s }
