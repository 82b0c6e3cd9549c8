package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A record is a class whose members are being read.
type record struct {
	typ     *ctype.Struct
	private bool // members from here on are private or protected
}

// reject notes why the layout of t is not known. The first reason stands.
func reject(t *ctype.Struct, at *lex.Token, m diag.Message) {
	const longest = 480 // a chain of classes does not grow
	if len(m.Text) > longest {
		m.Text = strings.ToValidUTF8(m.Text[:longest], "") + "…"
	}
	if t.Unsupported == nil {
		t.Unsupported = &ctype.Reason{Pos: at.Pos(), Message: at.Explain(m)}
	}
}

// notPOD notes that t is surely, or perhaps, no POD.
func notPOD(t *ctype.Struct, p ctype.PODness) {
	if t.POD != ctype.PODNo {
		t.POD = p
	}
}

// forward returns the class called name that is declared in s; it declares it when it
// is not.
func (u *unit) forward(s *scope, name *lex.Token, union bool) *ctype.Struct {
	if e := s.names[name.Text]; e != nil {
		if t, ok := e.typ.(*ctype.Struct); ok {
			return t
		}
	}
	t := &ctype.Struct{Name: name.Text, Scope: s.path(), Pos: name.Pos(), Union: union}
	s.declare(name.Text, &entity{typ: t, at: name.At})
	return t
}

// A head is what stands between the word class and the { or : of a definition.
type head struct {
	name       cursor // with qualifiers and template arguments; empty for an unnamed class
	last       *lex.Token
	angled     bool
	args       cursor
	attributes []attribute
	macro      *lex.Token // a word that may be a macro
	defines    bool       // a { or : follows
}

// head reads what stands behind the word class, union or enum.
func (p *parser) head(c *cursor, enum bool) (h head) {
	scan := *c
	var attributes []attribute
	words := 0
	for {
		attributes = append(attributes, p.attributes(&scan)...)
		l := scan.peek()
		if isSpace(l) && h.last == nil {
			scan.next() // compilers ignore it
			continue
		}
		if l.Kind != lex.Ident && !l.Is("::") || l.Is("final") {
			break
		}
		if h.last != nil {
			if !scan.ahead(1).Is("{") && !scan.ahead(1).Is(":") && scan.ahead(1).Kind != lex.Ident && !scan.ahead(1).Is("(") && !scan.ahead(1).Is("<") && !scan.ahead(1).Is("::") {
				break // struct X name: no definition
			}
			if h.macro == nil {
				h.macro = h.last
			}
		}
		begin := scan.i
		h.angled = false
		scan.accept("::")
		for scan.peek().Kind == lex.Ident {
			h.last = scan.next()
			if scan.peek().Is("<") {
				if args, ok := scan.angles(); ok {
					h.args, h.angled = args, true
				}
			}
			if !scan.peek().Is("::") || scan.ahead(1).Kind != lex.Ident {
				break
			}
			scan.next()
		}
		h.name = scan.piece(begin, scan.i)
		if scan.peek().Is("(") {
			if words > 0 {
				break // struct X f(…): a function
			}
			// Only a macro has parentheses here.
			h.macro = h.last
			scan.skip()
			h.last = nil
		}
		words++
		if scan.i == begin {
			break
		}
	}
	after := scan
	after.accept("final")
	h.defines = after.peek().Is("{") || after.peek().Is(":") && !(enum && h.macro != nil && !p.unknownWord(h.macro))
	if h.defines && !scan.peek().Is("(") {
		h.attributes = attributes
		*c = after
		return h
	}
	// Without a definition, only the first name belongs to the type.
	h = head{}
	h.attributes = p.attributes(c)
	begin := c.i
	end := begin
	c.accept("::")
	for c.peek().Kind == lex.Ident {
		h.last = c.next()
		if c.peek().Is("<") {
			if args, ok := c.angles(); ok {
				h.args, h.angled = args, true
			}
		}
		end = c.i
		if !c.accept("::") {
			break
		}
	}
	h.name = c.piece(begin, end)
	return h
}

// classSpecifier reads a class that is defined, declared or only named at c.
func (p *parser) classSpecifier(c *cursor, context specifierContext, s *specified) (t, defined ctype.Type, reason *ctype.Reason) {
	index := c.i
	key := c.next()
	h := p.head(c, false)
	if !h.defines {
		t, reason = p.elaborated(c, h, key, context)
		return t, nil, reason
	}
	if !context.declares {
		return nil, nil, p.reasonf(key, diag.NotUnderstood, "has a class defined inside of it, which is not understood")
	}
	outer := p.scope
	var class *ctype.Struct
	switch {
	case h.last == nil:
		class = &ctype.Struct{Scope: p.scope.path(), Pos: key.Pos(), Union: key.Is("union")}
	default:
		if !p.enterQualifiers(&h) {
			inside := *c
			inside.i = c.i
			p.skipBody(c)
			return nil, nil, p.reasonf(h.last, diag.NotUnderstood, "has a class whose qualifiers are not known here")
		}
		if context.special {
			p.specialiseMember(h)
		}
		class = p.classNamed(h, key)
	}
	p.define(c, class, key, index, h, s)
	p.scope = outer
	return class, class, nil
}

// skipBody steps over the bases and body of a class.
func (p *parser) skipBody(c *cursor) {
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		c.skip()
	}
	c.group()
}

// classNamed returns the class that the head h of a definition names in the current
// scope. One that is complete is not defined again.
func (p *parser) classNamed(h head, key *lex.Token) *ctype.Struct {
	if h.angled {
		if t := p.specialisation(h); t != nil {
			return t
		}
	}
	t := p.forward(p.scope, h.last, key.Is("union"))
	if t.Complete {
		reject(t, h.last, diag.NotUnderstood.New("it is defined more than once"))
		return &ctype.Struct{Name: t.Name, Scope: t.Scope, Pos: h.last.Pos()}
	}
	t.Pos = h.last.Pos()
	t.Union = key.Is("union")
	return t
}

// enterQualifiers makes the scope current that qualifies the name in h, and reports
// whether it is known.
func (p *parser) enterQualifiers(h *head) bool {
	c := h.name
	end := c.stop
	for i := c.stop - 1; i > c.i; i-- {
		if c.list[i].Is("::") && &c.list[i+1] == h.last {
			end = i
			break
		}
	}
	if end == c.stop {
		return true
	}
	qualifiers := c.piece(c.i, end)
	f := p.name(&qualifiers)
	s := p.scopeOf(f.entity)
	if s == nil {
		return false
	}
	p.scope = s
	return true
}

// elaborated returns the class that struct X names.
func (p *parser) elaborated(c *cursor, h head, key *lex.Token, context specifierContext) (ctype.Type, *ctype.Reason) {
	if h.last == nil {
		return nil, p.reasonf(c.peek(), diag.NotUnderstood, "has no type that is understood (unexpected %s)", c.peek().Describe())
	}
	name := h.name
	declaration := context.declares && c.peek().Is(";")
	plain := h.name.stop == h.name.i+1
	if declaration && plain && !context.special {
		return p.forward(p.scope, h.last, key.Is("union")), nil
	}
	f := p.name(&name)
	if f.entity != nil && f.entity.typ == nil && (f.entity.constant != nil || f.entity.function != nil || f.entity.obscure == aVariable) && plain {
		f.entity = nil // struct X where X is a function or variable too
		delete(p.scope.outer().names, h.last.Text)
	}
	if f.entity == nil && plain {
		if t := p.known(f); t != nil {
			return t, nil
		}
		return p.forward(p.scope.outer(), h.last, key.Is("union")), nil
	}
	return p.typeOf(f, h.last)
}

// define reads the bases and members of the class t from the : or { at c. index is that
// of its key.
func (p *parser) define(c *cursor, t *ctype.Struct, key *lex.Token, index int, h head, s *specified) {
	if s != nil {
		for i := range s.attributes {
			p.misplaced(t, &s.attributes[i], key.Text)
		}
	}
	for i := range h.attributes {
		p.recordAttribute(t, &h.attributes[i])
	}
	if h.macro != nil {
		reject(t, h.macro, diag.Macro.New(h.macro.Text+" stands before its name, and may be a macro").With(p.hint(diag.Message{})))
	}
	if key.Doubtful {
		reject(t, key, diag.Macro.New("it is under a condition that could not be evaluated"))
	}
	t.Pack = p.packAt(index)
	if p.local > 0 {
		p.localClasses[t] = true
	}
	members := newScope(t.Name+ctype.Arguments(t.Args), p.scope)
	members.class, members.of = true, t
	p.members[t] = members
	functions := len(p.functions)
	depends := p.gather(func() { p.body(c, t, key, members) })
	p.within(&depends, index, c.i, p.functions[functions:])
	if depends != nil {
		p.affected[t] = depends
	}
	for _, a := range p.attributes(c) {
		p.recordAttribute(t, &a)
	}
	p.behindBody(c, t, s)
	t.Complete = true
	if t.Name != "" && p.local == 0 {
		p.file.Structs = append(p.file.Structs, t)
	}
}

// body reads the bases and members of the class t up to its }.
func (p *parser) body(c *cursor, t *ctype.Struct, key *lex.Token, members *scope) {
	if c.accept(":") {
		p.bases(c, t, members, key)
	}
	inside, ok := c.group()
	if !ok {
		reject(t, key, diag.Unbalanced.New("its { is not closed"))
		c.i++
		return
	}
	outer := p.scope
	p.scope = members
	if t.Name != "" {
		injected := &entity{typ: t, at: key.At}
		if e := outer.lookup(t.Name); e != nil {
			injected.template = e.template
		}
		members.declare(t.Name, injected)
	}
	if p.nesting++; p.nesting > deepestNesting {
		reject(t, key, diag.NotUnderstood.New("it is nested too deeply"))
	} else {
		p.declarations(&inside, &record{typ: t, private: key.Is("class")})
		if inside.more() {
			reject(t, inside.peek(), diag.Unbalanced.New("it has a } too many"))
		}
	}
	p.nesting--
	p.scope = outer
}

// behindBody looks at the word behind the } of t: it may be a macro that stands for an
// attribute such as packed.
func (p *parser) behindBody(c *cursor, t *ctype.Struct, s *specified) {
	l, next := c.peek(), c.ahead(1)
	if l.Kind != lex.Ident || l.Is("const") || l.Is("volatile") {
		return
	}
	shouted := len(l.Text) > 1 && l.Text == strings.ToUpper(l.Text) && next.Is(";") && (s == nil || !s.typedef)
	if next.Kind == lex.Ident && !attributeWords[next.Text] || shouted {
		reject(t, l, diag.Macro.New(l.Text+" stands behind its }, and may be a macro").With(p.hint(diag.Message{})))
	}
	if next.Kind == lex.Ident && !attributeWords[next.Text] {
		c.next()
	}
}

// packAt returns the packing under which the token with that index stands.
func (u *unit) packAt(index int) int64 {
	low, high := 0, len(u.packs)
	for low < high {
		if mid := (low + high) / 2; u.packs[mid].Index <= index {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return 0
	}
	return u.packs[low-1].Align
}

// recordAttribute takes over an attribute of a class.
func (p *parser) recordAttribute(t *ctype.Struct, a *attribute) {
	switch {
	case a.kind == "packed":
		t.Packed = true
	case a.kind == "aligned":
		align, reason := p.alignment([]attribute{*a})
		if reason != nil && t.Unsupported == nil {
			t.Unsupported = &ctype.Reason{Pos: reason.Pos, Message: reason.Before("it ")}
		}
		if align != 0 && align < t.Align {
			// nvcc 13.0 takes the last one, clang the largest, as the C++ standard has it.
			reject(t, a.name, diag.CompilersDiffer.Errorf("it has two alignments, of which nvcc takes the last and others take the largest (%w)", diag.Do("write one")))
		}
		t.Align = max(t.Align, align)
	case !harmless[a.kind]:
		reject(t, a.name, a.whyNot().Before("it has attribute "+a.name.Text+", which "))
	}
}

// misplaced reads an attribute of the class t that stands before its key, or behind the
// name of a typedef: compilers ignore it there, or give it to the variable or typedef.
func (p *parser) misplaced(t *ctype.Struct, a *attribute, key string) {
	if a.kind == "packed" || a.kind == "aligned" {
		reject(t, a.name, diag.NotUnderstood.Errorf("attribute %s does not stand where it belongs to the class (%w)", a.name.Text, diag.Do("write it behind the word %s", key)))
		return
	}
	p.recordAttribute(t, a)
}

// bases reads the base classes of t up to its {.
func (p *parser) bases(c *cursor, t *ctype.Struct, members *scope, key *lex.Token) {
	notPOD(t, ctype.PODNo)
	begin := c.i
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		if c.peek().Is("<") {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	list, reason := p.expandAll(p.split(c.piece(begin, c.i), true))
	if reason != nil {
		reject(t, key, reason.Before("a base class "))
		return
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	for _, one := range list {
		p.scope = one.scope
		b := ctype.Base{Pos: one.peek().Pos()}
		p.attributes(&one.cursor)
		for one.peek().Is("public") || one.peek().Is("private") || one.peek().Is("protected") || one.peek().Is("virtual") || one.peek().Is("typename") {
			b.Virtual = b.Virtual || one.peek().Is("virtual")
			one.next()
		}
		at := one.peek()
		dependent := p.dependent(one.cursor)
		read := p.named
		if at.Is("decltype") {
			read = p.decltype
		}
		typ, reason := read(&one.cursor)
		if reason == nil && one.more() {
			reason = p.reasonf(one.peek(), diag.NotUnderstood, "is not understood (unexpected %s)", one.peek().Describe())
		}
		if reason != nil {
			reject(t, at, reason.Before("a base class "))
			continue
		}
		base, ok := ctype.Unqualified(typ).(*ctype.Struct)
		if !ok {
			reject(t, at, diag.NotUnderstood.New("its base class "+typ.String()+" is not understood"))
			continue
		}
		if reason := p.byValue(base, at); reason != nil {
			reject(t, at, reason.Before("a base class "))
		}
		b.Type = base
		t.Bases = append(t.Bases, b)
		if s := p.members[base]; s != nil {
			if dependent {
				members.dependent = append(members.dependent, s)
			} else {
				members.bases = append(members.bases, s)
			}
		}
	}
}

// method takes from a member function what matters for the layout of its class.
func (p *parser) method(c cursor, one *part, r *record) {
	special := false
	if one.name >= 0 {
		name := &c.list[one.name]
		special = name.Text == r.typ.Name || one.name > one.begin && c.list[one.name-1].Is("~") ||
			name.Is("=") && c.list[one.name-1].Is("operator")
	}
	for i := c.i; i < one.begin; i++ {
		if c.list[i].Is("virtual") {
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		}
	}
	behind := c.piece(one.end, one.stop)
	defaulted := false
	for behind.more() && behind.i != one.body {
		switch l := behind.peek(); {
		case l.Is("override"), l.Is("final"):
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		case l.Is("default"), l.Is("delete"):
			defaulted = true
		}
		behind.skip()
	}
	switch {
	case special && defaulted:
		notPOD(r.typ, ctype.PODUnsure)
	case special:
		notPOD(r.typ, ctype.PODNo)
	}
}
