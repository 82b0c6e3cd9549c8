package cu

// tokens is a list of lexemes with their brackets matched.
type tokens struct {
	list  []lexeme
	match []int32 // for each bracket, the index of its counterpart; -1 when there is none
	angle []int32 // for each <, the index behind the > that closes it; -1 when there is none, 0 when it has not been looked for
}

// closers holds what closes a bracket.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// newTokens matches the brackets of list.
func newTokens(list []lexeme) *tokens {
	t := &tokens{list: list, match: make([]int32, len(list))}
	t.matchBrackets(func(open, close *lexeme, inside bool) {})
	return t
}

// matchBrackets finds the counterpart of each bracket. It calls mismatch for one that is
// not closed before close (nil: at all), and for one that closes nothing (open is nil).
// inside says that it stands between braces and is none itself.
func (t *tokens) matchBrackets(mismatch func(open, close *lexeme, inside bool)) {
	var open []int32
	braces := 0
	for i := range t.list {
		l := &t.list[i]
		if l.kind != tokPunct || len(l.text) != 1 {
			continue
		}
		switch l.text[0] {
		case '(', '[', '{':
			t.match[i] = -1
			open = append(open, int32(i))
			if l.text == "{" {
				braces++
			}
		case ')', ']', '}':
			t.match[i] = -1
			n := len(open)
			for n > 0 && closers[t.list[open[n-1]].text] != l.text {
				if l.text != "}" && t.list[open[n-1]].text == "{" {
					n = 0 // a brace is not closed by less
					break
				}
				n--
			}
			if n == 0 {
				if top := len(open) - 1; l.text == "}" && top >= 0 {
					mismatch(&t.list[open[top]], l, false)
					open = open[:0]
				} else {
					mismatch(nil, l, braces > 0 && l.text != "}")
				}
				continue
			}
			for len(open) > n {
				mismatch(&t.list[open[len(open)-1]], l, braces > 0)
				open = open[:len(open)-1]
			}
			t.match[i], t.match[open[n-1]] = open[n-1], int32(i)
			if l.text == "}" {
				braces--
			}
			open = open[:n-1]
		}
	}
	for _, i := range open {
		mismatch(&t.list[i], nil, false)
	}
}

// A cursor reads a piece of the lexemes, and tokEOF behind it.
type cursor struct {
	*tokens
	i, stop int
	end     lexeme
}

// newCursor returns a cursor over all of t. What is missing behind them is reported at
// the end of at.
func newCursor(t *tokens, at lexeme) cursor {
	at.kind, at.text = tokEOF, ""
	return cursor{tokens: t, stop: len(t.list), end: at}
}

// piece returns a cursor over list[begin:stop].
func (c *cursor) piece(begin, stop int) cursor {
	end := c.end
	stop = min(stop, len(c.list))
	if stop >= 0 && stop < len(c.list) {
		end = c.list[stop]
		end.kind = tokEOF
	}
	return cursor{tokens: c.tokens, i: begin, stop: max(begin, stop), end: end}
}

func (c *cursor) peek() *lexeme { return c.ahead(0) }

// ahead returns the lexeme that is n behind the next one.
func (c *cursor) ahead(n int) *lexeme {
	if c.i+n < c.stop {
		return &c.list[c.i+n]
	}
	return &c.end
}

// before returns the lexeme before the next one.
func (c *cursor) before() *lexeme {
	if c.i > 0 && c.i <= len(c.list) {
		return &c.list[c.i-1]
	}
	return &c.end
}

func (c *cursor) next() *lexeme {
	l := c.peek()
	c.i++
	return l
}

func (c *cursor) more() bool { return c.i < c.stop }

// accept steps over text and reports whether it was there.
func (c *cursor) accept(text string) bool {
	if !c.peek().is(text) {
		return false
	}
	c.i++
	return true
}

// opening reports whether the next lexeme is an opening bracket.
func (c *cursor) opening() bool {
	l := c.peek()
	return l.kind == tokPunct && (l.text == "(" || l.text == "[" || l.text == "{")
}

// group steps over a bracketed group and returns what is between the brackets. ok is
// false, and nothing is stepped over, when the next lexeme opens none, or when the group
// is not closed.
func (c *cursor) group() (inside cursor, ok bool) {
	if !c.opening() {
		return cursor{}, false
	}
	closing := int(c.match[c.i])
	if closing < 0 || closing >= c.stop {
		return cursor{}, false
	}
	inside = c.piece(c.i+1, closing)
	c.i = closing + 1
	return inside, true
}

// skip steps over one lexeme, or over a whole group.
func (c *cursor) skip() {
	if _, ok := c.group(); !ok {
		c.i++
	}
}

// angles steps over a template's <…>, where >> has been taken apart, and returns what is
// between them. ok is false, and nothing is stepped over, when it is not closed.
func (c *cursor) angles() (inside cursor, ok bool) {
	begin := c.i
	if !c.peek().is("<") {
		return cursor{}, false
	}
	if c.angle == nil {
		c.angle = make([]int32, len(c.list))
	}
	if c.angle[begin] == 0 {
		c.closeAngles()
	}
	end := int(c.angle[begin])
	if end <= 0 || end > c.stop {
		return cursor{}, false
	}
	c.i = end
	return c.piece(begin+1, end-1), true
}

// closeAngles finds what closes the < at the cursor, and on the way those behind it, so
// that the time for all is in proportion to their number.
func (c *cursor) closeAngles() {
	scan := cursor{tokens: c.tokens, i: c.i, stop: len(c.list)}
	var open []int
	for scan.i < scan.stop {
		l := &c.list[scan.i]
		switch {
		case l.is("<"):
			// Behind anything but a name it compares.
			if len(open) > 0 && scan.before().kind != tokIdent {
				break
			}
			if end := int(c.angle[scan.i]); end > 0 {
				scan.i = end
				continue
			} else if end < 0 && len(open) > 0 {
				break
			}
			open = append(open, scan.i)
		case l.is(">"):
			n := len(open) - 1
			c.angle[open[n]] = int32(scan.i + 1)
			if open = open[:n]; n == 0 {
				return
			}
		case l.is(";"), l.is("}"), l.is(")"), l.is("]"):
			scan.i = scan.stop
		}
		scan.skip()
	}
	for _, i := range open {
		c.angle[i] = -1
	}
}
