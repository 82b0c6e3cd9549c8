package cu

import (
	"cmp"
	"go/token"
	"maps"
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
	unit
	cursor
	unmatched   bool          // a bracket has no counterpart, which is an error
	localBodies *[]launchBody // the members of the class in a function that is being read; nil for none
	lead        int           // index of the word template before the declaration being read, -1 when there is none
	readingOf   *template     // the class template of which an instance is being read, the innermost; nil for none
	reading     []cursor      // definitions of class templates of which instances are being read, the innermost last
	nesting     int
	functions   []span // members of classes
}

// deepestNesting limits what nests: namespaces, structs, expressions.
const deepestNesting = 200

func newParser(config *Config, filename string, pre *lex.Preprocessor) *parser {
	list, end := withWords(pre.Tokens[:len(pre.Tokens)-1]), pre.Tokens[len(pre.Tokens)-1]
	n := len(list)
	// Those first that a folder is known for: messages name three.
	slices.SortStableFunc(pre.Missing, func(a, b Include) int { return near(b) - near(a) })
	p := &parser{lead: -1, unit: unit{
		pre: pre, config: config, comments: pre.Comments, packs: pre.Packs, errors: pre.Errors,
		file: &File{
			Name: filename, Includes: pre.Includes, Headers: slices.Sorted(maps.Keys(pre.Found)), Missing: pre.Missing, Absent: pre.Absent, Environment: pre.Assumptions(), Arch: pre.Arch, Constants: make(map[string]int64), Redefined: make(map[string]token.Position), Loose: make(map[string]string), Below: make(map[int]Below),
		},
		scope: newScope("", nil), members: make(map[ctype.Type]*scope), localEnums: make(map[*ctype.Enum]bool), localClasses: make(map[*ctype.Struct]bool), noted: make(map[string]bool), kernels: make(map[string][]*kernel), byName: make(map[string][]*kernel), pending: make(map[*ctype.Struct]*instance), templates: make(map[*ctype.Struct]*template), library: make(map[string]*ctype.Struct), lengths: make(map[ctype.Type]int), holeOf: make(map[*ctype.Struct]*hole), rests: make(map[*ctype.Struct]rest), arrayHoles: make(map[*ctype.Array]*arrayHole), templateOf: make(map[*ctype.Struct]*template), affected: make(map[*ctype.Struct]dependence),
		constructed: make(map[*ctype.Struct]bool), defaults: make(map[fieldKey]cursor),
		instances: 1<<14 + n/4, calls: 1<<20 + n/4,
	}}
	p.work.stop = stopOf(config.Context)
	p.work.allow(n)
	all := &tokens{list: list, match: make([]int32, n)}
	p.toolkit = toolkitOf(p.file.Headers)
	p.cursor = cursor{tokens: all, stop: n, end: end}
	broken := len(pre.Errors) > 0
	all.matchBrackets(func(open, close *lex.Token, inside bool) {
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

// near is 1 for a header that another -I would find, and 0 otherwise.
func near(i Include) int {
	if i.Near != "" {
		return 1
	}
	return 0
}

// warn reports a bracket inside of a function that has no counterpart.
func (u *unit) warn(open, close *lex.Token) {
	l := open
	if l == nil {
		l = close
	}
	u.file.Warnings.Add(l.Pos(), l.Explain(diag.Unbalanced.New(l.Text+" has no counterpart").With(u.hint(diag.Message{}))))
}

// errorf reports an error of the file at l.
func (u *unit) errorf(l *lex.Token, code diag.Code, format string, arguments ...any) {
	u.errors.Add(l.Pos(), l.Explain(code.Errorf(format, arguments...)))
}

// parse reads the whole file.
func (p *parser) parse() {
	c := p.cursor
	for c.more() {
		p.declarations(&c, nil)
		c.i++ // a } that closes nothing
	}
	p.launches()
	p.file.Notes = p.file.Notes.Sorted()
	p.macroConstants()
	p.describedMacros()
	p.completeDescribed()
	p.kernelList()
	if len(p.file.Kernels) == 0 {
		p.file.Almost = p.almost()
	}
	p.warnLeftOut()
	for i := range p.comments {
		if d, ok := directiveOf(&p.comments[i]); ok && !p.comments[i].Claimed && p.comments[i].At.File().Main {
			next, above := p.isAbove(i)
			d.Above = d.Verb == "data" && above
			if above {
				p.file.Below[d.Pos.Offset] = p.codeBelow(next)
			}
			p.file.Directives = append(p.file.Directives, d)
		}
	}
}

// isAbove returns the first token behind the comment at index i, and whether it stands directly below.
func (p *parser) isAbove(i int) (next int, above bool) {
	next, _ = slices.BinarySearchFunc(p.list, int32(i)+1, func(t lex.Token, n int32) int { return cmp.Compare(t.Comments, n) })
	if next == len(p.list) {
		return next, false
	}
	is := func(c lex.Comment) bool { return c.At == p.comments[i].At }
	return next, slices.ContainsFunc(p.above(next), is)
}

// macroConstants adds the macros that are constant expressions to the constants. Names
// in them mean what they mean at the end of the file.
func (p *parser) macroConstants() {
	const most = 4096 // tokens of one: no person wrote a constant of that size
	total := 1<<16 + 8*p.pre.Bytes
	for _, m := range p.pre.Constants() {
		name := m.Name
		if _, taken := p.file.Constants[name]; taken || total <= 0 {
			continue
		}
		list, spent, ok := p.pre.Alone(m, min(most, total))
		total -= spent
		if !ok {
			continue
		}
		if v, failure := p.evaluate(newCursor(newTokens(list), p.end), p.scope); failure == nil {
			if n, ok := v.int64(); ok {
				p.file.Constants[name] = n
				p.noteLoose(name, list)
				if p.pre.Undone[name] {
					p.file.Redefined[name] = m.At.Position()
				}
			}
		}
	}
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

// block reads the declarations between the braces at c.
func (p *parser) block(c *cursor) {
	brace := c.peek()
	inside, ok := c.group()
	if !ok { // reported when the brackets were matched
		c.i++
		inside = c.piece(c.i, c.stop)
		c.i = c.stop
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.errorf(brace, diag.NotUnderstood, "declarations are nested more than %d deep", deepestNesting)
	} else {
		p.declarations(&inside, nil)
	}
	p.nesting--
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
		for c.more() && !c.peek().Is(";") && !c.peek().Is("}") {
			c.skip()
		}
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
	if r != nil && function != nil && len(p.pre.Unsettled) > 0 {
		p.functions = append(p.functions, span{begin, o.end})
	}
	switch {
	case o.swallowed != nil:
		p.errorf(o.swallowed, diag.KernelDeclaration, "kernel inside of a declaration that is not understood (is a ; missing before it, or a macro not defined?)")
	case o.kernel && o.friend:
	case o.kernel:
		p.kernel(whole, o, t, r)
	case o.macro:
		if r != nil {
			reject(r.typ, first, diag.Macro.New("macro "+first.Text+" stands among its members, and is not known").With(p.hint(diag.Message{})))
		}
	case o.stuck != nil:
		p.lost(whole, o, r)
	case o.friend:
		p.friendOperators(whole, o)
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

// endOfInitializer returns the index of the comma or semicolon that ends an initializer,
// and moves c there.
func (p *parser) endOfInitializer(c *cursor) int {
	for c.more() && !c.peek().Is(",") && !c.peek().Is(";") {
		if c.peek().Is("<") && c.before().Kind == lex.Ident && p.namesTemplate(c.before()) {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return c.i
}

// namesTemplate reports whether l is the name of a template, or of a cast.
func (u *unit) namesTemplate(l *lex.Token) bool {
	if e := u.scope.lookup(l.Text); e != nil {
		return e.template != nil || e.function != nil
	}
	switch l.Text {
	case "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast":
		return true
	}
	return false
}

// function takes from a function what others need: whether it is virtual or makes its
// class no POD, its name, and the expression that a constexpr one returns.
func (p *parser) function(c cursor, one *part, r *record) {
	if r != nil {
		p.method(c, one, r)
	}
	p.functionName(c, one, r, nil)
}

// functionName notes the name of a function. A qualified one has been declared before, in
// the scope that it belongs to.
func (p *parser) functionName(c cursor, one *part, r *record, t *templateHead) {
	name := one.plainName(c)
	switch {
	case name == nil:
		if operator := one.operatorName(c); operator != "" {
			p.scope.declare(operator, &entity{function: p.newOverload(c, one, t, r), at: c.peek().At})
		}
	case r != nil && name.Text == r.typ.Name:
		p.constructed[r.typ] = true
	default:
		p.scope.declare(name.Text, &entity{function: p.newOverload(c, one, t, r), at: name.At})
	}
}

// plainName returns the name of the declarator in c, nil when it has none, or one with
// qualifiers, with template arguments, of an operator or of a destructor.
func (one *part) plainName(c cursor) *lex.Token {
	if one.name < 0 {
		return nil
	}
	name := &c.list[one.name]
	if name.Kind != lex.Ident || scalarWords[name.Text] {
		return nil
	}
	if one.name > one.begin {
		switch before := &c.list[one.name-1]; {
		case before.Is("::"), before.Is("~"), before.Is("operator"), before.Kind == lex.String, before.Kind == lex.Ident && before.Is("const"):
			return nil
		}
	}
	if one.conversion(c) {
		return nil
	}
	return name
}

// conversion reports whether the declarator's name is that of an operator.
func (one *part) conversion(c cursor) bool {
	for i := one.begin; i < one.name; i++ {
		if c.list[i].Is("operator") {
			return true
		}
	}
	return false
}

// split cuts c at the commas that are in no brackets. Angle brackets count where angled
// says so, up to an =.
func (p *parser) split(c cursor, angled bool) []cursor {
	if !c.more() {
		return nil
	}
	var parts []cursor
	begin := c.i
	initializer := false
	for c.more() {
		l := c.peek()
		switch {
		case l.Is(","):
			parts = append(parts, c.piece(begin, c.i))
			begin = c.i + 1
			initializer = false
		case l.Is("="):
			initializer = true
		case l.Is("<") && angled && (!initializer || p.namesTemplate(c.before())):
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return append(parts, c.piece(begin, c.stop))
}
