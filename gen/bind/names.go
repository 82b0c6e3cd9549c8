package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/selection"
)

// A kernelName is the Go name of a kernel, and why it is not the plain one.
type kernelName struct{ goName, note string }

// kernelNames returns the Go names of the kernels: those that directives give come
// first, then each kernel in its order gets the plain form of its C++ name. Overloads
// get the words of the parameter types in which they differ; a name that something else
// has gets its namespaces in front, then a number.
//
// For a kernel named K, the package also has the names of emit.PackageNames.
func (b *builder) kernelNames(kernels []*selection.Kernel) []kernelName {
	names := make([]kernelName, len(kernels))
	for i, k := range kernels {
		if names[i].goName = k.Spec.GoName; names[i].goName != "" && !b.claim(names[i].goName) {
			b.errs.Add(k.Pos, fmt.Sprintf("%s: the Go name %s is taken already: give another with //cudagen:kernel GoName", k.Name, names[i].goName))
		}
	}
	for i, k := range kernels {
		if names[i].goName != "" {
			continue
		}
		plain := goname.Exported(goname.Identifier(k.Name)) + argumentWords(k.Args)
		name, note := plain, ""
		if overloads := overloadsOf(k, kernels); len(overloads) > 1 {
			name += typeWords(k, overloads)
			note = "it is overloaded"
		}
		for n := len(k.Namespace) - 1; n >= 0 && b.claimed(name); n-- {
			if scope := goname.Identifier(k.Namespace[n]); k.Namespace[n] != ctype.AnonymousNamespace {
				name = goname.Exported(scope) + name
			}
		}
		free := name
		for n := 2; !b.claim(free); n++ {
			free = fmt.Sprint(name, n)
		}
		if free != plain && note == "" {
			note = plain + " is taken"
		}
		names[i] = kernelName{free, note}
	}
	return names
}

func (b *builder) claimed(name string) bool {
	return b.members.Taken(name) || slices.ContainsFunc(emit.PackageNames(name), b.scope.Taken)
}

// claim takes name and the names of the types that go with it, or none of them.
func (b *builder) claim(name string) bool {
	if b.claimed(name) {
		return false
	}
	for _, taken := range emit.PackageNames(name) {
		b.scope.Add(taken)
	}
	return b.members.Add(name)
}

// overloadsOf returns the kernels of k's qualified name without a name from a directive.
func overloadsOf(k *selection.Kernel, kernels []*selection.Kernel) []*selection.Kernel {
	var list []*selection.Kernel
	for _, other := range kernels {
		if other.Spec.GoName == "" && other.QualifiedName() == k.QualifiedName() {
			list = append(list, other)
		}
	}
	return list
}

// typeWords returns words for the types of those parameters of k that are not the same
// in all overloads: Float32Ptr for a float *.
func typeWords(k *selection.Kernel, overloads []*selection.Kernel) string {
	var b strings.Builder
	for i, p := range k.Params {
		for _, other := range overloads {
			if i >= len(other.Params) || !sameType(other.Params[i].Type, p.Type) {
				b.WriteString(typeWord(p.Type))
				break
			}
		}
	}
	return b.String()
}

// sameType reports whether x and y are one type. One that is not known is nil.
func sameType(x, y ctype.Type) bool {
	return x != nil && y != nil && x.Demangled() == y.Demangled()
}

// argumentWords returns words for template arguments: Float4 for <float, 4>.
func argumentWords(args []ctype.TemplateArg) string {
	var b strings.Builder
	for _, arg := range args {
		switch {
		case arg.Entity != nil:
			b.WriteString(goname.Exported(goname.Identifier(arg.Entity.Name)) + argumentWords(arg.Entity.Args))
		case arg.IsValue:
			b.WriteString(strings.ReplaceAll(fmt.Sprint(arg.Value), "-", "Minus"))
		default:
			b.WriteString(typeWord(arg.Type))
		}
	}
	return b.String()
}

// typeWord returns a word for a type, "" for one that is not known.
func typeWord(t ctype.Type) string {
	if t == nil {
		return ""
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		return cmp.Or(typeWord(t.Elem), "Void") + "Ptr"
	case *ctype.Reference:
		return typeWord(t.Elem) + "Ref"
	case *ctype.Array:
		return typeWord(t.Elem) + fmt.Sprint("Array", t.Len)
	case *ctype.Struct:
		return goname.Exported(goname.Identifier(t.Name + ctype.Arguments(t.Args)))
	case *ctype.Enum:
		return goname.Exported(goname.Identifier(t.Name))
	case *ctype.Function:
		return "Func"
	default:
		return goname.Exported(goname.Identifier(strings.ReplaceAll(t.Demangled(), " ", "_")))
	}
}
