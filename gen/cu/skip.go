package cu

import "fmt"

// A skipper finds the end of a declaration without understanding it. It reports
// brackets that do not match, and kernels in what is skipped.
//
// Of code under a condition that is not decided, it follows the first branch: all
// branches open and close the same, or it is an error.
type skipper struct {
	*parser
	kernel      bool // the declaration is a kernel's
	open        []openBracket
	conditions  []*conditional
	initializer bool // behind an = outside of brackets
	parameters  bool // behind a ( that does not belong to an attribute
}

type openBracket struct {
	lexeme *lexeme
	closer string
}

// skipDeclaration moves the cursor behind the declaration that begins at it.
func (p *parser) skipDeclaration(kernel bool) {
	s := skipper{parser: p, kernel: kernel}
	for p.more() {
		if s.step() {
			break
		}
	}
	switch {
	case len(s.open) > 0:
		s.mismatch(s.open[0].lexeme, fmt.Sprintf("%s is not closed", s.open[0].lexeme.text))
	case len(s.conditions) > 0:
		s.conditionError(s.conditions[0])
	}
}

// step reads one lexeme and reports whether the declaration ends with it.
func (s *skipper) step() (done bool) {
	l := s.peek()
	switch {
	case l.kind >= tokCondIf:
		return s.condition(l)
	case l.is("__global__"):
		s.global(l)
	case l.kind != tokPunct:
	case closers[l.text] != "":
		if l.text == "(" && len(s.open) == 0 && !attributeWords[s.before(1).text] {
			s.parameters = true
		}
		s.open = append(s.open, openBracket{l, closers[l.text]})
	case l.text == ")", l.text == "]", l.text == "}":
		return s.close(l)
	case len(s.open) > 0:
	case l.text == ";":
		s.next()
		return true
	case l.text == "=":
		s.initializer = s.initializer || !s.before(1).is("operator")
	}
	s.next()
	return false
}

// before returns the lexeme that stands n before the next one.
func (s *skipper) before(n int) *lexeme {
	if s.i < n {
		return &s.end
	}
	return &s.lexemes[s.i-n]
}

// condition reads a mark of the preprocessor.
func (s *skipper) condition(l *lexeme) (done bool) {
	n := len(s.conditions)
	switch {
	case l.kind == tokCondIf:
		if l.cond.unbalanced || l.cond.kernel {
			s.conditionError(l.cond)
		}
		s.conditions = append(s.conditions, l.cond)
	case n == 0 || s.conditions[n-1] != l.cond:
		// The declaration begins in a branch and goes on behind it.
		s.conditionError(l.cond)
		s.open = nil
		return true
	case l.kind == tokCondElse:
		for s.more() && s.peek().kind != tokCondEnd {
			s.i = max(s.peek().next, s.i+1)
		}
		return false
	default:
		s.conditions = s.conditions[:n-1]
	}
	s.next()
	return false
}

// global reads __global__: it is the declaration's own, or its kernel would be lost.
func (s *skipper) global(l *lexeme) {
	if s.kernel && len(s.open) == 0 {
		s.kernel = false
		return
	}
	if s.broken || s.before(1).is("friend") || s.before(2).is("friend") {
		return
	}
	s.errorf(l.pos, "kernel inside of a declaration that is not understood (is a ; missing before it, or a macro that is not expanded?)")
}

// close reads a closing bracket.
func (s *skipper) close(l *lexeme) (done bool) {
	n := len(s.open)
	if n == 0 {
		if l.text == "}" {
			return true // of the enclosing block
		}
		s.mismatch(l, fmt.Sprintf("unexpected %s", l.text))
		s.next()
		return false
	}
	if last := s.open[n-1]; last.closer != l.text {
		s.mismatch(last.lexeme, fmt.Sprintf("%s is not closed before the %s in line %d", last.lexeme.text, l.text, l.pos.Line))
		for n > 0 && s.open[n-1].closer != l.text {
			n--
		}
		if n == 0 {
			s.open = nil
			return true
		}
	}
	s.open = s.open[:n-1]
	s.next()
	return l.text == "}" && len(s.open) == 0 && s.ends()
}

// ends reports whether the } before the cursor, which is in no brackets, ends the
// declaration: that of a function's body does, but for members that are initialized
// in braces, and for a function that is one try block.
func (s *skipper) ends() bool {
	if s.initializer || !s.parameters {
		return false
	}
	l := s.peek()
	return !l.is("{") && !l.is(",") && !l.is(";") && !l.is("catch") && !l.is("=")
}

// mismatch reports a bracket that has no counterpart.
func (s *skipper) mismatch(at *lexeme, text string) {
	if !s.broken {
		s.errorf(at.pos, "%s", text)
	}
	s.broken = true
}
