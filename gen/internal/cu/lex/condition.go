package lex

import (
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// open handles #if, #ifdef and #ifndef.
func (p *Preprocessor) open(hash Token, directive string, arguments []Token) {
	c := &conditional{at: hash, decided: !p.live()}
	if !c.decided && len(p.conditionals) == 0 && !p.guard.spoiled {
		if p.guard.open == nil && directive == "ifndef" && len(arguments) == 1 {
			p.guard.macro, p.guard.open = arguments[0].Text, c
		} else {
			p.guard.spoiled = true
		}
	}
	p.conditionals = append(p.conditionals, c)
	if len(p.conditionals) > deepestNesting {
		p.errorf(&hash, diag.Macro, "conditions are nested more than %d deep", deepestNesting)
		p.conditionals = nil
		p.stop = true
		p.ahead.Kind = EOF
		return
	}
	if !c.decided {
		p.guard.testing = c == p.guard.open
		p.enter(c, p.holds(&hash, c, directive, arguments))
		p.guard.testing = false
	}
}

// enter begins a branch of c.
func (p *Preprocessor) enter(c *conditional, holds bool) {
	c.live = holds
	c.decided = holds
}

// branch handles #elif and #else.
func (p *Preprocessor) branch(hash Token, directive string, arguments []Token) {
	n := len(p.conditionals)
	if n == 0 {
		p.errorf(&hash, diag.Macro, "#%s without #if", directive)
		return
	}
	c := p.conditionals[n-1]
	if c.hasElse {
		p.errorf(&hash, diag.Macro, "#%s behind #else", directive)
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
func (p *Preprocessor) end(hash Token) {
	n := len(p.conditionals)
	if n == 0 {
		p.errorf(&hash, diag.Macro, "#endif without #if")
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
func (p *Preprocessor) holds(hash *Token, c *conditional, directive string, arguments []Token) bool {
	defer p.unsettle(c)
	directive = strings.TrimPrefix(directive, "el")
	if directive != "if" {
		if len(arguments) == 0 || arguments[0].Kind != Ident {
			p.errorf(hash, diag.Macro, "#%s names no macro", directive)
			return false
		}
		return p.isDefined(arguments[0].Text) == (directive == "ifdef")
	}
	p.conditional = true
	list := p.ExpandList(arguments)
	p.conditional = false
	holds, failure := calculate(list, *hash, func(name string) {
		p.environment(name, nil)
		p.undefined(name)
	})
	if failure == nil {
		return holds
	}
	if failure.unknown {
		// What it stands for is in a header that is not there: what depends on it is
		// refused, but nothing else. What it may leave out is a warning.
		p.environment(failure.at.Text, nil)
		p.undefined(failure.at.Text)
		if !c.doubtful {
			c.doubtful = true
			p.doubts++
		}
		return false
	}
	p.Errors.Add(failure.at.Pos(), failure.at.Explain(diag.Macro.New("#"+directive+": "+failure.Text)))
	return false
}

// isDefined evaluates a test of whether name is a macro.
func (p *Preprocessor) isDefined(name string) bool {
	m := p.Macros[name]
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
func (p *Preprocessor) operator(name Token) Token {
	result := func(holds bool) Token {
		if holds {
			return replacement(name, Number, "1")
		}
		return replacement(name, Number, "0")
	}
	if name.Text == "defined" {
		l := p.raw()
		if l.Is("(") {
			l = p.raw()
			if end := p.raw(); !end.Is(")") {
				p.errorf(&name, diag.Macro, "defined has no closing parenthesis")
			}
		}
		if l.Kind != Ident && l.Kind != Painted {
			p.errorf(&name, diag.Macro, "defined names no macro")
		}
		return result(p.isDefined(l.Text))
	}
	if !p.opens() {
		return result(false)
	}
	p.raw()
	var list []Token
	depth := 0
	for l := p.raw(); l.Kind != EOF; l = p.raw() {
		if l.Is("(") {
			depth++
		}
		if l.Is(")") {
			if depth == 0 {
				break
			}
			depth--
		}
		list = append(list, l)
	}
	if !strings.HasPrefix(name.Text, "__has_include") {
		p.environment(name.Text, nil)
		if p.config.NVRTC {
			return result(false)
		}
		return replacement(name, Number, hasAttribute(name.Text, list))
	}
	header, angled, ok := headerName(list)
	if !ok {
		header, angled, ok = headerName(p.ExpandList(list))
	}
	if !ok {
		p.errorf(&name, diag.Macro, "%s names no header", name.Text)
		return result(false)
	}
	path, _, c := p.find(header, angled, name.Text == "__has_include_next")
	if c == nil {
		p.environment(name.Text, nil)
	} else {
		p.Found[path] = true // the result depends on it, too
	}
	return result(c != nil || standardHeader(header))
}
