package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// binary are the operators between operands of a macro that an operator beside it may tear apart.
// There is no < and >, which are around arguments of templates.
var binary = []string{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "?", "==", "!=", "<=", ">="}

// noteLoose notes the macro name if list, what it stands for, has an operator outside of
// parentheses: with SIZE as 4+4, SIZE*2 is 12 in C++.
func (u *unit) noteLoose(name string, list []lex.Token) {
	depth := 0
	loose := false
	var text strings.Builder
	for i, l := range list {
		switch {
		case l.Is("("), l.Is("["), l.Is("{"):
			depth++
		case l.Is(")"), l.Is("]"), l.Is("}"):
			depth--
		case depth == 0 && i > 0 && slices.ContainsFunc(binary, l.Is):
			last := list[i-1]
			loose = loose || last.Kind == lex.Ident || last.Kind == lex.Number || last.Is(")") || last.Is("]") || last.Is("}")
		}
		if l.Blank && i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(l.Text)
	}
	if loose {
		u.file.Loose[name] = text.String()
	}
}
