package directive

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
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

// Unexportable returns the reason why v cannot be exported, or none. Errors of its type are
// in v.Errors.
func Unexportable(v *cu.Variable) diag.Message {
	switch {
	case v.Template:
		return diag.Export.Errorf("is a template of variables, which cannot be exported: %w", diag.Do("declare an ordinary variable"))
	case !v.Defined:
		return diag.StrayDirective.Errorf("is declared here but not defined: %w", diag.Do("put the directive above the definition, or include the file that has it"))
	case v.Const:
		return diag.Export.Errorf("is const, so the compiler puts its value into the kernels, and setting it would not change them: %w", diag.Do("leave out the const"))
	}
	if v.Type != nil {
		if _, reference := ctype.Unqualified(v.Type).(*ctype.Reference); reference {
			return diag.Export.Errorf("is a reference: %w", diag.Do("export the variable that it refers to"))
		}
	}
	return diag.Message{}
}
