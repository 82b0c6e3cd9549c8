package cu

import (
	"go/token"
	"sort"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// forward returns the struct called name that is declared in s; it declares it when it
// is not.
func (p *parser) forward(s *scope, name string, pos token.Position) *ctype.Struct {
	if e := s.names[name]; e != nil {
		if t, ok := e.typ.(*ctype.Struct); ok {
			return t
		}
	}
	t := &ctype.Struct{Name: name, Scope: s.path(), Pos: pos}
	s.declare(name, &entity{typ: t, pos: pos})
	return t
}

// records reads a declaration that has the word struct, class or union in it.
func (p *parser) records(begin, end int, h header) {
	p.i = h.record
	key := p.next()
	attributes := p.attributes(&p.cursor)
	at := p.peek()
	path, absolute := p.path()
	attributes = append(attributes, p.attributes(&p.cursor)...)
	p.accept("final")
	switch l := p.peek(); {
	case !l.is("{") && !l.is(":"):
		if l.is(";") && h.record == begin && len(path) == 1 && !absolute {
			t := p.forward(p.scope, path[0], at.pos)
			if key.is("union") && t.Unsupported == nil {
				t.Unsupported = &ctype.Reason{Pos: key.pos, Text: "it is a union"}
			}
			return
		}
		p.note(begin, end, h)
		return
	case len(path) > 1 || absolute:
		return // what was declared in another scope stays a declaration
	}
	name, pos := "", key.pos
	if len(path) == 1 {
		name, pos = path[0], at.pos
	} else if l := &p.lexemes[max(end-2, begin)]; h.typedef && l.kind == tokIdent && p.lexemes[end-3].is("}") {
		name, pos = l.text, l.pos // typedef struct { … } Name;
	}
	t := p.record(name, pos, key, attributes)
	p.rejectMacros(t, p.i, end)
	if h.typedef {
		p.noteTypedef(p.i, end, t)
	}
	if name == "" {
		return
	}
	for i := begin; i < h.record; i++ {
		if l := &p.lexemes[i]; !beforeRecord[l.text] {
			reject(t, l.pos, l.describe()+" stands before the word "+key.text+", and is not understood")
			break
		}
	}
	lead := p.above(begin)
	t.Doc = document(lead)
}

// beforeRecord are the words that may stand before the definition of a struct and do not
// change it.
var beforeRecord = map[string]bool{
	"typedef": true, "static": true, "const": true, "constexpr": true, "inline": true, "extern": true, "volatile": true,
	"__device__": true, "__constant__": true, "__managed__": true, "__host__": true, "__shared__": true,
}

// rejectMacros rejects t when a word behind its }, in lexemes[begin:end], is a macro or
// may be one of a header: it could stand for an attribute such as packed.
func (p *parser) rejectMacros(t *ctype.Struct, begin, end int) {
	for i := begin; i < end; i++ {
		l := &p.lexemes[i]
		if l.is("=") || l.is("{") {
			return
		}
		shouted := l.kind == tokIdent && len(l.text) > 1 && l.text == strings.ToUpper(l.text)
		two := l.kind == tokIdent && i > begin && p.lexemes[i-1].kind == tokIdent && !p.lexemes[i-1].is("const")
		typedefName := p.lexemes[i+min(1, len(p.lexemes)-i-1)].is(";") && l.text == t.Name
		if p.macros.at(l) != nil || two || shouted && !typedefName {
			reject(t, l.pos, l.text+" stands behind its }, and may be a macro")
			return
		}
	}
}

func reject(t *ctype.Struct, pos token.Position, text string) {
	if t.Unsupported == nil {
		t.Unsupported = &ctype.Reason{Pos: pos, Text: text}
	}
}

// record reads the definition of a struct from the : or { behind its name to what
// stands behind its }.
func (p *parser) record(name string, pos token.Position, key *lexeme, attributes []attribute) *ctype.Struct {
	t := &ctype.Struct{Name: name, Scope: p.scope.path(), Pos: pos}
	if name != "" {
		t = p.forward(p.scope, name, pos)
		if t.Complete {
			reject(t, pos, "it is defined more than once")
			t = &ctype.Struct{Name: name, Scope: t.Scope}
		}
		t.Pos = pos
	}
	if key.is("union") {
		reject(t, key.pos, "it is a union")
	}
	p.structAlignment(t, attributes)
	if pragma, packed := p.packedAt(key.pos); packed {
		reject(t, pragma, "it is under #pragma pack")
	}
	if p.peek().is(":") {
		reject(t, p.peek().pos, "it has base classes")
		for p.more() && !p.peek().is("{") {
			p.next()
		}
	}
	if p.nesting++; p.nesting > deepestNesting {
		reject(t, pos, "it is nested too deeply")
		p.group()
	} else {
		p.members(t)
	}
	p.nesting--
	p.structAlignment(t, p.attributes(&p.cursor))
	t.Complete = true
	if name != "" {
		p.file.Structs = append(p.file.Structs, t)
	}
	return t
}

// structAlignment takes over the attributes of a struct.
func (p *parser) structAlignment(t *ctype.Struct, attributes []attribute) {
	align, reason := p.alignment(attributes)
	if reason != nil {
		reject(t, reason.Pos, "it "+reason.Text)
	}
	t.Align = max(t.Align, align)
}

// packedAt returns the position of the #pragma pack under which pos stands.
func (p *parser) packedAt(pos token.Position) (at token.Position, packed bool) {
	behind := sort.Search(len(p.packs), func(i int) bool { return p.packs[i].pos.Offset > pos.Offset })
	if behind == 0 {
		return at, false
	}
	return p.packs[behind-1].pos, p.packs[behind-1].packed
}

// members reads the body of the struct t, from its { to its }.
func (p *parser) members(t *ctype.Struct) {
	outer := p.scope
	if t.Name == "" {
		p.scope = newScope("", outer)
	} else {
		p.scope = outer.child(t.Name)
	}
	p.scope.structure = true
	p.next()
	for p.more() && !p.peek().is("}") {
		switch l := p.peek(); {
		case l.kind >= tokCondIf:
			reject(t, l.pos, "it has conditional compilation in it")
			p.next()
		case l.is(";"):
			p.next()
		case p.ahead(1).is(":") && (l.is("public") || l.is("private") || l.is("protected")):
			p.i += 2
		default:
			p.member(t)
		}
	}
	p.next()
	p.scope = outer
}

// member reads one member of t. It always steps forward.
func (p *parser) member(t *ctype.Struct) {
	begin := p.i
	h := p.header()
	stop := min(p.i, len(p.lexemes))
	p.i = begin
	if m := p.macroIn(begin, stop); m != nil {
		reject(t, m.pos, "it uses macro "+m.text+", and macros are not expanded")
	}
	if h.record >= 0 && !h.template && !h.typedef {
		if p.nested(t, begin, h) {
			return
		}
	}
	p.i = begin
	p.skipDeclaration(false)
	end := max(p.i, begin+1)
	kind, at := p.memberKind(t, begin, stop)
	switch first := &p.lexemes[begin]; {
	case first.is("using"), h.typedef, h.template, h.enum >= 0, first.is("friend"), first.is("static_assert"):
		p.note(begin, end, h)
	case kind == memberUnclear:
		reject(t, at.pos, "it has a member that is not understood: "+at.describe())
	case kind == memberVirtual:
		reject(t, at.pos, "it has virtual functions")
	case kind == memberStatic:
		p.note(begin, end, h)
	case kind == memberData:
		c := newCursor(p.lexemes[begin:end], p.lexemes[end-1].pos)
		p.fields(t, c, begin, nil)
	}
	p.i = end
}

// macroIn returns a lexeme of the header of a member that is a macro which may change
// what the member is.
func (p *parser) macroIn(begin, stop int) *lexeme {
	for i := begin; i < stop; i++ {
		l := &p.lexemes[i]
		m := p.macros.at(l)
		if m == nil || m.onlySpecifiers() {
			continue
		}
		if i > begin && p.lexemes[i-1].is("[") || m.function && !(i+1 < stop && p.lexemes[i+1].is("(")) {
			continue // an array bound, which is evaluated; a name that only looks like a macro
		}
		return l
	}
	return nil
}

// nested reads a member that defines a struct, and the fields of that type behind it.
// It returns false when the member is something else.
func (p *parser) nested(t *ctype.Struct, begin int, h header) bool {
	p.i = h.record
	key := p.next()
	attributes := p.attributes(&p.cursor)
	at := p.peek()
	path, absolute := p.path()
	attributes = append(attributes, p.attributes(&p.cursor)...)
	p.accept("final")
	if l := p.peek(); !l.is("{") && !l.is(":") || len(path) > 1 || absolute {
		if l.is(";") && h.record == begin && len(path) == 1 && !absolute {
			p.forward(p.scope, path[0], at.pos)
			p.next()
			return true
		}
		return false
	}
	name := ""
	if len(path) == 1 {
		name = path[0]
	}
	inner := p.record(name, at.pos, key, attributes)
	if name != "" {
		inner.Doc = document(p.above(begin))
	}
	rest := p.i
	p.skipDeclaration(false)
	end := max(p.i, rest)
	p.rejectMacros(t, rest, end)
	p.rejectMacros(inner, rest, end)
	switch {
	case h.record != begin:
		reject(t, key.pos, "it has a "+key.text+" defined inside of a member")
	case p.lexemes[rest].is(";") && name == "":
		reject(t, key.pos, "it has an unnamed "+key.text+" as a member")
	case name == "":
		reject(t, key.pos, "it has a member whose type is an unnamed "+key.text)
	case !p.lexemes[rest].is(";"):
		p.fields(t, newCursor(p.lexemes[rest:end], p.lexemes[end-1].pos), rest, inner)
	}
	p.i = end
	return true
}

// A memberKind says what a member is.
type memberKind int

const (
	memberData memberKind = iota
	memberFunction
	memberStatic
	memberVirtual
	memberUnclear
)

// memberKind tells what the member is whose header is lexemes[begin:stop], and names
// the lexeme that shows it.
//
// A function, unlike a field, has a name and a type before its parenthesis, or is a
// constructor, a destructor or an operator.
func (p *parser) memberKind(t *ctype.Struct, begin, stop int) (memberKind, *lexeme) {
	c := newCursor(p.lexemes[begin:stop], p.lexemes[begin].pos)
	names, static := 0, false
	var last *lexeme
	for c.more() {
		if found := p.attributes(&c); len(found) > 0 {
			continue
		}
		l := c.next()
		switch {
		case l.is("virtual"):
			return memberVirtual, l
		case l.is("operator"), l.is("~"):
			return memberFunction, l
		case l.is("static"):
			static = true
		case functionSpecifiers[l.text], l.is("const"), l.is("volatile"), l.is("mutable"), p.macros.at(l) != nil:
		case l.is("::"):
			c.path()
			last = l
		case l.kind == tokIdent:
			if c.peek().is("::") {
				c.i--
				c.path()
			}
			names++
			last = l
			if c.peek().is("<") {
				c.angles()
			}
		case l.is("["):
			c.i--
			if _, ok := c.group(); !ok {
				return memberUnclear, l
			}
		case l.is("("):
			c.i--
			return p.callable(t, c, names, last)
		}
	}
	if static {
		return memberStatic, &p.lexemes[begin]
	}
	return memberData, &p.lexemes[begin]
}

// callable tells what a member is whose first parenthesis is at c, behind as many names
// as there are, the last of which is last.
func (p *parser) callable(t *ctype.Struct, c cursor, names int, last *lexeme) (memberKind, *lexeme) {
	at := c.peek()
	if names == 0 || scalarWords[last.text] {
		return memberUnclear, at
	}
	inside, ok := c.group()
	pointer := len(inside) > 0 && (inside[0].is("*") || inside[0].is("&") || inside[0].is("^"))
	if !ok || pointer || c.peek().is("(") || names == 1 && last.text != t.Name {
		return memberUnclear, at
	}
	return memberFunction, at
}

// fields reads the declaration of fields of t. base is their type when it has been read
// already. begin is the index of the first lexeme of c.
func (p *parser) fields(t *ctype.Struct, c cursor, begin int, base ctype.Type) {
	var attributes []attribute
	if base == nil {
		var reason *ctype.Reason
		if base, attributes, reason = p.specifiers(&c); reason != nil {
			reject(t, reason.Pos, "a field "+reason.Text)
			return
		}
	}
	first := len(t.Fields)
	for {
		field, reason := p.field(&c, base, attributes)
		if reason != nil {
			reject(t, reason.Pos, "field "+field.Name+" "+reason.Text)
			return
		}
		t.Fields = append(t.Fields, field)
		if !c.accept(",") {
			break
		}
	}
	if !c.accept(";") || c.more() {
		reject(t, c.peek().pos, "it has a member that is not understood: unexpected "+c.peek().describe())
		return
	}
	if doc := p.trailing(begin + c.i - 1); doc != "" {
		for i := first; i < len(t.Fields); i++ {
			t.Fields[i].Doc = doc
		}
	}
}

// field reads one declarator of a field, with its initializer.
func (p *parser) field(c *cursor, base ctype.Type, attributes []attribute) (f ctype.Field, reason *ctype.Reason) {
	at := c.peek()
	d, reason := p.declarator(c, base)
	f = ctype.Field{Pos: at.pos, Type: d.typ}
	if d.name != nil {
		f.Name, f.Pos = d.name.text, d.name.pos
	}
	if reason != nil {
		return f, reason
	}
	l := c.peek()
	switch {
	case l.is(":"):
		return f, reasonf(l, "is a bit-field")
	case d.name == nil:
		return f, reasonf(l, "has no name (unexpected %s)", l.describe())
	case d.unsized:
		return f, &ctype.Reason{Pos: d.boundError.pos, Text: "has an array bound that is not understood: " + d.boundError.text}
	}
	if f.Align, reason = p.alignment(append(attributes[:len(attributes):len(attributes)], d.attributes...)); reason != nil {
		return f, reason
	}
	if reason = byValue(d.typ, f.Pos); reason != nil {
		return f, reason
	}
	switch {
	case c.accept("="):
		p.initializer(c)
	case c.peek().is("{"):
		c.group()
	}
	return f, nil
}

// initializer skips an expression up to a comma or semicolon.
func (p *parser) initializer(c *cursor) {
	for c.more() && !c.peek().is(",") && !c.peek().is(";") {
		if _, ok := c.group(); !ok {
			c.next()
		}
	}
}
