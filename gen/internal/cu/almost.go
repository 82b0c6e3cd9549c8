package cu

import (
	"go/token"
	"regexp"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A Word is a word of the source. One without a text stands for the absence of a word.
type Word struct {
	Pos  token.Position
	Text string
}

// almostGlobal matches what people write in place of __global__.
var almostGlobal = regexp.MustCompile(`(?i)^_*gl(?:oba?l?|abal|oabl|obla|oble)s?_*$`)

// almost returns the first word of the main file that looks like a misspelt __global__.
func (l *listing) almost() Word {
	for i := range l.all.list {
		if t := &l.all.list[i]; t.Kind == lex.Ident && t.At.File().Main && t.Text != "__global__" && almostGlobal.MatchString(t.Text) {
			return Word{t.Pos(), t.Text}
		}
	}
	return Word{}
}
