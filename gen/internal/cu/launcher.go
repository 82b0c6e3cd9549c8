package cu

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// Launchers are the class and function templates in whose definitions launches stand, or uses of other
// launchers: what those launch depends on their own arguments.
type launchers struct {
	names          map[string]bool
	classes        []*template
	functions      map[string][]*functionLauncher
	instantiations []instantiation // explicit ones, of function templates
	used           map[*ctype.Struct]bool
	calls          map[string]bool  // names that are called as members, or with a qualifier
	bound          int              // how many instances there are of functions
	others         []launchBody     // functions without launches and uses of launchers, as far as is known
	mentions       map[string][]int // the indices of others by the names in them; nil before it is asked for
	fresh          []string         // names of launchers that were found since others was looked through
}

// A classLauncher is what a class template has for its launches.
type classLauncher struct {
	definitions []cursor        // with launches in them
	outside     []launchBody    // members that are defined outside
	read        map[int]bool    // definitions that an instance has, by their first index
	instances   []*ctype.Struct // of the template itself, and not of a partial specialisation
	noted       bool
}

// A functionLauncher is a function template.
type functionLauncher struct {
	launchBody
	template *kernel // as which its arguments are deduced
	bound    map[string]bool
	noted    bool
}

func (l *launchers) add(name string) {
	if l.names == nil {
		l.names, l.functions, l.used = make(map[string]bool), make(map[string][]*functionLauncher), make(map[*ctype.Struct]bool)
	}
	l.names[name] = true
	l.fresh = append(l.fresh, name)
}

// explicit notes that all members of the class t are instantiated.
func (l *launchers) explicit(t ctype.Type) {
	if class, ok := ctype.Unqualified(t).(*ctype.Struct); ok && l.used != nil {
		l.used[class] = true
	}
}

// launchesIn reports whether launches stand in c, or uses of launchers. Names in c are looked up from s.
func (p *parser) launchesIn(c cursor, s *scope) bool {
	local := declaresNames(c)
	for ; c.more(); c.next() {
		if isLaunch(&c) || p.mentionsLauncher(&c, s, local) || p.namesInstance(&c) {
			return true
		}
	}
	return false
}

// namesInstance reports whether an instance of a kernel template may be named at c, and not launched.
func (p *parser) namesInstance(c *cursor) bool {
	l := c.peek()
	if l.Kind != lex.Ident || !c.ahead(1).Is("<") || len(p.byName[l.Text]) == 0 || isMember(c.before()) {
		return false
	}
	behind := *c
	behind.next()
	_, ok := behind.angles()
	return ok && !isLaunch(&behind) && !behind.peek().Is("(") && !behind.peek().Is("::")
}

// launchesKernels is launchesIn, without launches of what is not declared as a kernel: pointers to functions.
func (p *parser) launchesKernels(c cursor) bool {
	local := declaresNames(c)
	for begin := c.i; c.more(); c.next() {
		if p.mentionsLauncher(&c, p.scope, local) || p.namesInstance(&c) {
			return true
		}
		if isLaunch(&c) {
			if m, ok := p.mentionBefore(c, begin, c.i); ok && len(p.byName[m.name.Text]) > 0 {
				return true
			}
		}
	}
	return false
}

// declaresNames reports whether using-declarations, using-directives or aliases of namespaces stand in c: names
// in it may stand for something else than around it.
func declaresNames(c cursor) bool {
	for ; c.more(); c.next() {
		if c.peek().Is("namespace") || c.peek().Is("using") && !c.ahead(2).Is("=") && !c.ahead(1).Is("typename") {
			return true
		}
	}
	return false
}

// launcherName reports whether a name stands at c that some launcher has.
func (p *parser) launcherName(c *cursor) bool {
	l := c.peek()
	return len(p.launchers.names) > 0 && l.Kind == lex.Ident && p.launchers.names[l.Text] && !isMember(c.before()) && !c.before().Is("~")
}

// mentionsLauncher reports whether the name of a launcher stands at c, looked up from s. local says that
// more names may be declared between s and c.
func (p *parser) mentionsLauncher(c *cursor, s *scope, local bool) bool {
	if !p.launcherName(c) {
		return false
	}
	name := c.peek().Text
	e, known := p.plainEntity(c, s)
	if !known { // a member of a class: no function that is a launcher
		return slices.ContainsFunc(p.launchers.classes, func(t *template) bool { return t.name == name })
	}
	return local && e == nil || p.isLauncher(name, e)
}

// plainEntity returns what the name at c stands for, with the names of namespaces and classes before it,
// looked up from s. known is false when template arguments stand in these.
func (p *parser) plainEntity(c *cursor, s *scope) (e *entity, known bool) {
	begin := c.i
	for begin > 0 && c.list[begin-1].Is("::") {
		if begin--; begin == 0 || c.list[begin-1].Kind != lex.Ident || scalarWords[c.list[begin-1].Text] || noQualifier[c.list[begin-1].Text] {
			break
		}
		begin--
	}
	path := c.piece(begin, c.i)
	if path.more() && begin > 0 && c.list[begin].Is("::") && c.list[begin-1].Is(">") {
		return nil, false
	}
	var in *scope
	if path.accept("::") {
		in = s.root()
	}
	for path.more() {
		name := path.next().Text
		if in == nil {
			e = s.lookup(name)
		} else {
			e = in.within(name)
		}
		path.next()
		switch {
		case e != nil && e.namespace != nil:
			in = e.namespace
		case e != nil && e.typ != nil && p.members[ctype.Unqualified(e.typ)] != nil:
			in = p.members[ctype.Unqualified(e.typ)]
		default:
			return nil, e == nil || e.typ == nil
		}
	}
	if in == nil {
		return s.lookup(c.peek().Text), true
	}
	return in.within(c.peek().Text), true
}

// isLauncher reports whether launches depend on e, which is called name.
func (u *unit) isLauncher(name string, e *entity) bool {
	switch {
	case e == nil:
		return false
	case e.template != nil && e.template.launcher != nil:
		return true
	case e.function == nil:
		return false
	}
	// Overloads are not kept if there are many.
	if e.function.many {
		return slices.ContainsFunc(u.launchers.functions[name], func(l *functionLauncher) bool { return e.home == nil || l.template.scope == e.home })
	}
	return slices.ContainsFunc(e.function.overloads, func(o *overload) bool { return u.launchers.function(o) != nil })
}

// function returns the launcher that o declares; nil if it is none.
func (l *launchers) function(o *overload) *functionLauncher {
	for _, one := range l.functions[o.whole.list[o.parameters-1].Text] {
		if one.function.parameters == o.parameters {
			return one
		}
	}
	return nil
}

// noteBody notes the function b in whose declaration launches stand, or uses of launchers. r is the class
// whose member it is, nil outside of one.
func (p *parser) noteBody(b launchBody, r *record) {
	if p.inToolkit(b.whole.peek().At) {
		return // it launches no kernel of the user's
	}
	switch class, t := p.readingOf, b.head; {
	case class != nil:
		b.entities, b.kernels = class.entities, class.kernels
		if r != nil {
			b.of = r.typ
		}
		if p.calledMember(&b, r) {
			p.bodies = append(p.bodies, b)
		}
	case t != nil && !t.empty && p.launchesKernels(b.whole) && (p.outside(&b) || !t.nested && r == nil && p.functionLauncher(&b)):
	default:
		p.bodies = append(p.bodies, b)
	}
}

// otherBodies looks for uses of launchers that stand before these are defined.
func (p *parser) otherBodies() {
	l := &p.launchers
	if l.mentions == nil && len(l.fresh) > 0 {
		l.mentions = mentionsOf(l.others)
	}
	for len(l.fresh) > 0 {
		var list []int
		for _, name := range l.fresh {
			list = append(list, l.mentions[name]...)
		}
		l.fresh = nil
		slices.Sort(list)
		for _, i := range slices.Compact(list) {
			b := &l.others[i]
			if b.whole.tokens == nil {
				continue // noted before
			}
			outer := p.scope
			p.scope = b.scope
			if p.launchesIn(b.whole, b.scope) {
				p.noteBody(*b, nil)
				*b = launchBody{}
			}
			p.scope = outer
		}
	}
}

// mentionsOf returns the indices of list by the names in its bodies.
func mentionsOf(list []launchBody) map[string][]int {
	mentions := make(map[string][]int)
	for i, b := range list {
		for c := b.whole; c.more(); c.next() {
			l := c.peek()
			if l.Kind != lex.Ident || scalarWords[l.Text] {
				continue
			}
			if known := mentions[l.Text]; len(known) == 0 || known[len(known)-1] != i {
				mentions[l.Text] = append(known, i)
			}
		}
	}
	return mentions
}

// classLauncher notes the definition class of t, if launches stand in it.
func (p *parser) classLauncher(t *template, class cursor) {
	if p.local > 0 || len(p.reading) > 0 || p.inToolkit(class.peek().At) || !p.launchesKernels(class) {
		return
	}
	l := p.launcherOf(t)
	l.definitions = append(l.definitions, class)
}

// launcherOf returns what t has for its launches.
func (u *unit) launcherOf(t *template) *classLauncher {
	if t.launcher == nil {
		t.launcher = &classLauncher{read: make(map[int]bool)}
		u.launchers.classes = append(u.launchers.classes, t)
		u.launchers.add(t.name)
		for _, class := range t.made { // read before one knew
			if u.pending[class] == nil && len(t.partial) == 0 {
				t.launcher.instances = append(t.launcher.instances, class)
			}
		}
	}
	return t.launcher
}

// read notes that class, a definition of t, is read for the instance made.
func (p *parser) read(t *template, made *ctype.Struct, class cursor, in *instance) {
	if t.launcher == nil || in.member != nil {
		return
	}
	t.launcher.read[class.i] = true
	if class.i == t.class.i {
		t.launcher.instances = append(t.launcher.instances, made)
	}
}

// outside notes a member of a class template that b defines outside of it. It reports whether b does.
func (p *parser) outside(b *launchBody) bool {
	if b.head.nested {
		return false
	}
	for _, param := range b.head.params {
		if param.pack || param.name == "" {
			return false
		}
	}
	list, name := b.whole.list, b.function.name
	if name < 0 || list[name].Is("=") || list[name].Is(")") {
		return false
	}
	if name > b.whole.i && list[name-1].Is("~") {
		name--
	}
	for c := b.whole.piece(b.whole.i, name); c.more(); c.next() { // [N::]C<T>::name
		e := p.scope.lookup(c.peek().Text)
		if c.peek().Kind != lex.Ident || e == nil {
			continue
		}
		path := c
		path.next()
		for e != nil && e.namespace != nil && path.accept("::") {
			e = e.namespace.within(path.next().Text)
		}
		if e == nil || e.template == nil || e.template.isAlias {
			continue
		}
		if args, ok := path.angles(); ok && path.accept("::") && path.i == name && sameParams(args, b.head) {
			l := p.launcherOf(e.template)
			l.outside = append(l.outside, *b)
			return true
		}
	}
	return false
}

// functionLauncher notes the function template that b defines. It reports whether b does.
func (p *parser) functionLauncher(b *launchBody) bool {
	name := b.function.plainName(b.whole)
	parameters := b.whole.piece(b.function.parameters, b.whole.stop)
	inside, ok := parameters.group()
	if name == nil || !ok {
		return false
	}
	k := &kernel{Kernel: &Kernel{Name: name.Text, Namespace: p.scope.path()}, head: b.head, parameters: inside, written: inside, scope: p.scope, name: name}
	k.head = p.abbreviate(k, b.head)
	p.launchers.add(name.Text)
	p.launchers.functions[name.Text] = append(p.launchers.functions[name.Text], &functionLauncher{launchBody: *b, template: k, bound: make(map[string]bool)})
	return true
}

// completeLaunchers reads the instances of launchers that the file names, which notes the bodies of
// their members.
func (p *parser) completeLaunchers() {
	for i := 0; i < len(p.launchers.classes); i++ {
		t := p.launchers.classes[i]
		for j := 0; j < len(t.made); j++ {
			p.completeLauncher(t.made[j])
		}
		l := t.launcher
		for j := 0; j < len(l.instances); j++ {
			p.outsideBodies(l, l.instances[j])
		}
		l.instances = l.instances[:0]
	}
}

// completeLauncher reads the class t.
func (p *parser) completeLauncher(t *ctype.Struct) {
	in := p.pending[t]
	if in == nil {
		return
	}
	p.work.question(p.work.leftFor(in.root), func() {
		if p.complete(t); p.work.spent() && in.root != nil {
			p.noteLauncher(in.root, "class", p.tooMuchWork(in.root))
		}
	})
}

// outsideBodies notes the members of class that are defined outside.
func (p *parser) outsideBodies(l *classLauncher, class *ctype.Struct) {
	members := p.members[class]
	if members == nil {
		return
	}
	for _, b := range l.outside {
		if len(b.head.params) != len(class.Args) {
			continue
		}
		inner := parameterScope(members)
		for i, param := range b.head.params {
			if members.names[param.name] == nil { // which hides it
				p.bind(inner, param.name, class.Args[i], b.whole.peek())
			}
		}
		b.head, b.scope, b.member, b.of = nil, inner, inner, class
		if p.calledMember(&b, &record{typ: class}) {
			p.bodies = append(p.bodies, b)
			l.read[b.whole.i] = true
		}
	}
}

// respecialised reports whether b is a member of an instance of a class template that an explicit
// specialisation defines anew: C++ standard, [temp.expl.spec].
func (u *unit) respecialised(b *launchBody) bool {
	if b.of == nil || b.function.name < 0 || u.members[b.of] == nil {
		return false
	}
	e := u.members[b.of].names[b.whole.list[b.function.name].Text]
	return e != nil && e.function != nil && e.function.many && len(e.function.overloads) == 0
}

// calledMember reports whether the member b of the instance of a class template is instantiated, as far as
// is known: with an explicit instantiation all are, otherwise those that are called.
func (p *parser) calledMember(b *launchBody, r *record) bool {
	name := b.function.plainName(b.whole)
	if name == nil && b.function.name >= 0 && b.function.name > b.whole.i && b.whole.list[b.function.name-1].Is("::") {
		name = &b.whole.list[b.function.name]
	}
	if name == nil || r == nil || name.Text == r.typ.Name || p.launchers.used[r.typ] {
		return true
	}
	if p.launchers.calls == nil {
		p.launchers.calls = make(map[string]bool)
		for c := p.cursor.piece(0, len(p.cursor.list)); c.more(); c.next() {
			if l := c.peek(); l.Kind == lex.Ident && (isMember(c.before()) || c.ahead(1).Is("(") && called(c.before())) {
				p.launchers.calls[l.Text] = true
			}
		}
	}
	return p.launchers.calls[name.Text]
}

// called reports whether a name with parentheses behind it is that of a function that is called, and not
// declared, where l stands before it.
func called(l *lex.Token) bool {
	return l.Kind != lex.Ident && !l.Is("*") && !l.Is("&") && !l.Is("&&") && !l.Is(">") && !l.Is("~") || notDeclaring[l.Text] || l.Is("else") || l.Is("do")
}

// usedLauncher looks at the use of a launcher in the body of b, whose name stands at the index at.
func (p *parser) usedLauncher(b *launchBody, body cursor, at int, w *walked) {
	m, ok := p.mentionBefore(body, body.i, at+1)
	if !ok || m.name != &body.list[at] || !m.path.more() && w.scope.ownedBy(m.name.Text, w.outer) && !p.isLauncher(m.name.Text, w.scope.lookup(m.name.Text)) {
		return
	}
	outer := p.scope
	p.scope = w.scope
	defer func() { p.scope = outer }()
	begin := at
	if m.path.more() {
		begin = m.path.i
	}
	c := body.piece(begin, body.stop)
	behind := body.piece(at+1, body.stop)
	if e := p.entityOf(m, w.scope); e == nil || e.template == nil && e.function == nil {
		return
	} else if e.function != nil {
		p.calledLauncher(b, m, e, behind, w)
		return
	} else if e.typ != nil || e.template.isAlias {
		return // its own name in a class
	}
	if !behind.peek().Is("<") {
		if !behind.peek().Is("::") {
			p.noteLauncher(m.name, "class", p.reasonf(m.name, diag.Template, "they are deduced"))
		}
		return
	}
	f := p.name(&c)
	reason := cmp.Or(w.reason, f.reason)
	if p.work.spent() {
		reason = p.tooMuchWork(m.name)
	}
	if reason != nil {
		p.noteLauncher(m.name, "class", reason)
	}
}

// entityOf returns what the name of m stands for, looked up from s.
func (p *parser) entityOf(m mention, s *scope) *entity {
	if !m.path.more() {
		return s.lookup(m.name.Text)
	}
	path := m.path.piece(m.path.i, m.path.stop-1)
	in := s.root()
	if path.more() {
		f := p.name(&path)
		if in = p.scopeOf(f.entity); in == nil || path.more() {
			return nil
		}
	}
	return in.within(m.name.Text)
}

// calledLauncher makes an instance of the function template that m calls; what stands behind its name
// begins at c.
func (p *parser) calledLauncher(b *launchBody, m mention, e *entity, c cursor, w *walked) {
	l := launch{mention: m}
	if c.peek().Is("<") {
		args, ok := c.angles()
		if !ok {
			return
		}
		l.args, l.angled = args, true
	}
	var ok bool
	if !c.peek().Is("(") {
		return
	}
	if l.arguments, ok = c.group(); !ok {
		return
	}
	templates, reason := p.functionTemplates(e, len(p.split(l.arguments, true)))
	if len(templates) == 0 && reason == nil {
		return
	}
	reason = cmp.Or(w.reason, reason)
	if reason == nil && (w.later(l.args, b.entities) || w.later(l.arguments, b.entities)) {
		reason = p.reasonf(m.name, diag.Template, "a name in it is declared behind the function, too")
	}
	var d boundArguments
	var of *kernel
	if reason == nil {
		d, of, reason = p.only(templates, l.mention, p.actualsOf(l, w), nil)
	}
	if p.work.spent() {
		reason = p.tooMuchWork(m.name)
	}
	if reason != nil {
		p.noteLauncher(m.name, "function", reason)
		return
	}
	p.bindLauncher(m.name, of, d)
}

// functionTemplates returns the launchers that e stands for and that take count arguments. A reason says
// that other functions may be meant.
func (p *parser) functionTemplates(e *entity, count int) (templates []*kernel, reason *ctype.Reason) {
	var name string
	for _, o := range e.function.overloads {
		own := p.launchers.function(o)
		switch {
		case own != nil:
			templates = append(templates, own.template)
			name = own.template.Name
		case o.body < 0 && o.head != nil: // declared before
		case count < 0 || o.takes(p, count):
			reason = &ctype.Reason{Message: diag.Template.New("other functions have this name, too")}
		}
	}
	if len(templates) == 0 || reason == nil && e.function.many && len(templates) != len(p.launchers.functions[name]) {
		return templates, nil
	}
	return templates, reason
}

// bindLauncher notes the body of an instance of the function template of, which is named at l.
func (p *parser) bindLauncher(l *lex.Token, of *kernel, d boundArguments) {
	const most = 512 // instances of one: recursion may have no end
	key := ctype.Arguments(d.args)
	for _, one := range p.launchers.functions[of.Name] {
		if one.template != of || one.bound[key] {
			continue
		}
		if p.launchers.bound++; len(one.bound) == most || p.launchers.bound > 8*most+len(p.cursor.list)/16 {
			p.noteLauncher(l, "function", p.reasonf(l, diag.Template, "there are too many instances of it, or of all"))
			return
		}
		one.bound[key] = true
		b := one.launchBody
		b.head, b.scope, b.root = nil, d.inner, p.rootOf(l)
		p.bodies = append(p.bodies, b)
	}
}

// instantiatedLaunchers makes the instances of function templates that are instantiated explicitly.
func (p *parser) instantiatedLaunchers() {
	list := p.launchers.instantiations
	p.launchers.instantiations = nil
	for i := range list {
		in := &list[i]
		outer := p.scope
		p.scope = in.scope
		e := p.entityOf(in.mention, in.scope)
		if e != nil && e.function != nil {
			templates, reason := p.functionTemplates(e, -1)
			var d boundArguments
			var of *kernel
			if reason == nil && len(templates) > 0 {
				p.work.question(p.work.leftFor(p.rootOf(in.name)), func() {
					if d, of, reason = p.instantiated(in, templates); p.work.spent() {
						reason = p.tooMuchWork(in.name)
					}
				})
			}
			if reason == nil && of != nil {
				p.bindLauncher(in.name, of, d)
			} else if reason != nil {
				p.noteLauncher(in.name, "function", reason)
			}
		}
		p.scope = outer
	}
}

// leftLaunchers looks for the launches in launchers of which no instance is known. Launches that do
// not depend on the launcher's arguments count; there are notes on the others.
func (p *parser) leftLaunchers() {
	for _, name := range slices.Sorted(maps.Keys(p.launchers.functions)) {
		for _, l := range p.launchers.functions[name] {
			if len(l.bound) == 0 && !l.noted {
				l.noted = true
				p.bodies = append(p.bodies, l.launchBody)
			}
		}
	}
	for _, t := range p.launchers.classes {
		if t.launcher.noted {
			continue
		}
		t.launcher.noted = true
		for _, class := range t.launcher.definitions {
			if !t.launcher.read[class.i] {
				p.launchesOfTemplate(t, class)
			}
		}
		for _, b := range t.launcher.outside {
			if !t.launcher.read[b.whole.i] {
				p.bodies = append(p.bodies, b)
			}
		}
	}
}

// launchesOfTemplate looks for the launches in class, a definition of t that no instance has.
func (p *parser) launchesOfTemplate(t *template, class cursor) {
	scope := parameterScope(t.scope)
	for _, param := range t.head.params {
		if param.name != "" {
			scope.declare(param.name, &entity{obscure: "a parameter of the template around the launch", at: class.peek().At})
		}
	}
	b := &launchBody{whole: class, scope: scope, entities: t.entities, kernels: t.kernels}
	for c := class; c.more(); c.next() {
		if !isLaunch(&c) {
			continue
		}
		if l, ok := p.launchAt(c, class.i); ok && len(p.byName[l.name.Text]) > 0 {
			w := &walked{scope: scope, outer: scope, lost: true, members: true, doubtful: true}
			if w.outside(l.args) || !l.angled {
				w.reason = p.reasonf(l.name, diag.Template, "it stands in class template %s, of which no instance is known here", t.name)
			}
			p.launched(b, l, w)
		}
	}
}

// noteLauncher notes why it is not known which instance of a launcher is used at l, a class or a function.
// In an included file that is noted only if it was too much work, at the name in the main file that leads there.
func (u *unit) noteLauncher(l *lex.Token, what string, reason *ctype.Reason) {
	if l != nil && u.work.spent() {
		l = u.rootOf(l)
	}
	if l == nil || !l.At.File().Main {
		return
	}
	note := l.Explain(diag.Template.Errorf("%s: the template arguments of this %s are not known here, so the kernels that it launches are not wrapped for them: %s (%w)",
		l.Text, what, reason.Text, diag.Do("instantiate the %s explicitly, or write //cudagen:instantiate above those kernels", what)))
	if !u.noted[note.Text] {
		u.noted[note.Text] = true
		u.file.Notes.Add(l.Pos(), note)
	}
}
