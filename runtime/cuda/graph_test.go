package cuda_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/sim"
)

// built instantiates the graph that ends with last, and closes it when the test ends.
func built(t *testing.T, last ...*cuda.Node) *cuda.GraphExec {
	t.Helper()
	e, err := cuda.BuildGraph(last...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e
}

// numbersOf returns what is in b, nil where kernels do not run.
func numbersOf[T any](t *testing.T, s *cuda.Stream, b *cuda.Buffer[T]) []T {
	t.Helper()
	host := make([]T, b.Len())
	require.NoError(t, b.CopyTo(s, host))
	return host
}

// adding prepares a call of add_delta.
func adding(t *testing.T, k *example.Kernels, x *cuda.Buffer[int32], delta int32) *example.AddDeltaCall {
	t.Helper()
	call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: x.All(), Delta: delta})
	require.NoError(t, err)
	return call
}

// TestGraph has a node of each kind.
func TestGraph(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, []int32{1, 2, 3, 4, 5, 6}), upload(t, s, make([]int32, 6))
		in, err := cuda.AllocHost[int32](dev, 6, cuda.HostConfig{})
		require.NoError(t, err)
		defer in.Close()
		copy(in.Host(), []int32{10, 20, 30, 40, 50, 60})
		out, err := cuda.AllocHost[int32](dev, 6, cuda.HostConfig{})
		require.NoError(t, err)
		defer out.Close()
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer event.Close()
		var calls atomic.Int32

		load := cuda.NewNode(cuda.Copy(x.All(), in.All())).Named("load")
		kernel := cuda.NewNode(adding(t, k, x, 1)).Named("add").After(load)
		toY := cuda.NewNode(cuda.Copy(y.All(), x.All())).After(kernel)
		box := cuda.NewNode(cuda.CopyBox(y.Slice(0, 6).Box(cuda.Shape{Width: 1, Height: 3, RowStride: 2}), x.Slice(3, 6).Box(cuda.Shape{Width: 1, Height: 3}))).After(toY)
		fill := cuda.NewNode(cuda.Fill(y.Slice(1, 2), 7)).After(toY)
		child, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(y.Slice(3, 4), -1)))
		require.NoError(t, err)
		inner := child.ChildNode().After(toY)
		all := new(cuda.Node).After(box, fill, inner, fill)
		save := cuda.NewNode(cuda.Copy(out.All(), y.All())).After(all)
		host := cuda.NewHostNode(func() { calls.Add(1) }).After(save)
		record := event.RecordNode().After(host)
		wait := event.WaitNode()
		e := built(t, record, wait)
		assert.Same(t, dev, e.Device())
		assert.Len(t, e.Definition().Nodes(), 11)

		want := []int32{41, 7, 51, -1, 61, 61}
		if isFake(dev) {
			want = []int32{40, 7, 50, -1, 60, 60}
		}
		require.NoError(t, e.Upload(s))
		for n := range int32(3) {
			require.NoError(t, e.Launch(s))
			require.NoError(t, s.Synchronize())
			assert.Equal(t, want, out.Host())
			assert.Equal(t, n+1, calls.Load())
		}
		require.NoError(t, event.Synchronize())

		fill.Call().(*cuda.FillCall[int32]).Value = 9
		require.NoError(t, e.Update(fill))
		save.Call().(*cuda.CopyCall[int32]).Src = x.All()
		require.NoError(t, e.Update(save))
		host.Set(cuda.NewHostNode(func() { calls.Add(100) }))
		require.NoError(t, e.Update(host))
		require.NoError(t, e.Update(record))
		require.NoError(t, e.Update(all), "there is nothing to tell")
		require.NoError(t, e.Disable(load))
		require.NoError(t, e.Launch(s))
		assert.Equal(t, int32(9), numbersOf(t, s, y)[1])
		require.NoError(t, s.Synchronize())
		assert.Equal(t, int32(103), calls.Load())
		if !isFake(dev) {
			assert.Equal(t, int32(12), out.Host()[0], "x was not loaded again")
		}
		require.NoError(t, e.Enable(load))
		require.NoError(t, e.Launch(s))
		require.NoError(t, s.Synchronize())
		assert.Equal(t, int32(203), calls.Load())
	})
}

// TestGraphUpdates: calls change, and the exec is told.
func TestGraphUpdates(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]int32, 300)), upload(t, s, make([]int32, 300))
		call := adding(t, k, x, 1)
		n := cuda.NewNode(call).Named("add")
		last := new(cuda.Node).After(n)
		e := built(t, last)
		run := func(at *cuda.Buffer[int32], i int, want int32) {
			t.Helper()
			require.NoError(t, e.Launch(s))
			if got := numbersOf(t, s, at)[i]; !isFake(dev) {
				assert.Equal(t, want, got)
			}
		}
		run(x, 299, 1)
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 10}))
		run(x, 299, 2)
		require.NoError(t, e.Update(n))
		run(x, 299, 12)
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.Slice(0, 5), Delta: 10}))
		require.NoError(t, e.Update(n), "another length, and another grid")
		run(x, 299, 12)
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: y.All(), Delta: 3}))
		require.NoError(t, e.Update(n), "another buffer")
		run(y, 0, 3)
		n.Set(cuda.NewNode(adding(t, k, y, 4)))
		require.NoError(t, e.Update(n), "another call")
		run(y, 0, 7)
		ones := upload(t, s, ones(10))
		saxpy, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2, X: ones.All(), Y: ones.All()})
		require.NoError(t, err)
		n.Set(cuda.NewNode(saxpy))
		require.NoError(t, e.Update(n), "another kernel")
		require.NoError(t, e.Launch(s))
		wantSaxpy(t, s, ones, 3)
		require.NoError(t, e.Launch(s))
		wantSaxpy(t, s, ones, 9)

		// What cannot be updated is said, and the exec stays as it was.
		for _, test := range []struct {
			name string
			err  func() error
			want string
			is   error
		}{
			{"attributes", func() error {
				with, err := k.Saxpy.Prepare(attributed(cuda.LaunchAttributes{Cooperative: true}), example.SaxpyArgs{A: 2, X: ones.All(), Y: ones.All()})
				require.NoError(t, err)
				n.Set(cuda.NewNode(with))
				return e.Update(n)
			}, "node add (saxpy<<<", cuda.ErrNeedsInstantiation},
			{"no arguments", func() error { n.Set(cuda.NewNode(new(example.SaxpyCall))); return e.Update(n) }, "has no arguments", cuda.ErrInvalidValue},
			{"no call", func() error { n.Set(cuda.NewNode(nil)); return e.Update(n) }, "has no arguments", cuda.ErrInvalidValue},
			{"closed", func() error {
				z := upload(t, s, make([]int32, 3))
				n.Set(cuda.NewNode(adding(t, k, z, 1)))
				require.NoError(t, z.Close())
				return e.Update(n)
			}, "the buffer of data: closed", cuda.ErrClosed},
			{"foreign", func() error { return e.Update(new(cuda.Node)) }, "node empty: it is not a node of this graph", nil},
			{"nil", func() error { return e.Update(nil) }, "the node is nil", cuda.ErrInvalidValue},
			{"nil pointer", func() error { return e.Update((*cuda.Node)(nil)) }, "the node is nil", cuda.ErrInvalidValue},
			{"empty nodes are always on", func() error { return e.Disable(last) }, "only kernels, copies and fills can be disabled", cuda.ErrNotSupported},
			{"dependencies", func() error {
				n.Set(cuda.NewNode(saxpy))
				n.After(new(cuda.Node))
				return e.Update(n)
			}, "it comes after other nodes now", cuda.ErrNeedsInstantiation},
		} {
			t.Run(test.name, func(t *testing.T) {
				err := test.err()
				require.ErrorContains(t, err, test.want)
				if test.is != nil {
					assert.ErrorIs(t, err, test.is)
				}
			})
		}
		require.NoError(t, e.Launch(s))
		wantSaxpy(t, s, ones, 27)
	})
}

// TestGraphIsRefused: the node at fault is named.
func TestGraphIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 10))
		closed := upload(t, s, make([]int32, 10))
		all := closed.All()
		stale := adding(t, k, closed, 1)
		require.NoError(t, closed.Close())
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		require.NoError(t, event.Close())
		a, b, c := new(cuda.Node).Named("a"), new(cuda.Node).Named("b"), new(cuda.Node).Named("c")
		a.After(b)
		b.After(c)
		c.After(a)
		self := new(cuda.Node)
		self.After(self)
		inside := new(cuda.Node).Named("inside")
		around, err := cuda.DefineGraph(inside)
		require.NoError(t, err)
		inside.Set(around.ChildNode())
		threes, err := cuda.Alloc[[3]uint32](s, 2)
		require.NoError(t, err)
		defer threes.Close()
		wide := cuda.NewNode(cuda.Fill(threes.All(), [3]uint32{1, 2, 3}))
		onDevice := cuda.NewNode(cuda.Fill(x.All(), 0))
		for _, test := range []struct {
			name string
			last []*cuda.Node
			want string
			is   error
		}{
			{"nothing", nil, "it has no nodes", cuda.ErrInvalidValue},
			{"nil", []*cuda.Node{nil}, "a node given is nil", cuda.ErrInvalidValue},
			{"nil dependency", []*cuda.Node{cuda.NewHostNode(func() {}).After((*cuda.Node)(nil))}, "a node that host function comes after is nil", cuda.ErrInvalidValue},
			{"cycle", []*cuda.Node{a}, "nodes come after themselves: a (empty) after b (empty) after c (empty) after a (empty)", cuda.ErrInvalidValue},
			{"self", []*cuda.Node{self}, "empty after empty", cuda.ErrInvalidValue},
			{"no arguments", []*cuda.Node{cuda.NewNode(new(example.SaxpyCall)).Named("first")}, "node first (kernel): cuda: build a graph: its call has no arguments", cuda.ErrInvalidValue},
			{"closed buffer", []*cuda.Node{cuda.NewNode(stale)}, "node add_delta<<<1,128>>>: cuda: prepare add_delta on " + dev.String() + ": the buffer of data: closed", cuda.ErrClosed},
			{"closed buffer of a copy", []*cuda.Node{cuda.NewNode(cuda.Copy(x.All(), all))}, "its buffer: closed", cuda.ErrClosed},
			{"closed buffer of a fill", []*cuda.Node{cuda.NewNode(cuda.Fill(all, 1))}, "its buffer: closed", cuda.ErrClosed},
			{"lengths", []*cuda.Node{cuda.NewNode(cuda.Copy(x.Slice(0, 3), x.Slice(4, 6)))}, "the destination has 3 elements, the source 2", cuda.ErrInvalidValue},
			{"a value too wide", []*cuda.Node{wide}, "do not repeat every 1, 2 or 4 bytes", cuda.ErrNotSupported},
			{"a slice without a buffer", []*cuda.Node{cuda.NewNode(cuda.Copy(x.Slice(0, 3), cuda.Stretched(cuda.Slice[int32]{}, 3)))}, "its slice has no buffer", cuda.ErrInvalidValue},
			{"a fill without a buffer", []*cuda.Node{cuda.NewNode(cuda.Fill(cuda.Stretched(cuda.Slice[int32]{}, 3), 1))}, "its slice has no buffer", cuda.ErrInvalidValue},
			{"no function", []*cuda.Node{cuda.NewHostNode(nil), onDevice}, "its function is nil", cuda.ErrInvalidValue},
			{"no event", []*cuda.Node{(*cuda.Event)(nil).WaitNode(), onDevice}, "its event is nil", cuda.ErrInvalidValue},
			{"closed event", []*cuda.Node{event.RecordNode()}, "its event: closed", cuda.ErrClosed},
			{"no graph", []*cuda.Node{(*cuda.Graph)(nil).ChildNode()}, "its graph is nil", cuda.ErrInvalidValue},
			{"inside of itself", []*cuda.Node{inside}, "a graph is inside of itself", cuda.ErrInvalidValue},
			{"no device", []*cuda.Node{cuda.NewHostNode(func() {})}, "no node says on which device", cuda.ErrInvalidValue},
			{"no condition", []*cuda.Node{(*cuda.Conditional)(nil).While(around)}, "it has no condition", cuda.ErrInvalidValue},
		} {
			t.Run(test.name, func(t *testing.T) {
				e, err := cuda.BuildGraph(test.last...)
				require.ErrorContains(t, err, test.want)
				assert.Nil(t, e)
				assert.ErrorIs(t, err, test.is)
				var typed *cuda.Error
				assert.ErrorAs(t, err, &typed)
			})
		}
		g, err := cuda.DefineGraph(cuda.NewHostNode(func() {}))
		require.NoError(t, err)
		e, err := g.InstantiateOn(dev)
		require.NoError(t, err)
		require.NoError(t, e.Launch(s))
		require.NoError(t, e.Close())
		require.NoError(t, e.Close(), "Close is idempotent")
		assert.ErrorIs(t, e.Launch(s), cuda.ErrClosed)
		assert.ErrorIs(t, e.Update(onDevice), cuda.ErrClosed)
		assert.ErrorIs(t, e.Upload(s), cuda.ErrClosed)

		e = built(t, onDevice)
		assert.ErrorContains(t, e.Launch(nil), "the stream is nil")
		none := (*cuda.GraphExec)(nil)
		assert.ErrorIs(t, none.Launch(s), cuda.ErrInvalidValue)
		assert.ErrorIs(t, none.Update(onDevice), cuda.ErrInvalidValue)
		assert.ErrorIs(t, new(cuda.GraphExec).Launch(s), cuda.ErrInvalidValue)
		assert.NoError(t, none.Close())
		assert.NoError(t, new(cuda.GraphExec).Close())
		_, err = (*cuda.Graph)(nil).Instantiate()
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		_, err = new(cuda.Graph).Instantiate()
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	})
}

// TestGraphAndClose: what a graph uses is closed before it, and after it.
func TestGraphAndClose(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, y := upload(t, s, make([]int32, 10)), upload(t, s, make([]int32, 10))
		other, err := dev.NewStream()
		require.NoError(t, err)
		n := cuda.NewNode(adding(t, k, x, 1)).Named("add")
		e := built(t, n)
		for _, stream := range []*cuda.Stream{s, other, s} {
			require.NoError(t, e.Launch(stream))
			require.NoError(t, stream.Synchronize())
		}
		require.NoError(t, other.Close())
		assert.ErrorIs(t, e.Launch(other), cuda.ErrClosed)
		require.NoError(t, e.Launch(s))
		require.NoError(t, x.Close())
		err = e.Launch(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		assert.ErrorContains(t, err, "the buffer of node add (add_delta<<<1,128>>>): closed")
		n.Set(cuda.NewNode(adding(t, k, y, 1)))
		require.NoError(t, e.Update(n), "with another buffer it works again")
		require.NoError(t, e.Launch(s))

		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		events := built(t, event.RecordNode())
		require.NoError(t, event.Close(), "the driver's event stays for the graph")
		require.NoError(t, events.Launch(s))
		require.NoError(t, s.Synchronize())

		require.NoError(t, k.Close())
		assert.ErrorIs(t, e.Launch(s), cuda.ErrClosed)
		assert.ErrorIs(t, e.Update(n), cuda.ErrClosed)
		runtime.GC()
	})
}

// TestGraphHostFunctionFails: a panic is the error of the stream, and the graph goes on.
func TestGraphHostFunctionFails(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		bad := cuda.NewHostNode(func() { panic("oh") })
		e := built(t, cuda.NewNode(cuda.Fill(x.All(), 5)).After(bad))
		require.NoError(t, e.Launch(s))
		err := s.Synchronize()
		assert.ErrorIs(t, err, cuda.ErrHostFunc)
		assert.ErrorContains(t, err, "it panicked: oh")
		assert.Equal(t, []int32{5, 5, 5, 5}, numbersOf(t, newStream(t, dev), x))
	})
}

// TestGraphUpdateFrom takes over another definition.
func TestGraphUpdateFrom(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		define := func(delta, value int32, more ...*cuda.Node) *cuda.Graph {
			fill := cuda.NewNode(cuda.Fill(x.Slice(0, 1), value))
			g, err := cuda.DefineGraph(append(more, cuda.NewNode(adding(t, k, x, delta)).After(fill))...)
			require.NoError(t, err)
			return g
		}
		first := define(1, 10)
		e, err := first.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		check := func(want ...int32) {
			t.Helper()
			require.NoError(t, e.Launch(s))
			if got := numbersOf(t, s, x); !isFake(dev) {
				assert.Equal(t, want, got[:2])
			}
		}
		check(11, 1)
		second := define(5, 20)
		require.NoError(t, e.UpdateFrom(second))
		assert.Same(t, second, e.Definition())
		check(25, 6)
		fill := second.Nodes()[0]
		fill.Call().(*cuda.FillCall[int32]).Value = 30
		require.NoError(t, e.Update(fill), "its nodes are the exec's now")
		check(35, 11)
		assert.Error(t, e.Update(first.Nodes()[0]))
		require.NoError(t, e.Disable(fill))
		require.NoError(t, e.UpdateFrom(define(100, 0)))
		check(135, 111)

		err = e.UpdateFrom(define(1, 1, new(cuda.Node)))
		assert.ErrorIs(t, err, cuda.ErrNeedsInstantiation)
		assert.ErrorContains(t, err, "the number of nodes changed")
		apart, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.All(), 0)), cuda.NewNode(adding(t, k, x, 1)))
		require.NoError(t, err)
		err = e.UpdateFrom(apart)
		assert.ErrorIs(t, err, cuda.ErrNeedsInstantiation)
		assert.ErrorContains(t, err, "it comes after other nodes")
		assert.Error(t, e.UpdateFrom(nil))
		check(235, 211)

		// A clone does not follow what its original becomes.
		clone := second.Clone()
		require.NoError(t, second.Nodes()[1].Call().(*example.AddDeltaCall).Set(example.AddDeltaArgs{Data: x.All(), Delta: 1000}))
		fill.Call().(*cuda.FillCall[int32]).Value = 1
		copied, err := clone.Instantiate()
		require.NoError(t, err)
		defer copied.Close()
		require.NoError(t, copied.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{35, 216}, got[:2])
		}
		assert.Nil(t, (*cuda.Graph)(nil).Clone())
	})
}

// TestBatchGraph: a batch as a graph.
func TestBatchGraph(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		first, second := adding(t, k, x, 1), adding(t, k, x, 10)
		batch, err := cuda.NewBatch(first, second, first)
		require.NoError(t, err)
		g, err := batch.Graph()
		require.NoError(t, err)
		require.Len(t, g.Nodes(), 3)
		e, err := g.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, e.Launch(s))
		require.NoError(t, second.Set(example.AddDeltaArgs{Data: x.All(), Delta: 100}))
		require.NoError(t, e.Update(g.Nodes()[1]))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(12+102), got[0])
		}
		empty, err := cuda.NewBatch()
		require.NoError(t, err)
		_, err = empty.Graph()
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
	})
}

// TestGraphMemory: memory of the graph's own, and what uses it without being in it.
func TestGraphMemory(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, []int32{1, 2, 3, 4})
		alloc, scratch := cuda.NewAllocNode[int32](dev, 4)
		alloc.Named("scratch")
		in := cuda.NewNode(cuda.Copy(scratch, x.All())).After(alloc)
		call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: scratch.Slice(1, 4), Delta: 10})
		require.NoError(t, err)
		n := cuda.NewNode(call).After(in)
		out := cuda.NewNode(cuda.Copy(x.All(), scratch)).After(n)
		e := built(t, cuda.NewFreeNode(scratch).After(out))
		require.NoError(t, e.Launch(s))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{1, 22, 23, 24}, got)
		}
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: scratch, Delta: 5}))
		require.NoError(t, e.Update(n))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{6, 27, 28, 29}, got)
		}
		unfreed := built(t, out)
		for range 3 {
			require.NoError(t, unfreed.Launch(s), "it is freed at the next launch")
		}
		_, err = cuda.BuildGraph(cuda.NewNode(call))
		assert.ErrorContains(t, err, "it uses memory that no node before it allocates")
		_, err = cuda.BuildGraph(cuda.NewNode(cuda.Fill(scratch, 1)))
		assert.ErrorContains(t, err, "it uses memory that no node before it allocates")
		assert.ErrorContains(t, call.Launch(s), "exists only in a graph")
		assert.ErrorContains(t, k.AddDelta.Launch(s, scratch, 1), "exists only in a graph")
		assert.Error(t, scratch.Clear(s))
		assert.Error(t, cuda.Copy(x.All(), scratch).Launch(s))
		assert.Error(t, scratch.CopyTo(s, make([]int32, 4)))
		assert.ErrorIs(t, e.Update(alloc), cuda.ErrNeedsInstantiation)
		for n, on := range map[int]*cuda.Device{1: nil, 0: dev, -1: dev} {
			bad, memory := cuda.NewAllocNode[int32](on, n)
			_, err := cuda.BuildGraph(bad)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue)
			_, err = cuda.BuildGraph(cuda.NewFreeNode(memory))
			assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		}
		require.NoError(t, s.Synchronize())
	})
}

// TestGraphAllocatesNothing: launches and updates.
func TestGraphAllocatesNothing(t *testing.T) {
	dev, _ := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	call := adding(t, k, x, 1)
	n := cuda.NewNode(call)
	fill := cuda.NewNode(cuda.Fill(x.All(), 1)).After(n)
	copied := cuda.NewNode(cuda.Copy(x.Slice(0, 1), x.Slice(1, 2))).After(fill)
	event, err := dev.NewEvent(cuda.EventConfig{})
	require.NoError(t, err)
	defer event.Close()
	record := event.RecordNode().After(copied)
	e := built(t, record)
	other, err := dev.NewStream()
	require.NoError(t, err)
	defer other.Close()
	for name, f := range map[string]func() error{
		"launch":          func() error { return e.Launch(s) },
		"update a kernel": func() error { return e.Update(n) },
		"update a fill":   func() error { fill.Call().(*cuda.FillCall[int32]).Value++; return e.Update(fill) },
		"update a copy":   func() error { return e.Update(copied) },
		"update an event": func() error { return e.Update(record) },
		"on two streams":  func() error { return errors.Join(e.Launch(s), e.Launch(other)) },
	} {
		require.NoError(t, f())
		allocs := testing.AllocsPerRun(20, func() {
			if f() != nil {
				t.Fail()
			}
		})
		if !raceEnabled {
			assert.Zero(t, allocs, name)
		}
	}
}

// TestGraphDriverObjects: nothing stays with the driver when graphs are closed, or cannot be
// made.
func TestGraphDriverObjects(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	graphs, execs := library.Live(fakecuda.Graph), library.Live(fakecuda.GraphExec)
	inner, err := cuda.DefineGraph(cuda.NewNode(adding(t, k, x, 1)), cuda.NewHostNode(func() {}))
	require.NoError(t, err)
	for range 20 {
		e, err := cuda.BuildGraph(inner.ChildNode().After(cuda.NewHostNode(func() {})))
		require.NoError(t, err)
		require.NoError(t, e.UpdateFrom(e.Definition()))
		require.NoError(t, e.Launch(s))
		require.NoError(t, e.Close())
		_, err = cuda.BuildGraph(cuda.NewNode(cuda.Fill(x.All(), 1)), cuda.NewHostNode(nil))
		require.Error(t, err)
	}
	cuda.AwaitCalls(dev)
	assert.Equal(t, graphs, library.Live(fakecuda.Graph))
	assert.Equal(t, execs, library.Live(fakecuda.GraphExec))
}

// TestGraphFromManyGoroutines launches, updates and closes at the same time.
func TestGraphFromManyGoroutines(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 64))
		n := cuda.NewNode(adding(t, k, x, 1))
		e := built(t, cuda.NewHostNode(func() {}).After(n))
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				stream, err := dev.NewStream()
				if !assert.NoError(t, err) {
					return
				}
				defer stream.Close()
				for range 25 {
					err := e.Launch(stream)
					assert.True(t, err == nil || errors.Is(err, cuda.ErrClosed), "%v", err)
				}
				if i == 0 {
					assert.NoError(t, e.Close())
				}
			})
		}
		wg.Go(func() {
			for range 25 {
				err := e.Update(n)
				assert.True(t, err == nil || errors.Is(err, cuda.ErrClosed), "%v", err)
			}
		})
		wg.Wait()
	})
}

func TestNodesSaySo(t *testing.T) {
	for _, n := range []*cuda.Node{nil, cuda.NewNode((*cuda.CopyCall[int])(nil)), cuda.NewNode((*cuda.CopyBoxCall[int])(nil)), cuda.NewNode((*cuda.FillCall[int])(nil))} {
		assert.Equal(t, "nil", n.String())
	}
	var h *cuda.Node
	assert.Nil(t, h.After(new(cuda.Node)).Named("x"))
	assert.Equal(t, "x (empty)", new(cuda.Node).Named("x").String())
	assert.Equal(t, "kernel", cuda.NewNode(nil).String())
	assert.True(t, slices.Contains([]string{"copy 0 × 8 bytes"}, cuda.NewNode(cuda.Copy(cuda.Slice[int]{}, cuda.Slice[int]{})).String()))
}

// TestReplacedHostFunctions: the functions that updates replace do not accumulate.
func TestReplacedHostFunctions(t *testing.T) {
	dev, _ := openFake(t)
	_, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 4))
	host := cuda.NewHostNode(func() {})
	e := built(t, host.After(cuda.NewNode(cuda.Fill(x.All(), 1))))
	var last atomic.Int64
	for i := range int64(1000) {
		host.Set(cuda.NewHostNode(func() { last.Store(i) }))
		require.NoError(t, e.Update(host))
		require.NoError(t, e.Launch(s))
		if i%10 == 0 {
			require.NoError(t, s.Synchronize())
			assert.Equal(t, i, last.Load())
		}
	}
	assert.Eventually(t, func() bool { return cuda.HostFunctions(e) < 150 }, 10*time.Second, time.Millisecond)
}

// TestGraphOrders runs graphs in every order that the dependencies allow: results do not vary
// with the order, unless a dependency is missing, which is the control.
func TestGraphOrders(t *testing.T) {
	defer sim.OrderGraphs(0)
	dev := openSimulator(t)
	k, s := loaded(t, dev)
	for _, missing := range []bool{false, true} {
		x := upload(t, s, make([]int32, 4))
		fill := cuda.NewNode(cuda.Fill(x.All(), 5))
		add := cuda.NewNode(adding(t, k, x, 1))
		if !missing {
			add.After(fill)
		}
		e := built(t, fill, add)
		results := map[int32]bool{}
		for seed := range uint64(20) {
			sim.OrderGraphs(seed)
			require.NoError(t, x.Clear(s))
			require.NoError(t, e.Launch(s))
			results[numbersOf(t, s, x)[0]] = true
		}
		if missing {
			assert.Equal(t, map[int32]bool{5: true, 6: true}, results)
		} else {
			assert.Equal(t, map[int32]bool{6: true}, results)
		}
	}
}

// TestGraphEmptyLaunch: a call whose grid is computed and has no blocks is left out, and comes
// back.
func TestGraphEmptyLaunch(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		call := adding(t, k, x, 1)
		none, all := example.AddDeltaArgs{Data: x.Slice(0, 0), Delta: 1}, example.AddDeltaArgs{Data: x.All(), Delta: 1}
		require.NoError(t, call.Set(none))
		n := cuda.NewNode(call)
		e := built(t, new(cuda.Node).After(n))
		run := func(want int32) {
			t.Helper()
			require.NoError(t, e.Launch(s))
			if got := numbersOf(t, s, x)[0]; !isFake(dev) {
				assert.Equal(t, want, got)
			}
		}
		run(0)
		require.NoError(t, call.Set(all))
		run(0)
		require.NoError(t, e.Update(n))
		run(1)
		run(2)
		require.NoError(t, call.Set(none))
		require.NoError(t, e.Update(n))
		run(2)
		require.NoError(t, e.Enable(n), "it is still empty")
		run(2)
		require.NoError(t, e.Disable(n))
		require.NoError(t, call.Set(all))
		require.NoError(t, e.Update(n), "it is still disabled")
		run(2)
		require.NoError(t, e.Enable(n))
		run(3)
		require.NoError(t, call.Set(none))
		g, err := cuda.DefineGraph(new(cuda.Node).After(cuda.NewNode(call)))
		require.NoError(t, err)
		require.NoError(t, e.UpdateFrom(g))
		run(3)
		require.NoError(t, call.Set(all))
		require.NoError(t, e.UpdateFrom(g))
		run(4)
		require.NoError(t, call.Set(none))
		captured, err := cuda.Capture(s, func(s *cuda.Stream) error {
			return errors.Join(call.Launch(s), k.AddDelta.Launch(s, x.Slice(0, 0), 1), cuda.Fill(x.Slice(1, 2), 9).Launch(s))
		})
		require.NoError(t, err)
		e, err = captured.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		run(4)
		require.NoError(t, call.Set(all))
		require.NoError(t, e.UpdateCall(call))
		run(5)
	})
}

// TestGraphCloseBesideEverything closes what a graph uses, and the graph, while others launch and
// update it: every call succeeds or says that something is closed.
func TestGraphCloseBesideEverything(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for round := range 8 {
			k, err := example.LoadKernels(dev)
			require.NoError(t, err)
			s, err := dev.NewStream()
			require.NoError(t, err)
			other, err := dev.NewStream()
			require.NoError(t, err)
			event, err := dev.NewEvent(cuda.EventConfig{})
			require.NoError(t, err)
			x := upload(t, s, make([]int32, 64))
			n := cuda.NewNode(adding(t, k, x, 1))
			host := cuda.NewHostNode(func() {}).After(n)
			e, err := cuda.BuildGraph(event.RecordNode().After(host))
			require.NoError(t, err)
			closers := []func() error{k.Close, other.Close, event.Close, e.Close}
			var wg sync.WaitGroup
			try := func(f func() error) {
				wg.Go(func() {
					for range 10 {
						if err := f(); err != nil && !errors.Is(err, cuda.ErrClosed) {
							assert.NoError(t, err)
							return
						}
					}
				})
			}
			try(func() error { return e.Launch(s) })
			try(func() error { return e.Launch(other) })
			try(func() error { return e.Update(n) })
			for i := range closers {
				wg.Go(func() { assert.NoError(t, closers[(i+round)%len(closers)]()) })
			}
			wg.Wait()
			assert.NoError(t, s.Synchronize())
			assert.NoError(t, x.Close())
			for _, closer := range append(closers, s.Close) {
				assert.NoError(t, closer())
			}
		}
	})
}

// TestGraphAttributesArrive: those of a call are those of its node; a programmatic launch is an
// edge, which drivers have from CUDA 12.3 on.
func TestGraphAttributesArrive(t *testing.T) {
	dev, library := openFake(t)
	k, s := loaded(t, dev)
	x := upload(t, s, ones(256))
	priority := int32(-2)
	args := example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()}
	plain, err := k.Saxpy.PrepareDefault(args)
	require.NoError(t, err)
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(64), SharedBytes: 60 << 10, Attributes: &cuda.LaunchAttributes{Cluster: cuda.Dim(2), Programmatic: true, Priority: &priority}}
	call, err := k.Saxpy.Prepare(cfg, args)
	require.NoError(t, err)
	first := cuda.NewNode(plain)
	second := cuda.NewNode(call).After(first, new(cuda.Node).After(first))
	if olderThan(dev, 12, 3) {
		assertTooOld(t, dev, second, "programmatic launches in a graph need CUDA 12.3")
		return
	}
	e := built(t, second)
	library.Reset()
	require.NoError(t, e.Launch(s))
	launches := library.Launches()
	require.Len(t, launches, 2)
	assert.Zero(t, launches[0].Attributes)
	assert.False(t, launches[0].Programmatic)
	got := launches[1]
	assert.Equal(t, [3]uint32{2, 1, 1}, got.Cluster)
	assert.Equal(t, [3]uint32{4, 1, 1}, got.Grid)
	assert.Equal(t, uint32(60<<10), got.SharedBytes)
	assert.True(t, got.Programmatic && got.HasPriority && !got.Cooperative)
	assert.Equal(t, priority, got.Priority)
}

// TestReplacedChildren: what the graphs inside of a node use is given back when the node is
// updated.
func TestReplacedChildren(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer event.Close()
		var calls atomic.Int32
		inner := func(value int32) *cuda.Graph {
			g, err := cuda.DefineGraph(event.RecordNode().After(cuda.NewHostNode(func() { calls.Add(value) }).After(cuda.NewNode(cuda.Fill(x.All(), value)))))
			require.NoError(t, err)
			return g
		}
		n := inner(1).ChildNode()
		e := built(t, n)
		for i := range int32(200) {
			n.Set(inner(i).ChildNode())
			require.NoError(t, e.Update(n))
			if i%50 == 0 {
				calls.Store(0)
				require.NoError(t, e.Launch(s))
				require.NoError(t, s.Synchronize())
				assert.Equal(t, i, calls.Load())
				assert.Equal(t, i, numbersOf(t, s, x)[0])
			}
		}
		assert.Eventually(t, func() bool { return cuda.HostFunctions(e) < 150 }, 10*time.Second, time.Millisecond)
		assert.Equal(t, 1, cuda.EventsInUse(e))
		other, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.All(), 1)))
		require.NoError(t, err)
		n.Set(other.ChildNode())
		assert.ErrorIs(t, e.Update(n), cuda.ErrNeedsInstantiation)
		assert.Equal(t, 1, cuda.EventsInUse(e))
		n.Set((*cuda.Graph)(nil).ChildNode())
		assert.ErrorIs(t, e.Update(n), cuda.ErrInvalidValue)
		require.NoError(t, e.Launch(s))
		require.NoError(t, s.Synchronize())
	})
}
