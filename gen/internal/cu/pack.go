package cu

import (
	"strconv"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// aPack is the name in messages of a template parameter pack that is not expanded.
const aPack = "a pack of template arguments"

// An expanded is one element of a list, and the scope in which it stands: for an element
// of a pack expansion, one in which the packs' names mean their elements.
type expanded struct {
	cursor
	scope *scope
	rest  *hole // of the pack, in the pattern of a partial specialisation; nil otherwise
}

// largestPack limits the elements of a pack.
const largestPack = 1 << 12

// bindPack declares a template parameter pack of s as its elements.
func (u *unit) bindPack(s *scope, name string, args []ctype.TemplateArg, at *lex.Token) {
	e := &entity{obscure: aPack, pack: make([]*entity, len(args)), at: at.At}
	for i := range args {
		e.pack[i] = u.argumentEntity(args[i], at)
	}
	s.declare(name, e)
}

// expandAll returns the elements of a list, seen from the current scope, with its pack
// expansions expanded: C++ standard, [temp.variadic].
func (p *parser) expandAll(parts []cursor) ([]expanded, *ctype.Reason) {
	return p.expandWithin(parts, &p.instances)
}

// expandWithin is expandAll, with what is left of the elements that may be made.
func (p *parser) expandWithin(parts []cursor, left *int) ([]expanded, *ctype.Reason) {
	var list []expanded
	for _, one := range parts {
		dots := ellipsis(one)
		if dots < 0 {
			list = append(list, expanded{cursor: one, scope: p.scope})
			continue
		}
		elements, reason := p.expand(withoutToken(one, dots), &one.list[dots], left)
		if reason != nil {
			return nil, reason
		}
		if list = append(list, elements...); len(list) > largestPack {
			return nil, p.reasonf(one.peek(), diag.NotUnderstood, "is a pack of more than %d elements", largestPack)
		}
	}
	return list, nil
}

// ellipsis returns the index of the ... that makes c a pack expansion, -1 when there is
// none. That of sizeof... and that of a function's ellipsis are none.
func ellipsis(c cursor) int {
	if c.stop == c.i+1 {
		return -1
	}
	for begin := c.i; c.more(); {
		switch l := c.peek(); {
		case l.Is("="):
			return -1
		case l.Is("...") && c.i > begin && !c.before().Is("sizeof") && !c.ahead(1).Is("("):
			return c.i
		case l.Is("("):
			inside := c
			if group, ok := inside.group(); ok && declares(group) { // Ts (&...args)[N]
				for i := group.i; i < group.stop; i++ {
					if group.list[i].Is("...") {
						return i
					}
				}
			}
		case l.Is("<"):
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return -1
}

// expand returns the elements of the expansion of pattern, whose ... is at, and takes their number from left.
func (p *parser) expand(pattern cursor, at *lex.Token, left *int) ([]expanded, *ctype.Reason) {
	packs := make(map[string]*entity)
	p.packsIn(pattern, packs)
	if len(packs) == 0 {
		return nil, p.reasonf(at, diag.NotUnderstood, "is an expansion of a pack that is not known here")
	}
	length := -1
	for name, e := range packs {
		switch {
		case e.rest != nil && len(packs) > 1:
			return nil, p.reasonf(at, diag.NotUnderstood, "is an expansion of several packs, which is not understood here")
		case e.rest != nil:
			return p.expandHole(pattern, name, e)
		case length >= 0 && len(e.pack) != length:
			return nil, p.reasonf(at, diag.NotUnderstood, "is an expansion of packs of different lengths")
		}
		length = len(e.pack)
	}
	p.work.steps += length
	if *left -= length; *left < 0 || p.work.spent() {
		return nil, p.reasonf(at, diag.NotUnderstood, "has too many elements of packs")
	}
	list := make([]expanded, 0, length)
	for i := range length {
		inner := newScope("", p.scope)
		inner.parameters = true
		for name, e := range packs {
			inner.declare(name, e.pack[i])
		}
		list = append(list, expanded{cursor: pattern, scope: inner})
	}
	return list, nil
}

// withoutToken returns c without the token of the index i.
func withoutToken(c cursor, i int) cursor {
	list := make([]lex.Token, 0, c.stop-c.i)
	list = append(append(list, c.list[c.i:i]...), c.list[i+1:c.stop]...)
	return newCursor(newTokens(list), *c.ahead(c.stop - c.i))
}

// packsIn adds the packs that c names outside of expansions in it.
func (p *parser) packsIn(c cursor, packs map[string]*entity) {
	for _, one := range splitAngles(c) {
		if ellipsis(one) >= 0 {
			continue
		}
		for one.more() {
			l := one.peek()
			switch {
			case l.Is("sizeof") && one.ahead(1).Is("..."):
				one.i += 2
				one.group()
				continue
			case l.Is("<"):
				if inside, ok := one.angles(); ok {
					p.packsIn(inside, packs)
					continue
				}
			case one.opening():
				if inside, ok := one.group(); ok {
					p.packsIn(inside, packs)
					continue
				}
			case l.Kind == lex.Ident && !one.before().Is("::"):
				if e := p.scope.lookup(l.Text); e != nil && (e.pack != nil || e.rest != nil) {
					packs[l.Text] = e
				}
			}
			one.next()
		}
	}
}

// sizeofPack reads what stands behind sizeof of sizeof...(Ts).
func (e *evaluator) sizeofPack(operator *lex.Token) operand {
	e.next()
	inside, ok := e.group()
	name := inside.peek()
	if !ok || inside.stop != inside.i+1 {
		e.failWith(operator, diag.NotUnderstood.Errorf("sizeof... is not understood (%w)", diag.Do("write the name of a pack")))
	}
	pack := e.parser.scope.lookup(name.Text)
	if pack == nil || pack.pack == nil {
		e.fail(name, diag.NotUnderstood, name.Text+" is not a pack that is known here")
	}
	return integer(ctype.UnsignedLong, int64(len(pack.pack)))
}

// parameterOf reads the type of a parameter where it stands.
func (p *parser) parameterOf(one expanded) (d declarator, reason *ctype.Reason) {
	outer := p.scope
	p.scope = one.scope
	defer func() { p.scope = outer }()
	d, reason = p.parameterType(&one.cursor)
	if reason == nil && one.rest != nil {
		d.typ = p.restOf(one.rest, ctype.TemplateArg{Type: d.typ})
	}
	return d, reason
}

// numberPacks gives the elements of a pack of parameters names of their own: args0, args1.
func numberPacks(params []Param) {
	for i := 0; i < len(params); {
		end := i + 1
		for end < len(params) && params[i].Name != "" && params[end].Name == params[i].Name && params[end].Pos == params[i].Pos {
			end++
		}
		for j := i; j < end && end > i+1; j++ {
			params[j].Name += strconv.Itoa(j - i)
		}
		i = end
	}
}
