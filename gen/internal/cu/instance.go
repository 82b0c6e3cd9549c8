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

// instances returns a kernel for each directive instantiate of the template k. The
// template keeps its other directives, and each instance has them.
func (k *kernel) instances(u *unit) []*Kernel {
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
		instances = append(instances, k.instance(u, d, others))
	}
	return instances
}

// instance returns the kernel that the directive d asks for.
func (k *kernel) instance(u *unit, d Directive, directives []Directive) *Kernel {
	base := *k.Kernel
	made := &kernel{Kernel: &base, head: k.head, parameters: k.parameters, written: k.written, scope: k.scope, name: k.name, of: k}
	made.Template, made.TemplateParams, made.Suggestions = false, nil, nil
	made.Errors = append(diag.List(nil), k.Errors...)
	made.Directives = directives
	made.Instance = &Instance{Template: k.Kernel, At: d.Pos}
	made.Own = made.Own || !d.Included
	list := made.instanceArguments(u, d)
	if !list.peek().Is("<") {
		made.namedInstance(u, d, list)
		return made.Kernel
	}
	switch inside, ok := list.angles(); {
	case !ok:
		made.Errors.Add(d.ArgsPos, diag.Unbalanced.Sprintf("%s: the < of the arguments is not closed", k.Name))
	case list.more():
		made.Errors.Add(list.peek().Pos(), diag.GoName.Sprintf("%s: unexpected %s behind the arguments (a GoName begins with a capital)", k.Name, list.peek().Describe()))
	default:
		made.positionalInstance(u, d, inside)
	}
	return made.Kernel
}

// understood reads the parameters of an instance whose arguments are known, and bound in
// inner.
func (k *kernel) understood(u *unit, inner *scope) {
	k.Instance.Explicit = k.of.explicit(k.Args)
	k.readParameters(u.in(inner), k.parameters)
	k.Signature = signature(k.Kernel, k.written)
	k.attributes = k.of.attributesOf(k.Args)
	k.launchShape(u)
	u.in(inner).expressionNames(k.Kernel)
}

// positionalInstance reads the parameters of an instance whose arguments stand in list as in
// C++: <float, 4>.
func (k *kernel) positionalInstance(u *unit, d Directive, list cursor) {
	args, inner, reason := u.in(k.scope).templateArguments(k.head, list, k.scope, k.scope, k.name)
	if reason != nil {
		at := reason.Pos
		if at.Line != d.ArgsPos.Line || at.Filename != d.ArgsPos.Filename {
			at = d.ArgsPos
		}
		k.Errors.Add(at, reason.Code.Sprintf("%s: %s (its template parameters are %s)", k.Name, reason.Text, k.head.positional()))
		return
	}
	k.Args = args
	k.understood(u, inner)
}

// namedInstance reads the parameters of an instance whose arguments are given by their
// names: T=float,N=4.
func (k *kernel) namedInstance(u *unit, d Directive, list cursor) {
	values, ok := k.instanceValues(d, list)
	if !ok {
		return
	}
	inner := newScope("", k.scope)
	inner.parameters = true
	args := []ctype.TemplateArg{}
	for _, param := range k.head.params {
		value, given := values[param.name]
		use := k.scope
		switch {
		case param.pack && !given:
			u.bindPack(inner, param.name, nil, k.name)
			continue
		case param.pack:
			k.Errors.Add(d.ArgsPos, diag.Template.Sprintf("%s: template parameter %s (%s) is a pack, which has no single value (write //cudagen:instantiate %s)",
				k.Name, param.name, param.written, k.head.positional()))
			return
		case !given && param.hasDefault():
			value = param.fallback
			use = inner
		case !given:
			k.Errors.Add(d.ArgsPos, diag.Template.Sprintf("%s: template parameter %s has no value (write //cudagen:instantiate %s)", k.Name, param.label(), k.head))
			return
		}
		arg, reason := u.in(use).templateArgument(param, value, inner)
		if reason != nil {
			k.Errors.Add(reason.Pos, reason.Code.Sprintf("%s: template parameter %s: %s", k.Name, param.label(), reason.Text))
			return
		}
		args = append(args, arg)
		u.bind(inner, param.name, arg, k.name)
	}
	k.Args = args
	k.understood(u, inner)
}

// instanceArguments returns the tokens of the arguments of a directive instantiate, and
// notes the Go name behind them.
func (k *kernel) instanceArguments(u *unit, d Directive) cursor {
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
func (k *kernel) instanceValues(d Directive, list cursor) (map[string]cursor, bool) {
	values := make(map[string]cursor)
	known := make(map[string]bool)
	for _, param := range k.head.params {
		known[param.name] = param.name != ""
	}
	for _, one := range splitAngles(list) {
		name := one.next()
		if name.Kind != lex.Ident || !one.accept("=") || !one.more() {
			k.Errors.Add(d.ArgsPos, diag.DirectiveArguments.Sprintf("%s: a directive instantiate reads %s, with a GoName behind it if wanted", k.Name, k.head))
			return nil, false
		}
		if !known[name.Text] {
			k.Errors.Add(name.Pos(), diag.Template.Sprintf("%s: there is no template parameter %s (they are %s)", k.Name, name.Text, k.head))
			return nil, false
		}
		if _, twice := values[name.Text]; twice {
			k.Errors.Add(name.Pos(), diag.Contradiction.Sprintf("%s: template parameter %s is given twice", k.Name, name.Text))
			return nil, false
		}
		values[name.Text] = one
	}
	return values, true
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
