package nccl

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/internal/ended"
)

// Departures are the ranks that do nothing more on a communicator: they have closed it, or their Peers. Operations
// that need them fail; sends and receives between the others go on.
type departures struct {
	all atomic.Pointer[map[int]*LostError] // by the rank in the world; nil if there are none

	mu   sync.Mutex
	next chan struct{} // closed by the next departure; made when asked for
}

// note adds a departure, unless the rank has one.
func (d *departures) note(e *LostError) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make(map[int]*LostError)
	if known := d.all.Load(); known != nil {
		if (*known)[e.Rank] != nil {
			return
		}
		maps.Copy(all, *known)
	}
	all[e.Rank] = e
	d.all.Store(&all)
	if d.next != nil {
		close(d.next)
		d.next = nil
	}
}

// changed returns a channel that the next departure closes.
func (d *departures) changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.next == nil {
		d.next = make(chan struct{})
	}
	return d.next
}

// missing returns the departure that o cannot do without, or nil.
func (c *shared) missing(o *operation) *LostError {
	all := c.departures.all.Load()
	if all == nil {
		return nil
	}
	if o.kind == kindSend || o.kind == kindRecv {
		return (*all)[c.world[o.root]]
	}
	return c.departures.first()
}

// first returns the departure of the lowest rank, or nil.
func (d *departures) first() (first *LostError) {
	all := d.all.Load()
	if all == nil {
		return nil
	}
	for _, e := range *all {
		if first == nil || e.Rank < first.Rank {
			first = e
		}
	}
	return first
}

// A partingError is why a rank waits no longer for the others, although its context is not done.
type partingError struct{ error }

func (e partingError) Unwrap() error { return e.error }

// within returns a context for what ranks do together: it ends with ctx, when d has a departure, and when c fails.
// Either may be nil. The caller calls stop.
func within(ctx context.Context, d *departures, c *shared) (_ context.Context, stop func()) {
	inner, cancel := context.WithCancelCause(ctx)
	done := (<-chan struct{})(nil)
	if c != nil {
		done = c.done
	}
	go func() {
		for {
			changed := (<-chan struct{})(nil)
			if d != nil {
				changed = d.changed()
				if e := d.first(); e != nil {
					cancel(partingError{e})
					return
				}
			}
			select {
			case <-changed:
			case <-done:
				cancel(partingError{c.failure.Load().Err})
				return
			case <-inner.Done():
				return
			}
		}
	}()
	return inner, func() { cancel(nil) }
}

// causeOf returns why ctx is done, which within may have returned.
func causeOf(ctx context.Context) error {
	var parting partingError
	if errors.As(context.Cause(ctx), &parting) {
		return parting.error
	}
	return ended.Cause(ctx)
}
