package cu

// recover finds the end of a declaration that the grammar does not know: behind the next
// semicolon or body, or where another declaration surely begins.
func (g *grammar) recover() {
	c := &g.c
	c.i = max(c.i, g.begin)
	called := g.function() != nil // parentheses were met, as a function has them
	for c.more() {
		switch l := c.peek(); {
		case l.is("__global__"):
			if g.kernel && called {
				g.swallowed = l
			}
			g.kernel = true
			c.next()
		case l.is(";"):
			c.next()
			return
		case l.is("}"), c.i > g.begin && startsAnew(l, c.before()):
			return
		case l.is("struct"), l.is("class"), l.is("union"), l.is("enum"):
			if g.record < 0 && c.i > g.begin && l.lineStart {
				return
			}
			c.next()
		case l.is("("):
			called = true
			c.skip()
		case l.is("{"):
			c.skip()
			if next := c.peek(); next.lineStart || called && !next.is(",") && !next.is(";") && !next.is("{") {
				return
			}
		default:
			c.skip()
		}
	}
}

// startsAnew reports whether l, behind before, begins another declaration: something
// that is not understood stands before it without a semicolon.
func startsAnew(l, before *lexeme) bool {
	switch {
	case l.kind != tokIdent:
		return false
	case l.text == "namespace", l.text == "typedef":
		return true
	case l.text == "using":
		return l.lineStart
	case l.text == "template":
		return l.lineStart && !before.is("::") && !before.is(".") && !before.is("->")
	}
	return false
}

// macroLike reports whether the declaration that begins with the lexeme number begin, and
// whose first parenthesis is at c, is MACRO(…) alone on its line: a macro of a header that
// is not there, behind which another declaration begins.
func macroLike(begin int, c *cursor, r *record) bool {
	name := c.before()
	if c.i != begin+1 || name.kind != tokIdent || r != nil && name.text == r.typ.Name {
		return false
	}
	behind := *c
	if _, ok := behind.group(); !ok {
		return false
	}
	next := behind.peek()
	if next.kind == tokEOF {
		return true
	}
	return next.lineStart && (next.kind == tokIdent || next.is("}") || next.is("[") || next.is("~")) && !behindParameters[next.text]
}
