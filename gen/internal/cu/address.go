package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// addressable reports whether the arguments for a parameter of type t are entities or null
// pointers, and not integers.
func addressable(t ctype.Type) bool {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Pointer, *ctype.Reference, *ctype.Function:
		return true
	case *ctype.Basic, *ctype.Enum, *ctype.Struct, *ctype.Vector, *ctype.Library:
		return false
	default:
		return strings.Contains(t.Demangled(), "::*")
	}
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
	if f.of != nil {
		e = f.of
	}
	switch {
	case e == nil:
		return r.unknownEntity(f, t, address), nil
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
func (u *unit) unknownEntity(f found, t ctype.Type, address bool) *ctype.Entity {
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

// takesFunction reports whether t is a pointer or reference to a function.
func takesFunction(t ctype.Type) bool {
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		t = u.Elem
	case *ctype.Reference:
		t = u.Elem
	}
	_, ok := ctype.Unqualified(t).(*ctype.Function)
	return ok
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
		r.scope = one.scope
		arg, ok := r.looseArgument(one.cursor)
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
