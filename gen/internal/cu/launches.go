package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// Launches are the functions of a unit in whose bodies launches stand, and its launchers: the class and function
// templates in whose definitions launches stand, or uses of other launchers. What those launch depends on their
// own arguments.
type launches struct {
	*unit
	kernels *kernelTable
	bodies  []launchBody    // with launches in them
	noted   map[string]bool // notes on launches and explicit instantiations

	names          map[string]bool // of launchers
	classes        []*template
	ofClass        map[*template]*classLauncher
	functions      map[string][]*functionLauncher
	instantiations []instantiation // explicit ones, of function templates
	used           map[*ctype.Struct]bool
	calls          map[string]bool  // names that are called as members, or with a qualifier
	bound          int              // how many instances there are of functions
	others         []launchBody     // functions without launches and uses of launchers, as far as is known
	mentions       map[string][]int // the indices of others by the names in them; nil before it is asked for
	fresh          []string         // names of launchers that were found since others was looked through
}

func newLaunches(u *unit, kernels *kernelTable) *launches {
	return &launches{
		unit: u, kernels: kernels, noted: make(map[string]bool), names: make(map[string]bool), ofClass: make(map[*template]*classLauncher),
		functions: make(map[string][]*functionLauncher), used: make(map[*ctype.Struct]bool),
	}
}

// A launchBody is a function in whose body launches stand, or uses of a launcher: C++ code that the
// parser does not read otherwise.
type launchBody struct {
	whole    cursor // the declaration
	function part
	head     *templateHead // of a function template, or of a member of a class template; nil for none
	scope    *scope        // in which the declaration stands
	of       *ctype.Struct // the instance of a class template whose member it is; nil for others
	member   *scope        // of a member that is defined outside of its class, an instance of a template: that of the class

	root *lex.Token // the name in the main file that leads to it; nil for none

	// How many entities and kernels were declared before it.
	entities int32
	kernels  int
}

// isLaunch reports whether the <<< of a launch begins at c.
func isLaunch(c *cursor) bool {
	return c.peek().Kind == lex.Punct && c.peek().Text == "<<" && c.ahead(1).Is("<") && !c.ahead(1).Blank
}

// A launch is name<arguments><<<configuration>>>(arguments), or the name of an instance alone.
type launch struct {
	mention
	at        int // index of its <<<
	arguments cursor
	named     bool // the instance is named, and not launched there: &k<float>
}

// launchAt returns the launch whose <<< is at the cursor c; its name stands at first or behind.
// ok is false when it is not of a name.
func launchAt(c cursor, first int) (l launch, ok bool) {
	l.at = c.i
	if l.mention, ok = mentionBefore(c, first, c.i); !ok || l.path.i > first && isMember(&c.list[l.path.i-1]) {
		return l, false
	}
	for c.i += 2; c.more() && !(c.peek().Is(">") && c.ahead(1).Is(">") && c.ahead(2).Is(">") && c.ahead(3).Is("(")); {
		if c.peek().Is(";") {
			return l, false
		}
		c.skip()
	}
	c.i += 3
	l.arguments, ok = c.group()
	return l, ok
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

func (ls *launches) add(name string) {
	ls.names[name] = true
	ls.fresh = append(ls.fresh, name)
}

// explicit notes that all members of the class t are instantiated.
func (ls *launches) explicit(t ctype.Type) {
	if class, ok := ctype.Unqualified(t).(*ctype.Struct); ok {
		ls.used[class] = true
	}
}

// launchesIn reports whether launches stand in c, or uses of launchers. Names in c are looked up from s.
func (ls *launches) launchesIn(c cursor, s *scope) bool {
	local := declaresNames(c)
	for ; c.more(); c.next() {
		if isLaunch(&c) || ls.mentionsLauncher(&c, s, local) || ls.namesInstance(&c) {
			return true
		}
	}
	return false
}

// namesInstance reports whether an instance of a kernel template may be named at c, and not launched.
func (ls *launches) namesInstance(c *cursor) bool {
	l := c.peek()
	if l.Kind != lex.Ident || !c.ahead(1).Is("<") || len(ls.kernels.byName[l.Text]) == 0 || isMember(c.before()) {
		return false
	}
	behind := *c
	behind.next()
	_, ok := behind.angles()
	return ok && !isLaunch(&behind) && !behind.peek().Is("(") && !behind.peek().Is("::")
}

// launchesKernels is launchesIn, without launches of what is not declared as a kernel: pointers to functions.
func (ls *launches) launchesKernels(c cursor, s *scope) bool {
	local := declaresNames(c)
	for begin := c.i; c.more(); c.next() {
		if ls.mentionsLauncher(&c, s, local) || ls.namesInstance(&c) {
			return true
		}
		if isLaunch(&c) {
			if m, ok := mentionBefore(c, begin, c.i); ok && len(ls.kernels.byName[m.name.Text]) > 0 {
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
func (ls *launches) launcherName(c *cursor) bool {
	l := c.peek()
	return len(ls.names) > 0 && l.Kind == lex.Ident && ls.names[l.Text] && !isMember(c.before()) && !c.before().Is("~")
}

// mentionsLauncher reports whether the name of a launcher stands at c, looked up from s. local says that
// more names may be declared between s and c.
func (ls *launches) mentionsLauncher(c *cursor, s *scope, local bool) bool {
	if !ls.launcherName(c) {
		return false
	}
	name := c.peek().Text
	e, known := ls.plainEntity(c, s)
	if !known { // a member of a class: no function that is a launcher
		return slices.ContainsFunc(ls.classes, func(t *template) bool { return t.name == name })
	}
	return local && e == nil || ls.isLauncher(name, e)
}

// plainEntity returns what the name at c stands for, with the names of namespaces and classes before it,
// looked up from s. known is false when template arguments stand in these.
func (ls *launches) plainEntity(c *cursor, s *scope) (e *entity, known bool) {
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
		case e != nil && e.typ != nil && ls.members[ctype.Unqualified(e.typ)] != nil:
			in = ls.members[ctype.Unqualified(e.typ)]
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
func (ls *launches) isLauncher(name string, e *entity) bool {
	switch {
	case e == nil:
		return false
	case e.template != nil && ls.ofClass[e.template] != nil:
		return true
	case e.function == nil:
		return false
	}
	// Overloads are not kept if there are many.
	if e.function.many {
		return slices.ContainsFunc(ls.functions[name], func(l *functionLauncher) bool { return e.home == nil || l.template.scope == e.home })
	}
	return slices.ContainsFunc(e.function.overloads, func(o *overload) bool { return ls.function(o) != nil })
}

// function returns the launcher that o declares; nil if it is none.
func (ls *launches) function(o *overload) *functionLauncher {
	for _, one := range ls.functions[o.whole.list[o.parameters-1].Text] {
		if one.function.parameters == o.parameters {
			return one
		}
	}
	return nil
}

// noteBody notes the function b in whose declaration launches stand, or uses of launchers. r is the class
// whose member it is, nil outside of one.
func (ls *launches) noteBody(b launchBody, r *record, class *template) {
	if ls.toolkit.has(b.whole.peek().At) {
		return // it launches no kernel of the user's
	}
	switch t := b.head; {
	case class != nil:
		b.entities, b.kernels = class.entities, class.kernels
		if r != nil {
			b.of = r.typ
		}
		if ls.calledMember(&b, r) {
			ls.bodies = append(ls.bodies, b)
		}
	case t != nil && !t.empty && ls.launchesKernels(b.whole, b.scope) && (ls.outside(&b) || !t.nested && r == nil && ls.functionLauncher(&b)):
	default:
		ls.bodies = append(ls.bodies, b)
	}
}

// otherBodies looks for uses of launchers that stand before these are defined.
func (ls *launches) otherBodies() {
	if ls.mentions == nil && len(ls.fresh) > 0 {
		ls.mentions = mentionsOf(ls.others)
	}
	for len(ls.fresh) > 0 {
		var list []int
		for _, name := range ls.fresh {
			list = append(list, ls.mentions[name]...)
		}
		ls.fresh = nil
		slices.Sort(list)
		for _, i := range slices.Compact(list) {
			b := &ls.others[i]
			if b.whole.tokens == nil {
				continue // noted before
			}
			if ls.launchesIn(b.whole, b.scope) {
				ls.noteBody(*b, nil, nil)
				*b = launchBody{}
			}
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
func (ls *launches) classLauncher(t *template, class cursor, s *scope) {
	if ls.local > 0 || len(ls.reading) > 0 || ls.toolkit.has(class.peek().At) || !ls.launchesKernels(class, s) {
		return
	}
	l := ls.launcherOf(t)
	l.definitions = append(l.definitions, class)
}

// launcherOf returns what t has for its launches.
func (ls *launches) launcherOf(t *template) *classLauncher {
	l := ls.ofClass[t]
	if l == nil {
		l = &classLauncher{read: make(map[int]bool)}
		ls.ofClass[t] = l
		ls.classes = append(ls.classes, t)
		ls.add(t.name)
		for _, class := range t.made { // read before one knew
			if ls.pending[class] == nil && len(t.partial) == 0 {
				l.instances = append(l.instances, class)
			}
		}
	}
	return l
}

// noteRead notes that class, a definition of t, is read for the instance made.
func (ls *launches) noteRead(t *template, made *ctype.Struct, class cursor, in *instance) {
	l := ls.ofClass[t]
	if l == nil || in.member != nil {
		return
	}
	l.read[class.i] = true
	if class.i == t.class.i {
		l.instances = append(l.instances, made)
	}
}

// outside notes a member of a class template that b defines outside of it. It reports whether b does.
func (ls *launches) outside(b *launchBody) bool {
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
		e := b.scope.lookup(c.peek().Text)
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
			l := ls.launcherOf(e.template)
			l.outside = append(l.outside, *b)
			return true
		}
	}
	return false
}

// functionLauncher notes the function template that b defines. It reports whether b does.
func (ls *launches) functionLauncher(b *launchBody) bool {
	name := b.function.plainName(b.whole)
	parameters := b.whole.piece(b.function.parameters, b.whole.stop)
	inside, ok := parameters.group()
	if name == nil || !ok {
		return false
	}
	k := &kernel{Kernel: &Kernel{Name: name.Text, Namespace: b.scope.path()}, head: b.head, parameters: inside, written: inside, scope: b.scope, name: name}
	k.head, k.parameters = ls.in(b.scope).abbreviate(inside, b.head)
	ls.add(name.Text)
	ls.functions[name.Text] = append(ls.functions[name.Text], &functionLauncher{launchBody: *b, template: k, bound: make(map[string]bool)})
	return true
}

// calledMember reports whether the member b of the instance of a class template is instantiated, as far as
// is known: with an explicit instantiation all are, otherwise those that are called.
func (ls *launches) calledMember(b *launchBody, r *record) bool {
	name := b.function.plainName(b.whole)
	if name == nil && b.function.name >= 0 && b.function.name > b.whole.i && b.whole.list[b.function.name-1].Is("::") {
		name = &b.whole.list[b.function.name]
	}
	if name == nil || r == nil || name.Text == r.typ.Name || ls.used[r.typ] {
		return true
	}
	if ls.calls == nil {
		ls.calls = make(map[string]bool)
		for c := ls.all.piece(0, len(ls.all.list)); c.more(); c.next() {
			if l := c.peek(); l.Kind == lex.Ident && (isMember(c.before()) || c.ahead(1).Is("(") && called(c.before())) {
				ls.calls[l.Text] = true
			}
		}
	}
	return ls.calls[name.Text]
}

// called reports whether a name with parentheses behind it is that of a function that is called, and not
// declared, where l stands before it.
func called(l *lex.Token) bool {
	return l.Kind != lex.Ident && !l.Is("*") && !l.Is("&") && !l.Is("&&") && !l.Is(">") && !l.Is("~") || notDeclaring[l.Text] || l.Is("else") || l.Is("do")
}

// noteMention notes why the instance that is mentioned is not wrapped.
func (ls *launches) noteMention(m mention, templates []*kernel, what string, reason *ctype.Reason) {
	for _, k := range templates {
		for _, d := range k.Directives {
			if d.Verb == instantiateVerb {
				return // directives say which instances there are
			}
		}
	}
	k := templates[0]
	remedy := diag.Do("write //cudagen:instantiate %s above the template, or instantiate it: %s", k.head, k.Instantiation(false))
	if reason.Remedy == notLambda {
		remedy = notLambda
	}
	note := m.name.Explain(diag.Template.Errorf("%s: the template arguments of this %s are not known here, so it is not wrapped: %s (%w)", k.Name, what, reason.Text, remedy))
	if !ls.noted[note.Text] { // by another launch
		ls.noted[note.Text] = true
		ls.file.Notes.Add(m.name.Pos(), note)
	}
}

// noteLauncher notes why it is not known which instance of a launcher is used at l, a class or a function.
// In an included file that is noted only if it was too much work, at the name in the main file that leads there.
func (ls *launches) noteLauncher(l *lex.Token, what string, reason *ctype.Reason) {
	if l != nil && ls.work.spent() {
		l = ls.rootOf(l)
	}
	if l == nil || !l.At.File().Main {
		return
	}
	note := l.Explain(diag.Template.Errorf("%s: the template arguments of this %s are not known here, so the kernels that it launches are not wrapped for them: %s (%w)",
		l.Text, what, reason.Text, diag.Do("instantiate the %s explicitly, or write //cudagen:instantiate above those kernels", what)))
	if !ls.noted[note.Text] {
		ls.noted[note.Text] = true
		ls.file.Notes.Add(l.Pos(), note)
	}
}
