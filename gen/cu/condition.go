package cu

import "strings"

// open handles #if, #ifdef and #ifndef.
func (p *preprocessor) open(hash lexeme, directive string, arguments []lexeme) {
	c := &conditional{at: hash, decided: !p.live()}
	if !c.decided && len(p.conditionals) == 0 && !p.guard.spoiled {
		if p.guard.open == nil && directive == "ifndef" && len(arguments) == 1 {
			p.guard.macro, p.guard.open = arguments[0].text, c
		} else {
			p.guard.spoiled = true
		}
	}
	p.conditionals = append(p.conditionals, c)
	if len(p.conditionals) > deepestNesting {
		p.errorf(&hash, "conditions are nested more than %d deep", deepestNesting)
		p.conditionals = nil
		p.stop = true
		p.ahead.kind = tokEOF
		return
	}
	if !c.decided {
		p.guard.testing = c == p.guard.open
		p.enter(c, p.holds(&hash, c, directive, arguments))
		p.guard.testing = false
	}
}

// enter begins a branch of c.
func (p *preprocessor) enter(c *conditional, holds bool) {
	c.live = holds
	c.decided = holds
}

// branch handles #elif and #else.
func (p *preprocessor) branch(hash lexeme, directive string, arguments []lexeme) {
	n := len(p.conditionals)
	if n == 0 {
		p.errorf(&hash, "#%s without #if", directive)
		return
	}
	c := p.conditionals[n-1]
	if c.hasElse {
		p.errorf(&hash, "#%s behind #else", directive)
	}
	if c == p.guard.open {
		p.guard.spoiled = true
	}
	c.hasElse = c.hasElse || directive == "else"
	switch {
	case c.decided:
		c.live = false
	case directive == "else":
		p.enter(c, true)
	default:
		p.enter(c, p.holds(&hash, c, directive, arguments))
	}
}

// end handles #endif.
func (p *preprocessor) end(hash lexeme) {
	n := len(p.conditionals)
	if n == 0 {
		p.errorf(&hash, "#endif without #if")
		return
	}
	c := p.conditionals[n-1]
	if c.doubtful {
		p.doubts--
	}
	if c == p.guard.open {
		p.guard.closed = true
	}
	p.settled(c)
	p.conditionals = p.conditionals[:n-1]
}

// holds evaluates the condition of a branch of c.
func (p *preprocessor) holds(hash *lexeme, c *conditional, directive string, arguments []lexeme) bool {
	defer p.unsettle(c)
	directive = strings.TrimPrefix(directive, "el")
	if directive != "if" {
		if len(arguments) == 0 || arguments[0].kind != tokIdent {
			p.errorf(hash, "#%s names no macro", directive)
			return false
		}
		return p.isDefined(arguments[0].text) == (directive == "ifdef")
	}
	p.conditional = true
	list := p.expandList(arguments)
	p.conditional = false
	e := evaluator{cursor: newCursor(newTokens(list), *hash), condition: true, undefinedName: func(name string) {
		p.environment(name, nil)
		p.undefined(name)
	}}
	o, failure := e.run((*evaluator).assignment)
	if failure == nil {
		return o.isTrue()
	}
	if failure.unknown {
		// What it stands for is in a header that is not there: what depends on it is
		// refused, but nothing else. What it may leave out is a warning.
		p.environment(failure.at.text, nil)
		p.undefined(failure.at.text)
		if !c.doubtful {
			c.doubtful = true
			p.doubts++
		}
		return false
	}
	p.errors.Add(failure.at.pos(), failure.at.explain("#"+directive+": "+failure.text))
	return false
}

// isDefined evaluates a test of whether name is a macro.
func (p *preprocessor) isDefined(name string) bool {
	m := p.macros[name]
	if m != nil || !p.guard.testing {
		p.environment(name, m)
	}
	if m == nil && !hasOperators[name] {
		p.undefined(name)
		return false
	}
	return true
}

// hasOperators are the operators of #if that look like macros: C++ standard,
// [cpp.cond]; GCC manual, __has_attribute and others.
var hasOperators = map[string]bool{
	"__has_include": true, "__has_include_next": true, "__has_cpp_attribute": true, "__has_attribute": true, "__has_builtin": true,
}

// operator evaluates defined, __has_include and their like in a condition. name is that
// of the operator.
func (p *preprocessor) operator(name lexeme) lexeme {
	result := func(holds bool) lexeme {
		if holds {
			return replacement(name, tokNumber, "1")
		}
		return replacement(name, tokNumber, "0")
	}
	if name.text == "defined" {
		l := p.raw()
		if l.is("(") {
			l = p.raw()
			if end := p.raw(); !end.is(")") {
				p.errorf(&name, "defined has no closing parenthesis")
			}
		}
		if l.kind != tokIdent && l.kind != tokPainted {
			p.errorf(&name, "defined names no macro")
		}
		return result(p.isDefined(l.text))
	}
	if !p.opens() {
		return result(false)
	}
	p.raw()
	var list []lexeme
	depth := 0
	for l := p.raw(); l.kind != tokEOF; l = p.raw() {
		if l.is("(") {
			depth++
		}
		if l.is(")") {
			if depth == 0 {
				break
			}
			depth--
		}
		list = append(list, l)
	}
	if !strings.HasPrefix(name.text, "__has_include") {
		p.environment(name.text, nil)
		if p.config.NVRTC {
			return result(false)
		}
		return replacement(name, tokNumber, hasAttribute(name.text, list))
	}
	header, angled, ok := headerName(list)
	if !ok {
		header, angled, ok = headerName(p.expandList(list))
	}
	if !ok {
		p.errorf(&name, "%s names no header", name.text)
		return result(false)
	}
	_, _, c := p.find(header, angled, name.text == "__has_include_next")
	if c == nil {
		p.environment(name.text, nil)
	}
	return result(c != nil || standardHeader(header))
}
