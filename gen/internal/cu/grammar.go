package cu

import "github.com/cudagen/cudagen/gen/internal/cu/lex"

// An outline is a declaration taken apart by the grammar of C++, before its types are
// looked at: C++ standard, [dcl.dcl], [class.mem]. What is not of that grammar is stuck.
type outline struct {
	end    int    // index behind it
	head   int    // index behind the specifiers, where the declarators begin
	record int    // index of the word struct, class, union or enum that a body follows; -1 when there is none
	parts  []part // the declarators

	kernel, friend, typedef bool // __global__, friend or typedef are among the specifiers
	macro                   bool // a use of an unknown macro that looks like a function, with nothing behind it

	stuck     *lex.Token // what the grammar does not know; nil when all was read
	swallowed *lex.Token // the __global__ of a second kernel
	unended   *lex.Token // the last token, behind which a semicolon is missing; nil when none is
}

// A part is one declarator with what belongs to it: parameters, bounds, a width, an
// initializer, a body.
type part struct {
	begin int // index of the first token
	name  int // index of the last token of the name; -1 when it has none
	end   int // index behind the declarator, where an initializer begins
	stop  int // index behind all of it: of the , or ;

	function   bool // it declares a function
	parameters int  // index of the ( of a function's parameters; -1 if there are none
	body       int  // index of the { of a function's body; -1 if there is none
	width      int  // index behind the width of a bit-field; -1 if there is none
}

// function returns the first part that declares a function, nil when none does.
func (o *outline) function() *part {
	for i := range o.parts {
		if o.parts[i].function {
			return &o.parts[i]
		}
	}
	return nil
}

// onlyFunctions reports whether functions are all that is declared.
func (o *outline) onlyFunctions() bool {
	for i := range o.parts {
		if !o.parts[i].function {
			return false
		}
	}
	return len(o.parts) > 0 && o.record < 0 && !o.typedef
}

// plainName returns the name of the declarator in c, nil when it has none, or one with
// qualifiers, with template arguments, of an operator or of a destructor.
func (one *part) plainName(c cursor) *lex.Token {
	if one.name < 0 {
		return nil
	}
	name := &c.list[one.name]
	if name.Kind != lex.Ident || scalarWords[name.Text] {
		return nil
	}
	if one.name > one.begin {
		switch before := &c.list[one.name-1]; {
		case before.Is("::"), before.Is("~"), before.Is("operator"), before.Kind == lex.String, before.Kind == lex.Ident && before.Is("const"):
			return nil
		}
	}
	if one.conversion(c) {
		return nil
	}
	return name
}

// conversion reports whether the declarator's name is that of an operator.
func (one *part) conversion(c cursor) bool {
	for i := one.begin; i < one.name; i++ {
		if c.list[i].Is("operator") {
			return true
		}
	}
	return false
}

// operatorAt returns the index of the word operator in the name of the function, -1 if it is not there.
func (one *part) operatorAt(c cursor) int {
	for i := one.begin; i < one.parameters; i++ {
		if c.list[i].Is("operator") {
			return i
		}
	}
	return -1
}

// operatorName returns the name by which a scope has the operator or conversion function; "" for other
// functions, and for one that is named with qualifiers.
func (one *part) operatorName(c cursor) string {
	at := one.operatorAt(c)
	if at < 0 || at > one.begin && c.list[at-1].Is("::") {
		return ""
	}
	switch first := &c.list[at+1]; {
	case first.Is("new"), first.Is("delete"), first.Is("co_await"):
		return ""
	case first.Kind == lex.String:
		return operatorName + `""` + c.list[one.parameters-1].Text
	case first.Kind == lex.Ident, first.Is("::"):
		return conversionName
	}
	name := operatorName
	for i := at + 1; i < one.parameters && c.list[i].Kind == lex.Punct && (!c.list[i].Is("<") || i == at+1 || c.list[i-1].Is("<")); i++ {
		name += c.list[i].Text
	}
	return name
}

// outline takes the declaration apart that begins at the cursor. r is the class whose
// member it is, nil outside of one.
func (r resolver) outline(from *cursor, class *record) outline {
	r.work.step()
	g := grammar{outline: outline{record: -1}, p: r, c: *from, begin: from.i, class: class}
	if g.declaration(); g.stuck != nil {
		g.recover()
	}
	g.end = max(g.c.i, from.i+1)
	return g.outline
}

// A grammar reads one declaration.
type grammar struct {
	outline
	p     resolver // where the declaration stands
	c     cursor   // behind what was read
	begin int      // index of the first token
	class *record  // whose member it is; nil for none
	depth int      // of parentheses
}

// fail notes that the grammar does not know what stands at the cursor.
func (g *grammar) fail() {
	if g.stuck == nil {
		g.stuck = g.c.peek()
	}
}

// declaration reads specifiers, declarators and what ends the declaration.
func (g *grammar) declaration() {
	g.specifiers()
	g.head = g.c.i
	if g.macro || g.stuck != nil || g.unended != nil || g.c.accept(";") {
		return
	}
	for {
		more, ends := g.initDeclarator()
		switch {
		case g.stuck != nil, ends:
			return
		case more:
			continue
		case g.c.accept(";"):
			return
		case g.kernelBegins():
			g.unended = g.c.before()
			return
		}
		g.fail()
		return
	}
}

// kernelBegins reports whether a kernel begins on the line at the cursor, behind a class, an
// initializer or a typedef, which a semicolon has to end.
func (g *grammar) kernelBegins() bool {
	c := g.c
	if c.i == g.begin || !c.peek().LineStart || g.kernel {
		return false
	}
	initialized := false
	if n := len(g.parts); n > 0 {
		one := &g.parts[n-1]
		initialized = !one.function && c.i > one.end
	}
	if g.record < 0 && !g.typedef && !initialized {
		return false
	}
	if c.accept("extern") && c.peek().Kind == lex.String {
		c.next()
	}
	return c.peek().Is("__global__")
}

// initDeclarator reads one declarator with its initializer, width or body. more reports
// that a comma followed, ends that a body did, behind which there is no semicolon.
func (g *grammar) initDeclarator() (more, ends bool) {
	g.parts = append(g.parts, part{begin: g.c.i, name: -1, parameters: -1, body: -1, width: -1})
	one := &g.parts[len(g.parts)-1]
	form := g.declarator(one)
	one.function = form == formFunction
	one.end = g.c.i
	switch {
	case g.stuck != nil:
	case one.function:
		ends = g.behindFunction(one)
	case one.name < 0 && (g.class == nil || !g.c.peek().Is(":")):
		g.fail()
	default:
		g.behindObject(one)
	}
	one.stop = g.c.i
	return g.stuck == nil && !ends && g.c.accept(","), ends
}

// behindObject reads the width and the initializer of a variable or field.
func (g *grammar) behindObject(one *part) {
	c := &g.c
	if c.peek().Is(":") && g.class != nil {
		c.next()
		one.width = g.width()
	}
	switch {
	case c.peek().Is("{"):
		g.group()
	case c.peek().Is("(") && g.class == nil:
		g.group()
	case c.accept("="):
		g.initializer()
	}
}

// width reads the width of a bit-field: C++ standard, [class.bit]. A brace behind it
// begins an initializer, unless a type stands before it.
func (g *grammar) width() (end int) {
	c := &g.c
	begin := c.i
	for c.more() {
		switch l := c.peek(); {
		case l.Is(","), l.Is(";"), l.Is("="):
			return c.i
		case l.Is("{") && c.i > begin && !g.p.convertsTo(c):
			return c.i
		case l.Kind == lex.Ident && attributeWords[l.Text] && !l.Is("noexcept"), l.Is("[") && c.ahead(1).Is("["):
			end = c.i
			g.attributes()
			return end
		case l.Is("<") && g.angled():
		default:
			g.skip()
		}
		if g.stuck != nil {
			break
		}
	}
	return c.i
}

// convertsTo reports whether what stands before the { at c names the type of a conversion T{x}.
func (r resolver) convertsTo(c *cursor) bool {
	l := c.before()
	switch {
	case l.Is(")"): // decltype(x){y}
		open := int(c.match[c.i-1])
		return open > 0 && (c.list[open-1].Is("decltype") || c.list[open-1].Is("typeof") || c.list[open-1].Is("__typeof__"))
	case l.Is(">"):
		return true
	case l.Kind != lex.Ident:
		return false
	case scalarWords[l.Text]:
		return true
	}
	e := r.scope.lookup(l.Text)
	return e != nil && e.typ != nil || e == nil && r.known(found{text: l.Text}) != nil
}

// initializer reads what stands behind =, up to the comma or semicolon.
func (g *grammar) initializer() {
	c := &g.c
	for c.more() && g.stuck == nil {
		switch l := c.peek(); {
		case l.Is(","), l.Is(";"):
			return
		case l.Is("__global__") && l.LineStart, l.Is("extern") && l.LineStart:
			return
		case l.Is("}"), c.i > g.begin && startsAnew(l, c.before()):
			g.fail()
		case l.Is("<") && g.angled():
		default:
			g.skip()
		}
	}
}

// angled steps over the <…> at the cursor and reports whether it did, when it holds the
// arguments of a template. Where that is not known, it matters only if there is a comma in it.
func (g *grammar) angled() bool {
	inside := g.c
	list, ok := inside.angles()
	if !ok {
		return false
	}
	template, known := g.p.templateBefore(&g.c)
	if !known {
		if !commaIn(list) {
			return false
		}
		g.fail()
		return false
	}
	if template {
		g.c = inside
	}
	return template
}

// templateBefore reports whether the name before the < at c is that of a template. known
// is false when nothing is known of that name.
func (r resolver) templateBefore(c *cursor) (template, known bool) {
	l := c.before()
	if l.Kind != lex.Ident {
		return false, true
	}
	switch l.Text {
	case "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast":
		return true, true
	}
	begin := c.i - 1
	for begin >= 2 && c.list[begin-1].Is("::") && c.list[begin-2].Kind == lex.Ident {
		begin -= 2
	}
	if begin >= 1 {
		switch before := &c.list[begin-1]; {
		case before.Is("template"):
			return true, true
		case before.Is("::"), before.Is("."), before.Is("->"):
			return false, false
		}
	}
	e := r.scope.lookup(c.list[begin].Text)
	if e == nil && begin < c.i-1 && c.list[begin].Is("std") {
		return true, true // nothing else of the library stands before a <
	}
	for i := begin + 2; i < c.i && e != nil; i += 2 {
		s := r.scopeOf(e)
		if s == nil {
			return false, false
		}
		e = s.within(c.list[i].Text)
	}
	switch {
	case e == nil:
		return false, false
	case e.template != nil, e.function != nil, e.concept != nil:
		return true, true
	}
	return false, e.obscure == "" || e.obscure == aVariable
}

// recover finds the end of a declaration that the grammar does not know: behind the next
// semicolon or body, or where another declaration surely begins.
func (g *grammar) recover() {
	c := &g.c
	c.i = max(c.i, g.begin)
	called := g.function() != nil // parentheses were met, as a function has them
	for c.more() {
		switch l := c.peek(); {
		case l.Is("__global__"):
			if g.kernel && called {
				g.swallowed = l
			}
			g.kernel = true
			c.next()
		case l.Is(";"):
			c.next()
			return
		case l.Is("}"), c.i > g.begin && startsAnew(l, c.before()):
			return
		case l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
			if g.record < 0 && c.i > g.begin && l.LineStart {
				return
			}
			c.next()
		case l.Is("("):
			called = true
			c.skip()
		case l.Is("{"):
			c.skip()
			if next := c.peek(); next.LineStart || called && !next.Is(",") && !next.Is(";") && !next.Is("{") {
				return
			}
		default:
			c.skip()
		}
	}
}

// startsAnew reports whether l, behind before, begins another declaration: something
// that is not understood stands before it without a semicolon.
func startsAnew(l, before *lex.Token) bool {
	switch {
	case l.Kind != lex.Ident:
		return false
	case l.Text == "namespace", l.Text == "typedef":
		return true
	case l.Text == "using":
		return l.LineStart
	case l.Text == "template":
		return l.LineStart && !before.Is("::") && !before.Is(".") && !before.Is("->")
	}
	return false
}

// macroLike reports whether the declaration that begins with the token number begin, and
// whose first parenthesis is at c, is MACRO(…) alone on its line: a macro of a header that
// is not there, behind which another declaration begins.
func macroLike(begin int, c *cursor, r *record) bool {
	name := c.before()
	if c.i != begin+1 || name.Kind != lex.Ident || r != nil && name.Text == r.typ.Name {
		return false
	}
	behind := *c
	if _, ok := behind.group(); !ok {
		return false
	}
	next := behind.peek()
	if next.Kind == lex.EOF {
		return true
	}
	return next.LineStart && (next.Kind == lex.Ident || next.Is("}") || next.Is("[") || next.Is("~")) && !behindParameters[next.Text]
}
