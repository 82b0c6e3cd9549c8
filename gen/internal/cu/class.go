package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// definer returns what reads the definitions of classes in the current scope. special says that they
// stand behind template <>.
func (p *parser) definer(special bool) *definer {
	return &definer{special, func(c *cursor, key *lex.Token, index int, h head, s *specified) (*ctype.Struct, *ctype.Reason) {
		if h.last == nil {
			class := &ctype.Struct{Scope: p.scope.path(), Pos: key.Pos(), Union: key.Is("union")}
			p.define(c, class, key, index, h, s)
			return class, nil
		}
		outer := p.scope
		defer func() { p.scope = outer }()
		if p.scope = p.qualifying(&h); p.scope == nil {
			skipBody(c)
			return nil, reasonf(h.last, diag.NotUnderstood, "has a class whose qualifiers are not known here")
		}
		if special {
			p.specialiseMember(h)
		}
		class := p.classNamed(h, key)
		p.define(c, class, key, index, h, s)
		return class, nil
	}}
}

// skipBody steps over the bases and body of a class.
func skipBody(c *cursor) {
	c.skipTo("{", ";")
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
	t := forward(p.scope, h.last, key.Is("union"))
	if t.Complete {
		reject(t, h.last, diag.NotUnderstood.New("it is defined more than once"))
		return &ctype.Struct{Name: t.Name, Scope: t.Scope, Pos: h.last.Pos()}
	}
	t.Pos = h.last.Pos()
	t.Union = key.Is("union")
	return t
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
		p.locals[t] = true
	}
	members := newScope(t.Name+ctype.Arguments(t.Args), p.scope)
	members.class, members.of = true, t
	p.members[t] = members
	functions := len(p.functions)
	depends := p.gather(func() { p.body(c, t, key, members) })
	if p.templateOf[t] == nil {
		p.completed[t] = len(p.completed) + 1
	}
	if c.tokens == p.all.tokens {
		p.within(&depends, p.all.tokens, index, c.i, p.functions[functions:])
	}
	if depends != nil {
		p.affected[t] = depends
	}
	for _, a := range readAttributes(c) {
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
	if !p.work.enter(deepestNesting) {
		reject(t, key, diag.NotUnderstood.New("it is nested too deeply"))
	} else {
		members.private = key.Is("class")
		p.declarations(&inside, &record{typ: t, private: members.private})
		members.private = false
		if inside.more() {
			reject(t, inside.peek(), diag.Unbalanced.New("it has a } too many"))
		}
		p.work.leave()
	}
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

// mostAncestors bounds what a look at all base classes of a class takes: each level may have those below it twice.
const mostAncestors = 1 << 12

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
	list, reason := p.expandAll(p.split(c.piece(begin, c.i)))
	if reason != nil {
		reject(t, key, reason.Before("a base class "))
		return
	}
	for _, one := range list {
		r := p.in(one.scope)
		b := ctype.Base{Pos: one.peek().Pos()}
		readAttributes(&one.cursor)
		public := key.Is("struct")
		for one.peek().Is("public") || one.peek().Is("private") || one.peek().Is("protected") || one.peek().Is("virtual") || one.peek().Is("typename") {
			b.Virtual = b.Virtual || one.peek().Is("virtual")
			public = (public || one.peek().Is("public")) && !one.peek().Is("private") && !one.peek().Is("protected")
			one.next()
		}
		members.closedBases = members.closedBases || !public
		at := one.peek()
		dependent := r.dependent(one.cursor)
		read := r.named
		if at.Is("decltype") && !qualifies(one.cursor) {
			read = r.decltype
		}
		typ, reason := read(&one.cursor)
		reason = ended(one.cursor, reason)
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
		p.ancestors[t] += 1 + p.ancestors[base]
		if p.ancestors[t] > mostAncestors {
			reject(t, at, diag.NotUnderstood.Errorf("it has more than %d base classes, with those of its base classes", mostAncestors))
			return
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

// anonymousMember adds the unnamed class that spec defines to the fields of r: an
// anonymous union or struct.
func (p *parser) anonymousMember(r *record, spec *specified) {
	t, ok := spec.defined.(*ctype.Struct)
	if !ok || t.Name != "" {
		return
	}
	f := ctype.Field{Type: t, Pos: t.Pos}
	if t.Unsupported != nil {
		reject(r.typ, spec.at, t.Unsupported.Before("its anonymous member is not understood: "))
	}
	r.typ.Fields = append(r.typ.Fields, f)
	// The names in it are those of the class around it.
	if inner := p.members[t]; inner != nil {
		for name, e := range inner.names {
			p.scope.declare(name, e)
		}
	}
}

// fieldOf adds the field that one declares to r. spec is what stands before it.
func (p *parser) fieldOf(whole cursor, one *part, r *record, spec *specified) {
	t := r.typ
	if r.private {
		notPOD(t, ctype.PODNo)
	}
	c := whole.piece(one.begin, one.stop)
	field, reason := p.field(&c, one, r, spec)
	reason = ended(c, reason)
	switch {
	case reason != nil:
		what := "field " + field.Name
		if field.Name == "" {
			what = "a field"
		}
		if t.Unsupported == nil {
			reject(t, c.peek(), reason.Before(what+" "))
			t.Unsupported.Pos = reason.Pos
		}
	case field.Type != nil:
		field.Mutable, field.Doc = spec.mutable, p.behind(one.stop-1)
		t.Fields = append(t.Fields, field)
		p.scope.close(field.Name)
	}
}

// field reads one declarator of a field, with its initializer. The field's type is nil
// where a function is declared by another name of its type.
func (p *parser) field(c *cursor, one *part, r *record, spec *specified) (f ctype.Field, reason *ctype.Reason) {
	at := c.peek()
	f = ctype.Field{Pos: at.Pos()}
	if at.Doubtful || spec.at.Doubtful {
		return f, reasonf(at, diag.Macro, "is under a condition that could not be evaluated")
	}
	d, reason := p.namedDeclarator(c, spec.typ)
	f.Type = d.typ
	if d.name != nil {
		f.Name, f.Pos = d.name.Text, d.name.Pos()
	}
	if reason != nil {
		return f, reason
	}
	if _, function := ctype.Unqualified(d.typ).(*ctype.Function); function {
		p.method(*c, one, r)
		if spec.virtual {
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		}
		f.Type, c.i = nil, c.stop
		return f, nil
	}
	list := append(spec.attributes[:len(spec.attributes):len(spec.attributes)], d.attributes...)
	if spec.defined != nil {
		list = d.attributes // the others belong to the class
	}
	if c.peek().Is(":") {
		if reason = p.bitField(c, one, &f); reason != nil {
			return f, reason
		}
		list = append(list, readAttributes(c)...)
	}
	if d.unsized != nil && d.unsized.at.Kind == lex.EOF {
		return f, reasonf(c.before(), diag.NoLayout, "has an array of no elements, which Go lays out in another way at the end of a struct (%w)", diag.Do("hand over a pointer to what has it"))
	}
	if d.unsized != nil {
		return f, reasonf(&d.unsized.at, d.unsized.Code, "has an array bound that is not understood: %w", d.unsized)
	}
	kept := list[:0:0]
	for _, a := range list {
		switch {
		case a.kind == "packed":
			f.Packed = true
		case a.kind == "no_unique_address" && !isClass(elementOf(d.typ)): // C++ standard, [dcl.attr.nouniqueaddr]
		default:
			kept = append(kept, a)
		}
	}
	if f.Align, reason = p.fieldAlignment(kept); reason != nil {
		return f, reason
	}
	if reason = p.byValue(d.typ, at); reason != nil {
		return f, reason
	}
	if _, reference := ctype.Unqualified(d.typ).(*ctype.Reference); reference {
		notPOD(r.typ, ctype.PODNo)
	}
	if c.peek().Is("=") || c.peek().Is("{") {
		notPOD(r.typ, ctype.PODUnsure)
		p.defaults[fieldKey{r.typ, len(r.typ.Fields)}] = c.piece(c.i, one.stop)
		c.i = one.stop // the grammar has read it
	}
	return f, nil
}

// bitField reads the width of a bit-field.
func (p *parser) bitField(c *cursor, one *part, f *ctype.Field) *ctype.Reason {
	colon := c.next()
	v, failure := p.evaluate(c.piece(c.i, one.width))
	if failure != nil {
		return reasonf(&failure.at, failure.Code, "is a bit-field whose width is not understood: %w", failure)
	}
	n, ok := v.int64()
	if !ok || n < 0 {
		return reasonf(colon, diag.NotUnderstood, "is a bit-field whose width is not positive")
	}
	f.BitField, f.Bits = true, n
	c.i = one.width
	return nil
}
