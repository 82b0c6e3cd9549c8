package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// explicitInstantiation reads what stands behind template where there is no <: it defines nothing,
// but makes an instance of a template. C++ standard, [temp.explicit].
func (p *parser) explicitInstantiation(c *cursor) {
	begin := c.i - 1 // of the word template
	o := p.outline(c, nil)
	whole := c.piece(begin+1, o.end)
	c.i = o.end
	if o.record >= 0 || whole.peek().Is("struct") || whole.peek().Is("class") || whole.peek().Is("union") {
		p.instantiatedClass(whole)
		return
	}
	in := instantiation{scope: p.scope, declared: begin > 0 && c.list[begin-1].Is("extern")}
	end := whole.stop
	if end > whole.i && whole.list[end-1].Is(";") {
		end--
	}
	if s := o.function(); s != nil {
		end = s.parameters
		parameters := whole.piece(s.parameters, whole.stop)
		inside, ok := parameters.group()
		if !ok {
			return
		}
		in.parameters, in.function = inside, true
		for end > whole.i && whole.list[end-1].Is(")") { // around the name
			end--
		}
	}
	var ok bool
	if in.mention, ok = mentionBefore(whole, whole.i, end); !ok {
		return
	}
	for scan := whole; scan.more(); {
		found := readAttributes(&scan)
		for _, a := range found {
			in.attributes = joinAttributes(in.attributes, launchAttribute{attribute: a, scope: p.scope})
		}
		if len(found) == 0 {
			scan.skip()
		}
	}
	if in.declared {
		begin--
	}
	p.instantiateKernel(&in, &whole.list[begin], p.above(begin))
}

// instantiatedClass notes the class that an explicit instantiation names.
func (p *parser) instantiatedClass(c cursor) {
	if p.below == nil && len(p.launches.names) == 0 {
		return
	}
	c.next()
	readAttributes(&c)
	if f := p.name(&c); f.entity != nil && f.entity.typ != nil {
		if p.below != nil {
			p.declaresType(f.entity.typ)
		}
		p.launches.explicit(f.entity.typ)
	}
}

// instantiateKernel notes the instance of a kernel that in makes, which begins with first, and the directives in lead,
// which stands above it: they are the instance's, but for those that ask for other instances.
func (p *parser) instantiateKernel(in *instantiation, first *lex.Token, lead []lex.Comment) {
	templates := slices.DeleteFunc(slices.Clone(p.kernels.of(p.unit, in.mention, in.scope, 0)), func(k *kernel) bool { return !k.Template })
	if len(templates) == 0 {
		if p.launches.names[in.name.Text] {
			p.launches.instantiations = append(p.launches.instantiations, *in)
		}
		return // of another function
	}
	own := in.name.At.File().Main
	values, k, reason := p.instantiated(in, templates)
	directives := p.claimFor(in.name, first, true, in.parameters, lead)
	if reason != nil {
		if len(directives) > 0 {
			p.errors.Add(directives[0].Pos, in.name.Explain(reason.Before(in.name.Text+": the template arguments of the explicit instantiation below are not understood: ")))
		} else if own && !in.declared {
			p.launches.noteMention(in.mention, templates, "explicit instantiation", reason)
		}
		return
	}
	one := implied{boundArguments: values, at: in.name, explicit: !in.declared, own: own && (!in.declared || len(directives) > 0), doc: document(lead), attributes: in.attributes}
	for _, d := range directives {
		switch text, word := instanceName(d.Args); {
		case d.Verb != instantiateVerb:
			one.directives = append(one.directives, d)
		case text == "":
			one.wanted, one.goName = true, word
		default:
			k.Directives = append(k.Directives, d)
			k.Own = k.Own || own
		}
	}
	one.elsewhere = in.declared && len(one.directives) == 0 && !one.wanted
	k.implied = append(k.implied, &one)
}

// useKernels notes that the using-declaration at the index begin names the kernels that f stands
// for: directives above it belong to them.
func (p *parser) useKernels(f found, begin int) {
	if f.last == nil || f.in == nil || f.angled {
		return
	}
	kernels := p.kernels.within(f.in, f.last.Text, 0, make(map[*scope]bool))
	if len(kernels) == 0 {
		return
	}
	if f.in != p.scope {
		p.kernels.used[p.scope] = append(p.kernels.used[p.scope], kernelUse{f.last.Text, f.in})
	}
	lead := p.above(begin)
	if len(directivesIn(lead)) == 0 {
		return
	}
	if slices.ContainsFunc(lead, func(c lex.Comment) bool { return c.Claimed }) {
		p.errorf(f.last, diag.StrayDirective, "the directives above this using-declaration belong to more than one name: %w", diag.Do("write a declaration for each"))
		return
	}
	if len(kernels) > 1 {
		p.errorf(f.last, diag.StrayDirective, "%s: there are %d kernels of this name: %w", f.last.Text, len(kernels), diag.Do("put the directives above a declaration of the one that is meant"))
		p.claim(lead)
		return
	}
	k := kernels[0]
	k.Directives = append(k.Directives, p.claim(lead)...)
	k.Own = k.Own || f.last.At.File().Main
	if doc := document(lead); len(doc) > 0 && f.last.At.File().Main {
		k.Doc = doc
	}
}

const hiddenArgument = "C++ has no certain name for what is in an unnamed namespace"

// compiled gives the templates the instances of them that an image has. Where it is not certain which
// template that is, or C++ cannot name the instance, it notes why.
func (t *kernelTable) compiled(u *unit) {
	for _, one := range u.config.Instances {
		of := slices.DeleteFunc(slices.Clone(t.byPath[one.Template]), func(k *kernel) bool { return !k.Template || !k.Defined })
		if taking := slices.DeleteFunc(slices.Clone(of), func(k *kernel) bool { return !k.head.takes(one) }); len(taking) > 0 {
			of = taking
		}
		var made *implied
		var unread *ctype.Reason
		for _, k := range of {
			instance, reason := k.compiled(u, one)
			if unread = reason; reason == nil {
				made = instance
			}
		}
		why := diag.Message{}
		switch _, named := one.Source(); {
		case len(of) == 0:
			continue
		case !named:
			why = diag.Template.New("C++ has no name for one of the arguments")
		case len(of) > 1:
			why = diag.Template.Errorf("several templates have this name (%w)", diag.Do("write //cudagen:instantiate <%s> above the one that is meant", one.Arguments))
		case made == nil && one.hidden():
			why = diag.Template.New(hiddenArgument)
		case made != nil:
			of[0].implied = append(of[0].implied, made)
			continue
		default:
			of[0].implied = append(of[0].implied, of[0].named(one, unread))
			continue
		}
		for _, k := range of {
			u.file.Notes.Add(k.Pos, diag.Template.Errorf("the compiler makes the instance <%s> of it, which is not wrapped: %w", one.Arguments, why).About(k.Name))
		}
	}
}

// takes reports whether a template with h may have the instance one, by the number of its arguments: that tells templates of
// one name apart.
func (h *templateHead) takes(one ImageInstance) bool {
	pack := slices.ContainsFunc(h.params, func(p *templateParam) bool { return p.pack })
	return pack || len(h.params) == len(ctype.SplitList(one.Arguments))
}

// compiled returns the instance of the template k that one is, if its arguments are understood.
func (k *kernel) compiled(u *unit, one ImageInstance) (*implied, *ctype.Reason) {
	text, _ := one.Source()
	tokens := u.directiveTokens(Directive{ArgsPos: k.Pos}, text)
	args, inner, reason := u.in(k.scope.root()).templateArguments(k.head, newCursor(newTokens(tokens), lex.Token{At: k.name.At}), k.scope, k.name)
	if reason != nil {
		return nil, reason
	}
	switch same := ctype.Arguments(args) == "<"+one.Arguments+">"; {
	case one.hidden() && !same:
		return nil, reasonf(k.name, diag.Template, hiddenArgument)
	case strings.Contains(one.Arguments, "{") && !same:
		return nil, reasonf(k.name, diag.Template, "which value of a class is meant by <%s> is not known here", one.Arguments)
	}
	return &implied{boundArguments: boundArguments{args, inner}, at: k.name, explicit: true, own: k.Own}, nil
}

// named returns the instance of the template k that one is, of whose arguments only the names are known: its
// parameters are not understood, for the reason unread, and a compiler may tell them.
func (k *kernel) named(one ImageInstance, unread *ctype.Reason) *implied {
	args := []ctype.TemplateArg{}
	for _, text := range ctype.SplitList(one.Arguments) {
		args = append(args, ctype.TemplateArg{Type: &ctype.Struct{Name: text}})
	}
	return &implied{boundArguments: boundArguments{args, nil}, at: k.name, explicit: true, own: k.Own, unread: unread}
}
