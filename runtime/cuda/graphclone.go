package cuda

import (
	"slices"
	"unsafe"
)

// Clone returns a copy of g with nodes of its own, in the order of g.Nodes, and with calls that
// are as they are now: changes of g's nodes and calls do not affect it. Buffers, events and
// functions are the same.
func (g *Graph) Clone() *Graph {
	if g == nil {
		return nil
	}
	c := &Graph{nodes: make([]Node, len(g.nodes)), edges: g.edges, ends: g.ends} // which never change
	for i, n := range g.nodes {
		m := n.clone()
		b := m.base()
		*b = node{name: b.name}
		for _, j := range g.after(i) {
			b.after = append(b.after, c.nodes[j])
		}
		c.nodes[i] = m
	}
	return c
}

// A frozenCall is a copy of a call, of whatever type.
type frozenCall struct {
	Call
	block []uint64
}

// freeze returns a copy of c with a parameter block of its own.
func freeze(c *Call) *frozenCall {
	f := &frozenCall{block: make([]uint64, (c.target.ParamBytes+7)/8+1)}
	params := unsafe.Pointer(&f.block[0])
	copy(unsafe.Slice((*byte)(params), c.target.ParamBytes), blockOf(c))
	Generated.Clone(&f.Call, c, params)
	return f
}

func (n *CallNode) clone() Node {
	m := *n
	if c := n.prepared(); c != nil {
		m.Call = freeze(c)
	}
	return &m
}

func (n *ConditionalNode) clone() Node {
	m := *n
	m.Bodies = slices.Clone(n.Bodies)
	for i, body := range m.Bodies {
		m.Bodies[i] = body.Clone()
	}
	return &m
}

func (n *ChildNode) clone() Node {
	m := *n
	m.Graph = n.Graph.Clone()
	return &m
}

func (n *EmptyNode) clone() Node       { m := *n; return &m }
func (n *HostNode) clone() Node        { m := *n; return &m }
func (n *EventRecordNode) clone() Node { m := *n; return &m }
func (n *EventWaitNode) clone() Node   { m := *n; return &m }
func (n *FreeNode) clone() Node        { m := *n; return &m }

func (n *MemcpyNode[T]) clone() Node    { m := *n; return &m }
func (n *MemcpyBoxNode[T]) clone() Node { m := *n; return &m }
func (n *MemsetNode[T]) clone() Node    { m := *n; return &m }
func (n *AllocNode[T]) clone() Node     { m := *n; return &m }
