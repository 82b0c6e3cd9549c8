package cuda_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// forked captures work on s and on side, which an event forks and another one joins.
func forked(t *testing.T, dev *cuda.Device, s, side *cuda.Stream, f func(s *cuda.Stream) error) (*cuda.Graph, error) {
	var events [2]*cuda.Event
	for i := range events {
		var err error
		events[i], err = dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer events[i].Close()
	}
	return cuda.Capture(s, func(s *cuda.Stream) error {
		return errors.Join(events[0].Record(s), side.WaitEvent(events[0]), f(s), events[1].Record(side), s.WaitEvent(events[1]))
	})
}

// TestWaitsBesideACapture: a device waits for the work of all streams, also of one that captures since, and the capture goes on.
func TestWaitsBesideACapture(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		side := newStream(t, dev)
		x := upload(t, s, []int32{1, 2, 3, 4})
		require.NoError(t, s.Synchronize())
		ran, goOn := false, make(chan struct{})
		require.NoError(t, side.LaunchHostFunc(func() { <-goOn; ran = true }))
		g, err := forked(t, dev, s, side, func(s *cuda.Stream) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			assert.ErrorIs(t, dev.Wait(ctx), context.Canceled, "the work of the stream that captures")
			assert.ErrorIs(t, side.Wait(t.Context()), cuda.ErrStreamCaptureUnsupported)
			close(goOn)
			assert.NoError(t, dev.Wait(t.Context()))
			assert.True(t, ran)
			return k.AddDelta.Launch(s, x.All(), 100)
		})
		require.NoError(t, err)
		assert.Len(t, g.Nodes(), 1)
		require.NoError(t, dev.Wait(t.Context()))
	})
}

func TestCaptureOfAClosedDevice(t *testing.T) {
	dev, _ := openFake(t)
	s, err := dev.NewStream()
	require.NoError(t, err)
	_, err = cuda.Capture(s, func(*cuda.Stream) error { return dev.Close() })
	assert.ErrorIs(t, err, cuda.ErrClosed)
}

func TestCapture(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		side, err := dev.NewStream()
		require.NoError(t, err)
		defer side.Close()
		x, y := upload(t, s, []int32{1, 2, 3, 4}), upload(t, s, make([]int32, 4))
		call := adding(t, k, x, 10)
		calls := 0
		g, err := forked(t, dev, s, side, func(s *cuda.Stream) error {
			err := errors.Join(call.Launch(s), k.AddDelta.Launch(s, x.All(), 100), cuda.Fill(y.Slice(0, 1), 7).Launch(side), y.Slice(1, 2).Clear(side))
			batch, _ := cuda.NewBatch(call, call)
			return errors.Join(err, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 1000}), batch.Launch(s))
		})
		require.NoError(t, err)
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 5}))
		assert.Len(t, g.Nodes(), 6)
		assert.Equal(t, []int32{1, 2, 3, 4}, numbersOf(t, s, x), "nothing has run")
		assert.NoError(t, side.Synchronize(), "the stream works again")
		assert.False(t, side.IsCapturing())
		e, err := g.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{2111, 2112, 2113, 2114}, got, "as the calls were when they were captured")
		}
		assert.Equal(t, int32(7), numbersOf(t, s, y)[0])
		require.NoError(t, e.UpdateCall(call))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(2111+3*5+100), got[0], "all three nodes of the call, and not the other one")
		}
		assert.ErrorContains(t, e.UpdateCall(adding(t, k, x, 1)), "no node launches the call")
		assert.ErrorIs(t, e.UpdateCall(nil), cuda.ErrInvalidValue)

		host, err := cuda.AllocHost[int32](dev, 4, cuda.HostConfig{})
		require.NoError(t, err)
		defer host.Close()
		g, err = cuda.Capture(s, func(s *cuda.Stream) error {
			assert.True(t, s.IsCapturing())
			return errors.Join(cuda.Copy(host.All(), y.All()).Launch(s), s.LaunchHostFunc(func() { calls++ }),
				cuda.CopyBox(x.All().Box(cuda.Shape{Width: 1, Height: 2}), y.All().Box(cuda.Shape{Width: 1, Height: 2})).Launch(s))
		})
		require.NoError(t, err)
		again := func() {
			e, err := g.Instantiate()
			require.NoError(t, err)
			require.NoError(t, e.Launch(s))
			require.NoError(t, s.Synchronize())
			require.NoError(t, e.Close())
		}
		again()
		again()
		assert.Equal(t, 2, calls)
		assert.Equal(t, int32(7), host.Host()[0])
	})
}

// TestCaptureRefuses: what would break a capture is an error, and the capture goes on.
func TestCaptureRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		outside, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer outside.Close()
		require.NoError(t, outside.Record(s))
		inside, err := dev.NewEvent(cuda.EventConfig{Timing: true})
		require.NoError(t, err)
		defer inside.Close()
		exec := built(t, cuda.NewNode(cuda.Fill(x.All(), 1)))
		closed := upload(t, s, make([]int32, 4))
		stale := adding(t, k, closed, 1)
		require.NoError(t, closed.Close())
		var kept *cuda.Stream
		g, err := cuda.Capture(s, func(c *cuda.Stream) error {
			kept = c
			require.NoError(t, inside.Record(c))
			_, queried := c.Query()
			_, eventQueried := inside.Query()
			_, elapsed := inside.Elapsed(inside)
			_, allocated := cuda.Alloc[int32](c, 4)
			_, uploaded := cuda.Upload(c, []int32{1})
			_, nested := cuda.Capture(c, func(*cuda.Stream) error { return nil })
			for name, err := range map[string]error{
				"query": queried, "synchronize": c.Synchronize(), "wait": c.Wait(context.Background()), "close": c.Close(),
				"copy to": x.CopyTo(c, make([]int32, 4)), "copy from": x.CopyFrom(c, make([]int32, 4)), "alloc": allocated, "upload": uploaded,
				"launch a graph": exec.Launch(c), "upload a graph": exec.Upload(c), "wait for an event from outside": c.WaitEvent(outside), "nested": nested,
			} {
				assert.ErrorIs(t, err, cuda.ErrStreamCaptureUnsupported, name)
			}
			for name, err := range map[string]error{
				"query an event": eventQueried, "synchronize an event": inside.Synchronize(), "wait for an event": inside.Wait(context.Background()), "elapsed": elapsed,
			} {
				assert.ErrorIs(t, err, cuda.ErrCapturedEvent, name)
			}
			assert.ErrorIs(t, stale.Launch(c), cuda.ErrClosed)
			assert.ErrorIs(t, k.AddDelta.LaunchWith(c, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(2048)}, x.All(), 1), cuda.ErrInvalidValue)
			assert.ErrorIs(t, cuda.Copy(x.Slice(0, 1), x.Slice(0, 2)).Launch(c), cuda.ErrShortSlice)
			assert.ErrorIs(t, c.LaunchHostFunc(nil), cuda.ErrInvalidValue)
			return cuda.Fill(x.All(), 3).Launch(c)
		})
		require.NoError(t, err)
		require.Len(t, g.Nodes(), 1)
		assert.ErrorIs(t, cuda.Fill(x.All(), 1).Launch(kept), cuda.ErrClosed, "the stream ends with its capture")
		assert.ErrorIs(t, s.WaitEvent(inside), cuda.ErrStreamCaptureInvalidated)
		require.NoError(t, inside.Record(s), "recorded again, it is an event as others")
		require.NoError(t, inside.Synchronize())

		_, err = cuda.Capture(s, func(c *cuda.Stream) error { return errors.New("oh") })
		assert.EqualError(t, err, "oh")
		_, err = cuda.Capture(s, func(c *cuda.Stream) error { return nil })
		assert.ErrorContains(t, err, "nothing was captured: use the stream that the function is given")
		_, err = cuda.Capture(s, nil)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = cuda.Capture(nil, func(*cuda.Stream) error { return nil })
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		side, err := dev.NewStream()
		require.NoError(t, err)
		_, err = cuda.Capture(s, func(c *cuda.Stream) error {
			return errors.Join(inside.Record(c), side.WaitEvent(inside), cuda.Fill(x.All(), 1).Launch(side))
		})
		assert.ErrorIs(t, err, cuda.ErrStreamCaptureUnjoined)
		assert.PanicsWithValue(t, "oh", func() {
			_, _ = cuda.Capture(s, func(c *cuda.Stream) error {
				require.NoError(t, errors.Join(inside.Record(c), side.WaitEvent(inside)))
				assert.ErrorIs(t, side.Close(), cuda.ErrStreamCaptureUnsupported)
				panic("oh")
			})
		})
		require.NoError(t, cuda.Fill(x.All(), 2).Launch(side), "the streams work again")
		require.NoError(t, side.Close())
		assert.Equal(t, []int32{2, 2, 2, 2}, numbersOf(t, s, x))
	})
}

// TestCaptureLeavesNothing: with the driver, when captures end one way or the other.
func TestCaptureLeavesNothing(t *testing.T) {
	dev, library := openFake(t)
	_, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	cuda.AwaitCalls(dev)
	before := map[fakecuda.Object]int{fakecuda.Graph: 0, fakecuda.GraphExec: 0, fakecuda.Stream: library.Live(fakecuda.Stream)}
	for range 3 {
		_, err := cuda.Capture(s, func(c *cuda.Stream) error { return cuda.Fill(x.All(), 1).Launch(c) })
		require.NoError(t, err)
		_, err = cuda.Capture(s, func(c *cuda.Stream) error { return errors.New("oh") })
		require.Error(t, err)
	}
	cuda.AwaitCalls(dev)
	for kind, n := range before {
		assert.Equal(t, n, library.Live(kind))
	}
}

// TestStreamOfAnEndedCapture: the stream that Capture has passed answers with an error that says what it is, and buffers that
// launches there would use do not keep it: neither their Close, nor other streams, nor Close of the device stumbles over it.
// TestEndOfLife calls everything with such a stream.
func TestStreamOfAnEndedCapture(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		dev = openSecond(t, dev)
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]int32, 64)), upload(t, s, make([]int32, 64))
		var ended *cuda.Stream
		_, err := cuda.Capture(s, func(c *cuda.Stream) error {
			ended = c
			return k.AddDelta.Launch(c, x.All(), 1)
		})
		require.NoError(t, err)
		call := adding(t, k, x, 10)
		for name, use := range map[string]func() error{
			"Launch": func() error { return k.AddDelta.Launch(ended, x.All(), 1) },
			"Call":   func() error { return call.Launch(ended) },
			"Fill":   func() error { return cuda.Fill(x.All(), 1).Launch(ended) },
			"Use":    func() error { return ended.Use(x.Owner()) },
			"CopyTo": func() error { return x.CopyTo(ended, make([]int32, 64)) },
			"Query":  func() error { return errorOf(ended.Query()) },
		} {
			err := use()
			assert.ErrorIs(t, err, cuda.ErrClosed, name)
			assert.ErrorContains(t, err, "the stream of a capture that has ended", name)
		}
		assert.Zero(t, cuda.Others(x.Owner()), "x does not keep the stream")
		assert.NoError(t, ended.Close())
		for range 70 { // more than are kept without a look at which are gone
			other := newStream(t, dev)
			require.NoError(t, k.AddDelta.Launch(other, x.All(), 1))
			require.NoError(t, other.Close())
		}
		assert.NoError(t, x.Close())
		assert.Error(t, k.AddDelta.Launch(ended, y.All(), 1))
		assert.NoError(t, dev.Close(), "with y open")
	})
}
