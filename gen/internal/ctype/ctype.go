// Package ctype holds the C, C++ and CUDA types that package cu makes of source and package layout
// sizes, as values, and knows no syntax, no layout of classes and no Go.
//
// It knows how types are built and spelled, and holds the tables of builtin and vector types.
//
// Types are immutable after they are built, so any goroutine may read them. Types are not canonical:
// compare their Demangled spellings, not their addresses.
package ctype

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Type is a C++ type: *Basic, *Alias, *Qualified, *Pointer, *Reference, *Array,
// *MemberPointer, *Vector, *Library, *Enum, *Function or *Struct.
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
	Name  string // as written, "std::" included
	Type  Type
	Align int64 // bytes, by an attribute of the typedef or alias; 0 when there is none
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

// A MemberPointer points to a member of Class, a data member or a function of type Elem.
type MemberPointer struct {
	Class Type
	Elem  Type
}

// An Array has Len elements, at least one.
type Array struct {
	Elem Type
	Len  int64
}

// A Struct is a struct, class or union. It may be a class template's specialisation.
type Struct struct {
	Name     string        // "" of an unnamed one that no typedef names
	Scope    []string      // enclosing namespaces and structs, from the outside in, with their template arguments
	Args     []TemplateArg // of a specialisation of a class template; nil otherwise
	Pos      token.Position
	Union    bool
	Complete bool // false as long as there is only a forward declaration
	Bases    []Base
	Virtual  bool // it declares virtual functions, a destructor included
	Fields   []Field
	Align    int64 // bytes, by alignas and the like; 0 when there is none
	Pack     int64 // bytes, of the #pragma pack in force; 0 when there is none
	Packed   bool  // attribute packed
	POD      PODness
	Doc      []string

	// Stated is the layout that a compiler states, of a struct that was not read from
	// source but from its debug information. Nil when package layout has to compute it.
	Stated *Stated

	// Unsupported says why the layout of the struct is not known; nil when it is.
	// Such a struct may be pointed at, but not be used by value.
	Unsupported *Reason
}

// A Stated is a layout that a compiler states.
type Stated struct {
	Size, Align int64   // bytes
	BitOffsets  []int64 // of the fields, from the start of the struct
}

// A PODness says whether a struct by itself, its fields' types aside, is a POD: only
// then do the fields of a derived class stay out of its tail padding. Itanium C++ ABI,
// Definitions: POD for the purpose of layout.
type PODness uint8

const (
	// PODYes: no constructor, destructor or assignment is declared, nothing is private
	// or virtual, there are no bases and no initialised fields.
	PODYes PODness = iota
	// PODNo: it has bases, virtual functions, private or protected fields, or a
	// constructor, destructor or assignment with a body of its own.
	PODNo
	// PODUnsure: compilers may differ, because members are defaulted or fields are
	// initialised.
	PODUnsure
)

// A Base is a base class.
type Base struct {
	Type    *Struct
	Pos     token.Position
	Virtual bool
}

// A Field is a non-static data member. Anonymous structs and unions, and bit-fields that
// only pad, have no name.
type Field struct {
	Name     string
	Pos      token.Position
	Type     Type
	Align    int64 // bytes, by alignas and the like; 0 when there is none
	Packed   bool  // attribute packed of this field
	Mutable  bool  // it may change in a const object
	BitField bool
	Bits     int64  // the width of a bit-field; 0 begins a new unit
	Doc      string // the comment behind the field

	// Through are the bases of the class that the field is in, from the outside in, where a compiler told
	// them. Fields of one base have the same one.
	Through []*Step
}

// A Step is a base class that a compiler told, on the way from a class to a field.
type Step struct {
	Name string // as the compiler spells it: without namespaces, or with aliases in its arguments
}

// An Enum is an enumeration.
type Enum struct {
	Name        string // "" of an unnamed one
	Scope       []string
	Pos         token.Position
	Scoped      bool
	Underlying  *Basic // given, or what GCC and clang choose: C++ standard, [dcl.enum]
	Fixed       bool   // the underlying type is given
	Enumerators []Enumerator
	Doc         []string

	// Stated says that a compiler states it, and that it was not read from source.
	Stated bool

	// Unsupported says why the underlying type is not known; nil when it is.
	Unsupported *Reason
}

// An Enumerator is one constant of an Enum.
type Enumerator struct {
	Name  string
	Pos   token.Position
	Value int64 // that of an unsigned 64-bit type as an int64 holds its bits
	Known bool  // whether Value is understood
	Doc   string
}

// A Function is the type of a function. Kernels only have pointers to them.
type Function struct {
	Result   Type
	Params   []Type // adjusted: no arrays, no qualifiers of their own
	Variadic bool

	Const, Volatile bool   // of a member function
	Ref             string // of a member function: & or &&, or empty
	NoExcept        bool
}

// A Library is a class of CUDA's libraries whose size is known without its header,
// such as __half.
type Library struct {
	Name        string // canonical: "__half"
	Size, Align int64  // bytes
	Header      string // that defines it: "cuda_fp16.h"
	Union       bool   // it is a union
}

// A Reason says what is not understood, and where it stands.
type Reason struct {
	Pos token.Position
	diag.Message
	Failed bool // C++ itself finds nothing here: the substitution of template arguments fails
}

// AnonymousNamespace is the name of an unnamed namespace in Struct.Scope, as
// demanglers write it.
const AnonymousNamespace = "(anonymous namespace)"

// QualifiedName returns the name of s with its scopes: "ns::Plate".
func (s *Struct) QualifiedName() string {
	return strings.Join(append(s.Scope[:len(s.Scope):len(s.Scope)], s.Name+Arguments(s.Args)), "::")
}

// QualifiedName returns the name of e with its scopes.
func (e *Enum) QualifiedName() string {
	return strings.Join(append(e.Scope[:len(e.Scope):len(e.Scope)], e.Name), "::")
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

// AliasAlign returns the alignment in bytes that an alias gives t, 0 when there is none. Of
// several, that of the last declaration counts: GCC manual, Common Type Attributes, aligned.
func AliasAlign(t Type) int64 {
	for {
		switch u := t.(type) {
		case *Alias:
			if u.Align != 0 {
				return u.Align
			}
			t = u.Type
		case *Qualified:
			t = u.Type
		default:
			return 0
		}
	}
}

// AliasAligned reports whether an alias with an alignment of its own is t, or is part of it.
func AliasAligned(t Type) bool {
	for {
		if AliasAlign(t) != 0 {
			return true
		}
		switch u := Unqualified(t).(type) {
		case *Pointer:
			t = u.Elem
		case *Reference:
			t = u.Elem
		case *Array:
			t = u.Elem
		case *Function:
			return AliasAligned(u.Result) || slices.ContainsFunc(u.Params, AliasAligned)
		default:
			return false
		}
	}
}
