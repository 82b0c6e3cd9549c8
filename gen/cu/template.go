package cu

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A templateHead is what stands between template < and >.
type templateHead struct {
	params []*templateParam
	empty  bool // template <>: a specialisation follows
	nested bool // more than one: a member of a class template
}

// A templateParam is one parameter of a template.
type templateParam struct {
	name     string
	kind     paramKind
	pack     bool
	written  string // the type as written
	typ      cursor // of a value
	fallback cursor // the default argument; empty when there is none
}

type paramKind uint8

const (
	paramType paramKind = iota
	paramValue
	paramTemplate
)

// A template is a class or alias template.
type template struct {
	name     string
	at       place
	scope    *scope // in which it is declared
	head     *templateHead
	alias    cursor // the type that an alias template stands for
	isAlias  bool
	class    cursor // the definition, from the word struct on; empty when it is not defined
	partial  []partial
	classes  map[string]*ctype.Struct // by arguments
	doubtful bool
	standIn  *ctype.Struct

	isVariable bool               // a variable template, whose declaration is class
	special    map[string]cursor  // explicit specialisations of one, by arguments
	variables  map[string]*entity // by arguments
}

// A partial is a partial specialisation of a class template.
type partial struct {
	head    *templateHead
	pattern cursor // the arguments
	class   cursor
	holes   map[string]*ctype.Struct // what stands for its parameters in the pattern, by their names
}

// An instance is a class of a class template that nobody has needed in full yet.
type instance struct {
	template *template
	args     []ctype.TemplateArg
	at       lexeme
	busy     bool
}

// template reads a declaration that begins with the word template.
func (p *parser) template(c *cursor, r *record) {
	begin := c.i
	c.next()
	if !c.peek().is("<") {
		p.explicitInstantiation(c)
		return
	}
	c.i = begin
	var head *templateHead
	for c.peek().is("template") && c.ahead(1).is("<") {
		c.next()
		list, ok := c.angles()
		if !ok {
			// What a < of a header means may be up to templates that are not understood.
			at, o := c.peek(), p.outline(c, r)
			if at.at.file().main {
				p.errorf(at, "the parameters of a template are not closed")
			} else {
				p.lostKernel(c.piece(c.i, o.end), o)
			}
			c.i = o.end
			return
		}
		nested := head != nil
		head = p.templateHead(list)
		head.nested = nested
	}
	p.requires(c)
	switch {
	case c.peek().is("using"):
		p.aliasTemplate(c, head)
	case c.peek().is("friend"), head.nested, c.peek().is("concept"):
		o := p.outline(c, r)
		p.lostKernel(c.piece(c.i, o.end), o)
		c.i = o.end
	default:
		at := c.i
		p.simpleTemplate(c, r, head, begin)
		c.i = max(c.i, at+1)
	}
}

// lostKernel reports a kernel where none can be.
func (p *parser) lostKernel(c cursor, o outline) {
	if !o.kernel || c.peek().is("friend") {
		return
	}
	for ; c.more(); c.next() {
		if c.peek().is("__global__") {
			p.errorf(c.peek(), "kernel inside of a declaration that is not understood (move it to a namespace)")
			return
		}
	}
}

// simpleTemplate reads the declaration behind template < … >, which begins at the index
// begin.
func (p *parser) simpleTemplate(c *cursor, r *record, head *templateHead, begin int) {
	p.lead = begin
	p.simple(c, r, head)
	p.lead = -1
}

// requires skips a requires-clause.
func (p *parser) requires(c *cursor) {
	if !c.accept("requires") {
		return
	}
	for {
		switch l := c.peek(); {
		case l.is("("):
			c.skip()
		case l.kind == tokIdent:
			c.next()
			if c.peek().is("<") {
				c.angles()
			}
			if c.accept("::") {
				continue
			}
		}
		if !c.accept("&&") && !c.accept("||") && !c.accept("::") {
			return
		}
	}
}

// templateHead reads the parameters of a template: C++ standard, [temp.param].
func (p *parser) templateHead(list cursor) *templateHead {
	head := &templateHead{empty: !list.more()}
	for _, one := range p.split(list, true) {
		head.params = append(head.params, p.templateParam(one))
	}
	return head
}

func (p *parser) templateParam(c cursor) *templateParam {
	param := &templateParam{}
	begin := c.i
	end := c.stop
	for scan := c; scan.more(); {
		if scan.peek().is("=") {
			end = scan.i
			param.fallback = c.piece(end+1, c.stop)
			break
		}
		if scan.peek().is("<") {
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.skip()
	}
	declared := c.piece(begin, end)
	first := declared.peek()
	stop := declared.stop
	switch {
	case first.is("template"):
		param.kind = paramTemplate
	case (first.is("typename") || first.is("class")) && p.plainTypeParam(declared):
		param.kind = paramType
	default:
		param.kind = paramValue
	}
	if last := &c.list[max(stop-1, 0)]; stop > begin+1 && last.kind == tokIdent && !scalarWords[last.text] && !c.list[stop-2].is("::") {
		param.name = last.text
		stop--
	}
	for i := begin; i < stop; i++ {
		param.pack = param.pack || c.list[i].is("...")
	}
	param.typ = c.piece(begin, stop)
	param.written = join(c.list[begin:stop])
	return param
}

// plainTypeParam reports whether typename begins the parameter and not the type of a
// value, as in typename T::type n.
func (p *parser) plainTypeParam(c cursor) bool {
	c.next()
	c.accept("...")
	if c.peek().kind == tokIdent {
		c.next()
	}
	return !c.more()
}

// aliasTemplate reads using name = type behind a head.
func (p *parser) aliasTemplate(c *cursor, head *templateHead) {
	c.next()
	name := c.peek()
	c.next()
	align, reason := p.alignment(p.attributes(c))
	ok := c.accept("=") && align == 0 && reason == nil
	end := c.i
	for scan := *c; scan.more() && !scan.peek().is(";") && !scan.peek().is("}"); {
		scan.skip()
		end = scan.i
	}
	t := &template{name: name.text, at: name.at, scope: p.scope, head: head, isAlias: true, alias: c.piece(c.i, end), doubtful: name.doubtful}
	c.i = end
	c.accept(";")
	switch {
	case name.kind != tokIdent:
	case !ok:
		p.obscure(name, conflicting)
	default:
		p.scope.declare(name.text, &entity{template: t, at: name.at})
	}
}

// classTemplate reads the definition of a class template or of a partial
// specialisation.
func (p *parser) classTemplate(whole cursor, o outline, t *templateHead) {
	c := whole.piece(o.record+1, whole.stop)
	if whole.list[o.record].is("enum") {
		return
	}
	h := p.head(&c, false)
	if h.last == nil || !h.defines {
		return
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	if !p.enterQualifiers(&h) {
		return
	}
	class := whole.piece(o.record, whole.stop)
	made := p.templateNamed(h.last, t)
	if made == nil {
		return
	}
	if h.angled {
		made.partial = append(made.partial, partial{t, h.args, class, p.holesOf(t)})
		return
	}
	made.define(t, class)
	made.doubtful = made.doubtful || h.last.doubtful
}

// holesOf returns a class for each parameter of head that is a type. Its name is that of
// nothing else: a class template with it as its argument is an instance of its own.
func (p *parser) holesOf(head *templateHead) map[string]*ctype.Struct {
	holes := make(map[string]*ctype.Struct)
	for _, param := range head.params {
		if param.kind == paramType {
			p.holes++
			holes[param.name] = &ctype.Struct{Name: fmt.Sprintf("%s#%d", param.name, p.holes)}
		}
	}
	return holes
}

func (t *template) define(head *templateHead, class cursor) {
	inherit(head, t.head)
	t.head, t.class = head, class
}

// inherit takes over the default arguments of an earlier declaration.
func inherit(head, earlier *templateHead) {
	for i, param := range head.params {
		if i < len(earlier.params) && !param.fallback.more() && earlier.params[i].fallback.tokens != nil {
			param.fallback = earlier.params[i].fallback
		}
	}
}

// templateNamed returns the class template called name in the current scope, made when
// there is none, and nil when the name stands for something else.
func (p *parser) templateNamed(name *lexeme, head *templateHead) *template {
	if e := p.scope.names[name.text]; e != nil && e.template != nil && !e.template.isAlias {
		return e.template
	}
	t := &template{name: name.text, at: name.at, scope: p.scope, head: head, classes: make(map[string]*ctype.Struct)}
	p.scope.declare(name.text, &entity{template: t, at: name.at})
	if p.scope.names[name.text].template != t {
		return nil
	}
	return t
}

// forwardTemplate reads the declaration of a class template that is not defined here.
func (p *parser) forwardTemplate(c cursor, t *templateHead) {
	for c.more() && !c.peek().is("struct") && !c.peek().is("class") && !c.peek().is("union") {
		if c.peek().is("=") || c.peek().is("(") {
			return
		}
		c.next()
	}
	if !c.more() {
		return
	}
	c.next()
	p.attributes(&c)
	if name := c.peek(); name.kind == tokIdent && c.ahead(1).is(";") {
		if made := p.templateNamed(name, t); made != nil && made.head != t {
			inherit(made.head, t)
		}
	}
}

// specialisation returns the class that the head h of an explicit specialisation
// defines, nil when its template is not known.
func (p *parser) specialisation(h head) *ctype.Struct {
	e := p.scope.lookup(h.last.text)
	if e == nil || e.template == nil || e.template.isAlias {
		return nil
	}
	args, _, reason := p.templateArguments(e.template.head, h.args, p.scope, e.template.scope, h.last)
	if reason != nil {
		return &ctype.Struct{Name: h.last.text, Scope: p.scope.path(), Pos: h.last.pos(), Unsupported: reason}
	}
	t := p.classOf(e.template, args, h.last)
	delete(p.pending, t)
	t.Pos = h.last.pos()
	return t
}

// classOf returns the class of t with the arguments args.
func (p *parser) classOf(t *template, args []ctype.TemplateArg, at *lexeme) *ctype.Struct {
	key := ctype.Arguments(args)
	if made := t.classes[key]; made != nil {
		return made
	}
	made := &ctype.Struct{Name: t.name, Args: args, Scope: t.scope.path(), Pos: t.at.position()}
	t.classes[key] = made
	p.pending[made] = &instance{template: t, args: args, at: *at}
	return made
}

// instantiate returns what the template t with the arguments in list stands for. at is
// its name.
func (p *parser) instantiate(t *template, list cursor, at *lexeme) (*entity, *ctype.Reason) {
	if t.doubtful {
		return nil, p.reasonf(at, "template %s is under a condition that could not be evaluated", t.name)
	}
	if p.instances--; p.instances < 0 {
		return nil, p.reasonf(at, "too many templates are instantiated")
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.nesting--
		return nil, p.reasonf(at, "templates are nested too deeply")
	}
	defer func() { p.nesting-- }()
	args, inner, reason := p.templateArguments(t.head, list, p.scope, t.scope, at)
	if reason != nil {
		return nil, reason
	}
	if t.isVariable {
		e, reason := p.variableOf(t, args, inner, at)
		return e, reason
	}
	if !t.isAlias {
		return &entity{typ: p.classOf(t, args, at), template: nil, at: t.at}, nil
	}
	outer := p.scope
	p.scope = inner
	defer func() { p.scope = outer }()
	alias := t.alias
	typ, reason := p.typeID(&alias)
	if reason == nil && alias.more() {
		reason = p.reasonf(alias.peek(), "is not understood (unexpected %s)", alias.peek().describe())
	}
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Text: "alias template " + t.name + " " + reason.Text}
	}
	return &entity{typ: typ, at: t.at}, nil
}

// templateArguments evaluates the arguments in list, looked up from use, for the
// parameters in head, whose defaults are looked up from declared. It also returns a
// scope with the parameters' names.
func (p *parser) templateArguments(head *templateHead, list cursor, use, declared *scope, at *lexeme) (args []ctype.TemplateArg, inner *scope, reason *ctype.Reason) {
	inner = newScope("", declared)
	inner.parameters = true
	given := p.split(list, true)
	args = []ctype.TemplateArg{}
	outer := p.scope
	defer func() { p.scope = outer }()
	for i, param := range head.params {
		switch {
		case param.pack && i == len(head.params)-1 && param.kind != paramTemplate:
			for _, one := range given[min(i, len(given)):] {
				p.scope = use
				arg, reason := p.templateArgument(param, one, inner)
				if reason != nil {
					return nil, nil, reason
				}
				args = append(args, arg)
			}
			if param.name != "" {
				inner.declare(param.name, &entity{obscure: "a pack of template arguments", at: at.at})
			}
			return args, inner, nil
		case param.pack:
			return nil, nil, p.reasonf(at, "template parameter %s is a pack, which is not understood here", param.name)
		}
		var arg ctype.TemplateArg
		var reason *ctype.Reason
		switch {
		case i < len(given):
			p.scope = use
			arg, reason = p.templateArgument(param, given[i], inner)
		case param.fallback.more():
			p.scope = inner
			arg, reason = p.templateArgument(param, param.fallback, inner)
		default:
			reason = p.reasonf(at, "template argument %d is missing", i+1)
		}
		if reason != nil {
			return nil, nil, reason
		}
		args = append(args, arg)
		p.bind(inner, param.name, arg, at)
	}
	if len(given) > len(head.params) {
		return nil, nil, p.reasonf(at, "it has %d template parameters, and %d arguments", len(head.params), len(given))
	}
	return args, inner, nil
}

// bind declares a parameter of a template as what it stands for.
func (p *parser) bind(s *scope, name string, arg ctype.TemplateArg, at *lexeme) {
	if name == "" {
		return
	}
	e := &entity{typ: arg.Type, at: at.at}
	if stand, ok := arg.Type.(*ctype.Struct); ok && p.templates[stand] != nil {
		e = &entity{template: p.templates[stand], at: at.at}
	}
	if arg.IsValue {
		v, _ := convert(value{bits: arg.Value, wide: true}, ctype.Builtin(ctype.Long))
		if converted, ok := convert(v, arg.Type); ok {
			v = converted
		} else if basic, ok := ctype.Unqualified(arg.Type).(*ctype.Basic); ok && basic.Unsigned {
			v = value{bits: arg.Value, wide: true, unsigned: true}
		}
		e = &entity{constant: &constant{v, arg.Type}, at: at.at}
	}
	s.declare(name, e)
}

// templateArgument evaluates one argument. The type of a value is looked up from inner,
// where the parameters before it are known.
func (p *parser) templateArgument(param *templateParam, c cursor, inner *scope) (arg ctype.TemplateArg, reason *ctype.Reason) {
	at := c.peek()
	switch param.kind {
	case paramType:
		t, reason := p.typeArgument(c)
		return ctype.TemplateArg{Type: t}, reason
	case paramTemplate:
		f := p.name(&c)
		if f.entity == nil || f.entity.template == nil || c.more() {
			return arg, p.reasonf(at, "template argument %s is no template that is known here", f.text)
		}
		return ctype.TemplateArg{Type: p.standIn(f.entity.template)}, nil
	}
	use := p.scope
	p.scope = inner
	typ := param.typ
	spec := p.specifiers(&typ, specifierContext{})
	p.scope = use
	if spec.reason != nil {
		return arg, p.reasonf(at, "the type of template parameter %s %s", param.name, spec.reason.Text)
	}
	t := ctype.Unqualified(spec.typ)
	v, failure := p.evaluate(c, use)
	if failure != nil {
		return arg, p.reasonf(&failure.at, "template argument %s is not understood: %s", param.name, failure.text)
	}
	v, ok := convert(v, t)
	if !ok {
		return arg, p.reasonf(at, "template argument %s is no integer of type %s", param.name, t)
	}
	return ctype.TemplateArg{Type: t, Value: v.bits, IsValue: true}, nil
}

// standIn returns what stands for the template t in a list of template arguments: a
// class with its name.
func (p *parser) standIn(t *template) *ctype.Struct {
	if t.standIn == nil {
		t.standIn = &ctype.Struct{Name: t.name, Scope: t.scope.path(), Pos: t.at.position()}
		p.templates[t.standIn] = t
	}
	return t.standIn
}

// typeArgument reads a template argument that is a type.
func (p *parser) typeArgument(c cursor) (ctype.Type, *ctype.Reason) {
	t, reason := p.typeID(&c)
	if reason == nil && c.more() {
		reason = p.reasonf(c.peek(), "is not understood (unexpected %s)", c.peek().describe())
	}
	if reason == nil && ctype.AliasAligned(t) {
		// clang ignores the alignment, and nvcc has one instance for the type with and without it.
		reason = p.reasonf(c.before(), "has a type that a typedef aligns, which compilers understand in different ways")
	}
	if reason != nil {
		return nil, &ctype.Reason{Pos: reason.Pos, Text: "a template argument " + reason.Text}
	}
	return t, nil
}

// complete reads the definition of a class of a class template, when it has not been
// read yet.
func (p *parser) complete(t *ctype.Struct) {
	in := p.pending[t]
	if in == nil || in.busy {
		return
	}
	if p.instances--; p.instances < 0 {
		reject(t, &in.at, "too many templates are instantiated")
		return
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.nesting--
		reject(t, &in.at, "templates are nested too deeply")
		return
	}
	defer func() { p.nesting-- }()
	tmpl := in.template
	class, inner, reason := p.choose(in)
	switch {
	case reason != nil:
		if t.Unsupported == nil {
			t.Unsupported = reason
		}
		return
	case !class.more():
		return // it may be defined further down
	}
	in.busy = true
	defer func() {
		in.busy = false
		delete(p.pending, t)
	}()
	outer, linkage := p.scope, p.linkage
	p.scope = inner
	defer func() { p.scope, p.linkage = outer, linkage }()
	index := class.i
	key := class.next()
	t.Union = key.is("union")
	h := p.head(&class, false)
	t.Pos = tmpl.at.position()
	if h.last != nil {
		t.Pos = h.last.pos()
	}
	p.define(&class, t, key, index, h, nil)
	if class.accept(";"); class.more() {
		reject(t, class.peek(), class.peek().describe()+" stands behind its }, and is not understood")
	}
}

// choose returns the definition to use for an instance: that of the template, or of the
// partial specialisation that fits. It is empty when there is none yet.
func (p *parser) choose(in *instance) (class cursor, inner *scope, reason *ctype.Reason) {
	t := in.template
	chosen := -1
	for i := range t.partial {
		bound, fit, clear := p.match(t, &t.partial[i], in.args)
		if !clear {
			return class, nil, p.reasonf(&in.at, "it may be a partial specialisation of %s that is not understood", t.name)
		}
		if !fit {
			continue
		}
		if chosen >= 0 {
			return class, nil, p.reasonf(&in.at, "more than one partial specialisation of %s fits, which is not understood", t.name)
		}
		chosen, class, inner = i, t.partial[i].class, bound
	}
	if chosen >= 0 {
		return class, inner, nil
	}
	inner = newScope("", t.scope)
	inner.parameters = true
	for i, param := range t.head.params {
		switch {
		case param.pack:
			if param.name != "" {
				inner.declare(param.name, &entity{obscure: "a pack of template arguments", at: in.at.at})
			}
		case i < len(in.args):
			p.bind(inner, param.name, in.args[i], &in.at)
		}
	}
	return t.class, inner, nil
}

// match compares the arguments of an instance with the pattern of a partial
// specialisation: C++ standard, [temp.class.spec.match]. clear is false when it is not
// understood whether they fit.
func (p *parser) match(t *template, s *partial, args []ctype.TemplateArg) (bound *scope, fit, clear bool) {
	bound = newScope("", t.scope)
	bound.parameters = true
	p.patterns++
	defer func() { p.patterns-- }()
	pattern := p.split(s.pattern, true)
	if len(pattern) > len(args) || len(t.head.params) != len(args) {
		return nil, false, false
	}
	m := matcher{types: make(map[*ctype.Struct]ctype.Type)}
	holes := newScope("", t.scope)
	holes.parameters = true
	whole := make(map[string]bool) // values and templates, which stand for a whole argument
	for _, param := range s.head.params {
		switch {
		case param.pack:
			return nil, false, false
		case param.kind != paramType:
			whole[param.name] = true
		default:
			hole := s.holes[param.name]
			m.types[hole] = nil
			holes.declare(param.name, &entity{typ: hole})
		}
	}
	outer := p.scope
	p.scope = holes
	defer func() { p.scope = outer }()
	found := make(map[string]ctype.TemplateArg)
	primary := newScope("", t.scope)
	primary.parameters = true
	for i := range args {
		p.scope = holes
		one := t.head.params[i].fallback
		if i < len(pattern) {
			one = pattern[i]
		} else if one.tokens == nil || !one.more() {
			return nil, false, false
		} else {
			p.scope = primary
		}
		l := one.peek()
		if args[i].IsValue { // the defaults behind it may use it
			p.bind(primary, t.head.params[i].name, args[i], l)
		}
		switch {
		case (args[i].IsValue || t.head.params[i].kind == paramTemplate) && one.stop == one.i+1 && whole[l.text]:
			if old, ok := found[l.text]; ok && (old.Value != args[i].Value || old.Type != args[i].Type && !old.IsValue) {
				return nil, false, true
			}
			found[l.text] = args[i]
		case args[i].IsValue:
			v, failure := p.evaluate(one, p.scope)
			if failure != nil {
				return nil, false, false
			}
			if v, ok := convert(v, args[i].Type); !ok || v.bits != args[i].Value {
				return nil, false, ok
			}
		case t.head.params[i].kind == paramTemplate:
			return nil, false, false
		default:
			typ, reason := p.typeArgument(one)
			if reason != nil {
				return nil, false, false
			}
			if !m.match(typ, args[i].Type) {
				return nil, false, !m.unclear
			}
			p.bind(primary, t.head.params[i].name, ctype.TemplateArg{Type: typ}, l)
		}
	}
	for name, hole := range s.holes {
		if m.types[hole] == nil {
			return nil, false, false
		}
		found[name] = ctype.TemplateArg{Type: m.types[hole]}
	}
	for _, param := range s.head.params {
		arg, ok := found[param.name]
		if !ok {
			return nil, false, false
		}
		p.bind(bound, param.name, arg, &lexeme{at: t.at})
	}
	return bound, true, true
}

// A matcher finds out what the holes in a pattern stand for.
type matcher struct {
	types   map[*ctype.Struct]ctype.Type
	unclear bool
}

// match reports whether t fits pattern.
func (m *matcher) match(pattern, t ctype.Type) bool {
	pattern, t = ctype.Unalias(pattern), ctype.Unalias(t)
	if hole, ok := pattern.(*ctype.Struct); ok {
		old, isHole := m.types[hole]
		switch {
		case isHole && old == nil:
			m.types[hole] = t
			return true
		case isHole:
			return old.Demangled() == t.Demangled()
		case hole.Args == nil:
			return hole == t
		}
		other, ok := t.(*ctype.Struct)
		if !ok || other.Name != hole.Name || len(other.Args) != len(hole.Args) || joinPath(other.Scope) != joinPath(hole.Scope) {
			return false
		}
		for i := range hole.Args {
			a, b := hole.Args[i], other.Args[i]
			if a.IsValue != b.IsValue || a.IsValue && a.Value != b.Value || !a.IsValue && !m.match(a.Type, b.Type) {
				return false
			}
		}
		return true
	}
	switch pattern := pattern.(type) {
	case *ctype.Qualified:
		q, ok := t.(*ctype.Qualified)
		return ok && q.Const == pattern.Const && q.Volatile == pattern.Volatile && m.match(pattern.Type, q.Type)
	case *ctype.Pointer:
		u, ok := t.(*ctype.Pointer)
		return ok && m.match(pattern.Elem, u.Elem)
	case *ctype.Reference:
		u, ok := t.(*ctype.Reference)
		return ok && u.RValue == pattern.RValue && m.match(pattern.Elem, u.Elem)
	case *ctype.Array:
		u, ok := t.(*ctype.Array)
		return ok && u.Len == pattern.Len && m.match(pattern.Elem, u.Elem)
	case *ctype.Function:
		m.unclear = true
		return false
	}
	return pattern.Demangled() == t.Demangled()
}

// explicitInstantiation reads template … behind which no < stands: it defines nothing,
// but says which arguments a kernel is wanted with.
func (p *parser) explicitInstantiation(c *cursor) {
	begin := c.i
	c.next() // template
	o := p.outline(c, nil)
	whole := c.piece(begin, o.end)
	c.i = o.end
	s := o.function()
	if s == nil {
		return
	}
	for scan := whole; scan.i < s.parameters; {
		if scan.peek().kind == tokIdent && scan.ahead(1).is("<") {
			name := scan.next()
			if args, ok := scan.angles(); ok && scan.i == s.parameters {
				p.wanted = append(p.wanted, wantedKernel{name, args, p.scope})
				return
			}
			continue
		}
		scan.next()
	}
}

// A wantedKernel is a kernel template with arguments, as the source instantiates or
// launches it.
type wantedKernel struct {
	name  *lexeme
	args  cursor
	scope *scope
}

// launches finds the launches name<args><<<…>>> in the file, and adds them and the
// explicit instantiations to the suggestions of their kernel templates.
func (p *parser) launches() {
	templates := make(map[string][]*kernel)
	for _, k := range p.order {
		if k.Template {
			templates[k.Name] = append(templates[k.Name], k)
		}
	}
	if len(templates) == 0 {
		return
	}
	for i := 0; i+3 < len(p.list); i++ {
		l := &p.list[i]
		if l.kind != tokIdent || templates[l.text] == nil || !p.list[i+1].is("<") {
			continue
		}
		c := p.cursor.piece(i+1, len(p.list))
		args, ok := c.angles()
		if ok && c.peek().is("<<") && c.ahead(1).is("<") && !c.ahead(1).blank {
			p.wanted = append(p.wanted, wantedKernel{l, args, nil})
		}
	}
	for _, w := range p.wanted {
		for _, k := range templates[w.name.text] {
			p.suggest(k, w)
		}
	}
}

// suggest adds the arguments of w to the suggestions of k, if they are constants and
// types that are known without the function around the launch.
func (p *parser) suggest(k *kernel, w wantedKernel) {
	scope := w.scope
	if scope == nil {
		scope = k.scope
	}
	outer := p.scope
	p.scope = scope
	args, _, reason := p.templateArguments(k.head, w.args, scope, k.scope, w.name)
	p.scope = outer
	if reason != nil {
		return
	}
	if w.scope != nil {
		if k.explicit == nil {
			k.explicit = make(map[string]bool)
		}
		k.explicit[ctype.Arguments(args)] = true
	}
	if len(args) != len(k.head.params) {
		return
	}
	var parts []string
	for i := range args {
		if k.head.params[i].pack || k.head.params[i].name == "" {
			return
		}
		value := ""
		if args[i].IsValue {
			value = strings.TrimRight(args[i].Demangled(), "ul")
			if j := strings.LastIndexByte(value, ')'); j >= 0 {
				value = value[j+1:]
			}
		} else {
			value = args[i].Type.String()
		}
		parts = append(parts, k.head.params[i].name+"="+value)
	}
	text := strings.Join(parts, ",")
	for _, old := range k.Suggestions {
		if old == text {
			return
		}
	}
	const most = 64
	if len(k.Suggestions) < most {
		k.Suggestions = append(k.Suggestions, text)
	}
}

// describe returns the template's parameters as the model has them.
func (h *templateHead) describe() []TemplateParam {
	params := make([]TemplateParam, len(h.params))
	for i, param := range h.params {
		params[i] = TemplateParam{Name: param.name, Type: param.written, Pack: param.pack}
		if param.fallback.tokens != nil && param.fallback.more() {
			params[i].Default = join(param.fallback.list[param.fallback.i:param.fallback.stop])
		}
	}
	return params
}

// String returns the arguments that a directive could give, for messages.
func (h *templateHead) String() string {
	var names []string
	for _, param := range h.params {
		names = append(names, fmt.Sprintf("%s=…", param.name))
	}
	return strings.Join(names, ",")
}
