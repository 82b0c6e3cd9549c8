package main

import (
	"strings"
	"unicode/utf8"
)

// longestName is how many bytes a name in a message may have: about a line.
const longestName = 100

// shorten returns text with … in names that are longer than a line: symbols, and names of types and kernels with
// their template arguments. Names that differ still differ. What may be meant for copying, remedy and code,
// stays as it is, with all that is behind it.
func shorten(text, remedy string) string {
	end := len(text)
	for _, copied := range []string{remedy, "//cudagen:", "template __global__"} {
		if at := strings.Index(text, copied); copied != "" && at >= 0 {
			end = min(end, at)
		}
	}
	spans := longNames(text[:end])
	names := make([]string, len(spans))
	for i, s := range spans {
		names[i] = text[s.begin:s.end]
	}
	shown, from := shortened(names), 0
	var b strings.Builder
	for i, s := range spans {
		b.WriteString(text[from:s.begin] + shown[names[i]])
		from = s.end
	}
	return b.String() + text[from:]
}

// A span is where a name stands.
type span struct{ begin, end int }

// longNames returns where text has names that are too long.
func longNames(text string) (list []span) {
	for at := 0; at < len(text); {
		end := nameEnd(text, at)
		if end == at {
			at++
			continue
		}
		of := func(i int) bool { return 0 <= i && i < len(text) && strings.IndexByte(`/\.`, text[i]) >= 0 } // of a path
		if end-at > longestName && !of(at-1) && !of(end) {
			list = append(list, span{at, end})
		}
		at = end
	}
	return list
}

// nameEnd returns where the name ends that begins at an index of text: a qualified name with template arguments.
func nameEnd(text string, at int) int {
	for at < len(text) {
		switch c := text[at]; {
		case isLetter(c) || c == ':' && strings.HasPrefix(text[at:], "::"):
			if at++; c == ':' {
				at++
			}
			continue
		case c == '<' && at > 0 && isLetter(text[at-1]):
			if end := closing(text, at); end > 0 {
				at = end
				continue
			}
		}
		return at
	}
	return at
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// closing returns the index behind the bracket that closes the one at an index of text, or 0.
func closing(text string, open int) int {
	const opening, closes = "<([{", ">)]}"
	var depth []byte
	for i := open; i < len(text); i++ {
		c := text[i]
		if at := strings.IndexByte(opening, c); at >= 0 && (c != '<' || isLetter(text[i-1])) {
			depth = append(depth, closes[at])
			continue
		}
		switch {
		case strings.IndexByte(closes, c) < 0 || c == '>' && (text[i-1] == '-' || depth[len(depth)-1] != '>'): // also an operator
		case c != depth[len(depth)-1]:
			return 0
		case len(depth) == 1:
			return i + 1
		default:
			depth = depth[:len(depth)-1]
		}
	}
	return 0
}

// shortened returns what is shown for names: head and tail and, if others have the same, what follows where they part.
func shortened(names []string) map[string]string {
	ends := func(name string) string { return head(name, 60) + "…" + tail(name, 30) }
	shown := make(map[string]string)
	for _, name := range names {
		shown[name] = ends(name)
		parted := len(name) + 1
		for _, other := range names {
			if other != name && ends(other) == ends(name) {
				parted = min(parted, common(name, other))
			}
		}
		if parted <= len(name) {
			before := head(name, parted)
			shown[name] = head(name, 40) + "…" + head(name[len(before):], 30) + "…" + tail(name, 20)
		}
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if other != name && shown[other] == shown[name] {
				shown[other], shown[name] = other, name
			}
		}
	}
	return shown
}

// common returns how long the beginning is that a and b share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// head returns the first n bytes of name, and tail the last ones, without parts of characters.
func head(name string, n int) string {
	n = min(n, len(name))
	for n < len(name) && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

func tail(name string, n int) string {
	at := max(0, len(name)-n)
	for at < len(name) && !utf8.RuneStart(name[at]) {
		at++
	}
	return name[at:]
}
