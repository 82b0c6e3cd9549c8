package cu

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer splits C++ source into lexemes. Comments are lexemes too; line ends are
// not, but a lexeme knows whether it is the first on its line.
//
// A backslash at the end of a line joins it with the next one (C++ standard,
// [lex.phases]), inside of any token but a raw string. Positions are those of the
// bytes in the file.
type lexer struct {
	src       string
	file      *source
	offset    int // of the next byte
	line      int // of that byte, from 1
	lineBegin int // offset of its line

	atLineStart bool // no token yet on this logical line
	directive   int  // number of tokens so far of a preprocessor line, 0 outside
	include     bool // the next token is the name of a header
	spliced     bool // the token being read contains a line continuation

	behindComment bool // the token before was a comment
}

const byteOrderMark = "\uFEFF"

// newLexer returns a lexer for src, the text of file.
func newLexer(file *source, src []byte) *lexer {
	s := &lexer{src: string(src), file: file, line: 1, atLineStart: true}
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.offset = len(byteOrderMark)
	}
	return s
}

// eof is what peek returns behind the last byte. Files that have a NUL byte are refused
// before they are scanned.
const eof = 0

// splice skips line continuations at offset. Blanks between backslash and line end
// do not matter, as for GCC and clang.
func (s *lexer) splice() {
	for s.offset < len(s.src) && s.src[s.offset] == '\\' {
		end := s.offset + 1
		for end < len(s.src) && (s.src[end] == ' ' || s.src[end] == '\t' || s.src[end] == '\r') {
			end++
		}
		if end == len(s.src) || s.src[end] != '\n' {
			return
		}
		s.offset = end + 1
		s.line++
		s.lineBegin = s.offset
		s.spliced = true
	}
}

// peek returns the next byte, line continuations skipped.
func (s *lexer) peek() byte {
	if s.offset < len(s.src) && s.src[s.offset] == '\\' {
		s.splice()
	}
	if s.offset >= len(s.src) {
		return eof
	}
	return s.src[s.offset]
}

// advance steps over the byte that peek returned.
func (s *lexer) advance() {
	if s.offset < len(s.src) {
		if s.src[s.offset] == '\n' {
			s.line++
			s.lineBegin = s.offset + 1
		}
		s.offset++
	}
}

// ended reports whether nothing but line continuations is left.
func (s *lexer) ended() bool {
	s.peek()
	return s.offset >= len(s.src)
}

func (s *lexer) place() place {
	return place{file: s.file, offset: int32(s.offset), line: int32(s.line), column: int32(s.offset - s.lineBegin + 1)}
}

// scan returns the next token. Behind the last one it returns tokEOF, forever.
func (s *lexer) scan() lexeme {
	end := s.offset
	s.skipBlanks()
	s.spliced = false
	l := lexeme{kind: tokEOF, at: s.place()}
	if s.ended() {
		l.at = s.place()
		l.lineStart = true
		return l
	}
	begin := s.offset
	c := s.src[s.offset]
	switch {
	case isIdentStart(c):
		l.kind, l.text = s.identifier()
	case isDigit(c), c == '.' && isDigit(s.second()):
		l.kind = tokNumber
		s.number()
	case s.include && (c == '<' || c == '"'):
		l.kind, l.text = s.header(c)
	case c == '"' || c == '\'':
		l.kind, l.text = s.quoted(c)
	case c == '/' && (s.second() == '/' || s.second() == '*'):
		l.kind, l.text = s.comment()
	default:
		l.kind, l.text = s.punctuator()
	}
	if l.text == "" {
		l.text = s.slice(begin)
	}
	l.lineStart = s.atLineStart
	l.blank = begin > end || s.behindComment
	s.behindComment = l.kind == tokComment
	if l.kind != tokComment {
		s.follow(&l)
	}
	return l
}

// follow keeps track of where on its logical line l stands.
func (s *lexer) follow(l *lexeme) {
	s.atLineStart = false
	switch {
	case l.lineStart && l.text == "#":
		s.directive = 1
	case l.lineStart:
		s.directive = 0
	case s.directive > 0:
		s.directive++
	}
	s.include = s.directive == 2 && (l.text == "include" || l.text == "include_next" || l.text == "import")
}

// skipBlanks skips white space and notes line ends.
func (s *lexer) skipBlanks() {
	for !s.ended() {
		switch s.src[s.offset] {
		case '\n':
			s.atLineStart = true
			s.include = false
		case ' ', '\t', '\r', '\v', '\f':
		default:
			return
		}
		s.advance()
	}
}

// slice returns the source from begin to the current offset, without line
// continuations.
func (s *lexer) slice(begin int) string {
	text := s.src[begin:s.offset]
	if !s.spliced {
		return text
	}
	inner := lexer{src: text}
	var b strings.Builder
	for !inner.ended() {
		b.WriteByte(text[inner.offset])
		inner.advance()
	}
	return b.String()
}

// second returns the byte behind the next one.
func (s *lexer) second() byte {
	ahead := *s
	ahead.peek()
	ahead.advance()
	return ahead.peek()
}

// identifier reads an identifier, or the literal that it is a prefix of.
func (s *lexer) identifier() (tokenKind, string) {
	begin := s.offset
	for !s.ended() {
		c := s.peek()
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s.src[s.offset:])
			if r == utf8.RuneError && size <= 1 || !unicode.IsPrint(r) {
				if begin == s.offset {
					return s.punctuator()
				}
				break
			}
			s.offset += size
			continue
		}
		if !isIdentStart(c) && !isDigit(c) {
			break
		}
		s.advance()
	}
	word := s.slice(begin)
	switch c := s.peek(); {
	case c != '"' && c != '\'':
	case c == '"' && (word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR"):
		if kind, message := s.rawString(); kind == tokIllegal {
			return kind, message
		}
		// Line continuations are not joined in a raw string.
		return tokString, s.src[begin:s.offset]
	case word == "L" || word == "u8" || word == "u" || word == "U":
		kind, text := s.quoted(c)
		if kind == tokIllegal {
			return kind, text
		}
		return kind, s.slice(begin)
	}
	if means, ok := alternatives[word]; ok {
		return tokPunct, means
	}
	return tokIdent, word
}

// alternatives are the words that mean operators: C++ standard, [lex.digraph].
var alternatives = map[string]string{
	"and": "&&", "or": "||", "not": "!", "not_eq": "!=", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~",
	"and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}

// number reads a preprocessing number: C++ standard, [lex.ppnumber].
func (s *lexer) number() {
	for !s.ended() {
		c := s.peek()
		switch {
		case strings.IndexByte("eEpP", c) >= 0:
			s.advance()
			if sign := s.peek(); sign == '+' || sign == '-' {
				s.advance()
			}
			continue
		case c == '\'':
			if next := s.second(); !isDigit(next) && !isIdentStart(next) {
				return
			}
		case c == '.', isDigit(c), isIdentStart(c) && c < utf8.RuneSelf:
		default:
			return
		}
		s.advance()
	}
}

// quoted reads a string or character literal that begins with quote.
func (s *lexer) quoted(quote byte) (tokenKind, string) {
	kind, what := tokString, "string"
	if quote == '\'' {
		kind, what = tokChar, "character"
	}
	s.advance()
	for !s.ended() {
		switch c := s.peek(); c {
		case '\n':
			return tokIllegal, what + " literal is not closed"
		case quote:
			s.advance()
			return kind, ""
		case '\\':
			s.advance()
			if s.peek() == '\n' {
				continue
			}
		}
		s.advance()
	}
	return tokIllegal, what + " literal is not closed"
}

// rawString reads from the quote of a raw string on: C++ standard, [lex.string].
func (s *lexer) rawString() (tokenKind, string) {
	const longestDelimiter = 16
	rest := s.src[s.offset+1:]
	open := strings.IndexByte(rest[:min(len(rest), longestDelimiter+1)], '(')
	if open < 0 || strings.ContainsAny(rest[:open], " )\\\t\v\f\n") {
		s.offset++
		return tokIllegal, "raw string has no delimiter"
	}
	end := strings.Index(rest[open:], ")"+rest[:open]+`"`)
	if end < 0 {
		s.jump(len(s.src))
		return tokIllegal, "raw string is not closed"
	}
	s.jump(s.offset + 1 + open + end + 1 + open + 1)
	return tokString, ""
}

// jump moves to the offset end and counts the lines between.
func (s *lexer) jump(end int) {
	text := s.src[s.offset:end]
	s.line += strings.Count(text, "\n")
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		s.lineBegin = s.offset + i + 1
	}
	s.offset = end
}

const openComment = "comment is not closed"

// comment reads a comment. A comment that is not closed is illegal.
func (s *lexer) comment() (tokenKind, string) {
	s.advance()
	block := s.peek() == '*'
	s.advance()
	for !s.ended() {
		switch c := s.peek(); {
		case c == '\n' && !block:
			return tokComment, ""
		case c == '*' && block && s.second() == '/':
			s.advance()
			s.peek()
			s.advance()
			return tokComment, ""
		}
		s.advance()
	}
	if block {
		return tokIllegal, openComment
	}
	return tokComment, ""
}

// header reads the name of a header between quotes or angles.
func (s *lexer) header(open byte) (tokenKind, string) {
	closing := open
	if open == '<' {
		closing = '>'
	}
	s.advance()
	for !s.ended() && s.peek() != '\n' {
		c := s.peek()
		s.advance()
		if c == closing {
			return tokHeader, ""
		}
	}
	return tokIllegal, "name of a header is not closed"
}

// punctuators are the operators of more than one character that the parser must not
// take apart, and the digraphs, longest first: C++ standard, [lex.operators].
var punctuators = []struct{ text, means string }{
	{"<<=", ""}, {">>=", ""}, {"...", ""}, {"->*", ""}, {"<=>", ""}, {"%:%:", "##"},
	{"::", ""}, {"->", ""}, {"<<", ""}, {">>", ""}, {"&&", ""}, {"||", ""}, {"##", ""},
	{"==", ""}, {"!=", ""}, {"<=", ""}, {">=", ""}, {"++", ""}, {"--", ""},
	{"+=", ""}, {"-=", ""}, {"*=", ""}, {"/=", ""}, {"%=", ""}, {"&=", ""}, {"|=", ""}, {"^=", ""},
	{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"%:", "#"},
}

// punctuator reads an operator or punctuator. Anything else is illegal.
func (s *lexer) punctuator() (tokenKind, string) {
	c := s.peek()
	if strings.IndexByte("{}[]()#;:,.?+-*/%^&|~!=<>", c) < 0 || c == 0 {
		return s.illegal(c)
	}
	if strings.IndexByte("{}[](),;?~", c) >= 0 {
		s.advance()
		return tokPunct, ""
	}
	for i := range punctuators {
		p := &punctuators[i]
		if p.text[0] != c || !s.starts(p.text) {
			continue
		}
		if p.text == "<:" && s.starts("<::") && !s.starts("<:::") && !s.starts("<::>") {
			continue
		}
		for range p.text {
			s.peek()
			s.advance()
		}
		if p.means != "" {
			return tokPunct, p.means
		}
		return tokPunct, p.text
	}
	s.advance()
	return tokPunct, ""
}

// starts reports whether the source continues with text.
func (s *lexer) starts(text string) bool {
	ahead := *s
	for i := range len(text) {
		if ahead.peek() != text[i] {
			return false
		}
		ahead.advance()
	}
	return true
}

// illegal skips what starts no token: the rest of a run of such bytes at once, so
// that a binary file is one error and not one a byte.
func (s *lexer) illegal(c byte) (tokenKind, string) {
	if c >= utf8.RuneSelf {
		for s.offset < len(s.src) {
			r, size := utf8.DecodeRuneInString(s.src[s.offset:])
			if r < utf8.RuneSelf || r != utf8.RuneError && unicode.IsPrint(r) {
				break
			}
			s.offset += size
		}
		return tokIllegal, "character is not allowed here: source is UTF-8 text"
	}
	s.advance()
	return tokIllegal, "character " + string(rune(c)) + " is not allowed here"
}

func isIdentStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
