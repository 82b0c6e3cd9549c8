package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A flow says how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

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
	e.scope = parameterScope(outer)
	defer func() { e.scope = outer }()
	return read()
}

// statement runs one: C++ standard, [stmt].
func (e *evaluator) statement() flow {
	e.tick()
	e.enter()
	defer func() { e.depth-- }()
	readAttributes(&e.cursor)
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
	return how
}

func (e *evaluator) semicolon() {
	if !e.accept(";") {
		e.unexpected(e.peek())
	}
}

// skipStatement steps over one statement.
func (e *evaluator) skipStatement() {
	readAttributes(&e.cursor)
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
		why := whyNot(o)
		e.fail(at, why.Code, badCondition+why.Text)
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
	head.finish()
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
	case !e.typeAhead(e.cursor):
		return false
	}
	scan := e.cursor
	spec := e.specifiers(&scan, nil)
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
	e.readType(declaration, e.scope)
}

// declaration runs the declaration of variables.
func (e *evaluator) declaration() {
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
		spec := e.specifiers(&e.cursor, nil)
		if spec.reason != nil {
			e.fail(at, spec.reason.Code, "a declaration in a constexpr function "+spec.reason.Text)
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
	at := e.peek()
	d, reason := e.declarator(&e.cursor, t)
	if reason != nil || d.name == nil {
		if reason == nil {
			e.unexpected(at)
		}
		e.fail(at, reason.Code, "a variable in a constexpr function "+reason.Text)
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

// switchStatement runs a switch whose labels stand directly in its block.
func (e *evaluator) switchStatement() flow {
	e.next()
	head := e.inner(e.head())
	at := head.peek()
	chosen := e.integral(at, head.expression())
	if chosen.unknown.Text != "" || !isInteger(chosen.typ) {
		why := whyNot(chosen)
		e.fail(at, why.Code, badCondition+why.Text)
	}
	open := e.peek()
	inside, ok := e.group()
	if !ok || !open.Is("{") {
		e.unexpected(open)
	}
	target := -1
	scan := e.inner(inside)
	for scan.more() {
		switch {
		case scan.peek().Is("default"):
			if target < 0 {
				target = scan.i
			}
			scan.label()
		case scan.peek().Is("case"):
			begin := scan.i
			scan.next()
			label := scan.ternary()
			equal := scan.labelled(chosen, scan.integral(scan.peek(), label))
			scan.i = begin
			scan.label()
			if equal {
				target, scan.i = begin, scan.stop
			}
		default:
			scan.skipStatement()
		}
	}
	if target < 0 {
		return flowNext
	}
	inside.i = target
	how := e.within(inside, func(inner *evaluator) flow { return inner.scoped(inner.block) })
	if how == flowBreak {
		return flowNext
	}
	return how
}

// labelled reports whether the label of a case is that of the value chosen.
func (e *evaluator) labelled(chosen, label operand) bool {
	if label.unknown.Text != "" || !isInteger(label.typ) {
		why := whyNot(label)
		e.fail(e.peek(), why.Code, "a label is not understood: "+why.Text)
	}
	return label.bits == chosen.bits
}

// label steps over case …: or default:.
func (e *evaluator) label() {
	if e.next().Is("case") {
		dead := e.dead
		e.dead++
		e.ternary()
		e.dead = dead
	}
	if !e.accept(":") {
		e.unexpected(e.peek())
	}
}
