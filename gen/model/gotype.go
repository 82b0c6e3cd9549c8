package model

// A GoKind says what a GoType is.
type GoKind string

// The kinds of Go types that a C++ type becomes.
const (
	Basic   GoKind = "basic"   // a predeclared type: Name
	Runtime GoKind = "runtime" // a type of package cuda: Name
	Local   GoKind = "local"   // a struct generated in the same package: Name
	Pointer GoKind = "pointer" // cuda.Ptr[Elem]: a device address of 8 bytes
	Array   GoKind = "array"   // [Len]Elem
)

// A GoType is the Go form of a C++ type. Its memory is the memory of the C++
// type, but its alignment may be smaller: whoever uses it pads explicitly.
type GoType struct {
	Kind GoKind
	Name string
	Elem *GoType
	Len  int64

	Size  int64 // bytes, the same in Go and C++
	Align int64 // in Go, on 64-bit systems
}
