package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// templateArguments evaluates the arguments in list, looked up from use, for the
// parameters in head, whose defaults are looked up from declared. It also returns a
// scope with the parameters' names.
func (p *parser) templateArguments(head *templateHead, list cursor, use, declared *scope, at *lex.Token) (args []ctype.TemplateArg, inner *scope, reason *ctype.Reason) {
	outer := p.scope
	defer func() { p.scope = outer }()
	p.scope = use
	given, reason := p.expandAll(splitAngles(list))
	if reason != nil {
		return nil, nil, reason
	}
	inner = newScope("", declared)
	inner.parameters = true
	args = []ctype.TemplateArg{}
	for i, param := range head.params {
		if param.pack {
			first := len(args)
			for len(given) > 0 {
				arg, reason := p.givenArgument(param, given[0], inner)
				if reason != nil {
					return nil, nil, reason
				}
				args = append(args, arg)
				given = given[1:]
			}
			p.bindPack(inner, param.name, args[first:], at)
			continue
		}
		var arg ctype.TemplateArg
		var reason *ctype.Reason
		switch {
		case len(given) > 0:
			arg, reason = p.givenArgument(param, given[0], inner)
			given = given[1:]
		case param.hasDefault():
			p.scope = inner
			arg, reason = p.templateArgument(param, param.fallback, inner)
		default:
			reason = p.reasonf(at, diag.Template, "template argument %d is missing", i+1)
		}
		if reason != nil {
			return nil, nil, reason
		}
		args = append(args, arg)
		p.bind(inner, param.name, arg, at)
	}
	if len(given) > 0 {
		return nil, nil, p.reasonf(at, diag.Template, "it has %d template parameters, and %d arguments", len(head.params), len(args)+len(given))
	}
	if p.argumentsLength(args) > longestName {
		return nil, nil, p.reasonf(at, diag.NotUnderstood, "it has arguments whose names are longer than %d bytes (%w)", longestName, diag.Do("give the types in them classes of their own, in place of aliases"))
	}
	return args, inner, nil
}

// givenArgument evaluates an argument in the scope where it stands.
func (p *parser) givenArgument(param *templateParam, one expanded, inner *scope) (ctype.TemplateArg, *ctype.Reason) {
	p.scope = one.scope
	arg, reason := p.templateArgument(param, one.cursor, inner)
	if reason == nil && one.rest != nil {
		arg = ctype.TemplateArg{Type: p.restOf(one.rest, arg)}
	}
	return arg, reason
}

// bindAll returns a scope in outer that declares the parameters in head as args.
func (u *unit) bindAll(head *templateHead, args []ctype.TemplateArg, outer *scope, at *lex.Token) *scope {
	inner := newScope("", outer)
	inner.parameters = true
	for i, param := range head.params {
		switch {
		case param.pack:
			u.bindPack(inner, param.name, args[min(i, len(args)):], at)
		case i < len(args):
			u.bind(inner, param.name, args[i], at)
		}
	}
	return inner
}

// bind declares the template parameter called name as arg.
func (u *unit) bind(s *scope, name string, arg ctype.TemplateArg, at *lex.Token) {
	if name != "" {
		s.declare(name, u.argumentEntity(arg, at))
	}
}

// argumentEntity returns the entity of a template parameter that stands for arg.
func (u *unit) argumentEntity(arg ctype.TemplateArg, at *lex.Token) *entity {
	switch {
	case arg.Entity != nil:
		return &entity{obscure: "a template parameter that stands for " + arg.Entity.QualifiedName(), argument: &arg, at: at.At}
	case !arg.IsValue:
		if stand, ok := arg.Type.(*ctype.Struct); ok && u.templates[stand] != nil {
			return &entity{template: u.templates[stand], at: at.At, bound: true}
		}
		return &entity{typ: arg.Type, at: at.At, bound: true}
	}
	v, _ := convert(value{bits: arg.Value, wide: true}, ctype.Builtin(ctype.Long))
	if converted, ok := convert(v, arg.Type); ok {
		v = converted
	} else if basic, ok := ctype.Unqualified(arg.Type).(*ctype.Basic); ok && basic.Unsigned {
		v = value{bits: arg.Value, wide: true, unsigned: true}
	}
	return &entity{constant: &constant{v, arg.Type}, at: at.At, bound: true}
}

// templateArgument evaluates one argument. The type of a value is looked up from inner,
// where the parameters before it are known.
func (p *parser) templateArgument(param *templateParam, c cursor, inner *scope) (arg ctype.TemplateArg, reason *ctype.Reason) {
	switch param.kind {
	case paramType:
		t, reason := p.typeArgument(c)
		return ctype.TemplateArg{Type: t}, reason
	case paramTemplate:
		f := p.name(&c)
		if f.entity == nil || f.entity.template == nil || c.more() {
			return arg, p.reasonf(c.before(), diag.Template, "template argument %s is not a template that is known here", f.text)
		}
		return ctype.TemplateArg{Type: p.standIn(f.entity.template)}, nil
	}
	if arg, ok := p.holeArgument(c); ok {
		return arg, nil
	}
	at := c.peek()
	t, reason := p.valueType(param, inner)
	switch {
	case reason != nil:
		// A parameter that takes a type has a concept that is not known here.
		if t, notType := p.typeArgument(c); notType == nil {
			return ctype.TemplateArg{Type: t}, nil
		}
		if arg, ok := p.entityArgument(c, nil); ok {
			return arg, nil
		}
		return arg, p.reasonf(at, reason.Code, "the type of template parameter %s %w", param.label(), reason)
	case t == ctype.Type(autoType):
		return p.deducedArgument(param, c)
	case !addressable(t):
		return p.valueArgument(param, c, t)
	}
	if arg, ok := p.entityArgument(c, t); ok {
		return arg, nil
	}
	return arg, p.reasonf(at, diag.Template, "template argument %s is not a function or variable that is understood", join(c.list[c.i:c.stop]))
}

// valueArgument evaluates an argument that is an integer of type t.
func (p *parser) valueArgument(param *templateParam, c cursor, t ctype.Type) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	v, failure := p.evaluate(c, p.scope)
	if failure != nil {
		return arg, p.reasonf(&failure.at, failure.Code, "template argument %s is not understood: %w", param.label(), failure)
	}
	v, ok := convert(v, t)
	if !ok {
		return arg, p.reasonf(at, diag.Template, "template argument %s is not an integer of type %s", param.label(), t)
	}
	return ctype.TemplateArg{Type: t, Value: v.bits, IsValue: true}, nil
}

// valueType returns the type of a parameter that is a value, without qualifiers; autoType
// stands for a deduced one.
func (p *parser) valueType(param *templateParam, inner *scope) (ctype.Type, *ctype.Reason) {
	outer := p.scope
	p.scope = inner
	defer func() { p.scope = outer }()
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
	spec := p.specifiers(&c, specifierContext{})
	if spec.reason != nil {
		return nil, spec.reason
	}
	d, reason := p.declarator(&c, spec.typ)
	if reason == nil && c.more() {
		reason = p.reasonf(c.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", c.peek().Describe())
	}
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
func (p *parser) deducedArgument(param *templateParam, c cursor) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	if t := p.typeOfConstant(c); t != nil {
		return p.valueArgument(param, c, ctype.Unqualified(t))
	}
	if arg, ok := p.entityArgument(c, nil); ok && !arg.IsValue {
		return arg, nil
	}
	if o, failure := p.operand(c, p.scope); failure == nil && o.unknown.Text == "" && isInteger(o.typ) {
		return p.valueArgument(param, c, ctype.Unqualified(o.typ))
	}
	return arg, p.reasonf(at, diag.Template, "the type of template argument %s is not understood", join(c.list[c.i:c.stop]))
}

// typeOfConstant returns the type of an integer constant expression, nil when it is not
// understood: of literals, names, casts, and arithmetic of int.
func (p *parser) typeOfConstant(c cursor) ctype.Type {
	first := c.peek()
	if inside := c; first.Is("(") {
		if p.typeAhead(c.piece(c.i+1, c.stop)) {
			inside.next()
			if t, reason := p.typeID(&inside); reason == nil && inside.accept(")") && inside.stop == inside.i+1 {
				return t
			}
			return nil
		}
		if group, ok := inside.group(); ok && !inside.more() {
			return p.typeOfConstant(group)
		}
	}
	if first.Is("static_cast") {
		c.next()
		if list, ok := c.angles(); ok {
			if t, reason := p.typeArgument(list); reason == nil {
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
		f := p.name(&name)
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
	v, failure := p.evaluate(c, p.scope)
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

// wideLiteral returns the type of an integer literal of 64 bits: C++ standard, [lex.icon].
func wideLiteral(text string, v value) ctype.Type {
	long := 0
	for i := len(text) - 1; i > 0 && (text[i]|0x20 == 'l' || text[i]|0x20 == 'u'); i-- {
		if text[i]|0x20 == 'l' {
			long++
		}
	}
	kinds := [2][2]ctype.Kind{{ctype.Long, ctype.UnsignedLong}, {ctype.LongLong, ctype.UnsignedLongLong}}
	unsigned := 0
	if v.unsigned {
		unsigned = 1
	}
	return ctype.Builtin(kinds[max(long-1, 0)][unsigned])
}

// standIn returns what stands for the template t in a list of template arguments: a
// class with its name.
func (u *unit) standIn(t *template) *ctype.Struct {
	if t.standIn == nil {
		t.standIn = &ctype.Struct{Name: t.name, Scope: t.scope.path(), Pos: t.at.Position()}
		u.templates[t.standIn] = t
	}
	return t.standIn
}

// typeArgument reads a template argument that is a type.
func (p *parser) typeArgument(c cursor) (ctype.Type, *ctype.Reason) {
	t, reason := p.typeID(&c)
	if reason == nil && c.more() {
		reason = p.reasonf(c.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", c.peek().Describe())
	}
	if reason == nil && ctype.AliasAligned(t) {
		// clang ignores the alignment, and nvcc has one instance for the type with and without it.
		reason = p.reasonf(c.before(), diag.CompilersDiffer, "has a type that a typedef aligns, which compilers understand in different ways")
	}
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Message: reason.Before("a template argument "), Failed: reason.Failed}
	}
	return t, nil
}
