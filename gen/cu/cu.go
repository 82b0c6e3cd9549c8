// Package cu reads CUDA C++ source: which kernels a file defines, their parameters
// with types, the structs and constants that these need, and cudagen's directives.
//
// It knows syntax and names. It knows neither layout nor Go, nor what the directives
// mean. What it does not understand it either skips, when no kernel depends on it, or
// reports with a position. It never guesses.
//
// The stages are, in the manner of go/scanner and go/parser: the scanner (scan.go), the
// preprocessor (preprocess.go), the parser of declarations (parse.go and the files
// named after what they parse), names (scope.go) and constant expressions
// (constexpr.go).
package cu

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A File is what ParseFile understood of a source file.
type File struct {
	Name     string
	Kernels  []*Kernel       // in source order, also those with Errors
	Structs  []*ctype.Struct // definitions in source order
	Includes []Include

	// Constants holds the integer constants of the file by qualified name: const and
	// constexpr variables, enumerators, and macros that are constant expressions.
	Constants map[string]int64

	// Directives are those that do not belong to a kernel, in source order.
	Directives []Directive
}

// A Kernel is one __global__ function.
type Kernel struct {
	Name      string
	Namespace []string       // from the outside in; an unnamed one is ctype.AnonymousNamespace
	Pos       token.Position // of the name

	ExternC   bool
	Static    bool
	Template  bool // a template or a specialisation of one; Params is empty
	Anonymous bool // inside an unnamed namespace
	Defined   bool // it has a body in this file

	Params       []Param
	LaunchBounds []int64 // of __launch_bounds__; nil when absent or not constant
	Signature    string  // "void saxpy(int n, const float *x)": no attributes, no restrict
	Doc          []string
	Directives   []Directive

	// Errors says what is not understood of this kernel. It is sorted. Whoever uses the
	// kernel has to report it; a kernel that is not used may have any.
	Errors scanner.ErrorList
}

// A Param is one parameter of a kernel. Its type is adjusted as C++ does it: arrays
// are pointers, and const of the parameter itself is gone.
type Param struct {
	Name string         // may be empty
	Pos  token.Position // of the name, or of the type when there is none
	Type ctype.Type     // nil when Kernel.Errors says why
}

// A Directive is a comment of the form //cudagen:verb args.
type Directive struct {
	Pos     token.Position // of the comment
	Verb    string
	Args    string // without surrounding blanks
	ArgsPos token.Position
}

// An Include is one #include.
type Include struct {
	Pos    token.Position // of the name
	Path   string
	Angled bool // <path>, not "path"
}

// QualifiedName returns the name of k with its namespaces, as demanglers write it.
func (k *Kernel) QualifiedName() string {
	return strings.Join(append(k.Namespace[:len(k.Namespace):len(k.Namespace)], k.Name), "::")
}

// Constant returns the value of the constant called name, looked up from inside of
// namespace outwards.
func (f *File) Constant(namespace []string, name string) (value int64, ok bool) {
	for n := len(namespace); n >= 0; n-- {
		scope := slices.DeleteFunc(slices.Clone(namespace[:n]), func(s string) bool { return s == ctype.AnonymousNamespace })
		if value, ok = f.Constants[strings.Join(append(scope, name), "::")]; ok {
			return value, true
		}
	}
	return 0, false
}

// ParseFile reads the CUDA C++ source src. The positions that it returns carry
// filename; no file is opened.
//
// The error is nil or a scanner.ErrorList of what is wrong with the file as a whole,
// sorted and without duplicates. The File is never nil: it holds what was understood
// in spite of errors. What is not understood of a single kernel is in its Errors.
//
// It takes time and memory in proportion to the length of src.
func ParseFile(filename string, src []byte) (*File, error) {
	pre := preprocess(filename, src)
	p := newParser(filename, pre)
	p.parse()
	return p.file, tidy(p.errors)
}

// tidy sorts errors and removes duplicates. It returns nil when there are none.
func tidy(errors scanner.ErrorList) error {
	errors = sorted(errors)
	return errors.Err()
}

func sorted(errors scanner.ErrorList) scanner.ErrorList {
	errors.Sort()
	return slices.CompactFunc(errors, func(a, b *scanner.Error) bool { return *a == *b })
}
