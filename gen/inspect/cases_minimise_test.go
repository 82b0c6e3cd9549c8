package inspect_test

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// minimiseCase returns a small case that fails as c does: as long as one part less still
// fails, that part is taken out. fails may be slow: it is called a few times for each
// part of c, which it must not keep.
func minimiseCase(c *kernelCase, fails func(*kernelCase) bool) *kernelCase {
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range c.smaller() {
			if fails(candidate) {
				c, smaller = candidate, true
				break
			}
		}
	}
	return c
}

// smaller returns the cases with one part less than c: a parameter, a class that nothing
// needs, a base, a field, an attribute.
func (c *kernelCase) smaller() []*kernelCase {
	var list []*kernelCase
	for i := range c.Params {
		s := c.clone()
		s.Params = slices.Delete(s.Params, i, i+1)
		list = append(list, s)
	}
	for i, class := range c.Classes {
		if !c.uses(class.Struct) {
			s := c.clone()
			s.Classes = slices.Delete(s.Classes, i, i+1)
			list = append(list, s)
		}
	}
	for i := range c.Classes {
		for j := range c.Classes[i].Bases {
			s := c.clone()
			s.Classes[i].Bases = slices.Delete(s.Classes[i].Bases, j, j+1)
			list = append(list, s)
		}
		for j := range c.Classes[i].Fields {
			s := c.clone()
			s.Classes[i].Fields = slices.Delete(s.Classes[i].Fields, j, j+1)
			s.Classes[i].Default = s.Classes[i].Default && j > 0
			list = append(list, s)
		}
		if class := c.Classes[i]; class.Align != 0 || class.Pack != 0 || class.Packed {
			s := c.clone()
			s.Classes[i].Align, s.Classes[i].Packed = 0, false
			unpack(s.Classes[i].Struct)
			list = append(list, s)
		}
	}
	return list
}

// unpack takes #pragma pack away from s and the classes without a name in it.
func unpack(s *ctype.Struct) {
	s.Pack = 0
	for i := range s.Fields {
		if inner, ok := s.Fields[i].Type.(*ctype.Struct); ok && inner.Name == "" {
			unpack(inner)
		}
	}
}

// uses reports whether a parameter, a base or a field of c has the type s.
func (c *kernelCase) uses(s *ctype.Struct) bool {
	for _, t := range c.Params {
		if mentions(t, s) {
			return true
		}
	}
	for _, class := range c.Classes {
		for _, base := range class.Bases {
			if base.Type == s {
				return true
			}
		}
		if class.Struct != s && mentions(class.Struct, s) {
			return true
		}
	}
	return false
}

func mentions(t ctype.Type, s *ctype.Struct) bool {
	switch t := t.(type) {
	case *ctype.Array:
		return mentions(t.Elem, s)
	case *ctype.Struct:
		if t == s {
			return true
		}
		for i := range t.Fields {
			if field := t.Fields[i].Type; mentions(field, s) {
				return true
			}
		}
	}
	return false
}

// clone returns a copy of c that shares no class with it.
func (c *kernelCase) clone() *kernelCase {
	copied := *c
	classes := make(map[*ctype.Struct]*ctype.Struct)
	copied.Classes = nil
	for _, class := range c.Classes {
		twin := *class
		twin.Struct = copyClass(class.Struct, classes)
		copied.Classes = append(copied.Classes, &twin)
	}
	copied.Params = make([]ctype.Type, len(c.Params))
	for i, t := range c.Params {
		copied.Params[i] = copyType(t, classes)
	}
	return &copied
}

func copyClass(s *ctype.Struct, classes map[*ctype.Struct]*ctype.Struct) *ctype.Struct {
	if twin := classes[s]; twin != nil {
		return twin
	}
	twin := *s
	classes[s] = &twin
	twin.Bases = slices.Clone(s.Bases)
	for i := range twin.Bases {
		twin.Bases[i].Type = copyClass(s.Bases[i].Type, classes)
	}
	twin.Fields = slices.Clone(s.Fields)
	for i := range twin.Fields {
		twin.Fields[i].Type = copyType(s.Fields[i].Type, classes)
	}
	return &twin
}

func copyType(t ctype.Type, classes map[*ctype.Struct]*ctype.Struct) ctype.Type {
	switch t := t.(type) {
	case *ctype.Array:
		return &ctype.Array{Elem: copyType(t.Elem, classes), Len: t.Len}
	case *ctype.Struct:
		return copyClass(t, classes)
	}
	return t
}
