package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// The examples that stand for the name of a function and of a class template.
const exampleFunction, exampleTemplate = "function", "class_template"

// exampleArguments gives each parameter of the kernel template head an argument for messages. body
// has the kernel's tokens.
func (r resolver) exampleArguments(head *templateHead, body cursor) {
	inner := newScope("", r.scope)
	inner.parameters = true
	for i, hole := range r.holesOf(head) {
		param := head.params[i]
		param.example = r.exampleArgument(param, inner, body)
		switch {
		case param.name == "":
		case param.pack:
			inner.declare(param.name, &entity{obscure: aPack, rest: hole})
		default:
			inner.declare(param.name, hole.entity())
		}
	}
}

// exampleArgument returns an argument for param, whose type is looked up in inner. What the body
// calls is a function.
func (r resolver) exampleArgument(param *templateParam, inner *scope, body cursor) string {
	switch param.kind {
	case paramType:
		return "float"
	case paramTemplate:
		return exampleTemplate
	}
	r.matched++
	t, reason := r.in(inner).valueType(param)
	r.matched--
	class, _ := t.(*ctype.Struct)
	known := reason == nil && t != ctype.Type(autoType) && r.holeOf[class] == nil
	switch {
	case known && takesFunction(t), !known && calls(body, param.name), reason != nil && strings.Contains(param.written, "(*"):
		return exampleFunction
	case !known:
		return "4"
	case addressable(t):
		return "nullptr"
	}
	switch t := t.(type) {
	case *ctype.Enum:
		if t.Name != "" && len(t.Enumerators) > 0 {
			return strings.ReplaceAll(t.QualifiedName(), ctype.AnonymousNamespace+"::", "") + "::" + t.Enumerators[0].Name
		}
	case *ctype.Basic:
		if t.Kind == ctype.Bool {
			return "true"
		}
	}
	return "4"
}

// calls reports whether what is called name is called in c.
func calls(c cursor, name string) bool {
	for ; name != "" && c.more(); c.next() {
		if c.peek().Is(name) && c.peek().Kind == lex.Ident && c.ahead(1).Is("(") && !isMember(c.before()) {
			return true
		}
	}
	return false
}
