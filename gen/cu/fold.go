package cu

import (
	"github.com/cudagen/cudagen/gen/cu/lex"
)

// A fold is a fold expression taken apart: C++ standard, [expr.prim.fold].
type fold struct {
	operator    *lex.Token
	left, right cursor // operands; one may be empty
}

// foldAt takes apart what stands between the parentheses of a fold expression. ok is false
// if c is not a fold expression.
func foldAt(c cursor) (f fold, ok bool) {
	dots := -1
	for scan := c; scan.more() && dots < 0; scan.skip() {
		if scan.peek().Is("...") && !scan.before().Is("sizeof") {
			dots = scan.i
		}
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
	}
	return f, true
}

// fold evaluates a fold expression.
func (e *evaluator) fold(f fold) operand {
	if f.operator.Kind != lex.Punct || precedence[f.operator.Text] == 0 {
		e.fail(f.operator, "a fold expression is not understood")
	}
	left, leftPack := e.foldOperand(f, f.left)
	right, rightPack := e.foldOperand(f, f.right)
	values := append(left, right...)
	switch {
	case leftPack == rightPack:
		e.fail(f.operator, "a fold expression is not understood (one operand is a pack)")
	case len(values) == 0 && f.operator.Text == "&&":
		return e.truth(true)
	case len(values) == 0 && f.operator.Text == "||":
		return e.truth(false)
	case len(values) == 0:
		e.fail(f.operator, "a fold expression of an empty pack has no value")
	}
	if rightPack { // ((a op b) op c)
		v := values[0]
		for _, next := range values[1:] {
			v = e.apply(f.operator, v, next)
		}
		return v
	}
	v := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		v = e.apply(f.operator, values[i], v)
	}
	return v
}

// foldOperand returns the values of an operand of f, and whether it is a pack.
func (e *evaluator) foldOperand(f fold, part cursor) (values []operand, pack bool) {
	if !part.more() {
		return nil, false
	}
	packs := make(map[string]*entity)
	e.parser.packsIn(part, packs)
	list := []expanded{{cursor: part, scope: e.parser.scope}}
	if pack = len(packs) > 0; pack {
		elements, reason := e.parser.expand(part, f.operator)
		if reason != nil {
			e.fail(f.operator, "a fold expression "+reason.Text)
		}
		list = elements
	}
	for _, one := range list {
		v, failure := e.parser.operand(one.cursor, one.scope)
		if failure != nil {
			panic(failure)
		}
		values = append(values, v)
	}
	return values, pack
}
