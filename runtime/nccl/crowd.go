package nccl

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// A crowd is the communicators of GPUs that have several ranks in this process.
//
// While an operation is launched at some of its ranks and not yet at others, its kernels wait for GPUs on which
// nothing runs. Meanwhile the driver lets a call that frees memory, and may let one that allocates, wait for the work of
// all GPUs that reach each other, and may launch nothing until it returns: each waits for the other. So calls of
// NCCL that make and end communicators wait until no operation is so divided, and new operations wait for
// them. docs/decisions, "Why does Close of a communicator not free it at once?"
type crowd struct {
	mu       sync.Mutex
	flows    map[flowKey]*flow
	building int           // calls that make or end communicators
	wanted   int           // such calls that wait for divided operations, and have new ones wait
	changed  chan struct{} // closed when a call that waits should look again; nil if none does
}

// A flowKey names a communicator among those of all calls of Run.
type flowKey struct {
	hub    *hub
	number uint64
}

var gpus = crowd{flows: make(map[flowKey]*flow)}

// A flow is the operations of a communicator, as far as their ranks have called them.
type flow struct {
	crowd       *crowd
	key         flowKey
	users       int
	failed      bool
	inside      int      // calls of NCCL that have not returned
	collectives []uint64 // by rank
	pairs       []int    // sends less receives, from rank to rank
	unequal     int      // pairs that are not 0
}

// enter returns the flow of a communicator, which the caller leaves.
func (c *crowd) enter(key flowKey, size int) *flow {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flows[key]
	if f == nil {
		f = &flow{crowd: c, key: key, collectives: make([]uint64, size), pairs: make([]int, size*size)}
		c.flows[key] = f
	}
	f.users++
	return f
}

// leave ends what enter began, for a rank that calls nothing more.
func (f *flow) leave() {
	f.crowd.mu.Lock()
	defer f.crowd.mu.Unlock()
	if f.users--; f.users == 0 {
		delete(f.crowd.flows, f.key)
	}
	f.crowd.change()
}

// fail ends the waits for the operations of f, whose communicator is being aborted.
func (f *flow) fail() {
	f.crowd.mu.Lock()
	defer f.crowd.mu.Unlock()
	f.failed = true
	f.crowd.change()
}

// change wakes those who wait. mu is held.
func (c *crowd) change() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// next returns a channel that is closed at the next change. mu is held.
func (c *crowd) next() <-chan struct{} {
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// divided returns whether an operation is launched at some ranks only. mu is held.
func (c *crowd) divided() bool {
	for _, f := range c.flows {
		if f.failed {
			continue
		}
		if f.inside > 0 || f.unequal > 0 || slices.Max(f.collectives) != slices.Min(f.collectives) {
			return true
		}
	}
	return false
}

var errEnded = errors.New("the communicator has ended")

// launch begins the launch of ops at a rank, which launched ends. It waits for calls that make or end
// communicators, unless another rank waits for ops.
func (f *flow) launch(rank int, ops []operation, done <-chan struct{}) error {
	c := f.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.building+c.wanted > 0 && !f.isAwaited(rank, ops) {
		next := c.next()
		c.mu.Unlock()
		select {
		case <-next:
		case <-done:
		}
		c.mu.Lock()
		select {
		case <-done:
			return errEnded
		default:
		}
	}
	f.count(rank, ops, 1)
	f.inside++
	return nil
}

// launched ends the launch of ops, which failed if err is not nil.
func (f *flow) launched(rank int, ops []operation, err error) {
	f.crowd.mu.Lock()
	defer f.crowd.mu.Unlock()
	if err != nil {
		f.count(rank, ops, -1)
	}
	f.inside--
	f.crowd.change()
}

// count adds sign times ops to what a rank has called. mu is held.
func (f *flow) count(rank int, ops []operation, sign int) {
	for i := range ops {
		o := &ops[i]
		switch {
		case o.kind != kindSend && o.kind != kindRecv:
			f.collectives[rank] += uint64(sign)
			continue
		case o.kind == kindSend:
			f.balance(rank, o.root, sign)
		default:
			f.balance(o.root, rank, -sign)
		}
	}
}

// balance adds n to the number of sends less receives. mu is held.
func (f *flow) balance(from, to, n int) {
	p := &f.pairs[from*len(f.collectives)+to]
	before := *p != 0
	*p += n
	switch after := *p != 0; {
	case after && !before:
		f.unequal++
	case before && !after:
		f.unequal--
	}
}

// isAwaited returns whether another rank has launched its part of one of ops. mu is held.
func (f *flow) isAwaited(rank int, ops []operation) bool {
	for i := range ops {
		switch o := &ops[i]; {
		case o.kind == kindSend && f.pairs[rank*len(f.collectives)+o.root] < 0,
			o.kind == kindRecv && f.pairs[o.root*len(f.collectives)+rank] > 0,
			o.kind != kindSend && o.kind != kindRecv && f.collectives[rank] < slices.Max(f.collectives):
			return true
		}
	}
	return false
}

// For how long a call that waits for divided operations has new ones wait, too, and for how long it then lets them
// pass: they may have to come before those that it waits for.
const (
	pressing = 100 * time.Millisecond
	resting  = time.Second
)

var errDivided = errors.New("operations of this process's GPUs are called at some of their ranks and not at others, and nothing can be allocated meanwhile")

// build calls do, which makes or ends a communicator, when no operation is divided. It returns the cause of ctx
// instead if that is done first, or an error when done is closed, which may be nil.
func (c *crowd) build(ctx context.Context, done <-chan struct{}, do func() error) error {
	if err := c.beginBuilding(ctx, done); err != nil {
		return err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.building--
		c.change()
	}()
	return do()
}

func (c *crowd) beginBuilding(ctx context.Context, done <-chan struct{}) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	presses := true
	c.wanted++
	defer func() {
		if presses {
			c.wanted--
		}
		c.change()
	}()
	timer := time.NewTimer(pressing)
	defer timer.Stop()
	for c.divided() {
		next := c.next()
		c.mu.Unlock()
		turn := false
		var err error
		select {
		case <-next:
		case <-timer.C:
			turn = true
		case <-done:
			err = errEnded
		case <-ctx.Done():
			err = errors.Join(causeOf(ctx), errDivided)
		}
		c.mu.Lock()
		if err != nil {
			return err
		}
		if turn {
			if presses = !presses; presses {
				c.wanted++
				timer.Reset(pressing)
			} else {
				c.wanted--
				timer.Reset(resting)
			}
			c.change()
		}
	}
	c.building++
	return nil
}

// Ends are communicators that Close has ended for their callers, and that end for NCCL when no operation is
// divided.
type ends struct {
	group sync.WaitGroup
	mu    sync.Mutex
	errs  []error
}

// later calls end, which build does not let run yet, on a goroutine of its own.
func (e *ends) later(end func() error) {
	e.group.Go(func() {
		err := gpus.build(context.Background(), nil, end)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.errs = append(e.errs, err)
	})
}

// wait returns when all have ended, and their errors.
func (e *ends) wait() error {
	e.group.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.errs...)
}
