package ptx

import (
	"go/token"
	"math"
)

// precedences are those of C, of the operators with two operands. The remainder stands between
// blanks: %4 is a register.
//
// PTX ISA, Syntax, Constant Expressions.
var precedences = map[string]int{
	"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}

// constant parses a constant expression and returns its value.
func (p *parser) constant() Operand { return p.climb(p.unary(), 0) }

// climb parses what follows left, as long as its operators bind more than least, and the choices
// of ?: if least is 0.
func (p *parser) climb(left Operand, least int) Operand {
	for {
		operator := p.tok
		if operator.kind != punct && !(operator.kind == ident && operator.text == "%") || operator.text == "," {
			break
		}
		precedence := precedences[operator.text]
		if precedence <= least {
			break
		}
		p.next()
		left = p.evaluate(operator, left, p.climb(p.unary(), precedence))
	}
	if pos := p.tok.pos; least == 0 && p.accept("?") {
		p.enter()
		defer p.leave()
		yes := p.constant()
		p.expect(":", "between the choices of ?:")
		no := p.constant()
		condition, a, b := p.whole(pos, left), p.whole(pos, yes), p.whole(pos, no)
		if condition.Value == 0 {
			a.Value = b.Value
		}
		return Imm{a.Value, a.Unsigned || b.Unsigned}
	}
	return left
}

// unary parses a number, an expression in parentheses, or either with signs, ~, ! or a type in front.
func (p *parser) unary() Operand {
	p.enter()
	defer p.leave()
	pos := p.tok.pos
	switch {
	case p.accept("-"):
		return negate(p.unary())
	case p.accept("+"):
		return p.unary()
	case p.accept("~"):
		return Imm{^p.whole(pos, p.unary()).Value, true}
	case p.accept("!"):
		return truth(p.whole(pos, p.unary()).Value == 0)
	case p.accept("("):
		if t := p.tok; t.kind == dotted && (t.text == "s64" || t.text == "u64") {
			p.next()
			p.expect(")", "after the type")
			return Imm{p.whole(pos, p.unary()).Value, t.text == "u64"}
		}
		value := p.constant()
		p.expect(")", "after a constant expression")
		return value
	}
	return p.literal()
}

// evaluate applies an operator with two operands. Integers have 64 bits; the result is unsigned if
// one of them is, and for shifts if the first is.
func (p *parser) evaluate(operator lexeme, left, right Operand) Operand {
	if a, ok := left.(Float); ok {
		if b, ok := right.(Float); ok && a.Size == 64 && b.Size == 64 {
			return p.evaluateFloats(operator, math.Float64frombits(a.Bits), math.Float64frombits(b.Bits))
		}
	}
	x, y := p.whole(operator.pos, left), p.whole(operator.pos, right)
	a, b, unsigned := x.Value, y.Value, x.Unsigned || y.Unsigned
	less, equal := int64(a) < int64(b), a == b
	if unsigned {
		less = a < b
	}
	switch operator.text {
	case "*":
		a *= b
	case "/", "%":
		a = p.divide(operator, a, b, unsigned)
	case "+":
		a += b
	case "-":
		a -= b
	case "<<":
		return Imm{a << (b & 63), x.Unsigned}
	case ">>":
		if !x.Unsigned {
			return Imm{Value: uint64(int64(a) >> (b & 63))}
		}
		return Imm{a >> (b & 63), true}
	case "<":
		return truth(less)
	case ">":
		return truth(!less && !equal)
	case "<=":
		return truth(less || equal)
	case ">=":
		return truth(!less)
	case "==":
		return truth(equal)
	case "!=":
		return truth(!equal)
	case "&":
		a &= b
	case "^":
		a ^= b
	case "|":
		a |= b
	case "&&":
		return truth(a != 0 && b != 0)
	case "||":
		return truth(a != 0 || b != 0)
	}
	return Imm{a, unsigned}
}

func (p *parser) divide(operator lexeme, a, b uint64, unsigned bool) uint64 {
	switch {
	case b == 0:
		p.fail(operator.pos, "division by zero in a constant expression")
	case unsigned && operator.text == "/":
		return a / b
	case unsigned:
		return a % b
	case operator.text == "/":
		return uint64(int64(a) / int64(b))
	}
	return uint64(int64(a) % int64(b))
}

func (p *parser) evaluateFloats(operator lexeme, a, b float64) Operand {
	switch operator.text {
	case "*":
		a *= b
	case "/":
		if b == 0 {
			p.fail(operator.pos, "division by zero in a constant expression")
		}
		a /= b
	case "+":
		a += b
	case "-":
		a -= b
	case "<":
		return truth(a < b)
	case ">":
		return truth(a > b)
	case "<=":
		return truth(a <= b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	default:
		p.fail(operator.pos, "%s takes integers", operator.text)
	}
	return Float{math.Float64bits(a), 64}
}

// whole returns an integer, or fails.
func (p *parser) whole(pos token.Position, o Operand) Imm {
	imm, ok := o.(Imm)
	if !ok {
		p.fail(pos, "a constant expression here has integers only")
	}
	return imm
}

func truth(is bool) Imm {
	if is {
		return Imm{Value: 1}
	}
	return Imm{}
}

func negate(n Operand) Operand {
	switch n := n.(type) {
	case Float:
		n.Bits ^= 1 << (n.Size - 1)
		return n
	case Imm:
		return Imm{Value: -n.Value, Unsigned: n.Unsigned && n.Value != 1<<63}
	}
	return n
}
