package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/cudagen/cudagen/gen/model"
)

// This file prints what directives demand of a launch configuration that they do not compute:
// threads and grid say how many threads and blocks there are at least, and shared how much dynamic shared
// memory. The launch attributes of cluster and cooperative apply as well. block says what Launch uses, and
// demands nothing.

// demandedAxes returns the dimensions in which threads or grid demands more than one.
func demandedAxes(l *model.Launch) (axes []int) {
	for i, dim := range l.GridWith {
		if !dim.IsZero() && !(dim.Const && dim.Value <= 1) {
			axes = append(axes, i)
		}
	}
	return axes
}

// demands are the comparisons of cfg with the directives. done has the parameters that were
// compared already.
func demands(k *model.Kernel, done map[int]bool) (list []*jen.Statement) {
	l := k.Launch
	if hasAttributes(l) {
		list = append(list, returnError(generated("Attributes").Call(jen.Id("k").Dot("Kernel"), jen.Id("cfg"), jen.Op("&").Id(attributes(*k)))))
	}
	if shared := (size{"shared " + l.Shared.Source, l.SharedWith}); !l.Shared.IsZero() {
		list = append(list, guards(k, []size{shared}, done)...)
		if shared.Signed {
			list = append(list, jen.If(jen.Op(shared.Go).Op("<").Lit(0)).Block(badSize(shared, jen.Op(shared.Go))))
		}
		list = append(list, returnError(generated("Share").Call(jen.Id("k").Dot("Kernel"), jen.Id("cfg"), jen.Lit(shared.directive), jen.Op(shared.Go))))
	}
	for _, i := range demandedAxes(l) {
		axis := []string{"X", "Y", "Z"}[i]
		grid, block := jen.Id("cfg").Dot("Grid").Dot(axis), jen.Id("cfg").Dot("Block").Dot(axis)
		want := size{"threads " + l.Grid[i].Source, l.GridWith[i]}
		few := jen.Id("want").Op(">").Add(generated("Threads")).Call(grid, block)
		if !l.Threads {
			want.directive = "grid " + l.Grid[i].Source
			per := l.Block[i].Go
			if l.Grid[i].Go != l.GridWith[i].Go { // the expression knows the block
				per = "0"
			}
			few = generated("LacksBlocks").Call(grid, block, jen.Id("want"), jen.Op(per))
		}
		list = append(list, guards(k, []size{want}, done)...)
		list = append(list, unless(want, few.Op("&&").Op("!").Id("cfg").Dot("Fewer"),
			refuse("Few", jen.Id("cfg"), jen.Lit(want.directive), jen.Lit(strings.ToLower(axis)), jen.Id("want"))))
	}
	return list
}

// unless prints that a size that is negative is an error, and what happens if it is broken.
func unless(s size, broken *jen.Statement, then jen.Code) *jen.Statement {
	want := jen.Id("want").Op(":=").Op(s.Go)
	if s.Signed {
		return jen.If(want, jen.Id("want").Op("<").Lit(0)).Block(badSize(s, jen.Id("want"))).Else().If(broken).Block(then)
	}
	return jen.If(want, broken).Block(then)
}

// returnError is the call of a function whose error ends the method.
func returnError(call jen.Code) *jen.Statement {
	return jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// demandsDoc ends the sentence that names cfg with what is demanded of it.
func demandsDoc(k *model.Kernel) string {
	l := k.Launch
	var text []string
	if len(demandedAxes(l)) > 0 {
		thing := "block"
		if l.Threads {
			thing = "thread"
		}
		text = append(text, fmt.Sprintf(", which has at least %s, or Fewer", counted(times(l.Grid[:]), thing)))
	}
	if !l.Shared.IsZero() {
		text = append(text, fmt.Sprintf("Its SharedBytes is at least %s; 0 stands for that", l.Shared.Source))
	}
	if hasAttributes(l) {
		text = append(text, "If its Attributes are nil, they are those of Launch")
	}
	if len(text) == 0 || text[0][0] != ',' {
		text = append([]string{""}, text...)
	}
	return strings.Join(text, ". ") + "."
}
