package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// initialized reads the initializer of the constant d. failure says why it has no value that
// is understood.
func (p *parser) initialized(c *cursor, d declarator) (o operand, failure diag.Message) {
	l := c.peek()
	var expression cursor
	switch {
	case c.accept("="):
		begin := c.i
		expression = c.piece(begin, p.endOfInitializer(c))
	case c.peek().Is("{"):
		begin := c.i
		c.group()
		expression = c.piece(begin, c.i)
	case c.peek().Is("("):
		expression, _ = c.group()
	default:
		return operand{}, diag.NotUnderstood.New("it has no initializer here")
	}
	t := d.typ
	switch {
	case isAuto(t):
		t = nil
	case isReference(t):
		return operand{}, diag.NotUnderstood.New("it is a reference")
	}
	o, err := p.computed(expression, p.scope, func(e *evaluator) operand {
		o := e.initializer(t)
		if o.unknown.Text != "" {
			e.failWith(l, o.unknown)
		}
		if t != nil && !isArrayType(t) {
			o = e.converted(l, o, t, false)
		}
		return e.owned(o)
	})
	switch {
	case err != nil:
		return operand{}, err.Message
	case o.typ == nil:
		return operand{}, noType
	}
	if d.unsized == nil && t != nil {
		o.typ = t
	}
	return o, diag.Message{}
}

func isReference(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Reference)
	return ok
}

func isArrayType(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Array)
	return ok
}

// constType returns t with const.
func constType(t ctype.Type) ctype.Type {
	if q := qualifiers(t); q.Const {
		return t
	}
	return qualify(t, ctype.Qualified{Const: true})
}

// obscureVariable notes the variable d, whose type counts and whose value is not known.
func (u *unit) obscureVariable(d declarator, what string) {
	if d.unsized != nil || d.name.Doubtful || isAuto(d.typ) {
		u.obscure(d.name, what)
		return
	}
	const longest = 240
	if len(what) > longest {
		what = strings.ToValidUTF8(what[:longest], "") + "…"
	}
	u.scope.declare(d.name.Text, &entity{obscure: what, variable: &variable{typ: d.typ}, at: d.name.At})
}
