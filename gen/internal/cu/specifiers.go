package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A specified is what stands before the declarators of a declaration.
type specified struct {
	at         *lex.Token
	typ        ctype.Type
	defined    ctype.Type // the class or enumeration that is defined here
	attributes []attribute
	typedef    bool
	static     bool // static, or friend: no field
	virtual    bool
	constexpr  bool
	mutable    bool
	memory     bool // __device__, __constant__, extern …: its value is not a constant expression
	extern     bool
	externC    bool          // extern "C"
	space      string        // __device__, __constant__ or __managed__; empty for none
	member     bool          // of a class
	begin      int           // index of the token that the declaration begins with
	lead       []lex.Comment // above the declaration of a variable in such a space
	reason     *ctype.Reason
}

// A definer reads the definitions of classes among the specifiers of a declaration.
type definer struct {
	special bool // behind template <>
	define  func(c *cursor, key *lex.Token, index int, h head, s *specified) (*ctype.Struct, *ctype.Reason)
}

// specifiers reads the type at the beginning of a declaration, up to the declarator,
// and the attributes in it. classes is nil where no class may be defined.
func (r resolver) specifiers(c *cursor, classes *definer) (s specified) {
	r.work.step()
	var q ctype.Qualified
	var words []string
	s.at = c.peek()
	for s.reason == nil {
		l := c.peek()
		found := readAttributes(c)
		for _, a := range found {
			// nvcc ignores alignas behind the type, with a warning, and clang refuses it.
			if typed := s.typ != nil || len(words) > 0; !typed || !a.name.Is("alignas") {
				s.attributes = append(s.attributes, a)
			}
		}
		switch {
		case len(found) > 0, qualifier(c, &q):
			continue
		case l.Kind == lex.Ident && memorySpaces[l.Text]:
			s.memory = true
			if spaces[l.Text] && (s.space == "" || s.space == "__device__") {
				s.space = l.Text
			}
			c.next()
			if l.Text == "extern" {
				s.extern = true
				if c.peek().Kind == lex.String {
					s.externC = c.next().Text == `"C"`
				}
			}
			continue
		case l.Kind == lex.Ident && storage[l.Text]:
			s.static = s.static || l.Text == "friend"
			s.virtual = s.virtual || l.Text == "virtual"
			s.mutable = s.mutable || l.Text == "mutable"
			c.next()
			continue
		case l.Is("constexpr"), l.Is("constinit"), l.Is("consteval"):
			s.constexpr = true
			c.next()
			continue
		case l.Is("typedef"):
			s.typedef = true
			c.next()
			continue
		case l.Is("static"):
			s.static = true
			c.next()
			continue
		case l.Kind == lex.Ident && scalarWords[l.Text]:
			if s.typ != nil {
				s.reason = reasonf(l, diag.NotUnderstood, "has two types, %s and %s", s.typ, l.Text)
				break
			}
			words = append(words, l.Text)
			c.next()
			continue
		case len(words) > 0 || s.typ != nil:
			s.complete(words, q)
			return s
		case l.Is("struct"), l.Is("class"), l.Is("union"):
			s.typ, s.defined, s.reason = r.classSpecifier(c, classes, &s)
		case l.Is("enum"):
			s.typ, s.defined, s.reason = r.enumSpecifier(c)
		case l.Is("auto") && s.constexpr, l.Is("auto") && q.Const:
			c.next()
			s.typ = autoType
		case !qualifies(*c) && l.Is("decltype"), l.Is("__typeof__"), l.Is("typeof"):
			s.typ, s.reason = r.decltype(c)
		case l.Is("auto"):
			c.next()
			s.typ = trailingAuto
		case l.Kind == lex.Ident, l.Is("::"):
			s.typ, s.reason = r.named(c)
		default:
			s.reason = reasonf(l, diag.NotUnderstood, "has no type that is understood (unexpected %s)", l.Describe())
		}
	}
	return s
}

// complete puts together what specifiers read.
func (s *specified) complete(words []string, q ctype.Qualified) {
	if s.typ == nil {
		basic := scalar(words)
		if basic == nil {
			s.reason = reasonf(s.at, diag.NotUnderstood, "has type %s, which is not understood", strings.Join(words, " "))
			return
		}
		s.typ = basic
	}
	if q.Restrict {
		if _, pointer := ctype.Unqualified(s.typ).(*ctype.Pointer); !pointer {
			s.reason = reasonf(s.at, diag.NotUnderstood, "has restrict on a type that is not a pointer")
			return
		}
	}
	s.typ = qualify(s.typ, q)
}

// qualifier reads const, volatile or a restrict into q.
func qualifier(c *cursor, q *ctype.Qualified) bool {
	l := c.peek()
	switch {
	case l.Is("const"), l.Is("__const"), l.Is("__const__"):
		q.Const = true
	case l.Is("volatile"), l.Is("__volatile__"):
		q.Volatile = true
	case l.Kind == lex.Ident && restricts[l.Text]:
		q.Restrict = true
	default:
		return false
	}
	c.next()
	return true
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
func (r resolver) head(c *cursor, enum bool) (h head) {
	scan := *c
	var attributes []attribute
	words := 0
	for {
		attributes = append(attributes, readAttributes(&scan)...)
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
	h.defines = after.peek().Is("{") || after.peek().Is(":") && !(enum && h.macro != nil && !r.unknownWord(h.macro))
	if h.defines && !scan.peek().Is("(") {
		h.attributes = attributes
		*c = after
		return h
	}
	// Without a definition, only the first name belongs to the type.
	h = head{}
	h.attributes = readAttributes(c)
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
func (r resolver) classSpecifier(c *cursor, classes *definer, s *specified) (t, defined ctype.Type, reason *ctype.Reason) {
	index := c.i
	key := c.next()
	h := r.head(c, false)
	switch {
	case !h.defines:
		t, reason = r.elaborated(c, h, key, classes)
		return t, nil, reason
	case classes == nil:
		return nil, nil, reasonf(key, diag.NotUnderstood, "has a class defined inside of it, which is not understood")
	}
	body, before := *c, *s // copies: nothing else is kept on the heap
	class, reason := classes.define(&body, key, index, h, &before)
	*c = body
	if reason != nil {
		return nil, nil, reason
	}
	return class, class, nil
}

// elaborated returns the class that struct X names.
func (r resolver) elaborated(c *cursor, h head, key *lex.Token, classes *definer) (ctype.Type, *ctype.Reason) {
	if h.last == nil {
		return nil, reasonf(c.peek(), diag.NotUnderstood, "has no type that is understood (unexpected %s)", c.peek().Describe())
	}
	name := h.name
	declaration := classes != nil && c.peek().Is(";")
	plain := h.name.stop == h.name.i+1
	if declaration && plain && !classes.special {
		return forward(r.scope, h.last, key.Is("union")), nil
	}
	f := r.name(&name)
	if f.entity != nil && f.entity.typ == nil && (f.entity.constant != nil || f.entity.function != nil || f.entity.obscure == aVariable) && plain {
		f.entity = nil // struct X where X is a function or variable too
		delete(r.scope.outer().names, h.last.Text)
	}
	if f.entity == nil && plain {
		if t := r.known(f); t != nil {
			return t, nil
		}
		return forward(r.scope.outer(), h.last, key.Is("union")), nil
	}
	t, reason := r.typeOf(f, h.last)
	if class, ok := t.(*ctype.Struct); ok && declaration && classes.special && h.angled {
		delete(r.pending, class) // it is defined further down, or not at all
	}
	return t, reason
}

// qualifying returns the scope that qualifies the name in h, nil when it is not known.
func (r resolver) qualifying(h *head) *scope {
	c := h.name
	end := c.stop
	for i := c.stop - 1; i > c.i; i-- {
		if c.list[i].Is("::") && &c.list[i+1] == h.last {
			end = i
			break
		}
	}
	if end == c.stop {
		return r.scope
	}
	qualifiers := c.piece(c.i, end)
	return r.scopeOf(r.name(&qualifiers).entity)
}

// named reads the name of a type.
func (r resolver) named(c *cursor) (ctype.Type, *ctype.Reason) {
	at := c.peek()
	f := r.name(c)
	if f.last == nil {
		return nil, reasonf(at, diag.NotUnderstood, "has no type that is understood (unexpected %s)", c.peek().Describe())
	}
	return r.typeOf(f, at)
}

// typeOf returns the type that f names, whose first token is at.
func (r resolver) typeOf(f found, at *lex.Token) (ctype.Type, *ctype.Reason) {
	e := f.entity
	switch {
	case f.reason != nil:
		return nil, &ctype.Reason{Pos: at.Pos(), Message: f.reason.Before("has type " + f.text + ", whose template is not understood: "), Failed: f.reason.Failed}
	case e != nil && e.typ != nil:
		return e.typ, nil
	case e != nil && e.constant != nil:
		return nil, reasonf(at, diag.NotUnderstood, "has type %s, which is a constant", f.text)
	case e != nil && e.template != nil && e.obscure == "":
		return nil, reasonf(at, diag.Template, "has type %s, which is a template without arguments", f.text)
	case e != nil && e.namespace != nil:
		return nil, reasonf(at, diag.UnknownType, "has type %s, which is a namespace", f.text)
	case e != nil && e.function != nil:
		return nil, reasonf(at, diag.NotUnderstood, "has type %s, which is a function", f.text)
	case e != nil:
		if t := r.known(f); t != nil && e.at.Origin != nil && e.at.File().System {
			return t, nil
		}
		return nil, reasonf(at, diag.UnknownType, "has unknown type %s, %s (%s:%d) (%w)", f.text, e.obscure, e.at.Position().Filename, e.at.Line(), diag.Do("write the type out"))
	}
	if t := r.known(f); t != nil {
		return t, nil
	}
	hint := unknownHint
	if ofLibrary(f.text) {
		hint = libraryHint
	}
	reason := reasonf(at, diag.UnknownType, "has unknown type %s%w", f.text, r.hint(hint))
	reason.Failed = f.failed
	return nil, reason
}

// typeID reads a type without a name, as in casts and template arguments: C++ standard,
// [dcl.name].
func (r resolver) typeID(c *cursor) (ctype.Type, *ctype.Reason) {
	s := r.specifiers(c, nil)
	if s.reason != nil {
		return nil, s.reason
	}
	d, reason := r.declarator(c, s.typ)
	switch {
	case reason != nil:
		return nil, reason
	case d.name != nil:
		return nil, reasonf(d.name, diag.NotUnderstood, "is not understood (unexpected %s)", d.name.Text)
	case d.unsized != nil:
		return nil, reasonf(s.at, d.unsized.Code, "is an array without a bound that is understood: %w", d.unsized)
	}
	if align, reason := r.alignment(append(s.attributes, d.attributes...)); reason != nil || align != 0 {
		return nil, reasonf(s.at, diag.NotUnderstood, "has an alignment or attribute of its own, which is not understood")
	}
	return d.typ, nil
}

// wholeType reads the type that c is.
func (r resolver) wholeType(c cursor) (ctype.Type, *ctype.Reason) {
	t, reason := r.typeID(&c)
	return t, ended(c, reason)
}

// ended returns reason, or, if it is nil and something stands at c, that this is not understood.
func ended(c cursor, reason *ctype.Reason) *ctype.Reason {
	if reason == nil && c.more() {
		return unexpected(c.peek())
	}
	return reason
}

// unexpected says that l is not understood.
func unexpected(l *lex.Token) *ctype.Reason {
	return reasonf(l, diag.NotUnderstood, "is not understood (unexpected %s)", l.Describe())
}

// byValue returns why the layout of t is not known, nil when it is.
func (u *unit) byValue(t ctype.Type, at *lex.Token) *ctype.Reason {
	for {
		switch bare := ctype.Unqualified(t).(type) {
		case *ctype.Array:
			t = bare.Elem
			continue
		case *ctype.Basic:
			if bare.Kind == ctype.Void {
				return reasonf(at, diag.KernelDeclaration, "has type void")
			}
		case *ctype.Function:
			return reasonf(at, diag.NotUnderstood, "is a function")
		case *ctype.Enum:
			if bare.Unsupported != nil {
				return reasonf(at, bare.Unsupported.Code, "has type %s, whose size is not understood: %w (%s)", bare, bare.Unsupported, where(bare.Unsupported))
			}
		case *ctype.Struct:
			if bare.Unsupported == nil && !bare.Complete {
				u.complete(bare)
			}
			switch {
			case bare.Unsupported != nil:
				return reasonf(at, bare.Unsupported.Code, "has type %s, whose layout is not understood: %w (%s)", bare, bare.Unsupported, where(bare.Unsupported))
			case !bare.Complete && bare.Pos.Line == 0:
				return reasonf(at, diag.NoLayout, "has type %s, whose layout depends on the version of its header: only its compiler knows it", bare)
			case !bare.Complete:
				return reasonf(at, diag.NotDefined, "has type %s, which is declared but not defined here%w", bare, u.hint(unknownHint))
			}
		}
		return nil
	}
}

// typeAhead reports whether a type stands at c.
func (r resolver) typeAhead(c cursor) bool {
	l := c.peek()
	switch {
	case l.Kind != lex.Ident && !l.Is("::"):
		return false
	case scalarWords[l.Text], l.Is("const"), l.Is("volatile"), l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"), l.Is("typename"), l.Is("decltype"):
		return true
	}
	f := r.name(&c)
	switch {
	case f.last == nil:
		return false
	case f.entity != nil:
		return f.entity.typ != nil
	}
	return r.known(f) != nil
}

// conversionAhead reports whether the expression T(x) or T{x} may begin at c, where a type stands.
func (r resolver) conversionAhead(c cursor) bool {
	s := r.specifiers(&c, nil)
	return s.reason == nil && (c.peek().Is("(") || c.peek().Is("{"))
}

// conversionType returns the type T of the expression c, if that is T(x) or T{x}, and nothing else.
func (r resolver) conversionType(c cursor) ctype.Type {
	if !r.typeAhead(c) {
		return nil
	}
	s := r.specifiers(&c, nil)
	if _, ok := c.group(); s.reason != nil || !ok || c.more() || isReference(s.typ) || isAuto(s.typ) {
		return nil
	}
	return s.typ
}
