package clib

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/diag"
)

// A question is a call of another function of the library, which tells how much memory one needs.
type question struct {
	variable string // of its result
	function string // in C
	at       *expression
}

// asked reads the argument of asked: what the name of the other function has behind that of this one, or behind it up to its last _.
func (e *expression) asked() operand {
	suffix := e.next().text
	if !e.accept(")") {
		return e.fail(diag.DirectiveArguments, "asked takes the end of a name: asked(_bufferSize)")
	}
	for _, begin := range []string{e.function.Name, e.function.Name[:max(0, strings.LastIndex(e.function.Name, "_"))]} {
		at := slices.IndexFunc(e.file.Functions, func(c *cu.Function) bool { return c.Name == begin+suffix && begin != "" })
		if at < 0 {
			continue
		}
		variable := "asked" + suffix
		if !slices.ContainsFunc(e.function.asks, func(q question) bool { return q.variable == variable }) {
			e.function.asks = append(e.function.asks, question{variable, begin + suffix, e})
		}
		for _, one := range e.file.Functions[at].Params {
			if t, ok := ctype.Unqualified(one.Type).(*ctype.Pointer); ok && isInteger(t.Elem) && !slices.ContainsFunc(e.function.params, func(p *param) bool { return p.Name == one.Name }) {
				if basic := ctype.Unqualified(t.Elem).(*ctype.Basic); basic.Unsigned && basic.Size == 8 {
					return operand{text: "clib.Unsigned(" + variable + ")"}
				}
				return operand{text: "int64(" + variable + ")"}
			}
		}
		return e.fail(diag.ParameterKind, "%s tells no number by a pointer that %s has not", begin+suffix, e.function.Name)
	}
	return e.fail(diag.ExpressionName, "there is no function %s%s", e.function.Name, suffix)
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
				for _, a := range answer.arguments() {
					if !slices.Contains(f.arguments(), a) {
						p.errorf(q.at.pos, f, diag.ParameterKind, "%s: %s takes %s, a %s, which %s does not have", q.at.source, q.function, a.name, a.typ, f.Name)
					}
				}
			}
		}
	}
}

// ask prints the calls that tell how much memory f needs.
func (e *emitter) ask(f *function) {
	if len(f.asks) > 0 {
		e.printf("if err := call.Wrong(); err != nil {\nreturn %s\n}\n", f.failed(e.packager, "err"))
	}
	for _, q := range f.asks {
		answer := e.answering(f, q)
		var args []string
		for _, a := range answer.arguments() {
			args = append(args, a.name)
		}
		failed := "err_" + q.variable
		e.printf("%s, %s := h.%s(%s)\nif %[2]s != nil {\nreturn %[5]s\n}\n", q.variable, failed, answer.goName, strings.Join(args, ", "), f.failed(e.packager, failed))
	}
}
