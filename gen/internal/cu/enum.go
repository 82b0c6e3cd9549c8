package cu

import (
	"go/token"
	"math"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// enumSpecifier reads an enumeration that is defined, declared or only named at c: C++
// standard, [dcl.enum].
func (r resolver) enumSpecifier(c *cursor) (t, defined ctype.Type, reason *ctype.Reason) {
	key := c.next()
	scoped := c.accept("class") || c.accept("struct")
	found := readAttributes(c)
	var name *lex.Token
	if c.peek().Kind == lex.Ident || c.peek().Is("::") {
		begin := c.i
		c.accept("::")
		for c.peek().Kind == lex.Ident {
			name = c.next()
			if !c.peek().Is("::") || c.ahead(1).Kind != lex.Ident {
				break
			}
			c.next()
		}
		h := head{name: c.piece(begin, c.i), last: name}
		if !c.peek().Is("{") && !c.peek().Is(":") && !(scoped && c.peek().Is(";")) {
			path := h.name
			f := r.name(&path)
			if f.entity == nil {
				if known := r.known(f); known != nil {
					return known, nil, nil
				}
			}
			t, reason = r.typeOf(f, name)
			return t, nil, reason
		}
		if r.scope = r.qualifying(&h); r.scope == nil {
			return nil, nil, reasonf(name, diag.NotUnderstood, "is an enumeration whose qualifiers are not known here")
		}
	}
	if e := r.definedEnum(name, *c); e != nil {
		c.skipTo(";", ",")
		return e, nil, nil
	}
	e := r.enumNamed(name, key, scoped)
	for i := range found {
		if a := &found[i]; !harmless[a.kind] {
			rejectEnum(e, a.name.Pos(), diag.NotUnderstood.New("it has attribute "+a.name.Text+", which is not understood"))
		}
	}
	if c.accept(":") {
		r.underlying(c, e)
	} else if scoped {
		e.Fixed = true
	}
	if key.Doubtful {
		rejectEnum(e, key.Pos(), diag.Macro.New("it is under a condition that could not be evaluated"))
	}
	if !c.peek().Is("{") {
		return e, nil, nil
	}
	body, ok := c.group()
	if !ok {
		return nil, nil, reasonf(key, diag.Unbalanced, "is an enumeration that is not closed")
	}
	r.enumerators(body, e)
	for _, a := range readAttributes(c) {
		if !harmless[a.kind] {
			rejectEnum(e, a.name.Pos(), diag.NotUnderstood.New("it has attribute "+a.name.Text+", which is not understood"))
		}
	}
	if r.local == 0 {
		r.file.Enums = append(r.file.Enums, e)
	} else {
		r.locals[e] = true
	}
	return e, e, nil
}

// rejectEnum notes why the size of e is not known. The first reason stands.
func rejectEnum(e *ctype.Enum, at token.Position, m diag.Message) {
	if e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: at, Message: m}
	}
}

// definedEnum returns the enumeration called name that is declared again by what follows, an underlying type and no enumerators,
// when it has been defined in the scope; nil otherwise: C++ standard, [dcl.enum].
func (r resolver) definedEnum(name *lex.Token, c cursor) *ctype.Enum {
	if name == nil {
		return nil
	}
	if c.skipTo("{", ";"); c.peek().Is("{") {
		return nil
	}
	if old := r.scope.names[name.Text]; old != nil {
		if e, ok := old.typ.(*ctype.Enum); ok && len(e.Enumerators) > 0 {
			return e
		}
	}
	return nil
}

// enumNamed returns the enumeration that name declares in the scope.
func (r resolver) enumNamed(name, key *lex.Token, scoped bool) *ctype.Enum {
	if name == nil {
		return &ctype.Enum{Scope: r.scope.path(), Pos: key.Pos(), Underlying: ctype.Builtin(ctype.Int)}
	}
	if old := r.scope.names[name.Text]; old != nil {
		if e, ok := old.typ.(*ctype.Enum); ok && len(e.Enumerators) == 0 {
			e.Pos = name.Pos()
			return e
		}
	}
	e := &ctype.Enum{Name: name.Text, Scope: r.scope.path(), Pos: name.Pos(), Scoped: scoped, Underlying: ctype.Builtin(ctype.Int)}
	r.scope.declare(name.Text, &entity{typ: e, at: name.At})
	return e
}

// underlying reads the underlying type of e.
func (r resolver) underlying(c *cursor, e *ctype.Enum) {
	e.Fixed = true
	s := r.specifiers(c, nil)
	reason := s.reason
	if reason == nil {
		basic, ok := ctype.Unqualified(s.typ).(*ctype.Basic)
		if ok && basic.Integer() {
			e.Underlying = basic
			return
		}
		reason = reasonf(s.at, diag.NotUnderstood, "has underlying type %s, which is not an integer type", s.typ)
	}
	rejectEnum(e, reason.Pos, reason.Before("it "))
	c.skipTo("{", ";")
}

// enumerators reads the constants between the braces of e. Before the closing one, each has
// the type of its initializer, or the underlying type that is given: C++ standard,
// [dcl.enum].
func (r resolver) enumerators(body cursor, e *ctype.Enum) {
	own := newScope(e.Name, r.scope)
	own.class = true
	r.members[e] = own
	previous := integer(ctype.Int, -1)
	if e.Fixed {
		previous.typ = e.Underlying
	}
	known := true
	first := true
	low, high := int64(0), uint64(0)
	unknown := (*lex.Token)(nil)
	var constants []*constant
	for _, one := range r.split(body) {
		name := one.next()
		if name.Kind != lex.Ident {
			continue
		}
		readAttributes(&one)
		switch {
		case one.accept("="):
			previous, known = r.enumeratorValue(one, own)
		case first:
			previous.bits = 0
		default:
			previous, known = increment(previous, known)
		}
		if e.Fixed && known {
			var v value
			if v, known = convert(previous.value(), e.Underlying); known {
				previous = operand{typ: e.Underlying, bits: v.bits}
			}
		}
		first = false
		if known {
			if v := previous.value(); v.bits < 0 && !(v.unsigned && v.wide) {
				low = min(low, v.bits)
			} else {
				high = max(high, uint64(v.bits))
			}
		} else if unknown == nil {
			unknown = name
		}
		e.Enumerators = append(e.Enumerators, ctype.Enumerator{
			Name: name.Text, Pos: name.Pos(), Value: previous.bits, Known: known, Doc: r.trailing(one.stop),
		})
		if c := r.enumerator(name, e, own, previous, known); c != nil {
			constants = append(constants, c)
		}
	}
	if !e.Fixed {
		if unknown != nil {
			rejectEnum(e, unknown.Pos(), diag.ConstantExpression.New("the value of "+unknown.Text+" is not known, and decides its size").With(r.hint(diag.Message{})))
		}
		e.Underlying = ctype.Builtin(underlyingKind(low, high))
	}
	for _, c := range constants {
		c.typ = e
		c.value = operand{typ: e.Underlying, bits: c.value.bits}.value()
	}
}

// enumeratorValue returns the value of the expression c, looked up from own.
func (r resolver) enumeratorValue(c cursor, own *scope) (o operand, known bool) {
	o, failure := r.in(own).operand(c)
	if failure != nil || o.unknown.Text != "" || !isInteger(o.typ) {
		return integer(ctype.Int, 0), false
	}
	return operand{typ: ctype.Unqualified(o.typ), bits: o.bits}, true
}

// increment returns the value behind o, of the next larger type if it does not fit: C++
// standard, [dcl.enum].
func increment(o operand, known bool) (operand, bool) {
	n, ok := o.value().int64()
	basic := builtin(o.typ)
	if !known || !ok || n == math.MaxInt64 {
		return o, false
	}
	if basic.Kind == ctype.Bool || wrap(n+1, basic) != n+1 {
		if basic = promoted(basic); wrap(n+1, basic) != n+1 {
			basic = ctype.Builtin(ctype.Long)
		}
	}
	return operand{typ: basic, bits: n + 1}, true
}

// underlyingKind returns the type that GCC and clang choose for enumerators between low
// and high.
func underlyingKind(low int64, high uint64) ctype.Kind {
	switch {
	case low >= 0 && high <= math.MaxUint32:
		return ctype.UnsignedInt
	case low >= 0:
		return ctype.UnsignedLong
	case low >= math.MinInt32 && high <= math.MaxInt32:
		return ctype.Int
	}
	return ctype.Long
}

// enumerator declares one constant of e, in e and, when e is not scoped, around it. It
// returns nil for one whose value is not known.
func (r resolver) enumerator(name *lex.Token, e *ctype.Enum, own *scope, o operand, known bool) *constant {
	if !known || name.Doubtful {
		obscure := &entity{obscure: "an enumerator whose value is not known", at: name.At}
		own.declare(name.Text, obscure)
		if !e.Scoped {
			r.scope.declare(name.Text, obscure)
		}
		return nil
	}
	c := &constant{o.value(), o.typ}
	found := &entity{constant: c, at: name.At}
	own.declare(name.Text, found)
	if !e.Scoped {
		r.scope.declare(name.Text, found)
	}
	n, ok := o.value().int64()
	if !ok || name.At.File().System || r.local > 0 {
		return c
	}
	path := r.scope.path()
	if e.Scoped {
		path = append(path, e.Name)
	}
	r.file.Constants[joinPath(append(named(path), name.Text))] = n
	return c
}
