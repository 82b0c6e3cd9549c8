package ctype

// Pointee returns what t, a pointer or a reference, points to; nil for other types.
func Pointee(t Type) Type {
	switch t := Unqualified(t).(type) {
	case *Pointer:
		return t.Elem
	case *Reference:
		return t.Elem
	}
	return nil
}

// HasName reports whether t is an alias called name, or of one.
func HasName(t Type, name string) bool {
	for {
		switch u := t.(type) {
		case *Alias:
			if u.Name == name {
				return true
			}
			t = u.Type
		case *Qualified:
			t = u.Type
		default:
			return false
		}
	}
}

// addressNames are the types of numbers that are addresses, or handles that stand for memory.
var addressNames = []string{"cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject", "CUdeviceptr"}

// tensorMap is a class that holds an address without saying so.
const tensorMap = "CUtensorMap"

// IsTensorMap reports whether t is CUtensorMap as cuda.h has it: one array of 16 words.
func IsTensorMap(t Type) bool {
	s, ok := Unqualified(t).(*Struct)
	if !ok || s.Name != tensorMap+"_st" || len(s.Scope) > 0 || len(s.Bases) > 0 || len(s.Fields) != 1 || s.Fields[0].Name != "opaque" {
		return false
	}
	words, ok := Unqualified(s.Fields[0].Type).(*Array)
	if !ok || words.Len != 16 {
		return false
	}
	word, ok := Unqualified(words.Elem).(*Basic)
	return ok && (word.Kind == UnsignedLong || word.Kind == UnsignedLongLong)
}

// HoldsAddress reports whether a value of type t is or has an address, or a handle that
// stands for memory.
func HoldsAddress(t Type) bool { return holdsAddress(t, make(map[*Struct]bool)) }

func holdsAddress(t Type, seen map[*Struct]bool) bool {
	for _, name := range addressNames {
		if HasName(t, name) {
			return true
		}
	}
	if Pointee(t) != nil {
		return true
	}
	switch t := Unqualified(t).(type) {
	case *Array:
		return holdsAddress(t.Elem, seen)
	case *Library:
		return t.Name == tensorMap
	case *Struct:
		if seen[t] {
			return false
		}
		seen[t] = true
		if t.Name == tensorMap || t.Name == tensorMap+"_st" {
			return true
		}
		for _, base := range t.Bases {
			if holdsAddress(base.Type, seen) {
				return true
			}
		}
		for _, f := range t.Fields {
			if holdsAddress(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
