// Package include finds the #include lines of C++ text.
//
// It evaluates no condition, expands no macro and reads no file. Start with Directives.
package include

import (
	"bytes"
	"slices"
)

// A Directive is an #include line, or a similar line such as #include_next.
type Directive struct {
	Word       string // include, include_next or import
	Name       string // of the file, without quotes or brackets; empty when a macro stands for it
	Angled     bool   // <name>
	Start, End int    // of the name with its quotes or brackets, in bytes of the content
}

// Directives returns those of a C++ source, in order. It respects comments, strings, raw
// strings and continued lines. It omits directives whose name cannot be a file name.
//
// C++ standard, Source file inclusion and Phases of translation.
func Directives(content []byte) []Directive {
	text, places := splice(content)
	s := scanner{text: text}
	var list []Directive
	for s.lineStart = true; s.pos < len(s.text); {
		if d, ok := s.next(); ok {
			d.Start, d.End = places[d.Start], places[d.End-1]+1
			list = append(list, d)
		}
	}
	return list
}

// splice joins lines that end in a backslash with the next one, and takes \r\n for the
// end of a line. places says where each byte of text, and its end, is in content.
func splice(content []byte) (text []byte, places []int) {
	text, places = make([]byte, 0, len(content)), make([]int, 0, len(content)+1)
	for i := 0; i < len(content); i++ {
		switch rest := content[i:]; {
		case bytes.HasPrefix(rest, []byte("\\\n")):
			i++
		case bytes.HasPrefix(rest, []byte("\\\r\n")):
			i += 2
		case bytes.HasPrefix(rest, []byte("\r\n")):
		default:
			text, places = append(text, content[i]), append(places, i)
		}
	}
	return text, append(places, len(content))
}

// A scanner walks over C++ tokens as far as it must to know where a
// directive can stand.
type scanner struct {
	text      []byte
	pos       int
	lineStart bool // only white space and comments on this line so far
}

// next passes over one token, comment or directive. It returns the directive if that
// includes a file.
func (s *scanner) next() (d Directive, ok bool) {
	c := s.text[s.pos]
	switch {
	case c == '\n':
		s.pos++
		s.lineStart = true
		return d, false
	case isBlank(c) || s.at("//") || s.at("/*"):
		s.blank()
		return d, false
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
		if prefix := s.word(); slices.Contains([]string{"R", "u8R", "uR", "UR", "LR"}, prefix) && s.at(`"`) {
			s.raw()
		}
	default:
		s.pos++
	}
	return d, false
}

// directive reads what follows the # of a directive. Start and End are places in s.text.
func (s *scanner) directive() (d Directive, ok bool) {
	s.blank()
	d.Word = s.word()
	switch d.Word {
	case "include", "include_next", "import":
	default:
		return d, false
	}
	s.blank()
	if s.pos == len(s.text) {
		return d, false
	}
	d.Start, d.End = s.pos, s.pos+1
	var end byte
	switch s.text[s.pos] {
	case '"':
		end = '"'
	case '<':
		end, d.Angled = '>', true
	default:
		return d, isLetter(s.text[s.pos])
	}
	line := s.text[s.pos+1:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	n := bytes.IndexByte(line, end)
	if n <= 0 || bytes.IndexByte(line[:n], 0) >= 0 {
		return d, false
	}
	s.pos += len(`""`) + n
	d.Name, d.End = string(line[:n]), s.pos
	return d, true
}

// blank passes over white space and comments within a line; a /* comment may hold
// line ends without ending the line.
func (s *scanner) blank() {
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
func (s *scanner) literal(quote byte) {
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
func (s *scanner) raw() {
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
func (s *scanner) number() {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		separator := c == '\'' && s.pos+1 < len(s.text) && isWord(s.text[s.pos+1])
		if !isWord(c) && c != '.' && !separator {
			return
		}
	}
}

// word passes over an identifier, which may be empty, and returns it.
func (s *scanner) word() string {
	start := s.pos
	for s.pos < len(s.text) && isWord(s.text[s.pos]) {
		s.pos++
	}
	return string(s.text[start:s.pos])
}

// at reports whether text continues with prefix.
func (s *scanner) at(prefix string) bool {
	return bytes.HasPrefix(s.text[s.pos:], []byte(prefix))
}

// skipTo moves behind the first n bytes of the next end, or to the end of the text.
func (s *scanner) skipTo(end string, n int) {
	at := bytes.Index(s.text[s.pos:], []byte(end))
	if at < 0 {
		s.pos = len(s.text)
		return
	}
	s.pos += at + n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
func isWord(c byte) bool { return isLetter(c) || isDigit(c) }
