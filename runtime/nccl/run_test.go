package nccl_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// summed is a rank that reduces a number.
func summed(c *nccl.Comm) error {
	s, err := c.Device().NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum); err != nil {
		return err
	}
	return s.Synchronize()
}

// TestNothingIsLeft: what communicators have on simulated devices is closed when Run returns, so that a test on
// devices of simtest does not fail.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	devices := simtest.NewDevices(t, 3)
	for range testenv.Cases(8, 50) {
		require.NoError(t, nccl.Run(t.Context(), devices, func(c *nccl.Comm) error {
			half, err := c.Split(t.Context(), 0, 0)
			if err != nil {
				return err
			}
			defer half.Close()
			return errors.Join(summed(c), summed(half))
		}))
		for _, d := range devices {
			require.Zero(t, d.Stats().PageLockedBytes)
			require.Zero(t, d.Stats().Events)
		}
	}
}

// TestFirstCauses: the error of Run is that of the rank that has failed, not that others missed it.
func TestFirstCauses(t *testing.T) {
	t.Parallel()
	mine := errors.New("I give up")
	for range testenv.Cases(8, 50) {
		err := nccl.Run(t.Context(), simtest.NewDevices(t, 3), func(c *nccl.Comm) error {
			if c.Rank() == 1 {
				return mine
			}
			return summed(c)
		})
		require.ErrorIs(t, err, mine)
		require.EqualError(t, err, "rank 1: "+mine.Error())
	}
}

// TestReturnWithoutTheOthers: a rank that returns before the others is what their errors name.
func TestReturnWithoutTheOthers(t *testing.T) {
	t.Parallel()
	err := nccl.Run(t.Context(), simtest.NewDevices(t, 2), func(c *nccl.Comm) error {
		if c.Rank() == 1 {
			return nil
		}
		return summed(c)
	})
	var lost *nccl.LostError
	require.ErrorAs(t, err, &lost)
	assert.Equal(t, 1, lost.Rank)
}

// TestGoexit: a function that does not return is an error, also if no other rank notices.
func TestGoexit(t *testing.T) {
	t.Parallel()
	for _, ranks := range []int{1, 3} {
		err := nccl.Run(t.Context(), simtest.NewDevices(t, ranks), func(c *nccl.Comm) error {
			if c.Rank() == 0 {
				runtime.Goexit()
			}
			return summed(c)
		})
		assert.ErrorContains(t, err, "rank 0: its function has called runtime.Goexit")
		assert.NotContains(t, err.Error(), "rank 1")
	}
}

// TestRunOfAClosedDevice: it is an error before the function is called.
func TestRunOfAClosedDevice(t *testing.T) {
	t.Parallel()
	d := simtest.New(t)
	require.NoError(t, d.Close())
	err := nccl.Run(t.Context(), []*cuda.Device{d}, func(c *nccl.Comm) error {
		assert.Fail(t, "the function was called")
		return nil
	})
	assert.ErrorIs(t, err, cuda.ErrClosed)
}

// TestRunUntil: the error after the end of a context wraps its error and its cause.
func TestRunUntil(t *testing.T) {
	t.Parallel()
	stopped := errors.New("the operator has stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := nccl.Run(ctx, simtest.NewDevices(t, 2), func(c *nccl.Comm) error {
		if c.Rank() == 1 {
			cancel(stopped)
			<-c.Done()
			return c.Err()
		}
		return summed(c)
	})
	assert.ErrorIs(t, err, stopped)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, nccl.ErrAborted)

	assert.EqualError(t, nccl.Run(ctx, simtest.NewDevices(t, 1), summed), "nccl: run: context canceled: the operator has stopped it")
}

// TestSendToItself: a rank sends to itself in a group with the receipt, and no other way.
func TestSendToItself(t *testing.T) {
	t.Parallel()
	err := nccl.Run(t.Context(), simtest.NewDevices(t, 2), func(c *nccl.Comm) error {
		s, err := c.Device().NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		x, err := cuda.Upload(s, []int32{7, 8})
		if err != nil {
			return err
		}
		defer x.Close()
		me, from, to := c.Rank(), x.Slice(0, 1), x.Slice(1, 2)
		const hint = "a rank that sends to itself receives in the same Group"
		assert.ErrorContains(t, nccl.Send(c, s, from, me), hint)
		assert.ErrorContains(t, nccl.Recv(c, s, to, me), hint)
		assert.ErrorContains(t, c.Group(func(g *nccl.Comm) error {
			return errors.Join(nccl.Send(g, s, from, me), nccl.Recv(g, s, to, 1-me))
		}), hint)
		if err := c.Group(func(g *nccl.Comm) error {
			return errors.Join(nccl.Send(g, s, from, me), nccl.Recv(g, s, to, me))
		}); err != nil {
			return err
		}
		got, err := x.All().Download(s)
		assert.Equal(t, []int32{7, 7}, got)
		return errors.Join(err, nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), s.Synchronize()) // nobody leaves before
	})
	require.NoError(t, err)
}

// TestLengths: a slice that is too long is not one that is too short, and an odd one is neither.
func TestLengths(t *testing.T) {
	t.Parallel()
	err := nccl.Run(t.Context(), simtest.NewDevices(t, 2), func(c *nccl.Comm) error {
		s, err := c.Device().NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		x, err := cuda.Upload(s, make([]int32, 14))
		if err != nil {
			return err
		}
		defer x.Close()
		seven, all := x.Slice(0, 7), x.All()
		assert.ErrorIs(t, nccl.AllReduce(c, s, seven, all, nccl.Sum), cuda.ErrShortSlice)
		for what, err := range map[string]error{
			"dst is longer":  nccl.AllReduce(c, s, all, seven, nccl.Sum),
			"odd":            nccl.AllToAll(c, s, seven, x.Slice(7, 14)),
			"gather is long": nccl.AllGather(c, s, all, x.Slice(0, 3)),
		} {
			assert.ErrorIs(t, err, cuda.ErrInvalidValue, what)
			assert.NotErrorIs(t, err, cuda.ErrShortSlice, what)
		}
		return nil
	})
	require.NoError(t, err)
}
