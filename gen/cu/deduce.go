package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
)

// deduce returns a scope with the template arguments of o: those that name gives, those that
// follow from args, and the default ones. C++ standard, [temp.deduct.call].
func (e *evaluator) deduce(o *overload, name found, args []operand) (*scope, *ctype.Reason) {
	p := e.parser
	bound := newScope("", o.scope)
	bound.parameters = true
	var given []cursor
	if name.angled {
		given = p.split(name.args, true)
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	holes := make(map[*ctype.Struct]ctype.Type)
	open := make(map[string]*ctype.Struct)
	guess := newScope("", bound)
	guess.parameters = true
	for i, param := range o.head.params {
		switch {
		case param.pack:
			return nil, p.reasonf(name.last, "has a pack of template parameters, which is not understood here")
		case i < len(given):
			p.scope = e.scope
			arg, reason := p.templateArgument(param, given[i], bound)
			if reason != nil {
				return nil, reason
			}
			p.bind(bound, param.name, arg, name.last)
		case param.kind == paramType && param.name != "":
			hole := o.hole(p, param.name)
			holes[hole], open[param.name] = nil, hole
			guess.declare(param.name, &entity{typ: hole, at: name.last.At})
		}
	}
	if len(open) > 0 {
		params, _, reason := o.readParams(p, guess)
		if reason != nil {
			return nil, reason
		}
		for i, arg := range args {
			if i < len(params) && !deduceType(holes, params[i].typ, arg) {
				return nil, p.reasonf(name.last, "has template arguments that are not deduced here")
			}
		}
	}
	for i, param := range o.head.params {
		if i < len(given) {
			continue
		}
		if hole := open[param.name]; hole != nil && holes[hole] != nil {
			p.bind(bound, param.name, ctype.TemplateArg{Type: holes[hole]}, name.last)
			continue
		}
		if param.fallback.tokens == nil || !param.fallback.more() {
			return nil, p.reasonf(name.last, "has template parameter %s, which is not deduced here", param.name)
		}
		if param.name == "" {
			continue // it only says whether the function is one of several
		}
		p.scope = bound
		arg, reason := p.templateArgument(param, param.fallback, bound)
		if reason != nil {
			return nil, reason
		}
		p.bind(bound, param.name, arg, name.last)
	}
	return bound, nil
}

// hole returns what stands for the parameter of the template called name: a class whose name
// nothing else has.
func (o *overload) hole(p *parser, name string) *ctype.Struct {
	if o.holes == nil {
		o.holes = make(map[string]*ctype.Struct)
		for _, param := range o.head.params {
			if param.kind == paramType {
				p.holes++
				o.holes[param.name] = &ctype.Struct{Name: fmt.Sprintf("%s#%d", param.name, p.holes)}
			}
		}
	}
	return o.holes[name]
}

// deduceType finds out what the holes in the type of a parameter stand for.
func deduceType(holes map[*ctype.Struct]ctype.Type, param ctype.Type, arg operand) bool {
	if arg.typ == nil {
		return false
	}
	t := arg.typ
	if r, ok := ctype.Unqualified(param).(*ctype.Reference); ok {
		if r.RValue {
			return false
		}
		param = r.Elem
		if q, ok := ctype.Unalias(param).(*ctype.Qualified); ok && q.Const {
			t = ctype.Unqualified(t)
		}
	} else {
		t = ctype.Unqualified(decayed(t))
	}
	return deducePart(holes, param, t)
}

func deducePart(holes map[*ctype.Struct]ctype.Type, param, t ctype.Type) bool {
	bare := ctype.Unqualified(param)
	if hole, ok := bare.(*ctype.Struct); ok {
		if old, isHole := holes[hole]; isHole {
			q := qualifiers(param)
			t = without(t, q)
			if old != nil {
				return old.Demangled() == t.Demangled()
			}
			holes[hole] = t
			return true
		}
	}
	if pointer, ok := bare.(*ctype.Pointer); ok {
		other, ok := ctype.Unqualified(t).(*ctype.Pointer)
		return ok && deducePart(holes, pointer.Elem, other.Elem)
	}
	// Any conversion is possible where no hole is.
	return !mentions(holes, param)
}

// mentions reports whether a hole is part of t.
func mentions(holes map[*ctype.Struct]ctype.Type, t ctype.Type) bool {
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		return mentions(holes, u.Elem)
	case *ctype.Reference:
		return mentions(holes, u.Elem)
	case *ctype.MemberPointer:
		return mentions(holes, u.Class) || mentions(holes, u.Elem)
	case *ctype.Array:
		return mentions(holes, u.Elem)
	case *ctype.Function:
		return mentions(holes, u.Result) || slices.ContainsFunc(u.Params, func(p ctype.Type) bool { return mentions(holes, p) })
	case *ctype.Struct:
		if _, ok := holes[u]; ok {
			return true
		}
		return slices.ContainsFunc(u.Args, func(a ctype.TemplateArg) bool { return mentions(holes, a.Type) })
	}
	return false
}
