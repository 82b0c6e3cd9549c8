package cu

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// scalarWords are the words that builtin scalar types are made of.
var scalarWords = map[string]bool{
	"void": true, "bool": true, "char": true, "char8_t": true, "char16_t": true, "char32_t": true, "wchar_t": true,
	"short": true, "int": true, "long": true, "float": true, "double": true, "signed": true, "unsigned": true,
}

// A spelling counts the words of a builtin type, whose order does not matter.
type spelling struct {
	base                         string // "int" also when it is only implied
	short, long, signed, unsined int
}

// scalars holds the builtin types by their words: C++ standard, [dcl.type.simple].
var scalars = map[spelling]ctype.Kind{
	{base: "void"}: ctype.Void, {base: "bool"}: ctype.Bool,
	{base: "char8_t"}: ctype.Char8, {base: "char16_t"}: ctype.Char16, {base: "char32_t"}: ctype.Char32,
	{base: "wchar_t"}: ctype.WChar, {base: "float"}: ctype.Float, {base: "double"}: ctype.Double,

	{base: "char"}: ctype.Char, {base: "char", signed: 1}: ctype.SignedChar, {base: "char", unsined: 1}: ctype.UnsignedChar,

	{base: "int"}: ctype.Int, {base: "int", signed: 1}: ctype.Int, {base: "int", unsined: 1}: ctype.UnsignedInt,

	{base: "int", short: 1}: ctype.Short, {base: "int", short: 1, signed: 1}: ctype.Short,
	{base: "int", short: 1, unsined: 1}: ctype.UnsignedShort,

	{base: "int", long: 1}: ctype.Long, {base: "int", long: 1, signed: 1}: ctype.Long,
	{base: "int", long: 1, unsined: 1}: ctype.UnsignedLong,

	{base: "int", long: 2}: ctype.LongLong, {base: "int", long: 2, signed: 1}: ctype.LongLong,
	{base: "int", long: 2, unsined: 1}: ctype.UnsignedLongLong,
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
		case "signed":
			s.signed++
		case "unsigned":
			s.unsined++
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
var restricts = map[string]bool{"__restrict__": true, "__restrict": true, "restrict": true}

func reasonf(at *lexeme, format string, arguments ...any) *ctype.Reason {
	return &ctype.Reason{Pos: at.pos, Text: fmt.Sprintf(format, arguments...)}
}

// qualifier reads const, volatile or a restrict into q.
func qualifier(c *cursor, q *ctype.Qualified) bool {
	l := c.peek()
	switch {
	case l.is("const"), l.is("__const"), l.is("__const__"):
		q.Const = true
	case l.is("volatile"), l.is("__volatile__"):
		q.Volatile = true
	case l.kind == tokIdent && restricts[l.text]:
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

// specifiers reads the type at the beginning of a declaration, up to the declarator,
// and the attributes in it. The reason says what is not understood, as a predicate:
// "has unknown type index_t".
func (p *parser) specifiers(c *cursor) (t ctype.Type, attributes []attribute, reason *ctype.Reason) {
	var q ctype.Qualified
	var words []string
	first := c.peek()
	for {
		l := c.peek()
		if m := p.macros.at(l); m != nil {
			return nil, nil, reasonf(l, "uses macro %s, and macros are not expanded (write it out)", l.text)
		}
		found := p.attributes(c)
		attributes = append(attributes, found...)
		switch {
		case len(found) > 0, qualifier(c, &q), c.accept("register"), c.accept("mutable"):
		case l.kind == tokIdent && scalarWords[l.text]:
			if t != nil {
				return nil, nil, reasonf(l, "has two types, %s and %s", t, l.text)
			}
			words = append(words, l.text)
			c.next()
		case len(words) > 0 || t != nil:
			return p.specified(first, t, words, q, attributes)
		case l.is("struct"), l.is("class"), l.is("union"), l.is("enum"), l.is("typename"):
			c.next()
			t, reason = p.named(c, l)
		case l.kind == tokIdent, l.is("::"):
			t, reason = p.named(c, nil)
		default:
			return nil, nil, reasonf(l, "has no type that is understood (unexpected %s)", l.describe())
		}
		if reason != nil {
			return nil, nil, reason
		}
	}
}

// specified puts together what specifiers read.
func (p *parser) specified(first *lexeme, t ctype.Type, words []string, q ctype.Qualified, attributes []attribute) (ctype.Type, []attribute, *ctype.Reason) {
	if t == nil {
		basic := scalar(words)
		if basic == nil {
			return nil, nil, reasonf(first, "has type %s, which is not understood", strings.Join(words, " "))
		}
		t = basic
	}
	if q.Restrict {
		return nil, nil, reasonf(first, "has restrict on a type that is no pointer")
	}
	return qualify(t, q), attributes, nil
}

const unknownHint = "(include its header, or map it with //cudagen:type)"

// named reads the name of a type. key is the word before it, such as struct, nil when
// there is none.
func (p *parser) named(c *cursor, key *lexeme) (ctype.Type, *ctype.Reason) {
	at := c.peek()
	path, absolute := c.path()
	if len(path) == 0 {
		return nil, reasonf(at, "has no type that is understood (unexpected %s)", at.describe())
	}
	name := strings.Join(path, "::")
	if m := p.macros.at(at); m != nil {
		return nil, reasonf(at, "uses macro %s, and macros are not expanded (write it out)", at.text)
	}
	if c.peek().is("<") {
		begin := c.i
		c.angles()
		return nil, reasonf(at, "has type %s%s, and templates are not understood %s", name, join(c.lexemes[begin:c.i]), unknownHint)
	}
	found, _ := p.scope.resolve(path, absolute)
	if found != nil && found.typ == nil && found.value != nil && key != nil {
		found = nil
	}
	switch {
	case found != nil && found.typ != nil:
		return found.typ, nil
	case found != nil && found.value != nil:
		return nil, reasonf(at, "has type %s, which is a constant", name)
	case found != nil:
		return nil, reasonf(at, "has unknown type %s, %s (%s:%d) that is not understood (write the type out, or map it with //cudagen:type)",
			name, found.obscure, found.pos.Filename, found.pos.Line)
	}
	if key != nil && (key.is("struct") || key.is("class")) {
		if t := ctype.LookupVector(name); t != nil && !absolute {
			return t, nil
		}
		if len(path) == 1 && !absolute {
			return p.forward(p.scope.namespace(), path[0], at.pos), nil
		}
	}
	if key == nil {
		if t := standard(path, absolute); t != nil {
			return t, nil
		}
	}
	return nil, reasonf(at, "has unknown type %s %s", name, unknownHint)
}

// standard returns the CUDA or C library type that a name stands for, nil when it
// stands for none.
func standard(path []string, absolute bool) ctype.Type {
	switch {
	case len(path) == 1:
		if v := ctype.LookupVector(path[0]); v != nil {
			return v
		}
		if a := ctype.Standard(path[0]); a != nil {
			return a
		}
	case len(path) == 2 && path[0] == "std", len(path) == 3 && path[0] == "cuda" && path[1] == "std":
		if a := ctype.Standard(path[len(path)-1]); a != nil {
			a.Name = strings.Join(path, "::")
			return a
		}
	}
	return nil
}

// A declared is one declarator with its type.
type declared struct {
	name       *lexeme // nil when there is none
	typ        ctype.Type
	attributes []attribute
	unsized    bool // an array whose first bound is absent or not constant; its Len is 1
	boundError *constError
}

// declarator reads pointers, name and array bounds around the type t.
func (p *parser) declarator(c *cursor, t ctype.Type) (d declared, reason *ctype.Reason) {
	t, reason = p.indirections(c, t)
	if reason != nil {
		return d, reason
	}
	d.attributes = p.attributes(c)
	switch l := c.peek(); {
	case p.macros.at(l) != nil:
		return d, reasonf(l, "uses macro %s, and macros are not expanded (write it out)", l.text)
	case l.is("("):
		return d, reasonf(l, "is a function pointer or has parentheses in its declaration, which is not understood")
	case l.kind == tokIdent:
		d.name = c.next()
	}
	d.attributes = append(d.attributes, p.attributes(c)...)
	d.typ, reason = p.bounds(c, t, &d)
	if reason != nil {
		return d, reason
	}
	d.attributes = append(d.attributes, p.attributes(c)...)
	if l := c.peek(); l.is("(") {
		return d, reasonf(l, "is a function, which is not understood")
	}
	return d, nil
}

// indirections reads *, & and && with their qualifiers.
func (p *parser) indirections(c *cursor, t ctype.Type) (ctype.Type, *ctype.Reason) {
	for depth := 0; ; depth++ {
		l := c.peek()
		if depth > deepestNesting {
			return nil, reasonf(l, "has more than %d pointers in its type", deepestNesting)
		}
		_, reference := t.(*ctype.Reference)
		switch {
		case reference && (l.is("*") || l.is("&") || l.is("&&")):
			return nil, reasonf(l, "is a pointer or reference to a reference")
		case l.is("*"):
			c.next()
			var q ctype.Qualified
			for qualifier(c, &q) {
			}
			t = qualify(&ctype.Pointer{Elem: t}, q)
		case l.is("&"), l.is("&&"):
			c.next()
			t = &ctype.Reference{Elem: t, RValue: l.text == "&&"}
			var q ctype.Qualified
			for qualifier(c, &q) {
			}
		case l.is("::"), l.kind == tokIdent && c.ahead(1).is("::"):
			return nil, reasonf(l, "is a pointer to a member, which is not understood")
		default:
			return t, nil
		}
	}
}

// bounds reads array bounds behind a name and returns the type.
func (p *parser) bounds(c *cursor, t ctype.Type, d *declared) (ctype.Type, *ctype.Reason) {
	var lengths []int64
	for c.peek().is("[") && !c.ahead(1).is("[") {
		at := c.peek()
		inside, ok := c.group()
		if !ok {
			return nil, reasonf(at, "has an array bound that is not closed")
		}
		n := int64(1)
		switch v, failure := p.evaluate(inside, at.pos, p.scope); {
		case failure == nil:
			if n, ok = v.int64(); !ok || n < 1 {
				return nil, reasonf(at, "has an array bound that is not positive")
			}
		case len(lengths) > 0:
			return nil, &ctype.Reason{Pos: failure.pos, Text: "has an array bound that is not understood: " + failure.text}
		default:
			d.unsized = true
			d.boundError = failure
		}
		lengths = append(lengths, n)
	}
	if len(lengths) > 0 {
		if _, reference := t.(*ctype.Reference); reference {
			return nil, reasonf(c.peek(), "is an array of references")
		}
	}
	if len(lengths) > deepestNesting {
		return nil, reasonf(c.peek(), "has more than %d array bounds", deepestNesting)
	}
	for i := len(lengths) - 1; i >= 0; i-- {
		t = &ctype.Array{Elem: t, Len: lengths[i]}
	}
	return t, nil
}

// byValue returns why the layout of t is not known, nil when it is.
func byValue(t ctype.Type, at token.Position) *ctype.Reason {
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Array:
			t = u.Elem
			continue
		case *ctype.Basic:
			if u.Kind == ctype.Void {
				return &ctype.Reason{Pos: at, Text: "has type void"}
			}
		case *ctype.Struct:
			switch {
			case u.Unsupported != nil:
				return &ctype.Reason{Pos: at, Text: fmt.Sprintf("has type %s, whose layout is not understood: %s (%s:%d:%d)",
					u, u.Unsupported.Text, u.Unsupported.Pos.Filename, u.Unsupported.Pos.Line, u.Unsupported.Pos.Column)}
			case !u.Complete:
				return &ctype.Reason{Pos: at, Text: fmt.Sprintf("has type %s, which is declared but not defined here %s", u, unknownHint)}
			}
		}
		return nil
	}
}
