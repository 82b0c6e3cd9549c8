package bind

import (
	"cmp"
	"fmt"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/goname"
)

// bitField adds a bit-field to the run of them, m.Fields[run], or begins one, and returns its index.
// The bits of a union are in its storage.
func (b *builder) bitField(m *model.Struct, member *layout.Member, run int, forms []string, names *fieldNames) int {
	first := int64(0)
	if !m.Union {
		if run < 0 {
			run = len(m.Fields)
			names.add(goname.Forms("Bits", "Bits_"+cmp.Or(goname.Identifier(member.Name), fmt.Sprint(member.Offset))), "", run)
			m.Fields = append(m.Fields, model.Field{Offset: member.Offset})
		}
		f := &m.Fields[run]
		f.Size = member.Offset + member.Size - f.Offset
		elem := model.GoType{Kind: model.Basic, Name: "uint8", Size: 1, Align: 1}
		f.Type = model.GoType{Kind: model.Array, Elem: &elem, Len: f.Size, Size: f.Size, Align: 1}
		first = member.BitOffset - 8*f.Offset
		f.Bits = append(f.Bits, model.Bits{CName: member.Name, CType: member.Type.String(), First: first, Count: member.Bits})
	}
	sign, ok := bitsSign(member.Type, member.Bits)
	if !ok {
		return run
	}
	b.nameInner(forms, member.Name, member.Type)
	goType, err := layout.GoType(member.Type, b.named)
	if err != nil {
		b.errs.Add(member.Pos, fmt.Errorf("struct %s: field %s: %w", m.CName, member.Name, err))
		return run
	}
	one := model.BitField{CName: member.Name, CType: member.Type.String(), Doc: member.Doc, Type: goType, First: first, Count: member.Bits, Sign: sign}
	names.bits(member, len(m.BitFields), run)
	m.BitFields = append(m.BitFields, one)
	return run
}

// bitsSign returns how device code reads a bit-field of type t with count bits. ok is false if that
// is not known, or if no Go integer has its values.
//
// An enumeration without a negative enumerator is unsigned, whatever its underlying type, unless the
// bit-field has as many bits as that: nvcc and NVRTC read it so, and the enumerators of
// enum class E { A, B, C, D } fit in two bits.
func bitsSign(t ctype.Type, count int64) (sign model.BitsSign, ok bool) {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		switch {
		case t.Kind == ctype.Bool:
			return model.BitsBool, true
		case !t.Integer() || t.Size > 8:
			return "", false
		case t.Unsigned:
			return model.BitsUnsigned, true
		}
		return model.BitsSigned, true
	case *ctype.Enum:
		sign, ok = bitsSign(t.Underlying, count)
		if sign != model.BitsSigned || count == 8*t.Underlying.Size {
			return sign, ok
		}
		sign = model.BitsUnsigned
		for _, e := range t.Enumerators {
			if !e.Known {
				return "", false
			}
			if e.Value<<(64-8*t.Underlying.Size) < 0 {
				sign = model.BitsSigned
			}
		}
		return sign, true
	}
	return "", false
}
