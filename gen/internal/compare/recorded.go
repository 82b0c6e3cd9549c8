package compare

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// A TypeWriter puts types into a record, each once.
type TypeWriter struct {
	Types []record.Type
	known map[any]int // by typeKey
}

// A spelled type is one with a name or with parts. Aliases of one name may be other types: the members type of std::decay and
// of what that derives from.
type spelled struct {
	text string
	of   any // the key of what it is made of
}

// A class is one as a kernel has it: the source may say nothing of the layout of a class that one kernel points at,
// while a compiler told another kernel all of it.
type class struct {
	identity  any // layout.Identity
	hasLayout bool
}

// typeKey returns what t has in common with equal types alone.
func typeKey(t ctype.Type) any {
	var of any
	switch t := t.(type) {
	case *ctype.Struct:
		_, err := layout.Struct(t)
		return class{layout.Identity(t), err == nil}
	case *ctype.Enum:
		return layout.Identity(t)
	case *ctype.Alias:
		of = typeKey(t.Type)
	case *ctype.Qualified:
		of = typeKey(t.Type)
	case *ctype.Pointer:
		of = typeKey(t.Elem)
	case *ctype.Reference:
		of = typeKey(t.Elem)
	case *ctype.Array:
		of = typeKey(t.Elem)
	}
	return spelled{t.String() + "\x00" + t.Demangled(), of}
}

// Add returns the index of t.
func (w *TypeWriter) Add(t ctype.Type) int {
	key := typeKey(t)
	if w.known == nil {
		w.known = make(map[any]int)
	}
	if i, ok := w.known[key]; ok {
		return i
	}
	i := len(w.Types)
	w.known[key] = i
	w.Types = append(w.Types, record.Type{})
	w.Types[i] = w.describe(t)
	return i
}

func (w *TypeWriter) describe(t ctype.Type) record.Type {
	switch t := t.(type) {
	case *ctype.Basic:
		return record.Type{Kind: "basic", Name: t.Name}
	case *ctype.Vector:
		return record.Type{Kind: "vector", Name: t.Name}
	case *ctype.Library:
		kind := "library"
		if t.Union {
			kind = "library union"
		}
		return record.Type{Kind: kind, Name: t.Name, Size: t.Size, Align: t.Align}
	case *ctype.Alias:
		return record.Type{Kind: "alias", Name: t.Name, Elem: w.Add(t.Type)}
	case *ctype.Qualified:
		var words []string
		for word, on := range map[string]bool{"const": t.Const, "restrict": t.Restrict, "volatile": t.Volatile} {
			if on {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		return record.Type{Kind: "qualified", Qualifiers: strings.Join(words, " "), Elem: w.Add(t.Type)}
	case *ctype.Pointer:
		return record.Type{Kind: "pointer", Elem: w.Add(t.Elem)}
	case *ctype.Reference:
		return record.Type{Kind: "reference", Elem: w.Add(t.Elem)}
	case *ctype.Array:
		return record.Type{Kind: "array", Elem: w.Add(t.Elem), Len: t.Len}
	case *ctype.Enum:
		return w.enum(t)
	case *ctype.Struct:
		return w.class(t)
	}
	return record.Type{Kind: "function"}
}

func (w *TypeWriter) enum(t *ctype.Enum) record.Type {
	d := record.Type{Kind: "enum", Name: t.Name, Scope: t.Scope, Scoped: t.Scoped, Elem: w.Add(t.Underlying)}
	for _, e := range t.Enumerators {
		if e.Known {
			d.Enumerators = append(d.Enumerators, record.Enumerator{Name: e.Name, Value: e.Value})
		}
	}
	return d
}

// notUnderstood stands in records for why a class has no layout: the reason itself has positions, as the user names files.
const notUnderstood = "its layout is not understood"

// class describes a class by its layout, which is from the compiler or the source.
func (w *TypeWriter) class(t *ctype.Struct) record.Type {
	d := record.Type{Kind: "class", Name: t.Name + ctype.Arguments(t.Args), Scope: t.Scope}
	if t.Union {
		d.Kind = "union"
	}
	found, err := layout.Struct(t)
	if err != nil {
		d.Unsupported = notUnderstood
		return d
	}
	d.Size, d.Align = found.Size, found.Align
	for _, m := range found.Members {
		member := record.Member{Name: m.Name, Type: w.Add(m.Type), Bit: 8 * m.Offset}
		if m.BitField {
			member.Bit, member.Bits = m.BitOffset, &m.Bits
		}
		d.Members = append(d.Members, member)
	}
	return d
}

// A TypeReader makes types of those in a record.
type TypeReader struct {
	Types []record.Type
	Pos   token.Position // that types get
	made  map[int]ctype.Type
}

// At returns the type of index i.
func (r *TypeReader) At(i int) (ctype.Type, error) {
	if r.made == nil {
		r.made = make(map[int]ctype.Type)
	}
	if i < 0 || i >= len(r.Types) {
		return nil, diag.BadRecord.Errorf("there is no type %d", i)
	}
	if t, ok := r.made[i]; ok {
		if t == nil {
			return nil, diag.BadRecord.Errorf("type %d is made of itself", i)
		}
		return t, nil
	}
	r.made[i] = nil
	t, err := r.read(i, &r.Types[i])
	r.made[i] = t
	return t, err
}

func (r *TypeReader) read(i int, d *record.Type) (ctype.Type, error) {
	switch d.Kind {
	case "class", "union":
		return r.class(i, d)
	case "function":
		return &ctype.Function{Result: ctype.Builtin(ctype.Void)}, nil
	case "basic":
		for kind := ctype.Void; kind <= ctype.NullPtr; kind++ {
			if b := ctype.Builtin(kind); b.Name == d.Name {
				return b, nil
			}
		}
		return nil, diag.BadRecord.Errorf("there is no builtin type %q", d.Name)
	case "vector":
		if v := ctype.LookupVector(d.Name); v != nil {
			return v, nil
		}
		return nil, diag.BadRecord.Errorf("there is no vector type %q", d.Name)
	case "library", "library union":
		return &ctype.Library{Name: d.Name, Size: d.Size, Align: d.Align, Union: d.Kind == "library union"}, nil
	}
	elem, err := r.At(d.Elem)
	if err != nil {
		return nil, err
	}
	switch d.Kind {
	case "alias":
		return &ctype.Alias{Name: d.Name, Type: elem}, nil
	case "qualified":
		words := strings.Fields(d.Qualifiers)
		has := func(word string) bool { return slices.Contains(words, word) }
		return &ctype.Qualified{Type: elem, Const: has("const"), Volatile: has("volatile"), Restrict: has("restrict")}, nil
	case "pointer":
		return &ctype.Pointer{Elem: elem}, nil
	case "reference":
		return &ctype.Reference{Elem: elem}, nil
	case "array":
		if d.Len < 1 {
			return nil, diag.BadRecord.Errorf("type %d is an array of %d", i, d.Len)
		}
		return &ctype.Array{Elem: elem, Len: d.Len}, nil
	case "enum":
		underlying, ok := elem.(*ctype.Basic)
		if !ok || !underlying.Integer() {
			return nil, diag.BadRecord.Errorf("type %d is an enumeration over %s", i, elem)
		}
		t := &ctype.Enum{Name: d.Name, Scope: d.Scope, Pos: r.Pos, Scoped: d.Scoped, Underlying: underlying, Stated: true}
		for _, e := range d.Enumerators {
			t.Enumerators = append(t.Enumerators, ctype.Enumerator{Name: e.Name, Pos: r.Pos, Value: e.Value, Known: true})
		}
		return t, nil
	}
	return nil, diag.BadRecord.Errorf("type %d is of the unknown kind %q", i, d.Kind)
}

// class makes a class before its members: one may point at it.
func (r *TypeReader) class(i int, d *record.Type) (ctype.Type, error) {
	t := &ctype.Struct{Name: d.Name, Scope: d.Scope, Pos: r.Pos, Union: d.Kind == "union", Complete: true}
	r.made[i] = t
	if d.Unsupported != "" {
		t.Unsupported = &ctype.Reason{Pos: r.Pos, Message: diag.NoLayout.New(d.Unsupported)}
		return t, nil
	}
	t.Stated = &ctype.Stated{Size: d.Size, Align: d.Align}
	for _, m := range d.Members {
		elem, err := r.At(m.Type)
		if err != nil {
			return nil, err
		}
		f := ctype.Field{Name: m.Name, Pos: r.Pos, Type: elem}
		if m.Bits != nil {
			f.BitField, f.Bits = true, *m.Bits
		}
		t.Fields = append(t.Fields, f)
		t.Stated.BitOffsets = append(t.Stated.BitOffsets, m.Bit)
	}
	return t, nil
}
