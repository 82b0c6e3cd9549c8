package source

import (
	"errors"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/diag"
)

// With keepGoing the sources go on that nothing is wrong with, wherever the errors of the others
// stand; without it, an error says so when others may.
func TestSeveral(t *testing.T) {
	mistake := func(file, text string) diag.List {
		return diag.List{{Pos: token.Position{Filename: file, Line: 1, Column: 1}, Message: diag.Message{Text: text}}}
	}
	other := errors.New("no compiler")
	wrong := map[string]error{"b.cu": mistake("b.cu", "wrong"), "h.cu": mistake("h.h", "in a header"), "gone.cu": NewError("gone.cu", errors.New("is gone")), "x.cu": other}
	for name, test := range map[string]struct {
		paths     string
		keepGoing bool
		runs      string // the sources of each run
		left, err string
	}{
		"nothing wrong":   {"a.cu c.cu", true, "a.cu c.cu", "", ""},
		"one":             {"b.cu", true, "b.cu", "", "b.cu:1:1: wrong"},
		"all":             {"b.cu h.cu", true, "b.cu h.cu; b.cu; h.cu", "", "b.cu:1:1: wrong"},
		"some":            {"a.cu b.cu h.cu gone.cu c.cu", true, "a.cu b.cu h.cu gone.cu c.cu; a.cu; b.cu; h.cu; gone.cu; c.cu; a.cu c.cu", "b.cu:1:1: wrong h.h:1:1: in a header gone.cu: is gone", ""},
		"another error":   {"a.cu x.cu", true, "a.cu x.cu", "", "no compiler"},
		"no going on":     {"a.cu b.cu", false, "a.cu b.cu", "", "b.cu:1:1: wrong (-keep-going generates the other sources)"},
		"nobody to go on": {"b.cu", false, "b.cu", "", "b.cu:1:1: wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []string
			left, err := Several(strings.Fields(test.paths), test.keepGoing, func(paths []string) error {
				runs = append(runs, strings.Join(paths, " "))
				for _, path := range paths {
					if wrong[path] != nil {
						return wrong[path]
					}
				}
				return nil
			})
			assert.Equal(t, test.runs, strings.Join(runs, "; "))
			var texts []string
			for _, e := range left {
				texts = append(texts, e.Error())
			}
			assert.Equal(t, test.left, strings.Join(texts, " "))
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.err)
			}
		})
	}
}
