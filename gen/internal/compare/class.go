package compare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
)

// class returns the type of a class or union with the layout that the compiler states.
func (r *Resolver) class(t *witness.Type) (ctype.Type, error) {
	if made := r.types[t]; made != nil {
		return made, nil
	}
	align := r.told[t].Align // 0 when the probe was not asked
	scope, own, err := r.name(t)
	if err != nil {
		return nil, err
	}
	if found := known(scope, own); found != nil && same(found, t, align) {
		return found, nil
	}
	if r.unsaid[t] && own != "" && r.told[t].Size == t.Size {
		made := &ctype.Library{Name: cmp.Or(r.names[t], strings.Join(append(scope, own), "::")), Size: t.Size, Align: align, Union: t.Kind == witness.Union}
		r.types[t] = made
		return made, nil
	}
	s := &ctype.Struct{Name: own, Scope: scope, Pos: r.Pos, Union: t.Kind == witness.Union, POD: ctype.PODUnsure}
	r.types[t] = s // before its fields, which may point at it
	if !t.Complete() {
		r.declared = r.declared || !r.opaque[t]
		return s, nil
	}
	s.Complete, s.Stated = true, &ctype.Stated{Size: t.Size}
	if err = r.fields(s, t); err == nil {
		if s.Stated.Align = cmp.Or(align, r.aligns[layout.Identity(s)]); s.Stated.Align == 0 {
			s.Stated.Align = max(t.Align, leastAlign(s))
		}
		_, err = layout.Struct(s)
	}
	if err != nil { // its fields may have pointers to it
		s.Unsupported = &ctype.Reason{Pos: r.Pos, Message: diag.MessageOf(err)}
		delete(r.types, t)
		return nil, err
	}
	return s, nil
}

func (r *Resolver) fields(s *ctype.Struct, t *witness.Type) error {
	bases := make(map[*witness.Type]*ctype.Step)
	for _, f := range t.Members() {
		if strings.HasPrefix(f.Name, "__vptr") || strings.HasPrefix(f.Name, "_vptr") {
			return diag.Virtual.Errorf("%s has virtual functions, and kernels cannot use objects that the host made of such a class", s)
		}
		fieldType, err := r.resolve(f.Type, "")
		if err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, s, err)
		}
		bit := 8 * f.Offset
		if f.BitField {
			bit = f.BitOffset
		}
		field := ctype.Field{Name: f.Name, Pos: r.Pos, Type: fieldType, BitField: f.BitField, Bits: f.Bits}
		for _, base := range f.Through {
			if bases[base] == nil {
				_, name := statedName(base)
				if base.Overlaps() {
					return diag.CompilersDiffer.Errorf("base class %s of %s has a member without bytes of its own, and nvcc itself has two opinions on what follows it", name, s)
				}
				bases[base] = &ctype.Step{Name: name}
			}
			field.Through = append(field.Through, bases[base])
		}
		s.Fields = append(s.Fields, field)
		s.Stated.BitOffsets = append(s.Stated.BitOffsets, bit)
	}
	return nil
}

// leastAlign returns the largest alignment of a field of s that agrees with the places of
// all fields and the size. Of a packed class it is less than that of its fields.
func leastAlign(s *ctype.Struct) int64 {
	align := int64(1)
	for i, f := range s.Fields {
		_, fieldAlign, err := layout.Of(f.Type)
		if err == nil && !f.BitField && s.Stated.BitOffsets[i]%(8*fieldAlign) == 0 {
			align = max(align, fieldAlign)
		}
	}
	for s.Stated.Size%align != 0 {
		align /= 2
	}
	return align
}

// same reports whether the compiler describes t as the class of CUDA that found is.
// align is 0 when it is not known.
func same(found ctype.Type, t *witness.Type, align int64) bool {
	_, want, err := layout.Of(found)
	if err != nil || align != 0 && align != want {
		return false
	}
	_, err = Variable("", found, t)
	return err == nil
}
