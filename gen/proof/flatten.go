package proof

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/witness"
)

// flatten returns the fields of a class in the order of their places, those of its bases
// among them with their offsets in the class, without bit-fields that only pad: what
// layout.Class has as members.
func flatten(t *witness.Type) []witness.Field {
	fields := appendFields(nil, t, 0, 0)
	slices.SortStableFunc(fields, func(x, y witness.Field) int { return cmp.Compare(x.Offset, y.Offset) })
	return fields
}

// maxBases limits how deep bases nest: debug information may be damaged.
const maxBases = 100

func appendFields(list []witness.Field, t *witness.Type, offset int64, depth int) []witness.Field {
	if depth > maxBases {
		return list
	}
	for _, f := range t.Fields {
		switch {
		case f.Base:
			list = appendFields(list, f.Type.Bare(), offset+f.Offset, depth+1)
		case f.BitField && f.Name == "":
		default:
			f.Offset += offset
			f.BitOffset += 8 * offset
			list = append(list, f)
		}
	}
	return list
}
