package cu

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// castType reads the type of a cast behind its (, and returns nil when none stands there.
func (e *evaluator) castType() ctype.Type {
	inside := e.cursor
	if e.typeAhead(inside) {
		t, reason := e.typeID(&e.cursor)
		if reason == nil && e.accept(")") && !e.endsOperand() {
			return t
		}
		e.cursor = inside
	}
	return nil
}

// endsOperand reports whether no operand can stand at the cursor.
func (e *evaluator) endsOperand() bool {
	l := e.peek()
	switch {
	case l.Kind == lex.EOF:
		return true
	case l.Kind == lex.Punct:
		return !l.Is("(") && !l.Is("-") && !l.Is("+") && !l.Is("~") && !l.Is("!") && !l.Is("*") && !l.Is("&") && !l.Is("::") && !l.Is("++") && !l.Is("--") && !l.Is("{")
	}
	return false
}

// namedCast reads what stands behind static_cast and its like.
func (e *evaluator) namedCast(at *lex.Token) operand {
	list, ok := e.angles()
	if !ok {
		e.fail(at, diag.NotUnderstood, "a cast lacks its type")
	}
	t, reason := e.typeID(&list)
	if reason != nil {
		e.failReason(at, reason, "the type of a cast ")
	}
	o := e.operand(at)
	switch at.Text {
	case "static_cast":
		e.demand(at, e.staticValid(o, t))
	case "const_cast":
		e.demand(at, e.constValid(o, t))
	default:
		e.demand(at, e.reinterpretValid(o, t, false))
	}
	return e.cast(at, t, o)
}

// operand reads one operand in parentheses.
func (e *evaluator) operand(at *lex.Token) operand {
	inside := e.enclosed(at)
	inner := e.inner(inside)
	o := inner.expression()
	inner.finish()
	e.risky = e.risky || inner.risky
	return o
}

// cast returns o cast to t.
func (e *evaluator) cast(at *lex.Token, t ctype.Type, o operand) operand {
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		if !sameType(r.Elem, o.typ) {
			made := referred(r)
			made.unknown = diag.NotUnderstood.New("a cast to a reference is not understood")
			return made
		}
		made := referred(r)
		o.lvalue, o.xvalue, o.declared, o.zero = made.lvalue, made.xvalue, false, false
		if q := qualifiers(r.Elem); qualifiers(o.typ) != q {
			o.typ = qualify(ctype.Unqualified(o.typ), q)
		}
		return o
	}
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		return unknownOf(ctype.Unqualified(t), aPointer)
	case *ctype.Basic:
		switch {
		case u.Kind == ctype.Void:
			return unknownOf(ctype.Unqualified(t), aVoid)
		case e.dead > 0 && (o.typ != nil && isPointer(o.typ) || u.Kind == ctype.NullPtr):
			return unknownOf(ctype.Unqualified(t), aPointer)
		}
	case *ctype.MemberPointer:
		return unknownOf(ctype.Unqualified(t), aPointer)
	}
	return e.converted(at, o, t, true).rvalue()
}

// conversion reads what stands behind the type of T(x), T{x}, T() or T{}.
func (e *evaluator) conversion(at *lex.Token, t ctype.Type) operand {
	braces := e.peek().Is("{")
	list, ok := e.group()
	if !ok || !braces && !e.before().Is(")") {
		e.fail(at, diag.ConstantExpression, "a constant expression lacks a closing parenthesis")
	}
	inner := e.inner(list)
	var o operand
	switch {
	case !inner.more():
		e.demand(at, e.emptyValid(t, braces))
		if e.dead > 0 {
			if o = unknownOf(t, notEvaluated); !isClass(t) {
				o.typ = ctype.Unqualified(t)
			}
		} else {
			o = inner.zero(at, t)
		}
	case braces && e.tried() && !e.aggregateClass(t, 0):
		if isClass(t) || isArrayType(t) || inner.peek().Is("{") {
			e.demand(at, unsure)
		}
		args := inner.listed()
		if len(args) != 1 {
			e.demand(at, invalid)
		}
		e.demand(at, e.bracedValid(args[0], t))
		o = e.cast(at, t, args[0])
	case braces:
		o = inner.braced(at, t).rvalue()
	default:
		args := inner.listed()
		if len(args) != 1 {
			e.demand(at, e.severalValid(t))
			e.fail(at, diag.ConstantExpression, "a value of "+t.String()+" of several others is not understood in a constant expression")
		}
		e.demand(at, e.castValid(args[0], t))
		o = e.cast(at, t, args[0])
	}
	e.risky = e.risky || inner.risky || isClass(t)
	return o
}

// converted returns o as a value of type t, and fails when there is none.
func (e *evaluator) converted(at *lex.Token, o operand, t ctype.Type, explicit bool) operand {
	if e.dead > 0 && o.unknown.Text == "" {
		o.unknown = notEvaluated
	}
	if _, class := classOf(o.typ); class && o.unknown.Text == "" && builtin(t) != nil {
		o = e.userConverted(at, o, t, explicit)
	}
	result, failure := converted(o, t, explicit)
	if failure != "" {
		e.fail(at, diag.NotUnderstood, "a value "+failure)
	}
	return result
}

// A conversion is a conversion function of a class, with the way from an object to the base class whose
// member it is.
type conversion struct {
	*overload
	path []int
}

// conversions returns the conversion functions of t and of its base classes. ok is false if not all are
// understood.
func (u *unit) conversions(t *ctype.Struct, depth int) (list []conversion, ok bool) {
	u.work.step()
	u.complete(t)
	m := u.members[t]
	if depth > deepestNesting || m == nil || !t.Complete || t.Unsupported != nil {
		return nil, false
	}
	if e := m.names[conversionName]; e != nil {
		if e.function == nil || e.function.many {
			return nil, false
		}
		for _, o := range e.function.overloads {
			if o.head != nil || o.own(u) != nil || o.result == nil || o.private || o.deleted() || o.unclearObject() {
				return nil, false
			}
			list = append(list, conversion{overload: o})
		}
	}
	own := list
	if m.closedBases {
		return nil, false
	}
	for i := range t.Bases {
		base, ok := ctype.Type(t.Bases[i].Type).(*ctype.Struct)
		if !ok {
			return nil, false
		}
		inherited, ok := u.conversions(base, depth+1)
		if !ok {
			return nil, false
		}
		for _, c := range inherited {
			if !slices.ContainsFunc(own, func(o conversion) bool { return o.result.Demangled() == c.result.Demangled() }) {
				list = append(list, conversion{c.overload, append([]int{i}, c.path...)})
			}
		}
	}
	return list, true
}

// userConverted returns the result of the conversion function of the object o to target, or, if
// target is nil, of its only conversion function. explicit allows explicit functions whose result
// is target itself. C++ standard, [class.conv.fct], [over.match.conv].
func (e *evaluator) userConverted(at *lex.Token, o operand, target ctype.Type, explicit bool) operand {
	result, ok := e.conversionOf(at, o, target, explicit)
	if !ok {
		e.fail(at, diag.ConstantExpression, "it has type "+typeName(o.typ)+", and is not an integer constant that is understood")
	}
	return result
}

// conversionOf is userConverted for any o. It is not ok if o has no class, or no such function.
func (e *evaluator) conversionOf(at *lex.Token, o operand, target ctype.Type, explicit bool) (result operand, ok bool) {
	class, ok := classOf(o.typ)
	if !ok {
		return o, false
	}
	list, ok := e.conversions(class, 0)
	if !ok {
		return o, false
	}
	best, rank, several := conversion{}, 0, false
	for _, c := range list {
		r, fits := conversionRank(c.result, target)
		if !fits || c.explicit() && (!explicit || r > 0) || qualifiers(o.typ).Const && !c.says("const") {
			continue
		}
		if best.overload != nil && best.says("const") != c.says("const") {
			r, several = rank, true // of the object, too, is one the better one
		}
		if best.overload == nil || r < rank {
			best, rank, several = c, r, false
		} else if r == rank {
			several = true
		}
	}
	switch {
	case best.overload == nil:
		return o, false
	case several, builtin(removeReference(best.result)) == nil:
		e.fail(at, diag.NotUnderstood, "which conversion function of "+typeName(o.typ)+" is meant is not known here")
	}
	e.risky = true
	name := found{text: typeName(class) + "::operator " + best.result.String(), last: at}
	self := subobject(o, best.path)
	return e.guarded(at, func() operand {
		return e.invoke(name, &candidate{overload: best.overload, scope: best.overload.scope, signed: best.signed}, nil, &self).rvalue()
	}), true
}

// subobject returns the part of the object o at path, which leads to a base class.
func subobject(o operand, path []int) operand {
	self := o
	if o.place != nil {
		self = *o.place
		self.place = o.place
	}
	for _, i := range path {
		base, _ := ctype.Unqualified(self.typ).(*ctype.Struct)
		q := qualifiers(self.typ)
		part := unknownOf(nil, cmp.Or(self.unknown, notEvaluated))
		if place := self.place; place != nil && i < len(place.elems) {
			part = place.elems[i]
			part.place = &place.elems[i]
		} else if i < len(self.elems) {
			part = self.elems[i]
		}
		part.typ = qualifiedBy(base.Bases[i].Type, q)
		self = part
	}
	self.lvalue = o.lvalue
	return self
}

// conversionRank orders the conversions of a value of type t to target that may follow on a
// conversion function, the best with the lowest number: C++ standard, [over.ics.rank]. Without a
// target every type fits.
func conversionRank(t, target ctype.Type) (rank int, fits bool) {
	if target == nil {
		return 0, true
	}
	t = ctype.Unqualified(removeReference(t))
	if sameType(t, target) {
		return 0, true
	}
	_, enum := ctype.Unqualified(target).(*ctype.Enum)
	switch from := builtin(t); {
	case isPointer(t):
		return 3, sameType(target, ctype.Builtin(ctype.Bool))
	case from == nil || builtin(target) == nil || enum || isScoped(t) || from.Kind == ctype.Void:
		return 0, false
	case isInteger(t) && promoted(t) != nil && sameType(promoted(t), target), from.Kind == ctype.Float && sameType(target, ctype.Builtin(ctype.Double)):
		return 1, true
	}
	return 2, true
}

// truthOf returns the condition o, of a class too, as a value that is true or false: C++ standard, [conv].
func (e *evaluator) truthOf(at *lex.Token, o operand) operand {
	o, _ = e.conversionOf(at, o, ctype.Builtin(ctype.Bool), true)
	return o
}
