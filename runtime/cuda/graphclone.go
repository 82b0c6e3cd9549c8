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
		b.name = n.base().name
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
	m := &CallNode{Call: n.Call, captured: n.captured}
	if c := n.prepared(); c != nil {
		m.Call = freeze(c)
	}
	return m
}

func (n *ConditionalNode) clone() Node {
	m := &ConditionalNode{Condition: n.Condition, Bodies: slices.Clone(n.Bodies), kind: n.kind}
	for i, body := range m.Bodies {
		m.Bodies[i] = body.Clone()
	}
	return m
}

func (n *ChildNode) clone() Node       { return &ChildNode{Graph: n.Graph.Clone()} }
func (n *EmptyNode) clone() Node       { return new(EmptyNode) }
func (n *HostNode) clone() Node        { return &HostNode{Func: n.Func, library: n.library} }
func (n *EventRecordNode) clone() Node { return &EventRecordNode{Event: n.Event} }
func (n *EventWaitNode) clone() Node   { return &EventWaitNode{Event: n.Event} }
func (n *FreeNode) clone() Node        { return &FreeNode{memory: n.memory} }

func (n *MemcpyNode[T]) clone() Node    { return &MemcpyNode[T]{Dst: n.Dst, Src: n.Src} }
func (n *MemcpyBoxNode[T]) clone() Node { return &MemcpyBoxNode[T]{Dst: n.Dst, Src: n.Src} }
func (n *MemsetNode[T]) clone() Node    { return &MemsetNode[T]{Dst: n.Dst, Value: n.Value} }
func (n *AllocNode[T]) clone() Node     { return &AllocNode[T]{memory: n.memory, n: n.n, err: n.err} }
