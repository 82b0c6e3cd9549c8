package cu

import (
	"fmt"
	"go/scanner"
	"path/filepath"
	"strconv"
	"strings"
)

// A preprocessor reads the lexemes of a file and of those that it includes, and leaves
// those that the parser sees: C++ standard, [cpp].
type preprocessor struct {
	config   *Config
	errors   scanner.ErrorList // what is wrong with the text as a whole
	failed   scanner.ErrorList // the #error lines that were reached
	warnings scanner.ErrorList // those of them that missing headers may explain
	macros   map[string]*macro

	// The file being read.
	file         *source
	lexer        *lexer
	ahead        lexeme    // the next token
	current      *contents // of the file; nil for the main file
	directory    string    // of the file
	home         string    // the directory of the main file
	searched     int       // index behind the -I folder that the file was found in, for #include_next
	pending      []comment
	conditionals []*conditional // open in this file, outermost first
	guard        guard

	// The use of macros being replaced.
	contexts    []context
	stack       []lexeme   // arguments of the macros being replaced, as they stand and replaced
	lists       [][]lexeme // empty ones, to be used again for what a macro stands for
	floor       int        // contexts below do not belong to the list being expanded
	isolated    bool       // a list is being expanded by itself
	conditional bool       // the list is a condition
	collecting  int        // arguments of a macro are being read
	nesting     int
	counter     int
	exhausted   bool
	budget      int // tokens that macros may still make

	emitted                 tape      // what the lexemes are made of
	lexemes                 []lexeme  // for the parser; the last one is the end of the file
	comments                []comment // in code that counts, of all files
	includes                []Include // of the main file
	missing                 []Include // those that were not found, standard ones aside
	absent                  map[string]bool
	packs                   []pack // in the order of their beginnings
	packed                  []pack // #pragma pack(push) and (pop)
	pushed                  map[string][]*macro
	defined                 []string // names of macros in the order of their definition
	cache                   map[string]*contents
	headers                 map[[2]string]header  // by folder and name
	reading                 map[string]int        // how often a file is being read
	found                   map[string]bool       // paths of the files that are included
	bytes                   int                   // read so far
	included, includedBytes int                   // files and bytes that includes have read
	stop                    bool                  // an error after which nothing makes sense
	doubts                  int                   // enclosing conditions that could not be evaluated
	unknown                 []string              // names that the condition being evaluated lacks
	unsettled               []unsettled           // in the order of their beginnings
	inside                  int32                 // the innermost open one, counted from 1
	depends                 map[string]Assumption // by macro: File.Environment
	arch                    bool                  // __CUDA_ARCH__ is used
	undone                  map[string]bool       // macros of files that were undefined
	unread                  int                   // headers that were not found
}

// contents is a file that was read.
type contents struct {
	text  *text
	once  bool   // #pragma once
	guard string // the macro whose #ifndef encloses the file, "" when there is none
	err   error
}

// A guard tells whether an include guard encloses a file.
type guard struct {
	macro   string       // of an #ifndef that nothing stands before
	open    *conditional // that #ifndef
	closed  bool         // nothing has come behind its #endif
	spoiled bool
	testing bool // the condition of open is being evaluated
}

// A conditional is an #if with its #elif, #else and #endif.
type conditional struct {
	at       lexeme // the # of the #if
	live     bool   // the lines being read count
	decided  bool   // a branch before this one is taken, or the enclosing code is dead
	hasElse  bool
	doubtful bool // what it depends on is not known

	passed    bool  // a branch of it is left out
	unsettled int32 // index from 1, 0 when its outcome is certain
}

// A pack is the packing of structs from a token on, by #pragma pack.
type pack struct {
	index int // of the first lexeme
	align int64
	label string // of a push
}

const (
	deepestInclude = 200
	// A file may include itself, to repeat its text with other macros, but nobody does
	// so this often.
	deepestCycle = 16
	// Files and bytes that includes may read together: what is more goes round in
	// circles.
	mostIncludes      = 1 << 16
	mostIncludedBytes = 1 << 26
)

// preprocess reads src, the text of the main file, which is called name.
func preprocess(config *Config, name, src string) *preprocessor {
	p := &preprocessor{
		config: config, macros: make(map[string]*macro), absent: make(map[string]bool),
		cache: make(map[string]*contents), headers: make(map[[2]string]header), reading: make(map[string]int), found: make(map[string]bool), undone: make(map[string]bool), depends: make(map[string]Assumption), pushed: make(map[string][]*macro),
	}
	p.builtin()
	p.budget = 1 << 16
	p.run(newSource(built, predefined(config)))
	p.run(newSource(commands, commandLine(config)))
	p.comments = p.comments[:0]
	p.defined = p.defined[:0]
	p.budget = 1 << 20
	p.directory = filepath.Dir(name)
	p.home = p.directory
	p.depends, p.arch = make(map[string]Assumption), false
	main := newSource(name, src)
	main.main = true
	end := p.run(main)
	for len(p.contexts) > 0 {
		p.pop()
	}
	p.emitted.add(&end)
	p.lexemes = p.emitted.list()
	if len(p.missing) > 0 {
		// What a missing header defines may have selected another branch.
		p.warnings = p.failed
	} else {
		p.errors = append(p.errors, p.failed...)
	}
	return p
}

// errorf reports an error at l.
func (p *preprocessor) errorf(l *lexeme, format string, arguments ...any) {
	p.errors.Add(l.pos(), l.explain(fmt.Sprintf(format, arguments...)))
}

// run reads one file. It returns the end of it.
func (p *preprocessor) run(file *source) lexeme {
	src := file.text.src
	p.file, p.lexer = file, newLexer(file)
	p.conditionals, p.guard, p.pending = nil, guard{}, nil
	p.bytes += len(src)
	p.budget += 4 * len(src)
	if at := strings.IndexByte(src, 0); at >= 0 {
		if strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff") {
			p.errorf(&lexeme{at: p.lexer.place()}, "file is UTF-16 text: save it as UTF-8")
		} else {
			p.lexer.offset = at
			p.errorf(&lexeme{at: p.lexer.place()}, "file has a NUL byte: source is UTF-8 text")
		}
		p.lexer.offset = len(src)
	}
	p.next()
	for l := p.expanded(); l.kind != tokEOF && !p.stop; l = p.expanded() {
		p.emit(l)
	}
	if !p.stop {
		for _, c := range p.conditionals {
			p.errorf(&c.at, "#if without #endif")
		}
	}
	p.unguarded()
	return p.ahead
}

// emit hands a token to the parser.
func (p *preprocessor) emit(l lexeme) {
	if l.kind == tokIllegal {
		p.errors.Add(l.pos(), l.explain(l.text))
		return
	}
	if l.kind == tokPainted {
		l.kind = tokIdent
	}
	if l.kind == tokIdent && l.text == "_Pragma" && p.opens() {
		p.raw()
		text := p.expanded() // often made by a macro: _Pragma(TEXT(unroll 4))
		p.raw()
		p.destringized(&text)
		return
	}
	l.doubtful = l.doubtful || p.doubts > 0
	if l.kind == tokPunct && l.text == ">>" {
		// It may close two lists of template arguments: C++ standard, [temp.names].
		l.text = ">"
		p.emitted.add(&l)
		l.blank, l.lineStart = false, false
		l.at.offset++
	}
	p.emitted.add(&l)
}

// next reads the next token of the file, and sets aside the comments before it.
func (p *preprocessor) next() {
	for {
		p.ahead = p.lexer.scan()
		p.ahead.at.unsettled = p.inside
		if p.ahead.kind != tokComment {
			break
		}
		p.pending = append(p.pending, comment{
			at: p.ahead.at, text: p.ahead.text, lineStart: p.ahead.lineStart, end: int32(p.lexer.offset),
		})
	}
	if p.ahead.kind == tokIllegal && p.ahead.text == openComment {
		// It reaches to the end of the file, through all conditions.
		p.errorf(&p.ahead, "%s", p.ahead.text)
		p.ahead.kind, p.ahead.lineStart = tokEOF, true
	}
	if p.stop {
		p.ahead.kind = tokEOF
	}
}

// settle handles the preprocessor lines before the next token, and skips what is not
// live.
func (p *preprocessor) settle() {
	for {
		// Whether comments are in live code is only known when the lines before them
		// have been handled.
		if len(p.pending) > 0 {
			if p.live() {
				p.comments = append(p.comments, p.pending...)
			}
			p.pending = p.pending[:0]
		}
		switch {
		case p.ahead.kind == tokEOF:
			p.ahead.comments = int32(len(p.comments))
			return
		case p.ahead.lineStart && p.ahead.is("#"):
			p.directive()
		case p.live():
			p.ahead.comments = int32(len(p.comments))
			p.guard.spoil(p.conditionals)
			return
		default:
			if counted := p.leaveOut(&p.ahead); !counted {
				p.lexer.skipLines()
			}
			p.next()
		}
	}
}

// spoil notes that something stands at a place whose open conditionals are given.
func (g *guard) spoil(open []*conditional) {
	if len(open) == 0 || open[0] != g.open {
		g.spoiled = true
	}
}

func (p *preprocessor) live() bool {
	n := len(p.conditionals)
	return n == 0 || p.conditionals[n-1].live
}

// directive reads a preprocessor line.
func (p *preprocessor) directive() {
	hash := p.ahead
	p.next()
	begin := len(p.stack)
	for p.ahead.kind != tokEOF && !p.ahead.lineStart {
		p.stack = append(p.stack, p.ahead)
		p.next()
	}
	if begin < len(p.stack) {
		p.line(&hash, p.stack[begin:len(p.stack):len(p.stack)])
	}
	p.stack = p.stack[:begin]
}

// line handles a preprocessor line, from what is behind its hash on. The line lasts no longer
// than that.
func (p *preprocessor) line(hash *lexeme, line []lexeme) {
	name, arguments := &line[0], line[1:]
	switch name.text {
	case "if", "ifdef", "ifndef":
		p.open(*hash, name.text, arguments)
		return
	case "elif", "elifdef", "elifndef", "else":
		p.branch(*hash, name.text, arguments)
		return
	case "endif":
		p.end(*hash)
		return
	}
	if !p.live() {
		if name.is("define") || name.is("include") {
			p.leaveOut(name)
		}
		return
	}
	p.guard.spoil(p.conditionals)
	switch name.text {
	case "error":
		p.failed.Add(hash.pos(), hash.explain(fmt.Sprintf("#error %s (reached: if that is not meant, define what selects another branch with -D)",
			strings.Trim(p.restOfLine(arguments), `"`))))
		return
	case "warning", "ident", "sccs":
		return
	case "pragma":
		p.pragma(hash, arguments)
		return
	}
	for i := range line {
		if line[i].kind == tokIllegal {
			p.errorf(&line[i], "%s", line[i].text)
			return
		}
	}
	switch {
	case name.text == "include", name.text == "include_next", name.text == "import":
		p.include(hash, name.text, arguments)
	case name.text == "define":
		p.define(name, arguments)
	case name.text == "undef":
		if len(arguments) > 0 {
			if m := p.macros[arguments[0].text]; m != nil && m.own() {
				p.undone[m.name] = true
			}
			delete(p.macros, arguments[0].text)
		}
	case name.text == "line":
		p.lineMarker(arguments)
	case name.kind == tokNumber:
		p.lineMarker(line)
	}
}

// restOfLine returns the source from the first of arguments to the end of its line.
func (p *preprocessor) restOfLine(arguments []lexeme) string {
	if len(arguments) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(p.lexer.src[arguments[0].at.offset:], "\n")
	return strings.TrimSpace(line)
}

// lineMarker handles #line, and the markers # number "file" that preprocessors write.
func (p *preprocessor) lineMarker(arguments []lexeme) {
	list := p.expandList(arguments)
	if len(list) == 0 {
		return
	}
	n, err := strconv.Atoi(list[0].text)
	if err != nil || n < 0 || n > 1<<30 {
		p.errorf(&list[0], "#line has no line number")
		return
	}
	file := p.file.name
	if len(list) > 1 && list[1].kind == tokString {
		if name, err := strconv.Unquote(list[1].text); err == nil {
			file = name
		}
	}
	// The next line has the number n; the token ahead has been read already.
	p.file = p.file.renamed(file, n-int(list[0].at.line())-1)
	p.lexer.file = p.file
	p.ahead.at.origin = &p.file.self
	for i := range p.pending {
		p.pending[i].at.origin = &p.file.self
	}
}
