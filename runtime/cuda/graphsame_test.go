package cuda_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestGraphCopiesInHost: copies between page-locked memory are on no device, whichever it was
// allocated on.
func TestGraphCopiesInHost(t *testing.T) {
	devs, streams, buffers := openSimulated(t, 2)
	host, err := cuda.AllocHost[int32](devs[1], 8, cuda.HostConfig{})
	require.NoError(t, err)
	defer host.Close()
	copy(host.Host(), []int32{1, 2, 3, 4})
	line := cuda.NewNode(cuda.Copy(host.Slice(4, 6), host.Slice(0, 2)))
	box := cuda.NewNode(cuda.CopyBox(host.Slice(6, 8).Box(cuda.Shape{Width: 1, Height: 2}), host.Slice(2, 4).Box(cuda.Shape{Width: 1, Height: 2})))
	e := built(t, line, box, cuda.NewNode(cuda.Fill(buffers[0].All(), 5)))
	require.NoError(t, e.Launch(streams[0]))
	require.NoError(t, streams[0].Synchronize())
	assert.Equal(t, []int32{1, 2, 3, 4, 1, 2, 3, 4}, host.Host())
	line.Call().(*cuda.CopyCall[int32]).Src = host.Slice(1, 3)
	require.NoError(t, e.Update(line))
	require.NoError(t, e.Launch(streams[0]))
	require.NoError(t, streams[0].Synchronize())
	assert.Equal(t, []int32{2, 3}, host.Host()[4:6])

	g, err := cuda.Capture(streams[0], func(s *cuda.Stream) error { return cuda.Copy(host.Slice(0, 2), host.Slice(4, 6)).Launch(s) })
	require.NoError(t, err)
	for i, dev := range devs {
		on, err := g.InstantiateOn(dev)
		require.NoError(t, err)
		require.NoError(t, on.Launch(streams[i]))
		require.NoError(t, streams[i].Synchronize())
		require.NoError(t, on.Close())
	}
	assert.Equal(t, []int32{2, 3}, host.Host()[:2])
}

// TestGraphUpdatesOfNothing: a copy or a fill of no elements can stay one.
func TestGraphUpdatesOfNothing(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		nothing := cuda.Copy(x.Slice(0, 0), x.Slice(1, 1))
		none := cuda.NewNode(nothing)
		fill := cuda.NewNode(cuda.Fill(x.Slice(0, 0), 1)).After(none)
		n := cuda.NewNode(cuda.Fill(x.All(), 1)).After(fill)
		e := built(t, n)
		g, err := cuda.DefineGraph(n)
		require.NoError(t, err)
		n.Call().(*cuda.FillCall[int32]).Value = 2
		require.NoError(t, e.UpdateFrom(g))
		nothing.Dst, nothing.Src = x.Slice(2, 2), x.Slice(3, 3)
		require.NoError(t, e.Update(none))
		require.NoError(t, e.Update(fill))
		require.NoError(t, e.Launch(s))
		assert.Equal(t, []int32{2, 2, 2, 2}, numbersOf(t, s, x))
		nothing.Dst, nothing.Src = x.Slice(0, 1), x.Slice(1, 2)
		assert.ErrorIs(t, e.Update(none), cuda.ErrNeedsInstantiation)
		assert.ErrorIs(t, e.UpdateFrom(g), cuda.ErrNeedsInstantiation)
		fill.Call().(*cuda.FillCall[int32]).Dst = x.All()
		assert.ErrorIs(t, e.Update(fill), cuda.ErrNeedsInstantiation)
	})
}

// TestPreparedAttributes: a prepared call has the attributes that Prepare was given, also where the
// program changes them afterwards.
func TestPreparedAttributes(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		priority := int32(0)
		attributes := &cuda.LaunchAttributes{Priority: &priority}
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32), Attributes: attributes}
		kernel, err := cuda.Bind[addDeltaArgs](loadLibrary(t, dev, examplesPTX(t)), "add_delta")
		require.NoError(t, err)
		call, err := kernel.Prepare(cfg, addDeltaArgs{4, x.All().Ptr(), 1})
		require.NoError(t, err)
		n := cuda.NewNode(call)
		e := built(t, n)
		priority, attributes.Cluster = -1, cuda.Dim(7) // which no grid of one block has
		assert.Equal(t, int32(0), *call.Config().Attributes.Priority)
		require.NoError(t, call.Launch(s))
		require.NoError(t, e.Update(n))
		require.NoError(t, e.Launch(s))
		require.NoError(t, built(t, n).Launch(s))
		require.NoError(t, s.Synchronize())
	})
}

// TestUpdateOfAllOrNone: where one of a call's nodes, or one of a node's places, cannot be updated,
// none is.
func TestUpdateOfAllOrNone(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		call := adding(t, k, x, 1)
		g, err := cuda.Capture(s, func(s *cuda.Stream) error { return errors.Join(call.Launch(s), call.Launch(s)) })
		require.NoError(t, err)
		e, err := g.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		last := g.Nodes()[1]
		last.After(new(cuda.Node))
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 100}))
		assert.ErrorIs(t, e.UpdateCall(call), cuda.ErrNeedsInstantiation)
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{2, 2, 2, 2}, got)
		}
		e, err = g.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(4), got[0], "the definition, too, is as it was")
		}
		require.NoError(t, e.UpdateCall(call))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(204), got[0])
		}
	})
}
