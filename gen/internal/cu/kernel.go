package cu

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A kernel is a Kernel with what is needed to instantiate it.
type kernel struct {
	*Kernel
	head       *templateHead // of a template
	parameters cursor        // with names for auto
	written    cursor        // the parameters as they stand
	result     cursor        // what stands before the name
	scope      *scope        // in which it stands
	name       *lex.Token

	attributes []launchAttribute // of its declarations, in source order
	inherited  []launchAttribute // of an explicit specialisation: those of its template

	index   int        // in which it was declared first
	implied []*implied // of a template: the instances that the source makes itself
	of      *kernel    // of an instance: its template
}

// An implied is an instance of a kernel template that the source makes itself, without a
// directive that asks for it: by an explicit instantiation, or by a launch.
type implied struct {
	boundArguments
	at       *lex.Token
	explicit bool // the source instantiates it explicitly
	own      bool // the main file does, or launches it

	elsewhere bool // another file has the instance: extern template

	unread *ctype.Reason // why args are only names; nil if they are understood

	attributes []launchAttribute // of an explicit instantiation

	// Of the directives above an explicit instantiation.
	directives []Directive
	doc        []string
	goName     string
	wanted     bool // one asks for the instance
}

// explicit reports whether the source instantiates the template k explicitly with args.
func (k *kernel) explicit(args []ctype.TemplateArg) bool {
	return slices.ContainsFunc(k.implied, func(one *implied) bool { return one.explicit && ctype.Arguments(one.args) == ctype.Arguments(args) })
}

// errorf reports what is not understood of k.
func (k *kernel) errorf(l *lex.Token, code diag.Code, format string, arguments ...any) {
	k.Errors.Add(l.Pos(), l.Explain(code.Errorf(format, arguments...)).About(k.Name))
}

// A kernelParts is a kernel's declaration taken apart.
type kernelParts struct {
	before     cursor
	qualifiers cursor // of the name, with the last ::
	name       *lex.Token
	angled     bool
	args       cursor
	parameters cursor
	behind     cursor
	ambiguous  *lex.Token      // may also be the name
	typ        *ctype.Function // that a name of it gives k, which then has no parameters of its own; nil for none
}

// readParameters reads the parameters of k.
func (k *kernel) readParameters(r resolver, list cursor) {
	if !list.more() || list.stop == list.i+1 && list.peek().Is("void") {
		return
	}
	parts := r.split(list)
	expansion, reason := r.expandAll(parts)
	if reason != nil {
		for _, one := range parts {
			if abbreviates(one) {
				reason = abbreviatedReason(one.peek())
			}
		}
		k.Errors.Add(reason.Pos, reason.Before("a parameter ").About(k.Name))
		return
	}
	declared := make(map[string]*entity) // parameters hide what is declared outside
	for i, one := range expansion {
		var param Param
		r.scope = parameterScope(one.scope)
		r.scope.names = declared
		depends := r.gather(func() { param = k.parameter(r, i+1, one.cursor) })
		if param.Type != nil && len(r.conditions) > 0 && !k.Included {
			if pointsAtClass(param.Type) {
				depends = nil
			}
			r.layoutDepends(&depends, param.Type)
			r.warnUnsettled(k, param.Pos, "parameter "+cmp.Or(param.Name, fmt.Sprint(i+1)), depends)
		}
		k.Params = append(k.Params, param)
		depend := r.dependent(one.cursor)
		r.declareParameter(one.cursor, param.Name, param.Type)
		if e := declared[param.Name]; e != nil && depend {
			e.dependent = true
		}
	}
	numberPacks(k.Params)
	var depends dependence
	r.within(&depends, r.all.tokens, k.written.i-1, k.written.stop, nil)
	r.warnUnsettled(k, k.Pos, "its list of parameters", depends)
}

// parameter reads the parameter of k with the number n. Its type is nil when it is not
// understood.
func (k *kernel) parameter(r resolver, n int, c cursor) Param {
	at, declared := c.peek(), c
	param := Param{Pos: at.Pos(), Name: parameterName(c)}
	doubt := (*lex.Token)(nil)
	for i := c.i; i < c.stop; i++ {
		if c.list[i].Doubtful {
			doubt = &c.list[i]
		}
	}
	d, reason := r.parameterType(&c)
	if d.name != nil {
		param.Name, param.Pos = d.name.Text, d.name.Pos()
	}
	if reason == nil {
		reason = r.byValue(d.typ, at)
	}
	if reason == nil && doubt != nil {
		reason = reasonf(doubt, diag.Macro, "is under a condition that could not be evaluated")
	}
	if reason != nil && abbreviates(declared) {
		reason = abbreviatedReason(at)
	}
	if reason != nil {
		name := param.Name
		if name == "" {
			name = fmt.Sprint(n)
		}
		k.Errors.Add(reason.Pos, reason.In("parameter "+name+" ").About(k.Name))
		return param
	}
	if d.name == nil {
		param.Name = "" // its last identifier is the type, as in const T
	}
	param.Type = d.typ
	param.Dependent = k.Args != nil && r.spelledDependent(declared) || has(d.typ, unnamed)
	r.completePointee(d.typ)
	return param
}

// parameterNames returns the names of the parameters that c declares, with commas between them.
func (r resolver) parameterNames(c cursor) string {
	if c.tokens == nil {
		return ""
	}
	var names []string
	for _, one := range r.split(c) {
		names = append(names, parameterName(one))
	}
	return strings.Join(names, ",")
}

// parameterName returns the name of a parameter that may not be understood, for
// messages: the last identifier before a default argument, array bound or trailing return type.
func parameterName(c cursor) string {
	name := ""
	for begin := c.i; c.more(); c.next() {
		l := c.peek()
		if l.Is("=") || l.Is("[") || l.Is("->") {
			break
		}
		if l.Is("<") {
			if _, ok := c.angles(); ok {
				c.i--
				continue
			}
		}
		if l.Kind == lex.Ident && c.i > begin && !scalarWords[l.Text] && !restricts[l.Text] && !c.before().Is("::") &&
			!c.before().Is("struct") && !l.Is("const") && !l.Is("volatile") {
			name = l.Text
		}
	}
	return name
}

// spellAs notes which parameters of k, an explicit specialisation of the template of, symbols may
// spell in terms of the template's parameters, which inner has.
func (k *kernel) spellAs(u *unit, of *kernel, inner *scope) {
	r := u.in(inner)
	list, reason := r.expandAll(r.split(of.parameters))
	if reason != nil || len(list) != len(k.Params) {
		return
	}
	for i, one := range list {
		k.Params[i].Dependent = k.Params[i].Dependent || u.in(one.scope).spelledDependent(one.cursor)
	}
}

// nameArguments takes the template arguments from the name of an explicit specialisation whose
// template is not known.
func (k *kernel) nameArguments(r resolver, parts kernelParts) {
	for _, one := range r.split(parts.args) {
		if t, reason := r.typeArgument(one); reason == nil {
			k.Args = append(k.Args, ctype.TemplateArg{Type: t})
			continue
		}
		v, failure := r.evaluate(one)
		if failure != nil {
			k.Args = append(k.Args, ctype.TemplateArg{Type: &ctype.Struct{Name: join(one.list[one.i:one.stop])}})
			continue
		}
		k.Args = append(k.Args, ctype.TemplateArg{Type: ctype.Builtin(ctype.Int), Value: v.bits, IsValue: true})
	}
}

// signature returns the declaration of k as a person would write it: without
// attributes, restrict and default arguments.
func signature(k *Kernel, parameters cursor) string {
	var parts []string
	c := parameters
	var kept []lex.Token
	skipping := false
	for ; c.more(); c.next() {
		l := c.peek()
		switch {
		case l.Is(","):
			parts = append(parts, join(kept))
			kept, skipping = nil, false
		case l.Is("="):
			skipping = true
		}
		if skipping || l.Is(",") || restricts[l.Text] || l.Is("__grid_constant__") {
			if c.opening() && skipping {
				c.skip()
				c.i--
			}
			continue
		}
		if l.Is("<") {
			from := c.i
			if _, ok := c.angles(); ok {
				kept = append(kept, c.list[from:c.i]...)
				c.i--
				continue
			}
		}
		if c.opening() {
			from := c.i
			c.skip()
			kept = append(kept, c.list[from:c.i]...)
			c.i--
			continue
		}
		kept = append(kept, *l)
	}
	if len(kept) > 0 || len(parts) > 0 {
		parts = append(parts, join(kept))
	}
	return "void " + k.Name + ctype.Arguments(k.Args) + "(" + strings.Join(parts, ", ") + ")"
}

// warnUnsettled reports that what is at at, of k, depends on the conditions in d. Conditions that
// enclose k do not count: where k is, they hold.
func (u *unit) warnUnsettled(k *kernel, at token.Position, what string, d dependence) {
	if !k.Defined {
		return
	}
	var around dependence
	u.on(&around, k.name.At)
	slices.Sort(d)
	for _, n := range d {
		c := &u.conditions[n-1]
		if slices.Contains(around, n) {
			continue
		}
		k.Warnings.Add(at, diag.Macro.Errorf("%s depends on the condition in %s:%d, and %s is not defined: %w%w",
			what, c.At.At.Position().Filename, c.At.At.Line(), strings.Join(c.Names, " or "), diag.Do("define it with -D if it is meant"), u.hint(diag.Message{})).About(k.Name))
	}
}

// A launchAttribute is an attribute in a declaration of a kernel that says how it is launched.
type launchAttribute struct {
	attribute
	scope *scope        // where it stands
	head  *templateHead // of the declaration; nil for none
}

// noteAttributes notes what stands in a declaration of k, whose template head is t. Their values
// may depend on the parameters of the template.
func (k *kernel) noteAttributes(found []attribute, s *scope, t *templateHead) {
	for _, a := range found {
		k.attributes = joinAttributes(k.attributes, launchAttribute{a, s, t})
	}
}

// joinAttributes returns list, which it leaves as it is, with the attributes in more that say how a
// kernel is launched, and without those that they replace.
func joinAttributes(list []launchAttribute, more ...launchAttribute) []launchAttribute {
	for _, a := range more {
		if !launchKinds[a.kind] {
			continue
		}
		values := len(splitAngles(a.values))
		list = append(slices.DeleteFunc(slices.Clone(list), func(old launchAttribute) bool {
			return old.kind == a.kind && len(splitAngles(old.values)) <= values
		}), a)
	}
	return list
}

// attributesOf returns the attributes of the instance of k with args: those of the template, and
// behind them those of its explicit instantiations.
func (k *kernel) attributesOf(args []ctype.TemplateArg) []launchAttribute {
	list := k.attributes
	for _, one := range k.implied {
		if len(one.attributes) > 0 && ctype.Arguments(one.args) == ctype.Arguments(args) {
			list = joinAttributes(list, one.attributes...)
		}
	}
	return list
}

// launchShape takes the constants of the attributes that say how k is launched. Of several
// declarations the last one counts, as for nvcc.
func (k *kernel) launchShape(u *unit) {
	k.LaunchBounds, k.BlockSize, k.ClusterDims, k.MaxRegisters = nil, nil, nil, 0
	k.configure(u, k.inherited)
	k.configure(u, k.attributes)
}

// configure takes what list adds to what is known of how k is launched.
func (k *kernel) configure(u *unit, list []launchAttribute) {
	for i := range list {
		k.configuration(u.in(k.launchScope(u, &list[i])), &list[i].attribute)
	}
}

// launchScope returns the scope in which the values of a, which belongs to k, are looked up. It has
// the parameters of the template, which are not known while k is one.
func (k *kernel) launchScope(u *unit, a *launchAttribute) *scope {
	if a.head == nil || a.head.empty {
		return a.scope
	}
	s := a.head.in(a.scope)
	args, known := k.Args, !k.Template
	for i, param := range a.head.params {
		last := i == len(a.head.params)-1
		switch known = known && (param.pack && last || !param.pack && len(args) > 0); {
		case !known:
			s.declare(param.name, &entity{obscure: "a parameter of the template", at: k.name.At})
		case param.pack:
			u.bindPack(s, param.name, args, k.name)
		default:
			u.bind(s, param.name, args[0], k.name)
			args = args[1:]
		}
	}
	return s
}

// configuration takes the constants of an attribute that says how a kernel is launched.
func (k *kernel) configuration(r resolver, a *attribute) {
	switch a.kind {
	case "launch_bounds":
		values := r.constants(a)
		if n := len(values); n > 0 && n < len(k.LaunchBounds) {
			values = append(values, k.LaunchBounds[n:]...)
		}
		k.LaunchBounds = values
	case "cluster_dims":
		k.ClusterDims = r.constants(a)
	case "block_size":
		k.BlockSize = k.blockSize(r, a)
	case "maxnreg":
		k.MaxRegisters = 0
		if values := r.constants(a); len(values) == 1 {
			k.MaxRegisters = values[0]
		}
	}
}

// constants returns the values of an attribute, nil when they are not constant.
func (r resolver) constants(a *attribute) []int64 {
	var values []int64
	for _, one := range r.split(a.values) {
		v, failure := r.evaluate(one)
		n, ok := v.int64()
		if failure != nil || !ok {
			return nil
		}
		values = append(values, n)
	}
	return values
}

// blockSize returns the threads of __block_size__((x, y, z), (clusters)), and takes the
// dimensions of the cluster, if they are there: CUDA C++ Programming Guide, Thread
// Block Clusters.
func (k *kernel) blockSize(r resolver, a *attribute) []int64 {
	var block []int64
	for i, one := range r.split(a.values) {
		inside, ok := one.group()
		if !ok {
			return r.constants(a)
		}
		values := r.constants(&attribute{values: inside})
		if i == 0 {
			block = values
		} else {
			k.ClusterDims = values
		}
	}
	return block
}
