package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// choose returns the definition to use for an instance: that of the template, or of the
// partial specialisation that fits best. It is empty when there is none yet.
func (u *unit) choose(in *instance) (class cursor, inner *scope, reason *ctype.Reason) {
	t := in.template
	if m := in.member; m != nil {
		return m.class, u.bindAll(m.head, in.args, u.members[in.outer], &in.at), nil
	}
	if t.loose && loose(in.args) {
		return class, nil, reasonf(&in.at, diag.NotUnderstood, "it may be an explicit specialisation of %s", t.name)
	}
	var fitting []*partial
	var scopes []*scope
	for i := range t.partial {
		s := &t.partial[i]
		bound, fit, clear := u.match(t, s, in.args, &in.at)
		if !clear {
			return class, nil, reasonf(&in.at, diag.NotUnderstood, "it may be a partial specialisation of %s that is not understood", t.name)
		}
		if fit {
			fitting = append(fitting, s)
			scopes = append(scopes, bound)
		}
	}
	if name := u.completedSince(in); name != "" && slices.ContainsFunc(t.partial, partial.asks) {
		return class, nil, reasonf(&in.at, diag.NotUnderstood, "%s is only declared where it is used first, and a specialisation of %s may depend on that", name, t.name)
	}
	best := -1
	for i, s := range fitting {
		if u.bestOf(s, fitting) {
			best = i
		}
	}
	switch {
	case best >= 0:
		return fitting[best].class, scopes[best], nil
	case len(fitting) > 0:
		return class, nil, reasonf(&in.at, diag.NotUnderstood, "more than one partial specialisation of %s fits, which is not understood", t.name)
	}
	return t.class, u.bindAll(t.head, in.args, t.scope, &in.at), nil
}

// completedSince returns the name of a class among the arguments of in that is defined behind the first use of in, empty if
// there is none: an instance is made once, and what a class has may have been asked then. C++ standard, [temp.point].
func (u *unit) completedSince(in *instance) string {
	for _, arg := range in.args {
		if arg.Type == nil {
			continue
		}
		if class, ok := ctype.Unqualified(elementOf(arg.Type)).(*ctype.Struct); ok && u.completed[class] > in.point {
			return class.QualifiedName()
		}
	}
	return ""
}

// asks reports whether s may fit or not by what its arguments are.
func (s partial) asks() bool {
	return s.head.constrained() || slices.ContainsFunc(s.args, func(arg patternArg) bool { return arg.later.tokens != nil })
}

// bestOf reports whether s is more specialised than all the others in list: C++ standard,
// [temp.spec.partial.order].
func (u *unit) bestOf(s *partial, list []*partial) bool {
	for _, other := range list {
		if other != s && (!u.covers(other, s) || u.covers(s, other)) {
			return false
		}
	}
	return true
}

// covers reports whether everything that fits narrow fits wide, as far as is understood.
func (u *unit) covers(wide, narrow *partial) bool {
	if wide.head.constrained() || narrow.head.constrained() {
		return false
	}
	m := newMatcher(u)
	var pattern, args []ctype.TemplateArg
	for _, arg := range wide.args {
		if arg.later.tokens != nil {
			return false
		}
		pattern = append(pattern, arg.TemplateArg)
	}
	for _, arg := range narrow.args {
		if arg.later.tokens != nil {
			return false
		}
		args = append(args, arg.TemplateArg)
	}
	return m.matchAll(pattern, args) && !m.unclear
}

// match compares the arguments of an instance with the pattern of a partial
// specialisation: C++ standard, [temp.class.spec.match]. clear is false when it is not
// understood whether they fit.
func (u *unit) match(t *template, s *partial, args []ctype.TemplateArg, at *lex.Token) (bound *scope, fit, clear bool) {
	if s.args == nil {
		u.readPattern(t, s)
	}
	if s.unclear {
		return nil, false, false
	}
	m := newMatcher(u)
	for i, arg := range s.args {
		if arg.later.tokens != nil {
			if i >= len(args) || arg.param.pack {
				return nil, false, false
			}
			continue
		}
		if class, ok := arg.Type.(*ctype.Struct); ok && u.rests[class].hole != nil {
			if i != len(s.args)-1 {
				return nil, false, false
			}
			if !m.matchAll([]ctype.TemplateArg{arg.TemplateArg}, args[min(i, len(args)):]) {
				return nil, false, !m.unclear
			}
			break
		}
		if i >= len(args) || i == len(s.args)-1 && len(args) > len(s.args) {
			return nil, false, true
		}
		if !m.argument(arg.TemplateArg, args[i]) {
			return nil, false, !m.unclear
		}
	}
	if len(s.args) == 0 && len(args) > 0 {
		return nil, false, true
	}
	bound = s.head.in(t.scope)
	for _, h := range s.holes {
		arg, single := m.bound[h]
		pack, several := m.packs[h]
		switch {
		case several:
			u.bindPack(bound, h.param.name, pack, at)
		case !single:
			return nil, false, false
		default:
			if m.lengths[h] {
				t, reason := u.in(bound).valueType(h.param)
				if reason != nil {
					return nil, false, false
				}
				arg.Type = t
			}
			u.bind(bound, h.param.name, arg, at)
		}
	}
	for i, arg := range s.args {
		if arg.later.tokens != nil {
			if fit, clear = u.matchLater(t, arg, args, i, bound); !fit || !clear {
				return nil, fit, clear
			}
		}
	}
	if fit, clear = u.sameTypes(s, m, bound); !fit || !clear {
		return nil, fit, clear
	}
	if s.opaque {
		return nil, false, false
	}
	holds, clear := u.satisfied(s.head, bound)
	return bound, holds, clear
}

// readPattern reads the pattern of s, a partial specialisation of t.
func (u *unit) readPattern(t *template, s *partial) {
	u.matched++
	defer func() { u.matched-- }()
	given, reason := u.in(s.holeScope(t.scope)).expandAll(splitAngles(s.pattern))
	primary := t.head.in(t.scope)
	s.args = []patternArg{}
	s.unclear = reason != nil
	for i, param := range t.head.params {
		for len(given) > 0 {
			one := given[0]
			given = given[1:]
			r := u.in(one.scope)
			arg := patternArg{param: param}
			if r.arrayPattern(one.cursor, &arg) {
			} else if read, reason := r.templateArgument(param, one.cursor, primary); reason == nil {
				arg.TemplateArg = read
			} else {
				arg.later = one.cursor
			}
			if one.rest != nil {
				if s.unclear = s.unclear || arg.later.tokens != nil; s.unclear {
					return
				}
				arg.TemplateArg = ctype.TemplateArg{Type: u.restOf(one.rest, arg.TemplateArg)}
			}
			s.args = append(s.args, arg)
			if !param.pack {
				if arg.later.tokens == nil && arg.Type != nil {
					u.bindPattern(primary, param.name, arg.TemplateArg)
				}
				break
			}
		}
		if !param.pack && i >= len(s.args) {
			if s.unclear = s.unclear || !param.hasDefault(); s.unclear {
				return
			}
			arg := patternArg{param: param, fallback: true, later: param.fallback}
			if read, reason := u.in(param.defaultScope(primary)).templateArgument(param, param.fallback, primary); reason == nil {
				arg.TemplateArg, arg.later = read, cursor{}
				u.bindPattern(primary, param.name, read)
			}
			s.args = append(s.args, arg)
		}
	}
	s.unclear = s.unclear || len(given) > 0
}

// mentionsHole reports whether c names a hole, in the pattern that is being read: what it computes of that is not known yet.
func (r resolver) mentionsHole(c cursor) bool {
	if r.matched == 0 {
		return false
	}
	for ; c.more(); c.next() {
		if l := c.peek(); l.Kind == lex.Ident && !c.before().Is("::") && !isMember(c.before()) {
			e := r.scope.lookup(l.Text)
			if e != nil && (e.hole != nil || e.rest != nil || e.typ != nil && r.dependsOnHole(e.typ) || e.template != nil && e.template.hole != nil) {
				return true
			}
		}
	}
	return false
}

// arrayPattern reads T[N] and T[] in a pattern, where N is a hole.
func (r resolver) arrayPattern(c cursor, arg *patternArg) bool {
	if arg.param.kind != paramType || c.stop < c.i+3 || !c.list[c.stop-1].Is("]") {
		return false
	}
	open := int(c.match[c.stop-1])
	if open <= c.i || c.list[open-1].Is("]") || c.list[open-1].Is(")") { // T (*)[N]
		return false
	}
	bound := (*hole)(nil)
	if inside := c.piece(open+1, c.stop-1); inside.more() {
		n, ok := r.holeArgument(inside)
		if !ok {
			return false
		}
		bound = r.holeOf[n.Type.(*ctype.Struct)]
	}
	elem, reason := r.typeArgument(c.piece(c.i, open))
	if reason != nil {
		return false
	}
	array := &ctype.Array{Elem: elem, Len: 1}
	r.arrayHoles[array] = &arrayHole{bound}
	arg.TemplateArg = ctype.TemplateArg{Type: array}
	return true
}

// matchLater compares an argument with what the pattern says when its holes are filled.
func (u *unit) matchLater(t *template, pattern patternArg, args []ctype.TemplateArg, i int, bound *scope) (fit, clear bool) {
	primary := t.head.in(t.scope)
	for j, param := range t.head.params {
		if j < i && !param.pack {
			u.bind(primary, param.name, args[j], pattern.later.peek())
		}
	}
	use := bound
	if pattern.fallback {
		use = pattern.param.defaultScope(primary)
	}
	u.trials++
	arg, reason := u.in(use).templateArgument(pattern.param, pattern.later, primary)
	u.trials--
	if reason != nil {
		return false, reason.Failed
	}
	m := newMatcher(u)
	return m.argument(arg, args[i]), !m.unclear
}

// sameTypes reports whether the values that fill holes have the types of their parameters:
// C++ standard, [temp.deduct.type].
func (u *unit) sameTypes(s *partial, m *matcher, bound *scope) (fit, clear bool) {
	for _, h := range s.holes {
		if h.param.kind != paramValue {
			continue
		}
		values := m.packs[h]
		if arg, ok := m.bound[h]; ok {
			values = []ctype.TemplateArg{arg}
		}
		for _, arg := range values {
			if m.lengths[h] {
				continue // any integer type will do for the bound of an array
			}
			t, reason := u.in(bound).valueType(h.param)
			switch {
			case reason != nil, arg.Type == nil:
				return false, false
			case t == ctype.Type(autoType):
			case t.Demangled() != ctype.Unqualified(arg.Type).Demangled():
				return false, true
			}
		}
	}
	return true, true
}
