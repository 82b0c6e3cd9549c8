package cu

import (
	"errors"
	"fmt"
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
// integers. In a condition of the preprocessor all numbers have 64 bits, and names that
// are no macros are 0: C++ standard, [cpp.cond].
type evaluator struct {
	cursor
	parser    *parser // nil in a condition
	scope     *scope
	condition bool
	depth     int
	dead      int // what is read is not evaluated: the right side of 0 && …

	undefinedName func(string) // is told each name in a condition that is no macro
}

// A constError says why an expression is not an integer constant.
type constError struct {
	at      lexeme
	text    string
	unknown bool // it depends on a macro that is not known
}

func (e *constError) Error() string { return e.text }

// evaluate returns the value of the expression, whose names are looked up from scope.
func (p *parser) evaluate(expression cursor, scope *scope) (v value, failure *constError) {
	outer := p.scope
	p.scope = scope
	defer func() { p.scope = outer }()
	if p.nesting++; p.nesting > 2*deepestNesting {
		p.nesting--
		return value{}, &constError{at: *expression.peek(), text: "it is nested too deeply"}
	}
	defer func() { p.nesting-- }()
	e := evaluator{cursor: expression, parser: p, scope: scope}
	return e.run()
}

// run evaluates the whole of the cursor.
func (e *evaluator) run() (v value, failure *constError) {
	if !e.more() {
		return value{}, &constError{at: *e.peek(), text: "an expression is missing"}
	}
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

func (e *evaluator) fail(at *lexeme, text string) {
	panic(&constError{at: *at, text: text})
}

// undefined reports at as having no value, unless it does not count.
func (e *evaluator) undefined(at *lexeme, text string) {
	if e.dead == 0 {
		e.fail(at, text)
	}
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
	yes := e.guarded(condition.bits == 0, e.ternary)
	if !e.accept(":") {
		e.fail(e.peek(), "a constant expression lacks the : of its ?")
	}
	no := e.guarded(condition.bits != 0, e.ternary)
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
		operator := *e.peek()
		length := 1
		if second := e.ahead(1); operator.is(">") && second.is(">") && !second.blank {
			operator.text = ">>" // taken apart by the preprocessor
			length = 2
		}
		level := precedence[operator.text]
		if operator.kind != tokPunct || level <= loosest {
			return left
		}
		e.i += length
		dead := operator.text == "&&" && left.bits == 0 || operator.text == "||" && left.bits != 0
		right := e.guarded(dead, func() value { return e.binary(level) })
		left = e.apply(&operator, left, right)
	}
}

// guarded reads an operand that is not evaluated when dead says so.
func (e *evaluator) guarded(dead bool, read func() value) value {
	if dead {
		e.dead++
		defer func() { e.dead-- }()
	}
	return read()
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
		e.undefined(operator, "a constant expression overflows")
	}
	return t.fit(n)
}

func (e *evaluator) divide(operator *lexeme, t value, a, b int64) value {
	switch {
	case b == 0:
		e.undefined(operator, "a constant expression divides by zero")
		return t
	case t.unsigned && operator.text == "/":
		return t.fit(int64(uint64(a) / uint64(b)))
	case t.unsigned:
		return t.fit(int64(uint64(a) % uint64(b)))
	case b == -1:
		if a == math.MinInt64 || !t.holds(-a) {
			e.undefined(operator, "a constant expression overflows")
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
		e.undefined(operator, "a constant expression shifts by more than its type has bits")
		return x
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
		e.undefined(operator, "a constant expression overflows")
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
			e.undefined(operator, "a constant expression overflows")
		}
		return x.fit(-x.bits)
	case operator.is("~"):
		x := e.unary()
		return x.fit(^x.bits)
	case operator.is("!"):
		return truthValue(e.unary().bits == 0)
	case operator.is("("):
		return e.parenthesised()
	case operator.kind == tokNumber:
		v, err := parseNumber(operator.text)
		if err != nil {
			e.fail(operator, err.Error())
		}
		v.wide = v.wide || e.condition
		return v
	case operator.kind == tokChar:
		return e.character(operator)
	case operator.is("true"):
		return truthValue(true)
	case operator.is("false"):
		return truthValue(false)
	case e.condition && operator.kind == tokIdent:
		return e.notDefined(operator)
	case operator.is("sizeof"), operator.is("alignof"), operator.is("_Alignof"), operator.is("__alignof__"), operator.is("__alignof"):
		return e.size(operator)
	case operator.is("static_cast"):
		return e.cast(operator)
	case operator.kind == tokIdent && scalarWords[operator.text], operator.kind == tokIdent, operator.is("::"):
		e.i--
		return e.name()
	}
	e.fail(operator, "unexpected "+operator.describe()+" in a constant expression")
	return value{}
}

// notDefined is the value of a name in a condition that is no macro. With arguments it
// is a macro of a header that is not there.
func (e *evaluator) notDefined(name *lexeme) value {
	if e.peek().is("(") {
		if e.dead == 0 {
			panic(&constError{at: *name, text: "macro " + name.text + " is not defined", unknown: true})
		}
		e.group()
	} else if e.dead == 0 {
		e.undefinedName(name.text)
	}
	return value{wide: true}
}

// parenthesised reads what stands behind a (: an expression, or a cast.
func (e *evaluator) parenthesised() value {
	inside := e.cursor
	if group := e.piece(e.i-1, e.stop); e.parser != nil {
		if list, ok := group.group(); ok {
			if f, ok := foldAt(list); ok {
				e.i = group.i
				return e.fold(f)
			}
		}
	}
	if e.parser != nil && e.parser.typeAhead(inside) {
		t, reason := e.parser.typeID(&e.cursor)
		if reason == nil && e.accept(")") {
			return e.convert(e.peek(), t, e.unary())
		}
		e.cursor = inside
	}
	x := e.ternary()
	if !e.accept(")") {
		e.fail(e.peek(), "a constant expression lacks a closing parenthesis")
	}
	return x
}

// cast reads what stands behind static_cast.
func (e *evaluator) cast(at *lexeme) value {
	list, ok := e.angles()
	if !ok {
		e.fail(at, "a cast lacks its type")
	}
	t, reason := e.parser.typeID(&list)
	if reason != nil {
		e.fail(at, "the type of a cast "+reason.Text)
	}
	return e.convert(at, t, e.operand(at))
}

// operand reads one operand in parentheses or braces.
func (e *evaluator) operand(at *lexeme) value {
	inside, ok := e.group()
	if !ok {
		e.fail(at, "a constant expression lacks a closing parenthesis")
	}
	inner := evaluator{cursor: inside, parser: e.parser, scope: e.scope, depth: e.depth, dead: e.dead}
	inner.enter()
	v := inner.ternary()
	if inner.more() {
		e.fail(inner.peek(), "unexpected "+inner.peek().describe()+" in a constant expression")
	}
	return v
}

// convert returns v cast to t.
func (e *evaluator) convert(at *lexeme, t ctype.Type, v value) value {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	if enum, isEnum := ctype.Unqualified(t).(*ctype.Enum); isEnum {
		basic, ok = enum.Underlying, enum.Unsupported == nil
	}
	if !ok || !basic.Integer() || basic.Size > 8 {
		e.fail(at, "a cast to "+t.String()+" is no integer constant that is understood")
	}
	if basic.Kind == ctype.Bool {
		return truthValue(v.bits != 0)
	}
	to := value{wide: basic.Size == 8, unsigned: basic.Unsigned && basic.Size >= 4}
	shift := uint(64 - 8*basic.Size)
	if basic.Unsigned {
		to.bits = int64(uint64(v.bits) << shift >> shift)
	} else {
		to.bits = v.bits << shift >> shift
	}
	return to
}

// size reads what stands behind sizeof or alignof.
func (e *evaluator) size(operator *lexeme) value {
	if e.peek().is("...") {
		return e.sizeofPack(operator)
	}
	inside, ok := e.group()
	if !ok || !e.parser.typeAhead(inside) {
		e.fail(operator, operator.text+" of an expression is not understood (write its type)")
	}
	t, reason := e.parser.typeID(&inside)
	if reason == nil && inside.more() {
		reason = e.parser.reasonf(inside.peek(), "is not understood (unexpected %s)", inside.peek().describe())
	}
	if reason != nil {
		e.fail(operator, "the operand of "+operator.text+" "+reason.Text)
	}
	size, align, err := e.parser.sizeOf(t)
	if err != nil {
		e.fail(operator, operator.text+": "+err.Error())
	}
	if operator.text != "sizeof" {
		size = align
	}
	return value{bits: size, wide: true, unsigned: true}
}

// sizeOf returns the size and alignment of t in bytes, as sizeof and alignof have them.
func (p *parser) sizeOf(t ctype.Type) (size, align int64, err error) {
	if basic, ok := elementOf(t).(*ctype.Basic); ok && basic.Kind == ctype.LongDouble {
		return 0, 0, errors.New("long double has 16 bytes in constant expressions, and 8 in device code")
	}
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Reference: // C++ standard, [expr.sizeof]
		return p.sizeOf(u.Elem)
	case *ctype.Struct:
		p.complete(u)
	}
	if p.config.SizeOf != nil {
		return p.config.SizeOf(t)
	}
	const addressSize = 8
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
		size, align, err = p.sizeOf(t.Elem)
		if err == nil && t.Len > math.MaxInt64/max(size, 1) {
			err = errors.New(t.String() + " is too large")
		}
		return size * t.Len, align, err
	}
	return 0, 0, errors.New("the size of " + t.String() + " is not known here")
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

// typeAhead reports whether a type stands at c.
func (p *parser) typeAhead(c cursor) bool {
	l := c.peek()
	switch {
	case l.kind != tokIdent && !l.is("::"):
		return false
	case scalarWords[l.text], l.is("const"), l.is("volatile"), l.is("struct"), l.is("class"), l.is("union"), l.is("enum"), l.is("typename"):
		return true
	}
	f := p.name(&c)
	switch {
	case f.last == nil:
		return false
	case f.entity != nil:
		return f.entity.typ != nil
	}
	return p.known(f) != nil
}

// character returns the value of a character literal of one ASCII character.
func (e *evaluator) character(l *lexeme) value {
	if n := len(l.text); n == 3 && l.text[0] == '\'' && l.text[1] < 0x80 {
		return value{bits: int64(l.text[1])}
	}
	if n := len(l.text); n == 4 && l.text[0] == '\'' && l.text[1] == '\\' {
		if i := strings.IndexByte("0abtnvfr\\'\"", l.text[2]); i >= 0 {
			return value{bits: int64("\x00\a\b\t\n\v\f\r\\'\""[i])}
		}
	}
	e.fail(l, "character "+l.text+" is not understood in a constant expression")
	return value{}
}

// name returns the value of a constant, of a conversion T(x), or of a call.
func (e *evaluator) name() value {
	at := e.peek()
	if scalarWords[at.text] {
		t, reason := e.parser.typeID(&cursor{tokens: e.tokens, i: e.i, stop: e.i + 1, end: e.end})
		if reason != nil {
			e.fail(at, "a conversion "+reason.Text)
		}
		e.next()
		return e.convert(at, t, e.operand(at))
	}
	f := e.parser.name(&e.cursor)
	found := f.entity
	switch {
	case f.last == nil:
		e.fail(at, "unexpected "+at.describe()+" in a constant expression")
	case f.reason != nil:
		e.fail(at, f.text+" is not understood: "+f.reason.Text)
	case found != nil && found.typ != nil && (e.peek().is("(") || e.peek().is("{")):
		return e.convert(at, found.typ, e.operand(at))
	case found != nil && found.function != nil && e.peek().is("("):
		return e.call(f)
	case found == nil:
		if t := e.parser.known(f); t != nil && e.peek().is("(") {
			return e.convert(at, t, e.operand(at))
		}
		if c := knownConstant(f); c != nil {
			return c.value
		}
		if e.dead > 0 {
			return value{}
		}
		e.fail(at, fmt.Sprintf("%s is not a constant that is known here%s", f.text, e.parser.hint("")))
	case found.constant == nil:
		detail := ""
		if found.obscure != "" {
			detail = " (" + found.obscure + ")"
		}
		e.fail(at, fmt.Sprintf("%s is not an integer constant that is understood%s", f.text, detail))
	}
	return found.constant.value
}

// convert returns v as a value of type t, and false when t has no such value or is no
// integer type.
func convert(v value, t ctype.Type) (value, bool) {
	if t == ctype.Type(autoType) {
		return v, true
	}
	if q, ok := t.(*ctype.Qualified); ok && q.Type == ctype.Type(autoType) {
		return v, true
	}
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	if enum, isEnum := ctype.Unqualified(t).(*ctype.Enum); isEnum && enum.Unsupported == nil {
		basic, ok = enum.Underlying, true
	}
	if !ok || !basic.Integer() || basic.Size > 8 {
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
