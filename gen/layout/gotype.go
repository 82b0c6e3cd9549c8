package layout

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/model"
)

// goNames holds the Go types of the builtin types.
var goNames = map[ctype.Kind]string{
	ctype.Bool: "bool",
	ctype.Char: "int8", ctype.SignedChar: "int8", ctype.UnsignedChar: "uint8",
	ctype.Char8: "uint8", ctype.Char16: "uint16", ctype.Char32: "uint32", ctype.WChar: "int32",
	ctype.Short: "int16", ctype.UnsignedShort: "uint16",
	ctype.Int: "int32", ctype.UnsignedInt: "uint32",
	ctype.Long: "int64", ctype.UnsignedLong: "uint64",
	ctype.LongLong: "int64", ctype.UnsignedLongLong: "uint64",
	ctype.Float: "float32", ctype.Double: "float64",
}

// vectorNames holds how the Go names of vector types begin. Package cuda has a type
// for each, which the alignment in a name such as double4_32a does not change.
var vectorNames = map[string]string{
	"char": "Char", "uchar": "UChar", "short": "Short", "ushort": "UShort", "int": "Int", "uint": "UInt",
	"long": "Long", "ulong": "ULong", "longlong": "LongLong", "ulonglong": "ULongLong",
	"float": "Float", "double": "Double", "dim": "Dim",
}

// GoType returns the Go type with the memory of t. name returns the Go name of a
// struct that is defined in the source.
//
// Size is that of t; Align is what Go gives the type on 64-bit systems, which may be
// less than in C++. A reference becomes a pointer, a void pointer one to byte.
//
// It is an error if t, or what it points at, has no layout that is known.
//
// Go specification, Size and alignment guarantees.
func GoType(t ctype.Type, name func(*ctype.Struct) string) (model.GoType, error) {
	c := converter{name: name, layouts: make(layouts), checked: make(map[*ctype.Struct]bool)}
	return c.convert(t)
}

// A converter turns types into Go types.
type converter struct {
	name    func(*ctype.Struct) string
	layouts layouts
	checked map[*ctype.Struct]bool // the fields have Go types, or this is being found out
}

func (c *converter) convert(t ctype.Type) (model.GoType, error) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		name, ok := goNames[t.Kind]
		if !ok {
			return model.GoType{}, fmt.Errorf("%s has no Go type", t)
		}
		return model.GoType{Kind: model.Basic, Name: name, Size: t.Size, Align: t.Size}, nil
	case *ctype.Vector:
		return vector(t)
	case *ctype.Pointer:
		return c.pointer(t.Elem)
	case *ctype.Reference:
		return c.pointer(t.Elem)
	case *ctype.Array:
		return c.array(t)
	case *ctype.Struct:
		return c.structure(t)
	}
	return model.GoType{}, fmt.Errorf("type %v has no Go type", t)
}

func vector(t *ctype.Vector) (model.GoType, error) {
	base, _, _ := strings.Cut(t.Name, "_")
	prefix := strings.TrimRight(base, "1234")
	goPrefix, ok := vectorNames[prefix]
	if !ok {
		return model.GoType{}, fmt.Errorf("vector type %s has no Go type", t)
	}
	return model.GoType{
		Kind: model.Runtime, Name: goPrefix + strings.TrimPrefix(base, prefix),
		Size: t.Size(), Align: t.Elem.Size,
	}, nil
}

func (c *converter) pointer(elem ctype.Type) (model.GoType, error) {
	if basic, ok := ctype.Unqualified(elem).(*ctype.Basic); ok && basic.Kind == ctype.Void {
		elem = ctype.Builtin(ctype.UnsignedChar)
	}
	goElem, err := c.convert(elem)
	if err != nil {
		return model.GoType{}, fmt.Errorf("pointer to %s: %w", elem, err)
	}
	return model.GoType{Kind: model.Pointer, Elem: &goElem, Size: addressSize, Align: addressSize}, nil
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

// structure converts a struct. That its fields have Go types is part of it.
func (c *converter) structure(s *ctype.Struct) (model.GoType, error) {
	found, err := c.layouts.structure(s)
	if err != nil {
		return model.GoType{}, err
	}
	if !c.checked[s] {
		c.checked[s] = true // before its fields, which may point at it
		for i := range s.Fields {
			if _, err := c.convert(s.Fields[i].Type); err != nil {
				return model.GoType{}, fmt.Errorf("field %s of %s: %w", s.Fields[i].Name, s, err)
			}
		}
	}
	return model.GoType{Kind: model.Local, Name: c.name(s), Size: found.size, Align: found.goAlign}, nil
}
