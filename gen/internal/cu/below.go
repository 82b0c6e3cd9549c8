package cu

import (
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A Below is what stands directly below a comment that belongs to no declaration.
type Below struct {
	Pos      token.Position // of the first word
	Function Word           // the name of a function; empty for others
	Kernel   bool           // the function is declared with __global__

	// Open is the last word of the code above the comment, if that is in the middle of a declaration:
	// the comment then stands inside of it.
	Open Word
}

// codeBelow returns what stands directly below a comment. next is the first token behind it.
func (l *listing) codeBelow(next int) (b Below) {
	b.Pos = l.all.list[next].Pos()
	if next > 0 {
		last := &l.all.list[next-1]
		switch last.Text {
		case ";", "{", "}", ":":
		default:
			b.Open = Word{last.Pos(), last.Text}
		}
	}
	const most = 100 // tokens in front of the parameters of a function
	for i := next; i < min(len(l.all.list), next+most); i++ {
		switch t := &l.all.list[i]; {
		case t.Text == "__global__":
			b.Kernel = true
		case t.Text == "(" && i > next && l.all.list[i-1].Kind == lex.Ident:
			name := &l.all.list[i-1]
			if strings.HasPrefix(name.Text, "__") || name.Text == "alignas" || name.Text == "decltype" {
				i = l.closing(i)
				continue
			}
			b.Function = Word{name.Pos(), name.Text}
			return b
		case t.Text == ";" || t.Text == "{" || t.Text == "=":
			return b
		}
	}
	return b
}

// closing returns the index of the bracket that closes the one at index i.
func (l *listing) closing(i int) int {
	depth := 0
	for ; i < len(l.all.list); i++ {
		switch l.all.list[i].Text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return i
}
