package cuda

import "slices"

// Clone returns a copy of g with nodes of its own, in the order of g.Nodes, and with calls that
// are as they are now: changes of g's nodes and calls do not affect it. Buffers, events and
// functions are the same.
func (g *Graph) Clone() *Graph {
	if g == nil {
		return nil
	}
	c := &Graph{nodes: make([]*Node, len(g.nodes)), edges: g.edges, ends: g.ends} // which never change
	for i, n := range g.nodes {
		m := &Node{name: n.name}
		if n.work != nil {
			m.work = n.work.frozen()
		}
		for _, j := range g.after(i) {
			m.after = append(m.after, c.nodes[j])
		}
		c.nodes[i] = m
	}
	return c
}

// freeze returns a copy of c, of whatever type, with a parameter block of its own.
func freeze(c *Call) *Call {
	f := new(Call)
	Generated.Clone(f, c, newBlock(c.params, c.kernel))
	return f
}

func (w *callWork) frozen() work {
	if c := w.prepared(); c != nil {
		return &callWork{call: freeze(c), captured: w.captured}
	}
	return &callWork{call: w.call, captured: w.captured}
}

func (w *conditionalWork) frozen() work {
	m := &conditionalWork{condition: w.condition, bodies: slices.Clone(w.bodies), kind: w.kind}
	for i, body := range m.bodies {
		m.bodies[i] = body.Clone()
	}
	return m
}

func (w childWork) frozen() work { return childWork{w.graph.Clone()} }
