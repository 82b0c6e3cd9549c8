package cu

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A parser reads the declarations of a file.
//
// Each declaration is read twice: first its end is found, whatever it is, then what is
// understood of it is taken. So one that is not understood does not hide the next.
type parser struct {
	cursor
	comments []comment
	macros   macros
	packs    []pack
	errors   scanner.ErrorList
	file     *File

	scope   *scope
	kernels map[string][]*Kernel // by qualified name
	linkage int                  // enclosing extern "C" blocks
	open    []*conditional       // enclosing conditions, of which it is not known whether they hold
	nesting int

	// expansions limits the work on macros: it is what is left of a number of steps in
	// proportion to the length of the file.
	expansions int

	broken bool // brackets do not match: what follows is not worth an error
}

// deepestNesting limits what nests: namespaces, structs, expressions.
const deepestNesting = 200

func newParser(filename string, pre *preprocessor) *parser {
	n := len(pre.lexemes) - 1
	p := &parser{
		cursor:   cursor{lexemes: pre.lexemes[:n], end: pre.lexemes[n]},
		comments: pre.comments,
		macros:   pre.macros,
		packs:    pre.packs,
		errors:   pre.errors,
		file:     &File{Name: filename, Includes: pre.includes, Constants: make(map[string]int64)},
		scope:    newScope("", nil),
		kernels:  make(map[string][]*Kernel),
		broken:   len(pre.errors) > 0,

		expansions: 1<<16 + 8*len(pre.lexer.src),
	}
	return p
}

func (p *parser) errorf(pos token.Position, format string, arguments ...any) {
	p.errors.Add(pos, fmt.Sprintf(format, arguments...))
}

// parse reads the whole file.
func (p *parser) parse() {
	for p.more() {
		p.declarations()
		if p.more() { // a } that closes nothing
			if !p.broken {
				p.errorf(p.peek().pos, "unexpected } (no { is open here)")
				p.broken = true
			}
			p.next()
		}
	}
	p.macroConstants()
	p.kernelList()
	for i := range p.comments {
		if d, ok := p.comments[i].directive(); ok && !p.comments[i].claimed {
			p.file.Directives = append(p.file.Directives, d)
		}
	}
}

// kernelList puts the kernels and their errors in order.
func (p *parser) kernelList() {
	slices.SortStableFunc(p.file.Kernels, func(a, b *Kernel) int { return a.Pos.Offset - b.Pos.Offset })
	for _, k := range p.file.Kernels {
		k.Errors = sorted(k.Errors)
	}
}

// macroConstants adds the macros that are constant expressions to the constants.
func (p *parser) macroConstants() {
	for name, m := range p.macros {
		if m.function || m.unstable != "" || len(m.body) == 0 {
			continue
		}
		// Names in the body mean what they mean at the end of the file.
		use := lexeme{kind: tokIdent, text: name, pos: p.end.pos}
		use.pos.Offset++
		v, failure := p.evaluate([]lexeme{use}, use.pos, p.scope)
		if n, ok := v.int64(); failure == nil && ok {
			if _, taken := p.file.Constants[name]; !taken {
				p.file.Constants[name] = n
			}
		}
	}
}

// declarations reads up to the } that closes the enclosing brace, or to the end.
func (p *parser) declarations() {
	conditions := len(p.open)
	for p.more() {
		l := p.peek()
		switch {
		case l.kind == tokCondIf:
			p.condition(l)
		case l.kind == tokCondElse:
			p.next()
		case l.kind == tokCondEnd:
			if n := len(p.open); n > conditions && p.open[n-1] == l.cond {
				p.open = p.open[:n-1]
			}
			p.next()
		case l.is("}"):
			if len(p.open) != conditions && !p.broken {
				p.conditionError(p.open[len(p.open)-1])
			}
			return
		case l.is(";"):
			p.next()
		default:
			p.declaration()
		}
	}
}

// condition reads the mark of an #if between declarations.
func (p *parser) condition(l *lexeme) {
	if c := l.cond; c.declares || c.unbalanced || c.first != (brackets{}) {
		p.conditionError(c)
		for p.more() && p.peek().kind != tokCondEnd {
			p.i = max(p.peek().next, p.i+1)
		}
		p.next()
		return
	}
	p.open = append(p.open, l.cond)
	p.next()
}

func (p *parser) conditionError(c *conditional) {
	p.errorf(c.pos, "conditional compilation around declarations is not understood (move the #if into a function, or write the declarations out)")
	p.broken = true
}

// declaration reads one declaration. It always steps forward.
func (p *parser) declaration() {
	begin := p.i
	switch l := p.peek(); {
	case l.is("namespace"), l.is("inline") && p.ahead(1).is("namespace"):
		if p.namespace() {
			return
		}
	case l.is("extern") && p.ahead(1).kind == tokString && p.ahead(2).is("{"):
		p.linkageBlock()
		return
	}
	if m := p.macros.at(p.peek()); m != nil && m.declares() && p.macros.hidden(p.peek()) == "" && p.ahead(1).is("(") {
		p.next()
		if _, ok := p.group(); ok {
			return
		}
		p.i = begin
	}
	p.i = begin
	header := p.header()
	p.i = begin
	broken := len(p.errors)
	p.skipDeclaration(header.kernel)
	end := max(p.i, begin+1)
	p.i = begin
	switch {
	case header.instantiation:
	case len(p.errors) > broken && !header.kernel:
		// Its brackets are not what they should be: nothing in it is certain.
	case header.hidden != nil:
		p.errorf(header.hidden.pos, "macro %s stands for a declaration with %s, and macros are not expanded (write it out)",
			header.hidden.text, p.macros.hidden(header.hidden))
	case header.kernel:
		p.kernel(begin, end, header)
	case header.record >= 0 && !header.template:
		p.records(begin, end, header)
	default:
		p.note(begin, end, header)
	}
	p.i = end
}

// namespace reads namespace a::b { … }. It returns false for a namespace alias.
func (p *parser) namespace() bool {
	inline := p.accept("inline")
	p.next()
	p.attributes(&p.cursor)
	type part struct {
		name        string
		transparent bool
	}
	var parts []part
	for p.peek().kind == tokIdent || p.peek().is("::") {
		if p.accept("::") {
			continue
		}
		nestedInline := p.accept("inline")
		if p.peek().kind == tokIdent {
			parts = append(parts, part{p.next().text, nestedInline})
		}
	}
	p.attributes(&p.cursor)
	if !p.peek().is("{") {
		return false
	}
	if len(parts) == 0 {
		parts = []part{{ctype.AnonymousNamespace, true}}
	}
	parts[len(parts)-1].transparent = parts[len(parts)-1].transparent || inline
	outer := p.scope
	for _, part := range parts {
		parent := p.scope
		_, known := parent.children[part.name]
		p.scope = parent.child(part.name)
		if part.transparent && !known {
			p.scope.transparent = true
			parent.order = append(parent.order, p.scope)
		}
	}
	p.block()
	p.scope = outer
	return true
}

// linkageBlock reads extern "C" { … }.
func (p *parser) linkageBlock() {
	p.next()
	before := p.linkage
	if p.next().text == `"C"` {
		p.linkage++
	} else {
		p.linkage = 0
	}
	p.block()
	p.linkage = before
}

// block reads declarations between braces.
func (p *parser) block() {
	brace := p.next()
	if p.nesting++; p.nesting > deepestNesting {
		p.errorf(brace.pos, "declarations are nested more than %d deep", deepestNesting)
		p.broken = true
		p.i = len(p.lexemes)
		return
	}
	p.declarations()
	p.nesting--
	if !p.accept("}") && !p.broken {
		p.errorf(brace.pos, "{ is not closed")
		p.broken = true
	}
}

// A header is what the beginning of a declaration, up to its body or initializer,
// shows of its kind.
type header struct {
	template bool
	// instantiation is set for an explicit one: template void f<int>(int); defines nothing.
	instantiation bool
	kernel        bool // has __global__
	record        int  // index of struct, class or union in the lexemes; -1 when there is none
	enum          int  // index of enum; -1 when there is none
	typedef       bool
	hidden        *lexeme // a macro that stands for a declaration
}

// header looks at the declaration that begins at the cursor.
func (p *parser) header() header {
	h := header{record: -1, enum: -1}
	for p.peek().is("template") {
		p.next()
		h.template = true
		if !p.peek().is("<") {
			h.instantiation = true
			break
		}
		p.angles()
	}
	for p.more() {
		l := p.peek()
		switch {
		case l.is("("), l.is("["):
			if _, ok := p.group(); !ok {
				return h
			}
			continue
		case l.is(";"), l.is("{"), l.is("}"), l.is("="), l.kind >= tokCondIf:
			return h
		case l.is("__global__"):
			h.kernel = true
		case l.is("struct"), l.is("class"), l.is("union"):
			if h.record < 0 && h.enum < 0 {
				h.record = p.i
			}
		case l.is("enum"):
			if h.enum < 0 {
				h.enum = p.i
			}
		case l.is("typedef"):
			h.typedef = true
		case h.hidden == nil && p.macros.hidden(l) != "":
			h.hidden = l
		}
		p.next()
	}
	return h
}
