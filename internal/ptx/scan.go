package ptx

import (
	"fmt"
	"go/token"
	"strings"
)

// A kind classifies a lexeme.
type kind uint8

const (
	eof    kind = iota
	ident       // saxpy, %r1, $L__BB0_2, _
	dotted      // .global, .shared::cta, .2d; the text is without the dot
	number      // 0x1F, 12U, 0f3F800000, 1.5e3
	quoted      // a string; the text is without the quotes
	punct       // one character, or an operator of two
	bad         // what no PTX has; already reported
)

// A lexeme is a token of the PTX text.
type lexeme struct {
	kind kind
	text string
	pos  token.Position
	end  int // offset behind the last character
}

// is reports whether l is the punctuation c.
func (l lexeme) is(c string) bool { return l.kind == punct && l.text == c }

func (l lexeme) String() string {
	switch l.kind {
	case eof:
		return "end of file"
	case dotted:
		return "." + l.text
	case quoted:
		return fmt.Sprintf("%q", l.text)
	}
	return l.text
}

// A scan cuts PTX text into lexemes.
type scan struct {
	file      string
	src       string
	off       int // of the next character
	line      int // of the next character, from 1
	lineStart int // offset of the first character of line
	report    func(pos token.Position, msg string)
}

func (s *scan) position() token.Position {
	return token.Position{Filename: s.file, Offset: s.off, Line: s.line, Column: s.off - s.lineStart + 1}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// follows reports whether c may stand behind the first character of an identifier.
//
// PTX ISA, Syntax, Identifiers: followsym.
func follows(c byte) bool { return following[c] }

var following = func() (set [256]bool) {
	for c := range set {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '_' || c == '$'
	}
	return set
}()

// newline notes that the character at off ends a line.
func (s *scan) newline() { s.line, s.lineStart = s.line+1, s.off+1 }

// space skips white space and comments.
func (s *scan) space() {
	for s.off < len(s.src) {
		switch c := s.src[s.off]; {
		case c == '\n':
			s.newline()
			s.off++
		case isSpace(c):
			s.off++
		case c != '/':
			return
		case strings.HasPrefix(s.src[s.off:], "//"):
			n := strings.IndexByte(s.src[s.off:], '\n')
			if n < 0 {
				n = len(s.src) - s.off
			}
			s.off += n
		case strings.HasPrefix(s.src[s.off:], "/*"):
			s.blockComment()
		default:
			return
		}
	}
}

func (s *scan) blockComment() {
	start := s.position()
	n := strings.Index(s.src[s.off+2:], "*/")
	if n < 0 {
		s.report(start, "comment is not closed")
		n = len(s.src) - s.off - 4
	}
	for end := s.off + n + 4; s.off < end; s.off++ {
		if s.src[s.off] == '\n' {
			s.newline()
		}
	}
}

// next returns the lexeme behind white space and comments.
func (s *scan) next() lexeme {
	s.space()
	l := lexeme{pos: s.position()}
	if s.off >= len(s.src) {
		l.end = s.off
		return l
	}
	start := s.off
	switch c := s.src[s.off]; {
	case isLetter(c) || c == '_' || c == '$' || c == '%':
		l.kind = ident
		s.off++
		s.word()
	case c == '.':
		l.kind = dotted
		s.off++
		start++
		s.word()
		for strings.HasPrefix(s.src[s.off:], "::") {
			s.off += 2
			s.word()
		}
		if s.off == start {
			l.kind = bad
			s.report(l.pos, "a dot without a name")
		}
	case isDigit(c):
		l.kind = number
		s.number()
	case c == '"':
		return s.str(l)
	case strings.IndexByte("{}()[]<>,;:=+-|!@~&*/^?", c) >= 0:
		l.kind = punct
		s.off++
		if s.off < len(s.src) && strings.IndexByte("=<>&|", s.src[s.off]) >= 0 && precedences[s.src[start:s.off+1]] > 0 {
			s.off++
		}
	default:
		l.kind = bad
		s.off++
		s.report(l.pos, fmt.Sprintf("unexpected character %q", c))
	}
	l.text, l.end = s.src[start:s.off], s.off
	return l
}

func (s *scan) word() {
	for s.off < len(s.src) && follows(s.src[s.off]) {
		s.off++
	}
}

// number skips a constant: letters and digits, one decimal point, and a sign
// behind a decimal exponent.
func (s *scan) number() {
	decimal := s.src[s.off] != '0' || s.off+1 == len(s.src) || !isLetter(s.src[s.off+1])
	for ; s.off < len(s.src); s.off++ {
		c := s.src[s.off]
		exponent := decimal && (c == '+' || c == '-') && (s.src[s.off-1] == 'e' || s.src[s.off-1] == 'E')
		if !isLetter(c) && !isDigit(c) && !exponent && (c != '.' || !decimal) {
			return
		}
	}
}

func (s *scan) str(l lexeme) lexeme {
	l.kind = quoted
	for i := s.off + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		if s.src[i] == '"' {
			l.text = s.src[s.off+1 : i]
			s.off = i + 1
			l.end = s.off
			return l
		}
	}
	s.report(l.pos, "string is not closed")
	l.kind = bad
	s.off++
	l.text, l.end = `"`, s.off
	return l
}

// location reads the arguments of a .loc, behind that word, which no semicolon ends, and returns
// them without comments. ok is false when they are not of its form.
//
// PTX ISA, Debugging Directives: .loc.
func (s *scan) location() (text string, ok bool) {
	begin, report := s.off, s.report
	ahead := *s
	ahead.report = func(token.Position, string) {}
	numbers := func() bool { // of a file, a line and a column
		for range 3 {
			l := ahead.next()
			if l.kind != number {
				return false
			}
		}
		*s = ahead
		return true
	}
	defer func() {
		s.report = report
		text = collapse(s.src[begin:s.off])
	}()
	if !numbers() {
		return "", false
	}
	for ahead.next().is(",") {
		switch l := ahead.next(); {
		case l.kind == ident && l.text == "inlined_at":
			if !numbers() {
				return "", false
			}
		case l.kind == ident && l.text == "function_name":
			if ahead.next().kind != ident {
				return "", false
			}
			*s = ahead
			if ahead.next().is("+") {
				if ahead.next().kind != number {
					return "", false
				}
				*s = ahead
			}
			ahead = *s
		default:
			return "", false
		}
	}
	return "", true
}

// collapse returns src with comments and runs of white space replaced by one space.
func collapse(src string) string {
	var b strings.Builder
	b.Grow(len(src))
	s := scan{src: src, report: func(token.Position, string) {}}
	for {
		before := s.off
		s.space()
		if s.off == len(src) {
			return b.String()
		}
		if s.off > before && b.Len() > 0 {
			b.WriteByte(' ')
		}
		from := s.off
		for s.off < len(src) && !isSpace(src[s.off]) && !(src[s.off] == '/' && s.off+1 < len(src) && (src[s.off+1] == '/' || src[s.off+1] == '*')) {
			s.off++
		}
		b.WriteString(src[from:s.off])
	}
}
