package templates

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// mark is what a template that is marked writes where a line of it begins, or an action.
var mark = regexp.MustCompile("\x00(\\d+)\x00")

// sources returns the line of t that wrote a line of what tmpl writes of data. It runs tmpl once
// more, with marks for the lines in its text.
func (t *Template) sources(tmpl *template.Template, p *printer, data any, line int) int {
	marked, err := tmpl.Clone()
	if err != nil {
		return 1
	}
	for _, defined := range tmpl.Templates() {
		if defined.Tree == nil {
			continue
		}
		tree := defined.Tree.Copy() // clones share it
		t.markList(tree.Root)
		if _, err := marked.AddParseTree(defined.Name(), tree); err != nil {
			return 1
		}
	}
	text, err := t.execute(marked, p, data)
	if err != nil {
		return 1
	}
	lines := strings.Split(text, "\n")
	last := 1
	for i := 0; i < min(line, len(lines)); i++ {
		for n, m := range mark.FindAllStringSubmatch(lines[i], -1) {
			// Marks behind the first text of the wanted line are of what follows on it.
			if i == line-1 && n > 0 && strings.TrimSpace(mark.ReplaceAllString(strings.SplitAfter(lines[i], m[0])[0], "")) != "" {
				break
			}
			last, _ = strconv.Atoi(m[1])
		}
	}
	return last
}

// markList puts marks into the text of list and of the lists in it.
func (t *Template) markList(list *parse.ListNode) {
	if list == nil {
		return
	}
	var nodes []parse.Node
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			nodes = append(nodes, t.markText(n))
			continue
		case *parse.IfNode:
			t.markList(n.List)
			t.markList(n.ElseList)
		case *parse.RangeNode:
			t.markList(n.List)
			t.markList(n.ElseList)
		case *parse.WithNode:
			t.markList(n.List)
			t.markList(n.ElseList)
		case *parse.ActionNode:
			nodes = append(nodes, &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(t.markAt(int(n.Pos)))})
		}
		nodes = append(nodes, n)
	}
	list.Nodes = nodes
}

// markText returns n with a mark before each of its lines.
func (t *Template) markText(n *parse.TextNode) *parse.TextNode {
	line := 1 + strings.Count(t.text[:min(int(n.Pos), len(t.text))], "\n")
	var b strings.Builder
	for i, text := range strings.SplitAfter(string(n.Text), "\n") {
		fmt.Fprintf(&b, "\x00%d\x00%s", line+i, text)
	}
	return &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(b.String())}
}

func (t *Template) markAt(offset int) string {
	return fmt.Sprintf("\x00%d\x00", 1+strings.Count(t.text[:min(offset, len(t.text))], "\n"))
}
