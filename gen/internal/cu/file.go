package cu

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A File is what ParseFile understood of a source file.
type File struct {
	Name      string
	Kernels   []*Kernel       // in source order, also those with Errors, and those of included files
	Variables []*Variable     // in the memory of a device, at namespace scope, in source order; of included files too
	Structs   []*ctype.Struct // definitions in source order; of included files too
	Enums     []*ctype.Enum   // definitions in source order, unnamed ones too
	Includes  []Include       // of the main file
	Headers   []string        // paths of the files that were included, by whichever file, or found by __has_include; sorted
	Missing   []Include       // headers, in any file, that were not found and whose types are not known without them

	// Absent has all headers, in any file, that were not found, in the order in which they are included.
	Absent []Include

	// Warnings says what is wrong with the file, and may be only because headers are
	// missing: a reached #error, brackets that do not match inside of a function, and
	// conditions that depend on macros which nothing defines, when they leave out a kernel
	// or affect a parameter. It is sorted.
	Warnings diag.List

	// Notes says which instances of kernels the source makes that are not wrapped, and why. It
	// is sorted.
	Notes diag.List

	// Environment has the macros that decide what the file says and that neither it nor the
	// command line defines, as __GNUC__ in a condition, or that a header behind the definition
	// may define again, because it was not found; with what they were taken for, when nvcc may
	// have something else, or NVRTC. It is sorted by their names.
	Environment []Assumption

	Arch bool // it uses the macro __CUDA_ARCH__

	// Constants holds the integer constants of the file by qualified name: const and
	// constexpr variables, enumerators, and macros that are constant expressions.
	Constants map[string]int64

	// Redefined has the macros in Constants that were others before, and where they are
	// defined as they are in the end.
	Redefined map[string]token.Position

	// Declarations are those with directives above them, in the order in which they end.
	Declarations []Declaration

	// Loose has the text of macros that are constants and no operand as they stand: 4+4.
	Loose map[string]string

	// Functions are those with C linkage that Config.Functions asks for, in the order of their first declarations.
	Functions []*Function

	// Almost names the first word that looks like __global__ and is not, if the file has no kernel.
	Almost Word

	steps int // that reading took

	// Directives are those that belong neither to a kernel nor to a variable, in source
	// order.
	Directives []Directive

	// Below has what stands directly below those, by the offset of the comment.
	Below map[int]Below
}

// An Include is one #include.
type Include = lex.Include

// An Assumption is what a macro was taken for outside of the files that were read.
type Assumption = lex.Assumption

// A Word is a word of the source. One without a text stands for the absence of a word.
type Word struct {
	Pos  token.Position
	Text string
}

// A Kernel is one __global__ function: a template, an instance or a specialisation of
// one, or an ordinary function.
type Kernel struct {
	Name      string
	Namespace []string       // from the outside in; an unnamed one is ctype.AnonymousNamespace
	Pos       token.Position // of the name; where a macro is used that makes it
	Included  bool           // it stands in a file that the main file includes
	Toolkit   bool           // it stands in CUDA's own headers

	// Own says that the main file defines, instantiates or launches it, or has a directive for
	// it. Of a declaration and a definition in different files the definition counts, unless
	// directives stand above the declaration.
	Own bool

	ExternC   bool
	Static    bool
	Template  bool // a template; Params is empty
	Anonymous bool // inside an unnamed namespace
	Defined   bool // it has a body

	Overloaded bool // a function template that is no kernel has its name

	TemplateParams []TemplateParam     // of a template
	Args           []ctype.TemplateArg // of an instance or an explicit specialisation
	Instance       *Instance           // of an instance that a directive asks for, or that the source makes; nil otherwise
	Specialised    bool                // an explicit specialisation: template <> … k<float>(…)

	// Suggestions holds the arguments with which the file instantiates or launches a
	// template: what a directive instantiate can ask for, such as "T=float,N=4".
	Suggestions []string

	Params       []Param
	LaunchBounds []int64 // of __launch_bounds__; nil when absent or not constant
	BlockSize    []int64 // of __block_size__: threads by dimension; nil when absent or not constant
	ClusterDims  []int64 // of __cluster_dims__: blocks by dimension; nil when absent or not constant
	MaxRegisters int64   // of __maxnreg__, for each thread; 0 when absent or not constant
	Signature    string  // "void saxpy(int n, const float *x)": no attributes, no restrict
	Doc          []string
	Directives   []Directive
	Constants    map[string]Constant // that the expressions of Directives name, by what they name

	// Errors says what is not understood of this kernel. It is sorted. The user of
	// the kernel must report it; kernels that are not used may have errors.
	Errors diag.List

	// Warnings says which conditions the parameters depend on that nothing decides, in
	// the main file. They are also in File.Warnings.
	Warnings diag.List
}

// A TemplateParam is one parameter of a template.
type TemplateParam struct {
	Name    string // may be empty
	Type    string // as written: "typename", "int", "template <class> class"
	Default string // as written, "" when there is none
	Example string // an argument, for messages: float, 4, function
	Pack    bool   // typename... T
}

// An Instance says why there is an instance of a template: a directive instantiate asks for it,
// or the source instantiates it explicitly or launches it.
type Instance struct {
	Template *Kernel
	At       token.Position // of the directive, of the explicit instantiation, or of the launch
	GoName   string         // the name that the directive gives, "" when it gives none
	Explicit bool           // the source instantiates it itself: template __global__ void k<float>(float *);
	ByName   bool           // an image has it, and of its arguments only the names are known: no directive can ask for it
}

// An ImageInstance is an instance of a kernel template that an image has.
type ImageInstance struct {
	Template  string // the qualified name
	Arguments string // as demanglers write them: float, 3
}

// Source returns the arguments as C++ has them at the end of the file. ok is false if it has no name
// for one of them, such as the type of a lambda.
func (i ImageInstance) Source() (arguments string, ok bool) {
	arguments = strings.ReplaceAll(ctype.Readable(i.Arguments), ctype.AnonymousNamespace+"::", "")
	return arguments, !strings.ContainsAny(arguments, "'#") && !strings.Contains(arguments, ")::")
}

// hidden reports whether something in an unnamed namespace is among the arguments: the name that C++ has for it
// may be that of something else, too.
func (i ImageInstance) hidden() bool { return strings.Contains(i.Arguments, ctype.AnonymousNamespace) }

// A Param is one parameter of a kernel. Its type is adjusted as C++ does it: arrays
// are pointers, and const of the parameter itself is gone.
type Param struct {
	Name string         // may be empty
	Pos  token.Position // of the name, or of the type when there is none
	Type ctype.Type     // nil when Kernel.Errors says why

	// Dependent says that a symbol may spell the type in terms of the parameters of a
	// template, Traits<float>::type in place of double, or that the type has no name.
	Dependent bool
}

// A Variable is a declaration, at namespace scope, of a variable in the memory of a device.
type Variable struct {
	Name      string
	Namespace []string       // from the outside in; an unnamed one is ctype.AnonymousNamespace
	Pos       token.Position // of the name
	Included  bool           // it stands in a file that the main file includes
	Own       bool           // and a declaration of it in the main file has directives

	Space    string // __device__, __constant__ or __managed__
	ExternC  bool
	Template bool // a template, or a specialisation of one
	Defined  bool // not only declared with extern
	Const    bool // const or constexpr

	Type       ctype.Type // nil when Errors says why
	Doc        []string
	Directives []Directive // also of the other variables in the same declaration

	// Errors says what is not understood of this variable. The user of the
	// variable must report them.
	Errors diag.List
}

// A Function is a function of the host with C linkage.
type Function struct {
	Name       string
	Pos        token.Position // of the name, where it is declared first
	Params     []FunctionParam
	Result     ctype.Type
	Doc        []string      // above declarations in the main file, as are directives
	Directives []Directive   // in source order
	Reason     *ctype.Reason // what is not understood of it; nil for nothing
}

// A FunctionParam is a parameter of a Function.
type FunctionParam struct {
	Name   string // may be empty
	Type   ctype.Type
	Extent int64 // the elements of the array that it was declared as; 0 for none
}

// A Declaration is a declaration of the main file, or a macro's definition, with directives
// directly above it. Kernels, and variables in the memory of a device, have theirs themselves.
type Declaration struct {
	Directives []Directive
	Types      []ctype.Type // the classes and enumerations that it defines, or that it gives a name
	Constants  []string     // qualified names of the integer constants that it declares
}

// A Constant is what a name or sizeof(…) in a directive of a kernel means there.
type Constant struct {
	Value int64

	// Name says the same anywhere in the source: ns::N, sizeof(ns::Pair). It is a key of
	// File.Constants; empty for what only arguments of a template decide.
	Name string

	Reason diag.Message // why there is no value; zero if there is one
}

// A Directive is a comment of the form //cudagen:verb args.
type Directive struct {
	Pos     token.Position // of the comment
	Verb    string
	Args    string // without surrounding blanks
	ArgsPos token.Position

	Included bool         // it stands in a file that the main file includes
	Above    bool         // of data in File.Directives: code stands directly below it
	Withheld string       // of one of several instances: the Go name of the template's, which none of them gets
	Unclear  diag.Message // why it is not clear what it says; empty if it is

	until    int32  // the count of the file's scope where it stands
	declared string // the names of the parameters of the kernel below it, with commas between them
}

// A Below is what stands directly below a comment that belongs to no declaration.
type Below struct {
	Pos      token.Position // of the first word
	Function Word           // the name of a function; empty for others
	Kernel   bool           // the function is declared with __global__

	// Open is the last word of the code above the comment, if that is in the middle of a declaration:
	// the comment then stands inside of it.
	Open Word
}

// A Config says how a file is read. The zero Config opens no file.
type Config struct {
	Include []string // folders that headers are looked for in: -I
	Define  []string // macros, as name or name=value: -D
	Macros  string   // #define and #undef after those of Define
	Std     string   // "c++17"; empty: what nvcc uses by default
	Arch    int      // the compute capability times ten that __CUDA_ARCH__ shows: 90; 0: the lowest of CUDA 13
	NVRTC   bool     // with the macros of NVRTC, and not those of nvcc

	// Read returns the text of a file, by the path that an #include and the folders
	// make: os.ReadFile, for example. Nobody may change the text afterwards. Any error
	// means that the file is not there. When Read is nil no header is found.
	Read func(path string) ([]byte, error)

	// Functions says which functions of the host File.Functions has; nil for none. With it, macros of the toolkit's headers are constants, too.
	Functions func(name string) bool

	// Context ends reading when it is done; nil if nothing does.
	Context context.Context

	// Instances are those of kernel templates that an image has, and that the file does not tell. The file has
	// them as if it instantiated them explicitly. If they are not nil, an image was looked at.
	Instances []ImageInstance

	// SizeOf returns the size and alignment of a type in bytes, for sizeof and alignof
	// in constant expressions. When it is nil only those of types other than structs
	// are known.
	SizeOf func(ctype.Type) (size, align int64, err error)

	// OffsetOf returns the offset in bytes of the member called name in the class s, and
	// its type, for offsetof. When it is nil, no offset is known.
	OffsetOf func(s *ctype.Struct, name string) (offset int64, t ctype.Type, err error)
}

// QualifiedName returns the name of k with its namespaces and template arguments, as
// demanglers write it.
func (k *Kernel) QualifiedName() string {
	return strings.Join(append(k.Namespace[:len(k.Namespace):len(k.Namespace)], k.Name+ctype.Arguments(k.Args)), "::")
}

// SourceName returns the name of k with its namespaces and template arguments, as C++ source
// can say it behind the definition of k.
func (k *Kernel) SourceName() string {
	return strings.Join(append(named(k.Namespace), k.Name+ctype.SourceArguments(k.Args)), "::")
}

// named returns path without unnamed namespaces.
func named(path []string) []string {
	var kept []string
	for _, name := range path {
		if name != ctype.AnonymousNamespace {
			kept = append(kept, name)
		}
	}
	return kept
}

// Instantiation returns the C++ that instantiates k explicitly behind its definition, with … for the
// arguments of a template. overloaded says that another template has the name of k.
func (k *Kernel) Instantiation(overloaded bool) string {
	name := k.SourceName()
	if k.Template {
		name += "<…>"
	}
	made := fmt.Sprintf("template __global__ decltype(%[1]s) %[1]s;", name)
	if overloaded || k.Template && k.Overloaded {
		types := make([]string, len(k.Params))
		for i, p := range k.Params {
			types[i] = p.Type.String()
		}
		if k.Template {
			types = []string{"…"}
		}
		made = fmt.Sprintf("template __global__ void %s(%s);", name, strings.Join(types, ", "))
	}
	if len(named(k.Namespace)) == 0 {
		for range k.Namespace { // without a name to say, nvcc 13.0 does not find it from outside
			made = "namespace { " + made + " }"
		}
	}
	return made
}

// QualifiedName returns the name of v with its namespaces, as demanglers write it.
func (v *Variable) QualifiedName() string {
	return strings.Join(append(v.Namespace[:len(v.Namespace):len(v.Namespace)], v.Name), "::")
}

// reject notes why v is not understood, unless that is known.
func (v *Variable) reject(reason *ctype.Reason) {
	if reason != nil && len(v.Errors) == 0 {
		v.Type = nil
		v.Errors.Add(reason.Pos, reason.About(v.Name))
	}
}

// Constant returns the value of the constant called name, looked up from inside of
// namespace outwards.
func (f *File) Constant(namespace []string, name string) (value int64, ok bool) {
	qualified, ok := f.ConstantName(namespace, name)
	return f.Constants[qualified], ok
}

// ConstantName returns the qualified name of the constant called name, looked up from
// inside of namespace outwards.
func (f *File) ConstantName(namespace []string, name string) (qualified string, ok bool) {
	for n := len(namespace); n >= 0; n-- {
		scope := slices.DeleteFunc(slices.Clone(namespace[:n]), func(s string) bool { return s == ctype.AnonymousNamespace })
		qualified = strings.Join(append(scope, name), "::")
		if _, ok = f.Constants[qualified]; ok {
			return qualified, true
		}
	}
	return "", false
}

// MissingHint returns what a message about something that is not declared adds: the headers that
// were not found, one of which may declare it. It is empty when all were found.
func (f *File) MissingHint() diag.Message {
	const most = 3
	if len(f.Missing) == 0 {
		return diag.Message{}
	}
	var names []string
	folders := ""
	for i, m := range f.Missing {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(f.Missing)-most))
			break
		}
		if m.Angled {
			names = append(names, "<"+m.Path+">")
		} else {
			names = append(names, `"`+m.Path+`"`)
		}
		if m.Near != "" && !strings.Contains(folders+" ", " -I "+m.Near+" ") {
			folders += " -I " + m.Near
		}
	}
	list := names[0]
	if n := len(names); n > 1 {
		list = strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	remedy := diag.Do("add%s", cmp.Or(folders, " -I"))
	return diag.Message{Text: " (perhaps from " + list + ", not found: " + remedy.Error() + ")", Remedy: remedy}
}

// FolderOf returns a folder nearby that has a header which was not found; "" for none.
func (f *File) FolderOf(header string) string {
	for _, m := range f.Missing {
		if m.Path == header {
			return m.Near
		}
	}
	return ""
}

// macroName matches what -D defines.
var macroName = regexp.MustCompile(`^[A-Za-z_$\x80-\x{10FFFF}][\w$\x80-\x{10FFFF}]*(\(.*\))?($|=)`)

// lexical returns how the tokens are read.
func (c *Config) lexical() *lex.Config {
	return &lex.Config{Include: c.Include, Define: c.Define, Macros: c.Macros, Std: c.Std, Arch: c.Arch, NVRTC: c.NVRTC, Read: c.Read, Stop: stopOf(c.Context)}
}

// since reports whether the language is of version or later, which is a value of __cplusplus.
func (c *Config) since(version string) bool {
	own, _ := lex.VersionOf(cmp.Or(c.Std, lex.DefaultStd))
	return own >= version
}

// stopOf returns what asks whether ctx is done; nil if it never is.
func stopOf(ctx context.Context) func() error {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	}
}
