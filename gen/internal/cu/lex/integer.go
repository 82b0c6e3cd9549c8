package lex

import (
	"math"

	"github.com/cudagen/cudagen/internal/diag"
)

// An IntegerType is a type of integers as operators see it, after promotion.
type IntegerType struct {
	Size     int64 // in bytes, 8 at most
	Unsigned bool
}

// Overflows says that a constant expression has a value that its type does not.
var Overflows = diag.ExpressionValue.New("a constant expression overflows")

// Apply computes a operator b, which have the type t: C++ standard, [expr.mul] to [expr.or]. The
// result of a comparison is 0 or 1. undefined says why C++ has no result. Other operators are not ok.
func (t IntegerType) Apply(operator string, a, b int64) (n int64, undefined diag.Message, ok bool) {
	less := a < b
	if t.Unsigned {
		less = uint64(a) < uint64(b)
	}
	overflow := false
	switch operator {
	case "==":
		return truthOf(a == b).bits, diag.Message{}, true
	case "!=":
		return truthOf(a != b).bits, diag.Message{}, true
	case "<":
		return truthOf(less).bits, diag.Message{}, true
	case ">":
		return truthOf(!less && a != b).bits, diag.Message{}, true
	case "<=":
		return truthOf(less || a == b).bits, diag.Message{}, true
	case ">=":
		return truthOf(!less).bits, diag.Message{}, true
	case "|":
		n = a | b
	case "^":
		n = a ^ b
	case "&":
		n = a & b
	case "+":
		n = a + b
		overflow = (a >= 0) == (b >= 0) && (n >= 0) != (a >= 0)
	case "-":
		n = a - b
		overflow = (a >= 0) != (b >= 0) && (n >= 0) != (a >= 0)
	case "*":
		n = a * b
		overflow = b != 0 && (n/b != a || a == math.MinInt64 && b == -1)
	case "/", "%":
		switch {
		case b == 0:
			return 0, diag.ConstantExpression.New("a constant expression divides by zero"), true
		case t.Unsigned && operator == "/":
			return int64(uint64(a) / uint64(b)), diag.Message{}, true
		case t.Unsigned:
			return int64(uint64(a) % uint64(b)), diag.Message{}, true
		case b == -1:
			n, undefined, _ = t.Apply("-", 0, a)
			if operator == "%" {
				n = 0
			}
			return n, undefined, true
		case operator == "/":
			return a / b, diag.Message{}, true
		}
		return a % b, diag.Message{}, true
	default:
		return 0, diag.Message{}, false
	}
	wrapped := t.Wrap(n)
	if !t.Unsigned && (overflow || wrapped != n) {
		undefined = Overflows
	}
	return wrapped, undefined, true
}

// Shift computes a << b or a >> b, for an a of the type t: C++ standard, [expr.shift]. lost reports
// that a << b drops bits of a signed a other than copies of its sign. A positive a may set the bit of
// the sign, as CWG 1457 has it.
func (t IntegerType) Shift(operator string, a, b int64) (n int64, lost bool, undefined diag.Message) {
	if b < 0 || b >= 8*t.Size {
		return a, false, diag.ConstantExpression.New("a constant expression shifts by more than its type has bits")
	}
	switch {
	case operator == ">>" && t.Unsigned:
		return int64(uint64(a) >> b), false, diag.Message{}
	case operator == ">>":
		return a >> b, false, diag.Message{}
	}
	n = t.Wrap(a << b)
	if a < 0 {
		lost = n>>b != a
	} else {
		lost = uint64(IntegerType{t.Size, true}.Wrap(n))>>b != uint64(a)
	}
	return n, lost && !t.Unsigned, diag.Message{}
}

// Wrap returns the value of t that has the lowest bits of n.
func (t IntegerType) Wrap(n int64) int64 {
	shift := 64 - 8*t.Size
	if t.Unsigned {
		return int64(uint64(n) << shift >> shift)
	}
	return n << shift >> shift
}
