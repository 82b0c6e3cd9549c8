package cu

// A shape is the extent and kind of a declaration.
type shape struct {
	end        int  // index behind it
	kernel     bool // has __global__
	function   bool // declares or defines a function
	parameters int  // index of the ( of a function's parameters
	body       int  // index of the { of a function's body; -1 when there is none
	record     int  // index of the word struct, class, union or enum that a body follows; -1 when there is none
	macro      bool // a use of an unknown macro that looks like a function, with nothing behind it
	swallowed  *lexeme
}

// shape finds out what the declaration is that begins at the cursor. r is the class
// whose member it is, nil outside of one.
func (p *parser) shape(from *cursor, r *record) shape {
	s := shaper{shape: shape{body: -1, record: -1, parameters: -1}, c: *from, begin: from.i, class: r, key: -1}
	for s.c.more() && !s.step() {
	}
	s.end = max(s.c.i, from.i+1)
	return s.shape
}

// A shaper reads a declaration for its shape.
type shaper struct {
	shape
	c     cursor  // behind what was read
	begin int     // index of the first lexeme
	class *record // whose member it is; nil for none

	key          int  // index of the last word struct, class, union or enum; -1 when there was none
	initializers bool // of a constructor are read
}

// step reads on, and reports whether the declaration ends there.
func (s *shaper) step() (done bool) {
	switch l := s.c.peek(); {
	case l.kind == tokIdent && attributeWords[l.text], l.is("decltype"), l.is("explicit"), l.is("typeof"), l.is("__typeof__"), l.is("requires"):
		s.c.next()
		s.c.group()
	case l.is("["):
		s.c.skip()
	case l.is("__global__"):
		if s.kernel && s.function {
			s.swallowed = l
		}
		s.kernel = true
		s.c.next()
	case l.is("operator"):
		s.operatorName()
	case l.is("struct"), l.is("class"), l.is("union"), l.is("enum"):
		s.classKey()
	case s.c.i > s.begin && startsAnew(l, s.c.before()):
		return true
	case l.is("("):
		return s.parenthesis()
	case l.is("<") && s.c.before().kind == tokIdent:
		if _, ok := s.c.angles(); !ok {
			s.c.next()
		}
	case l.is(":") && s.function && s.key < 0:
		s.initializers = true
		s.c.next()
	case l.is("{"):
		return s.brace()
	case l.is("="):
		return s.value()
	case l.is(";"):
		s.c.next()
		return true
	case l.is("}"):
		return true
	default:
		s.c.next()
	}
	return false
}

// operatorName reads operator and what is the function's name with it, up to the
// parentheses of the parameters.
func (s *shaper) operatorName() {
	c := &s.c
	c.next()
	for c.more() && !c.peek().is("(") && !c.peek().is(";") && !c.peek().is("{") {
		c.next()
	}
	if c.peek().is("(") && c.ahead(1).is(")") && c.ahead(2).is("(") {
		c.i += 2
	}
}

// classKey reads struct, class, union or enum. At the beginning of a line, behind a ),
// the word begins what is declared: what looked like a function is a macro.
func (s *shaper) classKey() {
	separate := s.c.peek().lineStart && s.c.before().is(")")
	if !s.function || s.record < 0 && separate {
		s.key = s.c.i
	}
	if s.c.next().is("enum") && (s.c.peek().is("class") || s.c.peek().is("struct")) {
		s.c.next()
	}
}

// parenthesis reads what is in parentheses: of a declarator, of a macro, or parameters.
func (s *shaper) parenthesis() (done bool) {
	switch {
	case s.key >= 0 && s.record < 0 && s.c.before().kind == tokIdent && s.c.ahead(1).kind != tokPunct && headOf(&s.c):
		// struct MACRO(x) Name {
	case !s.function && grouping(&s.c):
		s.c.skip() // behind it are the parameters, or bounds, of what is pointed at
	case !s.function && !s.initializers:
		s.function, s.parameters = true, s.c.i
		s.macro = macroLike(s.begin, &s.c, s.class)
	case s.function && s.kernel:
		s.parameters = s.c.i
	}
	s.c.skip()
	return s.macro
}

// brace reads what is in braces: members, a function's body, or initializers.
func (s *shaper) brace() (done bool) {
	c, before := &s.c, s.c.before()
	switch {
	case s.key >= 0 && s.record < 0 && (!s.function || s.key > s.parameters):
		s.record = s.key
		s.function = false
		c.skip()
		return false
	case s.initializers && (before.kind == tokIdent || before.is(">")):
		c.skip()
		return !c.peek().is(",") && !c.peek().is("{") && !c.peek().is("...")
	case !s.function && !s.kernel:
		c.skip()
		return false
	}
	s.body = c.i
	c.skip()
	for c.accept("catch") {
		c.group()
		c.group()
	}
	if s.class != nil {
		c.accept(";")
	}
	return true
}

// value reads = and what is behind it.
func (s *shaper) value() (done bool) {
	c := &s.c
	c.next()
	for c.more() && !c.peek().is(";") && !c.peek().is("}") {
		if startsAnew(c.peek(), c.before()) {
			return true
		}
		c.skip()
	}
	return false
}

// startsAnew reports whether l, behind before, begins another declaration: something
// that is not understood stands before it without a semicolon.
func startsAnew(l, before *lexeme) bool {
	switch {
	case l.kind != tokIdent:
		return false
	case l.text == "namespace", l.text == "typedef":
		return true
	case l.text == "using":
		return l.lineStart
	case l.text == "template":
		return l.lineStart && !before.is("::") && !before.is(".") && !before.is("->")
	}
	return false
}

// grouping reports whether the parenthesis at c belongs to a declarator, as in
// int (*f)(int), and not to the parameters of a function.
func grouping(c *cursor) bool {
	inside := *c
	in, ok := inside.group()
	if !ok {
		return false
	}
	first := in.peek()
	pointer := first.is("*") || first.is("&") || first.is("&&") || first.kind == tokIdent && callConventions[first.text]
	return pointer && (inside.peek().is("(") || inside.peek().is("["))
}

// macroLike reports whether the declaration that begins with the lexeme number begin, and
// whose first parenthesis is at c, is MACRO(…) alone on its line: a macro of a header that
// is not there, behind which another declaration begins.
func macroLike(begin int, c *cursor, r *record) bool {
	name := c.before()
	if c.i != begin+1 || name.kind != tokIdent || r != nil && name.text == r.typ.Name {
		return false
	}
	behind := *c
	if _, ok := behind.group(); !ok {
		return false
	}
	next := behind.peek()
	if next.kind == tokEOF {
		return true
	}
	return next.lineStart && (next.kind == tokIdent || next.is("}") || next.is("[") || next.is("~")) && !behindParameters[next.text]
}

// behindParameters are the words that stand behind the parameters of a function.
var behindParameters = words("const volatile noexcept override final throw try requires")

// headOf reports whether the parenthesis at c belongs to a macro in the head of a
// class.
func headOf(c *cursor) bool {
	behind := *c
	_, ok := behind.group()
	next := behind.peek()
	return ok && next.kind == tokIdent && (behind.ahead(1).is("{") || behind.ahead(1).is(":") || behind.ahead(1).is("final"))
}
