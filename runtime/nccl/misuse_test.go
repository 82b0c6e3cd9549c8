package nccl_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nccl"
)

// TestNoComm: nil and zero communicators are errors, and Close does nothing.
func TestNoComm(t *testing.T) {
	s, err := simulators(t, 1)[0].NewStream()
	require.NoError(t, err)
	x, err := cuda.Upload(s, make([]float32, 4))
	require.NoError(t, err)
	for _, c := range []*nccl.Comm{nil, {}} {
		for name, err := range map[string]error{
			"AllReduce": nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), "Broadcast": nccl.Broadcast(c, s, x.All(), x.All(), 0),
			"Reduce": nccl.Reduce(c, s, x.All(), x.All(), nccl.Sum, 0), "AllGather": nccl.AllGather(c, s, x.All(), x.All()),
			"ReduceScatter": nccl.ReduceScatter(c, s, x.All(), x.All(), nccl.Sum), "AllToAll": nccl.AllToAll(c, s, x.All(), x.All()),
			"Gather": nccl.Gather(c, s, x.All(), x.All(), 0), "Scatter": nccl.Scatter(c, s, x.All(), x.All(), 0),
			"Send": nccl.Send(c, s, x.All(), 0), "Recv": nccl.Recv(c, s, x.All(), 0), "Abort": c.Abort(), "Err": c.Err(),
			"Group": c.Group(func(*nccl.Comm) error { return nil }), "DropPreMulSum": c.DropPreMulSum(nccl.Sum),
			"Split":        errorOf(c.Split(t.Context(), 0, 0)),
			"NewPreMulSum": errorOf(nccl.NewPreMulSum(c, float32(1))), "Register": errorOf(nccl.Register(c, x.All())),
		} {
			assert.ErrorIs(t, err, cuda.ErrInvalidValue, name)
		}
		assert.NoError(t, c.Close())
		assert.Zero(t, c.Size()+c.Rank())
		assert.Nil(t, c.Device())
		assert.Nil(t, c.Done())
		assert.False(t, c.AbortWhenDone(t.Context())())
	}
	assert.NoError(t, (*nccl.Registration)(nil).Close())
	assert.ErrorIs(t, nccl.Run(t.Context(), nil, func(*nccl.Comm) error { return nil }), cuda.ErrInvalidValue)
	assert.ErrorIs(t, nccl.Run(t.Context(), simulators(t, 1), nil), cuda.ErrInvalidValue)
	twice := simulators(t, 1)
	assert.ErrorContains(t, nccl.Run(t.Context(), append(twice, twice...), func(*nccl.Comm) error { return nil }), "ranks 0 and 1 have the same device")
	assert.Error(t, nccl.Run(t.Context(), []*cuda.Device{nil}, func(*nccl.Comm) error { return nil }))
}

func errorOf[T any](_ T, err error) error { return err }

// TestArgumentsAreChecked: what a rank can know to be wrong does not reach the others.
// second returns a pre-multiplied sum of another communicator of the same ranks.
func second(c *nccl.Comm, factor float32) (nccl.Op, error) {
	other, err := c.Split(context.Background(), 0, c.Rank())
	if err != nil {
		return -1, err
	}
	defer other.Close()
	return nccl.NewPreMulSum(other, factor)
}

func TestArgumentsAreChecked(t *testing.T) {
	other := simulators(t, 1)[0]
	require.NoError(t, nccl.Run(soon(t), simulators(t, 2), func(c *nccl.Comm) error {
		return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
			x, err := cuda.Upload(s, make([]float32, 8))
			if err != nil {
				return err
			}
			gone, err := cuda.Upload(s, make([]float32, 8))
			if err != nil {
				return err
			}
			elsewhere, err := other.NewStream()
			if err != nil {
				return err
			}
			far, err := cuda.Upload(elsewhere, make([]float32, 8))
			if err := errors.Join(err, gone.Close()); err != nil {
				return err
			}
			pre, err := nccl.NewPreMulSum(c, 2.0)
			if err != nil {
				return err
			}
			foreign, err := second(c, 1000)
			if err != nil {
				return err
			}
			a, half := x.All(), x.Slice(0, 4)
			kept := new(nccl.Comm)
			for _, w := range []struct {
				text string
				is   error
				err  error
			}{
				{"dst has 4 elements, src 8", cuda.ErrShortSlice, nccl.AllReduce(c, s, half, a, nccl.Sum)},
				{"dst has 8 elements, want 8 for each of 2 ranks", cuda.ErrShortSlice, nccl.AllGather(c, s, a, a)},
				{"src has 8 elements, want 8 for each of 2 ranks", cuda.ErrShortSlice, nccl.ReduceScatter(c, s, a, a, nccl.Sum)},
				{"src has 3 elements, which 2 ranks cannot share", cuda.ErrInvalidValue, nccl.AllToAll(c, s, x.Slice(0, 3), x.Slice(4, 7))},
				{"dst has 4 elements, want 4 for each", cuda.ErrShortSlice, nccl.Gather(c, s, half, half, c.Rank())},
				{"src has 4 elements, want 4 for each", cuda.ErrShortSlice, nccl.Scatter(c, s, half, half, c.Rank())},
				{"dst and src overlap", cuda.ErrInvalidValue, nccl.AllReduce(c, s, half, x.Slice(1, 5), nccl.Sum)},
				{"dst and src overlap", cuda.ErrInvalidValue, nccl.AllToAll(c, s, a, a)},
				{"dst and src overlap", cuda.ErrInvalidValue, nccl.AllGather(c, s, a, x.Slice(2, 6))},
				{"the stream is nil", cuda.ErrInvalidValue, nccl.AllReduce(c, nil, a, a, nccl.Sum)},
				{"the stream is on device 0", cuda.ErrInvalidValue, nccl.AllReduce(c, elsewhere, a, a, nccl.Sum)},
				{"there is no rank 2", cuda.ErrInvalidValue, nccl.Broadcast(c, s, a, a, 2)},
				{"there is no rank -1", cuda.ErrInvalidValue, nccl.Send(c, s, a, -1)},
				{fmt.Sprint("there is no reduction ", int32(foreign)), cuda.ErrInvalidValue, nccl.AllReduce(c, s, a, a, foreign)},
				{"there is no reduction 77", cuda.ErrInvalidValue, nccl.AllReduce(c, s, a, a, nccl.Op(77))},
				{"there is no reduction -1", cuda.ErrInvalidValue, nccl.AllReduce(c, s, a, a, nccl.Op(-1))},
				{"the pre-multiplied sum is for float64, the elements are float32", cuda.ErrInvalidValue, nccl.AllReduce(c, s, a, a, pre)},
				{"the buffer: closed", cuda.ErrClosed, nccl.AllReduce(c, s, a, gone.All(), nccl.Sum)},
				{"which was opened separately", cuda.ErrInvalidValue, nccl.AllReduce(c, s, a, far.All(), nccl.Sum)},
				{"there is no reduction 0", cuda.ErrInvalidValue, c.DropPreMulSum(nccl.Sum)},
				{"the slice is empty", cuda.ErrInvalidValue, errorOf(nccl.Register(c, cuda.Slice[float32]{}))},
				{"dst is the zero Slice", cuda.ErrInvalidValue, nccl.AllReduce(c, s, cuda.Slice[float32]{}, cuda.Slice[float32]{}, nccl.Sum)},
				{"src is the zero Slice", cuda.ErrInvalidValue, nccl.Broadcast(c, s, a.Slice(0, 0), cuda.Slice[float32]{}, c.Rank())},
				{"dst is the zero Slice", cuda.ErrInvalidValue, nccl.Recv(c, s, cuda.Slice[float32]{}, 0)},
				{"src is the zero Slice", cuda.ErrInvalidValue, nccl.Send(c, s, cuda.Slice[float32]{}, 0)},
				{"dst is the zero Slice", cuda.ErrInvalidValue, nccl.Gather(c, s, cuda.Slice[float32]{}, a.Slice(0, 0), c.Rank())},
				{"there is no rank 5", cuda.ErrInvalidValue, c.Group(func(c *nccl.Comm) error {
					nccl.Send(c, s, a, 5)
					return nil
				})},
				{"groups do not nest", cuda.ErrInvalidValue, c.Group(func(c *nccl.Comm) error { return c.Group(func(*nccl.Comm) error { return nil }) })},
				{"use the Comm that its function is given", cuda.ErrInvalidValue, c.Group(func(*nccl.Comm) error { return nccl.AllReduce(c, s, a, a, nccl.Sum) })},
				{"mine", context.Canceled, c.Group(func(inner *nccl.Comm) error {
					kept = inner
					return errors.Join(nccl.AllReduce(inner, s, a, a, nccl.Sum), errors.New("mine"), context.Canceled)
				})},
				{"the group has ended", cuda.ErrInvalidValue, nccl.AllReduce(kept, s, a, a, nccl.Sum)},
			} {
				assert.ErrorContains(t, w.err, w.text)
				assert.ErrorIs(t, w.err, w.is, w.text)
			}
			assert.Panics(t, func() { c.Group(func(*nccl.Comm) error { panic("mine") }) })
			// The communicator is as good as before.
			return errors.Join(nccl.AllReduce(c, s, a, a, nccl.Sum), s.Synchronize())
		})
	}))
}

// TestDisagreement: on simulated devices ranks that call different things are told.
func TestDisagreement(t *testing.T) {
	for want, f := range map[string]func(*nccl.Comm, *cuda.Stream, cuda.Slice[float32]) error{
		"rank 0 calls all-reduce, rank 1 broadcast": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			if c.Rank() == 0 {
				return nccl.AllReduce(c, s, x, x, nccl.Sum)
			}
			return nccl.Broadcast(c, s, x, x, 0)
		},
		"all-reduce: rank 0 has 8 elements, rank 1 7": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			x = x.Slice(0, 8-c.Rank())
			return nccl.AllReduce(c, s, x, x, nccl.Sum)
		},
		"all-reduce: rank 0 has the reduction sum, rank 1 prod": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			return nccl.AllReduce(c, s, x, x, nccl.Op(c.Rank()))
		},
		"broadcast: rank 0 has the root 0, rank 1 1": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			return nccl.Broadcast(c, s, x, x, c.Rank())
		},
		"all-reduce: rank 0 has int32, rank 1 float32": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			if c.Rank() == 0 {
				y := cuda.Reinterpret[int32](x)
				return nccl.AllReduce(c, s, y, y, nccl.Sum)
			}
			return nccl.AllReduce(c, s, x, x, nccl.Sum)
		},
		"send: rank 0 has 8 elements, rank 1 4": func(c *nccl.Comm, s *cuda.Stream, x cuda.Slice[float32]) error {
			if c.Rank() == 0 {
				return nccl.Send(c, s, x, 1)
			}
			return nccl.Recv(c, s, x.Slice(0, 4), 0)
		},
	} {
		t.Run(want, func(t *testing.T) {
			err := nccl.Run(soon(t), simulators(t, 2), func(c *nccl.Comm) error {
				return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
					x, err := cuda.Upload(s, make([]float32, 8))
					if err != nil {
						return err
					}
					return errors.Join(f(c, s, x.All()), s.Synchronize())
				})
			})
			assert.ErrorContains(t, err, want)
			assert.ErrorIs(t, err, nccl.ErrMismatch)
		})
	}
}

// TestAbort: whoever waits is told by whom, and a rank that leaves is no secret.
func TestAbort(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*nccl.Comm, *nccl.Peers)
		want string
		is   error
	}{
		"abort": {func(c *nccl.Comm, _ *nccl.Peers) { c.Abort() }, "rank 1 (", nccl.ErrAborted},
		"context done": {func(c *nccl.Comm, _ *nccl.Peers) {
			ctx, cancel := context.WithCancel(context.Background())
			c.AbortWhenDone(ctx)
			cancel()
			<-c.Done()
		}, "context canceled", nccl.ErrAborted},
		"close of the peers": {func(_ *nccl.Comm, p *nccl.Peers) { p.Close() }, "closed", nil},
		"close of both": {func(c *nccl.Comm, p *nccl.Peers) {
			c.Close()
			p.Close()
		}, "it has closed ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			peers, devices := meet(t, 3, nccl.ExchangeConfig{}), simulators(t, 3)
			for rank, err := range each(3, func(rank int) error {
				comm, err := peers[rank].NewComm(soon(t), devices[rank])
				if err != nil {
					return err
				}
				defer comm.Close()
				s, err := devices[rank].NewStream()
				if err != nil {
					return err
				}
				if rank == 1 {
					time.Sleep(20 * time.Millisecond)
					c.end(comm, peers[rank])
					return nil
				}
				x, err := cuda.Upload(s, make([]float32, 8))
				if err != nil {
					return err
				}
				err = nccl.AllReduce(comm, s, x.All(), x.All(), nccl.Sum)
				err = errors.Join(err, s.Wait(soon(t)))
				assert.ErrorContains(t, err, c.want, rank)
				if c.is != nil {
					assert.ErrorIs(t, err, c.is, rank)
				}
				assert.Error(t, comm.Err())
				return nil
			}) {
				assert.NoError(t, err, rank)
			}
		})
	}
}

// TestClosedComm: what was queued before Close has run, and nothing is queued after.
func TestClosedComm(t *testing.T) {
	require.NoError(t, nccl.Run(soon(t), simulators(t, 2), func(c *nccl.Comm) error {
		return onStream(c, func(c *nccl.Comm, s *cuda.Stream) error {
			x, err := cuda.Upload(s, make([]float32, 8))
			if err != nil {
				return err
			}
			if err := errors.Join(nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), c.Close(), c.Close()); err != nil {
				return err
			}
			assert.ErrorIs(t, nccl.AllReduce(c, s, x.All(), x.All(), nccl.Sum), cuda.ErrClosed)
			assert.ErrorIs(t, c.Group(func(*nccl.Comm) error { return nil }), cuda.ErrClosed)
			assert.ErrorIs(t, errorOf(c.Split(t.Context(), 0, 0)), cuda.ErrClosed)
			return s.Synchronize()
		})
	}))
}
