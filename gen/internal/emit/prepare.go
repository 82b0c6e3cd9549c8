package emit

import (
	"maps"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// prepared prints the arguments of a kernel as a struct, the type of a prepared call, and
// their methods.
func (e *emitter) prepared(k *model.Kernel) {
	e.comment("Prepare checks args and converts them, for launches with the launch configuration cfg.")
	e.demandsDoc(k)
	e.conditions(k)
	call := jen.New(jen.Id(callType(*k)))
	if sharesLater(k) {
		call = jen.Op("&").Id(callType(*k)).Values(jen.Id("shared").Op(":").Id("cfg").Dot("SharedBytes").Op("==").Lit(0))
	}
	e.prepare(k, "Prepare", jen.Id("cfg").Add(cuda("LaunchConfig")), call, jen.Id("cfg"))
	if k.Launch != nil {
		e.comment("PrepareDefault is Prepare with the launch configuration of Launch, which Set computes again.")
		e.prepare(k, "PrepareDefault", nil, jen.Op("&").Id(callType(*k)).Values(jen.Id("computed").Op(":").True()), cuda("LaunchConfig").Values())
	}
	e.argsStruct(k)
	e.callStruct(k)
	e.setAndClone(k)
	e.set(k)
}

// prepare prints a method that makes a call and sets it to cfg and args.
func (e *emitter) prepare(k *model.Kernel, name string, extra, call, cfg jen.Code) {
	params := []jen.Code{jen.Id("args").Id(argsType(*k))}
	if extra != nil {
		params = append([]jen.Code{extra}, params...)
	}
	e.out.Func().Params(jen.Id("k").Op("*").Id(kernelType(*k))).Id(name).Params(params...).Params(jen.Op("*").Id(callType(*k)), jen.Error()).Block(
		jen.Id("call").Op(":=").Add(call),
		jen.If(jen.Err().Op(":=").Id("call").Dot("set").Call(jen.Id("k"), cfg, jen.Id("args")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id("call"), jen.Nil()),
	)
	e.out.Line()
}

// OwnersField is the field of the arguments that is not a parameter.
const OwnersField = "Owners"

// argsStruct prints the arguments.
func (e *emitter) argsStruct(k *model.Kernel) {
	e.comment("%s are the arguments of %s (%s:%d).", argsType(*k), k.CName, k.Pos.File, k.Pos.Line)
	e.moreDoc(k.Blocks, model.ArgsDoc)
	e.out.Type().Id(argsType(*k)).StructFunc(func(g *jen.Group) {
		for _, p := range k.Params {
			if p.Inferred {
				continue
			}
			field := g.Id(p.Field).Add(argumentType(p))
			if p.Nullable {
				field.Tag(map[string]string{"cuda": "nullable"})
			}
		}
		if list := k.Unchecked(); len(list) > 0 {
			names := make([]string, len(list))
			for i, p := range list {
				names[i] = p.Field
			}
			g.Line()
			for _, line := range wrap("Owners are what the addresses in "+strings.Join(names, ", ")+" refer to: a launch fails if one of them is closed or on another device.", 76) {
				g.Comment("// " + line)
			}
			g.Id(OwnersField).Index().Add(cuda("Owner"))
		}
	})
	e.out.Line()
}

func (e *emitter) callStruct(k *model.Kernel) {
	e.comment("%s is a prepared launch of %s (%s:%d). One goroutine at a time may use it.", callType(*k), k.CName, k.Pos.File, k.Pos.Line)
	e.out.Type().Id(callType(*k)).StructFunc(func(g *jen.Group) {
		g.Add(cuda("Call"))
		g.Id("params").Id(paramsType(*k))
		if k.Launch != nil {
			g.Id("computed").Bool().Comment("the launch configuration is that of Launch")
		}
		if sharesLater(k) {
			g.Id("shared").Bool().Comment("the dynamic shared memory is that of the directive")
		}
	})
	e.out.Line()
}

// callMethod prints the head of a method of a prepared call.
func (e *emitter) callMethod(k *model.Kernel, name string, params ...jen.Code) *jen.Statement {
	return e.out.Func().Params(jen.Id("call").Op("*").Id(callType(*k))).Id(name).Params(params...)
}

func (e *emitter) setAndClone(k *model.Kernel) {
	args := jen.Id("args").Id(argsType(*k))
	e.comment("Set checks and converts args for the launches that follow. On an error the call stays as it was.")
	e.callMethod(k, "Set", args).Error().Block(jen.Return(jen.Id("call").Dot("set").Call(
		jen.Op("&").Id(kernelType(*k)).Values(jen.Id("call").Dot("Kernel").Call()), jen.Id("call").Dot("Config").Call(), jen.Id("args"))))
	e.out.Line()

	copied := []jen.Code{jen.Id("params").Op(":").Id("call").Dot("params")}
	if k.Launch != nil {
		copied = append(copied, jen.Id("computed").Op(":").Id("call").Dot("computed"))
	}
	if sharesLater(k) {
		copied = append(copied, jen.Id("shared").Op(":").Id("call").Dot("shared"))
	}
	e.comment("Clone returns a call of its own, for another goroutine.")
	e.callMethod(k, "Clone").Op("*").Id(callType(*k)).Block(
		jen.Id("c").Op(":=").Op("&").Id(callType(*k)).Values(copied...),
		generated("Clone").Call(jen.Op("&").Id("c").Dot("Call"), jen.Op("&").Id("call").Dot("Call"), jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("c").Dot("params"))),
		jen.Return(jen.Id("c")),
	)
	e.out.Line()
}

// set prints the method that checks and converts.
func (e *emitter) set(k *model.Kernel) {
	computed, owners := jen.False(), jen.Nil()
	if k.Launch != nil {
		computed = jen.Id("call").Dot("computed")
	}
	if len(k.Unchecked()) > 0 {
		owners = jen.Id("args").Dot(OwnersField)
	}
	prepare := []jen.Code{jen.Op("&").Id("call").Dot("Call"), jen.Id("k").Dot("Kernel"), jen.Id("cfg"), computed, jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("call").Dot("params")), owners}
	for _, p := range k.Params {
		if p.Owned() {
			prepare = append(prepare, jen.Id(p.GoName).Dot("Argument").Call(jen.Lit(int(p.ElemAlign))))
		}
	}
	e.callMethod(k, "set", jen.Id("k").Op("*").Id(kernelType(*k)), jen.Id("cfg").Add(cuda("LaunchConfig")), jen.Id("args").Id(argsType(*k))).Error().BlockFunc(func(g *jen.Group) {
		e.unpack(g, k, func(model.Param) bool { return true })
		e.infers(g, k)
		done := make(map[int]bool)
		e.guards(g, k, lengths(k), done)
		if k.Launch != nil {
			with := maps.Clone(done)
			configured := g.If(jen.Id("call").Dot("computed")).BlockFunc(func(g *jen.Group) {
				e.guards(g, k, configuration(k.Launch), done)
				g.Id("cfg").Op("=").Add(config(k))
				e.computed(g, k)
			})
			if demanding(k) {
				configured.Else().BlockFunc(func(g *jen.Group) {
					if sharesLater(k) {
						g.If(jen.Id("call").Dot("shared")).Block(jen.Id("cfg").Dot("SharedBytes").Op("=").Lit(0))
					}
					e.demands(g, k, with)
				})
			}
		}
		e.checks(g, k)
		g.If(jen.Err().Op(":=").Add(generated("Prepare")).Call(prepare...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		g.Id("call").Dot("params").Op("=").Add(block(k, local))
		g.Return(jen.Nil())
	})
	e.out.Line()
}
