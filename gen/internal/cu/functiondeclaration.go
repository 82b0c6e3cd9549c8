package cu

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

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
		f := p.newOverload(c, one, t, r)
		p.scope.declare(name.Text, &entity{function: f, at: name.At})
		if t == nil && r == nil && p.local == 0 && p.config.Functions != nil && p.config.Functions(name.Text) {
			p.listFunction(c, name, f.overloads[0])
		}
	}
}

// listFunction notes that o, called name, is declared for File.Functions, if it has C linkage: C++ standard, [dcl.link]. A later
// declaration without one has it, too, if the types are the same; otherwise it declares another function.
func (p *parser) listFunction(c cursor, name *lex.Token, o *overload) {
	for i := c.i; i < o.parameters; i++ {
		if l := &c.list[i]; l.Is("static") || l.Is("inline") || l.Is("__inline__") || l.Is("__inline") || l.Is("__forceinline__") || l.Is("constexpr") || l.Is("consteval") {
			return // no library has it
		}
	}
	linked := p.linkage > 0 || c.peek().Is("extern") && c.ahead(1).Kind == lex.String && c.ahead(1).Text == `"C"`
	at := slices.IndexFunc(p.file.Functions, func(f *Function) bool { return f.Name == name.Text })
	if at < 0 {
		if !linked {
			return
		}
		at = len(p.file.Functions)
		p.file.Functions = append(p.file.Functions, p.readFunction(name, o))
	}
	f := p.file.Functions[at]
	if o.relabelled() {
		f.Reason = relabelled(name)
	}
	if again := p.readFunction(name, o); f.Reason == nil && (again.Reason != nil || !f.sameTypes(again)) {
		if linked {
			f.Reason = reasonf(name, diag.NotUnderstood, "is declared with other types than in line %d", f.Pos.Line)
		}
		return
	}
	if name.At.File().Main && (c.i == 0 || c.list[c.i-1].Comments != c.peek().Comments) {
		lead := p.above(c.i)
		if directives := p.claim(lead); len(directives) > 0 {
			f.named(name, o, len(f.Directives) > 0)
			f.Directives = append(f.Directives, directives...)
		}
		if doc := document(lead); len(doc) > 0 {
			f.Doc = doc
		}
	}
}

// conventions are attributes by which a function takes its arguments from other registers than others do: GCC manual, x86 Function
// Attributes; Clang, Attribute Reference, Calling Conventions.
var conventions = []string{"ms_abi", "__ms_abi__", "vectorcall", "__vectorcall", "_vectorcall", "regcall", "__regcall", "__regcall__", "aarch64_vector_pcs", "preserve_none"}

// convention returns the attribute among conventions that o has, or "".
func (o *overload) convention() string {
	for i, l := range o.whole.list[o.whole.i:o.whole.stop] {
		if at := o.whole.i + i; at == o.body {
			break
		}
		if slices.Contains(conventions, l.Text) {
			return l.Text
		}
	}
	return ""
}

// named gives the parameters of f the names that they have in the declaration o, which has directives about them. If an earlier one has
// directives, too, the names must be the same.
func (f *Function) named(name *lex.Token, o *overload, before bool) {
	for i, param := range o.params {
		if param.name == f.Params[i].Name {
			continue
		}
		if before {
			f.Reason = reasonf(name, diag.NotUnderstood, "has directives above two declarations, in which parameter %d is called %s and %s", i+1, f.Params[i].Name, param.name)
			return
		}
		f.Params[i].Name = param.name
	}
}

// asmWords are the words that begin the label of a declaration: GCC manual, Asm Labels.
var asmWords = []string{"asm", "__asm__", "__asm"}

func (o *overload) relabelled() bool { return slices.ContainsFunc(asmWords, o.says) }

func relabelled(name *lex.Token) *ctype.Reason {
	return reasonf(name, diag.NotUnderstood, "has another name in its library, by an asm label")
}

// listTyped notes a function that is declared by a typedef of its type: fn f.
func (p *parser) listTyped(name *lex.Token, t ctype.Type, spec *specified) {
	function, ok := ctype.Unalias(t).(*ctype.Function)
	begin := p.all.list[spec.begin:]
	linked := p.linkage > 0 || len(begin) > 1 && begin[0].Is("extern") && begin[1].Kind == lex.String && begin[1].Text == `"C"`
	if !ok || !linked || spec.static || spec.member || slices.ContainsFunc(p.file.Functions, func(f *Function) bool { return f.Name == name.Text }) {
		return
	}
	f := &Function{Name: name.Text, Pos: name.Pos(), Result: function.Result}
	for _, param := range function.Params {
		f.Params = append(f.Params, FunctionParam{Type: param})
	}
	if function.Variadic {
		f.Reason = reasonf(name, diag.NotUnderstood, "has an ellipsis, which is not understood here")
	}
	if lead := p.above(spec.begin); name.At.File().Main {
		f.Directives, f.Doc = p.claim(lead), document(lead)
	}
	p.file.Functions = append(p.file.Functions, f)
}

// renamedFunctions refuses functions by whose names C calls others where the file ends: by macros, by #pragma redefine_extname, or by labels of
// declarations without parameters.
//
// GCC manual, Symbol-Renaming Pragmas.
func (p *parser) renamedFunctions() {
	if len(p.file.Functions) == 0 {
		return
	}
	for i := 1; i < len(p.all.list); i++ { // extern __typeof__(f) f __asm__("f_v2")
		if name := &p.all.list[i-1]; slices.Contains(asmWords, p.all.list[i].Text) {
			for _, f := range p.file.Functions {
				if f.Name == name.Text {
					f.Reason = relabelled(name)
				}
			}
		}
	}
	macros := make(map[string]*lex.Macro)
	for _, m := range p.pre.Constants(true) {
		macros[m.Name] = m
	}
	for _, f := range p.file.Functions {
		if other := p.pre.Renamed[f.Name]; other != "" {
			f.Reason = &ctype.Reason{Pos: f.Pos, Message: diag.NotUnderstood.New("has another name in its library, " + other + ", by #pragma redefine_extname")}
		}
		m := macros[f.Name]
		if m == nil {
			continue
		}
		const limit = 1000
		var words []string
		list, _, _ := p.pre.Alone(m, limit)
		for i := range list {
			words = append(words, list[i].Text)
		}
		if text := strings.Join(words, " "); text != f.Name {
			f.Reason = &ctype.Reason{Pos: f.Pos, Message: diag.NotUnderstood.Errorf("is a macro where the header ends, and C calls %s by it: %w", text, diag.Do("choose that function, or write #undef %s", f.Name))}
		}
	}
}

// readFunction reads the parameters and the result of o.
func (p *parser) readFunction(name *lex.Token, o *overload) *Function {
	f := &Function{Name: name.Text, Pos: name.Pos(), Reason: o.own(p.unit)}
	if o.relabelled() {
		f.Reason = relabelled(name)
	}
	if convention := o.convention(); convention != "" {
		f.Reason = reasonf(name, diag.NotUnderstood, "has another calling convention, by %s", convention)
	}
	for _, param := range o.params {
		f.Params = append(f.Params, FunctionParam{param.name, param.typ, param.extent})
	}
	f.Result = o.result
	return f
}

// sameTypes reports whether f and g have the same parameters and results.
func (f *Function) sameTypes(g *Function) bool {
	return slices.EqualFunc(f.Params, g.Params, func(a, b FunctionParam) bool { return a.Type.Demangled() == b.Type.Demangled() }) &&
		f.Result.Demangled() == g.Result.Demangled()
}

// newOverload returns the function that the part s of the declaration c declares.
func (p *parser) newOverload(c cursor, s *part, t *templateHead, r *record) *function {
	o := &overload{whole: c, parameters: s.parameters, body: s.body, scope: p.scope, order: p.scope.root().count + 1, operator: s.operatorAt(c)}
	if t != nil && !t.empty {
		o.head = t
	}
	if r != nil {
		o.of, o.private = r.typ, r.private
	}
	for i := c.i; i < s.parameters; i++ {
		switch l := &c.list[i]; {
		case l.Is("constexpr"), l.Is("consteval"):
			o.constexpr = true
		case l.Is("static"), l.Is("friend"):
			o.static = true
		}
	}
	return &function{overloads: []*overload{o}, owner: p.scope, many: t != nil && (t.empty || t.nested)}
}

// specialisedFunction notes that the function template, or member of an instance, that c names
// has an explicit specialisation: which of them a call means is not understood.
func (p *parser) specialisedFunction(c cursor, s *part) {
	if at := s.operatorAt(c); at > s.begin && c.list[at-1].Is("::") {
		if path := c.piece(s.begin, at-1); s.parameters > at {
			if f := p.name(&path); p.scopeOf(f.entity) != nil {
				for name, e := range p.scopeOf(f.entity).names {
					if strings.HasPrefix(name, operatorName) && e.function != nil {
						e.function.overloads, e.function.many = nil, true
					}
				}
			}
		}
		return
	}
	begin := -1 // of the name before the parameters
	for scan := c; scan.i < s.parameters; {
		switch l := scan.peek(); {
		case l.Kind == lex.Ident && (begin < 0 || !scan.before().Is("::")):
			begin = scan.i
		case l.Is("<"):
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.next()
	}
	if begin < 0 {
		return
	}
	name := c.piece(begin, s.parameters)
	if f := p.name(&name); f.entity != nil && f.entity.function != nil {
		f.entity.function.overloads, f.entity.function.many = nil, true
	}
}

// friendFunctions notes the functions among the friends that o declares: a class has them for its operands and
// arguments only.
func (p *parser) friendFunctions(c cursor, o outline) {
	p.scope.befriends = true
	for i := range o.parts {
		if one := &o.parts[i]; one.function {
			name := one.operatorName(c)
			if plain := one.plainName(c); plain != nil {
				name = plain.Text
			}
			if name != "" {
				p.scope.declare(friendName+name, &entity{function: &function{many: true}, at: c.peek().At})
			}
		}
	}
}

// method takes from a member function what matters for the layout of its class.
func (p *parser) method(c cursor, one *part, r *record) {
	special := false
	if one.name >= 0 {
		name := &c.list[one.name]
		special = name.Text == r.typ.Name || one.name > one.begin && c.list[one.name-1].Is("~") ||
			name.Is("=") && c.list[one.name-1].Is("operator")
	}
	for i := c.i; i < one.begin; i++ {
		if c.list[i].Is("virtual") {
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		}
	}
	behind := c.piece(one.end, one.stop)
	defaulted := false
	for behind.more() && behind.i != one.body {
		switch l := behind.peek(); {
		case l.Is("override"), l.Is("final"):
			r.typ.Virtual = true
			notPOD(r.typ, ctype.PODNo)
		case l.Is("default"), l.Is("delete"):
			defaulted = true
		}
		behind.skip()
	}
	p.special[r.typ] = p.special[r.typ] || special
	switch {
	case special && defaulted:
		notPOD(r.typ, ctype.PODUnsure)
	case special:
		notPOD(r.typ, ctype.PODNo)
	}
}

// launchBodies notes the functions among the declarators of o in whose bodies launches stand, or uses of
// launchers. r is the class whose members they are, nil outside of one.
func (p *parser) launchBodies(whole cursor, o *outline, t *templateHead, r *record) {
	for i := range o.parts {
		one := o.parts[i]
		if !one.function || one.body < 0 || p.local > 0 && p.localBodies == nil {
			continue
		}
		b := launchBody{whole: whole, function: one, head: t, scope: p.scope, root: p.rootOf(whole.peek()), entities: p.scope.root().count, kernels: len(p.kernels.order)}
		switch {
		case p.local > 0:
			*p.localBodies = append(*p.localBodies, b)
		case p.launches.launchesIn(whole, p.scope):
			p.launches.noteBody(b, r, p.readingOf)
		case r == nil || t == nil && p.readingOf == nil:
			p.launches.others = append(p.launches.others, b)
		}
	}
}

// A lambda is a lambda-expression: C++ standard, [expr.prim.lambda].
type lambda struct {
	captures   cursor
	template   cursor // its template parameters; empty for none
	parameters cursor
	mutable    bool
	body       cursor
	end        int // index behind it
}

// lambdaAt returns the lambda that begins at c. ok is false when none does.
func lambdaAt(c cursor) (l lambda, ok bool) {
	if before := c.before(); !c.peek().Is("[") || c.ahead(1).Is("[") || before.Is(")") || before.Is("]") || before.Is(">") ||
		before.Kind == lex.Ident && !notDeclaring[before.Text] && !before.Is("case") && !before.Is("else") || before.Kind == lex.String {
		return l, false // an index, or an attribute
	}
	if l.captures, ok = c.group(); !ok {
		return l, false
	}
	if c.peek().Is("<") {
		if l.template, ok = c.angles(); !ok {
			return l, false
		}
	}
	if c.peek().Is("(") {
		if l.parameters, ok = c.group(); !ok {
			return l, false
		}
	}
	for c.more() && !c.peek().Is("{") {
		switch next := c.peek(); {
		case next.Is(";"), next.Is(","), next.Is("="), next.Is(")"), next.Is("]"), next.Is("}"):
			return l, false
		case next.Is("mutable"):
			l.mutable = true
		}
		c.skip()
	}
	l.body, ok = c.group()
	l.end = c.i
	return l, ok
}

// lambdaConstant declares the constant called name, whose initializer stands at c, as a function, if it is a lambda without
// captures: it is called as one, and nothing else is known of it. It reports whether it is.
func (p *parser) lambdaConstant(c cursor, name *lex.Token) bool {
	if !c.accept("=") {
		return false
	}
	l, ok := lambdaAt(c)
	if !ok || l.captures.more() || l.template.tokens != nil || l.parameters.tokens == nil || name.Doubtful || p.local > 0 ||
		slices.ContainsFunc(p.split(l.parameters), abbreviates) || l.end < c.stop && !c.list[l.end].Is(";") && !c.list[l.end].Is(",") {
		return false
	}
	o := &overload{whole: c.piece(c.i, l.end), parameters: l.parameters.i - 1, body: l.body.i - 1, constexpr: true, lambda: true, scope: p.scope, order: p.scope.root().count + 1, operator: -1}
	p.scope.declare(name.Text, &entity{function: &function{overloads: []*overload{o}, owner: p.scope}, at: name.At})
	return true
}
