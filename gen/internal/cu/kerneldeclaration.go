package cu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// kernel reads the __global__ function whole, whose outline is o. t is its template head,
// nil when it has none; r is the class that it stands in, nil outside of one.
func (p *parser) kernel(whole cursor, o outline, t *templateHead, r *record) {
	begin := whole.i
	if p.lead >= 0 {
		begin = p.lead
	}
	if r != nil || t != nil && t.nested {
		p.lostKernel(whole, o)
		return
	}
	if o.stuck == nil && len(o.parts) > 1 {
		whole = whole.piece(whole.i, o.parts[0].stop) // declarations stand behind it, no definition
	}
	parts, ok := p.parts(whole)
	if !ok && t == nil {
		parts, ok = p.typedParts(whole)
	}
	if !ok && p.unmatched {
		return // as a consequence
	}
	if !ok {
		at := whole.peek()
		for c := whole; c.more(); c.next() {
			if c.peek().Is("__global__") {
				at = c.peek()
				break
			}
		}
		p.errorf(at, diag.KernelDeclaration, "declaration of a kernel is not understood: it has no name with parameters behind it")
		return
	}
	lead := p.above(begin)
	k := &kernel{
		Kernel: &Kernel{
			Name: parts.name.Text, Pos: parts.name.Pos(), Included: !parts.name.At.File().Main, Own: parts.name.At.File().Main,
			Toolkit: p.toolkit.has(parts.name.At),
			ExternC: p.linkage > 0, Doc: document(lead),
		},
		parameters: parts.parameters, written: parts.parameters, result: parts.before, name: parts.name,
	}
	t, k.parameters = p.abbreviate(k.parameters, t)
	k.Directives = p.claimFor(k.name, &whole.list[begin], false, k.parameters, lead)
	outer := p.scope
	defer func() { p.scope = outer }()
	voids := p.prefix(k, parts, t)
	p.enterKernel(k, parts)
	k.scope = p.scope
	k.Namespace = p.scope.path()
	for s := p.scope; s != nil; s = s.parent {
		k.Anonymous = k.Anonymous || s.name == ctype.AnonymousNamespace
	}
	voids += p.suffix(k, parts.behind, t)
	if voids != 1 && len(k.Errors) == 0 && len(p.pre.Missing) == 0 && (t == nil || t.empty) { // otherwise a macro may hide it, or arguments decide
		k.errorf(k.name, diag.KernelDeclaration, "a kernel returns void")
	}
	if parts.ambiguous != nil {
		k.errorf(parts.ambiguous, diag.Macro, "it is not clear whether %s or %s is its name: one of them is a macro that is not known%w",
			parts.name.Text, parts.ambiguous.Text, p.hint(diag.Message{}))
	}
	if parts.name.Doubtful || whole.peek().Doubtful {
		k.errorf(parts.name, diag.Macro, "is under a condition that could not be evaluated, because it uses a macro that is not known%w", p.hint(diag.Hint("define it with -D")))
	}
	switch {
	case t != nil && !t.empty:
		k.Template, k.head = true, t
		t.until = p.scope.root().count
		if k.ExternC && t.abbreviated() {
			k.errorf(k.name, diag.Template, "is a template, because a parameter is declared with auto, and has C linkage, so that there is one instance at most (%w)", diag.Do("leave out extern \"C\", or write the type"))
		}
		p.exampleArguments(t, whole)
		k.TemplateParams = t.describe()
	case t != nil || parts.angled:
		p.specialise(k, parts)
	case parts.typ != nil:
		for i, t := range parts.typ.Params {
			if reason := p.byValue(t, k.name); reason != nil {
				k.Errors.Add(reason.Pos, reason.In(fmt.Sprintf("parameter %d ", i+1)).About(k.Name))
			}
			k.Params = append(k.Params, Param{Pos: k.Pos, Type: t})
		}
	default:
		k.readParameters(p.resolver, k.parameters)
	}
	k.Signature = signature(k.Kernel, k.written)
	k.launchShape(p.unit)
	p.kernels.add(p.unit, k)
}

// parts takes a kernel's declaration apart. ok is false when it has no name with
// parameters behind it.
func (r resolver) parts(c cursor) (parts kernelParts, ok bool) {
	begin := c.i
	typed := false // the return type has been read
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		if ok && (c.peek().Is("requires") || c.peek().Is("->")) {
			break // what stands behind it is no declarator
		}
		if len(readAttributes(&c)) > 0 {
			continue
		}
		around := 0 // parentheses around the name
		if typed {
			around = parenthesesAround(c)
		}
		c.i += around
		start := c.i
		l := c.peek()
		if l.Kind != lex.Ident && !l.Is("::") || scalarWords[l.Text] {
			typed = typed || l.Kind == lex.Ident
			c.skip()
			continue
		}
		c.accept("::")
		var one kernelParts
		last := start
		for c.peek().Kind == lex.Ident {
			last = c.i
			one.name = c.next()
			one.angled = false
			if c.peek().Is("<") {
				if args, ok := c.angles(); ok {
					one.args, one.angled = args, true
				}
			}
			if !c.accept("::") {
				break
			}
		}
		for c.peek().Is("[") && len(readAttributes(&c)) > 0 {
		}
		c.i += around
		if one.name == nil || !c.peek().Is("(") || parenthesesAround(c) > 0 && (one.name.Is("__global__") || functionSpecifiers[one.name.Text] || r.returnsVoid(one.name)) {
			typed = typed || one.name != nil && (one.name.Is("auto") || r.returnsVoid(one.name))
			continue
		}
		one.qualifiers = c.piece(start, last)
		one.before = c.piece(begin, start-around)
		inside, closed := c.group()
		if !closed {
			return kernelParts{}, false
		}
		one.parameters = inside
		one.behind = c.piece(c.i, c.stop)
		if !ok || !typed {
			parts, ok = one, true
			continue
		}
		// Two names with parentheses: one is a macro.
		switch {
		case parts.before.stop > begin && !returns(parts.before):
			parts = one
		case shouted(parts.name.Text) && !shouted(one.name.Text):
			parts = one
		case !shouted(parts.name.Text) && shouted(one.name.Text):
		default:
			one.ambiguous = parts.name
			parts = one
		}
	}
	return parts, ok
}

// typedParts takes the declaration of a kernel apart whose type has another name: typedef void F(int);
// __global__ F k; C++ standard, [dcl.fct]. None of these is a definition.
func (r resolver) typedParts(c cursor) (parts kernelParts, ok bool) {
	begin := c.i
	for c.more() {
		switch l := c.peek(); {
		case len(readAttributes(&c)) > 0:
		case l.Is("extern") && c.ahead(1).Kind == lex.String:
			c.i += 2
		case l.Is("typename"), l.Is("__global__"), l.Kind == lex.Ident && functionSpecifiers[l.Text]:
			c.next()
		case parts.typ == nil:
			f := r.name(&c)
			if f.entity == nil || f.entity.typ == nil {
				return parts, false
			}
			if parts.typ, ok = ctype.Unqualified(f.entity.typ).(*ctype.Function); !ok || parts.typ.Variadic {
				return parts, false
			}
		default:
			parts.name = c.next()
			parts.before = c.piece(begin, c.i-1)
			parts.behind = c.piece(c.i, c.stop)
			parts.parameters = c.piece(c.i, c.i)
			return parts, l.Kind == lex.Ident && !scalarWords[l.Text] && (c.peek().Is(";") || !c.more())
		}
	}
	return parts, false
}

// parenthesesAround returns how many parentheses begin at c that have nothing but the name of a
// function between them, whose parameters stand behind: C++ standard, [dcl.meaning].
func parenthesesAround(c cursor) int {
	n := 0
	for ; c.peek().Is("("); n++ {
		c.next()
	}
	c.accept("::")
	for n > 0 && c.peek().Kind == lex.Ident && !scalarWords[c.peek().Text] {
		c.next()
		if c.peek().Is("<") {
			c.angles()
		}
		if !c.accept("::") {
			for range n {
				if !c.accept(")") {
					return 0
				}
			}
			if c.peek().Is("(") {
				return n
			}
			return 0
		}
	}
	return 0
}

// returns reports whether the return type stands in c.
func returns(c cursor) bool {
	for ; c.more(); c.next() {
		if scalarWords[c.peek().Text] {
			return true
		}
	}
	return false
}

// shouted reports whether name is written in capitals, as macros are.
func shouted(name string) bool { return name == strings.ToUpper(name) }

// enterKernel makes the scope current that qualifies the name of k.
func (p *parser) enterKernel(k *kernel, parts kernelParts) {
	c := parts.qualifiers
	if !c.more() {
		return
	}
	end := c.stop
	if end > c.i && c.list[end-1].Is("::") {
		end--
	}
	if end == c.i {
		p.scope = p.scope.root()
		return
	}
	path := c.piece(c.i, end)
	f := p.name(&path)
	if f.entity == nil || f.entity.namespace == nil {
		k.errorf(c.peek(), diag.NotUnderstood, "namespace %s is not known here (%w)", f.text, diag.Do("open it with namespace %s { … }", f.text))
		return
	}
	p.scope = f.entity.namespace
}

// specialise reads the explicit specialisation k of a kernel template, whose arguments stand in the
// name or follow from the parameters: C++ standard, [temp.expl.spec], [temp.deduct.decl].
func (p *parser) specialise(k *kernel, parts kernelParts) {
	same := p.kernels.byPath[joinPath(append(slices.Clone(k.Namespace), k.Name))]
	templates := slices.DeleteFunc(slices.Clone(same), func(other *kernel) bool { return !other.Template })
	switch {
	case len(templates) > 0:
	case parts.angled:
		k.Specialised = true
		k.nameArguments(p.resolver, parts)
		k.readParameters(p.resolver, k.parameters)
		return
	default:
		if len(p.pre.Missing) > 0 {
			k.errorf(k.name, diag.NotUnderstood, "is an explicit specialisation, and its template is not known here%w", p.hint(diag.Message{}))
		}
		k.readParameters(p.resolver, k.parameters)
		return
	}
	k.Specialised = true
	in := &instantiation{mention: mention{name: parts.name, args: parts.args, angled: parts.angled}, scope: p.scope, function: true, parameters: parts.parameters}
	d, of, reason := p.instantiated(in, templates)
	if reason != nil && parts.angled && len(templates) == 1 {
		of = templates[0]
		d.args, d.inner, reason = p.templateArguments(of.head, parts.args, of.scope, parts.name)
	}
	if reason != nil {
		k.Errors.Add(reason.Pos, reason.About(k.Name))
		k.readParameters(p.resolver, k.parameters)
		return
	}
	k.Args, k.inherited = d.args, of.attributes
	k.readParameters(p.resolver, k.parameters)
	k.spellAs(p.unit, of, d.inner)
}

// prefix reads what stands before a kernel's name, and returns how often it says void. Words that
// are not known are taken for macros of headers that are not there, which change no parameter. The
// namespace that qualifies the name is not entered there: C++ standard, [basic.scope.namespace].
func (p *parser) prefix(k *kernel, parts kernelParts, t *templateHead) (voids int) {
	c := parts.before
	for c.more() {
		if found := readAttributes(&c); len(found) > 0 {
			k.noteAttributes(found, p.scope, t)
			continue
		}
		switch l := c.peek(); {
		case l.Is("static"):
			k.Static = true
			c.next()
		case l.Is("extern"):
			if c.next(); c.peek().Kind == lex.String {
				k.ExternC = c.next().Text == `"C"`
			}
		case l.Is("__global__"), l.Kind == lex.Ident && functionSpecifiers[l.Text]:
			c.next()
		default:
			voids += p.result(k, &c)
		}
		if len(k.Errors) > 0 {
			break
		}
	}
	return voids
}

// result reads one word of the type that k returns, or one name. It returns 1 if that is void, and 0 for
// others, which may be macros.
func (p *parser) result(k *kernel, c *cursor) (voids int) {
	switch l := c.peek(); {
	case l.Is("void"), l.Is("typename"), l.Is("auto"):
		if c.next().Is("void") {
			return 1
		}
	case l.Kind == lex.Ident && scalarWords[l.Text]:
		k.errorf(l, diag.KernelDeclaration, "a kernel returns void, not %s", l.Text)
	case l.Is("decltype"):
		t, reason := p.decltype(c)
		if reason != nil {
			k.Errors.Add(reason.Pos, reason.In("its result ").About(k.Name))
		} else if isVoid(t) {
			return 1
		}
	case l.Kind == lex.Ident, l.Is("::"):
		begin := c.i
		if f := p.name(c); f.entity != nil && f.entity.typ != nil && isVoid(resultOf(f.entity.typ)) || f.entity == nil && strings.Contains(f.text, "enable_if") {
			return 1
		}
		if c.peek().Is("(") {
			c.group()
		}
		if c.i == begin {
			c.next()
		}
	default:
		k.errorf(l, diag.KernelDeclaration, "unexpected %s in the declaration of a kernel", l.Describe())
	}
	return 0
}

// resultOf returns what a function of type t returns, or a function that is declared with the type t before its name.
func resultOf(t ctype.Type) ctype.Type {
	if f, ok := ctype.Unqualified(t).(*ctype.Function); ok {
		return f.Result
	}
	return t
}

// returnsVoid reports whether l is another name of void.
func (r resolver) returnsVoid(l *lex.Token) bool {
	e := r.scope.lookup(l.Text)
	return e != nil && e.typ != nil && isVoid(e.typ)
}

// suffix reads what stands behind a kernel's parameters, and returns how often it says void.
func (p *parser) suffix(k *kernel, c cursor, t *templateHead) (voids int) {
	typed, errors := false, len(k.Errors) // a -> was read
	for c.more() {
		if found := readAttributes(&c); len(found) > 0 {
			k.noteAttributes(found, p.scope, t)
			continue
		}
		switch l := c.next(); {
		case l.Is("{"):
			k.Defined = true
			return voids
		case l.Is(";"):
			return voids
		case l.Is("->"):
			typed = true
		case l.Is("requires"):
			c.i--
			if clause := requires(&c); t != nil {
				t.trailing = clause
			}
		case typed:
			c.i--
			if voids += p.result(k, &c); len(k.Errors) > errors {
				typed = false
				c.next()
			}
		case l.Kind == lex.Ident && !l.Is("const"):
			// A macro of a header that is not there.
			c.group()
		default:
			k.errorf(l, diag.KernelDeclaration, "unexpected %s behind the parameters of a kernel", l.Describe())
			k.Defined = k.Defined || c.find("{") >= 0 // otherwise nobody reads the error
			return voids
		}
	}
	return voids
}
