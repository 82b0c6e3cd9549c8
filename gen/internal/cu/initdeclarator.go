package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// lost notes the declaration whole, which the grammar does not know: the layout of its class r is
// not known, and neither are the names that it declares.
func (p *parser) lost(whole cursor, o outline, r *record) {
	if r != nil {
		reject(r.typ, o.stuck, diag.NotUnderstood.New("it has a member that is not understood (unexpected "+o.stuck.Describe()+")").With(p.hint(diag.Message{})))
		return
	}
	if function := o.function(); function != nil {
		p.functionName(whole, function, nil, nil)
		return
	}
	reason := p.reasonf(o.stuck, diag.NotUnderstood, "is not understood (unexpected %s)", o.stuck.Describe())
	p.notUnderstood(whole, specified{at: whole.peek(), typedef: o.typedef, reason: reason}, nil)
}

// variables reads a declaration of classes, enumerations, types, variables, and functions
// among them.
func (p *parser) variables(c cursor, o outline, r *record, t *templateHead) {
	if r != nil {
		p.declarators(c, o, r, t) // their class depends on what they depend on
		return
	}
	p.gather(func() { p.declarators(c, o, r, t) })
}

// declarators reads what variables reads, and leaves it to the caller to gather the unsettled
// conditions that it depends on.
func (p *parser) declarators(whole cursor, o outline, r *record, t *templateHead) {
	c := whole
	spec := p.specifiers(&c, specifierContext{declares: true, record: r, special: t != nil})
	spec.member = r != nil
	if spec.begin = whole.i; p.lead >= 0 {
		spec.begin = p.lead
	}
	if spec.space != "" && !spec.member {
		spec.lead = p.above(spec.begin)
	}
	if spec.reason == nil && c.i != o.head && len(o.parts) > 0 {
		at := &whole.list[min(c.i, o.head)]
		spec.reason = p.reasonf(at, diag.NotUnderstood, "is not understood (unexpected %s)", at.Describe())
	}
	if spec.reason != nil {
		p.notUnderstood(whole.piece(c.i, whole.stop), spec, r)
		return
	}
	switch {
	case spec.defined != nil:
		p.declaresType(spec.defined)
	case len(o.parts) == 0 && spec.typ != nil:
		p.declaresType(spec.typ)
	}
	if spec.defined != nil {
		if doc := document(p.above(whole.i)); doc != nil {
			switch d := spec.defined.(type) {
			case *ctype.Struct:
				d.Doc = doc
			case *ctype.Enum:
				d.Doc = doc
			}
		}
	}
	if len(o.parts) == 0 {
		if r != nil && spec.defined != nil {
			p.anonymousMember(r, &spec)
		}
		return
	}
	first := 0
	if r != nil {
		first = len(r.typ.Fields)
	}
	for i := range o.parts {
		one := &o.parts[i]
		switch {
		case one.function && !spec.typedef:
			p.function(whole, one, r)
		case r != nil && !spec.typedef && !spec.static:
			p.fieldOf(whole, one, r, &spec)
		default:
			c := whole.piece(one.begin, one.stop)
			p.declared(&c, &spec)
		}
	}
	if r != nil {
		if doc := p.trailing(o.end - 1); doc != "" {
			for i := first; i < len(r.typ.Fields); i++ {
				r.typ.Fields[i].Doc = doc
			}
		}
	}
}

// declared reads one declarator of a typedef or variable, with its initializer. It
// returns nil when there is none.
func (p *parser) declared(c *cursor, spec *specified) *lex.Token {
	at := c.peek()
	d, reason := p.namedDeclarator(c, spec.typ)
	if d.name == nil {
		return nil
	}
	if v := p.deviceVariable(d.name, p.placed(spec, d.space)); v != nil {
		v.reject(reason)
		if reason == nil {
			p.understand(v, c, d, spec)
		}
	}
	switch {
	case reason != nil && spec.typedef:
		p.obscure(d.name, "a typedef that is not understood: it "+reason.Text)
	case reason != nil:
		p.obscure(d.name, aVariable)
	case spec.typedef:
		p.typedefName(d, spec, at)
	default:
		p.variable(c, d, spec)
	}
	for c.more() && !c.peek().Is(",") && !c.peek().Is(";") {
		c.skip()
	}
	return d.name
}

// typedefName declares the name of a typedef. An unnamed class or enumeration gets its
// first name: C++ standard, [dcl.typedef].
func (p *parser) typedefName(d declarator, spec *specified, at *lex.Token) {
	switch t := spec.defined.(type) {
	case *ctype.Struct:
		if t.Name == "" && d.typ == ctype.Type(t) {
			t.Name = d.name.Text
			if s := p.members[t]; s != nil {
				s.name = t.Name
			}
			if p.local == 0 {
				p.file.Structs = append(p.file.Structs, t)
			}
		}
		for i := range d.attributes {
			p.misplaced(t, &d.attributes[i], "struct")
		}
	case *ctype.Enum:
		if t.Name == "" && d.typ == ctype.Type(t) {
			t.Name = d.name.Text
		}
	}
	typ := d.typ
	if d.name.Doubtful {
		p.obscure(d.name, "a typedef under a condition that could not be evaluated")
		return
	}
	if d.unsized != nil {
		p.obscure(d.name, "a typedef of an array without a bound that is understood")
		return
	}
	attributes := append(slices.Clone(spec.attributes), d.attributes...)
	if s, ok := spec.defined.(*ctype.Struct); !ok || ctype.Type(s) != typ {
		aligned, reason := p.aligned(d.name.Text, typ, attributes)
		if reason != nil {
			p.obscure(d.name, "a typedef that "+reason.Text)
			return
		}
		typ = aligned
	}
	if s, ok := typ.(*ctype.Struct); ok && s.Name == d.name.Text {
		p.scope.declare(d.name.Text, &entity{typ: s, at: d.name.At})
		return
	}
	if p.renamesToolkit(d.name, typ) {
		return
	}
	p.declaresType(typ)
	p.scope.declare(d.name.Text, &entity{typ: p.alias(d.name.Text, typ), at: d.name.At, depends: p.dependsOn()})
}

// alias returns another name for t.
func (u *unit) alias(name string, t ctype.Type) ctype.Type {
	return &ctype.Alias{Name: name, Type: t}
}

// variable notes the value of a constant.
func (p *parser) variable(c *cursor, d declarator, spec *specified) {
	q, qualified := d.typ.(*ctype.Qualified)
	if !spec.constexpr && !(qualified && q.Const && !q.Volatile) && !(isArrayType(d.typ) && unwritable(d.typ)) || spec.memory && !spec.constexpr {
		if spec.typ != nil && d.unsized == nil && !d.name.Doubtful {
			p.scope.declare(d.name.Text, &entity{obscure: aVariable, variable: &variable{typ: d.typ}, at: d.name.At})
		} else if spec.typ != nil {
			p.obscure(d.name, aVariable)
		}
		return
	}
	o, failure := p.initialized(c, d)
	if failure.Text != "" {
		p.obscureVariable(d, "a constant whose value is not known: "+failure.Text)
		return
	}
	if isInteger(o.typ) {
		p.constant(d.name, o.value(), constType(o.typ))
		return
	}
	if isFloat(o.typ) && !spec.constexpr {
		p.obscureVariable(d, "a constant whose value is not known: only constexpr makes one of type "+o.typ.String())
		return
	}
	p.scope.declare(d.name.Text, &entity{obscure: aVariable, variable: &variable{typ: constType(o.typ), value: &o}, at: d.name.At, depends: p.dependsOn()})
}

// obscure notes that name is of a kind that is not understood.
//
// What it says of others is cut short, so that a chain of them does not grow.
func (u *unit) obscure(name *lex.Token, what string) {
	const longest = 240
	if len(what) > longest {
		what = strings.ToValidUTF8(what[:longest], "") + "…"
	}
	u.scope.declare(name.Text, &entity{obscure: what, at: name.At})
}

// notUnderstood takes what others need from a declaration whose type is not understood:
// its names, so that a use of one is an error that says so.
func (p *parser) notUnderstood(c cursor, spec specified, r *record) {
	if r != nil && !spec.typedef && !spec.static {
		reject(r.typ, spec.at, spec.reason.Before("it has a member that "))
		return
	}
	for _, part := range p.split(c, true) {
		name := lastName(part)
		switch {
		case name == nil:
		case spec.typedef:
			p.obscure(name, "a typedef that is not understood: it "+spec.reason.Text)
		default:
			if v := p.deviceVariable(name, &spec); v != nil {
				v.reject(spec.reason)
			}
			p.obscure(name, aVariable)
		}
	}
}

// lastName returns the name that a declarator declares, nil when it has none.
func lastName(c cursor) *lex.Token {
	var name *lex.Token
	for c.more() {
		l := c.peek()
		switch {
		case l.Is("("):
			inside, ok := c.group()
			if ok && inside.peek().Is("*") {
				return lastName(inside)
			}
			if ok {
				return name
			}
		case l.Is("["), l.Is("="), l.Is("{"), l.Is(";"):
			return name
		case l.Is("<"):
			if _, ok := c.angles(); ok {
				continue
			}
		case l.Kind == lex.Ident && attributeWords[l.Text]:
			c.next()
			c.group()
			continue
		case l.Kind == lex.Ident:
			name = l
		}
		c.next()
	}
	return name
}

// constant notes an integer constant.
func (u *unit) constant(name *lex.Token, v value, t ctype.Type) {
	if name.Doubtful {
		u.obscure(name, "a constant under a condition that could not be evaluated")
		return
	}
	u.scope.declare(name.Text, &entity{constant: &constant{v, t}, at: name.At, depends: u.dependsOn()})
	n, ok := v.int64()
	if !ok || name.At.File().System || u.local > 0 {
		return
	}
	qualified := joinPath(append(named(u.scope.path()), name.Text))
	u.file.Constants[qualified] = n
	u.declaresConstant(qualified)
}
