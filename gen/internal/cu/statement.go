package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An execution runs the statements of a constexpr function that is called: C++ standard, [stmt], [dcl.constexpr].
type execution struct{ evaluator }

// A flow says how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// block runs the statements up to the end of the cursor.
func (x *execution) block() flow {
	for x.more() {
		if how := x.statement(); how != flowNext {
			return how
		}
	}
	return flowNext
}

// scoped runs read in a scope of its own.
func (x *execution) scoped(read func() flow) flow {
	outer := x.scope
	x.scope = parameterScope(outer)
	defer func() { x.scope = outer }()
	return read()
}

// statement runs one: C++ standard, [stmt].
func (x *execution) statement() flow {
	x.tick()
	x.enter()
	defer func() { x.depth-- }()
	readAttributes(&x.cursor)
	l := x.peek()
	switch {
	case l.Is(";"):
		x.next()
	case l.Is("{"):
		inside, ok := x.group()
		if !ok {
			x.unexpected(l)
		}
		return x.compound(inside)
	case l.Is("if"):
		return x.scoped(x.ifStatement)
	case l.Is("for"):
		return x.scoped(x.forStatement)
	case l.Is("while"):
		return x.scoped(x.whileStatement)
	case l.Is("do"):
		return x.doStatement()
	case l.Is("switch"):
		return x.scoped(x.switchStatement)
	case l.Is("return"):
		x.next()
		return x.returnStatement(l)
	case l.Is("break"):
		x.next()
		x.semicolon()
		return flowBreak
	case l.Is("continue"):
		x.next()
		x.semicolon()
		return flowContinue
	case l.Is("case"), l.Is("default"):
		x.label()
	case l.Is("static_assert"):
		x.skipStatement()
	case l.Is("using"), l.Is("typedef"):
		x.declareType(l)
	case x.declares():
		x.declaration()
	default:
		x.expression()
		x.semicolon()
	}
	return flowNext
}

// part returns the execution of c, in the place of x.
func (x *execution) part(c cursor) execution { return execution{x.inner(c)} }

// compound runs the statements between braces.
func (x *execution) compound(inside cursor) flow {
	inner := x.part(inside)
	return inner.scoped(inner.block)
}

func (x *execution) semicolon() {
	if !x.accept(";") {
		x.unexpected(x.peek())
	}
}

// skipStatement steps over one statement.
func (x *execution) skipStatement() {
	readAttributes(&x.cursor)
	switch l := x.peek(); {
	case l.Is("{"):
		x.skip()
	case l.Is("if"):
		x.next()
		x.accept("constexpr")
		x.skip()
		x.skipStatement()
		if x.accept("else") {
			x.skipStatement()
		}
	case l.Is("for"), l.Is("while"), l.Is("switch"):
		x.next()
		x.skip()
		x.skipStatement()
	case l.Is("do"):
		x.next()
		x.skipStatement()
		x.next()
		x.skip()
		x.accept(";")
	default:
		for x.more() && !x.accept(";") {
			x.skip()
		}
	}
}

// condition reads the condition of a statement: an expression, or the declaration of a
// variable.
func (x *execution) holds() bool {
	at := x.peek()
	o := x.truthOf(at, x.expression())
	if o.unknown.Text != "" || !isInteger(o.typ) && !isFloat(o.typ) {
		why := whyNot(o)
		x.failWith(at, why.Before(badCondition))
	}
	return o.isTrue()
}

// head returns what stands in the parentheses of a statement.
func (x *execution) head() cursor {
	l := x.peek()
	inside, ok := x.group()
	if !ok || !l.Is("(") {
		x.unexpected(l)
	}
	return inside
}

func (x *execution) ifStatement() flow {
	x.next()
	x.accept("constexpr")
	head := x.part(x.head())
	if i := head.find(";"); i >= 0 { // if (init; condition)
		head.statement()
	}
	holds := head.holds()
	head.finish()
	how := flowNext
	if holds {
		how = x.scoped(x.statement)
	} else {
		x.skipStatement()
	}
	if how == flowNext && x.accept("else") {
		if holds {
			x.skipStatement()
		} else {
			how = x.scoped(x.statement)
		}
	}
	return how
}

// body runs the body of a loop, and reports whether the loop ends with how.
func (x *execution) body(at int) (how flow, ends bool) {
	x.i = at
	switch how = x.scoped(x.statement); how {
	case flowReturn:
		return how, true
	case flowBreak:
		return flowNext, true
	}
	return flowNext, false
}

// leave steps over the body at the index at.
func (x *execution) leave(at int) {
	x.i = at
	x.skipStatement()
}

func (x *execution) forStatement() flow {
	x.next()
	at := x.peek()
	head := x.part(x.head())
	body := x.i
	first := head.find(";")
	if first < 0 {
		x.unexpected(at) // a for over a range
	}
	head.statement()
	begin := head.i
	for {
		x.tick()
		head.i = begin
		if !head.peek().Is(";") && !head.holds() {
			break
		}
		head.semicolon()
		if how, ends := x.body(body); ends {
			if how == flowReturn {
				return how
			}
			break
		}
		if head.more() {
			head.expression()
		}
	}
	x.leave(body)
	return flowNext
}

func (x *execution) whileStatement() flow {
	x.next()
	head := x.part(x.head())
	begin, body := head.i, x.i
	for {
		x.tick()
		head.i = begin
		if !head.holds() {
			break
		}
		if how, ends := x.body(body); ends {
			if how == flowReturn {
				return how
			}
			break
		}
	}
	x.leave(body)
	return flowNext
}

func (x *execution) doStatement() flow {
	x.next()
	body := x.i
	for {
		x.tick()
		how, ends := x.body(body)
		if how == flowReturn {
			return how
		}
		x.leave(body)
		if !x.accept("while") {
			x.unexpected(x.peek())
		}
		head := x.part(x.head())
		if ends || !head.holds() {
			break
		}
	}
	x.semicolon()
	return flowNext
}

func (x *execution) returnStatement(at *lex.Token) flow {
	f := x.frame
	if x.accept(";") {
		f.value = unknownOf(ctype.Builtin(ctype.Void), aVoid)
		return flowReturn
	}
	o := x.initializer(f.result)
	x.semicolon()
	switch {
	case f.auto:
		f.value = x.owned(o)
		if o.typ != nil {
			f.value.typ = ctype.Unqualified(decayed(o.typ))
		}
	default:
		if r, ok := ctype.Unqualified(f.result).(*ctype.Reference); ok {
			if !sameType(r.Elem, o.typ) {
				x.fail(at, diag.NotUnderstood, "a reference is returned to another type, which is not understood")
			}
			f.value = o
			f.value.lvalue, f.value.xvalue, f.value.declared = !r.RValue, r.RValue, false
			break
		}
		f.value = x.owned(x.converted(at, o, f.result, false))
	}
	return flowReturn
}

// declares reports whether a declaration stands at the cursor, and no expression.
func (x *execution) declares() bool {
	l := x.peek()
	switch {
	case l.Is("const"), l.Is("constexpr"), l.Is("static"), l.Is("auto"), l.Is("volatile"), l.Is("register"), l.Is("struct"), l.Is("class"), l.Is("union"), l.Is("enum"):
		return true
	case !x.typeAhead(x.cursor):
		return false
	}
	scan := x.cursor
	spec := x.specifiers(&scan, nil)
	return spec.reason == nil && (scan.peek().Kind == lex.Ident || scan.peek().Is("*") || scan.peek().Is("&") || scan.peek().Is("&&"))
}

// declareType runs using A = T; or typedef T A;
func (x *execution) declareType(at *lex.Token) {
	end := x.find(";")
	if end < 0 {
		x.unexpected(at)
	}
	declaration := x.piece(x.i, end+1)
	x.i = end + 1
	x.readType(declaration, x.scope)
}

// declaration runs the declaration of variables.
func (x *execution) declaration() {
	at := x.peek()
	var t ctype.Type
	if x.accept("constexpr") || x.accept("static") {
		x.accept("constexpr")
	}
	x.accept("const")
	if x.accept("auto") {
		t = autoType
		x.accept("const")
	} else {
		spec := x.specifiers(&x.cursor, nil)
		if spec.reason != nil {
			x.failWith(at, spec.reason.Before("a declaration in a constexpr function "))
		}
		if t = spec.typ; spec.memory || spec.static {
			x.unexpected(at)
		}
	}
	for {
		name := x.variable(t)
		if name == nil || !x.accept(",") {
			break
		}
	}
	x.semicolon()
}

// variable declares one variable with its initializer.
func (x *execution) variable(t ctype.Type) *lex.Token {
	at := x.peek()
	d, reason := x.declarator(&x.cursor, t)
	if reason != nil || d.name == nil {
		if reason == nil {
			x.unexpected(at)
		}
		x.failWith(at, reason.Before("a variable in a constexpr function "))
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
	switch l := x.peek(); {
	case l.Is("="), l.Is("{"), l.Is("("):
		var o operand
		if x.accept("=") {
			o = x.initializer(target)
		} else if l.Is("{") {
			o = x.initializer(target)
		} else {
			o = x.operand(l)
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
			o = x.converted(l, o, target, false)
		}
		*made = x.owned(o)
		made.typ = declared
		if isReference {
			made.typ = target
		}
		d.typ = made.typ
	case d.unsized != nil, isReference, target == nil:
		x.fail(at, diag.NotUnderstood, "a variable in a constexpr function has no initializer")
	default:
		*made = x.blank(d.name, d.typ)
	}
	x.scope.declare(d.name.Text, &entity{local: made, declares: d.typ, at: d.name.At})
	return d.name
}

func orVoid(t ctype.Type) ctype.Type {
	if t == nil {
		return ctype.Builtin(ctype.Void)
	}
	return t
}

// switchStatement runs a switch whose labels stand directly in its block.
func (x *execution) switchStatement() flow {
	x.next()
	head := x.part(x.head())
	at := head.peek()
	chosen, _ := x.conversionOf(at, head.expression(), nil, false)
	if chosen.unknown.Text != "" || !isInteger(chosen.typ) {
		why := whyNot(chosen)
		x.failWith(at, why.Before(badCondition))
	}
	open := x.peek()
	inside, ok := x.group()
	if !ok || !open.Is("{") {
		x.unexpected(open)
	}
	target := -1
	scan := x.part(inside)
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
			label, _ = scan.conversionOf(scan.peek(), label, nil, false)
			equal := scan.labelled(chosen, label)
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
	how := x.compound(inside)
	if how == flowBreak {
		return flowNext
	}
	return how
}

// labelled reports whether the label of a case is that of the value chosen.
func (x *execution) labelled(chosen, label operand) bool {
	if label.unknown.Text != "" || !isInteger(label.typ) {
		why := whyNot(label)
		x.failWith(x.peek(), why.Before("a label is not understood: "))
	}
	return label.bits == chosen.bits
}

// label steps over case …: or default:.
func (x *execution) label() {
	if x.next().Is("case") {
		dead := x.dead
		x.dead++
		x.ternary()
		x.dead = dead
	}
	if !x.accept(":") {
		x.unexpected(x.peek())
	}
}
