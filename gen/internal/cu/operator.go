package cu

import (
	"cmp"
	"math"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// apply computes x operator y. Overflow of a signed type is not a constant expression.
func (e *evaluator) apply(operator *lex.Token, x, y operand) operand {
	args := e.builtinOperands(operator, x, y)
	e.demand(operator, e.afterConversions(e.binaryValid(operator.Text, args[0], args[1]), []operand{x, y}, args))
	x, y = args[0], args[1]
	unknown := x.unknown
	if unknown.Text == "" {
		unknown = y.unknown
	}
	switch operator.Text {
	case "||", "&&":
		return e.logical(operator, x, y)
	case "==", "!=", "<", ">", "<=", ">=":
		if isScoped(x.typ) && sameType(x.typ, y.typ) {
			x.typ, y.typ = builtin(x.typ), builtin(y.typ)
		}
		if unknown.Text != "" && e.builtinComparison(operator.Text, x, y) {
			return unknownOf(ctype.Builtin(ctype.Bool), unknown)
		}
	}
	if x.typ == nil || y.typ == nil {
		e.undefined(operator, cmp.Or(unknown.Code, diag.NotUnderstood), "the type of an operand of "+operator.Text+" is not known here"+because(unknown))
		return operand{unknown: noType}
	}
	if isPointer(x.typ) || isPointer(y.typ) {
		return e.pointers(operator, x, y)
	}
	if operator.Text == "<<" || operator.Text == ">>" {
		return e.shift(operator, x, y)
	}
	common := usualType(x.typ, y.typ)
	if common == nil || common.Size > 8 {
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+x.typ.String()+" and "+y.typ.String()+" is not understood in a constant expression"+because(unknown))
	}
	if unknown.Text != "" {
		return unknownOf(resultType(operator, common), unknown)
	}
	x, y = e.converted(operator, x, common, false), e.converted(operator, y, common, false)
	if x.unknown.Text != "" { // it is not evaluated
		return unknownOf(resultType(operator, common), x.unknown)
	}
	if isFloat(common) {
		return e.floating(operator, common, x.float, y.float)
	}
	return e.integers(operator, common, x.bits, y.bits)
}

// resultType returns the type of operator for operands of type common.
func resultType(operator *lex.Token, common *ctype.Basic) ctype.Type {
	switch operator.Text {
	case "==", "!=", "<", ">", "<=", ">=":
		return boolean(false).typ
	}
	return common
}

// logical computes x || y or x && y.
func (e *evaluator) logical(operator *lex.Token, x, y operand) operand {
	and := operator.Text == "&&"
	for i, o := range [...]operand{x, y} {
		switch {
		case o.unknown.Text != "":
			if e.dead == 0 {
				return unknownOf(boolean(false).typ, o.unknown)
			}
			return unknownOf(boolean(false).typ, notEvaluated)
		case !isInteger(o.typ) && !isFloat(o.typ) || isScoped(o.typ):
			e.undefined(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+typeName(o.typ)+" is not understood in a constant expression")
			return unknownOf(boolean(false).typ, notEvaluated)
		case i == 0 && x.isTrue() != and:
			return boolean(!and)
		}
	}
	return boolean(y.isTrue())
}

// pointers returns the type of x operator y, of which one is a pointer.
func (e *evaluator) pointers(operator *lex.Token, x, y operand) operand {
	why := aPointer
	switch {
	case operator.Text == "-" && isPointer(x.typ) && isPointer(y.typ):
		return unknownOf(ctype.Builtin(ctype.Long), why)
	case (operator.Text == "+" || operator.Text == "-") && isPointer(x.typ) && isInteger(y.typ):
		return unknownOf(ctype.Unqualified(decayed(x.typ)), why)
	case operator.Text == "+" && isPointer(y.typ) && isInteger(x.typ):
		return unknownOf(ctype.Unqualified(decayed(y.typ)), why)
	}
	e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+x.typ.String()+" and "+y.typ.String()+" is not understood in a constant expression")
	return operand{}
}

// integers computes a operator b, which both have the type t.
func (e *evaluator) integers(operator *lex.Token, t *ctype.Basic, a, b int64) operand {
	n, undefined, ok := integerType(t).Apply(operator.Text, a, b)
	if !ok {
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" is not understood in a constant expression")
	}
	if undefined.Text != "" {
		e.undefined(operator, undefined.Code, undefined.Text)
	}
	return operand{typ: resultType(operator, t), bits: n}
}

// floating computes a operator b, which both have the type t: each operation is rounded
// to it, as IEEE 754 says.
func (e *evaluator) floating(operator *lex.Token, t *ctype.Basic, a, b float64) operand {
	var f float64
	switch operator.Text {
	case "==":
		return boolean(a == b)
	case "!=":
		return boolean(a != b)
	case "<":
		return boolean(a < b)
	case ">":
		return boolean(a > b)
	case "<=":
		return boolean(a <= b)
	case ">=":
		return boolean(a >= b)
	case "+":
		f = a + b
	case "-":
		f = a - b
	case "*":
		f = a * b
	case "/":
		if b == 0 {
			e.undefined(operator, diag.ConstantExpression, "a constant expression divides by zero")
			return operand{typ: t}
		}
		f = a / b
	default:
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+t.String()+" is not understood in a constant expression")
	}
	if t.Kind == ctype.Float {
		// One operation on floats in double precision, rounded to float, is the operation in
		// float: double has more than twice its digits.
		f = float64(float32(f))
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		e.undefined(operator, lex.Overflows.Code, lex.Overflows.Text)
	}
	return operand{typ: t, float: f}
}

// shift computes x << y or x >> y, of the type of x: C++ standard, [expr.shift].
func (e *evaluator) shift(operator *lex.Token, x, y operand) operand {
	t, of := promoted(x.typ), promoted(y.typ)
	switch {
	case t == nil || of == nil || t.Size > 8 || of.Size > 8:
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+x.typ.String()+" and "+y.typ.String()+" is not understood in a constant expression")
	case x.unknown.Text != "":
		return unknownOf(t, x.unknown)
	case y.unknown.Text != "":
		return unknownOf(t, y.unknown)
	}
	n, lost, undefined := integerType(t).Shift(operator.Text, x.bits, y.bits)
	if undefined.Text == "" && operator.Text == "<<" && !t.Unsigned && (lost || x.bits < 0) && !e.config.since("202002L") {
		undefined = lex.Overflows
	}
	if undefined.Text != "" {
		e.undefined(operator, undefined.Code, undefined.Text)
	}
	return operand{typ: t, bits: n}
}

// sign computes operator x for a sign, ~ or !.
func (e *evaluator) sign(operator *lex.Token, x operand) operand {
	from := x
	x = e.builtinOperands(operator, x)[0]
	e.demand(operator, e.afterConversions(e.signValid(operator.Text, x), []operand{from}, []operand{x}))
	if operator.Is("!") {
		switch {
		case x.unknown.Text != "" && !isClass(x.typ):
			return unknownOf(boolean(false).typ, x.unknown)
		case !isInteger(x.typ) && !isFloat(x.typ) || isScoped(x.typ):
			e.fail(operator, diag.ConstantExpression, "operator ! of "+typeName(x.typ)+" is not understood in a constant expression")
		}
		return boolean(!x.isTrue())
	}
	if isPointer(x.typ) {
		return unknownOf(ctype.Unqualified(decayed(x.typ)), aPointer)
	}
	if isFloat(x.typ) && !operator.Is("~") {
		x = x.rvalue()
		x.typ = ctype.Unqualified(x.typ)
		if operator.Is("-") {
			x.float = -x.float
		}
		return x
	}
	if x.typ == nil && e.dead > 0 {
		return operand{unknown: noType}
	}
	var t *ctype.Basic
	if x.typ != nil {
		t = promoted(x.typ)
	}
	switch {
	case t == nil || t.Size > 8:
		e.fail(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+typeName(x.typ)+" is not understood in a constant expression"+because(x.unknown))
	case x.unknown.Text != "":
		return unknownOf(t, x.unknown)
	}
	switch operator.Text {
	case "-":
		return e.integers(operator, t, 0, x.bits)
	case "~":
		return operand{typ: t, bits: wrap(^x.bits, t)}
	}
	return operand{typ: t, bits: x.bits}
}

// A fold is a fold expression taken apart: C++ standard, [expr.prim.fold].
type fold struct {
	operator    *lex.Token
	left, right cursor // operands; one may be empty
}

// foldAt takes apart what stands between the parentheses of a fold expression. ok is false
// if c is not a fold expression.
func (r resolver) foldAt(c cursor) (f fold, ok bool) {
	dots := -1
	for scan := c; scan.more() && dots < 0; {
		if scan.peek().Is("<") && r.namesTemplate(scan.before()) {
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		if scan.peek().Is("...") && !scan.before().Is("sizeof") {
			dots = scan.i
		}
		scan.skip()
	}
	switch {
	case dots < 0 || c.stop-c.i < 3:
		return fold{}, false
	case dots == c.i: // (... op pack)
		f = fold{&c.list[dots+1], c.piece(dots, dots), c.piece(dots+2, c.stop)}
	case dots == c.stop-1: // (pack op ...)
		f = fold{&c.list[dots-1], c.piece(c.i, dots-1), c.piece(dots, dots)}
	default: // (init op ... op pack), (pack op ... op init)
		f = fold{&c.list[dots-1], c.piece(c.i, dots-1), c.piece(dots+2, c.stop)}
		if c.list[dots+1].Text != f.operator.Text {
			f.operator = &c.list[dots]
		}
	}
	return f, true
}

// fold evaluates a fold expression. Its operands are evaluated from left to right, up to the one that
// decides && or ||.
func (e *evaluator) fold(f fold) operand {
	operator := f.operator.Text
	if f.operator.Kind != lex.Punct || lex.Precedence[operator] == 0 && operator != "," {
		e.fail(f.operator, diag.NotUnderstood, "a fold expression is not understood")
	}
	left, leftPack := e.foldOperand(f, f.left)
	right, rightPack := e.foldOperand(f, f.right)
	elements := append(left, right...)
	switch {
	case leftPack == rightPack:
		e.fail(f.operator, diag.NotUnderstood, "a fold expression is not understood (one operand is a pack)")
	case len(elements) == 0 && operator == "&&":
		return boolean(true)
	case len(elements) == 0 && operator == "||":
		return boolean(false)
	case len(elements) == 0 && operator == ",":
		return unknownOf(ctype.Builtin(ctype.Void), aVoid)
	case len(elements) == 0:
		e.fail(f.operator, diag.NotUnderstood, "a fold expression of an empty pack has no value")
	}
	var values []operand
	decided := false
	for _, one := range elements {
		v := e.unevaluated(decided, func() operand { return e.element(one, (*evaluator).assignment) })
		if operator == "&&" || operator == "||" {
			v = e.builtinOperands(f.operator, v, operand{})[0]
		}
		decided = decided || v.decides(operator)
		values = append(values, v)
	}
	apply := func(x, y operand) operand {
		if operator == "," {
			y.declared = false
			return y
		}
		return e.apply(f.operator, x, y)
	}
	if rightPack { // ((a op b) op c)
		v := values[0]
		for _, next := range values[1:] {
			v = apply(v, next)
		}
		return v
	}
	v := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		v = apply(values[i], v)
	}
	return v
}

// foldOperand returns the elements of an operand of f, and whether it is a pack.
func (e *evaluator) foldOperand(f fold, part cursor) (elements []expanded, pack bool) {
	if !part.more() {
		return nil, false
	}
	packs := make(map[string]*entity)
	e.packsIn(part, packs)
	if len(packs) == 0 {
		return []expanded{{cursor: part, scope: e.scope}}, false
	}
	elements, reason := e.expand(part, f.operator, &e.work.calls)
	if reason != nil {
		e.failWith(f.operator, reason.Before("a fold expression "))
	}
	return elements, true
}

// element reads one element of a list where it stands.
func (e *evaluator) element(one expanded, read func(*evaluator) operand) operand {
	inner := e.inner(one.cursor)
	inner.scope = one.scope
	if !inner.more() {
		e.unexpected(inner.peek())
	}
	o := read(&inner)
	inner.finish()
	e.risky = e.risky || inner.risky
	return o
}

// elements returns the elements of the list at the cursor, of which some are expansions of packs.
func (e *evaluator) elements() []expanded {
	elements, reason := e.expandWithin(e.resolver.split(e.cursor), &e.work.calls)
	if reason != nil {
		e.failWith(e.peek(), reason.Before("a list "))
	}
	return elements
}
