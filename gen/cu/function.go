package cu

import (
	"fmt"

	"github.com/cudagen/cudagen/gen/ctype"
)

// A function is one of which no more is known than its name, or a constexpr one that
// consists of a return.
type function struct {
	params []functionParam
	result ctype.Type // nil for one that is not understood
	value  cursor     // the expression that it returns
	scope  *scope
}

type functionParam struct {
	name string
	typ  ctype.Type
}

// read takes the constexpr function c, whose declarator is s, if it is a single return of
// integers.
func (f *function) read(p *parser, c cursor, s *part) {
	body := c.piece(s.body, c.stop)
	inside, ok := body.group()
	if !ok || !inside.accept("return") {
		return
	}
	end := inside.stop - 1
	if end <= inside.i || !inside.list[end].is(";") {
		return
	}
	for i := inside.i; i < end; i++ {
		if inside.list[i].is(";") {
			return
		}
	}
	parameters := c.piece(s.parameters, c.stop)
	list, ok := parameters.group()
	if !ok {
		return
	}
	head := c.piece(c.i, s.parameters-1)
	spec := p.specifiers(&head, specifierContext{})
	if spec.reason != nil || head.more() {
		return
	}
	var params []functionParam
	for _, one := range p.split(list, true) {
		d, reason := p.parameterType(&one)
		if reason != nil {
			return
		}
		param := functionParam{typ: d.typ}
		if d.name != nil {
			param.name = d.name.text
		}
		params = append(params, param)
	}
	f.params, f.result, f.value, f.scope = params, spec.typ, inside.piece(inside.i, end), p.scope
}

// call evaluates the call of a constexpr function whose arguments stand at e.
func (e *evaluator) call(callee found) value {
	f, p, at := callee.entity.function, e.parser, callee.last
	list, _ := e.group()
	args := p.split(list, true)
	if f.result == nil || len(args) != len(f.params) {
		e.fail(at, fmt.Sprintf("the value of function %s is not known here", callee.text))
	}
	if p.calls--; p.calls < 0 {
		e.fail(at, "constant expressions call too many functions")
	}
	inner := newScope("", f.scope)
	inner.parameters = true
	for i, arg := range args {
		v, failure := p.evaluate(arg, e.scope)
		if failure != nil {
			panic(failure)
		}
		if v, ok := convert(v, f.params[i].typ); ok {
			inner.declare(f.params[i].name, &entity{constant: &constant{v, f.params[i].typ}, at: at.at})
			continue
		}
		e.fail(at, fmt.Sprintf("argument %d of %s is no integer of its type", i+1, callee.text))
	}
	v, failure := p.evaluate(f.value, inner)
	if failure != nil {
		panic(failure)
	}
	v, ok := convert(v, f.result)
	if !ok {
		e.fail(at, fmt.Sprintf("the value of %s is no integer of its type", callee.text))
	}
	return v
}
