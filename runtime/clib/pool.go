package clib

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Pool lends handles to goroutines, which use them at the same time: calls with one handle run one after the other. It has as many as
// were ever lent at once.
//
//	p := clib.NewPool(func() (*cublas.Handle, error) { return cublas.NewHandle(dev) })
//	defer p.Close()
//	…
//	h, err := p.Get(s)
//	defer p.Put(s, h)
//
// It may be used from many goroutines.
type Pool[H lendable] struct {
	create func() (H, error)

	mu     sync.Mutex
	free   []lent[H] // the one that was put back last at the end
	closed bool
}

// lendable are pointers to handles.
type lendable interface {
	comparable
	io.Closer
}

// A lent is a handle, and the stream that it was used on last.
type lent[H lendable] struct {
	handle H
	stream *cuda.Stream
}

// NewPool returns a pool whose handles create makes. It has none yet.
func NewPool[H lendable](create func() (H, error)) *Pool[H] { return &Pool[H]{create: create} }

// Get lends a handle for work on s: the one that was used there last if it is free, since a handle has to be told when its stream changes. The
// caller hands it back with Put.
func (p *Pool[H]) Get(s *cuda.Stream) (H, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return *new(H), errors.Join(errors.New("clib: the pool of handles is closed"), cuda.ErrClosed)
	}
	if len(p.free) > 0 {
		at := slices.IndexFunc(p.free, func(l lent[H]) bool { return l.stream == s })
		if at < 0 {
			at = len(p.free) - 1
		}
		handle := p.free[at].handle
		p.free = slices.Delete(p.free, at, at+1)
		p.mu.Unlock()
		return handle, nil
	}
	p.mu.Unlock()
	return p.create() // beside other goroutines: it may take milliseconds
}

// Put hands back what Get has lent for s. Work that is queued may still run. When the pool is closed, it closes the handle, and returns its
// error.
func (p *Pool[H]) Put(s *cuda.Stream, handle H) error {
	if handle == *new(H) { // Get has failed
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return handle.Close()
	}
	p.free = append(p.free, lent[H]{handle, s})
	return nil
}

// Close closes the handles that are not lent. Those that are, Put closes. It may be called more than once.
func (p *Pool[H]) Close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, l := range p.free {
		err = errors.Join(err, l.handle.Close())
	}
	p.free = nil
	return err
}
