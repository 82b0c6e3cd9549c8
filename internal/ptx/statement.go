package ptx

import (
	"go/token"
)

func (p *parser) block() *Block {
	p.enter()
	defer p.leave()
	start := p.tok.pos
	p.expect("{", "before a block")
	p.push()
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
	p.pop(len(p.scopes) - 1)
	return b
}

func (p *parser) statement(b *Block) {
	switch {
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
		text, ok := p.scan.location()
		p.next()
		if !ok {
			p.fail(pos, "the arguments of .loc are not a file, a line and a column")
		}
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
	in := p.made.instruction()
	p.made.mods = p.made.mods[:0] // of one that was abandoned
	in.Pos, in.Guard, in.Op = op.pos, guard, op.text
	for p.tok.kind == dotted {
		p.made.mods = append(p.made.mods, p.tok.text)
		p.next()
	}
	in.Mods = taken(&p.made.mods)
	p.calling = in.Op == "call"
	var args [8]Operand
	list := args[:0]
	for !p.tok.is(";") {
		if len(list) > 0 && !p.accept(",") {
			p.expect(",", "or ; after an operand of "+in.Op)
		}
		list = append(list, p.operand())
	}
	p.made.args = append(p.made.args, list...)
	in.Args = taken(&p.made.args)
	in.Text = collapse(p.scan.src[start.Offset:p.last])
	p.next()
	return in
}
