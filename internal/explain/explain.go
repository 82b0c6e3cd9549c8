// Package explain has a page for each code of a diagnostic, with an example and its mend.
//
// Package diag has the codes, and diagnostics have theirs from where they are made. Start with Find.
package explain

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Class is a kind of diagnostics.
type Class struct {
	Code  diag.Code
	Title string // in one line: "unknown type"
	Text  string // the page, in Markdown, without its heading
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
		list = append(list, Class{Code: diag.Code(pages[m[2]:m[3]]), Title: pages[m[4]:m[5]], Text: strings.TrimSpace(pages[m[1]:end]) + "\n"})
	}
	return list
})

// Find returns the class of a code, which may be written in lower case.
func Find(code string) (class Class, found bool) {
	for _, c := range classes() {
		if strings.EqualFold(string(c.Code), code) {
			return c, true
		}
	}
	return Class{}, false
}
