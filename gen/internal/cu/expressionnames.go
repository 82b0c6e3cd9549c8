package cu

import (
	"maps"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A Constant is what a name or sizeof(…) in a directive of a kernel means there.
type Constant struct {
	Value int64

	// Name says the same anywhere in the source: ns::N, sizeof(ns::Pair). It is a key of
	// File.Constants; empty for what only arguments of a template decide.
	Name string

	Reason diag.Message // why there is no value; zero if there is one
}

// ExpressionNames returns the names in the expressions of a directive's arguments, by their
// offsets: n, ns::N, and sizeof(…) with its parentheses.
func ExpressionNames(arguments string) map[int]string {
	names := make(map[int]string)
	for i := 0; i < len(arguments); {
		end := i + 1
		switch {
		case letter(arguments[i]), strings.HasPrefix(arguments[i:], "::") && i+2 < len(arguments) && letter(arguments[i+2]):
			end = endOfName(arguments, i)
			if arguments[i:end] == "sizeof" {
				end = endOfGroup(arguments, end)
			}
			names[i] = arguments[i:end]
		case '0' <= arguments[i] && arguments[i] <= '9':
			for end < len(arguments) && wordByte(arguments[end]) {
				end++
			}
		}
		i = end
	}
	return names
}

// endOfName returns where the qualified name that begins at i ends.
func endOfName(text string, i int) int {
	for {
		if strings.HasPrefix(text[i:], "::") && i+2 < len(text) && letter(text[i+2]) {
			i += 2
		}
		begin := i
		for i < len(text) && wordByte(text[i]) {
			i++
		}
		if i == begin {
			return i
		}
	}
}

// endOfGroup returns where the parentheses end that begin at i, behind blanks, or i.
func endOfGroup(text string, i int) int {
	depth := 0
	for end := i; end < len(text); end++ {
		switch text[end] {
		case '(':
			depth++
		case ')':
			depth--
		case ' ', '\t':
			continue
		}
		if depth <= 0 {
			if text[end] == ')' && depth == 0 {
				return end + 1
			}
			return i
		}
	}
	return i
}

func letter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func wordByte(c byte) bool { return letter(c) || '0' <= c && c <= '9' }

// withoutExpressions are the directives whose arguments are not expressions.
var withoutExpressions = []string{"kernel", "ignore", "export", "type", "cooperative", instantiateVerb}

// expressionNames gives k the constants that its directives name, which are looked up from
// scope.
func (p *parser) expressionNames(k *Kernel, scope *scope) {
	for _, d := range k.Directives {
		if slices.Contains(withoutExpressions, d.Verb) {
			continue
		}
		names := ExpressionNames(d.Args)
		for _, offset := range slices.Sorted(maps.Keys(names)) {
			text := names[offset]
			if _, known := k.Constants[text]; known || slices.ContainsFunc(k.Params, func(param Param) bool { return param.Name == text }) {
				continue
			}
			at := d
			at.ArgsPos.Column += offset
			at.ArgsPos.Offset += offset
			c, known := p.expressionName(k, at, text, scope)
			if !known && !strings.ContainsAny(text, ":(") {
				continue // a function, or a name that package directive reports
			}
			if k.Constants == nil {
				k.Constants = make(map[string]Constant)
			}
			k.Constants[text] = c
		}
	}
}

// expressionName returns what text means in scope, and whether it is known there. at is where
// it stands.
func (p *parser) expressionName(k *Kernel, at Directive, text string, scope *scope) (c Constant, known bool) {
	tokens := p.directiveTokens(at, text)
	n, reason := p.constantIn(tokens, scope)
	if reason.Text != "" {
		return Constant{Reason: reason}, reason == doesNotFit
	}
	if p.pre.Macros[text] != nil {
		p.noteLoose(text, tokens)
	}
	for _, candidate := range p.sayings(k, tokens, text, scope) {
		if m, reason := p.constantIn(p.directiveTokens(at, candidate), scope.root()); reason.Text == "" && m == n {
			if other, taken := p.file.Constants[candidate]; taken && other != n {
				continue
			}
			p.file.Constants[candidate] = n
			return Constant{Value: n, Name: candidate}, true
		}
	}
	if k.Args == nil {
		return Constant{Reason: diag.ExpressionName.Errorf("it means something else at the end of the file (%w)", diag.Do("write its whole name"))}, true
	}
	return Constant{Value: n}, true
}

// doesNotFit says why a constant has no value here.
var doesNotFit = diag.ExpressionValue.New("it does not fit into 64 bits with a sign")

// constantIn returns the value of the expression in tokens, or why it has none.
func (p *parser) constantIn(tokens []lex.Token, scope *scope) (n int64, reason diag.Message) {
	v, failure := p.evaluate(newCursor(newTokens(tokens), p.end), scope)
	if failure != nil {
		return 0, failure.Message
	}
	n, ok := v.int64()
	if !ok {
		return 0, doesNotFit
	}
	return n, diag.Message{}
}

// sayings returns the spellings that may mean in the file's scope what text means in scope.
func (p *parser) sayings(k *Kernel, tokens []lex.Token, text string, scope *scope) (list []string) {
	if strings.HasPrefix(text, "sizeof") {
		if c := newCursor(newTokens(tokens), p.end); c.accept("sizeof") {
			if t := p.typeIn(c, scope); t != nil {
				list = append(list, "sizeof("+strings.ReplaceAll(t.Demangled(), ctype.AnonymousNamespace+"::", "")+")")
			}
		}
		return append(list, text)
	}
	if strings.HasPrefix(text, "::") {
		return []string{strings.TrimPrefix(text, "::"), text}
	}
	namespace := slices.DeleteFunc(slices.Clone(k.Namespace), func(s string) bool { return s == ctype.AnonymousNamespace })
	for n := len(namespace); n >= 0; n-- {
		list = append(list, strings.Join(append(slices.Clone(namespace[:n]), text), "::"))
	}
	return list
}

// typeIn returns the type in the parentheses at c, or nil.
func (p *parser) typeIn(c cursor, scope *scope) ctype.Type {
	outer := p.scope
	p.scope = scope
	defer func() { p.scope = outer }()
	inside, ok := c.group()
	if !ok || !p.typeAhead(inside) {
		return nil
	}
	t, reason := p.typeID(&inside)
	if reason != nil || inside.more() {
		return nil
	}
	return t
}
