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
		f.last, f.entity, f.angled, f.of, f.in = l, nil, false, nil, in
		parts++
		c.next()
		if known {
			if in == nil {
				f.entity = r.scope.lookup(l.Text)
				if c.peek().Is("::") {
					f.entity = r.scope.beyondParameter(l.Text, f.entity)
				}
			} else {
				f.entity = in.within(l.Text)
				if r.trials > 0 && in.of != nil && f.entity != nil && f.entity.namespace == nil {
					if v := r.accessible(in.of, l.Text); v != valid {
						f.reason = reasonf(l, diag.NotUnderstood, "%s is private or protected", l.Text)
						f.reason.Failed = v == invalid
						f.entity, known = nil, false
					}
				}
			}
			f.entity = r.toolkit.stands(l.Text, f.entity)
		}
		if f.entity == nil && f.reason == nil && constantNames[l.Text] {
			f.entity = r.constantClass(join(c.list[begin:c.i]))
		}
		qualified := c.i - 1
		if e := f.entity; e != nil && r.current != nil {
			r.on(r.current, e.at)
			r.addAll(r.current, e.depends)
		}
		if e := f.entity; f.reason == nil && c.peek().Is("<") && (e == nil || e.template != nil || e.obscure != "" || e.function != nil) {
			if args, ok := c.angles(); ok {
				f.args, f.angled = args, true
				switch {
				case e != nil && e.template != nil:
					f.entity, f.reason = r.instantiate(e.template, args, l)
				case e != nil && e.concept != nil:
					f.entity, f.reason = r.conceptValue(e.concept, args, l)
				case e == nil && qualified > begin:
					f.entity, f.reason = r.standard(join(c.list[begin:qualified+1]), args, l, c.peek().Is("::"))
				case e != nil && e.function != nil:
					// The call deduces what the arguments here do not say.
				default:
					if e != nil && e.function != nil {
						f.of = e
					}
					f.entity = nil
				}
				if f.reason != nil {
					f.entity, known = nil, false
				}
			}
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
	f.failed = f.entity == nil && f.reason == nil && f.of == nil && lacksMembers(owner)
	f.plain = parts == 1 && !absolute && !f.angled
	return f
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
