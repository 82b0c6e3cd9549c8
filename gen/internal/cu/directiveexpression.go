package cu

import (
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

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
// the scope, where each directive stands. The definition's parameters are called parameters.
func (r resolver) expressionNames(k *Kernel, parameters string) {
	k.Directives = slices.Clone(k.Directives)
	for i := range k.Directives {
		d := &k.Directives[i]
		if slices.Contains(withoutExpressions, d.Verb) {
			continue
		}
		names := ExpressionNames(d.Args)
		there := r.in(scopeAt(r.scope, d.until))
		for _, offset := range slices.Sorted(maps.Keys(names)) {
			text := names[offset]
			differs := d.compareParameter(text, parameters, k.Pos)
			if differs || slices.ContainsFunc(k.Params, func(param Param) bool { return param.Name == text }) {
				continue
			}
			at := *d
			at.ArgsPos.Column += offset
			at.ArgsPos.Offset += offset
			c, known := there.expressionName(k, at, text)
			if !known && !strings.ContainsAny(text, ":(") {
				continue // a function, or a name that package directive reports
			}
			if before, twice := k.Constants[text]; twice && before != c {
				c = Constant{Reason: diag.ExpressionName.Errorf("another directive of the kernel means something else by it (%w)", diag.Do("write its whole name"))}
			}
			if k.Constants == nil {
				k.Constants = make(map[string]Constant)
			}
			k.Constants[text] = c
		}
	}
}

// compareParameter notes that d is not clear if name is a parameter of the declaration that d stands above, and another
// or none of those in own, the definition at defined. It reports whether that is so.
func (d *Directive) compareParameter(name, own string, defined token.Position) bool {
	names := strings.Split(own, ",")
	here := slices.Index(strings.Split(d.declared, ","), name)
	if here < 0 || here < len(names) && names[here] == name {
		return false
	}
	called := "has no name"
	if here < len(names) && names[here] != "" {
		called = "is called " + names[here]
	}
	d.Unclear = diag.Contradiction.Errorf("parameter %d is called %s in the declaration below, and %s in line %d of %s: %w",
		here+1, name, called, defined.Line, filepath.Base(defined.Filename), diag.Do("give the parameters the same names"))
	return true
}

// expressionName returns what text means in scope, and whether it is known there. at is where
// it stands.
func (r resolver) expressionName(k *Kernel, at Directive, text string) (c Constant, known bool) {
	tokens := r.directiveTokens(at, text)
	n, reason := r.constantIn(tokens)
	if reason.Text != "" {
		return Constant{Reason: reason}, reason == doesNotFit
	}
	if r.pre.Macros[text] != nil {
		r.noteLoose(text, tokens)
	}
	for _, candidate := range r.sayings(k, tokens, text) {
		if m, reason := r.in(r.scope.root()).constantIn(r.directiveTokens(at, candidate)); reason.Text == "" && m == n {
			if other, taken := r.file.Constants[candidate]; taken && other != n {
				continue
			}
			r.file.Constants[candidate] = n
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
func (r resolver) constantIn(tokens []lex.Token) (n int64, reason diag.Message) {
	v, failure := r.evaluate(newCursor(newTokens(tokens), r.all.end))
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
func (r resolver) sayings(k *Kernel, tokens []lex.Token, text string) (list []string) {
	if strings.HasPrefix(text, "sizeof") {
		if c := newCursor(newTokens(tokens), r.all.end); c.accept("sizeof") {
			if t := r.typeIn(c); t != nil {
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
func (r resolver) typeIn(c cursor) ctype.Type {
	inside, ok := c.group()
	if !ok || !r.typeAhead(inside) {
		return nil
	}
	t, _ := r.wholeType(inside)
	return t
}

// directiveTokens returns the tokens of a directive's arguments, macros replaced, with
// their positions in the source.
func (u *unit) directiveTokens(d Directive, text string) []lex.Token {
	file := lex.NewSource(d.ArgsPos.Filename, text)
	file.Main = true
	file.Shift = token.Position{Offset: d.ArgsPos.Offset, Line: d.ArgsPos.Line - 1, Column: d.ArgsPos.Column - 1}
	lexer := lex.NewLexer(file)
	var list []lex.Token
	for l := lexer.Scan(); l.Kind != lex.EOF; l = lexer.Scan() {
		if l.Kind == lex.CommentText || l.Kind.Illegal() {
			continue
		}
		if l.Is(">>") {
			l.Text = ">"
			list = append(list, l)
			l.Blank = false
		}
		list = append(list, l)
	}
	return u.expandMacros(list)
}

// expandMacros replaces the macros in list that mean the same in the whole file.
func (u *unit) expandMacros(list []lex.Token) []lex.Token {
	const most = 4096 // tokens
	known := false
	for i := range list {
		if name := list[i].Text; list[i].Kind == lex.Ident && u.pre.Macros[name] != nil {
			if u.pre.Undone[name] {
				return list
			}
			known = true
		}
	}
	if !known {
		return list
	}
	errors := len(u.pre.Errors)
	u.pre.Budget, u.pre.Exhausted, u.pre.Isolated, u.pre.Floor = most, true, true, 0
	expansion := u.pre.ExpandList(list)
	u.pre.Errors = u.pre.Errors[:errors]
	if u.pre.Budget <= 0 {
		return list
	}
	return expansion
}

// binary are the operators between operands of a macro that an operator beside it may tear apart.
// There is no < and >, which are around arguments of templates.
var binary = []string{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "?", "==", "!=", "<=", ">="}

// noteLoose notes the macro name if list, what it stands for, has an operator outside of
// parentheses: with SIZE as 4+4, SIZE*2 is 12 in C++.
func (u *unit) noteLoose(name string, list []lex.Token) {
	depth := 0
	loose := false
	var text strings.Builder
	for i, l := range list {
		switch {
		case l.Is("("), l.Is("["), l.Is("{"):
			depth++
		case l.Is(")"), l.Is("]"), l.Is("}"):
			depth--
		case depth == 0 && i > 0 && slices.ContainsFunc(binary, l.Is):
			last := list[i-1]
			loose = loose || last.Kind == lex.Ident || last.Kind == lex.Number || last.Is(")") || last.Is("]") || last.Is("}")
		}
		if l.Blank && i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(l.Text)
	}
	if loose {
		u.file.Loose[name] = text.String()
	}
}
