package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// abbreviate reads auto in the parameters of k: it stands for the type of a template parameter
// that has no name, which comes behind those of the head t. It returns the head with them, t if
// there are none.
//
// C++ standard, [dcl.fct]: abbreviated function template.
func (p *parser) abbreviate(k *kernel, t *templateHead) *templateHead {
	parts := p.split(k.parameters, true)
	if !slices.ContainsFunc(parts, abbreviates) || t != nil && t.empty {
		return t
	}
	head := &templateHead{}
	if t != nil {
		*head = *t
		head.params = slices.Clone(t.params)
	}
	var list []lex.Token
	for i, one := range parts {
		if i > 0 {
			list = append(list, parts[i-1].list[parts[i-1].stop]) // the comma
		}
		if !abbreviates(one) {
			list = append(list, one.list[one.i:one.stop]...)
			continue
		}
		constraint, at := p.placeholder(one)
		param := &templateParam{kind: paramType, name: fmt.Sprint("auto:", len(head.params)), invented: true, pack: ellipsis(one) >= 0}
		param.written = join(one.list[constraint : at+1])
		param.typ = one.piece(constraint, at)
		name := one.list[at]
		if !param.typ.more() {
			class := name
			class.Text = "class"
			param.typ = newCursor(newTokens([]lex.Token{class}), name)
		}
		head.params = append(head.params, param)
		name.Kind, name.Text = lex.Ident, param.name
		list = append(list, one.list[one.i:constraint]...)
		list = append(append(list, name), one.list[at+1:one.stop]...)
	}
	k.parameters = newCursor(newTokens(list), k.parameters.end)
	return head
}

// abbreviated reports whether parameters of h stand for auto.
func (h *templateHead) abbreviated() bool {
	return slices.ContainsFunc(h.params, func(param *templateParam) bool { return param.invented })
}

// abbreviates reports whether the parameter c is declared with auto, for a type that arguments decide.
func abbreviates(c cursor) bool {
	found := false
	for ; c.more() && !c.peek().Is("="); c.skip() {
		for c.peek().Is("<") {
			if _, ok := c.angles(); !ok {
				break
			}
		}
		if c.peek().Is("->") || !c.more() {
			return found && !c.more() // the type of a function stands behind it
		}
		found = found || c.peek().Is("auto")
	}
	return found
}

// placeholder returns the index of the auto that c is declared with, and of the concept before it, which
// is the same if there is none.
//
// C++ standard, [dcl.spec.auto].
func (p *parser) placeholder(c cursor) (constraint, at int) {
	for begin := c.i; ; begin = c.i {
		switch l := c.peek(); {
		case l.Is("auto"):
			return c.i, c.i
		case l.Kind == lex.Ident && !scalarWords[l.Text] && !restricts[l.Text] && !l.Is("const") && !l.Is("volatile"), l.Is("::"):
			c.accept("::")
			for c.peek().Kind == lex.Ident && !c.peek().Is("auto") {
				c.next()
				if c.peek().Is("<") {
					c.angles()
				}
				if !c.accept("::") {
					break
				}
			}
			if c.peek().Is("auto") {
				return begin, c.i
			}
		}
		if c.i == begin {
			c.skip()
		}
	}
}

// abbreviated returns why a parameter that is declared with auto is not understood in an explicit
// specialisation.
func (u *unit) abbreviated(at *lex.Token) *ctype.Reason {
	return u.reasonf(at, diag.NotUnderstood, "is declared with auto, which an explicit specialisation cannot have (%w)", diag.Do("write its type"))
}
