package cu

import (
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// templateArguments evaluates the arguments in list for the parameters in head, whose defaults are looked up
// from declared. It also returns a scope with the parameters' names.
func (r resolver) templateArguments(head *templateHead, list cursor, declared *scope, at *lex.Token) (args []ctype.TemplateArg, inner *scope, reason *ctype.Reason) {
	given, reason := r.expandAll(splitAngles(list))
	if reason != nil {
		return nil, nil, reason
	}
	inner = head.in(declared)
	args = []ctype.TemplateArg{}
	for i, param := range head.params {
		if param.pack {
			first := len(args)
			for len(given) > 0 {
				arg, reason := r.givenArgument(param, given[0], inner)
				if reason != nil {
					return nil, nil, reason
				}
				args = append(args, arg)
				given = given[1:]
			}
			r.bindPack(inner, param.name, args[first:], at)
			continue
		}
		var arg ctype.TemplateArg
		var reason *ctype.Reason
		switch {
		case len(given) > 0:
			arg, reason = r.givenArgument(param, given[0], inner)
			given = given[1:]
		case param.hasDefault():
			arg, reason = r.in(param.defaultScope(inner)).templateArgument(param, param.fallback, inner)
		default:
			reason = reasonf(at, diag.Template, "template argument %d is missing", i+1)
		}
		if reason != nil {
			return nil, nil, reason
		}
		args = append(args, arg)
		r.bind(inner, param.name, arg, at)
	}
	if len(given) > 0 {
		return nil, nil, reasonf(at, diag.Template, "it has %d template parameters, and %d arguments", len(head.params), len(args)+len(given))
	}
	if r.spellings.arguments(args) > longestName {
		return nil, nil, reasonf(at, diag.NotUnderstood, "it has arguments whose names are longer than %d bytes (%w)", longestName, diag.Do("give the types in them classes of their own, in place of aliases"))
	}
	return args, inner, nil
}

// givenArgument evaluates an argument in the scope where it stands.
func (r resolver) givenArgument(param *templateParam, one expanded, inner *scope) (ctype.TemplateArg, *ctype.Reason) {
	arg, reason := r.in(one.scope).templateArgument(param, one.cursor, inner)
	if reason == nil && one.rest != nil {
		arg = ctype.TemplateArg{Type: r.restOf(one.rest, arg)}
	}
	return arg, reason
}

// templateArgument evaluates one argument. The type of a value is looked up from inner,
// where the parameters before it are known.
func (r resolver) templateArgument(param *templateParam, c cursor, inner *scope) (arg ctype.TemplateArg, reason *ctype.Reason) {
	switch param.kind {
	case paramType:
		t, reason := r.typeArgument(c)
		return ctype.TemplateArg{Type: t}, reason
	case paramTemplate:
		f := r.name(&c)
		if f.entity == nil || f.entity.template == nil || c.more() {
			return arg, reasonf(c.before(), diag.Template, "template argument %s is not a template that is known here", f.text)
		}
		return ctype.TemplateArg{Type: r.standIn(f.entity.template)}, nil
	}
	if arg, ok := r.holeArgument(c); ok {
		return arg, nil
	}
	at := c.peek()
	t, reason := r.in(inner).valueType(param)
	switch {
	case reason != nil:
		// A parameter that takes a type has a concept that is not known here.
		if t, notType := r.typeArgument(c); notType == nil {
			return ctype.TemplateArg{Type: t}, nil
		}
		if arg, ok := r.entityArgument(c, nil); ok {
			return arg, nil
		}
		return arg, &ctype.Reason{Pos: at.Pos(), Message: reason.Before("the type of template parameter " + param.label() + " "), Failed: reason.Failed}
	case t == ctype.Type(autoType):
		return r.deducedArgument(param, c)
	case isClass(t), isFloat(t):
		return r.objectArgument(param, c, t)
	case !addressable(t):
		return r.valueArgument(param, c, t)
	}
	if arg, ok := r.entityArgument(c, t); ok {
		return arg, nil
	}
	return arg, reasonf(at, diag.Template, "template argument %s is not a function or variable that is understood", join(c.list[c.i:c.stop]))
}

// typeArgument reads a template argument that is a type.
func (r resolver) typeArgument(c cursor) (ctype.Type, *ctype.Reason) {
	t, reason := r.wholeType(c)
	if reason == nil && ctype.AliasAligned(t) {
		// clang ignores the alignment, and nvcc has one instance for the type with and without it.
		reason = reasonf(c.before(), diag.CompilersDiffer, "has a type that a typedef aligns, which compilers understand in different ways")
	}
	if reason != nil {
		number := c.peek().Kind == lex.Number
		return nil, &ctype.Reason{Pos: reason.Pos, Message: reason.Before("a template argument "), Failed: reason.Failed || number}
	}
	return t, nil
}

// valueArgument evaluates an argument that is an integer of type t.
func (r resolver) valueArgument(param *templateParam, c cursor, t ctype.Type) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	if r.mentionsHole(c) {
		return arg, reasonf(at, diag.NotUnderstood, "template argument %s is computed of a parameter", param.label())
	}
	v, failure := r.evaluate(c)
	if failure != nil {
		reason = reasonf(&failure.at, failure.Code, "template argument %s is not understood: %w", param.label(), failure)
		_, notType := r.typeArgument(c)
		reason.Failed = failure.failed || notType == nil // what can be a type is one: C++ standard, [temp.arg]
		return arg, reason
	}
	v, ok := convert(v, t)
	if !ok {
		return arg, reasonf(at, diag.Template, "template argument %s is not an integer of type %s", param.label(), t)
	}
	return ctype.TemplateArg{Type: t, Value: v.bits, IsValue: true}, nil
}

// objectArgument evaluates an argument of the type t, a class or a floating-point type: C++ standard, [temp.arg.nontype].
func (r resolver) objectArgument(param *templateParam, c cursor, t ctype.Type) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	if r.mentionsHole(c) {
		return arg, reasonf(at, diag.NotUnderstood, "template argument %s is computed of a parameter", param.label())
	}
	o, failure := r.computed(c, func(e *evaluator) operand {
		if e.peek().Is("{") {
			e.fail(at, diag.Template, "it has no type of its own")
		}
		o := e.assignment()
		if o.typ != nil && !sameType(o.typ, t) {
			e.fail(at, diag.Template, "it has type "+typeName(o.typ)+", and not "+t.String())
		}
		return e.converted(at, o, t, false)
	})
	if failure != nil {
		reason = reasonf(&failure.at, failure.Code, "template argument %s is not understood: %w", param.label(), failure)
		reason.Failed = failure.failed
		return arg, reason
	}
	if arg, ok := argumentOf(o, t); ok {
		return arg, nil
	}
	return arg, reasonf(at, diag.NotUnderstood, "template argument %s has no value that is understood%s", param.label(), because(o.unknown))
}

// argumentOf returns the value o of type t as an argument of a template. ok is false if not all of it is known.
func argumentOf(o operand, t ctype.Type) (arg ctype.TemplateArg, ok bool) {
	arg = ctype.TemplateArg{Type: ctype.Unqualified(t), Value: o.bits, IsValue: true}
	if o.unknown.Text != "" {
		return arg, false
	}
	var types []ctype.Type
	switch t := arg.Type.(type) {
	case *ctype.Array:
		types = slices.Repeat([]ctype.Type{t.Elem}, int(t.Len))
	case *ctype.Struct:
		for _, base := range t.Bases {
			types = append(types, base.Type)
		}
		for _, f := range t.Fields {
			if f.Name == "" {
				return arg, false
			}
			types = append(types, f.Type)
		}
	default:
		switch {
		case isInteger(t):
		case !isFloat(t):
			return arg, false
		case builtin(t).Kind == ctype.Float:
			arg.Value = int64(math.Float32bits(float32(o.float)))
		default:
			arg.Value = int64(math.Float64bits(o.float))
		}
		return arg, true
	}
	if len(o.elems) != len(types) {
		return arg, false
	}
	for i := range types {
		elem, ok := argumentOf(o.elems[i], types[i])
		if !ok {
			return arg, false
		}
		arg.Elems = append(arg.Elems, elem)
	}
	return arg, true
}

// valueType returns the type of a parameter that is a value, without qualifiers; autoType
// stands for a deduced one.
func (r resolver) valueType(param *templateParam) (ctype.Type, *ctype.Reason) {
	c := param.typ
	if dots := ellipsis(c); dots >= 0 {
		c = withoutToken(c, dots)
	}
	if param.pack && c.stop > c.i && c.list[c.stop-1].Is("...") {
		c = c.piece(c.i, c.stop-1)
	}
	if deducedType(c) {
		return autoType, nil
	}
	spec := r.specifiers(&c, nil)
	if spec.reason != nil {
		return nil, spec.reason
	}
	d, reason := r.declarator(&c, spec.typ)
	reason = ended(c, reason)
	if reason != nil {
		return nil, reason
	}
	return ctype.Unqualified(adjusted(d.typ)), nil
}

// deducedType reports whether c is auto or decltype(auto), perhaps with const, * and &.
func deducedType(c cursor) bool {
	auto := false
	for ; c.more(); c.next() {
		switch l := c.peek(); {
		case l.Is("auto"):
			auto = true
		case l.Is("decltype") && c.ahead(1).Is("(") && c.ahead(2).Is("auto") && c.ahead(3).Is(")"):
			return true
		case l.Is("const"), l.Is("*"), l.Is("&"), l.Is("&&"):
		default:
			return auto && l.Kind == lex.Ident && c.i+1 == c.stop
		}
	}
	return auto
}

// deducedArgument evaluates the argument of a parameter of type auto: C++ standard,
// [temp.param], [dcl.type.auto.deduct].
func (r resolver) deducedArgument(param *templateParam, c cursor) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	if t := r.typeOfConstant(c); t != nil {
		return r.valueArgument(param, c, ctype.Unqualified(t))
	}
	o, failure := r.operand(c)
	if failure == nil && o.typ != nil && (isClass(o.typ) || isFloat(o.typ)) {
		return r.objectArgument(param, c, ctype.Unqualified(o.typ))
	}
	if arg, ok := r.entityArgument(c, nil); ok && !arg.IsValue {
		return arg, nil
	}
	if failure == nil && o.unknown.Text == "" && isInteger(o.typ) {
		return r.valueArgument(param, c, ctype.Unqualified(o.typ))
	}
	return arg, reasonf(at, diag.Template, "the type of template argument %s is not understood", join(c.list[c.i:c.stop]))
}

// typeOfConstant returns the type of an integer constant expression, nil when it is not
// understood: of literals, names, casts, and arithmetic of int.
func (r resolver) typeOfConstant(c cursor) ctype.Type {
	first := c.peek()
	if inside := c; first.Is("(") {
		if r.typeAhead(c.piece(c.i+1, c.stop)) {
			inside.next()
			if t, reason := r.typeID(&inside); reason == nil && inside.accept(")") && inside.stop == inside.i+1 {
				return t
			}
			return nil
		}
		if group, ok := inside.group(); ok && !inside.more() {
			return r.typeOfConstant(group)
		}
	}
	if first.Is("static_cast") {
		c.next()
		if list, ok := c.angles(); ok {
			if t, reason := r.typeArgument(list); reason == nil {
				if _, ok := c.group(); ok && !c.more() {
					return t
				}
			}
		}
		return nil
	}
	if first.Is("sizeof") || first.Is("alignof") {
		operand := c.piece(c.i+1, c.stop)
		operand.accept("...")
		if _, ok := operand.group(); ok && !operand.more() {
			return ctype.Builtin(ctype.UnsignedLong)
		}
		return nil
	}
	if c.stop == c.i+1 {
		switch {
		case first.Is("true"), first.Is("false"):
			return ctype.Builtin(ctype.Bool)
		case first.Kind == lex.Char && first.Text[0] == '\'':
			return ctype.Builtin(ctype.Char)
		}
	}
	if first.Kind == lex.Ident && !scalarWords[first.Text] {
		name := c
		f := r.name(&name)
		if !name.more() {
			if f.entity == nil || f.entity.constant == nil {
				return nil
			}
			return f.entity.constant.typ
		}
	}
	arithmetic := map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "(": true, ")": true, "~": true}
	for i := c.i; i < c.stop; i++ {
		if l := &c.list[i]; l.Kind != lex.Number && !arithmetic[l.Text] {
			return nil
		}
	}
	v, failure := r.evaluate(c)
	switch {
	case failure != nil, v.wide && !v.unsigned && c.stop > c.i+1:
		return nil
	case !v.wide && v.unsigned:
		return ctype.Builtin(ctype.UnsignedInt)
	case !v.wide:
		return ctype.Builtin(ctype.Int)
	case c.stop > c.i+1:
		return nil
	}
	return wideLiteral(first.Text, v)
}

// holeArgument reads an argument that is a hole for a value.
func (r resolver) holeArgument(c cursor) (arg ctype.TemplateArg, ok bool) {
	if r.matched == 0 || c.stop != c.i+1 {
		return arg, false
	}
	e := r.scope.lookup(c.peek().Text)
	if e == nil || e.hole == nil {
		return arg, false
	}
	return ctype.TemplateArg{Type: e.hole.class, IsValue: true}, true
}

// entityArgument reads an argument that names a function, variable or member, or is a null
// pointer, for a parameter of type t, which is nil when it is deduced or not understood:
// C++ standard, [temp.arg.nontype].
func (r resolver) entityArgument(c cursor, t ctype.Type) (arg ctype.TemplateArg, ok bool) {
	reference := false
	if t != nil {
		_, reference = ctype.Unqualified(t).(*ctype.Reference)
	}
	c = bareArgument(c)
	if c.stop == c.i+1 {
		switch l := c.peek(); {
		case l.Is("nullptr"), l.Is("NULL"), l.Text == "0":
			return ctype.TemplateArg{Type: t, IsValue: true}, t != nil && !reference
		}
	}
	if null := c; t != nil && !reference && c.list[max(c.stop-1, 0)].Text == "0" { // (float *)0
		if _, ok := null.group(); ok && null.i == c.stop-1 {
			return ctype.TemplateArg{Type: t, IsValue: true}, true
		}
	}
	address := false
	if c.accept("&") {
		address = true
		c = bareArgument(c)
	}
	entity, parameter := r.namedEntity(c, t, address)
	switch {
	case parameter != nil:
		return *parameter, true
	case entity == nil:
		return arg, false
	}
	entity.Address = !reference
	return ctype.TemplateArg{Type: t, Entity: entity}, true
}

// bareArgument returns c without the parentheses around it, and without a static_cast that
// chooses among overloads.
func bareArgument(c cursor) cursor {
	for {
		scan := c
		if scan.accept("static_cast") {
			scan.angles()
		}
		inside, ok := scan.group()
		if !ok || scan.more() || !inside.more() {
			return c
		}
		c = inside
	}
}

// namedEntity returns the function, variable or member that c names, nil when it names
// none. When it names a parameter of a template, that parameter's argument is returned.
func (r resolver) namedEntity(c cursor, t ctype.Type, address bool) (*ctype.Entity, *ctype.TemplateArg) {
	if c.peek().Kind != lex.Ident && !c.peek().Is("::") {
		return nil, nil
	}
	f := r.name(&c)
	if _, parameters := c.group(); f.last == nil || c.more() || parameters && !address {
		return nil, nil // a demangler writes &(f(int)), but f(0) is a call
	}
	e := f.entity
	switch {
	case e == nil:
		return unknownEntity(f, t, address), nil
	case e.function != nil && slices.ContainsFunc(e.function.overloads, func(o *overload) bool { return o.lambda }):
		return nil, nil
	case e.argument != nil:
		return nil, e.argument
	case e.constant != nil && e.bound:
		return nil, &ctype.TemplateArg{Type: e.constant.typ, Value: e.constant.value.bits, IsValue: true}
	case e.function == nil && e.obscure != aVariable && e.constant == nil && e.obscure != conflicting && !strings.HasPrefix(e.obscure, "a constant"),
		e.home == nil:
		return nil, nil
	}
	entity := &ctype.Entity{Scope: e.home.path(), Name: f.last.Text}
	if f.angled {
		entity.Args = r.looseArguments(f.args)
		if entity.Args == nil {
			return nil, nil
		}
	}
	return entity, nil
}

// unknownEntity returns the entity that a name stands for which nothing declares: a member
// of a class that is known, or a function of a header that was not read, when the parameter
// takes nothing else. It returns nil when it may be something else.
func unknownEntity(f found, t ctype.Type, address bool) *ctype.Entity {
	switch {
	case f.reason != nil, f.angled:
		return nil
	case f.in != nil && f.in.class:
		return &ctype.Entity{Scope: f.in.path(), Name: f.last.Text}
	case f.in != nil, !address && (t == nil || !takesFunction(t)):
		return nil
	}
	path := strings.Split(strings.TrimPrefix(f.text, "::"), "::")
	return &ctype.Entity{Scope: path[:len(path)-1], Name: f.last.Text}
}

// looseArguments evaluates the arguments of a function template as far as they tell what
// they are: types, and integers as int. It returns nil when it cannot.
func (r resolver) looseArguments(list cursor) []ctype.TemplateArg {
	args := []ctype.TemplateArg{}
	given, reason := r.expandAll(splitAngles(list))
	if reason != nil {
		return nil
	}
	for _, one := range given {
		arg, ok := r.in(one.scope).looseArgument(one.cursor)
		if !ok {
			return nil
		}
		if one.rest != nil {
			arg = ctype.TemplateArg{Type: r.restOf(one.rest, arg)}
		}
		args = append(args, arg)
	}
	return args
}

func (r resolver) looseArgument(c cursor) (arg ctype.TemplateArg, ok bool) {
	if arg, ok := r.holeArgument(c); ok {
		return arg, true
	}
	if t, reason := r.typeArgument(c); reason == nil {
		return ctype.TemplateArg{Type: t}, true
	}
	if arg, ok := r.entityArgument(c, nil); ok {
		return arg, true
	}
	v, failure := r.evaluate(c)
	if failure != nil {
		return arg, false
	}
	t := r.typeOfConstant(c)
	if t == nil {
		t = ctype.Builtin(ctype.Int)
	}
	return ctype.TemplateArg{Type: ctype.Unqualified(t), Value: v.bits, IsValue: true}, true
}
