package cu

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// namespace reads namespace a::b { … } or namespace a = b::c.
func (p *parser) namespace(c *cursor) {
	inline := c.accept("inline")
	c.next()
	readAttributes(c)
	type part struct {
		name        string
		transparent bool
	}
	var parts []part
	for {
		nested := c.accept("inline")
		if c.peek().Kind != lex.Ident || attributeWords[c.peek().Text] {
			break
		}
		parts = append(parts, part{c.next().Text, nested})
		if !c.accept("::") {
			break
		}
	}
	readAttributes(c)
	if c.accept("=") && len(parts) == 1 {
		p.namespaceAlias(c, parts[0].name)
		return
	}
	// A macro of a header that is not there may stand here: for an attribute, as a rule.
	for c.peek().Kind == lex.Ident && !c.peek().Is("namespace") && c.ahead(1).Is("{") {
		c.next()
	}
	if !c.peek().Is("{") {
		return
	}
	if len(parts) == 0 {
		parts = []part{{ctype.AnonymousNamespace, true}}
	}
	parts[len(parts)-1].transparent = parts[len(parts)-1].transparent || inline
	outer := p.scope
	for _, part := range parts {
		parent := p.scope
		if n := parent.names[part.name]; n != nil && n.namespace != nil {
			p.scope = n.namespace // reopened by its alias
			continue
		}
		_, known := parent.children[part.name]
		p.scope = parent.child(part.name)
		if part.transparent && !known {
			p.scope.transparent = true
			parent.order = append(parent.order, p.scope)
		}
	}
	p.block(c)
	p.scope = outer
}

// namespaceAlias reads what stands behind the = of namespace name = ….
func (p *parser) namespaceAlias(c *cursor, name string) {
	at := c.peek().At
	found := p.name(c)
	if found.entity != nil && found.entity.namespace != nil {
		p.scope.declare(name, &entity{namespace: found.entity.namespace, at: at})
	} else if p.scope.lookup(name) != nil { // which it hides
		p.scope.declare(name, &entity{obscure: "another name of a namespace that is not known here", at: at})
	}
	c.accept(";")
}

// linkageBlock reads extern "C" { … }.
func (p *parser) linkageBlock(c *cursor) {
	c.next()
	before := p.linkage
	if c.next().Text == `"C"` {
		p.linkage++
	} else {
		p.linkage = 0
	}
	p.block(c)
	p.linkage = before
}

// using reads a using-declaration, using-directive or alias.
func (p *parser) using(c *cursor) {
	lead := c.i
	c.next()
	begin := c.i
	c.skipTo(";", "}")
	inside := c.piece(begin, c.i)
	c.accept(";")
	if inside.accept("namespace") {
		if found := p.name(&inside); found.entity != nil && found.entity.namespace != nil {
			p.scope.use(found.entity.namespace)
		}
		return
	}
	if inside.accept("enum") {
		if found := p.name(&inside); found.entity != nil && found.entity.typ != nil {
			if s := p.members[ctype.Unqualified(found.entity.typ)]; s != nil {
				for _, name := range slices.Sorted(maps.Keys(s.names)) {
					p.scope.declare(name, s.names[name].again())
				}
			}
		}
		return
	}
	inside.accept("typename")
	name := inside.peek()
	head := inside
	head.next()
	attributes := readAttributes(&head)
	if name.Kind == lex.Ident && head.accept("=") {
		p.aliasDeclaration(name, attributes, head)
		return
	}
	for inside.more() {
		inside.accept("typename")
		last := inside.peek()
		found := p.name(&inside)
		if found.last != nil {
			last = found.last
		}
		e := found.entity
		if e == nil {
			if t := p.known(found); t != nil {
				e = &entity{typ: t, at: last.At}
			} else if c := knownConstant(found); c != nil {
				e = &entity{constant: c, at: last.At}
			} else {
				e = &entity{obscure: "a name of another namespace, " + found.text + ", that is not known here" + p.hint(diag.Message{}).Text, at: last.At}
			}
		}
		p.useKernels(found, lead)
		p.useVariable(found, lead)
		if last.Kind == lex.Ident {
			p.scope.declare(last.Text, e.again())
			p.declaresUsed(last.Text, e)
		}
		if !inside.accept(",") {
			break
		}
	}
}

// aliasDeclaration reads what stands behind the = of using name = ….
func (p *parser) aliasDeclaration(name *lex.Token, attributes []attribute, c cursor) {
	var t ctype.Type
	var reason *ctype.Reason
	depends := p.gather(func() { t, reason = p.wholeType(c) })
	if reason == nil {
		t, reason = p.aligned(name.Text, t, attributes)
	}
	if reason != nil {
		p.obscure(name, "an alias that is not understood: it "+reason.Text)
		return
	}
	if name.Doubtful {
		p.obscure(name, "an alias under a condition that could not be evaluated")
		return
	}
	p.declaresType(t)
	p.scope.declare(name.Text, &entity{typ: &ctype.Alias{Name: name.Text, Type: t}, at: name.At, depends: depends})
}
