package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/goname"
)

// structType prints a C++ struct or union as a Go struct of the same bytes.
func (e *emitter) structType(s model.Struct) {
	kind := "struct"
	if s.Union {
		kind = "union"
	}
	name := kind + " " + s.CName
	if s.CName == "" || strings.HasSuffix(s.CName, "::") {
		name = "an unnamed " + kind
	}
	e.comment("%s is %s%s: %d bytes.%s", s.GoName, name, place(s.Pos), s.Size, because(s.Note))
	e.doc(s.Doc)
	var members []member
	if s.Union {
		members = []member{{name: storageField(s, "data"), typ: s.Storage, comment: "all members share these bytes"}}
	} else {
		for _, f := range s.Fields {
			members = append(members, fieldMember(f))
		}
	}
	e.layout(s.GoName, members, s.Size, "")
	for _, f := range s.Fields {
		if f.Accessed {
			e.accessors(s, f)
		}
	}
	for _, f := range s.BitFields {
		e.bitAccessors(s, f)
	}
	e.extra(s.Blocks, model.StructExtra)
}

// place is where something stands in C++, behind its name in a comment.
func place(p model.Pos) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", p.File, p.Line)
}

// because is why a name is not the plain one, as the end of a comment.
func because(note string) string {
	if note == "" {
		return ""
	}
	return " The name: " + note + "."
}

// storageField returns a name for a field without methods of the same name.
func storageField(s model.Struct, name string) string {
	taken := slices.ContainsFunc(s.Fields, func(f model.Field) bool { return f.GoName == name }) ||
		slices.ContainsFunc(s.BitFields, func(f model.BitField) bool { return f.GoName == name })
	if taken {
		return name + "_"
	}
	return name
}

// rawName is the field that holds the bytes of f, which methods read and write.
func rawName(f model.Field) string { return RawName(f.GoName) }

// RawName returns the name of the field that holds the bytes of one that methods called goName and
// SetgoName read and write.
func RawName(goName string) string { return goname.Hidden(goName) + "Bytes" }

func fieldMember(f model.Field) member {
	m := member{name: f.GoName, typ: f.Type, offset: f.Offset, comment: f.Doc, embedded: f.Embedded}
	switch {
	case len(f.Bits) > 0:
		var bits []string
		for _, b := range f.Bits {
			bits = append(bits, fmt.Sprintf("%s: bits %d to %d", b.CName, b.First, b.First+b.Count-1))
		}
		m.comment = strings.Join(bits, ", ") + "; bit 0 is the lowest of the first byte"
	case f.Accessed:
		bytes := model.GoType{Kind: model.Basic, Name: "byte", Size: 1, Align: 1}
		m.name, m.typ = rawName(f), model.GoType{Kind: model.Array, Elem: &bytes, Len: f.Size, Size: f.Size, Align: 1}
		if m.comment == "" {
			m.comment = "packed: see " + f.GoName
		}
	}
	if f.Note != "" {
		m.comment = strings.TrimSpace(m.comment + " (" + f.CName + " in C++: " + f.Note + ")")
	}
	return m
}

// accessors prints the methods that read and write f, which is stored as bytes.
func (e *emitter) accessors(s model.Struct, f model.Field) {
	bytes := rawName(f)
	if s.Union {
		bytes = storageField(s, "data")
	}
	receiver := jen.Id("s").Op("*").Id(s.GoName)
	pointer := func() *jen.Statement {
		return jen.Op("*").Parens(jen.Op("*").Add(goType(f.Type))).Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("s").Dot(bytes)))
	}
	cName := f.CName
	if cName == "" {
		cName = "its unnamed member"
	}
	e.comment("%s returns %s, of type %s.%s", f.GoName, cName, f.CType, because(f.Note))
	get := []jen.Code{jen.Return(pointer())}
	switch {
	case e.isBool(f.Type):
		byteAt := jen.Op("*").Parens(jen.Op("*").Byte()).Call(jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("s").Dot(bytes)))
		get = []jen.Code{jen.Return(byteAt.Op("!=").Lit(0))}
	case e.hasBool(f.Type): // the bytes may be those of a device, or of another member
		get = []jen.Code{jen.Id("v").Op(":=").Add(pointer()), generated("Bools").Call(jen.Op("&").Id("v")), jen.Return(jen.Id("v"))}
	}
	e.out.Func().Params(receiver.Clone()).Id(f.GoName).Params().Add(goType(f.Type)).Block(get...)
	e.out.Line()
	e.comment("Set%s sets %s.", f.GoName, cName)
	e.out.Func().Params(receiver.Clone()).Id("Set" + f.GoName).Params(jen.Id("v").Add(goType(f.Type))).Block(pointer().Op("=").Id("v"))
	e.out.Line()
}

// isBool reports whether values of t are one bool.
func (e *emitter) isBool(t model.GoType) bool {
	if t.Kind == model.Local {
		i := slices.IndexFunc(e.Enums, func(m model.Enum) bool { return m.GoName == t.Name })
		return i >= 0 && e.isBool(e.Enums[i].Type)
	}
	return t.Kind == model.Basic && t.Name == "bool"
}

// hasBool reports whether values of t have a bool, or may have one.
func (e *emitter) hasBool(t model.GoType) bool {
	switch t.Kind {
	case model.Array:
		return e.hasBool(*t.Elem)
	case model.Foreign:
		return true
	case model.Local:
		if slices.ContainsFunc(e.Enums, func(m model.Enum) bool { return m.GoName == t.Name }) {
			return e.isBool(t)
		}
		i := slices.IndexFunc(e.Structs, func(s model.Struct) bool { return s.GoName == t.Name })
		if i < 0 { // another file declares it
			return true
		}
		s := e.Structs[i]
		return !s.Union && slices.ContainsFunc(s.Fields, func(f model.Field) bool { return !f.Accessed && len(f.Bits) == 0 && e.hasBool(f.Type) })
	}
	return e.isBool(t)
}

// foreign prints what keeps the Go type that a directive names to the layout of s.
func (e *emitter) foreign(s model.Struct) {
	name := jen.Qual(s.Foreign.Path, s.Foreign.Name)
	e.comment("%s.%s stands for struct %s%s: its size and its fields have to be the same.", s.Foreign.Path, s.Foreign.Name, s.CName, place(s.Pos))
	var members []member
	for _, f := range s.Fields {
		members = append(members, member{name: f.GoName, offset: f.Offset})
	}
	e.assertions(name, members, s.Size)
}

// enum prints an enumeration as an integer type with constants.
func (e *emitter) enum(m model.Enum) {
	name := "enum " + m.CName
	if m.CName == "" {
		name = "an unnamed enum"
	}
	e.comment("%s is %s%s.%s", m.GoName, name, place(m.Pos), because(m.Note))
	e.doc(m.Doc)
	e.out.Type().Id(m.GoName).Add(goType(m.Type))
	e.out.Line()
	if len(m.Constants) == 0 {
		return
	}
	e.comment("The constants of %s.", m.GoName)
	e.out.Const().DefsFunc(func(g *jen.Group) {
		for _, c := range m.Constants {
			line := g.Id(c.GoName).Id(m.GoName).Op("=").Op(c.Value)
			if c.Doc != "" {
				line.Comment("// " + c.Doc)
			}
		}
	})
	e.out.Line()
}

// A member is a field of a struct whose memory C++ shares.
type member struct {
	name     string
	typ      model.GoType
	offset   int64
	comment  string
	embedded bool
}

// layout prints the struct type name with members at their offsets, size bytes in all, and the assertions that
// keep it so. Padding fills every gap, so that the layout does not depend on Go's alignment; tail is the comment of
// the last padding. With it members have their offsets beside them.
func (e *emitter) layout(name string, members []member, size int64, tail string) {
	e.out.Type().Id(name).StructFunc(func(g *jen.Group) {
		g.Id("_").Qual("structs", "HostLayout")
		end := int64(0)
		for _, group := range groups(members, member.joins) {
			first := group[0]
			if first.offset > end {
				g.Id("_").Index(jen.Op(fmt.Sprint(first.offset - end))).Byte()
			}
			field, comment := goType(first.typ), first.comment
			var names []jen.Code
			var offsets []string
			for _, m := range group {
				names, offsets, end = append(names, jen.Id(m.name)), append(offsets, fmt.Sprint(m.offset)), m.offset+m.typ.Size
			}
			if !first.embedded {
				field = jen.List(names...).Add(field)
			}
			if tail != "" {
				comment = strings.TrimSpace("offset " + strings.Join(offsets, ", ") + " " + comment)
			}
			if g.Add(field); comment != "" {
				field.Comment("// " + comment)
			}
		}
		if size > end {
			padding := g.Id("_").Index(jen.Op(fmt.Sprint(size - end))).Byte()
			if tail != "" {
				padding.Comment("// " + tail)
			}
		}
	})
	e.out.Line()
	e.assertions(jen.Id(name), members, size)
}

// joins reports whether next, which follows m, shares its line: it has the same type, and neither has a comment.
func (m member) joins(next member) bool {
	return !m.embedded && !next.embedded && m.comment+next.comment == "" && next.offset == m.offset+m.typ.Size && m.typ.String() == next.typ.String()
}

// assertions holds that the struct name has size bytes and its members lie where they should. A
// difference that is not 0 does not compile, and neither does a negative one.
func (e *emitter) assertions(name *jen.Statement, members []member, size int64) {
	differ := func(function string, of *jen.Statement, want int64) jen.Code {
		return jen.Parens(jen.Qual("unsafe", function).Call(of).Op("-").Op(fmt.Sprint(want)))
	}
	terms := []jen.Code{differ("Sizeof", name.Clone().Values(), size)}
	for _, m := range members {
		terms = append(terms, differ("Offsetof", name.Clone().Values().Dot(m.name), m.offset))
	}
	sum := new(jen.Statement)
	for i, term := range filling("var _ = [1]struct{}{}[", 0, terms) {
		if i > 0 {
			sum.Op("|")
		}
		sum.Add(term)
	}
	e.out.Var().Id("_").Op("=").Index(jen.Lit(1)).Struct().Values().Index(sum).Comment("// An error here means: run go generate again.")
	e.out.Line()
}
