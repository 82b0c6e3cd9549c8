// Package selection holds what package read makes of a source and the other stages take, and knows
// nothing of either: which kernels, variables, types and constants of it Go gets, and what its
// directives say of them. It reads nothing and decides nothing.
//
// Nobody changes a Selection. When a compiler explains kernels, package read makes another.
package selection

import (
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// A Selection says what of a source Go gets.
type Selection struct {
	Place source.Place
	File  *cu.File

	Kernels []*Kernel // that can be wrapped, in source order
	Unclear []*Kernel // the source does not tell their parameters: a compiler may
	Bad     []*Kernel // that cannot be wrapped
	Open    []*Kernel // templates of which an image may have instances that the source does not tell, if all are wanted

	Disproved []Disproved // that a compiler contradicts, or that too little confirms
	Partial   bool        // kernels have been taken out of Kernels

	Refused diag.List // why the bad ones are left out, when others may go on; sorted

	Notes diag.List // templates and instances that are not wrapped, and why; sorted

	Variables []*Variable    // with an export directive
	Exports   []Export       // other export directives, in source order
	Types     []cu.Directive // type directives, in source order

	Data     map[string]string // of data directives that belong to the file
	TypeData []TypeData        // of those above types, in source order
}

// A Disproved is a kernel that is left out for what compilers say, and why.
type Disproved struct {
	*Kernel
	Reasons []diag.Message
}

// With returns s with kernels in place of its own.
func (s *Selection) With(kernels []*Kernel) *Selection {
	c := *s
	c.Kernels, c.Disproved, c.Partial = kernels, slices.Clip(s.Disproved), s.Partial || len(kernels) < len(s.Kernels)
	return &c
}

// Complete reports whether s has all kernels that the directives select: what none of them uses, nothing uses.
func (s *Selection) Complete() bool { return !s.Partial && len(s.Bad)+len(s.Unclear) == 0 }

// A Kernel is one that the directives select.
type Kernel struct {
	*cu.Kernel
	Spec     *directive.Spec
	GoArgs   []string // Go names of the arguments, by parameter
	GoFields []string // Go names of the fields of the parameter block

	Block // of the parameters; empty when there are problems

	Query    witness.KernelQuery // what C++ calls it at the end of the source
	Origin   *cu.Kernel          // as the source has it
	Told     bool                // a compiler told types of parameters
	Problems diag.List           // why it cannot be wrapped
}

// A Block is where the parameters of a kernel lie.
type Block struct {
	Places []layout.Place // by parameter
	Bytes  int64          // where the last parameter ends
	Align  int64
}

// Overload returns which of the kernels of its name in the source k is, counted from 1, or 0 if no other has the
// name.
func (s *Selection) Overload(k *Kernel) int {
	which, all := 0, 0
	for _, other := range s.File.Kernels {
		if other.QualifiedName() != k.Origin.QualifiedName() {
			continue
		}
		if all++; other == k.Origin {
			which = all
		}
	}
	if all < 2 {
		return 0
	}
	return which
}

// ImageName returns the name of k in images, and the types of its parameters as
// demanglers spell them: empty for those that a symbol may spell in another way, in terms of template
// parameters.
func (k *Kernel) ImageName() (name string, demangled []string) {
	name = k.QualifiedName()
	if k.ExternC {
		name = k.Name
	}
	demangled = make([]string, len(k.Params))
	for i, param := range k.Params {
		if !param.Dependent {
			demangled[i] = param.Type.Demangled()
		}
	}
	return name, demangled
}

// A Variable is one that an export directive asks for.
type Variable struct {
	*cu.Variable
	Directive cu.Directive
	Source    image.Variable    // what the source says of it
	Data      map[string]string // of its data directives
	Problems  diag.List         // why Go cannot have it
}

// ImageName returns the name of v in images.
func (v *Variable) ImageName() string {
	if v.ExternC {
		return v.Name
	}
	return v.QualifiedName()
}

// TypeData is what data directives say of a struct or an enum.
type TypeData struct {
	Type ctype.Type
	Pos  token.Position // of the first directive
	Data map[string]string
}

// An Export is an export directive above something that is not a variable.
type Export struct {
	Directive cu.Directive
	Type      ctype.Type // the struct or enum below it, or nil
	Constant  string     // qualified name of the constant below it; empty when there is none
	Several   bool       // the declaration below it has several types or constants
}

// All returns the kernels that Go gets or may get.
func (s *Selection) All() []*Kernel { return slices.Concat(s.Kernels, s.Unclear) }

// UnclearProblems returns what is wrong with the kernels that nobody has explained, sorted. A template
// without instances is one if it has directives, or if there is nothing else.
func (s *Selection) UnclearProblems() diag.List {
	var list diag.List
	for _, k := range s.Unclear {
		list = append(list, k.Problems...)
	}
	for _, k := range s.Open {
		instance := func(other *cu.Kernel) bool { return other.Instance != nil && other.Instance.Template == k.Origin }
		if !slices.ContainsFunc(s.File.Kernels, instance) && (len(k.Directives) > 0 || len(s.All()) == 0 && !k.Included) {
			list = append(list, k.Problems...)
		}
	}
	if len(s.All()) == 0 && len(s.Open) > 0 && len(list) == 0 {
		list.Add(token.Position{Filename: s.File.Name, Line: 1, Column: 1}, diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file, and nobody instantiates the templates that it includes, such as %s: %w", s.Open[0].Name, diag.Do("write //cudagen:instantiate with arguments above a declaration of the one that is meant")))
	}
	return list.Sorted()
}

// Unasked returns what is wrong with a source if no compiler has to be asked for that. If no image is known that may have instances
// of its templates, it replaces the notes: what is launched with unknown arguments will be known.
func (s *Selection) Unasked() diag.List {
	switch {
	case len(s.Open) > 0:
		remedy := diag.Do("run cudagen with -all and the same flags, which compiles it")
		at := token.Position{Filename: s.File.Name, Line: 1, Column: 1}
		s.Notes = diag.List{diag.NewError(at, diag.Template.Errorf("the image tells which instances of templates, such as %s, there are: %w", s.Open[0].Name, remedy))}
	case len(s.All()) == 0:
		return s.UnclearProblems()
	}
	return nil
}

// GiveUp returns why kernels are left out, sorted: with keepGoing also those that nobody has
// explained, as long as others remain. Otherwise these are an error, which begins with the reason why the compiler
// does not answer, if there is one; with keepGoing it is in refused, too.
func (s *Selection) GiveUp(keepGoing bool, noAnswers string) (refused diag.List, err error) {
	problems := s.UnclearProblems()
	switch {
	case len(s.Kernels) > 0 && keepGoing:
		return slices.Concat(s.Refused, problems).Sorted(), nil
	case len(s.Kernels) > 0:
		problems = source.Hint(problems, "-keep-going leaves the kernel out")
	}
	if len(problems) > 0 && noAnswers != "" {
		m := diag.Unconfirmed.New("the compiler fails when asked for the types that cudagen does not understand: " + noAnswers)
		problems = slices.Insert(problems, 0, &diag.Error{Pos: token.Position{Filename: s.Place.Path}, Message: m})
	}
	refused = s.Refused
	if keepGoing {
		refused = slices.Concat(s.Refused, problems).Sorted()
	}
	return refused, problems.Err()
}

// UsedConstants returns the qualified names of the constants that directives use or export,
// and for messages where.
func (s *Selection) UsedConstants() map[string]token.Position {
	used := make(map[string]token.Position)
	for _, k := range s.All() {
		for _, name := range k.Spec.Constants {
			if qualified, ok := s.File.ConstantName(k.Namespace, name); ok {
				used[qualified] = k.Pos
			}
		}
	}
	for _, e := range s.Exports {
		if e.Constant != "" {
			used[e.Constant] = e.Directive.Pos
		}
	}
	return used
}

// Told has what a compiler tells of an unclear kernel: its parameters, or why they are not known
// either.
type Told struct {
	Kernel *Kernel
	Params []cu.Param
	Reason diag.Message // Params do not count then
}

// An Origin says where a type in the model comes from.
type Origin struct {
	Type ctype.Type // a struct or an enum
	Pos  token.Position
	Told bool // by the compiler, and not by the source
}

// ForeignKey returns the key in the origins of a struct that has no Go name of its own.
func ForeignKey(s *model.Struct) string { return "type " + s.CName }

// Sort puts kernels of s in the order of the source.
func (s *Selection) Sort(kernels []*Kernel) {
	slices.SortStableFunc(kernels, func(x, y *Kernel) int {
		return slices.Index(s.File.Kernels, x.Origin) - slices.Index(s.File.Kernels, y.Origin)
	})
}
