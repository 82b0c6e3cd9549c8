package cu

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// template reads a declaration that begins with the word template.
func (p *parser) template(c *cursor, r *record) {
	begin := c.i
	c.next()
	if !c.peek().Is("<") {
		p.explicitInstantiation(c)
		return
	}
	c.i = begin
	var head *templateHead
	for c.peek().Is("template") && c.ahead(1).Is("<") {
		c.next()
		c.compareParameters()
		list, ok := c.angles()
		if !ok {
			// What a < of a header means may be up to templates that are not understood.
			at, o := c.peek(), p.outline(c, r)
			if at.At.File().Main {
				p.errorf(at, diag.Unbalanced, "the parameters of a template are not closed")
			} else {
				p.lostKernel(c.piece(c.i, o.end), o)
			}
			if r != nil {
				reject(r.typ, at, diag.NotUnderstood.New("it has a member template whose parameters are not understood"))
			}
			c.i = o.end
			return
		}
		nested := head != nil
		head = p.templateHead(list)
		head.nested = nested
	}
	head.constraint = requires(c)
	switch {
	case c.peek().Is("using"):
		p.aliasTemplate(c, head)
	case c.peek().Is("concept"):
		p.concept(c, head)
	case c.peek().Is("friend"), head.nested:
		o := p.outline(c, r)
		p.lostKernel(c.piece(c.i, o.end), o)
		if o.friend {
			p.friendFunctions(*c, o)
		} else {
			p.lostSpecialisation(c.piece(c.i, o.end), head)
		}
		if o.stuck != nil && r != nil {
			p.lost(c.piece(c.i, o.end), o, r)
		}
		c.i = o.end
	default:
		at := c.i
		p.simpleTemplate(c, r, head, begin)
		c.i = max(c.i, at+1)
	}
	if len(p.reading) == 0 { // otherwise the template around it stands where it stands
		head.until = p.scope.root().count
	}
}

// lostKernel reports a kernel where none can be.
func (p *parser) lostKernel(c cursor, o outline) {
	if !o.kernel || c.peek().Is("friend") {
		return
	}
	for ; c.more(); c.next() {
		if c.peek().Is("__global__") {
			p.errorf(c.peek(), diag.KernelDeclaration, "kernel inside of a declaration that is not understood (%w)", diag.Do("move it to a namespace"))
			return
		}
	}
}

// simpleTemplate reads the declaration behind template < … >, which begins at the index
// begin.
func (p *parser) simpleTemplate(c *cursor, r *record, head *templateHead, begin int) {
	p.lead = begin
	p.simple(c, r, head)
	p.lead = -1
}

// aliasTemplate reads using name = type behind a head.
func (p *parser) aliasTemplate(c *cursor, head *templateHead) {
	c.next()
	name := c.peek()
	c.next()
	align, reason := p.alignment(readAttributes(c))
	ok := c.accept("=") && align == 0 && reason == nil
	begin := c.i
	c.skipTo(";", "}")
	t := &template{name: name.Text, at: name.At, scope: p.scope, head: head, isAlias: true, alias: c.piece(begin, c.i), doubtful: name.Doubtful}
	c.accept(";")
	switch {
	case name.Kind != lex.Ident:
	case !ok:
		p.obscure(name, conflicting)
	default:
		p.scope.declare(name.Text, &entity{template: t, at: name.At})
	}
}

// concept reads concept name = expression; behind a head.
func (p *parser) concept(c *cursor, head *templateHead) {
	c.next()
	name := c.peek()
	ok := name.Kind == lex.Ident && c.ahead(1).Is("=")
	begin := c.i + 2
	c.skipTo(";", "}")
	whole := c.piece(begin, c.i)
	c.accept(";")
	if ok {
		p.scope.declare(name.Text, &entity{concept: &concept{head, whole, p.scope}, obscure: "a concept", at: name.At})
	}
}

// patternWords returns the words of a pattern, with the positions of the parameters of head for their names: another
// declaration may have others.
func patternWords(head *templateHead, pattern cursor) string {
	words := slices.Clone(pattern.list[pattern.i:pattern.stop])
	for i := range words {
		n := slices.IndexFunc(head.params, func(p *templateParam) bool { return p.name == words[i].Text })
		if n >= 0 && words[i].Kind == lex.Ident {
			words[i].Text = fmt.Sprintf("#%d", n)
		}
	}
	return join(words)
}

// classTemplate reads the definition of a class template or of a partial
// specialisation.
func (p *parser) classTemplate(whole cursor, o outline, t *templateHead) {
	c := whole.piece(o.record+1, whole.stop)
	if whole.list[o.record].Is("enum") {
		return
	}
	h := p.head(&c, false)
	if h.last == nil || !h.defines {
		p.lostSpecialisation(whole, t)
		return
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	if p.memberOutside(h, whole.piece(o.record, whole.stop), t) {
		return
	}
	if p.scope = p.qualifying(&h); p.scope == nil {
		p.scope = outer
		p.lostSpecialisation(whole, t)
		return
	}
	class := whole.piece(o.record, whole.stop)
	made := p.specialised(h)
	if made == nil {
		made = p.templateNamed(h.last, t)
	}
	if made == nil {
		return
	}
	made.entities, made.kernels = p.scope.root().count, len(p.kernels.order)
	p.launches.classLauncher(made, class, p.scope)
	if h.angled {
		made.partial = slices.DeleteFunc(made.partial, func(s partial) bool {
			return s.opaque && patternWords(s.head, s.pattern) == patternWords(t, h.args)
		}) // declared before
		made.partial = append(made.partial, partial{head: t, pattern: h.args, class: class, holes: p.holesOf(t), opaque: h.last.Doubtful})
		return
	}
	made.define(t, class)
	made.doubtful = made.doubtful || h.last.Doubtful
}

// specialised returns the template that h specialises, which an inline namespace of the current scope may declare, and nil if h
// has no arguments.
func (p *parser) specialised(h head) *template {
	if e := p.scope.own(h.last.Text); h.angled && e != nil && e.template != nil && !e.template.isAlias {
		return e.template
	}
	return nil
}

// templateNamed returns the class template called name in the current scope, made when
// there is none, and nil when the name stands for something else.
func (p *parser) templateNamed(name *lex.Token, head *templateHead) *template {
	if e := p.scope.names[name.Text]; e != nil && e.template != nil && !e.template.isAlias {
		return e.template
	}
	t := &template{name: name.Text, at: name.At, scope: p.scope, head: head, classes: make(map[string]*ctype.Struct)}
	p.scope.declare(name.Text, &entity{template: t, at: name.At})
	if p.scope.names[name.Text].template != t {
		return nil
	}
	return t
}

// forwardTemplate reads the declaration of a class template that is not defined here.
func (p *parser) forwardTemplate(c cursor, t *templateHead) {
	for c.more() && !c.peek().Is("struct") && !c.peek().Is("class") && !c.peek().Is("union") {
		if c.peek().Is("=") || c.peek().Is("(") {
			return
		}
		c.next()
	}
	if !c.more() {
		return
	}
	begin := c
	c.next()
	readAttributes(&c)
	if h := p.head(&c, false); h.angled {
		p.lostSpecialisation(begin, t) // it may be defined further down
		return
	}
	c = begin
	c.next()
	readAttributes(&c)
	if name := c.peek(); name.Kind == lex.Ident && c.ahead(1).Is(";") {
		if made := p.templateNamed(name, t); made != nil && made.head != t {
			inherit(made.head, t)
		}
	}
}

// specialisation returns the class that the head h of an explicit specialisation
// defines, nil when its template is not known.
func (p *parser) specialisation(h head) *ctype.Struct {
	e := p.scope.lookup(h.last.Text)
	if e == nil || e.template == nil || e.template.isAlias {
		return nil
	}
	args, _, reason := p.templateArguments(e.template.head, h.args, e.template.scope, h.last)
	if reason != nil {
		p.opaque(e.template, &templateHead{empty: true}, h.args)
		return &ctype.Struct{Name: h.last.Text, Scope: p.scope.path(), Pos: h.last.Pos(), Unsupported: reason}
	}
	e.template.loose = e.template.loose || loose(args)
	t := p.classOf(e.template, args, h.last)
	delete(p.pending, t)
	t.Pos = h.last.Pos()
	return t
}

// opaque notes that t has a specialisation for the arguments pattern that is not understood.
func (p *parser) opaque(t *template, head *templateHead, pattern cursor) {
	t.partial = append(t.partial, partial{head: head, pattern: pattern, holes: p.holesOf(head), opaque: true})
}

// lostSpecialisation notes that c, which stands behind head and is not understood, specialises a class template or a member
// of one, if it does.
func (p *parser) lostSpecialisation(c cursor, head *templateHead) {
	if v, ok := variableDeclared(c); ok && head.nested {
		p.lostMembers[v.name.Text] = true
	}
	for c.more() && !c.peek().Is("struct") && !c.peek().Is("class") && !c.peek().Is("union") {
		if l := c.peek(); l.Is("(") || l.Is("{") || l.Is("=") {
			return
		}
		c.next()
	}
	c.next()
	h := p.head(&c, false)
	if h.last == nil || !h.angled && !head.nested {
		return
	}
	p.lostMembers[h.last.Text] = true
	if !h.angled {
		return
	}
	if s := p.qualifying(&h); s != nil {
		if e := s.lookup(h.last.Text); e != nil && e.template != nil {
			p.opaque(e.template, head, h.args)
		}
	}
}

// memberOutside notes the class that h defines, if it is a member of a class template whose
// parameters head has. It reports whether that is so.
func (p *parser) memberOutside(h head, class cursor, head *templateHead) bool {
	c := h.name
	in := p.scope
	if c.accept("::") {
		in = in.root()
	}
	for first := true; ; first = false {
		l := c.next()
		if l.Kind != lex.Ident || in == nil {
			return false
		}
		e := in.within(l.Text)
		if first {
			e = in.lookup(l.Text)
		}
		switch {
		case e == nil:
			return false
		case e.template == nil:
			in = e.namespace
			if !c.accept("::") {
				return false
			}
			continue
		}
		args, ok := c.angles()
		if !ok || !c.accept("::") || c.peek() != h.last || !sameParams(args, head) || e.template.isAlias {
			return false
		}
		m := memberClass{h.last.Text, head, class}
		e.template.nested = append(e.template.nested, m)
		for _, made := range e.template.classes {
			p.defineMember(e.template, made, &m)
		}
		return true
	}
}

// specialiseMember forgets the definition of a class in an instance of a class template that
// h, behind template <>, defines anew: C++ standard, [temp.expl.spec].
func (p *parser) specialiseMember(h head) {
	if !p.scope.class || h.name.stop == h.name.i || &h.name.list[h.name.stop-1] != h.last {
		return
	}
	e := p.scope.names[h.last.Text]
	if e == nil {
		return
	}
	if class, ok := e.typ.(*ctype.Struct); ok && class.Complete {
		*class = ctype.Struct{Name: class.Name, Scope: class.Scope, Pos: h.last.Pos()}
	}
}
