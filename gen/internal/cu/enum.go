package cu

import (
	"math"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// enumSpecifier reads an enumeration that is defined, declared or only named at c: C++
// standard, [dcl.enum].
func (p *parser) enumSpecifier(c *cursor, context specifierContext) (t, defined ctype.Type, reason *ctype.Reason) {
	key := c.next()
	scoped := c.accept("class") || c.accept("struct")
	attributes := p.attributes(c)
	var name *lex.Token
	outer := p.scope
	defer func() { p.scope = outer }()
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
			f := p.name(&path)
			if f.entity == nil {
				if known := p.known(f); known != nil {
					return known, nil, nil
				}
			}
			t, reason = p.typeOf(f, name)
			return t, nil, reason
		}
		if !p.enterQualifiers(&h) {
			return nil, nil, p.reasonf(name, diag.NotUnderstood, "is an enumeration whose qualifiers are not known here")
		}
	}
	e := p.enumNamed(name, key, scoped)
	for i := range attributes {
		if a := &attributes[i]; !harmless[a.kind] && e.Unsupported == nil {
			e.Unsupported = &ctype.Reason{Pos: a.name.Pos(), Message: diag.NotUnderstood.New("it has attribute " + a.name.Text + ", which is not understood")}
		}
	}
	if c.accept(":") {
		p.underlying(c, e)
	} else if scoped {
		e.Fixed = true
	}
	if key.Doubtful && e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: key.Pos(), Message: diag.Macro.New("it is under a condition that could not be evaluated")}
	}
	if !c.peek().Is("{") {
		return e, nil, nil
	}
	body, ok := c.group()
	if !ok {
		return nil, nil, p.reasonf(key, diag.Unbalanced, "is an enumeration that is not closed")
	}
	p.enumerators(body, e)
	for _, a := range p.attributes(c) {
		if !harmless[a.kind] && e.Unsupported == nil {
			e.Unsupported = &ctype.Reason{Pos: a.name.Pos(), Message: diag.NotUnderstood.New("it has attribute " + a.name.Text + ", which is not understood")}
		}
	}
	if p.local == 0 {
		p.file.Enums = append(p.file.Enums, e)
	} else {
		p.localEnums[e] = true
	}
	return e, e, nil
}

// enumNamed returns the enumeration that name declares in the current scope.
func (u *unit) enumNamed(name, key *lex.Token, scoped bool) *ctype.Enum {
	if name == nil {
		return &ctype.Enum{Scope: u.scope.path(), Pos: key.Pos(), Underlying: ctype.Builtin(ctype.Int)}
	}
	if old := u.scope.names[name.Text]; old != nil {
		if e, ok := old.typ.(*ctype.Enum); ok && len(e.Enumerators) == 0 {
			e.Pos = name.Pos()
			return e
		}
	}
	e := &ctype.Enum{Name: name.Text, Scope: u.scope.path(), Pos: name.Pos(), Scoped: scoped, Underlying: ctype.Builtin(ctype.Int)}
	u.scope.declare(name.Text, &entity{typ: e, at: name.At})
	return e
}

// underlying reads the underlying type of e.
func (p *parser) underlying(c *cursor, e *ctype.Enum) {
	e.Fixed = true
	s := p.specifiers(c, specifierContext{})
	reason := s.reason
	if reason == nil {
		basic, ok := ctype.Unqualified(s.typ).(*ctype.Basic)
		if ok && basic.Integer() {
			e.Underlying = basic
			return
		}
		reason = p.reasonf(s.at, diag.NotUnderstood, "has underlying type %s, which is not an integer type", s.typ)
	}
	if e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: reason.Pos, Message: reason.Before("it ")}
	}
	for c.more() && !c.peek().Is("{") && !c.peek().Is(";") {
		c.skip()
	}
}

// enumerators reads the constants between the braces of e. Before the closing one, each has
// the type of its initializer, or the underlying type that is given: C++ standard,
// [dcl.enum].
func (p *parser) enumerators(body cursor, e *ctype.Enum) {
	own := newScope(e.Name, p.scope)
	own.class = true
	p.members[e] = own
	previous := integer(ctype.Int, -1)
	if e.Fixed {
		previous.typ = e.Underlying
	}
	known := true
	first := true
	low, high := int64(0), uint64(0)
	unknown := (*lex.Token)(nil)
	var constants []*constant
	for _, one := range p.split(body, true) {
		name := one.next()
		if name.Kind != lex.Ident {
			continue
		}
		p.attributes(&one)
		switch {
		case one.accept("="):
			previous, known = p.enumeratorValue(one, own)
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
			Name: name.Text, Pos: name.Pos(), Value: previous.bits, Known: known, Doc: p.trailing(one.stop),
		})
		if c := p.enumerator(name, e, own, previous, known); c != nil {
			constants = append(constants, c)
		}
	}
	if !e.Fixed {
		if unknown != nil && e.Unsupported == nil {
			e.Unsupported = &ctype.Reason{Pos: unknown.Pos(), Message: diag.ConstantExpression.New("the value of " + unknown.Text + " is not known, and decides its size").With(p.hint(diag.Message{}))}
		}
		e.Underlying = ctype.Builtin(underlyingKind(low, high))
	}
	for _, c := range constants {
		c.typ = e
		c.value = operand{typ: e.Underlying, bits: c.value.bits}.value()
	}
}

// enumeratorValue returns the value of the expression c, looked up from own.
func (p *parser) enumeratorValue(c cursor, own *scope) (o operand, known bool) {
	o, failure := p.operand(c, own)
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
func (u *unit) enumerator(name *lex.Token, e *ctype.Enum, own *scope, o operand, known bool) *constant {
	if !known || name.Doubtful {
		obscure := &entity{obscure: "an enumerator whose value is not known", at: name.At}
		own.declare(name.Text, obscure)
		if !e.Scoped {
			u.scope.declare(name.Text, obscure)
		}
		return nil
	}
	c := &constant{o.value(), o.typ}
	found := &entity{constant: c, at: name.At}
	own.declare(name.Text, found)
	if !e.Scoped {
		u.scope.declare(name.Text, found)
	}
	n, ok := o.value().int64()
	if !ok || name.At.File().System || u.local > 0 {
		return c
	}
	path := u.scope.path()
	if e.Scoped {
		path = append(path, e.Name)
	}
	u.file.Constants[joinPath(append(named(path), name.Text))] = n
	return c
}

// named returns path without unnamed namespaces.
func named(path []string) []string {
	var kept []string
	for _, name := range path {
		if name != ctype.AnonymousNamespace {
			kept = append(kept, name)
		}
	}
	return kept
}
