package cu

import "github.com/cudagen/cudagen/gen/internal/cu/lex"

// specifiers reads what stands before the declarators. What is a type there and what a
// name is decided by the rule that a declaration has one type, before its names.
func (g *grammar) specifiers() {
	c := &g.c
	typed := false
	var unknown *lex.Token // the type read, if it may be a macro in place of one
	for c.more() && g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case g.record >= 0 && g.kernelBegins():
			g.unended = c.before()
			return
		case l.Is("__global__"):
			g.kernel = true
			c.next()
		case l.Is("extern"):
			c.next()
			if c.peek().Kind == lex.String {
				c.next()
			}
		case l.Is("explicit"):
			c.next()
			if c.peek().Is("(") {
				g.group()
			}
		case l.Kind == lex.Ident && (specifierWords[l.Text] || callConventions[l.Text]):
			g.friend = g.friend || l.Text == "friend"
			g.typedef = g.typedef || l.Text == "typedef"
			c.next()
		case l.Is("decltype"), l.Is("typeof"), l.Is("__typeof__"):
			c.next()
			g.group()
			g.members()
			typed = true
		case l.Kind == lex.Ident && scalarWords[l.Text], l.Is("auto"):
			c.next()
			typed, unknown = true, nil
		case l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
			g.classKey()
			typed, unknown = true, nil
		case l.Is("typename"):
			c.next()
			if !c.peek().Is("decltype") {
				g.path()
			}
			typed, unknown = true, nil
		case l.Is("namespace"), l.Is("using") && c.i > g.begin, l.Is("template") && c.i > g.begin:
			g.fail()
		case l.Kind != lex.Ident && !l.Is("::"), l.Is("operator"):
			return
		case typed && (unknown == nil || !g.misnamed()):
			if !g.macroWord() {
				return
			}
		default:
			switch g.typeName() {
			case nameOfDeclarator:
				return
			case nameOfType:
				typed, unknown = true, nil
				if g.p.unknownWord(l) {
					unknown = l
				}
			}
			if g.macro {
				return
			}
		}
	}
}

// misnamed reports whether the name at the cursor is a type, and what was taken for the
// type is the use of an unknown macro: another name follows it.
func (g *grammar) misnamed() bool {
	inside := grammar{p: g.p, c: g.c, class: g.class}
	inside.path()
	return inside.stuck == nil && namesOrPoints(&inside.c)
}

// namesOrPoints reports whether a declarator with a name may begin at c.
func namesOrPoints(c *cursor) bool {
	l := c.peek()
	return l.Kind == lex.Ident && !attributeWords[l.Text] && !behindParameters[l.Text] || l.Is("*") || l.Is("&") || l.Is("&&")
}

// macroWord steps over one identifier behind the type, when the name stands behind it: it
// is a macro of a header that is not there.
func (g *grammar) macroWord() bool {
	l, next := g.c.peek(), g.c.ahead(1)
	if l.Kind != lex.Ident || next.Kind != lex.Ident || attributeWords[next.Text] || behindParameters[next.Text] || !g.p.unknownWord(l) {
		return false
	}
	g.c.next()
	return true
}

// A nameKind says what a name among the specifiers belongs to.
type nameKind uint8

const (
	nameOfType       nameKind = iota
	nameOfDeclarator          // of a function without a type: a constructor, a destructor, a conversion, a deduction guide
	nameOfMacro               // that is not known, with parentheses
)

// typeName reads a name among the specifiers, unless it is that of a declarator.
func (g *grammar) typeName() nameKind {
	inside := grammar{p: g.p, c: g.c, class: g.class}
	names, last := inside.path()
	c := &inside.c
	switch {
	case inside.stuck != nil:
		g.stuck = inside.stuck
		return nameOfDeclarator
	case c.peek().Is("::"):
		return nameOfDeclarator // ::operator, ::~ or ::*
	case !c.peek().Is("("):
		g.c = *c
		return nameOfType
	}
	behind := *c
	list, ok := behind.group()
	if !ok {
		g.c = *c
		g.fail()
		return nameOfDeclarator
	}
	constructor := g.class != nil && names == 1 && last.Text == g.class.typ.Name || names > 1 && repeats(g.c, c.i)
	switch {
	case behind.peek().Is("->"), constructor && !points(&list):
		return nameOfDeclarator
	case points(&list), names > 1:
		g.c = *c
		return nameOfType
	}
	if !g.p.unknownWord(last) {
		if e := g.p.scope.lookup(last.Text); g.class == nil && e != nil && (e.function != nil || e.variable != nil || e.obscure == aVariable) {
			return nameOfDeclarator
		}
		g.c = *c
		return nameOfType
	}
	switch next := behind.peek(); {
	case macroLike(g.begin, c, g.class):
		g.c, g.macro = behind, true
	case g.class != nil:
		g.fail() // it may stand for members
	case next.Kind == lex.Ident && !behindParameters[next.Text]:
		g.c = behind
	default:
		return nameOfDeclarator
	}
	return nameOfMacro
}

// repeats reports whether the last two names between the cursor c and the index end are
// the same, as in A<T>::A.
func repeats(c cursor, end int) bool {
	var last, before string
	for c.i < end {
		l := c.peek()
		if l.Is("<") {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		if l.Kind == lex.Ident {
			last, before = l.Text, last
		}
		c.next()
	}
	return last == before
}

// path reads a name with its qualifiers and template arguments, and returns how many
// identifiers it has, and the last. It stops before a :: that no identifier follows.
func (g *grammar) path() (names int, last *lex.Token) {
	c := &g.c
	if c.peek().Is("::") {
		c.next()
	}
	for c.peek().Kind == lex.Ident && !c.peek().Is("operator") {
		last = c.next()
		names++
		if c.peek().Is("<") {
			if _, ok := c.angles(); !ok {
				g.fail()
				return names, last
			}
		}
		if !c.peek().Is("::") {
			break
		}
		next := c.ahead(1)
		if next.Is("template") {
			next = c.ahead(2)
		}
		if next.Kind != lex.Ident || next.Is("operator") {
			break
		}
		c.next()
		c.accept("template")
	}
	if last == nil {
		g.fail()
	}
	return names, last
}

// members reads the ::a::b behind decltype(…).
func (g *grammar) members() {
	if g.c.peek().Is("::") && g.c.ahead(1).Kind == lex.Ident {
		g.c.next()
		g.c.accept("template")
		g.path()
	}
}

// classKey reads struct, class, union or enum with the name, and the body of a definition.
func (g *grammar) classKey() {
	c := &g.c
	key := c.i
	enum := c.next().Is("enum")
	if enum && (c.peek().Is("class") || c.peek().Is("struct")) {
		c.next()
	}
	h := g.p.head(c, enum)
	if !h.defines {
		if h.last == nil {
			g.fail()
		}
		return
	}
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		if c.peek().Is("<") {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		g.skip()
	}
	if enum && c.peek().Is(";") {
		return // enum E : int;
	}
	if !c.peek().Is("{") {
		g.fail()
		return
	}
	if g.record >= 0 {
		g.fail()
		return
	}
	g.record = key
	if _, closed := c.group(); closed {
		return
	}
	for c.next(); c.more() && !c.peek().Is(";"); { // the reader of the body reports it
		c.skip()
	}
}

// attributes steps over attributes, and reports whether there were any.
func (g *grammar) attributes() bool {
	begin := g.c.i
	for {
		switch l := g.c.peek(); {
		case l.Is("[") && g.c.ahead(1).Is("["):
			g.group()
		case l.Kind == lex.Ident && attributeWords[l.Text] && !l.Is("noexcept"):
			g.c.next()
			if g.c.peek().Is("(") {
				g.group()
			}
		default:
			return g.c.i > begin
		}
		if g.stuck != nil {
			return true
		}
	}
}

// group steps over a bracketed group.
func (g *grammar) group() {
	if _, ok := g.c.group(); !ok {
		g.fail()
	}
}

// skip steps over one token, or over a whole group.
func (g *grammar) skip() {
	if g.c.opening() {
		if g.group(); g.stuck == nil {
			return
		}
	}
	g.c.i++
}
