package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// signature returns the declaration of k as a person would write it: without
// attributes, restrict and default arguments.
func signature(k *Kernel, parameters cursor) string {
	var parts []string
	c := parameters
	var kept []lex.Token
	skipping := false
	for ; c.more(); c.next() {
		l := c.peek()
		switch {
		case l.Is(","):
			parts = append(parts, join(kept))
			kept, skipping = nil, false
		case l.Is("="):
			skipping = true
		}
		if skipping || l.Is(",") || restricts[l.Text] || l.Is("__grid_constant__") {
			if c.opening() && skipping {
				c.skip()
				c.i--
			}
			continue
		}
		if l.Is("<") {
			from := c.i
			if _, ok := c.angles(); ok {
				kept = append(kept, c.list[from:c.i]...)
				c.i--
				continue
			}
		}
		if c.opening() {
			from := c.i
			c.skip()
			kept = append(kept, c.list[from:c.i]...)
			c.i--
			continue
		}
		kept = append(kept, *l)
	}
	if len(kept) > 0 || len(parts) > 0 {
		parts = append(parts, join(kept))
	}
	return "void " + k.Name + ctype.Arguments(k.Args) + "(" + strings.Join(parts, ", ") + ")"
}

// join writes tokens with single blanks where a person has them.
func join(list []lex.Token) string {
	var b strings.Builder
	for i := range list {
		text := list[i].Text
		if i > 0 && spaced(list[i-1].Text, text) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// spaced reports whether a blank stands between two tokens.
func spaced(left, right string) bool {
	switch left {
	case "*", "&", "&&":
		return right == "const" || right == "volatile"
	case "(", "[", "<", "::", "~", "!":
		return false
	}
	switch right {
	case ",", ")", "]", "[", "<", ">", "::", ";", "...":
		return false
	}
	return right != "(" || scalarWords[left]
}
