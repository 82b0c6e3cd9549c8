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
		if unknown.Text != "" && isPointer(x.typ) && isPointer(y.typ) {
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
		return unknownOf(e.resultType(operator, common), unknown)
	}
	x, y = e.converted(operator, x, common, false), e.converted(operator, y, common, false)
	if x.unknown.Text != "" { // it is not evaluated
		return unknownOf(e.resultType(operator, common), x.unknown)
	}
	if isFloat(common) {
		return e.floating(operator, common, x.float, y.float)
	}
	return e.integers(operator, common, x.bits, y.bits)
}

func because(unknown diag.Message) string {
	if unknown.Text == "" {
		return ""
	}
	return " (" + unknown.Text + ")"
}

// resultType returns the type of operator for operands of type common.
func (e *evaluator) resultType(operator *lex.Token, common *ctype.Basic) ctype.Type {
	switch operator.Text {
	case "==", "!=", "<", ">", "<=", ">=":
		return e.truth(false).typ
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
				return unknownOf(e.truth(false).typ, o.unknown)
			}
			return unknownOf(e.truth(false).typ, notEvaluated)
		case !isInteger(o.typ) && !isFloat(o.typ) || isScoped(o.typ):
			e.undefined(operator, diag.ConstantExpression, "operator "+operator.Text+" of "+typeName(o.typ)+" is not understood in a constant expression")
			return unknownOf(e.truth(false).typ, notEvaluated)
		case i == 0 && x.isTrue() != and:
			return e.truth(!and)
		}
	}
	return e.truth(y.isTrue())
}

func isPointer(t ctype.Type) bool {
	if t == nil {
		return false
	}
	switch ctype.Unqualified(t).(type) {
	case *ctype.Pointer, *ctype.Array:
		return true
	}
	return false
}

// decayed returns t, or the pointer that an array becomes.
func decayed(t ctype.Type) ctype.Type {
	if array, ok := ctype.Unqualified(t).(*ctype.Array); ok {
		return &ctype.Pointer{Elem: qualifiedBy(array.Elem, qualifiers(t))}
	}
	return t
}

// qualifiedBy returns t with the qualifiers q, too.
func qualifiedBy(t ctype.Type, q ctype.Qualified) ctype.Type {
	if !q.Const && !q.Volatile {
		return t
	}
	own := qualifiers(t)
	return qualify(ctype.Unqualified(t), ctype.Qualified{Const: own.Const || q.Const, Volatile: own.Volatile || q.Volatile, Restrict: own.Restrict})
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
	return operand{typ: e.resultType(operator, t), bits: n}
}

func integerType(t *ctype.Basic) lex.IntegerType {
	return lex.IntegerType{Size: t.Size, Unsigned: t.Unsigned}
}

// floating computes a operator b, which both have the type t: each operation is rounded
// to it, as IEEE 754 says.
func (e *evaluator) floating(operator *lex.Token, t *ctype.Basic, a, b float64) operand {
	var f float64
	switch operator.Text {
	case "==":
		return e.truth(a == b)
	case "!=":
		return e.truth(a != b)
	case "<":
		return e.truth(a < b)
	case ">":
		return e.truth(a > b)
	case "<=":
		return e.truth(a <= b)
	case ">=":
		return e.truth(a >= b)
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
	if undefined.Text == "" && operator.Text == "<<" && !t.Unsigned && (lost || x.bits < 0) && !e.resolver.config.since("202002L") {
		undefined = lex.Overflows
	}
	if undefined.Text != "" {
		e.undefined(operator, undefined.Code, undefined.Text)
	}
	return operand{typ: t, bits: n}
}

// sign computes operator x for a sign, ~ or !.
func (e *evaluator) sign(operator *lex.Token, x operand) operand {
	x = e.builtinOperands(operator, x)[0]
	if operator.Is("!") {
		switch {
		case x.unknown.Text != "" && !isClass(x.typ):
			return unknownOf(e.truth(false).typ, x.unknown)
		case !isInteger(x.typ) && !isFloat(x.typ) || isScoped(x.typ):
			e.fail(operator, diag.ConstantExpression, "operator ! of "+typeName(x.typ)+" is not understood in a constant expression")
		}
		return e.truth(!x.isTrue())
	}
	if isFloat(x.typ) && !operator.Is("~") {
		x = x.rvalue()
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
