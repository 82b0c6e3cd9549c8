package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A verdict says whether an expression is valid for operands of known types: C++ standard, [temp.deduct], [expr].
// Where compilers differ, and where something of the source is not known, it is unsure.
type verdict uint8

const (
	unsure verdict = iota
	invalid
	valid
)

// holds is valid if b is true, and invalid otherwise.
func holds(b bool) verdict {
	if b {
		return valid
	}
	return invalid
}

// and returns the verdict on what needs both v and w.
func (v verdict) and(w verdict) verdict {
	switch {
	case v == invalid || w == invalid:
		return invalid
	case v == valid && w == valid:
		return valid
	}
	return unsure
}

// or returns the verdict on what v or w allows.
func (v verdict) or(w verdict) verdict {
	switch {
	case v == valid || w == valid:
		return valid
	case v == invalid && w == invalid:
		return invalid
	}
	return unsure
}

// demand ends an expression that is tried, unless v says that it is valid. One that is not tried is valid: the
// compiler, which reads it later, refuses others.
func (e *evaluator) demand(at *lex.Token, v verdict) {
	if v == valid || !e.tried() {
		return
	}
	if v == invalid {
		panic(&constError{at: *at, Message: diag.NotUnderstood.New("the expression is not valid"), failed: true})
	}
	e.fail(at, diag.NotUnderstood, "whether the expression is valid is not known here")
}

// A kind is what the rules of operators tell types apart by.
type kind uint8

const (
	ofUnknown kind = iota // not known, or a class of which not all is known
	ofVoid
	ofBool
	ofInteger
	ofFloat
	ofEnum
	ofScoped
	ofNull
	ofPointer
	ofMember
	ofClass // without conversion functions
)

// kindOf returns the kind of a value of type t, of an array or a function that of the pointer that it becomes.
func (e *evaluator) kindOf(t ctype.Type) kind {
	if t == nil {
		return ofUnknown
	}
	switch u := ctype.Unqualified(decayed(t)).(type) {
	case *ctype.Basic:
		switch {
		case u.Kind == ctype.Void:
			return ofVoid
		case u.Kind == ctype.Bool:
			return ofBool
		case u.Kind == ctype.NullPtr:
			return ofNull
		case floating(u):
			return ofFloat
		}
		return ofInteger
	case *ctype.Enum:
		switch {
		case u.Unsupported != nil:
		case !u.Scoped:
			return ofEnum
		case e.allKnown():
			return ofScoped
		}
	case *ctype.Pointer:
		return ofPointer
	case *ctype.MemberPointer:
		return ofMember
	case *ctype.Struct:
		if list, ok := e.conversions(u, 0); ok && len(list) == 0 && e.allKnown() {
			return ofClass
		}
	}
	return ofUnknown
}

func (k kind) integral() bool   { return k == ofBool || k == ofInteger || k == ofEnum }
func (k kind) arithmetic() bool { return k.integral() || k == ofFloat }

// allKnown reports whether every function is known that may be an operator of a class or an enumeration. Headers of the
// C++ library have none for others' types.
func (u *unit) allKnown() bool { return !u.lostSome && len(u.pre.Missing) == 0 }

// plain reports whether t is a class that is copied, made and ended as C does it, and so are its members.
func (u *unit) plain(t *ctype.Struct, depth int) bool {
	u.work.step()
	u.complete(t)
	if depth > deepestNesting || !t.Complete || t.Unsupported != nil || t.POD != ctype.PODYes || t.Union {
		return false
	}
	return u.plainClasses.ask(t, func() bool {
		return !slices.ContainsFunc(t.Fields, func(f ctype.Field) bool { return !u.plainType(f.Type, depth+1) })
	})
}

// plainType is plain for any type: references and what is const are not.
func (u *unit) plainType(t ctype.Type, depth int) bool {
	elem := elementOf(t)
	switch {
	case isReference(t) || unwritable(t) || qualifiers(t).Volatile:
		return false
	case isClass(elem):
		class, ok := classOf(elem)
		return ok && u.plain(class, depth)
	}
	return true
}

// similar reports whether a and b are one type, apart from the qualifiers on all levels of pointers: C++ standard,
// [conv.qual].
func similar(a, b ctype.Type) bool {
	for {
		p, ok := ctype.Unqualified(a).(*ctype.Pointer)
		q, pointer := ctype.Unqualified(b).(*ctype.Pointer)
		if !ok || !pointer {
			return sameType(a, b)
		}
		a, b = p.Elem, q.Elem
	}
}

// identical reports whether a and b are one type with the same qualifiers.
func identical(a, b ctype.Type) bool {
	return sameType(a, b) && qualifiers(a).Const == qualifiers(b).Const && qualifiers(a).Volatile == qualifiers(b).Volatile
}

// adds reports whether t has all of the qualifiers of from.
func adds(from, t ctype.Type) bool {
	a, b := qualifiers(from), qualifiers(t)
	return (b.Const || !a.Const) && (b.Volatile || !a.Volatile)
}

// pointeeOf returns what the pointer that t is or becomes points at, nil for others.
func pointeeOf(t ctype.Type) ctype.Type {
	if t == nil {
		return nil
	}
	if p, ok := ctype.Unqualified(decayed(t)).(*ctype.Pointer); ok {
		return p.Elem
	}
	return nil
}

// countable says whether pointers to elem can be added to and subtracted. GCC counts void and functions, too.
func (e *evaluator) countable(elem ctype.Type) verdict {
	class, ok := classOf(elementOf(elem))
	switch {
	case isVoid(elem) || isFunction(elem):
		return unsure
	case ok:
		e.complete(class)
		if !class.Complete {
			return unsure
		}
	}
	return valid
}

// isZero says whether o is a null pointer constant.
func (o *operand) isZero() verdict {
	switch {
	case o.zero:
		return valid
	case o.unknown.Text == "" && o.bits == 0, o.named.last != nil:
		return unsure // compilers differ on constants of the value 0
	}
	return invalid
}

// binaryValid says whether x operator y is valid that is built in: C++ standard, [expr.mul] to [expr.log.or].
func (e *evaluator) binaryValid(operator string, x, y operand) verdict {
	a, b := e.kindOf(x.typ), e.kindOf(y.typ)
	switch operator {
	case "&&", "||":
		return e.conditionValid(x).and(e.conditionValid(y))
	}
	if a == ofVoid || b == ofVoid {
		return invalid
	}
	if a == ofUnknown || b == ofUnknown {
		return unsure
	}
	switch operator {
	case "*", "/":
		return holds(a.arithmetic() && b.arithmetic())
	case "%", "&", "|", "^", "<<", ">>":
		return holds(a.integral() && b.integral())
	case "+":
		switch {
		case a == ofPointer && b.integral():
			return e.countable(pointeeOf(x.typ))
		case b == ofPointer && a.integral():
			return e.countable(pointeeOf(y.typ))
		}
		return holds(a.arithmetic() && b.arithmetic())
	case "-":
		switch {
		case a == ofPointer && b.integral():
			return e.countable(pointeeOf(x.typ))
		case a == ofPointer && b == ofPointer:
			return e.countable(pointeeOf(x.typ)).and(e.pointersMeet(x, y, true))
		}
		return holds(a.arithmetic() && b.arithmetic())
	case "==", "!=", "<", ">", "<=", ">=":
		return e.comparable(operator == "==" || operator == "!=", x, y)
	}
	return unsure
}

// comparable says whether x and y can be compared: C++ standard, [expr.rel], [expr.eq].
func (e *evaluator) comparable(equality bool, x, y operand) verdict {
	a, b := e.kindOf(x.typ), e.kindOf(y.typ)
	if b == ofPointer || b == ofMember && a != ofPointer {
		a, b, x, y = b, a, y, x
	}
	switch {
	case a.arithmetic() && b.arithmetic():
		return valid
	case a == ofScoped && b == ofScoped:
		return holds(sameType(x.typ, y.typ))
	case a == ofPointer && b == ofPointer:
		return e.pointersMeet(x, y, false)
	case a == ofPointer && b == ofNull, a == ofNull && b == ofNull:
		if equality {
			return valid
		}
		return unsure
	case a == ofMember && (b == ofMember || b == ofNull) && equality:
		if b == ofNull || sameType(x.typ, y.typ) {
			return valid
		}
		return unsure
	case (a == ofPointer || a == ofMember || a == ofNull) && b.integral():
		if zero := y.isZero(); zero != valid || equality && a == ofPointer {
			return zero
		}
		return unsure
	case a == ofNull && b.integral() || b == ofNull && a.integral():
		return unsure
	}
	return invalid
}

// pointersMeet says whether the pointers x and y have a common type, or, if exact, point at the same type: C++ standard,
// [expr.type].
func (e *evaluator) pointersMeet(x, y operand, exact bool) verdict {
	p, q := pointeeOf(x.typ), pointeeOf(y.typ)
	_, classes := classOf(p)
	_, both := classOf(q)
	switch {
	case similar(p, q):
		return valid
	case exact && !(classes && both):
		return invalid
	case isVoid(p) && isFunction(q) || isVoid(q) && isFunction(p), isFunction(p) && isFunction(q), classes && both:
		return unsure
	}
	return holds(isVoid(p) || isVoid(q))
}

// conditionValid says whether o becomes a bool where a condition stands: C++ standard, [conv].
func (e *evaluator) conditionValid(o operand) verdict {
	switch e.kindOf(o.typ) {
	case ofUnknown:
		return unsure
	case ofVoid, ofScoped, ofClass:
		return invalid
	case ofNull:
		return unsure // compilers differ
	}
	return valid
}

// signValid says whether operator o is valid for a sign, ~ or ! that is built in: C++ standard, [expr.unary.op].
func (e *evaluator) signValid(operator string, o operand) verdict {
	k := e.kindOf(o.typ)
	switch {
	case operator == "!":
		return e.conditionValid(o)
	case k == ofUnknown, operator == "~" && isClass(o.typ):
		return unsure
	case operator == "+":
		return holds(k.arithmetic() || k == ofPointer)
	case operator == "-":
		return holds(k.arithmetic())
	}
	return holds(k.integral())
}

// modifiable says whether a built-in operator may change o: C++ standard, [basic.lval].
func (e *evaluator) modifiable(o operand) verdict {
	switch {
	case o.typ == nil:
		return unsure
	case isClass(o.typ):
		return unsure
	}
	return holds(o.lvalue && !unwritable(o.typ) && !isArrayType(o.typ) && !isFunction(o.typ) && !isVoid(o.typ))
}

// stepValid says whether ++ or -- of o is valid: C++ standard, [expr.pre.incr], [expr.post.incr].
func (e *evaluator) stepValid(operator string, o operand) verdict {
	v := e.modifiable(o)
	switch k := e.kindOf(o.typ); {
	case k == ofUnknown:
		return unsure
	case k == ofBool:
		if operator == "++" {
			return v.and(unsure) // C++17 has none, and compilers do
		}
		return invalid
	case k == ofPointer:
		return v.and(e.countable(pointeeOf(o.typ)))
	case k == ofClass:
		return invalid
	default:
		return v.and(holds(k == ofInteger || k == ofFloat))
	}
}

// assignValid says whether left = right is valid, and left operator= right if computes is not "=": C++ standard,
// [expr.ass].
func (e *evaluator) assignValid(computes string, left, right operand) verdict {
	if class, ok := classOf(left.typ); ok && computes == "=" {
		if sameType(left.typ, right.typ) && e.plain(class, 0) && !unwritable(left.typ) && !qualifiers(left.typ).Volatile && !qualifiers(right.typ).Volatile {
			return valid
		}
		return unsure
	}
	if e.kindOf(left.typ) == ofClass && computes != "=" {
		return invalid
	}
	v := e.modifiable(left)
	if computes == "=" {
		return v.and(e.implicitly(right, left.typ))
	}
	v = v.and(e.binaryValid(computes, left, right))
	switch k := e.kindOf(left.typ); {
	case k == ofEnum || k == ofScoped || k == ofNull || k == ofMember:
		return v.and(invalid)
	case e.kindOf(right.typ) == ofUnknown:
		return v.and(unsure)
	case k == ofPointer:
		return v.and(holds(e.kindOf(right.typ).integral()))
	case pointeeOf(right.typ) != nil && k == ofBool:
		return v.and(unsure)
	case pointeeOf(right.typ) != nil:
		return v.and(invalid)
	}
	return v
}

// implicitly says whether o is converted to t implicitly: C++ standard, [conv].
func (e *evaluator) implicitly(o operand, t ctype.Type) verdict {
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		return e.bindsTo(o, r)
	}
	if class, ok := classOf(t); ok || isClass(t) {
		return e.becomesClass(o, class)
	}
	from, to := e.kindOf(o.typ), e.kindOf(t)
	switch {
	case o.typ == nil, isArrayType(t), isFunction(t):
		return unsure
	case from == ofVoid || to == ofVoid:
		return invalid
	case from == ofUnknown || to == ofUnknown:
		return unsure
	case to == ofEnum || to == ofScoped:
		return holds(sameType(o.typ, t))
	case to == ofBool && (from == ofPointer || from == ofMember):
		return valid
	case to == ofBool && from == ofNull:
		return unsure
	case to.arithmetic():
		return holds(from.arithmetic())
	case to == ofPointer && from == ofPointer:
		return e.pointerConverts(pointeeOf(o.typ), pointeeOf(t))
	case to == ofPointer && from.integral(), to == ofMember && from.integral(), to == ofNull && from.integral():
		return o.isZero()
	case to == ofPointer, to == ofNull:
		return holds(from == ofNull)
	case to == ofMember && from == ofMember && !sameType(o.typ, t):
		return unsure
	case to == ofMember:
		return holds(from == ofNull || from == ofMember)
	}
	return unsure
}

// pointerConverts says whether a pointer to from is converted implicitly to one to t: C++ standard, [conv.ptr], [conv.qual].
func (e *evaluator) pointerConverts(from, t ctype.Type) verdict {
	_, classes := classOf(from)
	_, both := classOf(t)
	switch {
	case sameType(from, t):
		return holds(adds(from, t))
	case similar(from, t), isFunction(from) && isFunction(t), isArrayType(from) && isArrayType(t), isFunction(from) && isVoid(t):
		return unsure
	case classes && both && adds(from, t):
		return unsure // it may be a base class
	case isVoid(t):
		return holds(adds(from, t))
	}
	return invalid
}

// bindsTo says whether a reference r binds to o: C++ standard, [dcl.init.ref].
func (e *evaluator) bindsTo(o operand, r *ctype.Reference) verdict {
	same := sameType(o.typ, r.Elem)
	q := qualifiers(r.Elem)
	switch {
	case o.typ == nil || q.Volatile && !q.Const:
		return unsure
	case isVoid(o.typ):
		return invalid
	case same && isFunction(o.typ):
		return valid
	case isClass(o.typ) && !same && isClass(r.Elem):
		return unsure
	case same && o.bitField:
		return unsure
	case same && !r.RValue && !q.Const || same && o.lvalue && !r.RValue:
		return holds(o.lvalue && adds(o.typ, r.Elem))
	case same && o.lvalue:
		return invalid
	case same && isArrayType(o.typ) || q.Volatile:
		return unsure
	case same:
		return holds(adds(o.typ, r.Elem))
	case isClass(o.typ) || isArrayType(r.Elem) || similar(decayed(o.typ), decayed(r.Elem)):
		return unsure
	case !r.RValue && !q.Const:
		return invalid
	}
	return e.implicitly(o, r.Elem)
}

// becomesClass says whether o is converted implicitly to class, nil for one of a library.
func (e *evaluator) becomesClass(o operand, class *ctype.Struct) verdict {
	switch {
	case class == nil || o.typ == nil:
		return unsure
	case isVoid(o.typ):
		return invalid
	case sameType(o.typ, class):
		if e.plain(class, 0) && !qualifiers(o.typ).Volatile {
			return valid
		}
		return unsure
	}
	if e.complete(class); class.Complete && class.Unsupported == nil && !e.constructed[class] && len(class.Bases) == 0 && (!isClass(o.typ) || e.kindOf(o.typ) == ofClass && len(e.basesOf(o.typ)) == 0) {
		return invalid
	}
	return unsure
}

func (e *evaluator) basesOf(t ctype.Type) []ctype.Base {
	class, _ := classOf(t)
	return class.Bases
}

// staticValid says whether static_cast<t>(o) is valid: C++ standard, [expr.static.cast].
func (e *evaluator) staticValid(o operand, t ctype.Type) verdict {
	if o.typ == nil {
		return unsure
	}
	if isVoid(t) {
		return e.ends(o)
	}
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		switch v := e.bindsTo(o, r); {
		case v == valid:
			return valid
		case o.bitField || isClass(o.typ) || isClass(r.Elem) || e.kindOf(o.typ) == ofNull:
			return unsure
		case r.RValue && sameType(o.typ, r.Elem):
			if isArrayType(o.typ) && !o.lvalue {
				return unsure
			}
			return holds(adds(o.typ, r.Elem))
		default:
			return v
		}
	}
	switch from, to := e.kindOf(o.typ), e.kindOf(t); {
	case isArrayType(t) || isFunction(t):
		return invalid
	case isClass(t):
		if e.config.since("202002L") && !sameType(o.typ, t) {
			return unsure // an aggregate is initialised in parentheses, too
		}
		return e.implicitly(o, t)
	case from == ofUnknown:
		return unsure
	case (from.arithmetic() || from == ofScoped) && (to.arithmetic() || to == ofScoped):
		return valid
	case from == ofPointer && to == ofPointer:
		p, q := pointeeOf(o.typ), pointeeOf(t)
		if isVoid(p) && isFunction(q) {
			return unsure
		}
		if isVoid(p) {
			return holds(adds(p, q))
		}
		if _, class := classOf(p); class && isClass(q) && !sameType(p, q) {
			return unsure
		}
		return e.pointerConverts(p, q)
	}
	return e.implicitly(o, t)
}

// reinterpretValid says whether reinterpret_cast<t>(o) is valid: C++ standard, [expr.reinterpret.cast]. constant says that
// it may take qualifiers away, too.
func (e *evaluator) reinterpretValid(o operand, t ctype.Type, constant bool) verdict {
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		switch {
		case o.typ == nil || o.bitField || isFunction(o.typ) || isArrayType(o.typ) || isVoid(o.typ) || isPointer(r.Elem):
			return unsure
		case !o.lvalue:
			return unsure // compilers differ
		}
		return holds(constant || adds(o.typ, r.Elem))
	}
	const address = 8 // bytes
	from, to := e.kindOf(o.typ), e.kindOf(t)
	switch {
	case o.typ == nil || from == ofUnknown || to == ofUnknown || from == ofMember || to == ofMember:
		return unsure
	case isArrayType(t) || isFunction(t) || to == ofNull:
		return unsure
	case from == ofPointer && to == ofBool:
		return unsure // compilers differ
	case from == ofPointer && to == ofInteger:
		if builtin(t).Size < address {
			return unsure // compilers differ
		}
		return valid
	case from == ofNull && to == ofInteger, from == ofNull:
		return unsure
	case from == ofPointer && to == ofPointer:
		p, q := pointeeOf(o.typ), pointeeOf(t)
		if isFunction(p) != isFunction(q) && !constant {
			return unsure
		}
		if constant || sameType(p, q) || pointeeOf(p) == nil || pointeeOf(q) == nil {
			return holds(constant || adds(p, q))
		}
		return unsure
	case from == ofInteger && to == ofPointer:
		return valid
	case to == ofPointer && from.integral(), from == ofScoped && to == ofPointer:
		return unsure
	case sameType(o.typ, t):
		return unsure
	}
	return invalid
}

// constValid says whether const_cast<t>(o) is valid: C++ standard, [expr.const.cast].
func (e *evaluator) constValid(o operand, t ctype.Type) verdict {
	if o.typ == nil {
		return unsure
	}
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		switch {
		case o.bitField || isFunction(o.typ) || isArrayType(o.typ) || isVoid(o.typ):
			return unsure
		case !similar(o.typ, r.Elem):
			return invalid
		case r.RValue:
			if !o.lvalue && !o.xvalue {
				return unsure
			}
			return valid
		}
		return holds(o.lvalue)
	}
	p, q := pointeeOf(o.typ), pointeeOf(t)
	switch {
	case e.kindOf(o.typ) == ofUnknown:
		return unsure
	case p == nil || q == nil:
		if p == nil && q == nil && !isClass(o.typ) {
			return unsure
		}
		return invalid
	case isFunction(p) || isFunction(q):
		return unsure
	}
	return holds(similar(p, q))
}

// castValid says whether (t)o is valid: C++ standard, [expr.cast].
func (e *evaluator) castValid(o operand, t ctype.Type) verdict {
	if isArrayType(t) || isFunction(t) {
		return invalid
	}
	v := e.staticValid(o, t)
	if isVoid(t) || isClass(t) || v == valid {
		return v
	}
	return v.or(e.reinterpretValid(o, t, true)).or(e.constValid(o, t))
}

// conditionalValid says whether c ? yes : no is valid: C++ standard, [expr.cond].
func (e *evaluator) conditionalValid(yes, no operand) verdict {
	a, b := e.kindOf(yes.typ), e.kindOf(no.typ)
	if b == ofPointer || b == ofMember && a != ofPointer {
		a, b, yes, no = b, a, no, yes
	}
	switch {
	case yes.typ == nil || no.typ == nil:
		return unsure
	case a == ofVoid || b == ofVoid:
		return holds(a == b)
	case isClass(yes.typ) || isClass(no.typ):
		class, ok := classOf(yes.typ)
		if ok && identical(yes.typ, no.typ) && (yes.lvalue && no.lvalue || yes.xvalue && no.xvalue || e.plain(class, 0)) {
			return valid
		}
		return unsure
	case a == ofUnknown || b == ofUnknown:
		return unsure
	case isArrayType(yes.typ) || isArrayType(no.typ) || isFunction(yes.typ) || isFunction(no.typ):
		if identical(yes.typ, no.typ) && yes.lvalue && no.lvalue && spreadArray(yes.typ).Demangled() == spreadArray(no.typ).Demangled() {
			return valid
		}
		return unsure
	case a.arithmetic() && b.arithmetic():
		return valid
	case sameType(yes.typ, no.typ):
		return valid
	case a == ofPointer && b == ofNull:
		return valid
	case a == ofPointer && b.integral():
		return no.isZero()
	case a == ofPointer && b == ofPointer:
		if similar(pointeeOf(yes.typ), pointeeOf(no.typ)) {
			return unsure
		}
		return e.pointersMeet(yes, no, false).and(unsure)
	case a == ofNull && b.integral() && no.isZero() != invalid, b == ofNull && a.integral() && yes.isZero() != invalid, a == ofMember:
		return unsure
	}
	return invalid
}

// emptyValid says whether t() is valid, and t{} if braces: C++ standard, [expr.type.conv], [dcl.init].
func (e *evaluator) emptyValid(t ctype.Type, braces bool) verdict {
	switch class, ok := classOf(t); {
	case isReference(t) && braces:
		return unsure
	case isReference(t) || isFunction(t):
		return invalid
	case isVoid(t):
		if braces {
			return unsure
		}
		return valid
	case isArrayType(t):
		return unsure
	case ok && e.plain(class, 0), !isClass(t), braces && e.aggregateClass(t, 0):
		return valid
	}
	return unsure
}

// bracedValid says whether t{o} is valid for a t that is no class: C++ standard, [dcl.init.list].
func (e *evaluator) bracedValid(o operand, t ctype.Type) verdict {
	if k := e.kindOf(t); isReference(t) || k == ofEnum || k == ofScoped {
		return unsure
	}
	return e.elementValid(o, t)
}

// elementValid says whether o in braces initialises an element of type t: C++ standard, [dcl.init.aggr].
func (e *evaluator) elementValid(o operand, t ctype.Type) verdict {
	if o.typ != nil && textFor(o, t) {
		return valid
	}
	v := e.implicitly(o, t)
	if v != valid {
		return v
	}
	from, to := e.kindOf(o.typ), e.kindOf(t)
	known := o.unknown.Text == ""
	switch {
	case sameType(o.typ, t), to == ofPointer || to == ofNull, from == ofBool && to == ofInteger:
		return valid
	case known && from == ofInteger && to == ofInteger && !(builtin(t).Kind == ctype.Char && (o.bits < 0 || o.bits > 127)): // compilers differ in char
		if _, fits := convert(o.value(), t); fits {
			return valid
		}
	case o.zero && to.arithmetic(), known && from == ofFloat && to == ofFloat:
		return valid
	}
	return unsure // a value may be lost
}

// aggregateClass reports whether t is a class that a list in braces initialises element by element, and whose objects end as
// in C: C++ standard, [dcl.init.aggr].
func (e *evaluator) aggregateClass(t ctype.Type, depth int) bool {
	class, ok := classOf(t)
	if e.work.step(); !ok || depth > deepestNesting {
		return false
	}
	e.complete(class)
	if !class.Complete || class.Unsupported != nil || class.Union || class.Virtual || class.POD == ctype.PODNo || e.special[class] {
		return false
	}
	return e.aggregates.ask(class, func() bool {
		return !slices.ContainsFunc(class.Fields, func(f ctype.Field) bool {
			return isClass(elementOf(f.Type)) && !e.aggregateClass(elementOf(f.Type), depth+1)
		})
	})
}

// accessible says whether the member called name of class, or of a base class of it, may be named here: C++ standard,
// [class.access].
func (r resolver) accessible(class *ctype.Struct, name string) verdict {
	m := r.members[class]
	if m == nil {
		return unsure
	}
	own := m.declared(name) != nil || slices.ContainsFunc(class.Fields, func(f ctype.Field) bool { return f.Name == name })
	switch {
	case own && !m.closed[name]:
		return valid
	case !own && !m.closedBases:
		carriers := 0 // bases that have it: of several the name is ambiguous
		for i := range class.Bases {
			base := class.Bases[i].Type
			switch {
			case base == nil:
				continue
			case r.members[base] == nil || r.accessible(base, name) != valid:
				return unsure
			}
			if _, field := r.memberPath(base, name, 0); field != nil || r.members[base].within(name) != nil {
				carriers++
			}
		}
		if carriers > 1 {
			return unsure
		}
		return valid
	case !own || m.befriends:
		return unsure
	}
	if r.inClass() {
		return unsure
	}
	return invalid
}

// inClass reports whether what is read stands in a class.
func (r resolver) inClass() bool {
	for s := r.scope; s != nil; s = s.parent {
		if s.class {
			return true
		}
	}
	return false
}

// typesKnown says whether the types of all operands in list are known.
func typesKnown(list ...operand) verdict {
	for _, o := range list {
		if o.typ == nil {
			return unsure
		}
	}
	return valid
}

// afterConversions returns v, the verdict on operands that from became with the conversion functions of their classes: others of
// their types could be converted in another way.
func (e *evaluator) afterConversions(v verdict, from, to []operand) verdict {
	for i := range from {
		if v == invalid && isClass(from[i].typ) && !isClass(to[i].typ) {
			return unsure
		}
	}
	return v
}

// indexValid says whether o[index] is valid that is built in: C++ standard, [expr.sub].
func (e *evaluator) indexValid(o, index operand) verdict {
	a, b := e.kindOf(o.typ), e.kindOf(index.typ)
	switch {
	case a == ofVoid || b == ofVoid:
		return invalid
	case a == ofUnknown || b == ofUnknown, isArrayType(o.typ) && !o.lvalue:
		return unsure
	case a == ofPointer:
		return e.countable(pointeeOf(o.typ)).and(holds(b.integral()))
	}
	return invalid
}

// pointeeValid says whether o has a pointee without an operator function: C++ standard, [expr.unary.op], [expr.ref].
func (e *evaluator) pointeeValid(o operand) verdict {
	k := e.kindOf(o.typ)
	if k == ofUnknown || k == ofPointer && isVoid(pointeeOf(o.typ)) {
		return unsure
	}
	return holds(k == ofPointer)
}

// ends says whether the object that o makes, if it does, can end, which it does where o is not the operand of decltype itself.
func (e *evaluator) ends(o operand) verdict {
	class, ok := classOf(o.typ)
	if !isClass(o.typ) || o.lvalue || o.xvalue || ok && e.plain(class, 0) {
		return valid
	}
	return unsure
}

// severalValid says whether t(x, y) is valid: C++ standard, [expr.type.conv].
func (e *evaluator) severalValid(t ctype.Type) verdict {
	if isClass(t) || isArrayType(t) || isVoid(t) {
		return unsure
	}
	return invalid
}

// callValid says whether the call with args is valid that means c, which is nil if none is chosen, and certainly none if none: C++
// standard, [over.match].
func (e *evaluator) callValid(c *candidate, none bool, args []operand, self *operand) verdict {
	if typesKnown(args...) != valid {
		return unsure
	}
	if c == nil {
		if none && e.allKnown() {
			return invalid
		}
		return unsure
	}
	v := valid
	switch {
	case c.deleted():
		return invalid
	case c.of != nil && !c.static && self == nil:
		if e.inClass() {
			return unsure
		}
		return invalid
	case c.private, self != nil && (c.says("&") || c.says("&&") || qualifiers(self.typ).Volatile):
		return unsure
	case c.constrained():
		if c.head == nil || c.says("requires") {
			return unsure
		}
		fits, clear := e.satisfied(c.head, c.scope)
		if !clear {
			return unsure
		}
		v = holds(fits)
	}
	for i, arg := range args {
		v = v.and(e.implicitly(arg, c.params[i].typ))
	}
	return v
}

// deleteValid says whether delete o is valid: C++ standard, [expr.delete].
func (e *evaluator) deleteValid(o operand) verdict {
	elem := pointeeOf(o.typ)
	switch k := e.kindOf(o.typ); {
	case k == ofUnknown, k == ofPointer && (isVoid(elem) || isFunction(elem) || isClass(elementOf(elem)) || isArrayType(o.typ)):
		return unsure
	default:
		return holds(k == ofPointer)
	}
}

// builtinComparison reports whether x operator y compares pointers, to objects or members, or may.
func (e *evaluator) builtinComparison(operator string, x, y operand) bool {
	a, b := e.kindOf(x.typ), e.kindOf(y.typ)
	return (a == ofPointer || b == ofPointer || a == ofMember || b == ofMember || a == ofNull) && e.comparable(operator == "==" || operator == "!=", x, y) != invalid
}
