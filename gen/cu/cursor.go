package cu

import "go/token"

// A cursor reads a piece of the lexemes, and tokEOF behind it.
type cursor struct {
	lexemes []lexeme
	i       int
	end     lexeme
}

// newCursor returns a cursor over lexemes. What is missing behind them is reported at
// the position at.
func newCursor(lexemes []lexeme, at token.Position) cursor {
	return cursor{lexemes: lexemes, end: lexeme{kind: tokEOF, pos: at}}
}

func (c *cursor) peek() *lexeme { return c.ahead(0) }

// ahead returns the lexeme that is n behind the next one.
func (c *cursor) ahead(n int) *lexeme {
	if c.i+n < len(c.lexemes) {
		return &c.lexemes[c.i+n]
	}
	return &c.end
}

func (c *cursor) next() *lexeme {
	l := c.peek()
	c.i++
	return l
}

func (c *cursor) more() bool { return c.i < len(c.lexemes) }

// accept steps over text and reports whether it was there.
func (c *cursor) accept(text string) bool {
	if !c.peek().is(text) {
		return false
	}
	c.i++
	return true
}

// path reads a qualified or unqualified name. It is empty when there is none.
func (c *cursor) path() (names []string, absolute bool) {
	absolute = c.accept("::")
	for c.peek().kind == tokIdent {
		names = append(names, c.next().text)
		if !c.peek().is("::") || c.ahead(1).kind != tokIdent {
			break
		}
		c.next()
	}
	return names, absolute
}

// closers holds what closes a bracket.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// group reads a bracketed group and returns what is between the brackets. ok is false
// when the next lexeme opens none, or when the group is not closed.
func (c *cursor) group() (inside []lexeme, ok bool) {
	if l := c.peek(); l.kind != tokPunct || closers[l.text] == "" {
		return nil, false
	}
	begin := c.i + 1
	var open []string
	for c.more() {
		l := c.next()
		if l.kind != tokPunct {
			continue
		}
		if closer := closers[l.text]; closer != "" {
			open = append(open, closer)
		} else if l.text == open[len(open)-1] {
			open = open[:len(open)-1]
			if len(open) == 0 {
				return c.lexemes[begin : c.i-1], true
			}
		}
	}
	return nil, false
}

// angles skips a template's <…> and reports whether it is closed.
func (c *cursor) angles() bool {
	depth := 0
	for c.more() {
		l := c.peek()
		switch {
		case l.is("("), l.is("["), l.is("{"):
			if _, ok := c.group(); !ok {
				return false
			}
			continue
		case l.is("<"):
			depth++
		case l.is(">"):
			depth--
		case l.is(">>"):
			depth -= 2
		case l.is(";"), l.is("}"), l.is(")"):
			return false
		}
		c.next()
		if depth <= 0 {
			return true
		}
	}
	return false
}

// split cuts lexemes at the commas that are in no brackets. Angle brackets count where
// angled says so, up to an =.
func split(lexemes []lexeme, angled bool) [][]lexeme {
	if len(lexemes) == 0 {
		return nil
	}
	var parts [][]lexeme
	begin, depth, angles := 0, 0, 0
	initializer := false
	for i := range lexemes {
		l := &lexemes[i]
		if l.kind != tokPunct {
			continue
		}
		switch l.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case "<":
			if angled && depth == 0 && !initializer {
				angles++
			}
		case ">":
			angles = max(0, angles-1)
		case ">>":
			angles = max(0, angles-2)
		case "=":
			initializer = initializer || depth == 0
		case ",":
			if depth == 0 && angles == 0 {
				parts = append(parts, lexemes[begin:i])
				begin = i + 1
				initializer = false
			}
		}
	}
	return append(parts, lexemes[begin:])
}
