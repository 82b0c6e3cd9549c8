package cu

import (
	"strconv"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// An expanded is one element of a list, and the scope in which it stands: for an element
// of a pack expansion, one in which the packs' names mean their elements.
type expanded struct {
	cursor
	scope *scope
	rest  *hole // of the pack, in the pattern of a partial specialisation; nil otherwise
}

// largestPack limits the elements of a pack.
const largestPack = 1 << 12

// expandAll returns the elements of a list with its pack expansions expanded: C++ standard, [temp.variadic].
func (r resolver) expandAll(parts []cursor) ([]expanded, *ctype.Reason) {
	return r.expandWithin(parts, &r.work.instances)
}

// expandWithin is expandAll, with what is left of the elements that may be made.
func (r resolver) expandWithin(parts []cursor, left *int) ([]expanded, *ctype.Reason) {
	var list []expanded
	for _, one := range parts {
		dots := ellipsis(one)
		if dots < 0 {
			list = append(list, expanded{cursor: one, scope: r.scope})
			continue
		}
		elements, reason := r.expand(withoutToken(one, dots), &one.list[dots], left)
		if reason != nil {
			return nil, reason
		}
		if list = append(list, elements...); len(list) > largestPack {
			return nil, reasonf(one.peek(), diag.NotUnderstood, "is a pack of more than %d elements", largestPack)
		}
	}
	return list, nil
}

// expand returns the elements of the expansion of pattern, whose ... is at, and takes their number from left.
func (r resolver) expand(pattern cursor, at *lex.Token, left *int) ([]expanded, *ctype.Reason) {
	packs := make(map[string]*entity)
	r.packsIn(pattern, packs)
	if len(packs) == 0 {
		return nil, reasonf(at, diag.NotUnderstood, "is an expansion of a pack that is not known here")
	}
	length := -1
	for name, e := range packs {
		switch {
		case e.rest != nil && len(packs) > 1:
			return nil, reasonf(at, diag.NotUnderstood, "is an expansion of several packs, which is not understood here")
		case e.rest != nil:
			return r.expandHole(pattern, name, e)
		case length >= 0 && len(e.pack) != length:
			return nil, reasonf(at, diag.NotUnderstood, "is an expansion of packs of different lengths")
		}
		length = len(e.pack)
	}
	r.work.steps += length
	if *left -= length; *left < 0 || r.work.spent() {
		return nil, reasonf(at, diag.NotUnderstood, "has too many elements of packs")
	}
	list := make([]expanded, 0, length)
	for i := range length {
		inner := parameterScope(r.scope)
		for name, e := range packs {
			inner.declare(name, e.pack[i])
		}
		list = append(list, expanded{cursor: pattern, scope: inner})
	}
	return list, nil
}

// expandHole returns the one element that stands for the expansion of a pack in a pattern.
func (r resolver) expandHole(pattern cursor, name string, e *entity) ([]expanded, *ctype.Reason) {
	inner := parameterScope(r.scope)
	inner.declare(name, e.rest.element())
	return []expanded{{pattern, inner, e.rest}}, nil
}

// packsIn adds the packs that c names outside of expansions in it.
func (r resolver) packsIn(c cursor, packs map[string]*entity) {
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
					r.packsIn(inside, packs)
					continue
				}
			case one.opening():
				if inside, ok := one.group(); ok {
					r.packsIn(inside, packs)
					continue
				}
			case l.Kind == lex.Ident && !one.before().Is("::"):
				if e := r.scope.lookup(l.Text); e != nil && (e.pack != nil || e.rest != nil) {
					packs[l.Text] = e
				}
			}
			one.next()
		}
	}
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
