package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

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

// launchBodies notes the functions among the declarators of o in whose bodies launches stand, or uses of
// launchers. r is the class whose members they are, nil outside of one.
func (p *parser) launchBodies(whole cursor, o *outline, t *templateHead, r *record) {
	for i := range o.parts {
		one := o.parts[i]
		if !one.function || one.body < 0 || p.local > 0 && p.localBodies == nil {
			continue
		}
		b := launchBody{whole: whole, function: one, head: t, scope: p.scope, root: p.rootOf(whole.peek()), entities: p.scope.root().count, kernels: len(p.order)}
		switch {
		case p.local > 0:
			*p.localBodies = append(*p.localBodies, b)
		case p.launchesIn(whole, p.scope):
			p.noteBody(b, r)
		case r == nil || t == nil && p.readingOf == nil:
			p.launchers.others = append(p.launchers.others, b)
		}
	}
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
func (p *parser) launchAt(c cursor, first int) (l launch, ok bool) {
	l.at = c.i
	if l.mention, ok = p.mentionBefore(c, first, c.i); !ok || l.path.i > first && isMember(&c.list[l.path.i-1]) {
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

func isMember(l *lex.Token) bool { return l.Is(".") || l.Is("->") }

// launches finds the instances of kernel templates that functions launch, and the kernels of
// included files that the main file launches.
func (p *parser) launches() {
	for done := 0; ; {
		p.otherBodies()
		p.completeLaunchers()
		p.instantiatedLaunchers()
		if done == len(p.bodies) {
			if p.leftLaunchers(); done == len(p.bodies) {
				break
			}
		}
		for ; done < len(p.bodies); done++ {
			b := p.bodies[done]
			p.launchesOf(&b)
		}
	}
	p.bodies = nil
}

// launchesOf finds what the body of b launches, and which launchers it uses.
func (p *parser) launchesOf(b *launchBody) {
	if p.respecialised(b) {
		return
	}
	var places []int
	found := make(map[int]launch)
	used := make(map[int]bool)
	c := b.whole.piece(b.function.body, b.whole.stop)
	for ; c.more(); c.next() {
		if isLaunch(&c) {
			if l, ok := p.launchAt(c, b.function.body); ok && len(p.byName[l.name.Text]) > 0 {
				places = append(places, c.i)
				found[c.i] = l
			}
		} else if p.namesInstance(&c) {
			behind := c
			behind.next()
			behind.angles()
			if m, ok := p.mentionBefore(c, b.function.body, behind.i); ok && m.name == c.peek() {
				places = append(places, c.i)
				found[c.i] = launch{mention: m, at: c.i, named: true}
			}
		} else if p.launcherName(&c) {
			places = append(places, c.i)
			used[c.i] = true
		}
	}
	head := b.whole.piece(b.whole.i, b.function.body)
	if len(places) == 0 && !p.launchesIn(head, b.scope) {
		return
	}
	p.root = b.root
	p.work.question(p.work.leftFor(b.root), func() {
		p.walk(b, places, func(at int, w *walked) {
			if used[at] {
				p.usedLauncher(b, b.whole.piece(b.function.body, b.whole.stop), at, w)
			} else {
				p.launched(b, found[at], w)
			}
		})
	})
	p.root = nil
}

// launched notes the kernel that l launches.
func (p *parser) launched(b *launchBody, l launch, w *walked) {
	p.until = b.kernels
	kernels := p.kernelsOf(l.mention, w.scope)
	p.until = 0
	if !l.path.more() && w.scope.ownedBy(l.name.Text, w.outer) {
		return // a pointer to a kernel
	}
	if len(kernels) == 0 && !l.path.more() {
		kernels = p.onlyNamed(l.name.Text) // by the namespace of an argument, or a using-directive
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
		if k := p.onlyPlain(plain, l); k != nil {
			k.Own = k.Own || own
		} else if own && slices.ContainsFunc(plain, func(k *kernel) bool { return !k.Own }) {
			p.file.Notes.Add(l.name.Pos(), l.name.Explain(diag.Macro.Errorf("%s: it is not known here which of the kernels of this name is launched, so none of an included file is wrapped (%w)",
				plain[0].Name, diag.Do("put a directive kernel above a declaration of it"))))
		}
		return
	}
	reason := w.reason
	if reason == nil && (w.later(l.args, b.entities) || !l.named && w.later(l.arguments, b.entities)) {
		reason = p.reasonf(l.name, diag.Template, "a name in it is declared behind the function, too")
	}
	if reason == nil && w.lost && w.outside(l.args) {
		reason = p.reasonf(l.name, diag.NotUnderstood, "a name in it may be that of a member of the class that the function belongs to, which is not known here")
	}
	if reason == nil && len(plain) > 0 && !l.named {
		reason = p.reasonf(l.name, diag.Template, "kernels that are not templates have this name, too")
	}
	var d boundArguments
	var k *kernel
	if reason == nil {
		d, k, reason = p.only(templates, l.mention, p.actualsOf(l, w), nil)
	}
	if p.work.spent() {
		reason = p.tooMuchWork(l.name)
	}
	if reason == nil && slices.ContainsFunc(d.args, p.isLocal) {
		reason = p.reasonf(l.name, diag.Template, "the type of a template argument is a class or an enumeration in the function, which has no name outside")
	}
	if reason != nil {
		if !own && p.work.spent() {
			p.noteLauncher(p.root, "function", reason)
		}
		if own {
			what := "launch"
			if l.named {
				what = "use"
			}
			p.noteMention(l.mention, templates, what, reason)
		}
		return
	}
	k.implied = append(k.implied, &implied{boundArguments: d, at: l.name, own: own})
}

// later reports whether a name in c may be one that is declared behind the function: the parser knows
// all of the file by now.
func (w *walked) later(c cursor, entities int32) bool {
	for ; c.tokens != nil && c.more(); c.next() {
		l := c.peek()
		if l.Kind != lex.Ident || scalarWords[l.Text] || w.scope.ownedBy(l.Text, w.outer) {
			continue
		}
		// Members are known in the whole class, and arguments of templates in all of those.
		if e := w.scope.lookup(l.Text); e != nil && e.order > entities && !e.bound && (e.home == nil || !e.home.class && !e.home.parameters) {
			return true
		}
	}
	return false
}

// outside reports whether a name in c is not declared in the function.
func (w *walked) outside(c cursor) bool {
	for ; c.tokens != nil && c.more(); c.next() {
		if l := c.peek(); l.Kind == lex.Ident && !scalarWords[l.Text] && !c.before().Is("::") && !w.scope.ownedBy(l.Text, w.outer) {
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

// onlyNamed returns the kernels called name, when all of them are in one namespace.
func (u *unit) onlyNamed(name string) []*kernel {
	list := u.byName[name]
	for _, k := range list {
		if k.scope != list[0].scope {
			return nil
		}
	}
	return list
}

// onlyPlain returns the only kernel of list that l may launch, judged by the number of arguments.
// No kernel of list is a template.
func (p *parser) onlyPlain(list []*kernel, l launch) (only *kernel) {
	if len(list) == 1 {
		return list[0]
	}
	count := len(p.split(l.arguments, true))
	for _, k := range list {
		parts := p.split(k.parameters, true)
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
func (p *parser) actualsOf(l launch, w *walked) *actual {
	var arguments []cursor
	if !l.named {
		arguments = p.split(l.arguments, true)
	}
	if l.named || slices.ContainsFunc(arguments, func(c cursor) bool { return ellipsis(c) >= 0 }) { // how many there are is not known
		return &actual{count: -1, at: l.name, use: w.scope}
	}
	types := make(map[int]operand)
	a := &actual{count: len(arguments), at: l.name, use: w.scope, optional: true}
	a.match = func(m *matcher, i int, pattern ctype.Type) (fits, known bool) {
		if !p.dependsOnHole(pattern) {
			return true, true // any conversion is possible
		}
		o, read := types[i]
		if !read {
			o = p.argumentOperand(arguments[i], w)
			types[i] = o
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

// argumentOperand returns the type of an argument, which is nil when it is not understood.
func (p *parser) argumentOperand(c cursor, w *walked) operand {
	if w.members || w.doubtful {
		// Only names in the function are certain.
		for scan := c; scan.more(); scan.next() {
			if l := scan.peek(); l.Kind == lex.Ident && !scalarWords[l.Text] && !isMember(scan.before()) && !w.scope.ownedBy(l.Text, w.outer) {
				return operand{}
			}
		}
	}
	o, failure := p.operand(c, w.scope)
	if failure != nil || o.bitField || o.function != nil {
		return operand{}
	}
	return o
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
