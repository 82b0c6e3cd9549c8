package cu

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A launchFinder finds what the functions of a unit launch.
type launchFinder struct {
	*launches
	parser *parser // of the declarations in functions
}

// find finds the instances of kernel templates that functions launch, and the kernels of
// included files that the main file launches.
func (f *launchFinder) find() {
	for done := 0; ; {
		f.otherBodies()
		f.completeLaunchers()
		f.instantiatedLaunchers()
		if done == len(f.bodies) {
			if f.leftLaunchers(); done == len(f.bodies) {
				break
			}
		}
		for ; done < len(f.bodies); done++ {
			b := f.bodies[done]
			f.launchesOf(&b)
		}
	}
	f.bodies = nil
}

// launchesOf finds what the body of b launches, and which launchers it uses.
func (f *launchFinder) launchesOf(b *launchBody) {
	if f.respecialised(b) {
		return
	}
	var places []int
	found := make(map[int]launch)
	used := make(map[int]bool)
	c := b.whole.piece(b.function.body, b.whole.stop)
	for ; c.more(); c.next() {
		if isLaunch(&c) {
			if l, ok := launchAt(c, b.function.body); ok && len(f.kernels.byName[l.name.Text]) > 0 {
				places = append(places, c.i)
				found[c.i] = l
			}
		} else if f.namesInstance(&c) {
			behind := c
			behind.next()
			behind.angles()
			if m, ok := mentionBefore(c, b.function.body, behind.i); ok && m.name == c.peek() {
				places = append(places, c.i)
				found[c.i] = launch{mention: m, at: c.i, named: true}
			}
		} else if f.launcherName(&c) {
			places = append(places, c.i)
			used[c.i] = true
		}
	}
	head := b.whole.piece(b.whole.i, b.function.body)
	if len(places) == 0 && !f.launchesIn(head, b.scope) {
		return
	}
	f.root = b.root
	f.work.question(f.work.leftFor(b.root), func() {
		f.walk(b, places, func(at int, w *walked) {
			if used[at] {
				f.usedLauncher(b, b.whole.piece(b.function.body, b.whole.stop), at, w)
			} else {
				f.launched(b, found[at], w)
			}
		})
	})
	f.root = nil
}

// launched notes the kernel that l launches.
func (f *launchFinder) launched(b *launchBody, l launch, w *walked) {
	kernels := f.kernels.of(f.unit, l.mention, w.scope, b.kernels)
	if !l.path.more() && w.scope.ownedBy(l.name.Text, w.outer) {
		return // a pointer to a kernel
	}
	if len(kernels) == 0 && !l.path.more() {
		kernels = f.kernels.onlyNamed(l.name.Text) // by the namespace of an argument, or a using-directive
	}
	var plain, templates []*kernel
	for _, k := range kernels {
		switch {
		case k.Template:
			templates = append(templates, k)
		case !k.Specialised && !l.angled:
			plain = append(plain, k)
		}
	}
	own := l.name.At.File().Main
	if len(templates) == 0 {
		if k := f.onlyPlain(plain, l, w.scope); k != nil {
			k.Own = k.Own || own
		} else if own && slices.ContainsFunc(plain, func(k *kernel) bool { return !k.Own }) {
			f.file.Notes.Add(l.name.Pos(), l.name.Explain(diag.Macro.Errorf("%s: it is not known here which of the kernels of this name is launched, so none of an included file is wrapped (%w)",
				plain[0].Name, diag.Do("put a directive kernel above a declaration of it"))))
		}
		return
	}
	reason := w.reason
	if reason == nil && (w.later(l.args) || !l.named && w.later(l.arguments)) {
		reason = reasonf(l.name, diag.Template, "a name in it is declared behind the function, too")
	}
	if reason == nil && w.lost && w.outside(l.args) {
		reason = reasonf(l.name, diag.NotUnderstood, "a name in it may be that of a member of the class that the function belongs to, which is not known here")
	}
	if reason == nil && len(plain) > 0 && !l.named {
		reason = reasonf(l.name, diag.Template, "kernels that are not templates have this name, too")
	}
	var d boundArguments
	var k *kernel
	if reason == nil {
		d, k, reason = f.actualsOf(l, w).only(templates, nil)
	}
	if f.work.spent() {
		reason = tooMuchWork(l.name)
	}
	if reason == nil && slices.ContainsFunc(d.args, f.locals.in) {
		reason = reasonf(l.name, diag.Template, "the type of a template argument is a class or an enumeration in the function, which has no name outside")
	}
	if reason != nil {
		if !own && f.work.spent() {
			f.noteLauncher(f.root, "function", reason)
		}
		if own {
			what := "launch"
			if l.named {
				what = "use"
			}
			f.noteMention(l.mention, templates, what, reason)
		}
		return
	}
	k.implied = append(k.implied, &implied{boundArguments: d, at: l.name, own: own})
}

// onlyPlain returns the only kernel of list that l may launch, judged by the number of arguments.
// No kernel of list is a template.
func (f *launchFinder) onlyPlain(list []*kernel, l launch, s *scope) (only *kernel) {
	if len(list) == 1 {
		return list[0]
	}
	count := len(f.in(s).split(l.arguments))
	for _, k := range list {
		parts := f.in(k.scope).split(k.parameters)
		required := len(parts)
		for required > 0 && parts[required-1].find("=") >= 0 {
			required--
		}
		if count < required || count > len(parts) {
			continue
		}
		if only != nil {
			return nil
		}
		only = k
	}
	return only
}

// actualsOf returns what the arguments of l say of the parameters: C++ standard,
// [temp.deduct.call].
func (f *launchFinder) actualsOf(l launch, w *walked) *actual {
	var arguments []cursor
	if !l.named {
		arguments = f.in(w.scope).split(l.arguments)
	}
	if l.named || slices.ContainsFunc(arguments, func(c cursor) bool { return ellipsis(c) >= 0 }) { // how many there are is not known
		return &actual{unit: f.unit, mention: l.mention, count: -1, use: w.scope}
	}
	types := make(map[int]operand)
	a := &actual{unit: f.unit, mention: l.mention, count: len(arguments), use: w.scope, optional: true}
	a.isLambda = func(i int) bool {
		if _, is := lambdaAt(arguments[i]); is {
			return true
		}
		named := w.scope.lookup(arguments[i].peek().Text)
		return named != nil && named.lambda && arguments[i].stop == arguments[i].i+1
	}
	a.match = func(m *matcher, i int, pattern ctype.Type) (fits, known bool) {
		o, read := types[i]
		if !read {
			o = w.operand(f.unit, arguments[i])
			types[i] = o
		}
		if !f.dependsOnHole(pattern) {
			e := evaluator{resolver: f.in(w.scope)}
			return e.mayBecome(o.typ, pattern), true
		}
		if o.typ == nil {
			return false, false
		}
		t := o.typ
		if r, ok := ctype.Unqualified(pattern).(*ctype.Reference); ok {
			if r.RValue || !qualifiers(r.Elem).Const {
				return false, false
			}
			return m.match(r.Elem, qualify(ctype.Unqualified(t), ctype.Qualified{Const: true})), true
		}
		return m.match(pattern, pointedConverted(pattern, ctype.Unqualified(decayed(t)))), true
	}
	return a
}

// pointedConverted returns t with the qualifiers of what pointers in pattern point at, which a
// qualification conversion adds.
func pointedConverted(pattern, t ctype.Type) ctype.Type {
	wanted, ok := ctype.Unqualified(pattern).(*ctype.Pointer)
	if !ok {
		return t
	}
	given, ok := ctype.Unqualified(t).(*ctype.Pointer)
	if !ok {
		return t
	}
	elem := pointedConverted(wanted.Elem, given.Elem)
	added, q := qualifiers(wanted.Elem), qualifiers(elem)
	q.Const, q.Volatile = q.Const || added.Const, q.Volatile || added.Volatile
	return &ctype.Pointer{Elem: qualify(ctype.Unqualified(elem), q)}
}

// walk visits the places in the body of b, which are indices of tokens, sorted.
func (f *launchFinder) walk(b *launchBody, places []int, visit func(at int, w *walked)) {
	p := f.parser
	outer := p.scope
	p.local++
	errors, warnings := len(p.errors), len(p.file.Warnings)
	defer func() {
		p.scope = outer
		p.local--
		p.errors, p.file.Warnings = p.errors[:errors], p.file.Warnings[:warnings]
	}()
	w := &walker{p: p, places: places, visit: visit}
	w.entities = b.entities
	w.outer, w.lost = p.around(b)
	w.members = w.members || w.outer.class && !p.allMembers(w.outer) || w.lost
	w.function(b)
	w.doubtful = true
	w.visitBefore(b.whole.stop, nil)
}

// completeLaunchers reads the instances of launchers that the file names, which notes the bodies of
// their members.
func (f *launchFinder) completeLaunchers() {
	for i := 0; i < len(f.classes); i++ {
		t := f.classes[i]
		for j := 0; j < len(t.made); j++ {
			f.completeLauncher(t.made[j])
		}
		l := f.ofClass[t]
		for j := 0; j < len(l.instances); j++ {
			f.outsideBodies(l, l.instances[j])
		}
		l.instances = l.instances[:0]
	}
}

// completeLauncher reads the class t.
func (f *launchFinder) completeLauncher(t *ctype.Struct) {
	in := f.pending[t]
	if in == nil {
		return
	}
	f.work.question(f.work.leftFor(in.root), func() {
		if f.complete(t); f.work.spent() && in.root != nil {
			f.noteLauncher(in.root, "class", tooMuchWork(in.root))
		}
	})
}

// outsideBodies notes the members of class that are defined outside.
func (f *launchFinder) outsideBodies(l *classLauncher, class *ctype.Struct) {
	members := f.members[class]
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
				f.bind(inner, param.name, class.Args[i], b.whole.peek())
			}
		}
		b.head, b.scope, b.member, b.of = nil, inner, inner, class
		if f.calledMember(&b, &record{typ: class}) {
			f.bodies = append(f.bodies, b)
			l.read[b.whole.i] = true
		}
	}
}

// respecialised reports whether b is a member of an instance of a class template that an explicit
// specialisation defines anew: C++ standard, [temp.expl.spec].
func (f *launchFinder) respecialised(b *launchBody) bool {
	if b.of == nil || b.function.name < 0 || f.members[b.of] == nil {
		return false
	}
	e := f.members[b.of].names[b.whole.list[b.function.name].Text]
	return e != nil && e.function != nil && e.function.many && len(e.function.overloads) == 0
}

// usedLauncher looks at the use of a launcher in the body of b, whose name stands at the index at.
func (f *launchFinder) usedLauncher(b *launchBody, body cursor, at int, w *walked) {
	m, ok := mentionBefore(body, body.i, at+1)
	if !ok || m.name != &body.list[at] || !m.path.more() && w.scope.ownedBy(m.name.Text, w.outer) && !f.isLauncher(m.name.Text, w.scope.lookup(m.name.Text)) {
		return
	}
	begin := at
	if m.path.more() {
		begin = m.path.i
	}
	c := body.piece(begin, body.stop)
	behind := body.piece(at+1, body.stop)
	if e := f.entityOf(m, w.scope); e == nil || e.template == nil && e.function == nil {
		return
	} else if e.function != nil {
		f.calledLauncher(b, m, e, behind, w)
		return
	} else if e.typ != nil || e.template.isAlias {
		return // its own name in a class
	}
	if !behind.peek().Is("<") {
		if !behind.peek().Is("::") {
			f.noteLauncher(m.name, "class", reasonf(m.name, diag.Template, "they are deduced"))
		}
		return
	}
	named := f.in(w.scope).name(&c)
	reason := cmp.Or(w.reason, named.reason)
	if f.work.spent() {
		reason = tooMuchWork(m.name)
	}
	if reason != nil {
		f.noteLauncher(m.name, "class", reason)
	}
}

// entityOf returns what the name of m stands for, looked up from s.
func (u *unit) entityOf(m mention, s *scope) *entity {
	if !m.path.more() {
		return s.lookup(m.name.Text)
	}
	path := m.path.piece(m.path.i, m.path.stop-1)
	in := s.root()
	if path.more() {
		f := u.in(s).name(&path)
		if in = u.scopeOf(f.entity); in == nil || path.more() {
			return nil
		}
	}
	return in.within(m.name.Text)
}

// calledLauncher makes an instance of the function template that m calls; what stands behind its name
// begins at c.
func (f *launchFinder) calledLauncher(b *launchBody, m mention, e *entity, c cursor, w *walked) {
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
	templates, reason := f.functionTemplates(e, len(f.in(w.scope).split(l.arguments)))
	if len(templates) == 0 && reason == nil {
		return
	}
	reason = cmp.Or(w.reason, reason)
	if reason == nil && (w.later(l.args) || w.later(l.arguments)) {
		reason = reasonf(m.name, diag.Template, "a name in it is declared behind the function, too")
	}
	var d boundArguments
	var of *kernel
	if reason == nil {
		d, of, reason = f.actualsOf(l, w).only(templates, nil)
	}
	if f.work.spent() {
		reason = tooMuchWork(m.name)
	}
	if reason != nil {
		f.noteLauncher(m.name, "function", reason)
		return
	}
	f.bindLauncher(m.name, of, d)
}

// functionTemplates returns the launchers that e stands for and that take count arguments. A reason says
// that other functions may be meant.
func (f *launchFinder) functionTemplates(e *entity, count int) (templates []*kernel, reason *ctype.Reason) {
	var name string
	for _, o := range e.function.overloads {
		own := f.function(o)
		switch {
		case own != nil:
			templates = append(templates, own.template)
			name = own.template.Name
		case o.body < 0 && o.head != nil: // declared before
		case count < 0 || o.takes(f.in(o.scope), count):
			reason = &ctype.Reason{Message: diag.Template.New("other functions have this name, too")}
		}
	}
	if len(templates) == 0 || reason == nil && e.function.many && len(templates) != len(f.functions[name]) {
		return templates, nil
	}
	return templates, reason
}

// bindLauncher notes the body of an instance of the function template of, which is named at l.
func (f *launchFinder) bindLauncher(l *lex.Token, of *kernel, d boundArguments) {
	const most = 512 // instances of one: recursion may have no end
	key := ctype.Arguments(d.args)
	for _, one := range f.functions[of.Name] {
		if one.template != of || one.bound[key] {
			continue
		}
		if f.bound++; len(one.bound) == most || f.bound > 8*most+len(f.all.list)/16 {
			f.noteLauncher(l, "function", reasonf(l, diag.Template, "there are too many instances of it, or of all"))
			return
		}
		one.bound[key] = true
		b := one.launchBody
		b.head, b.scope, b.root = nil, d.inner, f.rootOf(l)
		f.bodies = append(f.bodies, b)
	}
}

// instantiatedLaunchers makes the instances of function templates that are instantiated explicitly.
func (f *launchFinder) instantiatedLaunchers() {
	list := f.instantiations
	f.instantiations = nil
	for i := range list {
		in := &list[i]
		e := f.entityOf(in.mention, in.scope)
		if e != nil && e.function != nil {
			templates, reason := f.functionTemplates(e, -1)
			var d boundArguments
			var of *kernel
			if reason == nil && len(templates) > 0 {
				f.work.question(f.work.leftFor(f.rootOf(in.name)), func() {
					if d, of, reason = f.instantiated(in, templates); f.work.spent() {
						reason = tooMuchWork(in.name)
					}
				})
			}
			if reason == nil && of != nil {
				f.bindLauncher(in.name, of, d)
			} else if reason != nil {
				f.noteLauncher(in.name, "function", reason)
			}
		}
	}
}

// leftLaunchers looks for the launches in launchers of which no instance is known. Launches that do
// not depend on the launcher's arguments count; there are notes on the others.
func (f *launchFinder) leftLaunchers() {
	for _, name := range slices.Sorted(maps.Keys(f.functions)) {
		for _, l := range f.functions[name] {
			if len(l.bound) == 0 && !l.noted {
				l.noted = true
				f.bodies = append(f.bodies, l.launchBody)
			}
		}
	}
	for _, t := range f.classes {
		launcher := f.ofClass[t]
		if launcher.noted {
			continue
		}
		launcher.noted = true
		for _, class := range launcher.definitions {
			if !launcher.read[class.i] {
				f.launchesOfTemplate(t, class)
			}
		}
		for _, b := range launcher.outside {
			if !launcher.read[b.whole.i] {
				f.bodies = append(f.bodies, b)
			}
		}
	}
}

// launchesOfTemplate looks for the launches in class, a definition of t that no instance has.
func (f *launchFinder) launchesOfTemplate(t *template, class cursor) {
	scope := scopeAt(t.scope, t.entities)
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
		if l, ok := launchAt(c, class.i); ok && len(f.kernels.byName[l.name.Text]) > 0 {
			w := &walked{scope: scope, outer: scope, lost: true, members: true, doubtful: true, entities: t.entities}
			if w.outside(l.args) || !l.angled {
				w.reason = reasonf(l.name, diag.Template, "it stands in class template %s, of which no instance is known here", t.name)
			}
			f.launched(b, l, w)
		}
	}
}
