package ptx

import (
	"fmt"
	"go/scanner"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a PTX module. filename is used in positions only.
//
// On success the error is nil. Otherwise the module is nil and the error is a
// go/scanner.ErrorList, sorted by position, of at most ten errors.
//
// Parse knows the syntax: it checks neither that names are declared nor that
// instructions exist. Debug sections (.section) are skipped.
func Parse(filename string, src []byte) (*Module, error) {
	p := &parser{m: &Module{}}
	p.scan = scan{file: filename, src: strings.TrimRight(string(src), "\x00"), line: 1, report: p.report}
	p.module()
	if len(p.errs) > 0 {
		p.errs.Sort()
		return nil, p.errs
	}
	return p.m, nil
}

const (
	maxErrors = 10  // after which parsing stops
	maxDepth  = 100 // nesting of blocks and of operands
)

// A parser is a recursive-descent parser: tok is the lexeme under it.
type parser struct {
	scan   scan
	tok    lexeme
	last   int // offset behind the lexeme before tok
	m      *Module
	errs   scanner.ErrorList
	scopes []scope // innermost last; the first is the module's
	depth  int
}

// A scope holds the names that a block declares, as far as the syntax depends on
// them: whether an operand is a register.
type scope struct {
	regs   map[string]bool // true for a register, false for another variable
	ranges []*Var          // registers declared as name<n>
}

// abandon is the panic that leaves a statement after an error.
type abandon struct{}

func (p *parser) report(pos token.Position, msg string) {
	if len(p.errs) < maxErrors {
		p.errs.Add(pos, msg)
	}
}

// fail reports an error and leaves the statement. What stands at a lexeme that the
// scanner has already reported is not reported twice.
func (p *parser) fail(pos token.Position, format string, args ...any) {
	if p.tok.kind != bad || len(p.errs) == 0 {
		p.report(pos, fmt.Sprintf(format, args...))
	}
	panic(abandon{})
}

func (p *parser) next() {
	p.last = p.tok.end
	p.tok = p.scan.next()
}

// expect consumes the punctuation c.
func (p *parser) expect(c, where string) {
	if !p.tok.is(c) {
		p.fail(p.tok.pos, "found %v, want %s %s", p.tok, c, where)
	}
	p.next()
}

// accept consumes the punctuation c if it is next.
func (p *parser) accept(c string) bool {
	if !p.tok.is(c) {
		return false
	}
	p.next()
	return true
}

func (p *parser) name(what string) lexeme {
	l := p.tok
	if l.kind != ident {
		p.fail(l.pos, "found %v, want %s", l, what)
	}
	p.next()
	return l
}

// enter guards against a nesting that would overflow the stack.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.pos, "nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// attempt runs f. When f abandons, attempt skips the rest of the statement.
func (p *parser) attempt(f func()) {
	depth, scopes := p.depth, len(p.scopes)
	defer func() {
		switch e := recover(); e.(type) {
		case nil:
		case abandon:
			p.depth, p.scopes = depth, p.scopes[:scopes]
			for p.tok.kind != eof && !p.tok.is(";") && !p.tok.is("}") {
				p.next()
			}
			p.accept(";")
		default:
			panic(e)
		}
	}()
	f()
}

func (p *parser) module() {
	p.scopes = []scope{{}}
	p.next()
	p.attempt(p.version)
	for p.tok.kind != eof && len(p.errs) < maxErrors {
		before := p.tok.pos.Offset
		p.attempt(p.topLevel)
		if p.tok.pos.Offset == before { // a stray closing brace
			p.next()
		}
	}
}

// version parses the directive that every module begins with.
func (p *parser) version() {
	if p.tok.kind != dotted || p.tok.text != "version" {
		p.fail(p.tok.pos, "found %v, want .version: every PTX module begins with it", p.tok)
	}
	p.next()
	major, minor, ok := strings.Cut(p.tok.text, ".")
	x, errMajor := strconv.ParseUint(major, 10, 16)
	y, errMinor := strconv.ParseUint(minor, 10, 16)
	if p.tok.kind != number || !ok || errMajor != nil || errMinor != nil {
		p.fail(p.tok.pos, "found %v, want a version such as 9.0", p.tok)
	}
	p.m.Version = Version{int(x), int(y)}
	p.next()
}

func (p *parser) topLevel() {
	if p.tok.is(";") {
		p.next()
		return
	}
	if p.tok.kind != dotted {
		p.fail(p.tok.pos, "found %v, want a directive", p.tok)
	}
	switch p.tok.text {
	case "target":
		p.next()
		for {
			p.m.Target = append(p.m.Target, p.name("a target such as sm_75").text)
			if !p.accept(",") {
				return
			}
		}
	case "address_size":
		p.next()
		p.m.AddressSize = int(p.count("an address size", 64))
	case "file":
		p.file()
	case "section":
		p.section()
	case "pragma":
		p.next()
		for !p.tok.is(";") {
			if p.tok.kind != quoted && !p.tok.is(",") {
				p.fail(p.tok.pos, "found %v in .pragma, want a string", p.tok)
			}
			if p.tok.kind == quoted {
				p.m.Pragmas = append(p.m.Pragmas, Pragma{p.tok.pos, strconv.Quote(p.tok.text)})
			}
			p.next()
		}
		p.next()
	case "alias":
		p.next()
		alias := Alias{Pos: p.tok.pos, Name: p.name("the alias").text}
		p.expect(",", "between the alias and its function")
		alias.Target = p.name("a function").text
		p.expect(";", "after .alias")
		p.m.Aliases = append(p.m.Aliases, alias)
	default:
		p.declaration()
	}
}

// file parses .file index "name" [, timestamp, size].
func (p *parser) file() {
	f := File{Pos: p.tok.pos}
	p.next()
	f.Index = int(p.count("the index of a .file", math.MaxInt32))
	if p.tok.kind != quoted {
		p.fail(p.tok.pos, "found %v, want the name of a .file in quotes", p.tok)
	}
	f.Name = p.tok.text
	p.next()
	for p.accept(",") {
		p.count("a number in .file", math.MaxInt64)
	}
	p.m.Files = append(p.m.Files, f)
}

// section skips a debug section: .section name { … }.
func (p *parser) section() {
	start := p.tok.pos
	p.next()
	if p.tok.kind != dotted && p.tok.kind != ident {
		p.fail(p.tok.pos, "found %v, want the name of a .section", p.tok)
	}
	p.next()
	if !p.tok.is("{") {
		p.fail(p.tok.pos, "found %v, want { after .section", p.tok)
	}
	for depth := 0; ; p.next() {
		switch {
		case p.tok.is("{"):
			depth++
		case p.tok.is("}"):
			if depth--; depth == 0 {
				p.next()
				return
			}
		case p.tok.kind == eof:
			p.fail(start, ".section is not closed")
		}
	}
}

// declaration parses a variable or a function, its linkage in front.
func (p *parser) declaration() {
	linkage := Local
	switch l := Linkage(p.tok.text); l {
	case Visible, Extern, Weak, Common:
		linkage = l
		p.next()
	}
	if p.tok.kind != dotted {
		p.fail(p.tok.pos, "found %v, want .entry, .func or a state space", p.tok)
	}
	switch p.tok.text {
	case "entry", "func":
		p.function(linkage)
	case "global", "const", "shared", "local", "reg", "sreg", "param", "tex":
		p.m.Vars = append(p.m.Vars, p.variables(linkage)...)
	default:
		p.fail(p.tok.pos, "unknown directive .%s", p.tok.text)
	}
}

// function parses an entry or a device function from its .entry or .func on.
func (p *parser) function(linkage Linkage) {
	f := &Func{Linkage: linkage, Entry: p.tok.text == "entry"}
	p.next()
	p.scopes = append(p.scopes, scope{})
	for p.tok.kind == dotted && p.tok.text == "attribute" {
		p.attribute()
	}
	if !f.Entry && p.tok.is("(") {
		f.Results = p.params()
	}
	name := p.name("the name of a function")
	f.Name, f.Pos = name.text, name.pos
	if p.tok.is("(") {
		f.Params = p.params()
	}
	for p.tok.kind == dotted {
		f.Attrs = append(f.Attrs, p.attr())
	}
	p.m.Funcs = append(p.m.Funcs, f)
	switch {
	case p.tok.is("{"):
		f.Body = p.block()
	case !p.accept(";"):
		p.fail(p.tok.pos, "found %v, want the body of %s or a semicolon", p.tok, f.Name)
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
}

// attr parses a performance-tuning directive, such as .maxntid 256, 1, 1.
func (p *parser) attr() Attr {
	a := Attr{Pos: p.tok.pos, Name: p.tok.text}
	p.next()
	if a.Name == "pragma" {
		for p.tok.kind == quoted || p.tok.is(",") {
			p.next()
		}
		p.expect(";", "after .pragma")
		return a
	}
	for p.tok.kind == number {
		a.Values = append(a.Values, p.count("."+a.Name, math.MaxInt32))
		if !p.accept(",") {
			break
		}
		if p.tok.kind != number {
			p.fail(p.tok.pos, "found %v in .%s, want a number", p.tok, a.Name)
		}
	}
	return a
}

// params parses (.param .u32 n, …).
func (p *parser) params() []*Var {
	p.expect("(", "before parameters")
	var params []*Var
	for !p.accept(")") {
		if len(params) > 0 {
			p.expect(",", "between parameters")
		}
		if p.tok.kind != dotted || p.tok.text != "param" && p.tok.text != "reg" {
			p.fail(p.tok.pos, "found %v, want .param", p.tok)
		}
		v := p.varType(Local)
		p.varName(v)
		params = append(params, v)
	}
	return params
}

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
	s := &p.scopes[len(p.scopes)-1]
	if v.Count > 0 {
		s.ranges = append(s.ranges, v)
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
		if base[0] == '%' {
			continue
		}
		for _, v := range s.ranges {
			if tail, ok := strings.CutPrefix(base, v.Name); ok {
				if n, err := strconv.Atoi(tail); err == nil && 0 <= n && n < v.Count {
					return true
				}
			}
		}
	}
	return base[0] == '%'
}

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

func (p *parser) block() *Block {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	p.expect("{", "before a block")
	p.scopes = append(p.scopes, scope{})
	b := &Block{}
	for !p.tok.is("}") {
		if p.tok.kind == eof && len(p.errs) == 0 {
			p.fail(start, "block is not closed")
		}
		if p.tok.kind == eof || len(p.errs) >= maxErrors {
			panic(abandon{})
		}
		p.attempt(func() { p.statement(b) })
	}
	b.End = p.tok.pos
	p.next()
	p.scopes = p.scopes[:len(p.scopes)-1]
	return b
}

func (p *parser) statement(b *Block) {
	switch {
	case p.accept(";"):
	case p.tok.is("{"):
		b.Stmts = append(b.Stmts, p.block())
	case p.tok.is("@"):
		start := p.tok.pos
		p.next()
		g := &Guard{Not: p.accept("!")}
		g.Reg = p.name("a predicate").text
		b.Stmts = append(b.Stmts, p.instruction(start, g, p.name("an instruction")))
	case p.tok.kind == dotted:
		p.bodyDirective(b, "")
	case p.tok.kind == ident:
		first := p.name("an instruction")
		if !p.accept(":") {
			b.Stmts = append(b.Stmts, p.instruction(first.pos, nil, first))
			return
		}
		if p.tok.kind == dotted && isTargets(p.tok.text) {
			p.bodyDirective(b, first.text)
			return
		}
		b.Stmts = append(b.Stmts, &Label{first.pos, first.text})
	default:
		p.fail(p.tok.pos, "found %v, want a statement", p.tok)
	}
}

// isTargets reports whether a directive takes the label in front of it as its name.
func isTargets(name string) bool {
	return name == "branchtargets" || name == "calltargets" || name == "callprototype"
}

func (p *parser) bodyDirective(b *Block, label string) {
	pos, name := p.tok.pos, p.tok.text
	switch name {
	case "reg", "sreg", "const", "global", "local", "param", "shared":
		for _, v := range p.variables(Local) {
			b.Stmts = append(b.Stmts, v)
		}
		return
	case "section":
		p.section()
		return
	case "file":
		p.file()
		return
	case "loc":
		text := p.scan.restOfLine()
		p.next()
		b.Stmts = append(b.Stmts, &Directive{Pos: pos, Name: name, Text: text})
		return
	}
	if name != "pragma" && !isTargets(name) {
		p.fail(pos, "unknown directive .%s", name)
	}
	from := p.tok.end
	for !p.tok.is(";") {
		if p.tok.kind == eof || p.tok.is("}") {
			p.fail(p.tok.pos, "found %v, want ; after .%s", p.tok, name)
		}
		p.next()
	}
	text := collapse(p.scan.src[from:p.tok.pos.Offset])
	p.next()
	b.Stmts = append(b.Stmts, &Directive{Pos: pos, Label: label, Name: name, Text: text})
}

// instruction parses from behind the opcode's first word.
func (p *parser) instruction(start token.Position, guard *Guard, op lexeme) *Instr {
	in := &Instr{Pos: op.pos, Guard: guard, Op: op.text}
	for p.tok.kind == dotted {
		in.Mods = append(in.Mods, p.tok.text)
		p.next()
	}
	for !p.tok.is(";") {
		if len(in.Args) > 0 {
			p.expect(",", "or ; after an operand of "+in.Op)
		}
		in.Args = append(in.Args, p.operand())
	}
	in.Text = collapse(p.scan.src[start.Offset:p.last])
	p.next()
	return in
}

func (p *parser) operand() Operand {
	p.enter()
	defer p.leave()
	switch {
	case p.accept("{"):
		return Vector{p.operands("}")}
	case p.accept("("):
		return List{p.operands(")")}
	case p.accept("["):
		return p.address()
	case p.accept("!"):
		pos := p.tok.pos
		reg, ok := p.named().(Reg)
		if !ok {
			p.fail(pos, "only a predicate register can be negated with !")
		}
		return Not{reg}
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
	if p.isReg(name) {
		return Reg{name}
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
	if p.accept(",") {
		return Address{Base: List{append([]Operand{a.Base}, p.operands("]")...)}}
	}
	p.expect("]", "after an address")
	return a
}

// offset parses +n, +-n or -n; without any of these it is 0.
func (p *parser) offset() int64 {
	negative := p.tok.is("-")
	if !negative && !p.tok.is("+") {
		return 0
	}
	p.next()
	pos := p.tok.pos
	imm, ok := p.constant().(Imm)
	if !ok {
		p.fail(pos, "an offset is an integer")
	}
	if negative {
		return -int64(imm.Value)
	}
	return int64(imm.Value)
}

// constant parses a number with its sign.
func (p *parser) constant() Operand {
	switch {
	case p.accept("-"):
		return negate(p.literal())
	case p.accept("+"):
		return p.literal()
	case p.accept("~"):
		pos := p.tok.pos
		imm, ok := p.literal().(Imm)
		if !ok {
			p.fail(pos, "~ takes an integer")
		}
		return Imm{^imm.Value, imm.Unsigned}
	}
	return p.literal()
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
