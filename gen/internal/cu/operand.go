package cu

import (
	"math"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// A value is an integer constant with its type after promotion: 32 or 64 bits, signed
// or not. bits holds it as an int64 holds it; an unsigned one is zero-extended.
type value struct {
	bits     int64
	wide     bool // 64 bits
	unsigned bool
}

// int64 returns v as an int64, false when it does not fit.
func (v value) int64() (int64, bool) {
	return v.bits, !(v.unsigned && v.wide && v.bits < 0)
}

func truthValue(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// An operand is a subexpression: its type, and its value as far as that is known.
type operand struct {
	typ     ctype.Type // without a reference; nil when it is not known
	bits    int64      // of an integer or enumeration: extended to 64 bits as its type says
	float   float64
	elems   []operand    // of an array, or of a class: of its bases, then of its fields
	unknown diag.Message // why it has no value; zero when it has one

	lvalue   bool
	xvalue   bool
	place    *operand // the variable that it designates and that may be assigned to
	declared bool     // it is a name or a member, whose declared type is declares
	declares ctype.Type
	bitField bool
	self     *operand // of a member function: the object
	function *function
	named    found
}

// Reasons why an operand has no value.
var (
	notEvaluated = diag.NotUnderstood.New("it is not evaluated")
	noType       = diag.NotUnderstood.New("its type is not known")
	aPointer     = diag.NotUnderstood.New("a pointer is not an integer constant")
	aVoid        = diag.NotUnderstood.New("it is void")
)

const badCondition = "a condition is not understood: "

// integer returns an operand of the builtin type kind.
func integer(kind ctype.Kind, bits int64) operand {
	return operand{typ: ctype.Builtin(kind), bits: bits}
}

// unknownOf returns an operand of type t without a value.
func unknownOf(t ctype.Type, why diag.Message) operand { return operand{typ: t, unknown: why} }

// rvalue returns o as the value that it has now.
func (o operand) rvalue() operand {
	return operand{typ: o.typ, bits: o.bits, float: o.float, elems: o.elems, unknown: o.unknown}
}

// copied returns o with elements of its own.
func (o operand) copied() operand {
	o = o.rvalue()
	if o.elems != nil {
		elems := make([]operand, len(o.elems))
		for i := range o.elems {
			elems[i] = o.elems[i].copied()
		}
		o.elems = elems
	}
	return o
}

// size returns how many elements o has, with those inside of them.
func (o *operand) size() int {
	n := len(o.elems)
	for i := range o.elems {
		if o.elems[i].elems != nil {
			n += o.elems[i].size()
		}
	}
	return n
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

func isScoped(t ctype.Type) bool {
	if t == nil {
		return false
	}
	e, ok := ctype.Unqualified(t).(*ctype.Enum)
	return ok && e.Scoped
}

// value returns the integer constant o.
func (o operand) value() value {
	basic := builtin(o.typ)
	return value{bits: o.bits, wide: basic.Size == 8, unsigned: basic.Unsigned && basic.Size >= 4}
}

// isTrue reports whether o, of an arithmetic type, is not 0.
func (o operand) isTrue() bool { return o.bits != 0 || isFloat(o.typ) && o.float != 0 }

// decides reports whether o is the left operand of && or || that leaves the right one without an effect.
func (o operand) decides(operator string) bool {
	return o.unknown.Text == "" && (operator == "&&" && !o.isTrue() || operator == "||" && o.isTrue())
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
		return truthValue(bits != 0).bits
	}
	return integerType(t).Wrap(bits)
}

// converted returns o as a value of the type t: C++ standard, [conv]. An explicit
// conversion may do what a cast does. failure says why there is no such value.
func converted(o operand, t ctype.Type, explicit bool) (result operand, failure string) {
	result = operand{typ: ctype.Unqualified(t)}
	if o.unknown.Text != "" {
		result.unknown = o.unknown
		return result, ""
	}
	_, toEnum := result.typ.(*ctype.Enum)
	switch {
	case toEnum && !explicit && !sameType(o.typ, t), isScoped(o.typ) && !explicit && !sameType(o.typ, t):
		return result, "has another type than " + t.String()
	case isInteger(t) && isInteger(o.typ):
		result.bits = wrap(o.bits, builtin(t))
	case isInteger(t) && isFloat(o.typ):
		basic := builtin(t)
		if basic.Kind == ctype.Bool {
			result.bits = truthValue(o.float != 0).bits
			return result, ""
		}
		whole := math.Trunc(o.float)
		low, high := -math.Ldexp(1, int(8*basic.Size)-1), math.Ldexp(1, int(8*basic.Size)-1)
		if basic.Unsigned {
			low, high = 0, 2*high
		}
		if !(whole >= low && whole < high) {
			return result, "is not a value of " + t.String()
		}
		if basic.Unsigned && basic.Size == 8 {
			result.bits = int64(uint64(whole))
		} else {
			result.bits = int64(whole)
		}
	case isFloat(t) && isInteger(o.typ):
		basic := builtin(o.typ)
		single := builtin(t).Kind == ctype.Float
		switch {
		case basic.Unsigned && single:
			result.float = float64(float32(uint64(o.bits)))
		case basic.Unsigned:
			result.float = float64(uint64(o.bits))
		case single:
			result.float = float64(float32(o.bits))
		default:
			result.float = float64(o.bits)
		}
	case isFloat(t) && isFloat(o.typ):
		result.float = o.float
		if builtin(t).Kind == ctype.Float {
			result.float = float64(float32(o.float))
		}
		if math.IsInf(result.float, 0) {
			return result, "is not a value of " + t.String()
		}
	case sameType(o.typ, t):
		result.elems = o.elems
	default:
		if o.typ == nil {
			return result, "has a type that is not known here"
		}
		return result, "has type " + o.typ.String() + ", which is not converted to " + t.String() + " here"
	}
	return result, ""
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

// convert returns v as a value of type t, and false when t has no such value or is no
// integer type.
func convert(v value, t ctype.Type) (value, bool) {
	if isAuto(t) {
		return v, true
	}
	basic := builtin(t)
	if basic == nil || !basic.Integer() || basic.Size > 8 {
		return value{}, false
	}
	if basic.Kind == ctype.Bool {
		return truthValue(v.bits != 0), true
	}
	n, ok := v.int64()
	to := value{bits: v.bits, wide: basic.Size == 8, unsigned: basic.Unsigned && basic.Size >= 4}
	switch width := uint(basic.Size * 8); {
	case !ok:
		return to, to.wide && to.unsigned
	case basic.Unsigned:
		return to, n >= 0 && (width == 64 || n < 1<<width)
	default:
		return to, width == 64 || n >= -1<<(width-1) && n < 1<<(width-1)
	}
}

// isAuto reports whether t is auto, with qualifiers or without.
func isAuto(t ctype.Type) bool {
	if q, ok := t.(*ctype.Qualified); ok {
		t = q.Type
	}
	return t == ctype.Type(autoType)
}
