package layout

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/internal/diag"
)

// Offset returns the offset in bytes of the data member called name in the class s, also one
// of an unnamed class in it or of a base, and its type: what offsetof has.
func Offset(s *ctype.Struct, name string) (offset int64, t ctype.Type, err error) {
	found, err := Struct(s)
	if err != nil {
		return 0, nil, err
	}
	for _, own := range [...]bool{true, false} {
		for _, m := range found.Members {
			if (m.Of == s) != own {
				continue
			}
			if m.Name == name && m.BitField {
				return 0, nil, diag.NotUnderstood.Errorf("%s of %s is a bit-field", name, s)
			}
			if m.Name == name {
				return m.Offset, m.Type, nil
			}
			if inner, ok := ctype.Unqualified(m.Type).(*ctype.Struct); ok && m.Name == "" {
				if offset, t, err = Offset(inner, name); err == nil {
					return m.Offset + offset, t, nil
				}
			}
		}
	}
	return 0, nil, diag.NotUnderstood.Errorf("%s has no member %s that is known here", s, name)
}
