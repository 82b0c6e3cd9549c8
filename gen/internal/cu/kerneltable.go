package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A kernelTable has the kernels of a file.
type kernelTable struct {
	order  []*kernel            // in which they are declared first
	byPath map[string][]*kernel // by qualified name
	byName map[string][]*kernel
	used   map[*scope][]kernelUse // by the scope in which the using-declaration stands
}

// add adds k to the file. A declaration and the definition of one kernel become
// one.
func (t *kernelTable) add(u *unit, k *kernel) {
	name := joinPath(append(slices.Clone(k.Namespace), k.Name))
	for _, old := range t.byPath[name] {
		if !sameKernel(k, old) {
			continue
		}
		if old.Defined && k.Defined {
			if k.Template {
				continue // an overload by its template parameters
			}
			k.errorf(k.name, diag.KernelDeclaration, "defined more than once (first in line %d)", old.Pos.Line)
			break
		}
		before := *old.Kernel
		attributes := joinAttributes(old.attributes, k.attributes...)
		old.merge(k)
		old.attributes = attributes
		old.LaunchBounds, old.BlockSize, old.ClusterDims, old.MaxRegisters = before.LaunchBounds, before.BlockSize, before.ClusterDims, before.MaxRegisters
		old.configure(u, k.attributes)
		return
	}
	const most = 256 // that are compared: nobody has as many overloads
	if len(t.byPath[name]) < most {
		t.byPath[name] = append(t.byPath[name], k)
	}
	k.index = len(t.order)
	t.order = append(t.order, k)
	t.byName[k.Name] = append(t.byName[k.Name], k)
}

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

// A kernelUse is a using-declaration of kernels.
type kernelUse struct {
	name string
	from *scope
}

// A mention is where the source names a kernel other than to declare it.
type mention struct {
	path   cursor // the qualifiers, with the last ::; empty for none
	name   *lex.Token
	args   cursor // the template arguments
	angled bool   // it has template arguments
}

// mentionBefore returns the mention of a kernel whose last token is the one before the index end;
// it begins at first or behind. ok is false when no name stands there.
func mentionBefore(c cursor, first, end int) (m mention, ok bool) {
	const longest = 1 << 10 // tokens of template arguments
	at := end - 1
	if at >= first && c.list[at].Is(">") {
		for at = end - 2; at >= max(first, end-longest); at-- {
			if c.list[at].Kind != lex.Ident || !c.list[at+1].Is("<") {
				continue
			}
			inside := c.piece(at+1, len(c.list))
			if list, closed := inside.angles(); closed && inside.i == end {
				m.args, m.angled = list, true
				break
			}
		}
	}
	if at < max(first, end-longest) || c.list[at].Kind != lex.Ident {
		return m, false
	}
	m.name = &c.list[at]
	begin := at
	for begin-1 >= first && c.list[begin-1].Is("::") {
		begin--
		if before := &c.list[max(begin-1, 0)]; begin-1 < first || before.Kind != lex.Ident || scalarWords[before.Text] || noQualifier[before.Text] {
			break
		}
		begin--
	}
	m.path = c.piece(begin, at)
	return m, true
}

// of returns the kernels that m may mean, looked up from s: C++ standard, [basic.lookup].
// Overloads are several. Local names do not count, and neither do kernels behind the first until ones, if it is not 0.
func (t *kernelTable) of(u *unit, m mention, s *scope, until int) []*kernel {
	if len(t.byName[m.name.Text]) == 0 {
		return nil
	}
	if m.path.more() {
		path := m.path.piece(m.path.i, m.path.stop-1)
		in := s.root()
		if path.more() {
			f := u.in(s).name(&path)
			if in = u.scopeOf(f.entity); in == nil || path.more() {
				return nil
			}
		}
		return t.within(in, m.name.Text, until, make(map[*scope]bool))
	}
	var used []usedName
	for ; s != nil; s = s.parent {
		used = append(used, s.used...)
		seen := make(map[*scope]bool)
		list := t.in(s, m.name.Text, until, seen)
		for _, other := range used {
			if other.level == s {
				list = append(list, t.within(other.namespace, m.name.Text, until, seen)...)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// in returns the kernels called name that are declared in s, or that a using-declaration
// declares there.
func (t *kernelTable) in(s *scope, name string, until int, seen map[*scope]bool) (list []*kernel) {
	if seen[s] {
		return nil
	}
	seen[s] = true
	for _, k := range t.byName[name] {
		if k.scope == s && (until == 0 || k.index < until) {
			list = append(list, k)
		}
	}
	for _, inner := range s.order {
		list = append(list, t.in(inner, name, until, seen)...)
	}
	for _, use := range t.used[s] {
		if use.name == name {
			list = append(list, t.in(use.from, name, until, seen)...)
		}
	}
	return list
}

// within is in, with the namespaces that using-directives in s name.
func (t *kernelTable) within(s *scope, name string, until int, seen map[*scope]bool) []*kernel {
	list := t.in(s, name, until, seen)
	if len(list) > 0 {
		return list
	}
	for _, use := range s.used {
		if !seen[use.namespace] {
			list = append(list, t.within(use.namespace, name, until, seen)...)
		}
	}
	return list
}

// onlyNamed returns the kernels called name, when all of them are in one namespace.
func (t *kernelTable) onlyNamed(name string) []*kernel {
	list := t.byName[name]
	for _, k := range list {
		if k.scope != list[0].scope {
			return nil
		}
	}
	return list
}

// specialised reports whether an explicit specialisation stands for one, and notes that the main
// file wants it.
func (t *kernelTable) specialised(k *kernel, one *implied) bool {
	for _, other := range t.byName[k.Name] {
		if other.Specialised && other.scope == k.scope && ctype.Arguments(other.Args) == ctype.Arguments(one.args) && len(other.Params) == len(splitAngles(k.parameters)) {
			other.Own = other.Own || one.own
			return true
		}
	}
	return false
}

// list returns the kernels in order, with the instances that directives ask for and that the source makes.
func (t *kernelTable) list(u *unit) (list []*Kernel) {
	for _, k := range t.order {
		k.Errors = k.Errors.Sorted()
		k.Overloaded = k.scope.hasTemplate(k.Name)
		if !k.Template {
			u.in(k.scope).expressionNames(k.Kernel, u.in(k.scope).parameterNames(k.parameters))
		}
		list = append(list, k.Kernel)
		asked := k.instances(u)
		for _, instance := range append(asked, k.impliedInstances(u, t, asked)...) {
			instance.Errors, instance.Overloaded = instance.Errors.Sorted(), k.Overloaded
			list = append(list, instance)
		}
	}
	return list
}

// hasTemplate reports whether s declares a function template called name that is no kernel.
func (s *scope) hasTemplate(name string) bool {
	e := s.names[name]
	return e != nil && e.function != nil && (e.function.many || slices.ContainsFunc(e.function.overloads, func(o *overload) bool { return o.head != nil }))
}

// impliedInstances returns a kernel for each instance of the template k that the source makes itself, but
// for those that directives ask for too, and for explicit specialisations.
func (k *kernel) impliedInstances(u *unit, kernels *kernelTable, asked []*Kernel) []*Kernel {
	var made []*Kernel
	list := joinImplied(k.implied)
	for _, one := range list {
		key := ctype.Arguments(one.args)
		const most = 64 // suggestions
		if len(k.Suggestions) < most {
			k.Suggestions = append(k.Suggestions, k.head.suggestion(one.args))
		}
		if one.elsewhere || kernels.specialised(k, one) {
			continue
		}
		if slices.ContainsFunc(asked, func(a *Kernel) bool { return a.Args != nil && ctype.Arguments(a.Args) == key }) &&
			len(one.directives) == 0 && !one.wanted {
			continue
		}
		made = append(made, k.impliedKernel(u, one, len(asked)+len(list) == 1))
	}
	return made
}
