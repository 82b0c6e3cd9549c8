package cu

import (
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// recover finds the end of a declaration that the grammar does not know: behind the next
// semicolon or body, or where another declaration surely begins.
func (g *grammar) recover() {
	c := &g.c
	c.i = max(c.i, g.begin)
	called := g.function() != nil // parentheses were met, as a function has them
	for c.more() {
		switch l := c.peek(); {
		case l.Is("__global__"):
			if g.kernel && called {
				g.swallowed = l
			}
			g.kernel = true
			c.next()
		case l.Is(";"):
			c.next()
			return
		case l.Is("}"), c.i > g.begin && startsAnew(l, c.before()):
			return
		case l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
			if g.record < 0 && c.i > g.begin && l.LineStart {
				return
			}
			c.next()
		case l.Is("("):
			called = true
			c.skip()
		case l.Is("{"):
			c.skip()
			if next := c.peek(); next.LineStart || called && !next.Is(",") && !next.Is(";") && !next.Is("{") {
				return
			}
		default:
			c.skip()
		}
	}
}

// startsAnew reports whether l, behind before, begins another declaration: something
// that is not understood stands before it without a semicolon.
func startsAnew(l, before *lex.Token) bool {
	switch {
	case l.Kind != lex.Ident:
		return false
	case l.Text == "namespace", l.Text == "typedef":
		return true
	case l.Text == "using":
		return l.LineStart
	case l.Text == "template":
		return l.LineStart && !before.Is("::") && !before.Is(".") && !before.Is("->")
	}
	return false
}

// macroLike reports whether the declaration that begins with the token number begin, and
// whose first parenthesis is at c, is MACRO(…) alone on its line: a macro of a header that
// is not there, behind which another declaration begins.
func macroLike(begin int, c *cursor, r *record) bool {
	name := c.before()
	if c.i != begin+1 || name.Kind != lex.Ident || r != nil && name.Text == r.typ.Name {
		return false
	}
	behind := *c
	if _, ok := behind.group(); !ok {
		return false
	}
	next := behind.peek()
	if next.Kind == lex.EOF {
		return true
	}
	return next.LineStart && (next.Kind == lex.Ident || next.Is("}") || next.Is("[") || next.Is("~")) && !behindParameters[next.Text]
}
