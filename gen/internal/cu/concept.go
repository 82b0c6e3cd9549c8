package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A concept is a named constraint: C++ standard, [temp.concept].
type concept struct {
	head       *templateHead
	expression cursor
	scope      *scope // in which it is declared
}

// standardConcepts holds the concepts of <concepts> that a trait decides, by the name of the
// trait: C++ standard, [concepts.lang].
var standardConcepts = map[string]string{
	"same_as": "is_same", "integral": "is_integral", "floating_point": "is_floating_point",
}

// concept reads concept name = expression; behind a head.
func (p *parser) concept(c *cursor, head *templateHead) {
	c.next()
	name := c.peek()
	ok := name.Kind == lex.Ident && c.ahead(1).Is("=")
	begin := c.i + 2
	for c.more() && !c.peek().Is(";") && !c.peek().Is("}") {
		c.skip()
	}
	end := c.i
	c.accept(";")
	if ok {
		p.scope.declare(name.Text, &entity{concept: &concept{head, c.piece(begin, end), p.scope}, obscure: "a concept", at: name.At})
	}
}

// constrains reports whether c, the declaration of a template parameter, begins with the
// name of a concept, and is a type.
func (p *parser) constrains(c cursor) bool {
	begin := c.i
	var e *entity
	in := p.scope
	if c.accept("::") {
		in = in.root()
	}
	for first := true; c.peek().Kind == lex.Ident; first = false {
		name := c.next().Text
		switch {
		case first && begin == c.i-1:
			e = in.lookup(name)
		case in != nil:
			e = in.within(name)
		}
		if !c.accept("::") {
			break
		}
		if in = nil; e != nil {
			in = e.namespace
		}
		e = nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(join(c.list[begin:min(c.i, c.stop)]), "::"), "cuda::")
	bare, std := strings.CutPrefix(name, "std::")
	if (e == nil || e.concept == nil) && !(std && standardConcepts[bare] != "") {
		return false
	}
	c.angles()
	c.accept("...")
	return !c.peek().Is("auto") && !c.peek().Is("decltype")
}

// constrained reports whether arguments may not fit the head.
func (h *templateHead) constrained() bool {
	if len(h.clauses()) > 0 {
		return true
	}
	for _, param := range h.params {
		if param.kind == paramType && !param.plain() {
			return true
		}
	}
	return false
}

// clauses returns the requires-clauses of h.
func (h *templateHead) clauses() (list []cursor) {
	for _, c := range [...]cursor{h.constraint, h.trailing} {
		if c.tokens != nil && c.more() {
			list = append(list, c)
		}
	}
	return list
}

// plain reports whether a parameter for types has no concept.
func (t *templateParam) plain() bool {
	return t.typ.peek().Is("class") || t.typ.peek().Is("typename")
}

// satisfied reports whether the arguments in bound satisfy the constraints of head. clear is
// false when that is not understood.
func (p *parser) satisfied(head *templateHead, bound *scope) (holds, clear bool) {
	if !head.constrained() {
		return true, true
	}
	outer := p.scope
	p.scope = bound
	defer func() { p.scope = outer }()
	for _, param := range head.params {
		if param.kind != paramType || param.plain() {
			continue
		}
		if param.pack || param.name == "" {
			return false, false
		}
		if v, failure := p.evaluate(conceptOf(param), bound); failure != nil || v.bits == 0 {
			return false, failure == nil
		}
	}
	for _, clause := range head.clauses() {
		if v, failure := p.evaluate(clause, bound); failure != nil || v.bits == 0 {
			return false, failure == nil
		}
	}
	return true, true
}

// conceptOf returns the constraint of a parameter as an expression: C<T> of C T, and
// C<T, A> of C<A> T.
func conceptOf(param *templateParam) cursor {
	at := *param.typ.peek()
	token := func(kind lex.Kind, text string) lex.Token {
		l := at
		l.Kind, l.Text = kind, text
		return l
	}
	c := param.typ
	var list []lex.Token
	for c.more() && !c.peek().Is("<") {
		list = append(list, *c.next())
	}
	list = append(list, token(lex.Punct, "<"), token(lex.Ident, param.name))
	if inside, ok := c.angles(); ok && inside.more() {
		list = append(list, token(lex.Punct, ","))
		list = append(list, inside.list[inside.i:inside.stop]...)
	}
	return newCursor(newTokens(append(list, token(lex.Punct, ">"))), at)
}

// conceptValue returns whether arguments satisfy a concept, as a constant.
func (p *parser) conceptValue(k *concept, list cursor, at *lex.Token) (*entity, *ctype.Reason) {
	if p.tooManyInstances() {
		return nil, p.reasonf(at, diag.Template, "too many templates are instantiated")
	}
	_, inner, reason := p.templateArguments(k.head, list, p.scope, k.scope, at)
	if reason != nil {
		return nil, reason
	}
	v, failure := p.evaluate(k.expression, inner)
	if failure != nil {
		return nil, p.reasonf(at, failure.Code, "concept %s is not understood: %w", at.Text, failure)
	}
	return &entity{constant: &constant{truthValue(v.bits != 0), ctype.Builtin(ctype.Bool)}, at: at.At}, nil
}
