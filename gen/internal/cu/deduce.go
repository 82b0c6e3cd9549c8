package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// lastPack returns the declaration of the parameter pack of o, which is its last parameter, and how many
// parameters stand before it. The cursor is empty if there is none.
func (o *overload) lastPack(r resolver) (last cursor, fixed int, reason *ctype.Reason) {
	parts, _ := o.parts(r)
	for i, part := range parts {
		if dots := ellipsis(part); dots >= 0 {
			if i < len(parts)-1 {
				return last, 0, reasonf(&part.list[dots], diag.NotUnderstood, "has a pack of parameters before its last one, which is not understood here")
			}
			return part, i, nil
		}
	}
	return last, len(parts), nil
}

// mentionsBefore reports whether a parameter of o that is no pack mentions the template parameter called
// name.
func (o *overload) mentionsBefore(r resolver, name string) bool {
	parts, _ := o.parts(r)
	return slices.ContainsFunc(parts, func(c cursor) bool { return ellipsis(c) < 0 && mentionsName(c, name) })
}

// A deduction finds the template arguments of an overload in a call.
type deduction struct {
	*evaluator
	o    *overload
	name found
	args []operand

	bound   *scope                         // has the template arguments
	guess   *scope                         // has a hole for each one that args may say
	holes   map[*ctype.Struct]ctype.Type   // what stands in them
	packs   map[string][]ctype.TemplateArg // the elements that name gives
	found   map[string]ctype.TemplateArg   // what the patterns of parameters say
	missing []bool                         // by template parameter: name does not give it
	last    cursor                         // the parameter pack of o, and
	fixed   int                            // how many parameters stand before it
}

// deduce returns a scope with the template arguments of o: those that name gives, those that
// follow from args, and the default ones. C++ standard, [temp.deduct.call].
func (e *evaluator) deduce(o *overload, name found, args []operand) (*scope, *ctype.Reason) {
	d := &deduction{
		evaluator: e, o: o, name: name, args: args, bound: o.head.in(o.scope),
		holes: make(map[*ctype.Struct]ctype.Type), packs: make(map[string][]ctype.TemplateArg), missing: make([]bool, len(o.head.params)),
	}
	d.guess = parameterScope(d.bound)
	var reason *ctype.Reason
	if d.last, d.fixed, reason = o.lastPack(e.resolver); reason != nil {
		return nil, reason
	}
	for _, step := range [...]func() *ctype.Reason{d.take, d.follow, d.complete} {
		if reason := step(); reason != nil {
			return nil, reason
		}
	}
	return d.bound, nil
}

// unknown says that the template arguments are not known here, and fails that o does not fit for certain.
func (d *deduction) unknown(code diag.Code, format string, arguments ...any) *ctype.Reason {
	return reasonf(d.name.last, code, format, arguments...)
}

func (d *deduction) fails(code diag.Code, format string, arguments ...any) *ctype.Reason {
	reason := d.unknown(code, format, arguments...)
	reason.Failed = true
	return reason
}

// open makes a hole called key.
func (d *deduction) open(key string) *entity {
	hole := d.o.hole(&d.patterns, key)
	d.holes[hole] = nil
	return &entity{typ: hole, at: d.name.last.At}
}

// take takes the template arguments that name gives, and opens holes for the others.
func (d *deduction) take() *ctype.Reason {
	var given []expanded
	if d.name.angled {
		var reason *ctype.Reason
		if given, reason = d.expandWithin(splitAngles(d.name.args), &d.work.calls); reason != nil {
			return reason
		}
	}
	for i, param := range d.o.head.params {
		switch {
		case param.pack:
			if reason := d.takePack(param, given); reason != nil {
				return reason
			}
			given = nil
		case len(given) > 0:
			arg, reason := d.givenArgument(param, given[0], d.bound)
			if reason != nil {
				return reason
			}
			given = given[1:]
			d.bind(d.bound, param.name, arg, d.name.last)
		default:
			d.missing[i] = true
			if param.kind == paramType && param.name != "" {
				d.guess.declare(param.name, d.open(param.name))
			}
		}
	}
	if len(given) > 0 {
		return d.fails(diag.Template, "has fewer template parameters")
	}
	return nil
}

// takePack takes the elements given of the pack param, and opens holes for those that the arguments add.
func (d *deduction) takePack(param *templateParam, given []expanded) *ctype.Reason {
	var list []ctype.TemplateArg
	for _, one := range given {
		arg, reason := d.givenArgument(param, one, d.bound)
		if reason != nil {
			return reason
		}
		list = append(list, arg)
	}
	d.packs[param.name] = list
	d.bindPack(d.guess, param.name, list, d.name.last)
	added := 0
	if mentionsName(d.last, param.name) {
		added = max(0, len(d.args)-d.fixed-len(list))
	}
	if added > 0 && (param.kind != paramType || param.name == "") || d.o.mentionsBefore(d.resolver, param.name) {
		return d.unknown(diag.Template, "has a pack of template parameters, which is not deduced here")
	}
	pack := d.guess.names[param.name]
	for range added {
		pack.pack = append(pack.pack, d.open(fmt.Sprint(param.name, ":", len(pack.pack))))
	}
	return nil
}

// follow fills the holes with what follows from the types of the arguments.
func (d *deduction) follow() *ctype.Reason {
	if !slices.Contains(d.missing, true) && len(d.holes) == 0 {
		return nil
	}
	s, _, reason := d.o.readParams(d.in(d.guess))
	if reason != nil {
		return d.followPatterns(reason)
	}
	for i := range min(len(d.args), len(s.params)) {
		switch fits, known := deduceType(d.holes, s.params[i].typ, d.args[i]); {
		case !known:
			return d.followPatterns(d.unknown(diag.Template, "has template arguments that are not deduced here"))
		case !fits:
			return d.fails(diag.Template, "has template arguments that do not follow from the types of arguments")
		}
	}
	return nil
}

// followPatterns fills the holes of a template without packs as a partial specialisation is matched: C++ standard,
// [temp.deduct.type]. unknown is the reason if it cannot.
func (d *deduction) followPatterns(unknown *ctype.Reason) *ctype.Reason {
	parts, _ := d.o.parts(d.resolver)
	if d.last.more() || slices.ContainsFunc(d.o.head.params, func(param *templateParam) bool { return param.pack }) {
		return unknown
	}
	holes, pattern := d.holesOf(d.o.head), parameterScope(d.bound)
	for i, h := range holes {
		if d.missing[i] {
			pattern.declare(h.param.name, h.entity())
		}
	}
	m := newMatcher(d.unit)
	for i := range min(len(d.args), len(parts)) {
		d.matched++
		one, reason := d.in(parameterScope(pattern)).parameterType(&parts[i])
		d.matched--
		t := d.args[i].typ
		switch {
		case reason != nil:
			return unknown
		case !d.dependsOnHole(one.typ):
			continue
		case t == nil:
			return unknown
		}
		p := one.typ
		if r, ok := ctype.Unqualified(p).(*ctype.Reference); ok {
			p = r.Elem
			if class, ok := ctype.Unqualified(p).(*ctype.Struct); !ok || d.holeOf[class] != nil {
				return unknown // T & and T && take qualifiers, too
			}
		}
		if fits := m.match(ctype.Unqualified(p), ctype.Unqualified(decayed(t))); m.unclear {
			return unknown
		} else if !fits {
			class, ok := classOf(t)
			if ok {
				d.unit.complete(class)
			}
			if ok && (len(class.Bases) > 0 || !class.Complete || class.Unsupported != nil) {
				return unknown // a base class may fit
			}
			return d.fails(diag.Template, "has template arguments that do not follow from the types of arguments")
		}
	}
	d.found = make(map[string]ctype.TemplateArg)
	for h, arg := range m.bound {
		if m.lengths[h] {
			return unknown
		}
		d.found[h.param.name] = arg
	}
	return nil
}

// complete binds the parameters that name does not give, to what the holes have or to the default.
func (d *deduction) complete() *ctype.Reason {
	for i, param := range d.o.head.params {
		var reason *ctype.Reason
		switch {
		case param.pack:
			reason = d.completePack(param)
		case d.missing[i]:
			reason = d.completeOne(param)
		}
		if reason != nil {
			return reason
		}
	}
	return nil
}

func (d *deduction) completePack(param *templateParam) *ctype.Reason {
	pack := d.guess.names[param.name]
	if pack == nil {
		return nil // it has no name
	}
	list := d.packs[param.name]
	for j := len(list); j < len(pack.pack); j++ {
		t := d.holes[d.o.hole(&d.patterns, fmt.Sprint(param.name, ":", j))]
		if t == nil {
			return d.unknown(diag.Template, "has a pack of template parameters, which is not deduced here")
		}
		list = append(list, ctype.TemplateArg{Type: t})
	}
	d.bindPack(d.bound, param.name, list, d.name.last)
	return nil
}

func (d *deduction) completeOne(param *templateParam) *ctype.Reason {
	if arg, ok := d.found[param.name]; ok && param.name != "" {
		if param.kind == paramValue {
			switch t, reason := d.in(d.bound).valueType(param); {
			case reason != nil:
				return reason
			case !isAuto(t) && t.Demangled() != ctype.Unqualified(arg.Type).Demangled():
				return d.fails(diag.Template, "has template arguments that do not follow from the types of arguments")
			}
		}
		d.bind(d.bound, param.name, arg, d.name.last)
		return nil
	}
	if param.kind == paramType && param.name != "" {
		if t := d.holes[d.o.hole(&d.patterns, param.name)]; t != nil {
			d.bind(d.bound, param.name, ctype.TemplateArg{Type: t}, d.name.last)
			return nil
		}
	}
	if !param.hasDefault() {
		reason := d.fails(diag.Template, "has template parameter %s, which is not deduced here", param.label())
		reason.Failed = !d.o.mentionsBefore(d.resolver, param.name) && !mentionsName(d.last, param.name)
		return reason
	}
	arg, reason := d.in(param.defaultScope(d.bound)).templateArgument(param, param.fallback, d.bound)
	if reason == nil {
		d.bind(d.bound, param.name, arg, d.name.last)
	}
	return reason
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
		// A reference to a template parameter itself is a forwarding reference.
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
	of, ok := a.opened(e.resolver, n)
	if !ok {
		return false
	}
	from, ok := b.opened(e.resolver, n)
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
func (o *overload) opened(r resolver, n int) (params []functionParam, ok bool) {
	last, fixed, reason := o.lastPack(r)
	if reason != nil {
		return nil, false
	}
	guess := o.head.in(o.scope)
	for _, param := range o.head.params {
		switch {
		case param.name == "":
		case param.kind != paramType:
			return nil, false
		case !param.pack:
			guess.declare(param.name, &entity{typ: o.hole(&r.patterns, param.name)})
		case mentionsName(last, param.name):
			pack := &entity{obscure: aPack, pack: []*entity{}}
			for i := range max(0, n-fixed) {
				pack.pack = append(pack.pack, &entity{typ: o.hole(&r.patterns, fmt.Sprint(param.name, ":", i))})
			}
			guess.declare(param.name, pack)
		}
	}
	s, _, reason := o.readParams(r.in(guess))
	if reason != nil || len(s.params) < n {
		return nil, false
	}
	return s.params[:n], true
}

// mentions reports whether a hole is part of t.
func mentions(holes map[*ctype.Struct]ctype.Type, t ctype.Type) bool {
	return has(t, func(t ctype.Type) bool {
		class, ok := t.(*ctype.Struct)
		if ok {
			_, ok = holes[class]
		}
		return ok
	})
}
