package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A unit is a translation unit as far as it has been read: what is declared, in which scope, and what
// was found out about it. It has no place in the tokens: its methods look up, compare, note and report, and
// read nothing. What reads is a method of parser.
type unit struct {
	pre      *lex.Preprocessor
	config   *Config
	comments []lex.Comment
	packs    []lex.Pack
	errors   diag.List
	file     *File

	all          cursor                // the tokens of the file
	members      map[ctype.Type]*scope // of structs and enumerations
	localEnums   map[*ctype.Enum]bool  // those in functions
	localClasses map[*ctype.Struct]bool
	pending      map[*ctype.Struct]*instance
	root         *lex.Token                  // the name in the main file that leads to what is being read; nil for none
	local        int                         // inside of how many functions declarations are being read: these belong to no file
	library      map[string]*ctype.Struct    // classes of the C++ library by name with arguments
	templates    map[*ctype.Struct]*template // by what stands for them in template arguments
	toolkit      []string                    // the folders of CUDA's own headers; none when they are not included
	holes        int                         // made for the parameters of partial specialisations

	holeOf     map[*ctype.Struct]*hole // what stands for parameters of partial specialisations
	rests      map[*ctype.Struct]rest
	arrayHoles map[*ctype.Array]*arrayHole
	lengths    map[ctype.Type]int          // of the spellings of types
	templateOf map[*ctype.Struct]*template // of instances

	depends  *dependence                  // of the declaration being read; nil when nobody asks
	affected map[*ctype.Struct]dependence // what the layout of classes depends on

	constructed map[*ctype.Struct]bool // classes with constructors
	defaults    map[fieldKey]cursor    // initializers of fields

	reading   []cursor // definitions of class templates of which instances are being read, the innermost last
	nesting   int
	functions []span // members of classes

	patterns int // partial specialisations that are being matched: types in them stand for others

	// instances limits the work on templates: what is left of a number of steps in
	// proportion to the length of the file.
	instances int
	calls     int // the same for constexpr functions

	work work

	// What the parser reads for the unit: the class t, an instance of a template, whose definition is class,
	// and the declaration of a type in a constexpr function.
	readClass func(in *instance, t *ctype.Struct, class cursor, s *scope)
	readType  func(declaration cursor, s *scope)
}
