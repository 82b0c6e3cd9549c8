package ptxdebug

import (
	"debug/dwarf"
	"slices"
	"strings"
)

// enumeration reads the enumerators of an enumeration, and its underlying type.
func (r *reader) enumeration(t *Type, e *dwarf.Entry) error {
	t.Kind = Enum
	for _, child := range r.children[e.Offset] {
		if child.Tag == dwarf.TagEnumerator {
			value, _ := child.Val(dwarf.AttrConstValue).(int64)
			t.Values = append(t.Values, Enumerator{sourceName(text(child, dwarf.AttrName)), value})
		}
	}
	t.Elem = t.underlying()
	of, err := r.typeOf(e)
	if err != nil {
		return err
	}
	if bare := of.Bare(); (bare.Kind == Signed || bare.Kind == Unsigned) && bare.Size == t.Size {
		t.Elem = bare
	}
	return nil
}

// underlying returns an integer type that holds the enumerators. nvcc writes no underlying type, but the value of each enumerator with its sign.
// Those of 8 bytes are an exception: there -1 and the largest unsigned number are written alike, and the type is unsigned.
// Where both would do, it is that of most programs: unsigned if it is shorter than an int, else signed.
func (t *Type) underlying() *Type {
	large := slices.ContainsFunc(t.Values, func(e Enumerator) bool { return t.Size < 8 && e.Value>>(8*t.Size-1) > 0 || t.Size == 8 && e.Value < 0 })
	if large || t.Size < 4 && !t.hasNegative() {
		return &Type{Kind: Unsigned, Size: t.Size}
	}
	return &Type{Kind: Signed, Size: t.Size}
}

// Enumerator returns the enumerators that a name may stand for, by their types. A name may leave out the namespaces and functions that it is in, and have the type of an
// enumeration that is not scoped. One that is named in full hides others.
func (i *Info) Enumerator(name string) map[*Type]Enumerator {
	found := make(map[*Type]Enumerator)
	for _, t := range i.Enums {
		for _, e := range t.Values {
			if e.Name == name {
				return map[*Type]Enumerator{t: e}
			}
			if t.names(e, name) {
				found[t] = e
			}
		}
	}
	return found
}

// names reports whether a name stands for an enumerator of t.
func (t *Type) names(e Enumerator, name string) bool {
	last := e.Name[strings.LastIndex(e.Name, ":")+1:]
	inType := t.Name + "::" + last
	if e.Name == inType && name == last { // it is scoped
		return false
	}
	return strings.HasSuffix("::"+e.Name, "::"+name) || strings.HasSuffix("::"+inType, "::"+name)
}

// hasNegative reports whether the debug information has a negative enumerator of an enumeration.
func (t *Type) hasNegative() bool {
	return slices.ContainsFunc(t.Values, func(e Enumerator) bool { return e.Value < 0 })
}

// IsSigned reports whether a bit-field of an integer type or enumeration has a sign. That of an enumeration has one if an enumerator is negative.
func (t *Type) IsSigned() bool {
	switch t = t.Bare(); t.Kind {
	case Signed, Char:
		return true
	case Enum:
		return t.Elem != nil && t.Elem.Kind == Signed && t.hasNegative()
	}
	return false
}
