// Package graph knows the shape of CUDA graphs: which node comes after which, what a copy of a graph
// is, whether a graph can take another's place, in which order nodes may run, and what a capture adds.
// It runs no node.
package graph

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Graph is nodes in the order in which they were added, which puts each behind those that it
// comes after. K is what its owner keeps of a node that launches a kernel.
type Graph[K any] struct {
	Handle driver.Graph
	Nodes  []*Node[K]
	Owner  *Node[K] // of which it is a body or the child, or nil
}

// A Node is a node of a graph, or of the copy of it that an exec has.
type Node[K any] struct {
	Handle   driver.GraphNode // of an exec's: that of the node it was made of
	Graph    *Graph[K]
	Params   driver.NodeParams
	Kernel   K // of a kernel node
	Attrs    driver.LaunchAttributes
	After    []*Node[K]
	Child    *Graph[K]
	Bodies   []*Graph[K]
	Captured bool // of work that was queued on a stream
	Disabled bool
}

// Parts returns the graphs inside of n.
func (n *Node[K]) Parts() []*Graph[K] {
	if n.Child != nil {
		return []*Graph[K]{n.Child}
	}
	return n.Bodies
}

// Allocates reports whether a node of g allocates the memory at p.
func (g *Graph[K]) Allocates(p driver.DevicePtr) bool {
	return slices.ContainsFunc(g.Nodes, func(n *Node[K]) bool { return n.Params.Type == driver.MemAllocNodeType && n.Params.Free == p })
}

// Remove takes n out of its graph, and out of the dependencies of other nodes.
func (n *Node[K]) Remove() {
	isN := func(m *Node[K]) bool { return m == n }
	n.Graph.Nodes = slices.DeleteFunc(n.Graph.Nodes, isN)
	for _, m := range n.Graph.Nodes {
		m.After = slices.DeleteFunc(slices.Clone(m.After), isN)
	}
}

// Add makes n a node of g.
func (g *Graph[K]) Add(n *Node[K]) {
	n.Graph = g
	g.Nodes = append(g.Nodes, n)
}

// Copy returns a copy of g without handles of its own, whose nodes know those of g's.
func Copy[K any](g *Graph[K], owner *Node[K]) *Graph[K] {
	c := &Graph[K]{Owner: owner}
	made := make(map[*Node[K]]*Node[K])
	for _, n := range g.Nodes {
		m := *n
		m.Graph, m.After, m.Bodies = c, nil, nil
		for _, a := range n.After {
			m.After = append(m.After, made[a])
		}
		made[n] = &m
		if n.Child != nil {
			m.Child = Copy(n.Child, &m)
		}
		for _, body := range n.Bodies {
			m.Bodies = append(m.Bodies, Copy(body, &m))
		}
		c.Nodes = append(c.Nodes, &m)
	}
	return c
}

// Find returns the node of g, or of a graph inside of it, that was made of the one with handle.
func (g *Graph[K]) Find(handle driver.GraphNode) *Node[K] {
	for _, n := range g.Nodes {
		if n.Handle == handle {
			return n
		}
		for _, part := range n.Parts() {
			if found := part.Find(handle); found != nil {
				return found
			}
		}
	}
	return nil
}

// Misfit returns a node that cannot be instantiated where it is, or nil.
func (g *Graph[K]) Misfit(inBody bool) *Node[K] {
	for _, n := range g.Nodes {
		switch n.Params.Type {
		case driver.HostNodeType, driver.EventRecordNodeType, driver.EventWaitNodeType, driver.MemAllocNodeType, driver.MemFreeNodeType:
			if inBody {
				return n
			}
		}
		for _, part := range n.Parts() {
			if found := part.Misfit(inBody || n.Child == nil); found != nil {
				return found
			}
		}
	}
	return nil
}

// Waits returns the nodes of g, and of its children, that wait for events.
func (g *Graph[K]) Waits() (nodes []*Node[K]) {
	for _, n := range g.Nodes {
		if n.Child != nil {
			nodes = append(nodes, n.Child.Waits()...)
		}
		if n.Params.Type == driver.EventWaitNodeType {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Frees reports whether a node of g frees the memory at p.
func (g *Graph[K]) Frees(p driver.DevicePtr) bool {
	return slices.ContainsFunc(g.Nodes, func(n *Node[K]) bool { return n.Params.Type == driver.MemFreeNodeType && n.Params.Free == p })
}

// Order yields the nodes of g in an order that their dependencies allow: that in which they were
// added, or one that random chooses.
func (g *Graph[K]) Order(random *rand.Rand) iter.Seq[*Node[K]] {
	return func(yield func(*Node[K]) bool) {
		waiting := make(map[*Node[K]]int)
		behind := make(map[*Node[K]][]*Node[K])
		var ready []*Node[K]
		for _, n := range g.Nodes {
			for _, a := range n.After {
				behind[a] = append(behind[a], n)
			}
			if waiting[n] = len(n.After); len(n.After) == 0 {
				ready = append(ready, n)
			}
		}
		for len(ready) > 0 {
			next := 0
			if random != nil {
				next = random.IntN(len(ready))
			}
			n := ready[next]
			ready = append(ready[:next], ready[next+1:]...)
			if !yield(n) {
				return
			}
			for _, b := range behind[n] {
				if waiting[b]--; waiting[b] == 0 {
					ready = append(ready, b)
				}
			}
		}
	}
}
