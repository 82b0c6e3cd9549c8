package cu

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

const instantiateVerb = "instantiate"

// instancesOf returns a kernel for each directive instantiate of the template k. The
// template keeps its other directives, and each instance has them.
func (p *parser) instancesOf(k *kernel) []*Kernel {
	var wanted, others []Directive
	for _, d := range k.Directives {
		if d.Verb == instantiateVerb {
			wanted = append(wanted, d)
		} else {
			others = append(others, d)
		}
	}
	if !k.Template {
		return nil // package directive reports it
	}
	var instances []*Kernel
	for _, d := range wanted {
		instances = append(instances, p.instance(k, d, others))
	}
	return instances
}

// instance returns the kernel that the directive d asks for.
func (p *parser) instance(k *kernel, d Directive, directives []Directive) *Kernel {
	base := *k.Kernel
	made := &kernel{Kernel: &base, head: k.head, parameters: k.parameters, written: k.written, scope: k.scope, name: k.name, of: k}
	made.Template, made.TemplateParams, made.Suggestions = false, nil, nil
	made.Errors = append(diag.List(nil), k.Errors...)
	made.Directives = directives
	made.Instance = &Instance{Template: k.Kernel, At: d.Pos}
	made.Own = made.Own || !d.Included
	outer := p.scope
	defer func() { p.scope = outer }()
	list := p.instanceArguments(made, d)
	if !list.peek().Is("<") {
		p.namedInstance(made, d, list)
		return made.Kernel
	}
	switch inside, ok := list.angles(); {
	case !ok:
		made.Errors.Add(d.ArgsPos, diag.Unbalanced.New("the < of the arguments is not closed").About(k.Name))
	case list.more():
		made.Errors.Add(list.peek().Pos(), diag.GoName.Errorf("unexpected %s behind the arguments (a GoName begins with a capital)", list.peek().Describe()).About(k.Name))
	default:
		p.positionalInstance(made, d, inside)
	}
	return made.Kernel
}

// understood reads the parameters of an instance whose arguments are known, and bound in
// inner.
func (p *parser) understood(made *kernel, inner *scope) {
	made.Instance.Explicit = made.of.explicit(made.Args)
	p.scope = inner
	p.readParameters(made, made.parameters)
	made.Signature = signature(made.Kernel, made.written)
	made.attributes = p.attributesOf(made.of, made.Args)
	p.launchShape(made)
	p.scope = inner
	p.expressionNames(made.Kernel, inner)
}

// positionalInstance reads the parameters of an instance whose arguments stand in list as in
// C++: <float, 4>.
func (p *parser) positionalInstance(made *kernel, d Directive, list cursor) {
	args, inner, reason := p.templateArguments(made.head, list, made.scope, made.scope, made.name)
	if reason != nil {
		at := reason.Pos
		if at.Line != d.ArgsPos.Line || at.Filename != d.ArgsPos.Filename {
			at = d.ArgsPos
		}
		made.Errors.Add(at, ofArgument(reason.Code).Errorf("%w (its template parameters are %s)", reason, made.head.positional()).About(made.Name))
		return
	}
	made.Args = args
	p.understood(made, inner)
}

// ofArgument returns the code of an error about an argument of a directive instantiate that has the code c.
func ofArgument(c diag.Code) diag.Code {
	if c == diag.NotUnderstood {
		return diag.Template
	}
	return c
}

// namedInstance reads the parameters of an instance whose arguments are given by their
// names: T=float,N=4.
func (p *parser) namedInstance(made *kernel, d Directive, list cursor) {
	values, ok := p.instanceValues(made, d, list)
	if !ok {
		return
	}
	inner := newScope("", made.scope)
	inner.parameters = true
	args := []ctype.TemplateArg{}
	for _, param := range made.head.params {
		value, given := values[param.name]
		p.scope = made.scope
		switch {
		case param.pack && !given:
			p.bindPack(inner, param.name, nil, made.name)
			continue
		case param.pack:
			made.Errors.Add(d.ArgsPos, diag.Template.Errorf("template parameter %s (%s) is a pack, which has no single value (%w)", param.name, param.written, diag.Do("write //cudagen:instantiate %s", made.head.positional())).About(made.Name))
			return
		case !given && param.hasDefault():
			value = param.fallback
			p.scope = inner
		case !given:
			made.Errors.Add(d.ArgsPos, diag.Template.Errorf("template parameter %s has no value (%w)", param.label(), diag.Do("write //cudagen:instantiate %s", made.head)).About(made.Name))
			return
		}
		arg, reason := p.templateArgument(param, value, inner)
		if reason != nil {
			made.Errors.Add(reason.Pos, ofArgument(reason.Code).Errorf("template parameter %s: %w", param.label(), reason).About(made.Name))
			return
		}
		args = append(args, arg)
		p.bind(inner, param.name, arg, made.name)
	}
	made.Args = args
	p.understood(made, inner)
}

// instanceArguments returns the tokens of the arguments of a directive instantiate, and
// notes the Go name behind them.
func (u *unit) instanceArguments(k *kernel, d Directive) cursor {
	text, name := instanceName(d.Args)
	if text == "" {
		text, name = d.Args, ""
	}
	k.Instance.GoName = name
	list := u.directiveTokens(d, text)
	return newCursor(newTokens(list), lex.Token{At: k.name.At})
}

// instanceName cuts the Go name off the arguments of a directive instantiate. It is empty if there
// is none.
func instanceName(text string) (args, name string) {
	i := strings.LastIndexAny(text, " \t>")
	switch {
	case !goName(text[i+1:]), strings.HasSuffix(strings.TrimRight(text[:max(i, 0)], " \t"), ","),
		strings.HasPrefix(text, "<") && !strings.HasSuffix(strings.TrimRight(text[:i+1], " \t"), ">"):
		return text, ""
	}
	return strings.TrimRight(text[:i+1], " \t"), text[i+1:]
}

// instanceValues reads the arguments of a directive instantiate: T=float,N=4.
func (p *parser) instanceValues(k *kernel, d Directive, list cursor) (map[string]cursor, bool) {
	values := make(map[string]cursor)
	known := make(map[string]bool)
	for _, param := range k.head.params {
		known[param.name] = param.name != ""
	}
	for _, one := range p.splitValues(list) {
		name := one.next()
		if name.Kind != lex.Ident || !one.accept("=") || !one.more() {
			k.Errors.Add(d.ArgsPos, diag.DirectiveArguments.Errorf("a directive instantiate reads %s, with a GoName behind it if wanted", k.head).About(k.Name))
			return nil, false
		}
		if !known[name.Text] {
			k.Errors.Add(name.Pos(), diag.Template.Errorf("there is no template parameter %s (they are %s)", name.Text, k.head).About(k.Name))
			return nil, false
		}
		if _, twice := values[name.Text]; twice {
			k.Errors.Add(name.Pos(), diag.Contradiction.Errorf("template parameter %s is given twice", name.Text).About(k.Name))
			return nil, false
		}
		values[name.Text] = one
	}
	return values, true
}

// splitValues cuts the arguments of a directive at its commas.
func (p *parser) splitValues(c cursor) []cursor {
	if !c.more() {
		return nil
	}
	var parts []cursor
	begin := c.i
	for c.more() {
		if c.peek().Is(",") {
			parts = append(parts, c.piece(begin, c.i))
			begin = c.i + 1
		}
		if c.peek().Is("<") {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return append(parts, c.piece(begin, c.stop))
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

// goName reports whether word is an exported Go name.
func goName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return false
	}
	for _, r := range word {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
