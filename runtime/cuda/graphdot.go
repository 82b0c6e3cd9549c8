package cuda

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DOT returns a picture of g in the language of Graphviz: its nodes with their names,
// configurations and arguments, and what comes after what. Graphs inside of nodes have a frame.
func (g *Graph) DOT() string { return dot(g, nil, nil) }

// DOT returns a picture of e's definition, as Graph.DOT does, with dashed frames around nodes
// that are disabled.
func (e *GraphExec) DOT() string {
	if e == nil {
		return dot(nil, nil, nil)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return dot(e.graph, e.disabled(), nil)
}

// disabled returns which nodes are disabled.
func (e *GraphExec) disabled() map[*Node]bool {
	off := make(map[*Node]bool)
	for i := range e.nodes {
		off[e.nodes[i].n] = e.nodes[i].off
	}
	return off
}

func dot(g *Graph, off map[*Node]bool, times map[*Node]time.Duration) string {
	w := &dotWriter{off: off, times: times}
	w.b.WriteString("digraph {\n\tnode [shape=box]\n")
	w.graph(g, "n", "\t")
	w.b.WriteString("}\n")
	return w.b.String()
}

type dotWriter struct {
	b   strings.Builder
	off map[*Node]bool

	times map[*Node]time.Duration
}

// graph writes g, whose nodes' names begin with prefix.
func (w *dotWriter) graph(g *Graph, prefix, indent string) {
	if g == nil {
		return
	}
	for i, n := range g.nodes {
		name := prefix + strconv.Itoa(i)
		style := ""
		if w.off[n] {
			style = " style=dashed"
		}
		label := dotLabel(n)
		if took, timed := w.times[n]; timed {
			label += fmt.Sprintf("\n%v", took)
		}
		fmt.Fprintf(&w.b, "%s%s [label=%s%s]\n", indent, name, strconv.Quote(label), style)
		for _, j := range g.after(i) {
			fmt.Fprintf(&w.b, "%s%s%d -> %s\n", indent, prefix, j, name)
		}
		for j, part := range n.Graphs() {
			part0 := fmt.Sprintf("%s_%d_", name, j)
			fmt.Fprintf(&w.b, "%ssubgraph cluster_%s {\n", indent, part0)
			w.graph(part, part0, indent+"\t")
			fmt.Fprintf(&w.b, "%s}\n", indent)
			if part != nil && len(part.nodes) > 0 {
				fmt.Fprintf(&w.b, "%s%s -> %s0 [style=dotted]\n", indent, name, part0)
			}
		}
	}
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
	for i, value := range argumentsOf(c) {
		label += "\n" + c.kernel.params.all[i].Name + " = " + value
	}
	for _, a := range c.args {
		if a.param == configOwner {
			label += fmt.Sprintf("\n%s: %#x", a.param, a.addr)
		}
	}
	return label
}
