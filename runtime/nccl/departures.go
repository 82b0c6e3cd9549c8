package nccl

import (
	"maps"
	"sync"
	"sync/atomic"
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
	var first *LostError
	for _, e := range *all {
		if first == nil || e.Rank < first.Rank {
			first = e
		}
	}
	return first
}
