package bind

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/goname"
)

// named returns the Go type of a struct or enum. The first time, it adds the type to the
// model, behind those that it is made of.
func (b *builder) named(t ctype.Type) model.GoType {
	switch t := t.(type) {
	case *ctype.Struct:
		if foreign, ok := b.foreignStruct(t); ok {
			return foreign
		}
		return b.declare(t, t.Pos, goname.Entity(t.Scope, t.Name+ctype.Arguments(t.Args)))
	case *ctype.Enum:
		return b.declare(t, t.Pos, goname.Entity(t.Scope, t.Name))
	}
	panic(fmt.Sprintf("gen: %T has no name", t))
}

// declare returns the Go type of a struct or enum whose name has the given forms. The first time,
// it adds the type to the model.
func (b *builder) declare(t ctype.Type, pos token.Position, forms []string) model.GoType {
	key := layout.Identity(t)
	n := packageName{pos: pos, what: t.String(), another: "//cudagen:export GoName"}
	for _, form := range forms {
		n.claim.Forms = append(n.claim.Forms, typeNames(t, form))
	}
	names := b.scope.name(key, n)
	if !b.declared[key] {
		b.declared[key] = true
		switch t := t.(type) {
		case *ctype.Struct:
			b.structure(t, names[0], forms)
		case *ctype.Enum:
			b.enum(t, names)
		}
	}
	return model.GoType{Kind: model.Local, Name: names[0]}
}

// typeNames returns the names of the struct or enum t when it is called name: its own, and those of
// its constants, which are named after the type and themselves. Those whose value is not known have
// none.
func typeNames(t ctype.Type, name string) []string {
	e, ok := t.(*ctype.Enum)
	if !ok {
		return []string{name}
	}
	claims := []goname.Claim{goname.Fixed(name)}
	for _, c := range e.Enumerators {
		if c.Known {
			spelled := name + "_" + goname.Identifier(c.Name)
			claims = append(claims, goname.Forms(goname.Exported(spelled), spelled))
		}
	}
	var names []string
	settled, _ := goname.Settle(claims)
	for i, list := range settled {
		if list == nil { // two of one spelling, which the scope finds
			list = claims[i].Forms[0]
		}
		names = append(names, list[0])
	}
	return names
}

// structure adds s to the model.
func (b *builder) structure(s *ctype.Struct, name string, forms []string) {
	class, err := layout.Struct(s)
	if err != nil {
		b.errs.Add(s.Pos, fmt.Errorf("struct %s: %w", s, err))
		return
	}
	b.origins[name] = selection.Origin{Type: s, Pos: s.Pos, Told: s.Stated != nil}
	m := model.Struct{
		GoName: name, CName: s.QualifiedName(), Union: s.Union, Doc: s.Doc, Pos: b.pos(s.Pos), Size: class.Size, Align: class.Align,
	}
	if s.Name != "" {
		m.Note = goname.Renamed(s.Name+ctype.Arguments(s.Args), name)
	}
	if s.Union {
		m.Storage = layout.Storage(class.Size, class.Align)
	}
	b.fields(&m, s, class, forms)
	b.file.Structs = append(b.file.Structs, m)
}

// fields adds the members of s to m. forms are those of the name of s.
func (b *builder) fields(m *model.Struct, s *ctype.Struct, class *layout.Class, forms []string) {
	if known := b.scope.known[layout.Identity(s)]; known.claim.Fixed {
		forms = known.names
	}
	names := &fieldNames{class: class}
	run := -1 // index of the field that holds the bytes of the bit-fields so far
	for i := range class.Members {
		member := &class.Members[i]
		if member.BitField {
			run = b.bitField(m, member, run, forms, names)
			continue
		}
		run = -1
		b.nameInner(forms, member.Name, member.Type)
		goType, err := layout.GoType(member.Type, b.named)
		if err != nil {
			b.errs.Add(member.Pos, fmt.Errorf("struct %s: field %s: %w", s, member.Name, err))
			continue
		}
		f := model.Field{CName: member.Name, CType: member.Type.String(), Doc: member.Doc, Type: goType, Offset: member.Offset, Size: member.Size}
		f.Accessed = s.Union || class.Raw(member, goType)
		switch {
		case member.Name == "" && !f.Accessed:
			names.embedded(b.promoted(goType.Name), i, len(m.Fields))
		case f.Accessed:
			names.accessed(member, i, len(m.Fields))
		default:
			names.add(names.ofMember(member, i), member.Name, len(m.Fields))
		}
		m.Fields = append(m.Fields, f)
	}
	names.settle(m, s.Pos, &b.errs)
}

// promoted returns the names that embedding the struct type gives: its own, and those of its fields
// and their methods.
func (b *builder) promoted(typeName string) []string {
	list := []string{typeName}
	at := slices.IndexFunc(b.file.Structs, func(s model.Struct) bool { return s.GoName == typeName })
	if at < 0 {
		return list
	}
	s := &b.file.Structs[at]
	for _, f := range s.Fields {
		list = append(list, f.GoName)
		if f.Accessed {
			list = append(list, "Set"+f.GoName)
		}
		if f.Embedded {
			list = append(list, b.promoted(f.Type.Name)...)
		}
	}
	for _, one := range s.BitFields {
		list = append(list, one.GoName, "Set"+one.GoName)
	}
	return list
}

// nameInner gives a Go name to the type t of the member or variable called name when it, or
// what it is an array of, is a struct, union or enum without a name: that of what it is in,
// whose forms are outer, and its own.
func (b *builder) nameInner(outer []string, name string, t ctype.Type) {
	for {
		array, ok := ctype.Unqualified(t).(*ctype.Array)
		if !ok {
			break
		}
		t = array.Elem
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Struct:
		forms := goname.Inner(outer, name)
		if name == "" {
			word := "struct"
			if t.Union {
				word = "union"
			}
			forms = append(goname.Inner(outer, word), goname.Inner(outer, word+"_"+firstName(t))...)
		}
		if t.Name == "" {
			b.declare(t, t.Pos, forms)
		}
	case *ctype.Enum:
		if t.Name == "" {
			b.declare(t, t.Pos, goname.Inner(outer, name))
		}
	}
}

// firstName returns the name of the first member of s that has one.
func firstName(s *ctype.Struct) string {
	for _, f := range s.Fields {
		if f.Name != "" {
			return f.Name
		}
		if inner, ok := ctype.Unqualified(f.Type).(*ctype.Struct); ok && inner.Name == "" {
			return firstName(inner)
		}
	}
	return ""
}

// enum adds e to the model, with the names of typeNames.
func (b *builder) enum(e *ctype.Enum, names []string) {
	name, constants := names[0], names[1:]
	base, err := layout.GoType(e.Underlying, b.named)
	if err != nil {
		b.errs.Add(e.Pos, fmt.Errorf("enum %s: %w", e, err))
		return
	}
	b.origins[name] = selection.Origin{Type: e, Pos: e.Pos, Told: e.Stated}
	m := model.Enum{GoName: name, Doc: e.Doc, Pos: b.pos(e.Pos), Type: base}
	if e.Name != "" {
		m.CName = e.QualifiedName()
		m.Note = goname.Renamed(e.Name, name)
	}
	for _, c := range e.Enumerators {
		if !c.Known {
			continue
		}
		value := strconv.FormatInt(c.Value, 10)
		if e.Underlying.Unsigned {
			value = strconv.FormatUint(uint64(c.Value), 10)
		}
		if base.Name == "bool" {
			value = strconv.FormatBool(c.Value != 0)
		}
		m.Constants = append(m.Constants, model.Constant{GoName: constants[len(m.Constants)], CName: c.Name, Value: value, Doc: c.Doc})
	}
	b.file.Enums = append(b.file.Enums, m)
}
