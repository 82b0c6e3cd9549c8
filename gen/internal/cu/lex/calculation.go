package lex

import "math"

// A number is a value in the condition of an #if: all have 64 bits there.
type number struct {
	bits     int64
	unsigned bool
}

// truthOf returns the number that an operator of truth values gives.
func truthOf(holds bool) number {
	if holds {
		return number{bits: 1}
	}
	return number{}
}

// A calculation computes the condition of an #if, whose macros are replaced: C++ standard,
// [cpp.cond]. Names that are left are 0.
type calculation struct {
	list      []Token
	i         int
	end       Token // stands behind the list
	depth     int
	dead      int               // what is read is not evaluated: the right side of 0 && …
	undefined func(name string) // called with each name that counts and is not a macro
}

// A calculationError says why a condition has no value.
type calculationError struct {
	at      Token
	text    string
	unknown bool // it depends on a macro that is not known
}

// calculate returns whether the condition in list holds. What is missing behind it is reported
// at at.
func calculate(list []Token, at Token, undefined func(name string)) (holds bool, failure *calculationError) {
	at.Kind, at.Text = EOF, ""
	c := calculation{list: list, end: at, undefined: undefined}
	if len(list) == 0 {
		return false, &calculationError{at: at, text: "an expression is missing"}
	}
	defer func() {
		if r := recover(); r != nil {
			bail, ok := r.(*calculationError)
			if !ok {
				panic(r)
			}
			failure = bail
		}
	}()
	v := c.ternary()
	if l := c.peek(); l.Kind != EOF {
		c.unexpected(l)
	}
	return v.bits != 0, nil
}

func (c *calculation) peek() *Token {
	if c.i < len(c.list) {
		return &c.list[c.i]
	}
	return &c.end
}

func (c *calculation) next() *Token {
	l := c.peek()
	c.i++
	return l
}

// accept steps over text and reports whether it was there.
func (c *calculation) accept(text string) bool {
	if !c.peek().Is(text) {
		return false
	}
	c.i++
	return true
}

func (c *calculation) fail(at *Token, text string) {
	panic(&calculationError{at: *at, text: text})
}

func (c *calculation) unexpected(l *Token) {
	c.fail(l, "unexpected "+l.Describe()+" in a constant expression")
}

// wrong reports at as having no value, unless it does not count.
func (c *calculation) wrong(at *Token, text string) {
	if c.dead == 0 {
		c.fail(at, text)
	}
}

// enter guards against expressions that are nested too deeply.
func (c *calculation) enter() {
	if c.depth++; c.depth > deepestNesting {
		c.fail(c.peek(), "the expression is nested too deeply")
	}
}

func (c *calculation) ternary() number {
	c.enter()
	defer func() { c.depth-- }()
	condition := c.binary(0)
	if !c.accept("?") {
		return condition
	}
	yes := c.guarded(condition.bits == 0, c.ternary)
	if !c.accept(":") {
		c.fail(c.peek(), "a constant expression lacks the : of its ?")
	}
	no := c.guarded(condition.bits != 0, c.ternary)
	chosen := yes
	if condition.bits == 0 {
		chosen = no
	}
	return number{chosen.bits, yes.unsigned || no.unsigned}
}

// operators holds the binary operators, the loosest with the lowest number: C++ standard,
// [expr.compound].
var operators = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binary reads operators that bind tighter than loosest.
func (c *calculation) binary(loosest int) number {
	left := c.unary()
	for {
		operator := c.peek()
		level := operators[operator.Text]
		if operator.Kind != Punct || level <= loosest {
			return left
		}
		c.i++
		dead := operator.Text == "&&" && left.bits == 0 || operator.Text == "||" && left.bits != 0
		right := c.guarded(dead, func() number { return c.binary(level) })
		left = c.apply(operator, left, right)
	}
}

// guarded reads an operand that is not evaluated when dead says so.
func (c *calculation) guarded(dead bool, read func() number) number {
	if dead {
		c.dead++
		defer func() { c.dead-- }()
	}
	return read()
}

// apply computes x operator y. Overflow of a signed number is an error.
func (c *calculation) apply(operator *Token, x, y number) number {
	a, b := x.bits, y.bits
	unsigned := x.unsigned || y.unsigned
	less := a < b
	if unsigned {
		less = uint64(a) < uint64(b)
	}
	switch operator.Text {
	case "||":
		return truthOf(a != 0 || b != 0)
	case "&&":
		return truthOf(a != 0 && b != 0)
	case "<<", ">>":
		return c.shift(operator, x, y)
	case "==":
		return truthOf(a == b)
	case "!=":
		return truthOf(a != b)
	case "<":
		return truthOf(less)
	case ">":
		return truthOf(!less && a != b)
	case "<=":
		return truthOf(less || a == b)
	case ">=":
		return truthOf(!less)
	case "|":
		return number{a | b, unsigned}
	case "^":
		return number{a ^ b, unsigned}
	case "&":
		return number{a & b, unsigned}
	case "/", "%":
		return c.divide(operator, a, b, unsigned)
	}
	var n int64
	overflow := false
	switch operator.Text {
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
	if overflow && !unsigned {
		c.wrong(operator, "a constant expression overflows")
	}
	return number{n, unsigned}
}

func (c *calculation) divide(operator *Token, a, b int64, unsigned bool) number {
	quotient := operator.Text == "/"
	switch {
	case b == 0:
		c.wrong(operator, "a constant expression divides by zero")
		return number{unsigned: unsigned}
	case unsigned && quotient:
		return number{int64(uint64(a) / uint64(b)), true}
	case unsigned:
		return number{int64(uint64(a) % uint64(b)), true}
	case a == math.MinInt64 && b == -1:
		c.wrong(operator, "a constant expression overflows")
		return number{}
	case quotient:
		return number{bits: a / b}
	}
	return number{bits: a % b}
}

// shift computes x << y or x >> y, of the type of x: C++ standard, [expr.shift].
func (c *calculation) shift(operator *Token, x, y number) number {
	if y.bits < 0 || y.bits >= 64 {
		c.wrong(operator, "a constant expression shifts by more than its type has bits")
		return x
	}
	n := uint(y.bits)
	switch {
	case operator.Text == ">>" && x.unsigned:
		return number{int64(uint64(x.bits) >> n), true}
	case operator.Text == ">>":
		return number{bits: x.bits >> n}
	}
	shifted := x.bits << n
	// The bit of the sign may be set: C++ standard, [expr.shift], as CWG 1457 has it.
	if !x.unsigned && int64(uint64(shifted)>>n) != x.bits && shifted>>n != x.bits {
		c.wrong(operator, "a constant expression overflows")
	}
	return number{shifted, x.unsigned}
}

func (c *calculation) unary() number {
	c.enter()
	defer func() { c.depth-- }()
	operator := c.next()
	switch {
	case operator.Is("+"):
		return c.unary()
	case operator.Is("-"):
		x := c.unary()
		if !x.unsigned && x.bits == math.MinInt64 {
			c.wrong(operator, "a constant expression overflows")
		}
		return number{-x.bits, x.unsigned}
	case operator.Is("~"):
		x := c.unary()
		return number{^x.bits, x.unsigned}
	case operator.Is("!"):
		return truthOf(c.unary().bits == 0)
	case operator.Is("("):
		x := c.ternary()
		if !c.accept(")") {
			c.fail(c.peek(), "a constant expression lacks a closing parenthesis")
		}
		return x
	case operator.Kind == Number:
		n, err := ReadInteger(operator.Text)
		if err != nil {
			c.fail(operator, err.Error())
		}
		return number{int64(n.Value), n.Unsigned || n.Value > math.MaxInt64}
	case operator.Kind == Char:
		return c.character(operator)
	case operator.Is("true"):
		return truthOf(true)
	case operator.Is("false"):
		return truthOf(false)
	case operator.Kind == Ident:
		return c.notDefined(operator)
	}
	c.unexpected(operator)
	return number{}
}

// notDefined is the value of a name that is not a macro. With arguments it is a macro of a header
// that is not there.
func (c *calculation) notDefined(name *Token) number {
	switch {
	case c.peek().Is("(") && c.dead == 0:
		panic(&calculationError{at: *name, text: "macro " + name.Text + " is not defined", unknown: true})
	case c.peek().Is("("):
		if end, ok := closing(c.list, c.i); ok {
			c.i = end + 1
		}
	case c.dead == 0:
		c.undefined(name.Text)
	}
	return number{}
}

// character returns the value of a character literal. Whether char has a sign is up to the host.
func (c *calculation) character(l *Token) number {
	char, ok := ReadCharacter(l.Text)
	if !ok {
		c.fail(l, "character "+l.Text+" is not understood in a constant expression")
	}
	if char.Value < 0 && c.dead == 0 {
		c.undefined("__CHAR_UNSIGNED__")
	}
	return number{char.Value, char.Prefix == "u" || char.Prefix == "U"}
}
