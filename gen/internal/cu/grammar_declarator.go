package cu

import "github.com/cudagen/cudagen/gen/internal/cu/lex"

// A form says what a declarator declares, as far as it was read.
type form uint8

const (
	formOpen     form = iota // a name alone, perhaps in parentheses
	formObject               // a pointer, a reference, an array, or what points at a function
	formFunction             // a function: its parameters stand directly behind the name
)

// declarator reads pointers, a name, bounds and parameters: C++ standard,
// [dcl.decl.general].
func (g *grammar) declarator(one *part) form {
	if g.depth++; g.depth > deepestNesting {
		g.fail()
		return formOpen
	}
	defer func() { g.depth-- }()
	c := &g.c
	points := g.pointers()
	found := formOpen
	switch l := c.peek(); {
	case g.stuck != nil:
		return formOpen
	case l.Is("(") && one.name < 0:
		inner := *g
		inside, ok := c.group()
		if !ok {
			g.fail()
			return formOpen
		}
		inner.c, inner.stuck = inside, nil
		list := inside
		g.p.leaking(readAttributes(&list))
		found = inner.declarator(one)
		if inner.stuck == nil && inner.c.more() {
			inner.fail()
		}
		g.stuck = inner.stuck
	case l.Is("..."):
		c.next()
		fallthrough
	default:
		g.name(one)
	}
	if g.stuck != nil {
		return formOpen
	}
	found = g.suffixes(one, found)
	if found == formOpen && points {
		return formObject
	}
	return found
}

// pointers reads *, & and && with their qualifiers, and pointers to members.
func (g *grammar) pointers() (some bool) {
	c := &g.c
	for g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case isSpace(l):
			c.next()
		case l.Is("*"), l.Is("&"), l.Is("&&"):
			c.next()
			some = true
		case some && l.Kind == lex.Ident && pointerQualifiers[l.Text], l.Kind == lex.Ident && callConventions[l.Text]:
			c.next()
		case l.Kind == lex.Ident || l.Is("::"):
			inside := grammar{p: g.p, c: *c, class: g.class}
			if inside.path(); inside.stuck != nil || !inside.c.peek().Is("::") || !inside.c.ahead(1).Is("*") {
				return some
			}
			*c = inside.c
			c.i += 2
			some = true
		default:
			return some
		}
	}
	return some
}

// name reads the name of a declarator, which may be absent.
func (g *grammar) name(one *part) {
	c := &g.c
	switch l := c.peek(); {
	case l.Is("operator"):
		g.operator()
	case l.Is("~"):
		c.next()
		if c.next().Kind != lex.Ident {
			g.fail()
			return
		}
	case l.Kind == lex.Ident && !attributeWords[l.Text], l.Is("::"):
		g.path()
		if c.peek().Is("::") {
			c.next()
			g.name(one)
			return
		}
	default:
		return
	}
	one.name = c.i - 1
}

// operator reads operator and what is the name of the function with it: C++ standard,
// [over.oper], [class.conv.fct], [over.literal].
func (g *grammar) operator() {
	c := &g.c
	c.next()
	l := c.peek()
	switch {
	case l.Is("(") && c.ahead(1).Is(")"), l.Is("[") && c.ahead(1).Is("]"):
		c.i += 2
		return
	case l.Is("new"), l.Is("delete"):
		c.next()
		if c.peek().Is("[") {
			g.group()
		}
		return
	case l.Is("co_await"):
		c.next()
		return
	case l.Kind == lex.String:
		if c.next(); c.peek().Kind == lex.Ident {
			c.next()
		}
		return
	case l.Kind == lex.Punct && !l.Is("::"):
		for c.next(); c.peek().Kind == lex.Punct && !c.peek().Is("(") && !c.peek().Blank && !c.peek().Is("<"); {
			c.next() // >> and what follows it were taken apart
		}
		if c.peek().Is("<") {
			c.angles()
		}
		return
	}
	// A conversion: a type without parentheses.
	typed := false
	for c.more() && !c.peek().Is("(") && g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.Is("decltype"), l.Is("typeof"), l.Is("__typeof__"):
			c.next()
			g.group()
			typed = true
		case l.Is("*"), l.Is("&"), l.Is("&&"), l.Is("::") && typed:
			c.next()
		case l.Kind == lex.Ident && (scalarWords[l.Text] || pointerQualifiers[l.Text]), l.Is("auto"), l.Is("typename"),
			l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
			c.next()
			typed = typed || scalarWords[l.Text] || l.Text == "auto"
		case l.Kind == lex.Ident, l.Is("::"):
			g.path()
			typed = true
		default:
			g.fail()
		}
	}
	if !typed {
		g.fail()
	}
}

// suffixes reads the bounds and parameters behind a name, or behind a declarator in
// parentheses, of which found was read.
func (g *grammar) suffixes(one *part, found form) form {
	c := &g.c
	for g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.Is("["):
			g.group()
			if found == formOpen {
				found = formObject
			}
		case l.Is("(") && one.name < 0:
			g.fail()
		case l.Is("(") && found == formOpen && g.class == nil && initializes(c):
			return formObject
		case l.Is("("):
			if found == formOpen {
				found, one.parameters = formFunction, c.i
			}
			g.group()
			g.behindParameters()
		default:
			return found
		}
	}
	return found
}

// behindParameters reads the qualifiers of a function, what it throws, and a trailing type.
func (g *grammar) behindParameters() {
	c := &g.c
	for g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.Is("const"), l.Is("volatile"), l.Is("&"), l.Is("&&"):
			c.next()
		case l.Is("noexcept"), l.Is("throw"):
			c.next()
			if c.peek().Is("(") {
				g.group()
			}
		case l.Is("->"):
			c.next()
			g.trailingType()
		default:
			return
		}
	}
}

// trailingType reads the type behind ->.
func (g *grammar) trailingType() {
	c := &g.c
	for begin := c.i; c.more() && g.stuck == nil; {
		switch l := c.peek(); {
		case l.Is("{"), l.Is(";"), l.Is("="), l.Is(","), l.Is(":"), l.Is("}"),
			l.Is("override"), l.Is("final"), l.Is("requires"), l.Is("try"):
			if c.i == begin {
				g.fail()
			}
			return
		case l.Is("<") && c.before().Kind == lex.Ident:
			if _, ok := c.angles(); !ok {
				g.fail()
			}
		default:
			g.skip()
		}
	}
}

// behindFunction reads what stands behind the declarator of a function. It reports whether
// a body does, which ends the declaration.
func (g *grammar) behindFunction(one *part) (body bool) {
	c := &g.c
	for g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.Is(";"), l.Is(","):
			return false
		case l.Is("requires"):
			g.requires()
		case l.Is("="):
			c.next()
			switch l := c.next(); {
			case l.Is("delete") && c.peek().Is("("):
				g.group()
			case l.Text != "0" && !l.Is("default") && !l.Is("delete"):
				c.i--
				g.fail()
			}
			return false
		case l.Is("try"):
			c.next()
		case l.Is(":"):
			c.next()
			g.constructorInitializers()
		case l.Is("{"):
			one.body = c.i
			g.group()
			for c.accept("catch") {
				g.group()
				g.group()
			}
			return true
		case l.Kind == lex.Ident && behindParameters[l.Text]:
			c.next()
		case l.Kind == lex.Ident && !l.Is("operator") && !l.Is("__global__") && !specifierWords[l.Text] && !scalarWords[l.Text]:
			// A macro of a header that is not there. It may stand for the body.
			c.next()
			if c.peek().Is("(") {
				g.group()
			}
			if next := c.peek(); next.Kind == lex.Ident && !behindParameters[next.Text] && !attributeWords[next.Text] && (g.class != nil || next.LineStart) {
				g.fail()
			}
		default:
			g.fail()
		}
	}
	return false
}

// constructorInitializers reads a constructor's initializers up to the body: C++
// standard, [class.base.init].
func (g *grammar) constructorInitializers() {
	c := &g.c
	for g.stuck == nil {
		if c.peek().Is("decltype") {
			c.next()
			g.group()
			g.members()
		} else {
			c.accept("typename")
			g.path()
		}
		if !c.peek().Is("(") && !c.peek().Is("{") {
			g.fail()
			return
		}
		g.group()
		c.accept("...")
		if !c.accept(",") {
			return
		}
	}
}

// requires reads a requires-clause: C++ standard, [temp.pre].
func (g *grammar) requires() {
	c := &g.c
	c.next()
	for g.stuck == nil {
		switch l := c.peek(); {
		case l.Is("requires"): // an expression
			c.next()
			if c.peek().Is("(") {
				g.group()
			}
			g.group()
		case l.Is("("):
			g.group()
		case l.Is("true"), l.Is("false"), l.Kind == lex.Number, l.Is("!"):
			c.next()
			if l.Is("!") {
				continue
			}
		default:
			g.path()
		}
		if !c.accept("&&") && !c.accept("||") {
			return
		}
	}
}
