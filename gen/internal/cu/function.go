package cu

import (
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A function is what is known of the functions with one name in one scope.
type function struct {
	overloads []*overload
	owner     *scope // which declares them; nil for several
	many      bool   // more than are kept
	native    func(e *evaluator, at *lex.Token, args []operand) operand
}

// mostOverloads limits the work on one name.
const mostOverloads = 64

// An overload is one declaration of a function. What it says is read when it is called.
type overload struct {
	head       *templateHead // nil for no template
	whole      cursor        // the declaration
	parameters int           // index of the ( of the parameters
	body       int           // index of the { of the body; -1 when there is none
	constexpr  bool
	static     bool
	scope      *scope
	of         *ctype.Struct // whose member it is; nil for none
	order      int32         // counts the entities of the file
	operator   int           // index of the word operator in its name; -1 if it is not there

	holes  map[string]*ctype.Struct // what stands for the parameters of a template while they are deduced
	read   bool
	reason *ctype.Reason
	signed
}

// A signed has the parameters and the result of a function's declaration.
type signed struct {
	params []functionParam
	packs  []string   // the names of the parameters that are packs
	result ctype.Type // nil for auto
}

type functionParam struct {
	name     string
	typ      ctype.Type
	fallback cursor // the default argument
	pack     bool   // an element of a pack
}

// note adds what e declares to the functions of f, in the scope s.
func (f *function) note(e *entity, s *scope) *entity {
	made := &entity{function: f, at: e.at, order: e.order}
	switch {
	case f.native != nil || e.function.native != nil:
		made.function = &function{many: true}
	case f.owner != s:
		made.function = &function{overloads: slices.Concat(f.overloads, e.function.overloads), many: f.many || e.function.many, owner: s}
	default:
		f.overloads = append(f.overloads, e.function.overloads...)
		f.many = f.many || e.function.many
	}
	if f := made.function; len(f.overloads) > mostOverloads {
		f.overloads, f.many = nil, true
	}
	return made
}

// newOverload returns the function that the part s of the declaration c declares.
func (p *parser) newOverload(c cursor, s *part, t *templateHead, r *record) *function {
	o := &overload{whole: c, parameters: s.parameters, body: s.body, scope: p.scope, order: p.scope.root().count + 1, operator: s.operatorAt(c)}
	if t != nil && !t.empty {
		o.head = t
	}
	if r != nil {
		o.of = r.typ
	}
	for i := c.i; i < s.parameters; i++ {
		switch l := &c.list[i]; {
		case l.Is("constexpr"), l.Is("consteval"):
			o.constexpr = true
		case l.Is("static"), l.Is("friend"):
			o.static = true
		}
	}
	return &function{overloads: []*overload{o}, owner: p.scope, many: t != nil && (t.empty || t.nested)}
}

// specialisedFunction notes that the function template, or member of an instance, that c names
// has an explicit specialisation: which of them a call means is not understood.
func (p *parser) specialisedFunction(c cursor, s *part) {
	if at := s.operatorAt(c); at > s.begin && c.list[at-1].Is("::") {
		if path := c.piece(s.begin, at-1); s.parameters > at {
			if f := p.name(&path); p.scopeOf(f.entity) != nil {
				for name, e := range p.scopeOf(f.entity).names {
					if strings.HasPrefix(name, operatorName) && e.function != nil {
						e.function.overloads, e.function.many = nil, true
					}
				}
			}
		}
		return
	}
	begin := -1 // of the name before the parameters
	for scan := c; scan.i < s.parameters; {
		switch l := scan.peek(); {
		case l.Kind == lex.Ident && (begin < 0 || !scan.before().Is("::")):
			begin = scan.i
		case l.Is("<"):
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.next()
	}
	if begin < 0 {
		return
	}
	name := c.piece(begin, s.parameters)
	if f := p.name(&name); f.entity != nil && f.entity.function != nil {
		f.entity.function.overloads, f.entity.function.many = nil, true
	}
}

// signature reads the parameters and the result; names are looked up from scope.
func (o *overload) signature(p *parser, scope *scope) (s signed, reason *ctype.Reason) {
	s, names, reason := o.readParams(p, scope)
	if reason != nil {
		return s, reason
	}
	outer := p.scope
	p.scope = names // which a trailing type may use
	defer func() { p.scope = outer }()
	list := o.whole.piece(o.parameters, o.whole.stop)
	list.group()
	head := o.whole.piece(o.whole.i, o.parameters-1)
	if o.operator >= 0 {
		head = o.whole.piece(o.whole.i, o.operator)
		if first := &o.whole.list[o.operator+1]; first.Kind == lex.Ident || first.Is("::") {
			p.scope = scope
			target := o.whole.piece(o.operator+1, o.parameters)
			if s.result, reason = p.typeArgument(target); reason == nil && isAuto(s.result) {
				s.result = nil
			}
			return s, reason
		}
	}
	for i := head.i; i < head.stop; i++ {
		if head.list[i].Is("auto") {
			s.result, reason = o.trailing(p, list)
			return s, reason
		}
	}
	p.scope = scope
	spec := p.specifiers(&head, specifierContext{})
	if spec.reason != nil {
		return s, spec.reason
	}
	d, reason := p.declarator(&head, spec.typ)
	if reason == nil && (head.more() || d.name != nil) {
		reason = p.reasonf(head.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", head.peek().Describe())
	}
	s.result = d.typ
	return s, reason
}

// readParams reads the parameters, each of which hides what is declared outside, and returns the
// scope of their names; other names are looked up from from.
func (o *overload) readParams(p *parser, from *scope) (s signed, names *scope, reason *ctype.Reason) {
	outer := p.scope
	names = parameterScope(from)
	p.scope = names
	defer func() { p.scope = outer }()
	parts, ok := o.parts(p)
	if !ok {
		return s, nil, p.reasonf(&o.whole.list[o.parameters], diag.Unbalanced, "has parameters that are not closed")
	}
	for _, part := range parts {
		if ellipsis(part) >= 0 {
			if reason := o.readPack(p, part, &s); reason != nil {
				return s, nil, reason
			}
			continue
		}
		param, reason := p.functionParam(part)
		if reason != nil {
			return s, nil, reason
		}
		s.params = append(s.params, param)
		p.declareParameter(part, param.name, param.typ)
	}
	return s, names, nil
}

// parts returns the declarations of the parameters. ok is false if they are not closed.
func (o *overload) parts(p *parser) (parts []cursor, ok bool) {
	list := o.whole.piece(o.parameters, o.whole.stop)
	inside, ok := list.group()
	if !ok || inside.peek().Is("void") && inside.i+1 == inside.stop {
		return nil, ok
	}
	return p.split(inside, true), true
}

// readPack reads the elements of the parameter pack that part declares.
func (o *overload) readPack(p *parser, part cursor, s *signed) *ctype.Reason {
	elements, reason := p.expandWithin([]cursor{part}, &p.calls)
	if reason != nil {
		return reason
	}
	pack := &entity{obscure: aPack, pack: []*entity{}, at: part.peek().At}
	outer := p.scope
	defer func() { p.scope = outer }()
	for _, one := range elements {
		p.scope = one.scope
		param, reason := p.functionParam(one.cursor)
		if reason != nil {
			return reason
		}
		param.pack = true
		s.params = append(s.params, param)
		pack.pack = append(pack.pack, parameterEntity(one.cursor, param.typ))
	}
	pattern := withoutToken(part, ellipsis(part))
	if name := paramName(pattern); name >= 0 {
		s.packs = append(s.packs, pattern.list[name].Text)
		outer.declare(pattern.list[name].Text, pack)
	}
	return nil
}

// trailing reads the result behind the parameters, nil for one that the body decides.
func (o *overload) trailing(p *parser, c cursor) (ctype.Type, *ctype.Reason) {
	for c.more() && c.i != o.body && !c.peek().Is(";") {
		if c.accept("->") {
			s := p.specifiers(&c, specifierContext{})
			if s.reason != nil {
				return nil, s.reason
			}
			t := s.typ
			for c.peek().Is("*") || c.peek().Is("&") || c.peek().Is("&&") {
				var d declarator
				var reason *ctype.Reason
				if t, reason = p.indirections(&c, t, &d); reason != nil {
					return nil, reason
				}
			}
			return t, nil
		}
		c.skip()
	}
	return nil, nil
}

// parameterScope returns a scope for the parameters of a function, which hide what is declared
// outside.
func parameterScope(outer *scope) *scope {
	s := newScope("", outer)
	s.parameters = true
	return s
}

// declareParameter declares the parameter that c reads, of the adjusted type t, which may be
// nil. Its type as declared is not known where the parameter itself is const.
func (u *unit) declareParameter(c cursor, name string, t ctype.Type) {
	if name == "" {
		return
	}
	u.scope.declare(name, parameterEntity(c, t))
}

// parameterEntity returns what the name of the parameter that c reads stands for.
func parameterEntity(c cursor, t ctype.Type) *entity {
	e := &entity{obscure: aVariable, at: c.peek().At}
	own := false // const of the parameter itself
	for ; c.more(); c.next() {
		switch l := c.peek(); {
		case l.Is("*"):
			own = false
		case l.Is("const"), l.Is("volatile"), l.Is("["):
			own = true
		}
	}
	if t != nil && (!own || isReference(t)) {
		e.variable = &variable{typ: t}
	}
	return e
}

// functionParam reads one parameter.
func (p *parser) functionParam(c cursor) (param functionParam, reason *ctype.Reason) {
	for scan := c; scan.more(); {
		switch {
		case scan.peek().Is("..."):
			return param, p.reasonf(scan.peek(), diag.NotUnderstood, "has an ellipsis, which is not understood here")
		case scan.peek().Is("="):
			param.fallback = scan.piece(scan.i+1, scan.stop)
			c = c.piece(c.i, scan.i)
			scan.i = scan.stop
			continue
		case scan.peek().Is("<"):
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.skip()
	}
	d, reason := p.parameterType(&c)
	if reason != nil {
		return param, reason
	}
	param.typ = d.typ
	if d.name != nil {
		param.name = d.name.Text
	}
	return param, nil
}

// own reads the signature of a function that is not a template, once.
func (o *overload) own(p *parser) *ctype.Reason {
	if !o.read {
		o.read = true
		o.signed, o.reason = o.signature(p, o.scope)
	}
	return o.reason
}

// A candidate is an overload with the arguments of a template deduced.
type candidate struct {
	*overload
	scope *scope
	signed
}

// call evaluates the call of the function o, whose arguments stand at e.
func (e *evaluator) call(at *lex.Token, o operand) operand {
	e.risky = true
	if f, ok := e.callable(at, o); ok && o.function == nil {
		o = f
	}
	if o.function == nil {
		e.fail(at, diag.ConstantExpression, "a call of something that is not a function is not understood in a constant expression")
	}
	name := o.named
	args := e.arguments(at)
	f := o.function
	if f.native != nil {
		e.explicitType(name, args)
		return f.native(e, name.last, args)
	}
	return e.guarded(name.last, func() operand {
		e.argumentLookup(name, args)
		c, why := e.choose(f, name, args, o.self)
		if c == nil {
			if e.dead > 0 {
				return operand{unknown: why}
			}
			e.failWith(name.last, why)
		}
		return e.invoke(name, c, args, o.self)
	})
}

// guarded calls a function whose name is at, unless there are too many calls.
func (e *evaluator) guarded(at *lex.Token, call func() operand) operand {
	p := e.parser
	if p.calls--; p.calls < 0 || p.work.spent() {
		e.fail(at, diag.ConstantExpression, "constant expressions call too many functions")
	}
	if p.nesting++; p.nesting > 2*deepestNesting {
		p.nesting--
		e.fail(at, diag.ConstantExpression, "constant expressions call functions that are nested too deeply")
	}
	defer func() { p.nesting-- }()
	return call()
}

// explicitType converts args to the type that name gives as the template argument of a function
// of the library, as std::max<long> does.
func (e *evaluator) explicitType(name found, args []operand) {
	if !name.angled {
		return
	}
	t, reason := e.parser.typeArgument(name.args)
	if reason != nil {
		e.failWith(name.last, reason.Message)
	}
	for i := range args {
		args[i] = e.converted(name.last, args[i], t, false)
	}
}

// arguments reads the arguments of a call.
func (e *evaluator) arguments(at *lex.Token) []operand {
	list, ok := e.group()
	if !ok {
		e.unexpected(at)
	}
	inner := e.inner(list)
	var args []operand
	if list.find("...") >= 0 {
		for _, one := range inner.elements() {
			args = append(args, inner.element(one, func(e *evaluator) operand { return e.initializer(nil) }))
		}
		e.risky = e.risky || inner.risky
		return args
	}
	for inner.more() {
		args = append(args, inner.initializer(nil))
		if !inner.accept(",") {
			break
		}
	}
	if inner.more() {
		e.unexpected(inner.peek())
	}
	return args
}

// argumentLookup refuses the call of name where functions in the namespace of an argument
// may be meant: C++ standard, [basic.lookup.argdep].
func (e *evaluator) argumentLookup(name found, args []operand) {
	if !name.plain && !name.angled {
		return
	}
	for _, arg := range args {
		if arg.typ == nil {
			continue
		}
		var path []string
		switch t := ctype.Unqualified(arg.typ).(type) {
		case *ctype.Struct:
			path = t.Scope
		case *ctype.Enum:
			path = t.Scope
		default:
			continue
		}
		s := e.scope.root()
		for _, part := range path {
			if s = s.children[part]; s == nil {
				break
			}
			if other := s.declared(name.last.Text); other != nil && other.function != nil && other.function != name.entity.function {
				e.fail(name.last, diag.NotUnderstood, "which function "+name.text+" is, the namespaces of its arguments decide, which is not understood")
			}
		}
	}
}

// choose returns the overload of f that is called with args: the only one that takes them, or the best of
// those whose parameters have exactly their types. why says that it is not known. C++ standard, [over.match].
func (e *evaluator) choose(f *function, name found, args []operand, self *operand) (chosen *candidate, why diag.Message) {
	why = diag.ConstantExpression.Errorf("the value of function %s is not known here", name.text)
	if f.many {
		return nil, why
	}
	var viable []*candidate
	for _, o := range f.overloads {
		if o.head != nil && !o.takes(e.parser, len(args)) || o.head == nil && name.angled {
			continue
		}
		c, reason := e.candidate(o, name, args)
		if reason != nil {
			if len(f.overloads) == 1 {
				why = why.With(reason.Before(": it "))
			}
			if !reason.Failed || o.head == nil {
				return nil, why
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
			return nil, diag.NotUnderstood.New(name.text + " is declared behind the function that uses it, which is not understood")
		}
	}
	switch len(viable) {
	case 0:
		return nil, why
	case 1:
		return viable[0], diag.Message{}
	}
	if chosen = e.best(viable, args); chosen == nil {
		why = diag.NotUnderstood.Errorf("which function %s is called is not known here", name.text)
	}
	return chosen, why
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
	packA, _, _ := a.lastPack(e.parser)
	packB, _, _ := b.lastPack(e.parser)
	return !packA.more() && packB.more()
}

// takes reports whether o may be called with n arguments, as far as commas say so.
func (o *overload) takes(p *parser, n int) bool {
	parts, ok := o.parts(p)
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

// redeclares reports whether c and other declare one function.
func (c *candidate) redeclares(other *candidate) bool {
	if len(c.params) != len(other.params) || (c.head == nil) != (other.head == nil) || c.body >= 0 && other.body >= 0 || c.of != other.of {
		return false
	}
	if c.head != nil && len(c.head.params) != len(other.head.params) {
		return false
	}
	for i := range c.params {
		if c.params[i].typ.Demangled() != other.params[i].typ.Demangled() {
			return false
		}
	}
	return true
}

// candidate reads the signature of o, and deduces the arguments of a template.
func (e *evaluator) candidate(o *overload, name found, args []operand) (*candidate, *ctype.Reason) {
	p := e.parser
	c := &candidate{overload: o, scope: o.scope}
	if o.head == nil {
		reason := o.own(p)
		c.signed = o.signed
		return c, reason
	}
	var reason *ctype.Reason
	if c.scope, reason = e.deduce(o, name, args); reason != nil {
		return nil, reason
	}
	c.signed, reason = o.signature(p, c.scope)
	return c, reason
}
