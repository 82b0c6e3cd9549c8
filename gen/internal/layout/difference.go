package layout

import (
	"fmt"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// Difference says in words how two structs or enums of one name, from two sources,
// differ in what Go sees of them; it is empty when they do not. The members' own types
// are compared by their names alone, unless they have none.
func Difference(a, b ctype.Type) string {
	switch a := a.(type) {
	case *ctype.Struct:
		if b, ok := b.(*ctype.Struct); ok {
			return structDifference(a, b)
		}
	case *ctype.Enum:
		if b, ok := b.(*ctype.Enum); ok {
			return enumDifference(a, b)
		}
	}
	return "one is a class, the other an enumeration"
}

func structDifference(a, b *ctype.Struct) string {
	x, errX := Struct(a)
	y, errY := Struct(b)
	switch {
	case errX != nil || errY != nil:
		return "" // reported where it is used
	case a.Union != b.Union:
		return "one is a union"
	case x.Size != y.Size || x.Align != y.Align:
		return fmt.Sprintf("it has %d bytes aligned to %d, and %d bytes aligned to %d", x.Size, x.Align, y.Size, y.Align)
	case len(x.Members) != len(y.Members):
		return fmt.Sprintf("it has %d members, and %d", len(x.Members), len(y.Members))
	}
	for i, m := range x.Members {
		n := y.Members[i]
		if m.Name != n.Name {
			return fmt.Sprintf("member %d is %s, and %s", i, m.Name, n.Name)
		}
		if m.Offset != n.Offset || m.Size != n.Size || m.BitOffset != n.BitOffset || m.Bits != n.Bits || ctype.WithoutVersions(m.Type.Demangled()) != ctype.WithoutVersions(n.Type.Demangled()) {
			return fmt.Sprintf("member %s is %s at byte %d, and %s at byte %d", m.Name, m.Type, m.Offset, n.Type, n.Offset)
		}
		if inner, ok := ctype.Unqualified(m.Type).(*ctype.Struct); ok && inner.Name == "" {
			if difference := Difference(inner, ctype.Unqualified(n.Type)); difference != "" {
				return fmt.Sprintf("member %s: %s", m.Name, difference)
			}
		}
	}
	return ""
}

func enumDifference(a, b *ctype.Enum) string {
	if a.Underlying.Demangled() != b.Underlying.Demangled() {
		return fmt.Sprintf("its integer type is %s, and %s", a.Underlying, b.Underlying)
	}
	same := func(x, y ctype.Enumerator) bool { return x.Name == y.Name && x.Value == y.Value && x.Known == y.Known }
	if !slices.EqualFunc(a.Enumerators, b.Enumerators, same) {
		return "its enumerators differ"
	}
	return ""
}
