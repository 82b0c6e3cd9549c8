// Package ctype holds C, C++ and CUDA types as values.
//
// It knows how types are built and spelled, and the tables of builtin and vector
// types. It knows no syntax, no layout of structs and no Go: package cu makes these
// values from source, package layout sizes them.
//
// Types are immutable once the package that made them has handed them out, so they
// may be read by any number of goroutines. Types are not canonical: compare their
// Demangled spellings, not their addresses.
package ctype

import (
	"go/token"
	"strings"
)

// A Type is a C++ type: *Basic, *Alias, *Qualified, *Pointer, *Reference, *Array,
// *Vector or *Struct.
type Type interface {
	// String returns the type as a person writes it in source: "const float *".
	String() string

	// Demangled returns the canonical spelling that demanglers of the Itanium C++ ABI
	// give the type: "float const*". Aliases are looked through.
	Demangled() string
}

// An Alias is another name for a type, such as size_t. It keeps the name that the
// source uses.
type Alias struct {
	Name string // as written, "std::" included
	Type Type
}

// A Qualified is a type with qualifiers. Restrict only qualifies pointers.
type Qualified struct {
	Type                      Type
	Const, Volatile, Restrict bool
}

// A Pointer is an address of an Elem in device memory.
type Pointer struct{ Elem Type }

// A Reference is an lvalue reference to Elem, or an rvalue reference. In a parameter
// block it is an address.
type Reference struct {
	Elem   Type
	RValue bool
}

// An Array has Len elements, at least one.
type Array struct {
	Elem Type
	Len  int64
}

// A Struct is a struct or class.
type Struct struct {
	Name     string
	Scope    []string // enclosing namespaces and structs, from the outside in
	Pos      token.Position
	Complete bool // false as long as there is only a forward declaration
	Fields   []Field
	Align    int64 // bytes, by alignas and the like; 0 when there is none
	Doc      []string

	// Unsupported says why the layout of the struct is not known; nil when it is.
	// Such a struct may be pointed at, but not be used by value.
	Unsupported *Reason
}

// A Field is a non-static data member.
type Field struct {
	Name  string
	Pos   token.Position
	Type  Type
	Align int64  // bytes, by alignas and the like; 0 when there is none
	Doc   string // the comment behind the field
}

// A Reason says what is not understood, and where it stands.
type Reason struct {
	Pos  token.Position
	Text string
}

// AnonymousNamespace is the name of an unnamed namespace in Struct.Scope, as
// demanglers write it.
const AnonymousNamespace = "(anonymous namespace)"

// QualifiedName returns the name of s with its scopes: "ns::Plate".
func (s *Struct) QualifiedName() string {
	return strings.Join(append(s.Scope[:len(s.Scope):len(s.Scope)], s.Name), "::")
}

// Unalias returns t without the aliases that it is written with. It looks neither
// through qualifiers nor into pointers and arrays.
func Unalias(t Type) Type {
	for {
		alias, ok := t.(*Alias)
		if !ok {
			return t
		}
		t = alias.Type
	}
}

// Unqualified returns t without aliases and without qualifiers of its own.
func Unqualified(t Type) Type {
	for {
		switch u := t.(type) {
		case *Alias:
			t = u.Type
		case *Qualified:
			t = u.Type
		default:
			return t
		}
	}
}
