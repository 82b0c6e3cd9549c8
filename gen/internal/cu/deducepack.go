package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// deducePack returns the template arguments of k, which has packs of template parameters: those given, or
// those that follow from the parameters, if a pack of types is the last template parameter, and the
// last parameter expands it. C++ standard, [temp.deduct.call].
func (a *actual) deducePack(k *kernel, given int) (d boundArguments, fits bool, reason *ctype.Reason) {
	params := k.head.params
	last := params[len(params)-1]
	parts := a.in(a.use).split(k.parameters)
	packs := 0
	for _, param := range params {
		if param.pack {
			packs++
		}
	}
	expansions := 0
	for _, part := range parts {
		if ellipsis(part) >= 0 {
			expansions++
		}
	}
	if packs != 1 || !last.pack || last.kind != paramType || last.name == "" || given >= len(params) || a.count < 0 || expansions != 1 || ellipsis(parts[len(parts)-1]) < 0 {
		return a.given(k)
	}
	count := a.count - len(parts) + 1
	if count < 0 {
		return d, false, nil
	}
	expanded := *k
	head := *k.head
	head.params = slices.Clone(params[:len(params)-1])
	var list []lex.Token
	for i, part := range parts[:len(parts)-1] {
		if i > 0 {
			list = append(list, comma(part.peek()))
		}
		list = append(list, part.list[part.i:part.stop]...)
	}
	pattern := withoutToken(parts[len(parts)-1], ellipsis(parts[len(parts)-1]))
	for i := range count {
		element := *last
		element.name, element.pack, element.typ = fmt.Sprint(last.name, ":", i), false, newCursor(newTokens([]lex.Token{word(pattern.peek(), "class")}), *pattern.peek())
		head.params = append(head.params, &element)
		if len(list) > 0 {
			list = append(list, comma(pattern.peek()))
		}
		for _, l := range pattern.list[pattern.i:pattern.stop] {
			if l.Kind == lex.Ident && l.Text == last.name {
				l.Text = element.name
			}
			list = append(list, l)
		}
	}
	expanded.head, expanded.parameters = &head, newCursor(newTokens(list), k.parameters.end)
	if d, fits, reason = a.deduce(&expanded); reason != nil || !fits {
		return d, fits, reason
	}
	d.inner = a.bindAll(k.head, d.args, k.scope, a.name)
	return d, a.mayHold(k.head, d.inner), nil
}

// word returns text as a word at the place of l, and comma a comma.
func word(l *lex.Token, text string) lex.Token {
	made := *l
	made.Kind, made.Text = lex.Ident, text
	return made
}

func comma(l *lex.Token) lex.Token {
	made := *l
	made.Kind, made.Text = lex.Punct, ","
	return made
}
