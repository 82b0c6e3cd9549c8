package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// bitAccessors prints the methods that read and write the bit-field f of s.
func (e *emitter) bitAccessors(s model.Struct, f model.BitField) {
	receiver := jen.Id("s").Op("*").Id(s.GoName)
	access := func(method string, more ...jen.Code) *jen.Statement {
		bytes := jen.Id("s").Dot(f.Storage).Index(jen.Op(":"))
		if s.Union {
			address := jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("s").Dot(storageField(s, "data")))
			bytes = jen.Qual("unsafe", "Slice").Call(jen.Parens(jen.Op("*").Byte()).Call(address), jen.Op(fmt.Sprint(s.Size)))
		}
		return generated(method).Call(append([]jen.Code{bytes, jen.Op(fmt.Sprint(f.First)), jen.Op(fmt.Sprint(f.Count))}, more...)...)
	}
	var value, set *jen.Statement
	switch f.Sign {
	case model.BitsBool:
		value, set = converted(f.Type, "bool", access("Bits").Op("!=").Lit(0)), access("SetBool", toBasic(f.Type, "bool"))
	case model.BitsSigned:
		value, set = converted(f.Type, "int64", access("SignedBits")), access("SetSignedBits", toBasic(f.Type, "int64"))
	default:
		value, set = converted(f.Type, "uint64", access("Bits")), access("SetBits", toBasic(f.Type, "uint64"))
	}
	where := f.Storage
	if where == "" {
		where = "the union"
	}
	e.comment("%s returns %s, of type %s: %s of %s.%s", f.GoName, f.CName, f.CType, bitRange(f), where, because(f.Note))
	if f.Doc != "" {
		e.comment("%s", f.Doc)
	}
	e.out.Func().Params(receiver.Clone()).Id(f.GoName).Params().Add(goType(f.Type)).Block(jen.Return(value))
	e.out.Line()
	e.comment("Set%s sets %s.%s", f.GoName, f.CName, bitLimits(f))
	e.out.Func().Params(receiver.Clone()).Id("Set" + f.GoName).Params(jen.Id("v").Add(goType(f.Type))).Block(set)
	e.out.Line()
}

// converted returns value, of the basic type called from, as one of type t.
func converted(t model.GoType, from string, value *jen.Statement) *jen.Statement {
	if t.Kind == model.Basic && t.Name == from {
		return value
	}
	return goType(t).Call(value)
}

// toBasic returns v, of type t, as a value of the basic type called to.
func toBasic(t model.GoType, to string) *jen.Statement {
	if t.Kind == model.Basic && t.Name == to {
		return jen.Id("v")
	}
	return jen.Id(to).Call(jen.Id("v"))
}

// bitRange names the bits of f.
func bitRange(f model.BitField) string {
	if f.Count == 1 {
		return fmt.Sprintf("bit %d", f.First)
	}
	return fmt.Sprintf("bits %d to %d", f.First, f.First+f.Count-1)
}

// bitLimits says which values f does not have, as the end of a comment.
func bitLimits(f model.BitField) string {
	switch {
	case f.Sign == model.BitsBool || f.Count == 8*f.Type.Size:
		return ""
	case f.Sign == model.BitsSigned:
		return fmt.Sprintf(" It panics if v is not %d to %d.", -1<<(f.Count-1), 1<<(f.Count-1)-1)
	}
	return fmt.Sprintf(" It panics if v is not 0 to %d.", uint64(1)<<f.Count-1)
}
