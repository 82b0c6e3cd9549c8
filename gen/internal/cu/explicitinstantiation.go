package cu

import (
	"slices"

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
	p.instantiateKernel(&in, p.above(begin))
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

// instantiateKernel notes the instance of a kernel that in makes, and the directives in lead,
// which stands above it: they are the instance's, but for those that ask for other instances.
func (p *parser) instantiateKernel(in *instantiation, lead []lex.Comment) {
	templates := slices.DeleteFunc(slices.Clone(p.kernels.of(p.unit, in.mention, in.scope, 0)), func(k *kernel) bool { return !k.Template })
	if len(templates) == 0 {
		if p.launches.names[in.name.Text] {
			p.launches.instantiations = append(p.launches.instantiations, *in)
		}
		return // of another function
	}
	own := in.name.At.File().Main
	values, k, reason := p.instantiated(in, templates)
	directives := claim(lead)
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
		claim(lead)
		return
	}
	k := kernels[0]
	k.Directives = append(k.Directives, claim(lead)...)
	k.Own = k.Own || f.last.At.File().Main
	if doc := document(lead); len(doc) > 0 && f.last.At.File().Main {
		k.Doc = doc
	}
}
