package witness

import (
	"cmp"
	"slices"
)

// Members returns the fields of a class in the order of their places, those of its bases
// among them with their offsets in the class, without bit-fields that only pad, and without empty
// classes that lie in another member, as [[no_unique_address]] allows: what layout.Class has as members.
func (t *Type) Members() []Field {
	fields := appendFields(nil, t, 0, nil)
	slices.SortStableFunc(fields, func(x, y Field) int { return cmp.Compare(x.Offset, y.Offset) })
	if t.Kind == Union {
		return fields
	}
	all := slices.Clone(fields)
	return slices.DeleteFunc(fields, func(f Field) bool {
		return f.empty() && slices.ContainsFunc(all, func(g Field) bool {
			return !g.empty() && !g.BitField && g.Offset <= f.Offset && f.Offset < g.Offset+g.Type.Bare().Size
		})
	})
}

// Overlaps reports whether t has an empty class that lies in another member, as [[no_unique_address]] allows.
func (t *Type) Overlaps() bool { return len(t.Members()) < len(appendFields(nil, t, 0, nil)) }

// empty reports whether f is a class without anything in it.
func (f *Field) empty() bool {
	t := f.Type.Bare()
	return t.Kind == Class && t.Size == 1 && len(appendFields(nil, t, 0, nil)) == 0
}

// maxBases limits how deep bases nest: debug information may be damaged.
const maxBases = 100

func appendFields(list []Field, t *Type, offset int64, through []*Type) []Field {
	if len(through) > maxBases {
		return list
	}
	for _, f := range t.Fields {
		switch {
		case f.Base:
			base := f.Type.Bare()
			list = appendFields(list, base, offset+f.Offset, append(slices.Clip(through), base))
		case f.BitField && f.Name == "":
		default:
			f.Offset, f.Through = f.Offset+offset, through
			f.BitOffset += 8 * offset
			list = append(list, f)
		}
	}
	return list
}
