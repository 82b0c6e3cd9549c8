package cu

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// The names by which a scope has the functions whose names are no identifiers: conversion functions, and
// operator functions, of which friends have a word before theirs.
const (
	conversionName = "operator T"
	operatorName   = "operator"
	friendName     = "friend "
)

// operatorAt returns the index of the word operator in the name of the function, -1 if it is not there.
func (one *part) operatorAt(c cursor) int {
	for i := one.begin; i < one.parameters; i++ {
		if c.list[i].Is("operator") {
			return i
		}
	}
	return -1
}

// operatorName returns the name by which a scope has the operator or conversion function; "" for other
// functions, and for one that is named with qualifiers.
func (one *part) operatorName(c cursor) string {
	at := one.operatorAt(c)
	if at < 0 || at > one.begin && c.list[at-1].Is("::") {
		return ""
	}
	switch first := &c.list[at+1]; {
	case first.Is("new"), first.Is("delete"), first.Is("co_await"), first.Kind == lex.String:
		return ""
	case first.Kind == lex.Ident, first.Is("::"):
		return conversionName
	}
	name := operatorName
	for i := at + 1; i < one.parameters && c.list[i].Kind == lex.Punct && (!c.list[i].Is("<") || i == at+1 || c.list[i-1].Is("<")); i++ {
		name += c.list[i].Text
	}
	return name
}

// friendOperators notes the operator functions among the friends that o declares: a class has them for its
// operands only.
func (p *parser) friendOperators(c cursor, o outline) {
	for i := range o.parts {
		if one := &o.parts[i]; one.function {
			if name := one.operatorName(c); name != "" {
				p.scope.declare(friendName+name, &entity{function: &function{many: true}, at: c.peek().At})
			}
		}
	}
}

// A conversion is a conversion function of a class, with the way from an object to the base class whose
// member it is.
type conversion struct {
	*overload
	path []int
}

// conversions returns the conversion functions of t and of its base classes. ok is false if not all are
// understood.
func (u *unit) conversions(t *ctype.Struct, depth int) (list []conversion, ok bool) {
	u.work.step()
	u.complete(t)
	m := u.members[t]
	if depth > deepestNesting || m == nil || !t.Complete || t.Unsupported != nil {
		return nil, false
	}
	if e := m.names[conversionName]; e != nil {
		if e.function == nil || e.function.many {
			return nil, false
		}
		for _, o := range e.function.overloads {
			if o.head != nil || o.own(u.in(o.scope)) != nil || o.result == nil || o.unclearObject() {
				return nil, false
			}
			list = append(list, conversion{overload: o})
		}
	}
	own := list
	for i := range t.Bases {
		base, ok := ctype.Type(t.Bases[i].Type).(*ctype.Struct)
		if !ok {
			return nil, false
		}
		inherited, ok := u.conversions(base, depth+1)
		if !ok {
			return nil, false
		}
		for _, c := range inherited {
			if !slices.ContainsFunc(own, func(o conversion) bool { return o.result.Demangled() == c.result.Demangled() }) {
				list = append(list, conversion{c.overload, append([]int{i}, c.path...)})
			}
		}
	}
	return list, true
}

// unclearObject reports whether it is not understood for which objects o may be called, or whether it is
// explicit: it depends on a condition, or on how the object is referred to.
func (o *overload) unclearObject() bool {
	for i := o.whole.i; i < o.operator; i++ {
		if o.whole.list[i].Is("explicit") && o.whole.list[i+1].Is("(") {
			return true
		}
	}
	return o.says("&") || o.says("&&") || o.says("requires")
}

// says reports whether word stands between the parameters of o and its body.
func (o *overload) says(word string) bool {
	c := o.whole.piece(o.parameters, o.whole.stop)
	c.group()
	for ; c.more() && c.i != o.body && !c.peek().Is(";") && !c.peek().Is("="); c.skip() {
		if c.peek().Is(word) {
			return true
		}
	}
	return false
}

// explicit reports whether o is an explicit conversion function.
func (o *overload) explicit() bool {
	return slices.ContainsFunc(o.whole.list[o.whole.i:o.operator], func(l lex.Token) bool { return l.Is("explicit") })
}

// userConverted returns the result of the conversion function of the object o to target, or, if
// target is nil, of its only conversion function. explicit allows explicit functions whose result
// is target itself. C++ standard, [class.conv.fct], [over.match.conv].
func (e *evaluator) userConverted(at *lex.Token, o operand, target ctype.Type, explicit bool) operand {
	result, ok := e.conversionOf(at, o, target, explicit)
	if !ok {
		e.fail(at, diag.ConstantExpression, "it has type "+typeName(o.typ)+", and is not an integer constant that is understood")
	}
	return result
}

// conversionOf is userConverted for any o. It is not ok if o has no class, or no such function.
func (e *evaluator) conversionOf(at *lex.Token, o operand, target ctype.Type, explicit bool) (result operand, ok bool) {
	class, ok := classOf(o.typ)
	if !ok {
		return o, false
	}
	list, ok := e.resolver.conversions(class, 0)
	if !ok {
		return o, false
	}
	best, rank, several := conversion{}, 0, false
	for _, c := range list {
		r, fits := conversionRank(c.result, target)
		if !fits || c.explicit() && (!explicit || r > 0) || qualifiers(o.typ).Const && !c.says("const") {
			continue
		}
		if best.overload != nil && best.says("const") != c.says("const") {
			r, several = rank, true // of the object, too, is one the better one
		}
		if best.overload == nil || r < rank {
			best, rank, several = c, r, false
		} else if r == rank {
			several = true
		}
	}
	switch {
	case best.overload == nil:
		return o, false
	case several, builtin(removeReference(best.result)) == nil:
		e.fail(at, diag.NotUnderstood, "which conversion function of "+typeName(o.typ)+" is meant is not known here")
	}
	e.risky = true
	name := found{text: typeName(class) + "::operator " + best.result.String(), last: at}
	self := subobject(o, best.path)
	return e.guarded(at, func() operand {
		return e.invoke(name, &candidate{overload: best.overload, scope: best.overload.scope, signed: best.signed}, nil, &self).rvalue()
	}), true
}

// classOf returns the class that t is.
func classOf(t ctype.Type) (*ctype.Struct, bool) {
	if t == nil {
		return nil, false
	}
	class, ok := ctype.Unqualified(t).(*ctype.Struct)
	return class, ok
}

// subobject returns the part of the object o at path, which leads to a base class.
func subobject(o operand, path []int) operand {
	self := o
	if o.place != nil {
		self = *o.place
		self.place = o.place
	}
	for _, i := range path {
		base, _ := ctype.Unqualified(self.typ).(*ctype.Struct)
		q := qualifiers(self.typ)
		part := unknownOf(nil, cmp.Or(self.unknown, notEvaluated))
		if place := self.place; place != nil && i < len(place.elems) {
			part = place.elems[i]
			part.place = &place.elems[i]
		} else if i < len(self.elems) {
			part = self.elems[i]
		}
		part.typ = qualifiedBy(base.Bases[i].Type, q)
		self = part
	}
	self.lvalue = o.lvalue
	return self
}

// conversionRank orders the conversions of a value of type t to target that may follow on a
// conversion function, the best with the lowest number: C++ standard, [over.ics.rank]. Without a
// target every type fits.
func conversionRank(t, target ctype.Type) (rank int, fits bool) {
	if target == nil {
		return 0, true
	}
	t = ctype.Unqualified(removeReference(t))
	if sameType(t, target) {
		return 0, true
	}
	_, enum := ctype.Unqualified(target).(*ctype.Enum)
	switch from := builtin(t); {
	case isPointer(t):
		return 3, sameType(target, ctype.Builtin(ctype.Bool))
	case from == nil || builtin(target) == nil || enum || isScoped(t) || from.Kind == ctype.Void:
		return 0, false
	case isInteger(t) && promoted(t) != nil && sameType(promoted(t), target), from.Kind == ctype.Float && sameType(target, ctype.Builtin(ctype.Double)):
		return 1, true
	}
	return 2, true
}

// truthOf returns the condition o, of a class too, as a value that is true or false: C++ standard, [conv].
func (e *evaluator) truthOf(at *lex.Token, o operand) operand {
	o, _ = e.conversionOf(at, o, ctype.Builtin(ctype.Bool), true)
	return o
}

// builtinOperands returns the operands of an operator, those of classes converted, and fails if an operator
// function may be meant: C++ standard, [over.match.oper], [over.built].
func (e *evaluator) builtinOperands(operator *lex.Token, args ...operand) []operand {
	e.noFunction(operator, args)
	for i, o := range args {
		switch operator.Text {
		case "&&", "||", "!":
			args[i] = e.truthOf(operator, o)
		default:
			args[i], _ = e.conversionOf(operator, o, nil, false)
		}
	}
	return args
}

// overloadable reports whether operators of a t may be functions.
func overloadable(t ctype.Type) bool {
	if _, ok := classOf(t); ok {
		return true
	}
	if t == nil {
		return false
	}
	_, enum := ctype.Unqualified(t).(*ctype.Enum)
	return enum
}

// noFunction fails if an operator function may take args.
func (e *evaluator) noFunction(operator *lex.Token, args []operand) {
	if !slices.ContainsFunc(args, func(o operand) bool { return overloadable(o.typ) }) {
		return
	}
	names := []string{operatorName + operator.Text}
	switch operator.Text {
	case "!=":
		names = append(names, operatorName+"==")
	case "<", ">", "<=", ">=":
		names = append(names, operatorName+"<=>")
	}
	for _, name := range names {
		for _, found := range e.operatorFunctions(name, args) {
			if e.mayTake(found, args) {
				text := typeName(args[0].typ)
				if len(args) > 1 {
					text += " and " + typeName(args[1].typ)
				}
				e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+text+" may be a function, which is not understood in a constant expression")
			}
		}
	}
}

// operatorFunctions returns what is called name where an operator of args looks for functions: around the
// expression, in the classes of args, and in their namespaces and those of their template arguments.
func (e *evaluator) operatorFunctions(name string, args []operand) (list []*entity) {
	add := func(found *entity) {
		if found != nil && !slices.Contains(list, found) {
			list = append(list, found)
		}
	}
	add(e.scope.lookup(name))
	seen := make(map[ctype.Type]bool)
	var associated func(t ctype.Type, own bool)
	associated = func(t ctype.Type, own bool) {
		if t = ctype.Unqualified(t); seen[t] || len(seen) > largestPack {
			return
		}
		e.work.step()
		seen[t] = true
		var path []string
		switch u := t.(type) {
		case *ctype.Pointer:
			associated(u.Elem, own)
		case *ctype.Reference:
			associated(u.Elem, own)
		case *ctype.Enum:
			path = u.Scope
		case *ctype.Struct:
			path = u.Scope
			if m := e.resolver.scopeOf(&entity{typ: u}); m != nil && own {
				add(m.within(name))
				add(m.within(friendName + name))
			}
			for _, arg := range u.Args {
				if arg.Type != nil {
					associated(arg.Type, false)
				}
			}
			for i := range u.Bases {
				associated(u.Bases[i].Type, own)
			}
		}
		s := e.scope.root()
		namespace := s
		for _, part := range path {
			if inner := s.children[part]; inner != nil {
				s, namespace = inner, inner
			} else if s = e.resolver.scopeOf(s.declared(part)); s == nil {
				break
			}
		}
		if s != nil && s != namespace && own {
			add(s.within(friendName + name)) // of the class around it
		}
		for add(namespace.within(name)); namespace.transparent; {
			namespace = namespace.parent
			add(namespace.within(name))
		}
	}
	for _, o := range args {
		if o.typ != nil {
			associated(o.typ, true)
		}
	}
	return list
}

// mayTake reports whether one of the operator functions f may take args, as far as is understood.
func (e *evaluator) mayTake(f *entity, args []operand) bool {
	if f.function == nil || f.function.many {
		return true
	}
	name := found{text: "operator", last: e.peek(), entity: f}
	for _, o := range f.function.overloads {
		rest := args
		if o.of != nil {
			rest = args[1:]
		}
		if !o.takes(e.resolver, len(rest)) {
			continue
		}
		c, reason := e.candidate(o, name, rest)
		switch {
		case reason != nil && reason.Failed:
		case reason != nil || len(c.params) < len(rest):
			return true
		default:
			may := true
			for i, arg := range rest {
				may = may && e.mayBecome(arg.typ, c.params[i].typ)
			}
			if may {
				return true
			}
		}
	}
	return false
}

// mayBecome reports whether a value of type t may be converted to the type of a parameter of a function.
func (e *evaluator) mayBecome(t, param ctype.Type) bool {
	r := e.resolver
	param = ctype.Unqualified(removeReference(param))
	if t == nil || sameType(t, param) {
		return true
	}
	if class, ok := classOf(t); ok {
		list, ok := r.conversions(class, 0)
		if !ok || len(class.Bases) > 0 {
			return true
		}
		for _, c := range list {
			if _, fits := conversionRank(c.result, param); fits || isClass(removeReference(c.result)) {
				return true
			}
		}
	}
	switch u := param.(type) {
	case *ctype.Struct:
		r.complete(u)
		return !u.Complete || r.constructed[u]
	case *ctype.Vector, *ctype.Enum:
		return false
	}
	_, class := classOf(t)
	return !class
}

// callable returns the function operator() of the object o of a class, whose ( is at. ok is false if o has
// none that is known.
func (e *evaluator) callable(at *lex.Token, o operand) (f operand, ok bool) {
	class, ok := classOf(o.typ)
	if !ok {
		return f, false
	}
	path, found := e.resolver.memberFunction(class, operatorName+"()", 0)
	if found == nil || found.function == nil {
		return f, false
	}
	self := subobject(o, path)
	name := plainName(at, found)
	name.text, name.plain = typeName(class)+"::operator()", false
	return operand{function: found.function, named: name, self: &self}, true
}

// memberFunction returns the functions called name of the class t, or of a base class, with the way to it.
// They are nil if there are none, or if those of several base classes are meant.
func (u *unit) memberFunction(t *ctype.Struct, name string, depth int) (path []int, f *entity) {
	u.work.step()
	u.complete(t)
	m := u.members[t]
	if m == nil || depth > deepestNesting {
		return nil, nil
	}
	if f = m.declared(name); f != nil {
		return nil, f
	}
	for i := range t.Bases {
		base, ok := ctype.Type(t.Bases[i].Type).(*ctype.Struct)
		if !ok {
			continue
		}
		inner, inherited := u.memberFunction(base, name, depth+1)
		if inherited != nil && f != nil {
			return nil, nil
		}
		if inherited != nil {
			path, f = append([]int{i}, inner...), inherited
		}
	}
	return path, f
}
