package dot

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	g := Graph{
		{Label: "a \"quoted\" one"},
		{Label: "two\nlines", Dashed: true, After: []int{0}, Inside: []Graph{{{Label: "x"}, {Label: "y", After: []int{0}}}, nil}},
	}
	assert.Equal(t, `digraph {
	node [shape=box]
	n0 [label="a \"quoted\" one"]
	n1 [label="two\nlines" style=dashed]
	n0 -> n1
	subgraph cluster_n1_0_ {
		n1_0_0 [label="x"]
		n1_0_1 [label="y"]
		n1_0_0 -> n1_0_1
	}
	n1 -> n1_0_0 [style=dotted]
	subgraph cluster_n1_1_ {
	}
}
`, Text(g))
	assert.Equal(t, "digraph {\n\tnode [shape=box]\n}\n", Text(nil))
}
