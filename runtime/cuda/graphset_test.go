package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A node that was set to what a captured one does changes by itself, as the captured one does.
func TestSetNodesChangeApart(t *testing.T) {
	dev := openSimulator(t)
	k, s := loaded(t, dev)
	x := upload(t, s, make([]int32, 64))
	call, err := k.AddDelta.PrepareDefault(example.AddDeltaArgs{Data: x.All(), Delta: 1})
	require.NoError(t, err)
	graph, err := cuda.Capture(s, func(s *cuda.Stream) error { return call.Launch(s) })
	require.NoError(t, err)
	captured := graph.Nodes()[0]
	was := captured.Call()
	other := new(cuda.Node)
	other.Set(captured)
	second, err := cuda.DefineGraph(other)
	require.NoError(t, err)
	exec, err := graph.Instantiate()
	require.NoError(t, err)
	defer exec.Close()
	secondExec, err := second.Instantiate()
	require.NoError(t, err)
	defer secondExec.Close()

	require.NoError(t, call.Set(example.AddDeltaArgs{Data: x.All(), Delta: 100}))
	require.NoError(t, secondExec.UpdateCall(call))
	assert.Same(t, was, captured.Call())
	assert.Same(t, call, other.Call())
	require.NoError(t, exec.Update(captured))
	require.NoError(t, exec.Launch(s))
	host := make([]int32, 64)
	require.NoError(t, x.CopyTo(s, host))
	assert.Equal(t, int32(1), host[0])
	require.NoError(t, secondExec.Launch(s))
	require.NoError(t, x.CopyTo(s, host))
	assert.Equal(t, int32(101), host[0])

	// An update that fails leaves both as they were.
	both := new(cuda.Node).After(captured)
	both.Set(captured)
	third, err := cuda.DefineGraph(both)
	require.NoError(t, err)
	thirdExec, err := third.Instantiate()
	require.NoError(t, err)
	defer thirdExec.Close()
	y := upload(t, s, make([]int32, 64))
	require.NoError(t, call.Set(example.AddDeltaArgs{Data: y.All(), Delta: 100}))
	require.NoError(t, y.Close())
	require.ErrorIs(t, thirdExec.UpdateCall(call), cuda.ErrClosed)
	assert.Same(t, was, captured.Call())
	assert.Same(t, was, both.Call())
	assert.NoError(t, thirdExec.Update(captured))
}

// Two nodes of a graph that would allocate one memory are refused: one of them would win.
func TestMemoryOfOneNode(t *testing.T) {
	dev := openSimulator(t)
	_, s := loaded(t, dev)
	alloc, memory := cuda.NewAllocNode[int32](dev, 64)
	again := new(cuda.Node)
	again.Set(alloc)
	fill := cuda.NewNode(cuda.Fill(memory, 7)).After(alloc)
	out := upload(t, s, make([]int32, 64))
	last := cuda.NewNode(cuda.Copy(out.All(), memory)).After(again.After(fill))
	graph, err := cuda.DefineGraph(cuda.NewFreeNode(memory).After(last))
	require.NoError(t, err)
	_, err = graph.Instantiate()
	assert.ErrorContains(t, err, "another node of the graph allocates its memory")
}
