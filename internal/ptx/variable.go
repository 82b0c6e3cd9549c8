package ptx

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// variables parses a declaration of one or more variables and its semicolon.
func (p *parser) variables(linkage Linkage) []*Var {
	common := p.varType(linkage)
	var vars []*Var
	for {
		v := *common
		p.varName(&v)
		if p.accept("=") {
			v.Init = p.initializer()
		}
		vars = append(vars, &v)
		if p.accept(";") {
			return vars
		}
		p.expect(",", "or ; after the variable "+v.Name)
	}
}

// varType parses what stands before the name: the space, the alignment, the type.
func (p *parser) varType(linkage Linkage) *Var {
	v := &Var{Space: p.tok.text, Linkage: linkage}
	p.next()
	for p.tok.kind == dotted {
		pos, word := p.tok.pos, p.tok.text
		switch word {
		case "align":
			p.next()
			v.Align = p.alignment()
		case "v2", "v4", "v8":
			p.next()
			v.Vector = int(word[1] - '0')
		case "attribute":
			v.Attributes = append(v.Attributes, p.attribute()...)
		case "ptr":
			p.next()
			v.Ptr = p.ptr()
		default:
			if t := Type(word); v.Type != "" || t.Size() == 0 && t != "pred" {
				p.fail(pos, "unknown type .%s", word)
			}
			p.next()
			v.Type = Type(word)
		}
	}
	if v.Type == "" {
		p.fail(p.tok.pos, "found %v, want a type", p.tok)
	}
	return v
}

func (p *parser) alignment() int {
	pos := p.tok.pos
	n := p.count("an alignment", 1<<20)
	if n <= 0 || n&(n-1) != 0 {
		p.fail(pos, "alignment %d is not a power of two", n)
	}
	return int(n)
}

// ptr parses what follows .ptr: a state space and an alignment, both optional.
func (p *parser) ptr() *Ptr {
	ptr := &Ptr{}
	if p.tok.kind == dotted && slices.Contains([]string{"const", "global", "local", "shared"}, p.tok.text) {
		ptr.Space = p.tok.text
		p.next()
	}
	if p.tok.kind == dotted && p.tok.text == "align" {
		p.next()
		ptr.Align = p.alignment()
	}
	return ptr
}

// attribute parses .attribute(.managed, .unified(1, 2)) and returns the names.
func (p *parser) attribute() []string {
	p.next()
	p.expect("(", "after .attribute")
	var names []string
	for !p.accept(")") {
		switch {
		case p.tok.kind == dotted:
			names = append(names, p.tok.text)
			p.next()
			if p.accept("(") {
				for p.tok.kind == number || p.tok.is(",") {
					p.next()
				}
				p.expect(")", "in .attribute")
			}
		case !p.accept(","):
			p.fail(p.tok.pos, "found %v in .attribute", p.tok)
		}
	}
	return names
}

// varName parses name, name<n> or name[n]… and declares it.
func (p *parser) varName(v *Var) {
	name := p.name("the name of a variable")
	v.Name, v.Pos = name.text, name.pos
	if p.accept("<") {
		pos := p.tok.pos
		v.Count = int(p.count("a number of registers", math.MaxInt32))
		if v.Count == 0 {
			p.fail(pos, "%s<0> declares no register", v.Name)
		}
		p.expect(">", "after a number of registers")
	}
	for p.accept("[") {
		n := int64(-1)
		if p.tok.kind == number {
			n = p.count("an array dimension", math.MaxInt64)
		}
		p.expect("]", "after an array dimension")
		v.Dims = append(v.Dims, n)
	}
	p.declare(v)
}

func (p *parser) declare(v *Var) {
	clear(p.made.registers)
	s := &p.scopes[len(p.scopes)-1]
	if v.Count > 0 {
		if s.ranges == nil {
			s.ranges = make(map[string]int)
		}
		s.ranges[v.Name] = max(s.ranges[v.Name], v.Count)
		return
	}
	if s.regs == nil {
		s.regs = make(map[string]bool)
	}
	s.regs[v.Name] = v.Space == "reg" || v.Space == "sreg"
}

// isReg reports whether name is a register here. One that begins with % is, unless
// it was declared as something else.
func (p *parser) isReg(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	for _, s := range slices.Backward(p.scopes) {
		if reg, ok := s.regs[base]; ok {
			return reg
		}
		if base[0] != '%' && s.inRange(base) {
			return true
		}
	}
	return base[0] == '%'
}

// inRange reports whether name is one of registers that are declared together.
func (s *scope) inRange(name string) bool {
	for tail := len(name) - 1; tail > 0 && len(name)-tail <= maxDigits && name[tail] >= '0' && name[tail] <= '9'; tail-- {
		if n, err := strconv.Atoi(name[tail:]); err == nil && n < s.ranges[name[:tail]] {
			return true
		}
	}
	return false
}

// maxDigits is how many digits the number of a register in a range has at most.
const maxDigits = 10

// initializer parses a value, or values in braces, which may nest.
func (p *parser) initializer() []Operand {
	if p.accept("{") {
		return p.initElems()
	}
	return []Operand{p.initValue()}
}

func (p *parser) initElems() []Operand {
	p.enter()
	defer p.leave()
	var elems []Operand
	for !p.accept("}") {
		if len(elems) > 0 {
			p.expect(",", "between initial values")
		}
		if p.accept("{") {
			elems = append(elems, Vector{p.initElems()})
		} else {
			elems = append(elems, p.initValue())
		}
	}
	return elems
}

// initValue parses a number, a symbol with an offset, generic(symbol) with an
// offset, or mask(symbol).
func (p *parser) initValue() Operand {
	if p.tok.kind != ident {
		pos := p.tok.pos
		value := p.constant()
		if !p.accept("(") {
			return value
		}
		mask, ok := value.(Imm)
		if !ok {
			p.fail(pos, "the mask of a symbol is an integer")
		}
		inner := p.initValue()
		p.expect(")", "after a masked symbol")
		return Mask{mask.Value, inner}
	}
	name := p.name("a symbol").text
	if name == "generic" && p.accept("(") {
		s := Symbol{Name: p.name("a symbol").text}
		p.expect(")", "after generic")
		s.Offset = p.offset()
		return Generic{s}
	}
	return Symbol{name, p.offset()}
}
