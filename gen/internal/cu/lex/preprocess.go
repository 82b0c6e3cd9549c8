package lex

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Preprocessor reads the tokens of a file and of those that it includes, and leaves
// those that the parser sees: C++ standard, [cpp].
type Preprocessor struct {
	config   *Config
	Errors   diag.List // what is wrong with the text as a whole
	failed   diag.List // the #error lines that were reached
	Warnings diag.List // those of them that missing headers may explain
	Macros   map[string]*Macro

	// The file being read.
	file         *Source
	lexer        *Lexer
	ahead        Token     // the next token
	current      *contents // of the file; nil for the main file
	directory    string    // of the file
	home         string    // the directory of the main file
	searched     int       // index behind the -I folder that the file was found in, for #include_next
	pending      []Comment
	conditionals []*conditional // open in this file, outermost first
	guard        guard

	// The use of macros being replaced.
	contexts    []context
	stack       []Token   // arguments of the macros being replaced, as they stand and replaced
	lists       [][]Token // empty ones, to be used again for what a macro stands for
	Floor       int       // contexts below do not belong to the list being expanded
	Isolated    bool      // a list is being expanded by itself
	conditional bool      // the list is a condition
	collecting  int       // arguments of a macro are being read
	nesting     int
	counter     int
	Exhausted   bool
	Budget      int // tokens that macros may still make
	Steps       int // tokens that were read and made
	asked       int // at how many of them Stop is asked again

	emitted                 tape      // what the tokens are made of
	Tokens                  []Token   // for the parser; the last one is the end of the file
	Comments                []Comment // in code that counts, of all files
	Described               []DescribedMacro
	Includes                []Include // of the main file
	Missing                 []Include // those that were not found, standard ones aside
	Absent                  []Include // all that were not found
	absent                  map[string]bool
	Packs                   []Pack // in the order of their beginnings
	packed                  []Pack // #pragma pack(push) and (pop)
	pushed                  map[string][]*Macro
	Renamed                 map[string]string // functions, by #pragma redefine_extname
	defined                 []string          // names of macros in the order of their definition
	cache                   map[string]*contents
	headers                 map[[2]string]header  // by folder and name
	reading                 map[string]int        // how often a file is being read
	Found                   map[string]bool       // paths of the files that are included
	Bytes                   int                   // read so far
	included, includedBytes int                   // files and bytes that includes have read
	stop                    bool                  // an error after which nothing makes sense
	doubts                  int                   // enclosing conditions that could not be evaluated
	unknown                 []string              // names that the condition being evaluated lacks
	Unsettled               []Unsettled           // in the order of their beginnings
	inside                  int32                 // the innermost open one, counted from 1
	depends                 map[string]Assumption // by macro: File.Environment
	Arch                    bool                  // __CUDA_ARCH__ is used
	Undone                  map[string]bool       // macros of files that were undefined
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
	at       Token // the # of the #if
	live     bool  // the lines being read count
	decided  bool  // a branch before this one is taken, or the enclosing code is dead
	hasElse  bool
	doubtful bool // what it depends on is not known

	passed    bool  // a branch of it is left out
	unsettled int32 // index from 1, 0 when its outcome is certain
}

// A Pack is the packing of structs from a token on, by #pragma pack.
type Pack struct {
	Index int // of the first token
	Align int64
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

// Preprocess reads src, the text of the main file, which is called name.
func Preprocess(config *Config, name, src string) *Preprocessor {
	p := &Preprocessor{
		config: config, Macros: make(map[string]*Macro), absent: make(map[string]bool),
		cache: make(map[string]*contents), headers: make(map[[2]string]header), reading: make(map[string]int), Found: make(map[string]bool), Undone: make(map[string]bool), depends: make(map[string]Assumption), pushed: make(map[string][]*Macro),
	}
	p.builtin()
	p.Budget = 1 << 16
	p.run(NewSource(built, predefined(config)))
	p.run(NewSource(commands, commandLine(config)))
	p.Comments = p.Comments[:0]
	p.defined = p.defined[:0]
	p.Budget = 1 << 20
	p.directory = filepath.Dir(name)
	p.home = p.directory
	p.depends, p.Arch = make(map[string]Assumption), false
	main := NewSource(name, src)
	main.Main = true
	end := p.run(main)
	for len(p.contexts) > 0 {
		p.pop()
	}
	p.emitted.add(&end)
	p.Tokens = p.emitted.list()
	if len(p.Missing) > 0 {
		// What a missing header defines may have selected another branch.
		p.Warnings = p.failed
	} else {
		p.Errors = append(p.Errors, p.failed...)
	}
	return p
}

// AnotherBranch is the remedy of a #error line that is reached.
var AnotherBranch = diag.Do("define what selects another branch with -D")

// errorf reports an error at l.
func (p *Preprocessor) errorf(l *Token, code diag.Code, format string, arguments ...any) {
	p.Errors.Add(l.Pos(), l.Explain(code.Errorf(format, arguments...)))
}

// illegal reports l, whose text is the message.
func (p *Preprocessor) illegal(l *Token) {
	code := diag.NotUnderstood
	if l.Kind == Unclosed {
		code = diag.Unbalanced
	}
	p.errorf(l, code, "%s", l.Text)
}

// trigraphs reports the first trigraph in file that matters, where the language has them: C++14 standard,
// [lex.trigraph]. They are not read.
func (p *Preprocessor) trigraphs(file *Source) {
	const third, stands = "=/'()!<>-", "#\\^[]|{}~"
	std := cmp.Or(p.config.Std, DefaultStd)
	src := file.text.src
	if version, _ := VersionOf(std); version >= "201703L" || strings.HasPrefix(std, "gnu") || !strings.Contains(src, "??") {
		return
	}
	s := NewLexer(file)
	for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
		begin := int(l.At.Offset)
		if prefix, _, _ := strings.Cut(l.Text, `"`); l.Kind == String && strings.HasSuffix(prefix, "R") {
			continue
		}
		for at := begin; at < s.offset && at+2 < len(src); at++ {
			which := strings.IndexByte(third, src[at+2])
			if !strings.HasPrefix(src[at:], "??") || which < 0 || l.Kind == CommentText && !splices(src[at:]) {
				continue
			}
			l.At.Offset = int32(at)
			p.errorf(&l, diag.NotUnderstood, "trigraph %s is not understood (%w)", src[at:at+3], diag.Do("write %c, or ?\\? for two question marks", stands[which]))
			return
		}
	}
}

// splices reports whether text begins with the trigraph of a backslash at the end of a line. Blanks behind it do not
// count.
func splices(text string) bool {
	rest, ok := strings.CutPrefix(text, "??/")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n")
}

// run reads one file. It returns the end of it.
func (p *Preprocessor) run(file *Source) Token {
	src := file.text.src
	p.file, p.lexer = file, NewLexer(file)
	p.conditionals, p.guard, p.pending = nil, guard{}, nil
	p.Bytes += len(src)
	p.Budget += 4 * len(src)
	if at := strings.IndexByte(src, 0); at >= 0 {
		if strings.HasPrefix(src, "\xff\xfe") || strings.HasPrefix(src, "\xfe\xff") {
			p.errorf(&Token{At: p.lexer.place()}, diag.NotUnderstood, "file is UTF-16 text: save it as UTF-8")
		} else {
			p.lexer.offset = at
			p.errorf(&Token{At: p.lexer.place()}, diag.NotUnderstood, "file has a NUL byte: source is UTF-8 text")
		}
		p.lexer.offset = len(src)
	}
	p.trigraphs(file)
	p.next()
	for l := p.expanded(); l.Kind != EOF && !p.stop; l = p.expanded() {
		p.emit(l)
	}
	if !p.stop {
		for _, c := range p.conditionals {
			p.errorf(&c.at, diag.Macro, "#if without #endif")
		}
	}
	p.unguarded()
	return p.ahead
}

// emit hands a token to the parser.
func (p *Preprocessor) emit(l Token) {
	if l.Kind.Illegal() {
		p.illegal(&l)
		return
	}
	if l.Kind == Painted {
		l.Kind = Ident
	}
	if l.Kind == Ident && l.Text == "_Pragma" && p.opens() {
		p.raw()
		text := p.expanded() // often made by a macro: _Pragma(TEXT(unroll 4))
		p.raw()
		p.destringized(&text)
		return
	}
	l.Doubtful = l.Doubtful || p.doubts > 0
	if l.Kind == Punct && l.Text == ">>" {
		// It may close two lists of template arguments: C++ standard, [temp.names].
		l.Text = ">"
		p.emitted.add(&l)
		l.Blank, l.LineStart = false, false
		l.At.Offset++
	}
	p.emitted.add(&l)
}

// next reads the next token of the file, and sets aside the comments before it.
func (p *Preprocessor) next() {
	p.step()
	for {
		p.ahead = p.lexer.Scan()
		p.ahead.At.Unsettled = p.inside
		if p.ahead.Kind != CommentText {
			break
		}
		p.pending = append(p.pending, Comment{
			At: p.ahead.At, Text: p.ahead.Text, LineStart: p.ahead.LineStart, end: int32(p.lexer.offset),
		})
	}
	if p.ahead.Kind == Unclosed && p.ahead.Text == openComment {
		// It reaches to the end of the file, through all conditions.
		p.illegal(&p.ahead)
		p.ahead.Kind, p.ahead.LineStart = EOF, true
	}
	if p.stop {
		p.ahead.Kind = EOF
	}
}

// step counts one step. It panics if the caller no longer wants the tokens.
func (p *Preprocessor) step() {
	const often = 1 << 12
	if p.Steps++; p.Steps >= p.asked && p.config.Stop != nil {
		p.asked = p.Steps + often
		if err := p.config.Stop(); err != nil {
			panic(&Stopped{err})
		}
	}
}

// settle handles the preprocessor lines before the next token, and skips what is not
// live.
func (p *Preprocessor) settle() {
	for {
		// Whether comments are in live code is only known when the lines before them
		// have been handled.
		if len(p.pending) > 0 {
			if p.live() {
				p.Comments = append(p.Comments, p.pending...)
			}
			p.pending = p.pending[:0]
		}
		switch {
		case p.ahead.Kind == EOF:
			p.ahead.Comments = int32(len(p.Comments))
			return
		case p.ahead.LineStart && p.ahead.Is("#"):
			p.directive()
		case p.live():
			p.ahead.Comments = int32(len(p.Comments))
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

func (p *Preprocessor) live() bool {
	n := len(p.conditionals)
	return n == 0 || p.conditionals[n-1].live
}

// directive reads a preprocessor line.
func (p *Preprocessor) directive() {
	hash := p.ahead
	p.next()
	begin := len(p.stack)
	for p.ahead.Kind != EOF && !p.ahead.LineStart {
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
func (p *Preprocessor) line(hash *Token, line []Token) {
	name, arguments := &line[0], line[1:]
	switch name.Text {
	case "if", "ifdef", "ifndef":
		p.open(*hash, name.Text, arguments)
		return
	case "elif", "elifdef", "elifndef", "else":
		p.branch(*hash, name.Text, arguments)
		return
	case "endif":
		p.end(*hash)
		return
	}
	if !p.live() {
		if name.Is("define") || name.Is("include") {
			p.leaveOut(name)
		}
		return
	}
	p.guard.spoil(p.conditionals)
	switch name.Text {
	case "error":
		p.failed.Add(hash.Pos(), hash.Explain(diag.Macro.Errorf("#error %s (reached: if that is not meant, %w)",
			strings.Trim(p.restOfLine(arguments), `"`), AnotherBranch)))
		return
	case "warning", "ident", "sccs":
		return
	case "pragma":
		p.pragma(hash, arguments)
		return
	}
	for i := range line {
		if line[i].Kind.Illegal() {
			p.illegal(&line[i])
			return
		}
	}
	switch {
	case name.Text == "include", name.Text == "include_next", name.Text == "import":
		p.include(hash, name.Text, arguments)
	case name.Text == "define":
		p.define(hash, name, arguments)
	case name.Text == "undef":
		if len(arguments) > 0 {
			if m := p.Macros[arguments[0].Text]; m != nil && m.own() {
				p.Undone[m.Name] = true
			}
			delete(p.Macros, arguments[0].Text)
		}
	case name.Text == "line":
		p.lineMarker(arguments)
	case name.Text == "cudagen":
		p.errorf(name, diag.StrayDirective, "#cudagen looks like a directive but is not one: %w", diag.Do("write //cudagen:verb, in a comment"))
	case name.Kind == Number:
		p.lineMarker(line)
	}
}

// restOfLine returns the source from the first of arguments to the end of its line.
func (p *Preprocessor) restOfLine(arguments []Token) string {
	if len(arguments) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(p.lexer.src[arguments[0].At.Offset:], "\n")
	return strings.TrimSpace(line)
}

// lineMarker handles #line, and the markers # number "file" that preprocessors write.
func (p *Preprocessor) lineMarker(arguments []Token) {
	list := p.ExpandList(arguments)
	if len(list) == 0 {
		return
	}
	n, err := strconv.Atoi(list[0].Text)
	if err != nil || n < 0 || n > 1<<30 {
		p.errorf(&list[0], diag.Macro, "#line has no line number")
		return
	}
	file := p.file.Name
	if len(list) > 1 && list[1].Kind == String {
		if name, err := strconv.Unquote(list[1].Text); err == nil {
			file = name
		}
	}
	// The next line has the number n; the token ahead has been read already.
	p.file = p.file.renamed(file, n-int(list[0].At.Line())-1)
	p.lexer.file = p.file
	p.ahead.At.Origin = &p.file.self
	for i := range p.pending {
		p.pending[i].At.Origin = &p.file.self
	}
}
