package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu/lex"
)

// addKernel adds k to the file. A declaration and the definition of one kernel become
// one.
func (p *parser) addKernel(k *kernel) {
	name := joinPath(append(slices.Clone(k.Namespace), k.Name))
	for _, old := range p.kernels[name] {
		if !sameKernel(k, old) {
			continue
		}
		if old.Defined && k.Defined {
			if k.Template {
				continue // an overload by its template parameters
			}
			k.errorf(k.name, "defined more than once (first in line %d)", old.Pos.Line)
			break
		}
		before := *old.Kernel
		attributes := p.joinAttributes(old.attributes, k.attributes...)
		old.merge(k)
		old.attributes = attributes
		old.LaunchBounds, old.BlockSize, old.ClusterDims, old.MaxRegisters = before.LaunchBounds, before.BlockSize, before.ClusterDims, before.MaxRegisters
		p.configure(old, k.attributes)
		return
	}
	const most = 256 // that are compared: nobody has as many overloads
	if len(p.kernels[name]) < most {
		p.kernels[name] = append(p.kernels[name], k)
	}
	k.index = len(p.order)
	p.order = append(p.order, k)
	p.byName[k.Name] = append(p.byName[k.Name], k)
}

// sameKernel reports whether a and b declare one kernel.
func sameKernel(a, b *kernel) bool {
	if a.Template != b.Template || a.Specialised != b.Specialised || ctype.Arguments(a.Args) != ctype.Arguments(b.Args) {
		return false
	}
	if a.Template {
		return len(a.head.params) == len(b.head.params) && typesOf(a.parameters) == typesOf(b.parameters)
	}
	if len(a.Params) != len(b.Params) || len(a.Errors) > 0 || len(b.Errors) > 0 {
		return false
	}
	for i := range a.Params {
		if a.Params[i].Type.Demangled() != b.Params[i].Type.Demangled() {
			return false
		}
	}
	return true
}

// typesOf returns the parameters of a template, names aside, as far as tokens tell.
func typesOf(c cursor) string {
	var b strings.Builder
	for ; c.more(); c.next() {
		next := c.ahead(1)
		if c.peek().Kind == lex.Ident && (next.Is(",") || next.Kind == lex.EOF || next.Is("[")) {
			continue
		}
		b.WriteString(c.peek().Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// merge takes over what another declaration of k says: a definition counts more.
func (k *kernel) merge(other *kernel) {
	directives := append(k.Directives, other.Directives...)
	main, second := *k, *other
	if other.Defined || !k.Defined && len(other.Directives) > 0 {
		main, second = *other, *k
	}
	merged := *main.Kernel
	merged.Directives = directives
	merged.ExternC = main.ExternC || second.ExternC
	merged.Static = main.Static || second.Static
	merged.Own = main.Own || second.Own && len(second.Directives) > 0
	if len(merged.Doc) == 0 || main.Included && !second.Included && len(second.Doc) > 0 {
		merged.Doc = second.Doc
	}
	if main.head != nil && second.head != nil {
		inherit(main.head, second.head)
		merged.TemplateParams = main.head.describe()
	}
	main.implied = append(main.implied, second.implied...)
	main.index = k.index
	*k = main
	k.Kernel = &merged
}
