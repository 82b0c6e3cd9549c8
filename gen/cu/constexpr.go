package cu

import (
	"errors"
	"fmt"
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A value is an integer constant with its type after promotion: 32 or 64 bits, signed
// or not. bits holds it as an int64 holds it; an unsigned one is zero-extended.
type value struct {
	bits     int64
	wide     bool // 64 bits
	unsigned bool
}

// fit returns the value of type v.wide and v.unsigned that is congruent to n, as for
// unsigned arithmetic.
func (v value) fit(n int64) value {
	if v.unsigned && !v.wide {
		n = int64(uint32(n))
	}
	v.bits = n
	return v
}

// holds reports whether n, computed without overflow of 64 bits, is in v's type.
func (v value) holds(n int64) bool {
	return v.wide || v.unsigned || n == int64(int32(n))
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

// parseNumber returns the value and type of an integer literal: C++ standard,
// [lex.icon].
func parseNumber(text string) (value, error) {
	s := strings.ToLower(strings.ReplaceAll(text, "'", ""))
	digits := strings.TrimRight(s, "ulz")
	suffix := s[len(digits):]
	base, prefixed := 10, true
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	default:
		prefixed = false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return value{}, errors.New(text + " is not an integer that fits 64 bits")
	}
	var v value
	switch suffix {
	case "", "u":
	case "l", "ll", "ul", "ull", "lu", "llu", "z", "uz", "zu":
		v.wide = true
	default:
		return value{}, errors.New(text + " is not an integer")
	}
	v.unsigned = strings.Contains(suffix, "u")
	v.wide = v.wide || n > math.MaxUint32 || n > math.MaxInt32 && !v.unsigned && !prefixed
	if !v.unsigned {
		v.unsigned = prefixed && (n > math.MaxInt64 || !v.wide && n > math.MaxInt32)
		if n > math.MaxInt64 && !v.unsigned {
			return value{}, errors.New(text + " does not fit a signed type")
		}
	}
	v.bits = int64(n)
	return v, nil
}

// An evaluator computes a constant expression: C++ standard, [expr.const], for
// integers.
type evaluator struct {
	cursor
	parser *parser
	scope  *scope
	depth  int
}

// A constError says why an expression is not an integer constant.
type constError struct {
	pos  token.Position
	text string
}

func (e *constError) Error() string { return e.text }

// evaluate returns the value of the expression, whose names are looked up from scope.
func (p *parser) evaluate(expression []lexeme, at token.Position, scope *scope) (v value, failure *constError) {
	if len(expression) == 0 {
		return value{}, &constError{at, "an expression is missing"}
	}
	expanded, failure := p.expand(expression)
	if failure != nil {
		return value{}, failure
	}
	e := evaluator{cursor: newCursor(expanded, at), parser: p, scope: scope}
	defer func() {
		if r := recover(); r != nil {
			bail, ok := r.(*constError)
			if !ok {
				panic(r)
			}
			failure = bail
		}
	}()
	v = e.ternary()
	if l := e.peek(); l.kind != tokEOF {
		e.fail(l, "unexpected "+l.describe()+" in a constant expression")
	}
	return v, nil
}

// expand replaces the macros of an expression that have no parameters.
func (p *parser) expand(expression []lexeme) ([]lexeme, *constError) {
	const most = 4096 // steps: no person wrote an expression of that size
	x := expander{macros: p.macros, active: make(map[*macro]bool), steps: min(most, p.expansions)}
	before := x.steps
	failure := x.expand(expression, nil)
	p.expansions -= before - x.steps
	return x.expanded, failure
}

// An expander replaces macros by their bodies: C++ standard, [cpp.rescan].
type expander struct {
	macros   macros
	active   map[*macro]bool // those being replaced: a macro is not replaced in itself
	expanded []lexeme
	steps    int // left
}

// expand adds the expansion of list. The lexemes of a macro's body stand where the
// macro is used; use is nil for those that stand in the source.
func (x *expander) expand(list []lexeme, use *lexeme) *constError {
	for i := range list {
		l := list[i]
		if use != nil {
			l.pos = use.pos
		}
		if x.steps == 0 {
			return &constError{l.pos, "the expansion of macros is too long"}
		}
		x.steps--
		m := x.macros.at(&l)
		switch {
		case m == nil || x.active[m]:
			x.expanded = append(x.expanded, l)
			continue
		case m.function:
			return &constError{l.pos, "macro " + l.text + " has parameters"}
		case m.unstable != "":
			return &constError{l.pos, "macro " + l.text + " is " + m.unstable}
		}
		x.active[m] = true
		if failure := x.expand(m.body, &l); failure != nil {
			return failure
		}
		delete(x.active, m)
	}
	return nil
}

func (e *evaluator) fail(at *lexeme, text string) {
	panic(&constError{at.pos, text})
}

// enter guards against expressions that are nested too deeply.
func (e *evaluator) enter() {
	if e.depth++; e.depth > deepestNesting {
		e.fail(e.peek(), "the expression is nested too deeply")
	}
}

func (e *evaluator) ternary() value {
	e.enter()
	defer func() { e.depth-- }()
	condition := e.binary(0)
	if !e.accept("?") {
		return condition
	}
	yes := e.ternary()
	if !e.accept(":") {
		e.fail(e.peek(), "a constant expression lacks the : of its ?")
	}
	no := e.ternary()
	common := usual(yes, no)
	if condition.bits != 0 {
		return common.fit(yes.bits)
	}
	return common.fit(no.bits)
}

// precedence holds the binary operators, the loosest with the lowest number: C++
// standard, [expr.compound].
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binary reads operators that bind tighter than loosest.
func (e *evaluator) binary(loosest int) value {
	left := e.unary()
	for {
		operator := e.peek()
		level := precedence[operator.text]
		if operator.kind != tokPunct || level <= loosest {
			return left
		}
		e.next()
		left = e.apply(operator, left, e.binary(level))
	}
}

// usual returns the type of an operator's operands: C++ standard, [expr.arith.conv].
func usual(x, y value) value {
	switch {
	case x.wide == y.wide:
		return value{wide: x.wide, unsigned: x.unsigned || y.unsigned}
	case x.wide:
		return value{wide: true, unsigned: x.unsigned}
	}
	return value{wide: true, unsigned: y.unsigned}
}

// apply computes x operator y. Overflow of a signed type is no constant expression.
func (e *evaluator) apply(operator *lexeme, x, y value) value {
	switch operator.text {
	case "||":
		return truthValue(x.bits != 0 || y.bits != 0)
	case "&&":
		return truthValue(x.bits != 0 && y.bits != 0)
	case "<<", ">>":
		return e.shift(operator, x, y)
	}
	t := usual(x, y)
	a, b := t.fit(x.bits).bits, t.fit(y.bits).bits
	less := a < b
	if t.unsigned {
		less = uint64(a) < uint64(b)
	}
	switch operator.text {
	case "==":
		return truthValue(a == b)
	case "!=":
		return truthValue(a != b)
	case "<":
		return truthValue(less)
	case ">":
		return truthValue(!less && a != b)
	case "<=":
		return truthValue(less || a == b)
	case ">=":
		return truthValue(!less)
	case "|":
		return t.fit(a | b)
	case "^":
		return t.fit(a ^ b)
	case "&":
		return t.fit(a & b)
	case "/", "%":
		return e.divide(operator, t, a, b)
	}
	var n int64
	overflow := false
	switch operator.text {
	case "+":
		n = a + b
		overflow = (a >= 0) == (b >= 0) && (n >= 0) != (a >= 0)
	case "-":
		n = a - b
		overflow = (a >= 0) != (b >= 0) && (n >= 0) != (a >= 0)
	case "*":
		n = a * b
		overflow = b != 0 && (n/b != a || a == math.MinInt64 && b == -1)
	}
	if !t.unsigned && (overflow || !t.holds(n)) {
		e.fail(operator, "a constant expression overflows")
	}
	return t.fit(n)
}

func (e *evaluator) divide(operator *lexeme, t value, a, b int64) value {
	switch {
	case b == 0:
		e.fail(operator, "a constant expression divides by zero")
	case t.unsigned && operator.text == "/":
		return t.fit(int64(uint64(a) / uint64(b)))
	case t.unsigned:
		return t.fit(int64(uint64(a) % uint64(b)))
	case b == -1:
		if a == math.MinInt64 || !t.holds(-a) {
			e.fail(operator, "a constant expression overflows")
		}
		if operator.text == "%" {
			return t.fit(0)
		}
		return t.fit(-a)
	}
	if operator.text == "/" {
		return t.fit(a / b)
	}
	return t.fit(a % b)
}

// shift computes x << y or x >> y, of the type of x: C++ standard, [expr.shift].
func (e *evaluator) shift(operator *lexeme, x, y value) value {
	width := int64(32)
	if x.wide {
		width = 64
	}
	if y.bits < 0 || y.bits >= width {
		e.fail(operator, "a constant expression shifts by more than its type has bits")
	}
	n := uint(y.bits)
	if operator.text == ">>" {
		if x.unsigned {
			return x.fit(int64(uint64(x.bits) >> n))
		}
		return x.fit(x.bits >> n)
	}
	shifted := x.bits << n
	if !x.unsigned && (x.bits < 0 || shifted>>n != x.bits || !x.holds(shifted)) {
		e.fail(operator, "a constant expression overflows")
	}
	return x.fit(shifted)
}

func (e *evaluator) unary() value {
	e.enter()
	defer func() { e.depth-- }()
	operator := e.next()
	switch {
	case operator.is("+"):
		return e.unary()
	case operator.is("-"):
		x := e.unary()
		if !x.unsigned && (x.bits == math.MinInt64 || !x.holds(-x.bits)) {
			e.fail(operator, "a constant expression overflows")
		}
		return x.fit(-x.bits)
	case operator.is("~"):
		x := e.unary()
		return x.fit(^x.bits)
	case operator.is("!"):
		return truthValue(e.unary().bits == 0)
	case operator.is("("):
		x := e.ternary()
		if !e.accept(")") {
			e.fail(e.peek(), "a constant expression lacks a closing parenthesis")
		}
		return x
	case operator.kind == tokNumber:
		v, err := parseNumber(operator.text)
		if err != nil {
			e.fail(operator, err.Error())
		}
		return v
	case operator.kind == tokChar:
		return e.character(operator)
	case operator.is("true"):
		return truthValue(true)
	case operator.is("false"):
		return truthValue(false)
	case operator.kind == tokIdent, operator.is("::"):
		e.i--
		return e.name()
	}
	e.fail(operator, "unexpected "+operator.describe()+" in a constant expression")
	return value{}
}

// character returns the value of a character literal of one ASCII character.
func (e *evaluator) character(l *lexeme) value {
	if n := len(l.text); n == 3 && l.text[0] == '\'' && l.text[1] < 0x80 {
		return value{bits: int64(l.text[1])}
	}
	e.fail(l, "character "+l.text+" is not understood in a constant expression")
	return value{}
}

// name returns the value of a constant.
func (e *evaluator) name() value {
	at := e.peek()
	path, absolute := e.path()
	if len(path) == 0 {
		e.fail(at, "unexpected "+at.describe()+" in a constant expression")
	}
	found, _ := e.scope.resolve(path, absolute)
	switch {
	case found == nil:
		e.fail(at, fmt.Sprintf("%s is not a constant that is known here", strings.Join(path, "::")))
	case found.value == nil:
		e.fail(at, fmt.Sprintf("%s is not an integer constant that is understood", strings.Join(path, "::")))
	}
	return *found.value
}

// convert returns v as a value of type t, and false when t has no such value or is no
// integer type.
func convert(v value, t ctype.Type) (value, bool) {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	if !ok || !basic.Integer() {
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
