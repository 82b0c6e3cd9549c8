package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A parser reads the declarations of a file.
//
// Each declaration is read twice: first its extent and kind are found, whatever it is,
// then what is understood of it is taken. So one that is not understood does not hide
// the next.
type parser struct {
	resolver
	kernels     *kernelTable
	launches    *launches
	linkage     int           // enclosing extern "C" blocks
	below       *described    // the declaration that is being read, if directives stand above it
	unmatched   bool          // a bracket has no counterpart, which is an error
	localBodies *[]launchBody // the members of the class in a function that is being read; nil for none
	lead        int           // index of the word template before the declaration being read, -1 when there is none
	readingOf   *template     // the class template of which an instance is being read, the innermost; nil for none
	directed    *lex.Token    // with which the last kernel begins that directives stand above; nil for none
	directedAs  string        // the name of that one if it is no instance
}

func newParser(config *Config, filename string, pre *lex.Preprocessor) *parser {
	u := newUnit(config, filename, pre)
	p := &parser{resolver: u.in(newScope("", nil)), lead: -1}
	p.kernels = &kernelTable{byPath: make(map[string][]*kernel), byName: make(map[string][]*kernel), used: make(map[*scope][]kernelUse)}
	p.launches = newLaunches(u, p.kernels)
	u.readDeclarations, u.readClass, u.readType = p.parseDeclarations, p.parseClass, p.parseType
	broken := len(pre.Errors) > 0
	u.all.matchBrackets(func(open, close *lex.Token, inside bool) {
		switch {
		case inside && len(pre.Missing) > 0:
			// A branch that nothing selects, because a header is missing, as a rule.
			p.warn(open, close)
			return
		case broken:
			return // what follows is not worth an error
		case open == nil:
			p.errorf(close, diag.Unbalanced, "unexpected %s (nothing is open here that it closes)", close.Text)
		case close == nil:
			p.errorf(open, diag.Unbalanced, "%s is not closed", open.Text)
		default:
			p.errorf(open, diag.Unbalanced, "%s is not closed before the %s in line %d", open.Text, close.Text, close.At.Line())
		}
		broken, p.unmatched = true, true
	})
	return p
}

// warn reports a bracket inside of a function that has no counterpart.
func (u *unit) warn(open, close *lex.Token) {
	l := open
	if l == nil {
		l = close
	}
	u.file.Warnings.Add(l.Pos(), l.Explain(diag.Unbalanced.New(l.Text+" has no counterpart").With(u.hint(diag.Message{}))))
}

// declarations reads up to the } that closes the enclosing brace, or to the end. r is
// the class whose members they are, nil outside of one.
func (p *parser) declarations(c *cursor, r *record) {
	for c.more() && !c.peek().Is("}") {
		begin := c.i
		p.describe(c, func() { p.declaration(c, r) })
		c.i = max(c.i, begin+1)
	}
}

// declaration reads one declaration.
func (p *parser) declaration(c *cursor, r *record) {
	l := c.peek()
	switch {
	case l.Is(";"), l.Is("__extension__"), l.Is("export"):
		c.next()
		return
	case l.Is("namespace"), l.Is("inline") && c.ahead(1).Is("namespace"):
		p.namespace(c)
		return
	case l.Is("extern") && c.ahead(1).Kind == lex.String && c.ahead(2).Is("{"):
		p.linkageBlock(c)
		return
	case r != nil && c.ahead(1).Is(":") && (l.Is("public") || l.Is("private") || l.Is("protected")):
		r.private = !l.Is("public")
		p.scope.private = r.private
		c.i += 2
		return
	case l.Is("extern") && c.ahead(1).Is("template"):
		c.next()
		p.template(c, r)
		return
	case l.Is("template"):
		p.template(c, r)
		return
	case l.Is("using"):
		p.using(c)
		return
	}
	p.simple(c, r, nil)
}

// simple reads a declaration that needs no function of its own, such as those of kernels,
// functions, classes, enumerations, types and variables. t is its template, or nil.
func (p *parser) simple(c *cursor, r *record, t *templateHead) {
	begin := c.i
	if first := c.peek(); first.Is("static_assert") || first.Is("_Static_assert") || first.Is("asm") || first.Is("__asm__") {
		c.skipTo(";", "}")
		c.accept(";")
		return
	}
	o := p.outline(c, r)
	whole := c.piece(begin, o.end)
	c.i = o.end
	p.launchBodies(whole, &o, t, r)
	if o.unended != nil {
		p.errorf(o.unended, diag.Unbalanced, "a ; is missing behind this %s", o.unended.Text)
	}
	first := whole.peek()
	function := o.function()
	if r != nil && function != nil && len(p.conditions) > 0 {
		p.functions = append(p.functions, span{begin, o.end})
	}
	switch {
	case o.swallowed != nil:
		p.errorf(o.swallowed, diag.KernelDeclaration, "kernel inside of a declaration that is not understood (is a ; missing before it, or a macro not defined?)")
	case o.kernel && o.friend:
	case o.kernel:
		p.kernel(whole, o, t, r)
	case o.macro:
		p.lostSome = true
		if r != nil {
			reject(r.typ, first, diag.Macro.New("macro "+first.Text+" stands among its members, and is not known").With(p.hint(diag.Message{})))
		}
	case o.stuck != nil:
		p.lost(whole, o, r)
		if t != nil {
			p.lostSpecialisation(whole, t)
		}
	case o.friend:
		p.friendFunctions(whole, o)
	case t != nil && o.record >= 0 && !t.empty && function == nil:
		p.classTemplate(whole, o, t)
	case t != nil && function == nil && o.record < 0 && p.constantTemplate(whole, t):
		if r == nil && !t.empty {
			p.variableTemplate(whole)
		}
	case t != nil && !t.empty:
		if function != nil {
			if r != nil {
				p.method(whole, function, r)
			}
			p.functionName(whole, function, r, t)
		} else {
			if r == nil {
				p.variableTemplate(whole)
			}
			p.forwardTemplate(whole, t)
		}
	case o.onlyFunctions():
		for i := range o.parts {
			if t != nil {
				p.specialisedFunction(whole, &o.parts[i])
			}
			p.function(whole, &o.parts[i], r)
		}
	default:
		p.variables(whole, o, r, t)
	}
}

// block reads the declarations between the braces at c.
func (p *parser) block(c *cursor) {
	brace := c.peek()
	inside, ok := c.group()
	if !ok { // reported when the brackets were matched
		c.i++
		inside = c.piece(c.i, c.stop)
		c.i = c.stop
	}
	if !p.work.enter(deepestNesting) {
		p.errorf(brace, diag.NotUnderstood, "declarations are nested more than %d deep", deepestNesting)
		return
	}
	defer p.work.leave()
	p.declarations(&inside, nil)
}

// elsewhere returns what reads declarations in s.
func (p *parser) elsewhere(s *scope) *parser {
	return &parser{resolver: p.in(s), kernels: p.kernels, launches: p.launches, lead: -1}
}

// parseDeclarations reads the declarations c in s.
func (p *parser) parseDeclarations(c cursor, s *scope) {
	p.elsewhere(s).declarations(&c, nil)
}

// parseClass reads class, the definition in s of t, which is an instance.
func (p *parser) parseClass(in *instance, t *ctype.Struct, class cursor, s *scope) {
	p = p.elsewhere(s)
	p.readingOf = in.template
	p.launches.noteRead(in.template, t, class, in)
	index := class.i
	key := class.next()
	t.Union = key.Is("union")
	h := p.head(&class, false)
	t.Pos = in.template.at.Position()
	if h.last != nil {
		t.Pos = h.last.Pos()
	}
	p.define(&class, t, key, index, h, nil)
	if class.accept(";"); class.more() {
		reject(t, class.peek(), diag.NotUnderstood.New(class.peek().Describe()+" stands behind its }, and is not understood"))
	}
}

// parseType reads using A = T; or typedef T A; in s.
func (p *parser) parseType(declaration cursor, s *scope) {
	p = p.elsewhere(s)
	if declaration.peek().Is("using") {
		p.using(&declaration)
	} else {
		p.declarators(declaration, p.outline(&declaration, nil), nil, nil)
	}
}

// A described is a declaration that is being read.
type described struct {
	Declaration
	scope *scope // in which it stands; what is declared further inside is not its own
}

// describe reads one declaration at c with read, and notes what it declares if directives stand
// above it. Where the declaration is the member of a class of a template, it declares something
// else in each instance.
func (p *parser) describe(c *cursor, read func()) {
	outer := p.below
	p.below = nil
	defer func() { p.below = outer }()
	if directives := p.directivesAbove(c); len(directives) > 0 && len(p.reading) == 0 {
		p.below = &described{Declaration{Directives: directives}, p.scope}
	}
	own := p.below
	read()
	if own != nil && len(own.Types)+len(own.Constants) > 0 {
		p.file.Declarations = append(p.file.Declarations, own.Declaration)
	}
}

// claim takes the directives out of comments, for a declaration that they belong to.
func (p *parser) claim(comments []lex.Comment) []Directive {
	var directives []Directive
	for i := range comments {
		if d, ok := directiveOf(&comments[i]); ok {
			comments[i].Claimed = true
			d.until = p.scope.root().count
			directives = append(directives, d)
		}
	}
	return directives
}

// claimFor is claim for the kernel called name, whose parameters are declared as parameters, or an instance of it. It
// begins with first.
func (p *parser) claimFor(name, first *lex.Token, instance bool, parameters cursor, comments []lex.Comment) []Directive {
	list := p.claim(comments)
	for i := range list {
		list[i].declared = p.parameterNames(parameters)
	}
	use, before := first.At.From(), p.directed
	switch {
	case len(list) > 0:
		p.directed, p.directedAs = first, ""
		if !instance {
			p.directedAs = name.Text
		}
	case p.directedAs == name.Text: // another declaration of it, or an instance, which has the directives of its template
	case use != nil && before != nil && before.At.From() != nil && before.At.File() == first.At.File() && before.At.Offset == first.At.Offset:
		p.errorf(name, diag.StrayDirective, "the directives above this macro belong to more than one kernel: %w", diag.Do("write a declaration of each, with its directives above it, in place of them"))
		p.directed = nil
	}
	return list
}

// directivesAbove returns the directives above the declaration that begins at c, in the main file.
func (p *parser) directivesAbove(c *cursor) []Directive {
	l := c.peek()
	if !c.more() || c.i > 0 && c.list[c.i-1].Comments == l.Comments || l.At.File() == nil || !l.At.File().Main {
		return nil
	}
	return directivesIn(p.above(c.i))
}

// declaresType notes that the declaration being read defines t, or gives it a name.
func (p *parser) declaresType(t ctype.Type) {
	if p.below == nil || p.below.scope != p.scope {
		return
	}
	switch bare := ctype.Unalias(t).(type) {
	case *ctype.Struct, *ctype.Enum:
		if !slices.Contains(p.below.Types, bare) {
			p.below.Types = append(p.below.Types, bare)
		}
	}
}

// declaresConstant notes that the declaration being read declares the constant of a qualified name.
func (p *parser) declaresConstant(qualified string) {
	if p.below != nil && p.below.scope == p.scope {
		p.below.Constants = append(p.below.Constants, qualified)
	}
}

// declaresUsed notes that the using-declaration being read gives a name to e, which is called name.
func (p *parser) declaresUsed(name string, e *entity) {
	switch {
	case e.typ != nil:
		p.declaresType(e.typ)
	case e.constant != nil && e.home != nil:
		qualified := joinPath(append(named(e.home.path()), name))
		if _, known := p.file.Constants[qualified]; known {
			p.declaresConstant(qualified)
		}
	}
}

// completeDescribed reads the definitions of the classes of templates that directives stand above.
func (u *unit) completeDescribed() {
	for _, d := range u.file.Declarations {
		for _, t := range d.Types {
			if s, ok := t.(*ctype.Struct); ok && !s.Complete {
				u.complete(s)
			}
		}
	}
}

// describedMacros notes the macros with directives above their definitions, if they are constants
// and what the definition says is their last meaning.
func (u *unit) describedMacros() {
	for _, d := range u.pre.Described {
		directives := directivesIn(d.Comments)
		if len(directives) == 0 {
			continue
		}
		one := Declaration{Directives: directives}
		_, known := u.file.Constants[d.Macro.Name]
		if again, redefined := u.file.Redefined[d.Macro.Name]; known && (!redefined || again == d.Macro.At.Position()) && u.pre.Macros[d.Macro.Name] == d.Macro {
			one.Constants = []string{d.Macro.Name}
		}
		u.file.Declarations = append(u.file.Declarations, one)
	}
}
