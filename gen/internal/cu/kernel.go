package cu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A kernel is a Kernel with what is needed to instantiate it.
type kernel struct {
	*Kernel
	head       *templateHead // of a template
	parameters cursor        // with names for auto
	written    cursor        // the parameters as they stand
	scope      *scope        // in which it stands
	name       *lex.Token

	attributes []launchAttribute // of its declarations, in source order
	inherited  []launchAttribute // of an explicit specialisation: those of its template

	index   int        // in which it was declared first
	implied []*implied // of a template: the instances that the source makes itself
	of      *kernel    // of an instance: its template
}

// explicit reports whether the source instantiates the template k explicitly with args.
func (k *kernel) explicit(args []ctype.TemplateArg) bool {
	return slices.ContainsFunc(k.implied, func(one *implied) bool { return one.explicit && ctype.Arguments(one.args) == ctype.Arguments(args) })
}

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
	parts, ok := p.parts(whole)
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
			Toolkit: p.inToolkit(parts.name.At),
			ExternC: p.linkage > 0, Doc: document(lead),
		},
		parameters: parts.parameters, written: parts.parameters, name: parts.name,
	}
	t = p.abbreviate(k, t)
	k.Directives = claim(lead)
	outer := p.scope
	defer func() { p.scope = outer }()
	p.prefix(k, parts, t)
	p.enterKernel(k, parts)
	k.scope = p.scope
	k.Namespace = p.scope.path()
	for s := p.scope; s != nil; s = s.parent {
		k.Anonymous = k.Anonymous || s.name == ctype.AnonymousNamespace
	}
	p.suffix(k, parts.behind, t)
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
		if k.ExternC && t.abbreviated() {
			k.errorf(k.name, diag.Template, "is a template, because a parameter is declared with auto, and has C linkage, so that there is one instance at most (%w)", diag.Do("leave out extern \"C\", or write the type"))
		}
		p.exampleArguments(t, whole)
		k.TemplateParams = t.describe()
	case t != nil || parts.angled:
		p.specialise(k, parts)
	default:
		p.readParameters(k, k.parameters)
	}
	k.Signature = signature(k.Kernel, k.written)
	p.launchShape(k)
	p.addKernel(k)
}

// errorf reports what is not understood of k.
func (k *kernel) errorf(l *lex.Token, code diag.Code, format string, arguments ...any) {
	k.Errors.Add(l.Pos(), l.Explain(code.Errorf(format, arguments...)).About(k.Name))
}

// A kernelParts is a kernel's declaration taken apart.
type kernelParts struct {
	before     cursor
	qualifiers cursor // of the name, with the last ::
	name       *lex.Token
	angled     bool
	args       cursor
	parameters cursor
	behind     cursor
	ambiguous  *lex.Token // may also be the name
}

// parts takes a kernel's declaration apart. ok is false when it has no name with
// parameters behind it.
func (p *parser) parts(c cursor) (parts kernelParts, ok bool) {
	begin := c.i
	typed := false // the return type has been read
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		if ok && c.peek().Is("requires") {
			break // what stands behind it is no declarator
		}
		if len(p.attributes(&c)) > 0 {
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
		c.i += around
		if one.name == nil || !c.peek().Is("(") || parenthesesAround(c) > 0 && (one.name.Is("__global__") || functionSpecifiers[one.name.Text] || p.returnsVoid(one.name)) {
			typed = typed || one.name != nil && (one.name.Is("auto") || p.returnsVoid(one.name))
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
		case parts.before.stop > begin && !p.returns(parts.before):
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
func (p *parser) returns(c cursor) bool {
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
	same := p.kernels[joinPath(append(slices.Clone(k.Namespace), k.Name))]
	templates := slices.DeleteFunc(slices.Clone(same), func(other *kernel) bool { return !other.Template })
	switch {
	case len(templates) > 0:
	case parts.angled:
		k.Specialised = true
		p.nameArguments(k, parts)
		p.readParameters(k, k.parameters)
		return
	default:
		if len(p.pre.Missing) > 0 {
			k.errorf(k.name, diag.NotUnderstood, "is an explicit specialisation, and its template is not known here%w", p.hint(diag.Message{}))
		}
		p.readParameters(k, k.parameters)
		return
	}
	k.Specialised = true
	in := &instantiation{mention: mention{name: parts.name, args: parts.args, angled: parts.angled}, scope: p.scope, function: true, parameters: parts.parameters}
	d, of, reason := p.instantiated(in, templates)
	if reason != nil && parts.angled && len(templates) == 1 {
		of = templates[0]
		d.args, d.inner, reason = p.templateArguments(of.head, parts.args, p.scope, of.scope, parts.name)
	}
	if reason != nil {
		k.Errors.Add(reason.Pos, reason.About(k.Name))
		p.readParameters(k, k.parameters)
		return
	}
	k.Args, k.inherited = d.args, of.attributes
	p.readParameters(k, k.parameters)
	p.spellAs(k, of, d.inner)
}

// spellAs notes which parameters of k, an explicit specialisation of the template of, symbols may
// spell in terms of the template's parameters, which inner has.
func (p *parser) spellAs(k, of *kernel, inner *scope) {
	outer := p.scope
	defer func() { p.scope = outer }()
	p.scope = inner
	list, reason := p.expandAll(p.split(of.parameters, true))
	if reason != nil || len(list) != len(k.Params) {
		return
	}
	for i, one := range list {
		p.scope = one.scope
		k.Params[i].Dependent = k.Params[i].Dependent || p.spelledDependent(one.cursor)
	}
}

// nameArguments takes the template arguments from the name of an explicit specialisation whose
// template is not known.
func (p *parser) nameArguments(k *kernel, parts kernelParts) {
	for _, one := range p.split(parts.args, true) {
		if t, reason := p.typeArgument(one); reason == nil {
			k.Args = append(k.Args, ctype.TemplateArg{Type: t})
			continue
		}
		v, failure := p.evaluate(one, p.scope)
		if failure != nil {
			k.Args = append(k.Args, ctype.TemplateArg{Type: &ctype.Struct{Name: join(one.list[one.i:one.stop])}})
			continue
		}
		k.Args = append(k.Args, ctype.TemplateArg{Type: ctype.Builtin(ctype.Int), Value: v.bits, IsValue: true})
	}
}

// prefix reads what stands before a kernel's name. Words that are not known are taken
// for macros of headers that are not there, which change no parameter. The namespace that
// qualifies the name is not entered there: C++ standard, [basic.scope.namespace].
func (p *parser) prefix(k *kernel, parts kernelParts, t *templateHead) {
	c := parts.before
	voids := 0
	for c.more() {
		if found := p.attributes(&c); len(found) > 0 {
			p.noteAttributes(k, found, t)
			continue
		}
		l := c.next()
		switch {
		case l.Is("void"):
			voids++
		case l.Is("static"):
			k.Static = true
		case l.Is("extern"):
			if c.peek().Kind == lex.String {
				k.ExternC = c.next().Text == `"C"`
			}
		case l.Is("__global__"), l.Kind == lex.Ident && functionSpecifiers[l.Text]:
		case l.Kind == lex.Ident && scalarWords[l.Text]:
			k.errorf(l, diag.KernelDeclaration, "a kernel returns void, not %s", l.Text)
			return
		case l.Kind == lex.Ident && p.returnsVoid(l), l.Is("enable_if_t"), l.Is("enable_if"):
			voids++
		case l.Is("::"):
		case l.Kind == lex.Ident:
			if c.peek().Is("(") {
				c.group()
			}
		case l.Is("<"):
			c.i--
			if _, ok := c.angles(); !ok {
				c.i++
			}
		default:
			k.errorf(l, diag.KernelDeclaration, "unexpected %s in the declaration of a kernel", l.Describe())
			return
		}
	}
	if behind := parts.behind; behind.accept("->") && behind.accept("void") {
		voids++
	}
	if voids != 1 && !p.voidHidden(k) {
		k.errorf(k.name, diag.KernelDeclaration, "a kernel returns void")
	}
}

// returnsVoid reports whether l is another name of void.
func (u *unit) returnsVoid(l *lex.Token) bool {
	e := u.scope.lookup(l.Text)
	if e == nil || e.typ == nil {
		return false
	}
	basic, ok := ctype.Unqualified(e.typ).(*ctype.Basic)
	return ok && basic.Kind == ctype.Void
}

// voidHidden reports whether the return type of k may be in a macro that is not known,
// or is one that only the compiler knows: auto, enable_if.
func (u *unit) voidHidden(k *kernel) bool { return len(u.pre.Missing) > 0 }

// suffix reads what stands behind a kernel's parameters.
func (p *parser) suffix(k *kernel, c cursor, t *templateHead) {
	for c.more() {
		if found := p.attributes(&c); len(found) > 0 {
			p.noteAttributes(k, found, t)
			continue
		}
		switch l := c.next(); {
		case l.Is("{"):
			k.Defined = true
			return
		case l.Is(";"):
			return
		case l.Is("->") && c.accept("void"):
		case l.Is("requires"):
			c.i--
			if clause := p.requires(&c); t != nil {
				t.trailing = clause
			}
		case l.Kind == lex.Ident && !l.Is("const"):
			// A macro of a header that is not there.
			c.group()
		default:
			k.errorf(l, diag.KernelDeclaration, "unexpected %s behind the parameters of a kernel", l.Describe())
			return
		}
	}
}

// readParameters reads the parameters of k.
func (p *parser) readParameters(k *kernel, list cursor) {
	if !list.more() || list.stop == list.i+1 && list.peek().Is("void") {
		return
	}
	parts := p.split(list, true)
	expansion, reason := p.expandAll(parts)
	if reason != nil {
		for _, one := range parts {
			if abbreviates(one) {
				reason = p.abbreviated(one.peek())
			}
		}
		k.Errors.Add(reason.Pos, reason.Before("a parameter ").About(k.Name))
		return
	}
	outer := p.scope
	defer func() { p.scope = outer }()
	declared := make(map[string]*entity) // parameters hide what is declared outside
	for i, one := range expansion {
		var param Param
		p.scope = parameterScope(one.scope)
		p.scope.names = declared
		depends := p.gather(func() { param = p.parameter(k, i+1, one.cursor) })
		if param.Type != nil && len(p.pre.Unsettled) > 0 && !k.Included {
			if pointsAtClass(param.Type) {
				depends = nil
			}
			p.layoutDepends(&depends, param.Type)
			p.warnUnsettled(k, param.Pos, "parameter "+cmp.Or(param.Name, fmt.Sprint(i+1)), depends)
		}
		k.Params = append(k.Params, param)
		depend := p.dependent(one.cursor)
		p.declareParameter(one.cursor, param.Name, param.Type)
		if e := declared[param.Name]; e != nil && depend {
			e.dependent = true
		}
	}
	numberPacks(k.Params)
	var depends dependence
	p.within(&depends, k.written.i-1, k.written.stop, nil)
	p.warnUnsettled(k, k.Pos, "its list of parameters", depends)
}

// parameter reads the parameter of k with the number n. Its type is nil when it is not
// understood.
func (p *parser) parameter(k *kernel, n int, c cursor) Param {
	at, declared := c.peek(), c
	param := Param{Pos: at.Pos(), Name: parameterName(c)}
	doubt := (*lex.Token)(nil)
	for i := c.i; i < c.stop; i++ {
		if c.list[i].Doubtful {
			doubt = &c.list[i]
		}
	}
	d, reason := p.parameterType(&c)
	if d.name != nil {
		param.Name, param.Pos = d.name.Text, d.name.Pos()
	}
	if reason == nil {
		reason = p.byValue(d.typ, at)
	}
	if reason == nil && doubt != nil {
		reason = p.reasonf(doubt, diag.Macro, "is under a condition that could not be evaluated")
	}
	if reason != nil && abbreviates(declared) {
		reason = p.abbreviated(at)
	}
	if reason != nil {
		name := param.Name
		if name == "" {
			name = fmt.Sprint(n)
		}
		k.Errors.Add(reason.Pos, reason.In("parameter "+name+" ").About(k.Name))
		return param
	}
	param.Type = d.typ
	param.Dependent = k.Args != nil && p.spelledDependent(declared)
	p.completePointee(d.typ)
	return param
}

// completePointee reads the definition of the class of a template that t points at, if
// there is one.
func (p *parser) completePointee(t ctype.Type) {
	for {
		switch u := ctype.Unqualified(t).(type) {
		case *ctype.Pointer:
			t = u.Elem
		case *ctype.Reference:
			t = u.Elem
		case *ctype.Array:
			t = u.Elem
		case *ctype.Struct:
			if !u.Complete && u.Unsupported == nil {
				p.complete(u)
			}
			return
		default:
			return
		}
	}
}

// parameterName returns the name of a parameter that may not be understood, for
// messages: the last identifier before a default argument, array bound or trailing return type.
func parameterName(c cursor) string {
	name := ""
	for begin := c.i; c.more(); c.next() {
		l := c.peek()
		if l.Is("=") || l.Is("[") || l.Is("->") {
			break
		}
		if l.Is("<") {
			if _, ok := c.angles(); ok {
				c.i--
				continue
			}
		}
		if l.Kind == lex.Ident && c.i > begin && !scalarWords[l.Text] && !restricts[l.Text] && !c.before().Is("::") &&
			!c.before().Is("struct") && !l.Is("const") && !l.Is("volatile") {
			name = l.Text
		}
	}
	return name
}

// kernelList puts the kernels of the file in order, with the instances that directives
// ask for.
func (p *parser) kernelList() {
	for _, k := range p.order {
		k.Errors = k.Errors.Sorted()
		if !k.Template {
			p.expressionNames(k.Kernel, k.scope)
		}
		p.file.Warnings = append(p.file.Warnings, k.Warnings...)
		p.file.Kernels = append(p.file.Kernels, k.Kernel)
		asked := p.instancesOf(k)
		for _, instance := range append(asked, p.impliedOf(k, asked)...) {
			instance.Errors = instance.Errors.Sorted()
			p.file.Warnings = append(p.file.Warnings, instance.Warnings...)
			p.file.Kernels = append(p.file.Kernels, instance)
		}
	}
}
