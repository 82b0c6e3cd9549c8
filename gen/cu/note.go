package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// note takes from a declaration that is skipped what others may need: the names of
// types that are not understood, so that a use of them is an error that says so, and
// integer constants.
func (p *parser) note(begin, end int, h header) {
	c := newCursor(p.lexemes[begin:end], p.lexemes[end-1].pos)
	first := c.peek()
	switch {
	case h.template:
		p.noteTemplate(&c)
	case first.is("using"):
		p.noteUsing(&c)
	case first.is("namespace"):
		// A namespace alias: names behind it stay unknown.
	case h.typedef:
		p.noteTypedef(begin+1, end, nil)
	case h.enum >= 0:
		p.i = h.enum
		p.enumeration()
	default:
		p.constants(&c)
	}
}

// obscure notes that name is of a kind that is not understood.
func (p *parser) obscure(name *lexeme, what string) {
	p.scope.declare(name.text, &entity{obscure: what, pos: name.pos})
}

// noteTemplate notes the name of a class or alias template.
func (p *parser) noteTemplate(c *cursor) {
	for c.accept("template") {
		if c.peek().is("<") {
			c.angles()
		}
	}
	for c.more() && !c.peek().is("{") && !c.peek().is(";") && !c.peek().is("(") && !c.peek().is("=") {
		l := c.next()
		if !l.is("struct") && !l.is("class") && !l.is("union") && !l.is("using") {
			continue
		}
		p.attributes(c)
		if c.peek().kind == tokIdent && !c.ahead(1).is("<") {
			p.obscure(c.peek(), "a template")
		}
		return
	}
}

// noteUsing reads a using-declaration, using-directive or alias.
func (p *parser) noteUsing(c *cursor) {
	c.next()
	if c.accept("namespace") {
		path, absolute := c.path()
		if len(path) > 0 {
			if namespace := p.scope.scopeOf(path, absolute); namespace != nil && len(p.open) == 0 {
				p.scope.use(namespace)
			}
		}
		return
	}
	c.accept("typename")
	name := c.peek()
	path, absolute := c.path()
	switch {
	case len(path) == 1 && !absolute:
		p.obscure(name, "an alias")
	case len(path) > 0:
		last := path[len(path)-1]
		found, _ := p.scope.resolve(path, absolute)
		if found == nil {
			if t := standard(path, absolute); t != nil {
				found = &entity{typ: t, pos: name.pos}
			} else {
				found = &entity{obscure: "a name of another namespace", pos: name.pos}
			}
		}
		p.scope.declare(last, found)
	}
}

// noteTypedef notes the names that a typedef declares: those of its declarators in
// lexemes[begin:end]. known is the struct that it defines, nil when it does not.
func (p *parser) noteTypedef(begin, end int, known *ctype.Struct) {
	list := p.lexemes[begin:end]
	if n := len(list); n > 0 && list[n-1].is(";") {
		list = list[:n-1]
	}
	for _, part := range split(list, true) {
		name := typedefName(part)
		if name == nil {
			continue
		}
		if known != nil && len(part) == 1 {
			p.scope.declare(name.text, &entity{typ: known, pos: name.pos})
			continue
		}
		p.obscure(name, "a typedef")
	}
}

// typedefName returns the name that a declarator declares, nil when it has none.
func typedefName(declarator []lexeme) *lexeme {
	c := cursor{lexemes: declarator}
	var name *lexeme
	for c.more() {
		l := c.peek()
		switch {
		case l.is("(") && c.ahead(1).is("*"):
			inside, _ := c.group()
			for i := range inside {
				if inside[i].kind == tokIdent && !inside[i].is("const") {
					return &inside[i]
				}
			}
			return nil
		case l.is("("), l.is("["), l.is("{"):
			if _, ok := c.group(); !ok {
				return name
			}
			continue
		case l.is("<"):
			if !c.angles() {
				return name
			}
			continue
		case l.kind == tokIdent && !attributeWords[l.text]:
			name = l
		}
		c.next()
	}
	return name
}

// enumeration reads the enum at the cursor: its name and, of an unscoped one, its
// enumerators.
func (p *parser) enumeration() {
	p.next()
	scoped := p.accept("class") || p.accept("struct")
	p.attributes(&p.cursor)
	if p.peek().kind == tokIdent {
		if name := p.next(); !p.peek().is("::") {
			p.obscure(name, "an enum")
		}
	}
	for p.more() && !p.peek().is("{") && !p.peek().is(";") {
		p.next() // the underlying type
	}
	body, ok := p.group()
	if !ok || scoped {
		return
	}
	previous, known := value{bits: -1}, true
	for _, one := range split(body, false) {
		c := newCursor(one, p.peek().pos)
		name := c.next()
		if name.kind != tokIdent {
			continue
		}
		p.attributes(&c)
		if c.accept("=") {
			v, failure := p.evaluate(c.lexemes[c.i:], name.pos, p.scope)
			previous, known = v, failure == nil
		} else {
			n, ok := previous.int64()
			previous.bits = n + 1
			known = known && ok && n != 1<<63-1 && previous.holds(n+1) && !previous.unsigned
		}
		p.constant(name, previous, known)
	}
}

// constants reads the integer constants that a declaration of variables defines.
func (p *parser) constants(c *cursor) {
	constant, auto := false, false
	var rest []lexeme // without the words that say nothing about the type
	for c.more() && !c.peek().is("=") && !c.peek().is("{") && !c.peek().is("(") {
		l := c.next()
		switch {
		case notConstant[l.text]:
			return
		case l.is("constexpr"):
			constant = true
		case l.is("static"), l.is("inline"):
		case l.is("auto"):
			auto = true
		case l.is("const"):
			constant = true
		default:
			rest = append(rest, *l)
		}
	}
	if !constant || len(rest) < 2 && !auto || len(rest) == 0 {
		return
	}
	rest = append(rest, c.lexemes[c.i:]...)
	typed := newCursor(rest, c.end.pos)
	var base ctype.Type
	if !auto {
		var reason *ctype.Reason
		if base, _, reason = p.specifiers(&typed); reason != nil {
			base = ctype.Builtin(ctype.Void) // its constants are not understood
		}
	}
	for _, one := range split(typed.lexemes[min(typed.i, len(rest)):], false) {
		declarator := newCursor(one, c.end.pos)
		name := declarator.next()
		if name.kind != tokIdent {
			continue
		}
		v, known := p.initialized(&declarator, base)
		p.constant(name, v, known)
	}
}

// notConstant are words in the declaration of a variable whose value is not a constant
// expression, or that is no variable.
var notConstant = map[string]bool{
	"volatile": true, "extern": true, "thread_local": true, "__constant__": true, "__device__": true,
	"__managed__": true, "__shared__": true, "operator": true,
}

// initialized reads the initializer of a constant of type t, which is nil for auto.
func (p *parser) initialized(c *cursor, t ctype.Type) (v value, known bool) {
	var expression []lexeme
	at := c.peek()
	switch {
	case c.accept("="):
		expression = c.lexemes[c.i:]
	case at.is("{"), at.is("("):
		expression, known = c.group()
		if !known {
			return value{}, false
		}
	}
	if n := len(expression); n > 0 && expression[n-1].is(";") {
		expression = expression[:n-1]
	}
	if n := len(expression); n > 1 && expression[0].is("{") && expression[n-1].is("}") {
		expression = expression[1 : n-1]
	}
	v, failure := p.evaluate(expression, at.pos, p.scope)
	if failure != nil {
		return value{}, false
	}
	if t == nil {
		return v, true
	}
	return convert(v, t)
}

// constant notes an integer constant. Its name is noted also when its value is not
// known: it may hide another.
func (p *parser) constant(name *lexeme, v value, known bool) {
	if !known || len(p.open) > 0 {
		p.obscure(name, "a constant whose value is not known")
		return
	}
	p.scope.declare(name.text, &entity{value: &v, pos: name.pos})
	n, ok := v.int64()
	if !ok {
		return
	}
	var path []string
	for _, scope := range p.scope.path() {
		if scope != ctype.AnonymousNamespace {
			path = append(path, scope)
		}
	}
	p.file.Constants[strings.Join(append(path, name.text), "::")] = n
}
