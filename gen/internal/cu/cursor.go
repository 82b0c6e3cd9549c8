package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// tokens is a list of tokens with their brackets matched.
type tokens struct {
	list  []lex.Token
	match []int32 // for each bracket, the index of its counterpart; -1 when there is none
	angle []int32 // for each <, the index behind the > that closes it; -1 when there is none, 0 when it has not been looked for
}

// closers holds what closes a bracket.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// newTokens matches the brackets of list.
func newTokens(list []lex.Token) *tokens {
	t := &tokens{list: list, match: make([]int32, len(list))}
	t.matchBrackets(func(open, close *lex.Token, inside bool) {})
	return t
}

// matchBrackets finds the counterpart of each bracket. It calls mismatch for one that is
// not closed before close (nil: at all), and for one that closes nothing (open is nil).
// inside reports whether it stands between braces and is not a brace itself.
func (t *tokens) matchBrackets(mismatch func(open, close *lex.Token, inside bool)) {
	var open []int32
	braces := 0
	for i := range t.list {
		l := &t.list[i]
		if l.Kind != lex.Punct || len(l.Text) != 1 {
			continue
		}
		switch l.Text[0] {
		case '(', '[', '{':
			t.match[i] = -1
			open = append(open, int32(i))
			if l.Text == "{" {
				braces++
			}
		case ')', ']', '}':
			t.match[i] = -1
			n := len(open)
			for n > 0 && closers[t.list[open[n-1]].Text] != l.Text {
				if l.Text != "}" && t.list[open[n-1]].Text == "{" {
					n = 0 // a brace is not closed by less
					break
				}
				n--
			}
			if n == 0 {
				if top := len(open) - 1; l.Text == "}" && top >= 0 {
					mismatch(&t.list[open[top]], l, false)
					open = open[:0]
				} else {
					mismatch(nil, l, braces > 0 && l.Text != "}")
				}
				continue
			}
			for len(open) > n {
				mismatch(&t.list[open[len(open)-1]], l, braces > 0)
				open = open[:len(open)-1]
			}
			t.match[i], t.match[open[n-1]] = open[n-1], int32(i)
			if l.Text == "}" {
				braces--
			}
			open = open[:n-1]
		}
	}
	for _, i := range open {
		mismatch(&t.list[i], nil, false)
	}
}

// A cursor reads a piece of the tokens, and EOF behind it.
type cursor struct {
	*tokens
	i, stop int
	end     lex.Token
}

// newCursor returns a cursor over all of t. What is missing behind them is reported at
// the end of at.
func newCursor(t *tokens, at lex.Token) cursor {
	at.Kind, at.Text = lex.EOF, ""
	return cursor{tokens: t, stop: len(t.list), end: at}
}

// piece returns a cursor over list[begin:stop].
func (c *cursor) piece(begin, stop int) cursor {
	end := c.end
	stop = min(stop, len(c.list))
	if stop >= 0 && stop < len(c.list) {
		end = c.list[stop]
		end.Kind = lex.EOF
	}
	return cursor{tokens: c.tokens, i: begin, stop: max(begin, stop), end: end}
}

func (c *cursor) peek() *lex.Token { return c.ahead(0) }

// ahead returns the token that is n behind the next one.
func (c *cursor) ahead(n int) *lex.Token {
	if c.i+n < c.stop {
		return &c.list[c.i+n]
	}
	return &c.end
}

// before returns the token before the next one.
func (c *cursor) before() *lex.Token {
	if c.i > 0 && c.i <= len(c.list) {
		return &c.list[c.i-1]
	}
	return &c.end
}

func (c *cursor) next() *lex.Token {
	l := c.peek()
	c.i++
	return l
}

func (c *cursor) more() bool { return c.i < c.stop }

// accept steps over text and reports whether it was there.
func (c *cursor) accept(text string) bool {
	if !c.peek().Is(text) {
		return false
	}
	c.i++
	return true
}

// opening reports whether the next token is an opening bracket.
func (c *cursor) opening() bool {
	l := c.peek()
	return l.Kind == lex.Punct && (l.Text == "(" || l.Text == "[" || l.Text == "{")
}

// group steps over a bracketed group and returns what is between the brackets. ok is
// false, and nothing is stepped over, when the next token opens none, or when the group
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

// skip steps over one token, or over a whole group.
func (c *cursor) skip() {
	if _, ok := c.group(); !ok {
		c.i++
	}
}

// skipTo skips up to one of ends.
func (c *cursor) skipTo(ends ...string) {
	for c.more() && !slices.ContainsFunc(ends, c.peek().Is) {
		c.skip()
	}
}

// find returns the index of the next text that is in no brackets, -1 when there is none.
func (c *cursor) find(text string) int {
	for scan := *c; scan.more(); scan.skip() {
		if scan.peek().Is(text) {
			return scan.i
		}
	}
	return -1
}

// split cuts c at the commas that are in no brackets. angled reports whether the < at the cursor is one, if
// anything closes it; initializer says that an = stands before it, behind the last comma.
func (c cursor) split(angled func(c cursor, initializer bool) bool) []cursor {
	if !c.more() {
		return nil
	}
	var parts []cursor
	begin, initializer := c.i, false
	for c.more() {
		switch l := c.peek(); {
		case l.Is(","):
			parts = append(parts, c.piece(begin, c.i))
			begin, initializer = c.i+1, false
		case l.Is("="):
			initializer = true
		case l.Is("<") && angled(c, initializer):
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return append(parts, c.piece(begin, c.stop))
}

// splitAngles cuts the inside of <…> at its commas. Whatever < can have a > is a bracket
// there, in default arguments too: C++ standard, [temp.names].
func splitAngles(c cursor) []cursor { return c.split(func(cursor, bool) bool { return true }) }

// angles steps over a template's <…>, where >> has been taken apart, and returns what is
// between them. ok is false, and nothing is stepped over, when it is not closed.
func (c *cursor) angles() (inside cursor, ok bool) {
	begin := c.i
	if !c.peek().Is("<") {
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

// compareParameters notes, of a template's parameters that begin at the cursor, that a < behind
// one of them compares, as in template <int I, enable_if_t<I < 2, int> = 0>: nothing but the
// name of a template opens a list of arguments: C++ standard, [temp.names].
func (c *cursor) compareParameters() {
	declared := make(map[string]bool)
	depth := 0 // of angle brackets
	for scan := *c; scan.more() && !scan.peek().Is("{") && !scan.peek().Is(";"); scan.next() {
		l, before, next := scan.peek(), scan.before(), scan.ahead(1)
		switch {
		case scan.opening():
			scan.skip()
			scan.i--
		case l.Is("<") && before.Kind == lex.Ident && !declared[before.Text]:
			depth++
		case l.Is(">"):
			if depth--; depth <= 0 {
				return
			}
		case l.Kind != lex.Ident:
		case next.Is("<") && declared[l.Text]:
			if c.angle == nil {
				c.angle = make([]int32, len(c.list))
			}
			c.angle[c.i], c.angle[scan.i+1] = 0, -1
		case next.Is(",") || next.Is("=") || next.Is(">"):
			ofTemplate := scan.i >= 2 && scan.list[scan.i-2].Is(">") && (before.Is("class") || before.Is("typename"))
			if !ofTemplate && (before.Kind == lex.Ident || before.Is("...") || before.Is("*") || before.Is("&")) {
				declared[l.Text] = true
			}
		}
	}
}

// closeAngles finds what closes the < at the cursor, and on the way those behind it, so
// that the time for all is in proportion to their number.
func (c *cursor) closeAngles() {
	scan := cursor{tokens: c.tokens, i: c.i, stop: len(c.list)}
	var open, compared []int // compared are those behind the last > that open nothing here
	for scan.i < scan.stop {
		l := &c.list[scan.i]
		switch {
		case l.Is("<"):
			// Behind anything but a name it compares.
			if len(open) > 0 && scan.before().Kind != lex.Ident {
				compared = append(compared, scan.i)
				break
			}
			if end := int(c.angle[scan.i]); end > 0 {
				scan.i = end
				continue
			} else if end < 0 && len(open) > 0 {
				break
			}
			open = append(open, scan.i)
		case l.Is(">"):
			compared = compared[:0]
			n := len(open) - 1
			c.angle[open[n]] = int32(scan.i + 1)
			if open = open[:n]; n == 0 {
				return
			}
		case l.Is(";"), l.Is("}"), l.Is(")"), l.Is("]"):
			scan.i = scan.stop
		}
		scan.skip()
	}
	for _, i := range append(open, compared...) {
		c.angle[i] = -1
	}
}

// commaIn reports whether there is a comma in c outside of brackets.
func commaIn(c cursor) bool {
	for ; c.more(); c.skip() {
		if c.peek().Is(",") {
			return true
		}
	}
	return false
}

func isMember(l *lex.Token) bool { return l.Is(".") || l.Is("->") }

// ellipsis returns the index of the ... that makes c a pack expansion, -1 when there is
// none. That of sizeof... and that of a function's ellipsis are none.
func ellipsis(c cursor) int {
	if c.stop == c.i+1 {
		return -1
	}
	for begin := c.i; c.more(); {
		switch l := c.peek(); {
		case l.Is("="):
			return -1
		case l.Is("...") && c.i > begin && !c.before().Is("sizeof") && !c.ahead(1).Is("("):
			return c.i
		case l.Is("("):
			inside := c
			if group, ok := inside.group(); ok && declares(group) { // Ts (&...args)[N]
				for i := group.i; i < group.stop; i++ {
					if group.list[i].Is("...") {
						return i
					}
				}
			}
		case l.Is("<"):
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return -1
}

// withoutToken returns c without the token of the index i.
func withoutToken(c cursor, i int) cursor {
	list := make([]lex.Token, 0, c.stop-c.i)
	list = append(append(list, c.list[c.i:i]...), c.list[i+1:c.stop]...)
	return newCursor(newTokens(list), *c.ahead(c.stop - c.i))
}

// word returns text as a word at the place of l, and comma a comma.
func word(l *lex.Token, text string) lex.Token {
	made := *l
	made.Kind, made.Text = lex.Ident, text
	return made
}

func comma(l *lex.Token) lex.Token {
	made := *l
	made.Kind, made.Text = lex.Punct, ","
	return made
}

// mentionsName reports whether name is a word in c.
func mentionsName(c cursor, name string) bool {
	return c.tokens != nil && slices.ContainsFunc(c.list[c.i:c.stop], func(l lex.Token) bool { return l.Kind == lex.Ident && l.Text == name })
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

// declares reports whether the parentheses around c are those of a declarator, as in
// int (*f)(int).
func declares(c cursor) bool {
	if l := c.peek(); l.Is("*") || l.Is("&") || l.Is("&&") {
		return true
	}
	for c.peek().Kind == lex.Ident && c.ahead(1).Is("::") {
		c.i += 2
	}
	return c.peek().Is("*")
}
