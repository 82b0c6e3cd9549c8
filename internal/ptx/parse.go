package ptx

import (
	"fmt"
	"go/scanner"
	"go/token"
	"math"
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
	made   made

	calling bool // in front of the lists of a call, which have parentheses

	directive func(begin, end int) // called behind each directive of the module, unless nil, with its place
}

// A scope holds the names that a block declares, as far as the syntax depends on
// them: whether an operand is a register.
type scope struct {
	regs   map[string]bool // true for a register, false for another variable
	ranges map[string]int  // how many registers are declared as name<n>
}

// push opens a scope.
func (p *parser) push() {
	p.scopes = append(p.scopes, scope{})
	clear(p.made.registers)
}

// pop closes all scopes but n.
func (p *parser) pop(n int) {
	p.scopes = p.scopes[:n]
	clear(p.made.registers)
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
			p.depth = depth
			p.pop(scopes)
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
		if p.directive != nil {
			p.directive(before, p.last)
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

// section skips a debug section: .section name { … }. Of .debug_str it keeps the strings, which name inlined functions.
func (p *parser) section() {
	start := p.tok.pos
	p.next()
	if p.tok.kind != dotted && p.tok.kind != ident {
		p.fail(p.tok.pos, "found %v, want the name of a .section", p.tok)
	}
	strings := p.tok.text == "debug_str" || p.tok.text == ".debug_str"
	label, before := "", p.tok
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
		case strings && p.tok.is(":"):
			label = before.text
		case strings && p.tok.kind == number && label != "":
			if b, err := strconv.ParseUint(p.tok.text, 0, 8); err == nil {
				p.m.addString(label, byte(b))
			}
		}
		before = p.tok
	}
}

// addString adds a byte to the string at a label.
func (m *Module) addString(label string, b byte) {
	if m.Strings == nil {
		m.Strings = make(map[string][]byte)
	}
	m.Strings[label] = append(m.Strings[label], b)
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
	p.push()
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
	p.pop(len(p.scopes) - 1)
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
