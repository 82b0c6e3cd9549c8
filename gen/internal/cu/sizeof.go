package cu

import (
	"cmp"
	"math"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// size reads what stands behind sizeof or alignof: C++ standard, [expr.sizeof],
// [expr.alignof].
func (e *evaluator) size(operator *lex.Token) operand {
	if e.peek().Is("...") {
		return e.sizeofPack(operator)
	}
	t := e.sizedType(operator)
	size, align, err := e.sizeOf(t)
	if class, ok := classOf(t); err != nil && e.dead > 0 && ok && class.Complete && class.Unsupported == nil {
		return unknownOf(ctype.Builtin(ctype.UnsignedLong), notEvaluated)
	}
	if err != nil {
		e.fail(operator, diag.CodeOf(err), operator.Text+": "+err.Error())
	}
	if operator.Text != "sizeof" {
		size = align
	}
	return integer(ctype.UnsignedLong, size)
}

// sizeofPack reads what stands behind sizeof of sizeof...(Ts).
func (e *evaluator) sizeofPack(operator *lex.Token) operand {
	e.next()
	inside, ok := e.group()
	name := inside.peek()
	if !ok || inside.stop != inside.i+1 {
		e.failWith(operator, diag.NotUnderstood.Errorf("sizeof... is not understood (%w)", diag.Do("write the name of a pack")))
	}
	pack := e.scope.lookup(name.Text)
	if pack == nil || pack.pack == nil {
		e.fail(name, diag.NotUnderstood, name.Text+" is not a pack that is known here")
	}
	return integer(ctype.UnsignedLong, int64(len(pack.pack)))
}

// sizedType returns the type whose size is asked for: that in parentheses, or of an
// expression.
func (e *evaluator) sizedType(operator *lex.Token) ctype.Type {
	scan := e.cursor
	inside, parenthesised := scan.group()
	if parenthesised && e.typeAhead(inside) {
		begin := inside
		t, reason := e.typeID(&inside)
		if reason == nil && !inside.more() {
			e.cursor = scan
			return t
		}
		if reason == nil {
			reason = unexpected(inside.peek())
		}
		if !e.conversionAhead(begin) {
			e.failReason(operator, reason, "the operand of "+operator.Text+" ")
		}
	}
	if operator.Text != "sizeof" {
		e.failWith(operator, diag.ConstantExpression.Errorf("%s of an expression is not understood (%w)", operator.Text, diag.Do("write its type")))
	}
	o := e.unevaluated(true, e.unary)
	switch {
	case o.typ == nil:
		e.fail(operator, diag.ConstantExpression, "sizeof of an expression whose type is not known here"+because(o.unknown))
	case o.bitField:
		e.fail(operator, diag.NotUnderstood, "sizeof of a bit-field is not understood")
	}
	return o.typ
}

// noexcept reads what stands behind noexcept: true, if nothing in the expression may throw.
// Calls may.
func (e *evaluator) noexcept(operator *lex.Token) operand {
	inside := e.enclosed(operator)
	inner := e.inner(inside)
	inner.dead, inner.risky = inner.dead+1, false
	o := inner.expression()
	if inner.finish(); e.dead > 0 {
		return unknownOf(ctype.Builtin(ctype.Bool), notEvaluated)
	}
	if inner.risky || inner.more() || isClass(o.typ) || e.tried() && o.typ == nil {
		e.fail(operator, diag.ConstantExpression, "noexcept of a call is not understood in a constant expression")
	}
	return boolean(true)
}

// offset reads what stands behind offsetof: a class, and a member of it.
func (e *evaluator) offset(operator *lex.Token) operand {
	inside := e.enclosed(operator)
	t, reason := e.typeID(&inside)
	if reason != nil {
		e.failWith(operator, reason.Before("the class of offsetof "))
	}
	if !inside.accept(",") || e.config.OffsetOf == nil {
		e.unexpected(operator)
	}
	total := int64(0)
	for first := true; first || inside.more(); first = false {
		switch {
		case first, inside.accept("."):
			name := inside.next()
			class, ok := ctype.Unqualified(t).(*ctype.Struct)
			if !ok || name.Kind != lex.Ident {
				e.unexpected(name)
			}
			e.complete(class)
			offset, member, err := e.config.OffsetOf(class, name.Text)
			if err != nil {
				e.fail(operator, diag.CodeOf(err), "offsetof: "+err.Error())
			}
			total, t = total+offset, member
		case inside.peek().Is("["):
			array, ok := ctype.Unqualified(t).(*ctype.Array)
			bound, closed := inside.group()
			if !ok || !closed {
				e.unexpected(operator)
			}
			index := e.inner(bound)
			o := index.expression()
			size, _, err := e.sizeOf(array.Elem)
			if err != nil || o.unknown.Text != "" || !isInteger(o.typ) || o.bits < 0 || o.bits > array.Len || index.more() {
				e.unexpected(operator)
			}
			total, t = total+o.bits*size, array.Elem
		default:
			e.unexpected(inside.peek())
		}
	}
	return integer(ctype.UnsignedLong, total)
}

// decltype reads decltype(…) at c: C++ standard, [dcl.type.decltype].
func (r resolver) decltype(c *cursor) (ctype.Type, *ctype.Reason) {
	at := c.next()
	inside, ok := c.group()
	if ok && !at.Is("decltype") && r.typeAhead(inside) { // typeof(type)
		return r.wholeType(inside)
	}
	if r.mentionsHole(inside) {
		return nil, reasonf(at, diag.NotUnderstood, "has type %s of a parameter", at.Text)
	}
	if !ok || inside.peek().Is("auto") {
		return nil, reasonf(at, diag.NotUnderstood, "has type %s, which only the compiler knows (%w)", at.Text, diag.Do("write the type out"))
	}
	o, failure := r.computed(inside, func(e *evaluator) operand {
		e.dead++
		return e.expression()
	})
	switch {
	case failure != nil:
		reason := reasonf(&failure.at, failure.Code, "has type %s, whose expression is not understood: %w", at.Text, failure)
		reason.Failed = failure.failed
		return nil, reason
	case o.typ == nil:
		return nil, reasonf(at, cmp.Or(o.unknown.Code, diag.NotUnderstood), "has type %s, and the type of its expression is not known here%s", at.Text, because(o.unknown))
	case o.bitField:
		return nil, reasonf(at, diag.NotUnderstood, "has type %s of a bit-field, which is not understood", at.Text)
	case o.declared:
		return o.declares, nil
	case o.xvalue:
		return &ctype.Reference{Elem: o.typ, RValue: true}, nil
	case o.lvalue:
		return &ctype.Reference{Elem: o.typ}, nil
	}
	if !isClass(o.typ) {
		return ctype.Unqualified(o.typ), nil
	}
	return o.typ, nil
}

// sizeOf returns the size and alignment of t in bytes, as sizeof and alignof have them.
func (u *unit) sizeOf(t ctype.Type) (size, align int64, err error) {
	if basic, ok := elementOf(t).(*ctype.Basic); ok && basic.Kind == ctype.LongDouble {
		return 0, 0, diag.NoLayout.New("long double has 16 bytes in constant expressions, and 8 in device code")
	}
	switch bare := ctype.Unqualified(t).(type) {
	case *ctype.Reference: // C++ standard, [expr.sizeof]
		return u.sizeOf(bare.Elem)
	case *ctype.Struct:
		u.complete(bare)
	}
	if u.config.SizeOf != nil {
		return u.config.SizeOf(t)
	}
	const addressSize = 8
	if ctype.AliasAlign(t) != 0 {
		return 0, 0, diag.NotUnderstood.Errorf("the alignment of %s is not known here", t)
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		if t.Size > 0 {
			return t.Size, t.Size, nil
		}
	case *ctype.Pointer:
		return addressSize, addressSize, nil
	case *ctype.Vector:
		return t.Size(), t.Align, nil
	case *ctype.Library:
		return t.Size, t.Align, nil
	case *ctype.Enum:
		if t.Unsupported == nil {
			return t.Underlying.Size, t.Underlying.Size, nil
		}
	case *ctype.Array:
		size, align, err = u.sizeOf(t.Elem)
		if err == nil && t.Len > math.MaxInt64/max(size, 1) {
			err = diag.NoLayout.New(t.String() + " is too large")
		}
		return size * t.Len, align, err
	}
	return 0, 0, diag.NotUnderstood.New("the size of " + t.String() + " is not known here")
}
