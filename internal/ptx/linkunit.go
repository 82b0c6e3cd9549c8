package ptx

import (
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A linkUnit is a Unit, cut into its directives.
type linkUnit struct {
	name     string
	index    int
	text     string
	module   *Module
	items    []*item
	locals   map[string]*symbol // names without linkage
	declares map[string]bool    // names with linkage
	words    map[string]bool    // all identifiers
}

// An item is a directive of a unit's module.
type item struct {
	unit       *linkUnit
	begin, end int
	kind       string // the directive's name: visible, func, global, file …
	fn         *Func
	vars       []*Var
	file       *File
	left       bool // left out: a kernel of a unit with NoEntries

	decls []*declaration // of fn and vars, made once
	lexed []word
}

// A word is an identifier in an item.
type word struct {
	text       string
	begin, end int
	opcode     bool
}

// newLinker parses units.
func newLinker(units []Unit) (*linker, error) {
	l := &linker{}
	for i, unit := range units {
		u, err := l.cut(unit)
		if err != nil {
			return nil, err
		}
		u.index = i
		l.units = append(l.units, u)
	}
	return l, nil
}

// cut cuts a unit into its directives.
func (l *linker) cut(unit Unit) (*linkUnit, error) {
	u := &linkUnit{
		name: unit.Name, text: strings.TrimRight(string(unit.Text), "\x00"), module: &Module{},
		locals: make(map[string]*symbol), declares: make(map[string]bool), words: make(map[string]bool),
	}
	p := &parser{m: u.module}
	p.scan = scan{file: unit.Name, src: u.text, line: 1, report: p.report}
	funcs, vars, files := 0, 0, 0
	p.directive = func(begin, end int) {
		it := &item{unit: u, begin: begin, end: end, kind: directiveName(u.text[begin:end])}
		if len(u.module.Funcs) > funcs {
			it.fn = u.module.Funcs[funcs]
			it.left = unit.NoEntries && it.fn.Entry
		}
		it.vars = u.module.Vars[vars:]
		if len(u.module.Files) > files {
			it.file = &u.module.Files[files]
		}
		funcs, vars, files = len(u.module.Funcs), len(u.module.Vars), len(u.module.Files)
		u.items = append(u.items, it)
	}
	p.module()
	if len(p.errs) > 0 {
		p.errs.Sort()
		return nil, p.errs
	}
	for _, it := range u.items {
		for _, d := range it.declarations() {
			if d.linkage() != Local {
				u.declares[d.name()] = true
			}
		}
		for _, w := range it.words() {
			u.words[w.text] = true
		}
	}
	return u, nil
}

// directiveName returns the name that text begins with: visible for .visible .func.
func directiveName(text string) string {
	s := scan{src: text, line: 1, report: func(token.Position, string) {}}
	return s.next().text
}

// declarations returns those of it.
func (it *item) declarations() []*declaration {
	if it.decls == nil {
		if it.fn != nil {
			it.decls = append(it.decls, &declaration{item: it, fn: it.fn})
		}
		for _, v := range it.vars {
			it.decls = append(it.decls, &declaration{item: it, v: v})
		}
	}
	return it.decls
}

// words returns the identifiers in a function or variable, in order. Those of .loc, which names
// lines and labels, are not among them.
func (it *item) words() []word {
	if it.lexed != nil || it.fn == nil && len(it.vars) == 0 {
		return it.lexed
	}
	opcodes := make(map[int]bool)
	if it.fn != nil && it.fn.Body != nil {
		opcodesIn(it.fn.Body, opcodes)
	}
	it.lexed = []word{}
	s := scan{src: it.unit.text[:it.end], off: it.begin, report: func(token.Position, string) {}}
	for l := s.next(); l.kind != eof; l = s.next() {
		switch {
		case l.kind == dotted && l.text == "loc":
			s.location()
		case l.kind == ident:
			begin := l.pos.Offset
			it.lexed = append(it.lexed, word{text: l.text, begin: begin, end: l.end, opcode: opcodes[begin]})
		}
	}
	return it.lexed
}

// opcodesIn collects the offsets of the opcodes of a block.
func opcodesIn(b *Block, offsets map[int]bool) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *Instr:
			offsets[stmt.Pos.Offset] = true
		case *Block:
			opcodesIn(stmt, offsets)
		}
	}
}

// location matches the arguments of a .loc: file, line, column.
var location = regexp.MustCompile(`^\s*(\d+)\s+(\d+)\s+(\d+)`)

// sourceOf returns the place in the source of what stands at offset in an item: that of the last
// .loc before it that names a line.
//
// PTX ISA, Debugging Directives: .loc.
func (u *linkUnit) sourceOf(it *item, offset int) (pos token.Position) {
	u.lines(u.text[:offset], it.begin, func(at token.Position) bool { pos = at; return true })
	return pos
}

// firstLine returns the first place in the source that an item names.
func (u *linkUnit) firstLine(it *item) (pos token.Position) {
	u.lines(u.text[:it.end], it.begin, func(at token.Position) bool { pos = at; return false })
	return pos
}

// lines calls found for each .loc of text, from begin on, that names a line, until that returns
// false.
func (u *linkUnit) lines(text string, begin int, found func(token.Position) bool) {
	s := scan{src: text, off: begin, report: func(token.Position, string) {}}
	for l := s.next(); l.kind != eof; l = s.next() {
		if l.kind != dotted || l.text != "loc" {
			continue
		}
		text, _ := s.location()
		m := location.FindStringSubmatch(text)
		if m == nil || m[2] == "0" {
			continue
		}
		index, _ := strconv.Atoi(m[1])
		i := slices.IndexFunc(u.module.Files, func(f File) bool { return f.Index == index })
		if i < 0 {
			continue
		}
		pos := token.Position{Filename: u.module.Files[i].Name}
		pos.Line, _ = strconv.Atoi(m[2])
		pos.Column, _ = strconv.Atoi(m[3])
		if !found(pos) {
			return
		}
	}
}

func sortedNames(symbols map[string]*symbol) []string { return slices.Sorted(maps.Keys(symbols)) }
