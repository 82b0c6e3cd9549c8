package cu

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
	case l.is("(") && one.name < 0:
		inner := *g
		inside, ok := c.group()
		if !ok {
			g.fail()
			return formOpen
		}
		inner.c, inner.stuck = inside, nil
		list := inside
		g.p.leaking(g.p.attributes(&list))
		found = inner.declarator(one)
		if inner.stuck == nil && inner.c.more() {
			inner.fail()
		}
		g.stuck = inner.stuck
	case l.is("..."):
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
		case l.is("*"), l.is("&"), l.is("&&"):
			c.next()
			some = true
		case some && l.kind == tokIdent && pointerQualifiers[l.text], l.kind == tokIdent && callConventions[l.text]:
			c.next()
		case l.kind == tokIdent || l.is("::"):
			inside := grammar{p: g.p, c: *c, class: g.class}
			if inside.path(); inside.stuck != nil || !inside.c.peek().is("::") || !inside.c.ahead(1).is("*") {
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

// pointerQualifiers are the words that may stand behind a *.
var pointerQualifiers = words("const volatile __const __const__ __volatile__ restrict __restrict __restrict__")

// name reads the name of a declarator, which may be absent.
func (g *grammar) name(one *part) {
	c := &g.c
	switch l := c.peek(); {
	case l.is("operator"):
		g.operator()
	case l.is("~"):
		c.next()
		if c.next().kind != tokIdent {
			g.fail()
			return
		}
	case l.kind == tokIdent && !attributeWords[l.text], l.is("::"):
		g.path()
		if c.peek().is("::") {
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
	case l.is("(") && c.ahead(1).is(")"), l.is("[") && c.ahead(1).is("]"):
		c.i += 2
		return
	case l.is("new"), l.is("delete"):
		c.next()
		if c.peek().is("[") {
			g.group()
		}
		return
	case l.is("co_await"):
		c.next()
		return
	case l.kind == tokString:
		if c.next(); c.peek().kind == tokIdent {
			c.next()
		}
		return
	case l.kind == tokPunct && !l.is("::"):
		for c.next(); c.peek().kind == tokPunct && !c.peek().is("(") && !c.peek().blank && !c.peek().is("<"); {
			c.next() // >> and what follows it were taken apart
		}
		if c.peek().is("<") {
			c.angles()
		}
		return
	}
	// A conversion: a type without parentheses.
	typed := false
	for c.more() && !c.peek().is("(") && g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.is("decltype"), l.is("typeof"), l.is("__typeof__"):
			c.next()
			g.group()
			typed = true
		case l.is("*"), l.is("&"), l.is("&&"), l.is("::") && typed:
			c.next()
		case l.kind == tokIdent && (scalarWords[l.text] || pointerQualifiers[l.text]), l.is("auto"), l.is("typename"),
			l.is("struct"), l.is("class"), l.is("union"), l.is("enum"):
			c.next()
			typed = typed || scalarWords[l.text] || l.text == "auto"
		case l.kind == tokIdent, l.is("::"):
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
		case l.is("["):
			g.group()
			if found == formOpen {
				found = formObject
			}
		case l.is("(") && one.name < 0:
			g.fail()
		case l.is("(") && found == formOpen && g.class == nil && g.p.initializes(c):
			return formObject
		case l.is("("):
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

// behindParameters are the words that stand behind the parameters of a function.
var behindParameters = words("const volatile noexcept override final throw try requires")

// behindParameters reads the qualifiers of a function, what it throws, and a trailing type.
func (g *grammar) behindParameters() {
	c := &g.c
	for g.stuck == nil {
		switch l := c.peek(); {
		case g.attributes():
		case l.is("const"), l.is("volatile"), l.is("&"), l.is("&&"):
			c.next()
		case l.is("noexcept"), l.is("throw"):
			c.next()
			if c.peek().is("(") {
				g.group()
			}
		case l.is("->"):
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
		case l.is("{"), l.is(";"), l.is("="), l.is(","), l.is(":"), l.is("}"),
			l.is("override"), l.is("final"), l.is("requires"), l.is("try"):
			if c.i == begin {
				g.fail()
			}
			return
		case l.is("<") && c.before().kind == tokIdent:
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
		case l.is(";"), l.is(","):
			return false
		case l.is("requires"):
			g.requires()
		case l.is("="):
			c.next()
			switch l := c.next(); {
			case l.is("delete") && c.peek().is("("):
				g.group()
			case l.text != "0" && !l.is("default") && !l.is("delete"):
				c.i--
				g.fail()
			}
			return false
		case l.is("try"):
			c.next()
		case l.is(":"):
			c.next()
			g.constructorInitializers()
		case l.is("{"):
			one.body = c.i
			g.group()
			for c.accept("catch") {
				g.group()
				g.group()
			}
			return true
		case l.kind == tokIdent && behindParameters[l.text]:
			c.next()
		case l.kind == tokIdent && !l.is("operator") && !l.is("__global__") && !specifierWords[l.text] && !scalarWords[l.text]:
			// A macro of a header that is not there. It may stand for the body.
			c.next()
			if c.peek().is("(") {
				g.group()
			}
			if next := c.peek(); next.kind == tokIdent && !behindParameters[next.text] && !attributeWords[next.text] && (g.class != nil || next.lineStart) {
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
		if c.peek().is("decltype") {
			c.next()
			g.group()
			g.members()
		} else {
			c.accept("typename")
			g.path()
		}
		if !c.peek().is("(") && !c.peek().is("{") {
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
		case l.is("requires"): // an expression
			c.next()
			if c.peek().is("(") {
				g.group()
			}
			g.group()
		case l.is("("):
			g.group()
		case l.is("true"), l.is("false"), l.kind == tokNumber, l.is("!"):
			c.next()
			if l.is("!") {
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
