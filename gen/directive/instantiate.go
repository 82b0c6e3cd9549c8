package directive

import (
	"strings"

	"github.com/cudagen/cudagen/gen/cu"
)

// Instantiations returns, for an error message, the directives that export instances of
// the template k, with the arguments that the file uses.
func Instantiations(k *cu.Kernel) string {
	const verb = "//cudagen:instantiate "
	if len(k.Suggestions) > 0 {
		return "add above it " + verb + strings.Join(k.Suggestions, " and "+verb)
	}
	var arguments []string
	for _, p := range k.TemplateParams {
		switch {
		case p.Name == "" || p.Pack:
		case p.Type == "typename" || p.Type == "class":
			arguments = append(arguments, p.Name+"=float")
		default:
			arguments = append(arguments, p.Name+"=4")
		}
	}
	return "add above it, for each instantiation, a line such as " + verb + strings.Join(arguments, ",")
}
