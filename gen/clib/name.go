package clib

import (
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/internal/goname"
)

// trimmed returns the Go name of what is called name in C, without what trim directives leave out.
func (p *packager) trimmed(name string) string {
	if name := p.description.rename[name]; name != "" {
		return name
	}
	short := name
	for _, word := range p.description.trim {
		if end, is := strings.CutPrefix(word, "_"); is {
			short = cutSuffix(short, "_"+end)
		} else if rest, is := strings.CutPrefix(short, word); is && rest != "" {
			short = rest
		}
	}
	if capitals(name) {
		short = strings.ToLower(short)
	}
	return goname.Exported(short)
}

// cutSuffix is strings.TrimSuffix for what does not become empty.
func cutSuffix(s, end string) string {
	if short := strings.TrimSuffix(s, end); short != "" {
		return short
	}
	return s
}

// capitals reports whether name is one of several words in capitals: STATUS_NOT_SUPPORTED, which is StatusNotSupported in Go.
func capitals(name string) bool {
	return strings.Contains(name, "_") && !strings.ContainsFunc(name, unicode.IsLower)
}
