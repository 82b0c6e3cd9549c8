package diag

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The forms in which they report: NVIDIA's front end and cl.exe as
// "file(line): error #20: text", the preprocessors gcc and clang as
// "file:line:column: error: text".
var (
	frontEndMessage = regexp.MustCompile(`^(.+?)\((\d+)\): ((?:catastrophic |fatal |internal )?error|warning)(?: [#A-Z][-0-9A-Z]*)?: (.*)$`)
	hostMessage     = regexp.MustCompile(`^(.+?):(\d+):(?:(\d+):)? ((?:fatal )?error|warning): (.*)$`)
)

// Parse finds the errors and warnings in a compiler's log, each once, sorted by
// position. position turns the compiler's file names into the user's.
//
// The front end gives no columns. read reads the user's files, for those that can be told all
// the same; nil leaves them out.
func Parse(log string, position func(file string) string, read func(path string) ([]byte, error)) (errs, warnings scanner.ErrorList) {
	texts := &texts{read: read, lines: make(map[string][]string)}
	lines := strings.Split(strings.ReplaceAll(log, "\r\n", "\n"), "\n")
	for i, line := range lines {
		var pos token.Position
		var severity, text string
		if m := frontEndMessage.FindStringSubmatch(line); m != nil {
			pos = token.Position{Filename: position(m[1]), Line: number(m[2])}
			pos.Column = texts.column(pos, lines[i+1:])
			severity = m[3]
			text = strings.Join(append([]string{m[4]}, explanation(lines[i+1:])...), "; ")
		} else if m := hostMessage.FindStringSubmatch(line); m != nil {
			pos = token.Position{Filename: position(m[1]), Line: number(m[2]), Column: number(m[3])}
			severity, text = m[4], m[5]
		} else {
			continue
		}
		list := &errs
		if severity == "warning" {
			list = &warnings
		}
		// A file is read once for each target and once for the host.
		same := func(e *scanner.Error) bool { return e.Pos == pos && e.Msg == text }
		if !slices.ContainsFunc(*list, same) {
			list.Add(pos, text)
		}
	}
	errs.Sort()
	warnings.Sort()
	return errs, warnings
}

// explanation returns what the front end adds to a message in the indented lines
// below it, such as "detected during instantiation of …", without the line of
// source that it shows.
func explanation(lines []string) []string {
	var added []string
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || !strings.HasPrefix(line, "  "):
			return added
		case text == "^":
			added = added[:max(0, len(added)-1)] // the line of source above the marker
		default:
			added = append(added, text)
		}
	}
	return added
}

// texts are the user's files, each read once.
type texts struct {
	read  func(path string) ([]byte, error)
	lines map[string][]string // nil of a file without a line to show: it cannot be read, or has #line
}

// line returns a line of a file, or nothing.
func (t *texts) line(pos token.Position) string {
	if t.read == nil {
		return ""
	}
	lines, known := t.lines[pos.Filename]
	if !known {
		if text, err := t.read(pos.Filename); err == nil && !lineDirective.Match(text) {
			lines = strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
		}
		t.lines[pos.Filename] = lines
	}
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	return lines[pos.Line-1]
}

var lineDirective = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:line\b|\d)`)

// column returns the column of the token that a message of the front end is about, 0 when that
// cannot be told. shown are the lines below the message: a line of source in which macros such as
// __global__ are expanded, and a marker. The token at the marker is looked for in the line as the
// user has it, which must have it as often.
func (t *texts) column(pos token.Position, shown []string) int {
	const indent = "  "
	for i, line := range shown {
		if !strings.HasPrefix(line, indent) || strings.TrimSpace(line) == "" {
			return 0
		}
		if strings.TrimSpace(line) != "^" || i == 0 {
			continue
		}
		expanded, at := strings.TrimPrefix(shown[i-1], indent), strings.Index(line, "^")-len(indent)
		word := wordAt(expanded, at)
		there, here := occurrences(expanded, word), occurrences(t.line(pos), word)
		if nth := slices.Index(there, at); nth >= 0 && len(there) == len(here) {
			return here[nth] + 1
		}
		return 0
	}
	return 0
}

// wordAt returns the identifier or number that begins at an index of line, or the one character
// there that is neither.
func wordAt(line string, at int) string {
	if at < 0 || at >= len(line) || line[at] == ' ' || line[at] == '\t' {
		return ""
	}
	end := at
	for end < len(line) && isWord(line[end]) {
		end++
	}
	return line[at:max(end, at+1)]
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// occurrences returns where word stands in line, by itself.
func occurrences(line, word string) (list []int) {
	for at := 0; word != ""; at++ {
		next := strings.Index(line[at:], word)
		if next < 0 {
			break
		}
		at += next
		end := at + len(word)
		if isWord(word[0]) && (at > 0 && isWord(line[at-1]) || end < len(line) && isWord(line[end])) {
			continue
		}
		list = append(list, at)
	}
	return list
}

// number reads decimal digits; none, or too many, give 0: unknown.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
