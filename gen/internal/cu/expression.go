package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An evaluator computes an expression: C++ standard, [expr], [expr.const].
type evaluator struct {
	cursor
	parser *parser
	scope  *scope
	frame  *frame // of the function that is being called; nil outside of one
	depth  int
	dead   int  // what is read is not evaluated: the right side of 0 && …, the operand of sizeof
	risky  bool // something was read that may throw
}

// A constError says why an expression has no value that is understood.
type constError struct {
	diag.Message
	at lex.Token
}

// evaluate returns the value of the integer expression, whose names are looked up from
// scope.
func (p *parser) evaluate(expression cursor, scope *scope) (v value, failure *constError) {
	at := *expression.peek()
	o, failure := p.computed(expression, scope, func(e *evaluator) operand {
		o := e.assignment()
		if o.unknown.Text == "" && !e.more() && !isInteger(o.typ) && !isFloat(o.typ) {
			o = e.userConverted(&at, o, nil, false)
		}
		return o
	})
	switch {
	case failure != nil:
		return value{}, failure
	case o.unknown.Text != "":
		return value{}, &constError{at: at, Message: o.unknown}
	case !isInteger(o.typ):
		return value{}, &constError{at: at, Message: diag.NotUnderstood.New("it is not an integer, but has type " + typeName(o.typ))}
	}
	return o.value(), nil
}

// operand returns what expression stands for; names are looked up from scope.
func (p *parser) operand(expression cursor, scope *scope) (o operand, failure *constError) {
	return p.computed(expression, scope, func(e *evaluator) operand { return e.assignment() })
}

// computed reads expression with read, which has to read all of it.
func (p *parser) computed(expression cursor, scope *scope, read func(*evaluator) operand) (o operand, failure *constError) {
	outer := p.scope
	p.scope = scope
	defer func() { p.scope = outer }()
	if p.nesting++; p.nesting > 2*deepestNesting {
		p.nesting--
		return operand{}, &constError{at: *expression.peek(), Message: diag.NotUnderstood.New("it is nested too deeply")}
	}
	defer func() { p.nesting-- }()
	e := evaluator{cursor: expression, parser: p, scope: scope}
	return e.run(read)
}

// run reads the whole of the cursor.
func (e *evaluator) run(read func(*evaluator) operand) (o operand, failure *constError) {
	if !e.more() {
		return operand{}, &constError{at: *e.peek(), Message: diag.ConstantExpression.New("an expression is missing")}
	}
	defer func() {
		if r := recover(); r != nil {
			bail, ok := r.(*constError)
			if !ok {
				panic(r)
			}
			failure = bail
		}
	}()
	o = read(e)
	if l := e.peek(); l.Kind != lex.EOF {
		e.unexpected(l)
	}
	return o, nil
}

func (e *evaluator) fail(at *lex.Token, code diag.Code, text string) {
	e.failWith(at, code.New(text))
}

func (e *evaluator) failWith(at *lex.Token, m diag.Message) { panic(&constError{at: *at, Message: m}) }

// unexpected reports that l cannot stand there.
func (e *evaluator) unexpected(l *lex.Token) {
	e.fail(l, diag.ConstantExpression, "unexpected "+l.Describe()+" in a constant expression")
}

// undefined reports that the expression at at has no value, unless it is not evaluated.
func (e *evaluator) undefined(at *lex.Token, code diag.Code, text string) {
	if e.dead == 0 {
		e.fail(at, code, text)
	}
}

// enter guards against expressions that are nested too deeply.
func (e *evaluator) enter() {
	if e.depth++; e.depth > deepestNesting {
		e.fail(e.peek(), diag.ConstantExpression, "the expression is nested too deeply")
	}
}

// inner returns an evaluator of c, in the place of e.
func (e *evaluator) inner(c cursor) evaluator {
	made := *e
	made.cursor = c
	made.enter()
	return made
}

// unevaluated reads an operand that is not evaluated when dead says so.
func (e *evaluator) unevaluated(dead bool, read func() operand) operand {
	if dead {
		e.dead++
		defer func() { e.dead-- }()
	}
	return read()
}

// truth returns b as comparisons do.
func (e *evaluator) truth(b bool) operand {
	return integer(ctype.Bool, truthValue(b).bits)
}

// expression reads operands with commas between them.
func (e *evaluator) expression() operand {
	o := e.assignment()
	for e.accept(",") {
		o = e.assignment()
		o.declared = false
	}
	return o
}

// assignments are the assignment operators, with the operator that they compute.
var assignments = map[string]string{
	"=": "=", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>",
}

// assignment reads a conditional expression or an assignment.
func (e *evaluator) assignment() operand {
	e.enter()
	defer func() { e.depth-- }()
	left := e.ternary()
	operator := *e.peek()
	if operator.Kind != lex.Punct {
		return left
	}
	length := 1
	if operator.Is(">") && e.ahead(1).Is(">=") && !e.ahead(1).Blank { // taken apart by the preprocessor
		operator.Text, length = ">>=", 2
	}
	computes, ok := assignments[operator.Text]
	if !ok {
		return left
	}
	e.i += length
	right := e.initializer(left.typ)
	if computes != "=" {
		e.noFunction(&operator, []operand{left, right})
		operator.Text = computes
		right = e.apply(&operator, left, right)
	}
	return e.assign(&operator, left, right)
}

// assign stores right in the variable left.
func (e *evaluator) assign(at *lex.Token, left, right operand) operand {
	if e.dead > 0 && builtin(left.typ) != nil {
		left.unknown, left.declared = notEvaluated, false
		return left
	}
	if left.place == nil {
		e.fail(at, diag.ConstantExpression, "a constant expression changes what is not a variable of its own")
	}
	stored := e.owned(e.converted(at, right, left.typ, false))
	stored.typ = left.typ
	*left.place = stored
	stored.place, stored.lvalue = left.place, true
	return stored
}

func (e *evaluator) ternary() operand {
	e.enter()
	defer func() { e.depth-- }()
	at := e.peek()
	condition := e.binary(0)
	if !e.accept("?") {
		return condition
	}
	condition = e.truthOf(at, condition)
	known := condition.unknown.Text == "" && (isInteger(condition.typ) || isFloat(condition.typ))
	if !known && e.dead == 0 {
		why := e.whyNot(condition)
		e.undefined(at, why.Code, badCondition+why.Text)
	}
	yes := e.unevaluated(known && !condition.isTrue(), e.expression)
	if !e.accept(":") {
		e.fail(e.peek(), diag.ConstantExpression, "a constant expression lacks the : of its ?")
	}
	no := e.unevaluated(known && condition.isTrue(), e.assignment)
	chosen := no
	if condition.isTrue() {
		chosen = yes
	}
	if !known {
		chosen = operand{typ: yes.typ, unknown: noType}
	}
	return e.common(at, yes, no, chosen)
}

// common returns chosen, one of yes and no, with the type of both: C++ standard,
// [expr.cond].
func (e *evaluator) common(at *lex.Token, yes, no, chosen operand) operand {
	switch {
	case yes.typ == nil || no.typ == nil:
		// The type of the operand that is not chosen is not known. A number that is not negative
		// keeps its value in any common type.
		if chosen.typ == nil || chosen.unknown.Text != "" || !isInteger(chosen.typ) || chosen.bits < 0 {
			e.undefined(at, diag.NotUnderstood, "the type of a conditional expression is not known")
			return operand{unknown: noType}
		}
		return chosen.rvalue()
	case sameType(yes.typ, no.typ):
		if yes.lvalue && no.lvalue {
			chosen.declared = false
			return chosen
		}
		return chosen.rvalue()
	}
	for _, t := range [...]ctype.Type{yes.typ, no.typ} {
		if _, class := classOf(chosen.typ); class && builtin(t) != nil && t != chosen.typ {
			return e.converted(at, chosen, t, false)
		}
	}
	t := usualType(yes.typ, no.typ)
	if t == nil {
		e.fail(at, diag.NotUnderstood, "a conditional expression of "+yes.typ.String()+" and "+no.typ.String()+" is not understood")
	}
	return e.converted(at, chosen, t, false)
}

// binary reads operators that bind tighter than loosest.
func (e *evaluator) binary(loosest int) operand {
	left := e.unary()
	for {
		operator := *e.peek()
		length := 1
		if second := e.ahead(1); operator.Is(">") && second.Is(">") && !second.Blank {
			operator.Text = ">>" // taken apart by the preprocessor
			length = 2
		}
		level := lex.Precedence[operator.Text]
		if operator.Kind != lex.Punct || level <= loosest || length == 1 && operator.Is(">") && e.ahead(1).Is(">=") && !e.ahead(1).Blank {
			return left
		}
		e.i += length
		if level < lex.Precedence["|"] && overloadable(left.typ) {
			left = e.builtinOperands(&operator, left, operand{})[0]
		}
		right := e.unevaluated(left.decides(operator.Text), func() operand { return e.binary(level) })
		left = e.apply(&operator, left, right)
	}
}

func (e *evaluator) unary() operand {
	e.parser.work.step()
	e.enter()
	defer func() { e.depth-- }()
	if e.frame != nil {
		e.tick()
	}
	operator := e.next()
	switch {
	case operator.Is("+"), operator.Is("-"), operator.Is("~"), operator.Is("!"):
		return e.sign(operator, e.unary())
	case operator.Is("++"), operator.Is("--"):
		o := e.unary()
		return e.assign(operator, o, e.step(operator, o))
	case operator.Is("&"):
		o := e.unary()
		if o.typ == nil {
			return unknownOf(nil, aPointer)
		}
		return unknownOf(&ctype.Pointer{Elem: o.typ}, aPointer)
	case operator.Is("*"):
		return e.pointee(operator, e.unary())
	case operator.Is("sizeof"), operator.Is("alignof"), operator.Is("_Alignof"), operator.Is("__alignof__"), operator.Is("__alignof"):
		return e.size(operator)
	case operator.Is("noexcept"):
		return e.noexcept(operator)
	case operator.Is("("):
		if t := e.castType(); t != nil {
			return e.cast(operator, t, e.unary())
		}
	}
	e.i--
	return e.postfix(e.primary())
}

// step returns o plus or minus 1.
func (e *evaluator) step(operator *lex.Token, o operand) operand {
	plus := *operator
	plus.Text = operator.Text[:1]
	return e.apply(&plus, o, integer(ctype.Int, 1))
}

// postfix reads what stands behind an operand: an index, a member, a call.
func (e *evaluator) postfix(o operand) operand {
	for {
		l := e.peek()
		switch {
		case l.Is("["):
			e.next()
			e.i--
			inside, ok := e.group()
			if !ok {
				e.unexpected(l)
			}
			index := e.inner(inside)
			at := index.expression()
			if index.more() {
				e.unexpected(index.peek())
			}
			o = e.index(l, o, at)
		case l.Is("."), l.Is("->"):
			e.next()
			o = e.member(l, o)
		case l.Is("("):
			o = e.call(l, o)
		case l.Is("++"), l.Is("--"):
			e.next()
			before := o.rvalue()
			e.assign(l, o, e.step(l, o))
			o = before
		default:
			if o.function != nil {
				return unknownOf(nil, diag.NotUnderstood.New(o.named.text+" is a function"))
			}
			return o
		}
	}
}

// primary reads a literal, a name, or an expression in parentheses.
func (e *evaluator) primary() operand {
	l := e.next()
	switch {
	case l.Is("("):
		return e.parenthesised()
	case l.Kind == lex.Number:
		return e.number(l)
	case l.Kind == lex.Char:
		return e.character(l)
	case l.Is("true"):
		return e.truth(true)
	case l.Is("false"):
		return e.truth(false)
	case l.Kind == lex.String:
		e.i--
		return e.text()
	case l.Is("nullptr"), l.Is("NULL"):
		return unknownOf(&ctype.Pointer{Elem: ctype.Builtin(ctype.Void)}, aPointer)
	case l.Is("this"):
		return e.this(l)
	case l.Is("static_cast"), l.Is("const_cast"), l.Is("reinterpret_cast"):
		return e.namedCast(l)
	case l.Is("throw"), l.Is("new"), l.Is("dynamic_cast"), l.Is("typeid"), l.Is("co_await"):
		e.risky = true
	case l.Is("offsetof"), l.Is("__builtin_offsetof"):
		if e.peek().Is("(") {
			return e.offset(l)
		}
	case l.Kind == lex.Ident, l.Is("::"):
		e.i--
		return e.name()
	}
	e.unexpected(l)
	return operand{}
}

// parenthesised reads what stands behind a ( that begins no cast.
func (e *evaluator) parenthesised() operand {
	group := e.piece(e.i-1, e.stop)
	if list, ok := group.group(); ok {
		if f, ok := e.parser.foldAt(list); ok {
			e.i = group.i
			return e.fold(f)
		}
	}
	o := e.expression()
	if !e.accept(")") {
		e.fail(e.peek(), diag.ConstantExpression, "a constant expression lacks a closing parenthesis")
	}
	o.declared = false // decltype((x)) is another type than decltype(x)
	return o
}

// castType reads the type of a cast behind its (, and returns nil when none stands there.
func (e *evaluator) castType() ctype.Type {
	inside := e.cursor
	if e.parser.typeAhead(inside) {
		t, reason := e.parser.typeID(&e.cursor)
		if reason == nil && e.accept(")") && !e.endsOperand() {
			return t
		}
		e.cursor = inside
	}
	return nil
}

// endsOperand reports whether no operand can stand at the cursor.
func (e *evaluator) endsOperand() bool {
	l := e.peek()
	switch {
	case l.Kind == lex.EOF:
		return true
	case l.Kind == lex.Punct:
		return !l.Is("(") && !l.Is("-") && !l.Is("+") && !l.Is("~") && !l.Is("!") && !l.Is("*") && !l.Is("&") && !l.Is("::") && !l.Is("++") && !l.Is("--") && !l.Is("{")
	}
	return false
}

// namedCast reads what stands behind static_cast and its like.
func (e *evaluator) namedCast(at *lex.Token) operand {
	list, ok := e.angles()
	if !ok {
		e.fail(at, diag.NotUnderstood, "a cast lacks its type")
	}
	t, reason := e.parser.typeID(&list)
	if reason != nil {
		e.failWith(at, reason.Before("the type of a cast "))
	}
	return e.cast(at, t, e.operand(at))
}

// operand reads one operand in parentheses.
func (e *evaluator) operand(at *lex.Token) operand {
	inside, ok := e.group()
	if !ok {
		e.fail(at, diag.ConstantExpression, "a constant expression lacks a closing parenthesis")
	}
	inner := e.inner(inside)
	o := inner.expression()
	if inner.more() {
		e.unexpected(inner.peek())
	}
	e.risky = e.risky || inner.risky
	return o
}

// cast returns o cast to t.
func (e *evaluator) cast(at *lex.Token, t ctype.Type, o operand) operand {
	if r, ok := ctype.Unqualified(t).(*ctype.Reference); ok {
		if !sameType(r.Elem, o.typ) {
			return operand{typ: r.Elem, unknown: diag.NotUnderstood.New("a cast to a reference is not understood"), lvalue: !r.RValue, xvalue: r.RValue}
		}
		o.lvalue, o.xvalue, o.declared = !r.RValue, r.RValue, false
		return o
	}
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Pointer:
		return unknownOf(t, aPointer)
	case *ctype.Basic:
		if u.Kind == ctype.Void {
			return unknownOf(t, aVoid)
		}
	}
	return e.converted(at, o, t, true).rvalue()
}

// converted returns o as a value of type t, and fails when there is none.
func (e *evaluator) converted(at *lex.Token, o operand, t ctype.Type, explicit bool) operand {
	if e.dead > 0 && o.unknown.Text == "" {
		o.unknown = notEvaluated
	}
	if _, class := classOf(o.typ); class && o.unknown.Text == "" && builtin(t) != nil {
		o = e.userConverted(at, o, t, explicit)
	}
	result, failure := converted(o, t, explicit)
	if failure != "" {
		e.fail(at, diag.NotUnderstood, "a value "+failure)
	}
	return result
}

// whyNot says why o is not an integer constant.
func (e *evaluator) whyNot(o operand) diag.Message {
	if o.unknown.Text != "" {
		return o.unknown
	}
	return diag.NotUnderstood.New("it has type " + typeName(o.typ))
}

func typeName(t ctype.Type) string {
	if t == nil {
		return "that is not known here"
	}
	return t.String()
}
