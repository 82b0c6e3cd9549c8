package directive

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// Instantiations returns, for an error message, the directives that export instances of
// the template k, with the arguments that the file uses.
func Instantiations(k *cu.Kernel) diag.Remedy {
	const verb = "//cudagen:instantiate "
	if len(k.Suggestions) > 0 {
		return diag.Do("add above it %s", verb+strings.Join(k.Suggestions, " and "+verb))
	}
	var named, positional []string
	nameable := true
	for _, p := range k.TemplateParams {
		nameable = nameable && !p.Pack && (p.Name != "" || p.Default != "")
		if p.Name != "" {
			named = append(named, p.Name+"="+p.Example)
		}
		positional = append(positional, p.Example)
	}
	arguments := strings.Join(named, ",")
	if !nameable {
		arguments = "<" + strings.Join(positional, ", ") + ">"
	}
	return diag.Do("add above it, for each instantiation, a line such as %s", verb+arguments)
}
