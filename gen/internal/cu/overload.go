package cu

import (
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A candidate is an overload with the arguments of a template deduced.
type candidate struct {
	*overload
	scope *scope
	signed
}

// candidate reads the signature of o, and deduces the arguments of a template.
func (e *evaluator) candidate(o *overload, name found, args []operand) (*candidate, *ctype.Reason) {
	c := &candidate{overload: o, scope: o.scope}
	if o.head == nil {
		reason := o.own(e.unit)
		c.signed = o.signed
		return c, reason
	}
	e.trials++
	defer func() { e.trials-- }()
	var reason *ctype.Reason
	if c.scope, reason = e.deduce(o, name, args); reason != nil {
		return nil, reason
	}
	c.signed, reason = o.signature(e.in(c.scope))
	return c, reason
}

// own reads the signature of a function that is not a template, once.
func (o *overload) own(u *unit) *ctype.Reason {
	if !o.read {
		o.read = true
		o.signed, o.reason = o.signature(u.in(o.scope))
	}
	return o.reason
}

// signature reads the parameters and the result.
func (o *overload) signature(r resolver) (s signed, reason *ctype.Reason) {
	s, names, reason := o.readParams(r)
	if reason != nil {
		return s, reason
	}
	list := o.whole.piece(o.parameters, o.whole.stop)
	list.group()
	if o.lambda {
		s.result, reason = o.trailing(r.in(names), list)
		return s, reason
	}
	end := o.parameters - 1 // where its name is, perhaps in parentheses
	for begin := end; o.operator < 0 && end > o.whole.i && o.whole.list[begin].Is(")"); begin-- {
		end -= 2
	}
	head := o.whole.piece(o.whole.i, end)
	if o.operator >= 0 {
		head = o.whole.piece(o.whole.i, o.operator)
		if first := &o.whole.list[o.operator+1]; first.Kind == lex.Ident || first.Is("::") {
			if s.result, reason = r.typeArgument(o.whole.piece(o.operator+1, o.parameters)); reason == nil && isAuto(s.result) {
				s.result = nil
			}
			return s, reason
		}
	}
	for i := head.i; i < head.stop; i++ {
		if head.list[i].Is("auto") {
			s.result, reason = o.trailing(r.in(names), list)
			return s, reason
		}
	}
	spec := r.specifiers(&head, nil)
	if spec.reason != nil {
		return s, spec.reason
	}
	d, reason := r.declarator(&head, spec.typ)
	if reason == nil && (head.more() || d.name != nil) {
		reason = unexpected(head.peek())
	}
	s.result = d.typ
	return s, reason
}

// parts returns the declarations of the parameters. ok is false if they are not closed.
func (o *overload) parts(r resolver) (parts []cursor, ok bool) {
	list := o.whole.piece(o.parameters, o.whole.stop)
	inside, ok := list.group()
	if !ok || inside.peek().Is("void") && inside.i+1 == inside.stop {
		return nil, ok
	}
	return r.split(inside), true
}

// readParams reads the parameters, each of which hides what is declared outside, and returns the
// scope of their names.
func (o *overload) readParams(r resolver) (s signed, names *scope, reason *ctype.Reason) {
	names = parameterScope(r.scope)
	r = r.in(names)
	parts, ok := o.parts(r)
	if !ok {
		return s, nil, reasonf(&o.whole.list[o.parameters], diag.Unbalanced, "has parameters that are not closed")
	}
	for _, part := range parts {
		if ellipsis(part) >= 0 {
			if reason := readPack(r, part, &s); reason != nil {
				return s, nil, reason
			}
			continue
		}
		param, reason := r.functionParam(part)
		if reason != nil {
			return s, nil, reason
		}
		s.params = append(s.params, param)
		r.scope.declare(param.name, param.entity(part.peek()))
	}
	return s, names, nil
}

// readPack reads the elements of the parameter pack that part declares.
func readPack(r resolver, part cursor, s *signed) *ctype.Reason {
	elements, reason := r.expandWithin([]cursor{part}, &r.work.calls)
	if reason != nil {
		return reason
	}
	pack := &entity{obscure: aPack, pack: []*entity{}, at: part.peek().At}
	for _, one := range elements {
		param, reason := r.in(one.scope).functionParam(one.cursor)
		if reason != nil {
			return reason
		}
		param.pack = true
		s.params = append(s.params, param)
		pack.pack = append(pack.pack, param.entity(one.peek()))
	}
	pattern := withoutToken(part, ellipsis(part))
	if name := r.paramName(pattern); name >= 0 {
		s.packs = append(s.packs, pattern.list[name].Text)
		r.scope.declare(pattern.list[name].Text, pack)
	}
	return nil
}

// trailing reads the result behind the parameters, nil for one that the body decides.
func (o *overload) trailing(r resolver, c cursor) (ctype.Type, *ctype.Reason) {
	for c.more() && c.i != o.body && !c.peek().Is(";") {
		if c.accept("->") {
			s := r.specifiers(&c, nil)
			if s.reason != nil {
				return nil, s.reason
			}
			d, reason := r.declarator(&c, s.typ)
			if reason == nil && d.name != nil && !d.name.Is("requires") {
				reason = unexpected(d.name)
			}
			return d.typ, reason
		}
		c.skip()
	}
	return nil, nil
}

// takes reports whether o may be called with n arguments, as far as commas say so.
func (o *overload) takes(r resolver, n int) bool {
	parts, ok := o.parts(r)
	if !ok {
		return true
	}
	least, most := 0, len(parts)
	for _, one := range parts {
		if one.find("...") >= 0 {
			most = math.MaxInt
		} else if one.find("=") < 0 {
			least++
		}
	}
	return n >= least && n <= most
}

// choose returns the overload of f that is called with args: the only one that takes them, or the best of
// those whose parameters have exactly their types. why says that it is not known, and none that certainly none takes args. C++
// standard, [over.match].
func (e *evaluator) choose(f *function, name found, args []operand, self *operand) (chosen *candidate, why diag.Message, none bool) {
	why = diag.ConstantExpression.Errorf("the value of function %s is not known here", name.text)
	if f.many {
		return nil, why, false
	}
	var viable []*candidate
	for _, o := range f.overloads {
		if e.defined > 0 && o.order > e.defined && !o.scope.class {
			return nil, diag.NotUnderstood.New(name.text + " is declared behind the template that uses it, which is not understood"), false
		}
		if o.head != nil && !o.takes(e.resolver, len(args)) || o.head == nil && name.angled {
			continue
		}
		c, reason := e.candidate(o, name, args)
		if reason != nil {
			if len(f.overloads) == 1 {
				why = why.With(reason.Before(": it "))
			}
			if !reason.Failed || o.head == nil {
				return nil, why, false
			}
			continue
		}
		changes := c.of != nil && !c.static && !c.says("const") // its object
		if c.binds(args) && !(changes && self != nil && qualifiers(self.typ).Const) {
			viable = append(viable, c)
		}
	}
	viable = merged(viable)
	for _, c := range viable {
		if e.frame != nil && e.frame.order > 0 && c.order > e.frame.order && c.of == nil {
			return nil, diag.NotUnderstood.New(name.text + " is declared behind the function that uses it, which is not understood"), false
		}
	}
	switch len(viable) {
	case 0:
		return nil, why, len(f.overloads) > 0
	case 1:
		return viable[0], diag.Message{}, false
	}
	if chosen = e.best(viable, args); chosen == nil {
		why = diag.NotUnderstood.Errorf("which function %s is called is not known here", name.text)
	}
	return chosen, why, false
}

// binds reports whether c can be called with as many arguments as args, and whether its references bind to
// those of their types.
func (c *candidate) binds(args []operand) bool {
	if n := len(c.params); n < len(args) || n > len(args) && !c.params[len(args)].fallback.more() {
		return false
	}
	for i, arg := range args {
		r, ok := ctype.Unqualified(c.params[i].typ).(*ctype.Reference)
		switch {
		case !ok || !sameType(r.Elem, arg.typ):
		case r.RValue && arg.lvalue, !r.RValue && !arg.lvalue && !qualifiers(r.Elem).Const, arg.lvalue && qualifiers(arg.typ).Const && !qualifiers(r.Elem).Const:
			return false
		}
	}
	return true
}

// best returns the function of list that args fit best, nil if that is not known: the only one that is no
// template among those that take exactly their types, or the most specialised template.
func (e *evaluator) best(list []*candidate, args []operand) *candidate {
	var plain, templates []*candidate
	for _, c := range list {
		switch {
		case c.of != nil && c.says("const") != list[0].says("const"):
			return nil // which one the object fits better is not understood
		case c.worse(args):
		case !c.exact(args), c.constrained():
			return nil
		case c.head == nil:
			plain = append(plain, c)
		default:
			templates = append(templates, c)
		}
	}
	switch {
	case !sameReferences(slices.Concat(plain, templates), len(args)), len(plain) > 1:
		return nil
	case len(plain) == 1:
		return plain[0]
	}
	for _, c := range templates {
		if !slices.ContainsFunc(templates, func(other *candidate) bool {
			return other != c && !e.moreSpecialised(c.overload, other.overload, len(args))
		}) {
			return c
		}
	}
	return nil
}

// worse reports whether c certainly converts one of args to another type, which is worse than to take it as
// it is.
func (c *candidate) worse(args []operand) bool {
	if slices.ContainsFunc(args, func(arg operand) bool { return arg.typ == nil }) {
		return false
	}
	for i, arg := range args {
		t := removeReference(c.params[i].typ)
		if !sameType(t, arg.typ) && !sameType(t, decayed(arg.typ)) {
			return true
		}
	}
	return false
}

// constrained reports whether c has constraints, which decide between functions, too.
func (c *candidate) constrained() bool {
	if c.head != nil && c.head.constrained() {
		return true
	}
	return slices.ContainsFunc(c.whole.list[c.parameters:max(c.body, c.parameters)], func(l lex.Token) bool { return l.Is("requires") })
}

// moreSpecialised reports whether the template a is more specialised than b for a call with n arguments: C++
// standard, [temp.func.order], [temp.deduct.partial].
func (e *evaluator) moreSpecialised(a, b *overload, n int) bool {
	forward, backward := e.atLeastAsSpecialised(a, b, n), e.atLeastAsSpecialised(b, a, n)
	if !forward || !backward {
		return forward && !backward
	}
	packA, _, _ := a.lastPack(e.resolver)
	packB, _, _ := b.lastPack(e.resolver)
	return !packA.more() && packB.more()
}

// exact reports whether the parameters have the types of args, so that nothing is converted.
func (c *candidate) exact(args []operand) bool {
	for i, arg := range args {
		if arg.typ == nil {
			return false
		}
		t := removeReference(c.params[i].typ)
		if !sameType(t, arg.typ) && (isReference(c.params[i].typ) || !sameType(t, decayed(arg.typ))) {
			return false
		}
	}
	return true
}

// sameReferences reports whether the references among the first n parameters of list do not differ: a
// different one may bind better.
func sameReferences(list []*candidate, n int) bool {
	for i := range n {
		var first *ctype.Reference
		for _, c := range list {
			r, ok := ctype.Unqualified(c.params[i].typ).(*ctype.Reference)
			switch {
			case !ok:
			case first == nil:
				first = r
			case first.RValue != r.RValue || qualifiers(first.Elem) != qualifiers(r.Elem):
				return false
			}
		}
	}
	return true
}

// merged returns list with one candidate for the declarations of one function: that with
// the body.
func merged(list []*candidate) []*candidate {
	var kept []*candidate
	for _, c := range list {
		i := slices.IndexFunc(kept, func(k *candidate) bool { return k.overload == c.overload || k.redeclares(c) })
		switch {
		case i < 0:
			kept = append(kept, c)
		case kept[i].body < 0:
			kept[i] = c
		}
	}
	return kept
}

// designated returns what o is that names a function which is not called: C++ standard, [expr.prim.id]. The
// type of a template, of a member and of one of several functions is not known.
func (e *evaluator) designated(o operand) operand {
	unknown := unknownOf(nil, diag.NotUnderstood.New(o.named.text+" is a function"))
	var list []*candidate
	for _, one := range o.function.overloads {
		if one.head != nil || one.of != nil || one.lambda || one.own(e.unit) != nil || one.result == nil || one.says("noexcept") || one.says("throw") {
			return unknown
		}
		list = append(list, &candidate{overload: one, scope: one.scope, signed: one.signed})
	}
	if list = merged(list); o.function.many || o.named.angled || len(list) != 1 {
		return unknown
	}
	t := &ctype.Function{Result: list[0].result}
	for _, param := range list[0].params {
		t.Params = append(t.Params, param.typ)
	}
	return operand{typ: t, unknown: unknown.unknown, lvalue: true, declared: true, declares: t}
}

// written returns the types of the parameters of a template as they stand, names and default arguments aside.
func (o *overload) written() string {
	list := o.whole.piece(o.parameters, o.whole.stop)
	inside, _ := list.group()
	var b strings.Builder
	for _, one := range splitAngles(inside) {
		end := one
		end.skipTo("=")
		b.WriteString(o.head.typesOf(one.piece(one.i, end.i)) + ",")
	}
	return b.String()
}

// redeclares reports whether c and other declare one function.
func (c *candidate) redeclares(other *candidate) bool {
	if len(c.params) != len(other.params) || (c.head == nil) != (other.head == nil) || c.body >= 0 && other.body >= 0 || c.of != other.of {
		return false
	}
	if c.head != nil && (len(c.head.params) != len(other.head.params) || c.written() != other.written()) {
		return false // f(T) and f(T *) are two templates, though instances of both may take the same
	}
	for i := range c.params {
		if c.params[i].typ.Demangled() != other.params[i].typ.Demangled() {
			return false
		}
	}
	return true
}
