package read

import (
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
)

// readData reads the data directives that belong to neither a kernel nor a variable: those above
// types, and those without code directly below, which belong to the file.
func readData(s *selection.Selection) diag.List {
	var errs diag.List
	left := directive.OfData(s.File.Directives)
	for _, below := range s.File.Declarations {
		own := directive.OfData(below.Directives)
		if len(own) == 0 || len(below.Types) != 1 || len(below.Constants) > 0 {
			continue
		}
		left = slices.DeleteFunc(left, func(d cu.Directive) bool {
			return slices.ContainsFunc(own, func(o cu.Directive) bool { return o.Pos == d.Pos })
		})
		data, problems := directive.Data(own)
		errs = append(errs, problems...)
		s.TypeData = append(s.TypeData, selection.TypeData{Type: below.Types[0], Pos: own[0].Pos, Data: data})
	}
	for _, d := range left {
		if d.Above {
			errs.Add(d.Pos, diag.TemplateData.Errorf("data is directly above something that Go does not have: %w", diag.Do("put it above a kernel, a struct, an enum or an exported variable, or leave the line below it empty if it is for the file")))
		}
	}
	data, problems := directive.Data(left)
	s.Data, errs = data, append(errs, problems...)
	errs.Sort()
	return errs
}

// variableData reads the data directives of a variable.
func variableData(v *selection.Variable) (errs diag.List) {
	v.Data, errs = directive.Data(directive.OfData(v.Directives))
	return errs
}

// unexportedData reports data of a variable that is not exported.
func unexportedData(v *cu.Variable, seen map[token.Position]bool) (errs diag.List) {
	for _, d := range directive.OfData(v.Directives) {
		if !seen[d.Pos] {
			errs.Add(d.Pos, diag.TemplateData.Errorf("data belongs to what Go has, and %s is not exported: %w", v.Name, diag.Do("add //cudagen:export")))
		}
	}
	return errs
}
