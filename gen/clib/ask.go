package clib

import (
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// A question is a call of another function of the library, which tells how much memory one needs.
type question struct {
	variable string            // of its result
	function string            // in C
	other    map[string]string // its parameters, by their C names, that are called otherwise in the function that asks
	at       *expression
}

// asked reads the arguments of asked: which function, and its parameters that are called otherwise here.
func (e *expression) asked() operand {
	name := e.word()
	other := make(map[string]string)
	for e.accept(",") {
		parameter := e.next().text
		if !e.accept("=") {
			return e.fail(diag.DirectiveArguments, "asked takes NAME=NAME, found %s", parameter)
		}
		other[parameter] = e.next().text
	}
	if !e.accept(")") {
		return e.fail(diag.DirectiveArguments, "asked takes the end of a name: asked(_bufferSize)")
	}
	f := e.function
	asked := e.named(f.Name, name)
	if asked == nil {
		return e.fail(diag.ExpressionName, "there is no function %s", f.Name+name)
	}
	variable := "asked_" + strings.TrimPrefix(asked.Name, "_")
	if !slices.ContainsFunc(f.asks, func(q question) bool { return q.variable == variable }) {
		f.asks = append(f.asks, question{variable, asked.Name, other, e})
	}
	for _, one := range asked.Params {
		if t, ok := ctype.Unqualified(one.Type).(*ctype.Pointer); ok && isInteger(t.Elem) && other[one.Name] == "" && !slices.ContainsFunc(f.params, func(p *param) bool { return p.Name == one.Name }) {
			if basic := ctype.Unqualified(t.Elem).(*ctype.Basic); basic.Unsigned && basic.Size == 8 {
				return operand{text: "clib.Unsigned(" + variable + ")"}
			}
			return operand{text: "int64(" + variable + ")"}
		}
	}
	return e.fail(diag.ParameterKind, "%s tells no number by a pointer that %s has not", asked.Name, f.Name)
}

// word reads a name, in which ? may stand for a character.
func (e *expression) word() (name string) {
	for e.peek().tok == token.IDENT || e.peek().text == "?" {
		name += e.next().text
	}
	return name
}

// named returns the function that name means in the function of. It has what of has up to its end or its last _, and then name; or it is called
// name, and has the character of of where that has a ?. It is nil if there is none.
func (e *expression) named(of, name string) *cu.Function {
	names := []string{of + name, of[:max(0, strings.LastIndex(of, "_"))] + name}
	if !strings.HasPrefix(name, "_") {
		whole := []byte(name)
		for i := range whole {
			if whole[i] == '?' && i < len(of) {
				whole[i] = of[i]
			}
		}
		names = []string{string(whole)}
	}
	for _, n := range names {
		if at := slices.IndexFunc(e.file.Functions, func(c *cu.Function) bool { return c.Name == n }); at >= 0 {
			return e.file.Functions[at]
		}
	}
	return nil
}

// answering returns the function of the Go package that answers q for f.
func (p *packager) answering(f *function, q question) *function {
	var found *function
	for _, one := range p.functions {
		if one.Name == q.function && (found == nil || one.onDevice == f.onDevice) {
			found = one
		}
	}
	return found
}

// questions refuses those that no function of the Go package can answer with the arguments that there are.
func (p *packager) questions() {
	for _, f := range p.functions {
		for _, q := range f.asks {
			switch answer := p.answering(f, q); {
			case answer == nil:
				p.errorf(q.at.pos, f, diag.ExpressionName, "%s: %s is not wrapped", q.at.source, q.function)
			case answer.receiver < 0 || f.receiver < 0 || answer.params[answer.receiver].handle != f.params[f.receiver].handle || len(answer.results(p)) != 1 || answer.stream && !f.stream:
				p.errorf(q.at.pos, f, diag.ParameterKind, "%s: %s is no method of the same handle with one result", q.at.source, q.function)
			default:
				for _, a := range q.arguments(f, answer) {
					if !slices.Contains(f.arguments(), a) {
						p.errorf(q.at.pos, f, diag.ParameterKind, "%s: %s takes %s, a %s, which %s does not have", q.at.source, q.function, a.name, a.typ, f.Name)
					}
				}
			}
		}
	}
}

// arguments returns those of answer, by the names that they have in f.
func (q question) arguments(f, answer *function) []argument {
	list := answer.arguments()
	for from, to := range q.other {
		for i, a := range list {
			one := slices.IndexFunc(answer.params, func(p *param) bool { return p.Name == from && p.goName == a.name })
			at := slices.IndexFunc(f.params, func(p *param) bool { return p.Name == to })
			if one >= 0 && at >= 0 {
				list[i].name = f.params[at].goName
			}
		}
	}
	return list
}

// ask prints the calls that tell how much memory f needs.
func (e *emitter) ask(f *function) {
	if len(f.asks) > 0 {
		e.printf("if err := call.Wrong(); err != nil {\nreturn %s\n}\n", f.failed(e.packager, "err"))
	}
	for _, q := range f.asks {
		answer := e.answering(f, q)
		var args []string
		for _, a := range q.arguments(f, answer) {
			args = append(args, a.name)
		}
		failed := "err_" + q.variable
		e.printf("%s, %s := h.%s(%s)\nif %[2]s != nil {\nreturn %[5]s\n}\n", q.variable, failed, answer.goName, strings.Join(args, ", "), f.failed(e.packager, failed))
	}
}
