package lex

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// A Macro is what #define says.
type Macro struct {
	Name     string
	At       Place // of the name; its line is 0 for a macro that no file defines
	since    int   // how many headers had not been read when it was defined
	function bool
	params   []string // the last one is __VA_ARGS__, or the name before …, of a variadic one
	variadic bool
	body     []Token
	dynamic  func(p *Preprocessor, use Token) Token // __LINE__ and the like
	active   bool                                   // being replaced: C++ standard, [cpp.rescan]
}

// A context is a list of tokens that are read before the rest of the file: what a macro
// stands for.
type context struct {
	list  []Token
	i     int
	macro *Macro // active until the list is read; may be nil
}

// raw returns the next token, macros not replaced. Behind the last token of the file,
// or of the list that is expanded by itself, it returns EOF.
func (p *Preprocessor) raw() Token {
	for len(p.contexts) > p.Floor {
		c := &p.contexts[len(p.contexts)-1]
		if c.i < len(c.list) {
			c.i++
			return c.list[c.i-1]
		}
		p.pop()
	}
	if p.Isolated {
		return Token{Kind: EOF, At: p.ahead.At}
	}
	p.settle()
	l := p.ahead
	if l.Kind != EOF {
		p.next()
	}
	return l
}

func (p *Preprocessor) pop() {
	n := len(p.contexts) - 1
	if m := p.contexts[n].macro; m != nil {
		m.active = false
		p.lists = append(p.lists, p.contexts[n].list[:0])
	}
	p.contexts[n] = context{}
	p.contexts = p.contexts[:n]
}

// opens reports whether the next token is an opening parenthesis.
func (p *Preprocessor) opens() bool {
	for i := len(p.contexts) - 1; i >= p.Floor; i-- {
		if c := &p.contexts[i]; c.i < len(c.list) {
			return c.list[c.i].Is("(")
		}
	}
	if p.Isolated {
		return false
	}
	p.collecting++
	p.settle()
	p.collecting--
	return p.ahead.Is("(")
}

// expanded returns the next token, macros replaced.
func (p *Preprocessor) expanded() Token {
	for {
		l := p.raw()
		if l.Kind != Ident {
			return l
		}
		if p.conditional && (l.Text == "defined" || strings.HasPrefix(l.Text, "__has_")) {
			return p.operator(l)
		}
		m := p.Macros[l.Text]
		switch {
		case m == nil:
			return l
		case m.active:
			l.Kind = Painted
			return l
		}
		p.environment(l.Text, m)
		if m.dynamic != nil {
			return m.dynamic(p, l)
		}
		if m.function && !p.opens() || p.Budget <= 0 {
			return l
		}
		p.replace(m, l)
	}
}

// ExpandList returns list with its macros replaced.
func (p *Preprocessor) ExpandList(list []Token) []Token {
	if !p.replaceable(list) {
		return list
	}
	begin := len(p.stack)
	expanded := slices.Clone(p.expandArgument(list))
	p.stack = p.stack[:begin]
	for i := range expanded {
		if expanded[i].Kind == Painted {
			expanded[i].Kind = Ident
		}
	}
	return expanded
}

// replaceable reports whether list may have macros to replace.
func (p *Preprocessor) replaceable(list []Token) bool {
	return slices.ContainsFunc(list, func(l Token) bool {
		return l.Kind == Ident && (p.conditional || p.Macros[l.Text] != nil)
	})
}

// expandArgument returns list with its macros replaced, those painted that are not replaced any
// more. The result is on the stack.
func (p *Preprocessor) expandArgument(list []Token) []Token {
	if !p.replaceable(list) {
		return list
	}
	if p.nesting++; p.nesting > deepestNesting {
		p.exhaust(&list[0], "macros are nested too deeply")
	}
	floor, isolated := p.Floor, p.Isolated
	p.Floor, p.Isolated = len(p.contexts), true
	p.contexts = append(p.contexts, context{list: list})
	begin := len(p.stack)
	for l := p.expanded(); l.Kind != EOF; l = p.expanded() {
		p.stack = append(p.stack, l)
	}
	p.Floor, p.Isolated = floor, isolated
	p.nesting--
	return p.stack[begin:len(p.stack):len(p.stack)]
}

// exhaust ends the replacement of macros, with an error.
func (p *Preprocessor) exhaust(l *Token, text string) {
	if !p.Exhausted {
		p.errorf(l, diag.Macro, "%s (%w)", text, diag.Do("write it out"))
	}
	p.Budget, p.Exhausted = 0, true
}

// spend takes n tokens from the budget and reports whether there were as many.
func (p *Preprocessor) spend(l *Token, n int) bool {
	p.step()
	p.Steps += n
	if p.Budget -= n; p.Budget <= 0 {
		p.exhaust(l, "the expansion of macro "+l.Text+" is too long")
	}
	return p.Budget > 0
}

// replace puts what the macro m, used at l, stands for before the rest of the file.
func (p *Preprocessor) replace(m *Macro, use Token) {
	l := &use
	begin := len(p.stack)
	defer func() { p.stack = p.stack[:begin] }()
	var args [][]Token
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
		list[0].Blank = l.Blank
	}
	m.active = true
	p.contexts = append(p.contexts, context{list: list, macro: m})
}

// arguments reads the arguments of m, which is used at l, from the ( on.
func (p *Preprocessor) arguments(m *Macro, l *Token) (args [][]Token, ok bool) {
	p.raw()
	p.collecting++
	defer func() { p.collecting-- }()
	begin := len(p.stack) // of the argument being read
	one := func() []Token { return p.stack[begin:len(p.stack):len(p.stack)] }
	args = make([][]Token, 0, max(len(m.params), 1))
	depth := 0
	for {
		t := p.raw()
		switch {
		case t.Kind == EOF:
			p.errorf(l, diag.Macro, "the arguments of macro %s are not closed", m.Name)
			return nil, false
		case t.Kind == Ident:
			if inner := p.Macros[t.Text]; inner != nil && inner.active {
				t.Kind = Painted
			}
		case t.Is("("):
			depth++
		case t.Is(")"):
			if depth == 0 {
				return p.checkArguments(m, l, append(args, one()))
			}
			depth--
		case t.Is(",") && depth == 0 && !(m.variadic && len(args) == len(m.params)-1):
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

func (p *Preprocessor) checkArguments(m *Macro, l *Token, args [][]Token) ([][]Token, bool) {
	if len(m.params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		args = nil
	}
	if m.variadic && len(args) == len(m.params)-1 {
		args = append(args, nil)
	}
	if len(args) != len(m.params) {
		p.errorf(l, diag.Macro, "macro %s has %d parameters, and is used with %d arguments", m.Name, len(m.params), len(args))
		return nil, false
	}
	return args, true
}

// A substitution is the replacement of a macro's parameters in its body: C++ standard,
// [cpp.subst], [cpp.stringize], [cpp.concat].
type substitution struct {
	p        *Preprocessor
	macro    *Macro
	use      *Token
	from     *Origin
	args     [][]Token
	expanded [][]Token // of args, on the stack; nil until needed
	result   []Token
}

func (p *Preprocessor) substitute(m *Macro, use *Token, args [][]Token) []Token {
	s := &substitution{p: p, macro: m, use: use, args: args}
	if len(args) > 0 {
		s.expanded = make([][]Token, len(args))
	}
	if n := len(p.lists); n > 0 {
		s.result, p.lists = p.lists[n-1], p.lists[:n-1]
	}
	s.from = &Origin{use.At.File(), m, use.At.From()}
	s.list(m.body)
	return s.result
}

// param returns the index of the parameter that l names, -1 when it names none.
func (s *substitution) param(l *Token) int {
	if l.Kind == Ident && len(s.args) > 0 {
		for i, name := range s.macro.params {
			if name == l.Text {
				return i
			}
		}
	}
	return -1
}

// own returns the token of the macro's body as it stands where the macro is used.
func (s *substitution) own(l Token) Token {
	l.At, l.Comments, l.LineStart = s.use.At, s.use.Comments, false
	l.At.Origin = s.from
	return l
}

func (s *substitution) list(body []Token) {
	for i := 0; i < len(body); i++ {
		l := &body[i]
		if s.macro.function && l.Is("#") && i+1 < len(body) {
			if n := s.param(&body[i+1]); n >= 0 {
				s.result = append(s.result, s.own(Token{Kind: String, Text: stringize(s.args[n]), Blank: l.Blank}))
				i++
				continue
			}
		}
		if l.Is("##") && i > 0 && i+1 < len(body) {
			i = s.paste(body, i)
			continue
		}
		if l.Text == "__VA_OPT__" && s.macro.variadic && i+1 < len(body) && body[i+1].Is("(") {
			end, closed := closing(body, i+1)
			if !closed {
				s.p.errorf(s.use, diag.Unbalanced, "%s is not understood: the __VA_OPT__ in it is not closed", s.macro.Name)
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
		case i+1 < len(body) && body[i+1].Is("##"):
			s.add(l, s.args[n])
		default:
			s.add(l, s.argument(n))
		}
	}
}

// add appends the tokens that stand for the parameter l.
func (s *substitution) add(l *Token, list []Token) {
	if !s.p.spend(s.use, len(list)) {
		return
	}
	first := len(s.result)
	s.result = append(s.result, list...)
	if len(list) > 0 {
		s.result[first].Blank = l.Blank
	}
}

// argument returns the argument n, its macros replaced.
func (s *substitution) argument(n int) []Token {
	if s.expanded[n] == nil {
		s.expanded[n] = s.p.expandArgument(s.args[n])
	}
	return s.expanded[n]
}

// closing returns the index of what closes the parenthesis at body[i], if anything does.
func closing(body []Token, i int) (end int, closed bool) {
	depth := 0
	for ; i < len(body); i++ {
		switch {
		case body[i].Is("("):
			depth++
		case body[i].Is(")"):
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// paste handles the ## at body[i] and returns the index of its right operand.
func (s *substitution) paste(body []Token, i int) int {
	right := &body[i+1]
	operand := []Token{s.own(*right)}
	n := s.param(right)
	leftEmpty := false
	if left := s.param(&body[i-1]); left >= 0 {
		leftEmpty = len(s.args[left]) == 0
	}
	if n >= 0 {
		operand = s.args[n]
		if s.macro.variadic && n == len(s.args)-1 && body[i-1].Is(",") {
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
func pasted(left, right *Token) (Token, bool) {
	text := left.Text + right.Text
	l := textLexer(text).Scan()
	if l.Kind.Illegal() || l.Kind == CommentText || l.Text != text {
		return Token{}, false
	}
	joined := *left
	joined.Kind, joined.Text = l.Kind, text
	return joined, true
}

// stringize returns the string literal that # makes of an argument.
func stringize(list []Token) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range list {
		l := &list[i]
		if i > 0 && (l.Blank || l.LineStart) {
			b.WriteByte(' ')
		}
		if l.Kind != String && l.Kind != Char {
			b.WriteString(l.Text)
			continue
		}
		for j := range len(l.Text) {
			if c := l.Text[j]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(l.Text[j])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// define handles #define.
func (p *Preprocessor) define(hash, name *Token, arguments []Token) {
	if len(arguments) == 0 || arguments[0].Kind != Ident {
		p.errorf(name, diag.Macro, "#define names no macro")
		return
	}
	word := &arguments[0]
	m := &Macro{Name: word.Text, At: word.At, since: p.unread, body: arguments[1:]}
	if len(m.body) > 0 && m.body[0].Is("(") && !m.body[0].Blank {
		m.function = true
		if !p.parameters(m, word) {
			return
		}
	}
	m.body = slices.Clone(m.body)
	p.Macros[word.Text] = m
	p.defined = append(p.defined, word.Text)
	p.describe(m, hash)
}

// parameters reads the parameters of m from the beginning of its body.
func (p *Preprocessor) parameters(m *Macro, word *Token) bool {
	for i := 1; i < len(m.body); i++ {
		l := &m.body[i]
		switch {
		case l.Is(")"):
			m.body = m.body[i+1:]
			return true
		case l.Is("..."):
			if !m.body[i-1].Is(",") && i > 1 {
				m.params = m.params[:len(m.params)-1] // GNU: a name for the arguments
				m.params = append(m.params, m.body[i-1].Text)
			} else {
				m.params = append(m.params, "__VA_ARGS__")
			}
			m.variadic = true
		case l.Kind == Ident:
			m.params = append(m.params, l.Text)
		case !l.Is(","):
			p.errorf(l, diag.Macro, "#define %s: unexpected %s among the parameters", m.Name, l.Describe())
			return false
		}
	}
	p.errorf(word, diag.Macro, "#define %s: the parameters are not closed", m.Name)
	return false
}

// Constants returns the macros without parameters that files define, those of the system only if system is set,
// as they are in the end, sorted by their names.
func (p *Preprocessor) Constants(system bool) []*Macro {
	slices.Sort(p.defined)
	p.defined = slices.Compact(p.defined)
	var list []*Macro
	for _, name := range p.defined {
		if m := p.Macros[name]; m != nil && !m.function && m.dynamic == nil && len(m.body) > 0 && (system || !m.At.File().System) {
			list = append(list, m)
		}
	}
	return list
}

// Alone returns what m stands for behind the end of the file, its macros replaced, and how
// many tokens these made. ok is false when there are as many as limit: then there is no list.
func (p *Preprocessor) Alone(m *Macro, limit int) (list []Token, spent int, ok bool) {
	errors := len(p.Errors)
	p.Budget, p.Exhausted, p.Isolated, p.Floor = limit, true, true, 0
	list = p.ExpandList([]Token{{Kind: Ident, Text: m.Name, At: m.At}})
	p.Errors = p.Errors[:errors]
	return list, limit - p.Budget, p.Budget > 0
}

// builtin defines the macros that every compiler has and no text can define.
func (p *Preprocessor) builtin() {
	dynamic := map[string]func(*Preprocessor, Token) Token{
		"__LINE__": func(_ *Preprocessor, use Token) Token {
			return replacement(use, Number, strconv.Itoa(int(use.At.Line())))
		},
		"__FILE__": func(_ *Preprocessor, use Token) Token {
			return replacement(use, String, strconv.Quote(use.At.File().Name))
		},
		"__COUNTER__": func(p *Preprocessor, use Token) Token {
			p.counter++
			return replacement(use, Number, fmt.Sprint(p.counter-1))
		},
		"__DATE__": func(_ *Preprocessor, use Token) Token { return replacement(use, String, `"Jan  1 1970"`) },
		"__TIME__": func(_ *Preprocessor, use Token) Token { return replacement(use, String, `"00:00:00"`) },
		"__INCLUDE_LEVEL__": func(_ *Preprocessor, use Token) Token {
			return replacement(use, Number, strconv.Itoa(use.At.File().depth))
		},
	}
	for name, f := range dynamic {
		p.Macros[name] = &Macro{Name: name, dynamic: f}
	}
}

func replacement(use Token, kind Kind, text string) Token {
	use.Kind, use.Text = kind, text
	return use
}
