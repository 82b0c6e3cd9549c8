package cu

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// call evaluates the call of the function o, whose arguments stand at e.
func (e *evaluator) call(at *lex.Token, o operand) operand {
	e.risky = true
	if f, ok := e.callable(at, o); ok && o.function == nil {
		o = f
	}
	if o.function == nil && e.dead > 0 {
		return e.callPointed(at, o)
	}
	if o.function == nil {
		e.fail(at, diag.ConstantExpression, "a call of something that is not a function is not understood in a constant expression")
	}
	name := o.named
	args := e.arguments(at)
	f := o.function
	if f.ofLibrary() {
		return e.callLibrary(f, name, args)
	}
	return e.guarded(name.last, func() operand {
		e.argumentLookup(name, args)
		c, why, none := e.choose(f, name, args, o.self)
		if e.tried() {
			e.demand(name.last, e.callValid(c, none, args, o.self))
		}
		if c == nil {
			if e.dead > 0 {
				return operand{unknown: why}
			}
			e.failWith(name.last, why)
		}
		return e.invoke(name, c, args, o.self)
	})
}

// callPointed returns the result of a call of o, which designates or points at a function whose name is not known.
func (e *evaluator) callPointed(at *lex.Token, o operand) operand {
	args := e.arguments(at)
	t := o.typ
	if p := pointeeOf(t); p != nil {
		t = p
	}
	if t != nil {
		t = ctype.Unqualified(t)
	}
	f, ok := t.(*ctype.Function)
	switch k := e.kindOf(o.typ); {
	case ok:
	case k == ofUnknown, k == ofClass && e.members[ctype.Unqualified(o.typ)].within(operatorName+"()") != nil:
		e.fail(at, diag.NotUnderstood, "a call of something that is not a function is not understood")
	default:
		e.demand(at, invalid)
	}
	v := holds(len(args) == len(f.Params))
	if f.Variadic {
		v = unsure
	}
	for i := range min(len(args), len(f.Params)) {
		v = v.and(e.implicitly(args[i], f.Params[i]))
	}
	e.demand(at, v)
	result := operand{typ: f.Result}
	if r, ok := ctype.Unqualified(f.Result).(*ctype.Reference); ok {
		result = referred(r)
	} else if !isClass(f.Result) {
		result.typ = ctype.Unqualified(f.Result)
	}
	result.unknown = notEvaluated
	return result
}

// referred returns what a call is that returns the reference r: C++ standard, [expr.call].
func referred(r *ctype.Reference) operand {
	xvalue := r.RValue && !isFunction(r.Elem)
	return operand{typ: r.Elem, lvalue: !xvalue, xvalue: xvalue}
}

// guarded calls a function whose name is at, unless there are too many calls.
func (e *evaluator) guarded(at *lex.Token, call func() operand) operand {
	if e.work.calls--; e.work.calls < 0 || e.work.spent() {
		e.fail(at, diag.ConstantExpression, "constant expressions call too many functions")
	}
	if !e.work.enter(2 * deepestNesting) {
		e.fail(at, diag.ConstantExpression, "constant expressions call functions that are nested too deeply")
	}
	defer e.work.leave()
	return call()
}

// explicitType converts args to the type that name gives as the template argument of a function
// of the library, as std::max<long> does.
func (e *evaluator) explicitType(name found, args []operand) {
	if !name.angled {
		return
	}
	t, reason := e.typeArgument(name.args)
	if reason != nil {
		e.failWith(name.last, reason.Message)
	}
	for i := range args {
		args[i] = e.converted(name.last, args[i], t, false)
	}
}

// arguments reads the arguments of a call.
func (e *evaluator) arguments(at *lex.Token) []operand {
	list, ok := e.group()
	if !ok {
		e.unexpected(at)
	}
	inner := e.inner(list)
	args := inner.listed()
	e.risky = e.risky || inner.risky
	return args
}

// listed reads the operands with commas between them that are all that stands at the cursor.
func (e *evaluator) listed() (args []operand) {
	if e.find("...") >= 0 {
		for _, one := range e.elements() {
			args = append(args, e.element(one, func(e *evaluator) operand { return e.initializer(nil) }))
		}
		return args
	}
	for e.more() {
		args = append(args, e.initializer(nil))
		if !e.accept(",") {
			break
		}
	}
	e.finish()
	return args
}

// argumentLookup refuses the call of name where functions in the namespace of an argument
// may be meant: C++ standard, [basic.lookup.argdep].
func (e *evaluator) argumentLookup(name found, args []operand) {
	if !name.plain && !name.angled {
		return
	}
	for _, other := range e.operatorFunctions(name.last.Text, args) {
		if other.function != nil && other.function != name.entity.function {
			e.fail(name.last, diag.NotUnderstood, "which function "+name.text+" is, the namespaces of its arguments decide, which is not understood")
		}
	}
}

// invoke evaluates the call of c: C++ standard, [dcl.constexpr], [expr.const].
func (e *evaluator) invoke(name found, c *candidate, args []operand, self *operand) operand {
	result := operand{typ: c.result}
	if c.result != nil {
		if ref, ok := ctype.Unqualified(c.result).(*ctype.Reference); ok {
			result = referred(ref)
		}
	}
	if self == nil && c.of != nil && !c.static && e.frame != nil {
		self = e.frame.self
	}
	typed := e.dead > 0 && c.result == nil && c.constexpr && c.body >= 0 && len(c.params) == 0 // the body decides the type
	switch {
	case e.dead > 0 && !typed:
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
	inner := functionScope(c.scope, c.order)
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
	run := execution{e.inner(inside)}
	run.scope, run.frame, run.dead, run.depth = inner, f, 0, 0
	if run.block() != flowReturn && !f.auto && !isVoid(c.result) {
		e.fail(name.last, diag.NotUnderstood, fmt.Sprintf("function %s returns nothing", name.text))
	}
	if typed {
		return unknownOf(f.value.typ, notEvaluated)
	}
	return f.value
}

// bindParameter declares the parameter number i of c as the variable that args initialise.
func (e *evaluator) bindParameter(name found, s *scope, param *functionParam, c *candidate, i int, args []operand) {
	var arg operand
	if i < len(args) {
		arg = args[i]
	} else {
		o, failure := e.in(c.scope).operand(param.fallback)
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

// A frame is a call of a constexpr function.
type frame struct {
	self   *operand // the object of a member function
	result ctype.Type
	auto   bool // the return decides the result
	value  operand
	order  int32 // of the function
}

// tick counts a step of a function.
func (e *evaluator) tick() {
	if e.work.calls--; e.work.calls < 0 || e.work.spent() {
		e.fail(e.peek(), diag.ConstantExpression, "constant expressions call too many functions")
	}
}

// owned returns o with elements of its own, which count as steps.
func (e *evaluator) owned(o operand) operand {
	e.work.calls -= o.size()
	e.tick()
	return o.copied()
}
