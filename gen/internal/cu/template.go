package cu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A template is a class or alias template.
type template struct {
	name     string
	at       lex.Place
	scope    *scope // in which it is declared
	head     *templateHead
	alias    cursor // the type that an alias template stands for
	isAlias  bool
	class    cursor // the definition, from the word struct on; empty when it is not defined
	partial  []partial
	nested   []memberClass            // classes in it that are defined outside of it
	hole     *hole                    // that it stands for in a pattern; nil for others
	classes  map[string]*ctype.Struct // by arguments
	made     []*ctype.Struct          // the same, in the order in which the source names them
	doubtful bool
	loose    bool // an explicit specialisation has an argument that is an instance of a function template
	standIn  *ctype.Struct

	// How many entities and kernels were declared before the end of its last definition.
	entities int32
	kernels  int

	isVariable bool               // a variable template, whose declaration is class
	special    map[string]cursor  // explicit specialisations of one, by arguments
	variables  map[string]*entity // by arguments
}

func (t *template) define(head *templateHead, class cursor) {
	inherit(head, t.head)
	t.head, t.class = head, class
}

// An instance is a class of a class template that nobody has needed in full yet.
type instance struct {
	template *template
	args     []ctype.TemplateArg
	at       lex.Token
	point    int // how many classes were defined where it is named first
	busy     bool

	root *lex.Token // the name in the main file that leads to it; nil for none

	member *memberClass  // of a class in a class template that is defined outside of it; nil for others
	outer  *ctype.Struct // whose member it is
}

// A memberClass is a class in a class template that is defined outside of it:
// template <class T> struct A<T>::B { … }; C++ standard, [temp.mem.class].
type memberClass struct {
	name  string
	head  *templateHead
	class cursor
}

// A partial is a partial specialisation of a class template.
type partial struct {
	head    *templateHead
	pattern cursor // the arguments
	class   cursor
	holes   []*hole      // what stands for its parameters in the pattern, in their order
	args    []patternArg // what the pattern says; nil as long as nobody has asked
	unclear bool         // it is not understood
	opaque  bool         // nothing but the pattern is: what it fits is not known
}

// A patternArg is one argument in the pattern of a partial specialisation. One that does not
// say what its holes are, as typename T::type, is compared when the holes are filled.
type patternArg struct {
	ctype.TemplateArg
	param    *templateParam // of the template
	later    cursor         // the argument, when it is compared later
	fallback bool           // it is the default argument of the template
}

// A hole stands for a parameter of a partial specialisation in its pattern. Its class is unique, so
// a class template with it as an argument is an instance of its own.
type hole struct {
	param *templateParam
	class *ctype.Struct
}

// entity returns what the name of a parameter stands for in a pattern.
func (h *hole) entity() *entity {
	if h.param.pack {
		return &entity{obscure: aPack, rest: h}
	}
	return h.element()
}

// element returns what the name of a parameter stands for in a pattern, and the name of a pack in an expansion.
func (h *hole) element() *entity {
	switch h.param.kind {
	case paramType:
		return &entity{typ: h.class, bound: true}
	case paramTemplate:
		return &entity{template: &template{name: h.class.Name, scope: newScope("", nil), hole: h, standIn: h.class}, bound: true}
	}
	return &entity{obscure: "a parameter of a partial specialisation", hole: h}
}

// A rest stands for the elements of a pack in a pattern, each of which is like element.
type rest struct {
	hole    *hole
	element ctype.TemplateArg
}

// An arrayHole says of an array in a pattern which hole its bound is. It is nil for an
// array without a bound, which no argument is that is understood.
type arrayHole struct{ bound *hole }

// patterns are what stands for the parameters of templates in the patterns of a unit.
type patterns struct {
	holes      int // how many were made
	holeOf     map[*ctype.Struct]*hole
	rests      map[*ctype.Struct]rest
	arrayHoles map[*ctype.Array]*arrayHole
	matched    int // how many patterns are being read: types in them stand for others
	trials     int // how many templates are being tried, which do not count if an expression in them is not valid
}

// holesOf returns a hole for each parameter of head.
func (p *patterns) holesOf(head *templateHead) []*hole {
	var holes []*hole
	for _, param := range head.params {
		p.holes++
		h := &hole{param, &ctype.Struct{Name: fmt.Sprintf("%s#%d", param.name, p.holes)}}
		p.holeOf[h.class] = h
		holes = append(holes, h)
	}
	return holes
}

// holeScope returns a scope in which the parameters of s are holes.
func (s *partial) holeScope(outer *scope) *scope {
	inner := s.head.in(outer)
	for _, h := range s.holes {
		inner.declare(h.param.name, h.entity())
	}
	return inner
}

// restOf returns what stands for the elements of a pack that are like element.
func (p *patterns) restOf(h *hole, element ctype.TemplateArg) *ctype.Struct {
	p.holes++
	t := &ctype.Struct{Name: fmt.Sprintf("%s#%d", h.param.name, p.holes)}
	p.rests[t] = rest{h, element}
	return t
}

// tried reports whether what is read may not be valid, and does not count then: C++ standard, [temp.deduct].
func (p *patterns) tried() bool { return p.trials > 0 || p.matched > 0 }

// untried begins what is no longer an immediate context of the trials, as a class that is instantiated for one, and returns what
// ends it: C++ standard, [temp.deduct].
func (p *patterns) untried() (end func()) {
	trials, matched := p.trials, p.matched
	p.trials, p.matched = 0, 0
	return func() { p.trials, p.matched = trials, matched }
}

// dependsOnHole reports whether t is or has an argument that is a hole.
func (p *patterns) dependsOnHole(t ctype.Type) bool {
	return has(t, func(t ctype.Type) bool {
		switch t := t.(type) {
		case *ctype.Array:
			return p.arrayHoles[t] != nil
		case *ctype.Struct:
			return p.holeOf[t] != nil || p.rests[t].hole != nil
		}
		return false
	})
}

// keeps reports whether t, which an alias template makes of args, says what the holes in these are, and that these are
// types: C++ standard, [temp.alias].
func (p *patterns) keeps(t ctype.Type, args []ctype.TemplateArg) bool {
	return !slices.ContainsFunc(args, func(arg ctype.TemplateArg) bool {
		return arg.Type != nil && p.dependsOnHole(arg.Type) && !has(t, func(part ctype.Type) bool { return part.Demangled() == ctype.Unqualified(arg.Type).Demangled() })
	})
}

// A concept is a named constraint: C++ standard, [temp.concept].
type concept struct {
	head       *templateHead
	expression cursor
	scope      *scope // in which it is declared
}

// A templateHead is what stands between template < and >.
type templateHead struct {
	params     []*templateParam
	constraint cursor // the requires-clause behind it; empty when there is none
	trailing   cursor // that behind the parameters of a kernel
	empty      bool   // template <>: a specialisation follows
	nested     bool   // more than one: a member of a class template
	until      int32  // the count of the file's scope behind the declaration; 0 as long as it is read
}

// in returns a scope in outer for the parameters of h.
func (h *templateHead) in(outer *scope) *scope { return scopeAt(outer, h.until) }

// A templateParam is one parameter of a template.
type templateParam struct {
	name     string
	invented bool // for auto in a parameter of the function: the source has no name for it
	kind     paramKind
	pack     bool
	written  string // the type as written
	typ      cursor // of a value, or the concept of a type; its declarator may hold the name
	fallback cursor // the default argument; empty when there is none
	since    int32  // of a default argument of an earlier declaration: until there, namespaces are seen from it; 0 for others
	example  string // an argument for messages; empty when nobody needs one
}

type paramKind uint8

const (
	paramType paramKind = iota
	paramValue
	paramTemplate
)

// label returns how messages call the parameter.
func (t *templateParam) label() string { return cmp.Or(t.sayable(), t.written) }

// sayable returns the name that the source has for the parameter, which may be empty.
func (t *templateParam) sayable() string {
	if t.invented {
		return ""
	}
	return t.name
}

// hasDefault reports whether the parameter has a default argument.
func (t *templateParam) hasDefault() bool { return t.fallback.tokens != nil && t.fallback.more() }

// defaultScope returns the scope from which the names in the default argument are looked up: inner has those of the parameters.
func (t *templateParam) defaultScope(inner *scope) *scope {
	if t.since == 0 {
		return inner
	}
	return scopeAt(inner, t.since)
}

// plain reports whether a parameter for types has no concept.
func (t *templateParam) plain() bool {
	return t.typ.peek().Is("class") || t.typ.peek().Is("typename")
}

// constrained reports whether arguments may not fit the head.
func (h *templateHead) constrained() bool {
	if len(h.clauses()) > 0 {
		return true
	}
	for _, param := range h.params {
		if param.kind == paramType && !param.plain() {
			return true
		}
	}
	return false
}

// clauses returns the requires-clauses of h.
func (h *templateHead) clauses() (list []cursor) {
	for _, c := range [...]cursor{h.constraint, h.trailing} {
		if c.tokens != nil && c.more() {
			list = append(list, c)
		}
	}
	return list
}

// abbreviated reports whether parameters of h stand for auto.
func (h *templateHead) abbreviated() bool {
	return slices.ContainsFunc(h.params, func(param *templateParam) bool { return param.invented })
}

// describe returns the template's parameters as the model has them.
func (h *templateHead) describe() []TemplateParam {
	params := make([]TemplateParam, len(h.params))
	for i, param := range h.params {
		params[i] = TemplateParam{Name: param.sayable(), Type: param.written, Example: param.example, Pack: param.pack}
		if param.hasDefault() {
			params[i].Default = join(param.fallback.list[param.fallback.i:param.fallback.stop])
		}
	}
	return params
}

// nameable reports whether a directive can give every argument by its name.
func (h *templateHead) nameable() bool {
	for _, param := range h.params {
		if param.sayable() == "" && !param.hasDefault() || param.pack {
			return false
		}
	}
	return true
}

// positional returns the parameters in the order of C++, for messages: <T, int, Ts...>.
func (h *templateHead) positional() string {
	var names []string
	for _, param := range h.params {
		name := param.label()
		if param.pack {
			name = strings.TrimSuffix(name, "...") + "..."
		}
		names = append(names, name)
	}
	return "<" + strings.Join(names, ", ") + ">"
}

// sample returns positional arguments as a directive could give them.
func (h *templateHead) sample() string {
	var args []string
	for _, param := range h.params {
		some := map[paramKind][]string{paramType: {"float", "int"}, paramValue: {"4", "8"}, paramTemplate: {param.label()}}[param.kind]
		if !param.pack {
			some = some[:1]
		}
		args = append(args, some...)
	}
	return "<" + strings.Join(args, ", ") + ">"
}

// String returns the arguments that a directive could give, for messages: T=…,N=…, or the
// positional ones when not all can be named.
func (h *templateHead) String() string {
	if !h.nameable() {
		return h.positional()
	}
	var names []string
	for _, param := range h.params {
		if param.sayable() != "" {
			names = append(names, param.name+"=…")
		}
	}
	return strings.Join(names, ",")
}

// inherit takes over the default arguments of an earlier declaration.
func inherit(head, earlier *templateHead) {
	for i, param := range head.params {
		if i < len(earlier.params) && !param.hasDefault() && earlier.params[i].hasDefault() {
			param.fallback, param.since = earlier.params[i].fallback, cmp.Or(earlier.params[i].since, earlier.until)
		}
	}
}

// conceptOf returns the constraint of a parameter as an expression: C<T> of C T, and
// C<T, A> of C<A> T.
func conceptOf(param *templateParam) cursor {
	at := *param.typ.peek()
	token := func(kind lex.Kind, text string) lex.Token {
		l := at
		l.Kind, l.Text = kind, text
		return l
	}
	c := param.typ
	var list []lex.Token
	for c.more() && !c.peek().Is("<") {
		list = append(list, *c.next())
	}
	list = append(list, token(lex.Punct, "<"), token(lex.Ident, param.name))
	if inside, ok := c.angles(); ok && inside.more() {
		list = append(list, token(lex.Punct, ","))
		list = append(list, inside.list[inside.i:inside.stop]...)
	}
	return newCursor(newTokens(append(list, token(lex.Punct, ">"))), at)
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

// loose reports whether one of args is an instance of a function template. There are several
// spellings of one, so it is not clear which arguments are the same.
func loose(args []ctype.TemplateArg) bool {
	return slices.ContainsFunc(args, func(arg ctype.TemplateArg) bool { return arg.Entity != nil && arg.Entity.Args != nil })
}

// standIn returns what stands for the template t in a list of template arguments: a
// class with its name.
func (u *unit) standIn(t *template) *ctype.Struct {
	if t.standIn == nil {
		t.standIn = &ctype.Struct{Name: t.name, Scope: t.scope.path(), Pos: t.at.Position()}
		u.templates[t.standIn] = t
	}
	return t.standIn
}

// classOf returns the class of t with the arguments args.
func (u *unit) classOf(t *template, args []ctype.TemplateArg, at *lex.Token) *ctype.Struct {
	key := ctype.Arguments(args)
	if made := t.classes[key]; made != nil {
		return made
	}
	made := &ctype.Struct{Name: t.name, Args: args, Scope: t.scope.path(), Pos: t.at.Position()}
	t.classes[key] = made
	t.made = append(t.made, made)
	u.templateOf[made] = t
	u.pending[made] = &instance{template: t, args: args, at: *at, point: u.now(), root: u.rootOf(at)}
	return made
}

// bind declares the template parameter called name as arg.
func (u *unit) bind(s *scope, name string, arg ctype.TemplateArg, at *lex.Token) {
	if name != "" {
		s.declare(name, u.argumentEntity(arg, at))
	}
}

// bindAll returns a scope in outer that declares the parameters in head as args.
func (u *unit) bindAll(head *templateHead, args []ctype.TemplateArg, outer *scope, at *lex.Token) *scope {
	inner := head.in(outer)
	for i, param := range head.params {
		switch {
		case param.pack:
			u.bindPack(inner, param.name, args[min(i, len(args)):], at)
		case i < len(args):
			u.bind(inner, param.name, args[i], at)
		}
	}
	return inner
}

// aPack is the name in messages of a template parameter pack that is not expanded.
const aPack = "a pack of template arguments"

// bindPack declares a template parameter pack of s as its elements.
func (u *unit) bindPack(s *scope, name string, args []ctype.TemplateArg, at *lex.Token) {
	e := &entity{obscure: aPack, pack: make([]*entity, len(args)), at: at.At}
	for i := range args {
		e.pack[i] = u.argumentEntity(args[i], at)
	}
	s.declare(name, e)
}

// argumentEntity returns the entity of a template parameter that stands for arg.
func (u *unit) argumentEntity(arg ctype.TemplateArg, at *lex.Token) *entity {
	switch {
	case arg.Entity != nil:
		return &entity{obscure: "a template parameter that stands for " + arg.Entity.QualifiedName(), argument: &arg, at: at.At}
	case !arg.IsValue:
		if stand, ok := arg.Type.(*ctype.Struct); ok && u.templates[stand] != nil {
			return &entity{template: u.templates[stand], at: at.At, bound: true}
		}
		return &entity{typ: arg.Type, at: at.At, bound: true}
	}
	if isClass(arg.Type) || isFloat(arg.Type) {
		return &entity{obscure: "a template parameter that stands for " + arg.Demangled(), argument: &arg, at: at.At, bound: true}
	}
	v, _ := convert(value{bits: arg.Value, wide: true}, ctype.Builtin(ctype.Long))
	if converted, ok := convert(v, arg.Type); ok {
		v = converted
	} else if basic, ok := ctype.Unqualified(arg.Type).(*ctype.Basic); ok && basic.Unsigned {
		v = value{bits: arg.Value, wide: true, unsigned: true}
	}
	return &entity{constant: &constant{v, arg.Type}, at: at.At, bound: true}
}

// bindPattern binds a parameter of a template to an argument of a pattern.
func (u *unit) bindPattern(s *scope, name string, arg ctype.TemplateArg) {
	if class, ok := arg.Type.(*ctype.Struct); ok && arg.IsValue && u.holeOf[class] != nil {
		s.declare(name, u.holeOf[class].element())
		return
	}
	u.bind(s, name, arg, &lex.Token{})
}

// boundArguments are the arguments of a template, and the scope that has them by the names of its
// parameters.
type boundArguments struct {
	args  []ctype.TemplateArg
	inner *scope
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
