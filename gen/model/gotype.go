package model

import "strconv"

// A GoKind says what a GoType is.
type GoKind string

// The kinds of Go types that a C++ type becomes.
const (
	Basic   GoKind = "basic"   // a predeclared type: Name
	Runtime GoKind = "runtime" // a type of package cuda: Name
	Vec     GoKind = "vec"     // a type of package vec: Name
	Local   GoKind = "local"   // a type generated in the same package: Name
	Foreign GoKind = "foreign" // a type of the package Path that a type directive names: Name
	Pointer GoKind = "pointer" // cuda.Ptr[Elem]: a device address of 8 bytes
	Array   GoKind = "array"   // [Len]Elem

	// Slice is cuda.Slice[Elem]: an address, a length and an owner. Only arguments have it.
	Slice GoKind = "slice"
)

// VecPath is the import path of package vec, which has CUDA's vector types and floating-point
// numbers of 16 bits.
const VecPath = "github.com/cudagen/cudagen/runtime/cuda/vec"

// A GoType is the Go form of a C++ type. It has the memory layout of the C++ type, but
// its alignment may be smaller: structs of it need explicit padding. A Slice has none.
type GoType struct {
	Kind GoKind  `json:"kind"`           // basic, runtime, vec, local, foreign, pointer, array, slice
	Name string  `json:"name,omitempty"` // of a Basic, Runtime, Vec, Local or Foreign type
	Path string  `json:"path,omitempty"` // import path of a Foreign type
	Elem *GoType `json:"elem,omitempty"` // of a Pointer, Array or Slice, or of a Runtime type with a parameter
	Len  int64   `json:"len,omitempty"`  // elements of an Array

	Size  int64 `json:"size,omitempty"`  // bytes, the same in Go and C++
	Align int64 `json:"align,omitempty"` // in Go, on 64-bit systems
}

// String returns the type as Go source has it where packages cuda and vec are imported:
// "cuda.Ptr[float32]". The name of a foreign type has its whole import path.
func (t GoType) String() string {
	switch t.Kind {
	case Runtime:
		if t.Elem != nil {
			return "cuda." + t.Name + "[" + t.Elem.String() + "]"
		}
		return "cuda." + t.Name
	case Vec:
		return "vec." + t.Name
	case Foreign:
		return t.Path + "." + t.Name
	case Pointer:
		return "cuda.Ptr[" + t.Elem.String() + "]"
	case Slice:
		return "cuda.Slice[" + t.Elem.String() + "]"
	case Array:
		return "[" + strconv.FormatInt(t.Len, 10) + "]" + t.Elem.String()
	}
	return t.Name
}
