package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// specialisation returns the class that the head h of an explicit specialisation
// defines, nil when its template is not known.
func (p *parser) specialisation(h head) *ctype.Struct {
	e := p.scope.lookup(h.last.Text)
	if e == nil || e.template == nil || e.template.isAlias {
		return nil
	}
	args, _, reason := p.templateArguments(e.template.head, h.args, p.scope, e.template.scope, h.last)
	if reason != nil {
		return &ctype.Struct{Name: h.last.Text, Scope: p.scope.path(), Pos: h.last.Pos(), Unsupported: reason}
	}
	e.template.loose = e.template.loose || loose(args)
	t := p.classOf(e.template, args, h.last)
	delete(p.pending, t)
	t.Pos = h.last.Pos()
	return t
}

// loose reports whether one of args is an instance of a function template. There are several
// spellings of one, so it is not clear which arguments are the same.
func loose(args []ctype.TemplateArg) bool {
	return slices.ContainsFunc(args, func(arg ctype.TemplateArg) bool { return arg.Entity != nil && arg.Entity.Args != nil })
}

// classOf returns the class of t with the arguments args.
func (u *unit) classOf(t *template, args []ctype.TemplateArg, at *lex.Token) *ctype.Struct {
	key := ctype.Arguments(args)
	if made := t.classes[key]; made != nil {
		return made
	}
	made := &ctype.Struct{Name: t.name, Args: args, Scope: t.scope.path(), Pos: t.at.Position()}
	t.classes[key] = made
	t.made = append(t.made, made)
	u.templateOf[made] = t
	u.pending[made] = &instance{template: t, args: args, at: *at, root: u.rootOf(at)}
	return made
}

// instantiate returns what the template t with the arguments in list stands for. at is
// its name.
func (p *parser) instantiate(t *template, list cursor, at *lex.Token) (*entity, *ctype.Reason) {
	if t.doubtful {
		return nil, p.reasonf(at, diag.Macro, "template %s is under a condition that could not be evaluated", t.name)
	}
	if p.tooManyInstances() {
		return nil, p.reasonf(at, diag.Template, "too many templates are instantiated")
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.nesting--
		return nil, p.reasonf(at, diag.NotUnderstood, "templates are nested too deeply")
	}
	defer func() { p.nesting-- }()
	if t.hole != nil {
		args := p.looseArguments(list)
		if args == nil {
			return nil, p.reasonf(at, diag.NotUnderstood, "the arguments of %s are not understood", at.Text)
		}
		made := &ctype.Struct{Name: t.name, Args: args}
		p.templateOf[made] = t
		return &entity{typ: made, at: at.At}, nil
	}
	args, inner, reason := p.templateArguments(t.head, list, p.scope, t.scope, at)
	if reason != nil {
		return nil, reason
	}
	if t.isVariable {
		return p.variableOf(t, args, inner, at)
	}
	if !t.isAlias {
		return &entity{typ: p.classOf(t, args, at), template: nil, at: t.at}, nil
	}
	outer := p.scope
	p.scope = inner
	defer func() { p.scope = outer }()
	alias := t.alias
	typ, reason := p.typeID(&alias)
	if reason == nil && alias.more() {
		reason = p.reasonf(alias.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", alias.peek().Describe())
	}
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Message: reason.Before("alias template " + t.name + " "), Failed: reason.Failed}
	}
	return &entity{typ: typ, at: t.at}, nil
}

// complete reads the definition of a class of a class template, when it has not been
// read yet.
func (p *parser) complete(t *ctype.Struct) {
	in := p.pending[t]
	if in == nil || in.busy || p.patterns > 0 && p.dependsOnHole(t) {
		return
	}
	if p.tooManyInstances() {
		reject(t, &in.at, diag.Template.New("too many templates are instantiated"))
		return
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.nesting--
		reject(t, &in.at, diag.NotUnderstood.New("templates are nested too deeply"))
		return
	}
	defer func() { p.nesting-- }()
	tmpl := in.template
	class, inner, reason := p.choose(in)
	switch {
	case reason != nil:
		if t.Unsupported == nil {
			t.Unsupported = reason
		}
		return
	case !class.more():
		return // it may be defined further down
	}
	in.busy = true
	p.reading = append(p.reading, class)
	around, root := p.readingOf, p.root
	p.readingOf, p.root = tmpl, in.root
	p.read(tmpl, t, class, in)
	defer func() {
		p.reading = p.reading[:len(p.reading)-1]
		p.readingOf, p.root = around, root
		in.busy = false
		delete(p.pending, t)
	}()
	outer, linkage, local := p.scope, p.linkage, p.local
	p.scope, p.local = inner, 0
	defer func() { p.scope, p.linkage, p.local = outer, linkage, local }()
	index := class.i
	key := class.next()
	t.Union = key.Is("union")
	h := p.head(&class, false)
	t.Pos = tmpl.at.Position()
	if h.last != nil {
		t.Pos = h.last.Pos()
	}
	p.define(&class, t, key, index, h, nil)
	if in.member == nil {
		for i := range tmpl.nested {
			p.defineMember(tmpl, t, &tmpl.nested[i])
		}
	}
	if class.accept(";"); class.more() {
		reject(t, class.peek(), diag.NotUnderstood.New(class.peek().Describe()+" stands behind its }, and is not understood"))
	}
}
