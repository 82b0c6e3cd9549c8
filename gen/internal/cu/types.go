package cu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// qualify returns t with the qualifiers of q. References and functions have none: C++ standard, [dcl.ref], [dcl.fct].
func qualify(t ctype.Type, q ctype.Qualified) ctype.Type {
	if isReference(t) || isFunction(t) {
		q.Const, q.Volatile = false, false
	}
	if !q.Const && !q.Volatile && !q.Restrict {
		return t
	}
	if own, ok := t.(*ctype.Qualified); ok { // const T, where T is const float
		q.Const, q.Volatile, q.Restrict = q.Const || own.Const, q.Volatile || own.Volatile, q.Restrict || own.Restrict
		t = own.Type
	}
	q.Type = t
	return &q
}

// qualifiers returns the qualifiers of t itself.
func qualifiers(t ctype.Type) ctype.Qualified {
	var q ctype.Qualified
	for {
		switch u := t.(type) {
		case *ctype.Alias:
			t = u.Type
		case *ctype.Qualified:
			q.Const, q.Volatile, q.Restrict = q.Const || u.Const, q.Volatile || u.Volatile, q.Restrict || u.Restrict
			t = u.Type
		default:
			return q
		}
	}
}

// qualifiedBy returns t with the qualifiers q, too.
func qualifiedBy(t ctype.Type, q ctype.Qualified) ctype.Type {
	if !q.Const && !q.Volatile {
		return t
	}
	own := qualifiers(t)
	return qualify(ctype.Unqualified(t), ctype.Qualified{Const: own.Const || q.Const, Volatile: own.Volatile || q.Volatile, Restrict: own.Restrict})
}

// without returns t without the qualifiers in drop.
func without(t ctype.Type, drop ctype.Qualified) ctype.Type {
	q := qualifiers(t)
	if !(q.Const && drop.Const) && !(q.Volatile && drop.Volatile) {
		return t
	}
	q.Const, q.Volatile = q.Const && !drop.Const, q.Volatile && !drop.Volatile
	return qualify(ctype.Unqualified(t), q)
}

// constType returns t with const.
func constType(t ctype.Type) ctype.Type {
	if q := qualifiers(t); q.Const {
		return t
	}
	return qualify(t, ctype.Qualified{Const: true})
}

func removeCV(t ctype.Type) ctype.Type {
	return without(t, ctype.Qualified{Const: true, Volatile: true})
}

func removeReference(t ctype.Type) ctype.Type {
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		return r.Elem
	}
	return t
}

func removePointer(t ctype.Type) ctype.Type {
	if p, ok := ctype.Unqualified(t).(*ctype.Pointer); ok {
		return p.Elem
	}
	return t
}

func addConst(t ctype.Type) ctype.Type {
	if _, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		return t
	}
	q := qualifiers(t)
	q.Const = true
	return qualify(ctype.Unqualified(t), q)
}

// spreadArray returns t without aliases, qualifiers of an array moved to its elements.
func spreadArray(t ctype.Type) ctype.Type {
	q := qualifiers(t)
	bare := ctype.Unqualified(t)
	if array, ok := bare.(*ctype.Array); ok && (q.Const || q.Volatile) {
		return &ctype.Array{Elem: qualify(array.Elem, q), Len: array.Len}
	}
	q.Type = nil
	return qualify(bare, q)
}

func isReference(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Reference)
	return ok
}

func isFunction(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Function)
	return ok
}

func isArrayType(t ctype.Type) bool {
	_, ok := ctype.Unqualified(t).(*ctype.Array)
	return ok
}

func isPointer(t ctype.Type) bool {
	if t == nil {
		return false
	}
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer, *ctype.Array:
		return true
	case *ctype.Basic:
		return u.Kind == ctype.NullPtr
	}
	return false
}

func isClass(t ctype.Type) bool {
	if t == nil {
		return false
	}
	switch ctype.Unqualified(t).(type) {
	case *ctype.Struct, *ctype.Library, *ctype.Vector:
		return true
	}
	return false
}

func isVoid(t ctype.Type) bool {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	return ok && basic.Kind == ctype.Void
}

// classOf returns the class that t is.
func classOf(t ctype.Type) (*ctype.Struct, bool) {
	if t == nil {
		return nil, false
	}
	class, ok := ctype.Unqualified(t).(*ctype.Struct)
	return class, ok
}

// decayed returns t, or the pointer that an array or a function becomes.
func decayed(t ctype.Type) ctype.Type {
	if f, ok := ctype.Unqualified(t).(*ctype.Function); ok {
		return &ctype.Pointer{Elem: f}
	}
	if array, ok := ctype.Unqualified(t).(*ctype.Array); ok {
		return &ctype.Pointer{Elem: qualifiedBy(array.Elem, qualifiers(t))}
	}
	return t
}

// adjusted returns the type that a parameter of type t has: an array becomes a pointer
// to its element, a function one to it, and qualifiers of its own go.
func adjusted(t ctype.Type) ctype.Type {
	var outer ctype.Qualified
	kept := t // an alias whose type has no qualifiers keeps its name
	for bare := t; ; {
		switch u := bare.(type) {
		case *ctype.Alias:
			bare = u.Type
			continue
		case *ctype.Qualified:
			outer.Const, outer.Volatile = outer.Const || u.Const, outer.Volatile || u.Volatile
			bare, kept = u.Type, u.Type
			continue
		case *ctype.Array:
			return &ctype.Pointer{Elem: qualify(u.Elem, outer)}
		case *ctype.Function:
			return &ctype.Pointer{Elem: u}
		}
		return kept
	}
}

// elementOf returns what t has as elements of arrays, or t.
func elementOf(t ctype.Type) ctype.Type {
	for {
		t = ctype.Unqualified(t)
		array, ok := t.(*ctype.Array)
		if !ok {
			return t
		}
		t = array.Elem
	}
}

// unwritable reports whether t, or what it is an array of, is const.
func unwritable(t ctype.Type) bool {
	for {
		switch u := t.(type) {
		case *ctype.Alias:
			t = u.Type
		case *ctype.Array:
			t = u.Elem
		case *ctype.Qualified:
			if u.Const {
				return true
			}
			t = u.Type
		default:
			return false
		}
	}
}

// addressable reports whether the arguments for a parameter of type t are entities or null
// pointers, and not integers.
func addressable(t ctype.Type) bool {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Pointer, *ctype.Reference, *ctype.Function:
		return true
	case *ctype.Basic, *ctype.Enum, *ctype.Struct, *ctype.Vector, *ctype.Library:
		return false
	default:
		return strings.Contains(t.Demangled(), "::*")
	}
}

// takesFunction reports whether t is a pointer or reference to a function.
func takesFunction(t ctype.Type) bool {
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		t = u.Elem
	case *ctype.Reference:
		t = u.Elem
	}
	_, ok := ctype.Unqualified(t).(*ctype.Function)
	return ok
}

// pointsAtClass reports whether t is a pointer or reference to a class, in which case
// the layout of the class does not count.
func pointsAtClass(t ctype.Type) bool {
	pointer := false
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Pointer:
			t, pointer = u.Elem, true
		case *ctype.Reference:
			t, pointer = u.Elem, true
		case *ctype.Array:
			t = u.Elem
		case *ctype.Struct:
			return pointer
		default:
			return false
		}
	}
}

// sameType reports whether a and b are one type, apart from their qualifiers.
func sameType(a, b ctype.Type) bool {
	if a == nil || b == nil {
		return false
	}
	a, b = ctype.Unqualified(a), ctype.Unqualified(b)
	if a == b {
		return true
	}
	switch a.(type) {
	case *ctype.Struct, *ctype.Enum:
		return false
	}
	return a.Demangled() == b.Demangled()
}

func typeName(t ctype.Type) string {
	if t == nil {
		return "that is not known here"
	}
	return t.String()
}

// where returns the position of r.
func where(r *ctype.Reason) string {
	return fmt.Sprintf("%s:%d:%d", r.Pos.Filename, r.Pos.Line, r.Pos.Column)
}

func typeArguments(types []ctype.Type) []ctype.TemplateArg {
	args := make([]ctype.TemplateArg, len(types))
	for i, t := range types {
		args[i] = ctype.TemplateArg{Type: t}
	}
	return args
}

// behindParameterList returns what the spelling of a function has behind its parameters:
// qualifiers.
func behindParameterList(f *ctype.Function) string {
	text := (&ctype.Function{Result: ctype.Builtin(ctype.Void)}).Demangled()
	bare := *f
	bare.Result, bare.Params, bare.Variadic = ctype.Builtin(ctype.Void), nil, false
	return strings.TrimPrefix(bare.Demangled(), text)
}

// autoType is the type of constants that are declared with auto.
var autoType = &ctype.Alias{Name: "auto", Type: ctype.Builtin(ctype.Void)}

// trailingAuto is the type auto in place of a type that stands behind ->.
var trailingAuto = &ctype.Alias{Name: "auto", Type: ctype.Builtin(ctype.Void)}

// isAuto reports whether t is auto, with qualifiers or without.
func isAuto(t ctype.Type) bool {
	if q, ok := t.(*ctype.Qualified); ok {
		t = q.Type
	}
	return t == ctype.Type(autoType)
}

// deduced reports whether t still has an auto for which no type stands.
func deduced(t ctype.Type) bool { return ofAuto(t, trailingAuto) }

// ofAuto reports whether t is made of auto, which is autoType or trailingAuto.
func ofAuto(t ctype.Type, auto *ctype.Alias) bool {
	for {
		switch u := t.(type) {
		case *ctype.Alias:
			return u == auto
		case *ctype.Qualified:
			t = u.Type
		case *ctype.Pointer:
			t = u.Elem
		case *ctype.Reference:
			t = u.Elem
		case *ctype.MemberPointer:
			t = u.Elem
		case *ctype.Array:
			t = u.Elem
		case *ctype.Function:
			t = u.Result
		default:
			return false
		}
	}
}

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

// builtin returns the builtin type that holds values of t, nil when t is neither one nor
// an enumeration.
func builtin(t ctype.Type) *ctype.Basic {
	if t == nil {
		return nil
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return t
	case *ctype.Enum:
		if t.Unsupported == nil {
			return t.Underlying
		}
	}
	return nil
}

// isInteger reports whether t is an integer type of at most 64 bits, or an enumeration.
func isInteger(t ctype.Type) bool {
	basic := builtin(t)
	return basic != nil && basic.Integer() && basic.Size <= 8
}

// isFloat reports whether t is float or double.
func isFloat(t ctype.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	return ok && (basic.Kind == ctype.Float || basic.Kind == ctype.Double)
}

func floating(b *ctype.Basic) bool {
	return b.Kind == ctype.Float || b.Kind == ctype.Double || b.Kind == ctype.LongDouble
}

func arithmetic(b *ctype.Basic) bool { return b.Integer() || floating(b) }

func isKind(holds func(*ctype.Basic) bool) func(ctype.Type) bool {
	return func(t ctype.Type) bool {
		basic, ok := ctype.Unqualified(t).(*ctype.Basic)
		return ok && holds(basic)
	}
}

func isScoped(t ctype.Type) bool {
	if t == nil {
		return false
	}
	e, ok := ctype.Unqualified(t).(*ctype.Enum)
	return ok && e.Scoped
}

// promoted returns the type that an integer type becomes in arithmetic: C++ standard,
// [conv.prom]. It is nil for other types.
func promoted(t ctype.Type) *ctype.Basic {
	if enum, ok := ctype.Unqualified(t).(*ctype.Enum); ok && !enum.Fixed {
		if enum.Scoped || enum.Unsupported != nil {
			return nil
		}
		low, high := enumRange(enum)
		if enum.Underlying.Size == 4 && low >= math.MinInt32 && high <= math.MaxInt32 {
			return ctype.Builtin(ctype.Int)
		}
		if enum.Underlying.Unsigned && enum.Underlying.Size == 8 && high <= math.MaxInt64 {
			return ctype.Builtin(ctype.Long)
		}
		return enum.Underlying
	}
	basic := builtin(t)
	switch {
	case basic == nil || !basic.Integer() || isScoped(t):
		return nil
	case basic.Kind == ctype.Char32:
		return ctype.Builtin(ctype.UnsignedInt)
	case basic.Size < 4 || basic.Kind == ctype.WChar:
		return ctype.Builtin(ctype.Int)
	}
	return basic
}

// enumRange returns the smallest and the largest enumerator of e, or 0.
func enumRange(e *ctype.Enum) (low int64, high uint64) {
	for _, one := range e.Enumerators {
		if one.Value < 0 && !e.Underlying.Unsigned {
			low = min(low, one.Value)
		} else {
			high = max(high, uint64(one.Value))
		}
	}
	return low, high
}

// usualType returns the type of the operands of an arithmetic operator: C++ standard,
// [expr.arith.conv]. It is nil when it is not understood.
func usualType(x, y ctype.Type) *ctype.Basic {
	if isFloat(x) || isFloat(y) {
		for _, t := range [...]ctype.Type{x, y} {
			if !isFloat(t) && promoted(t) == nil {
				return nil
			}
		}
		for _, t := range [...]ctype.Type{x, y} {
			if basic := builtin(t); isFloat(t) && basic.Kind == ctype.Double {
				return basic
			}
		}
		return ctype.Builtin(ctype.Float)
	}
	a, b := promoted(x), promoted(y)
	if a == nil || b == nil {
		return nil
	}
	if rank(a) < rank(b) {
		a, b = b, a
	}
	switch {
	case a.Unsigned == b.Unsigned, a.Unsigned, rank(a) == rank(b) && a.Unsigned:
		return a
	case rank(a) == rank(b):
		return b
	case a.Size > b.Size:
		return a
	}
	return withSign(a, true).(*ctype.Basic)
}

// rank orders the promoted integer types: C++ standard, [conv.rank].
func rank(t *ctype.Basic) int {
	switch t.Kind {
	case ctype.Long, ctype.UnsignedLong:
		return 1
	case ctype.LongLong, ctype.UnsignedLongLong:
		return 2
	case ctype.Int128, ctype.UnsignedInt128:
		return 3
	}
	return 0
}

// wrap returns bits as a value of the integer type t has it: modulo 2 to the power of its
// width.
func wrap(bits int64, t *ctype.Basic) int64 {
	if t.Kind == ctype.Bool {
		if bits != 0 {
			return 1
		}
		return 0
	}
	return integerType(t).Wrap(bits)
}

func integerType(t *ctype.Basic) lex.IntegerType {
	return lex.IntegerType{Size: t.Size, Unsigned: t.Unsigned}
}

// signs pairs the signed integer types with the unsigned ones: C++ standard,
// [meta.trans.sign].
var signs = [...][2]ctype.Kind{
	{ctype.SignedChar, ctype.UnsignedChar}, {ctype.Short, ctype.UnsignedShort}, {ctype.Int, ctype.UnsignedInt},
	{ctype.Long, ctype.UnsignedLong}, {ctype.LongLong, ctype.UnsignedLongLong}, {ctype.Int128, ctype.UnsignedInt128},
}

// withSign returns the integer type of the same size with or without a sign, nil for
// types that are not in signs.
func withSign(t ctype.Type, unsigned bool) ctype.Type {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	if !ok {
		return nil
	}
	kind := basic.Kind
	if kind == ctype.Char {
		kind = ctype.SignedChar
	}
	for _, pair := range signs {
		if kind == pair[0] || kind == pair[1] {
			made := ctype.Builtin(pair[0])
			if unsigned {
				made = ctype.Builtin(pair[1])
			}
			return qualify(made, qualifiers(t))
		}
	}
	return nil
}

func underlying(t ctype.Type) ctype.Type {
	if e, ok := ctype.Unqualified(t).(*ctype.Enum); ok && e.Unsupported == nil {
		return e.Underlying
	}
	return nil
}

// longestName limits the spelling of a type, in bytes: P<P<…>, P<…>> of P<…>, P<…> takes
// twice as many with every step.
const longestName = 1 << 15

// spellings has the lengths of the spellings of types, each of which is computed once: a type may be part of
// another in many places.
type spellings map[ctype.Type]int

// length returns the length of the spelling of t, or more than longestName.
func (s spellings) length(t ctype.Type) int {
	const punctuation = len(" const volatile")
	switch t := t.(type) {
	case nil:
		return 0
	case *ctype.Alias:
		return s.length(t.Type)
	case *ctype.Qualified:
		return s.length(t.Type) + punctuation
	case *ctype.Pointer:
		return s.length(t.Elem) + 1
	case *ctype.Reference:
		return s.length(t.Elem) + len("&&")
	case *ctype.Array:
		return s.length(t.Elem) + punctuation
	case *ctype.MemberPointer:
		return s.length(t.Class) + s.length(t.Elem) + len("::*")
	case *ctype.Function:
		return s.remembered(t, func() int {
			n := s.length(t.Result) + punctuation
			for _, one := range t.Params {
				n += s.length(one) + len(", ")
			}
			return n
		})
	case *ctype.Struct:
		return s.remembered(t, func() int {
			n := len(t.Name)
			for _, outer := range t.Scope {
				n += len(outer) + len("::")
			}
			return n + s.arguments(t.Args)
		})
	}
	return len(t.Demangled())
}

// arguments returns the length of the spelling of template arguments.
func (s spellings) arguments(args []ctype.TemplateArg) int {
	n := 0
	for _, arg := range args {
		n += len(", ")
		switch {
		case arg.IsValue:
			n += len(arg.Demangled())
		case arg.Entity == nil:
			n += s.length(arg.Type)
		}
		if e := arg.Entity; e != nil {
			for _, outer := range e.Scope {
				n += len(outer) + len("::")
			}
			n += len(e.Name) + s.arguments(e.Args)
		}
	}
	return n
}

// remembered returns the length of t.
func (s spellings) remembered(t ctype.Type, compute func() int) int {
	if n, ok := s[t]; ok {
		return n
	}
	n := min(compute(), 2*longestName)
	s[t] = n
	return n
}

// localTypes are the classes and enumerations that are defined in functions.
type localTypes map[ctype.Type]bool

// in reports whether arg is, or has, one of them, or a value of one.
func (l localTypes) in(arg ctype.TemplateArg) bool { return arg.Type != nil && l.name(arg.Type) }

// name reports whether the spelling of t has one of them.
func (l localTypes) name(t ctype.Type) bool {
	return has(t, func(t ctype.Type) bool { return l[t] })
}

// has reports whether is holds for t, or for a type in its spelling, without their qualifiers.
func has(t ctype.Type, is func(ctype.Type) bool) bool {
	t = ctype.Unqualified(t)
	if is(t) {
		return true
	}
	inside := func(t ctype.Type) bool { return has(t, is) }
	switch t := t.(type) {
	case *ctype.Pointer:
		return inside(t.Elem)
	case *ctype.Reference:
		return inside(t.Elem)
	case *ctype.MemberPointer:
		return inside(t.Class) || inside(t.Elem)
	case *ctype.Array:
		return inside(t.Elem)
	case *ctype.Function:
		return inside(t.Result) || slices.ContainsFunc(t.Params, inside)
	case *ctype.Struct:
		return slices.ContainsFunc(t.Args, func(arg ctype.TemplateArg) bool { return arg.Type != nil && inside(arg.Type) })
	}
	return false
}

// unnamed reports whether t is a class or an enumeration that has no name, or belongs to one.
func unnamed(t ctype.Type) bool {
	switch t := t.(type) {
	case *ctype.Struct:
		return t.Name == "" || slices.Contains(t.Scope, "")
	case *ctype.Enum:
		return t.Name == "" || slices.Contains(t.Scope, "")
	}
	return false
}
