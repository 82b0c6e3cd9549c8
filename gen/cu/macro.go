package cu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A macro is what #define says.
type macro struct {
	name     string
	at       place // of the name; its line is 0 for a macro that no file defines
	since    int   // how many headers had not been read when it was defined
	function bool
	params   []string // the last one is __VA_ARGS__, or the name before …, of a variadic one
	variadic bool
	body     []lexeme
	dynamic  func(p *preprocessor, use lexeme) lexeme // __LINE__ and the like
	active   bool                                     // being replaced: C++ standard, [cpp.rescan]
}

// A context is a list of tokens that are read before the rest of the file: what a macro
// stands for.
type context struct {
	list  []lexeme
	i     int
	macro *macro // active until the list is read; may be nil
}

// raw returns the next token, macros not replaced. Behind the last token of the file,
// or of the list that is expanded by itself, it returns tokEOF.
func (p *preprocessor) raw() lexeme {
	for len(p.contexts) > p.floor {
		c := &p.contexts[len(p.contexts)-1]
		if c.i < len(c.list) {
			c.i++
			return c.list[c.i-1]
		}
		p.pop()
	}
	if p.isolated {
		return lexeme{kind: tokEOF, at: p.ahead.at}
	}
	p.settle()
	l := p.ahead
	if l.kind != tokEOF {
		p.next()
	}
	return l
}

func (p *preprocessor) pop() {
	n := len(p.contexts) - 1
	if m := p.contexts[n].macro; m != nil {
		m.active = false
		p.lists = append(p.lists, p.contexts[n].list[:0])
	}
	p.contexts[n] = context{}
	p.contexts = p.contexts[:n]
}

// opens reports whether the next token is an opening parenthesis.
func (p *preprocessor) opens() bool {
	for i := len(p.contexts) - 1; i >= p.floor; i-- {
		if c := &p.contexts[i]; c.i < len(c.list) {
			return c.list[c.i].is("(")
		}
	}
	if p.isolated {
		return false
	}
	p.collecting++
	p.settle()
	p.collecting--
	return p.ahead.is("(")
}

// expanded returns the next token, macros replaced.
func (p *preprocessor) expanded() lexeme {
	for {
		l := p.raw()
		if l.kind != tokIdent {
			return l
		}
		if p.conditional && (l.text == "defined" || strings.HasPrefix(l.text, "__has_")) {
			return p.operator(l)
		}
		m := p.macros[l.text]
		switch {
		case m == nil:
			return l
		case m.active:
			l.kind = tokPainted
			return l
		}
		p.environment(l.text, m)
		if m.dynamic != nil {
			return m.dynamic(p, l)
		}
		if m.function && !p.opens() || p.budget <= 0 {
			return l
		}
		p.replace(m, l)
	}
}

// expandList returns list with its macros replaced.
func (p *preprocessor) expandList(list []lexeme) []lexeme {
	if !p.replaceable(list) {
		return list
	}
	begin := len(p.stack)
	expanded := slices.Clone(p.expandArgument(list))
	p.stack = p.stack[:begin]
	for i := range expanded {
		if expanded[i].kind == tokPainted {
			expanded[i].kind = tokIdent
		}
	}
	return expanded
}

// replaceable reports whether list may have macros to replace.
func (p *preprocessor) replaceable(list []lexeme) bool {
	return slices.ContainsFunc(list, func(l lexeme) bool {
		return l.kind == tokIdent && (p.conditional || p.macros[l.text] != nil)
	})
}

// expandArgument returns list with its macros replaced, those painted that are not replaced any
// more. The result is on the stack.
func (p *preprocessor) expandArgument(list []lexeme) []lexeme {
	if !p.replaceable(list) {
		return list
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.exhaust(&list[0], "macros are nested too deeply")
	}
	floor, isolated := p.floor, p.isolated
	p.floor, p.isolated = len(p.contexts), true
	p.contexts = append(p.contexts, context{list: list})
	begin := len(p.stack)
	for l := p.expanded(); l.kind != tokEOF; l = p.expanded() {
		p.stack = append(p.stack, l)
	}
	p.floor, p.isolated = floor, isolated
	p.nesting--
	return p.stack[begin:len(p.stack):len(p.stack)]
}

// exhaust ends the replacement of macros, with an error.
func (p *preprocessor) exhaust(l *lexeme, text string) {
	if !p.exhausted {
		p.errorf(l, "%s (write it out)", text)
	}
	p.budget, p.exhausted = 0, true
}

// spend takes n tokens from the budget and reports whether there were as many.
func (p *preprocessor) spend(l *lexeme, n int) bool {
	if p.budget -= n; p.budget <= 0 {
		p.exhaust(l, "the expansion of macro "+l.text+" is too long")
	}
	return p.budget > 0
}

// replace puts what the macro m, used at l, stands for before the rest of the file.
func (p *preprocessor) replace(m *macro, use lexeme) {
	l := &use
	begin := len(p.stack)
	defer func() { p.stack = p.stack[:begin] }()
	var args [][]lexeme
	if m.function {
		var ok bool
		if args, ok = p.arguments(m, l); !ok {
			return
		}
	}
	list := p.substitute(m, l, args)
	if !p.spend(l, len(list)+1) {
		return
	}
	if len(list) > 0 {
		list[0].blank = l.blank
	}
	m.active = true
	p.contexts = append(p.contexts, context{list: list, macro: m})
}

// arguments reads the arguments of m, which is used at l, from the ( on.
func (p *preprocessor) arguments(m *macro, l *lexeme) (args [][]lexeme, ok bool) {
	p.raw()
	p.collecting++
	defer func() { p.collecting-- }()
	begin := len(p.stack) // of the argument being read
	one := func() []lexeme { return p.stack[begin:len(p.stack):len(p.stack)] }
	args = make([][]lexeme, 0, max(len(m.params), 1))
	depth := 0
	for {
		t := p.raw()
		switch {
		case t.kind == tokEOF:
			p.errorf(l, "the arguments of macro %s are not closed", m.name)
			return nil, false
		case t.kind == tokIdent:
			if inner := p.macros[t.text]; inner != nil && inner.active {
				t.kind = tokPainted
			}
		case t.is("("):
			depth++
		case t.is(")"):
			if depth == 0 {
				return p.checkArguments(m, l, append(args, one()))
			}
			depth--
		case t.is(",") && depth == 0 && !(m.variadic && len(args) == len(m.params)-1):
			args = append(args, one())
			begin = len(p.stack)
			continue
		}
		if !p.spend(l, 1) {
			return nil, false
		}
		p.stack = append(p.stack, t)
	}
}

func (p *preprocessor) checkArguments(m *macro, l *lexeme, args [][]lexeme) ([][]lexeme, bool) {
	if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		args = nil
	}
	if m.variadic && len(args) == len(m.params)-1 {
		args = append(args, nil)
	}
	if len(args) != len(m.params) {
		p.errorf(l, "macro %s has %d parameters, and is used with %d arguments", m.name, len(m.params), len(args))
		return nil, false
	}
	return args, true
}

// A substitution is the replacement of a macro's parameters in its body: C++ standard,
// [cpp.subst], [cpp.stringize], [cpp.concat].
type substitution struct {
	p        *preprocessor
	macro    *macro
	use      *lexeme
	from     *origin
	args     [][]lexeme
	expanded [][]lexeme // of args, on the stack; nil until needed
	result   []lexeme
}

func (p *preprocessor) substitute(m *macro, use *lexeme, args [][]lexeme) []lexeme {
	s := &substitution{p: p, macro: m, use: use, args: args}
	if len(args) > 0 {
		s.expanded = make([][]lexeme, len(args))
	}
	if n := len(p.lists); n > 0 {
		s.result, p.lists = p.lists[n-1], p.lists[:n-1]
	}
	s.from = &origin{use.at.file(), m, use.at.from()}
	s.list(m.body)
	return s.result
}

// param returns the index of the parameter that l names, -1 when it names none.
func (s *substitution) param(l *lexeme) int {
	if l.kind == tokIdent && len(s.args) > 0 {
		for i, name := range s.macro.params {
			if name == l.text {
				return i
			}
		}
	}
	return -1
}

// own returns the token of the macro's body as it stands where the macro is used.
func (s *substitution) own(l lexeme) lexeme {
	l.at, l.comments, l.lineStart = s.use.at, s.use.comments, false
	l.at.origin = s.from
	return l
}

func (s *substitution) list(body []lexeme) {
	for i := 0; i < len(body); i++ {
		l := &body[i]
		if s.macro.function && l.is("#") && i+1 < len(body) {
			if n := s.param(&body[i+1]); n >= 0 {
				s.result = append(s.result, s.own(lexeme{kind: tokString, text: stringize(s.args[n]), blank: l.blank}))
				i++
				continue
			}
		}
		if l.is("##") && i > 0 && i+1 < len(body) {
			i = s.paste(body, i)
			continue
		}
		if l.text == "__VA_OPT__" && s.macro.variadic && i+1 < len(body) && body[i+1].is("(") {
			end, closed := closing(body, i+1)
			if !closed {
				s.p.errorf(s.use, "%s is not understood: the __VA_OPT__ in it is not closed", s.macro.name)
				return
			}
			if len(s.argument(len(s.args)-1)) > 0 {
				s.list(body[i+2 : end])
			}
			i = end
			continue
		}
		n := s.param(l)
		switch {
		case n < 0:
			s.result = append(s.result, s.own(*l))
		case i+1 < len(body) && body[i+1].is("##"):
			s.add(l, s.args[n])
		default:
			s.add(l, s.argument(n))
		}
	}
}

// add appends the tokens that stand for the parameter l.
func (s *substitution) add(l *lexeme, list []lexeme) {
	if !s.p.spend(s.use, len(list)) {
		return
	}
	first := len(s.result)
	s.result = append(s.result, list...)
	if len(list) > 0 {
		s.result[first].blank = l.blank
	}
}

// argument returns the argument n, its macros replaced.
func (s *substitution) argument(n int) []lexeme {
	if s.expanded[n] == nil {
		s.expanded[n] = s.p.expandArgument(s.args[n])
	}
	return s.expanded[n]
}

// closing returns the index of what closes the parenthesis at body[i], if anything does.
func closing(body []lexeme, i int) (end int, closed bool) {
	depth := 0
	for ; i < len(body); i++ {
		switch {
		case body[i].is("("):
			depth++
		case body[i].is(")"):
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// paste handles the ## at body[i] and returns the index of its right operand.
func (s *substitution) paste(body []lexeme, i int) int {
	right := &body[i+1]
	operand := []lexeme{s.own(*right)}
	n := s.param(right)
	leftEmpty := false
	if left := s.param(&body[i-1]); left >= 0 {
		leftEmpty = len(s.args[left]) == 0
	}
	if n >= 0 {
		operand = s.args[n]
		if s.macro.variadic && n == len(s.args)-1 && body[i-1].is(",") {
			// GCC manual, Variadic Macros: the comma goes when there are no arguments.
			if len(operand) == 0 {
				s.result = s.result[:len(s.result)-1]
			} else {
				s.add(right, s.argument(n))
			}
			return i + 1
		}
	}
	if len(operand) == 0 {
		return i + 1
	}
	if leftEmpty || len(s.result) == 0 {
		s.add(right, operand)
		return i + 1
	}
	last := &s.result[len(s.result)-1]
	if joined, ok := pasted(last, &operand[0]); ok {
		*last = joined
		operand = operand[1:]
	}
	if s.p.spend(s.use, len(operand)) {
		s.result = append(s.result, operand...)
	}
	return i + 1
}

// pasted returns the one token that left and right make, false when they make none. It
// stands where left does.
func pasted(left, right *lexeme) (lexeme, bool) {
	text := left.text + right.text
	l := textLexer(text).scan()
	if l.kind == tokIllegal || l.kind == tokComment || l.text != text {
		return lexeme{}, false
	}
	joined := *left
	joined.kind, joined.text = l.kind, text
	return joined, true
}

// stringize returns the string literal that # makes of an argument.
func stringize(list []lexeme) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range list {
		l := &list[i]
		if i > 0 && (l.blank || l.lineStart) {
			b.WriteByte(' ')
		}
		if l.kind != tokString && l.kind != tokChar {
			b.WriteString(l.text)
			continue
		}
		for j := range len(l.text) {
			if c := l.text[j]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(l.text[j])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// define handles #define.
func (p *preprocessor) define(name *lexeme, arguments []lexeme) {
	if len(arguments) == 0 || arguments[0].kind != tokIdent {
		p.errorf(name, "#define names no macro")
		return
	}
	word := &arguments[0]
	m := &macro{name: word.text, at: word.at, since: p.unread, body: arguments[1:]}
	if len(m.body) > 0 && m.body[0].is("(") && !m.body[0].blank {
		m.function = true
		if !p.parameters(m, word) {
			return
		}
	}
	m.body = slices.Clone(m.body)
	p.macros[word.text] = m
	p.defined = append(p.defined, word.text)
}

// parameters reads the parameters of m from the beginning of its body.
func (p *preprocessor) parameters(m *macro, word *lexeme) bool {
	for i := 1; i < len(m.body); i++ {
		l := &m.body[i]
		switch {
		case l.is(")"):
			m.body = m.body[i+1:]
			return true
		case l.is("..."):
			if !m.body[i-1].is(",") && i > 1 {
				m.params = m.params[:len(m.params)-1] // GNU: a name for the arguments
				m.params = append(m.params, m.body[i-1].text)
			} else {
				m.params = append(m.params, "__VA_ARGS__")
			}
			m.variadic = true
		case l.kind == tokIdent:
			m.params = append(m.params, l.text)
		case !l.is(","):
			p.errorf(l, "#define %s: unexpected %s among the parameters", m.name, l.describe())
			return false
		}
	}
	p.errorf(word, "#define %s: the parameters are not closed", m.name)
	return false
}

// constants returns the macros without parameters that files other than the system's define,
// as they are in the end, sorted by their names.
func (p *preprocessor) constants() []*macro {
	slices.Sort(p.defined)
	p.defined = slices.Compact(p.defined)
	var list []*macro
	for _, name := range p.defined {
		if m := p.macros[name]; m != nil && !m.function && m.dynamic == nil && len(m.body) > 0 && !m.at.file().system {
			list = append(list, m)
		}
	}
	return list
}

// alone returns what m stands for behind the end of the file, its macros replaced, and how
// many tokens these made. ok is false when there are as many as limit: then there is no list.
func (p *preprocessor) alone(m *macro, limit int) (list []lexeme, spent int, ok bool) {
	errors := len(p.errors)
	p.budget, p.exhausted, p.isolated, p.floor = limit, true, true, 0
	list = p.expandList([]lexeme{{kind: tokIdent, text: m.name, at: m.at}})
	p.errors = p.errors[:errors]
	return list, limit - p.budget, p.budget > 0
}

// builtin defines the macros that every compiler has and no text can define.
func (p *preprocessor) builtin() {
	dynamic := map[string]func(*preprocessor, lexeme) lexeme{
		"__LINE__": func(_ *preprocessor, use lexeme) lexeme {
			return replacement(use, tokNumber, strconv.Itoa(int(use.at.line())))
		},
		"__FILE__": func(_ *preprocessor, use lexeme) lexeme {
			return replacement(use, tokString, strconv.Quote(use.at.file().name))
		},
		"__COUNTER__": func(p *preprocessor, use lexeme) lexeme {
			p.counter++
			return replacement(use, tokNumber, fmt.Sprint(p.counter-1))
		},
		"__DATE__": func(_ *preprocessor, use lexeme) lexeme { return replacement(use, tokString, `"Jan  1 1970"`) },
		"__TIME__": func(_ *preprocessor, use lexeme) lexeme { return replacement(use, tokString, `"00:00:00"`) },
		"__INCLUDE_LEVEL__": func(_ *preprocessor, use lexeme) lexeme {
			return replacement(use, tokNumber, strconv.Itoa(use.at.file().depth))
		},
	}
	for name, f := range dynamic {
		p.macros[name] = &macro{name: name, dynamic: f}
	}
}

func replacement(use lexeme, kind tokenKind, text string) lexeme {
	use.kind, use.text = kind, text
	return use
}
