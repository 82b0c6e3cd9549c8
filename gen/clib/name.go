package clib

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/internal/goname"
)

// trimmed returns the Go name of what is called name in C, without what trim directives leave out.
func (p *packager) trimmed(name string) string {
	if other := p.description.rename[name]; other != nil {
		other.used = true
		return other.goName
	}
	short := strings.TrimSuffix(name, p.description.prefer)
	for _, word := range p.description.trim {
		if strings.HasPrefix(word, "_") {
			short = cutSuffix(short, word)
		} else if rest, is := strings.CutPrefix(short, word); is && rest != "" {
			short = rest
		}
	}
	if capitals(name) {
		short = lower(short)
	}
	return goname.Exported(short)
}

// cutSuffix leaves end out of s where s ends, or another _ follows: _v2 of gemm_v2 and gemm_v2_64. What would be empty stays.
func cutSuffix(s, end string) string {
	short := strings.Replace(s+"_", end+"_", "_", 1)
	if short = strings.TrimSuffix(short, "_"); short != "" {
		return short
	}
	return s
}

// lower returns s, which has words in capitals, in lower case, but for words such as 32F, 16BF and E4M3.
func lower(s string) string {
	words := strings.Split(s, "_")
	for i, w := range words {
		if !letterAfterDigit.MatchString(w) {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, "_")
}

var letterAfterDigit = regexp.MustCompile(`[0-9][A-Z]`)

// between is what has the x of 8x16x1.
var between = regexp.MustCompile(`[0-9](x[0-9]+)+`)

// capitals reports whether name is one of several words in capitals: STATUS_NOT_SUPPORTED, which is StatusNotSupported in Go.
func capitals(name string) bool {
	return strings.Contains(name, "_") && !strings.ContainsFunc(between.ReplaceAllString(name, ""), unicode.IsLower)
}
