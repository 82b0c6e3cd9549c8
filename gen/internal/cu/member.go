package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A memberClass is a class in a class template that is defined outside of it:
// template <class T> struct A<T>::B { … }; C++ standard, [temp.mem.class].
type memberClass struct {
	name  string
	head  *templateHead
	class cursor
}

// memberOutside notes the class that h defines, if it is a member of a class template whose
// parameters head has. It reports whether that is so.
func (p *parser) memberOutside(h head, class cursor, head *templateHead) bool {
	c := h.name
	in := p.scope
	if c.accept("::") {
		in = in.root()
	}
	for first := true; ; first = false {
		l := c.next()
		if l.Kind != lex.Ident || in == nil {
			return false
		}
		e := in.within(l.Text)
		if first {
			e = in.lookup(l.Text)
		}
		switch {
		case e == nil:
			return false
		case e.template == nil:
			in = e.namespace
			if !c.accept("::") {
				return false
			}
			continue
		}
		args, ok := c.angles()
		if !ok || !c.accept("::") || c.peek() != h.last || !sameParams(args, head) || e.template.isAlias {
			return false
		}
		m := memberClass{h.last.Text, head, class}
		e.template.nested = append(e.template.nested, m)
		for _, made := range e.template.classes {
			p.defineMember(e.template, made, &m)
		}
		return true
	}
}

// sameParams reports whether args are the names of the parameters in head.
func sameParams(args cursor, head *templateHead) bool {
	list := splitAngles(args)
	if len(list) != len(head.params) {
		return false
	}
	for i, one := range list {
		name := one.next()
		if one.accept("...") != head.params[i].pack || one.more() || name.Text != head.params[i].name {
			return false
		}
	}
	return true
}

// defineMember makes m the definition of a class in outer, an instance of t, which is read
// when it is needed.
func (u *unit) defineMember(t *template, outer *ctype.Struct, m *memberClass) {
	members := u.members[outer]
	if members == nil {
		return
	}
	if e := members.names[m.name]; e != nil {
		if class, ok := e.typ.(*ctype.Struct); ok && !class.Complete && u.pending[class] == nil {
			u.pending[class] = &instance{template: t, args: outer.Args, at: *m.class.peek(), member: m, outer: outer, root: u.rootOf(m.class.peek())}
		}
	}
}

// specialiseMember forgets the definition of a class in an instance of a class template that
// h, behind template <>, defines anew: C++ standard, [temp.expl.spec].
func (p *parser) specialiseMember(h head) {
	if !p.scope.class || h.name.stop == h.name.i || &h.name.list[h.name.stop-1] != h.last {
		return
	}
	e := p.scope.names[h.last.Text]
	if e == nil {
		return
	}
	if class, ok := e.typ.(*ctype.Struct); ok && class.Complete {
		*class = ctype.Struct{Name: class.Name, Scope: class.Scope, Pos: h.last.Pos()}
	}
}
