package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Lexer splits C++ source into tokens. Comments are tokens too; line ends are
// not, but a token knows whether it is the first on its line.
//
// A backslash at the end of a line joins it with the next one (C++ standard,
// [lex.phases]), inside of any token but a raw string. Positions are those of the
// bytes in the file.
//
// Nearly all tokens have no such backslash. So each kind is read twice over: at once, where
// the bytes show that there is none, or else byte by byte, by peek and advance.
type Lexer struct {
	src    string
	file   *Source // nil when nobody asks where the tokens stand
	offset int     // of the next byte

	atLineStart bool // no token yet on this logical line
	directive   int  // number of tokens so far of a preprocessor line, 0 outside
	include     bool // the next token is the name of a header
	spliced     bool // the token being read contains a line continuation

	behindComment bool // the token before was a comment
}

const byteOrderMark = "\uFEFF"

// NewLexer returns a lexer for the text of file.
func NewLexer(file *Source) *Lexer {
	s := textLexer(file.text.src)
	s.file = file
	return s
}

// textLexer returns a lexer for a text that is not a file.
func textLexer(src string) *Lexer {
	s := &Lexer{src: src, atLineStart: true}
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.offset = len(byteOrderMark)
	}
	return s
}

// eof is what peek returns behind the last byte. Files that have a NUL byte are refused
// before they are scanned.
const eof = 0

// Words returns the tokens of text, which has no comments and is that of a header called name.
func Words(name, text string) (list []Token) {
	for s := NewLexer(NewSource(name, text)); ; {
		l := s.Scan()
		if l.Kind == EOF {
			return list
		}
		list = append(list, l)
	}
}

// splice skips line continuations at offset. Blanks between backslash and line end
// do not matter, as for GCC and clang.
func (s *Lexer) splice() {
	for s.offset < len(s.src) && s.src[s.offset] == '\\' {
		end := s.offset + 1
		for end < len(s.src) && (s.src[end] == ' ' || s.src[end] == '\t' || s.src[end] == '\r') {
			end++
		}
		if end == len(s.src) || s.src[end] != '\n' {
			return
		}
		s.offset = end + 1
		s.spliced = true
	}
}

// peek returns the next byte, line continuations skipped.
func (s *Lexer) peek() byte {
	if s.offset < len(s.src) && s.src[s.offset] == '\\' {
		s.splice()
	}
	if s.offset >= len(s.src) {
		return eof
	}
	return s.src[s.offset]
}

// advance steps over the byte that peek returned.
func (s *Lexer) advance() {
	if s.offset < len(s.src) {
		s.offset++
	}
}

// ended reports whether nothing but line continuations is left.
func (s *Lexer) ended() bool {
	s.peek()
	return s.offset >= len(s.src)
}

func (s *Lexer) place() Place {
	if s.file == nil {
		return Place{}
	}
	return Place{Origin: &s.file.self, Offset: int32(s.offset)}
}

// Scan returns the next token. Behind the last one it returns EOF, forever.
func (s *Lexer) Scan() Token {
	end := s.offset
	s.skipBlanks()
	s.spliced = false
	l := Token{Kind: EOF, At: s.place()}
	if s.offset >= len(s.src) {
		l.LineStart = true
		return l
	}
	begin := s.offset
	c := s.src[s.offset]
	switch class := classes[c]; {
	case class&letter != 0:
		l.Kind, l.Text = s.identifier()
	case class&digit != 0, c == '.' && isDigit(s.second()):
		l.Kind = Number
		s.number()
	case s.include && (c == '<' || c == '"'):
		l.Kind, l.Text = s.header(c)
	case c == '"' || c == '\'':
		l.Kind, l.Text = s.quoted(c)
	case c == '/' && s.startsComment():
		l.Kind, l.Text = s.comment()
	default:
		l.Kind, l.Text = s.punctuator()
	}
	if l.Text == "" {
		l.Text = s.slice(begin)
	}
	l.LineStart = s.atLineStart
	l.Blank = begin > end || s.behindComment
	s.behindComment = l.Kind == CommentText
	if !s.behindComment && (l.LineStart || s.directive > 0) {
		s.follow(&l)
	}
	return l
}

// startsComment reports whether the / at offset opens a comment.
func (s *Lexer) startsComment() bool {
	c := s.second()
	return c == '/' || c == '*'
}

// follow keeps track of where on its logical line l stands.
func (s *Lexer) follow(l *Token) {
	s.atLineStart = false
	switch {
	case l.LineStart && l.Text == "#":
		s.directive = 1
	case l.LineStart:
		s.directive = 0
	case s.directive > 0:
		s.directive++
	}
	s.include = s.directive == 2 && (l.Text == "include" || l.Text == "include_next" || l.Text == "import")
}

// skipBlanks skips white space and line continuations, and notes line ends.
func (s *Lexer) skipBlanks() {
	for s.offset < len(s.src) {
		switch s.src[s.offset] {
		case '\n':
			s.atLineStart = true
			s.include = false
		case ' ', '\t', '\r', '\v', '\f':
		case '\\':
			if s.splice(); s.offset < len(s.src) && s.src[s.offset] == '\\' {
				return
			}
			continue
		default:
			return
		}
		s.offset++
	}
}

// skipLines skips the tokens before the next one that may begin a preprocessor line, or before
// a comment that is not closed.
func (s *Lexer) skipLines() {
	for s.offset < len(s.src) {
		s.spliced = false
		c := s.src[s.offset]
		switch {
		case c == '\n':
			s.atLineStart = true
			s.offset++
			continue
		case c == ' ', c == '\t', c == '\r', c == '\v', c == '\f':
			s.offset++
			continue
		case c == '\\':
			if s.splice(); s.spliced {
				continue
			}
		case c == '/' && s.startsComment():
			begin := s.offset
			if kind, _ := s.comment(); kind.Illegal() {
				s.offset = begin
				return
			}
			continue
		case s.atLineStart && (c == '#' || c == '%'):
			return
		}
		s.atLineStart, s.directive = false, 0
		switch {
		case classes[c]&letter != 0:
			s.identifier()
		case classes[c]&digit != 0:
			s.number()
		case c == '"' || c == '\'':
			s.quoted(c)
		default:
			s.offset++
		}
	}
}

// slice returns the source from begin to the current offset, without line
// continuations.
func (s *Lexer) slice(begin int) string {
	text := s.src[begin:s.offset]
	if !s.spliced {
		return text
	}
	inner := Lexer{src: text}
	var b strings.Builder
	for !inner.ended() {
		b.WriteByte(text[inner.offset])
		inner.advance()
	}
	return b.String()
}

// second returns the byte behind the next one.
func (s *Lexer) second() byte {
	if i := s.offset + 1; i < len(s.src) && s.src[i-1] != '\\' && s.src[i] != '\\' {
		return s.src[i]
	}
	ahead := *s
	ahead.peek()
	ahead.advance()
	return ahead.peek()
}

// identifier reads an identifier, or the literal that it is a prefix of.
func (s *Lexer) identifier() (Kind, string) {
	begin := s.offset
	for s.offset < len(s.src) && classes[s.src[s.offset]]&(letter|digit) != 0 && s.src[s.offset] < utf8.RuneSelf {
		s.offset++
	}
	if s.offset < len(s.src) && (s.src[s.offset] == '\\' || s.src[s.offset] >= utf8.RuneSelf) && !s.wide(begin) {
		return s.punctuator()
	}
	word := s.slice(begin)
	switch c := s.peek(); {
	case c != '"' && c != '\'':
	case c == '"' && (word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR"):
		if kind, message := s.rawString(); kind.Illegal() {
			return kind, message
		}
		// Line continuations are not joined in a raw string.
		return String, s.src[begin:s.offset]
	case word == "L" || word == "u8" || word == "u" || word == "U":
		kind, text := s.quoted(c)
		if kind.Illegal() {
			return kind, text
		}
		return kind, s.slice(begin)
	}
	if means := alternative(word); means != "" {
		return Punct, means
	}
	return Ident, word
}

// wide reads on in an identifier, that begins at begin, where it has a backslash or a
// character other than ASCII. It reports whether it is one.
func (s *Lexer) wide(begin int) bool {
	for !s.ended() {
		c := s.peek()
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s.src[s.offset:])
			if r == utf8.RuneError && size <= 1 || !unicode.IsPrint(r) {
				return begin < s.offset
			}
			s.offset += size
			continue
		}
		if classes[c]&(letter|digit) == 0 {
			break
		}
		s.advance()
	}
	return true
}

// alternative returns the operator that a word means, "" for other words: C++ standard,
// [lex.digraph].
func alternative(word string) string {
	switch word {
	case "and":
		return "&&"
	case "or":
		return "||"
	case "not":
		return "!"
	case "not_eq":
		return "!="
	case "bitand":
		return "&"
	case "bitor":
		return "|"
	case "xor":
		return "^"
	case "compl":
		return "~"
	case "and_eq":
		return "&="
	case "or_eq":
		return "|="
	case "xor_eq":
		return "^="
	}
	return ""
}

// number reads a preprocessing number: C++ standard, [lex.ppnumber].
func (s *Lexer) number() {
	for !s.ended() {
		c := s.peek()
		switch {
		case c == 'e' || c == 'E' || c == 'p' || c == 'P':
			s.advance()
			if sign := s.peek(); sign == '+' || sign == '-' {
				s.advance()
			}
			continue
		case c == '\'':
			if next := s.second(); classes[next]&(letter|digit) == 0 {
				return
			}
		case c == '.', c < utf8.RuneSelf && classes[c]&(letter|digit) != 0:
		default:
			return
		}
		s.advance()
	}
}

// quoted reads a string or character literal that begins with quote.
func (s *Lexer) quoted(quote byte) (Kind, string) {
	kind, what := String, "string"
	if quote == '\'' {
		kind, what = Char, "character"
	}
	if s.simpleQuoted(quote) {
		return kind, ""
	}
	s.advance()
	for !s.ended() {
		switch c := s.peek(); c {
		case '\n':
			return Unclosed, what + " literal is not closed"
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
	return Unclosed, what + " literal is not closed"
}

// simpleQuoted reads a literal that begins with quote, if it is closed and no backslash in
// it stands before a blank, a line end or another one. Otherwise it reads nothing.
func (s *Lexer) simpleQuoted(quote byte) bool {
	for i := s.offset + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == quote:
			s.offset = i + 1
			return true
		case c == '\n':
			return false
		case c == '\\':
			if i++; i == len(s.src) || strings.IndexByte(" \t\r\n\\", s.src[i]) >= 0 {
				return false
			}
		}
	}
	return false
}

// rawString reads from the quote of a raw string on: C++ standard, [lex.string].
func (s *Lexer) rawString() (Kind, string) {
	const longestDelimiter = 16
	rest := s.src[s.offset+1:]
	open := strings.IndexByte(rest[:min(len(rest), longestDelimiter+1)], '(')
	if open < 0 || strings.ContainsAny(rest[:open], " )\\\t\v\f\n") {
		s.offset++
		return Illegal, "raw string has no delimiter"
	}
	end := strings.Index(rest[open:], ")"+rest[:open]+`"`)
	if end < 0 {
		s.offset = len(s.src)
		return Unclosed, "raw string is not closed"
	}
	s.offset += 1 + open + end + 1 + open + 1
	return String, ""
}

const openComment = "comment is not closed"

// comment reads a comment. A comment that is not closed is illegal.
func (s *Lexer) comment() (Kind, string) {
	if s.simpleComment() {
		return CommentText, ""
	}
	s.advance()
	block := s.peek() == '*'
	s.advance()
	for !s.ended() {
		switch c := s.peek(); {
		case c == '\n' && !block:
			return CommentText, ""
		case c == '*' && block && s.second() == '/':
			s.advance()
			s.peek()
			s.advance()
			return CommentText, ""
		}
		s.advance()
	}
	if block {
		return Unclosed, openComment
	}
	return CommentText, ""
}

// simpleComment reads a comment that is closed and has no backslash. Otherwise it reads
// nothing.
func (s *Lexer) simpleComment() bool {
	rest := s.src[s.offset:]
	end := -1
	if strings.HasPrefix(rest, "//") {
		end = strings.IndexByte(rest, '\n')
	} else if strings.HasPrefix(rest, "/*") {
		if end = strings.Index(rest[len("/*"):], "*/"); end >= 0 {
			end += len("/**/")
		}
	}
	if end < 0 || strings.IndexByte(rest[:end], '\\') >= 0 {
		return false
	}
	s.offset += end
	return true
}

// header reads the name of a header between quotes or angles.
func (s *Lexer) header(open byte) (Kind, string) {
	closing := open
	if open == '<' {
		closing = '>'
	}
	s.advance()
	for !s.ended() && s.peek() != '\n' {
		c := s.peek()
		s.advance()
		if c == closing {
			return HeaderName, ""
		}
	}
	return Unclosed, "name of a header is not closed"
}

// A punctuation is an operator or punctuator of more than one character.
type punctuation struct {
	text  string
	means string // what it is another spelling of; "" for itself
}

// punctuators are the operators of more than one character that the parser must not
// take apart, and the digraphs, longest first: C++ standard, [lex.operators].
var punctuators = []punctuation{
	{"<<=", ""}, {">>=", ""}, {"...", ""}, {"->*", ""}, {"<=>", ""}, {"%:%:", "##"},
	{"::", ""}, {"->", ""}, {"<<", ""}, {">>", ""}, {"&&", ""}, {"||", ""}, {"##", ""},
	{"==", ""}, {"!=", ""}, {"<=", ""}, {">=", ""}, {"++", ""}, {"--", ""},
	{"+=", ""}, {"-=", ""}, {"*=", ""}, {"/=", ""}, {"%=", ""}, {"&=", ""}, {"|=", ""}, {"^=", ""},
	{"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"%:", "#"},
}

// punctuatorsOf has the punctuators that begin with an ASCII character, longest first.
var punctuatorsOf = func() (table [utf8.RuneSelf][]punctuation) {
	for _, p := range punctuators {
		table[p.text[0]] = append(table[p.text[0]], p)
	}
	return table
}()

// punctuator reads an operator or punctuator. Anything else is illegal.
func (s *Lexer) punctuator() (Kind, string) {
	c := s.peek()
	switch classes[c] & (single | operator) {
	case 0:
		return s.illegal(c)
	case single:
		s.advance()
		return Punct, ""
	}
	for i := range punctuatorsOf[c] {
		p := &punctuatorsOf[c][i]
		if !s.starts(p.text) {
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
			return Punct, p.means
		}
		return Punct, p.text
	}
	s.advance()
	return Punct, ""
}

// starts reports whether the source continues with text.
func (s *Lexer) starts(text string) bool {
	if i := s.offset + 1; i < len(s.src) && s.src[i] != text[1] && s.src[i] != '\\' && s.src[i-1] != '\\' {
		return false
	}
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
func (s *Lexer) illegal(c byte) (Kind, string) {
	if c >= utf8.RuneSelf {
		for s.offset < len(s.src) {
			r, size := utf8.DecodeRuneInString(s.src[s.offset:])
			if r < utf8.RuneSelf || r != utf8.RuneError && unicode.IsPrint(r) {
				break
			}
			s.offset += size
		}
		return Illegal, "character is not allowed here: source is UTF-8 text"
	}
	s.advance()
	return Illegal, "character " + string(rune(c)) + " is not allowed here"
}

// A class is a set of kinds of characters.
type class uint8

const (
	letter   class = 1 << iota // an identifier may begin with it
	digit                      // 0 to 9
	single                     // a punctuator that is never a part of a longer one
	operator                   // any other character of punctuators
)

// classes has the class of each byte. Bytes of characters other than ASCII are letters until
// they are looked at.
var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$', c >= utf8.RuneSelf:
			table[c] = letter
		case '0' <= c && c <= '9':
			table[c] = digit
		case c == 0:
		case strings.IndexByte("{}[](),;?~", byte(c)) >= 0:
			table[c] = single
		case strings.IndexByte("#:.+-*/%^&|!=<>", byte(c)) >= 0:
			table[c] = operator
		}
	}
	return table
}()

func isDigit(c byte) bool { return classes[c] == digit }
