// Package model describes the Go file of a .cu file: it is the input of package emit.
//
// It holds checked values, in the order in which they are printed. It knows neither C++
// syntax nor how Go is printed. Start with File.
package model

// Version is the version of this model. It grows if a field changes its
// meaning or is removed, not if fields are added.
const Version = 1

// A File is everything generated from one .cu file.
type File struct {
	Version int
	Source  string   // the .cu file, as written in the generated header: a base name
	Package string   // name of the Go package
	Tags    string   // build constraint; empty for none
	GoName  string   // name of the Go type that holds the kernels: Kernels
	Images  []Image  // PTX first, then machine code, if there is any
	Enums   []Enum   // in the order of their use
	Structs []Struct // in dependency order
	Foreign []Struct // those with a Go type from a type directive: Struct.Foreign
	Kernels []Kernel // in source order

	Variables []Variable // that export directives ask for, in source order

	Constants []Constant // that export directives ask for, in source order

	// Embedded is the source that the generated package embeds in place of Images; nil
	// if it embeds Images.
	Embedded *Embedded
}

// Embedded describes source that is compiled when its kernels are loaded.
type Embedded struct {
	Main        string         // path of the .cu file, as in Files
	Files       []EmbeddedFile // sorted: the .cu file and the headers that it includes
	IncludeDirs []string       // folders of headers, relative to that of the generated file, with slashes
	Defines     []string       // macros: NAME or NAME=VALUE
	Std         string         // C++ standard
	Flags       []string       // for NVRTC
	Compiler    string         // name and version of the compiler that made Images
}

// An EmbeddedFile is a file that the generated package embeds as source.
type EmbeddedFile struct {
	File   string // path relative to the folder of the generated file, with slashes
	SHA256 string // hexadecimal, of the content with normalised line ends
}

// An Image is a file of code for GPUs that the generated package embeds.
type Image struct {
	File   string // base name, beside the generated file
	SHA256 string // hexadecimal

	Targets []string // of machine code: sm_80, sm_90; nil for PTX
}

// A Pos is a place in the source.
type Pos struct {
	File string // base name, or a path relative to the source's folder
	Line int
}

// A Kernel is one __global__ function.
type Kernel struct {
	GoName    string
	TypeName  string // of its Go type; empty for the default: GoName, with the suffix Kernel unless it has it
	Note      string // why GoName is not derived from CName in the usual way; empty if it is
	CName     string // qualified C++ name
	Symbol    string // name in the image
	Signature string // C++ declaration, white space collapsed
	Doc       []string
	Pos       Pos

	// Address is a C++ expression, valid at the end of the source, for the kernel's address:
	// &stats::histogram.
	Address string

	Params []Param
	Bytes  int64 // size of the parameter block; ends with the last parameter
	Align  int64 // alignment of the block in C++

	Infers []Infer
	Checks []Check
	Launch *Launch // nil without a block; then there is LaunchWith but not Launch

	NoLaunch string // the missing directives if Launch is nil: //cudagen:block and //cudagen:threads
}

// Arguments returns how many arguments k has in Go.
func (k *Kernel) Arguments() (n int) {
	for _, p := range k.Params {
		if !p.Inferred {
			n++
		}
	}
	return n
}

// Unchecked returns the parameters whose values hold unchecked addresses.
func (k *Kernel) Unchecked() (list []Param) {
	for _, p := range k.Params {
		if p.Unchecked {
			list = append(list, p)
		}
	}
	return list
}

// A Variable is a variable in the memory of a device.
type Variable struct {
	GoName string // of the field that holds it
	Note   string // why GoName is not derived from CName in the usual way; empty if it is
	CName  string // qualified C++ name
	CType  string // C++ spelling
	Space  string // __constant__, __device__ or __managed__
	Symbol string // name in the image
	Doc    []string
	Pos    Pos
	Type   GoType

	// Address is a C++ expression, valid at the end of the source, for the variable's address.
	Address string
}

// A Param is one parameter of a kernel.
type Param struct {
	CName  string // may be empty
	CType  string // C++ spelling
	GoName string // of the argument: n
	Field  string // of the parameter block: N
	Note   string // why Field is not derived from CName in the usual way; empty if it is
	Type   GoType // in the parameter block
	Offset int64
	Size   int64
	Align  int64

	Slice    bool // the Go argument is a cuda.Slice of Type's element
	Inferred bool // the parameter is not a Go argument: an Infer sets it
	Nullable bool // the zero Slice is allowed where a Check demands elements

	// Holder is the argument's type in package cuda if it is not that of the parameter
	// block: its Param method returns the value, its Owner method the value's owner. It is
	// empty otherwise.
	Holder string

	// Unchecked reports whether the value holds addresses that no launch checks, such as
	// pointers in a struct.
	Unchecked bool

	ElemAlign int64 // of a Slice's elements, in C++
}

// Owned reports whether the Go argument has an owner.
func (p *Param) Owned() bool { return p.Slice || p.Holder != "" }

// An Infer gives an integer parameter its value from the length of a slice.
type Infer struct {
	Param int    // index into Params
	Value Expr   // if it is Signed, a negative value is an error
	Max   string // constant of package math, the largest value of the parameter's type; empty if every length fits
}

// A Check demands that a slice has at least Len elements. The zero Slice of a Nullable
// parameter passes.
type Check struct {
	Param int // index into Params
	Len   Expr
}

// A Launch is the launch configuration that the directives give.
type Launch struct {
	Block   [3]Expr // threads
	Grid    [3]Expr // blocks; if Threads is set, the total threads
	Threads bool    // Grid counts threads: the grid is Grid/Block, rounded up
	Shared  Expr    // bytes; the zero Expr if the directives set none

	Cluster      [3]int64 // blocks of a cluster, by dimension; zero without clusters
	ClusterFixed bool     // the kernel has __cluster_dims__, so the launch sets no cluster
	Cooperative  bool
}

// An Expr is an integer expression in Go over the kernel's arguments, of type int.
type Expr struct {
	Source string // as written in the directive
	Go     string // the Go expression
	Const  bool
	Value  int64 // if Const
	Reads  []int // inferred parameters that it reads; each needs a local variable of type int

	Counts []Count // parameters that it reads and that must be at least 0 and fit into an int
	Inputs []Input // the values that it reads, constants excepted, for messages
	Signed bool    // it may be negative; a negative value may also stand for a result without a value
	Most   int64   // the largest value
}

// A Count is a parameter whose value a directive uses as a count.
type Count struct {
	Param    int  // index into Params
	Unsigned bool // its type is unsigned with 64 bits, so the value may exceed an int
}

// An Input is a value that an expression reads.
type Input struct {
	Name string // in the directive: n, len(x), block.x
	Go   string // an int
}

// IsZero reports whether e is absent.
func (e Expr) IsZero() bool { return e.Source == "" && e.Go == "" }

// A Struct is a C++ struct, class or union that a parameter holds or points at.
type Struct struct {
	GoName string
	Note   string // why GoName is not derived from CName in the usual way; empty if it is
	CName  string
	Union  bool
	Doc    []string
	Pos    Pos
	Size   int64
	Align  int64 // in C++
	Fields []Field

	Storage GoType // of a union: the Go type of its bytes
	Foreign GoType // in File.Foreign: the Go type
}

// A Field is a member of a struct or of one of its bases. All fields of a union have
// offset 0.
type Field struct {
	CName  string
	CType  string
	GoName string
	Note   string // why GoName is not derived from CName in the usual way; empty if it is
	Doc    string
	Type   GoType
	Offset int64
	Size   int64

	Embedded bool // an anonymous struct or union; GoName is the name of its type
	Accessed bool // it cannot be a Go field of type Type, so methods read and write its bytes

	// Bits are the bit-fields of a run, which is one Field with an empty CName that holds
	// their bytes.
	Bits []Bits
}

// Bits describes a bit-field in the bytes of a Field. Bit 0 is the lowest of the first byte.
type Bits struct {
	CName, CType string
	First, Count int64
}

// An Enum is a C++ enumeration.
type Enum struct {
	GoName    string
	Note      string // why GoName is not derived from CName in the usual way; empty if it is
	CName     string // empty if it is unnamed
	Doc       []string
	Pos       Pos
	Type      GoType // the underlying integer type
	Constants []Constant
}

// A Constant is an enumerator of an Enum, or an exported integer constant.
type Constant struct {
	GoName string
	CName  string // qualified for an exported constant
	Value  string // in decimal
	Doc    string
	Pos    Pos // of an exported constant
}
