package directive

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
)

// Exported returns the export directives of v; more than one is an error of the source.
func Exported(v *cu.Variable) (exports []cu.Directive) {
	for _, d := range v.Directives {
		if d.Verb == "export" {
			exports = append(exports, d)
		}
	}
	return exports
}

// Unexportable returns the reason why v cannot be exported, or "". Errors of its type are
// in v.Errors.
func Unexportable(v *cu.Variable) string {
	switch {
	case v.Template:
		return "is a template of variables, which cannot be exported: declare an ordinary variable"
	case !v.Defined:
		return "is declared here but not defined: put the directive above the definition"
	case v.Const:
		return "is const, so the compiler puts its value into the kernels, and setting it would not change them: leave out the const"
	}
	if v.Type != nil {
		if _, reference := ctype.Unqualified(v.Type).(*ctype.Reference); reference {
			return "is a reference: export the variable that it refers to"
		}
	}
	return ""
}
