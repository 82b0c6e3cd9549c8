package graph

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// MayUpdate reports whether the copy of a node that can be launched may become another one: both have
// one dimension, and memory of the host on the same sides.
func MayUpdate(was, is driver.Copy3D) bool {
	isLine := func(c driver.Copy3D) bool { return c.Height == 1 && c.Depth == 1 }
	hosts := func(c driver.Copy3D) [2]bool { return [2]bool{c.Src.Host != nil, c.Dst.Host != nil} }
	return isLine(was) && isLine(is) && hosts(was) == hosts(is)
}

// A Difference is why a graph cannot take the place of another one.
type Difference[K any] struct {
	At      *Node[K]
	Outcome driver.GraphExecUpdateResult
}

// Difference returns why g cannot do what other does, or nil.
func (g *Graph[K]) Difference(other *Graph[K]) *Difference[K] {
	const topology, kind, parameters = 2, 3, 5
	for i, is := range other.Nodes {
		if i >= len(g.Nodes) {
			return &Difference[K]{is, topology}
		}
		was := g.Nodes[i]
		switch {
		case len(was.After) != len(is.After):
			return &Difference[K]{is, topology}
		case was.Params.Type != is.Params.Type:
			return &Difference[K]{is, kind}
		case was.Params.Type == driver.MemcpyNodeType && was.Params.Copy != is.Params.Copy && !MayUpdate(was.Params.Copy, is.Params.Copy):
			return &Difference[K]{is, parameters}
		case was.Params.Type == driver.MemAllocNodeType && was.Params.Alloc != is.Params.Alloc:
			return &Difference[K]{is, parameters}
		case was.Params.Type == driver.ConditionalNodeType && (was.Params.Conditional.Kind != is.Params.Conditional.Kind || len(was.Bodies) != len(is.Bodies)):
			return &Difference[K]{is, parameters}
		}
		for j, a := range is.After {
			if slices.Index(other.Nodes, a) != slices.Index(g.Nodes, was.After[j]) {
				return &Difference[K]{is, topology}
			}
		}
		for j, part := range is.Parts() {
			if d := was.Parts()[j].Difference(part); d != nil {
				return d
			}
		}
	}
	if len(other.Nodes) != len(g.Nodes) {
		return &Difference[K]{nil, topology}
	}
	return nil
}

// Adopt makes g do what other does, which is no difference.
func (g *Graph[K]) Adopt(other *Graph[K]) {
	for i, is := range other.Nodes {
		was := g.Nodes[i]
		was.Params, was.Kernel, was.Attrs = is.Params, is.Kernel, is.Attrs
		for j, part := range is.Parts() {
			was.Parts()[j].Adopt(part)
		}
	}
}
