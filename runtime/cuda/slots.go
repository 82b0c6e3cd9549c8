package cuda

import (
	"context"
	"runtime"
)

// Slots bound how many goroutines do something at a time.
type slots chan struct{}

// Copies between a device and Go memory that block a thread each. Those that are hasty need
// not wait for a goroutine to be woken; they may block as long as the work before them. Those
// that are patient have waited until their stream was idle.
var (
	hasty   = make(slots, 2*runtime.NumCPU())
	patient = make(slots, 8)
)

// take waits for a slot. It reports false if ctx is done first.
func (s slots) take(ctx context.Context) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
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
