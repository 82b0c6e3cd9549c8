package clib

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// types are the enumerations and structs that the Go package declares.
type types struct {
	trimmed func(name string) string
	spelled func(t ctype.Type) string // as C++ has it
	enums   []*enum
	structs []*structure
	names   map[any]string // Go names by identity
	nested  map[any]nested // by identity: types that C++ cannot name, because they, or classes around them, have no name
}

// A nested type is one that is found through a member.
type nested struct {
	name  string // outer_member, of which the Go name is made
	says  string // C++ for it
	outer string // C++ for the class whose member it is the type of
}

// identity is layout.Identity, but for types inside of a class without a name, which only a typedef may name: they are themselves.
func identity(t ctype.Type) any {
	var scope []string
	switch t := t.(type) {
	case *ctype.Struct:
		scope = t.Scope
	case *ctype.Enum:
		scope = t.Scope
	}
	if slices.Contains(scope, "") {
		return t
	}
	return layout.Identity(t)
}

// within notes the type of a member of s if C++ cannot name it.
func (ts *types) within(s *structure, m *layout.Member) {
	inner := ctype.Unqualified(m.Type)
	for {
		array, ok := inner.(*ctype.Array)
		if !ok {
			break
		}
		inner = ctype.Unqualified(array.Elem)
	}
	name, scope := "", []string(nil)
	switch t := inner.(type) {
	case *ctype.Struct:
		name, scope = t.Name, t.Scope
	case *ctype.Enum:
		name, scope = t.Name, t.Scope
	default:
		return
	}
	if key := identity(inner); (name == "" || slices.Contains(scope, "")) && ts.nested[key].says == "" {
		ts.nested[key] = nested{s.name + "_" + cmp.Or(name, m.Name), fmt.Sprintf("cudagen_elem<decltype(%s::%s)>::type", s.says, m.Name), s.says}
	}
}

// named returns what is known of t, whose name is usual unless it is found through a member.
func (ts *types) named(t ctype.Type, usual string) nested {
	if one, ok := ts.nested[identity(t)]; ok {
		return one
	}
	return nested{name: usual, says: ts.spelled(t)}
}

// An enum is an enumeration in Go.
type enum struct {
	*ctype.Enum
	nested
	goName string
	typ    model.GoType // below it
	names  []string     // Go names of the enumerators
}

// A structure is a struct in Go.
type structure struct {
	*ctype.Struct
	nested
	goName      string
	size, align int64
	fields      []member
}

// A member is a field of a structure. Padding has no name.
type member struct {
	name, goName string
	typ          model.GoType
	offset       int64
}

// of returns the Go type with the memory of t.
func (ts *types) of(t ctype.Type) (model.GoType, error) {
	if name := complexName(t); name != "" {
		size := map[string]int64{"complex64": 8, "complex128": 16}[name]
		return model.GoType{Kind: model.Basic, Name: name, Size: size, Align: size / 2}, nil
	}
	if pointer, ok := ctype.Unqualified(t).(*ctype.Pointer); ok && complexName(pointer.Elem) != "" {
		elem, err := ts.of(pointer.Elem)
		return model.GoType{Kind: model.Pointer, Elem: &elem, Size: 8, Align: 8}, err
	}
	var failed error
	goType, err := layout.GoType(t, func(inner ctype.Type) model.GoType {
		name, err := ts.declare(inner)
		if failed == nil {
			failed = err
		}
		return model.GoType{Kind: model.Local, Name: name}
	})
	if err == nil {
		err = failed
	}
	return goType, err
}

// complexName returns the Go name of t if it is a complex number: CUDA has typedefs for vectors of two, whose names end with
// Complex; "" for others.
func complexName(t ctype.Type) string {
	for {
		switch u := t.(type) {
		case *ctype.Qualified:
			t = u.Type
		case *ctype.Alias:
			if v, ok := ctype.Unqualified(u).(*ctype.Vector); ok && strings.HasSuffix(u.Name, "Complex") {
				return map[string]string{"float2": "complex64", "double2": "complex128"}[v.String()]
			}
			t = u.Type
		default:
			return ""
		}
	}
}

// declare returns the Go name of a struct or an enumeration, which the package declares from then on.
func (ts *types) declare(t ctype.Type) (string, error) {
	if name := ts.names[identity(t)]; name != "" {
		return name, nil
	}
	switch t := t.(type) {
	case *ctype.Enum:
		return ts.declareEnum(t)
	case *ctype.Struct:
		return ts.declareStruct(t)
	}
	return "", fmt.Errorf("type %s has no Go type", t)
}

func (ts *types) goName(t ctype.Type, name string) string {
	goName := ts.trimmed(strings.ReplaceAll(name, "::", "_"))
	ts.names[identity(t)] = goName
	return goName
}

func (ts *types) declareEnum(t *ctype.Enum) (string, error) {
	size, _, err := layout.Of(t)
	switch {
	case err != nil:
		return "", err
	}
	usual := t.Name
	if slices.Contains(t.Scope, "") {
		usual = ""
	}
	known := ts.named(t, usual)
	if known.name == "" {
		return "", diag.NotUnderstood.New("an enumeration without a name has no Go name")
	}
	e := &enum{Enum: t, nested: known, goName: ts.goName(t, known.name), typ: model.GoType{Kind: model.Basic, Name: fmt.Sprintf("int%d", 8*size)}}
	if t.Underlying != nil && t.Underlying.Unsigned {
		e.typ.Name = "u" + e.typ.Name
	}
	for _, one := range t.Enumerators {
		if !one.Known {
			return "", diag.ConstantExpression.Errorf("the value of %s is not known", one.Name)
		}
		e.names = append(e.names, ts.trimmed(one.Name))
	}
	ts.enums = append(ts.enums, e)
	return e.goName, nil
}

func (ts *types) declareStruct(t *ctype.Struct) (string, error) {
	if !t.Complete {
		return "", diag.NotDefined.Errorf("%s is not defined: %w", t.QualifiedName(), diag.Do("if it stands for an object of the library, write //cudagen:handle %s* destroy=FUNCTION", t.QualifiedName()))
	}
	class, err := layout.Struct(t)
	if err != nil {
		return "", err
	}
	known := ts.named(t, t.QualifiedName())
	s := &structure{Struct: t, nested: known, goName: ts.goName(t, known.name), size: class.Size, align: class.Align}
	for i, m := range class.Members {
		ts.within(s, &class.Members[i])
		goType, err := ts.of(m.Type)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s::%s: %w", s.name, m.Name, err)
		case t.Union:
			return "", diag.NoLayout.Errorf("%s is a union, which Go does not have: %w", s.name, diag.Do("leave the function out: //cudagen:ignore"))
		case m.Name == "" || class.Raw(&class.Members[i], goType):
			return "", diag.NoLayout.Errorf("%s: its member %s is no field that Go can have: it has no name, is a bit-field, or lies where Go puts none: %w", s.name, m.Name, diag.Do("leave the function out: //cudagen:ignore"))
		}
		s.fields = append(s.fields, member{name: m.Name, goName: goname.Exported(m.Name), typ: goType, offset: m.Offset})
	}
	claims := make([]goname.Claim, len(s.fields))
	for i, f := range s.fields {
		claims[i] = goname.Forms(f.goName, goname.Verbatim(f.name))
	}
	names, _ := goname.Settle(claims)
	for i, n := range names {
		if n == nil {
			return "", diag.GoName.Errorf("%s has several members that are called %s in Go", s.name, s.fields[i].goName)
		}
		s.fields[i].goName = n[0]
	}
	ts.structs = append(ts.structs, s)
	return s.goName, nil
}

// text returns the Go declaration of s, with padding where Go would put a field elsewhere.
func (s *structure) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s is %s of %d bytes.\ntype %[1]s struct {\n", s.goName, s.name, s.size)
	at, align := int64(0), int64(1)
	pad := func(to int64) {
		if at < to {
			fmt.Fprintf(&b, "_ [%d]byte\n", to-at)
		}
	}
	for _, f := range s.fields {
		pad(f.offset)
		fmt.Fprintf(&b, "%s %s\n", f.goName, f.typ)
		at, align = f.offset+f.typ.Size, max(align, f.typ.Align)
	}
	pad(s.size)
	b.WriteString("}\n")
	return b.String()
}

// sort puts what was declared in an order that does not depend on that of the functions.
func (ts *types) sort() {
	slices.SortFunc(ts.enums, func(a, b *enum) int { return strings.Compare(a.goName, b.goName) })
	slices.SortFunc(ts.structs, func(a, b *structure) int { return strings.Compare(a.goName, b.goName) })
}
