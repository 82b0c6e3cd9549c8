// Package explain gives every diagnostic of cudagen a short code, and every code a page with an
// example and its mend.
//
// A diagnostic has the code of the message that it is made of: messages.txt lists those of cudagen, without
// what differs between diagnostics. It runs nothing and reads no source. Start with Code.
package explain

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Class is a kind of diagnostics.
type Class struct {
	Code  string // a letter and three digits: S102
	Title string // in one line: "unknown type"
	Text  string // the page, in Markdown, without its heading
}

// OfCompiler is the code of diagnostics that cudagen itself does not make: those of CUDA compilers
// about the source.
const OfCompiler = "C199"

// texts are the messages that cudagen itself makes, one a line behind its code, quoted as in Go. … stands for
// what each diagnostic has of its own, such as names of the user.
//
//go:embed messages.txt
var texts string

// A message is a text that cudagen makes.
type message struct {
	code string
	// parts are the constant ones, in order. The first is empty if the message begins with what is a
	// diagnostic's own, and the last if it ends with it.
	parts []string
	size  int // of the parts together
	// weak means that no two words of it stand together: names of the user could. It only begins a diagnostic or
	// follows a colon, and what is the diagnostic's own has no blank, but at its end.
	weak bool
}

var messages = sync.OnceValue(func() (list []message) {
	for line := range strings.Lines(texts) {
		code, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, err := strconv.Unquote(quoted)
		if err != nil {
			panic("messages.txt: " + line)
		}
		m := message{code: code, parts: strings.Split(unquoted(text), "…"), weak: true}
		for _, part := range m.parts {
			m.size += len(part)
			m.weak = m.weak && !twoWords.MatchString(part)
		}
		list = append(list, m)
	}
	return list
})

var twoWords = regexp.MustCompile(`[\w#>)-] [\w#<(-]`)

// quotation matches what stands in quotes, which is often the user's.
var quotation = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func unquoted(text string) string { return quotation.ReplaceAllLiteralString(text, `""`) }

// in reports whether a diagnostic contains m, in whole words, and whether it begins with a constant part of m.
func (m *message) in(diagnostic string) (contained, begins bool) {
	at := 0
	for i, part := range m.parts {
		start := find(diagnostic, part, at, i == 0, i == len(m.parts)-1)
		if start < 0 {
			return false, false
		}
		if i == 0 {
			begins = start == 0 && part != ""
			if m.weak && !begins && (start < 2 || diagnostic[start-2:start] != ": ") {
				return false, false
			}
		} else if m.weak && strings.Contains(diagnostic[at:start], " ") {
			return false, false
		}
		at = start + len(part)
	}
	return true, begins
}

// find returns where part stands in text, not before at, or -1. Where it is the first or the last part of a
// message, no word of it goes on outside.
func find(text, part string, at int, first, last bool) int {
	for part != "" {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(part)
		if !(first && at > 0 && isWord(part[0]) && isWord(text[at-1])) &&
			!(last && end < len(text) && isWord(part[len(part)-1]) && isWord(text[end])) {
			return at
		}
		at++
	}
	return at
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Code returns the code of a diagnostic, without its position: that of the message of cudagen's that it is
// made of. What a diagnostic has of its own, such as the names of a source, has no part in that. If it is
// made of several, those that only say of what in a source the others tell count least, then the one at its
// beginning counts most, then the longest.
func Code(diagnostic string) string {
	diagnostic = unquoted(diagnostic)
	var found []*message
	for i := range messages() {
		if contained, _ := messages()[i].in(diagnostic); contained {
			found = append(found, &messages()[i])
		}
	}
	code, most := OfCompiler, -1
	for _, m := range found {
		if slices.ContainsFunc(found, m.within) {
			continue
		}
		rank := m.size
		if _, begins := m.in(diagnostic); begins {
			rank += 1 << 20
		}
		if !m.introduces() {
			rank += 1 << 21
		}
		if rank > most {
			code, most = m.code, rank
		}
	}
	return code
}

// within reports whether m is part of a constant part of a longer message.
func (m *message) within(longer *message) bool {
	text := strings.Join(m.parts, "")
	return len(m.parts) <= 2 && longer.size > m.size && slices.ContainsFunc(longer.parts, func(part string) bool { return strings.Contains(part, text) })
}

// introduces reports whether m says of something in a source that it is wrong, and leaves it to others to say why.
func (m *message) introduces() bool {
	n := len(m.parts)
	return m.code == "S199" || m.code[0] == 'S' && n > 1 && m.parts[n-1] == "" && strings.HasSuffix(m.parts[n-2], ": ")
}

//go:embed codes.md
var pages string

// Classes returns all classes, in the order of their codes.
func Classes() []Class { return classes() }

var classes = sync.OnceValue(func() (list []Class) {
	heading := regexp.MustCompile(`(?m)^## ([A-Z]\d{3}): (.+)\n`)
	found := heading.FindAllStringSubmatchIndex(pages, -1)
	for i, m := range found {
		end := len(pages)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		list = append(list, Class{Code: pages[m[2]:m[3]], Title: pages[m[4]:m[5]], Text: strings.TrimSpace(pages[m[1]:end]) + "\n"})
	}
	return list
})

// Find returns the class of a code, which may be written in lower case.
func Find(code string) (class Class, found bool) {
	for _, c := range classes() {
		if strings.EqualFold(c.Code, code) {
			return c, true
		}
	}
	return Class{}, false
}
