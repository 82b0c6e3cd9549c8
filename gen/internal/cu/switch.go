package cu

import "github.com/cudagen/cudagen/gen/internal/cu/lex"

// switchStatement runs a switch whose labels stand directly in its block.
func (e *evaluator) switchStatement() flow {
	e.next()
	head := e.inner(e.head())
	at := head.peek()
	chosen := e.integral(at, head.expression())
	if chosen.unknown.Text != "" || !isInteger(chosen.typ) {
		why := e.whyNot(chosen)
		e.failWith(at, why.Before(badCondition))
	}
	open := e.peek()
	inside, ok := e.group()
	if !ok || !open.Is("{") {
		e.unexpected(open)
	}
	target := -1
	scan := e.inner(inside)
	for scan.more() {
		switch {
		case scan.peek().Is("default"):
			if target < 0 {
				target = scan.i
			}
			scan.label()
		case scan.peek().Is("case"):
			begin := scan.i
			scan.next()
			label := scan.ternary()
			equal := scan.labelled(chosen, scan.integral(scan.peek(), label))
			scan.i = begin
			scan.label()
			if equal {
				target, scan.i = begin, scan.stop
			}
		default:
			scan.skipStatement()
		}
	}
	if target < 0 {
		return flowNext
	}
	inside.i = target
	how := e.within(inside, func(inner *evaluator) flow { return inner.scoped(inner.block) })
	if how == flowBreak {
		return flowNext
	}
	return how
}

// integral returns o, or what it becomes if it is the object of a class.
func (e *evaluator) integral(at *lex.Token, o operand) operand {
	o, _ = e.conversionOf(at, o, nil, false)
	return o
}

// labelled reports whether the label of a case is that of the value chosen.
func (e *evaluator) labelled(chosen, label operand) bool {
	if label.unknown.Text != "" || !isInteger(label.typ) {
		why := e.whyNot(label)
		e.failWith(e.peek(), why.Before("a label is not understood: "))
	}
	return label.bits == chosen.bits
}

// label steps over case …: or default:.
func (e *evaluator) label() {
	if e.next().Is("case") {
		dead := e.dead
		e.dead++
		e.ternary()
		e.dead = dead
	}
	if !e.accept(":") {
		e.unexpected(e.peek())
	}
}
