package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// structType prints a C++ struct as a Go struct of the same bytes.
func (e *emitter) structType(s model.Struct) {
	e.comment("%s is struct %s (%s:%d): %d bytes.", s.GoName, s.CName, s.Pos.File, s.Pos.Line, s.Size)
	e.doc(s.Doc)
	fields := make([]member, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = member{name: f.GoName, typ: f.Type, offset: f.Offset, comment: f.Doc}
	}
	e.layout(s.GoName, fields, s.Size, "")
}

// A member is a field of a struct whose memory C++ shares.
type member struct {
	name    string
	typ     model.GoType
	offset  int64
	comment string
}

// layout prints the struct type name with members at their offsets, size bytes in
// all, and the assertions that keep it so. Every gap is padded by hand, so that the
// layout does not hang on Go's alignment; tail is the comment of the last padding.
func (e *emitter) layout(name string, members []member, size int64, tail string) {
	e.out.Type().Id(name).StructFunc(func(g *jen.Group) {
		g.Id("_").Qual("structs", "HostLayout")
		end := int64(0)
		for _, m := range members {
			if m.offset > end {
				g.Id("_").Index(jen.Op(fmt.Sprint(m.offset - end))).Byte()
			}
			field := g.Id(m.name).Add(goType(m.typ))
			if m.comment != "" {
				field.Comment(m.comment)
			}
			end = m.offset + m.typ.Size
		}
		if size > end {
			padding := g.Id("_").Index(jen.Op(fmt.Sprint(size - end))).Byte()
			if tail != "" {
				padding.Comment(tail)
			}
		}
	})
	e.out.Line()
	e.out.Func().Id("_").Params().BlockFunc(func(g *jen.Group) {
		g.Comment("An error here means: run go generate again.")
		g.Var().Id("same").Index(jen.Lit(1)).Struct()
		g.Id("_").Op("=").Id("same").Index(jen.Qual("unsafe", "Sizeof").Call(jen.Id(name).Values()).Op("-").Op(fmt.Sprint(size)))
		for _, m := range members {
			g.Id("_").Op("=").Id("same").Index(jen.Qual("unsafe", "Offsetof").Call(jen.Id(name).Values().Dot(m.name)).Op("-").Op(fmt.Sprint(m.offset)))
		}
	})
	e.out.Line()
}
