package cu

import "github.com/cudagen/cudagen/gen/internal/ctype"

// A matcher finds out what the holes in a pattern stand for: C++ standard,
// [temp.deduct.type].
type matcher struct {
	*unit
	bound   map[*hole]ctype.TemplateArg
	packs   map[*hole][]ctype.TemplateArg
	lengths map[*hole]bool // that are bounds of arrays
	unclear bool
	loose   bool // the types of values in the pattern are not known
}

func newMatcher(u *unit) *matcher {
	return &matcher{unit: u, bound: make(map[*hole]ctype.TemplateArg), packs: make(map[*hole][]ctype.TemplateArg), lengths: make(map[*hole]bool)}
}

// matchAll reports whether a list of arguments fits a list in a pattern.
func (m *matcher) matchAll(pattern, args []ctype.TemplateArg) bool {
	for i, one := range pattern {
		class, _ := one.Type.(*ctype.Struct)
		if r := m.rests[class]; r.hole != nil {
			if i != len(pattern)-1 {
				m.unclear = true
				return false
			}
			return m.pack(r, args[min(i, len(args)):])
		}
		if i >= len(args) || !m.argument(one, args[i]) {
			return false
		}
	}
	return len(pattern) == len(args)
}

// pack matches the elements of a pack.
func (m *matcher) pack(r rest, args []ctype.TemplateArg) bool {
	elements := []ctype.TemplateArg{}
	for _, arg := range args {
		if class, ok := arg.Type.(*ctype.Struct); ok && m.rests[class].hole != nil {
			arg = m.rests[class].element // of another pattern
		}
		if !m.argument(r.element, arg) {
			return false
		}
		filled, ok := m.bound[r.hole]
		if !ok {
			m.unclear = true
			return false
		}
		elements = append(elements, filled)
		delete(m.bound, r.hole)
	}
	old, twice := m.packs[r.hole]
	if twice && ctype.Arguments(old) != ctype.Arguments(elements) {
		return false
	}
	m.packs[r.hole] = elements
	return true
}

// argument reports whether arg fits one argument of a pattern.
func (m *matcher) argument(pattern, arg ctype.TemplateArg) bool {
	class, _ := pattern.Type.(*ctype.Struct)
	h := m.holeOf[class]
	value := arg.IsValue || arg.Entity != nil
	if other, ok := arg.Type.(*ctype.Struct); ok && !value && m.rests[other].hole != nil {
		return false // a pack of another pattern fits none but a pack
	}
	switch {
	case h != nil && pattern.IsValue:
		return value && m.fill(h, arg)
	case pattern.IsValue || pattern.Entity != nil:
		switch {
		case !value:
			return false
		case pattern.Entity != nil && arg.Entity != nil:
			m.unclear = m.unclear || arg.Entity.Args != nil && arg.Entity.Name == pattern.Entity.Name
			return pattern.Entity.Demangled() == arg.Entity.Demangled() && !m.unclear
		}
		if other, ok := arg.Type.(*ctype.Struct); ok && m.holeOf[other] != nil {
			return false
		}
		return pattern.IsValue && arg.IsValue && (m.loose && pattern.Elems == nil && pattern.Value == arg.Value || pattern.Demangled() == arg.Demangled())
	case value:
		return false
	}
	return m.match(pattern.Type, arg.Type)
}

// fill notes what a hole stands for, and reports whether that is what it stood for before.
func (m *matcher) fill(h *hole, arg ctype.TemplateArg) bool {
	if old, ok := m.bound[h]; ok {
		if m.lengths[h] && old.IsValue && arg.IsValue {
			return old.Value == arg.Value
		}
		return old.Demangled() == arg.Demangled()
	}
	m.bound[h] = arg
	return true
}

// match reports whether t fits pattern.
func (m *matcher) match(pattern, t ctype.Type) bool {
	m.work.step()
	pattern, t = spreadArray(pattern), spreadArray(t)
	switch pattern := pattern.(type) {
	case *ctype.Struct:
		if h := m.holeOf[pattern]; h != nil {
			isTemplate := false
			if class, ok := t.(*ctype.Struct); ok {
				isTemplate = m.templates[class] != nil
			}
			return isTemplate == (h.param.kind == paramTemplate) && m.fill(h, ctype.TemplateArg{Type: t})
		}
		return m.class(pattern, t)
	case *ctype.Qualified:
		return m.qualified(pattern, t)
	case *ctype.Pointer:
		u, ok := t.(*ctype.Pointer)
		return ok && m.match(pattern.Elem, u.Elem)
	case *ctype.Reference:
		u, ok := t.(*ctype.Reference)
		return ok && u.RValue == pattern.RValue && m.match(pattern.Elem, u.Elem)
	case *ctype.MemberPointer:
		u, ok := t.(*ctype.MemberPointer)
		return ok && m.match(pattern.Class, u.Class) && m.match(pattern.Elem, u.Elem)
	case *ctype.Array:
		return m.array(pattern, t)
	case *ctype.Function:
		return m.function(pattern, t)
	}
	return pattern.Demangled() == t.Demangled()
}

// class matches a class: another one, or an instance of a template with arguments that fit.
func (m *matcher) class(pattern *ctype.Struct, t ctype.Type) bool {
	other, ok := t.(*ctype.Struct)
	switch {
	case !ok:
		return false
	case pattern.Args == nil || pattern == other:
		return pattern == other
	case m.templateOf[pattern] == nil:
		return pattern.Demangled() == other.Demangled()
	case m.templateOf[pattern].hole != nil:
		h := m.templateOf[pattern].hole
		of := m.templateOf[other]
		if of == nil {
			m.unclear = m.unclear || other.Args != nil
			return false
		}
		fits, clear := fitsTemplate(h.param, of.head)
		if m.unclear = m.unclear || !clear; !fits || !clear {
			return false
		}
		if !m.fill(h, ctype.TemplateArg{Type: m.standIn(of)}) {
			return false
		}
		loose := m.loose
		m.loose = true
		defer func() { m.loose = loose }()
	case m.templateOf[pattern] != m.templateOf[other]:
		return false
	}
	return m.matchAll(pattern.Args, other.Args)
}

// fitsTemplate reports whether a template with this head is an argument for a template
// template parameter: C++ standard, [temp.arg.template].
func fitsTemplate(param *templateParam, head *templateHead) (fits, clear bool) {
	c := param.typ
	c.next()
	list, ok := c.angles()
	if !ok || head == nil {
		return false, false
	}
	wanted := splitAngles(list)
	for i, one := range wanted {
		pack := false
		for j := one.i; j < one.stop; j++ {
			pack = pack || one.list[j].Is("...")
		}
		isType := one.peek().Is("class") || one.peek().Is("typename")
		if pack {
			for _, rest := range head.params[min(i, len(head.params)):] {
				if (rest.kind == paramType) != isType {
					return false, rest.kind != paramTemplate
				}
			}
			return true, true
		}
		if i >= len(head.params) || head.params[i].pack {
			return false, i >= len(head.params)
		}
		if (head.params[i].kind == paramType) != isType {
			return false, true
		}
		if !isType {
			return false, false
		}
	}
	if len(head.params) > len(wanted) {
		return false, !head.params[len(wanted)].hasDefault() && !head.params[len(wanted)].pack
	}
	return true, true
}

// qualified matches const T and the like: T takes the qualifiers that the pattern lacks.
func (m *matcher) qualified(pattern *ctype.Qualified, t ctype.Type) bool {
	if array, ok := t.(*ctype.Array); ok {
		m.unclear = m.unclear || qualifiers(array.Elem) != ctype.Qualified{}
		return false
	}
	q, ok := t.(*ctype.Qualified)
	if !ok || pattern.Const && !q.Const || pattern.Volatile && !q.Volatile || pattern.Restrict && !q.Restrict {
		return false
	}
	left := ctype.Qualified{Const: q.Const && !pattern.Const, Volatile: q.Volatile && !pattern.Volatile, Restrict: q.Restrict && !pattern.Restrict}
	return m.match(pattern.Type, qualify(q.Type, left))
}

func (m *matcher) array(pattern *ctype.Array, t ctype.Type) bool {
	u, ok := t.(*ctype.Array)
	if !ok {
		return false
	}
	switch h := m.arrayHoles[pattern]; {
	case h == nil:
		if pattern.Len != u.Len {
			return false
		}
	case h.bound == nil:
		return false
	default:
		if _, filled := m.bound[h.bound]; !filled {
			m.lengths[h.bound] = true
		}
		length := ctype.TemplateArg{Type: ctype.Builtin(ctype.UnsignedLong), Value: u.Len, IsValue: true}
		if old, filled := m.bound[h.bound]; filled {
			if old.Value != u.Len {
				return false
			}
		} else {
			m.bound[h.bound] = length
		}
	}
	return m.match(pattern.Elem, u.Elem)
}

func (m *matcher) function(pattern *ctype.Function, t ctype.Type) bool {
	u, ok := t.(*ctype.Function)
	if !ok || pattern.Variadic != u.Variadic || behindParameterList(pattern) != behindParameterList(u) || !m.match(pattern.Result, u.Result) {
		return false
	}
	return m.matchAll(typeArguments(pattern.Params), typeArguments(u.Params))
}
