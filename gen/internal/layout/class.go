package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

// A class is the layout of a struct, class or union as others see it that contain it.
type class struct {
	members     []Member
	size, align int64
	goAlign     int64 // of the Go struct with the same members

	pod    ctype.PODness // with the types of its fields
	empty  bool          // it has no data: C++ standard, [meta.unary.prop], is_empty
	packed bool          // a field of it, or inside of one, is aligned less than its type
	bits   bool          // it has bit-fields, or a field has

	// As a base, it takes the bytes up to tail. What is behind that, up to size, is
	// padding, in which a derived class may place its own members. Compilers agree that
	// it ends at minTail at the earliest and at maxTail at the latest.
	minTail, maxTail int64

	// Two subobjects of one type never have the same address. Only those without data
	// can come to lie that way, so only these are noted.
	empties []subobject
}

// A subobject is a class without data at an offset in bytes.
type subobject struct {
	typ     any // the identity of the class
	offset  int64
	inUnion bool
}

// maxEmpties limits the list of empty subobjects in one class.
const maxEmpties = 4096

// A classBuilder computes one class: Itanium C++ ABI, Non-POD Class Types. The words in
// quotation marks are those of the ABI.
type classBuilder struct {
	layouts layouts
	of      *ctype.Struct
	*class

	minEnd, maxEnd int64 // "dsize": where the last member ends, as minTail and maxTail say
	minSize        int64 // "sizeof" for minEnd, before it is rounded up; size is that for maxEnd
	used           int64 // with inUnit: the bits in use, from the start of the class
	inUnit         bool  // the last member is a bit-field
	unnamedAlign   int64 // the largest alignment of the type of a bit-field without a name
}

func (b *classBuilder) errorf(code diag.Code, format string, args ...any) error {
	return code.Errorf("layout of "+b.of.String()+": "+format, args...)
}

func (b *classBuilder) build() error {
	s := b.of
	if s.Virtual {
		return b.errorf(diag.Virtual, "it has virtual functions, and kernels cannot use objects that the host made of such a class")
	}
	if s.Stated != nil {
		return b.stated()
	}
	b.empty = !s.Union
	for i := range s.Bases {
		if err := b.base(&s.Bases[i]); err != nil {
			return err
		}
	}
	for i := range s.Fields {
		if err := b.field(&s.Fields[i]); err != nil {
			return err
		}
	}
	return b.finish()
}

// base places a base class.
func (b *classBuilder) base(base *ctype.Base) error {
	s := b.of
	if base.Virtual {
		return b.errorf(diag.Virtual, "base class %s is virtual, and kernels cannot use objects that the host made of such a class", base.Type)
	}
	if s.Packed || s.Pack != 0 || slices.ContainsFunc(s.Fields, func(f ctype.Field) bool { return f.Packed }) {
		return b.errorf(diag.CompilersDiffer, "it is packed and has base classes, which compilers lay out in different ways")
	}
	inner, err := b.layouts.structure(base.Type)
	if err != nil {
		return fmt.Errorf("base class %s of %s: %w", base.Type, s, err)
	}
	if inner.packed || inner.bits {
		return b.errorf(diag.CompilersDiffer, "its base class %s is packed or has bit-fields, and nvcc itself has two opinions on the size of such a parameter", base.Type)
	}
	b.pod = ctype.PODNo
	b.align = max(b.align, inner.align)
	if inner.empty {
		// "Its allocation is similar to a virtual base": at 0 first, then as any other.
		offset := int64(0)
		clash, err := b.conflict(inner, 0)
		if err == nil && clash {
			offset, err = b.place(inner, inner.align)
		}
		if err != nil {
			return err
		}
		b.size = max(b.size, offset+inner.size)
		b.minSize = max(b.minSize, offset+inner.size)
		return b.note(base.Type, inner, offset)
	}
	b.empty = false
	offset, err := b.place(inner, inner.align)
	if err != nil {
		return err
	}
	b.minEnd, b.maxEnd = offset+inner.minTail, offset+inner.maxTail
	b.size = max(b.size, b.maxEnd)
	b.minSize = max(b.minSize, b.minEnd)
	for _, m := range inner.members {
		m.Offset += offset
		m.BitOffset += 8 * offset
		b.members = append(b.members, m)
	}
	return b.note(base.Type, inner, offset)
}

// place returns where the next member begins: at the end, aligned, and moved on as long
// as two subobjects would share an address. inner is nil for a member without classes.
func (b *classBuilder) place(inner *class, align int64) (int64, error) {
	offset := roundUp(b.minEnd, align)
	if offset != roundUp(b.maxEnd, align) {
		return 0, b.errorf(diag.CompilersDiffer, "compilers differ on whether the padding behind its base class is used again, because members are defaulted or fields are initialised")
	}
	for inner != nil {
		clash, err := b.conflict(inner, offset)
		if err != nil {
			return 0, err
		}
		if !clash {
			break
		}
		offset += align
	}
	return offset, nil
}

// conflict reports whether an empty subobject of inner at offset would share its address
// with another of the same type. Compilers look into unions for these to different depths.
func (b *classBuilder) conflict(inner *class, offset int64) (bool, error) {
	for _, e := range inner.empties {
		for _, other := range b.empties {
			switch {
			case other.typ != e.typ || other.offset != offset+e.offset:
			case other.inUnion || e.inUnion:
				return false, b.errorf(diag.CompilersDiffer, "it has %v twice at one place, once in a union, which compilers lay out in different ways", e.typ)
			default:
				return true, nil
			}
		}
	}
	return false, nil
}

// note remembers the empty subobjects of inner, a class s at offset.
func (b *classBuilder) note(s *ctype.Struct, inner *class, offset int64) error {
	for _, e := range inner.empties {
		b.empties = append(b.empties, subobject{e.typ, offset + e.offset, e.inUnion || b.of.Union})
	}
	if len(b.empties) > maxEmpties {
		return b.errorf(diag.NoLayout, "it has too many empty members, the last of class %s", s)
	}
	return nil
}

// field places a field.
func (b *classBuilder) field(f *ctype.Field) error {
	s := b.of
	size, align, err := b.layouts.of(f.Type)
	if err != nil {
		return fmt.Errorf("field %s of %s: %w", cmp.Or(f.Name, "without a name"), s, err)
	}
	if basic, ok := arrayElement(f.Type).(*ctype.Basic); ok && basic.Kind == ctype.LongDouble {
		return b.errorf(diag.CompilersDiffer, "field %s is a long double, which has 8 bytes in device code, but nvcc lays out classes with it in two ways", f.Name)
	}
	elem, count := element(f.Type)
	inner := b.layouts[elem]
	b.nonPOD(f, inner)
	if own := ctype.AliasAlign(arrayOf(f.Type)); own != 0 {
		if err = b.aliasAlign(f, own); err != nil {
			return err
		}
	}
	natural := align
	if align, err = b.fieldAlign(f, align, inner); err != nil {
		return err
	}
	b.packed = b.packed || align < natural || inner != nil && inner.packed
	b.bits = b.bits || f.BitField || inner != nil && inner.bits
	if f.BitField {
		return b.bitField(f, size, align)
	}
	b.empty = false
	offset := int64(0)
	if !s.Union {
		if offset, err = b.placeField(inner, count, align); err != nil {
			return err
		}
	}
	if inner != nil && len(inner.empties) > 0 {
		for i := range count {
			if err := b.note(elem, inner, offset+i*inner.size); err != nil {
				return err
			}
		}
	}
	b.members = append(b.members, Member{Field: f, Of: s, Offset: offset, Size: size})
	b.end(offset+size, align)
	return nil
}

// end notes that a member of the alignment align ends at end.
func (b *classBuilder) end(end, align int64) {
	b.inUnit = false
	b.align = max(b.align, align)
	b.minEnd = max(b.minEnd, end)
	b.maxEnd = b.minEnd
	b.size = max(b.size, b.minEnd)
	b.minSize = max(b.minSize, b.minEnd)
}

// placeField returns where a field begins that is an array of count classes inner, or
// has no class in it.
func (b *classBuilder) placeField(inner *class, count, align int64) (int64, error) {
	offset, err := b.place(nil, align)
	if err != nil || inner == nil || len(b.empties) == 0 || len(inner.empties) == 0 {
		return offset, err
	}
	if count > maxEmpties {
		return 0, b.errorf(diag.NoLayout, "it has too many empty members")
	}
	for at := int64(0); at < count; {
		clash, err := b.conflict(inner, offset+at*inner.size)
		if err != nil {
			return 0, err
		}
		if clash {
			offset += align
			at = 0
			continue
		}
		at++
	}
	return offset, nil
}

// element returns the class t, or the class of the elements of the array t, and their number.
// The class is nil for other types.
func element(t ctype.Type) (*ctype.Struct, int64) {
	count := int64(1)
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Array:
			t = u.Elem
			count *= u.Len
		case *ctype.Struct:
			return u, count
		default:
			return nil, count
		}
	}
}

// nonPOD notes what the type of f means for the PODness of the class.
func (b *classBuilder) nonPOD(f *ctype.Field, inner *class) {
	_, reference := ctype.Unqualified(f.Type).(*ctype.Reference)
	pod := podness(f.Type, inner)
	switch {
	case reference, pod == ctype.PODNo:
		b.pod = ctype.PODNo
	case b.pod == ctype.PODYes:
		b.pod = pod
	}
}

// podness returns the PODness of t, whose elements have the class inner, if any. The
// classes of libraries have constructors, or not; dim3 has.
func podness(t ctype.Type, inner *class) ctype.PODness {
	if inner != nil {
		return inner.pod
	}
	switch t := arrayElement(t).(type) {
	case *ctype.Library:
		return ctype.PODUnsure
	case *ctype.Vector:
		if t.Name == "dim3" {
			return ctype.PODNo
		}
	}
	return ctype.PODYes
}

// arrayElement returns what t has as elements of arrays, or t.
func arrayElement(t ctype.Type) ctype.Type {
	for {
		u := ctype.Unqualified(t)
		array, ok := u.(*ctype.Array)
		if !ok {
			return u
		}
		t = array.Elem
	}
}

// fieldAlign returns the alignment of f, whose type has the alignment align.
//
// GCC manual, Common Type Attributes: packed; Structure-Layout Pragmas.
func (b *classBuilder) fieldAlign(f *ctype.Field, align int64, inner *class) (int64, error) {
	s := b.of
	packed := align
	if s.Packed || f.Packed {
		switch {
		case align > 1 && podness(f.Type, inner) != ctype.PODYes:
			return 0, b.errorf(diag.CompilersDiffer, "field %s is packed, but its class is not a plain C struct, and compilers differ on what that means", f.Name)
		case f.Align != 0:
			return 0, b.errorf(diag.CompilersDiffer, "field %s is both packed and aligned, which compilers understand in different ways", f.Name)
		}
		packed = 1
	}
	if s.Pack != 0 {
		packed = min(packed, s.Pack)
		if f.Align != 0 {
			return 0, b.errorf(diag.CompilersDiffer, "field %s is aligned under #pragma pack, which compilers understand in different ways", f.Name)
		}
	}
	return max(packed, f.Align), nil
}

// aliasAlign refuses what compilers do not agree on when an alias aligns the type of f, or
// its elements, to own bytes.
func (b *classBuilder) aliasAlign(f *ctype.Field, own int64) error {
	if s := b.of; s.Packed || f.Packed || s.Pack != 0 || f.Align != 0 || f.BitField {
		return b.errorf(diag.CompilersDiffer, "field %s is packed, aligned or a bit-field, and a typedef aligns its type, which compilers understand in different ways", f.Name)
	}
	_, align, err := b.layouts.unaliased(arrayOf(f.Type))
	if err == nil && own < align {
		err = b.errorf(diag.CompilersDiffer, "a typedef lowers the alignment of field %s, and nvcc itself has two opinions on the size of such a parameter", f.Name)
	}
	return err
}

// arrayOf returns t, or its elements when it is an array that no alias aligns.
func arrayOf(t ctype.Type) ctype.Type {
	for ctype.AliasAlign(t) == 0 {
		array, ok := ctype.Unqualified(t).(*ctype.Array)
		if !ok {
			break
		}
		t = array.Elem
	}
	return t
}

// bitField places a bit-field whose type has size bytes.
//
// AMD64 ABI supplement, Bit-Fields: it lies within a unit of its type, at the next free
// bit. One of width 0 begins a new unit; types of those without a name do not count for
// the alignment, but on other hosts they do.
func (b *classBuilder) bitField(f *ctype.Field, size, align int64) error {
	s := b.of
	unit := 8 * size
	switch {
	case s.Packed, f.Packed, s.Pack != 0, f.Align != 0:
		return b.errorf(diag.CompilersDiffer, "it has bit-fields that are packed or aligned, which compilers lay out in different ways")
	case f.Bits < 0 || f.Bits > unit || f.Bits == 0 && f.Name != "":
		return b.errorf(diag.NoLayout, "bit-field %s has %d bits, and its type has %d", f.Name, f.Bits, unit)
	}
	if f.Name == "" {
		b.unnamedAlign = max(b.unnamedAlign, align)
	} else {
		b.align = max(b.align, align)
	}
	if f.Bits > 0 {
		b.empty = false
	}
	bit := int64(0)
	if !s.Union {
		if !b.inUnit {
			if b.minEnd != b.maxEnd {
				return b.errorf(diag.CompilersDiffer, "a bit-field follows its base class, whose padding compilers use in different ways")
			}
			b.used = 8 * b.minEnd
		}
		bit = b.used
		if f.Bits == 0 || bit/unit != (bit+f.Bits-1)/unit {
			bit = roundUp(bit, unit)
		}
	}
	end := bit + f.Bits
	first, last := bit/8, roundUp(end, 8)/8
	if f.Name != "" {
		b.members = append(b.members, Member{Field: f, Of: s, Offset: first, Size: last - first, BitOffset: bit})
	}
	b.end(last, 1)
	b.used, b.inUnit = end, true
	return nil
}

// finish rounds the size up, and says what a derived class sees.
func (b *classBuilder) finish() error {
	s := b.of
	if b.unnamedAlign > b.align {
		return b.errorf(diag.CompilersDiffer, "a bit-field without a name has a type that is aligned more than the rest, which hosts treat in different ways")
	}
	if b.size > maxSize {
		return diag.NoLayout.Errorf("struct %s is too large", s)
	}
	// "nvsize(C) is sizeof(C)" before it is rounded up; of a POD for the purpose of
	// layout, it is the whole size.
	b.minTail, b.maxTail = b.minSize, b.size
	b.size = roundUp(max(1, b.size), b.align)
	switch b.pod {
	case ctype.PODYes:
		b.minTail, b.maxTail = b.size, b.size
	case ctype.PODUnsure:
		b.maxTail = b.size
	}
	if b.empty {
		b.empties = append(b.empties, subobject{typ: Identity(s)})
	}
	slices.SortStableFunc(b.members, func(x, y Member) int { return cmp.Compare(x.Offset, y.Offset) })
	b.goAlign = b.alignInGo()
	return nil
}

// alignInGo returns the alignment of the Go struct: that of the members which stand in
// it as they are.
func (b *classBuilder) alignInGo() int64 {
	if b.of.Union {
		return unionUnit(b.size, b.align)
	}
	align := int64(1)
	for _, m := range b.members {
		if goAlign := b.layouts.goAlign(m.Type); !m.raw(goAlign, b.align) {
			align = max(align, goAlign)
		}
	}
	return align
}

// raw reports whether Go cannot have the member as a field of its own type, of alignment
// goAlign, in a class of the C++ alignment align: it is a bit-field, or packed.
func (m *Member) raw(goAlign, align int64) bool {
	return m.BitField || goAlign > align || m.Offset%goAlign != 0
}

// Raw reports whether m has to be bytes in the Go struct of c, because it is a bit-field
// or lies where Go cannot have a field of type t, which is m's.
func (c *Class) Raw(m *Member, t model.GoType) bool { return m.raw(t.Align, c.Align) }

// Identity returns what is the same for two values that stand for one struct or enum: its
// name, or the value itself when it has none.
func Identity(t ctype.Type) any {
	switch t := t.(type) {
	case *ctype.Struct:
		if t.Name != "" {
			return t.QualifiedName()
		}
	case *ctype.Enum:
		if t.Name != "" {
			return t.QualifiedName()
		}
	}
	return t
}
