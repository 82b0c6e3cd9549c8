package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An actual is what the source says of a kernel where it instantiates or launches one.
type actual struct {
	*unit
	mention
	count    int    // of the parameters; -1 when it does not say
	use      *scope // where the given arguments are looked up
	optional bool   // parameters with default arguments may be missing

	// match compares the type of parameter i, which holes are in, with what the source says.
	// known is false when that is not understood.
	match func(m *matcher, i int, pattern ctype.Type) (fits, known bool)

	isLambda func(i int) bool // unless nil, reports whether argument i of a launch is one
}

// notLambda is for a launch with a lambda: C++ has no name to instantiate the kernel with.
var notLambda = diag.Do("give an object of a class that has operator() in its place")

// An instantiation is an explicit instantiation of a kernel.
type instantiation struct {
	mention
	scope      *scope
	function   bool   // it has parameters
	parameters cursor // between the parentheses
	declared   bool   // extern: another file has the instance
	attributes []launchAttribute
}

// deduce returns the template arguments of k that follow from those given, and from the types of the
// parameters: C++ standard, [temp.deduct]. fits is false when k is certainly
// not meant; a reason says why it is not known.
func (a *actual) deduce(k *kernel) (d boundArguments, fits bool, reason *ctype.Reason) {
	use := a.in(a.use)
	var given []expanded
	if a.angled {
		if given, reason = use.expandAll(splitAngles(a.args)); reason != nil {
			return d, false, reason
		}
	}
	if slices.ContainsFunc(k.head.params, func(param *templateParam) bool { return param.pack }) {
		return a.deducePack(k, given)
	}
	return a.follow(k, given)
}

// follow is deduce with the arguments given, those behind the last template parameter being elements of it, if it
// is a pack. No parameter of k is one.
func (a *actual) follow(k *kernel, given []expanded) (d boundArguments, fits bool, reason *ctype.Reason) {
	last := len(k.head.params) - 1
	if len(given) > last+1 && !k.head.params[last].pack {
		return d, false, nil
	}
	use := a.in(a.use)
	parts := use.split(k.parameters)
	if len(parts) == 1 && parts[0].stop == parts[0].i+1 && parts[0].peek().Is("void") {
		parts = nil
	}
	required := len(parts)
	for a.optional && required > 0 && parts[required-1].find("=") >= 0 {
		required--
	}
	if a.count >= 0 && (a.count > len(parts) || a.count < required) {
		return d, false, nil
	}
	// What is given comes first; holes stand for the others.
	pattern := k.head.in(k.scope)
	holes := a.holesOf(k.head)
	var first []ctype.TemplateArg
	for i, one := range given {
		param := k.head.params[min(i, last)]
		arg, reason := use.givenArgument(param, one, pattern)
		switch {
		case reason != nil && reason.Failed:
			return d, false, nil
		case reason != nil:
			return d, false, reason
		}
		first = append(first, arg)
		if !param.pack {
			a.bind(pattern, param.name, arg, a.name)
		}
	}
	for i, param := range k.head.params {
		if i >= len(given) || param.pack {
			pattern.declare(param.name, holes[i].entity())
		}
	}
	m := newMatcher(a.unit)
	unread := make(map[string]bool) // names in the types that are not read with holes
	for i, part := range parts[:min(len(parts), max(a.count, 0))] {
		a.matched++
		one, refused := a.in(parameterScope(pattern)).parameterType(&part)
		a.matched--
		if refused != nil {
			for j := parts[i].i; j < parts[i].stop; j++ {
				unread[parts[i].list[j].Text] = true
			}
			continue
		}
		switch fit, known := a.match(m, i, one.typ); {
		case !known && a.isLambda != nil && a.isLambda(i):
			return d, false, &ctype.Reason{Pos: a.name.Pos(), Message: diag.Message{Code: diag.NotUnderstood, Text: fmt.Sprintf("argument %d is a lambda, whose type has no name", i+1), Remedy: notLambda}}
		case m.unclear || !known && a.dependsOnHole(one.typ):
			return d, false, reasonf(a.name, diag.NotUnderstood, "the type of argument %d is not understood", i+1)
		case known && !fit:
			return d, false, nil
		}
	}
	return a.complete(k, first, holes, m, unread)
}

// complete returns the arguments first of k with those that m has found for the holes
// behind them, and the default ones.
func (a *actual) complete(k *kernel, first []ctype.TemplateArg, holes []*hole, m *matcher, unread map[string]bool) (d boundArguments, fits bool, reason *ctype.Reason) {
	d.inner = k.head.in(k.scope)
	d.args = []ctype.TemplateArg{}
	for i, param := range k.head.params {
		var arg ctype.TemplateArg
		filled, ok := m.bound[holes[i]]
		elements, deduced := m.packs[holes[i]]
		switch {
		case param.pack && (deduced || !unread[param.name]):
			own := first[min(i, len(first)):]
			if !deduced {
				elements = own
			}
			if n := len(own); n > len(elements) || n > 0 && ctype.Arguments(elements[:n]) != ctype.Arguments(own) {
				return d, false, nil
			}
			for j := range elements {
				if fits, reason = a.typed(param, &elements[j], m, holes[i], d.inner); !fits {
					return d, false, reason
				}
			}
			d.args = append(d.args, elements...)
			a.bindPack(d.inner, param.name, elements, a.name)
			continue
		case i < len(first) && !param.pack:
			arg = first[i]
		case ok:
			arg = filled
			if fits, reason = a.typed(param, &arg, m, holes[i], d.inner); !fits {
				return d, false, reason
			}
		case param.name != "" && unread[param.name]:
			return d, false, reasonf(a.name, diag.Template, "template parameter %s is not deduced here", param.label())
		case !param.hasDefault():
			return d, false, reasonf(a.name, diag.Template, "template parameter %s does not follow from the arguments", param.label())
		default:
			switch arg, reason = a.in(param.defaultScope(d.inner)).templateArgument(param, param.fallback, d.inner); {
			case reason != nil && reason.Failed:
				return d, false, nil
			case reason != nil:
				return d, false, reason
			}
		}
		d.args = append(d.args, arg)
		a.bind(d.inner, param.name, arg, a.name)
	}
	if a.spellings.arguments(d.args) > longestName {
		return d, false, reasonf(a.name, diag.Template, "its arguments have names that are longer than %d bytes", longestName)
	}
	return d, a.mayHold(k, d.inner), nil
}

// typed reports whether arg, which m has found for h, has the type of param, which stands in inner.
func (a *actual) typed(param *templateParam, arg *ctype.TemplateArg, m *matcher, h *hole, inner *scope) (fits bool, reason *ctype.Reason) {
	if param.kind != paramValue {
		return true, nil
	}
	t, refused := a.in(inner).valueType(param)
	switch {
	case refused != nil, arg.Type == nil:
		return false, reasonf(a.name, diag.Template, "the type of template parameter %s is not understood", param.label())
	case m.lengths[h]: // any type of integers will do for the bound of an array
		if arg.Type = t; t == ctype.Type(autoType) {
			arg.Type = ctype.Builtin(ctype.UnsignedLong)
		}
	}
	return t == ctype.Type(autoType) || t.Demangled() == ctype.Unqualified(arg.Type).Demangled(), nil
}

// mayHold reports whether the arguments in inner may satisfy the constraints of k, and whether it may have a result with
// them: C++ standard, [temp.deduct].
func (u *unit) mayHold(k *kernel, inner *scope) bool {
	r := u.in(inner)
	for c := k.result; c.more(); {
		if len(readAttributes(&c)) > 0 {
			continue
		}
		f := found{}
		if l := c.peek(); l.Is("::") || l.Kind == lex.Ident && !scalarWords[l.Text] && !functionSpecifiers[l.Text] {
			f = r.name(&c)
		}
		switch {
		case f.failed, f.reason != nil && f.reason.Failed:
			return false
		case f.last == nil:
			c.skip()
		}
	}
	holds, clear := u.satisfied(k.head, inner)
	return holds || !clear
}

// given returns the arguments of a template with a pack, all of which have to be given.
func (a *actual) given(k *kernel) (d boundArguments, fits bool, reason *ctype.Reason) {
	if !a.angled {
		return d, false, reasonf(a.name, diag.Template, "the pack of template parameters is not deduced here")
	}
	args, inner, reason := a.in(a.use).templateArguments(k.head, a.args, k.scope, a.name)
	if reason != nil {
		return d, false, reason
	}
	d = boundArguments{args, inner}
	r := a.in(inner)
	list, reason := r.expandAll(r.split(k.parameters))
	switch {
	case reason != nil:
		return d, false, reason
	case a.count >= 0 && len(list) != a.count:
		return d, false, reasonf(a.name, diag.Template, "the pack of template parameters is not deduced here")
	}
	return d, a.mayHold(k, inner), nil
}

// instantiated returns the template among templates, and its arguments, of which in makes an
// instance: C++ standard, [temp.deduct.decl].
func (u *unit) instantiated(in *instantiation, templates []*kernel) (d boundArguments, of *kernel, reason *ctype.Reason) {
	types, unknown := u.parameterTypes(in)
	a := &actual{unit: u, mention: in.mention, count: -1, use: in.scope}
	if in.function {
		a.count = len(types)
		a.match = func(m *matcher, i int, pattern ctype.Type) (fits, known bool) {
			if types[i] == nil {
				return false, false
			}
			return m.match(ctype.Unqualified(pattern), ctype.Unqualified(types[i])), true
		}
	}
	return a.only(templates, unknown)
}

// parameterTypes returns the types of the parameters of an explicit instantiation, nil for one that
// is not understood, and why that is.
func (u *unit) parameterTypes(in *instantiation) (types []ctype.Type, unknown *ctype.Reason) {
	r := u.in(in.scope)
	for _, part := range r.split(in.parameters) {
		if part.stop == part.i+1 && part.peek().Is("void") {
			break
		}
		one, reason := r.parameterType(&part)
		if reason != nil {
			one.typ, unknown = nil, reason
		}
		types = append(types, one.typ)
	}
	return types, unknown
}

// only returns the one of templates that fits, with its arguments. A reason says why that is not
// known.
func (a *actual) only(templates []*kernel, unknown *ctype.Reason) (d boundArguments, of *kernel, reason *ctype.Reason) {
	for _, k := range templates {
		a.trials++
		one, fits, refused := a.deduce(k)
		a.trials--
		switch {
		case refused != nil:
			reason = refused
		case !fits:
		case of != nil:
			return d, nil, reasonf(a.name, diag.Template, "more than one template of this name fits")
		default:
			d, of = one, k
		}
	}
	switch {
	case reason != nil:
		return d, nil, reason
	case of == nil && unknown != nil:
		return d, nil, unknown
	case of == nil:
		return d, nil, reasonf(a.name, diag.Template, "no template of this name fits")
	}
	return d, of, nil
}

// deducePack returns the template arguments of k, which has packs of template parameters: those given, or
// those that follow from the parameters, if a pack is the last template parameter, and is one of types that the
// last parameter expands, or no parameter is an expansion. C++ standard, [temp.deduct.call].
func (a *actual) deducePack(k *kernel, given []expanded) (d boundArguments, fits bool, reason *ctype.Reason) {
	params := k.head.params
	last := params[len(params)-1]
	parts := a.in(a.use).split(k.parameters)
	packs := 0
	for _, param := range params {
		if param.pack {
			packs++
		}
	}
	expansions := 0
	for _, part := range parts {
		if ellipsis(part) >= 0 {
			expansions++
		}
	}
	switch {
	case packs != 1 || !last.pack || last.name == "" || a.count < 0:
		return a.given(k)
	case expansions == 0:
		if d, fits, reason = a.follow(k, given); reason != nil && len(given) >= len(params) {
			return a.given(k)
		}
		return d, fits, reason
	case last.kind != paramType || len(given) >= len(params) || expansions != 1 || ellipsis(parts[len(parts)-1]) < 0:
		return a.given(k)
	}
	count := a.count - len(parts) + 1
	if count < 0 {
		return d, false, nil
	}
	expanded := *k
	head := *k.head
	head.params = slices.Clone(params[:len(params)-1])
	var list []lex.Token
	for i, part := range parts[:len(parts)-1] {
		if i > 0 {
			list = append(list, comma(part.peek()))
		}
		list = append(list, part.list[part.i:part.stop]...)
	}
	pattern := withoutToken(parts[len(parts)-1], ellipsis(parts[len(parts)-1]))
	for i := range count {
		element := *last
		element.name, element.pack, element.typ = fmt.Sprint(last.name, ":", i), false, newCursor(newTokens([]lex.Token{word(pattern.peek(), "class")}), *pattern.peek())
		head.params = append(head.params, &element)
		if len(list) > 0 {
			list = append(list, comma(pattern.peek()))
		}
		for _, l := range pattern.list[pattern.i:pattern.stop] {
			if l.Kind == lex.Ident && l.Text == last.name {
				l.Text = element.name
			}
			list = append(list, l)
		}
	}
	expanded.head, expanded.parameters = &head, newCursor(newTokens(list), k.parameters.end)
	if d, fits, reason = a.deduce(&expanded); reason != nil || !fits {
		return d, fits, reason
	}
	d.inner = a.bindAll(k.head, d.args, k.scope, a.name)
	return d, a.mayHold(k, d.inner), nil
}
