package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// instantiate returns what the template t with the arguments in list stands for. at is
// its name.
func (r resolver) instantiate(t *template, list cursor, at *lex.Token) (*entity, *ctype.Reason) {
	if t.doubtful {
		return nil, reasonf(at, diag.Macro, "template %s is under a condition that could not be evaluated", t.name)
	}
	if r.lostMembers[t.name] && t.scope.class {
		return nil, reasonf(at, diag.NotUnderstood, "template %s may have a specialisation outside of its class, which is not understood", t.name)
	}
	if r.work.tooManyInstances() {
		return nil, reasonf(at, diag.Template, "too many templates are instantiated")
	}
	if !r.work.enter(deepestNesting) {
		return nil, reasonf(at, diag.NotUnderstood, "templates are nested too deeply")
	}
	defer r.work.leave()
	if t.hole != nil {
		args := r.looseArguments(list)
		if args == nil {
			return nil, reasonf(at, diag.NotUnderstood, "the arguments of %s are not understood", at.Text)
		}
		made := &ctype.Struct{Name: t.name, Args: args}
		r.templateOf[made] = t
		return &entity{typ: made, at: at.At}, nil
	}
	args, inner, reason := r.templateArguments(t.head, list, t.scope, at)
	if reason != nil {
		return nil, reason
	}
	if t.isVariable {
		return r.variableOf(t, args, inner, at)
	}
	if !t.isAlias {
		return &entity{typ: r.classOf(t, args, at), template: nil, at: t.at}, nil
	}
	typ, reason := r.in(inner).wholeType(t.alias)
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Message: reason.Before("alias template " + t.name + " "), Failed: reason.Failed}
	}
	if r.matched > 0 && !r.keeps(typ, args) {
		return nil, reasonf(at, diag.NotUnderstood, "alias template %s drops an argument", t.name)
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
		reject(t, &in.at, diag.Template.New("too many templates are instantiated"))
		return
	}
	if !u.work.enter(deepestNesting) {
		reject(t, &in.at, diag.NotUnderstood.New("templates are nested too deeply"))
		return
	}
	defer u.work.leave()
	defer u.untried()()
	tmpl := in.template
	defined := u.defined
	u.defined = tmpl.entities
	defer func() { u.defined = defined }()
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
	point := u.point
	u.point = in.point
	defer func() { u.point = point }()
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

// defineMember makes m the definition of a class in outer, an instance of t, which is read
// when it is needed.
func (u *unit) defineMember(t *template, outer *ctype.Struct, m *memberClass) {
	members := u.members[outer]
	if members == nil {
		return
	}
	if e := members.names[m.name]; e != nil {
		if class, ok := e.typ.(*ctype.Struct); ok && !class.Complete && u.pending[class] == nil {
			u.pending[class] = &instance{template: t, args: outer.Args, at: *m.class.peek(), member: m, outer: outer, root: u.rootOf(m.class.peek())}
		}
	}
}

// completePointee reads the definition of the class of a template that t points at, if
// there is one.
func (u *unit) completePointee(t ctype.Type) {
	for {
		switch bare := ctype.Unqualified(t).(type) {
		case *ctype.Pointer:
			t = bare.Elem
		case *ctype.Reference:
			t = bare.Elem
		case *ctype.Array:
			t = bare.Elem
		case *ctype.Struct:
			if !bare.Complete && bare.Unsupported == nil {
				u.complete(bare)
			}
			return
		default:
			return
		}
	}
}

// variableOf returns the variable of the template t with the arguments args, which inner
// has by their names.
func (u *unit) variableOf(t *template, args []ctype.TemplateArg, inner *scope, at *lex.Token) (*entity, *ctype.Reason) {
	key := ctype.Arguments(args)
	if e, known := t.variables[key]; known {
		if e == nil {
			return nil, reasonf(at, diag.NotUnderstood, "variable template %s depends on itself", t.name)
		}
		return e, nil
	}
	defer u.untried()()
	declaration, explicit := t.special[key]
	if !explicit {
		class, bound, reason := u.choose(&instance{template: t, args: args, at: *at})
		if reason != nil {
			return nil, reason
		}
		if declaration = class; bound.parent != inner.parent || len(t.partial) > 0 {
			inner = bound
		}
	}
	t.variables[key] = nil
	e, reason := u.variableEntity(t, declaration, inner, at)
	if reason != nil {
		delete(t.variables, key)
		return nil, reason
	}
	t.variables[key] = e
	return e, nil
}

// variableEntity returns the variable that c declares, whose names are looked up from inner.
func (u *unit) variableEntity(t *template, c cursor, inner *scope, at *lex.Token) (*entity, *ctype.Reason) {
	r := u.in(inner)
	refuse := func(why diag.Message) *ctype.Reason {
		return reasonf(at, why.Code, "variable template %s %w", t.name, why)
	}
	spec := r.specifiers(&c, nil)
	if spec.reason != nil {
		return nil, refuse(spec.reason.Message)
	}
	d, reason := r.declarator(&c, spec.typ)
	if reason != nil {
		return nil, refuse(reason.Message)
	}
	if c.peek().Is("<") {
		c.angles()
	}
	o, failure := r.initialized(&c, d)
	if failure.Text != "" {
		return nil, refuse(failure.Before("has a value that is not known: "))
	}
	e := &entity{at: t.at}
	if isInteger(o.typ) {
		e.constant = &constant{o.value(), constType(o.typ)}
	} else {
		e.obscure, e.variable = aVariable, &variable{typ: constType(o.typ), value: &o}
	}
	return e, nil
}
