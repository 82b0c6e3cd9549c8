package cuda

import (
	"fmt"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda/internal/dot"
)

// DOT returns a picture of g in the language of Graphviz: its nodes with their names,
// configurations and arguments, and what comes after what. Graphs inside of nodes have a frame.
func (g *Graph) DOT() string { return dot.Text(g.picture(nil, nil)) }

// DOT returns a picture of e's definition, as Graph.DOT does, with dashed frames around nodes
// that are disabled.
func (e *GraphExec) DOT() string {
	if e == nil {
		return dot.Text(nil)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return dot.Text(e.graph.picture(e.disabled(), nil))
}

// disabled returns which nodes are disabled.
func (e *GraphExec) disabled() map[*Node]bool {
	off := make(map[*Node]bool)
	for i := range e.nodes {
		off[e.nodes[i].n] = e.nodes[i].off
	}
	return off
}

// picture returns g as package dot takes it, with the nodes that are off, and the times of some.
func (g *Graph) picture(off map[*Node]bool, times map[*Node]time.Duration) (p dot.Graph) {
	if g == nil {
		return nil
	}
	for i, n := range g.nodes {
		label := dotLabel(n)
		if took, timed := times[n]; timed {
			label += fmt.Sprintf("\n%v", took)
		}
		var inside []dot.Graph
		for _, part := range n.Graphs() {
			inside = append(inside, part.picture(off, times))
		}
		p = append(p, dot.Node{Label: label, Dashed: off[n], After: g.after(i), Inside: inside})
	}
	return p
}

// dotLabel is what n does, with the arguments that a kernel gets.
func dotLabel(n *Node) string {
	label := n.String()
	call, ok := n.work.(*callWork)
	if !ok {
		return label
	}
	c := call.prepared()
	if c == nil {
		return label + "\nno arguments yet"
	}
	label += fmt.Sprintf("\n%d bytes of parameters", c.target.ParamBytes)
	for i, value := range argumentsOf(call.call, c) {
		label += "\n" + c.kernel.params.all[i].Name + " = " + value
	}
	for _, a := range c.args {
		if a.param == configOwner {
			label += fmt.Sprintf("\n%s: %#x", a.param, a.addr)
		}
	}
	return label
}
