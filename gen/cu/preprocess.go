package cu

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// A preprocessor reads the lexemes of a file and leaves those that the parser sees.
//
// It records #include and #define and expands nothing: a macro in a declaration that
// matters is an error of the parser, unless it is an integer constant. It knows the
// conditions that hold in every CUDA compiler; around code under any other condition
// it leaves marks, and the parser decides whether that matters where it stands.
type preprocessor struct {
	lexer  *lexer
	ahead  lexeme // the next token
	errors scanner.ErrorList

	lexemes  []lexeme // for the parser; the last one is tokEOF
	comments []comment
	pending  []comment // those before the next token
	includes []Include
	macros   macros
	packs    []pack

	conditionals []*conditional // the open ones, outermost first
	brackets     brackets
	packed       []bool // #pragma pack(push) and (pop)
}

// A conditional is an #if with its #elif, #else and #endif.
type conditional struct {
	pos     token.Position // of the #if
	live    bool           // the lines being read count
	decided bool           // a branch before this one is known to be taken, or the enclosing code is dead
	marked  bool           // the parser sees it
	mark    int            // index of its latest mark

	start      brackets // open at the #if
	first      brackets // opened by the first branch
	branches   int
	hasElse    bool
	kernel     bool // has __global__
	declares   bool // has a kernel, or a struct or a namespace that is not in a function
	unbalanced bool // the branches differ in what they open and close
}

// brackets counts what is open.
type brackets struct{ braces, parens, squares int }

func (b brackets) minus(c brackets) brackets {
	return brackets{b.braces - c.braces, b.parens - c.parens, b.squares - c.squares}
}

func (b brackets) plus(c brackets) brackets {
	return brackets{b.braces + c.braces, b.parens + c.parens, b.squares + c.squares}
}

func (b *brackets) count(l *lexeme) {
	if l.kind != tokPunct {
		return
	}
	switch l.text {
	case "{":
		b.braces++
	case "}":
		b.braces--
	case "(":
		b.parens++
	case ")":
		b.parens--
	case "[":
		b.squares++
	case "]":
		b.squares--
	}
}

// A pack is a change of the packing of structs by #pragma pack.
type pack struct {
	pos    token.Position
	packed bool // structs from here on are packed
}

// predefined are the macros that each CUDA compiler defines when it compiles a .cu
// file: NVIDIA CUDA Compiler Driver, Macros; NVRTC, Predefined Macros.
var predefined = map[string]bool{"__cplusplus": true, "__CUDACC__": true}

// preprocess reads src, which has the name file in positions.
func preprocess(file string, src []byte) *preprocessor {
	// Source has four to five bytes for each token, comments aside.
	p := &preprocessor{macros: make(macros), lexemes: make([]lexeme, 0, len(src)/4+1)}
	p.lexer = newLexer(file, src)
	if at := bytes.IndexByte(src, 0); at >= 0 {
		p.lexer.jump(at)
		p.errors.Add(p.lexer.position(), "file has a NUL byte: source is UTF-8 text")
		p.lexer.jump(len(src))
	}
	p.next()
	for p.ahead.kind != tokEOF {
		p.flush()
		if p.ahead.lineStart && p.ahead.is("#") {
			p.directive()
			continue
		}
		p.text(p.ahead)
		p.next()
	}
	p.flush()
	for _, c := range p.conditionals {
		p.errors.Add(c.pos, "#if without #endif")
		if c.marked {
			p.mark(c, "endif", tokCondEnd, p.ahead.pos)
		}
	}
	p.emit(p.ahead)
	return p
}

// next reads the next token, and sets aside the comments before it.
func (p *preprocessor) next() {
	for {
		p.ahead = p.lexer.scan()
		if p.ahead.kind != tokComment {
			break
		}
		p.pending = append(p.pending, comment{
			pos: p.ahead.pos, text: p.ahead.text, lineStart: p.ahead.lineStart, endLine: p.lexer.line,
		})
	}
	if p.ahead.kind == tokIllegal && p.ahead.text == openComment {
		// It reaches to the end of the file, through all conditions.
		p.errors.Add(p.ahead.pos, p.ahead.text)
		p.ahead.kind, p.ahead.lineStart = tokEOF, true
	}
}

// flush keeps the comments before the next token if they are in live code. That is only
// known when the preprocessor lines before them have been handled.
func (p *preprocessor) flush() {
	if p.live() {
		p.comments = append(p.comments, p.pending...)
	}
	p.pending = p.pending[:0]
	p.ahead.comments = len(p.comments)
}

func (p *preprocessor) live() bool {
	n := len(p.conditionals)
	return n == 0 || p.conditionals[n-1].live
}

func (p *preprocessor) emit(l lexeme) { p.lexemes = append(p.lexemes, l) }

// text handles a token outside of preprocessor lines.
func (p *preprocessor) text(l lexeme) {
	if !p.live() {
		return
	}
	if l.kind == tokIllegal {
		p.errors.Add(l.pos, l.text)
		return
	}
	if n := len(p.lexemes); l.kind == tokString && n > 1 && p.lexemes[n-2].is("_Pragma") && strings.Contains(l.text, "pack") {
		p.packs = append(p.packs, pack{l.pos, true})
	}
	p.notice(&l)
	p.brackets.count(&l)
	p.emit(l)
}

// decisive are the words that begin declarations which the parser must not miss.
var decisive = map[string]bool{"struct": true, "class": true, "union": true, "namespace": true}

// notice tells the open conditionals of a declaration in them.
func (p *preprocessor) notice(l *lexeme) {
	if len(p.conditionals) == 0 || l.kind != tokIdent && l.kind != tokString {
		return
	}
	linkage := l.kind == tokString && len(p.lexemes) > 0 && p.lexemes[len(p.lexemes)-1].is("extern")
	kernel := l.text == "__global__"
	if !linkage && !kernel && !decisive[l.text] {
		return
	}
	for i := len(p.conditionals) - 1; i >= 0; i-- {
		c := p.conditionals[i]
		if opened := p.brackets.minus(c.start); kernel || opened.braces <= 0 && opened.parens <= 0 {
			c.declares = true
			c.kernel = c.kernel || kernel
		}
	}
}

// directive reads a preprocessor line.
func (p *preprocessor) directive() {
	hash := p.ahead
	p.next()
	var line []lexeme
	for p.ahead.kind != tokEOF && !p.ahead.lineStart {
		line = append(line, p.ahead)
		p.next()
	}
	if len(line) == 0 {
		return
	}
	name, arguments := line[0], line[1:]
	switch name.text {
	case "if", "ifdef", "ifndef":
		p.open(hash, name.text, arguments)
		return
	case "elif", "elifdef", "elifndef", "else":
		p.branch(hash, name.text, arguments)
		return
	case "endif":
		p.end(hash)
		return
	}
	if !p.live() {
		return
	}
	for i := range line {
		if line[i].kind == tokIllegal && name.text != "error" && name.text != "warning" && name.text != "pragma" {
			p.errors.Add(line[i].pos, line[i].text)
			return
		}
	}
	switch name.text {
	case "include", "include_next", "import":
		p.includeHeader(hash, name.text, arguments)
	case "define":
		p.define(name, arguments)
	case "undef":
		if len(arguments) > 0 {
			p.unsettle(arguments[0].text, "undefined by a later #undef")
		}
	case "pragma":
		p.pragma(hash, arguments)
	}
}

func (p *preprocessor) includeHeader(hash lexeme, name string, arguments []lexeme) {
	if len(arguments) == 0 {
		p.errors.Add(hash.pos, "#"+name+" names no header")
		return
	}
	if arguments[0].kind != tokHeader {
		p.errors.Add(arguments[0].pos, "#"+name+" of a macro is not understood (write the header's name)")
		return
	}
	text := arguments[0].text
	p.includes = append(p.includes, Include{
		Pos: arguments[0].pos, Path: text[1 : len(text)-1], Angled: text[0] == '<',
	})
}

func (p *preprocessor) define(name lexeme, arguments []lexeme) {
	if len(arguments) == 0 || arguments[0].kind != tokIdent {
		p.errors.Add(name.pos, "#define names no macro")
		return
	}
	word := arguments[0]
	m := &macro{pos: word.pos, body: arguments[1:]}
	if len(m.body) > 0 && m.body[0].is("(") {
		// With a blank before the parenthesis the macro has no parameters.
		m.function = m.body[0].pos.Offset == word.pos.Offset+len(word.text)
	}
	for _, c := range p.conditionals {
		if c.marked {
			m.unstable = "defined under a condition"
		}
	}
	if old := p.macros[word.text]; old != nil && (old.unstable != "" || !sameText(old.body, m.body)) {
		m.unstable = "defined more than once"
		old.unstable = m.unstable
	}
	p.macros[word.text] = m
}

func sameText(a, b []lexeme) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return true
}

// unsettle notes that the macro called name does not mean the same at each use.
func (p *preprocessor) unsettle(name, why string) {
	m := p.macros[name]
	if m != nil {
		m.unstable = why
	}
}

// pragma handles #pragma. Only pack, push_macro and pop_macro change what
// declarations mean.
func (p *preprocessor) pragma(hash lexeme, arguments []lexeme) {
	if len(arguments) == 0 {
		return
	}
	switch arguments[0].text {
	case "push_macro", "pop_macro":
		if len(arguments) > 2 {
			p.unsettle(strings.Trim(arguments[2].text, `"`), "subject of #pragma "+arguments[0].text)
		}
	case "pack":
		p.pack(hash, arguments[1:])
	}
}

// pack handles #pragma pack(…): GCC manual, Structure-Layout Pragmas.
func (p *preprocessor) pack(hash lexeme, arguments []lexeme) {
	now := len(p.packs) > 0 && p.packs[len(p.packs)-1].packed
	for i := range arguments {
		switch l := &arguments[i]; {
		case l.text == "push":
			p.packed = append(p.packed, now)
		case l.text == "pop":
			if n := len(p.packed); n > 0 {
				now = p.packed[n-1]
				p.packed = p.packed[:n-1]
			}
		case l.kind == tokNumber, l.kind == tokIdent:
			now = true
		}
	}
	if len(arguments) == 2 { // pack()
		now = false
	}
	for _, c := range p.conditionals {
		if c.marked {
			now = true // perhaps
		}
	}
	p.packs = append(p.packs, pack{hash.pos, now})
}

// truth says what is known of a condition.
type truth int

const (
	unknown truth = iota
	holds
	fails
)

func (t truth) not() truth {
	switch t {
	case holds:
		return fails
	case fails:
		return holds
	}
	return unknown
}

// condition decides what it can of a condition: a number, and whether a predefined
// macro is defined.
func condition(directive string, arguments []lexeme) truth {
	if len(arguments) == 0 {
		return unknown
	}
	name := ""
	switch directive {
	case "ifdef", "ifndef", "elifdef", "elifndef":
		name = arguments[0].text
	default:
		if arguments[0].is("!") {
			return condition(directive, arguments[1:]).not()
		}
		switch {
		case len(arguments) == 1 && arguments[0].kind == tokNumber:
			value, err := parseNumber(arguments[0].text)
			switch {
			case err != nil:
				return unknown
			case value.bits == 0:
				return fails
			}
			return holds
		case len(arguments) == 2 && arguments[0].is("defined"):
			name = arguments[1].text
		case len(arguments) == 4 && arguments[0].is("defined") && arguments[1].is("(") && arguments[3].is(")"):
			name = arguments[2].text
		}
	}
	if !predefined[name] {
		return unknown
	}
	if strings.HasSuffix(directive, "ndef") {
		return fails
	}
	return holds
}

// open handles #if, #ifdef and #ifndef.
func (p *preprocessor) open(hash lexeme, directive string, arguments []lexeme) {
	c := &conditional{pos: hash.pos, start: p.brackets, decided: !p.live()}
	p.conditionals = append(p.conditionals, c)
	if len(p.conditionals) > deepestNesting {
		p.errors.Add(hash.pos, fmt.Sprintf("conditions are nested more than %d deep", deepestNesting))
		p.conditionals = nil
		p.lexer.jump(len(p.lexer.src))
		p.next()
		return
	}
	if c.decided {
		return
	}
	state := condition(directive, arguments)
	if directive == "ifndef" && p.guard(arguments) {
		state = holds
	}
	p.enter(c, hash, directive, state)
}

// guard reports whether the #ifndef with these arguments is an include guard: the
// next line defines the name, and as nothing.
func (p *preprocessor) guard(arguments []lexeme) bool {
	if len(arguments) != 1 || p.macros[arguments[0].text] != nil || !p.ahead.is("#") {
		return false
	}
	ahead := *p.lexer
	definition := [4]lexeme{}
	for i := range definition {
		definition[i] = ahead.scan()
		for definition[i].kind == tokComment {
			definition[i] = ahead.scan()
		}
	}
	return definition[0].is("define") && definition[1].is(arguments[0].text) && definition[2].lineStart
}

// enter begins a branch of c whose condition is state.
func (p *preprocessor) enter(c *conditional, hash lexeme, directive string, state truth) {
	c.live = state != fails
	c.decided = state == holds && !c.marked
	if state != unknown && !c.marked {
		return
	}
	kind := tokCondElse
	if !c.marked {
		kind = tokCondIf
	}
	p.mark(c, directive, kind, hash.pos)
	c.branches++
	c.live = true
}

// mark leaves a mark of c for the parser.
func (p *preprocessor) mark(c *conditional, directive string, kind tokenKind, pos token.Position) {
	if c.marked {
		p.lexemes[c.mark].next = len(p.lexemes)
	}
	c.marked = true
	c.mark = len(p.lexemes)
	p.emit(lexeme{kind: kind, text: directive, pos: pos, comments: len(p.comments), cond: c, lineStart: true})
}

// leave ends a branch of c: every branch has to open and close the same.
func (p *preprocessor) leave(c *conditional) {
	if !c.marked {
		return
	}
	opened := p.brackets.minus(c.start)
	if c.branches == 1 {
		c.first = opened
	} else if c.first != opened {
		c.unbalanced = true
	}
	p.brackets = c.start
}

// branch handles #elif and #else.
func (p *preprocessor) branch(hash lexeme, directive string, arguments []lexeme) {
	n := len(p.conditionals)
	if n == 0 {
		p.errors.Add(hash.pos, "#"+directive+" without #if")
		return
	}
	c := p.conditionals[n-1]
	if c.hasElse {
		p.errors.Add(hash.pos, "#"+directive+" behind #else")
	}
	if c.decided {
		c.live = false
		return
	}
	p.leave(c)
	state := holds
	if directive == "else" {
		c.hasElse = true
	} else {
		state = condition(directive, arguments)
	}
	if c.marked && state == fails {
		// The branch is empty: what it holds is never compiled, but still balanced.
		state = unknown
	}
	p.enter(c, hash, directive, state)
}

// end handles #endif.
func (p *preprocessor) end(hash lexeme) {
	n := len(p.conditionals)
	if n == 0 {
		p.errors.Add(hash.pos, "#endif without #if")
		return
	}
	c := p.conditionals[n-1]
	p.conditionals = p.conditionals[:n-1]
	if !c.marked {
		return
	}
	p.leave(c)
	if !c.hasElse && c.first != (brackets{}) {
		c.unbalanced = true
	}
	p.brackets = c.start.plus(c.first)
	p.mark(c, "endif", tokCondEnd, hash.pos)
}
