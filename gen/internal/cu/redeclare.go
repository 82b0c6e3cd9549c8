package cu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// sameKernel reports whether a and b declare one kernel.
func sameKernel(a, b *kernel) bool {
	if a.Template != b.Template || a.Specialised != b.Specialised || ctype.Arguments(a.Args) != ctype.Arguments(b.Args) {
		return false
	}
	if a.Template {
		return len(a.head.params) == len(b.head.params) && a.head.typesOf(a.parameters) == b.head.typesOf(b.parameters) && a.head.constraints() == b.head.constraints()
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

// typesOf returns the parameters of a template with the head h, names aside, as far as tokens tell.
func (h *templateHead) typesOf(c cursor) string {
	var b strings.Builder
	for ; c.more(); c.next() {
		next := c.ahead(1)
		if c.peek().Kind == lex.Ident && (next.Is(",") || next.Kind == lex.EOF || next.Is("[")) && !c.before().Is(",") && c.i > 0 && !c.before().Is("(") {
			continue
		}
		b.WriteString(h.anonymous(c.peek()))
		b.WriteByte(' ')
	}
	return b.String()
}

// anonymous returns the text of l; what the parameters of h are called does not matter.
func (h *templateHead) anonymous(l *lex.Token) string {
	i := slices.IndexFunc(h.params, func(param *templateParam) bool { return param.name == l.Text })
	if i < 0 || l.Kind != lex.Ident {
		return l.Text
	}
	return fmt.Sprint("parameter ", i)
}

// constraints returns the constraints of h, as far as tokens tell: templates that differ in them are
// not the same.
func (h *templateHead) constraints() string {
	var b strings.Builder
	clauses := h.clauses()
	for _, param := range h.params {
		if param.kind == paramType && !param.plain() {
			clauses = append(clauses, param.typ)
		}
	}
	for _, c := range clauses {
		for ; c.more(); c.next() {
			b.WriteString(h.anonymous(c.peek()))
			b.WriteByte(' ')
		}
		b.WriteByte(';')
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
