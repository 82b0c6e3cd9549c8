package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A template is a class or alias template.
type template struct {
	name     string
	at       lex.Place
	scope    *scope // in which it is declared
	head     *templateHead
	alias    cursor // the type that an alias template stands for
	isAlias  bool
	class    cursor // the definition, from the word struct on; empty when it is not defined
	partial  []partial
	nested   []memberClass            // classes in it that are defined outside of it
	hole     *hole                    // that it stands for in a pattern; nil for others
	classes  map[string]*ctype.Struct // by arguments
	made     []*ctype.Struct          // the same, in the order in which the source names them
	doubtful bool
	launcher *classLauncher // if launches stand in it; nil for others
	loose    bool           // an explicit specialisation has an argument that is an instance of a function template
	standIn  *ctype.Struct

	// How many entities and kernels were declared before the end of its last definition.
	entities int32
	kernels  int

	isVariable bool               // a variable template, whose declaration is class
	special    map[string]cursor  // explicit specialisations of one, by arguments
	variables  map[string]*entity // by arguments
}

// An instance is a class of a class template that nobody has needed in full yet.
type instance struct {
	template *template
	args     []ctype.TemplateArg
	at       lex.Token
	busy     bool

	root *lex.Token // the name in the main file that leads to it; nil for none

	member *memberClass  // of a class in a class template that is defined outside of it; nil for others
	outer  *ctype.Struct // whose member it is
}

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
	head.constraint = p.requires(c)
	switch {
	case c.peek().Is("using"):
		p.aliasTemplate(c, head)
	case c.peek().Is("concept"):
		p.concept(c, head)
	case c.peek().Is("friend"), head.nested:
		o := p.outline(c, r)
		p.lostKernel(c.piece(c.i, o.end), o)
		if o.friend {
			p.friendOperators(*c, o)
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
	align, reason := p.alignment(p.attributes(c))
	ok := c.accept("=") && align == 0 && reason == nil
	end := c.i
	for scan := *c; scan.more() && !scan.peek().Is(";") && !scan.peek().Is("}"); {
		scan.skip()
		end = scan.i
	}
	t := &template{name: name.Text, at: name.At, scope: p.scope, head: head, isAlias: true, alias: c.piece(c.i, end), doubtful: name.Doubtful}
	c.i = end
	c.accept(";")
	switch {
	case name.Kind != lex.Ident:
	case !ok:
		p.obscure(name, conflicting)
	default:
		p.scope.declare(name.Text, &entity{template: t, at: name.At})
	}
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
		return
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	if p.memberOutside(h, whole.piece(o.record, whole.stop), t) || !p.enterQualifiers(&h) {
		return
	}
	class := whole.piece(o.record, whole.stop)
	made := p.templateNamed(h.last, t)
	if made == nil {
		return
	}
	made.entities, made.kernels = p.scope.root().count, len(p.order)
	p.classLauncher(made, class)
	if h.angled {
		made.partial = append(made.partial, partial{head: t, pattern: h.args, class: class, holes: p.holesOf(t)})
		return
	}
	made.define(t, class)
	made.doubtful = made.doubtful || h.last.Doubtful
}

func (t *template) define(head *templateHead, class cursor) {
	inherit(head, t.head)
	t.head, t.class = head, class
}

// templateNamed returns the class template called name in the current scope, made when
// there is none, and nil when the name stands for something else.
func (u *unit) templateNamed(name *lex.Token, head *templateHead) *template {
	if e := u.scope.names[name.Text]; e != nil && e.template != nil && !e.template.isAlias {
		return e.template
	}
	t := &template{name: name.Text, at: name.At, scope: u.scope, head: head, classes: make(map[string]*ctype.Struct)}
	u.scope.declare(name.Text, &entity{template: t, at: name.At})
	if u.scope.names[name.Text].template != t {
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
	c.next()
	p.attributes(&c)
	if name := c.peek(); name.Kind == lex.Ident && c.ahead(1).Is(";") {
		if made := p.templateNamed(name, t); made != nil && made.head != t {
			inherit(made.head, t)
		}
	}
}
