// Package model describes what is generated from a .cu file, as cudagen makes it and emitters take it,
// and knows neither C++ syntax nor how Go is printed. It is the contract with templates, with emitters
// in Go and with other languages: as a Go value, as JSON, and as the schema of that JSON.
//
// Within one Version, fields may be added; none changes its meaning and none is removed. Names are
// final: they are those in the generated Go file. Sizes, offsets and alignments are in bytes. Values
// are checked, and in the order in which they are printed. Start with File.
package model

// Version is the version of this model. It grows if a field changes its
// meaning or is removed, not if fields are added.
const Version = 2

// A File is everything generated from one .cu file.
type File struct {
	Version    int               `json:"version"`              // Version
	Source     string            `json:"source"`               // the .cu file, as written in the generated header: a base name
	Stem       string            `json:"stem"`                 // what names of generated files begin with: kernels, for kernels.cu and for -o kernels_cuda.go
	Path       string            `json:"path,omitempty"`       // of the .cu file, relative to the folder of the Go file, with slashes
	Package    string            `json:"package"`              // name of the Go package
	ImportPath string            `json:"importPath,omitempty"` // import path of the Go package; empty if no go.mod is found
	Tags       string            `json:"tags,omitempty"`       // build constraint; empty for none
	GoName     string            `json:"goName"`               // name of the Go type that holds the kernels: Kernels
	LoadName   string            `json:"loadName"`             // name of the Go function that loads them: LoadKernels
	Data       map[string]string `json:"data,omitempty"`       // of the data directives that belong to no declaration
	Images     []Image           `json:"images"`               // PTX first, then machine code, if there is any
	Compiler   string            `json:"compiler,omitempty"`   // name and version of the compiler that made the images
	Enums      []Enum            `json:"enums"`                // in the order of their use
	Structs    []Struct          `json:"structs"`              // in dependency order
	Foreign    []Struct          `json:"foreign"`              // those with a Go type from a type directive: Struct.Foreign
	Kernels    []Kernel          `json:"kernels"`              // in source order
	Variables  []Variable        `json:"variables"`            // that export directives ask for, in source order
	Constants  []Constant        `json:"constants"`            // that export directives ask for, in source order

	// Embedded is the source that the generated package embeds in place of Images; nil
	// if it embeds Images.
	Embedded *Embedded `json:"embedded,omitempty"`

	// Blocks is what emitters add to the Go file, and BlockImports what Go code in any block
	// needs. They are empty when emitters run.
	Blocks       Blocks   `json:"-"`
	BlockImports []Import `json:"-"`
}

// Embedded describes source that is compiled when its kernels are loaded.
type Embedded struct {
	Main        string         `json:"main"`                  // path of the .cu file, as in Files
	Files       []EmbeddedFile `json:"files"`                 // sorted: the .cu file and the headers that it includes
	IncludeDirs []string       `json:"includeDirs,omitempty"` // folders of headers, relative to that of the generated file, with slashes
	Defines     []string       `json:"defines,omitempty"`     // macros: NAME or NAME=VALUE
	Std         string         `json:"std"`                   // C++ standard
	Flags       []string       `json:"flags,omitempty"`       // for NVRTC
	Compiler    string         `json:"compiler"`              // name and version of the compiler that made Images
}

// An EmbeddedFile is a file that the generated package embeds as source.
type EmbeddedFile struct {
	File   string `json:"file"`   // path relative to the folder of the generated file, with slashes
	SHA256 string `json:"sha256"` // hexadecimal, of the content with normalised line ends
}

// An Image is a file of code for GPUs that the generated package embeds.
type Image struct {
	File   string `json:"file"`   // base name, beside the generated file
	SHA256 string `json:"sha256"` // hexadecimal

	Targets []string `json:"targets,omitempty"` // of machine code: sm_80, sm_90; nil for PTX
}

// A Pos is a place in the source.
type Pos struct {
	File   string `json:"file"`   // base name, or a path relative to the source's folder
	Line   int    `json:"line"`   // from 1; 0, without a File, if only a compiler tells what stands there
	Column int    `json:"column"` // in bytes, from 1; 0 if it is not known
}

// A Kernel is one __global__ function.
type Kernel struct {
	GoName     string `json:"goName"`         // field of File.GoName's type: Saxpy
	TypeName   string `json:"typeName"`       // its Go type: SaxpyKernel
	ArgsName   string `json:"argsName"`       // Go type of its arguments in a struct: SaxpyArgs
	CallName   string `json:"callName"`       // Go type of a prepared call: SaxpyCall
	ParamsName string `json:"paramsName"`     // Go type of its parameter block: saxpyParams
	Note       string `json:"note,omitempty"` // why GoName is not derived from CName in the usual way; empty if it is

	CName        string            `json:"cName"`                  // qualified C++ name, with template arguments
	Namespace    []string          `json:"namespace,omitempty"`    // the namespaces and classes around it, outermost first
	TemplateArgs []string          `json:"templateArgs,omitempty"` // of an instance of a template: float, 4
	Symbol       string            `json:"symbol"`                 // name in the image
	Signature    string            `json:"signature"`              // C++ declaration, white space collapsed
	Doc          []string          `json:"doc,omitempty"`          // lines of the comment above it, without directives
	Pos          Pos               `json:"pos"`                    // of its name
	Directives   []Directive       `json:"directives,omitempty"`   // above it, in source order
	Data         map[string]string `json:"data,omitempty"`         // of its data directives

	// Address is a C++ expression, valid at the end of the source, for the kernel's address:
	// &stats::histogram.
	Address string `json:"address,omitempty"`

	Args   []Arg   `json:"args"`   // of Launch in Go, in order, behind the stream
	Params []Param `json:"params"` // of the C++ function, in order
	Bytes  int64   `json:"bytes"`  // size of the parameter block; ends with the last parameter
	Align  int64   `json:"align"`  // alignment of the block in C++

	Infers []Infer `json:"infers,omitempty"` // parameters that are taken from lengths
	Checks []Check `json:"checks,omitempty"` // of the lengths of slices, before each launch
	Launch *Launch `json:"launch,omitempty"` // nil without a block; then there is LaunchWith but not Launch

	NoLaunch string `json:"noLaunch,omitempty"` // the missing directives if Launch is nil: //cudagen:block and //cudagen:threads

	Code []Code `json:"code,omitempty"` // what machine code of the kernel needs, one for each target

	// Blocks is what emitters add to the Go code of the kernel. It is empty when they run.
	Blocks Blocks `json:"-"`
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

// A Directive is a comment //cudagen:verb args of the source.
type Directive struct {
	Verb string `json:"verb"`           // block
	Args string `json:"args,omitempty"` // 16,16
	Pos  Pos    `json:"pos"`            // of the comment
}

// An Arg is one of the arguments of a kernel in Go: a parameter that is not inferred.
type Arg struct {
	Name      string `json:"name"`                // of the argument of Launch: x
	Field     string `json:"field"`               // of the struct Kernel.ArgsName: X
	CName     string `json:"cName"`               // of the parameter; may be empty
	Type      GoType `json:"type"`                // cuda.Slice[float32]
	Param     int    `json:"param"`               // index into Kernel.Params
	Direction string `json:"direction,omitempty"` // Param.Direction
}

// Code is what machine code of a kernel needs on one target. ptxas decides it, so PTX alone
// does not say.
type Code struct {
	Image       string `json:"image"`       // Image.File
	Target      string `json:"target"`      // sm_90
	Registers   int    `json:"registers"`   // for each thread
	SharedBytes int64  `json:"sharedBytes"` // static shared memory for each block
}

// A Variable is a variable in the memory of a device.
type Variable struct {
	GoName    string            `json:"goName"`         // of the field that holds it
	Note      string            `json:"note,omitempty"` // why GoName is not derived from CName in the usual way; empty if it is
	CName     string            `json:"cName"`          // qualified C++ name
	CType     string            `json:"cType"`          // C++ spelling
	Space     string            `json:"space"`          // __constant__, __device__ or __managed__
	Symbol    string            `json:"symbol"`         // name in the image
	Doc       []string          `json:"doc,omitempty"`  // lines of the comment above it, without directives
	Pos       Pos               `json:"pos"`            // of its name
	Data      map[string]string `json:"data,omitempty"` // of its data directives
	Type      GoType            `json:"type"`           // of its value; the field is a cuda.Symbol of it
	Witnesses []string          `json:"witnesses,omitempty"`

	// Address is a C++ expression, valid at the end of the source, for the variable's address.
	Address string `json:"address,omitempty"`
}

// The values of Param.Direction.
const (
	In    = "in"    // a pointer to const: the kernel does not write there through it
	InOut = "inout" // another pointer: the kernel may read and write there
)

// A Param is one parameter of a kernel.
type Param struct {
	CName  string `json:"cName"`          // may be empty
	CType  string `json:"cType"`          // C++ spelling
	GoName string `json:"goName"`         // of the argument: n
	Field  string `json:"field"`          // of the parameter block: N
	Note   string `json:"note,omitempty"` // why Field is not derived from CName in the usual way; empty if it is
	Type   GoType `json:"type"`           // in the parameter block
	Pos    Pos    `json:"pos"`            // of the name, or of the type when there is none
	Offset int64  `json:"offset"`         // in the parameter block
	Size   int64  `json:"size"`
	Align  int64  `json:"align"` // in C++

	Direction string `json:"direction,omitempty"` // In or InOut of a pointer or reference; empty for a value
	Const     bool   `json:"const,omitempty"`     // what it points at is const

	Slice    bool `json:"slice,omitempty"`    // the Go argument is a cuda.Slice of Type's element
	Inferred bool `json:"inferred,omitempty"` // the parameter is not a Go argument: an Infer sets it
	Nullable bool `json:"nullable,omitempty"` // the Slice may be the zero Slice, which is NULL

	// Holder is the argument's type in package cuda if it is not that of the parameter
	// block: its Param method returns the value, its Owner method the value's owner. It is
	// empty otherwise.
	Holder string `json:"holder,omitempty"`

	// HolderElem is the type argument of the Holders Texture and Surface: what the kernel reads
	// and writes. It is nil for others.
	HolderElem *GoType `json:"holderElem,omitempty"`

	// Unchecked reports whether the value holds addresses that no launch checks, such as
	// pointers in a struct.
	Unchecked bool `json:"unchecked,omitempty"`

	ElemAlign int64 `json:"elemAlign,omitempty"` // of a Slice's elements, in C++

	// Witnesses are those that confirm type, offset and size: source, ptx, cubin, debug, probe.
	Witnesses []string `json:"witnesses,omitempty"`
}

// Owned reports whether the Go argument has an owner.
func (p *Param) Owned() bool { return p.Slice || p.Holder != "" }

// An Infer gives an integer parameter its value from the length of a slice.
type Infer struct {
	Param int    `json:"param"`         // index into Kernel.Params
	Value Expr   `json:"value"`         // if it is Signed, a negative value is an error
	Max   string `json:"max,omitempty"` // constant of package math, the largest value of the parameter's type; empty if every length fits
}

// A Check demands that a slice has at least Len elements. The zero Slice of a Nullable
// parameter passes.
type Check struct {
	Param int  `json:"param"` // index into Kernel.Params
	Len   Expr `json:"len"`   // elements
}

// A Launch is the launch configuration that the directives give.
type Launch struct {
	Block   [3]Expr `json:"block"`             // threads
	Grid    [3]Expr `json:"grid"`              // blocks; if Threads is set, the total threads
	Threads bool    `json:"threads,omitempty"` // Grid counts threads: the grid is Grid/Block, rounded up
	Shared  Expr    `json:"shared"`            // bytes; the zero Expr if the directives set none

	// SharedWith is Shared for a launch configuration cfg of the caller's: block.x is that of cfg.
	SharedWith Expr `json:"sharedWith,omitzero"`

	// GridWith is Grid for a launch configuration cfg of the caller's.
	GridWith [3]Expr `json:"gridWith,omitzero"`

	Cluster      [3]int64 `json:"cluster"`                // blocks of a cluster, by dimension; zero without clusters
	ClusterFixed bool     `json:"clusterFixed,omitempty"` // the kernel has __cluster_dims__, so the launch sets no cluster
	Cooperative  bool     `json:"cooperative,omitempty"`
}

// An Expr is an integer expression in Go over the kernel's arguments, of type int.
type Expr struct {
	Source string `json:"source,omitempty"` // as written in the directive
	Go     string `json:"go,omitempty"`     // the Go expression
	Const  bool   `json:"const,omitempty"`
	Value  int64  `json:"value,omitempty"` // if Const
	Reads  []int  `json:"reads,omitempty"` // inferred parameters that it reads; each needs a local variable of type int

	Counts []Count `json:"counts,omitempty"` // parameters that it reads and that must be at least 0 and fit into an int
	Inputs []Input `json:"inputs,omitempty"` // the values that it reads, constants excepted, for messages
	Signed bool    `json:"signed,omitempty"` // it may be negative; a negative value may also stand for a result without a value
	Most   int64   `json:"most,omitempty"`   // the largest value
}

// A Count is a parameter whose value a directive uses as a count.
type Count struct {
	Param    int  `json:"param"`              // index into Kernel.Params
	Unsigned bool `json:"unsigned,omitempty"` // its type is unsigned with 64 bits, so the value may exceed an int
}

// An Input is a value that an expression reads.
type Input struct {
	Name string `json:"name"` // in the directive: n, len(x), block.x
	Go   string `json:"go"`   // an int
}

// IsZero reports whether e is absent.
func (e Expr) IsZero() bool { return e.Source == "" && e.Go == "" }

// A Struct is a C++ struct, class or union that a parameter holds or points at.
type Struct struct {
	GoName    string            `json:"goName"`          // empty in File.Foreign
	Note      string            `json:"note,omitempty"`  // why GoName is not derived from CName in the usual way; empty if it is
	CName     string            `json:"cName"`           // qualified C++ name
	Union     bool              `json:"union,omitempty"` // all fields share its bytes
	Doc       []string          `json:"doc,omitempty"`   // lines of the comment above it, without directives
	Pos       Pos               `json:"pos"`             // of its name
	Data      map[string]string `json:"data,omitempty"`  // of its data directives
	Size      int64             `json:"size"`            // the same in Go and C++
	Align     int64             `json:"align"`           // in C++
	Fields    []Field           `json:"fields"`          // in the order of their offsets
	Witnesses []string          `json:"witnesses,omitempty"`

	// BitFields are the bit-fields that methods read and write, in the order of their bits.
	BitFields []BitField `json:"bitFields,omitempty"`

	Storage GoType `json:"storage,omitzero"` // of a union: the Go type of its bytes
	Foreign GoType `json:"foreign,omitzero"` // in File.Foreign: the Go type

	// Blocks is what emitters add to the Go code of the struct. It is empty when they run.
	Blocks Blocks `json:"-"`
}

// A Field is a member of a struct or of one of its bases. All fields of a union have
// offset 0.
type Field struct {
	CName     string   `json:"cName"` // may be empty
	CType     string   `json:"cType"` // C++ spelling
	GoName    string   `json:"goName"`
	Note      string   `json:"note,omitempty"` // why GoName is not derived from CName in the usual way; empty if it is
	Doc       string   `json:"doc,omitempty"`  // the comment behind it, or above
	Type      GoType   `json:"type,omitzero"`
	Offset    int64    `json:"offset"`
	Size      int64    `json:"size"`
	Witnesses []string `json:"witnesses,omitempty"`

	Embedded bool `json:"embedded,omitempty"` // an anonymous struct or union; GoName is the name of its type
	Accessed bool `json:"accessed,omitempty"` // it cannot be a Go field of type Type, so methods read and write its bytes

	// Bits are the bit-fields of a run, which is one Field with an empty CName that holds
	// their bytes.
	Bits []Bits `json:"bits,omitempty"`
}

// Bits describes a bit-field in the bytes of a Field. Bit 0 is the lowest of the first byte.
type Bits struct {
	CName string `json:"cName"`
	CType string `json:"cType"`
	First int64  `json:"first"` // its lowest bit
	Count int64  `json:"count"` // how many bits it has
}

// A BitField is a bit-field of a struct or union, which the methods GoName and SetGoName read and
// write. Bit 0 is the lowest of the first byte of Storage.
type BitField struct {
	CName   string   `json:"cName"`
	CType   string   `json:"cType"` // C++ spelling
	GoName  string   `json:"goName"`
	Note    string   `json:"note,omitempty"` // why GoName is not derived from CName in the usual way; empty if it is
	Doc     string   `json:"doc,omitempty"`  // the comment behind it, or above
	Type    GoType   `json:"type,omitzero"`
	Storage string   `json:"storage,omitempty"` // the GoName of the Field with its bytes; empty in a union, whose bytes they are
	First   int64    `json:"first"`             // its lowest bit
	Count   int64    `json:"count"`             // how many bits it has
	Sign    BitsSign `json:"sign"`              // how its bits are read
}

// A BitsSign says what the bits of a bit-field stand for.
type BitsSign string

// The signs of bit-fields.
const (
	BitsUnsigned BitsSign = "unsigned"
	BitsSigned   BitsSign = "signed" // two's complement
	BitsBool     BitsSign = "bool"   // false if all are 0
)

// An Enum is a C++ enumeration.
type Enum struct {
	GoName    string            `json:"goName"`
	Note      string            `json:"note,omitempty"` // why GoName is not derived from CName in the usual way; empty if it is
	CName     string            `json:"cName"`          // empty if it is unnamed
	Doc       []string          `json:"doc,omitempty"`  // lines of the comment above it, without directives
	Pos       Pos               `json:"pos"`
	Data      map[string]string `json:"data,omitempty"` // of its data directives
	Type      GoType            `json:"type"`           // the underlying integer type
	Constants []Constant        `json:"constants"`      // its enumerators
	Witnesses []string          `json:"witnesses,omitempty"`
}

// A Constant is an enumerator of an Enum, or an exported integer constant.
type Constant struct {
	GoName    string   `json:"goName"`
	CName     string   `json:"cName"` // qualified for an exported constant
	Value     string   `json:"value"` // in decimal
	Doc       string   `json:"doc,omitempty"`
	Pos       Pos      `json:"pos,omitzero"` // of an exported constant
	Witnesses []string `json:"witnesses,omitempty"`
}
