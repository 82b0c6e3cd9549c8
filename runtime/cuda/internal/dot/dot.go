// Package dot takes graphs inside of graphs, with labels, and writes them in the language of Graphviz. It does not know what
// nodes do.
package dot

import (
	"fmt"
	"strconv"
	"strings"
)

// A Graph is nodes, each behind those that it comes after. Nil has none.
type Graph []Node

// A Node is a node of a graph.
type Node struct {
	Label  string
	Dashed bool
	After  []int   // numbers of nodes
	Inside []Graph // each has a frame
}

// Text returns the picture of g.
func Text(g Graph) string {
	var b strings.Builder
	b.WriteString("digraph {\n\tnode [shape=box]\n")
	g.write(&b, "n", "\t")
	b.WriteString("}\n")
	return b.String()
}

// write writes g, whose nodes' names begin with prefix.
func (g Graph) write(b *strings.Builder, prefix, indent string) {
	for i, n := range g {
		name := prefix + strconv.Itoa(i)
		style := ""
		if n.Dashed {
			style = " style=dashed"
		}
		fmt.Fprintf(b, "%s%s [label=%s%s]\n", indent, name, strconv.Quote(n.Label), style)
		for _, j := range n.After {
			fmt.Fprintf(b, "%s%s%d -> %s\n", indent, prefix, j, name)
		}
		for j, part := range n.Inside {
			inside := fmt.Sprintf("%s_%d_", name, j)
			fmt.Fprintf(b, "%ssubgraph cluster_%s {\n", indent, inside)
			part.write(b, inside, indent+"\t")
			fmt.Fprintf(b, "%s}\n", indent)
			if len(part) > 0 {
				fmt.Fprintf(b, "%s%s -> %s0 [style=dotted]\n", indent, name, inside)
			}
		}
	}
}
