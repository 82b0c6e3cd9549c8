package cu

import (
	"math"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
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
	zero     bool     // it is the literal 0
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

// A constError says why an expression has no value that is understood.
type constError struct {
	diag.Message
	at     lex.Token
	failed bool // there is certainly no such expression: a template does not count with it
}

// integer returns an operand of the builtin type kind.
func integer(kind ctype.Kind, bits int64) operand {
	return operand{typ: ctype.Builtin(kind), bits: bits}
}

// unknownOf returns an operand of type t without a value.
func unknownOf(t ctype.Type, why diag.Message) operand { return operand{typ: t, unknown: why} }

func because(unknown diag.Message) string {
	if unknown.Text == "" {
		return ""
	}
	return " (" + unknown.Text + ")"
}

// rvalue returns o as the value that it has now.
func (o operand) rvalue() operand {
	return operand{typ: o.typ, bits: o.bits, float: o.float, elems: o.elems, unknown: o.unknown}
}

// parameterOperand returns what a template parameter is that stands for arg, a value of a class or a floating-point
// type: C++ standard, [temp.param].
func parameterOperand(arg *ctype.TemplateArg) operand {
	o := argumentOperand(arg)
	o.declared, o.declares = true, arg.Type
	if isClass(arg.Type) {
		o.typ, o.lvalue = constType(arg.Type), true
	}
	return o
}

// argumentOperand returns the value arg of a template argument.
func argumentOperand(arg *ctype.TemplateArg) operand {
	o := operand{typ: arg.Type, bits: arg.Value}
	if isFloat(arg.Type) {
		o.bits, o.float = 0, arg.Float()
	}
	for i := range arg.Elems {
		o.elems = append(o.elems, argumentOperand(&arg.Elems[i]))
	}
	return o
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

// parseNumber returns the value and type of an integer literal: C++ standard,
// [lex.icon].
func parseNumber(text string) (operand, error) {
	n, err := lex.ReadInteger(text)
	if err != nil {
		return operand{}, err
	}
	kind, unsigned := lengths[n.Length], n.Unsigned
	if kind == ctype.Int && (n.Value > math.MaxUint32 || n.Value > math.MaxInt32 && n.Decimal && !unsigned) {
		kind = ctype.Long
	}
	if !unsigned && !n.Decimal {
		unsigned = n.Value > math.MaxInt64 || kind == ctype.Int && n.Value > math.MaxInt32
	}
	return operand{typ: withSign(ctype.Builtin(kind), unsigned), bits: int64(n.Value)}, nil
}

// lengths are the shortest types of integer literals by their suffixes.
var lengths = map[string]ctype.Kind{"": ctype.Int, "l": ctype.Long, "z": ctype.Long, "ll": ctype.LongLong}

// parseFloat returns the value and type of a floating-point literal, false for what is
// none: C++ standard, [lex.fcon].
func parseFloat(text string) (operand, bool) {
	s := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	hex := strings.HasPrefix(s, "0x")
	exponent := "e"
	if hex {
		exponent = "p"
	}
	if !strings.ContainsAny(s, "."+exponent) || strings.Contains(s, "_") {
		return operand{}, false
	}
	kind, size := ctype.Double, 64
	switch {
	case strings.HasSuffix(s, "l"):
		return unknownOf(ctype.Builtin(ctype.LongDouble), diag.NoLayout.New(text+" is a long double")), true
	case strings.HasSuffix(s, "f") && (!hex || strings.Contains(s, "p")):
		kind, size, s = ctype.Float, 32, s[:len(s)-1]
	}
	f, err := strconv.ParseFloat(s, size)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return operand{}, false
	}
	return operand{typ: ctype.Builtin(kind), float: f}, true
}

// characterTypes are those of character literals by their prefixes: C++ standard,
// [lex.ccon]. What is not a char before C++20 is one since with u8.
var characterTypes = map[string]ctype.Kind{
	"": ctype.Char, "L": ctype.WChar, "u": ctype.Char16, "U": ctype.Char32, "u8": ctype.Char,
}

// stringUnits returns the prefix of a string literal, and the characters of its type that it has.
func stringUnits(text string) (prefix string, units []uint32, ok bool) {
	prefix, quoted, _ := strings.Cut(text, `"`)
	quoted, closed := strings.CutSuffix(quoted, `"`)
	if !closed {
		return "", nil, false
	}
	var list []lex.Character
	if bare, raw := strings.CutSuffix(prefix, "R"); raw {
		prefix = bare
		open := strings.IndexByte(quoted, '(')
		if open < 0 || !strings.HasSuffix(quoted, ")"+quoted[:open]) {
			return "", nil, false
		}
		for _, r := range quoted[open+1 : len(quoted)-open-1] {
			list = append(list, lex.Character{Code: uint32(r)})
		}
	} else if list, ok = lex.Characters(quoted); !ok {
		return "", nil, false
	}
	if _, ok = characterTypes[prefix]; !ok {
		return "", nil, false
	}
	for _, c := range list {
		switch {
		case ctype.Builtin(characterTypes[prefix]).Size > 1 || c.Escape:
			units = append(units, c.Code)
		default:
			for _, b := range []byte(string(rune(c.Code))) {
				units = append(units, uint32(b))
			}
		}
	}
	return prefix, units, true
}

// wideLiteral returns the type of an integer literal of 64 bits: C++ standard, [lex.icon].
func wideLiteral(text string, v value) ctype.Type {
	long := 0
	for i := len(text) - 1; i > 0 && (text[i]|0x20 == 'l' || text[i]|0x20 == 'u'); i-- {
		if text[i]|0x20 == 'l' {
			long++
		}
	}
	kinds := [2][2]ctype.Kind{{ctype.Long, ctype.UnsignedLong}, {ctype.LongLong, ctype.UnsignedLongLong}}
	unsigned := 0
	if v.unsigned {
		unsigned = 1
	}
	return ctype.Builtin(kinds[max(long-1, 0)][unsigned])
}

// extremes returns the least and the largest value of a floating-point type, and its epsilon
// and least positive value.
func extremes(t *ctype.Basic) (largest, epsilon, least float64) {
	if t.Kind == ctype.Float {
		return math.MaxFloat32, 0x1p-23, 0x1p-126
	}
	return math.MaxFloat64, 0x1p-52, 0x1p-1022
}
