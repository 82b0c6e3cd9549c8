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

// A kernelName is the Go name of a kernel and of its type, and why it is not the plain one.
type kernelName struct{ goName, typeName, note string }

// kernelNames returns the Go names of the kernels, which depend on their source alone: those
// that directives give come first, then the plain forms of C++ names that no other kernel
// has, then each kernel in its order. Overloads get the words of the parameter types in
// which they differ; a name that something else has gets its namespaces in front, then a
// number.
//
// For a kernel named K, the package also has the names of emit.PackageNames and one of
// emit.KernelTypes.
func (b *builder) kernelNames(kernels []*selection.Kernel) []kernelName {
	names := make([]kernelName, len(kernels))
	wanted := make([]kernelName, len(kernels))
	count := make(map[string]int)
	overloads := overloadsOf(kernels)
	for i, k := range kernels {
		wanted[i] = wantedName(k, overloads)
		count[wanted[i].goName]++
		if types := emit.KernelTypes(wanted[i].goName); len(types) == 1 {
			b.kernelTypes[types[0]] = true
		}
	}
	for i, k := range kernels {
		name := k.Spec.GoName
		if name == "" {
			continue
		}
		typeName, free := b.claim(name)
		if !free {
			b.errs.Add(k.Pos, fmt.Sprintf("%s: the Go name %s is taken already: give another with //cudagen:kernel GoName", k.Name, name))
		}
		names[i] = kernelName{goName: name, typeName: typeName}
	}
	for i, want := range wanted {
		if names[i].goName == "" && count[want.goName] == 1 {
			if typeName, free := b.claim(want.goName); free {
				names[i] = kernelName{want.goName, typeName, want.note}
			}
		}
	}
	for i, k := range kernels {
		if names[i].goName == "" {
			names[i] = b.freeName(k, wanted[i])
		}
	}
	return names
}

// wantedName returns the name that k has when nothing else has it.
func wantedName(k *selection.Kernel, overloads map[string][]*selection.Kernel) kernelName {
	if k.Spec.GoName != "" {
		return kernelName{goName: k.Spec.GoName}
	}
	want := kernelName{goName: goname.Join(append([]string{goname.Exported(goname.Identifier(k.Name))}, argumentWords(k.Args)...)...)}
	if same := overloads[k.QualifiedName()]; len(same) > 1 {
		want.goName = goname.Join(append([]string{want.goName}, typeWords(k, same)...)...)
		want.note = "it is overloaded"
	}
	return want
}

// freeName claims the next best name for k, which wants one.
func (b *builder) freeName(k *selection.Kernel, want kernelName) kernelName {
	name := want.goName
	for n := len(k.Namespace) - 1; n >= 0 && b.claimed(name); n-- {
		if scope := goname.Identifier(k.Namespace[n]); k.Namespace[n] != ctype.AnonymousNamespace {
			name = goname.Join(goname.Exported(scope), name)
		}
	}
	got := kernelName{goName: name, note: want.note}
	for n := 2; ; n++ {
		typeName, free := b.claim(got.goName)
		if free {
			got.typeName = typeName
			break
		}
		got.goName = goname.Numbered(name, n)
	}
	if got.goName != want.goName && got.note == "" {
		got.note = want.goName + " is taken"
	}
	return got
}

func (b *builder) claimed(name string) bool {
	_, free := b.typeName(name)
	return !free
}

// claim takes name and the names of the types that go with it, or none of them. It returns
// the name of the kernel's type.
func (b *builder) claim(name string) (typeName string, free bool) {
	typeName, free = b.typeName(name)
	if !free {
		return "", false
	}
	for _, taken := range append(emit.PackageNames(name), typeName) {
		b.scope.Add(taken)
	}
	return typeName, b.members.Add(name)
}

// typeName returns the name that the type of a kernel called name gets, and whether name and
// all that goes with it are free.
func (b *builder) typeName(name string) (typeName string, free bool) {
	if b.members.Taken(name) || slices.ContainsFunc(emit.PackageNames(name), b.scope.Taken) {
		return "", false
	}
	types := emit.KernelTypes(name)
	for i, typeName := range types {
		wanted := i < len(types)-1 && b.kernelTypes[typeName]
		if !wanted && !b.scope.Taken(typeName) {
			return typeName, true
		}
	}
	return "", false
}

// overloadsOf returns the kernels without a name from a directive, by their qualified names.
func overloadsOf(kernels []*selection.Kernel) map[string][]*selection.Kernel {
	list := make(map[string][]*selection.Kernel)
	for _, k := range kernels {
		if k.Spec.GoName == "" {
			name := k.QualifiedName()
			list[name] = append(list[name], k)
		}
	}
	return list
}

// typeWords returns words for the types of those parameters of k that are not the same
// in all overloads: Float32Ptr for a float *.
func typeWords(k *selection.Kernel, overloads []*selection.Kernel) []string {
	var words []string
	for i, p := range k.Params {
		for _, other := range overloads {
			if i >= len(other.Params) || !sameType(other.Params[i].Type, p.Type) {
				words = append(words, typeWord(p.Type))
				break
			}
		}
	}
	return words
}

// sameType reports whether x and y are one type. One that is not known is nil.
func sameType(x, y ctype.Type) bool {
	return x != nil && y != nil && x.Demangled() == y.Demangled()
}

// argumentWords returns words for template arguments: Float and 4 for <float, 4>.
func argumentWords(args []ctype.TemplateArg) []string {
	var words []string
	for _, arg := range args {
		switch {
		case arg.Entity != nil:
			words = append(append(words, goname.Exported(goname.Identifier(arg.Entity.Name))), argumentWords(arg.Entity.Args)...)
		case arg.IsValue:
			words = append(words, strings.ReplaceAll(fmt.Sprint(arg.Value), "-", "Minus"))
		default:
			words = append(words, typeWord(arg.Type))
		}
	}
	return words
}

// typeWord returns a word for a type, or "" for an unknown one.
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
		return goname.Type(t.Name + ctype.Arguments(t.Args))
	case *ctype.Enum:
		return goname.Exported(goname.Identifier(t.Name))
	case *ctype.Function:
		return "Func"
	default:
		return goname.Exported(goname.Identifier(strings.ReplaceAll(t.Demangled(), " ", "_")))
	}
}
