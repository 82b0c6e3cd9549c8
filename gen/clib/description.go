package clib

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/internal/diag"
)

// A description is what the directives of a header say about a C library.
type description struct {
	name    string               // cublas
	of      string               // the library of the CUDA toolkit that it comes with; "" for itself
	files   map[string][]string  // names of the library's file, by system: linux, windows
	trim    []string             // what the Go names leave out of the C names: prefixes, and suffixes, which begin with _
	rename  map[string]*renaming // Go names of types, by the C name
	prefer  string               // of two functions of which one has the name of the other with this behind it, only that one counts
	enums   []cu.Directive       // that name enumerations which no function has, but which the package declares
	release release
	status  status
	handles []*handle
	makers  []*maker
	blocks  []*block
}

// A release says of which version of the library the header is.
type release struct {
	constants []string // that have its numbers
	property  string   // the function that returns those of a library that is there; "" for none
	pos       token.Position
}

// A status is the type whose values say whether a call has failed: not if it is 0.
type status struct {
	name string // of the type in C; "" for none
	text string // the function that describes a value; "" for none
	pos  token.Position
}

// A handle is a type whose values stand for objects of the library.
type handle struct {
	name    string // of the type in C
	pointee string // the struct that it is a pointer to; "" if a typedef says what it is
	tag     string // what that struct is called without a typedef; "" for what pointee is
	other   string // another type in C for the same: pointers to const; "" for none
	goName  string
	destroy string // the functions, by their C names; "" for none
	stream  string // sets the stream
	mode    string // sets whether scalars are in the memory of the host or of the device
	host    string // the enumerators for that
	device  string
	memory  bool   // objects hold memory of the device
	spelled string // the type in C, without typedefs; "" if no function has it
	opaque  bool   // it is a pointer to a struct, which stands for nothing else
	kept    []*kept
	held    []string // names of the memory that objects hold
	pos     token.Position
}

// pointsTo reports whether h is a pointer to the struct called name.
func (h *handle) pointsTo(name string) bool {
	return h.pointee != "" && name != "" && (name == h.pointee || name == h.tag)
}

// A kept is a number that objects of a handle keep: what functions set and expressions read.
type kept struct {
	name string
	set  bool           // a function does
	read token.Position // by an expression there
}

// keep returns the index of the number called name.
func (h *handle) keep(name string) int {
	at := slices.IndexFunc(h.kept, func(k *kept) bool { return k.name == name })
	if at < 0 {
		at = len(h.kept)
		h.kept = append(h.kept, &kept{name: name})
	}
	return at
}

// hold returns the index of the memory called name.
func (h *handle) hold(name string) int {
	if !slices.Contains(h.held, name) {
		h.held = append(h.held, name)
	}
	return slices.Index(h.held, name)
}

// A maker is a pattern of functions that make handles.
type maker struct {
	pattern string
	pos     token.Position
	used    bool
}

// makersOf reads: PATTERN ….
func (r *describer) makersOf(d cu.Directive) {
	for _, pattern := range strings.Fields(d.Args) {
		r.makers = append(r.makers, &maker{pattern: pattern, pos: d.ArgsPos})
		if _, err := path.Match(pattern, ""); err != nil {
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s is no pattern: there are *, ? and [abc]", pattern)
		}
	}
}

// makes reports whether the function called name makes a handle: where it has a pointer to one, or as its result.
func (d *description) makes(name string) (makes bool) {
	for _, m := range d.makers {
		if ok, _ := path.Match(m.pattern, name); ok {
			m.used, makes = true, true
		}
	}
	return makes
}

// A renaming is the Go name of what is called otherwise in C.
type renaming struct {
	goName string
	pos    token.Position
	used   bool
}

// A block has directives for all functions that match a pattern.
type block struct {
	patterns   []string // of package path
	directives []cu.Directive
	pos        token.Position
	used       map[string]bool // the patterns that a function matches
	known      map[string]bool // parameters that directives name, and that some function has
}

// describe reads the directives of the file that belong to no function.
func describe(file *cu.File) (*description, diag.List) {
	d := &description{files: make(map[string][]string), rename: make(map[string]*renaming)}
	r := &describer{description: d}
	var last *block
	line := 0
	for _, one := range file.Directives {
		if one.Verb == "functions" {
			last = &block{patterns: strings.Fields(one.Args), pos: one.Pos, used: make(map[string]bool), known: make(map[string]bool)}
			r.patterns(one, last)
			d.blocks = append(d.blocks, last)
			line = one.Pos.Line
			continue
		}
		if read, ok := ofLibrary[one.Verb]; ok {
			read(r, one)
			line = -1
			continue
		}
		switch {
		case !slices.Contains(ofFunction, one.Verb):
			r.errorf(one.Pos, diag.UnknownDirective, "unknown directive %q%w", one.Verb, directive.Nearest(one.Verb, verbs()))
		case last == nil || one.Pos.Line != line+1:
			r.errorf(one.Pos, diag.StrayDirective, "%s belongs to no function: %w", one.Verb, diag.Do("put it directly below a functions directive, or above the declaration of a function"))
		default:
			last.directives = append(last.directives, one)
			line++
		}
	}
	for _, f := range file.Functions {
		for _, one := range f.Directives {
			if ofLibrary[one.Verb] != nil {
				r.errorf(one.Pos, diag.StrayDirective, "%s is about the library, and stands above a function: %w", one.Verb, diag.Do("put an empty line below it"))
			}
		}
	}
	if d.name == "" && len(r.errs) == 0 {
		r.errs.Add(token.Position{Filename: file.Name, Line: 1, Column: 1}, diag.DirectiveArguments.Errorf("does not say which library it describes: %w", diag.Do("add //cudagen:library NAME linux=libNAME.so")))
	}
	return d, r.errs
}

// A describer reads directives.
type describer struct {
	*description
	errs diag.List
}

func (r *describer) errorf(pos token.Position, code diag.Code, format string, args ...any) {
	r.errs.Add(pos, code.Errorf(format, args...))
}

// ofLibrary has the directives about the library as a whole.
var ofLibrary = map[string]func(*describer, cu.Directive){
	"library": (*describer).library,
	"trim":    func(r *describer, d cu.Directive) { r.trim = append(r.trim, strings.Fields(d.Args)...) },
	"rename":  (*describer).renames,
	"prefer":  (*describer).preference,
	"version": (*describer).versionOf,
	"enum":    func(r *describer, d cu.Directive) { r.enums = append(r.enums, d) },
	"status":  (*describer).statusType,
	"handle":  (*describer).handleType,
	"makes":   (*describer).makersOf,
}

// ofFunction are the directives about functions.
var ofFunction = []string{"len", "host", "value", "out", "ptr", "text", "nullable", "optional", "mode", "update", "require", "keep", "hold", "stream", "doc", "name", "ignore"}

func verbs() []string {
	list := append([]string{"functions"}, ofFunction...)
	for verb := range ofLibrary {
		list = append(list, verb)
	}
	slices.Sort(list)
	return list
}

// library reads: NAME linux=FILE,FILE windows=FILE of=LIBRARY.
func (r *describer) library(d cu.Directive) {
	words := strings.Fields(d.Args)
	if r.name != "" || len(words) == 0 {
		r.errorf(d.Pos, diag.DirectiveArguments, "library wants one name, once: %w", diag.Do("write //cudagen:library NAME linux=libNAME.so.1 windows=NAME.dll"))
		return
	}
	r.name = words[0]
	for _, word := range words[1:] {
		system, names, ok := strings.Cut(word, "=")
		switch {
		case system == "of" && r.of != "" || r.files[system] != nil:
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s stands there twice: files of one system have commas between them", system)
		case !ok || names == "" || system != "linux" && system != "windows" && system != "of":
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s is not linux=FILE,… or windows=FILE,… or of=LIBRARY", word)
		case system == "of":
			r.of = names
		default:
			r.files[system] = strings.Split(names, ",")
		}
	}
	if len(r.files) == 0 {
		r.errorf(d.ArgsPos, diag.DirectiveArguments, "library %s has no file: %w", r.name, diag.Do("add linux=lib%s.so", r.name))
	}
}

// preference reads: SUFFIX.
func (r *describer) preference(d cu.Directive) {
	if r.prefer != "" || len(strings.Fields(d.Args)) != 1 {
		r.errorf(d.Pos, diag.DirectiveArguments, "prefer wants one suffix, once: _64")
		return
	}
	r.prefer = d.Args
}

// versionOf reads: CONSTANT … property=FUNCTION.
func (r *describer) versionOf(d cu.Directive) {
	words, values := r.options(d, "property")
	if len(words) == 0 || len(r.release.constants) > 0 {
		r.errorf(d.Pos, diag.DirectiveArguments, "version wants the constants of the header that have its numbers, once: LIB_MAJOR LIB_MINOR")
		return
	}
	r.release = release{words, values["property"], d.Pos}
}

// renames reads: C=Go ….
func (r *describer) renames(d cu.Directive) {
	for _, word := range strings.Fields(d.Args) {
		from, to, ok := strings.Cut(word, "=")
		if !ok || !token.IsExported(to) || !token.IsIdentifier(to) {
			r.errorf(d.ArgsPos, diag.GoName, "%s is not C=Go with an exported Go name", word)
			continue
		}
		r.rename[from] = &renaming{to, d.ArgsPos, false}
	}
}

// statusType reads: TYPE text=FUNCTION.
func (r *describer) statusType(d cu.Directive) {
	words, values := r.options(d, "text")
	if len(words) != 1 || r.status.name != "" {
		r.errorf(d.Pos, diag.DirectiveArguments, "status wants one type, once")
		return
	}
	r.status = status{words[0], values["text"], d.Pos}
}

// handleType reads: TYPE or STRUCT* const=TYPE destroy=FUNCTION stream=FUNCTION mode=FUNCTION,HOST,DEVICE.
func (r *describer) handleType(d cu.Directive) {
	words, values := r.options(d, "const", "destroy", "stream", "mode")
	name, pointee := strings.Join(words, " "), ""
	if of, pointer := strings.CutSuffix(name, "*"); pointer {
		pointee = strings.TrimPrefix(strings.TrimSpace(of), "struct ")
		name = strings.TrimSpace(of) + " *"
	} else if len(words) != 1 {
		r.errorf(d.Pos, diag.DirectiveArguments, "handle wants one type: the name of a typedef, or of a struct with a * behind it")
		return
	}
	h := &handle{name: name, pointee: pointee, other: values["const"], destroy: values["destroy"], stream: values["stream"], pos: d.Pos}
	if mode := values["mode"]; mode != "" {
		parts := strings.Split(mode, ",")
		if len(parts) != 3 || parts[1] == parts[2] {
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "mode=%s is not mode=FUNCTION,HOST,DEVICE, with the two enumerators that the function takes", mode)
			return
		}
		h.mode, h.host, h.device = parts[0], parts[1], parts[2]
	}
	r.handles = append(r.handles, h)
}

// options returns the words of d without =, and those with one of the keys.
func (r *describer) options(d cu.Directive, keys ...string) (words []string, values map[string]string) {
	values = make(map[string]string)
	for _, word := range strings.Fields(d.Args) {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case !ok:
			words = append(words, word)
		case !slices.Contains(keys, key) || values[key] != "" || value == "":
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s: %s takes %s, each once", word, d.Verb, strings.Join(keys, "=…, ")+"=…")
		default:
			values[key] = value
		}
	}
	return words, values
}

// patterns checks those of b.
func (r *describer) patterns(d cu.Directive, b *block) {
	if len(b.patterns) == 0 {
		r.errorf(d.Pos, diag.DirectiveArguments, "functions wants names of functions, or patterns such as cublas[SD]gemm_v2")
	}
	for _, p := range b.patterns {
		if _, err := path.Match(p, ""); err != nil {
			r.errorf(d.ArgsPos, diag.DirectiveArguments, "%s is no pattern: there are *, ? and [abc]", p)
		}
	}
}

// matches reports whether b is about the function called name.
func (b *block) matches(name string) (matches bool) {
	for _, p := range b.patterns {
		if ok, _ := path.Match(p, name); ok {
			b.used[p], matches = true, true
		}
	}
	return matches
}

// handleOf returns the handle whose type is called name in C; nil for none.
func (d *description) handleOf(name string) *handle {
	for _, h := range d.handles {
		if name != "" && (h.name == name || h.other == name) {
			return h
		}
	}
	return nil
}

// plumbing reports whether the generated code itself calls the function called name, for handles or the status.
func (d *description) plumbing(name string) bool {
	return name == d.status.text || slices.ContainsFunc(d.handles, func(h *handle) bool { return name == h.destroy || name == h.stream || name == h.mode })
}
