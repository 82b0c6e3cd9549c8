package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu/lex"
)

// deduce returns a scope with the template arguments of o: those that name gives, those that
// follow from args, and the default ones. C++ standard, [temp.deduct.call].
func (e *evaluator) deduce(o *overload, name found, args []operand) (*scope, *ctype.Reason) {
	p := e.parser
	bound := newScope("", o.scope)
	bound.parameters = true
	outer := p.scope
	defer func() { p.scope = outer }()
	var given []expanded
	if name.angled {
		var reason *ctype.Reason
		p.scope = e.scope
		if given, reason = p.expandWithin(splitAngles(name.args), &p.calls); reason != nil {
			return nil, reason
		}
	}
	last, fixed, reason := o.lastPack(p)
	if reason != nil {
		return nil, reason
	}
	holes := make(map[*ctype.Struct]ctype.Type)
	guess := newScope("", bound)
	guess.parameters = true
	open := func(key string) *entity {
		hole := o.hole(p, key)
		holes[hole] = nil
		return &entity{typ: hole, at: name.last.At}
	}
	packs := make(map[string][]ctype.TemplateArg) // the given elements
	missing := make([]bool, len(o.head.params))
	for i, param := range o.head.params {
		switch {
		case param.pack:
			var list []ctype.TemplateArg
			for ; len(given) > 0; given = given[1:] {
				arg, reason := p.givenArgument(param, given[0], bound)
				if reason != nil {
					return nil, reason
				}
				list = append(list, arg)
			}
			packs[param.name] = list
			p.bindPack(guess, param.name, list, name.last)
			rest := 0 // what args add
			if mentionsName(last, param.name) {
				rest = max(0, len(args)-fixed-len(list))
			}
			if rest > 0 && (param.kind != paramType || param.name == "") || o.mentionsBefore(p, param.name) {
				return nil, p.reasonf(name.last, "has a pack of template parameters, which is not deduced here")
			}
			pack := guess.names[param.name]
			for range rest {
				pack.pack = append(pack.pack, open(fmt.Sprint(param.name, ":", len(pack.pack))))
			}
		case len(given) > 0:
			arg, reason := p.givenArgument(param, given[0], bound)
			if reason != nil {
				return nil, reason
			}
			given = given[1:]
			p.bind(bound, param.name, arg, name.last)
		default:
			missing[i] = true
			if param.kind == paramType && param.name != "" {
				guess.declare(param.name, open(param.name))
			}
		}
	}
	fails := func(format string, arguments ...any) *ctype.Reason {
		reason := p.reasonf(name.last, format, arguments...)
		reason.Failed = true
		return reason
	}
	if len(given) > 0 {
		return nil, fails("has fewer template parameters")
	}
	if len(holes) > 0 {
		s, _, reason := o.readParams(p, guess)
		if reason != nil {
			return nil, reason
		}
		for i, arg := range args {
			if i >= len(s.params) {
				break
			}
			switch fits, known := deduceType(holes, s.params[i].typ, arg); {
			case !known:
				return nil, p.reasonf(name.last, "has template arguments that are not deduced here")
			case !fits:
				return nil, fails("has template arguments that do not follow from the types of arguments")
			}
		}
	}
	for i, param := range o.head.params {
		if param.pack {
			if guess.names[param.name] == nil {
				continue // it has no name
			}
			list := packs[param.name]
			for j := len(list); j < len(guess.names[param.name].pack); j++ {
				t := holes[o.hole(p, fmt.Sprint(param.name, ":", j))]
				if t == nil {
					return nil, p.reasonf(name.last, "has a pack of template parameters, which is not deduced here")
				}
				list = append(list, ctype.TemplateArg{Type: t})
			}
			p.bindPack(bound, param.name, list, name.last)
			continue
		}
		if !missing[i] {
			continue
		}
		if param.kind == paramType && param.name != "" {
			if t := holes[o.hole(p, param.name)]; t != nil {
				p.bind(bound, param.name, ctype.TemplateArg{Type: t}, name.last)
				continue
			}
		}
		if !param.hasDefault() {
			reason := fails("has template parameter %s, which is not deduced here", param.label())
			reason.Failed = !o.mentionsBefore(p, param.name) && !mentionsName(last, param.name)
			return nil, reason
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

// lastPack returns the declaration of the parameter pack of o, which is its last parameter, and how many
// parameters stand before it. The cursor is empty if there is none.
func (o *overload) lastPack(p *parser) (last cursor, fixed int, reason *ctype.Reason) {
	parts, _ := o.parts(p)
	for i, part := range parts {
		if dots := ellipsis(part); dots >= 0 {
			if i < len(parts)-1 {
				return last, 0, p.reasonf(&part.list[dots], "has a pack of parameters before its last one, which is not understood here")
			}
			return part, i, nil
		}
	}
	return last, len(parts), nil
}

// mentionsBefore reports whether a parameter of o that is no pack mentions the template parameter called
// name.
func (o *overload) mentionsBefore(p *parser, name string) bool {
	parts, _ := o.parts(p)
	return slices.ContainsFunc(parts, func(c cursor) bool { return ellipsis(c) < 0 && mentionsName(c, name) })
}

// mentionsName reports whether name is a word in c.
func mentionsName(c cursor, name string) bool {
	return c.tokens != nil && slices.ContainsFunc(c.list[c.i:c.stop], func(l lex.Token) bool { return l.Kind == lex.Ident && l.Text == name })
}

// hole returns what stands for the parameter of the template called name: a class whose name
// nothing else has.
func (o *overload) hole(p *parser, name string) *ctype.Struct {
	if o.holes == nil {
		o.holes = make(map[string]*ctype.Struct)
	}
	if o.holes[name] == nil {
		p.holes++
		o.holes[name] = &ctype.Struct{Name: fmt.Sprintf("%s#%d", name, p.holes)}
	}
	return o.holes[name]
}

// deduceType finds out what the holes in the type of a parameter stand for. It reports whether arg fits, and
// whether that is certain.
func deduceType(holes map[*ctype.Struct]ctype.Type, param ctype.Type, arg operand) (fits, known bool) {
	if arg.typ == nil {
		return false, false
	}
	t := arg.typ
	r, ok := ctype.Unqualified(param).(*ctype.Reference)
	if !ok {
		return deducePart(holes, param, ctype.Unqualified(decayed(t)))
	}
	if !arg.lvalue && !arg.xvalue && !isClass(t) {
		t = ctype.Unqualified(t)
	}
	if r.RValue {
		// One to a template parameter itself forwards.
		if hole, ok := ctype.Unalias(r.Elem).(*ctype.Struct); ok && arg.lvalue {
			if _, isHole := holes[hole]; isHole {
				r := &ctype.Reference{Elem: t}
				t = &ctype.Alias{Name: r.String(), Type: r} // which collapses
			}
		}
		return deducePart(holes, r.Elem, t)
	}
	if q, ok := ctype.Unalias(r.Elem).(*ctype.Qualified); ok && q.Const {
		t = ctype.Unqualified(t)
	}
	return deducePart(holes, r.Elem, t)
}

func deducePart(holes map[*ctype.Struct]ctype.Type, param, t ctype.Type) (fits, known bool) {
	bare := ctype.Unqualified(param)
	if hole, ok := bare.(*ctype.Struct); ok {
		if old, isHole := holes[hole]; isHole {
			t = without(t, qualifiers(param))
			if old != nil {
				return old.Demangled() == t.Demangled(), true
			}
			holes[hole] = t
			return true, true
		}
	}
	if pointer, ok := bare.(*ctype.Pointer); ok && mentions(holes, param) {
		other, ok := ctype.Unqualified(t).(*ctype.Pointer)
		if !ok {
			return false, true
		}
		return deducePart(holes, pointer.Elem, other.Elem)
	}
	// Any conversion is possible where no hole is.
	return true, !mentions(holes, param)
}

// atLeastAsSpecialised reports whether the types of b's first n parameters follow from those of a, for which
// types stand that nothing else has. It is false if that is not known.
func (e *evaluator) atLeastAsSpecialised(a, b *overload, n int) bool {
	of, ok := a.opened(e.parser, n)
	if !ok {
		return false
	}
	from, ok := b.opened(e.parser, n)
	if !ok {
		return false
	}
	holes := make(map[*ctype.Struct]ctype.Type)
	for _, hole := range b.holes {
		holes[hole] = nil
	}
	for i := range n {
		param, arg := removeReference(from[i].typ), removeReference(of[i].typ)
		if isReference(from[i].typ) && isReference(of[i].typ) && ctype.Unqualified(from[i].typ).(*ctype.Reference).RValue != ctype.Unqualified(of[i].typ).(*ctype.Reference).RValue {
			return false
		}
		if isReference(from[i].typ) && isReference(of[i].typ) && qualifiers(param) != qualifiers(arg) {
			return false
		}
		if of[i].pack && !from[i].pack || !takesQualifiers(param, arg) {
			return false
		}
		if fits, known := deducePart(holes, ctype.Unqualified(param), ctype.Unqualified(arg)); !fits || !known && !sameType(param, arg) || known && !mentions(holes, param) && !sameType(param, arg) {
			return false
		}
	}
	return true
}

// takesQualifiers reports whether what param points at has no qualifiers that what t points at lacks.
func takesQualifiers(param, t ctype.Type) bool {
	for {
		p, ok := ctype.Unqualified(param).(*ctype.Pointer)
		q, pointer := ctype.Unqualified(t).(*ctype.Pointer)
		if !ok || !pointer {
			return true
		}
		param, t = p.Elem, q.Elem
		wanted, given := qualifiers(param), qualifiers(t)
		if wanted.Const && !given.Const || wanted.Volatile && !given.Volatile {
			return false
		}
	}
}

// opened returns the first n parameters of the template o, with holes for its parameters. ok is false if
// they are not understood.
func (o *overload) opened(p *parser, n int) (params []functionParam, ok bool) {
	last, fixed, reason := o.lastPack(p)
	if reason != nil {
		return nil, false
	}
	guess := newScope("", o.scope)
	guess.parameters = true
	for _, param := range o.head.params {
		switch {
		case param.name == "":
		case param.kind != paramType:
			return nil, false
		case !param.pack:
			guess.declare(param.name, &entity{typ: o.hole(p, param.name)})
		case mentionsName(last, param.name):
			pack := &entity{obscure: aPack, pack: []*entity{}}
			for i := range max(0, n-fixed) {
				pack.pack = append(pack.pack, &entity{typ: o.hole(p, fmt.Sprint(param.name, ":", i))})
			}
			guess.declare(param.name, pack)
		}
	}
	s, _, reason := o.readParams(p, guess)
	if reason != nil || len(s.params) < n {
		return nil, false
	}
	return s.params[:n], true
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
