// Package witness takes the text of PTX, gives what the compiler states in it about kernels and variables, and
// knows neither the source nor the layouts that cudagen computes: from debug information, the types of
// parameters and variables with every field and offset; from a probe that is compiled with the source,
// the size, alignment and kind of each parameter.
//
// Package compare compares that with the source. Debug information comes from
//
//	nvcc -G -U__CUDACC_DEBUG__ -ptx, NVRTC with the same options, or
//	clang -g --cuda-noopt-device-debug -fstandalone-debug
//
// and the probe is Source appended to what is compiled. Start with ReadDebug and
// Queries.
package witness

// A Debug is the debug information of one PTX module.
type Debug struct {
	Kernels   []Kernel   // defined functions, kernels among them, in the order of the file
	Variables []Variable // defined at namespace scope, in the order of the file
}

// A Variable is one outside of functions and classes.
type Variable struct {
	Symbol string
	Type   *Type
}

// Variable returns the type of the variable with a symbol, or nil.
func (d *Debug) Variable(symbol string) *Type {
	for _, v := range d.Variables {
		if v.Symbol == symbol {
			return v.Type
		}
	}
	return nil
}

// Kernel returns the function with a symbol, or nil.
func (d *Debug) Kernel(symbol string) *Kernel {
	for i := range d.Kernels {
		if d.Kernels[i].Symbol == symbol {
			return &d.Kernels[i]
		}
	}
	return nil
}

// A Kernel is a function that has code.
//
// nvcc leaves out a parameter of a large class that the kernel does not use, so there may
// be fewer than in the image.
type Kernel struct {
	Symbol string
	Name   string // without namespaces
	Params []Param
}

// A Param is a parameter. Its name may be empty.
type Param struct {
	Name string
	Type *Type
}

// A Kind says what a Type is.
type Kind uint8

// The kinds of types. Of those that have one, Elem is given in brackets.
const (
	Unknown   Kind = iota // Name says what it is
	Void                  //
	Bool                  //
	Signed                // an integer, char among them
	Unsigned              // an integer, char16_t among them
	Float                 //
	Pointer               // [to]
	Reference             // [to]
	Array                 // [element]
	Class                 // a struct or class
	Union                 //
	Enum                  // [underlying type, nil when the compiler does not say]
	Function              //
	Typedef               // [of]
	Const                 // [of]
	Volatile              // [of]
	Restrict              // [of]
)

// String returns what messages call the kind: "pointer".
func (k Kind) String() string {
	return [...]string{"unknown type", "void", "bool", "signed integer", "unsigned integer", "float", "pointer", "reference", "array",
		"class", "union", "enum", "function", "typedef", "const", "volatile", "restrict"}[k]
}

// A Type is a type as the compiler describes it. Types refer to each other in cycles.
type Type struct {
	Kind Kind
	Name string // "" of an unnamed one

	// Scope holds the namespaces and classes around a class or enumeration, from the
	// outside in, "" for an unnamed one. nvcc does not say them: then it is nil.
	Scope []string

	Size        int64 // bytes; 0 when it is void, a function, or a class that is only declared
	Align       int64 // bytes, when a compiler says it; 0 otherwise
	Elem        *Type
	Len         int64        // of an array
	Fields      []Field      // of a class or union: bases first, then in source order
	Enumerators []Enumerator // of an enumeration
}

// Complete reports whether the compiler describes the class t, and does not just
// declare it.
func (t *Type) Complete() bool { return t.Size > 0 }

// Bare returns t without typedefs and qualifiers.
func (t *Type) Bare() *Type {
	for t.Kind == Typedef || t.Kind == Const || t.Kind == Volatile || t.Kind == Restrict {
		t = t.Elem
	}
	return t
}

// A Field is a non-static data member, a base class, or a bit-field.
type Field struct {
	Name      string // "" of a base, an anonymous struct or union, or a bit-field that pads
	Type      *Type
	Offset    int64 // bytes; of a bit-field, of the first byte that has bits of it
	Base      bool
	BitField  bool
	Bits      int64 // of a bit-field
	BitOffset int64 // of a bit-field: its first bit from the start of the class

	Through []*Type // of a member that Members returns: the bases that it is in, from the outside in
}

// An Enumerator is one constant of an enumeration. The value of an unsigned 64-bit one
// is as an int64 holds its bits, and narrower ones may be sign-extended or not.
type Enumerator struct {
	Name  string
	Value int64
}
