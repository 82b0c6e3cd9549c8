package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
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

// A kernelUse is a using-declaration of kernels.
type kernelUse struct {
	name string
	from *scope
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
		if !k.Template {
			u.in(k.scope).expressionNames(k.Kernel)
		}
		list = append(list, k.Kernel)
		asked := k.instances(u)
		for _, instance := range append(asked, k.impliedInstances(u, t, asked)...) {
			instance.Errors = instance.Errors.Sorted()
			list = append(list, instance)
		}
	}
	return list
}
