package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A variableDeclaration is that of a variable template, or of a specialisation of one.
type variableDeclaration struct {
	whole    cursor // from the specifiers on
	name     *lex.Token
	args     cursor // of a specialisation
	angled   bool
	constant bool // const or constexpr
}

// variableDeclared takes the declaration of a variable behind template < … > apart.
func variableDeclared(c cursor) (v variableDeclaration, ok bool) {
	v.whole = c
	member := false
	for scan := c; scan.more(); {
		l := scan.peek()
		switch {
		case l.Is("="), l.Is("{"):
			return v, v.name != nil
		case l.Is("("), l.Is(";"), l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"), l.Is("friend"):
			return v, false
		case l.Is("<"):
			if list, closed := scan.angles(); closed {
				v.args, v.angled = list, true
				continue
			}
		case l.Is("constexpr"), l.Is("const"):
			v.constant = true
		case l.Is("::"):
			member = true
		case l.Kind == lex.Ident:
			v.name, v.angled = l, false
			if member = member && scan.before().Is("::"); member && scan.ahead(1).Is("=") {
				return v, false // a static member of a class template
			}
		}
		scan.next()
	}
	return v, false
}

// constantTemplate notes the variable template c with the head t, or a specialisation of one,
// if its variables are constants. It reports whether c is one.
func (p *parser) constantTemplate(c cursor, t *templateHead) bool {
	v, ok := variableDeclared(c)
	if !ok || !v.constant || t.nested {
		return false
	}
	if !v.angled {
		made := &template{
			name: v.name.Text, at: v.name.At, scope: p.scope, head: t, isAlias: true, isVariable: true,
			class: c, special: make(map[string]cursor), variables: make(map[string]*entity), doubtful: v.name.Doubtful,
		}
		p.scope.declare(v.name.Text, &entity{template: made, at: v.name.At})
		return true
	}
	e := p.scope.lookup(v.name.Text)
	if e == nil || e.template == nil || !e.template.isVariable {
		return false
	}
	if !t.empty {
		e.template.partial = append(e.template.partial, partial{head: t, pattern: v.args, class: c, holes: p.holesOf(t)})
		return true
	}
	args, _, reason := p.templateArguments(e.template.head, v.args, p.scope, e.template.scope, v.name)
	if reason != nil {
		e.template.doubtful = true // which one it specialises is not known
		return true
	}
	e.template.special[ctype.Arguments(args)] = c
	return true
}

// variableOf returns the variable of the template t with the arguments args, which inner
// has by their names.
func (p *parser) variableOf(t *template, args []ctype.TemplateArg, inner *scope, at *lex.Token) (*entity, *ctype.Reason) {
	key := ctype.Arguments(args)
	if e, known := t.variables[key]; known {
		if e == nil {
			return nil, p.reasonf(at, diag.NotUnderstood, "variable template %s depends on itself", t.name)
		}
		return e, nil
	}
	declaration, explicit := t.special[key]
	if !explicit {
		class, bound, reason := p.choose(&instance{template: t, args: args, at: *at})
		if reason != nil {
			return nil, reason
		}
		if declaration = class; bound.parent != inner.parent || len(t.partial) > 0 {
			inner = bound
		}
	}
	t.variables[key] = nil
	e, reason := p.variableEntity(t, declaration, inner, at)
	if reason != nil {
		delete(t.variables, key)
		return nil, reason
	}
	t.variables[key] = e
	return e, nil
}

// variableEntity returns the variable that c declares, whose names are looked up from inner.
func (p *parser) variableEntity(t *template, c cursor, inner *scope, at *lex.Token) (*entity, *ctype.Reason) {
	outer := p.scope
	p.scope = inner
	defer func() { p.scope = outer }()
	refuse := func(why diag.Message) *ctype.Reason {
		return p.reasonf(at, why.Code, "variable template %s %w", t.name, why)
	}
	spec := p.specifiers(&c, specifierContext{})
	if spec.reason != nil {
		return nil, refuse(spec.reason.Message)
	}
	d, reason := p.declarator(&c, spec.typ)
	if reason != nil {
		return nil, refuse(reason.Message)
	}
	if c.peek().Is("<") {
		c.angles()
	}
	o, failure := p.initialized(&c, d)
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
