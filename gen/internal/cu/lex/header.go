package lex

import (
	"path"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/internal/diag"
)

// include handles #include and #include_next.
func (p *Preprocessor) include(hash *Token, directive string, arguments []Token) {
	if len(arguments) == 0 {
		p.errorf(hash, diag.Macro, "#%s names no header", directive)
		return
	}
	at := arguments[0]
	name, angled, ok := headerName(arguments)
	if !ok {
		name, angled, ok = headerName(p.ExpandList(arguments))
	}
	if !ok {
		p.errorf(&at, diag.Macro, "#%s names no header (unexpected %s; when it is a macro, %w)", directive, at.Describe(), diag.Do("define it with -D"))
		return
	}
	if p.file.Main {
		p.Includes = append(p.Includes, Include{Pos: at.Pos(), Path: name, Angled: angled})
	}
	if p.collecting > 0 {
		p.errorf(hash, diag.Macro, "#%s inside the arguments of a macro is not understood", directive)
		return
	}
	full, searched, c := p.find(name, angled, directive == "include_next")
	if c == nil {
		p.lacks(Include{Pos: at.Pos(), Path: name, Angled: angled})
		return
	}
	p.Found[full] = true
	if c.once || c.guard != "" && p.Macros[c.guard] != nil {
		return
	}
	if p.reading[full] >= deepestCycle || p.file.depth >= deepestInclude {
		p.errorf(hash, diag.Macro, "#include %q goes round in a circle: %s is being read already", name, full)
		p.stop = true
		return
	}
	p.included++
	if p.includedBytes += len(c.text.src); p.included > mostIncludes || p.includedBytes > mostIncludedBytes {
		p.errorf(hash, diag.Macro, "#include %q: more than %d files or %d MiB are included (does it go round in a circle?)", name, mostIncludes, mostIncludedBytes>>20)
		p.stop = true
		return
	}
	inner := &Source{Name: full, included: at.At, depth: p.file.depth + 1, System: p.file.System || angled, text: c.text}
	inner.self.file = inner
	p.read(inner, searched, c)
}

// read reads an included file in the middle of another.
func (p *Preprocessor) read(inner *Source, searched int, c *contents) {
	outer := struct {
		file         *Source
		lexer        *Lexer
		ahead        Token
		directory    string
		current      *contents
		searched     int
		pending      []Comment
		conditionals []*conditional
		guard        guard
		contexts     []context
		floor        int
		inside       int32
	}{p.file, p.lexer, p.ahead, p.directory, p.current, p.searched, p.pending, p.conditionals, p.guard, p.contexts, p.Floor, p.inside}
	p.directory, p.current, p.searched = filepath.Dir(inner.Name), c, searched
	p.contexts, p.Floor = nil, 0
	p.reading[inner.Name]++
	p.run(inner)
	p.reading[inner.Name]--
	if p.guard.closed && !p.guard.spoiled {
		c.guard = p.guard.macro
	}
	p.file, p.lexer, p.ahead, p.directory, p.current, p.searched = outer.file, outer.lexer, outer.ahead, outer.directory, outer.current, outer.searched
	p.pending, p.conditionals, p.guard, p.contexts, p.Floor = outer.pending, outer.conditionals, outer.guard, outer.contexts, outer.floor
	p.inside = outer.inside
	if p.stop {
		p.ahead.Kind = EOF
	}
}

// headerName returns the name of a header in what stands behind #include.
func headerName(list []Token) (name string, angled, ok bool) {
	if len(list) == 0 {
		return "", false, false
	}
	l := &list[0]
	switch {
	case l.Kind == HeaderName, l.Kind == String && strings.HasPrefix(l.Text, `"`):
		return l.Text[1 : len(l.Text)-1], l.Text[0] == '<', len(l.Text) > 2
	case l.Is("<"):
		for i := 1; i < len(list); i++ {
			if list[i].Is(">") {
				return name, true, name != ""
			}
			name += list[i].Text
		}
	}
	return "", false, false
}

// find returns a header, nil when it is not there: a quoted one is looked for beside the
// file, and both kinds in the -I folders.
func (p *Preprocessor) find(name string, angled, next bool) (full string, searched int, c *contents) {
	if p.config.Read == nil {
		return "", 0, nil
	}
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return name, 0, p.load(name)
	}
	if !angled && !next {
		if f := p.beside(p.directory, name); f.contents != nil {
			return f.path, p.searched, f.contents
		}
	}
	first := 0
	if next {
		first = p.searched
	}
	for i := first; i < len(p.config.Include); i++ {
		if f := p.beside(p.config.Include[i], name); f.contents != nil {
			return f.path, i + 1, f.contents
		}
	}
	return "", 0, nil
}

// A header is what an #include may mean in one folder.
type header struct {
	path     string
	contents *contents // nil when it is not there
}

// beside returns the header called name in a folder.
func (p *Preprocessor) beside(folder, name string) header {
	key := [2]string{folder, name}
	f, known := p.headers[key]
	if !known {
		f.path = filepath.Join(folder, filepath.FromSlash(name))
		f.contents = p.load(f.path)
		p.headers[key] = f
	}
	return f
}

// load returns the contents of a file, nil when it cannot be read.
func (p *Preprocessor) load(full string) *contents {
	c := p.cache[full]
	if c == nil {
		c = &contents{}
		var src []byte
		src, c.err = p.config.Read(full)
		c.text = &text{src: unsafe.String(unsafe.SliceData(src), len(src))} // Read says that nobody changes it
		p.cache[full] = c
	}
	if c.err != nil {
		return nil
	}
	return c
}

// lacks notes a header that was not found, and the macros that it is known to define.
func (p *Preprocessor) lacks(i Include) {
	if p.absent[i.Path] {
		return
	}
	p.absent[i.Path] = true
	p.unread++
	p.Absent = append(p.Absent, i)
	if !standardHeader(i.Path) {
		i.Near = p.near(i.Path)
		p.Missing = append(p.Missing, i)
	}
	for _, text := range headerMacros(p.config, i.Path) {
		name, _, _ := strings.Cut(text, " ")
		if p.Macros[name] != nil {
			continue
		}
		l := NewLexer(NewSource("<"+i.Path+">", text))
		m := &Macro{Name: l.Scan().Text}
		for t := l.Scan(); t.Kind != EOF; t = l.Scan() {
			m.body = append(m.body, t)
		}
		p.Macros[m.Name] = m
	}
}

// near returns a folder around the main file in which a header is that was not found, up
// to the root of the repository or module, and "" when there is none.
func (p *Preprocessor) near(header string) string {
	const most = 12 // levels
	if p.config.Read == nil || path.IsAbs(header) {
		return ""
	}
	folder := p.home
	for range most {
		for _, inner := range []string{"", "include", "inc", "src"} {
			candidate := filepath.Join(folder, inner)
			if p.load(filepath.Join(candidate, filepath.FromSlash(header))) != nil {
				return candidate
			}
		}
		parent := filepath.Join(folder, "..")
		root := p.load(filepath.Join(folder, ".git", "HEAD")) != nil || p.load(filepath.Join(folder, "go.mod")) != nil
		if root || parent == folder {
			break
		}
		folder = parent
	}
	return ""
}
