package ctype

import (
	"strconv"
	"strings"
)

func (t *Basic) String() string         { return t.Name }
func (t *Alias) String() string         { return t.Name }
func (t *Vector) String() string        { return t.Name }
func (t *Qualified) String() string     { return source.declare(t, "") }
func (t *Pointer) String() string       { return source.declare(t, "") }
func (t *Reference) String() string     { return source.declare(t, "") }
func (t *MemberPointer) String() string { return source.declare(t, "") }
func (t *Array) String() string         { return source.declare(t, "") }
func (t *Function) String() string      { return source.declare(t, "") }
func (t *Library) String() string       { return t.Name }

// String returns the qualified name, without unnamed namespaces, as source can say it.
func (t *Struct) String() string {
	if t.Name == "" {
		if t.Union {
			return "unnamed union"
		}
		return "unnamed struct"
	}
	return named(t.Scope, t.Name+Arguments(t.Args))
}

// String returns the qualified name, without unnamed namespaces, as source can say it.
func (t *Enum) String() string {
	if t.Name == "" {
		return "unnamed enum"
	}
	return named(t.Scope, t.Name)
}

func named(scope []string, name string) string {
	var path []string
	for _, outer := range scope {
		if outer != AnonymousNamespace {
			path = append(path, outer)
		}
	}
	return strings.Join(append(path, name), "::")
}

// Demangled returns the spelling in the Itanium C++ ABI, Mangling: builtin types.
func (t *Basic) Demangled() string         { return t.Name }
func (t *Alias) Demangled() string         { return t.Type.Demangled() }
func (t *Vector) Demangled() string        { return t.Name }
func (t *Struct) Demangled() string        { return t.QualifiedName() }
func (t *Enum) Demangled() string          { return t.QualifiedName() }
func (t *Library) Demangled() string       { return t.Name }
func (t *Function) Demangled() string      { return demangled.declare(t, "") }
func (t *Qualified) Demangled() string     { return demangled.declare(t, "") }
func (t *Pointer) Demangled() string       { return demangled.declare(t, "") }
func (t *Reference) Demangled() string     { return demangled.declare(t, "") }
func (t *MemberPointer) Demangled() string { return demangled.declare(t, "") }
func (t *Array) Demangled() string         { return demangled.declare(t, "") }

// A style is a way to spell types. Both write the declarator inside out; they differ
// in where qualifiers and blanks go.
type style int

const (
	source    style = iota // const float *const
	demangled              // float const* const
)

// declare returns the declaration of declarator, which may be empty, with type t.
func (s style) declare(t Type, declarator string) string {
	if s == demangled {
		t = spreadQualifiers(Unalias(t))
	}
	switch t := t.(type) {
	case *Pointer:
		return s.indirect(t.Elem, "*", declarator)
	case *Reference:
		if t.RValue {
			return s.indirect(t.Elem, "&&", declarator)
		}
		return s.indirect(t.Elem, "&", declarator)
	case *MemberPointer:
		class := t.Class.String()
		if s == demangled {
			class = t.Class.Demangled()
			if declarator != "" && isWord(declarator[0]) {
				declarator = " " + declarator
			}
		}
		return s.indirect(t.Elem, class+"::*", declarator)
	case *Array:
		suffix := "[" + strconv.FormatInt(t.Len, 10) + "]"
		if s == demangled && strings.HasSuffix(declarator, ")") {
			suffix = " " + suffix
		}
		// Of several dimensions, the outermost stands first.
		return s.declare(t.Elem, declarator+suffix)
	case *Function:
		if s == demangled && declarator != "" && !adjoins(t.Result, declarator) {
			declarator = " " + declarator
		}
		return s.declare(t.Result, declarator+s.parameters(t))
	case *Qualified:
		if _, pointer := t.Type.(*Pointer); pointer {
			return s.declare(t.Type, s.qualifiers(t)+s.before(declarator))
		}
		if s == demangled {
			return t.Type.Demangled() + " " + s.qualifiers(t) + s.before(declarator)
		}
		return s.qualifiers(t) + " " + s.declare(t.Type, declarator)
	}
	name := t.String()
	if s == demangled {
		name = t.Demangled()
	}
	return name + s.before(declarator)
}

// indirect spells a pointer or reference to elem; operator is *, & or &&.
func (s style) indirect(elem Type, operator, declarator string) string {
	if s == demangled && declarator != "" && isWord(declarator[0]) {
		operator += " "
	}
	inner := operator + declarator
	bare := Unqualified(elem)
	if s == source {
		bare = elem
		if q, ok := bare.(*Qualified); ok {
			bare = q.Type
		}
	}
	switch bare.(type) {
	case *Array:
		inner = "(" + inner + ")"
		if s == demangled {
			inner = " " + inner
		}
	case *Function:
		inner = "(" + inner + ")"
	}
	return s.declare(elem, inner)
}

// adjoins reports whether demanglers write declarator, of a function that returns result, without a blank behind
// the * of result: where pointers lead from that to a function or an array, and declarator has pointers and references
// alone, with qualifiers or without.
func adjoins(result Type, declarator string) bool {
	operators, _, _ := strings.Cut(declarator, ")")
	if strings.Trim(withoutQualifiers.Replace(operators), "(*& ") != "" {
		return false
	}
	for points := false; ; points = true {
		switch t := Unqualified(result).(type) {
		case *Pointer:
			result = t.Elem
		case *MemberPointer:
			result = t.Elem
		case *Function, *Array:
			return points
		default:
			return false
		}
	}
}

var withoutQualifiers = strings.NewReplacer("const", "", "volatile", "", "restrict", "")

// parameters spells the parameters of a function.
func (s style) parameters(t *Function) string {
	parts := make([]string, 0, len(t.Params)+1)
	for _, p := range t.Params {
		parts = append(parts, s.declare(p, ""))
	}
	if t.Variadic {
		parts = append(parts, "...")
	}
	text := "(" + strings.Join(parts, ", ") + ")"
	if t.Const {
		text += " const"
	}
	if t.Volatile {
		text += " volatile"
	}
	if t.Ref != "" {
		text += " " + t.Ref
	}
	if t.NoExcept {
		text += " noexcept"
	}
	return text
}

// before returns declarator with what separates it from the type before it.
func (s style) before(declarator string) string {
	switch {
	case declarator == "", declarator[0] == ' ':
		return declarator
	case s == demangled && strings.ContainsRune("*&", rune(declarator[0])):
		return declarator
	case s == source && declarator[0] == '[':
		return declarator
	case declarator[0] == '(' && strings.HasSuffix(declarator, ")") && s == source && !strings.HasPrefix(declarator, "(*") && !strings.HasPrefix(declarator, "(&"):
		return declarator
	}
	return " " + declarator
}

func (s style) qualifiers(q *Qualified) string {
	var words []string
	if q.Const {
		words = append(words, "const")
	}
	if q.Volatile {
		words = append(words, "volatile")
	}
	if q.Restrict {
		if s == source {
			words = append(words, "__restrict__")
		} else {
			words = append(words, "restrict")
		}
	}
	return strings.Join(words, " ")
}

// spreadQualifiers moves the qualifiers of an array to its elements, where the
// mangling has them: C++ standard, [basic.type.qualifier]. Qualifiers of aliases and
// of what they name become one.
func spreadQualifiers(t Type) Type {
	q, ok := t.(*Qualified)
	if !ok {
		return t
	}
	switch inner := Unalias(q.Type).(type) {
	case *Array:
		elem := *q
		elem.Type = inner.Elem
		return &Array{Elem: spreadQualifiers(&elem), Len: inner.Len}
	case *Qualified:
		both := *inner
		both.Const = both.Const || q.Const
		both.Volatile = both.Volatile || q.Volatile
		both.Restrict = both.Restrict || q.Restrict
		return spreadQualifiers(&both)
	default:
		bare := *q
		bare.Type = inner
		return &bare
	}
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// SplitList returns the elements of a list of types or template arguments, which commas separate: of
// "1UL, f<int, 2>" 1UL and f<int, 2>. An empty list has none.
func SplitList(list string) (elements []string) {
	depth, begin := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '<', '>':
			if compares(list, i) {
				continue
			}
		}
		switch list[i] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				elements = append(elements, strings.TrimSpace(list[begin:i]))
				begin = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[begin:]); last != "" {
		elements = append(elements, last)
	}
	return elements
}

// compares reports whether the < or > at i belongs to an operator, as in (4)<<(1): demanglers put
// parentheses around operands.
func compares(list string, i int) bool {
	before := strings.TrimRight(list[:i], "<>")
	behind := strings.TrimLeft(list[i+1:], "<>=")
	return strings.HasSuffix(before, ")") && strings.HasPrefix(behind, "(")
}
