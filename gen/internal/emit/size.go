package emit

import (
	"math"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// A size is an expression of a directive, with the directive as it is written.
type size struct {
	directive string
	model.Expr
}

// lengths are the sizes that the slices of k are compared with.
func lengths(k *model.Kernel) (list []size) {
	for _, check := range k.Checks {
		list = append(list, size{"len " + k.Params[check.Param].CName + "=" + check.Len.Source, check.Len})
	}
	return list
}

// A field is one of a launch configuration that a directive gives.
type field struct {
	size
	name  []string // in cuda.LaunchConfig
	large bool     // the size may exceed the field
}

// fields are those of the launch configuration that the directives give.
func fields(l *model.Launch) (list []field) {
	verb := "grid "
	if l.Threads {
		verb = "threads "
	}
	for i, dim := range l.Grid {
		per := int64(1)
		if l.Threads {
			per = max(1, l.Block[i].Value)
		}
		const slack = 16 // blocks of a cluster, which Grid is a multiple of
		list = append(list, field{size{verb + dim.Source, dim}, []string{"Grid", []string{"X", "Y", "Z"}[i]}, dim.Most/per >= math.MaxUint32-slack})
	}
	if !l.Shared.IsZero() {
		list = append(list, field{size{"shared " + l.Shared.Source, l.Shared}, []string{"SharedBytes"}, l.Shared.Most >= math.MaxUint32})
	}
	return list
}

// sizes are those of the launch configuration, if directives give it, and lengths.
func sizes(k *model.Kernel) (list []size) {
	if k.Launch != nil {
		for _, f := range fields(k.Launch) {
			list = append(list, f.size)
		}
	}
	return append(list, lengths(k)...)
}

// guards are the comparisons of the parameters that sizes count with. done has those that were compared
// already.
func guards(k *model.Kernel, sizes []size, done map[int]bool) (list []*jen.Statement) {
	for _, s := range sizes {
		for _, count := range s.Counts {
			if done[count.Param] {
				continue
			}
			done[count.Param] = true
			p := k.Params[count.Param]
			refused, method, converted := jen.Id(p.GoName).Op("<").Lit(0), "NegativeInput", jen.Id("int").Call(jen.Id(p.GoName))
			switch {
			case count.Unsigned:
				refused, method, converted = jen.Id(p.GoName).Op(">").Qual("math", "MaxInt"), "LargeInput", jen.Id("uint64").Call(jen.Id(p.GoName))
			case p.Inferred:
				converted = jen.Id(p.GoName)
			}
			list = append(list, jen.If(refused).Block(refuse(method, jen.Lit(s.directive), jen.Lit(p.CName), converted)))
		}
	}
	return list
}

// tooLarge are the comparisons of the launch configuration cfg with what its fields are where a size does
// not fit: the largest number, which cuda.Count and cuda.Blocks return.
func tooLarge(k *model.Kernel) (list []jen.Code) {
	for _, f := range fields(k.Launch) {
		if !f.Signed && !f.large {
			continue
		}
		value := jen.Id("cfg")
		for _, name := range f.name {
			value = value.Dot(name)
		}
		list = append(list, jen.If(value.Op("==").Qual("math", "MaxUint32")).Block(badSize(f.size, jen.Op(f.Go))))
	}
	return list
}

// badSize returns the error of a size whose value is value.
func badSize(s size, value jen.Code) jen.Code {
	var names []string
	var values []jen.Code
	for _, in := range s.Inputs {
		names, values = append(names, in.Name), append(values, jen.Op(in.Go))
	}
	return refuse("BadSize", append([]jen.Code{jen.Lit(s.directive), value, jen.Lit(strings.Join(names, ", "))}, values...)...)
}
