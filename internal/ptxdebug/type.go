package ptxdebug

import (
	"debug/dwarf"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Kind says what a type is.
type Kind uint8

const (
	Unknown Kind = iota // its size counts
	Void
	Bool
	Char // of one byte, signed
	Signed
	Unsigned
	Float
	Pointer
	Reference
	Array
	Class // also a union
	Enum
	Alias // a typedef, const or volatile: Elem is the type
)

// A Type is one of C++.
type Type struct {
	Kind   Kind
	Name   string // empty for those that are made of others
	Size   int64  // bytes
	Elem   *Type  // of pointers, references, arrays and aliases; nil for void. Of an enumeration, its underlying type
	Len    int64  // of an array
	Fields []Field
	Values []Enumerator
}

// A Field is a member of a class. That of a base class has the class's name, and an unnamed struct or union has none.
type Field struct {
	Name   string
	Base   bool // it is a base class
	Type   *Type
	Offset int64
	Bits   int64 // of a bit-field; else 0
	Shift  int64 // of a bit-field, from the lowest bit at Offset
}

// An Enumerator is a constant of an enumeration.
type Enumerator struct {
	Name  string
	Value int64
}

// Bare returns t without its aliases.
func (t *Type) Bare() *Type {
	for n := 0; t != nil && t.Kind == Alias && n < maxDepth; n++ {
		t = t.Elem
	}
	if t == nil || t.Kind == Alias {
		return &Type{Kind: Void, Name: "void"}
	}
	return t
}

// String returns the type as C++ writes it, but for arrays of pointers and their like.
func (t *Type) String() string { return t.text(0) }

func (t *Type) text(depth int) string {
	switch {
	case t == nil:
		return "void"
	case depth > maxDepth:
		return "…"
	case t.Name != "":
		return t.Name
	}
	switch t.Kind {
	case Pointer:
		return t.Elem.text(depth+1) + " *"
	case Reference:
		return t.Elem.text(depth+1) + " &"
	case Array:
		return t.arrayText(depth)
	case Alias:
		return t.Elem.text(depth + 1)
	case Class:
		return "struct {…}"
	}
	return "?"
}

// arrayText returns the type of an array, with its outer dimension first.
func (t *Type) arrayText(depth int) string {
	lengths := ""
	for ; t != nil && (t.Kind == Array || t.Kind == Alias) && t.Name == "" && depth <= maxDepth; depth++ {
		if t.Kind == Array {
			lengths += "[" + strconv.FormatInt(t.Len, 10) + "]"
		}
		t = t.Elem
	}
	return t.text(depth) + lengths
}

// encodings are the kinds of base types: DWARF, Encoding Attribute Values.
var encodings = map[int64]Kind{
	0x02: Bool, 0x04: Float, 0x05: Signed, 0x06: Char, 0x07: Unsigned, 0x08: Unsigned, 0x10: Unsigned,
}

// pointerSize is the size of a pointer in bytes.
const pointerSize = 8

// maxSize limits sizes and lengths, so that none overflows.
const maxSize = 1 << 31

// typeOf returns the type that an entry has; nil is void.
func (r *reader) typeOf(e *dwarf.Entry) (*Type, error) {
	offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return nil, nil
	}
	if r.entries[offset] == nil {
		return nil, diag.CompilerOutput.Errorf("entry %#x has a type at %#x, where nothing is", e.Offset, offset)
	}
	return r.typeAt(offset)
}

// typeAt returns the type that the entry at an offset describes.
func (r *reader) typeAt(offset dwarf.Offset) (*Type, error) {
	if t, known := r.types[offset]; known {
		return t, nil
	}
	if r.depth++; r.depth > maxDepth {
		return nil, diag.CompilerOutput.New("its types are nested too deep")
	}
	defer func() { r.depth-- }()
	t := new(Type)
	r.types[offset] = t
	return t, r.fill(t, r.entries[offset])
}

// fill describes the type of an entry in t.
func (r *reader) fill(t *Type, e *dwarf.Entry) (err error) {
	t.Name = sourceName(text(e, dwarf.AttrName))
	if t.Size, _ = e.Val(dwarf.AttrByteSize).(int64); t.Size < 0 || t.Size > maxSize {
		return diag.CompilerOutput.Errorf("entry %#x has %d bytes", e.Offset, t.Size)
	}
	switch e.Tag {
	case dwarf.TagBaseType:
		encoding, _ := e.Val(dwarf.AttrEncoding).(int64)
		t.Kind = encodings[encoding]
		return nil
	case dwarf.TagPointerType:
		t.Kind, t.Size = Pointer, pointerSize
	case dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.Kind, t.Size = Reference, pointerSize
	case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType:
		t.Kind = Alias
	case dwarf.TagArrayType:
		return r.array(t, e)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		t.Kind = Class
		return r.fields(t, e)
	case dwarf.TagEnumerationType:
		return r.enumeration(t, e)
	default:
		return nil
	}
	if t.Elem, err = r.typeOf(e); err != nil || t.Kind != Alias {
		return err
	}
	bare := t.Bare()
	t.Size = bare.Size
	if e.Tag == dwarf.TagConstType && bare.Kind != Pointer && bare.Kind != Reference {
		t.Name = "const " + t.Elem.String()
	}
	return nil
}

// array makes an array of arrays of an entry with several dimensions.
func (r *reader) array(t *Type, e *dwarf.Entry) error {
	elem, err := r.typeOf(e)
	if err != nil {
		return err
	}
	var lengths []int64
	for _, child := range r.children[e.Offset] {
		if child.Tag != dwarf.TagSubrangeType {
			continue
		}
		length, ok := child.Val(dwarf.AttrCount).(int64)
		if last, known := child.Val(dwarf.AttrUpperBound).(int64); !ok && known && last < maxSize {
			length = last + 1
		}
		if length < 0 || length > maxSize {
			return diag.CompilerOutput.Errorf("entry %#x is an array of %d elements", e.Offset, length)
		}
		lengths = append(lengths, length)
	}
	if len(lengths) == 0 {
		return diag.CompilerOutput.Errorf("entry %#x is an array without dimensions", e.Offset)
	}
	for i := len(lengths) - 1; i >= 0; i-- {
		size := elem.Bare().Size
		if size > 0 && lengths[i] > maxSize/size {
			return diag.CompilerOutput.Errorf("entry %#x is an array that is too large", e.Offset)
		}
		outer := &Type{Kind: Array, Elem: elem, Len: lengths[i], Size: size * lengths[i]}
		if i == 0 {
			*t = *outer
		}
		elem = outer
	}
	return nil
}

// isBase reports whether nvcc gives a base class such a name: __b_4Base, or __v_4Base of a virtual one.
func isBase(name string) bool {
	return strings.HasPrefix(name, "__b_") || strings.HasPrefix(name, "__v_")
}

// fields reads the members of a class.
func (r *reader) fields(t *Type, e *dwarf.Entry) error {
	for _, child := range r.children[e.Offset] {
		if child.Tag != dwarf.TagMember && child.Tag != dwarf.TagInheritance || child.Val(dwarf.AttrExternal) != nil {
			continue // a member function, a nested type, a static member
		}
		of, err := r.typeOf(child)
		if err != nil {
			return err
		}
		f := Field{Name: text(child, dwarf.AttrName), Type: of}
		if child.Tag == dwarf.TagInheritance || isBase(f.Name) && child.Val(dwarf.AttrDeclLine) == nil {
			f.Name, f.Base = of.String(), true
		}
		switch at := child.Val(dwarf.AttrDataMemberLoc).(type) {
		case int64:
			f.Offset = at
		case []byte:
			offset, rest, ok := uleb(at[min(1, len(at)):])
			if len(at) < 2 || at[0] != opPlusUconst || !ok || len(rest) > 0 || offset > maxSize {
				return diag.CompilerOutput.Errorf("entry %#x has a place that is not understood", child.Offset)
			}
			f.Offset = int64(offset)
		}
		if bits, ok := child.Val(dwarf.AttrBitSize).(int64); ok {
			f.Bits = bits
			unit, sized := child.Val(dwarf.AttrByteSize).(int64)
			if !sized {
				unit = of.Bare().Size
			}
			if last, counted := child.Val(dwarf.AttrBitOffset).(int64); counted { // from the unit's most significant bit
				f.Shift = 8*unit - last - bits
			} else if at, ok := child.Val(dwarf.AttrDataBitOffset).(int64); ok {
				f.Offset, f.Shift = at/8/unit*unit, at%(8*unit)
			}
		}
		if f.Offset < 0 || f.Bits < 0 || f.Shift < 0 || f.Bits+f.Shift > 64 {
			return diag.CompilerOutput.Errorf("entry %#x lies outside of its class", child.Offset)
		}
		t.Fields = append(t.Fields, f)
	}
	return nil
}
