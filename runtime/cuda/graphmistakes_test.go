package cuda_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestAllocatedMemoryNeedsItsNode: a node that uses memory of a graph comes after the node that allocates it, in whatever order they are given.
func TestAllocatedMemoryNeedsItsNode(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	alloc, memory := cuda.NewAllocNode[float32](dev, 4)
	fill := cuda.NewNode(cuda.Fill(memory, 5))
	for _, nodes := range [][]*cuda.Node{{alloc, fill}, {fill, alloc}} {
		_, err := cuda.BuildGraph(nodes...)
		assert.ErrorContains(t, err, "it uses memory that no node before it allocates")
	}
	between := new(cuda.Node).After(alloc)
	buffer := upload(t, s, make([]float32, 4))
	elsewhere := cuda.Fill(buffer.All(), 5)
	beside := cuda.NewNode(elsewhere)
	exec, err := cuda.BuildGraph(alloc, between, fill.After(between), beside)
	require.NoError(t, err)
	require.NoError(t, errors.Join(exec.Launch(s), s.Synchronize(), exec.Update(fill)))
	elsewhere.Dst = memory
	assert.ErrorContains(t, exec.Update(beside), "it uses memory that no node before it allocates", "a node that has used other memory")
	elsewhere.Dst = buffer.All()
	require.NoError(t, errors.Join(exec.Update(beside), exec.Launch(s), s.Synchronize(), exec.Close()))

	// The body of a conditional node, which comes after it or does not.
	for _, after := range []bool{true, false} {
		alloc, memory := cuda.NewAllocNode[float32](dev, 4)
		body, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(memory, 5)))
		require.NoError(t, err)
		node := cuda.NewConditional(1).If(body, nil)
		if after {
			node.After(alloc)
		}
		exec, err := cuda.BuildGraph(alloc, node)
		if !after {
			assert.ErrorContains(t, err, "it uses memory that no node before it allocates")
			continue
		}
		require.NoError(t, err)
		require.NoError(t, errors.Join(exec.Launch(s), s.Synchronize(), exec.Close()))
	}
}

// TestFreeNodes: memory is freed once, and whole.
func TestFreeNodes(t *testing.T) {
	dev := openSimulator(t)
	alloc, memory := cuda.NewAllocNode[float32](dev, 4)
	_, err := cuda.BuildGraph(alloc, cuda.NewFreeNode(memory), cuda.NewFreeNode(memory))
	assert.ErrorContains(t, err, "another node of the graph frees its memory")
	for _, part := range []cuda.Slice[float32]{memory.Slice(0, 2), memory.Slice(1, 4)} {
		_, err := cuda.BuildGraph(alloc, cuda.NewFreeNode(part))
		assert.ErrorContains(t, err, "its slice is not what NewAllocNode returned, or a part of that")
	}
	exec, err := cuda.BuildGraph(alloc, cuda.NewFreeNode(memory))
	require.NoError(t, err)
	require.NoError(t, exec.Close())
}

// TestGraphInsideOfItself: whatever looks at such a graph ends.
func TestGraphInsideOfItself(t *testing.T) {
	dev := openSimulator(t)
	kernels, err := example.LoadKernels(dev)
	require.NoError(t, err)
	x := upload(t, newStream(t, dev), make([]float32, 4))
	call, err := kernels.Saxpy.PrepareDefault(example.SaxpyArgs{X: x.All(), Y: x.All()})
	require.NoError(t, err)
	inner, err := cuda.DefineGraph(cuda.NewNode(call))
	require.NoError(t, err)
	child := inner.ChildNode()
	g, err := cuda.DefineGraph(child)
	require.NoError(t, err)
	exec, err := g.Instantiate()
	require.NoError(t, err)
	child.Set(g.ChildNode())
	assert.Contains(t, g.DOT(), "inside of itself")
	assert.Contains(t, exec.DOT(), "inside of itself")
	assert.Len(t, g.Clone().Nodes(), 1)
	assert.ErrorContains(t, exec.UpdateCall(call), "a graph is inside of itself")
	assert.ErrorContains(t, exec.Update(child), "a graph is inside of itself")
	require.NoError(t, exec.Close())

	// A graph that is in two places is not.
	g, err = cuda.DefineGraph(inner.ChildNode(), inner.ChildNode())
	require.NoError(t, err)
	assert.NotContains(t, g.DOT(), "inside of itself")
}

// TestNodeSetNil: a node that was set to nil does not do as before.
func TestNodeSetNil(t *testing.T) {
	x := upload(t, newStream(t, openSimulator(t)), make([]float32, 4))
	n := cuda.NewNode(cuda.Fill(x.All(), 1))
	exec, err := cuda.BuildGraph(n)
	require.NoError(t, err)
	n.Set(nil)
	assert.ErrorContains(t, exec.Update(n), "Set was given a nil node")
	_, err = cuda.BuildGraph(n)
	assert.ErrorContains(t, err, "Set was given a nil node")
	require.NoError(t, exec.Close())
}

// TestConfigIsACopy: what a program makes of a call's configuration does not change the call.
func TestConfigIsACopy(t *testing.T) {
	dev := openSimulator(t)
	kernels, err := example.LoadKernels(dev)
	require.NoError(t, err)
	x := upload(t, newStream(t, dev), make([]float32, 4))
	call, err := kernels.Saxpy.Prepare(cuda.LaunchConfig{Grid: cuda.Dim(3), Block: cuda.Dim(32), Attributes: &cuda.LaunchAttributes{}}, example.SaxpyArgs{X: x.All(), Y: x.All()})
	require.NoError(t, err)
	cfg := call.Config()
	cfg.Attributes.Cooperative = true
	assert.False(t, call.Config().Attributes.Cooperative)
}

// TestCloseTellsOfHostFunctions: what no other call has told, Device.Close does.
func TestCloseTellsOfHostFunctions(t *testing.T) {
	for _, waited := range []bool{false, true} {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		s, err := dev.NewStream()
		require.NoError(t, err)
		require.NoError(t, s.LaunchHostFunc(func() { panic("lost") }))
		if waited {
			assert.ErrorContains(t, s.Synchronize(), "lost")
			assert.NoError(t, dev.Close())
		} else {
			assert.ErrorContains(t, dev.Close(), "lost")
		}
	}
}
