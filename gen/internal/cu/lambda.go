package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// lambda visits the places in the body of l, which stands in the statement whole.
func (w *walker) lambda(l lambda, whole cursor) {
	outer, doubtful := w.p.scope, w.doubtful
	defer func() { w.p.scope, w.doubtful = outer, doubtful }()
	w.inner()
	if w.declares(whole) { // its own names are not known there yet
		for c := whole.piece(whole.i, l.body.i); c.more(); c.skip() {
			if name := c.peek(); name.Kind == lex.Ident && !scalarWords[name.Text] && (c.ahead(1).Is("=") || c.ahead(1).Is("{") || c.ahead(1).Is("(") || c.ahead(1).Is(",")) {
				w.hide(name)
			}
		}
	}
	w.captures(l)
	w.inner()
	if l.template.tokens != nil {
		for _, param := range w.p.templateHead(l.template).params {
			if param.name != "" {
				w.p.scope.declare(param.name, &entity{obscure: "a parameter of the template around the launch", at: l.template.peek().At})
			}
		}
	}
	if l.parameters.tokens != nil {
		w.parameters(l.parameters)
	}
	w.block(l.body)
}

// captures declares what a lambda that is not mutable has copies of: those are const. C++ standard,
// [expr.prim.lambda.capture].
func (w *walker) captures(l lambda) {
	if l.captures.tokens == nil {
		return
	}
	for _, one := range w.p.split(l.captures) {
		first := one.next()
		switch {
		case first.Is("=") && !one.more():
			for c := l.body; c.more() && !l.mutable; c.next() {
				if name := c.peek(); name.Kind == lex.Ident && !scalarWords[name.Text] {
					w.copied(name.Text)
				}
			}
		case first.Is("&") && one.more():
			if name := one.next(); one.more() { // &name = initializer
				w.hide(name)
			}
		case first.Kind != lex.Ident || first.Is("this"):
		case one.more(): // name = initializer, or a pack
			w.hide(first)
		case !l.mutable:
			w.copied(first.Text)
		}
	}
}

// copied declares the copy of the variable called name.
func (w *walker) copied(name string) {
	e := w.p.scope.parent.lookup(name)
	if e == nil || e.variable == nil || e.static || e.home == nil || !w.p.scope.ownedBy(name, w.outer) || w.p.scope.names[name] != nil {
		return
	}
	t := e.variable.typ
	if t == nil {
		return
	}
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		t = r.Elem
	}
	made := *e
	made.variable = &variable{typ: qualifiedBy(t, ctype.Qualified{Const: true})}
	made.home = nil
	w.p.scope.declare(name, &made)
}
