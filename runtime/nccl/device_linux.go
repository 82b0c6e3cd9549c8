//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A device is the backend of a GPU: a communicator of NCCL.
type device struct {
	c   *shared
	lib *library

	// NCCL takes one call at a time for a communicator, and none while it is in progress. Whoever
	// holds use lets it go soon after c.done is closed, unless calls block.
	use    sync.Mutex
	handle uintptr // ncclComm_t; 0 once it is gone. NCCL writes it until it is no longer in progress
	result int32   // of ncclCommGetAsyncError
	frame  frame
	config *config
	made   *id

	making *making // by a call that blocks; or nil
	flow   *flow   // beside other ranks of this process; or nil
	left   sync.Once
}

// A making is a call that makes a communicator and blocks.
type making struct {
	over chan struct{} // closed when the call has returned
	err  error         // read after that
}

// live are the communicators that exist: NCCL has the addresses of their handles.
var live sync.Map // *device → true

func newDevice(c *shared, lib *library, made *id) *device {
	b := &device{c: c, lib: lib, config: newConfig(c.cfg), made: made}
	if c.isCrowded() {
		b.flow = gpus.enter(flowKey{c.peers.hub, c.number}, c.size)
	}
	live.Store(b, true)
	return b
}

// forget undoes newDevice.
func (b *device) forget() {
	b.left.Do(func() {
		if b.flow != nil {
			b.flow.leave()
		}
		live.Delete(b)
	})
}

func (c *shared) joinNCCL(lib *library, made *id) (backend, error) {
	b := newDevice(c, lib, made)
	join := func() error {
		return c.dev.Do(func() error { return b.begun("join", lib.initRank(&b.handle, c.size, c.rank, made, b.config)) })
	}
	if c.cfg.Blocking {
		b.make(join)
		return b, nil
	}
	b.use.Lock()
	err := join()
	b.use.Unlock()
	if err != nil {
		b.abort()
		return nil, c.error(joinOp, "", err)
	}
	return b, nil
}

// make has call, which blocks, make the communicator.
func (b *device) make(call func() error) {
	m := &making{over: make(chan struct{})}
	b.making = m
	go func() {
		defer close(m.over)
		m.err = call()
	}()
}

// begun returns the error of a call. A call in progress is not an error.
func (b *device) begun(op string, r Result) error {
	if r == Success || r == InProgress {
		return nil
	}
	return b.failed(op, r)
}

func (b *device) failed(op string, r Result) error {
	if detail := b.lib.lastError(); detail != "" {
		return fmt.Errorf("%s: %s: %w", op, detail, r)
	}
	return fmt.Errorf("%s: %w", op, r)
}

// comm returns the handle, or 0.
func (b *device) comm() uintptr { return atomic.LoadUintptr(&b.handle) }

// state asks for the state of the communicator. use is held.
func (b *device) state() Result {
	h := b.comm()
	if h == 0 {
		return InvalidUsage
	}
	b.frame.args[0], b.frame.args[1] = h, uintptr(unsafe.Pointer(&b.result))
	if r := b.lib.call(getAsyncError, &b.frame, 2); r != Success {
		return r
	}
	return Result(b.result)
}

// How settle waits: bench/README.md, "All-reduces over two GPUs", has what other ways cost. Letting other goroutines run
// between two questions costs more than the questions.
const (
	askEvery  = 10 * time.Microsecond
	questions = 30 // before it sleeps between them
)

// settle waits until nothing is in progress, or done is closed. use is held.
func (b *device) settle(op string, done <-chan struct{}) error {
	pause := 5 * time.Microsecond
	for i := 0; ; i++ {
		switch r := b.state(); r {
		case Success:
			return nil
		case InProgress:
		default:
			return b.failed(op, r)
		}
		select {
		case <-done:
			return errEnded
		default:
		}
		if i < questions {
			for asked := time.Now(); time.Since(asked) < askEvery; {
			}
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
}

func (b *device) ready(ctx context.Context, done <-chan struct{}) error {
	if b.making != nil {
		select {
		case <-b.making.over:
		case <-done:
			return errEnded
		case <-ctx.Done():
			return causeOf(ctx)
		}
		if err := b.making.err; err != nil {
			return err
		}
	}
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		b.use.Lock()
		r := InProgress
		if b.comm() != 0 { // NCCL has made it
			r = b.state()
		}
		b.use.Unlock()
		switch r {
		case Success:
			go b.watch()
			return nil
		case InProgress:
		default:
			return b.failed(joinOp, r)
		}
		select {
		case <-done:
			return errEnded
		case <-ctx.Done():
			return causeOf(ctx)
		case <-time.After(pause):
		}
	}
}

// causeWithin is how long an error that NCCL notices waits for one that names the lost rank.
const causeWithin = time.Second

// watch asks for errors that NCCL notices by itself, such as those of a network.
func (b *device) watch() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.c.done:
			return
		case <-tick.C:
		}
		if !b.use.TryLock() {
			continue // it is asked all the time, or in a call that blocks
		}
		r := Success
		if b.comm() != 0 {
			r = b.state()
		}
		b.use.Unlock()
		if r != Success && r != InProgress {
			err := b.failed("NCCL has noticed an error", r)
			select { // which rank it was, its connection tells
			case <-b.c.done:
			case <-time.After(causeWithin):
				b.c.fail(err)
			}
			return
		}
	}
}

func (b *device) split(color, key int, into *shared) (backend, error) {
	child := newDevice(into, b.lib, nil)
	call := func() error {
		return b.c.dev.Do(func() error {
			return b.with(func(h uintptr) error {
				if err := b.begun("split", b.lib.split(h, color, key, &child.handle, child.config)); err != nil {
					return err
				}
				return b.settle("split", b.c.done)
			})
		})
	}
	if b.c.cfg.Blocking {
		child.make(call)
		if color >= 0 {
			return child, nil
		}
		select { // there is nothing else to wait for it
		case <-child.making.over:
			child.forget()
			return nil, child.making.err
		case <-b.c.done:
			return nil, errEnded // and NCCL may still have the child's address
		}
	}
	if err := call(); err != nil || color < 0 {
		child.forget()
		return nil, err
	}
	return child, nil
}
