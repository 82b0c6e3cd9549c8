package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// name reads a name at c and looks it up: C++ standard, [basic.lookup].
func (r resolver) name(c *cursor) found {
	r.work.step()
	f := found{}
	begin := c.i
	absolute := c.accept("::")
	var in *scope // that the qualifiers name; nil for an unqualified name
	if absolute {
		in = r.scope.root()
	}
	known := true // as far as qualifiers are
	parts := 0
	var owner *entity // whose member the last identifier is
	if !absolute && qualifies(*c) {
		var t ctype.Type
		if t, f.reason = r.decltype(c); f.reason == nil {
			owner = &entity{typ: t}
			in = r.scopeOf(owner)
		}
		known = in != nil
		c.next()
	}
	for {
		c.accept("template")
		l := c.peek()
		if l.Kind != lex.Ident {
			break
		}
		f.last, f.entity, f.angled, f.in = l, nil, false, in
		parts++
		c.next()
		if known {
			r.findName(&f, c.peek().Is("::"))
		}
		if f.entity == nil && f.reason == nil && constantNames[l.Text] {
			f.entity = r.constantClass(join(c.list[begin:c.i]))
		}
		if e := f.entity; e != nil && r.current != nil {
			r.on(r.current, e.at)
			r.addAll(r.current, e.depends)
		}
		if f.reason == nil && c.peek().Is("<") {
			r.nameArguments(&f, c, begin)
		}
		if !c.peek().Is("::") || c.ahead(1).Kind != lex.Ident {
			break
		}
		c.next()
		owner = f.entity
		in = r.scopeOf(f.entity)
		known = in != nil
	}
	f.text = join(c.list[begin:min(c.i, c.stop)])
	f.failed = f.entity == nil && f.reason == nil && lacksMembers(owner)
	f.plain = parts == 1 && !absolute && !f.angled
	return f
}

// findName looks up the last identifier of f in its scope, or from here. scopes says that it is a qualifier.
func (r resolver) findName(f *found, scopes bool) {
	name := f.last.Text
	switch in := f.in; {
	case in != nil:
		f.entity = in.withinAt(name, r.scope)
		if r.trials > 0 && in.of != nil && f.entity != nil && f.entity.namespace == nil {
			if v := r.accessible(in.of, name); v != valid {
				f.reason = reasonf(f.last, diag.NotUnderstood, "%s is private or protected", name)
				f.reason.Failed = v == invalid
				f.entity = nil
			}
		}
	default:
		f.entity = r.scope.lookup(name)
		if scopes {
			f.entity = r.scope.beyondParameter(name, f.entity)
		}
	}
	f.entity = r.toolkit.stands(name, f.entity)
}

// nameArguments reads the template arguments at c of the last identifier of f, which begins at begin, if it takes some.
func (r resolver) nameArguments(f *found, c *cursor, begin int) {
	e, last := f.entity, c.i-1
	if e != nil && e.template == nil && e.obscure == "" && e.function == nil {
		return
	}
	args, ok := c.angles()
	if !ok {
		return
	}
	f.args, f.angled = args, true
	switch {
	case e != nil && e.template != nil:
		f.entity, f.reason = r.instantiate(e.template, args, f.last)
	case e != nil && e.concept != nil:
		f.entity, f.reason = r.conceptValue(e.concept, args, f.last)
	case e == nil && last > begin:
		f.entity, f.reason = r.standard(join(c.list[begin:last+1]), args, f.last, c.peek().Is("::"))
	case e != nil && e.function != nil:
		// The call deduces what the arguments here do not say.
	default:
		f.entity = nil
	}
	if f.reason != nil {
		f.entity = nil
	}
}

// qualifies reports whether decltype(x):: stands at c: C++ standard, [expr.prim.id.qual].
func qualifies(c cursor) bool {
	if !c.peek().Is("decltype") {
		return false
	}
	c.next()
	_, ok := c.group()
	return ok && c.peek().Is("::")
}

// scopeOf returns the scope whose members a :: behind e names, nil when it is not
// known.
func (u *unit) scopeOf(e *entity) *scope {
	switch {
	case e == nil:
		return nil
	case e.namespace != nil:
		return e.namespace
	case e.typ != nil:
		t := ctype.Unqualified(e.typ)
		if s, ok := t.(*ctype.Struct); ok && !s.Complete {
			u.complete(s)
		}
		return u.members[t]
	}
	return nil
}

// lacksMembers reports whether e is a type of which all members are known, so that one which
// was not found is not there.
func lacksMembers(e *entity) bool {
	if e == nil || e.typ == nil {
		return false
	}
	switch t := ctype.Unqualified(e.typ).(type) {
	case *ctype.Basic, *ctype.Pointer, *ctype.Reference, *ctype.Array, *ctype.Function:
		return true
	case *ctype.Struct:
		return t.Complete && t.Unsupported == nil
	case *ctype.Enum:
		return t.Unsupported == nil && len(t.Enumerators) > 0
	}
	return false
}
