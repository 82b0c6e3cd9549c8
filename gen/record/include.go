package record

import "bytes"

// Includes returns the names in the #include lines of a C++ source, in order, each
// as often as it occurs. It respects comments, strings, raw strings and
// continued lines, and evaluates no condition.
//
// C++ standard, Source file inclusion and Phases of translation.
func Includes(content []byte) []string {
	s := includeScanner{text: splice(content)}
	var names []string
	for s.lineStart = true; s.pos < len(s.text); {
		if name, ok := s.next(); ok {
			names = append(names, name)
		}
	}
	return names
}

// splice joins lines that end in a backslash with the next one.
func splice(content []byte) []byte {
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(content, []byte("\\\n"), nil)
}

// An includeScanner walks over C++ tokens as far as it must to know where a
// directive can stand.
type includeScanner struct {
	text      []byte
	pos       int
	lineStart bool // only white space and comments on this line so far
}

// next passes over one token, comment or directive. It returns the name of an
// include if that is what it was.
func (s *includeScanner) next() (name string, ok bool) {
	c := s.text[s.pos]
	switch {
	case c == '\n':
		s.pos++
		s.lineStart = true
		return "", false
	case isBlank(c) || s.at("//") || s.at("/*"):
		s.blank()
		return "", false
	case s.lineStart && (c == '#' || s.at("%:")):
		s.pos += len("#")
		if c == '%' {
			s.pos++
		}
		s.lineStart = false
		return s.directive()
	}
	s.lineStart = false
	switch {
	case c == '"' || c == '\'':
		s.literal(c)
	case isDigit(c):
		s.number()
	case isLetter(c):
		if prefix := s.word(); isRawPrefix(prefix) && s.at(`"`) {
			s.raw()
		}
	default:
		s.pos++
	}
	return "", false
}

// directive reads what follows the # of a directive.
func (s *includeScanner) directive() (name string, ok bool) {
	s.blank()
	switch s.word() {
	case "include", "include_next", "import":
	default:
		return "", false
	}
	s.blank()
	if s.pos == len(s.text) {
		return "", false
	}
	var end byte
	switch s.text[s.pos] {
	case '"':
		end = '"'
	case '<':
		end = '>'
	default:
		return "", false // named by a macro
	}
	line := s.text[s.pos+1:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	n := bytes.IndexByte(line, end)
	if n <= 0 || bytes.IndexByte(line[:n], 0) >= 0 {
		return "", false
	}
	s.pos += len(`""`) + n
	return string(line[:n]), true
}

// blank passes over white space and comments within a line; a /* comment may hold
// line ends without ending the line.
func (s *includeScanner) blank() {
	for s.pos < len(s.text) {
		switch {
		case isBlank(s.text[s.pos]):
			s.pos++
		case s.at("//"):
			s.skipTo("\n", 0)
		case s.at("/*"):
			s.pos += len("/*")
			s.skipTo("*/", len("*/"))
		default:
			return
		}
	}
}

// literal passes over a string or character literal; one without an end stops at
// the end of the line.
func (s *includeScanner) literal(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\n':
			return
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		}
	}
	s.pos = min(s.pos, len(s.text))
}

// raw passes over a raw string from its quote: "delimiter( … )delimiter".
func (s *includeScanner) raw() {
	open := bytes.IndexByte(s.text[s.pos:], '(')
	if open < 0 || open-1 > maxDelimiter || bytes.IndexByte(s.text[s.pos:s.pos+open], '\n') >= 0 {
		s.literal('"')
		return
	}
	end := ")" + string(s.text[s.pos+1:s.pos+open]) + `"`
	s.pos += open
	s.skipTo(end, len(end))
}

// maxDelimiter is the length of the longest delimiter of a raw string (C++ standard, String literals).
const maxDelimiter = 16

// number passes over a number, whose digits may be separated by single quotes.
func (s *includeScanner) number() {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		separator := c == '\'' && s.pos+1 < len(s.text) && isWord(s.text[s.pos+1])
		if !isWord(c) && c != '.' && !separator {
			return
		}
	}
}

// word passes over an identifier, which may be empty, and returns it.
func (s *includeScanner) word() string {
	start := s.pos
	for s.pos < len(s.text) && isWord(s.text[s.pos]) {
		s.pos++
	}
	return string(s.text[start:s.pos])
}

// at reports whether text continues with prefix.
func (s *includeScanner) at(prefix string) bool {
	return bytes.HasPrefix(s.text[s.pos:], []byte(prefix))
}

// skipTo moves behind the first n bytes of the next end, or to the end of the text.
func (s *includeScanner) skipTo(end string, n int) {
	at := bytes.Index(s.text[s.pos:], []byte(end))
	if at < 0 {
		s.pos = len(s.text)
		return
	}
	s.pos += at + n
}

func isRawPrefix(word string) bool {
	switch word {
	case "R", "u8R", "uR", "UR", "LR":
		return true
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
func isWord(c byte) bool { return isLetter(c) || isDigit(c) }
