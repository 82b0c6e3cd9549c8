package cu

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A walked is what is known inside of a function at one place: the names that are declared before
// it in the blocks around it.
type walked struct {
	scope    *scope
	outer    *scope        // around the function: of the class or namespace that its name is qualified with
	lost     bool          // the scope around the function is not known, and outer is another one
	members  bool          // the function may be the member of a class: other names may be those of members
	template bool          // the function is a template, whose arguments are not known
	doubtful bool          // a statement before the place is not understood, and may declare names
	reason   *ctype.Reason // why nothing is certain there; nil otherwise
	entities int32         // how many were declared before the function
}

// later reports whether a name in c, without what qualifies it, may be one that is declared behind the function: the parser
// knows all of the file by now.
func (w *walked) later(c cursor) bool {
	for ; c.tokens != nil && c.more(); c.next() {
		l := c.peek()
		if l.Kind != lex.Ident || scalarWords[l.Text] || isMember(c.before()) || c.before().Is("::") || w.scope.ownedBy(l.Text, w.outer) {
			continue
		}
		// Members are known in the whole class, and arguments of templates in all of those.
		if e := w.scope.lookup(l.Text); e != nil && e.order > w.entities && !e.bound && (e.home == nil || !e.home.class && !e.home.parameters) {
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

// operand returns the type of the expression c, which is nil when it is not understood.
func (w *walked) operand(u *unit, c cursor) operand {
	if w.members || w.doubtful {
		// Only names in the function are certain.
		for scan := c; scan.more(); scan.next() {
			if l := scan.peek(); l.Kind == lex.Ident && !scalarWords[l.Text] && !isMember(scan.before()) && !w.scope.ownedBy(l.Text, w.outer) {
				return operand{}
			}
		}
	}
	if t := u.in(w.scope).conversionType(c); t != nil {
		return operand{typ: t} // whatever its value is
	}
	o, failure := u.in(w.scope).operand(c)
	if failure != nil || o.bitField || o.function != nil {
		return operand{}
	}
	return o
}

// A walker reads the declarations in a function, in order, and visits the places in it.
type walker struct {
	p *parser
	walked
	places []int // indices of the places not visited yet, sorted
	depth  int   // of statements
	visit  func(at int, w *walked)
}

// function reads the function b, a member of w.outer or a function in it.
func (w *walker) function(b *launchBody) {
	p := w.p
	p.scope = functionScope(w.outer, w.entities)
	if h := b.head; h != nil {
		w.template = !h.empty
		for _, param := range h.params {
			if param.name != "" {
				p.scope.declare(param.name, &entity{obscure: "a parameter of the template around the launch", at: b.whole.peek().At})
			}
		}
		w.members = w.members || h.nested || h.empty
	}
	parameters := b.whole.piece(b.function.parameters, b.whole.stop)
	if inside, ok := parameters.group(); ok {
		w.parameters(inside)
	}
	for c := b.whole.piece(b.function.parameters, b.function.body); c.more(); c.skip() {
		if c.peek().Is("try") || c.peek().Is(":") {
			w.doubtful = true
		}
	}
	body := b.whole.piece(b.function.body, b.whole.stop)
	if inside, ok := body.group(); ok {
		w.block(inside)
	}
}

// around returns the scope in which the body of b looks up what is not declared in it: of the class
// or the namespace that its name is qualified with, when it is. lost is true when that is not known.
//
// C++ standard, [basic.lookup.unqual]: names in the definition of a member.
func (u *unit) around(b *launchBody) (s *scope, lost bool) {
	if b.member != nil {
		return b.member, false
	}
	list, first, at := b.whole.list, b.whole.i, b.function.name
	for i := first; i < b.function.parameters; i++ {
		if list[i].Is("operator") {
			at = i
			break
		}
	}
	if at < first {
		return b.scope, false
	}
	if m, ok := mentionBefore(b.whole, first, at+1); ok && !list[at].Is("operator") {
		for at > first && &list[at] != m.name {
			at--
		}
	}
	if at > first && list[at-1].Is("~") {
		at--
	}
	if at == first || !list[at-1].Is("::") {
		return b.scope, false
	}
	path := at - 1
	for path > first && list[path].Is("::") {
		before := &list[path-1]
		switch {
		case before.Is(">"):
			return b.scope, true // a class template
		case before.Kind != lex.Ident || scalarWords[before.Text] || noQualifier[before.Text]:
		default:
			if path--; path > first && list[path-1].Is("::") {
				path--
			}
			continue
		}
		break
	}
	qualifiers := b.whole.piece(path, at-1)
	if !qualifiers.more() {
		return b.scope.root(), false
	}
	f := u.in(b.scope).name(&qualifiers)
	if s = u.scopeOf(f.entity); s == nil || qualifiers.more() {
		return b.scope, true
	}
	return s, false
}

// allMembers reports whether all members of the class s and of those around it are known.
func (u *unit) allMembers(s *scope) bool {
	for ; s != nil; s = s.parent {
		if s.of != nil && (!s.of.Complete || s.of.Unsupported != nil) {
			return false
		}
		for _, base := range s.bases {
			if !u.allMembers(base) {
				return false
			}
		}
	}
	return true
}

// localClass visits the places in the members of the class that the statement whole defines. It reports
// whether it defines one. Its name is not known outside of it: no template argument can be a local class.
func (w *walker) localClass(whole cursor) bool {
	p := w.p
	if !w.declares(whole) {
		return false
	}
	from := whole
	if o := p.outline(&from, nil); o.record < 0 || whole.list[o.record].Is("enum") {
		return false
	}
	outer, around := p.scope, p.localBodies
	var bodies []launchBody
	p.localBodies = &bodies
	w.inner()
	c := whole
	p.simple(&c, nil, nil)
	p.scope, p.localBodies = outer, around
	for i := range bodies {
		b := &bodies[i]
		w.visitBefore(b.whole.i, reasonf(whole.peek(), diag.NotUnderstood, notInMember))
		end, _ := slices.BinarySearch(w.places, b.whole.stop)
		inside := &walker{p: p, places: w.places[:end], visit: w.visit, depth: w.depth}
		inside.outer, inside.doubtful, inside.template, inside.entities = b.scope, w.doubtful, w.template, w.entities
		inside.lost, inside.members = w.lost, w.members || !p.allMembers(b.scope)
		inside.function(b)
		w.places = w.places[end:]
	}
	w.visitBefore(whole.stop, reasonf(whole.peek(), diag.NotUnderstood, notInMember))
	p.scope = outer
	return true
}

const notInMember = "the launch stands in a class in a function, and not in a member of it that is understood"

// visitBefore visits the places before the index end.
func (w *walker) visitBefore(end int, reason *ctype.Reason) {
	for len(w.places) > 0 && w.places[0] < end {
		one := w.walked
		one.scope, one.reason = w.p.scope, reason
		w.visit(w.places[0], &one)
		w.places = w.places[1:]
	}
}

// parameters declares the parameters of a function.
func (w *walker) parameters(inside cursor) {
	for _, one := range w.p.split(inside) {
		param, reason := w.p.functionParam(one)
		switch {
		case reason != nil || param.pack:
			if at := one.find("="); at >= 0 {
				one = one.piece(one.i, at)
			}
			if name := w.p.paramName(one); name >= 0 && !one.list[one.stop-1].Is(")") {
				w.p.obscure(&one.list[name], aVariable)
				break
			}
			for ; one.more(); one.next() { // one of them may be its name
				if l := one.peek(); l.Kind == lex.Ident && !scalarWords[l.Text] {
					w.hide(l)
				}
			}
		case param.name != "":
			w.p.scope.declare(param.name, &entity{obscure: aVariable, variable: &variable{typ: param.typ}, at: one.peek().At})
		}
	}
}

// inner makes a scope current that is inside of the present one, and returns what leaves it.
func (w *walker) inner() (leave func()) {
	outer := w.p.scope
	w.p.scope = parameterScope(outer)
	return func() { w.p.scope = outer }
}

// block reads the statements of a block.
func (w *walker) block(c cursor) {
	defer w.inner()()
	for c.more() && len(w.places) > 0 {
		w.statement(&c)
	}
}

// statement reads one statement.
func (w *walker) statement(c *cursor) {
	w.p.work.step()
	if w.depth++; w.depth > deepestNesting {
		w.visitBefore(c.stop, reasonf(c.peek(), diag.NotUnderstood, "the launch is nested too deeply"))
		c.i = c.stop
	}
	defer func() { w.depth-- }()
	if c.peek().Is("[") && c.ahead(1).Is("[") {
		c.skip()
	}
	switch l := c.peek(); {
	case l.Is("{"):
		group, ok := c.group()
		switch {
		case !ok:
			w.doubtful = true
			c.next()
		case len(w.places) > 0 && w.places[0] < c.i:
			w.block(group)
		}
		return
	case l.Is("if"), l.Is("for"), l.Is("while"), l.Is("switch"), l.Is("catch"):
		w.headed(c)
		return
	case l.Is("else"), l.Is("do"), l.Is("try"):
		c.next()
		w.inBlock(c)
		return
	case l.Is("case"), l.Is("default"):
		for c.more() && !c.accept(":") {
			c.skip()
		}
		return
	case l.Kind == lex.Ident && c.ahead(1).Is(":") && !c.ahead(2).Is(":"):
		c.i += 2 // a label
		return
	case l.Is(";"):
		c.next()
		return
	}
	end := c.find(";")
	if end < 0 {
		end = c.stop - 1
	}
	whole := c.piece(c.i, end+1)
	c.i = end + 1
	if len(w.places) > 0 && w.places[0] < c.i {
		if !w.localClass(whole) {
			w.expression(whole)
		}
	}
	w.declaration(whole)
}

// inBlock reads one statement whose declarations are its own.
func (w *walker) inBlock(c *cursor) {
	defer w.inner()()
	if c.more() {
		w.statement(c)
	}
}

// expression visits the places in the statement whole. Names that the statement itself declares are not
// known in it.
func (w *walker) expression(whole cursor) {
	doubtful := w.doubtful
	w.doubtful = doubtful || w.declares(whole)
	for c := whole; c.more() && len(w.places) > 0; {
		if c.peek().Is("[") {
			if l, ok := lambdaAt(c); ok {
				w.visitBefore(c.i, nil)
				w.doubtful = doubtful
				w.lambda(l, whole)
				w.doubtful = doubtful || w.declares(whole)
				w.visitBefore(l.end, nil)
				c.i = l.end
				continue
			}
		}
		if c.peek().Is("{") && c.before().Is("(") { // GCC manual, Statement Exprs
			w.visitBefore(c.i, nil)
			if group, ok := c.group(); ok {
				w.block(group)
				continue
			}
		}
		c.next()
	}
	w.visitBefore(whole.stop, nil)
	w.doubtful = doubtful
}

// headed reads a statement with parentheses behind its first word.
func (w *walker) headed(c *cursor) {
	defer w.inner()()
	word := c.next()
	constant := c.accept("constexpr")
	head, ok := c.group()
	if !ok {
		w.doubtful = true
		return
	}
	doubtful := w.doubtful
	w.doubtful = true
	w.expression(head)
	w.doubtful = doubtful
	w.head(head, word)
	holds, known := true, false
	if constant {
		holds, known = w.holds(head)
	}
	w.branch(c, constant, holds, known)
	if word.Is("if") && c.peek().Is("else") {
		c.next()
		w.branch(c, constant, !holds, known)
	}
}

// holds evaluates the condition of an if constexpr, which stands in head.
func (w *walker) holds(head cursor) (holds, known bool) {
	if semicolon := head.find(";"); semicolon >= 0 {
		head.i = semicolon + 1
	}
	v, failure := w.p.evaluate(head)
	return v.bits != 0, failure == nil
}

// branch reads a branch of an if. One of an if constexpr counts only if it is taken: C++ standard,
// [stmt.if].
func (w *walker) branch(c *cursor, constant, taken, known bool) {
	if !constant || known && taken || !known && w.template {
		w.inBlock(c)
		return
	}
	visit := w.visit
	var inside []int
	w.visit = func(at int, _ *walked) { inside = append(inside, at) }
	w.inBlock(c)
	w.visit = visit
	if !known {
		for _, at := range inside {
			one := w.walked
			one.scope, one.reason = w.p.scope, reasonf(c.before(), diag.NotUnderstood, "it stands in a branch of an if constexpr whose condition is not understood")
			visit(at, &one)
		}
	}
}

// head declares what stands in the parentheses behind for, if, while, switch or catch.
func (w *walker) head(c cursor, word *lex.Token) {
	if word.Is("catch") {
		w.parameters(c)
		return
	}
	if word.Is("for") && w.ranged(c) {
		return
	}
	for c.more() {
		end := c.find(";")
		if end < 0 {
			end = c.stop
		}
		one := c.piece(c.i, min(end+1, c.stop))
		c.i = end + 1
		w.declaration(one)
		if word.Is("for") {
			return
		}
	}
}

// ranged declares what stands before the : of a for over a range, in whose parentheses c is, and
// reports whether it is one: C++ standard, [stmt.ranged]. A : behind ? is none.
func (w *walker) ranged(c cursor) bool {
	if semicolon := c.find(";"); semicolon >= 0 { // for (init; declaration : range)
		first := c.piece(c.i, semicolon+1)
		if c.i = semicolon + 1; c.find(";") >= 0 || c.find(":") < 0 {
			return false
		}
		w.declaration(first)
	}
	colon := c.find(":")
	if colon < 0 {
		return false
	}
	c = c.piece(c.i, colon)
	for c.peek().Is("[") && c.ahead(1).Is("[") {
		c.skip()
	}
	if !slices.ContainsFunc(c.list[c.i:c.stop], func(l lex.Token) bool { return l.Is("auto") }) {
		if param, reason := w.p.functionParam(c); reason == nil && param.name != "" {
			w.p.scope.declare(param.name, &entity{obscure: aVariable, variable: &variable{typ: param.typ}, at: c.peek().At})
		} else if name := lastName(c); name != nil {
			w.hide(name)
		} else {
			w.doubtful = true
		}
		return true
	}
	for ; c.more(); c.next() { // for (auto &[x, y] : list)
		if l := c.peek(); l.Kind == lex.Ident && !scalarWords[l.Text] && !specifierWords[l.Text] && !l.Is("auto") {
			w.hide(l)
		}
	}
	return true
}

// hide notes that l may be a name that is declared here, of which nothing is known.
func (w *walker) hide(l *lex.Token) {
	s := w.p.scope
	if s.names == nil {
		s.names = make(map[string]*entity)
	}
	s.names[l.Text] = &entity{obscure: aVariable, at: l.At, home: s}
}

// declares reports whether c begins a declaration, as far as is known.
func (w *walker) declares(c cursor) bool {
	p := w.p
	l := c.peek()
	switch {
	case l.Kind != lex.Ident && !l.Is("::"):
		return false
	case notDeclaring[l.Text]:
		return false
	case declaring[l.Text], scalarWords[l.Text] && !c.ahead(1).Is("("):
		return true
	}
	name := c
	f := p.name(&name)
	switch {
	case f.last == nil || name.i <= c.i:
		return false
	case f.entity != nil && f.entity.typ == nil && f.entity.template == nil && f.entity.obscure == "":
		return false
	case f.entity != nil && f.entity.obscure == aVariable:
		return false
	}
	for name.peek().Is("*") || name.peek().Is("&") || name.peek().Is("&&") || name.peek().Is("const") || name.peek().Is("volatile") || restricts[name.peek().Text] {
		name.next()
	}
	return name.i > c.i && name.peek().Kind == lex.Ident || f.entity != nil && f.entity.typ != nil && name.peek().Is("(")
}

// declaration reads the statement c if it is a declaration.
func (w *walker) declaration(c cursor) {
	p := w.p
	if !c.more() {
		return
	}
	if !w.declares(c) {
		if macro := c; c.peek().Kind == lex.Ident && c.ahead(1).Is("(") { // MACRO(x) int y;
			macro.next()
			if _, ok := macro.group(); ok && macro.peek().Kind == lex.Ident {
				w.doubtful = true
				w.declaration(macro)
			}
		}
		return
	}
	whole := c
	if whole.stop < len(whole.list) && !whole.list[whole.stop-1].Is(";") {
		whole = whole.piece(whole.i, whole.stop) // of a head: without a semicolon
	}
	switch {
	case c.peek().Is("using"):
		p.using(&c)
		return
	case c.peek().Is("namespace"): // an alias
		p.namespace(&c)
		return
	case c.peek().Is("auto") || c.peek().Is("const") && c.ahead(1).Is("auto"):
		w.autoDeclaration(c)
		return
	}
	from := c
	if o := p.outline(&from, nil); o.record >= 0 {
		enumerators := w.enumerators(c)
		for scan := whole; scan.more(); scan.skip() { // no template argument outside can be a local class
			if l := scan.peek(); l.Kind == lex.Ident {
				w.hide(l)
				p.scope.names[l.Text].obscure = aLocal
			}
		}
		for name, e := range enumerators {
			p.scope.names[name] = e
		}
		return
	}
	if l := whole.peek(); l.Is("static") || l.Is("thread_local") {
		before := maps.Clone(p.scope.names)
		defer func() {
			for name, e := range p.scope.names {
				e.static = e.static || before[name] == nil
			}
		}()
	}
	p.simple(&c, nil, nil)
	// A name that the grammar has overlooked must not be taken for one outside.
	for scan := whole; scan.more(); scan.skip() {
		next := scan.ahead(1)
		l := scan.peek()
		if l.Is("<") { // template arguments declare nothing
			if _, ok := scan.angles(); ok {
				scan.i--
				continue
			}
		}
		if l.Is("=") {
			scan.skipTo(",", ";")
			scan.i--
			continue
		}
		if l.Kind == lex.Ident && !scalarWords[l.Text] && p.scope.names[l.Text] == nil &&
			(next.Is("=") || next.Is(";") || next.Is(",") || next.Is("[") || next.Is("(") || next.Is("{") || next.Kind == lex.EOF) {
			w.hide(l)
		}
	}
}

// enumerators returns the enumerators of the enumeration that c defines, by name; none of a scoped
// one, whose name is hidden.
func (w *walker) enumerators(c cursor) map[string]*entity {
	if !c.peek().Is("enum") {
		return nil
	}
	outer := w.p.scope
	defer w.inner()()
	t, _, reason := w.p.enumSpecifier(&c)
	e, ok := t.(*ctype.Enum)
	if reason != nil || !ok || e.Scoped || e.Unsupported != nil {
		return nil
	}
	found := w.p.scope.names
	maps.DeleteFunc(found, func(_ string, e *entity) bool { return e.constant == nil })
	for _, one := range found {
		one.home = outer
	}
	return found
}

// autoDeclaration declares the names in a declaration with auto. Their types are known if they follow from the only
// initializer: C++ standard, [dcl.type.auto.deduct].
func (w *walker) autoDeclaration(c cursor) {
	begin := c.i
	for ; c.more(); c.next() {
		switch l := c.peek(); {
		case l.Is("["):
			if inside, ok := c.group(); ok {
				for ; inside.more(); inside.next() {
					if inside.peek().Kind == lex.Ident {
						w.hide(inside.peek())
					}
				}
			}
			return
		case l.Kind == lex.Ident && !l.Is("auto") && !l.Is("const") && (c.ahead(1).Is("=") || c.ahead(1).Is("{") || c.ahead(1).Is("(")):
			w.hide(l)
			value := c
			value.next()
			value.next()
			_, w.p.scope.names[l.Text].lambda = lambdaAt(value)
			before := c.piece(begin, c.i)
			expression := c.piece(c.i+2, c.stop)
			if end := expression.find(";"); end >= 0 {
				expression = expression.piece(expression.i, end)
			}
			if c.ahead(1).Is("=") && expression.find(",") < 0 {
				if t := w.autoType(before, expression); t != nil {
					w.p.scope.names[l.Text].variable = &variable{typ: t}
				}
			}
			c.skipTo(",")
		}
	}
}

// autoType returns the type of a variable that is declared as before and the name, and is initialised with expression.
// It is nil if that is not known.
func (w *walker) autoType(before, expression cursor) ctype.Type {
	one := w.walked
	one.scope = w.p.scope
	o := one.operand(w.p.unit, expression)
	if o.typ == nil || one.later(expression) {
		return nil
	}
	var q ctype.Qualified
	pointer, reference := false, false
	for ; before.more(); before.next() {
		switch l := before.peek(); {
		case l.Is("auto"):
		case l.Is("const"):
			q.Const = true
		case l.Is("*") && !q.Const && !pointer && !reference:
			pointer = true
		case l.Is("&") && !pointer && !reference:
			reference = true
		default:
			return nil
		}
	}
	if reference {
		return &ctype.Reference{Elem: qualifiedBy(o.typ, q)}
	}
	t := ctype.Unqualified(decayed(o.typ))
	if pointer && !isPointer(t) {
		return nil
	}
	return qualify(t, q)
}

// lambda visits the places in the body of l, which stands in the statement whole.
func (w *walker) lambda(l lambda, whole cursor) {
	outer, doubtful := w.p.scope, w.doubtful
	defer func() { w.p.scope, w.doubtful = outer, doubtful }()
	w.inner()
	if w.declares(whole) { // its own names are not known there yet
		for c := whole.piece(whole.i, l.body.i); c.more(); c.skip() {
			if name := c.peek(); name.Kind == lex.Ident && !scalarWords[name.Text] && (c.ahead(1).Is("=") || c.ahead(1).Is("{") || c.ahead(1).Is("(") || c.ahead(1).Is(",")) {
				w.hide(name)
			}
		}
	}
	w.captures(l)
	w.inner()
	if l.template.tokens != nil {
		for _, param := range w.p.templateHead(l.template).params {
			if param.name != "" {
				w.p.scope.declare(param.name, &entity{obscure: "a parameter of the template around the launch", at: l.template.peek().At})
			}
		}
	}
	if l.parameters.tokens != nil {
		w.parameters(l.parameters)
	}
	w.block(l.body)
}

// captures declares what a lambda that is not mutable has copies of: those are const. C++ standard,
// [expr.prim.lambda.capture].
func (w *walker) captures(l lambda) {
	if l.captures.tokens == nil {
		return
	}
	for _, one := range w.p.split(l.captures) {
		first := one.next()
		switch {
		case first.Is("=") && !one.more():
			for c := l.body; c.more() && !l.mutable; c.next() {
				if name := c.peek(); name.Kind == lex.Ident && !scalarWords[name.Text] {
					w.copied(name.Text)
				}
			}
		case first.Is("&") && one.more():
			if name := one.next(); one.more() { // &name = initializer
				w.hide(name)
			}
		case first.Kind != lex.Ident || first.Is("this"):
		case one.more(): // name = initializer, or a pack
			w.hide(first)
		case !l.mutable:
			w.copied(first.Text)
		}
	}
}

// copied declares the copy of the variable called name.
func (w *walker) copied(name string) {
	e := w.p.scope.parent.lookup(name)
	if e == nil || e.variable == nil || e.static || e.home == nil || !w.p.scope.ownedBy(name, w.outer) || w.p.scope.names[name] != nil {
		return
	}
	t := e.variable.typ
	if t == nil {
		return
	}
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		t = r.Elem
	}
	made := *e
	made.variable = &variable{typ: qualifiedBy(t, ctype.Qualified{Const: true})}
	made.home = nil
	w.p.scope.declare(name, &made)
}
