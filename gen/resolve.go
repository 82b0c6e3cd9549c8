package gen

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/witness"
)

// The kernels in unit.unclear are those whose parameters the front end does not
// understand: it is smaller than C++, and headers may not be there. The compiler knows
// them, so a kernel that compiles gets its wrapper all the same, if its parameters have a
// form in Go. What the compiler said is kept in the record: regenerating needs no
// compiler.

// resolve takes the types of the unclear kernels from the compiler's testimony. Kernels
// of which it does not say enough are left in unclear, with the reason.
func (u *unit) resolve(t *testimony, seen *image.Image) {
	resolver := &proof.Resolver{}
	type pending struct {
		s        *selection.Kernel
		debug    *witness.Kernel
		compiled *image.Kernel
	}
	var list []pending
	var told []selection.Told
	cannot := func(s *selection.Kernel, err error) {
		told = append(told, selection.Told{Kernel: s, Reason: fmt.Sprintf("%s: the compiler does not tell its parameters either: %v", s.Name, err)})
	}
	for _, s := range u.sel.Unclear {
		compiled, debug, err := find(s, t, seen)
		if err != nil {
			cannot(s, err)
			continue
		}
		list = append(list, pending{s, debug, compiled})
		for i, p := range debug.Params {
			resolver.Learn(p.Type, &t.answers[s.Origin][i], demangledType(compiled, i))
		}
	}
	for _, one := range list {
		params, err := resolved(one.s, resolver, one.debug, t.answers[one.s.Origin], one.compiled)
		if err != nil {
			cannot(one.s, err)
			continue
		}
		told = append(told, selection.Told{Kernel: one.s, Params: params})
	}
	u.sel = read.Explain(u.sel, told, u.options.read(false))
}

// find returns what image and debug information have of an unclear kernel.
func find(s *selection.Kernel, t *testimony, seen *image.Image) (*image.Kernel, *witness.Kernel, error) {
	name := s.QualifiedName()
	if s.ExternC {
		name = s.Name
	}
	named := 0
	for _, k := range seen.Kernels {
		if k.Name == name {
			named++
		}
	}
	if named > 1 {
		return nil, nil, fmt.Errorf("the compiler has %d kernels of this name, and which is which cannot be told", named)
	}
	compiled, err := seen.Find(name, nil)
	if err != nil {
		return nil, nil, err
	}
	there, err := t.image.Find(name, compiled.ParamTypes)
	if err != nil {
		return nil, nil, err
	}
	debug := t.debug.Kernel(there.Symbol)
	if debug == nil {
		return nil, nil, fmt.Errorf("the compiler has no debug information of it")
	}
	if len(debug.Params) != len(compiled.Params) {
		return nil, nil, fmt.Errorf("it does not use all its parameters, and the compiler does not tell those that it does not use")
	}
	if t.answers[s.Origin] == nil {
		return nil, nil, fmt.Errorf("the compiler could not be asked about it")
	}
	return compiled, debug, nil
}

func demangledType(k *image.Kernel, i int) string {
	if i < len(k.ParamTypes) {
		return k.ParamTypes[i]
	}
	return ""
}

// resolved returns the parameters of s with the types that the compiler tells, where the
// source does not.
func resolved(s *selection.Kernel, r *proof.Resolver, debug *witness.Kernel, answers []witness.Answer, compiled *image.Kernel) ([]cu.Param, error) {
	r.Pos = s.Pos
	var params []cu.Param
	for i, p := range debug.Params {
		param := cu.Param{Name: p.Name, Pos: s.Pos}
		if len(s.Params) == len(debug.Params) {
			param = s.Params[i]
		}
		if param.Type == nil {
			t, err := r.Param(p.Type, &answers[i], demangledType(compiled, i))
			if err != nil {
				return nil, fmt.Errorf("parameter %d: %w", i, err)
			}
			param.Type = t
		}
		params = append(params, param)
	}
	return params, nil
}

// recall takes the types of the unclear kernels from the committed record.
func (u *unit) recall(r *record.Record) error {
	types := &typeReader{types: r.Types, made: make(map[int]ctype.Type)}
	var told []selection.Told
	for _, s := range u.sel.Unclear {
		types.pos = s.Pos
		i := slices.IndexFunc(r.Kernels, func(k record.Kernel) bool { return k.Name == s.QualifiedName() && k.Resolved != nil })
		if i < 0 {
			j := slices.IndexFunc(r.Refused, func(k record.Refusal) bool { return k.Name == s.QualifiedName() })
			if j < 0 {
				u.reasons = append(u.reasons, "the compiler has not been asked about "+s.Name)
			} else {
				told = append(told, selection.Told{Kernel: s, Reason: r.Refused[j].Reason})
			}
			continue
		}
		var params []cu.Param
		for j, index := range r.Kernels[i].Resolved {
			param := cu.Param{Name: r.Kernels[i].Params[j].Name, Pos: s.Pos}
			if len(s.Params) == len(r.Kernels[i].Resolved) {
				param = s.Params[j]
			}
			if param.Type == nil {
				t, err := types.at(index)
				if err != nil {
					return &record.DamagedError{Path: u.place.Record, Err: err}
				}
				param.Type = t
			}
			params = append(params, param)
		}
		told = append(told, selection.Told{Kernel: s, Params: params})
	}
	u.sel = read.Explain(u.sel, told, u.options.read(false))
	return nil
}

// refusals returns the kernels that are left unclear, with what was said of them last.
func (u *unit) refusals() []record.Refusal {
	var list []record.Refusal
	for _, s := range u.sel.Unclear {
		list = append(list, record.Refusal{Name: s.QualifiedName(), Reason: s.Errors[len(s.Errors)-1].Msg})
	}
	return list
}

// A typeWriter puts types into a record, each once.
type typeWriter struct {
	types []record.Type
	known map[any]int // by layout.Identity or spelling
}

// add returns the index of t.
func (w *typeWriter) add(t ctype.Type) int {
	key := layout.Identity(t)
	switch t.(type) {
	case *ctype.Struct, *ctype.Enum:
	default:
		key = t.String() + "\x00" + t.Demangled()
	}
	if i, ok := w.known[key]; ok {
		return i
	}
	i := len(w.types)
	w.known[key] = i
	w.types = append(w.types, record.Type{})
	w.types[i] = w.describe(t)
	return i
}

func (w *typeWriter) describe(t ctype.Type) record.Type {
	switch t := t.(type) {
	case *ctype.Basic:
		return record.Type{Kind: "basic", Name: t.Name}
	case *ctype.Vector:
		return record.Type{Kind: "vector", Name: t.Name}
	case *ctype.Library:
		return record.Type{Kind: "library", Name: t.Name, Size: t.Size, Align: t.Align}
	case *ctype.Alias:
		return record.Type{Kind: "alias", Name: t.Name, Elem: w.add(t.Type)}
	case *ctype.Qualified:
		var words []string
		for word, on := range map[string]bool{"const": t.Const, "restrict": t.Restrict, "volatile": t.Volatile} {
			if on {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		return record.Type{Kind: "qualified", Qualifiers: strings.Join(words, " "), Elem: w.add(t.Type)}
	case *ctype.Pointer:
		return record.Type{Kind: "pointer", Elem: w.add(t.Elem)}
	case *ctype.Reference:
		return record.Type{Kind: "reference", Elem: w.add(t.Elem)}
	case *ctype.Array:
		return record.Type{Kind: "array", Elem: w.add(t.Elem), Len: t.Len}
	case *ctype.Enum:
		return w.enum(t)
	case *ctype.Struct:
		return w.class(t)
	}
	return record.Type{Kind: "function"}
}

func (w *typeWriter) enum(t *ctype.Enum) record.Type {
	d := record.Type{Kind: "enum", Name: t.Name, Scope: t.Scope, Scoped: t.Scoped, Elem: w.add(t.Underlying)}
	for _, e := range t.Enumerators {
		if e.Known {
			d.Enumerators = append(d.Enumerators, record.Enumerator{Name: e.Name, Value: e.Value})
		}
	}
	return d
}

// class describes a class by its layout, whoever knows it: the compiler or the source.
func (w *typeWriter) class(t *ctype.Struct) record.Type {
	d := record.Type{Kind: "class", Name: t.Name + ctype.Arguments(t.Args), Scope: t.Scope}
	if t.Union {
		d.Kind = "union"
	}
	found, err := layout.Struct(t)
	if err != nil {
		d.Unsupported = err.Error()
		return d
	}
	d.Size, d.Align = found.Size, found.Align
	for _, m := range found.Members {
		member := record.Member{Name: m.Name, Type: w.add(m.Type), Bit: 8 * m.Offset}
		if m.BitField {
			member.Bit, member.Bits = m.BitOffset, &m.Bits
		}
		d.Members = append(d.Members, member)
	}
	return d
}

// A typeReader makes types of those in a record.
type typeReader struct {
	types []record.Type
	made  map[int]ctype.Type
	pos   token.Position // that types get
}

func (r *typeReader) at(i int) (ctype.Type, error) {
	if i < 0 || i >= len(r.types) {
		return nil, fmt.Errorf("there is no type %d", i)
	}
	if t, ok := r.made[i]; ok {
		if t == nil {
			return nil, fmt.Errorf("type %d is made of itself", i)
		}
		return t, nil
	}
	r.made[i] = nil
	t, err := r.read(i, &r.types[i])
	r.made[i] = t
	return t, err
}

func (r *typeReader) read(i int, d *record.Type) (ctype.Type, error) {
	switch d.Kind {
	case "class", "union":
		return r.class(i, d)
	case "function":
		return &ctype.Function{Result: ctype.Builtin(ctype.Void)}, nil
	case "basic":
		for kind := ctype.Void; kind <= ctype.UnsignedInt128; kind++ {
			if b := ctype.Builtin(kind); b.Name == d.Name {
				return b, nil
			}
		}
		return nil, fmt.Errorf("there is no builtin type %q", d.Name)
	case "vector":
		if v := ctype.LookupVector(d.Name); v != nil {
			return v, nil
		}
		return nil, fmt.Errorf("there is no vector type %q", d.Name)
	case "library":
		return &ctype.Library{Name: d.Name, Size: d.Size, Align: d.Align}, nil
	}
	elem, err := r.at(d.Elem)
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
			return nil, fmt.Errorf("type %d is an array of %d", i, d.Len)
		}
		return &ctype.Array{Elem: elem, Len: d.Len}, nil
	case "enum":
		underlying, ok := elem.(*ctype.Basic)
		if !ok || !underlying.Integer() {
			return nil, fmt.Errorf("type %d is an enumeration over %s", i, elem)
		}
		t := &ctype.Enum{Name: d.Name, Scope: d.Scope, Pos: r.pos, Scoped: d.Scoped, Underlying: underlying, Stated: true}
		for _, e := range d.Enumerators {
			t.Enumerators = append(t.Enumerators, ctype.Enumerator{Name: e.Name, Pos: r.pos, Value: e.Value, Known: true})
		}
		return t, nil
	}
	return nil, fmt.Errorf("type %d is of the unknown kind %q", i, d.Kind)
}

// class makes a class before its members: one may point at it.
func (r *typeReader) class(i int, d *record.Type) (ctype.Type, error) {
	t := &ctype.Struct{Name: d.Name, Scope: d.Scope, Pos: r.pos, Union: d.Kind == "union", Complete: true}
	r.made[i] = t
	if d.Unsupported != "" {
		t.Unsupported = &ctype.Reason{Pos: r.pos, Text: d.Unsupported}
		return t, nil
	}
	t.Stated = &ctype.Stated{Size: d.Size, Align: d.Align}
	for _, m := range d.Members {
		elem, err := r.at(m.Type)
		if err != nil {
			return nil, err
		}
		f := ctype.Field{Name: m.Name, Pos: r.pos, Type: elem}
		if m.Bits != nil {
			f.BitField, f.Bits = true, *m.Bits
		}
		t.Fields = append(t.Fields, f)
		t.Stated.BitOffsets = append(t.Stated.BitOffsets, m.Bit)
	}
	return t, nil
}
