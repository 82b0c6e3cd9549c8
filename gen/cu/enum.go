package cu

import (
	"math"

	"github.com/cudagen/cudagen/gen/ctype"
)

// enumSpecifier reads an enumeration that is defined, declared or only named at c: C++
// standard, [dcl.enum].
func (p *parser) enumSpecifier(c *cursor, context specifierContext) (t, defined ctype.Type, reason *ctype.Reason) {
	key := c.next()
	scoped := c.accept("class") || c.accept("struct")
	attributes := p.attributes(c)
	var name *lexeme
	outer := p.scope
	defer func() { p.scope = outer }()
	if c.peek().kind == tokIdent || c.peek().is("::") {
		begin := c.i
		c.accept("::")
		for c.peek().kind == tokIdent {
			name = c.next()
			if !c.peek().is("::") || c.ahead(1).kind != tokIdent {
				break
			}
			c.next()
		}
		h := head{name: c.piece(begin, c.i), last: name}
		if !c.peek().is("{") && !c.peek().is(":") && !(scoped && c.peek().is(";")) {
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
			return nil, nil, p.reasonf(name, "is an enumeration whose qualifiers are not known here")
		}
	}
	e := p.enumNamed(name, key, scoped)
	for i := range attributes {
		if a := &attributes[i]; !harmless[a.kind] && e.Unsupported == nil {
			e.Unsupported = &ctype.Reason{Pos: a.name.pos(), Text: "it has attribute " + a.name.text + ", which is not understood"}
		}
	}
	if c.accept(":") {
		p.underlying(c, e)
	} else if scoped {
		e.Fixed = true
	}
	if key.doubtful && e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: key.pos(), Text: "it is under a condition that could not be evaluated"}
	}
	if !c.peek().is("{") {
		return e, nil, nil
	}
	body, ok := c.group()
	if !ok {
		return nil, nil, p.reasonf(key, "is an enumeration that is not closed")
	}
	p.enumerators(body, e)
	for _, a := range p.attributes(c) {
		if !harmless[a.kind] && e.Unsupported == nil {
			e.Unsupported = &ctype.Reason{Pos: a.name.pos(), Text: "it has attribute " + a.name.text + ", which is not understood"}
		}
	}
	p.file.Enums = append(p.file.Enums, e)
	return e, e, nil
}

// enumNamed returns the enumeration that name declares in the current scope.
func (p *parser) enumNamed(name, key *lexeme, scoped bool) *ctype.Enum {
	if name == nil {
		return &ctype.Enum{Scope: p.scope.path(), Pos: key.pos(), Underlying: ctype.Builtin(ctype.Int)}
	}
	if old := p.scope.names[name.text]; old != nil {
		if e, ok := old.typ.(*ctype.Enum); ok && len(e.Enumerators) == 0 {
			e.Pos = name.pos()
			return e
		}
	}
	e := &ctype.Enum{Name: name.text, Scope: p.scope.path(), Pos: name.pos(), Scoped: scoped, Underlying: ctype.Builtin(ctype.Int)}
	p.scope.declare(name.text, &entity{typ: e, at: name.at})
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
		reason = p.reasonf(s.at, "has underlying type %s, which is no integer type", s.typ)
	}
	if e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: reason.Pos, Text: "it " + reason.Text}
	}
	for c.more() && !c.peek().is("{") && !c.peek().is(";") {
		c.skip()
	}
}

// enumerators reads the constants between the braces of e.
func (p *parser) enumerators(body cursor, e *ctype.Enum) {
	own := newScope(e.Name, p.scope)
	own.class = true
	p.members[e] = own
	previous := value{bits: -1}
	known := true
	first := true
	low, high := int64(0), uint64(0)
	unknown := (*lexeme)(nil)
	outer := p.scope
	for _, one := range p.split(body, true) {
		name := one.next()
		if name.kind != tokIdent {
			continue
		}
		p.attributes(&one)
		switch {
		case one.accept("="):
			p.scope = own
			v, failure := p.evaluate(one, own)
			p.scope = outer
			previous, known = v, failure == nil
		case first:
			previous = value{}
		default:
			previous = increment(previous, &known)
		}
		if e.Fixed && known {
			var ok bool
			if previous, ok = convert(previous, e.Underlying); !ok {
				known = false
			}
		}
		first = false
		if known {
			if previous.bits < 0 && !(previous.unsigned && previous.wide) {
				low = min(low, previous.bits)
			} else {
				high = max(high, uint64(previous.bits))
			}
		} else if unknown == nil {
			unknown = name
		}
		e.Enumerators = append(e.Enumerators, ctype.Enumerator{
			Name: name.text, Pos: name.pos(), Value: previous.bits, Known: known, Doc: p.trailing(one.stop),
		})
		p.enumerator(name, e, own, previous, known)
	}
	if e.Fixed {
		return
	}
	if unknown != nil && e.Unsupported == nil {
		e.Unsupported = &ctype.Reason{Pos: unknown.pos(), Text: "the value of " + unknown.text + " is not known, and decides its size" + p.hint("")}
	}
	e.Underlying = ctype.Builtin(underlyingKind(low, high))
}

// increment returns the value behind v.
func increment(v value, known *bool) value {
	n, ok := v.int64()
	if !ok || n == math.MaxInt64 {
		*known = false
		return v
	}
	v.bits = n + 1
	if !v.holds(n+1) || v.unsigned && !v.wide && n+1 > math.MaxUint32 {
		v.wide = true // the next larger type: C++ standard, [dcl.enum]
	}
	return v
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

// enumerator declares one constant of e, in e and, when e is not scoped, around it.
func (p *parser) enumerator(name *lexeme, e *ctype.Enum, own *scope, v value, known bool) {
	found := &entity{obscure: "an enumerator whose value is not known", at: name.at}
	if known && !name.doubtful {
		found = &entity{constant: &constant{v, e}, at: name.at}
	}
	own.declare(name.text, found)
	if !e.Scoped {
		p.scope.declare(name.text, found)
	}
	n, ok := v.int64()
	if !known || !ok || name.at.file().system {
		return
	}
	path := p.scope.path()
	if e.Scoped {
		path = append(path, e.Name)
	}
	p.file.Constants[joinPath(append(named(path), name.text))] = n
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
