package bind

import (
	"fmt"
	"strconv"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/selection"
)

// named returns the Go type of a struct or enum. The first time, it adds the type to the
// model, behind those that it is made of.
func (b *builder) named(t ctype.Type) model.GoType {
	switch t := t.(type) {
	case *ctype.Struct:
		if foreign, ok := b.foreignStruct(t); ok {
			return foreign
		}
		name, first := b.types.Name(layout.Identity(t), t.Scope, t.Name+ctype.Arguments(t.Args))
		if first {
			b.structure(t, name)
		}
		return model.GoType{Kind: model.Local, Name: name}
	case *ctype.Enum:
		name, first := b.types.Name(layout.Identity(t), t.Scope, t.Name)
		if first {
			b.enum(t, name)
		}
		return model.GoType{Kind: model.Local, Name: name}
	}
	panic(fmt.Sprintf("gen: %T has no name", t))
}

// structure adds s to the model.
func (b *builder) structure(s *ctype.Struct, name string) {
	class, err := layout.Struct(s)
	if err != nil {
		b.errs.Add(s.Pos, fmt.Sprintf("struct %s: %v", s, err))
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
	b.fields(&m, s, class)
	b.file.Structs = append(b.file.Structs, m)
}

// fields adds the members of s to m. Those that methods read and write as bits get their names
// last, so that no other name depends on them.
func (b *builder) fields(m *model.Struct, s *ctype.Struct, class *layout.Class) {
	names := goname.NewScope()
	run := -1 // index of the field that holds the bytes of the bit-fields so far
	for i := range class.Members {
		member := &class.Members[i]
		if member.BitField {
			run = b.bitField(m, member, run, names)
			continue
		}
		run = -1
		b.nameInner(m.GoName, member.Name, member.Type)
		goType, err := layout.GoType(member.Type, b.named)
		if err != nil {
			b.errs.Add(member.Pos, fmt.Sprintf("struct %s: field %s: %v", s, member.Name, err))
			continue
		}
		f := model.Field{CName: member.Name, CType: member.Type.String(), Doc: member.Doc, Type: goType, Offset: member.Offset, Size: member.Size}
		f.Accessed = s.Union || class.Raw(member, goType)
		switch {
		case member.Name == "" && !f.Accessed && names.Add(goType.Name):
			f.GoName, f.Embedded = goType.Name, true
		case f.Accessed:
			f.GoName = b.accessed(names, member.Name, i)
		default:
			f.GoName = names.Field(member.Name, i)
		}
		if member.Name != "" {
			f.Note = goname.Renamed(member.Name, f.GoName)
		}
		m.Fields = append(m.Fields, f)
	}
	b.bitFieldNames(m, names)
}

// accessed returns a free name for a field that methods read and write: X and SetX.
func (b *builder) accessed(names *goname.Scope, name string, index int) string {
	for {
		goName := names.Field(name, index)
		if names.Add("Set" + goName) {
			return goName
		}
	}
}

// nameInner gives a Go name to the type t of the member or variable called name when it, or
// what it is an array of, is a struct, union or enum without a name: that of what it is in,
// and its own.
func (b *builder) nameInner(outer, name string, t ctype.Type) {
	for {
		array, ok := ctype.Unqualified(t).(*ctype.Array)
		if !ok {
			break
		}
		t = array.Elem
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Struct:
		if t.Name != "" {
			return
		}
		if name == "" && t.Union {
			name = "union"
		} else if name == "" {
			name = "struct"
		}
		goName, first := b.types.Name(layout.Identity(t), nil, outer+"_"+name)
		if first {
			b.structure(t, goName)
		}
	case *ctype.Enum:
		if t.Name != "" {
			return
		}
		goName, first := b.types.Name(layout.Identity(t), nil, outer+"_"+name)
		if first {
			b.enum(t, goName)
		}
	}
}

// enum adds e to the model. A constant is named after its type and itself; those whose
// value is not known are left out.
func (b *builder) enum(e *ctype.Enum, name string) {
	base, err := layout.GoType(e.Underlying, b.named)
	if err != nil {
		b.errs.Add(e.Pos, fmt.Sprintf("enum %s: %v", e, err))
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
		m.Constants = append(m.Constants, model.Constant{GoName: b.scope.Field(name+"_"+c.Name, 0), CName: c.Name, Value: value, Doc: c.Doc})
	}
	b.file.Enums = append(b.file.Enums, m)
}
