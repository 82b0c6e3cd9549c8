package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu/lex"
)

// explicitInstantiation reads template … behind which no < stands: it defines nothing,
// but says which arguments a kernel is wanted with.
func (p *parser) explicitInstantiation(c *cursor) {
	begin := c.i
	c.next() // template
	o := p.outline(c, nil)
	whole := c.piece(begin, o.end)
	c.i = o.end
	s := o.function()
	if s == nil {
		return
	}
	for scan := whole; scan.i < s.parameters; {
		if scan.peek().Kind == lex.Ident && scan.ahead(1).Is("<") {
			name := scan.next()
			if args, ok := scan.angles(); ok && scan.i == s.parameters {
				p.wanted = append(p.wanted, wantedKernel{name, args, p.scope})
				return
			}
			continue
		}
		scan.next()
	}
}

// A wantedKernel is a kernel template with arguments, as the source instantiates or
// launches it.
type wantedKernel struct {
	name  *lex.Token
	args  cursor
	scope *scope
}

// launches finds the launches name<args><<<…>>> in the file, and adds them and the
// explicit instantiations to the suggestions of their kernel templates.
func (p *parser) launches() {
	templates := make(map[string][]*kernel)
	for _, k := range p.order {
		if k.Template {
			templates[k.Name] = append(templates[k.Name], k)
		}
	}
	if len(templates) == 0 {
		return
	}
	for i := 0; i+3 < len(p.list); i++ {
		l := &p.list[i]
		if l.Kind != lex.Ident || templates[l.Text] == nil || !p.list[i+1].Is("<") {
			continue
		}
		c := p.cursor.piece(i+1, len(p.list))
		args, ok := c.angles()
		if ok && c.peek().Is("<<") && c.ahead(1).Is("<") && !c.ahead(1).Blank {
			p.wanted = append(p.wanted, wantedKernel{l, args, nil})
		}
	}
	for _, w := range p.wanted {
		for _, k := range templates[w.name.Text] {
			p.suggest(k, w)
		}
	}
}

// suggest adds the arguments of w to the suggestions of k, if they are constants and
// types that are known without the function around the launch.
func (p *parser) suggest(k *kernel, w wantedKernel) {
	scope := w.scope
	if scope == nil {
		scope = k.scope
	}
	outer := p.scope
	p.scope = scope
	args, _, reason := p.templateArguments(k.head, w.args, scope, k.scope, w.name)
	p.scope = outer
	if reason != nil {
		return
	}
	if w.scope != nil {
		if k.explicit == nil {
			k.explicit = make(map[string]bool)
		}
		k.explicit[ctype.Arguments(args)] = true
	}
	text := k.head.suggestion(args)
	for _, old := range k.Suggestions {
		if old == text {
			return
		}
	}
	const most = 64
	if len(k.Suggestions) < most {
		k.Suggestions = append(k.Suggestions, text)
	}
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
