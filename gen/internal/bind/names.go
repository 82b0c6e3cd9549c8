package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// memberNames names the kernels and variables, which are fields of one type. Their names depend on
// their declarations alone, and on whether two want the same one: then all of them have their
// namespaces in front or, without any, the spelling of C++. Overloads have the words of their
// parameter types. Where all that is the same, as for float * and const float *, a sum of what C++ calls them tells them apart. Names that directives give are theirs.
func (b *builder) memberNames(kernels []*selection.Kernel, variables []*selection.Variable) {
	b.kernelNames, b.variableNames = make(map[*selection.Kernel]memberName), make(map[*selection.Variable]string)
	claims := []goname.Claim{goname.Fixed("Close")}
	overloads := make(map[string]int)
	for _, k := range kernels {
		if k.Spec.GoName == "" {
			overloads[k.QualifiedName()]++
		}
	}
	for _, k := range kernels {
		claims = append(claims, kernelClaim(k, overloads[k.QualifiedName()] > 1))
	}
	for _, v := range variables {
		if v.Directive.Args != "" {
			claims = append(claims, goname.Fixed(v.Directive.Args))
		} else {
			claims = append(claims, goname.Forms(goname.Entity(v.Namespace, v.Name)...))
		}
	}
	names, clashes := goname.Settle(claims)
	for _, c := range clashes {
		names[c.Claim] = []string{c.Name}
		b.scope.kernelsClash = true
		if i := c.Claim - 1; i < len(kernels) {
			b.errs.Add(kernels[i].Pos, diag.GoName.Errorf("the Go name %s is taken already: %w", c.Name, diag.Do("give another with //cudagen:kernel GoName")).About(kernels[i].Name))
		} else if v := variables[i-len(kernels)]; v.Directive.Args != "" {
			b.errs.Add(v.Directive.ArgsPos, diag.Export.Errorf("export: the Go name %s is taken already", c.Name))
		} else {
			b.errs.Add(v.Directive.Pos, diag.Export.Errorf("export: the Go name %s is taken already: %w", c.Name, diag.Do("give another with //cudagen:export GoName")))
		}
	}
	for i, k := range kernels {
		name := memberName{goName: names[i+1][0]}
		if plain := claims[i+1].Forms[0][0]; name.goName != plain {
			name.note = goname.Ambiguous(plain)
		} else if k.Spec.GoName == "" && overloads[k.QualifiedName()] > 1 {
			name.note = "it is overloaded"
		}
		b.kernelNames[k] = name
	}
	for i, v := range variables {
		b.variableNames[v] = names[i+1+len(kernels)][0]
	}
}

// A memberName is the Go name of a kernel, and why it is not the plain one.
type memberName struct{ goName, note string }

// kernelClaim returns the claim of k to its name. One of an overloaded kernel has the words of all
// parameter types: those in which the overloads differ would depend on the others.
func kernelClaim(k *selection.Kernel, overloaded bool) goname.Claim {
	if k.Spec.GoName != "" {
		return goname.Fixed(k.Spec.GoName)
	}
	name := func(scopes []string, word func(scopes []string, name string) string) string {
		words := append(scopes, argumentWords(k.Args, word)...)
		if overloaded {
			for _, p := range k.Params {
				words = append(words, typeWord(p.Type, word))
			}
		}
		return goname.Join(words...)
	}
	base := goname.Exported(goname.Identifier(k.Name))
	var scopes []string
	for _, scope := range k.Namespace {
		if scope != ctype.AnonymousNamespace {
			scopes = append(scopes, goname.Exported(goname.Identifier(scope)))
		}
	}
	spelled := goname.Verbatim(append(slices.Clone(k.Namespace), k.Name)...)
	if rest := name(nil, qualified); rest != "" {
		spelled += "_" + rest
	}
	full := goname.Join(append(scopes, base)...)
	forms := []string{name([]string{base}, plain), name(append(scopes, base), qualified), spelled}
	for i, bare := range []string{base, full, full} {
		forms[i] = goname.Limited(forms[i], bare, spelled)
	}
	spelling := k.QualifiedName()
	for _, p := range k.Params {
		if p.Type != nil {
			spelling += ", " + p.Type.Demangled()
		}
	}
	return goname.Forms(append(forms, goname.Summed(full, spelling))...)
}

// plain and qualified are the words for a class or an enumeration called name in scopes: X and NsX.
func plain(_ []string, name string) string { return goname.Type(name) }

func qualified(scopes []string, name string) string { return goname.Qualified(scopes, name) }

// numberWords are what stands in place of the signs in a number.
var numberWords = strings.NewReplacer("-", "Minus", ".", "Point", "+", "")

// argumentWords returns words for template arguments: Float and 4 for <float, 4>.
func argumentWords(args []ctype.TemplateArg, named func(scopes []string, name string) string) []string {
	var words []string
	for _, arg := range args {
		switch {
		case arg.Entity != nil:
			words = append(append(words, named(arg.Entity.Scope, arg.Entity.Name)), argumentWords(arg.Entity.Args, named)...)
		case len(arg.Elems) > 0:
			if text, ok := arg.Text(); ok {
				words = append(words, goname.Exported(goname.Identifier(text)))
				continue
			}
			words = append(append(words, typeWord(arg.Type, named)), argumentWords(arg.Elems, named)...)
		case arg.IsValue:
			words = append(words, numberWords.Replace(arg.Number()))
		default:
			words = append(words, typeWord(arg.Type, named))
		}
	}
	return words
}

// typeWord returns a word for a type, or "" for an unknown one.
func typeWord(t ctype.Type, named func(scopes []string, name string) string) string {
	if t == nil {
		return ""
	}
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		return cmp.Or(typeWord(t.Elem, named), "Void") + "Ptr"
	case *ctype.Reference:
		return typeWord(t.Elem, named) + "Ref"
	case *ctype.Array:
		return typeWord(t.Elem, named) + fmt.Sprint("Array", t.Len)
	case *ctype.Struct:
		return named(t.Scope, t.Name+ctype.Arguments(t.Args))
	case *ctype.Enum:
		return named(t.Scope, t.Name)
	case *ctype.Function:
		return "Func"
	default:
		return goname.Exported(goname.Identifier(strings.ReplaceAll(t.Demangled(), " ", "_")))
	}
}
