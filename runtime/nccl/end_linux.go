//go:build !cudagen_nodriver && (amd64 || arm64)

package nccl

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// patience is how long abort waits for a call of NCCL's that blocks to return by itself. Then the call is aborted
// from outside.
const patience = 250 * time.Millisecond

// take returns the handle, which the caller ends.
func (b *device) take() uintptr {
	if !b.c.cfg.Blocking {
		b.use.Lock()
		defer b.use.Unlock()
	} else {
		for began := time.Now(); time.Since(began) < patience; time.Sleep(time.Millisecond) {
			if b.use.TryLock() {
				defer b.use.Unlock()
				break
			}
		}
	}
	return atomic.SwapUintptr(&b.handle, 0)
}

func (b *device) abort() {
	if b.flow != nil {
		b.flow.fail()
	}
	if b.making != nil {
		select {
		case <-b.making.over:
		default: // NCCL cannot abort it without freeing what the call uses
			go func() {
				<-b.making.over
				b.abortNow()
			}()
			return
		}
	}
	b.abortNow()
}

func (b *device) abortNow() {
	defer b.forget()
	if h := b.take(); h != 0 {
		b.end(commAbort, h)
	}
}

// end calls a function that ends the communicator in the device's context, if that still exists.
func (b *device) end(s symbol, handle uintptr) (r Result) {
	f := newFrame()
	defer f.free()
	f.args[0] = handle
	call := func() error {
		r = b.lib.call(s, f, 1)
		return nil
	}
	if err := b.c.dev.Do(call); errors.Is(err, cuda.ErrClosed) {
		call()
	}
	return r
}

func (b *device) finish(done <-chan struct{}) error {
	if b.flow == nil {
		return b.destroy(done)
	}
	// Memory is freed later: another rank of this process may already wait for what this one calls next.
	if err := b.drain(done); err != nil {
		return err
	}
	b.c.peers.hub.ends.later(func() error {
		err := b.destroy(nil)
		if err != nil {
			b.abortNow()
		}
		return err
	})
	return nil
}

// drain waits for the queued operations.
func (b *device) drain(done <-chan struct{}) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, s := range b.c.noted() {
		s.Wait(ctx) // a closed stream has no work, and errors are for those who queued it
	}
	if ctx.Err() != nil {
		return errEnded
	}
	return nil
}

// endGraphs has the driver destroy the graphs that have operations: NCCL waits for that.
func (b *device) endGraphs(done <-chan struct{}) error {
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.c.graphs.Close()
	}()
	select {
	case <-over:
		return nil
	case <-done:
		return errEnded
	}
}

// destroy ends the communicator, when what is queued has run. It returns early if done, which may be nil, is closed.
func (b *device) destroy(done <-chan struct{}) error {
	if err := b.endGraphs(done); err != nil {
		return err
	}
	finalize := func() error {
		return b.c.dev.Do(func() error {
			return b.with(func(comm uintptr) error {
				b.frame.args[0] = comm
				if err := b.begun("finalize", b.lib.call(commFinalize, &b.frame, 1)); err != nil {
					return err
				}
				return b.settle("finalize", done)
			})
		})
	}
	var err error
	if b.c.cfg.Blocking {
		over := make(chan error, 1)
		go func() { over <- finalize() }()
		select {
		case err = <-over:
		case <-done:
			err = errEnded
		}
	} else {
		err = finalize()
	}
	if err != nil {
		return err
	}
	defer b.forget()
	if h := b.take(); h != 0 {
		if r := b.end(commDestroy, h); r != Success && r != InProgress {
			return b.failed("destroy", r)
		}
	}
	return nil
}
