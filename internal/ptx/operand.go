package ptx

import (
	"math"
	"strconv"
	"strings"
)

func (p *parser) operand() Operand {
	p.enter()
	defer p.leave()
	switch {
	case p.accept("{"):
		return Vector{p.operands("}")}
	case p.calling && p.accept("("):
		p.calling = false // in the list parentheses are of expressions
		list := List{p.operands(")")}
		p.calling = true
		return list
	case p.accept("["):
		return p.address()
	case p.accept("!"):
		pos := p.tok.pos
		if p.tok.kind != ident {
			return p.climb(truth(p.whole(pos, p.unary()).Value == 0), 0)
		}
		reg, ok := p.named().(Reg)
		if !ok {
			p.fail(pos, "only a predicate register can be negated with !")
		}
		return Not{reg}
	case p.accept("-"):
		if p.tok.kind != ident {
			return p.climb(negate(p.unary()), 0)
		}
		pos := p.tok.pos
		reg, ok := p.named().(Reg)
		if !ok {
			p.fail(pos, "only a register can be negated with -")
		}
		return Neg{reg}
	case p.tok.kind != ident:
		return p.constant()
	}
	first := p.named()
	if p.accept("|") {
		return Pair{first, p.named()}
	}
	return first
}

// operands parses operands up to the closing bracket.
func (p *parser) operands(closing string) []Operand {
	var list []Operand
	for !p.accept(closing) {
		if len(list) > 0 {
			p.expect(",", "or "+closing+" between operands")
		}
		list = append(list, p.operand())
	}
	return list
}

// named parses a register or a symbol with an offset.
func (p *parser) named() Operand {
	name := p.name("an operand").text
	for p.tok.kind == dotted { // %tid.x
		name += "." + p.tok.text
		p.next()
	}
	if reg, ok := p.made.registers[name]; ok {
		return reg
	}
	if p.isReg(name) {
		return p.made.register(name)
	}
	return Symbol{name, p.offset()}
}

// address parses from behind the opening bracket.
func (p *parser) address() Operand {
	var a Address
	switch {
	case p.tok.kind == ident:
		a.Base = p.named()
		switch base := a.Base.(type) {
		case Reg:
			a.Offset = p.offset()
		case Symbol:
			a.Base, a.Offset = Symbol{Name: base.Name}, base.Offset
		}
	default:
		pos := p.tok.pos
		imm, ok := p.constant().(Imm)
		if !ok {
			p.fail(pos, "an address is an integer")
		}
		a.Offset = int64(imm.Value)
	}
	if pos := p.tok.pos; p.accept(",") {
		if a.Offset != 0 {
			p.fail(pos, "an address with coordinates has no offset")
		}
		return Address{Base: List{append([]Operand{a.Base}, p.operands("]")...)}}
	}
	p.expect("]", "after an address")
	return a
}

// offset parses + and a constant expression, or -n; without either it is 0.
func (p *parser) offset() int64 {
	negative := p.tok.is("-")
	if !negative && !p.tok.is("+") {
		return 0
	}
	p.next()
	pos := p.tok.pos
	var value Operand
	if negative {
		value = negate(p.unary())
	} else {
		value = p.constant()
	}
	imm, ok := value.(Imm)
	if !ok {
		p.fail(pos, "an offset is an integer")
	}
	return int64(imm.Value)
}

// literal parses a number without a sign.
//
// PTX ISA, Syntax, Constants.
func (p *parser) literal() Operand {
	if p.tok.kind != number {
		p.fail(p.tok.pos, "found %v, want an operand", p.tok)
	}
	n, ok := parseNumber(p.tok.text)
	if !ok {
		p.fail(p.tok.pos, "%s is not a number that 64 bits can hold", p.tok.text)
	}
	p.next()
	return n
}

func parseNumber(text string) (Operand, bool) {
	if len(text) > 2 && text[0] == '0' {
		switch text[1] {
		case 'f', 'F':
			bits, err := strconv.ParseUint(text[2:], 16, 32)
			return Float{bits, 32}, err == nil && len(text) == 10
		case 'd', 'D':
			bits, err := strconv.ParseUint(text[2:], 16, 64)
			return Float{bits, 64}, err == nil && len(text) == 18
		}
	}
	digits := strings.TrimSuffix(text, "U")
	base, prefixed := 10, digits
	if len(digits) > 1 && digits[0] == '0' {
		switch c := digits[1]; {
		case c == 'x' || c == 'X':
			base, prefixed = 16, digits[2:]
		case c == 'b' || c == 'B':
			base, prefixed = 2, digits[2:]
		case isDigit(c) && !strings.ContainsAny(digits, ".eE"):
			base, prefixed = 8, digits[1:]
		}
	}
	if value, err := strconv.ParseUint(prefixed, base, 64); err == nil {
		return Imm{value, digits != text || value > math.MaxInt64}, true
	}
	if base != 10 || digits != text || !strings.ContainsAny(text, ".eE") {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return Float{math.Float64bits(f), 64}, err == nil
}

// count parses a non-negative integer of at most limit.
func (p *parser) count(what string, limit int64) int64 {
	pos := p.tok.pos
	imm, ok := p.literal().(Imm)
	if !ok || imm.Value > uint64(limit) {
		p.fail(pos, "%s is an integer from 0 to %d", what, limit)
	}
	return int64(imm.Value)
}
