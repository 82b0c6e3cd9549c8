package layout

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// goNames holds the Go types of the builtin types. Go has no integer of 128 bits:
// those are two words, the lower one first.
var goNames = map[ctype.Kind]string{
	ctype.Bool: "bool",
	ctype.Char: "int8", ctype.SignedChar: "int8", ctype.UnsignedChar: "uint8",
	ctype.Char8: "uint8", ctype.Char16: "uint16", ctype.Char32: "uint32", ctype.WChar: "int32",
	ctype.Short: "int16", ctype.UnsignedShort: "uint16",
	ctype.Int: "int32", ctype.UnsignedInt: "uint32",
	ctype.Long: "int64", ctype.UnsignedLong: "uint64",
	ctype.LongLong: "int64", ctype.UnsignedLongLong: "uint64",
	ctype.Float: "float32", ctype.Double: "float64", ctype.LongDouble: "float64",
	ctype.NullPtr: "uint64",
}

// vectorNames holds how the Go names of vector types begin. Package vec has a type
// for each, which the alignment in a name such as double4_32a does not change.
var vectorNames = map[string]string{
	"char": "Char", "uchar": "UChar", "short": "Short", "ushort": "UShort", "int": "Int", "uint": "UInt",
	"long": "Long", "ulong": "ULong", "longlong": "LongLong", "ulonglong": "ULongLong",
	"float": "Float", "double": "Double",
}

// halfNames holds the types of package vec for floating-point numbers of 16 bits, and for
// two of them, by their C++ names.
var halfNames = map[string]string{
	"__half": "Float16", "__half_raw": "Float16", "__half2": "Float16x2", "__half2_raw": "Float16x2",
	"__nv_bfloat16": "BFloat16", "__nv_bfloat16_raw": "BFloat16", "__nv_bfloat162": "BFloat16x2", "__nv_bfloat162_raw": "BFloat16x2",
}

// complexNames holds the Go types of complex numbers by the end of their C++ names.
var complexNames = map[string]model.GoType{
	"::complex<float>":  {Kind: model.Basic, Name: "complex64", Size: 8, Align: 4},
	"::complex<double>": {Kind: model.Basic, Name: "complex128", Size: 16, Align: 8},
}

// A Namer is asked for the types inside of t only where t's own Go type names them: those
// of the fields of a struct are its own business. It returns the Go
// type of a *ctype.Struct or *ctype.Enum that is defined in the source: its Kind is Local
// or Foreign, and its Name is set.
type Namer func(ctype.Type) model.GoType

// GoType returns the Go type with the memory of t.
//
// Size is that of t; Align is what Go gives the type on 64-bit systems, which may be
// less than in C++. A reference becomes a pointer. A pointer whose target Go cannot
// describe, such as a class that is only declared, becomes one to bytes, as void * does;
// the address of a function becomes a number, a pointer to a member one or two. Package vec has types for __half and
// __nv_bfloat16; other classes of CUDA's libraries are the bits that they hold.
//
// It is an error if t has no layout that is known.
//
// Go specification, Size and alignment guarantees.
func GoType(t ctype.Type, name Namer) (model.GoType, error) {
	c := converter{name: name, layouts: make(layouts), checked: make(map[*ctype.Struct]bool)}
	return c.convert(t)
}

// CheckGoType returns why t has no Go type, as GoType does.
func CheckGoType(t ctype.Type) error {
	_, err := GoType(t, noName)
	return err
}

// Formless returns why what t, a pointer or a reference, leads to is bytes in Go although it is a class that is defined, or an array of such;
// nil if it is not.
func Formless(t ctype.Type) error {
	elem := ctype.Unqualified(ctype.Pointee(t))
	for array, ok := elem.(*ctype.Array); ok; array, ok = elem.(*ctype.Array) {
		elem = ctype.Unqualified(array.Elem)
	}
	if class, ok := elem.(*ctype.Struct); !ok || !class.Complete {
		return nil
	}
	return CheckGoType(elem)
}

// A converter turns types into Go types.
type converter struct {
	name    Namer
	layouts layouts
	checked map[*ctype.Struct]bool // the fields have Go types, or this is being found out
}

func (c *converter) convert(t ctype.Type) (model.GoType, error) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return basic(t)
	case *ctype.Vector:
		return vector(t)
	case *ctype.Library:
		return library(t), nil
	case *ctype.Enum:
		size, _, err := c.layouts.of(t)
		if err != nil {
			return model.GoType{}, err
		}
		if ctype.IsByte(t) {
			return unsigned(size), nil
		}
		goType := c.name(t)
		goType.Size, goType.Align = size, size
		return goType, nil
	case *ctype.Pointer:
		return c.pointer(t.Elem), nil
	case *ctype.Reference:
		return c.pointer(t.Elem), nil
	case *ctype.MemberPointer:
		if n := memberPointerWords(t); n > 1 {
			return units(n*addressSize, addressSize), nil
		}
		return unsigned(addressSize), nil
	case *ctype.Array:
		return c.array(t)
	case *ctype.Struct:
		return c.structure(t)
	}
	return model.GoType{}, diag.NoLayout.Errorf("type %v has no Go type", t)
}

func basic(t *ctype.Basic) (model.GoType, error) {
	if t.Kind == ctype.Int128 || t.Kind == ctype.UnsignedInt128 {
		return units(t.Size, addressSize), nil
	}
	name, ok := goNames[t.Kind]
	if !ok {
		return model.GoType{}, diag.NoLayout.Errorf("%s has no Go type", t)
	}
	return model.GoType{Kind: model.Basic, Name: name, Size: t.Size, Align: t.Size}, nil
}

func vector(t *ctype.Vector) (model.GoType, error) {
	if t.Name == "dim3" {
		return model.GoType{Kind: model.Runtime, Name: "Dim3", Size: t.Size(), Align: t.Elem.Size}, nil
	}
	base, _, _ := strings.Cut(t.Name, "_")
	prefix := strings.TrimRight(base, "1234")
	goPrefix, ok := vectorNames[prefix]
	if !ok {
		return model.GoType{}, diag.NoLayout.Errorf("vector type %s has no Go type", t)
	}
	return model.GoType{
		Kind: model.Vec, Name: goPrefix + strings.TrimPrefix(base, prefix),
		Size: t.Size(), Align: t.Elem.Size,
	}, nil
}

// library returns the bits of a class of CUDA's libraries as an unsigned integer, or as
// several. Complex numbers and those of 16 bits have Go types of the same memory.
func library(t *ctype.Library) model.GoType {
	if name, ok := halfNames[t.Name]; ok {
		return model.GoType{Kind: model.Vec, Name: name, Size: t.Size, Align: 2}
	}
	for suffix, goType := range complexNames {
		if strings.HasSuffix(t.Name, suffix) {
			return goType
		}
	}
	unit := min(t.Align, addressSize)
	if t.Size == unit {
		return unsigned(unit)
	}
	return units(t.Size, unit)
}

// unsigned returns the unsigned integer of size bytes: 1, 2, 4 or 8.
func unsigned(size int64) model.GoType {
	return model.GoType{Kind: model.Basic, Name: fmt.Sprint("uint", 8*size), Size: size, Align: size}
}

// units returns an array of unsigned integers of unit bytes each, size bytes in all.
func units(size, unit int64) model.GoType {
	elem := unsigned(unit)
	return model.GoType{Kind: model.Array, Elem: &elem, Len: size / unit, Size: size, Align: unit}
}

// Storage returns the Go type of size bytes with the largest alignment that a type of
// the C++ alignment align may have in Go. Unions are stored in it.
func Storage(size, align int64) model.GoType { return units(size, unionUnit(size, align)) }

// unionUnit is the alignment of Storage.
func unionUnit(size, align int64) int64 {
	unit := min(align, addressSize)
	for size%unit != 0 {
		unit /= 2
	}
	return unit
}

func (c *converter) pointer(elem ctype.Type) model.GoType {
	address := model.GoType{Kind: model.Pointer, Size: addressSize, Align: addressSize}
	if _, function := ctype.Unqualified(elem).(*ctype.Function); function {
		return unsigned(addressSize)
	}
	goElem, err := c.convert(elem)
	if err != nil {
		goElem = model.GoType{Kind: model.Basic, Name: "byte", Size: 1, Align: 1}
	}
	address.Elem = &goElem
	return address
}

func (c *converter) array(t *ctype.Array) (model.GoType, error) {
	size, _, err := c.layouts.of(t)
	if err != nil {
		return model.GoType{}, err
	}
	elem, err := c.convert(t.Elem)
	if err != nil {
		return model.GoType{}, err
	}
	return model.GoType{Kind: model.Array, Elem: &elem, Len: t.Len, Size: size, Align: elem.Align}, nil
}

// structure converts a class. That its members have Go types is part of it.
func (c *converter) structure(s *ctype.Struct) (model.GoType, error) {
	found, err := c.layouts.structure(s)
	if err != nil {
		return model.GoType{}, err
	}
	if !c.checked[s] {
		c.checked[s] = true // before its members, which may point at it
		members := converter{name: noName, layouts: c.layouts, checked: c.checked}
		for _, m := range found.members {
			if _, err := members.convert(m.Type); err != nil {
				return model.GoType{}, fmt.Errorf("field %s of %s: %w", m.Name, s, err)
			}
		}
	}
	goType := c.name(s)
	goType.Size, goType.Align = found.size, found.goAlign
	return goType, nil
}

// noName stands for the Namer where only errors count.
func noName(ctype.Type) model.GoType { return model.GoType{} }

// goAlign returns the alignment that Go gives the Go type of t, whose classes have been
// laid out, on 64-bit systems.
func (l layouts) goAlign(t ctype.Type) int64 {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return min(t.Size, addressSize)
	case *ctype.Vector:
		return t.Elem.Size
	case *ctype.Library:
		return library(t).Align
	case *ctype.Enum:
		return t.Underlying.Size
	case *ctype.Array:
		return l.goAlign(t.Elem)
	case *ctype.Struct:
		return l[t].goAlign
	}
	return addressSize
}
