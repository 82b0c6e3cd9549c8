package cu

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// scalarWords are the words that builtin scalar types are made of.
var scalarWords = words(`void bool char char8_t char16_t char32_t wchar_t short int long float double signed unsigned
	__signed__ __signed __int128 __int128_t __uint128_t _Bool __int64`)

// A spelling counts the words of a builtin type, whose order does not matter.
type spelling struct {
	base                          string // "int" also when it is only implied
	short, long, signed, unsigned int
}

// scalars holds the builtin types by their words: C++ standard, [dcl.type.simple].
var scalars = map[spelling]ctype.Kind{
	{base: "void"}: ctype.Void, {base: "bool"}: ctype.Bool,
	{base: "char8_t"}: ctype.Char8, {base: "char16_t"}: ctype.Char16, {base: "char32_t"}: ctype.Char32,
	{base: "wchar_t"}: ctype.WChar, {base: "float"}: ctype.Float, {base: "double"}: ctype.Double,
	{base: "double", long: 1}: ctype.LongDouble,

	{base: "char"}: ctype.Char, {base: "char", signed: 1}: ctype.SignedChar, {base: "char", unsigned: 1}: ctype.UnsignedChar,

	{base: "int"}: ctype.Int, {base: "int", signed: 1}: ctype.Int, {base: "int", unsigned: 1}: ctype.UnsignedInt,

	{base: "int", short: 1}: ctype.Short, {base: "int", short: 1, signed: 1}: ctype.Short,
	{base: "int", short: 1, unsigned: 1}: ctype.UnsignedShort,

	{base: "int", long: 1}: ctype.Long, {base: "int", long: 1, signed: 1}: ctype.Long,
	{base: "int", long: 1, unsigned: 1}: ctype.UnsignedLong,

	{base: "int", long: 2}: ctype.LongLong, {base: "int", long: 2, signed: 1}: ctype.LongLong,
	{base: "int", long: 2, unsigned: 1}: ctype.UnsignedLongLong,

	{base: "__int128"}: ctype.Int128, {base: "__int128", signed: 1}: ctype.Int128, {base: "__int128", unsigned: 1}: ctype.UnsignedInt128,
	{base: "__int128_t"}: ctype.Int128, {base: "__uint128_t"}: ctype.UnsignedInt128,
}

// scalar returns the builtin type of words, nil when there is none.
func scalar(words []string) *ctype.Basic {
	var s spelling
	for _, word := range words {
		switch word {
		case "short":
			s.short++
		case "long":
			s.long++
		case "signed", "__signed__", "__signed":
			s.signed++
		case "unsigned":
			s.unsigned++
		case "_Bool":
			word = "bool"
			fallthrough
		default:
			if s.base != "" {
				return nil
			}
			s.base = word
		}
	}
	if s.base == "" {
		s.base = "int"
	}
	if kind, ok := scalars[s]; ok {
		return ctype.Builtin(kind)
	}
	return nil
}

// restricts are the spellings of restrict.
var restricts = words("__restrict__ __restrict restrict")

// reasonf says what is not understood at l, as a predicate: "has unknown type index_t".
func (u *unit) reasonf(l *lex.Token, code diag.Code, format string, arguments ...any) *ctype.Reason {
	return &ctype.Reason{Pos: l.Pos(), Message: l.Explain(code.Errorf(format, arguments...))}
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

// qualify returns t with the qualifiers of q.
func qualify(t ctype.Type, q ctype.Qualified) ctype.Type {
	if !q.Const && !q.Volatile && !q.Restrict {
		return t
	}
	q.Type = t
	return &q
}

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
	memory     bool // __device__, __constant__, extern …: its value is not a constant expression
	extern     bool
	externC    bool          // extern "C"
	space      string        // __device__, __constant__ or __managed__; empty for none
	member     bool          // of a class
	begin      int           // index of the token that the declaration begins with
	lead       []lex.Comment // above the declaration of a variable in such a space
	reason     *ctype.Reason
}

// A specifierContext says where specifiers stand.
type specifierContext struct {
	declares bool    // a declaration: it may define types
	record   *record // whose members they declare
	special  bool    // behind template <>
}

// storage are words of a declaration that say nothing about its type.
var storage = words(`register mutable inline __inline__ __inline __forceinline__ __forceinline thread_local __thread __extension__
	__host__ __noinline__ virtual friend auto_type __nv_pure__ __shared__ typename __device_builtin__`)

// memorySpaces are the storage of variables whose value is not a constant expression.
var memorySpaces = words("__device__ __constant__ __managed__ __shared__ extern thread_local")

// specifiers reads the type at the beginning of a declaration, up to the declarator,
// and the attributes in it.
func (p *parser) specifiers(c *cursor, context specifierContext) (s specified) {
	p.work.step()
	var q ctype.Qualified
	var words []string
	s.at = c.peek()
	for s.reason == nil {
		l := c.peek()
		found := p.attributes(c)
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
				s.reason = p.reasonf(l, diag.NotUnderstood, "has two types, %s and %s", s.typ, l.Text)
				break
			}
			words = append(words, l.Text)
			c.next()
			continue
		case len(words) > 0 || s.typ != nil:
			p.specified(&s, words, q)
			return s
		case l.Is("struct"), l.Is("class"), l.Is("union"):
			s.typ, s.defined, s.reason = p.classSpecifier(c, context, &s)
		case l.Is("enum"):
			s.typ, s.defined, s.reason = p.enumSpecifier(c, context)
		case l.Is("auto") && s.constexpr, l.Is("auto") && q.Const:
			c.next()
			s.typ = autoType
		case l.Is("decltype"), l.Is("__typeof__"), l.Is("typeof"):
			s.typ, s.reason = p.decltype(c)
		case l.Is("auto"):
			c.next()
			s.typ = trailingAuto
		case l.Kind == lex.Ident, l.Is("::"):
			s.typ, s.reason = p.named(c)
		default:
			s.reason = p.reasonf(l, diag.NotUnderstood, "has no type that is understood (unexpected %s)", l.Describe())
		}
	}
	return s
}

// autoType is the type of constants that are declared with auto.
var autoType = &ctype.Alias{Name: "auto", Type: ctype.Builtin(ctype.Void)}

// trailingAuto is the type auto in place of a type that stands behind ->.
var trailingAuto = &ctype.Alias{Name: "auto", Type: ctype.Builtin(ctype.Void)}

// specified puts together what specifiers read.
func (u *unit) specified(s *specified, words []string, q ctype.Qualified) {
	if s.typ == nil {
		basic := scalar(words)
		if basic == nil {
			s.reason = u.reasonf(s.at, diag.NotUnderstood, "has type %s, which is not understood", strings.Join(words, " "))
			return
		}
		s.typ = basic
	}
	if q.Restrict {
		if _, pointer := ctype.Unqualified(s.typ).(*ctype.Pointer); !pointer {
			s.reason = u.reasonf(s.at, diag.NotUnderstood, "has restrict on a type that is not a pointer")
			return
		}
	}
	s.typ = qualify(s.typ, q)
}

// named reads the name of a type.
func (p *parser) named(c *cursor) (ctype.Type, *ctype.Reason) {
	at := c.peek()
	f := p.name(c)
	if f.last == nil {
		return nil, p.reasonf(at, diag.NotUnderstood, "has no type that is understood (unexpected %s)", c.peek().Describe())
	}
	return p.typeOf(f, at)
}

// typeOf returns the type that f names, whose first token is at.
func (p *parser) typeOf(f found, at *lex.Token) (ctype.Type, *ctype.Reason) {
	e := f.entity
	switch {
	case f.reason != nil:
		return nil, &ctype.Reason{Pos: at.Pos(), Message: f.reason.Before("has type " + f.text + ", whose template is not understood: "), Failed: f.reason.Failed}
	case e != nil && e.typ != nil:
		return e.typ, nil
	case e != nil && e.constant != nil:
		return nil, p.reasonf(at, diag.NotUnderstood, "has type %s, which is a constant", f.text)
	case e != nil && e.template != nil && e.obscure == "":
		return nil, p.reasonf(at, diag.Template, "has type %s, which is a template without arguments", f.text)
	case e != nil && e.namespace != nil:
		return nil, p.reasonf(at, diag.UnknownType, "has type %s, which is a namespace", f.text)
	case e != nil && e.function != nil:
		return nil, p.reasonf(at, diag.NotUnderstood, "has type %s, which is a function", f.text)
	case e != nil:
		if t := p.known(f); t != nil && e.at.Origin != nil && e.at.File().System {
			return t, nil
		}
		return nil, p.reasonf(at, diag.UnknownType, "has unknown type %s, %s (%s:%d) (%w)", f.text, e.obscure, e.at.Position().Filename, e.at.Line(), diag.Do("write the type out"))
	}
	if t := p.known(f); t != nil {
		return t, nil
	}
	hint := unknownHint
	if ofLibrary(f.text) {
		hint = libraryHint
	}
	reason := p.reasonf(at, diag.UnknownType, "has unknown type %s%w", f.text, p.hint(hint))
	reason.Failed = f.failed
	return nil, reason
}

// typeID reads a type without a name, as in casts and template arguments: C++ standard,
// [dcl.name].
func (p *parser) typeID(c *cursor) (ctype.Type, *ctype.Reason) {
	s := p.specifiers(c, specifierContext{})
	if s.reason != nil {
		return nil, s.reason
	}
	d, reason := p.declarator(c, s.typ)
	switch {
	case reason != nil:
		return nil, reason
	case d.name != nil:
		return nil, p.reasonf(d.name, diag.NotUnderstood, "is not understood (unexpected %s)", d.name.Text)
	case d.unsized != nil:
		return nil, p.reasonf(s.at, d.unsized.Code, "is an array without a bound that is understood: %w", d.unsized)
	}
	if align, reason := p.alignment(append(s.attributes, d.attributes...)); reason != nil || align != 0 {
		return nil, p.reasonf(s.at, diag.NotUnderstood, "has an alignment or attribute of its own, which is not understood")
	}
	return d.typ, nil
}

// byValue returns why the layout of t is not known, nil when it is.
func (p *parser) byValue(t ctype.Type, at *lex.Token) *ctype.Reason {
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Array:
			t = u.Elem
			continue
		case *ctype.Basic:
			if u.Kind == ctype.Void {
				return p.reasonf(at, diag.KernelDeclaration, "has type void")
			}
		case *ctype.Function:
			return p.reasonf(at, diag.NotUnderstood, "is a function")
		case *ctype.Enum:
			if u.Unsupported != nil {
				return p.reasonf(at, u.Unsupported.Code, "has type %s, whose size is not understood: %w (%s)", u, u.Unsupported, where(u.Unsupported))
			}
		case *ctype.Struct:
			if u.Unsupported == nil && !u.Complete {
				p.complete(u)
			}
			switch {
			case u.Unsupported != nil:
				return p.reasonf(at, u.Unsupported.Code, "has type %s, whose layout is not understood: %w (%s)", u, u.Unsupported, where(u.Unsupported))
			case !u.Complete && u.Pos.Line == 0:
				return p.reasonf(at, diag.NoLayout, "has type %s, whose layout depends on the version of its header: only its compiler knows it", u)
			case !u.Complete:
				return p.reasonf(at, diag.NotDefined, "has type %s, which is declared but not defined here%w", u, p.hint(unknownHint))
			}
		}
		return nil
	}
}

// where returns the position of r.
func where(r *ctype.Reason) string {
	return fmt.Sprintf("%s:%d:%d", r.Pos.Filename, r.Pos.Line, r.Pos.Column)
}
