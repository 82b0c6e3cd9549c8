package cu

import (
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A scope is the file, a namespace or a struct, with the names declared in it so far.
type scope struct {
	name        string
	parent      *scope // nil for the file
	structure   bool   // a struct: not to be reopened
	transparent bool   // its names are visible in the parent: an inline or unnamed namespace
	names       map[string]*entity
	children    map[string]*scope
	order       []*scope   // transparent children
	used        []usedName // by using-directives
}

// A usedName is a namespace whose names a using-directive makes visible as if they
// were declared in level: C++ standard, [basic.lookup.unqual], [namespace.udir].
type usedName struct{ namespace, level *scope }

// An entity is what a name stands for: a type, a constant, or something that is not
// understood.
type entity struct {
	typ     ctype.Type
	value   *value
	obscure string // what it is, when it is not understood: "a typedef"
	pos     token.Position
}

func newScope(name string, parent *scope) *scope {
	return &scope{name: name, parent: parent, names: make(map[string]*entity), children: make(map[string]*scope)}
}

// child returns the scope called name in s, made when there is none.
func (s *scope) child(name string) *scope {
	c := s.children[name]
	if c == nil {
		c = newScope(name, s)
		s.children[name] = c
	}
	return c
}

// path returns the names of the scopes from the file's down to s.
func (s *scope) path() []string {
	var names []string
	for ; s.parent != nil; s = s.parent {
		names = append(names, s.name)
	}
	slices.Reverse(names)
	return names
}

// declare notes what name stands for in s. Two meanings that differ are not
// understood.
func (s *scope) declare(name string, e *entity) {
	if name == "" {
		return
	}
	if old := s.names[name]; old != nil && !old.same(e) {
		e = &entity{obscure: "declared in more than one way", pos: e.pos}
	}
	s.names[name] = e
}

func (e *entity) same(other *entity) bool {
	switch {
	case e.typ != nil && other.typ != nil:
		return ctype.Unalias(e.typ) == ctype.Unalias(other.typ)
	case e.value != nil && other.value != nil:
		return *e.value == *other.value
	}
	return e.obscure == other.obscure && e.typ == nil && other.typ == nil && e.value == nil && other.value == nil
}

// within returns what name stands for as a member of s, nil when it is none.
func (s *scope) within(name string) *entity { return s.member(name, make(map[*scope]bool)) }

// member is within, with the scopes that were searched already.
func (s *scope) member(name string, seen map[*scope]bool) *entity {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if e := s.names[name]; e != nil {
		return e
	}
	var found *entity
	for _, inner := range s.order {
		found = choose(found, inner.member(name, seen))
	}
	for _, u := range s.used {
		found = choose(found, u.namespace.member(name, seen))
	}
	return found
}

// choose returns the one of two findings that is there, and an obscure one when
// they differ.
func choose(a, b *entity) *entity {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	return &entity{obscure: "an ambiguous name", pos: b.pos}
}

// lookup returns what the unqualified name stands for in s, nil when it is unknown.
func (s *scope) lookup(name string) *entity {
	var used []usedName
	for ; s != nil; s = s.parent {
		used = append(used, s.used...)
		found := s.own(name)
		for _, u := range used {
			if u.level == s {
				found = choose(found, u.namespace.within(name))
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// own is within without using-directives, which lookup treats by their level.
func (s *scope) own(name string) *entity {
	if e := s.names[name]; e != nil {
		return e
	}
	var found *entity
	for _, inner := range s.order {
		found = choose(found, inner.own(name))
	}
	return found
}

// find returns the scope called name that is visible from s, nil when there is none.
func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if c := s.sub(name); c != nil {
			return c
		}
		for _, u := range s.used {
			if c := u.namespace.sub(name); c != nil {
				return c
			}
		}
	}
	return nil
}

// sub returns the scope called name in s or in its transparent children.
func (s *scope) sub(name string) *scope {
	if c := s.children[name]; c != nil {
		return c
	}
	for _, inner := range s.order {
		if c := inner.sub(name); c != nil {
			return c
		}
	}
	return nil
}

// namespace returns the innermost scope around s that is no struct, where elaborated
// type specifiers declare: C++ standard, [basic.scope.pdecl].
func (s *scope) namespace() *scope {
	for s.structure {
		s = s.parent
	}
	return s
}

// root returns the file's scope.
func (s *scope) root() *scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// resolve returns what the qualified or unqualified name path stands for in s, and the
// scope that its qualifiers name (nil when it has none, or they are not known).
// absolute says that "::" stands before it.
func (s *scope) resolve(path []string, absolute bool) (*entity, *scope) {
	if len(path) == 1 && !absolute {
		return s.lookup(path[0]), nil
	}
	in := s.scopeOf(path[:len(path)-1], absolute)
	if in == nil {
		return nil, nil
	}
	return in.within(path[len(path)-1]), in
}

// scopeOf returns the scope that the path of qualifiers names, nil when it is not
// known.
func (s *scope) scopeOf(path []string, absolute bool) *scope {
	in := s.root()
	if !absolute && len(path) > 0 {
		in = s.find(path[0])
		path = path[1:]
	}
	for _, name := range path {
		if in == nil {
			return nil
		}
		in = in.sub(name)
	}
	return in
}

// use makes the names of namespace visible in s: a using-directive.
func (s *scope) use(namespace *scope) {
	level := s
	for level.parent != nil && !level.encloses(namespace) {
		level = level.parent
	}
	if u := (usedName{namespace, level}); !slices.Contains(s.used, u) {
		s.used = append(s.used, u)
	}
}

func (s *scope) encloses(inner *scope) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == s {
			return true
		}
	}
	return false
}
