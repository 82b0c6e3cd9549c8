package cu

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

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
	spec := p.specifiers(&c, p.definer(t != nil))
	spec.member = r != nil
	if spec.begin = whole.i; p.lead >= 0 {
		spec.begin = p.lead
	}
	if spec.space != "" && !spec.member {
		spec.lead = p.above(spec.begin)
	}
	if spec.reason == nil && c.i != o.head && len(o.parts) > 0 {
		at := &whole.list[min(c.i, o.head)]
		spec.reason = unexpected(at)
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
	if r == nil {
		return
	}
	doc := p.ending(o.end - 1)
	for i := first; i < len(r.typ.Fields); i++ {
		f := &r.typ.Fields[i]
		f.Doc = cmp.Or(f.Doc, doc)
	}
}

// lost notes the declaration whole, which the grammar does not know: the layout of its class r is
// not known, and neither are the names that it declares.
func (p *parser) lost(whole cursor, o outline, r *record) {
	if r != nil {
		reject(r.typ, o.stuck, diag.NotUnderstood.New("it has a member that is not understood (unexpected "+o.stuck.Describe()+")").With(p.hint(diag.Message{})))
		return
	}
	p.lostSome = true
	if function := o.function(); function != nil {
		p.functionName(whole, function, nil, nil)
		return
	}
	reason := unexpected(o.stuck)
	p.notUnderstood(whole, specified{at: whole.peek(), typedef: o.typedef, reason: reason}, nil)
}

// declared reads one declarator of a typedef or variable, with its initializer. It
// returns nil when there is none.
func (p *parser) declared(c *cursor, spec *specified) *lex.Token {
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
		p.typedefName(d, spec)
	default:
		if p.local == 0 && p.config.Functions != nil && p.config.Functions(d.name.Text) {
			p.listTyped(d.name, d.typ, spec)
		}
		p.variable(c, d, spec)
	}
	c.skipTo(",", ";")
	return d.name
}

// typedefName declares the name of a typedef. An unnamed class or enumeration gets its
// first name: C++ standard, [dcl.typedef].
func (p *parser) typedefName(d declarator, spec *specified) {
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
	p.scope.declare(d.name.Text, &entity{typ: &ctype.Alias{Name: d.name.Text, Type: typ}, at: d.name.At, depends: p.dependsOn()})
}

// renamesToolkit reports whether a typedef of t gives a class of CUDA's own headers the name
// that it has, as in C: typedef struct float3 float3.
func (p *parser) renamesToolkit(name *lex.Token, t ctype.Type) bool {
	old := p.scope.declared(name.Text)
	stands := p.toolkit.stands(name.Text, old)
	return stands != old && stands.typ.Demangled() == t.Demangled()
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
	if isAuto(d.typ) && p.lambdaConstant(*c, d.name) {
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

// constant notes an integer constant.
func (p *parser) constant(name *lex.Token, v value, t ctype.Type) {
	if name.Doubtful {
		p.obscure(name, "a constant under a condition that could not be evaluated")
		return
	}
	p.scope.declare(name.Text, &entity{constant: &constant{v, t}, at: name.At, depends: p.dependsOn()})
	n, ok := v.int64()
	if !ok || name.At.File().System || p.local > 0 {
		return
	}
	qualified := joinPath(append(named(p.scope.path()), name.Text))
	p.file.Constants[qualified] = n
	p.declaresConstant(qualified)
}

// obscureVariable notes the variable d, whose type counts and whose value is not known.
func (p *parser) obscureVariable(d declarator, what string) {
	if d.unsized != nil || d.name.Doubtful || isAuto(d.typ) {
		p.obscure(d.name, what)
		return
	}
	p.scope.declare(d.name.Text, &entity{obscure: shortened(what, longestObscure), variable: &variable{typ: d.typ}, at: d.name.At})
}

// notUnderstood takes what others need from a declaration whose type is not understood:
// its names, so that a use of one is an error that says so.
func (p *parser) notUnderstood(c cursor, spec specified, r *record) {
	if r != nil && !spec.typedef && !spec.static {
		reject(r.typ, spec.at, spec.reason.Before("it has a member that "))
		return
	}
	for _, part := range p.split(c) {
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

// deviceVariable notes the variable name in the memory of a device. It returns nil for
// other variables and for members of classes.
func (p *parser) deviceVariable(name *lex.Token, spec *specified) *Variable {
	if spec.space == "" || spec.member || p.local > 0 {
		return nil
	}
	v := &Variable{
		Name: name.Text, Namespace: p.scope.path(), Pos: name.Pos(), Included: !name.At.File().Main,
		Space: spec.space, ExternC: p.linkage > 0 || spec.externC, Defined: !spec.extern,
		Doc: document(spec.lead), Directives: p.claim(spec.lead),
	}
	if v.Included {
		v.Directives = nil // that file's own
	}
	p.file.Variables = append(p.file.Variables, v)
	return v
}

// use gives v the directives of another declaration of it in the main file.
func (v *Variable) use(directives []Directive, doc []string) {
	v.Directives = append(v.Directives, directives...)
	slices.SortStableFunc(v.Directives, func(a, b Directive) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	v.Own = v.Included
	if len(doc) > 0 {
		v.Doc = doc
	}
}

// useVariable notes that the using-declaration at the index begin names the variable that f stands for, if it is one in the
// memory of a device: directives above it belong to that.
func (p *parser) useVariable(f found, begin int) {
	if f.last == nil || f.in == nil || f.angled || !f.last.At.File().Main {
		return
	}
	path := f.in.path()
	if f.entity != nil && f.entity.home != nil { // inline and unnamed namespaces, and others that using-directives name
		path = f.entity.home.path()
	}
	i := slices.IndexFunc(p.file.Variables, func(v *Variable) bool { return v.Name == f.last.Text && slices.Equal(v.Namespace, path) })
	if i < 0 {
		return
	}
	lead := p.above(begin)
	if directives := p.claim(lead); len(directives) > 0 {
		p.file.Variables[i].use(directives, document(lead))
	}
}

// mergeVariables gives the definitions of variables the directives above their declarations.
func (p *parser) mergeVariables() {
	for _, v := range p.file.Variables {
		if v.Defined || v.Included && !v.Own || len(v.Directives) == 0 {
			continue
		}
		i := slices.IndexFunc(p.file.Variables, func(d *Variable) bool {
			return d.Defined && !d.Template && d.Name == v.Name && slices.Equal(d.Namespace, v.Namespace)
		})
		if i >= 0 {
			p.file.Variables[i].use(v.Directives, v.Doc)
			v.Directives, v.Own = nil, false
		}
	}
}

// placed returns s with the word for a memory space that stands in a declarator, which wins over
// __device__ among the specifiers.
func (p *parser) placed(s *specified, word *lex.Token) *specified {
	if word == nil || s.space != "" && s.space != "__device__" {
		return s
	}
	with := *s
	with.space, with.memory = word.Text, true
	if s.space == "" && !s.member {
		with.lead = p.above(s.begin)
	}
	return &with
}

// understand takes the type of v from its declarator, behind which c stands.
func (p *parser) understand(v *Variable, c *cursor, d declarator, spec *specified) {
	v.Defined = v.Defined || c.peek().Is("=") || c.peek().Is("{")
	attributes := d.attributes
	if spec.defined == nil { // otherwise those belong to the class
		attributes = append(attributes[:len(attributes):len(attributes)], spec.attributes...)
	}
	_, reason := p.alignment(attributes)
	if d.unsized != nil {
		p.bound(*c, &d)
	}
	switch {
	case d.name.Doubtful || spec.at.Doubtful:
		reason = reasonf(d.name, diag.Macro, "is under a condition that could not be evaluated, because it uses a macro that is not known%w", p.hint(diag.Hint("define it with -D")))
	case c.peek().Is("<"):
		v.Template = true
	case d.unsized != nil:
		reason = reasonf(&d.unsized.at, d.unsized.Code, "has an array bound that is not understood: %w (%w)", d.unsized, diag.Do("write the number of its elements"))
	case reason == nil:
		reason = p.byValue(d.typ, d.name)
	}
	v.Type, v.Const = d.typ, spec.constexpr || unwritable(d.typ)
	v.reject(reason)
	if v.Type != nil {
		p.completePointee(v.Type)
	}
}

// bound gives an array without a bound that of its initializer, where c stands, if that is known.
func (p *parser) bound(c cursor, d *declarator) {
	list := c
	list.accept("=")
	if inside, ok := list.group(); !ok || !inside.more() {
		return
	}
	o, failure := p.initialized(&c, *d)
	if failure.Text != "" {
		return
	}
	if array, ok := ctype.Unqualified(d.typ).(*ctype.Array); ok {
		if known, ok := ctype.Unqualified(o.typ).(*ctype.Array); ok && known.Elem.String() == ctype.Unqualified(array.Elem).String() {
			d.typ, d.unsized = &ctype.Array{Elem: array.Elem, Len: known.Len}, nil
		}
	}
}

// variableTemplate notes a template of variables in the memory of a device, whose
// declaration behind its head is c.
func (p *parser) variableTemplate(c cursor) {
	spec := specified{lead: p.above(max(p.lead, 0))}
	head := c
	for head.more() && !head.peek().Is("=") && !head.peek().Is("{") && !head.peek().Is(";") {
		if l := head.peek(); l.Kind == lex.Ident && spaces[l.Text] {
			spec.space = l.Text
		}
		head.skip()
	}
	if name := lastName(c); name != nil {
		if v := p.deviceVariable(name, &spec); v != nil {
			v.Template = true
		}
	}
}

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
	if ok && v.angled && (!v.constant || t.nested || v.name.Doubtful) {
		p.lostMembers[v.name.Text] = p.lostMembers[v.name.Text] || t.nested
		if e := p.scope.lookup(v.name.Text); e != nil && e.template != nil && e.template.isVariable {
			p.opaque(e.template, t, v.args)
			return true
		}
	}
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
	args, _, reason := p.templateArguments(e.template.head, v.args, e.template.scope, v.name)
	if reason != nil {
		p.opaque(e.template, t, v.args)
		return true
	}
	e.template.special[ctype.Arguments(args)] = c
	return true
}
