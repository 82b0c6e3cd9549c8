package lex

import (
	"math"

	"github.com/cudagen/cudagen/internal/diag"
)

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
	diag.Message
	at      Token
	unknown bool // it depends on a macro that is not known
}

// calculate returns whether the condition in list holds. What is missing behind it is reported
// at at.
func calculate(list []Token, at Token, undefined func(name string)) (holds bool, failure *calculationError) {
	at.Kind, at.Text = EOF, ""
	c := calculation{list: list, end: at, undefined: undefined}
	if len(list) == 0 {
		return false, &calculationError{at: at, Message: diag.ConstantExpression.New("an expression is missing")}
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

func (c *calculation) fail(at *Token, code diag.Code, text string) {
	panic(&calculationError{at: *at, Message: code.New(text)})
}

func (c *calculation) unexpected(l *Token) {
	c.fail(l, diag.ConstantExpression, "unexpected "+l.Describe()+" in a constant expression")
}

// enter guards against expressions that are nested too deeply.
func (c *calculation) enter() {
	if c.depth++; c.depth > deepestNesting {
		c.fail(c.peek(), diag.ConstantExpression, "the expression is nested too deeply")
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
		c.fail(c.peek(), diag.ConstantExpression, "a constant expression lacks the : of its ?")
	}
	no := c.guarded(condition.bits != 0, c.ternary)
	chosen := yes
	if condition.bits == 0 {
		chosen = no
	}
	return number{chosen.bits, yes.unsigned || no.unsigned}
}

// Precedence holds the binary operators, the loosest with the lowest number: C++ standard,
// [expr.compound].
var Precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binary reads operators that bind tighter than loosest.
func (c *calculation) binary(loosest int) number {
	left := c.unary()
	for {
		operator := c.peek()
		level := Precedence[operator.Text]
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
	switch operator.Text {
	case "||":
		return truthOf(x.bits != 0 || y.bits != 0)
	case "&&":
		return truthOf(x.bits != 0 && y.bits != 0)
	case "<<", ">>":
		n, lost, undefined := IntegerType{8, x.unsigned}.Shift(operator.Text, x.bits, y.bits)
		if lost {
			undefined = Overflows
		}
		return c.defined(operator, number{n, x.unsigned}, undefined)
	}
	unsigned := x.unsigned || y.unsigned
	n, undefined, _ := IntegerType{8, unsigned}.Apply(operator.Text, x.bits, y.bits)
	return c.defined(operator, number{n, unsigned && !comparisons[operator.Text]}, undefined)
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}

// defined returns x, and reports the operator if it has no result.
func (c *calculation) defined(operator *Token, x number, undefined diag.Message) number {
	if undefined.Text != "" && c.dead == 0 {
		c.fail(operator, undefined.Code, undefined.Text)
	}
	return x
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
		return c.apply(operator, number{unsigned: x.unsigned}, x)
	case operator.Is("~"):
		x := c.unary()
		return number{^x.bits, x.unsigned}
	case operator.Is("!"):
		return truthOf(c.unary().bits == 0)
	case operator.Is("("):
		x := c.ternary()
		if !c.accept(")") {
			c.fail(c.peek(), diag.ConstantExpression, "a constant expression lacks a closing parenthesis")
		}
		return x
	case operator.Kind == Number:
		n, err := ReadInteger(operator.Text)
		if err != nil {
			c.fail(operator, diag.ConstantExpression, err.Error())
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
		panic(&calculationError{at: *name, Message: diag.Macro.New("macro " + name.Text + " is not defined"), unknown: true})
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
		c.fail(l, diag.ConstantExpression, "character "+l.Text+" is not understood in a constant expression")
	}
	if char.Value < 0 && c.dead == 0 {
		c.undefined("__CHAR_UNSIGNED__")
	}
	return number{char.Value, char.Prefix == "u" || char.Prefix == "U"}
}
