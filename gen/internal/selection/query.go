package selection

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/witness"
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

// QueryOf returns the question for a kernel of file.
func QueryOf(file *cu.File, k *cu.Kernel) witness.KernelQuery {
	var overload []ctype.Type
	if overloaded(file, k) {
		overload = []ctype.Type{}
		for _, p := range k.Params {
			overload = append(overload, p.Type)
		}
	}
	return Query(k.Namespace, k.Name, k.Args, overload)
}

// TypedQuery returns the question about a kernel with the types of its parameters; nil when the
// source does not tell them, and for an instance, whose arguments do.
func (k *Kernel) TypedQuery() *witness.KernelQuery {
	overload := []ctype.Type{}
	for _, p := range k.Params {
		overload = append(overload, p.Type)
	}
	if k.Args != nil || slices.Contains(overload, nil) {
		return nil
	}
	query := Query(k.Namespace, k.Name, nil, overload)
	return &query
}

// overloaded reports whether file has several kernels, or for one with template arguments several templates of functions, of
// the name of k, and knows the types of its parameters.
func overloaded(file *cu.File, k *cu.Kernel) bool {
	if slices.ContainsFunc(k.Params, func(p cu.Param) bool { return p.Type == nil }) {
		return false
	}
	if k.Overloaded && k.Args != nil {
		return true
	}
	signatures := make(map[string]bool)
	for _, other := range file.Kernels {
		if other.Name == k.Name && slices.Equal(other.Namespace, k.Namespace) && other.Template == (k.Args != nil) {
			signatures[other.Signature] = true
		}
	}
	return len(signatures) > 1
}
