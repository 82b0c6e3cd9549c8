package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// prepare prints the type of a prepared call of k, the methods that make one, and its own.
func (e *emitter) prepare(k *model.Kernel) {
	call := jen.Id("c").Op("*").Id(callType(*k))
	args := jen.Id("args").Id(argsType(*k))
	e.comment("Prepare checks args as LaunchWith does and converts them, for launches with cfg.")
	e.prepareMethod(k, "Prepare", []jen.Code{launchConfig(), args}, jen.Op("&").Id("cfg"))
	if k.Launch != nil {
		e.comment("PrepareDefault is Prepare with Launch's configuration, which Set computes again.")
		e.prepareMethod(k, "PrepareDefault", []jen.Code{args}, jen.Nil())
	}
	e.comment("%s is a prepared launch of %s (%s:%d).", callType(*k), withShort(k, k.CName), k.Pos.File, k.Pos.Line)
	e.out.Type().Id(callType(*k)).Op("struct{").Add(cuda("Call")).Op("}")
	e.out.Line()
	e.comment("Set checks args and converts them. On an error the call stays as it was.")
	e.out.Func().Params(call).Id("Set").Params(args).Error().Block(
		jen.List(jen.Id("k"), jen.Id("s"), jen.Id("cfg")).Op(":=").Add(generated("Record")).Call(jen.Op("&").Id("c").Dot("Call")),
		launchReturn(k, jen.Parens(jen.Op("&").Id(kernelType(*k)).Values(jen.Id("k"))), jen.Id("cfg"), true),
	)
	e.out.Line()
	e.comment("Clone returns a call of its own, for another goroutine.")
	e.out.Func().Params(call).Id("Clone").Params().Op("*").Id(callType(*k)).Op("{").Return(ofCall(k, "Copy", jen.Op("&").Id("c").Dot("Call"))).Op("}")
	e.out.Line()
}

// prepareMethod prints a method that makes a call with cfg, a pointer.
func (e *emitter) prepareMethod(k *model.Kernel, name string, params []jen.Code, cfg jen.Code) {
	e.method(k, name, params).Params(jen.Op("*").Id(callType(*k)), jen.Error()).Block(
		jen.Id("call").Op(":=").Add(ofCall(k, "NewCall", jen.Id("k").Dot("Kernel"), cfg, jen.Parens(jen.Op("*").Id(paramsType(*k))).Parens(jen.Nil()))),
		jen.Return(jen.Id("call"), jen.Id("call").Dot("Set").Call(jen.Id("args"))),
	)
	e.out.Line()
}

// ofCall is what a method of Generated returns, as a prepared call of k.
func ofCall(k *model.Kernel, method string, args ...jen.Code) *jen.Statement {
	return jen.Parens(jen.Op("*").Id(callType(*k))).Call(generated(method).Call(args...))
}

// OwnersField is the field of the arguments that is not a parameter.
const OwnersField = "Owners"

// argsStruct prints the arguments.
func (e *emitter) argsStruct(k *model.Kernel) {
	e.comment("%s are the arguments of %s (%s:%d).", argsType(*k), withShort(k, k.CName), k.Pos.File, k.Pos.Line)
	e.moreDoc(k.Blocks, model.ArgsDoc)
	e.out.Type().Id(argsType(*k)).StructFunc(func(g *jen.Group) {
		for _, group := range sharing(k) {
			field := g.List(each(group, func(p model.Param) jen.Code { return jen.Id(p.Field) })...).Add(goType(argumentType(group[0])))
			if group[0].Nullable {
				field.Tag(map[string]string{"cuda": "nullable"})
			}
		}
		if list := k.Unchecked(); len(list) > 0 {
			names := make([]string, len(list))
			for i, p := range list {
				names[i] = p.Field
			}
			g.Line()
			for _, line := range wrap("Owners are what the addresses in "+strings.Join(names, ", ")+" refer to: a launch fails if one of them is closed or on another device.", lineWidth-len("\t// ")) {
				g.Comment("// " + line)
			}
			g.Id(OwnersField).Index().Add(cuda("Owner"))
		}
	})
	e.out.Line()
}
