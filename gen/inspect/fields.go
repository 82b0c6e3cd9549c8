package inspect

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// A Field is a non-static data member of a parameter's class: a member of the class
// itself, of a base class, or of an anonymous struct or union in it, at any depth. A
// member with a name is one field, even if its type is a class or an array: its own
// members are not listed. Bit-fields without a name are not members. Fields are sorted by
// offset; fields at the same offset, as in a union, are in source order.
//
// Of a bit-field, Offset is the offset of the byte that contains its first bit, and Size
// the number of bytes that contain its bits. Its first bit is bit 8*Offset + *BitOffset
// of the parameter, as DW_AT_data_bit_offset in DWARF. Bits count from the least
// significant bit of each byte.
type Field struct {
	Name      string `json:"name"`
	Offset    int64  `json:"offset"`              // bytes from the beginning of the parameter, not of the block
	Size      int64  `json:"size"`                // bytes
	Bits      int64  `json:"bits"`                // width of a bit-field; 0 of other members
	BitOffset *int64 `json:"bitOffset,omitempty"` // from 0 to 7: first bit in the byte at Offset; nil unless it is a bit-field

	// Class is the class that declares the member: its C++ name with scopes and template
	// arguments, as demanglers write it. Classes without a name are "(unnamed struct)", which
	// is also a class, and "(unnamed union)", behind the class that they are a member of: "S::(unnamed union)".
	Class string `json:"class"`

	CType string `json:"ctype"`
}

// fieldsOf returns the fields of a parameter of type t. They are nil when t is not a class, or
// only its size is known.
func fieldsOf(t ctype.Type) ([]Field, error) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Struct:
		return appendFields([]Field{}, t, className("", t), 0)
	case *ctype.Vector:
		return components(t), nil
	case *ctype.Library:
		return membersOf(t), nil
	}
	return nil, nil
}

// appendFields appends the fields of s, which is called name and lies at offset in the parameter.
func appendFields(list []Field, s *ctype.Struct, name string, offset int64) ([]Field, error) {
	class, err := layout.Struct(s)
	if err != nil {
		return nil, err
	}
	for _, m := range class.Members {
		declares := name
		if m.Of != s { // a base
			declares = className("", m.Of)
		}
		if anonymous, ok := ctype.Unqualified(m.Type).(*ctype.Struct); ok && m.Name == "" && !m.BitField {
			if list, err = appendFields(list, anonymous, className(declares+"::", anonymous), offset+m.Offset); err != nil {
				return nil, err
			}
			continue
		}
		f := Field{Name: m.Name, Offset: offset + m.Offset, Size: m.Size, Class: declares, CType: m.Type.String()}
		if m.BitField {
			first := m.BitOffset % 8
			f.Bits, f.BitOffset = m.Bits, &first
		}
		list = append(list, f)
	}
	return list, nil
}

// className returns what Field.Class calls s. scope is for a class without a name.
func className(scope string, s *ctype.Struct) string {
	switch {
	case s.Name != "":
		return s.QualifiedName()
	case s.Union:
		return scope + "(unnamed union)"
	}
	return scope + "(unnamed struct)"
}

// components returns the fields of a vector type: x, y, z, w.
//
// CUDA C++ Programming Guide, Built-in Vector Types.
func components(t *ctype.Vector) []Field {
	list := make([]Field, t.Count)
	for i := range list {
		list[i] = Field{Name: "xyzw"[i : i+1], Offset: int64(i) * t.Elem.Size, Size: t.Elem.Size, Class: t.Name, CType: t.Elem.String()}
	}
	return list
}

// place returns where f is, for people: 16, or 16:3 for bit 3 of byte 16.
func (f *Field) place() string {
	if f.BitOffset == nil {
		return fmt.Sprint(f.Offset)
	}
	return fmt.Sprintf("%d:%d", f.Offset, *f.BitOffset)
}

// extent returns how large f is, for people: 4, or 5b for the bits of a bit-field.
func (f *Field) extent() string {
	if f.BitOffset == nil {
		return fmt.Sprint(f.Size)
	}
	return fmt.Sprintf("%db", f.Bits)
}
