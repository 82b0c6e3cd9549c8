package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
	"go/token"
	"maps"
	"slices"
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
	defaults    map[fieldKey]cursor    // initializers of fields
	locals      localTypes
	spellings   spellings

	pending    map[*ctype.Struct]*instance
	templateOf map[*ctype.Struct]*template // of instances
	templates  map[*ctype.Struct]*template // by what stands for them in template arguments
	reading    []cursor                    // definitions of class templates of which instances are being read, the innermost last
	library    map[string]*ctype.Struct    // classes of the C++ library by name with arguments
	toolkit    toolkit

	root  *lex.Token // the name in the main file that leads to what is being read; nil for none
	local int        // inside of how many functions declarations are being read: these belong to no file

	// What the parser reads for the unit: the class t, an instance of a template, whose definition is class,
	// and the declaration of a type in a constexpr function.
	readClass func(in *instance, t *ctype.Struct, class cursor, s *scope)
	readType  func(declaration cursor, s *scope)
}

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
		members: make(map[ctype.Type]*scope), constructed: make(map[*ctype.Struct]bool), defaults: make(map[fieldKey]cursor),
		locals: make(localTypes), spellings: make(spellings),
		pending: make(map[*ctype.Struct]*instance), templateOf: make(map[*ctype.Struct]*template), templates: make(map[*ctype.Struct]*template),
		library: make(map[string]*ctype.Struct), toolkit: toolkitOf(headers),
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
