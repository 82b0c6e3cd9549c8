package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A scope is the file, a namespace, a class, an enumeration, or the parameters of a
// template, with the names declared in it so far.
type scope struct {
	name        string
	parent      *scope // nil for the file
	class       bool   // a class or an enumeration: not to be reopened
	parameters  bool   // of a template: it is not part of qualified names
	transparent bool   // its names are visible in the parent: an inline or unnamed namespace
	names       map[string]*entity
	children    map[string]*scope // namespaces
	order       []*scope          // transparent children
	used        []usedName        // by using-directives
	bases       []*scope          // of base classes
	of          *ctype.Struct     // whose members they are; nil for none
	count       int32             // of the file's scope: what was declared so far
	opened      int32             // of a namespace: the count when it was
	until       int32             // of the parameters of a template, and of a directive: the count where it stands; 0 for others
	private     bool              // what a class declares next is private or protected
	closed      map[string]bool   // the names of a class that are private or protected, if only in part
	closedBases bool              // a base class is not public
	befriends   bool              // a class has friends
	dependent   []*scope          // of base classes that depend on template parameters: only qualified names are looked up there
}

// A usedName is a namespace whose names a using-directive makes visible as if they
// were declared in level: C++ standard, [basic.lookup.unqual], [namespace.udir].
type usedName struct {
	namespace, level *scope
	order            int32 // the count of the file's scope when it was used; 0 in a function
}

// An entity is what a name stands for: a type, a constant, a template, a namespace, or
// something that is not understood. The name of a class template inside of it stands
// for the class and the template.
type entity struct {
	typ       ctype.Type
	constant  *constant
	template  *template
	namespace *scope
	function  *function
	variable  *variable  // one that is not an integer constant
	local     *operand   // a variable of the constexpr function that is called
	declares  ctype.Type // its type as declared
	order     int32      // counts the entities of the file
	concept   *concept
	obscure   string // what it is, when it is not understood: "a typedef"
	at        lex.Place
	depends   dependence // of a typedef, alias or constant
	static    bool       // a static variable of a function
	lambda    bool       // a variable of a function whose value is a lambda
	dependent bool       // a parameter of a function, whose type names a parameter of a template
	home      *scope     // in which it is declared; nil for what declares no name

	// Of parameters of templates.
	bound    bool               // it stands for an argument
	argument *ctype.TemplateArg // that is an entity; nil for others
	pack     []*entity          // the elements of a pack; nil for others
	hole     *hole              // a value in the pattern of a partial specialisation; nil for others
	rest     *hole              // of a pack in the pattern of a partial specialisation
}

// A constant is an integer constant with its declared type.
type constant struct {
	value value
	typ   ctype.Type
}

// A variable is one that is declared outside of functions, or a field of a class.
type variable struct {
	typ   ctype.Type // as declared
	value *operand   // of a constant; nil otherwise
}

// A found is what a qualified or unqualified name stands for.
type found struct {
	entity *entity    // nil when it is not known
	text   string     // the name as written
	last   *lex.Token // its last identifier; nil when there is no name
	args   cursor     // the template arguments of the last identifier
	angled bool       // it has template arguments
	in     *scope     // that qualifies the last identifier; nil when there is none, or when it is not known
	plain  bool       // one identifier and nothing else
	reason *ctype.Reason
	failed bool // its qualifiers are known, and have no such member
}

// plainName returns the plain name l that stands for e.
func plainName(l *lex.Token, e *entity) found {
	return found{entity: e, text: l.Text, last: l, plain: true}
}

func newScope(name string, parent *scope) *scope {
	return &scope{name: name, parent: parent}
}

// parameterScope returns a scope for parameters of a function or template, which hide what is declared
// outside.
func parameterScope(outer *scope) *scope {
	s := newScope("", outer)
	s.parameters = true
	return s
}

// scopeAt returns a scope in outer in which names mean what they mean where the file's scope has counted until:
// what namespaces declare behind that does not hide what is there.
func scopeAt(outer *scope, until int32) *scope {
	s := parameterScope(outer)
	s.until = until
	return s
}

// functionScope returns a scope in outer for the parameters of a function that stands where the file's scope has counted
// order. A member of a template stands where the template does.
func functionScope(outer *scope, order int32) *scope {
	if outer.horizon() > 0 {
		return parameterScope(outer)
	}
	return scopeAt(outer, order)
}

// parameterEntity returns what the name of the parameter that c reads stands for.
func parameterEntity(c cursor, t ctype.Type) *entity {
	e := &entity{obscure: aVariable, at: c.peek().At}
	own := false // const of the parameter itself
	for ; c.more(); c.next() {
		switch l := c.peek(); {
		case l.Is("*"):
			own = false
		case l.Is("const"), l.Is("volatile"), l.Is("["):
			own = true
		}
	}
	if t != nil && (!own || isReference(t)) {
		e.variable = &variable{typ: t}
	}
	return e
}

// child returns the namespace called name in s, made when there is none.
func (s *scope) child(name string) *scope {
	c := s.children[name]
	if c == nil {
		c = newScope(name, s)
		c.opened = s.next()
		if s.children == nil {
			s.children = make(map[string]*scope)
		}
		s.children[name] = c
	}
	return c
}

// path returns the names of the scopes from the file's down to s.
func (s *scope) path() []string {
	var names []string
	for ; s.parent != nil; s = s.parent {
		if !s.parameters {
			names = append(names, s.name)
		}
	}
	slices.Reverse(names)
	return names
}

func joinPath(path []string) string { return strings.Join(path, "::") }

// declare notes what name stands for in s. Two meanings that differ are not
// understood.
func (s *scope) declare(name string, e *entity) {
	if name == "" {
		return
	}
	if s.names == nil {
		s.names = make(map[string]*entity)
	}
	if e.home == nil {
		e.home = s
	}
	s.close(name)
	old := s.names[name]
	if e.order == 0 {
		e.order = s.next()
	}
	switch {
	case old == nil:
	case old.same(e):
		e.order = min(e.order, old.order)
	case old.function != nil || e.function != nil:
		// Overloads, or a function and a class with one name: the class is meant where a
		// type is.
		switch {
		case old.typ != nil || old.template != nil:
			return
		case old.function != nil && e.function != nil:
			e = old.function.note(e, s)
			e.home = s
		case e.function != nil:
			e = &entity{function: &function{many: true}, at: e.at, home: s} // not known what is called
		}
	case old.typ != nil && e.obscure == aVariable:
		return // struct X means the class: C++ standard, [basic.scope.hiding]
	case old.obscure == aVariable && e.typ != nil:
	default:
		e = &entity{obscure: conflicting, at: e.at, home: s}
	}
	s.names[name] = e
}

// close notes that name is private or protected if what is declared is.
func (s *scope) close(name string) {
	if !s.private {
		return
	}
	if s.closed == nil {
		s.closed = make(map[string]bool)
	}
	s.closed[name] = true
}

// shortened returns what messages say of others, cut short, so that a chain of them does not grow.
func shortened(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

const longestObscure = 240 // bytes

const (
	conflicting = "declared in more than one way"
	ambiguous   = "an ambiguous name"
	aVariable   = "a variable"
	aLocal      = "declared with a class or an enumeration in the function"
)

// again returns e for a using-declaration, which declares it where it stands. Functions stay what they are: they have an
// order each.
func (e *entity) again() *entity {
	if e.function != nil {
		return e
	}
	other := *e
	other.order = 0
	return &other
}

func (e *entity) same(other *entity) bool {
	switch {
	case e.typ != nil && other.typ != nil:
		a, b := ctype.Unalias(e.typ), ctype.Unalias(other.typ)
		if a == b {
			return true
		}
		_, named := ctype.Unqualified(a).(*ctype.Struct)
		return !named && a.Demangled() == b.Demangled()
	case e.constant != nil && other.constant != nil:
		return e.constant.value == other.constant.value
	case e.template != nil && other.template != nil:
		return e.template == other.template
	case e.namespace != nil && other.namespace != nil:
		return e.namespace == other.namespace
	}
	return e.obscure != "" && e.obscure == other.obscure
}

// within returns the member of s that name names, or nil.
func (s *scope) within(name string) *entity { return s.member(name, 0, make(map[*scope]bool)) }

// withinAt is within, as seen from the scope at.
func (s *scope) withinAt(name string, at *scope) *entity {
	if until := at.horizon(); until > 0 {
		if e := s.member(name, until, make(map[*scope]bool)); e != nil {
			return e
		}
	}
	return s.within(name)
}

// member is within, with the count until which namespaces are seen, 0 for all of it, and the scopes that were
// searched already.
func (s *scope) member(name string, until int32, seen map[*scope]bool) *entity {
	if seen[s] {
		return nil
	}
	seen[s] = true
	if e := s.declaredBefore(name, until); e != nil {
		return e
	}
	var found *entity
	for _, inner := range s.order {
		found = choose(found, inner.member(name, until, seen))
	}
	for _, base := range s.bases {
		found = choose(found, base.member(name, until, seen))
	}
	for _, base := range s.dependent {
		found = choose(found, base.member(name, until, seen))
	}
	for _, u := range s.used {
		if until == 0 || u.order <= until {
			found = choose(found, u.namespace.member(name, until, seen))
		}
	}
	return found
}

// declared returns what is declared as name in s itself, or nil.
func (s *scope) declared(name string) *entity { return s.declaredBefore(name, 0) }

// declaredBefore is declared, without what a namespace declares behind the count until, if it is not 0. Functions are
// seen: arguments find them where a template is instantiated, too. C++ standard, [temp.dep.candidate].
func (s *scope) declaredBefore(name string, until int32) *entity {
	if e := s.names[name]; e != nil && (until == 0 || e.order <= until || s.class || s.parameters || e.function != nil) {
		return e
	}
	if n := s.children[name]; n != nil && (until == 0 || n.opened <= until) {
		return &entity{namespace: n}
	}
	return nil
}

// horizon returns the count until which namespaces are seen from s, and 0 for all of it. C++ standard, [basic.lookup.general].
func (s *scope) horizon() int32 {
	for ; s != nil; s = s.parent {
		if s.until > 0 {
			return s.until
		}
	}
	return 0
}

// choose returns the one of two findings that is there, and an obscure one when
// they differ. The names of several specialisations of a template still name the template.
func choose(a, b *entity) *entity {
	switch {
	case a == nil:
		return b
	case b == nil || a == b:
		return a
	case a.template != nil && a.template == b.template && (a.typ == nil || b.typ == nil || !a.same(b)):
		// Names of specialisations of one template, in these: C++ standard, [temp.local].
		return &entity{template: a.template, obscure: ambiguous, at: b.at}
	case a.same(b):
		return a
	}
	return &entity{obscure: ambiguous, at: b.at}
}

// lookup returns what the unqualified name stands for in s, nil when it is unknown. What is declared behind the
// horizon of s counts when nothing before it does.
func (s *scope) lookup(name string) *entity {
	if until := s.horizon(); until > 0 {
		if e := s.lookupBefore(name, until); e != nil {
			return e
		}
	}
	return s.lookupBefore(name, 0)
}

// lookupBefore is lookup, with the count until which namespaces are seen, 0 for all of it.
func (s *scope) lookupBefore(name string, until int32) *entity {
	var used []usedName
	for ; s != nil; s = s.parent {
		used = append(used, s.used...)
		found := s.ownBefore(name, until)
		for _, u := range used {
			if u.level == s && (until == 0 || u.order <= until) {
				found = choose(found, u.namespace.member(name, until, make(map[*scope]bool)))
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// beyondParameter returns e, which name stands for in s, or what it stands for outside when e
// is a parameter of a function: before :: those do not count. C++ standard, [basic.lookup.qual].
func (s *scope) beyondParameter(name string, e *entity) *entity {
	for ; s != nil && e != nil && e.obscure == aVariable; s = s.parent {
		if s.parameters && s.names[name] == e {
			return s.parent.lookup(name)
		}
	}
	return e
}

// own is within without using-directives, which lookup treats by their level.
func (s *scope) own(name string) *entity { return s.ownBefore(name, 0) }

func (s *scope) ownBefore(name string, until int32) *entity {
	if e := s.declaredBefore(name, until); e != nil {
		return e
	}
	var found *entity
	for _, inner := range s.order {
		found = choose(found, inner.ownBefore(name, until))
	}
	for _, base := range s.bases {
		found = choose(found, base.within(name))
	}
	return found
}

// outer returns the innermost scope around s that is a namespace, where elaborated
// type specifiers declare: C++ standard, [basic.scope.pdecl].
func (s *scope) outer() *scope {
	for s.class || s.parameters {
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

// next counts one more in the file's scope.
func (s *scope) next() int32 {
	root := s.root()
	root.count++
	return root.count
}

// use makes the names of namespace visible in s: a using-directive.
func (s *scope) use(namespace *scope) {
	level := s
	for level.parent != nil && !level.encloses(namespace) {
		level = level.parent
	}
	if slices.ContainsFunc(s.used, func(u usedName) bool { return u.namespace == namespace && u.level == level }) {
		return
	}
	u := usedName{namespace: namespace, level: level}
	if !s.parameters {
		u.order = s.next()
	}
	s.used = append(s.used, u)
}

func (s *scope) encloses(inner *scope) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == s {
			return true
		}
	}
	return false
}

// ownedBy reports whether name is declared between s and outer, which is not searched.
func (s *scope) ownedBy(name string, outer *scope) bool {
	for ; s != nil && s != outer; s = s.parent {
		if s.names[name] != nil {
			return true
		}
	}
	return false
}
