package cu

import (
	"cmp"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A unit is a translation unit as far as it has been read: what is declared, and what was found out about it. It
// has no place in the tokens: what looks a name up is a resolver, what reads declarations is a parser.
type unit struct {
	listing
	dependences
	patterns
	pre    *lex.Preprocessor
	config *Config
	errors diag.List
	file   *File
	work   work

	members     map[ctype.Type]*scope  // of structs and enumerations
	constructed map[*ctype.Struct]bool // classes with constructors
	special     map[*ctype.Struct]bool // classes that declare a constructor, a destructor or an assignment
	ancestors   map[*ctype.Struct]int  // how many base classes a class has, with those of its base classes

	plainClasses, aggregates answers // what is known of classes

	completed map[*ctype.Struct]int // the classes that are defined, but for instances, by their order
	point     int                   // how many of them were when the instance that is read was named first; -1 outside of one
	defaults  map[fieldKey]cursor   // initializers of fields
	locals    localTypes
	spellings spellings

	pending    map[*ctype.Struct]*instance
	templateOf map[*ctype.Struct]*template // of instances
	templates  map[*ctype.Struct]*template // by what stands for them in template arguments
	reading    []cursor                    // definitions of class templates of which instances are being read, the innermost last
	library    map[string]*ctype.Struct    // classes of the C++ library by name with arguments
	constants  map[string]*scope           // the namespaces std and cuda::std with constantClasses, as far as they are needed
	toolkit    toolkit

	lostMembers map[string]bool // templates of which specialisations are not understood, as those of members of class templates
	lostSome    bool            // a declaration that is not understood may be that of a function

	root    *lex.Token // the name in the main file that leads to what is being read; nil for none
	defined int32      // how many entities were declared before the end of the template whose class is being read; 0 for none

	local int // inside of how many functions declarations are being read: these belong to no file

	// What the parser reads for the unit: declarations, the class t, an instance of a template, whose definition is
	// class, and the declaration of a type in a constexpr function.
	readDeclarations func(c cursor, s *scope)
	readClass        func(in *instance, t *ctype.Struct, class cursor, s *scope)
	readType         func(declaration cursor, s *scope)
}

// now returns how many classes were defined where an instance is named that what is read names.
func (u *unit) now() int {
	if u.point >= 0 {
		return u.point
	}
	return len(u.completed)
}

// answers are those to one question about classes whose definitions are read.
type answers map[*ctype.Struct]bool

// ask returns the answer for t, which compute gives the first time.
func (a answers) ask(t *ctype.Struct, compute func() bool) bool {
	answer, known := a[t]
	if !known {
		answer = compute()
		a[t] = answer
	}
	return answer
}

// A fieldKey is a field of a class, by its number.
type fieldKey struct {
	class *ctype.Struct
	field int
}

// deepestNesting limits what nests: namespaces, structs, expressions.
const deepestNesting = 200

// newUnit returns the unit of the tokens that pre made of the file called filename.
func newUnit(config *Config, filename string, pre *lex.Preprocessor) *unit {
	list, end := withWords(pre.Tokens[:len(pre.Tokens)-1]), pre.Tokens[len(pre.Tokens)-1]
	n := len(list)
	// Those first that a folder is known for: messages name three.
	slices.SortStableFunc(pre.Missing, func(a, b Include) int { return near(b) - near(a) })
	headers := slices.Sorted(maps.Keys(pre.Found))
	u := &unit{
		listing:     listing{all: cursor{tokens: &tokens{list: list, match: make([]int32, n)}, stop: n, end: end}, comments: pre.Comments, packs: pre.Packs},
		dependences: dependences{conditions: pre.Unsettled, affected: make(map[*ctype.Struct]dependence)},
		patterns:    patterns{holeOf: make(map[*ctype.Struct]*hole), rests: make(map[*ctype.Struct]rest), arrayHoles: make(map[*ctype.Array]*arrayHole)},
		pre:         pre, config: config, errors: pre.Errors,
		file: &File{
			Name: filename, Includes: pre.Includes, Headers: headers, Missing: pre.Missing, Absent: pre.Absent, Environment: pre.Assumptions(), Arch: pre.Arch,
			Constants: make(map[string]int64), Redefined: make(map[string]token.Position), Loose: make(map[string]string), Below: make(map[int]Below),
		},
		members: make(map[ctype.Type]*scope), constructed: make(map[*ctype.Struct]bool), special: make(map[*ctype.Struct]bool),
		ancestors: make(map[*ctype.Struct]int), completed: make(map[*ctype.Struct]int), point: -1, plainClasses: make(answers), aggregates: make(answers),
		defaults: make(map[fieldKey]cursor),
		locals:   make(localTypes), spellings: make(spellings),
		pending: make(map[*ctype.Struct]*instance), templateOf: make(map[*ctype.Struct]*template), templates: make(map[*ctype.Struct]*template),
		library: make(map[string]*ctype.Struct), constants: make(map[string]*scope), lostMembers: make(map[string]bool), toolkit: toolkitOf(headers),
	}
	u.work.stop = stopOf(config.Context)
	u.work.allow(n)
	return u
}

// near is 1 for a header that another -I would find, and 0 otherwise.
func near(i Include) int {
	if i.Near != "" {
		return 1
	}
	return 0
}

// errorf reports an error of the file at l.
func (u *unit) errorf(l *lex.Token, code diag.Code, format string, arguments ...any) {
	u.errors.Add(l.Pos(), l.Explain(code.Errorf(format, arguments...)))
}

// reasonf says what is not understood at l, as a predicate: "has unknown type index_t".
func reasonf(l *lex.Token, code diag.Code, format string, arguments ...any) *ctype.Reason {
	return &ctype.Reason{Pos: l.Pos(), Message: l.Explain(code.Errorf(format, arguments...))}
}

func (u *unit) hint(otherwise diag.Message) diag.Message {
	return cmp.Or(u.file.MissingHint(), otherwise)
}

// rootOf returns the name in the main file that leads to l: l itself, if it stands there.
func (u *unit) rootOf(l *lex.Token) *lex.Token {
	if l.At.Origin != nil && l.At.File().Main {
		return l
	}
	return u.root
}

// tooMuchWork is the reason of a question that is spent.
func tooMuchWork(at *lex.Token) *ctype.Reason {
	return reasonf(at, diag.NotUnderstood, "finding out takes too many steps")
}

// tooLong returns why types are not understood whose spellings together are too long, nil
// when they are not.
func (u *unit) tooLong(at *lex.Token, types ...ctype.Type) *ctype.Reason {
	total := 0
	for _, t := range types {
		if total += u.spellings.length(t); total > longestName {
			return reasonf(at, diag.NotUnderstood, "has a type whose name is longer than %d bytes (%w)", longestName, diag.Do("give the types in it classes of their own, in place of aliases"))
		}
	}
	return nil
}

// forward returns the class called name that is declared in s; it declares it when it
// is not.
func forward(s *scope, name *lex.Token, union bool) *ctype.Struct {
	if e := s.names[name.Text]; e != nil {
		if t, ok := e.typ.(*ctype.Struct); ok {
			return t
		}
	}
	t := &ctype.Struct{Name: name.Text, Scope: s.path(), Pos: name.Pos(), Union: union}
	s.declare(name.Text, &entity{typ: t, at: name.At})
	return t
}

// A record is a class whose members are being read.
type record struct {
	typ     *ctype.Struct
	private bool // members from here on are private or protected
}

// reject notes why the layout of t is not known. The first reason stands.
func reject(t *ctype.Struct, at *lex.Token, m diag.Message) {
	const longest = 480
	if t.Unsupported == nil {
		m.Text = shortened(m.Text, longest)
		t.Unsupported = &ctype.Reason{Pos: at.Pos(), Message: at.Explain(m)}
	}
}

// notPOD notes that t is surely, or perhaps, no POD.
func notPOD(t *ctype.Struct, p ctype.PODness) {
	if t.POD != ctype.PODNo {
		t.POD = p
	}
}

// A toolkit is the folders of CUDA's own headers, with a slash at their ends; none when these are not included.
type toolkit []string

// toolkitOf returns the folders of CUDA's own headers, with a slash at their ends, if these are among the
// headers that were found. CCCL's may be a copy of the user's.
func toolkitOf(headers []string) (folders toolkit) {
	for _, header := range headers {
		for _, own := range toolkitHeaders {
			if root, ok := strings.CutSuffix(filepath.ToSlash(header), own.header); ok && (root == "" || strings.HasSuffix(root, "/")) {
				for _, folder := range own.folders {
					folders = append(folders, root+folder)
				}
			}
		}
	}
	return folders
}

// toolkitHeaders has the headers by which the folders of CUDA's own headers are known, which are in the
// folder that an #include names the header from.
var toolkitHeaders = []struct {
	header  string
	folders []string
}{
	{"crt/host_defines.h", []string{""}},
	{"cuda/std/__cccl/version.h", []string{"cuda/", "nv/"}},
	{"cub/version.cuh", []string{"cub/"}},
	{"thrust/version.h", []string{"thrust/"}},
}

// has reports whether at is in one of CUDA's own headers.
func (t toolkit) has(at lex.Place) bool {
	if len(t) == 0 {
		return false
	}
	name := filepath.ToSlash(at.File().Name)
	return slices.ContainsFunc(t, func(folder string) bool { return strings.HasPrefix(name, folder) })
}

// stands returns e, or, when e is what CUDA's own headers declare as name, and these are
// among the included ones, the type that the name stands for without them: generated Go has
// the same types, whether a -I finds the headers or not.
func (t toolkit) stands(name string, e *entity) *entity {
	if e == nil || e.typ == nil || e.at.Origin == nil || !t.has(e.at) {
		return e
	}
	known := ctype.Known(name)
	if known == nil {
		return e
	}
	switch ctype.Unqualified(known).(type) {
	case *ctype.Vector, *ctype.Library:
		return &entity{typ: known, at: e.at, depends: e.depends}
	}
	return e
}
