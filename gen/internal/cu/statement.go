package cu

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A frame is a call of a constexpr function.
type frame struct {
	self   *operand // the object of a member function
	result ctype.Type
	auto   bool // the return decides the result
	value  operand
	order  int32 // of the function
}

// A flow says how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// invoke evaluates the call of c: C++ standard, [dcl.constexpr], [expr.const].
func (e *evaluator) invoke(name found, c *candidate, args []operand, self *operand) operand {
	p := e.parser
	result := operand{typ: c.result}
	if c.result != nil {
		if r, ok := ctype.Unqualified(c.result).(*ctype.Reference); ok {
			result = operand{typ: r.Elem, lvalue: !r.RValue, xvalue: r.RValue}
		}
	}
	if self == nil && c.of != nil && !c.static && e.frame != nil {
		self = e.frame.self
	}
	switch {
	case e.dead > 0:
		result.unknown = notEvaluated
	case !c.constexpr:
		result.unknown = diag.ConstantExpression.Errorf("the value of function %s is not known here: it is not constexpr", name.text)
	case self == nil && c.of != nil && !c.static:
		result.unknown = diag.ConstantExpression.Errorf("the value of function %s is not known here: it is a member, and its object is not known", name.text)
	case c.body < 0:
		result.unknown = diag.ConstantExpression.Errorf("the value of function %s is not known here: it is not defined here", name.text)
	}
	if result.unknown.Text != "" {
		return result
	}
	inner := newScope("", c.scope)
	inner.parameters = true
	for _, name := range c.packs {
		inner.declare(name, &entity{obscure: aPack, pack: []*entity{}})
	}
	for i := range c.params {
		e.bindParameter(name, inner, &c.params[i], c, i, args)
	}
	f := &frame{self: self, result: c.result, auto: c.result == nil, order: c.order}
	body := c.whole.piece(c.body, c.whole.stop)
	inside, ok := body.group()
	if !ok {
		e.unexpected(name.last)
	}
	run := e.inner(inside)
	run.scope, run.frame, run.dead, run.depth = inner, f, 0, 0
	outer := p.scope
	p.scope = inner
	defer func() { p.scope = outer }()
	if run.block() != flowReturn && !f.auto && !isVoid(c.result) {
		e.fail(name.last, diag.NotUnderstood, fmt.Sprintf("function %s returns nothing", name.text))
	}
	return f.value
}

func isVoid(t ctype.Type) bool {
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	return ok && basic.Kind == ctype.Void
}

// bindParameter declares the parameter number i of c as the variable that args initialise.
func (e *evaluator) bindParameter(name found, s *scope, param *functionParam, c *candidate, i int, args []operand) {
	var arg operand
	if i < len(args) {
		arg = args[i]
	} else {
		o, failure := e.parser.operand(param.fallback, c.scope)
		if failure != nil {
			panic(failure)
		}
		arg = o
	}
	made := &operand{}
	if r, ok := ctype.Unqualified(param.typ).(*ctype.Reference); ok && sameType(r.Elem, arg.typ) {
		if arg.place != nil {
			made = arg.place
		} else {
			*made = e.owned(arg)
			made.typ = r.Elem
		}
	} else {
		t := param.typ
		if ok {
			t = r.Elem
		}
		if arg.unknown.Text == "" {
			if _, class := classOf(arg.typ); class && builtin(t) != nil {
				arg = e.userConverted(name.last, arg, t, false)
			}
			o, failure := converted(arg, t, false)
			if failure != "" {
				e.fail(name.last, diag.NotUnderstood, fmt.Sprintf("argument %d of %s %s", i+1, name.text, failure))
			}
			arg = o
		}
		*made = e.owned(arg)
		made.typ = t
	}
	local := &entity{local: made, declares: param.typ, at: name.last.At}
	switch pack := s.names[param.name]; {
	case param.pack && pack != nil:
		pack.pack = append(pack.pack, local)
	case !param.pack:
		s.declare(param.name, local)
	}
}

// tick counts a step of a function.
func (e *evaluator) tick() {
	if e.parser.calls--; e.parser.calls < 0 || e.parser.work.spent() {
		e.fail(e.peek(), diag.ConstantExpression, "constant expressions call too many functions")
	}
}

// owned returns o with elements of its own, which count as steps.
func (e *evaluator) owned(o operand) operand {
	e.parser.calls -= o.size()
	e.tick()
	return o.copied()
}

// block runs the statements up to the end of the cursor.
func (e *evaluator) block() flow {
	for e.more() {
		if how := e.statement(); how != flowNext {
			return how
		}
	}
	return flowNext
}

// scoped runs read in a scope of its own.
func (e *evaluator) scoped(read func() flow) flow {
	outer := e.scope
	e.scope = newScope("", outer)
	e.scope.parameters = true
	e.parser.scope = e.scope
	defer func() { e.scope, e.parser.scope = outer, outer }()
	return read()
}

// statement runs one: C++ standard, [stmt].
func (e *evaluator) statement() flow {
	e.tick()
	e.enter()
	defer func() { e.depth-- }()
	e.parser.attributes(&e.cursor)
	l := e.peek()
	switch {
	case l.Is(";"):
		e.next()
	case l.Is("{"):
		inside, ok := e.group()
		if !ok {
			e.unexpected(l)
		}
		return e.within(inside, func(inner *evaluator) flow { return inner.scoped(inner.block) })
	case l.Is("if"):
		return e.scoped(e.ifStatement)
	case l.Is("for"):
		return e.scoped(e.forStatement)
	case l.Is("while"):
		return e.scoped(e.whileStatement)
	case l.Is("do"):
		return e.doStatement()
	case l.Is("switch"):
		return e.scoped(e.switchStatement)
	case l.Is("return"):
		e.next()
		return e.returnStatement(l)
	case l.Is("break"):
		e.next()
		e.semicolon()
		return flowBreak
	case l.Is("continue"):
		e.next()
		e.semicolon()
		return flowContinue
	case l.Is("case"), l.Is("default"):
		e.label()
	case l.Is("static_assert"):
		e.skipStatement()
	case l.Is("using"), l.Is("typedef"):
		e.declareType(l)
	case e.declares():
		e.declaration()
	default:
		e.expression()
		e.semicolon()
	}
	return flowNext
}

// within runs read over c.
func (e *evaluator) within(c cursor, read func(*evaluator) flow) flow {
	inner := e.inner(c)
	how := read(&inner)
	e.parser.scope = e.scope
	return how
}

func (e *evaluator) semicolon() {
	if !e.accept(";") {
		e.unexpected(e.peek())
	}
}

// skipStatement steps over one statement.
func (e *evaluator) skipStatement() {
	e.parser.attributes(&e.cursor)
	switch l := e.peek(); {
	case l.Is("{"):
		e.skip()
	case l.Is("if"):
		e.next()
		e.accept("constexpr")
		e.skip()
		e.skipStatement()
		if e.accept("else") {
			e.skipStatement()
		}
	case l.Is("for"), l.Is("while"), l.Is("switch"):
		e.next()
		e.skip()
		e.skipStatement()
	case l.Is("do"):
		e.next()
		e.skipStatement()
		e.next()
		e.skip()
		e.accept(";")
	default:
		for e.more() && !e.accept(";") {
			e.skip()
		}
	}
}

// condition reads the condition of a statement: an expression, or the declaration of a
// variable.
func (e *evaluator) holds() bool {
	at := e.peek()
	o := e.truthOf(at, e.expression())
	if o.unknown.Text != "" || !isInteger(o.typ) && !isFloat(o.typ) {
		why := e.whyNot(o)
		e.failWith(at, why.Before(badCondition))
	}
	return o.isTrue()
}

// head returns what stands in the parentheses of a statement.
func (e *evaluator) head() cursor {
	l := e.peek()
	inside, ok := e.group()
	if !ok || !l.Is("(") {
		e.unexpected(l)
	}
	return inside
}

func (e *evaluator) ifStatement() flow {
	e.next()
	e.accept("constexpr")
	head := e.inner(e.head())
	if i := head.find(";"); i >= 0 { // if (init; condition)
		head.statement()
	}
	holds := head.holds()
	if head.more() {
		e.unexpected(head.peek())
	}
	how := flowNext
	if holds {
		how = e.scoped(e.statement)
	} else {
		e.skipStatement()
	}
	if how == flowNext && e.accept("else") {
		if holds {
			e.skipStatement()
		} else {
			how = e.scoped(e.statement)
		}
	}
	return how
}

// find returns the index of the next text that is in no brackets, -1 when there is none.
func (c *cursor) find(text string) int {
	for scan := *c; scan.more(); scan.skip() {
		if scan.peek().Is(text) {
			return scan.i
		}
	}
	return -1
}

// body runs the body of a loop, and reports whether the loop ends with how.
func (e *evaluator) body(at int) (how flow, ends bool) {
	e.i = at
	switch how = e.scoped(e.statement); how {
	case flowReturn:
		return how, true
	case flowBreak:
		return flowNext, true
	}
	return flowNext, false
}

// leave steps over the body at the index at.
func (e *evaluator) leave(at int) {
	e.i = at
	e.skipStatement()
}

func (e *evaluator) forStatement() flow {
	e.next()
	at := e.peek()
	head := e.inner(e.head())
	body := e.i
	first := head.find(";")
	if first < 0 {
		e.unexpected(at) // a for over a range
	}
	head.statement()
	begin := head.i
	for {
		e.tick()
		head.i = begin
		if !head.peek().Is(";") && !head.holds() {
			break
		}
		head.semicolon()
		if how, ends := e.body(body); ends {
			if how == flowReturn {
				return how
			}
			break
		}
		if head.more() {
			head.expression()
		}
	}
	e.leave(body)
	return flowNext
}

func (e *evaluator) whileStatement() flow {
	e.next()
	head := e.inner(e.head())
	begin, body := head.i, e.i
	for {
		e.tick()
		head.i = begin
		if !head.holds() {
			break
		}
		if how, ends := e.body(body); ends {
			if how == flowReturn {
				return how
			}
			break
		}
	}
	e.leave(body)
	return flowNext
}

func (e *evaluator) doStatement() flow {
	e.next()
	body := e.i
	for {
		e.tick()
		how, ends := e.body(body)
		if how == flowReturn {
			return how
		}
		e.leave(body)
		if !e.accept("while") {
			e.unexpected(e.peek())
		}
		head := e.inner(e.head())
		if ends || !head.holds() {
			break
		}
	}
	e.semicolon()
	return flowNext
}

func (e *evaluator) returnStatement(at *lex.Token) flow {
	f := e.frame
	if e.accept(";") {
		f.value = unknownOf(ctype.Builtin(ctype.Void), aVoid)
		return flowReturn
	}
	o := e.initializer(f.result)
	e.semicolon()
	switch {
	case f.auto:
		f.value = e.owned(o)
		if o.typ != nil {
			f.value.typ = ctype.Unqualified(decayed(o.typ))
		}
	default:
		if r, ok := ctype.Unqualified(f.result).(*ctype.Reference); ok {
			if !sameType(r.Elem, o.typ) {
				e.fail(at, diag.NotUnderstood, "a reference is returned to another type, which is not understood")
			}
			f.value = o
			f.value.lvalue, f.value.xvalue, f.value.declared = !r.RValue, r.RValue, false
			break
		}
		f.value = e.owned(e.converted(at, o, f.result, false))
	}
	return flowReturn
}

// declares reports whether a declaration stands at the cursor, and no expression.
func (e *evaluator) declares() bool {
	l := e.peek()
	switch {
	case l.Is("const"), l.Is("constexpr"), l.Is("static"), l.Is("auto"), l.Is("volatile"), l.Is("register"), l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
		return true
	case !e.parser.typeAhead(e.cursor):
		return false
	}
	scan := e.cursor
	spec := e.parser.specifiers(&scan, specifierContext{})
	return spec.reason == nil && (scan.peek().Kind == lex.Ident || scan.peek().Is("*") || scan.peek().Is("&") || scan.peek().Is("&&"))
}

// declareType runs using A = T; or typedef T A;
func (e *evaluator) declareType(at *lex.Token) {
	end := e.find(";")
	if end < 0 {
		e.unexpected(at)
	}
	declaration := e.piece(e.i, end+1)
	e.i = end + 1
	if at.Is("using") {
		e.parser.using(&declaration)
	} else {
		e.parser.declarators(declaration, e.parser.outline(&declaration, nil), nil, nil)
	}
}

// declaration runs the declaration of variables.
func (e *evaluator) declaration() {
	p := e.parser
	at := e.peek()
	var t ctype.Type
	if e.accept("constexpr") || e.accept("static") {
		e.accept("constexpr")
	}
	e.accept("const")
	if e.accept("auto") {
		t = autoType
		e.accept("const")
	} else {
		spec := p.specifiers(&e.cursor, specifierContext{})
		if spec.reason != nil {
			e.failWith(at, spec.reason.Before("a declaration in a constexpr function "))
		}
		if t = spec.typ; spec.memory || spec.static {
			e.unexpected(at)
		}
	}
	for {
		name := e.variable(t)
		if name == nil || !e.accept(",") {
			break
		}
	}
	e.semicolon()
}

// variable declares one variable with its initializer.
func (e *evaluator) variable(t ctype.Type) *lex.Token {
	p := e.parser
	at := e.peek()
	d, reason := p.declarator(&e.cursor, t)
	if reason != nil || d.name == nil {
		if reason == nil {
			e.unexpected(at)
		}
		e.failWith(at, reason.Before("a variable in a constexpr function "))
	}
	reference, isReference := ctype.Unqualified(d.typ).(*ctype.Reference)
	if isReference && isAuto(reference.Elem) {
		reference = nil // of the type of its initializer
	}
	target := d.typ
	switch {
	case isAuto(d.typ):
		target = nil
	case isReference && reference != nil:
		target = reference.Elem
	case isReference:
		target = nil
	}
	made := &operand{}
	switch l := e.peek(); {
	case l.Is("="), l.Is("{"), l.Is("("):
		var o operand
		if e.accept("=") {
			o = e.initializer(target)
		} else if l.Is("{") {
			o = e.initializer(target)
		} else {
			o = e.operand(l)
		}
		if isReference && o.place != nil && (target == nil || sameType(target, o.typ)) {
			made = o.place
			break
		}
		declared := d.typ
		if target == nil {
			target = ctype.Unqualified(decayed(orVoid(o.typ)))
			declared = target
		} else if d.unsized != nil {
			declared = o.typ
			target = o.typ
		} else if o.unknown.Text == "" {
			o = e.converted(l, o, target, false)
		}
		*made = e.owned(o)
		made.typ = declared
		if isReference {
			made.typ = target
		}
		d.typ = made.typ
	case d.unsized != nil, isReference, target == nil:
		e.fail(at, diag.NotUnderstood, "a variable in a constexpr function has no initializer")
	default:
		*made = e.blank(d.name, d.typ)
	}
	e.scope.declare(d.name.Text, &entity{local: made, declares: d.typ, at: d.name.At})
	return d.name
}

func orVoid(t ctype.Type) ctype.Type {
	if t == nil {
		return ctype.Builtin(ctype.Void)
	}
	return t
}
