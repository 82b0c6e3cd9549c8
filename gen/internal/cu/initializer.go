package cu

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// initialized reads the initializer of the constant d. failure says why it has no value that
// is understood.
func (r resolver) initialized(c *cursor, d declarator) (o operand, failure diag.Message) {
	l := c.peek()
	var expression cursor
	switch {
	case c.accept("="):
		begin := c.i
		expression = c.piece(begin, r.endOfInitializer(c))
	case c.peek().Is("{"):
		begin := c.i
		c.group()
		expression = c.piece(begin, c.i)
	case c.peek().Is("("):
		expression, _ = c.group()
	default:
		return operand{}, diag.NotUnderstood.New("it has no initializer here")
	}
	t := d.typ
	switch {
	case isAuto(t):
		t = nil
	case isReference(t):
		return operand{}, diag.NotUnderstood.New("it is a reference")
	}
	o, err := r.computed(expression, func(e *evaluator) operand {
		o := e.initializer(t)
		if textFor(o, t) {
			o = e.memberOf(l, o, t)
		}
		if o.unknown.Text != "" {
			e.failWith(l, o.unknown)
		}
		if t != nil && !isArrayType(t) {
			o = e.converted(l, o, t, false)
		}
		return e.owned(o)
	})
	switch {
	case err != nil:
		return operand{}, err.Message
	case o.typ == nil:
		return operand{}, noType
	}
	if d.unsized == nil && t != nil {
		o.typ = t
	}
	return o, diag.Message{}
}

// initializer reads what initialises a variable of type t, nil for one that is not known: an
// expression, or a list in braces.
func (e *evaluator) initializer(t ctype.Type) operand {
	if !e.peek().Is("{") {
		return e.assignment()
	}
	l := e.peek()
	if t == nil {
		e.unexpected(l)
	}
	list, ok := e.group()
	if !ok {
		e.unexpected(l)
	}
	inner := e.inner(list)
	o := inner.braced(l, t)
	e.risky = e.risky || inner.risky
	return o
}

// braced reads the list of initializers of a t between its braces: C++ standard,
// [dcl.init.list].
func (e *evaluator) braced(at *lex.Token, t ctype.Type) operand {
	if !e.more() {
		return e.zero(at, t)
	}
	var o operand
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Array:
		o = operand{typ: t}
		n := u.Len
		if e.find("...") >= 0 {
			for _, one := range e.elements() {
				elem := e.element(one, func(e *evaluator) operand { return e.initializer(u.Elem) })
				e.demand(at, e.elementValid(elem, u.Elem))
				o.elems = append(o.elems, e.memberOf(at, elem, u.Elem))
			}
			e.i = e.stop
		}
		for e.more() {
			elem := e.initializer(u.Elem)
			e.demand(at, e.elementValid(elem, u.Elem))
			o.elems = append(o.elems, e.memberOf(at, elem, u.Elem))
			if !e.accept(",") {
				break
			}
		}
		if int64(len(o.elems)) > n && n > 1 {
			e.fail(at, diag.NotUnderstood, "an array has more initializers than elements")
		}
		o.elems = e.filled(at, o.elems, u)
		o.typ = &ctype.Array{Elem: u.Elem, Len: int64(len(o.elems))}
	case *ctype.Struct:
		return e.aggregate(at, u)
	default:
		o = e.initializer(t)
		e.accept(",")
		o = e.converted(at, o, t, false)
	}
	e.finish()
	return o
}

// filled returns elems with zeros up to the length of t.
func (e *evaluator) filled(at *lex.Token, elems []operand, t *ctype.Array) []operand {
	const most = 1 << 14
	if t.Len > most {
		e.fail(at, diag.NoLayout, "an array of a constant expression is too large")
	}
	for int64(len(elems)) < t.Len {
		elems = append(elems, e.zero(at, t.Elem))
	}
	return elems
}

// memberOf returns o as an element or a member of type t.
func (e *evaluator) memberOf(at *lex.Token, o operand, t ctype.Type) operand {
	if textFor(o, t) {
		array := ctype.Unqualified(t).(*ctype.Array)
		o = operand{typ: t, elems: e.filled(at, slices.Clone(o.elems), array)}
	} else if o.unknown.Text == "" {
		o = e.converted(at, o, t, false)
	}
	o = e.owned(o)
	o.typ = t
	return o
}

// textFor reports whether o is a string that initialises an array of type t: C++ standard, [dcl.init.string].
func textFor(o operand, t ctype.Type) bool {
	from, text := ctype.Unqualified(o.typ).(*ctype.Array)
	to, array := ctype.Unqualified(t).(*ctype.Array)
	return text && array && o.unknown.Text != "" && len(o.elems) > 0 && int64(len(o.elems)) <= to.Len && sameType(from.Elem, to.Elem)
}

// zero returns a value-initialised t: C++ standard, [dcl.init].
func (e *evaluator) zero(at *lex.Token, t ctype.Type) operand {
	e.tick()
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Array:
		o := operand{typ: t}
		o.elems = e.filled(at, nil, u)
		return o
	case *ctype.Struct:
		empty := e.inner(e.piece(e.i, e.i))
		return empty.aggregate(at, u)
	case *ctype.Pointer:
		return unknownOf(t, aPointer)
	}
	if !isInteger(t) && !isFloat(t) {
		return unknownOf(t, diag.ConstantExpression.New("a value of type "+t.String()+" is not known here"))
	}
	return operand{typ: t}
}

// blank returns a variable of type t without an initializer.
func (e *evaluator) blank(at *lex.Token, t ctype.Type) operand {
	switch u := ctype.Unqualified(t).(type) {
	case *ctype.Array:
		o := operand{typ: t}
		o.elems = e.filled(at, nil, u)
		for i := range o.elems {
			o.elems[i] = e.blank(at, u.Elem)
		}
		return o
	case *ctype.Struct:
		return e.zero(at, t)
	}
	return unknownOf(t, diag.NotUnderstood.New(at.Text+" has no value yet"))
}

// aggregate reads the initializers of the members of an aggregate: C++ standard,
// [dcl.init.aggr]. Classes with constructors or base classes are none here.
func (e *evaluator) aggregate(at *lex.Token, t *ctype.Struct) operand {
	e.complete(t)
	switch {
	case !t.Complete || t.Unsupported != nil || t.Union || t.Virtual:
		e.fail(at, diag.ConstantExpression, "a value of class "+t.String()+" is not understood in a constant expression")
	case len(t.Bases) > 0 && (e.more() || len(t.Fields) > 0):
		e.fail(at, diag.ConstantExpression, "a value of class "+t.String()+", which has base classes, is not understood in a constant expression")
	case e.constructed[t]:
		e.fail(at, diag.ConstantExpression, "a value of class "+t.String()+", which has constructors, is not understood in a constant expression")
	}
	o := operand{typ: t, elems: make([]operand, len(t.Bases)+len(t.Fields))}
	for i := range t.Bases {
		o.elems[i] = e.zero(at, t.Bases[i].Type)
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		slot := &o.elems[len(t.Bases)+i]
		switch {
		case f.BitField && f.Name == "":
			continue
		case f.BitField:
			e.fail(at, diag.ConstantExpression, "a bit-field is not understood in a constant expression")
		}
		designated := e.peek().Is(".")
		if designated && (e.ahead(1).Text != f.Name || !e.ahead(2).Is("=") && !e.ahead(2).Is("{")) {
			*slot = e.defaultMember(at, t, i, &o)
			continue
		}
		if !e.more() {
			*slot = e.defaultMember(at, t, i, &o)
			continue
		}
		if designated {
			e.i += 2
			e.accept("=")
		}
		value := e.initializer(f.Type)
		e.demand(at, e.elementValid(value, f.Type))
		if !isClass(f.Type) && !isPointer(f.Type) || sameType(value.typ, f.Type) || value.unknown.Text != "" && value.typ != nil {
			*slot = e.memberOf(at, value, f.Type)
		} else {
			e.fail(at, diag.ConstantExpression, "initializers of members without braces of their own are not understood in a constant expression")
		}
		if !e.accept(",") && e.more() {
			e.unexpected(e.peek())
		}
	}
	e.finish()
	return o
}

// defaultMember returns the field number i of the class t that has no initializer in the
// list: what its default says, or zero.
func (e *evaluator) defaultMember(at *lex.Token, t *ctype.Struct, i int, self *operand) operand {
	c, ok := e.defaults[fieldKey{t, i}]
	if !ok {
		return e.zero(at, t.Fields[i].Type)
	}
	inner := e.inner(c)
	inner.scope, inner.frame = e.members[t], &frame{self: self}
	inner.accept("=")
	o := inner.initializer(t.Fields[i].Type)
	inner.finish()
	return e.memberOf(at, o, t.Fields[i].Type)
}
