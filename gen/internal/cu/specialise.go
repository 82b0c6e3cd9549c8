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
func (r resolver) instantiate(t *template, list cursor, at *lex.Token) (*entity, *ctype.Reason) {
	if t.doubtful {
		return nil, r.reasonf(at, diag.Macro, "template %s is under a condition that could not be evaluated", t.name)
	}
	if r.work.tooManyInstances() {
		return nil, r.reasonf(at, diag.Template, "too many templates are instantiated")
	}
	if !r.work.enter(deepestNesting) {
		return nil, r.reasonf(at, diag.NotUnderstood, "templates are nested too deeply")
	}
	defer r.work.leave()
	if t.hole != nil {
		args := r.looseArguments(list)
		if args == nil {
			return nil, r.reasonf(at, diag.NotUnderstood, "the arguments of %s are not understood", at.Text)
		}
		made := &ctype.Struct{Name: t.name, Args: args}
		r.templateOf[made] = t
		return &entity{typ: made, at: at.At}, nil
	}
	args, inner, reason := r.templateArguments(t.head, list, r.scope, t.scope, at)
	if reason != nil {
		return nil, reason
	}
	if t.isVariable {
		return r.variableOf(t, args, inner, at)
	}
	if !t.isAlias {
		return &entity{typ: r.classOf(t, args, at), template: nil, at: t.at}, nil
	}
	r.scope = inner
	alias := t.alias
	typ, reason := r.typeID(&alias)
	if reason == nil && alias.more() {
		reason = r.reasonf(alias.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", alias.peek().Describe())
	}
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Code: reason.Code, Text: "alias template " + t.name + " " + reason.Text, Failed: reason.Failed}
	}
	return &entity{typ: typ, at: t.at}, nil
}

// complete reads the definition of a class of a class template, when it has not been
// read yet.
func (u *unit) complete(t *ctype.Struct) {
	in := u.pending[t]
	if in == nil || in.busy || u.matched > 0 && u.dependsOnHole(t) {
		return
	}
	if u.work.tooManyInstances() {
		reject(t, &in.at, diag.Template, "too many templates are instantiated")
		return
	}
	if !u.work.enter(deepestNesting) {
		reject(t, &in.at, diag.NotUnderstood, "templates are nested too deeply")
		return
	}
	defer u.work.leave()
	tmpl := in.template
	class, inner, reason := u.choose(in)
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
	u.reading = append(u.reading, class)
	root := u.root
	u.root = in.root
	defer func() {
		u.reading = u.reading[:len(u.reading)-1]
		u.root = root
		in.busy = false
		delete(u.pending, t)
	}()
	local := u.local
	u.local = 0
	defer func() { u.local = local }()
	u.readClass(in, t, class, inner)
	if in.member == nil {
		for i := range tmpl.nested {
			u.defineMember(tmpl, t, &tmpl.nested[i])
		}
	}
}
