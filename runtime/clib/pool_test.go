package clib_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
)

var errClosing = errors.New("closing")

type lentHandle struct {
	users, closed atomic.Int32
	err           error
}

func (h *lentHandle) Close() error {
	h.closed.Add(1)
	return h.err
}

// A pool lends the handle of a stream again, and makes one only if none is free.
func TestPool(t *testing.T) {
	var made []*lentHandle
	p := clib.NewPool(func() (*lentHandle, error) {
		made = append(made, new(lentHandle))
		return made[len(made)-1], nil
	})
	one, two := new(cuda.Stream), new(cuda.Stream)
	a, err := p.Get(one)
	require.NoError(t, err)
	b, err := p.Get(two)
	require.NoError(t, err)
	require.NoError(t, p.Put(one, a))
	require.NoError(t, p.Put(two, b))
	again, err := p.Get(one)
	require.NoError(t, err)
	assert.Same(t, a, again)
	other, err := p.Get(one)
	require.NoError(t, err)
	assert.Same(t, b, other)
	require.Len(t, made, 2)

	require.NoError(t, p.Put(one, a))
	a.err = errClosing
	require.ErrorIs(t, p.Close(), errClosing)
	require.NoError(t, p.Close())
	_, err = p.Get(one)
	require.ErrorIs(t, err, cuda.ErrClosed)
	require.NoError(t, p.Put(two, b))
	assert.Equal(t, int32(1), a.closed.Load())
	assert.Equal(t, int32(1), b.closed.Load())

	failing := clib.NewPool(func() (*lentHandle, error) { return nil, errClosing })
	_, err = failing.Get(one)
	require.ErrorIs(t, err, errClosing)
}

// No handle is lent twice at once, and there are no more than were lent at once.
func TestPoolBesideItself(t *testing.T) {
	const goroutines = 8
	var made atomic.Int32
	p := clib.NewPool(func() (*lentHandle, error) { made.Add(1); return new(lentHandle), nil })
	streams := []*cuda.Stream{new(cuda.Stream), new(cuda.Stream), new(cuda.Stream)}
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() {
			for j := range 1000 {
				s := streams[(i+j)%len(streams)]
				h, err := p.Get(s)
				assert.NoError(t, err)
				assert.Equal(t, int32(1), h.users.Add(1))
				h.users.Add(-1)
				assert.NoError(t, p.Put(s, h))
			}
		})
	}
	all.Wait()
	assert.LessOrEqual(t, made.Load(), int32(goroutines))
	require.NoError(t, p.Close())
}
