package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A mention is where the source names a kernel other than to declare it.
type mention struct {
	path   cursor // the qualifiers, with the last ::; empty for none
	name   *lex.Token
	args   cursor // the template arguments
	angled bool   // it has template arguments
}

// mentionBefore returns the mention of a kernel whose last token is the one before the index end;
// it begins at first or behind. ok is false when no name stands there.
func (p *parser) mentionBefore(c cursor, first, end int) (m mention, ok bool) {
	const longest = 1 << 10 // tokens of template arguments
	at := end - 1
	if at >= first && c.list[at].Is(">") {
		for at = end - 2; at >= max(first, end-longest); at-- {
			if c.list[at].Kind != lex.Ident || !c.list[at+1].Is("<") {
				continue
			}
			inside := c.piece(at+1, len(c.list))
			if list, closed := inside.angles(); closed && inside.i == end {
				m.args, m.angled = list, true
				break
			}
		}
	}
	if at < max(first, end-longest) || c.list[at].Kind != lex.Ident {
		return m, false
	}
	m.name = &c.list[at]
	begin := at
	for begin-1 >= first && c.list[begin-1].Is("::") {
		begin--
		if before := &c.list[max(begin-1, 0)]; begin-1 < first || before.Kind != lex.Ident || scalarWords[before.Text] || noQualifier[before.Text] {
			break
		}
		begin--
	}
	m.path = c.piece(begin, at)
	return m, true
}

// noQualifier has the words before a :: that are not what it qualifies with.
var noQualifier = words(`return else do throw case co_return co_yield co_await template typename inline extern static const constexpr volatile
	__global__ __host__ __device__ __forceinline__ __noinline__`)

// A kernelUse is a using-declaration of kernels.
type kernelUse struct {
	name string
	from *scope
}

// kernelsOf returns the kernels that m may mean, looked up from s: C++ standard, [basic.lookup].
// Overloads are several. Local names do not count.
func (p *parser) kernelsOf(m mention, s *scope) []*kernel {
	if len(p.byName[m.name.Text]) == 0 {
		return nil
	}
	if m.path.more() {
		outer := p.scope
		defer func() { p.scope = outer }()
		p.scope = s
		path := m.path.piece(m.path.i, m.path.stop-1)
		in := s.root()
		if path.more() {
			f := p.name(&path)
			if in = p.scopeOf(f.entity); in == nil || path.more() {
				return nil
			}
		}
		return p.kernelsWithin(in, m.name.Text, make(map[*scope]bool))
	}
	var used []usedName
	for ; s != nil; s = s.parent {
		used = append(used, s.used...)
		seen := make(map[*scope]bool)
		list := p.kernelsIn(s, m.name.Text, seen)
		for _, u := range used {
			if u.level == s {
				list = append(list, p.kernelsWithin(u.namespace, m.name.Text, seen)...)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// kernelsIn returns the kernels called name that are declared in s, or that a using-declaration
// declares there.
func (u *unit) kernelsIn(s *scope, name string, seen map[*scope]bool) (list []*kernel) {
	if seen[s] {
		return nil
	}
	seen[s] = true
	for _, k := range u.byName[name] {
		if k.scope == s && (u.until == 0 || k.index < u.until) {
			list = append(list, k)
		}
	}
	for _, inner := range s.order {
		list = append(list, u.kernelsIn(inner, name, seen)...)
	}
	for _, use := range u.used[s] {
		if use.name == name {
			list = append(list, u.kernelsIn(use.from, name, seen)...)
		}
	}
	return list
}

// kernelsWithin is kernelsIn, with the namespaces that using-directives in s name.
func (u *unit) kernelsWithin(s *scope, name string, seen map[*scope]bool) []*kernel {
	list := u.kernelsIn(s, name, seen)
	if len(list) > 0 {
		return list
	}
	for _, use := range s.used {
		if !seen[use.namespace] {
			list = append(list, u.kernelsWithin(use.namespace, name, seen)...)
		}
	}
	return list
}

// useKernels notes that the using-declaration at the index begin names the kernels that f stands
// for: directives above it belong to them.
func (p *parser) useKernels(f found, begin int) {
	if f.last == nil || f.in == nil || f.angled {
		return
	}
	kernels := p.kernelsWithin(f.in, f.last.Text, make(map[*scope]bool))
	if len(kernels) == 0 {
		return
	}
	if p.used == nil {
		p.used = make(map[*scope][]kernelUse)
	}
	if f.in != p.scope {
		p.used[p.scope] = append(p.used[p.scope], kernelUse{f.last.Text, f.in})
	}
	lead := p.above(begin)
	if len(directivesIn(lead)) == 0 {
		return
	}
	if slices.ContainsFunc(lead, func(c lex.Comment) bool { return c.Claimed }) {
		p.errorf(f.last, diag.StrayDirective, "the directives above this using-declaration belong to more than one name: %w", diag.Do("write a declaration for each"))
		return
	}
	if len(kernels) > 1 {
		p.errorf(f.last, diag.StrayDirective, "%s: there are %d kernels of this name: %w", f.last.Text, len(kernels), diag.Do("put the directives above a declaration of the one that is meant"))
		claim(lead)
		return
	}
	k := kernels[0]
	k.Directives = append(k.Directives, claim(lead)...)
	k.Own = k.Own || f.last.At.File().Main
	if doc := document(lead); len(doc) > 0 && f.last.At.File().Main {
		k.Doc = doc
	}
}

// explicitInstantiation reads what stands behind template where there is no <: it defines nothing,
// but makes an instance of a template. C++ standard, [temp.explicit].
func (p *parser) explicitInstantiation(c *cursor) {
	begin := c.i - 1 // of the word template
	o := p.outline(c, nil)
	whole := c.piece(begin+1, o.end)
	c.i = o.end
	if o.record >= 0 || whole.peek().Is("struct") || whole.peek().Is("class") || whole.peek().Is("union") {
		p.instantiatedClass(whole)
		return
	}
	in := instantiation{scope: p.scope, declared: begin > 0 && c.list[begin-1].Is("extern")}
	end := whole.stop
	if end > whole.i && whole.list[end-1].Is(";") {
		end--
	}
	if s := o.function(); s != nil {
		end = s.parameters
		parameters := whole.piece(s.parameters, whole.stop)
		inside, ok := parameters.group()
		if !ok {
			return
		}
		in.parameters, in.function = inside, true
		for end > whole.i && whole.list[end-1].Is(")") { // around the name
			end--
		}
	}
	var ok bool
	if in.mention, ok = p.mentionBefore(whole, whole.i, end); !ok {
		return
	}
	for scan := whole; scan.more(); {
		found := p.attributes(&scan)
		for _, a := range found {
			in.attributes = p.joinAttributes(in.attributes, launchAttribute{attribute: a, scope: p.scope})
		}
		if len(found) == 0 {
			scan.skip()
		}
	}
	if in.declared {
		begin--
	}
	p.instantiateKernel(&in, p.above(begin))
}

// instantiatedClass notes the class that an explicit instantiation names.
func (p *parser) instantiatedClass(c cursor) {
	if p.below == nil && len(p.launchers.names) == 0 {
		return
	}
	c.next()
	p.attributes(&c)
	if f := p.name(&c); f.entity != nil && f.entity.typ != nil {
		if p.below != nil {
			p.declaresType(f.entity.typ)
		}
		p.launchers.explicit(f.entity.typ)
	}
}

// An instantiation is an explicit instantiation of a kernel.
type instantiation struct {
	mention
	scope      *scope
	function   bool   // it has parameters
	parameters cursor // between the parentheses
	declared   bool   // extern: another file has the instance
	attributes []launchAttribute
}

// instantiateKernel notes the instance of a kernel that in makes, and the directives in lead,
// which stands above it: they are the instance's, but for those that ask for other instances.
func (p *parser) instantiateKernel(in *instantiation, lead []lex.Comment) {
	templates := slices.DeleteFunc(slices.Clone(p.kernelsOf(in.mention, in.scope)), func(k *kernel) bool { return !k.Template })
	if len(templates) == 0 {
		if p.launchers.names[in.name.Text] {
			p.launchers.instantiations = append(p.launchers.instantiations, *in)
		}
		return // of another function
	}
	own := in.name.At.File().Main
	values, k, reason := p.instantiated(in, templates)
	directives := claim(lead)
	if reason != nil {
		if len(directives) > 0 {
			p.errors.Add(directives[0].Pos, in.name.Explain(reason.Before(in.name.Text+": the template arguments of the explicit instantiation below are not understood: ")))
		} else if own && !in.declared {
			p.noteMention(in.mention, templates, "explicit instantiation", reason)
		}
		return
	}
	one := implied{boundArguments: values, at: in.name, explicit: !in.declared, own: own && (!in.declared || len(directives) > 0), doc: document(lead), attributes: in.attributes}
	for _, d := range directives {
		switch text, word := instanceName(d.Args); {
		case d.Verb != instantiateVerb:
			one.directives = append(one.directives, d)
		case text == "":
			one.wanted, one.goName = true, word
		default:
			k.Directives = append(k.Directives, d)
			k.Own = k.Own || own
		}
	}
	one.elsewhere = in.declared && len(one.directives) == 0 && !one.wanted
	k.implied = append(k.implied, &one)
}

// noteMention notes why the instance that is mentioned is not wrapped.
func (u *unit) noteMention(m mention, templates []*kernel, what string, reason *ctype.Reason) {
	for _, k := range templates {
		for _, d := range k.Directives {
			if d.Verb == instantiateVerb {
				return // directives say which instances there are
			}
		}
	}
	k := templates[0]
	note := m.name.Explain(diag.Template.Errorf("%s: the template arguments of this %s are not known here, so it is not wrapped: %s (%w)", k.Name, what, reason.Text,
		diag.Do("write //cudagen:instantiate %s above the template, or instantiate it: template __global__ decltype(%s<…>) %[2]s<…>;", k.head, k.SourceName())))
	if !u.noted[note.Text] { // by another launch
		u.noted[note.Text] = true
		u.file.Notes.Add(m.name.Pos(), note)
	}
}
