package cu

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu/lex"
)

// A parser reads the declarations of a file.
//
// Each declaration is read twice: first its extent and kind are found, whatever it is,
// then what is understood of it is taken. So one that is not understood does not hide
// the next.
type parser struct {
	cursor
	pre      *lex.Preprocessor
	config   *Config
	comments []lex.Comment
	packs    []lex.Pack
	errors   scanner.ErrorList
	file     *File

	scope     *scope
	members   map[ctype.Type]*scope // of structs and enumerations
	kernels   map[string][]*kernel  // by qualified name
	order     []*kernel
	pending   map[*ctype.Struct]*instance
	wanted    []wantedKernel
	library   map[string]*ctype.Struct    // classes of the C++ library by name with arguments
	templates map[*ctype.Struct]*template // by what stands for them in template arguments
	toolkit   string                      // the folder of CUDA's own headers; empty when they are not included
	lead      int                         // index of the word template before the declaration being read, -1 when there is none
	holes     int                         // made for the parameters of partial specialisations

	reading []cursor // definitions of class templates of which instances are being read, the innermost last

	holeOf     map[*ctype.Struct]*hole // what stands for parameters of partial specialisations
	rests      map[*ctype.Struct]rest
	arrayHoles map[*ctype.Array]*arrayHole
	lengths    map[ctype.Type]int          // of the spellings of types
	templateOf map[*ctype.Struct]*template // of instances

	linkage   int // enclosing extern "C" blocks
	nesting   int
	depends   *dependence                  // of the declaration being read; nil when nobody asks
	affected  map[*ctype.Struct]dependence // what the layout of classes depends on
	functions []span                       // members of classes

	constructed map[*ctype.Struct]bool // classes with constructors
	defaults    map[fieldKey]cursor    // initializers of fields

	patterns int // partial specialisations that are being matched: types in them stand for others

	// instances limits the work on templates: what is left of a number of steps in
	// proportion to the length of the file.
	instances int
	calls     int // the same for constexpr functions
}

// deepestNesting limits what nests: namespaces, structs, expressions.
const deepestNesting = 200

func newParser(config *Config, filename string, pre *lex.Preprocessor) *parser {
	list, end := withWords(pre.Tokens[:len(pre.Tokens)-1]), pre.Tokens[len(pre.Tokens)-1]
	n := len(list)
	// Those first that a folder is known for: messages name three.
	slices.SortStableFunc(pre.Missing, func(a, b Include) int { return near(b) - near(a) })
	p := &parser{
		pre: pre, config: config, comments: pre.Comments, packs: pre.Packs, errors: pre.Errors,
		file: &File{
			Name: filename, Includes: pre.Includes, Headers: slices.Sorted(maps.Keys(pre.Found)), Missing: pre.Missing, Environment: pre.Assumptions(), Arch: pre.Arch, Constants: make(map[string]int64), Redefined: make(map[string]token.Position),
		},
		scope: newScope("", nil), members: make(map[ctype.Type]*scope), kernels: make(map[string][]*kernel), pending: make(map[*ctype.Struct]*instance), templates: make(map[*ctype.Struct]*template), library: make(map[string]*ctype.Struct), lengths: make(map[ctype.Type]int), holeOf: make(map[*ctype.Struct]*hole), rests: make(map[*ctype.Struct]rest), arrayHoles: make(map[*ctype.Array]*arrayHole), templateOf: make(map[*ctype.Struct]*template), affected: make(map[*ctype.Struct]dependence), lead: -1,
		constructed: make(map[*ctype.Struct]bool), defaults: make(map[fieldKey]cursor),
		instances: 1<<14 + n/4, calls: 1<<20 + n/4,
	}
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
			p.errorf(close, "unexpected %s (nothing is open here that it closes)", close.Text)
		case close == nil:
			p.errorf(open, "%s is not closed", open.Text)
		default:
			p.errorf(open, "%s is not closed before the %s in line %d", open.Text, close.Text, close.At.Line())
		}
		broken = true
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
func (p *parser) warn(open, close *lex.Token) {
	l := open
	if l == nil {
		l = close
	}
	p.file.Warnings.Add(l.Pos(), l.Explain(l.Text+" has no counterpart"+p.hint("")))
}

// errorf reports an error of the file at l.
func (p *parser) errorf(l *lex.Token, format string, arguments ...any) {
	p.errors.Add(l.Pos(), l.Explain(fmt.Sprintf(format, arguments...)))
}

// parse reads the whole file.
func (p *parser) parse() {
	c := p.cursor
	for c.more() {
		p.declarations(&c, nil)
		c.i++ // a } that closes nothing
	}
	p.launches()
	p.macroConstants()
	p.kernelList()
	p.warnLeftOut()
	for i := range p.comments {
		if d, ok := directiveOf(&p.comments[i]); ok && !p.comments[i].Claimed && p.comments[i].At.File().Main {
			p.file.Directives = append(p.file.Directives, d)
		}
	}
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
		p.declaration(c, r)
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
		p.errorf(brace, "declarations are nested more than %d deep", deepestNesting)
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

// namespace reads namespace a::b { … } or namespace a = b::c.
func (p *parser) namespace(c *cursor) {
	inline := c.accept("inline")
	c.next()
	p.attributes(c)
	type part struct {
		name        string
		transparent bool
	}
	var parts []part
	for {
		nested := c.accept("inline")
		if c.peek().Kind != lex.Ident || attributeWords[c.peek().Text] {
			break
		}
		parts = append(parts, part{c.next().Text, nested})
		if !c.accept("::") {
			break
		}
	}
	p.attributes(c)
	if c.accept("=") && len(parts) == 1 {
		p.namespaceAlias(c, parts[0].name)
		return
	}
	// A macro of a header that is not there may stand here: for an attribute, as a rule.
	for c.peek().Kind == lex.Ident && !c.peek().Is("namespace") && c.ahead(1).Is("{") {
		c.next()
	}
	if !c.peek().Is("{") {
		return
	}
	if len(parts) == 0 {
		parts = []part{{ctype.AnonymousNamespace, true}}
	}
	parts[len(parts)-1].transparent = parts[len(parts)-1].transparent || inline
	outer := p.scope
	for _, part := range parts {
		parent := p.scope
		if n := parent.names[part.name]; n != nil && n.namespace != nil {
			p.scope = n.namespace // reopened by its alias
			continue
		}
		_, known := parent.children[part.name]
		p.scope = parent.child(part.name)
		if part.transparent && !known {
			p.scope.transparent = true
			parent.order = append(parent.order, p.scope)
		}
	}
	p.block(c)
	p.scope = outer
}

// namespaceAlias reads what stands behind the = of namespace name = ….
func (p *parser) namespaceAlias(c *cursor, name string) {
	at := c.peek().At
	found := p.name(c)
	if found.entity != nil && found.entity.namespace != nil {
		p.scope.declare(name, &entity{namespace: found.entity.namespace, at: at})
	}
	c.accept(";")
}

// linkageBlock reads extern "C" { … }.
func (p *parser) linkageBlock(c *cursor) {
	c.next()
	before := p.linkage
	if c.next().Text == `"C"` {
		p.linkage++
	} else {
		p.linkage = 0
	}
	p.block(c)
	p.linkage = before
}

// simple reads a declaration that is none of the special ones: of kernels, functions,
// classes, enumerations, types and variables. t is the template that it belongs to, nil
// when it belongs to none.
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
	first := whole.peek()
	function := o.function()
	if r != nil && function != nil && len(p.pre.Unsettled) > 0 {
		p.functions = append(p.functions, span{begin, o.end})
	}
	switch {
	case o.swallowed != nil:
		p.errorf(o.swallowed, "kernel inside of a declaration that is not understood (is a ; missing before it, or a macro not defined?)")
	case o.kernel && o.friend:
	case o.kernel:
		p.kernel(whole, o, t, r)
	case o.macro:
		if r != nil {
			reject(r.typ, first, "macro "+first.Text+" stands among its members, and is not known"+p.hint(""))
		}
	case o.stuck != nil:
		p.lost(whole, o, r)
	case o.friend:
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

// lost takes from the declaration whole, which the grammar does not know, what others need:
// that a class with it has no layout that is known, and names.
func (p *parser) lost(whole cursor, o outline, r *record) {
	if r != nil {
		reject(r.typ, o.stuck, "it has a member that is not understood (unexpected "+o.stuck.Describe()+")"+p.hint(""))
		return
	}
	if function := o.function(); function != nil {
		p.functionName(whole, function, nil, nil)
		return
	}
	reason := p.reasonf(o.stuck, "is not understood (unexpected %s)", o.stuck.Describe())
	p.notUnderstood(whole, specified{at: whole.peek(), typedef: o.typedef, reason: reason}, nil)
}

// variables reads a declaration of classes, enumerations, types, variables, and functions
// among them.
func (p *parser) variables(c cursor, o outline, r *record, t *templateHead) {
	if r != nil {
		p.declarators(c, o, r, t) // what they depend on, their class does
		return
	}
	p.gather(func() { p.declarators(c, o, r, t) })
}

// declarators is variables, for p.depends.
func (p *parser) declarators(whole cursor, o outline, r *record, t *templateHead) {
	c := whole
	spec := p.specifiers(&c, specifierContext{declares: true, record: r, special: t != nil})
	spec.member = r != nil
	if spec.space != "" && !spec.member {
		spec.lead = p.above(whole.i)
		if p.lead >= 0 {
			spec.lead = p.above(p.lead)
		}
	}
	if spec.reason == nil && c.i != o.head && len(o.parts) > 0 {
		at := &whole.list[min(c.i, o.head)]
		spec.reason = p.reasonf(at, "is not understood (unexpected %s)", at.Describe())
	}
	if spec.reason != nil {
		p.notUnderstood(whole.piece(c.i, whole.stop), spec, r)
		return
	}
	if spec.defined != nil {
		if doc := document(p.above(whole.i)); doc != nil {
			switch d := spec.defined.(type) {
			case *ctype.Struct:
				d.Doc = doc
			case *ctype.Enum:
				d.Doc = doc
			}
		}
	}
	if len(o.parts) == 0 {
		if r != nil && spec.defined != nil {
			p.anonymousMember(r, &spec)
		}
		return
	}
	first := 0
	if r != nil {
		first = len(r.typ.Fields)
	}
	for i := range o.parts {
		one := &o.parts[i]
		switch {
		case one.function && !spec.typedef:
			p.function(whole, one, r)
		case r != nil && !spec.typedef && !spec.static:
			p.fieldOf(whole, one, r, &spec)
		default:
			c := whole.piece(one.begin, one.stop)
			p.declared(&c, &spec)
		}
	}
	if r != nil {
		if doc := p.trailing(o.end - 1); doc != "" {
			for i := first; i < len(r.typ.Fields); i++ {
				r.typ.Fields[i].Doc = doc
			}
		}
	}
}

// declared reads one declarator of a typedef or variable, with its initializer. It
// returns nil when there is none.
func (p *parser) declared(c *cursor, spec *specified) *lex.Token {
	at := c.peek()
	d, reason := p.namedDeclarator(c, spec.typ)
	if d.name == nil {
		return nil
	}
	if v := p.deviceVariable(d.name, spec); v != nil {
		v.reject(reason)
		if reason == nil {
			p.understand(v, c, d, spec)
		}
	}
	switch {
	case reason != nil && spec.typedef:
		p.obscure(d.name, "a typedef that is not understood: it "+reason.Text)
	case reason != nil:
		p.obscure(d.name, aVariable)
	case spec.typedef:
		p.typedefName(d, spec, at)
	default:
		p.variable(c, d, spec)
	}
	for c.more() && !c.peek().Is(",") && !c.peek().Is(";") {
		c.skip()
	}
	return d.name
}

// typedefName declares the name of a typedef. An unnamed class or enumeration gets its
// first name: C++ standard, [dcl.typedef].
func (p *parser) typedefName(d declarator, spec *specified, at *lex.Token) {
	switch t := spec.defined.(type) {
	case *ctype.Struct:
		if t.Name == "" && d.typ == ctype.Type(t) {
			t.Name = d.name.Text
			if s := p.members[t]; s != nil {
				s.name = t.Name
			}
			p.file.Structs = append(p.file.Structs, t)
		}
		for i := range d.attributes {
			p.misplaced(t, &d.attributes[i], "struct")
		}
	case *ctype.Enum:
		if t.Name == "" && d.typ == ctype.Type(t) {
			t.Name = d.name.Text
		}
	}
	typ := d.typ
	if d.name.Doubtful {
		p.obscure(d.name, "a typedef under a condition that could not be evaluated")
		return
	}
	if d.unsized != nil {
		p.obscure(d.name, "a typedef of an array without a bound that is understood")
		return
	}
	attributes := append(slices.Clone(spec.attributes), d.attributes...)
	if s, ok := spec.defined.(*ctype.Struct); !ok || ctype.Type(s) != typ {
		aligned, reason := p.aligned(d.name.Text, typ, attributes)
		if reason != nil {
			p.obscure(d.name, "a typedef that "+reason.Text)
			return
		}
		typ = aligned
	}
	if s, ok := typ.(*ctype.Struct); ok && s.Name == d.name.Text {
		p.scope.declare(d.name.Text, &entity{typ: s, at: d.name.At})
		return
	}
	p.scope.declare(d.name.Text, &entity{typ: p.alias(d.name.Text, typ), at: d.name.At, depends: p.dependsOn()})
}

// alias returns another name for t.
func (p *parser) alias(name string, t ctype.Type) ctype.Type {
	return &ctype.Alias{Name: name, Type: t}
}

// variable notes the value of a constant.
func (p *parser) variable(c *cursor, d declarator, spec *specified) {
	q, qualified := d.typ.(*ctype.Qualified)
	if !spec.constexpr && !(qualified && q.Const && !q.Volatile) && !(isArrayType(d.typ) && unwritable(d.typ)) || spec.memory && !spec.constexpr {
		if spec.typ != nil && d.unsized == nil && !d.name.Doubtful {
			p.scope.declare(d.name.Text, &entity{obscure: aVariable, variable: &variable{typ: d.typ}, at: d.name.At})
		} else if spec.typ != nil {
			p.obscure(d.name, aVariable)
		}
		return
	}
	o, failure := p.initialized(c, d)
	if failure != "" {
		p.obscureVariable(d, "a constant whose value is not known: "+failure)
		return
	}
	if isInteger(o.typ) {
		p.constant(d.name, o.value(), constType(o.typ))
		return
	}
	if isFloat(o.typ) && !spec.constexpr {
		p.obscureVariable(d, "a constant whose value is not known: only constexpr makes one of type "+o.typ.String())
		return
	}
	p.scope.declare(d.name.Text, &entity{obscure: aVariable, variable: &variable{typ: constType(o.typ), value: &o}, at: d.name.At, depends: p.dependsOn()})
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
func (p *parser) namesTemplate(l *lex.Token) bool {
	if e := p.scope.lookup(l.Text); e != nil {
		return e.template != nil || e.function != nil
	}
	switch l.Text {
	case "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast":
		return true
	}
	return false
}

// obscure notes that name is of a kind that is not understood.
//
// What it says of others is cut short, so that a chain of them does not grow.
func (p *parser) obscure(name *lex.Token, what string) {
	const longest = 240
	if len(what) > longest {
		what = strings.ToValidUTF8(what[:longest], "") + "…"
	}
	p.scope.declare(name.Text, &entity{obscure: what, at: name.At})
}

// notUnderstood takes what others need from a declaration whose type is not understood:
// its names, so that a use of one is an error that says so.
func (p *parser) notUnderstood(c cursor, spec specified, r *record) {
	if r != nil && !spec.typedef && !spec.static {
		reject(r.typ, spec.at, "it has a member that "+spec.reason.Text)
		return
	}
	for _, part := range p.split(c, true) {
		name := lastName(part)
		switch {
		case name == nil:
		case spec.typedef:
			p.obscure(name, "a typedef that is not understood: it "+spec.reason.Text)
		default:
			if v := p.deviceVariable(name, &spec); v != nil {
				v.reject(spec.reason)
			}
			p.obscure(name, aVariable)
		}
	}
}

// lastName returns the name that a declarator declares, nil when it has none.
func lastName(c cursor) *lex.Token {
	var name *lex.Token
	for c.more() {
		l := c.peek()
		switch {
		case l.Is("("):
			inside, ok := c.group()
			if ok && inside.peek().Is("*") {
				return lastName(inside)
			}
			if ok {
				return name
			}
		case l.Is("["), l.Is("="), l.Is("{"), l.Is(";"):
			return name
		case l.Is("<"):
			if _, ok := c.angles(); ok {
				continue
			}
		case l.Kind == lex.Ident && attributeWords[l.Text]:
			c.next()
			c.group()
			continue
		case l.Kind == lex.Ident:
			name = l
		}
		c.next()
	}
	return name
}

// constant notes an integer constant.
func (p *parser) constant(name *lex.Token, v value, t ctype.Type) {
	if name.Doubtful {
		p.obscure(name, "a constant under a condition that could not be evaluated")
		return
	}
	p.scope.declare(name.Text, &entity{constant: &constant{v, t}, at: name.At, depends: p.dependsOn()})
	n, ok := v.int64()
	if !ok || name.At.File().System {
		return
	}
	p.file.Constants[joinPath(append(named(p.scope.path()), name.Text))] = n
}

// using reads a using-declaration, using-directive or alias.
func (p *parser) using(c *cursor) {
	c.next()
	end := c.i
	for scan := *c; scan.more() && !scan.peek().Is(";") && !scan.peek().Is("}"); {
		scan.skip()
		end = scan.i
	}
	inside := c.piece(c.i, end)
	c.i = end
	c.accept(";")
	if inside.accept("namespace") {
		if found := p.name(&inside); found.entity != nil && found.entity.namespace != nil {
			p.scope.use(found.entity.namespace)
		}
		return
	}
	if inside.accept("enum") {
		if found := p.name(&inside); found.entity != nil && found.entity.typ != nil {
			if s := p.members[ctype.Unqualified(found.entity.typ)]; s != nil {
				for _, name := range slices.Sorted(maps.Keys(s.names)) {
					p.scope.declare(name, s.names[name])
				}
			}
		}
		return
	}
	inside.accept("typename")
	name := inside.peek()
	head := inside
	head.next()
	attributes := p.attributes(&head)
	if name.Kind == lex.Ident && head.accept("=") {
		p.aliasDeclaration(name, attributes, head)
		return
	}
	for inside.more() {
		inside.accept("typename")
		last := inside.peek()
		found := p.name(&inside)
		if found.last != nil {
			last = found.last
		}
		e := found.entity
		if e == nil {
			if t := p.known(found); t != nil {
				e = &entity{typ: t, at: last.At}
			} else if c := knownConstant(found); c != nil {
				e = &entity{constant: c, at: last.At}
			} else {
				e = &entity{obscure: "a name of another namespace, " + found.text + ", that is not known here" + p.hint(""), at: last.At}
			}
		}
		if last.Kind == lex.Ident {
			p.scope.declare(last.Text, e)
		}
		if !inside.accept(",") {
			break
		}
	}
}

// aliasDeclaration reads what stands behind the = of using name = ….
func (p *parser) aliasDeclaration(name *lex.Token, attributes []attribute, c cursor) {
	var t ctype.Type
	var reason *ctype.Reason
	depends := p.gather(func() { t, reason = p.typeID(&c) })
	if reason == nil && c.more() {
		reason = p.reasonf(c.peek(), "is not understood (unexpected %s)", c.peek().Describe())
	}
	if reason == nil {
		t, reason = p.aligned(name.Text, t, attributes)
	}
	if reason != nil {
		p.obscure(name, "an alias that is not understood: it "+reason.Text)
		return
	}
	if name.Doubtful {
		p.obscure(name, "an alias under a condition that could not be evaluated")
		return
	}
	p.scope.declare(name.Text, &entity{typ: p.alias(name.Text, t), at: name.At, depends: depends})
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
