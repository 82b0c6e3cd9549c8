package read

import (
	"cmp"
	"go/token"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// spaces are the state spaces of variables by the words that declare them.
//
// PTX ISA, State Spaces; CUDA C++ Programming Guide, Variable Memory Space Specifiers.
var spaces = map[string]image.Variable{
	"__constant__": {Space: image.Const},
	"__device__":   {Space: image.Global},
	"__managed__":  {Space: image.Global, Managed: true},
}

// selectVariables returns the variables of file that have an export directive. errs says
// which cannot have one, and why.
func selectVariables(file *cu.File) (chosen []*selection.Variable, errs diag.List) {
	seen := make(map[token.Position]bool)
	for _, v := range file.Variables {
		if v.Included && !v.Own {
			continue
		}
		if len(directive.Exported(v)) == 0 {
			errs = append(errs, unexportedData(v, seen)...)
		}
		for _, d := range v.Directives {
			switch {
			case seen[d.Pos] && d.Verb == "export":
				errs.Add(d.Pos, diag.Export.Errorf("export: the declaration below has several variables: %w", diag.Do("give each a declaration of its own")))
			case seen[d.Pos], directive.OfFile(d.Verb), d.Verb == "data":
			default:
				errs.Add(d.Pos, cmp.Or(directive.UnknownVerb(d.Verb), diag.StrayDirective.Errorf("directive %s belongs to kernels, and %s is a variable: %w", d.Verb, v.Name, diag.Do("write //cudagen:export, or nothing"))))
			}
			seen[d.Pos] = true
		}
		exports := directive.Exported(v)
		if len(exports) == 0 {
			continue
		}
		if len(exports) > 1 {
			errs.Add(exports[1].Pos, diag.Contradiction.Errorf("export is given twice, first in line %d", exports[0].Pos.Line))
		}
		one := &selection.Variable{Variable: v, Directive: exports[0]}
		examineVariable(one)
		one.Problems = append(one.Problems, variableData(one)...)
		chosen, errs = append(chosen, one), append(errs, one.Problems...)
	}
	errs.Sort()
	return chosen, errs
}

// examineVariable notes the type and layout of v in the source, and why Go cannot have it.
func examineVariable(v *selection.Variable) {
	var errs diag.List
	refuse := func(err error) { errs.Add(v.Pos, diag.MessageOf(err).About(v.Name)) }
	if d := v.Directive; d.Args != "" && !goname.IsExported(d.Args) {
		errs.Add(d.ArgsPos, diag.Export.Errorf("export: %s is not an exported Go name", d.Args))
	}
	reason := directive.Unexportable(v.Variable)
	switch {
	case reason.Text != "":
		refuse(reason)
	case len(v.Errors) > 0:
		errs = append(errs, v.Errors...)
	default:
		_, err := layout.GoType(v.Type, func(ctype.Type) model.GoType { return model.GoType{} })
		if err == nil {
			v.Source = spaces[v.Space]
			v.Source.Size, v.Source.Align, err = layout.Of(v.Type)
		}
		if err != nil {
			refuse(err)
		}
	}
	errs.Sort()
	v.Problems = errs
}
