package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// variables prints the fields that hold variables in the memory of the device.
func (e *emitter) variables(g *jen.Group) {
	for _, v := range e.Variables {
		g.Line()
		text := fmt.Sprintf("%s is %s %s (%s:%d), of type %s.%s", v.GoName, v.Space, v.CName, v.Pos.File, v.Pos.Line, v.CType, because(v.Note))
		for _, line := range wrap(text, lineWidth-len("\t// ")) {
			g.Comment("// " + line)
		}
		if len(v.Doc) > 0 {
			g.Comment("//")
		}
		for _, line := range v.Doc {
			g.Comment(strings.TrimRight("// "+line, " "))
		}
		g.Id(v.GoName).Add(cuda("Symbol")).Types(goType(v.Type))
	}
}

// alsoProved ends the sentence on what is proved when kernels are loaded.
func (e *emitter) alsoProved() string {
	if len(e.Variables) == 0 {
		return ""
	}
	return ", and that its variables have the sizes that they have here"
}

// loadCall is a call of function, which loads the kernels and variables of from on dev.
func (e *emitter) loadCall(function *jen.Statement, from ...jen.Code) *jen.Statement {
	args := append(from, e.specs())
	if len(e.Variables) > 0 {
		var specs []jen.Code
		for _, v := range e.Variables {
			specs = append(specs, jen.Values(
				jen.Id("Variable").Op(":").Op("&").Id("k").Dot(v.GoName),
				jen.Id("Name").Op(":").Lit(v.CName),
				jen.Id("Symbol").Op(":").Lit(v.Symbol),
			))
		}
		args = append(args, jen.Index().Add(cuda("Spec")).Values(multiline(specs...)...).Op("..."))
	}
	return function.Call(args...)
}

// sourceVariables are the C++ expressions for the addresses of the variables.
func (e *emitter) sourceVariables() []jen.Code {
	var list []jen.Code
	for _, v := range e.Variables {
		fields := []jen.Code{jen.Id("Address").Op(":").Lit(v.Address)}
		if v.Space == "__managed__" {
			fields = append(fields, jen.Id("Managed").Op(":").True())
		}
		list = append(list, jen.Values(fields...))
	}
	return list
}
