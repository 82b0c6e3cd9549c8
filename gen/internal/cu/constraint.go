package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// conceptValue returns whether arguments satisfy a concept, as a constant.
func (r resolver) conceptValue(k *concept, list cursor, at *lex.Token) (*entity, *ctype.Reason) {
	if r.work.tooManyInstances() {
		return nil, reasonf(at, diag.Template, "too many templates are instantiated")
	}
	_, inner, reason := r.templateArguments(k.head, list, k.scope, at)
	if reason != nil {
		return nil, reason
	}
	v, failure := r.in(inner).constraint(k.expression)
	if v == unsure {
		return nil, reasonf(at, failure.Code, "concept %s is not understood: %w", at.Text, failure)
	}
	return &entity{constant: &constant{truthValue(v == valid), ctype.Builtin(ctype.Bool)}, at: at.At}, nil
}

// satisfied reports whether the arguments in bound satisfy the constraints of head. clear is
// false when that is not understood.
func (u *unit) satisfied(head *templateHead, bound *scope) (fits, clear bool) {
	if !head.constrained() {
		return true, true
	}
	r := u.in(bound)
	list := head.clauses()
	for _, param := range head.params {
		if param.kind != paramType || param.plain() {
			continue
		}
		if param.pack || param.name == "" {
			return false, false
		}
		list = append(list, conceptOf(param))
	}
	v := valid
	for _, one := range list {
		own, _ := r.constraint(one)
		v = v.and(own)
	}
	return v == valid, v != unsure
}

// constraint says whether the constraint c holds: what is not valid of an atomic one does not. failure says why that is not
// known. C++ standard, [temp.constr].
func (r resolver) constraint(c cursor) (v verdict, failure *constError) {
	if !r.work.enter(2 * deepestNesting) {
		return unsure, &constError{at: *c.peek(), Message: diag.NotUnderstood.New("it is nested too deeply")}
	}
	defer r.work.leave()
	if inside := c; c.peek().Is("(") {
		if group, ok := inside.group(); ok && !inside.more() && group.more() {
			if _, fold := r.foldAt(group); !fold {
				return r.constraint(group)
			}
		}
	}
	for _, operator := range [...]string{"||", "&&"} {
		parts := r.splitConstraint(c, operator)
		if len(parts) == 1 {
			continue
		}
		if v = valid; operator == "||" {
			v = invalid
		}
		for _, one := range parts {
			own, why := r.constraint(one)
			if failure == nil {
				failure = why
			}
			if operator == "||" {
				v = v.or(own)
			} else {
				v = v.and(own)
			}
		}
		return v, failure
	}
	r.trials++
	n, failure := r.evaluate(c)
	r.trials--
	switch {
	case failure == nil:
		return holds(n.bits != 0), nil
	case failure.failed:
		return invalid, nil
	}
	return unsure, failure
}

// splitConstraint cuts c at the operators that are in no brackets.
func (r resolver) splitConstraint(c cursor, operator string) (parts []cursor) {
	begin := c.i
	for scan := c; ; {
		switch l := scan.peek(); {
		case !scan.more():
			return append(parts, c.piece(begin, c.stop))
		case l.Is("<"):
			if r.namesTemplate(scan.before()) || ofStandard(&scan) {
				if _, ok := scan.angles(); ok {
					continue
				}
			}
		case l.Is(operator):
			parts = append(parts, c.piece(begin, scan.i))
			begin = scan.i + 1
		}
		scan.skip()
	}
}

// requirementsAhead reports whether a requires-expression stands behind the word at the cursor.
func (e *evaluator) requirementsAhead() bool {
	c := e.cursor
	if c.peek().Is("(") {
		c.group()
	}
	return c.peek().Is("{")
}

// requirements reads what stands behind requires in an expression: C++ standard, [expr.prim.req].
func (e *evaluator) requirements(at *lex.Token) operand {
	r := e.in(parameterScope(e.scope))
	v := valid
	r.trials++
	defer func() { r.trials-- }()
	if e.peek().Is("(") {
		list, _ := e.group()
		for _, part := range r.split(list) {
			if ellipsis(part) >= 0 {
				e.fail(at, diag.NotUnderstood, "a pack among the parameters of requires is not understood")
			}
			param, reason := r.functionParam(part)
			if v = v.and(verdictOf(reason)); reason == nil {
				r.scope.declare(param.name, param.entity(part.peek()))
			}
		}
	}
	body, ok := e.group()
	if !ok {
		e.unexpected(at)
	}
	for body.more() && v != invalid {
		begin := body.i
		for body.more() && !body.peek().Is(";") {
			body.skip()
		}
		v = v.and(r.requirement(body.piece(begin, body.i)))
		body.accept(";")
	}
	if v == unsure {
		e.fail(at, diag.NotUnderstood, "whether a requirement holds is not known here")
	}
	return boolean(v == valid)
}

// verdictOf returns the verdict on what reason refuses.
func verdictOf(reason *ctype.Reason) verdict {
	switch {
	case reason == nil:
		return valid
	case reason.Failed:
		return invalid
	}
	return unsure
}

// requirement says whether c holds, which stands between braces behind requires: C++ standard, [expr.prim.req].
func (r resolver) requirement(c cursor) verdict {
	switch {
	case c.accept("typename"):
		_, reason := r.wholeType(c)
		return verdictOf(reason)
	case c.accept("requires"):
		v, _ := r.constraint(c)
		return v
	case !c.peek().Is("{"):
		_, v := r.validExpression(c)
		return v
	}
	inside, _ := c.group()
	o, v := r.validExpression(inside)
	if c.accept("noexcept") {
		v = v.and(unsure)
	}
	switch {
	case v == invalid:
		return invalid
	case !c.more():
		return v
	case !c.accept("->") || o.typ == nil:
		return unsure
	}
	t := o.typ
	switch {
	case o.lvalue:
		t = &ctype.Reference{Elem: t}
	case o.xvalue:
		t = &ctype.Reference{Elem: t, RValue: true}
	}
	const result = "#" // no name of the source
	inner := parameterScope(r.scope)
	inner.declare(result, &entity{typ: t, at: c.peek().At, bound: true})
	own, _ := r.in(inner).constraint(conceptOf(&templateParam{name: result, typ: c}))
	return v.and(own)
}

// validExpression says whether the expression c, which is not evaluated, is valid, and returns what it is.
func (r resolver) validExpression(c cursor) (operand, verdict) {
	o, failure := r.computed(c, func(e *evaluator) operand {
		e.dead++
		at := e.peek()
		o := e.expression()
		e.demand(at, e.ends(o))
		return o
	})
	switch {
	case failure != nil && failure.failed:
		return o, invalid
	case failure != nil, o.typ == nil:
		return o, unsure
	}
	return o, valid
}

// isConvertible is std::is_convertible<A, B>.
func isConvertible(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	if len(args) != 2 {
		return nil, reasonf(at, diag.NotUnderstood, "%s has %d arguments, not 2", at.Text, len(args))
	}
	var types []ctype.Type
	for _, one := range args {
		t, reason := r.typeArgument(one)
		if reason != nil {
			return nil, reason
		}
		types = append(types, t)
	}
	from := operand{typ: types[0], xvalue: true, unknown: notEvaluated}
	if ref, ok := ctype.Unqualified(types[0]).(*ctype.Reference); ok {
		from = referred(ref)
		from.unknown = notEvaluated
	}
	e := evaluator{resolver: r}
	v := e.implicitly(from, types[1])
	switch {
	case slices.ContainsFunc(types, isVoid):
		v = holds(isVoid(types[0]) && isVoid(types[1]))
	case isArrayType(types[1]) || isFunction(types[1]):
		v = invalid
	}
	if v == unsure {
		return nil, reasonf(at, diag.NotUnderstood, "%s of %s and %s is not understood", at.Text, types[0], types[1])
	}
	return truthMember(v == valid, at), nil
}
