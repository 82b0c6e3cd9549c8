package cu

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An evaluator computes an expression: C++ standard, [expr], [expr.const].
type evaluator struct {
	cursor
	resolver
	frame *frame // of the function that is being called; nil outside of one
	depth int
	dead  int  // what is read is not evaluated: the right side of 0 && …, the operand of sizeof
	risky bool // something was read that may throw
}

// evaluate returns the value of the integer expression.
func (r resolver) evaluate(expression cursor) (v value, failure *constError) {
	at := *expression.peek()
	o, failure := r.computed(expression, func(e *evaluator) operand {
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

// operand returns what expression stands for.
func (r resolver) operand(expression cursor) (o operand, failure *constError) {
	return r.computed(expression, func(e *evaluator) operand { return e.assignment() })
}

// computed reads expression with read, which has to read all of it.
func (r resolver) computed(expression cursor, read func(*evaluator) operand) (o operand, failure *constError) {
	if !r.work.enter(2 * deepestNesting) {
		return operand{}, &constError{at: *expression.peek(), Message: diag.NotUnderstood.New("it is nested too deeply")}
	}
	defer r.work.leave()
	e := evaluator{cursor: expression, resolver: r}
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

// failReason fails for reason, about what.
func (e *evaluator) failReason(at *lex.Token, reason *ctype.Reason, what string) {
	panic(&constError{at: *at, Message: reason.Before(what), failed: reason.Failed})
}

func (e *evaluator) failWith(at *lex.Token, m diag.Message) { panic(&constError{at: *at, Message: m}) }

// unexpected reports that l cannot stand there.
func (e *evaluator) unexpected(l *lex.Token) {
	e.fail(l, diag.ConstantExpression, "unexpected "+l.Describe()+" in a constant expression")
}

// finish fails unless all was read.
func (e *evaluator) finish() {
	if e.more() {
		e.unexpected(e.peek())
	}
}

// enclosed returns what stands between the parentheses at the cursor.
func (e *evaluator) enclosed(at *lex.Token) cursor {
	inside, ok := e.group()
	if !ok {
		e.fail(at, diag.ConstantExpression, "a constant expression lacks a closing parenthesis")
	}
	return inside
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

// whyNot says why o is not an integer constant.
func whyNot(o operand) diag.Message {
	if o.unknown.Text != "" {
		return o.unknown
	}
	return diag.NotUnderstood.New("it has type " + typeName(o.typ))
}

// boolean returns b as comparisons do.
func boolean(b bool) operand {
	return integer(ctype.Bool, truthValue(b).bits)
}

// expression reads operands with commas between them.
func (e *evaluator) expression() operand {
	o := e.assignment()
	for e.peek().Is(",") {
		comma := e.next()
		right := e.assignment()
		if result, ok := e.operated(comma, o, right); ok {
			o = result
			continue
		}
		e.noFunction(comma, []operand{o, right})
		e.demand(comma, typesKnown(o, right).and(e.ends(o)))
		o, o.declared, o.zero = right, false, false
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
	braces := e.peek().Is("{")
	right := e.initializer(left.typ)
	if braces {
		e.demand(&operator, unsure)
	}
	e.noFunction(&operator, []operand{left, right})
	e.demand(&operator, e.assignValid(computes, left, right))
	if computes != "=" {
		operator.Text = computes
		right = e.apply(&operator, left, right)
	}
	return e.assign(&operator, left, right)
}

// assign stores right in the variable left.
func (e *evaluator) assign(at *lex.Token, left, right operand) operand {
	if e.dead > 0 && left.typ != nil {
		left.unknown, left.declared, left.lvalue, left.xvalue = notEvaluated, false, true, false
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
	e.demand(at, e.conditionValid(condition))
	known := condition.unknown.Text == "" && (isInteger(condition.typ) || isFloat(condition.typ))
	if !known && e.dead == 0 {
		why := whyNot(condition)
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
		chosen.unknown = noType
	}
	e.demand(at, e.conditionalValid(yes, no))
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
		chosen.bitField = yes.bitField || no.bitField
		return e.commonValue(at, yes, no, chosen)
	case isPointer(yes.typ) && sameType(no.typ, ctype.Builtin(ctype.NullPtr)), isPointer(yes.typ) && no.zero:
		return unknownOf(ctype.Unqualified(decayed(yes.typ)), aPointer)
	case isPointer(no.typ) && sameType(yes.typ, ctype.Builtin(ctype.NullPtr)), isPointer(no.typ) && yes.zero:
		return unknownOf(ctype.Unqualified(decayed(no.typ)), aPointer)
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

// commonValue returns chosen, one of yes and no of one type, with the qualifiers and the value category of both.
func (e *evaluator) commonValue(at *lex.Token, yes, no, chosen operand) operand {
	a, b := qualifiers(yes.typ), qualifiers(no.typ)
	lvalue, xvalue := yes.lvalue && no.lvalue, yes.xvalue && no.xvalue
	switch {
	case !lvalue && !xvalue:
		if chosen = chosen.rvalue(); !isClass(chosen.typ) {
			chosen.typ = ctype.Unqualified(chosen.typ)
		}
		return chosen
	case a != b:
		if !adds(yes.typ, no.typ) && !adds(no.typ, yes.typ) {
			e.demand(at, unsure)
		}
		chosen.typ = qualifiedBy(chosen.typ, ctype.Qualified{Const: a.Const || b.Const, Volatile: a.Volatile || b.Volatile})
	}
	chosen.declared = false
	return chosen
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
		if o, ok := e.operated(&operator, left, right); ok {
			left = o
			continue
		}
		left = e.apply(&operator, left, right)
	}
}

func (e *evaluator) unary() operand {
	e.work.step()
	e.enter()
	defer func() { e.depth-- }()
	if e.frame != nil {
		e.tick()
	}
	operator := e.next()
	switch {
	case operator.Is("+"), operator.Is("-"), operator.Is("~"), operator.Is("!"):
		x := e.unary()
		if o, ok := e.operated(operator, x); ok {
			return o
		}
		return e.sign(operator, x)
	case operator.Is("++"), operator.Is("--"):
		o := e.unary()
		e.noFunction(operator, []operand{o})
		e.demand(operator, e.stepValid(operator.Text, o))
		return e.assign(operator, o, e.step(operator, o))
	case operator.Is("&"):
		begin := e.i
		o := e.unary()
		e.noFunction(operator, []operand{o})
		if o.typ != nil {
			e.demand(operator, holds(o.lvalue && !o.bitField))
		}
		if class, field := e.qualifiedField(begin, &e.list[e.i-1]); field != nil {
			if slices.ContainsFunc(class.Fields, func(f ctype.Field) bool { return f.Name == field.Name }) {
				return unknownOf(&ctype.MemberPointer{Class: class, Elem: field.Type}, aPointer)
			}
			o.typ = nil // of a base class
		}
		if o.typ == nil {
			return unknownOf(nil, aPointer)
		}
		return unknownOf(&ctype.Pointer{Elem: o.typ}, aPointer)
	case operator.Is("*"):
		o := e.unary()
		e.noFunction(operator, []operand{o})
		return e.pointee(operator, o)
	case operator.Is("sizeof"), operator.Is("alignof"), operator.Is("_Alignof"), operator.Is("__alignof__"), operator.Is("__alignof"):
		return e.size(operator)
	case operator.Is("noexcept"):
		return e.noexcept(operator)
	case operator.Is("delete") && e.dead > 0:
		if array := e.peek().Is("["); array {
			e.group()
		}
		o := e.unary()
		e.risky = true
		e.demand(operator, e.deleteValid(o))
		return unknownOf(ctype.Builtin(ctype.Void), aVoid)
	case operator.Is("("):
		if t := e.castType(); t != nil {
			o := e.unary()
			e.demand(operator, e.castValid(o, t))
			return e.cast(operator, t, o)
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
			inside, ok := e.group()
			if !ok {
				e.unexpected(l)
			}
			index := e.inner(inside)
			at := index.expression()
			index.finish()
			e.noFunction(&lex.Token{At: l.At, Kind: lex.Punct, Text: "[]"}, []operand{o, at})
			o = e.index(l, o, at)
		case l.Is("."), l.Is("->"):
			e.next()
			o = e.member(l, o)
		case l.Is("("):
			o = e.call(l, o)
		case l.Is("++"), l.Is("--"):
			e.next()
			e.noFunction(l, []operand{o, integer(ctype.Int, 0)})
			e.demand(l, e.stepValid(l.Text, o))
			before := o.rvalue()
			e.assign(l, o, e.step(l, o))
			if o = before; builtin(o.typ) != nil || isPointer(o.typ) {
				o.typ = ctype.Unqualified(o.typ)
			}
		default:
			if o.function != nil {
				return e.designated(o)
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
		return boolean(true)
	case l.Is("false"):
		return boolean(false)
	case l.Kind == lex.String:
		e.i--
		return e.text()
	case l.Is("nullptr"):
		return unknownOf(ctype.Builtin(ctype.NullPtr), aPointer)
	case l.Is("NULL"): // an integer, or a pointer, as its header says
		return unknownOf(nil, aPointer)
	case l.Is("this"):
		return e.this(l)
	case l.Is("static_cast"), l.Is("const_cast"), l.Is("reinterpret_cast"):
		return e.namedCast(l)
	case l.Is("requires") && e.requirementsAhead():
		return e.requirements(l)
	case l.Is("new") && e.dead > 0:
		return e.made(l)
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

// made reads what stands behind new: C++ standard, [expr.new].
func (e *evaluator) made(at *lex.Token) operand {
	spec := e.specifiers(&e.cursor, nil)
	if spec.reason != nil {
		e.failReason(at, spec.reason, "the type of new ")
	}
	t, reason := e.indirections(&e.cursor, spec.typ, &declarator{})
	if reason != nil {
		e.failReason(at, reason, "the type of new ")
	}
	e.risky = true
	array := e.peek().Is("[")
	if array {
		inside := e.enclosed(at)
		bound := e.inner(inside)
		n := bound.expression()
		bound.finish()
		if !e.kindOf(n.typ).integral() || isArrayType(t) {
			e.demand(at, unsure)
		}
	}
	v := e.emptyValid(t, false)
	if isVoid(t) || isReference(t) {
		v = invalid
	}
	if isClass(elementOf(t)) {
		v = v.and(unsure) // it may have an operator new
	}
	switch l := e.peek(); {
	case l.Is("(") && !array:
		if args := e.arguments(l); len(args) == 1 && !isClass(t) {
			v = v.and(e.implicitly(args[0], t))
		} else if len(args) > 0 {
			v = v.and(unsure)
		}
	case l.Is("("), l.Is("{"):
		v = v.and(unsure)
		e.group()
	case qualifiers(t).Const:
		v = v.and(unsure)
	}
	e.demand(at, v)
	return unknownOf(&ctype.Pointer{Elem: t}, aPointer)
}

// parenthesised reads what stands behind a ( that begins no cast.
func (e *evaluator) parenthesised() operand {
	group := e.piece(e.i-1, e.stop)
	if list, ok := group.group(); ok {
		if f, ok := e.foldAt(list); ok {
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

// number returns the value of a literal.
func (e *evaluator) number(l *lex.Token) operand {
	if digits, suffix, ok := strings.Cut(l.Text, "_"); ok {
		return e.literalOperator(l, "_"+suffix, []operand{cooked(digits)}, digits)
	}
	if o, ok := parseFloat(l.Text); ok {
		return o
	}
	o, err := parseNumber(l.Text)
	if err != nil {
		e.fail(l, diag.CodeOf(err), err.Error())
	}
	o.zero = o.bits == 0
	return o
}

// cooked returns what a literal operator gets that takes a number: C++ standard, [lex.ext].
func cooked(digits string) operand {
	if _, ok := parseFloat(digits); ok {
		return unknownOf(ctype.Builtin(ctype.LongDouble), diag.NoLayout.New(digits+" is a long double"))
	}
	n, err := lex.ReadInteger(digits + "u")
	if err != nil {
		return unknownOf(ctype.Builtin(ctype.UnsignedLongLong), diag.MessageOf(err))
	}
	return integer(ctype.UnsignedLongLong, int64(n.Value))
}

// character returns the value of a character literal. Those are refused whose value
// compilers understand in different ways.
func (e *evaluator) character(l *lex.Token) operand {
	c, ok := lex.ReadCharacter(l.Text)
	if !ok {
		e.fail(l, diag.ConstantExpression, "character "+l.Text+" is not understood in a constant expression")
	}
	if c.Several {
		return integer(ctype.Int, c.Value)
	}
	return e.userLiteral(l, operand{typ: ctype.Builtin(characterTypes[c.Prefix]), bits: c.Value})
}

// text returns the string literals at the cursor, which become one: C++ standard, [lex.string]. Its characters
// are known, and where it lies is not.
func (e *evaluator) text() operand {
	first := e.peek()
	var codes []uint32
	prefix, bytes := "", false // of characters beyond ASCII in pieces without a prefix
	for e.peek().Kind == lex.String {
		l := e.next()
		own, units, ok := stringUnits(l.Text)
		bytes = bytes || own == "" && slices.ContainsFunc(units, func(u uint32) bool { return u > unicode.MaxASCII })
		if !ok || own != "" && prefix != "" && own != prefix || bytes && cmp.Or(own, prefix) != "" {
			e.fail(l, diag.NotUnderstood, "the size of this string is not understood")
		}
		if own != "" {
			prefix = own
		}
		codes = append(codes, units...)
	}
	kind := characterTypes[prefix]
	if size := ctype.Builtin(kind).Size; size == 2 || prefix == "u8" && e.config.since("202002L") {
		e.fail(first, diag.NotUnderstood, "the size of this string is not understood")
	}
	elem := &ctype.Qualified{Type: ctype.Builtin(kind), Const: true}
	o := operand{typ: &ctype.Array{Elem: elem, Len: int64(len(codes)) + 1}, unknown: diag.ConstantExpression.New("a string is not an integer constant"), lvalue: true}
	length := integer(ctype.UnsignedLong, int64(len(codes)))
	const most = 1 << 12 // characters that are kept: nobody asks for those of longer texts
	if e.dead > 0 || len(codes) > most {
		return e.userLiteral(first, o, length)
	}
	for _, code := range append(codes, 0) {
		one := operand{typ: elem, bits: int64(code)}
		if code > math.MaxInt8 && ctype.Builtin(kind).Size == 1 || code > math.MaxInt32 {
			one.unknown = diag.CompilersDiffer.New("a character of a string has a sign that the host decides")
		}
		o.elems = append(o.elems, one)
	}
	return e.userLiteral(first, o, length)
}

// userLiteral returns the literal args[0], or what the literal operator whose suffix stands at the cursor makes of args:
// C++ standard, [lex.ext].
func (e *evaluator) userLiteral(at *lex.Token, args ...operand) operand {
	suffix := e.peek()
	if suffix.Kind != lex.Ident || suffix.Blank || suffix.LineStart {
		return args[0]
	}
	e.next()
	return e.literalOperator(at, suffix.Text, args, "")
}

// literalOperator returns what the literal operator of suffix makes of args, or, if it is a template that takes them, of the
// characters of digits.
func (e *evaluator) literalOperator(at *lex.Token, suffix string, args []operand, digits string) operand {
	name := found{text: `operator""` + suffix, last: at, entity: e.scope.lookup(operatorName + `""` + suffix)}
	if name.entity == nil || name.entity.function == nil {
		e.failWith(at, diag.ConstantExpression.Errorf("literal operator %s is not known here%w", name.text, e.hint(diag.Message{})))
	}
	e.risky = true
	if list := name.entity.function.overloads; len(list) == 1 && list[0].takesCharacters() && digits != "" {
		name.args, name.angled, args = characters(at, digits), true, nil
	}
	return e.guarded(at, func() operand {
		c, why, _ := e.choose(name.entity.function, name, args, nil)
		switch {
		case c != nil && name.angled:
			return e.invoke(name, c, nil, nil)
		case c != nil && c.head == nil && c.exact(args):
			return e.invoke(name, c, args, nil)
		case why.Text == "":
			why = diag.NotUnderstood.Errorf("which literal operator %s is called is not known here", name.text)
		}
		e.failWith(at, why)
		return operand{}
	})
}

// characters returns the characters of digits as arguments of a template.
func characters(at *lex.Token, digits string) cursor {
	var list []lex.Token
	for i := range len(digits) {
		one, separator := *at, comma(at)
		one.Kind, one.Text = lex.Char, "'"+digits[i:i+1]+"'"
		if digits[i] == '\'' {
			one.Text = `'\''`
		}
		if i > 0 {
			list = append(list, separator)
		}
		list = append(list, one)
	}
	return newCursor(newTokens(list), *at)
}

// this is the object of the member function that is called.
func (e *evaluator) this(at *lex.Token) operand {
	if e.frame == nil || e.frame.self == nil {
		for s := e.scope; s != nil; s = s.parent {
			if s.of != nil {
				self := unknownOf(s.of, notEvaluated)
				self.lvalue = true
				return operand{typ: &ctype.Pointer{Elem: s.of}, unknown: aPointer, self: &self}
			}
		}
		e.fail(at, diag.ConstantExpression, "this is not understood in a constant expression")
	}
	return operand{typ: &ctype.Pointer{Elem: e.frame.self.typ}, unknown: aPointer, self: e.frame.self}
}
