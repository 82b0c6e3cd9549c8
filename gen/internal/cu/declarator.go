package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A declarator is one name with the type that the declaration gives it.
type declarator struct {
	name       *lex.Token // nil when there is none
	typ        ctype.Type
	attributes []attribute
	doubt      *ctype.Reason // an attribute that compilers understand differently
	named      bool          // it has a name: what is in parentheses before one is not a list of parameters
	declared   ctype.Type    // of a parameter: typ with the qualifiers of its own
	extent     int64         // of a parameter: the elements of the array that it was declared as; 0 for none
	unsized    *constError   // an array whose first bound is absent, 0 or not constant; its Len is 1
	space      *lex.Token    // the word for the memory of a device that stands in it; nil for none
	depth      int
}

// declarator reads pointers, a name, and the array bounds and parameters around the
// type t: C++ standard, [dcl.decl]. Outer ones stand further from the name.
func (r resolver) declarator(c *cursor, t ctype.Type) (d declarator, reason *ctype.Reason) {
	reason = r.outermost(c, t, &d)
	return d, reason
}

// namedDeclarator is declarator where a name must be: in declarations other than of
// parameters.
func (r resolver) namedDeclarator(c *cursor, t ctype.Type) (d declarator, reason *ctype.Reason) {
	d.named = true
	reason = r.outermost(c, t, &d)
	return d, reason
}

// outermost reads a whole declarator into d.
func (r resolver) outermost(c *cursor, t ctype.Type, d *declarator) *ctype.Reason {
	at := c.before()
	switch reason := r.declare(c, t, d); {
	case reason != nil:
		return reason
	case d.doubt != nil:
		return d.doubt
	case deduced(d.typ):
		return reasonf(at, diag.NotUnderstood, "has type auto, which only the compiler knows (%w)", diag.Do("write the type out"))
	}
	return nil
}

func (r resolver) declare(c *cursor, t ctype.Type, d *declarator) *ctype.Reason {
	if d.depth++; d.depth > deepestNesting {
		return reasonf(c.peek(), diag.NotUnderstood, "has more than %d parentheses in its declaration", deepestNesting)
	}
	t, reason := r.indirections(c, t, d)
	if reason != nil {
		return reason
	}
	var inner cursor
	nested := false
	l := c.peek()
	switch {
	case l.Is("(") && (d.named && d.name == nil || r.nestedDeclarator(c)):
		inner, nested = c.group()
	case l.Kind == lex.Ident && !l.Is("final") && !l.Is("override"):
		if c.ahead(1).Is("::") {
			return reasonf(l, diag.NotUnderstood, "has a qualified name, which is not understood")
		}
		d.name = c.next()
	}
	d.attributes = append(d.attributes, readAttributes(c)...)
	begin := c.i
	if t, reason = r.suffixes(c, t, d, nested); reason != nil {
		return reason
	}
	suffixed := c.i > begin
	found := readAttributes(c)
	for i := range found {
		if suffixed && !found[i].gnu {
			d.doubted(&found[i], "the bounds of an array")
		}
	}
	d.attributes = append(d.attributes, found...)
	if !nested {
		d.typ = t
		return nil
	}
	reason = r.declare(&inner, t, d)
	return ended(inner, reason)
}

// nestedDeclarator reports whether the parenthesis at c holds a declarator, and not the
// parameters of a function.
func (r resolver) nestedDeclarator(c *cursor) bool {
	l := c.ahead(1)
	switch {
	case l.Is("*"), l.Is("&"), l.Is("&&"), l.Is("("), l.Is("["):
		return true
	case l.Kind != lex.Ident:
		return false
	case callConventions[l.Text], attributeWords[l.Text], isSpace(l):
		return true
	case scalarWords[l.Text], l.Is("const"), l.Is("volatile"), l.Is("struct"), l.Is("typename"), l.Is("unsigned"):
		return false
	}
	// int (x): x is a name, unless it is a type.
	inside, ok := c.piece(c.i, c.stop), false
	if inside, ok = inside.group(); ok && points(&inside) {
		return true
	}
	e := r.scope.lookup(l.Text)
	return c.ahead(2).Is(")") && (e == nil || e.typ == nil) && ctype.Known(l.Text) == nil
}

// indirections reads *, & and && with their qualifiers.
func (r resolver) indirections(c *cursor, t ctype.Type, d *declarator) (ctype.Type, *ctype.Reason) {
	first := readAttributes(c)
	if d.depth > 1 {
		r.leaking(first)
	}
	d.attributes = append(d.attributes, first...)
	for depth := 0; ; depth++ {
		d.attributes = append(d.attributes, readAttributes(c)...)
		for isSpace(c.peek()) { // behind no *: compilers ignore it
			c.next()
			d.attributes = append(d.attributes, readAttributes(c)...)
		}
		l := c.peek()
		if depth > deepestNesting {
			return nil, reasonf(l, diag.NotUnderstood, "has more than %d pointers in its type", deepestNesting)
		}
		reference, isReference := ctype.Unalias(t).(*ctype.Reference)
		switch {
		case l.Kind == lex.Ident && callConventions[l.Text]:
			c.next()
		case isReference && (l.Is("&") || l.Is("&&")):
			// Only through another name: C++ standard, [dcl.ref], reference collapsing.
			if ctype.Type(reference) == t && (depth > 0 || d.depth > 1) {
				return nil, reasonf(l, diag.NotUnderstood, "is a pointer or reference to a reference")
			}
			t = &ctype.Reference{Elem: reference.Elem, RValue: reference.RValue && l.Is("&&")}
			c.next()
		case isReference && l.Is("*"):
			return nil, invalidType(l, "is a pointer or reference to a reference")
		case (l.Is("&") || l.Is("&&")) && isVoid(t):
			return nil, invalidType(l, "is a reference to void")
		case l.Is("*"):
			c.next()
			var q ctype.Qualified
			for qualifier(c, &q) || r.behindPointer(c, d) {
			}
			t = qualify(&ctype.Pointer{Elem: t}, q)
		case l.Is("&"), l.Is("&&"):
			c.next()
			t = &ctype.Reference{Elem: t, RValue: l.Text == "&&"}
			var q ctype.Qualified
			for qualifier(c, &q) || isSpace(c.peek()) && r.behindPointer(c, d) {
			}
		case pointsToMember(c):
			class, reason := r.memberOf(c)
			if reason != nil {
				return nil, reason
			}
			var q ctype.Qualified
			for qualifier(c, &q) || r.behindPointer(c, d) {
			}
			t = qualify(&ctype.MemberPointer{Class: class, Elem: t}, q)
		default:
			return t, nil
		}
	}
}

// invalidType says what is wrong with a type that C++ does not have.
func invalidType(at *lex.Token, what string) *ctype.Reason {
	reason := reasonf(at, diag.NotUnderstood, "%s", what)
	reason.Failed = true
	return reason
}

// behindPointer reads attributes behind a *, and reports whether there were any. Compilers
// give those of GCC's form to what is declared; of the others they make different things.
func (r resolver) behindPointer(c *cursor, d *declarator) bool {
	if isSpace(c.peek()) {
		d.placed(c.next())
		return true
	}
	found := readAttributes(c)
	for i := range found {
		if !found[i].gnu {
			d.doubted(&found[i], "a *")
		}
	}
	d.attributes = append(d.attributes, found...)
	return len(found) > 0
}

// placed notes a word for a memory space. One that stands further behind wins over __device__.
func (d *declarator) placed(word *lex.Token) {
	if spaces[word.Text] && (d.space == nil || d.space.Is("__device__")) {
		d.space = word
	}
}

// doubted notes an attribute that stands where compilers understand it differently: in C++
// it belongs to the type there, which has no alignment of its own.
func (d *declarator) doubted(a *attribute, behind string) {
	if !harmless[a.kind] && d.doubt == nil {
		d.doubt = reasonf(a.name, diag.CompilersDiffer, "has attribute %s behind %s, where compilers understand it differently (%w)", a.name.Text, behind, diag.Do("write it before the type"))
	}
}

// leaking reports attributes that begin a declarator in parentheses. nvcc 13.0 gives such an
// alignment to the type before it, int say, and so to every int behind it.
func (u *unit) leaking(attributes []attribute) {
	for i := range attributes {
		if a := &attributes[i]; !harmless[a.kind] {
			u.errorf(a.name, diag.CompilersDiffer, "attribute %s begins a declarator in parentheses, which nvcc gives to the type before it, everywhere behind it (%w)", a.name.Text, diag.Do("write it before the type"))
		}
	}
}

// pointsToMember reports whether X::* stands at c.
func pointsToMember(c *cursor) bool {
	if l := c.peek(); l.Kind != lex.Ident && !l.Is("::") {
		return false
	}
	inside := *c
	inside.accept("::")
	for inside.peek().Kind == lex.Ident {
		inside.next()
		if inside.peek().Is("<") {
			if _, ok := inside.angles(); !ok {
				return false
			}
		}
		if !inside.accept("::") {
			return false
		}
		inside.accept("template")
	}
	return inside.peek().Is("*") && inside.before().Is("::")
}

// points reports whether list, in parentheses, begins a declarator, and not parameters.
func points(list *cursor) bool {
	l := list.peek()
	switch {
	case l.Is("*"), l.Is("&"), l.Is("&&"), l.Is("("), l.Kind == lex.Ident && callConventions[l.Text]:
		return true
	}
	return pointsToMember(list)
}

// memberOf reads X::* and returns the class X.
func (r resolver) memberOf(c *cursor) (ctype.Type, *ctype.Reason) {
	at := c.peek()
	class, reason := r.named(c)
	if reason != nil {
		return nil, reason
	}
	c.accept("::")
	c.accept("*")
	if _, ok := ctype.Unqualified(class).(*ctype.Struct); !ok {
		reason := reasonf(at, diag.NotUnderstood, "is a pointer to a member of %s, which is not a class", class)
		reason.Failed = !isClass(class) && r.matched == 0
		return nil, reason
	}
	return class, nil
}

// suffixes reads the array bounds or the parameters behind a name and returns the type.
func (r resolver) suffixes(c *cursor, t ctype.Type, d *declarator, nested bool) (ctype.Type, *ctype.Reason) {
	if c.peek().Is("(") && (nested || d.name == nil || !initializes(c)) {
		inside, ok := c.group()
		if !ok {
			return nil, reasonf(c.peek(), diag.Unbalanced, "has parameters that are not closed")
		}
		if isArrayType(t) || isFunction(t) {
			return nil, invalidType(c.before(), "is a function that returns an array or a function")
		}
		f := &ctype.Function{Result: t}
		if reason := r.functionParameters(inside, f); reason != nil {
			return nil, reason
		}
		return f, r.behindFunctionType(c, f, d)
	}
	return r.bounds(c, t, d, nested)
}

// behindFunctionType reads the qualifiers behind the parameters of a function, what it
// throws, and a trailing type.
func (r resolver) behindFunctionType(c *cursor, f *ctype.Function, d *declarator) *ctype.Reason {
	for {
		switch l := c.peek(); {
		case l.Is("const"), l.Is("volatile"):
			c.next()
			f.Const, f.Volatile = f.Const || l.Is("const"), f.Volatile || l.Is("volatile")
		case l.Is("&"), l.Is("&&"):
			f.Ref = c.next().Text
		case l.Is("throw"):
			c.next()
			c.group()
		case l.Is("noexcept"):
			c.next()
			f.NoExcept = true
			if inside, ok := c.group(); ok {
				v, failure := r.evaluate(inside)
				if failure != nil {
					return reasonf(&failure.at, failure.Code, "has noexcept with a condition that is not understood: %w", failure)
				}
				f.NoExcept = v.bits != 0
			}
		case l.Is("->"):
			if c.next(); f.Result != ctype.Type(trailingAuto) {
				return reasonf(l, diag.NotUnderstood, "has a trailing type, and is not auto")
			}
			s := r.specifiers(c, nil)
			if s.reason != nil {
				return s.reason
			}
			trailing, reason := r.declarator(c, s.typ)
			f.Result = trailing.typ
			return reason
		default:
			found := readAttributes(c)
			if len(found) == 0 {
				return nil
			}
			d.attributes = append(d.attributes, found...)
		}
	}
}

// initializes reports whether the parenthesis at c holds an initializer, as in
// const int n(3), and not parameters.
func initializes(c *cursor) bool {
	l := c.ahead(1)
	return l.Kind == lex.Number || l.Kind == lex.String || l.Kind == lex.Char || l.Is("-")
}

// functionParameters reads the parameters of a function type.
func (r resolver) functionParameters(c cursor, f *ctype.Function) *ctype.Reason {
	if c.peek().Is("void") && c.i+1 == c.stop {
		return nil
	}
	if !r.work.enter(deepestNesting) {
		return reasonf(c.peek(), diag.NotUnderstood, "is nested too deeply")
	}
	defer r.work.leave()
	list, reason := r.expandAll(r.split(c))
	if reason != nil {
		return reason
	}
	for _, one := range list {
		if one.peek().Is("...") {
			f.Variadic = true
			continue
		}
		d, reason := r.parameterOf(one)
		switch {
		case reason != nil:
			return reason
		case isVoid(d.typ):
			return invalidType(one.peek(), "has a parameter of type void")
		}
		f.Params = append(f.Params, d.typ)
	}
	return r.tooLong(c.peek(), f)
}

// bounds reads array bounds and returns the type.
func (r resolver) bounds(c *cursor, t ctype.Type, d *declarator, nested bool) (ctype.Type, *ctype.Reason) {
	var lengths []int64
	holes := make(map[int]*hole) // bounds that are parameters in a pattern
	at := c.peek()
	for c.peek().Is("[") && !c.ahead(1).Is("[") {
		open := c.peek()
		inside, ok := c.group()
		if !ok {
			return nil, reasonf(open, diag.Unbalanced, "has an array bound that is not closed")
		}
		n := int64(1)
		if arg, ok := r.holeArgument(inside); ok {
			holes[len(lengths)] = r.holeOf[arg.Type.(*ctype.Struct)]
			lengths = append(lengths, n)
			continue
		}
		v, failure := r.evaluate(inside)
		empty := !inside.more()
		if failure == nil {
			if n, ok = v.int64(); !ok || n < 0 {
				return nil, invalidType(open, "has an array bound that is negative")
			}
			if empty = n == 0; empty {
				n, failure = 1, &constError{at: inside.end, Message: diag.NoLayout.New("it is 0")}
			}
		}
		switch {
		case failure == nil:
		case len(lengths) == 0 && !nested:
			d.unsized = failure
		case empty:
			return nil, reasonf(open, diag.NoLayout, "has an array of no elements, or without a bound, in its type (%w)", diag.Do("write a pointer to the elements"))
		default:
			return nil, reasonf(&failure.at, failure.Code, "has an array bound that is not understood: %w", failure)
		}
		lengths = append(lengths, n)
	}
	if len(lengths) == 0 {
		return t, nil
	}
	switch ctype.Unqualified(t).(type) {
	case *ctype.Reference:
		return nil, invalidType(at, "is an array of references")
	case *ctype.Function:
		return nil, invalidType(at, "is an array of functions")
	case *ctype.Basic:
		if isVoid(t) {
			return nil, invalidType(at, "is an array of void")
		}
	}
	if len(lengths) > deepestNesting {
		return nil, reasonf(at, diag.NotUnderstood, "has more than %d array bounds", deepestNesting)
	}
	for i := len(lengths) - 1; i >= 0; i-- {
		array := &ctype.Array{Elem: t, Len: lengths[i]}
		if h := holes[i]; h != nil {
			r.arrayHoles[array] = &arrayHole{h}
		}
		t = array
	}
	return t, nil
}

// parameterType reads the type of a parameter, adjusted as a function's type has it:
// C++ standard, [dcl.fct].
func (r resolver) parameterType(c *cursor) (d declarator, reason *ctype.Reason) {
	if c.peek().Is("...") {
		return d, reasonf(c.peek(), diag.KernelDeclaration, "is an ellipsis, which kernels cannot have")
	}
	s := r.specifiers(c, nil)
	if s.reason != nil {
		return d, s.reason
	}
	if c.peek().Is("...") {
		return d, reasonf(c.peek(), diag.Template, "is a pack of parameters, which only an instance has")
	}
	d, reason = r.declarator(c, s.typ)
	if reason != nil {
		return d, reason
	}
	align, reason := r.alignment(append(s.attributes, d.attributes...))
	if reason != nil {
		return d, reason
	}
	at := c.peek()
	if align != 0 {
		return d, reasonf(s.at, diag.NotUnderstood, "has an alignment of its own, which is not understood (%w)", diag.Do("align its type"))
	}
	switch {
	case c.accept("="):
		for c.more() {
			if l := c.peek(); l.Is("<") {
				if r.namesTemplate(c.before()) {
					if _, ok := c.angles(); ok {
						continue
					}
				}
				if e := r.scope.lookup(c.before().Text); c.before().Kind == lex.Ident && (e == nil || e.constant == nil) {
					return d, reasonf(l, diag.NotUnderstood, "has a default argument with < in it, which is not understood (%w)", diag.Do("put it in parentheses"))
				}
			}
			c.skip()
		}
	case c.more():
		return d, unexpected(at)
	}
	if array, ok := ctype.Unqualified(d.typ).(*ctype.Array); ok && d.unsized == nil {
		d.extent = array.Len
	}
	if d.declared = d.typ; isArrayType(d.typ) || isFunction(d.typ) {
		d.declared = adjusted(d.typ)
	}
	d.typ = adjusted(d.typ)
	return d, nil
}

// functionParam reads one parameter.
func (r resolver) functionParam(c cursor) (param functionParam, reason *ctype.Reason) {
	for scan := c; scan.more(); {
		switch {
		case scan.peek().Is("..."):
			return param, reasonf(scan.peek(), diag.NotUnderstood, "has an ellipsis, which is not understood here")
		case scan.peek().Is("="):
			param.fallback = scan.piece(scan.i+1, scan.stop)
			c = c.piece(c.i, scan.i)
			scan.i = scan.stop
			continue
		case scan.peek().Is("<"):
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.skip()
	}
	d, reason := r.parameterType(&c)
	if reason != nil {
		return param, reason
	}
	if param.typ, param.declared = d.typ, d.declared; ofAuto(d.typ, autoType) {
		return param, reasonf(c.peek(), diag.NotUnderstood, "has no type that is understood (unexpected %s)", autoType.Name)
	}
	param.extent = d.extent
	if d.name != nil {
		param.name = d.name.Text
	}
	return param, nil
}

// parameterOf reads the type of a parameter where it stands.
func (r resolver) parameterOf(one expanded) (d declarator, reason *ctype.Reason) {
	d, reason = r.in(one.scope).parameterType(&one.cursor)
	if reason == nil && one.rest != nil {
		d.typ = r.restOf(one.rest, ctype.TemplateArg{Type: d.typ})
	}
	return d, reason
}

// paramName returns the index of the name that the declaration of a template parameter
// has, -1 when it has none.
func (r resolver) paramName(c cursor) int {
	last := c.stop - 1
	for last > c.i && c.list[last].Is("]") && c.match[last] > 0 { // T (&x)[N], T x[]
		last = int(c.match[last]) - 1
	}
	if last <= c.i {
		return -1
	}
	l, before := &c.list[last], &c.list[last-1]
	switch {
	case l.Is(")"):
		// A pointer or reference to a function or array: its name is in the first
		// parentheses. Otherwise it stands before those of the parameters.
		for scan := c; scan.more(); {
			if scan.peek().Is("<") {
				if _, ok := scan.angles(); ok {
					continue
				}
			}
			at, nested := scan.i, scan.i > c.i && r.nestedDeclarator(&scan)
			inside, ok := scan.group()
			switch {
			case !ok:
				scan.next()
				continue
			case at > c.i && c.list[at-1].Is("decltype"):
				continue
			case nested && inside.i+1 == inside.stop:
				return inside.i
			case nested && inside.more() && (inside.list[inside.stop-1].Kind == lex.Ident || inside.list[inside.stop-1].Is(")")):
				return r.paramName(inside)
			case !nested && at-1 > c.i && c.list[at-1].Kind == lex.Ident && !scalarWords[c.list[at-1].Text] && !c.list[at-2].Is("::"):
				return at - 1
			}
			return -1
		}
		return -1
	case l.Kind != lex.Ident, scalarWords[l.Text], before.Is("::"), l.Is("const"), l.Is("volatile"), l.Is("auto"), l.Is("typename"), l.Is("class"):
		return -1
	}
	for i := c.i; i < last; i++ { // const T: the last word is the type
		if w := &c.list[i]; !w.Is("const") && !w.Is("volatile") {
			return last
		}
	}
	return -1
}
