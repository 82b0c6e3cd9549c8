package cuda_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestCaptureForeignWork: what another library queues on the stream stays in the graph, between what
// cudagen has captured.
func TestCaptureForeignWork(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for _, queued := range []bool{false, true} {
			if queued && isFake(dev) {
				continue // it captures nothing that is queued
			}
			t.Run(fmt.Sprint("queued ", queued), func(t *testing.T) {
				k, s := loaded(t, dev)
				side := newStream(t, dev)
				x, y, z := upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4)), upload(t, s, make([]int32, 4))
				call := adding(t, k, x, 1)
				foreign := func(s *cuda.Stream, b cuda.Slice[int32], value byte) error {
					if r := cuda.FillForeign(s, b, value, queued); r != 0 {
						return cuda.Code(r)
					}
					return nil
				}
				g, err := forked(t, dev, s, side, func(s *cuda.Stream) error {
					return errors.Join(
						foreign(s, x.All(), 0), foreign(s, x.Slice(0, 2), 1), // one node: 0x01010101 in two of x
						call.Launch(s),               // + 1
						foreign(s, x.Slice(3, 4), 0), // over one of x
						cuda.Copy(y.All(), x.All()).Launch(s),
						foreign(side, z.All(), 2),
						cuda.Fill(z.Slice(0, 1), 7).Launch(side),
						foreign(side, z.Slice(1, 2), 3), // the last one of side
					)
				})
				require.NoError(t, err)
				const one, two, three = 0x01010101, 0x02020202, 0x03030303
				e, err := g.Instantiate()
				require.NoError(t, err)
				defer e.Close()
				run := func(e *cuda.GraphExec, delta int32) {
					t.Helper()
					for _, b := range []*cuda.Buffer[int32]{x, y, z} {
						require.NoError(t, cuda.Fill(b.All(), -1).Launch(s))
					}
					require.NoError(t, e.Launch(s))
					want := []int32{one + delta, one + delta, delta, 0}
					if isFake(dev) {
						want = []int32{one, one, 0, 0}
					}
					assert.Equal(t, want, numbersOf(t, s, y))
					assert.Equal(t, []int32{7, three, two, two}, numbersOf(t, s, z))
				}
				for range 3 {
					run(e, 1)
				}
				var names []string
				var n *cuda.Node
				for _, node := range g.Nodes() {
					names = append(names, node.String())
					if n == nil && strings.HasPrefix(node.String(), "work of another") {
						n = node
					}
				}
				assert.Contains(t, names, "work of another library: fill, fill")
				assert.Contains(t, names, "work of another library: fill")
				assert.Contains(t, g.DOT(), "work of another library: fill, fill")
				assert.ErrorIs(t, e.Update(n), cuda.ErrNeedsInstantiation)
				require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 5}))
				require.NoError(t, e.UpdateCall(call))
				run(e, 5)
				require.NoError(t, e.UpdateFrom(g), "the same work")
				run(e, 5)
				again, err := g.Clone().Instantiate()
				require.NoError(t, err)
				defer again.Close()
				run(again, 5)
				run(built(t, g.ChildNode()), 5)
				assert.ErrorIs(t, built(t, new(cuda.Node).After(g.Nodes()...)).Close(), nil)
			})
		}
	})
}

// TestCaptureForeignIsRefused: what cannot be copied is an error, and so is a fork that nobody
// joins.
func TestCaptureForeignIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, s := loaded(t, dev)
		side := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		_, err := cuda.Capture(s, func(s *cuda.Stream) error {
			require.Zero(t, cuda.AllocForeign(s))
			return cuda.Fill(x.All(), 1).Launch(s)
		})
		assert.ErrorIs(t, err, cuda.ErrNotSupported)
		assert.ErrorContains(t, err, "allocation")
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer event.Close()
		_, err = cuda.Capture(s, func(s *cuda.Stream) error {
			err := errors.Join(cuda.Fill(x.All(), 1).Launch(s), event.Record(s), side.WaitEvent(event))
			require.Zero(t, cuda.FillForeign(side, x.All(), 1, false))
			return err
		})
		assert.ErrorIs(t, err, cuda.ErrStreamCaptureUnjoined)
		require.NoError(t, cuda.Fill(x.All(), 1).Launch(s))
		require.NoError(t, cuda.Fill(x.All(), 1).Launch(side))
	})
}

// TestForeignWorkGoes: its graphs are destroyed when nobody can use them, or with the device.
func TestForeignWorkGoes(t *testing.T) {
	dev, library := openFake(t)
	_, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	capture := func() *cuda.Graph {
		g, err := cuda.Capture(s, func(s *cuda.Stream) error {
			for range 3 {
				if r := cuda.FillForeign(s, x.All(), 1, false); r != 0 {
					return cuda.Code(r)
				}
				if err := cuda.Fill(x.All(), 1).Launch(s); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, err)
		return g
	}
	before := library.Live(fakecuda.Graph)
	g := capture()
	assert.Equal(t, before+3, library.Live(fakecuda.Graph))
	e, err := g.Instantiate()
	require.NoError(t, err)
	runtime.KeepAlive(g)
	g = nil
	require.NoError(t, e.Launch(s))
	require.NoError(t, e.Close())
	e = nil
	assert.Eventually(t, func() bool { runtime.GC(); return library.Live(fakecuda.Graph) == before }, 10*time.Second, time.Millisecond)
	g = capture()
	require.NoError(t, dev.Close())
	assert.Zero(t, library.Live(fakecuda.Graph))
	_, err = g.Instantiate()
	assert.ErrorIs(t, err, cuda.ErrClosed)
}

// TestResource: what a library needs for captured work, and when it is closed the driver has none of that work.
func TestResource(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		capture := func(r *cuda.Resource) (*cuda.Graph, error) {
			return cuda.Capture(s, func(s *cuda.Stream) error {
				if err := s.Use(x.Owner(), r.Owner()); err != nil {
					return err
				}
				if r := cuda.FillForeign(s, x.All(), 1, false); r != 0 {
					return cuda.Code(r)
				}
				return nil
			})
		}
		r, other := dev.NewResource("communicator"), dev.NewResource("communicator")
		g, err := capture(r)
		require.NoError(t, err)
		e, err := g.Instantiate()
		require.NoError(t, err)
		inside, err := cuda.BuildGraph(g.ChildNode(), cuda.NewHostNode(func() {}))
		require.NoError(t, err)
		kept, err := capture(other)
		require.NoError(t, err)
		stays, err := kept.Instantiate()
		require.NoError(t, err)
		defer stays.Close()
		for _, e := range []*cuda.GraphExec{e, inside, stays} {
			require.NoError(t, e.Launch(s))
		}
		require.NoError(t, e.UpdateFrom(g))
		require.NoError(t, s.Synchronize())

		cause := errors.New("rank 1 is lost")
		r.Fail(cause)
		assert.ErrorIs(t, s.Synchronize(), cause, "the graphs were launched there")
		require.NoError(t, r.Close())
		require.NoError(t, r.Close(), "again")
		for _, e := range []*cuda.GraphExec{e, inside} {
			err := e.Launch(newStream(t, dev))
			assert.ErrorIs(t, err, cuda.ErrClosed)
			assert.ErrorContains(t, err, "the communicator")
			assert.ErrorIs(t, e.UpdateFrom(g), cuda.ErrClosed)
			assert.NoError(t, e.Close())
		}
		_, err = g.Instantiate()
		assert.ErrorIs(t, err, cuda.ErrClosed)
		_, err = cuda.BuildGraph(g.ChildNode())
		assert.ErrorIs(t, err, cuda.ErrClosed)
		_, err = capture(r)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		assert.NoError(t, stays.Launch(newStream(t, dev)), "the other resource is open")
		runtime.KeepAlive(kept)
	})
}

// TestResourceClosedBeside: while it is closed, graphs of it are made, updated and launched. The driver has none of
// them then.
func TestResourceClosedBeside(t *testing.T) {
	dev, library := openFake(t)
	before := library.Live(fakecuda.Graph)
	for range 50 {
		s := newStream(t, dev)
		r := dev.NewResource("communicator")
		x := upload(t, s, make([]int32, 4))
		g, err := cuda.Capture(s, func(s *cuda.Stream) error {
			return errors.Join(s.Use(r.Owner()), asError(cuda.FillForeign(s, x.All(), 1, false)))
		})
		require.NoError(t, err)
		first, err := g.Instantiate()
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for {
					e, err := g.Instantiate()
					if err == nil {
						err = errors.Join(e.Launch(s), first.UpdateFrom(g), first.Launch(s))
					}
					if err != nil {
						assert.ErrorIs(t, err, cuda.ErrClosed)
						return
					}
				}
			})
		}
		assert.Positive(t, library.Live(fakecuda.Graph)-before, "the control: there are some")
		require.NoError(t, r.Close())
		wg.Wait()
		assert.Equal(t, before, library.Live(fakecuda.Graph))
		assert.Zero(t, library.Live(fakecuda.GraphExec))
		require.NoError(t, s.Synchronize())
	}
}

func asError[R ~int32](r R) error {
	if r == 0 {
		return nil
	}
	return cuda.Code(r)
}
