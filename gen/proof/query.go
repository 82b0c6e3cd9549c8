package proof

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/witness"
)

// Query returns the question for a kernel: its namespaces, its name, its template
// arguments, and the types of its parameters when other kernels have that name, nil
// otherwise.
//
// A name inside of unnamed namespaces is said without them. It is not unique, and the
// compiler says so, when the namespace around has the same name.
func Query(namespace []string, name string, args []ctype.TemplateArg, overload []ctype.Type) witness.KernelQuery {
	visible := slices.DeleteFunc(slices.Clone(namespace), func(s string) bool { return s == ctype.AnonymousNamespace })
	q := witness.KernelQuery{Name: strings.Join(append(visible, name+ctype.SourceArguments(args)), "::")}
	if overload != nil {
		q.Params = []string{}
	}
	for _, t := range overload {
		q.Params = append(q.Params, t.String())
	}
	return q
}
