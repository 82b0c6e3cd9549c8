package cu

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// instances returns a kernel for each directive instantiate of the template k. The
// template keeps its other directives, and each instance has them.
func (k *kernel) instances(u *unit) []*Kernel {
	var wanted, others []Directive
	for _, d := range k.Directives {
		if d.Verb == instantiateVerb {
			wanted = append(wanted, d)
		} else {
			others = append(others, d)
		}
	}
	if !k.Template {
		return nil // package directive reports it
	}
	var instances []*Kernel
	for _, d := range wanted {
		instances = append(instances, k.instance(u, d, others))
	}
	return instances
}

// instance returns the kernel that the directive d asks for.
func (k *kernel) instance(u *unit, d Directive, directives []Directive) *Kernel {
	base := *k.Kernel
	made := &kernel{Kernel: &base, head: k.head, parameters: k.parameters, written: k.written, scope: k.scope, name: k.name, of: k}
	made.Template, made.TemplateParams, made.Suggestions = false, nil, nil
	made.Errors = append(diag.List(nil), k.Errors...)
	made.Directives = directives
	made.Instance = &Instance{Template: k.Kernel, At: d.Pos}
	made.Own = made.Own || !d.Included
	list := made.instanceArguments(u, d)
	if !list.peek().Is("<") {
		made.namedInstance(u, d, list)
		return made.Kernel
	}
	switch inside, ok := list.angles(); {
	case !ok:
		made.Errors.Add(d.ArgsPos, diag.Unbalanced.New("the < of the arguments is not closed").About(k.Name))
	case list.more():
		made.Errors.Add(list.peek().Pos(), diag.GoName.Errorf("unexpected %s behind the arguments (a GoName begins with a capital)", list.peek().Describe()).About(k.Name))
	default:
		made.positionalInstance(u, d, inside)
	}
	return made.Kernel
}

// understood reads the parameters of an instance whose arguments are known, and bound in
// inner.
func (k *kernel) understood(u *unit, inner *scope) {
	k.Instance.Explicit = k.of.explicit(k.Args)
	k.readParameters(u.in(inner), k.parameters)
	k.Signature = signature(k.Kernel, k.written)
	k.attributes = k.of.attributesOf(k.Args)
	k.launchShape(u)
	u.in(inner).expressionNames(k.Kernel, u.in(inner).parameterNames(k.parameters))
}

// positionalInstance reads the parameters of an instance whose arguments stand in list as in
// C++: <float, 4>.
func (k *kernel) positionalInstance(u *unit, d Directive, list cursor) {
	args, inner, reason := u.in(scopeAt(k.scope, d.until)).templateArguments(k.head, list, k.scope, k.name)
	if reason != nil {
		at := reason.Pos
		if at.Line != d.ArgsPos.Line || at.Filename != d.ArgsPos.Filename {
			at = d.ArgsPos
		}
		k.Errors.Add(at, ofArgument(reason.Code).Errorf("%w (its template parameters are %s)", reason, k.head.positional()).About(k.Name))
		return
	}
	k.Args = args
	k.understood(u, inner)
}

// namedInstance reads the parameters of an instance whose arguments are given by their
// names: T=float,N=4.
func (k *kernel) namedInstance(u *unit, d Directive, list cursor) {
	values, ok := k.instanceValues(d, list)
	if !ok {
		return
	}
	inner := k.head.in(k.scope)
	args := []ctype.TemplateArg{}
	for _, param := range k.head.params {
		value, given := values[param.name]
		use := scopeAt(k.scope, d.until)
		switch {
		case param.pack && !given:
			u.bindPack(inner, param.name, nil, k.name)
			continue
		case param.pack:
			k.Errors.Add(d.ArgsPos, diag.Template.Errorf("template parameter %s (%s) is a pack, which has no single value (%w)", param.name, param.written, diag.Do("give all arguments, as in //cudagen:instantiate %s", k.head.sample())).About(k.Name))
			return
		case !given && param.hasDefault():
			value = param.fallback
			use = param.defaultScope(inner)
		case !given:
			k.Errors.Add(d.ArgsPos, diag.Template.Errorf("template parameter %s has no value (%w)", param.label(), diag.Do("write //cudagen:instantiate %s", k.head)).About(k.Name))
			return
		}
		arg, reason := u.in(use).templateArgument(param, value, inner)
		if reason != nil {
			k.Errors.Add(reason.Pos, ofArgument(reason.Code).Errorf("template parameter %s: %w", param.label(), reason).About(k.Name))
			return
		}
		args = append(args, arg)
		u.bind(inner, param.name, arg, k.name)
	}
	k.Args = args
	k.understood(u, inner)
}

// instanceArguments returns the tokens of the arguments of a directive instantiate, and
// notes the Go name behind them.
func (k *kernel) instanceArguments(u *unit, d Directive) cursor {
	text, name := instanceName(d.Args)
	if text == "" {
		text, name = d.Args, ""
	}
	k.Instance.GoName = name
	list := u.directiveTokens(d, text)
	return newCursor(newTokens(list), lex.Token{At: k.name.At})
}

// instanceName cuts the Go name off the arguments of a directive instantiate. It is empty if there
// is none.
func instanceName(text string) (args, name string) {
	i := strings.LastIndexAny(text, " \t>")
	switch {
	case !goName(text[i+1:]), strings.HasSuffix(strings.TrimRight(text[:max(i, 0)], " \t"), ","),
		strings.HasPrefix(text, "<") && !strings.HasSuffix(strings.TrimRight(text[:i+1], " \t"), ">"):
		return text, ""
	}
	return strings.TrimRight(text[:i+1], " \t"), text[i+1:]
}

// instanceValues reads the arguments of a directive instantiate: T=float,N=4.
func (k *kernel) instanceValues(d Directive, list cursor) (map[string]cursor, bool) {
	values := make(map[string]cursor)
	known := make(map[string]bool)
	for _, param := range k.head.params {
		known[param.name] = param.name != ""
	}
	for _, one := range splitAngles(list) {
		name := one.next()
		if name.Kind != lex.Ident || !one.accept("=") || !one.more() {
			k.Errors.Add(d.ArgsPos, diag.DirectiveArguments.Errorf("a directive instantiate reads %s, with a GoName behind it if wanted", k.head).About(k.Name))
			return nil, false
		}
		if !known[name.Text] {
			k.Errors.Add(name.Pos(), diag.Template.Errorf("there is no template parameter %s (they are %s)", name.Text, k.head).About(k.Name))
			return nil, false
		}
		if _, twice := values[name.Text]; twice {
			k.Errors.Add(name.Pos(), diag.Contradiction.Errorf("template parameter %s is given twice", name.Text).About(k.Name))
			return nil, false
		}
		values[name.Text] = one
	}
	return values, true
}

// goName reports whether word is an exported Go name.
func goName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return false
	}
	for _, r := range word {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// joinImplied returns list with the instances joined that have the same arguments.
func joinImplied(list []*implied) []*implied {
	var kept []*implied
	known := make(map[string]*implied)
	for _, one := range list {
		key := ctype.Arguments(one.args)
		old := known[key]
		if old == nil {
			joined := *one
			known[key] = &joined
			kept = append(kept, &joined)
			continue
		}
		old.explicit, old.elsewhere = old.explicit || one.explicit, old.elsewhere && one.elsewhere
		if one.own && !old.own {
			old.at, old.own = one.at, true
		}
		old.directives = append(slices.Clip(old.directives), one.directives...)
		old.wanted = old.wanted || one.wanted
		if len(old.doc) == 0 {
			old.doc = one.doc
		}
		if old.goName == "" {
			old.goName = one.goName
		}
	}
	return kept
}

// impliedKernel returns the kernel that one is. When it is not the only instance, the Go name of its
// template is not its own.
func (k *kernel) impliedKernel(u *unit, one *implied, only bool) *Kernel {
	base := *k.Kernel
	made := &kernel{Kernel: &base, head: k.head, parameters: k.parameters, written: k.written, scope: k.scope, name: k.name, of: k}
	made.Template, made.TemplateParams, made.Suggestions = false, nil, nil
	made.Errors = append(diag.List(nil), k.Errors...)
	made.Instance = &Instance{Template: k.Kernel, At: one.at.Pos(), GoName: one.goName, ByName: one.unread != nil}
	made.Args, made.Own = one.args, one.own
	if len(one.doc) > 0 {
		made.Doc = one.doc
	}
	made.Directives = overridden(k.Directives, one.directives)
	for i, d := range made.Directives {
		if d.Verb == "kernel" && !only && !slices.Contains(one.directives, d) {
			made.Directives[i].Args, made.Directives[i].Withheld = "", d.Args
		}
	}
	if one.unread != nil {
		made.Instance.Explicit = one.explicit
		made.Errors.Add(made.Pos, one.unread.About(k.Name))
	} else {
		made.understood(u, one.inner)
	}
	return made.Kernel
}

// overridden returns the directives of an instance: its own, and those of its template that they
// do not replace. The grid and the number of threads replace each other.
func overridden(template, own []Directive) []Directive {
	verb := func(d Directive) string {
		if d.Verb == "threads" {
			return "grid"
		}
		return d.Verb
	}
	var list []Directive
	for _, d := range template {
		several := d.Verb == "len" || d.Verb == "infer"
		replaced := !several && slices.ContainsFunc(own, func(o Directive) bool { return verb(o) == verb(d) })
		if d.Verb != instantiateVerb && !replaced {
			list = append(list, d)
		}
	}
	return append(list, own...)
}

// suggestion returns args as a directive gives them: T=float,N=4, or <float, 4> when not all
// parameters can be named.
func (h *templateHead) suggestion(args []ctype.TemplateArg) string {
	named := h.nameable() && len(args) == len(h.params)
	var parts []string
	for i := range args {
		text := directiveArgument(&args[i], i < len(h.params) && deducedType(h.params[i].typ))
		if !named {
			parts = append(parts, text)
		} else if h.params[i].name != "" {
			parts = append(parts, h.params[i].name+"="+text)
		}
	}
	if named {
		return strings.Join(parts, ",")
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// directiveArgument returns arg as a directive gives it. The type of a value is left out,
// unless it is deduced from the value.
func directiveArgument(arg *ctype.TemplateArg, deduced bool) string {
	switch {
	case arg.Entity != nil:
		return strings.ReplaceAll(arg.Entity.QualifiedName(), ctype.AnonymousNamespace+"::", "")
	case !arg.IsValue:
		return arg.Type.String()
	case addressable(arg.Type):
		return "nullptr"
	case deduced:
		return arg.Demangled()
	}
	value := strings.TrimRight(arg.Demangled(), "ul")
	return value[strings.LastIndexByte(value, ')')+1:]
}

// ofArgument returns the code of an error about an argument of a directive instantiate that has the code c.
func ofArgument(c diag.Code) diag.Code {
	if c == diag.NotUnderstood {
		return diag.Template
	}
	return c
}
