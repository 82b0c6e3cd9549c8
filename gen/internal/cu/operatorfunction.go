package cu

import (
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
	if _, found := e.operatorCandidate(operator, args); found {
		text := typeName(args[0].typ)
		if len(args) > 1 {
			text += " and " + typeName(args[1].typ)
		}
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+text+" may be a function, which is not understood in a constant expression")
	}
}

// operated returns the result of the operator function that takes args. It is not ok if there may be none, or
// another one.
func (e *evaluator) operated(operator *lex.Token, args ...operand) (o operand, ok bool) {
	c, _ := e.operatorCandidate(operator, args)
	if c == nil {
		return operand{}, false
	}
	e.risky = true
	return e.guarded(operator, func() operand {
		return e.invoke(found{text: "operator" + operator.Text, last: operator}, c, args, nil)
	}), true
}

// operatorCandidate reports whether an operator function may take args, and returns it if that is certain: none of
// those that may is a member, and it is the only one that takes them as they are. Others lose then, those that are built in, too: they
// would convert an operand. C++ standard, [over.match.oper], [over.match.best].
func (e *evaluator) operatorCandidate(operator *lex.Token, args []operand) (c *candidate, found bool) {
	if !slices.ContainsFunc(args, func(o operand) bool { return overloadable(o.typ) }) {
		return nil, false
	}
	names := []string{operatorName + operator.Text}
	switch operator.Text {
	case "!=":
		names = append(names, operatorName+"==")
	case "<", ">", "<=", ">=":
		names = append(names, operatorName+"<=>")
	}
	var list []*candidate
	unclear := false
	for i, name := range names {
		for _, f := range e.operatorFunctions(name, args) {
			takers, unsure := e.takers(f, args)
			unclear = unclear || unsure || i > 0 && len(takers) > 0
			list = append(list, takers...)
		}
	}
	if unclear || len(list) == 0 {
		return nil, unclear
	}
	for _, c := range list {
		if c.of != nil || e.frame != nil && e.frame.order > 0 && c.order > e.frame.order || !c.binds(args) {
			return nil, true
		}
	}
	return e.best(merged(list), args), true
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
		case *ctype.Basic:
			return
		case *ctype.Pointer:
			associated(u.Elem, own)
			return
		case *ctype.Reference:
			associated(u.Elem, own)
			return
		case *ctype.Array:
			associated(u.Elem, own)
			return
		case *ctype.MemberPointer:
			associated(u.Class, own)
			associated(u.Elem, own)
			return
		case *ctype.Function:
			associated(u.Result, own)
			for _, param := range u.Params {
				associated(param, own)
			}
			return
		case *ctype.Enum:
			path = u.Scope
		case *ctype.Struct:
			path = u.Scope
			if m := e.scopeOf(&entity{typ: u}); m != nil && own {
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
			} else if s = e.scopeOf(s.declared(part)); s == nil {
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

// takers returns those of the operator functions f that may take args. unclear reports that there may be more.
func (e *evaluator) takers(f *entity, args []operand) (list []*candidate, unclear bool) {
	if f.function == nil || f.function.many {
		return nil, true
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
			unclear = true
		default:
			may := true
			for i, arg := range rest {
				may = may && e.mayBecome(arg.typ, c.params[i].typ)
			}
			if may {
				list = append(list, c)
			}
		}
	}
	return list, unclear
}

// mayBecome reports whether a value of type t may be converted to the type of a parameter of a function.
func (e *evaluator) mayBecome(t, param ctype.Type) bool {
	param = ctype.Unqualified(removeReference(param))
	if t == nil || sameType(t, param) {
		return true
	}
	if class, ok := classOf(t); ok {
		list, ok := e.conversions(class, 0)
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
		e.complete(u)
		return !u.Complete || e.constructed[u] || len(u.Bases) > 0 // whose constructors it may have
	case *ctype.Vector: // dim3 has constructors
		return true
	case *ctype.Enum:
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
	path, found := e.memberFunction(class, operatorName+"()", 0)
	if found == nil || found.function == nil {
		return f, false
	}
	e.demand(at, e.accessible(class, operatorName+"()"))
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
