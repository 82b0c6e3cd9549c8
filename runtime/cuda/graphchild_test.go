package cuda_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A call is updated at every node that launches it, also in graphs in graphs.
func TestUpdateCallInChildGraphs(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, []int32{0, 0, 0, 0})
		call := adding(t, k, x, 1)
		define := func(nodes ...*cuda.Node) *cuda.Graph {
			g, err := cuda.DefineGraph(nodes...)
			require.NoError(t, err)
			return g
		}
		inner := define(cuda.NewNode(call))
		deep := define(inner.ChildNode())
		e, err := cuda.BuildGraph(deep.ChildNode().After(inner.ChildNode().After(cuda.NewNode(call))))
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 10}))
		require.NoError(t, e.UpdateCall(call))
		require.NoError(t, e.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, []int32{30, 30, 30, 30}, got)
		}
		alone, err := cuda.BuildGraph(inner.ChildNode())
		require.NoError(t, err)
		defer alone.Close()
		require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 100}))
		require.NoError(t, alone.UpdateCall(call))
		require.NoError(t, alone.Launch(s))
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(130), got[0])
		}
	})
}

// What the body of a conditional node cannot hold is named, with what it can.
func TestBodiesHoldNoHostFunctions(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if !dev.IsSimulated() && os.Getenv(onGPU) == "" {
			return // the fake takes every body
		}
		body, err := cuda.DefineGraph(cuda.NewHostNode(func() {}))
		require.NoError(t, err)
		g, err := cuda.DefineGraph(cuda.NewConditional(1).If(body, nil))
		require.NoError(t, err)
		_, err = g.InstantiateOn(dev)
		assert.ErrorContains(t, err, "node host function")
		assert.ErrorContains(t, err, "the body of a conditional node holds kernels, copies, fills")
	})
}

// Simulated devices say what holds for each device of their compute capability. An H200 was asked.
func TestAttributesOfTheCapability(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if isFake(dev) {
			return
		}
		for attribute, want := range map[cuda.DeviceAttribute]int{
			9: 64 << 10, 11: 1<<31 - 1, 17: 0, 18: 0, 19: 1, 20: 0, 31: 1, 44: 1, 78: 1, 81: 228 << 10, 82: 64 << 10, 99: 1, 106: 32, 111: 1 << 10, 127: 1,
		} {
			got, err := dev.Attribute(attribute)
			assert.NoError(t, err, attribute)
			assert.Equal(t, want, got, attribute)
		}
		_, err := dev.Attribute(100_000)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		if _, err := dev.Attribute(13); dev.IsSimulated() { // the clock's
			assert.ErrorIs(t, err, cuda.ErrNotSupported)
		}
	})
}
