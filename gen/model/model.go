// Package model describes the Go file of a .cu file: it is the input of package emit.
//
// It holds checked values, in the order in which they are printed. It knows neither C++
// syntax nor how Go is printed. Start with File.
package model

// Version is the version of this model. It grows when a field changes its
// meaning or disappears; new fields leave it alone.
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
	Foreign []Struct // those whose Go type a type directive names: GoType says which
	Kernels []Kernel // in source order

	Variables []Variable // that export directives ask for, in source order

	Constants []Constant // that export directives ask for, in source order

	// Embedded is the source that the generated package embeds in place of Images; nil
	// when it embeds those.
	Embedded *Embedded
}

// Embedded is source that is compiled when its kernels are loaded.
type Embedded struct {
	Main        string         // path of the .cu file, as in Files
	Files       []EmbeddedFile // sorted: the .cu file and the headers that it includes
	IncludeDirs []string       // folders of headers, relative to that of the generated file, with slashes
	Defines     []string       // macros: NAME or NAME=VALUE
	Std         string         // C++ standard
	Flags       []string       // for NVRTC
	Compiler    string         // name and version of the one that made Images
}

// An EmbeddedFile is a file that the generated package embeds as source.
type EmbeddedFile struct {
	File   string // path relative to the folder of the generated file, with slashes
	SHA256 string // hexadecimal, of the content with normalised line ends
}

// An Image is the code that the generated package embeds.
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
	TypeName  string // of its Go type; empty for GoName with Kernel behind it, if it does not end so
	Note      string // why GoName is not the plain one; empty when it is
	CName     string // qualified C++ name
	Symbol    string // name in the image
	Signature string // C++ declaration, white space collapsed
	Doc       []string
	Pos       Pos

	// Address is a C++ expression, valid behind the source, for the kernel's address:
	// &stats::histogram.
	Address string

	Params []Param
	Bytes  int64 // size of the parameter block; ends with the last parameter
	Align  int64 // alignment of the block in C++

	Infers []Infer
	Checks []Check
	Launch *Launch // nil without a block: only LaunchWith exists

	NoLaunch string // the directives that are missing, if Launch is nil: //cudagen:block and //cudagen:threads
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

// Unchecked returns the parameters that hold addresses which nothing checks.
func (k *Kernel) Unchecked() (list []Param) {
	for _, p := range k.Params {
		if p.Unchecked {
			list = append(list, p)
		}
	}
	return list
}

// A Variable is one in the memory of a device.
type Variable struct {
	GoName string // of the field that holds it
	Note   string // why GoName is not the plain one; empty when it is
	CName  string // qualified C++ name
	CType  string // C++ spelling
	Space  string // __constant__, __device__ or __managed__
	Symbol string // name in the image
	Doc    []string
	Pos    Pos
	Type   GoType

	// Address is a C++ expression, valid behind the source, for the variable's address.
	Address string
}

// A Param is one parameter of a kernel.
type Param struct {
	CName  string // may be empty
	CType  string // C++ spelling
	GoName string // of the argument: n
	Field  string // of the parameter block: N
	Note   string // why Field is not the plain one; empty when it is
	Type   GoType // in the parameter block
	Offset int64
	Size   int64
	Align  int64

	Slice    bool // the Go argument is a cuda.Slice of Type's element
	Inferred bool // the parameter is no Go argument: an Infer sets it
	Nullable bool // the zero Slice is allowed where a Check demands elements

	// Holder is the type of package cuda that the Go argument has, if that holds more than
	// the value: its Param method returns that, its Owner method what the value refers to.
	Holder string

	// Unchecked says that the value holds addresses that nothing checks, such as those in a
	// struct.
	Unchecked bool

	ElemAlign int64 // of a Slice's elements, in C++
}

// Owned reports whether the Go argument has an owner.
func (p *Param) Owned() bool { return p.Slice || p.Holder != "" }

// An Infer gives an integer parameter its value from the length of a slice.
type Infer struct {
	Param int    // index into Params
	Value Expr   // when it is Signed, no negative value is one
	Max   string // constant of package math, the largest value of the parameter's type; empty when any length fits
}

// A Check demands that a slice has at least as many elements as Len says, unless it is
// Nullable and the zero Slice.
type Check struct {
	Param int // index into Params
	Len   Expr
}

// A Launch is the launch configuration that the directives give.
type Launch struct {
	Block   [3]Expr // threads
	Grid    [3]Expr // blocks; with Threads, the threads wanted in that dimension
	Threads bool    // Grid counts threads: the grid is the ceiling of Grid/Block
	Shared  Expr    // bytes; the zero Expr when there is none

	Cluster      [3]int64 // blocks of a cluster, by dimension; zero without clusters
	ClusterFixed bool     // __cluster_dims__ says so already: the launch need not
	Cooperative  bool
}

// An Expr is an integer expression in Go over the kernel's arguments, of type int.
type Expr struct {
	Source string // as written in the directive
	Go     string // ready to be printed
	Const  bool
	Value  int64 // when Const
	Reads  []int // inferred parameters that it reads: each must be a local variable, of type int

	Counts []Count // parameters that it reads and that must be at least 0 and fit into an int
	Inputs []Input // what it reads besides constants, for messages
	Signed bool    // it may be negative; a negative value may also mean that there is none
	Most   int64   // the largest value
}

// A Count is a parameter that counts something.
type Count struct {
	Param    int  // index into Params
	Unsigned bool // its type has 64 bits and no negative values: it must fit into an int
}

// An Input is what an expression reads.
type Input struct {
	Name string // in the directive: n, len(x), block.x
	Go   string // an int
}

// IsZero reports whether e is absent.
func (e Expr) IsZero() bool { return e.Source == "" && e.Go == "" }

// A Struct is a C++ struct, class or union that a parameter holds or points at.
type Struct struct {
	GoName string
	Note   string // why GoName is not the plain one; empty when it is
	CName  string
	Union  bool
	Doc    []string
	Pos    Pos
	Size   int64
	Align  int64 // in C++
	Fields []Field

	Storage GoType // of a union: what its bytes are in Go
	Foreign GoType // in File.Foreign: the Go type
}

// A Field is one member of a struct, or of one of its bases. Those of a union all lie
// at offset 0.
type Field struct {
	CName  string
	CType  string
	GoName string
	Note   string // why GoName is not the plain one; empty when it is
	Doc    string
	Type   GoType
	Offset int64
	Size   int64

	Embedded bool // an anonymous struct or union: GoName is the name of its type
	Accessed bool // Go cannot have it as a field of type Type: methods read and write its bytes

	// Bits of a run of bit-fields, which is one Field that holds their bytes: CName is
	// empty then.
	Bits []Bits
}

// Bits is a bit-field in the bytes of a Field. Bit 0 is the lowest of the first byte.
type Bits struct {
	CName, CType string
	First, Count int64
}

// An Enum is a C++ enumeration.
type Enum struct {
	GoName    string
	Note      string // why GoName is not the plain one; empty when it is
	CName     string // empty for an unnamed one
	Doc       []string
	Pos       Pos
	Type      GoType // the integer type below it
	Constants []Constant
}

// A Constant is an integer constant, of an Enum or by itself.
type Constant struct {
	GoName string
	CName  string // qualified, by itself
	Value  string // in decimal
	Doc    string
	Pos    Pos // by itself
}
