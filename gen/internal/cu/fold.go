package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A fold is a fold expression taken apart: C++ standard, [expr.prim.fold].
type fold struct {
	operator    *lex.Token
	left, right cursor // operands; one may be empty
}

// foldAt takes apart what stands between the parentheses of a fold expression. ok is false
// if c is not a fold expression.
func (p *parser) foldAt(c cursor) (f fold, ok bool) {
	dots := -1
	for scan := c; scan.more() && dots < 0; {
		if scan.peek().Is("<") && p.namesTemplate(scan.before()) {
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		if scan.peek().Is("...") && !scan.before().Is("sizeof") {
			dots = scan.i
		}
		scan.skip()
	}
	switch {
	case dots < 0 || c.stop-c.i < 3:
		return fold{}, false
	case dots == c.i: // (... op pack)
		f = fold{&c.list[dots+1], c.piece(dots, dots), c.piece(dots+2, c.stop)}
	case dots == c.stop-1: // (pack op ...)
		f = fold{&c.list[dots-1], c.piece(c.i, dots-1), c.piece(dots, dots)}
	default: // (init op ... op pack), (pack op ... op init)
		f = fold{&c.list[dots-1], c.piece(c.i, dots-1), c.piece(dots+2, c.stop)}
		if c.list[dots+1].Text != f.operator.Text {
			f.operator = &c.list[dots]
		}
	}
	return f, true
}

// fold evaluates a fold expression. Its operands are evaluated from left to right, up to the one that
// decides && or ||.
func (e *evaluator) fold(f fold) operand {
	operator := f.operator.Text
	if f.operator.Kind != lex.Punct || lex.Precedence[operator] == 0 && operator != "," {
		e.fail(f.operator, diag.NotUnderstood, "a fold expression is not understood")
	}
	left, leftPack := e.foldOperand(f, f.left)
	right, rightPack := e.foldOperand(f, f.right)
	elements := append(left, right...)
	switch {
	case leftPack == rightPack:
		e.fail(f.operator, diag.NotUnderstood, "a fold expression is not understood (one operand is a pack)")
	case len(elements) == 0 && operator == "&&":
		return e.truth(true)
	case len(elements) == 0 && operator == "||":
		return e.truth(false)
	case len(elements) == 0 && operator == ",":
		return unknownOf(ctype.Builtin(ctype.Void), aVoid)
	case len(elements) == 0:
		e.fail(f.operator, diag.NotUnderstood, "a fold expression of an empty pack has no value")
	}
	var values []operand
	decided := false
	for _, one := range elements {
		v := e.unevaluated(decided, func() operand { return e.element(one, (*evaluator).assignment) })
		if operator == "&&" || operator == "||" {
			v = e.builtinOperands(f.operator, v, operand{})[0]
		}
		decided = decided || v.decides(operator)
		values = append(values, v)
	}
	apply := func(x, y operand) operand {
		if operator == "," {
			y.declared = false
			return y
		}
		return e.apply(f.operator, x, y)
	}
	if rightPack { // ((a op b) op c)
		v := values[0]
		for _, next := range values[1:] {
			v = apply(v, next)
		}
		return v
	}
	v := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		v = apply(values[i], v)
	}
	return v
}

// foldOperand returns the elements of an operand of f, and whether it is a pack.
func (e *evaluator) foldOperand(f fold, part cursor) (elements []expanded, pack bool) {
	if !part.more() {
		return nil, false
	}
	packs := make(map[string]*entity)
	e.parser.packsIn(part, packs)
	if len(packs) == 0 {
		return []expanded{{cursor: part, scope: e.parser.scope}}, false
	}
	elements, reason := e.parser.expand(part, f.operator, &e.parser.calls)
	if reason != nil {
		e.failWith(f.operator, reason.Before("a fold expression "))
	}
	return elements, true
}

// element reads one element of a list where it stands.
func (e *evaluator) element(one expanded, read func(*evaluator) operand) operand {
	p := e.parser
	outer := p.scope
	p.scope = one.scope
	defer func() { p.scope = outer }()
	inner := e.inner(one.cursor)
	inner.scope = one.scope
	if !inner.more() {
		e.unexpected(inner.peek())
	}
	o := read(&inner)
	if inner.more() {
		e.unexpected(inner.peek())
	}
	e.risky = e.risky || inner.risky
	return o
}

// elements returns the elements of the list at the cursor, of which some are expansions of packs.
func (e *evaluator) elements() []expanded {
	elements, reason := e.parser.expandWithin(e.parser.split(e.cursor, true), &e.parser.calls)
	if reason != nil {
		e.failWith(e.peek(), reason.Before("a list "))
	}
	return elements
}
