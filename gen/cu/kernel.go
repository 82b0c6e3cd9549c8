package cu

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
)

// kernel reads the __global__ function in lexemes[begin:end].
func (p *parser) kernel(begin, end int, h header) {
	lead := p.above(begin)
	whole := newCursor(p.lexemes[begin:end], p.lexemes[end-1].pos)
	k := &Kernel{Template: h.template, ExternC: p.linkage > 0, Doc: document(lead)}
	before, name, parameters, behind := p.parts(&whole, h)
	if name == nil {
		at := whole.lexemes[0].pos
		for i := range whole.lexemes {
			if whole.lexemes[i].is("__global__") {
				at = whole.lexemes[i].pos
				break
			}
		}
		p.errorf(at, "declaration of a kernel is not understood: it has no name with parameters behind it")
		return
	}
	k.Directives = claim(lead)
	k.Pos = name[len(name)-1].pos
	k.Name = name[len(name)-1].text
	outer := p.scope
	p.enterQualifiers(k, name[:len(name)-1])
	k.Namespace = p.scope.path()
	for s := p.scope; s != nil; s = s.parent {
		k.Anonymous = k.Anonymous || s.name == ctype.AnonymousNamespace
	}
	p.prefix(k, before)
	p.suffix(k, behind)
	if !k.Template {
		p.parameters(k, parameters)
	}
	k.Signature = signature(k, parameters)
	p.scope = outer
	p.addKernel(k)
}

func (k *Kernel) errorf(pos token.Position, format string, arguments ...any) {
	k.Errors.Add(pos, k.Name+": "+fmt.Sprintf(format, arguments...))
}

// parts takes a kernel's declaration apart: what stands before its name, the name with
// its qualifiers, the parameters, and what stands behind them. name is nil when there
// is none.
func (p *parser) parts(c *cursor, h header) (before, name, parameters, behind []lexeme) {
	if h.template {
		for c.accept("template") {
			if c.peek().is("<") {
				c.angles()
			}
		}
	}
	begin := c.i
	for c.more() && !c.peek().is("{") && !c.peek().is(";") {
		if found := p.attributes(c); len(found) > 0 {
			continue
		}
		start := c.i
		l := c.peek()
		if l.kind != tokIdent && !l.is("::") {
			if _, ok := c.group(); !ok {
				c.next()
			}
			continue
		}
		path, _ := c.path()
		if len(path) == 0 {
			continue
		}
		stop := c.i
		if c.peek().is("<") {
			c.angles()
		}
		if !c.peek().is("(") || scalarWords[path[len(path)-1]] {
			continue
		}
		inside, ok := c.group()
		if !ok {
			return nil, nil, nil, nil
		}
		before, name, parameters = c.lexemes[begin:start], c.lexemes[start:stop], inside
		behind = c.lexemes[c.i:]
	}
	return before, name, parameters, behind
}

// enterQualifiers makes the scope current that qualifies the name of k.
func (p *parser) enterQualifiers(k *Kernel, qualifiers []lexeme) {
	c := newCursor(qualifiers, k.Pos)
	path, absolute := c.path()
	if len(path) == 0 && !absolute {
		return
	}
	if s := p.scope.scopeOf(path, absolute); s != nil {
		p.scope = s
		return
	}
	k.errorf(qualifiers[0].pos, "namespace %s is not known here (open it with namespace %[1]s { … })", strings.Join(path, "::"))
}

// prefix reads what stands before a kernel's name.
func (p *parser) prefix(k *Kernel, list []lexeme) {
	c := newCursor(list, k.Pos)
	voids := 0
	for c.more() {
		if found := p.attributes(&c); len(found) > 0 {
			p.launchBounds(k, found)
			continue
		}
		l := c.next()
		switch {
		case p.macros.at(l) != nil:
			k.errorf(l.pos, "macro %s is not expanded (write it out)", l.text)
			return
		case l.is("void"):
			voids++
		case l.is("static"):
			k.Static = true
		case l.is("extern"):
			if c.peek().kind == tokString {
				k.ExternC = c.next().text == `"C"`
			}
		case l.is("__global__"), l.kind == tokIdent && functionSpecifiers[l.text]:
		case l.kind == tokIdent && scalarWords[l.text]:
			k.errorf(l.pos, "a kernel returns void, not %s", l.text)
			return
		default:
			k.errorf(l.pos, "unexpected %s in the declaration of a kernel", l.describe())
			return
		}
	}
	if voids != 1 {
		k.errorf(k.Pos, "a kernel returns void")
	}
}

// suffix reads what stands behind a kernel's parameters.
func (p *parser) suffix(k *Kernel, list []lexeme) {
	c := newCursor(list, k.Pos)
	for c.more() {
		if found := p.attributes(&c); len(found) > 0 {
			p.launchBounds(k, found)
			continue
		}
		switch l := c.next(); {
		case l.is("{"):
			k.Defined = true
			return
		case l.is(";"):
			return
		case p.macros.at(l) != nil:
			k.errorf(l.pos, "macro %s is not expanded (write it out)", l.text)
			return
		default:
			k.errorf(l.pos, "unexpected %s behind the parameters of a kernel", l.describe())
			return
		}
	}
}

// launchBounds takes the constants of __launch_bounds__.
func (p *parser) launchBounds(k *Kernel, attributes []attribute) {
	for i := range attributes {
		if attributes[i].kind != "launch_bounds" {
			continue
		}
		k.LaunchBounds = nil
		for _, one := range split(attributes[i].values, false) {
			v, failure := p.evaluate(one, attributes[i].name.pos, p.scope)
			n, ok := v.int64()
			if failure != nil || !ok {
				k.LaunchBounds = nil
				break
			}
			k.LaunchBounds = append(k.LaunchBounds, n)
		}
	}
}

// parameters reads the parameters of k.
func (p *parser) parameters(k *Kernel, list []lexeme) {
	if len(list) == 0 || len(list) == 1 && list[0].is("void") {
		return
	}
	for i, one := range split(list, true) {
		k.Params = append(k.Params, p.parameter(k, i+1, one))
	}
}

// parameter reads the parameter of k with the number n. Its type is nil when it is not
// understood.
func (p *parser) parameter(k *Kernel, n int, list []lexeme) Param {
	c := newCursor(list, k.Pos)
	if len(list) > 0 {
		c.end.pos = list[len(list)-1].pos
	}
	at := c.peek()
	param := Param{Pos: at.pos, Name: parameterName(list)}
	d, reason := p.parameterType(&c)
	if d.name != nil {
		param.Name, param.Pos = d.name.text, d.name.pos
	}
	if reason == nil {
		reason = byValue(d.typ, at.pos)
	}
	if reason != nil {
		name := param.Name
		if name == "" {
			name = fmt.Sprint(n)
		}
		k.errorf(reason.Pos, "parameter %s %s", name, reason.Text)
		return param
	}
	param.Type = d.typ
	return param
}

// parameterType reads the type of a parameter, adjusted as a function's type has it:
// C++ standard, [dcl.fct].
func (p *parser) parameterType(c *cursor) (d declared, reason *ctype.Reason) {
	if c.peek().is("...") {
		return d, reasonf(c.peek(), "is an ellipsis, which kernels cannot have")
	}
	base, attributes, reason := p.specifiers(c)
	if reason != nil {
		return d, reason
	}
	d, reason = p.declarator(c, base)
	if reason != nil {
		return d, reason
	}
	align, reason := p.alignment(append(attributes, d.attributes...))
	if reason != nil {
		return d, reason
	}
	at := c.peek()
	if align != 0 {
		return d, reasonf(at, "has an alignment of its own, which is not understood (align its type)")
	}
	switch {
	case c.accept("="):
		for c.more() {
			l := c.peek()
			if l.is("<") {
				return d, reasonf(l, "has a default argument with < in it, which is not understood (put it in parentheses)")
			}
			if _, ok := c.group(); !ok {
				c.next()
			}
		}
	case c.more():
		return d, reasonf(at, "is not understood (unexpected %s)", at.describe())
	}
	switch t := d.typ.(type) {
	case *ctype.Array:
		d.typ = &ctype.Pointer{Elem: t.Elem}
	case *ctype.Qualified:
		d.typ = t.Type
	}
	return d, nil
}

// parameterName returns the name of a parameter that may not be understood, for
// messages: the last identifier before a default argument or array bound.
func parameterName(list []lexeme) string {
	name := ""
	for i := range list {
		l := &list[i]
		if l.is("=") || l.is("[") {
			break
		}
		if l.kind == tokIdent && i > 0 && !scalarWords[l.text] && !restricts[l.text] && !list[i-1].is("::") &&
			!list[i-1].is("struct") && !l.is("const") && !l.is("volatile") {
			name = l.text
		}
	}
	return name
}

// addKernel adds k to the file. A declaration and the definition of one kernel become
// one.
func (p *parser) addKernel(k *Kernel) {
	name := k.QualifiedName()
	for _, old := range p.kernels[name] {
		if k.Template || old.Template || !sameParameters(k, old) {
			continue
		}
		if old.Defined && k.Defined {
			k.errorf(k.Pos, "defined more than once (first in line %d)", old.Pos.Line)
			break
		}
		old.merge(k)
		return
	}
	p.kernels[name] = append(p.kernels[name], k)
	p.file.Kernels = append(p.file.Kernels, k)
}

func sameParameters(a, b *Kernel) bool {
	if len(a.Params) != len(b.Params) || len(a.Errors) > 0 || len(b.Errors) > 0 {
		return false
	}
	for i := range a.Params {
		if a.Params[i].Type.Demangled() != b.Params[i].Type.Demangled() {
			return false
		}
	}
	return true
}

// merge takes over what another declaration of k says: a definition counts more.
func (k *Kernel) merge(other *Kernel) {
	directives := append(k.Directives, other.Directives...)
	main, second := *k, *other
	if other.Defined || !k.Defined && len(other.Directives) > 0 {
		main, second = *other, *k
	}
	*k = main
	k.Directives = directives
	k.ExternC = main.ExternC || second.ExternC
	k.Static = main.Static || second.Static
	if len(k.Doc) == 0 {
		k.Doc = second.Doc
	}
	if k.LaunchBounds == nil {
		k.LaunchBounds = second.LaunchBounds
	}
}

// signature returns the declaration of k as a person would write it: without
// attributes, restrict and default arguments.
func signature(k *Kernel, parameters []lexeme) string {
	var parts []string
	for _, one := range split(parameters, true) {
		var kept []lexeme
		for i := range one {
			l := &one[i]
			if l.is("=") {
				break
			}
			if l.kind < tokCondIf && !restricts[l.text] && !l.is("__grid_constant__") {
				kept = append(kept, *l)
			}
		}
		parts = append(parts, join(kept))
	}
	return "void " + k.Name + "(" + strings.Join(parts, ", ") + ")"
}

// join writes lexemes with single blanks where a person has them.
func join(list []lexeme) string {
	var b strings.Builder
	for i := range list {
		text := list[i].text
		if i > 0 && spaced(list[i-1].text, text) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// spaced reports whether a blank stands between two tokens.
func spaced(left, right string) bool {
	switch left {
	case "*", "&", "&&":
		return right == "const" || right == "volatile"
	case "(", "[", "<", "::", "~", "!":
		return false
	}
	switch right {
	case ",", ")", "]", "[", "<", ">", "::", ";", "...":
		return false
	}
	return right != "(" || scalarWords[left]
}
