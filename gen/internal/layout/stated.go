package layout

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// stated takes the layout that a compiler states, as long as it can be one: aligned to a
// power of two, and with every field within the class.
func (b *classBuilder) stated() error {
	s, stated := b.of, b.of.Stated
	switch {
	case len(stated.BitOffsets) != len(s.Fields) || len(s.Bases) > 0:
		return b.errorf(diag.NoLayout, "the compiler states the places of %d of its %d fields", len(stated.BitOffsets), len(s.Fields))
	case stated.Size < 1 || stated.Size > maxSize || stated.Align < 1 || stated.Align&(stated.Align-1) != 0 || stated.Size%stated.Align != 0:
		return b.errorf(diag.NoLayout, "the compiler states %d bytes, aligned to %d", stated.Size, stated.Align)
	}
	for i := range s.Fields {
		f, bit := &s.Fields[i], stated.BitOffsets[i]
		size, align, err := b.layouts.of(f.Type)
		if err != nil {
			return b.errorf(diag.CodeOf(err), "field %s: %w", cmp.Or(f.Name, "without a name"), err)
		}
		m := Member{Field: f, Of: s, Offset: bit / 8, Size: size}
		end := bit + 8*size
		if f.BitField {
			end = bit + f.Bits
			m.BitOffset, m.Size = bit, roundUp(end, 8)/8-m.Offset
		}
		if bit < 0 || end > 8*stated.Size || !f.BitField && bit%8 != 0 {
			return b.errorf(diag.NoLayout, "the compiler states that field %s begins at bit %d of %d bytes", f.Name, bit, stated.Size)
		}
		if !f.BitField && bit%(8*align) != 0 && stated.Align >= align {
			return b.errorf(diag.CompilersDiffer, "the compiler states that field %s lies at byte %d, where its type does not lie by itself, and nvcc itself has two opinions on such a field", f.Name, m.Offset)
		}
		elem, _ := element(f.Type)
		inner := b.layouts[elem]
		b.bits = b.bits || f.BitField || inner != nil && inner.bits
		b.members = append(b.members, m)
	}
	b.size, b.align = stated.Size, stated.Align
	b.pod = ctype.PODUnsure
	b.minTail, b.maxTail = b.size, b.size
	slices.SortStableFunc(b.members, func(x, y Member) int { return cmp.Compare(x.Offset, y.Offset) })
	for i := 1; i < len(b.members) && !s.Union; i++ {
		before, m := &b.members[i-1], &b.members[i]
		if !(before.BitField && m.BitField) && m.Offset < before.Offset+before.Size {
			return b.errorf(diag.NoLayout, "the compiler states that field %s lies in field %s, as [[no_unique_address]] allows, and Go has no such struct", m.Name, before.Name)
		}
	}
	b.goAlign = b.alignInGo()
	return nil
}
