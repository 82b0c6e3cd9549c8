package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An implied is an instance of a kernel template that the source makes itself, without a
// directive that asks for it: by an explicit instantiation, or by a launch.
type implied struct {
	boundArguments
	at       *lex.Token
	explicit bool // the source instantiates it explicitly
	own      bool // the main file does, or launches it

	elsewhere bool // another file has the instance: extern template

	attributes []launchAttribute // of an explicit instantiation

	// Of the directives above an explicit instantiation.
	directives []Directive
	doc        []string
	goName     string
	wanted     bool // one asks for the instance
}

// impliedInstances returns a kernel for each instance of the template k that the source makes itself, but
// for those that directives ask for too, and for explicit specialisations.
func (k *kernel) impliedInstances(u *unit, kernels *kernelTable, asked []*Kernel) []*Kernel {
	var made []*Kernel
	list := joinImplied(k.implied)
	for _, one := range list {
		key := ctype.Arguments(one.args)
		const most = 64 // suggestions
		if len(k.Suggestions) < most {
			k.Suggestions = append(k.Suggestions, k.head.suggestion(one.args))
		}
		if one.elsewhere || kernels.specialised(k, one) {
			continue
		}
		if slices.ContainsFunc(asked, func(a *Kernel) bool { return a.Args != nil && ctype.Arguments(a.Args) == key }) &&
			len(one.directives) == 0 && !one.wanted {
			continue
		}
		made = append(made, k.impliedKernel(u, one, len(asked)+len(list) == 1))
	}
	return made
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
	made.Instance = &Instance{Template: k.Kernel, At: one.at.Pos(), GoName: one.goName}
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
	made.understood(u, one.inner)
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
