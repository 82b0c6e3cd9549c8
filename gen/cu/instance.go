package cu

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cudagen/cudagen/gen/ctype"
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
		return nil // whoever reads the directives reports it
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
	made := &kernel{Kernel: &base, head: k.head, parameters: k.parameters, scope: k.scope, name: k.name}
	made.Template, made.TemplateParams, made.Suggestions = false, nil, nil
	made.Errors = append(scanner.ErrorList(nil), k.Errors...)
	made.Directives = directives
	made.Instance = &Instance{Template: k.Kernel, Directive: d}
	outer := p.scope
	defer func() { p.scope = outer }()
	values, ok := p.instanceValues(made, d)
	if !ok {
		return made.Kernel
	}
	inner := newScope("", k.scope)
	inner.parameters = true
	made.Args = []ctype.TemplateArg{}
	for _, param := range k.head.params {
		value, given := values[param.name]
		p.scope = k.scope
		switch {
		case param.pack:
			made.Errors.Add(d.ArgsPos, fmt.Sprintf("%s: template parameter %s (%s) cannot be given by a directive (write a kernel that calls it, or add //cudagen:ignore)",
				k.Name, param.name, param.written))
			return made.Kernel
		case !given && param.fallback.tokens != nil && param.fallback.more():
			value = param.fallback
			p.scope = inner
		case !given:
			made.Errors.Add(d.ArgsPos, fmt.Sprintf("%s: template parameter %s has no value (write //cudagen:instantiate %s)", k.Name, param.name, k.head))
			return made.Kernel
		}
		arg, reason := p.templateArgument(param, value, inner)
		if reason != nil {
			made.Errors.Add(reason.Pos, fmt.Sprintf("%s: template parameter %s: %s", k.Name, param.name, reason.Text))
			return made.Kernel
		}
		made.Args = append(made.Args, arg)
		p.bind(inner, param.name, arg, k.name)
	}
	made.Instance.Explicit = k.explicit[ctype.Arguments(made.Args)]
	p.scope = inner
	p.readParameters(made, k.parameters)
	made.Signature = signature(made.Kernel, k.parameters)
	return made.Kernel
}

// instanceValues reads the arguments of a directive instantiate: T=float,N=4 [GoName].
func (p *parser) instanceValues(k *kernel, d Directive) (map[string]cursor, bool) {
	text := d.Args
	if i := strings.LastIndexAny(text, " \t"); i >= 0 && goName(text[i+1:]) && !strings.HasSuffix(strings.TrimRight(text[:i], " \t"), ",") {
		k.Instance.GoName = text[i+1:]
		text = strings.TrimRight(text[:i], " \t")
	}
	list := p.directiveTokens(d, text)
	c := newCursor(newTokens(list), lexeme{at: k.name.at})
	values := make(map[string]cursor)
	known := make(map[string]bool)
	for _, param := range k.head.params {
		known[param.name] = true
	}
	for _, one := range p.splitValues(c) {
		name := one.next()
		if name.kind != tokIdent || !one.accept("=") || !one.more() {
			k.Errors.Add(d.ArgsPos, fmt.Sprintf("%s: a directive instantiate reads %s, with a GoName behind it if wanted", k.Name, k.head))
			return nil, false
		}
		if !known[name.text] {
			k.Errors.Add(name.pos(), fmt.Sprintf("%s: there is no template parameter %s (they are %s)", k.Name, name.text, k.head))
			return nil, false
		}
		if _, twice := values[name.text]; twice {
			k.Errors.Add(name.pos(), fmt.Sprintf("%s: template parameter %s is given twice", k.Name, name.text))
			return nil, false
		}
		values[name.text] = one
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
		if c.peek().is(",") {
			parts = append(parts, c.piece(begin, c.i))
			begin = c.i + 1
		}
		if c.peek().is("<") {
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
func (p *parser) directiveTokens(d Directive, text string) []lexeme {
	file := newSource(d.ArgsPos.Filename, text)
	file.main = true
	file.shift = token.Position{Offset: d.ArgsPos.Offset, Line: d.ArgsPos.Line - 1, Column: d.ArgsPos.Column - 1}
	lexer := newLexer(file)
	var list []lexeme
	for l := lexer.scan(); l.kind != tokEOF; l = lexer.scan() {
		if l.kind == tokComment || l.kind == tokIllegal {
			continue
		}
		if l.is(">>") {
			l.text = ">"
			list = append(list, l)
			l.blank = false
		}
		list = append(list, l)
	}
	return list
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
