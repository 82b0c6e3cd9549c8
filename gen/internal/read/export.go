package read

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/selection"
)

// exports returns the export directives of file that do not belong to variables, with the
// struct, enum or constant that each stands above.
func exports(file *cu.File) (list []selection.Export) {
	for _, d := range fileDirectives(file) {
		if d.Verb != "export" {
			continue
		}
		e := selection.Export{Directive: d}
		for _, below := range file.Declarations {
			if !slices.Contains(below.Directives, d) {
				continue
			}
			switch {
			case len(below.Types) == 1:
				e.Type = below.Types[0]
			case len(below.Types) == 0 && len(below.Constants) == 1:
				e.Constant = below.Constants[0]
			default:
				e.Several = len(below.Types)+len(below.Constants) > 0
			}
		}
		list = append(list, e)
	}
	return list
}

// typeDirectives returns the type directives of file.
func typeDirectives(file *cu.File) []cu.Directive {
	return slices.DeleteFunc(fileDirectives(file), func(d cu.Directive) bool { return d.Verb != "type" })
}

// fileDirectives returns the directives in the main file that belong to the file, wherever they
// stand.
func fileDirectives(file *cu.File) []cu.Directive {
	list := slices.Clone(file.Directives)
	for _, k := range file.Kernels {
		list = append(list, k.Directives...)
	}
	list = slices.DeleteFunc(list, func(d cu.Directive) bool { return !directive.OfFile(d.Verb) || d.Included })
	for _, v := range file.Variables {
		for _, d := range v.Directives {
			if d.Verb == "type" && !d.Included { // other directives belong to the variable
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y cu.Directive) int { return cmp.Compare(x.Pos.Offset, y.Pos.Offset) })
	return slices.Compact(list) // variables of one declaration share theirs
}
