package cuda

import (
	"slices"
	"strings"
	"sync"
)

// A Graph is the definition of a graph: nodes, and which of them come after which. Instantiate
// makes of it what can be launched, with what the nodes do then; the definition can be
// instantiated again after nodes have changed.
//
// A Graph holds nothing of a device, and needs no Close. The rules of Node apply to goroutines.
type Graph struct {
	nodes []*Node
	edges []int // of the nodes one after the other: those that each comes after
	ends  []int // where those of each node end in edges
}

// after returns which nodes the ith one comes after.
func (g *Graph) after(i int) []int {
	begin := 0
	if i > 0 {
		begin = g.ends[i-1]
	}
	return g.edges[begin:g.ends[i]]
}

// append adds n, which comes after the nodes from.
func (g *Graph) append(n *Node, from []int) {
	g.nodes, g.edges = append(g.nodes, n), append(g.edges, from...)
	g.ends = append(g.ends, len(g.edges))
}

// nodeNotes is held while notes in nodes are written, and numbers visits.
var nodeNotes struct {
	sync.Mutex
	last uint64
}

// DefineGraph makes a graph of the nodes last and of all nodes that these come after. Nodes
// that come after themselves are an error that names them.
func DefineGraph(last ...*Node) (*Graph, error) {
	const op = "define a graph"
	g := new(Graph)
	nodeNotes.Lock()
	defer nodeNotes.Unlock()
	entered, done := nodeNotes.last+1, nodeNotes.last+2
	nodeNotes.last = done
	type step struct {
		n    *Node
		next int // of n's dependencies
	}
	var path []step
	enter := func(n, before *Node) error {
		if n == nil {
			of := "a node given"
			if before != nil {
				of = "a node that " + before.String() + " comes after"
			}
			return &Error{Op: op, Detail: of + " is nil", Err: ErrInvalidValue}
		}
		switch n.visit {
		case done:
		case entered:
			from := slices.IndexFunc(path, func(s step) bool { return s.n == n })
			var names []string
			for _, s := range path[from:] {
				names = append(names, s.n.String())
			}
			return &Error{Op: op, Detail: "nodes come after themselves: " + strings.Join(append(names, n.String()), " after "), Err: ErrInvalidValue}
		default:
			n.visit = entered
			path = append(path, step{n, 0})
		}
		return nil
	}
	for _, n := range last {
		if err := enter(n, nil); err != nil {
			return nil, err
		}
		for len(path) > 0 {
			at := &path[len(path)-1]
			if at.next < len(at.n.after) {
				at.next++
				if err := enter(at.n.after[at.next-1], at.n); err != nil {
					return nil, err
				}
				continue
			}
			g.add(at.n)
			at.n.visit = done
			path = path[:len(path)-1]
		}
	}
	if len(g.nodes) == 0 {
		return nil, &Error{Op: op, Detail: "it has no nodes", Err: ErrInvalidValue}
	}
	return g, nil
}

// add adds n, whose dependencies were added before.
func (g *Graph) add(n *Node) {
	begin := len(g.edges)
	for _, a := range n.after {
		if i := a.index; !slices.Contains(g.edges[begin:], i) {
			g.edges = append(g.edges, i)
		}
	}
	n.index = len(g.nodes)
	g.append(n, nil)
}

// BuildGraph is DefineGraph and Graph.Instantiate. The caller must close the result.
func BuildGraph(last ...*Node) (*GraphExec, error) {
	g, err := DefineGraph(last...)
	if err != nil {
		return nil, err
	}
	return g.Instantiate()
}

// Nodes returns the nodes, each behind those that it comes after.
func (g *Graph) Nodes() []*Node {
	if g == nil {
		return nil
	}
	return slices.Clone(g.nodes)
}

// Clone returns a copy of g with nodes of its own, in the order of g.Nodes, and with calls that
// are as they are now: changes of g's nodes and calls do not affect it. Buffers, events and
// functions are the same.
func (g *Graph) Clone() *Graph {
	if g == nil {
		return nil
	}
	endless := g.isEndless()                                                      // which building says: what is in it stays as it is
	c := &Graph{nodes: make([]*Node, len(g.nodes)), edges: g.edges, ends: g.ends} // which never change
	for i, n := range g.nodes {
		m := &Node{name: n.name, work: n.work}
		if n.work != nil && !(endless && n.Graphs() != nil) {
			m.work = n.work.frozen()
		}
		for _, j := range g.after(i) {
			m.after = append(m.after, c.nodes[j])
		}
		c.nodes[i] = m
	}
	return c
}

// isEndless reports whether g, or a graph inside of it, is inside of itself. around are the graphs that g is in.
func (g *Graph) isEndless(around ...*Graph) bool {
	if g == nil || slices.Contains(around, g) {
		return g != nil
	}
	around = append(around, g)
	return slices.ContainsFunc(g.nodes, func(n *Node) bool {
		return slices.ContainsFunc(n.Graphs(), func(part *Graph) bool { return part.isEndless(around...) })
	})
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
