package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

type (
	testGraph = Graph[string]
	testNode  = Node[string]
)

// added adds a node of a type behind others.
func added(g *testGraph, typ driver.GraphNodeType, after ...*testNode) *testNode {
	n := &testNode{Handle: driver.GraphNode(100 + len(g.Nodes)), Params: driver.NodeParams{Type: typ}, After: after}
	g.Add(n)
	return n
}

// diamond is four kernels, of which two come after the first and before the last.
func diamond() (g *testGraph, n [4]*testNode) {
	g = &testGraph{}
	n[0] = added(g, driver.KernelNodeType)
	n[1], n[2] = added(g, driver.KernelNodeType, n[0]), added(g, driver.KernelNodeType, n[0])
	n[3] = added(g, driver.KernelNodeType, n[1], n[2])
	return g, n
}

// TestOrder: the nodes run in the order of the calls, or in any that the dependencies allow.
func TestOrder(t *testing.T) {
	g, n := diamond()
	assert.Equal(t, n[:], slices.Collect(g.Order(nil)))
	seen := map[*testNode]bool{}
	for seed := range uint64(20) {
		order := slices.Collect(g.Order(rand.New(rand.NewPCG(seed, 1))))
		require.ElementsMatch(t, n[:], order)
		assert.Equal(t, n[0], order[0])
		assert.Equal(t, n[3], order[3])
		seen[order[1]] = true
	}
	assert.Len(t, seen, 2, "both orders are tried")
	for first := range g.Order(nil) {
		assert.Equal(t, n[0], first)
		break
	}
}

// TestCopy: a copy shares nothing with the graph, and its nodes are found by the handles of the graph's.
func TestCopy(t *testing.T) {
	g, n := diamond()
	child := added(g, driver.ChildGraphNodeType, n[3])
	child.Child = &testGraph{Owner: child}
	inner := added(child.Child, driver.EmptyNodeType)
	inner.Handle = 7
	c := Copy(g, nil)
	for _, was := range append(n[:], child, inner) {
		is := c.Find(was.Handle)
		require.NotNil(t, is)
		assert.NotSame(t, was, is)
	}
	assert.Same(t, c.Nodes[4], c.Nodes[4].Child.Owner)
	assert.Equal(t, []*testNode{c.Nodes[1], c.Nodes[2]}, c.Nodes[3].After)
	assert.Nil(t, c.Find(8))
	assert.Nil(t, c.Difference(g))

	n[1].Remove()
	assert.Len(t, g.Nodes, 4)
	assert.Equal(t, []*testNode{n[2]}, n[3].After)
	assert.Len(t, c.Nodes, 5)
	assert.NotNil(t, c.Difference(g), "the control: one node is gone")
}

// TestDifference: what cannot take the place of a graph, and where.
func TestDifference(t *testing.T) {
	line := driver.Copy3D{WidthBytes: 4, Height: 1, Depth: 1}
	plane := driver.Copy3D{WidthBytes: 4, Height: 2, Depth: 1}
	of := func(p driver.NodeParams) *testGraph {
		g, n := diamond()
		added(g, p.Type, n[3]).Params = p
		return g
	}
	kernels := of(driver.NodeParams{Type: driver.KernelNodeType})
	for name, test := range map[string]struct {
		was, is *testGraph
		at      int
		outcome driver.GraphExecUpdateResult
	}{
		"kind":           {kernels, of(driver.NodeParams{Type: driver.EmptyNodeType}), 4, 3},
		"copies":         {of(driver.NodeParams{Type: driver.MemcpyNodeType, Copy: line}), of(driver.NodeParams{Type: driver.MemcpyNodeType, Copy: plane}), 4, 5},
		"less":           {kernels, func() *testGraph { g, _ := diamond(); return g }(), -1, 2},
		"more":           {func() *testGraph { g, _ := diamond(); return g }(), kernels, 4, 2},
		"a dependency":   {kernels, func() *testGraph { g := Copy(kernels, nil); g.Nodes[4].After = nil; return g }(), 4, 2},
		"another before": {kernels, func() *testGraph { g := Copy(kernels, nil); g.Nodes[4].After = g.Nodes[:1]; return g }(), 4, 2},
	} {
		d := test.was.Difference(test.is)
		require.NotNil(t, d, name)
		assert.Equal(t, test.outcome, d.Outcome, name)
		if test.at < 0 {
			assert.Nil(t, d.At, name)
		} else {
			assert.Same(t, test.is.Nodes[test.at], d.At, name)
		}
	}
	other := Copy(kernels, nil)
	other.Nodes[2].Kernel = "another"
	require.Nil(t, kernels.Difference(other))
	kernels.Adopt(other)
	assert.Equal(t, "another", kernels.Nodes[2].Kernel)
}

// TestMisfit: what the body of a conditional node cannot have is found, however deep it lies.
func TestMisfit(t *testing.T) {
	g := &testGraph{}
	host := added(g, driver.HostNodeType)
	assert.Nil(t, g.Misfit(false))
	child := added(g, driver.ChildGraphNodeType, host)
	child.Child = &testGraph{Owner: child}
	added(child.Child, driver.HostNodeType)
	assert.Nil(t, g.Misfit(false), "a child is no body")
	loop := added(child.Child, driver.ConditionalNodeType)
	loop.Bodies = []*testGraph{{Owner: loop}}
	wrong := added(loop.Bodies[0], driver.EventWaitNodeType)
	assert.Same(t, wrong, g.Misfit(false))
}

// TestCaptures: a capture that is broken stays so, and a stream joins what it waits for.
func TestCaptures(t *testing.T) {
	g, n := diamond()
	c := &Captured[string]{Capture: &Capture[string]{Graph: g}, Last: n[3:]}
	for _, m := range n {
		m.Captured = true
		assert.True(t, c.Joined(m))
	}
	loose := added(g, driver.EmptyNodeType)
	assert.True(t, c.Joined(loose), "nobody captured it")
	loose.Captured = true
	assert.False(t, c.Joined(loose))
	c.Join([]*testNode{loose, n[3]})
	assert.Equal(t, []*testNode{n[3], loose}, c.Last)
	assert.True(t, c.Joined(loose))
	assert.Equal(t, driver.ErrorInvalidValue, c.BreakUp(driver.ErrorInvalidValue))
	assert.Equal(t, driver.ErrorStreamCaptureInvalidated, c.BreakUp(driver.ErrorInvalidValue))
}
