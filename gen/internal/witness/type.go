package witness

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// wrappers are the types that are made of one other type.
var wrappers = map[dwarf.Tag]Kind{
	dwarf.TagPointerType: Pointer, dwarf.TagReferenceType: Reference, dwarf.TagRvalueReferenceType: Reference,
	dwarf.TagTypedef: Typedef, dwarf.TagConstType: Const, dwarf.TagVolatileType: Volatile, dwarf.TagRestrictType: Restrict,
}

// encodings are the kinds of base types: DWARF, Encoding Attribute Values.
var encodings = map[int64]Kind{
	0x02: Bool, 0x04: Float, 0x05: Signed, 0x06: Signed, 0x07: Unsigned, 0x08: Unsigned, 0x10: Unsigned,
}

// addressSize is the size of a pointer in bytes: ReadDebug is for 64-bit code.
const addressSize = 8

// fill describes the type of entry n in t.
func (r *debugReader) fill(t *Type, n *node) (err error) {
	t.Name = n.text(dwarf.AttrName)
	t.Size, _ = n.number(dwarf.AttrByteSize)
	t.Align, _ = n.number(dwarf.AttrAlignment)
	if t.Size < 0 || t.Align < 0 {
		return diag.CompilerOutput.Errorf("entry %#x has a negative size", n.Offset)
	}
	switch n.Tag {
	case dwarf.TagBaseType:
		encoding, _ := n.number(dwarf.AttrEncoding)
		t.Kind = encodings[encoding]
	case dwarf.TagUnspecifiedType:
		if t.Name == "void" {
			t.Kind = Void
		}
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType, dwarf.TagTypedef,
		dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType:
		return r.wrapper(t, n)
	case dwarf.TagSubroutineType:
		t.Kind = Function
	case dwarf.TagArrayType:
		return r.array(t, n)
	case dwarf.TagEnumerationType:
		return r.enum(t, n)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		return r.class(t, n)
	default:
		t.Name = n.Tag.String()
	}
	return nil
}

func (r *debugReader) wrapper(t *Type, n *node) (err error) {
	t.Kind = wrappers[n.Tag]
	if t.Elem, err = r.typeOf(n); err != nil {
		return err
	}
	// A chain of typedefs must end: a damaged file may have one in a circle.
	for inner, steps := t.Elem, 0; inner != nil && inner.Kind >= Typedef; inner, steps = inner.Elem, steps+1 {
		if inner == t || steps > maxDepth {
			return diag.CompilerOutput.New("a typedef names itself")
		}
	}
	if t.Kind == Pointer || t.Kind == Reference {
		t.Size = addressSize
	} else if t.Elem.Size != 0 {
		t.Size = t.Elem.Size
	}
	return nil
}

// array makes an array of arrays of an entry with several dimensions.
func (r *debugReader) array(t *Type, n *node) error {
	elem, err := r.typeOf(n)
	if err != nil {
		return err
	}
	var lengths []int64
	for _, child := range n.children {
		if child.Tag != dwarf.TagSubrangeType {
			continue
		}
		length, ok := child.number(dwarf.AttrCount)
		if !ok {
			last, known := child.number(dwarf.AttrUpperBound)
			if known {
				length = last + 1
			}
		}
		if length < 0 || length > maxLen {
			return diag.CompilerOutput.Errorf("entry %#x is an array of %d elements", n.Offset, length)
		}
		lengths = append(lengths, length)
	}
	if len(lengths) == 0 {
		return diag.CompilerOutput.Errorf("entry %#x is an array without dimensions", n.Offset)
	}
	for i := len(lengths) - 1; i > 0; i-- {
		elem = &Type{Kind: Array, Elem: elem, Len: lengths[i], Size: arraySize(elem, lengths[i])}
	}
	*t = Type{Kind: Array, Elem: elem, Len: lengths[0], Size: arraySize(elem, lengths[0])}
	return nil
}

// maxLen limits the length of an array, so that no size overflows.
const maxLen = 1 << 31

func arraySize(elem *Type, length int64) int64 {
	if elem.Size > maxLen {
		return 0
	}
	return elem.Size * length
}

func (r *debugReader) enum(t *Type, n *node) (err error) {
	t.Kind, t.Scope = Enum, n.scope()
	if n.Val(dwarf.AttrType) != nil {
		if t.Elem, err = r.typeOf(n); err != nil {
			return err
		}
	}
	for _, child := range n.children {
		if child.Tag == dwarf.TagEnumerator {
			value, _ := child.number(dwarf.AttrConstValue)
			t.Enumerators = append(t.Enumerators, Enumerator{child.text(dwarf.AttrName), value})
		}
	}
	return nil
}

// scope returns the names of what is around n, as far as the compiler says.
func (n *node) scope() (scope []string) {
	for p := n.parent; p != nil; p = p.parent {
		switch p.Tag {
		case dwarf.TagNamespace, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			scope = append([]string{p.text(dwarf.AttrName)}, scope...)
		}
	}
	return scope
}

func (r *debugReader) class(t *Type, n *node) error {
	t.Kind, t.Scope = Class, n.scope()
	if n.Tag == dwarf.TagUnionType {
		t.Kind = Union
	}
	if n.flag(dwarf.AttrDeclaration) {
		t.Size = 0
	}
	for _, child := range n.children {
		if child.Tag != dwarf.TagMember && child.Tag != dwarf.TagInheritance || child.flag(dwarf.AttrExternal) || child.flag(dwarf.AttrDeclaration) {
			continue // a member function, a nested type, a static member
		}
		field, err := r.field(child)
		if err != nil {
			return fmt.Errorf("%s::%s: %w", t.Name, child.text(dwarf.AttrName), err)
		}
		t.Fields = append(t.Fields, field)
	}
	return nil
}

// baseMember begins the name of the members that nvcc up to 13.0 writes for base
// classes. The mangled class follows.
const baseMember = "__b_"

func (r *debugReader) field(n *node) (f Field, err error) {
	f.Name = n.text(dwarf.AttrName)
	if f.Type, err = r.typeOf(n); err != nil {
		return f, err
	}
	if f.Offset, err = n.location(); err != nil {
		return f, err
	}
	// No member that the user names has this prefix and no place in the source.
	if n.Tag == dwarf.TagInheritance || strings.HasPrefix(f.Name, baseMember) && n.Val(dwarf.AttrDeclLine) == nil {
		f.Name, f.Base = "", true
	}
	if f.Bits, f.BitField = n.number(dwarf.AttrBitSize); !f.BitField {
		return f, nil
	}
	unit, ok := n.number(dwarf.AttrByteSize)
	if !ok {
		unit = f.Type.Size
	}
	if last, counted := n.number(dwarf.AttrBitOffset); counted { // from the unit's most significant bit: DWARF 2 and 3
		f.BitOffset = 8*(f.Offset+unit) - last - f.Bits
	} else if first, counted := n.number(dwarf.AttrDataBitOffset); counted {
		f.BitOffset = first
	} else {
		f.BitOffset = 8 * f.Offset
	}
	if f.Bits < 0 || f.BitOffset < 0 {
		return f, diag.CompilerOutput.New("a bit-field lies before its class")
	}
	f.Offset = f.BitOffset / 8
	return f, nil
}

// location returns the offset of a member: a number, or an operation that adds one to the
// address of the class. DWARF, Data Member Entries.
func (n *node) location() (int64, error) {
	const plusConstant, constant = 0x23, 0x10 // DW_OP_plus_uconst, DW_OP_constu
	switch value := n.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil:
		return 0, nil
	case int64:
		if value >= 0 {
			return value, nil
		}
	case []byte:
		offset := int64(0)
		if len(value) < 2 || value[0] != plusConstant && value[0] != constant {
			break
		}
		for i, b := range value[1:] {
			if i > 4 {
				break
			}
			offset |= int64(b&0x7f) << (7 * i)
			if b < 0x80 && i == len(value)-2 {
				return offset, nil
			}
		}
	}
	return 0, diag.CompilerOutput.Errorf("the place %v of a member is not understood", n.Val(dwarf.AttrDataMemberLoc))
}
