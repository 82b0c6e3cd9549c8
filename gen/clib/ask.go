package clib

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
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
	names := namesOf(f.Name, name)
	asked := e.first(names)
	if asked == nil {
		return e.fail(diag.ExpressionName, "there is no function %s", strings.Join(names, " or "))
	}
	for parameter := range other {
		if !slices.ContainsFunc(asked.Params, func(one cu.FunctionParam) bool { return one.Name == parameter }) {
			return e.fail(diag.ExpressionName, "%s has no parameter %s", asked.Name, parameter)
		}
	}
	at := slices.IndexFunc(f.asks, func(q question) bool { return q.function == asked.Name && maps.Equal(q.other, other) })
	if at < 0 {
		at = len(f.asks)
		f.asks = append(f.asks, question{fmt.Sprintf("asked_%d", at+1), asked.Name, other, e})
	}
	variable := f.asks[at].variable
	e.asks = true
	for _, one := range asked.Params {
		if t, ok := ctype.Unqualified(one.Type).(*ctype.Pointer); ok && isInteger(t.Elem) && other[one.Name] == "" && !slices.ContainsFunc(f.params, func(p *param) bool { return p.Name == one.Name }) {
			if basic := ctype.Unqualified(t.Elem).(*ctype.Basic); basic.Unsigned && basic.Size == 8 {
				return operand{text: "clib.Unsigned(" + variable + ")", open: true}
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

// namesOf returns the functions that name may mean in the function of. They have what of has up to its end or its last _, and then name; or they are
// called name, and have the character of of where that has a ?.
func namesOf(of, name string) []string {
	if !strings.HasPrefix(name, "_") {
		whole := []byte(name)
		for i := range whole {
			if whole[i] == '?' && i < len(of) {
				whole[i] = of[i]
			}
		}
		return []string{string(whole)}
	}
	names := []string{of + name}
	if at := strings.LastIndex(of, "_"); at > 0 {
		names = append(names, of[:at]+name)
	}
	return names
}

// first returns the first function that there is; nil for none.
func (e *expression) first(names []string) *cu.Function {
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
			answer := p.answering(f, q)
			switch {
			case answer == nil:
				p.errorf(q.at.pos, f, diag.ExpressionName, "%s: %s is not wrapped", q.at.source, q.function)
				continue
			case answer.receiver < 0 || f.receiver < 0 || answer.params[answer.receiver].handle != f.params[f.receiver].handle || len(answer.results(p)) != 1 || answer.result == number || answer.result == characters || answer.stream && !f.stream || len(answer.asks) > 0:
				p.errorf(q.at.pos, f, diag.ParameterKind, "%s: %s is no method of the same handle with one result that a pointer tells", q.at.source, q.function)
				continue
			}
			for i, one := range answer.params {
				if i == answer.receiver || one.role == out && !(one.scalar && answer.onDevice) {
					continue
				}
				if at := q.argument(f, one); at < 0 || answer.argument(one) != f.argument(f.params[at]) {
					p.errorf(q.at.pos, f, diag.ParameterKind, "%s: %s takes %s, a %s, which %s does not have", q.at.source, q.function, one.Name, answer.argument(one), f.Name)
				}
			}
		}
	}
}

// argument returns the index of the parameter of f that q hands over for one.
func (q question) argument(f *function, one *param) int {
	name := cmp.Or(q.other[one.Name], one.Name)
	return slices.IndexFunc(f.params, func(p *param) bool { return p.Name == name })
}

// ask prints the calls that tell how much memory f needs. known are the words of parameters of f, by their index.
func (e *emitter) ask(f *function, known []word) {
	if len(f.asks) == 0 {
		return
	}
	e.printf("if err := call.Wrong(); err != nil {\nreturn %s\n}\n", f.failed(e.packager, "err"))
	for i, q := range f.asks {
		answer := e.answering(f, q)
		var words []word
		args := []string{"h"}
		if answer.stream || answer.hasStream() {
			args = append(args, "s")
		}
		for j, one := range answer.params {
			switch at := q.argument(f, one); {
			case j == answer.receiver:
				words = append(words, word{text: "h0"})
			case one.role == out && !(one.scalar && answer.onDevice):
				e.printf("var %s %s\n", q.variable, one.goType)
				words = append(words, word{text: "unsafe.Pointer(&" + q.variable + ")", pointer: true})
			default:
				words = append(words, known[at])
				args = append(args, f.params[at].goName)
			}
		}
		call := fmt.Sprintf("ask_%d", i+1)
		e.printf("%s := call.Ask(&%s, %s)\n", call, symbol(answer.Name), answer.modeName())
		e.printf("if simulated, err := %s.Check(Simulated.%s != nil); err != nil {\nreturn %s\n} else if simulated {\n", call, answer.field(), f.failed(e.packager, "err"))
		e.printf("if %s, err = Simulated.%s(%s); err != nil {\nreturn %s\n}\n} else {\n", q.variable, answer.field(), strings.Join(args, ", "), f.failed(e.packager, "err"))
		e.record(words)
		made, _ := answer.do(words)
		e.printf("if err := %s; err != nil {\nreturn %s\n}\n}\n", strings.Replace(made, "call.", call+".", 1), f.failed(e.packager, "err"))
	}
}
