package compare

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
)

// A Resolver makes types from what a compiler states, for kernels whose parameters package cu
// does not understand. Use one for all kernels of a file: it finds
// classes of one name that differ.
//
// The zero value is ready. One goroutine at a time may use it.
type Resolver struct {
	// Pos is the position that the types get: that of the kernel.
	Pos token.Position

	types map[*witness.Type]ctype.Type     // classes and enumerations
	named map[string]*witness.Type         // by qualified name
	names map[*witness.Type]string         // qualified names that symbols and typedefs tell
	told  map[*witness.Type]witness.Object // what the probe says of classes and enumerations

	opaque   map[*witness.Type]bool // classes that the source only declares, as the probe says
	declared bool                   // there are others that debug information only declares

	unsaid map[*witness.Type]bool // classes that are bytes
	aligns map[any]int64          // of classes, by layout.Identity, as answers about them say
}

// Learn notes what the symbol and the probe tell of the class or enumeration in the type
// of a parameter, as for Param: nvcc's debug information has neither namespaces nor
// alignments. Call it for all parameters of all kernels first, because a class may be a
// field of one and a parameter of another.
func (r *Resolver) Learn(t *witness.Type, answer *witness.Answer, demangled string) {
	if r.types == nil {
		r.types, r.named = make(map[*witness.Type]ctype.Type), make(map[string]*witness.Type)
		r.names, r.told = make(map[*witness.Type]string), make(map[*witness.Type]witness.Object)
		r.opaque = make(map[*witness.Type]bool)
	}
	object := answer.Object
	bare := t.Bare()
	if bare.Kind == witness.Pointer || bare.Kind == witness.Reference {
		bare, object = bare.Elem.Bare(), answer.Target
	}
	switch {
	case object.Kind != bare.Kind:
	case object.Size > 0:
		r.told[bare] = object
	default:
		r.opaque[bare] = true
	}
	for bare.Kind == witness.Pointer {
		bare = bare.Elem.Bare()
	}
	r.learnName(bare, leaf(demangled))
}

// learnName notes the qualified name of t, when it is a class or enumeration and the name
// fits its own.
func (r *Resolver) learnName(t *witness.Type, name string) {
	parts := split(name)
	if t.Kind != witness.Class && t.Kind != witness.Union && t.Kind != witness.Enum || name == "" || len(parts) == 0 {
		return
	}
	own := parts[len(parts)-1]
	scope, stated := statedName(t)
	if withoutArguments(own) != withoutArguments(stated) && (stated != "" || !isName(own)) {
		return
	}
	r.names[t] = name
	for _, taken := range []string{name, stated} { // a type whose scopes the compiler does not state may be another one
		if r.named[taken] == nil && (taken == name || len(scope) < len(parts)-1) {
			r.named[taken] = t
		}
	}
}

// Param returns the type of a parameter. t is from the debug information, answer from the
// probe, and demangled the type as the symbol has it, such as "phys::Particle const*";
// "" when it has none.
//
// Classes have the layout that the compiler states (ctype.Struct.Stated). The probe says
// how the parameter and what it points at are aligned. Classes inside of these get the
// least alignment that their fields have, unless Learn knows better, which moves nothing:
// their places are stated.
//
// It is an error when the compiler does not say enough, or the type can have no form in
// Go; then it says why.
func (r *Resolver) Param(t *witness.Type, answer *witness.Answer, demangled string) (ctype.Type, error) {
	r.Learn(t, answer, demangled)
	bare := t.Bare()
	if kind := answer.Kind; kind != bare.Kind {
		return nil, diag.LayoutsDisagree.Errorf("it is a %s by the debug information and a %s by the probe", bare.Kind, kind)
	}
	if bare.Size != answer.Size {
		return nil, diag.LayoutsDisagree.Errorf("it has %d bytes by the debug information and %d by the probe", bare.Size, answer.Size)
	}
	made, err := r.resolve(t, leaf(demangled))
	if err != nil {
		return nil, err
	}
	made = asParameter(made)
	if _, align, err := layout.Of(made); err != nil {
		return nil, err
	} else if align != answer.Align {
		return nil, diag.NotUnderstood.Errorf("%s is aligned to %d by the probe, but a type was made with it, aligned to %d, before Learn was told", made, answer.Align, align)
	}
	return made, nil
}

// asParameter returns t as the type of a function has it, without qualifiers of its own: C++ standard,
// [dcl.fct].
func asParameter(t ctype.Type) ctype.Type {
	switch u := t.(type) {
	case *ctype.Qualified:
		return asParameter(u.Type)
	case *ctype.Alias:
		if bare := asParameter(u.Type); bare != u.Type {
			return bare
		}
	}
	return t
}

// resolve returns the type of t. name is that of the builtin type at its end, as the
// symbol has it, or "".
func (r *Resolver) resolve(t *witness.Type, name string) (ctype.Type, error) {
	inner := func() (ctype.Type, error) { return r.resolve(t.Elem, name) }
	switch t.Kind {
	case witness.Void, witness.Bool, witness.Signed, witness.Unsigned, witness.Float:
		return basic(t, name)
	case witness.Typedef:
		// A typedef names a class without a name: C++ standard, [dcl.typedef].
		if _, stated := statedName(t.Elem); stated == "" && r.names[t.Elem] == "" && t.Elem.Kind != witness.Typedef {
			r.learnName(t.Elem, t.Name)
		}
		elem, err := inner()
		if err != nil || t.Name == "" || elem.String() == t.Name {
			return elem, err
		}
		return &ctype.Alias{Name: t.Name, Type: elem}, nil
	case witness.Const, witness.Volatile, witness.Restrict:
		elem, err := inner()
		if err != nil {
			return nil, err
		}
		return &ctype.Qualified{Type: elem, Const: t.Kind == witness.Const, Volatile: t.Kind == witness.Volatile, Restrict: t.Kind == witness.Restrict}, nil
	case witness.Pointer, witness.Reference:
		elem, err := r.target(t.Elem, name)
		if err != nil {
			return nil, err
		}
		if t.Kind == witness.Reference {
			return &ctype.Reference{Elem: elem}, nil
		}
		return &ctype.Pointer{Elem: elem}, nil
	case witness.Array:
		elem, err := inner()
		if err != nil {
			return nil, err
		}
		if t.Len < 1 {
			return nil, diag.NotUnderstood.Errorf("an array of %s has no elements", elem)
		}
		return &ctype.Array{Elem: elem, Len: t.Len}, nil
	case witness.Class, witness.Union:
		return r.class(t)
	case witness.Enum:
		return r.enum(t)
	case witness.Function:
		return &ctype.Function{Result: ctype.Builtin(ctype.Void)}, nil
	}
	return nil, diag.NotUnderstood.Errorf("the compiler calls its type %q, which has no form in Go", t.Name)
}

// target returns the type of what a pointer points at. A class that has no form in Go
// may be pointed at all the same.
func (r *Resolver) target(t *witness.Type, name string) (ctype.Type, error) {
	elem, err := r.resolve(t, name)
	bare := t.Bare()
	if err == nil || bare.Kind != witness.Class && bare.Kind != witness.Union {
		return elem, err
	}
	scope, own, ambiguous := r.name(bare)
	if ambiguous != nil {
		return nil, ambiguous
	}
	return &ctype.Struct{
		Name: own, Scope: scope, Pos: r.Pos, Union: bare.Kind == witness.Union, Complete: true,
		Unsupported: &ctype.Reason{Pos: r.Pos, Message: diag.MessageOf(err)},
	}, nil
}

// basic returns the builtin type that the symbol names, when it is one of the size that
// the compiler states, or else that of the debug information: there char16_t is unsigned
// short for nvcc.
func basic(t *witness.Type, name string) (ctype.Type, error) {
	for _, name := range []string{name, t.Name} {
		for kind := ctype.Void; kind <= ctype.UnsignedInt128; kind++ {
			b := ctype.Builtin(kind)
			if b.Name == name && b.Size == t.Size && (kindOf(b) == t.Kind || hostSigned(b, t.Kind)) {
				return b, nil
			}
		}
	}
	return nil, diag.NotUnderstood.Errorf("the compiler has a type %q, %s of %d bytes, which is not known", t.Name, t.Kind, t.Size)
}

// enum returns the type of an enumeration.
func (r *Resolver) enum(t *witness.Type) (ctype.Type, error) {
	if made := r.types[t]; made != nil {
		return made, nil
	}
	under := r.told[t].Under // Unknown when the probe was not asked
	if t.Elem != nil && under == witness.Unknown {
		under = t.Elem.Bare().Kind
	}
	if under == witness.Unknown {
		under = signOf(t)
	}
	scope, own, err := r.name(t)
	if err != nil {
		return nil, err
	}
	underlying := integerOf(under, t.Size)
	if underlying == nil {
		return nil, diag.NotUnderstood.Errorf("the compiler does not state the underlying type of enum %s, which decides the sign of a value", t.Name)
	}
	e := &ctype.Enum{Name: own, Scope: scope, Pos: r.Pos, Underlying: underlying, Stated: true}
	for _, value := range t.Enumerators {
		plain := enumeratorName(value.Name)
		e.Scoped = e.Scoped || plain != value.Name
		e.Enumerators = append(e.Enumerators, ctype.Enumerator{Name: plain, Pos: r.Pos, Value: value.Value, Known: true})
	}
	r.types[t] = e
	return e, nil
}

// signOf returns the kind below an enumeration as its values tell. Compilers write them
// as they are, but those of 64 bits as signed ones. Where all fit both, no byte depends on
// it.
func signOf(t *witness.Type) witness.Kind {
	kind := witness.Unsigned
	for _, e := range t.Enumerators {
		if e.Value < 0 {
			if t.Size == 8 {
				return witness.Unknown
			}
			kind = witness.Signed
		}
	}
	return kind
}

// integerOf returns an integer type, or nil when there is none of this kind and size.
func integerOf(kind witness.Kind, size int64) *ctype.Basic {
	for _, candidate := range []ctype.Kind{
		ctype.Bool, ctype.SignedChar, ctype.UnsignedChar, ctype.Short, ctype.UnsignedShort,
		ctype.Int, ctype.UnsignedInt, ctype.Long, ctype.UnsignedLong,
	} {
		if b := ctype.Builtin(candidate); b.Size == size && kindOf(b) == kind {
			return b
		}
	}
	return nil
}

// name returns the namespaces and the name of a class or enumeration, as far as they are
// known. Of an unnamed one it returns nothing, and of one whose name another type has: Go then names it
// by the field that it is the type of.
func (r *Resolver) name(t *witness.Type) (scope []string, name string, err error) {
	if parts := split(r.names[t]); r.names[t] != "" {
		if !r.claim(t, r.names[t]) {
			return nil, "", diag.NotUnderstood.Errorf("there are two types %s, and the compiler does not say in which namespaces", r.names[t])
		}
		return parts[:len(parts)-1], parts[len(parts)-1], nil
	}
	scope, name = statedName(t)
	if name != "" && !r.claim(t, strings.Join(append(slices.Clone(scope), name), "::")) {
		return nil, "", nil
	}
	return scope, name, nil
}

// claim notes that t has a name, and reports whether no other type has it. nvcc's debug information has
// no namespaces, so that several types may seem to have one name.
func (r *Resolver) claim(t *witness.Type, qualified string) bool {
	if other := r.named[qualified]; other != nil && !alike(other, t, make(map[[2]*witness.Type]bool)) {
		return false
	}
	r.named[qualified] = t
	return true
}

// alike reports whether two descriptions can be of one type. Pairs that are being compared, or were, are
// in seen.
func alike(x, y *witness.Type, seen map[[2]*witness.Type]bool) bool {
	x, y = x.Bare(), y.Bare()
	if pair := [2]*witness.Type{x, y}; x == y || seen[pair] {
		return true
	} else {
		seen[pair] = true
	}
	if x.Kind != y.Kind || x.Name != y.Name || x.Size != y.Size || x.Len != y.Len || !slices.Equal(x.Enumerators, y.Enumerators) {
		return false
	}
	if (x.Elem == nil) != (y.Elem == nil) || x.Elem != nil && !alike(x.Elem, y.Elem, seen) {
		return false
	}
	return slices.EqualFunc(x.Fields, y.Fields, func(f, g witness.Field) bool {
		return f.Name == g.Name && f.Base == g.Base && f.Offset == g.Offset && f.BitOffset == g.BitOffset && f.Bits == g.Bits && alike(f.Type, g.Type, seen)
	})
}
