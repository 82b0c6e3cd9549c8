package cu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// requires skips a requires-clause and returns it: C++ standard, [temp.pre].
func requires(c *cursor) (clause cursor) {
	if !c.accept("requires") {
		return clause
	}
	begin := c.i
	for {
		c.accept("!")
		switch l := c.peek(); {
		case l.Is("("):
			c.skip()
		case l.Is("requires"):
			c.next()
			c.group()
			c.group()
		case l.Kind == lex.Ident, l.Kind == lex.Number:
			c.next()
			if c.peek().Is("<") {
				c.angles()
			}
			if c.accept("::") {
				continue
			}
		}
		if !c.accept("&&") && !c.accept("||") && !c.accept("::") {
			return c.piece(begin, c.i)
		}
	}
}

// templateHead reads the parameters of a template: C++ standard, [temp.param].
func (r resolver) templateHead(list cursor) *templateHead {
	head := &templateHead{empty: !list.more()}
	for _, one := range splitAngles(list) {
		head.params = append(head.params, r.templateParam(one))
	}
	return head
}

func (r resolver) templateParam(c cursor) *templateParam {
	param := &templateParam{}
	declared := c
	for scan := c; scan.more(); {
		if scan.peek().Is("=") {
			declared = c.piece(c.i, scan.i)
			param.fallback = c.piece(scan.i+1, c.stop)
			break
		}
		if scan.peek().Is("<") {
			if _, ok := scan.angles(); ok {
				continue
			}
		}
		scan.skip()
	}
	switch first := declared.peek(); {
	case first.Is("template"):
		param.kind = paramTemplate
	case (first.Is("typename") || first.Is("class")) && plainTypeParam(declared):
		param.kind = paramType
	case r.constrains(declared):
		param.kind = paramType
	default:
		param.kind = paramValue
	}
	param.pack = ellipsis(declared) >= 0
	param.typ = declared
	name := r.paramName(declared)
	if name < 0 {
		param.written = join(declared.list[declared.i:declared.stop])
		return param
	}
	param.name = declared.list[name].Text
	if name == declared.stop-1 {
		param.typ = declared.piece(declared.i, name)
		param.written = join(declared.list[declared.i:name])
	} else {
		param.written = join(append(append([]lex.Token(nil), declared.list[declared.i:name]...), declared.list[name+1:declared.stop]...))
	}
	return param
}

// plainTypeParam reports whether typename begins the parameter and not the type of a
// value, as in typename T::type n.
func plainTypeParam(c cursor) bool {
	c.next()
	c.accept("...")
	if c.peek().Kind == lex.Ident {
		c.next()
	}
	return !c.more()
}

// constrains reports whether c, the declaration of a template parameter, begins with the
// name of a concept, and is a type.
func (r resolver) constrains(c cursor) bool {
	begin := c.i
	var e *entity
	in := r.scope
	if c.accept("::") {
		in = in.root()
	}
	for first := true; c.peek().Kind == lex.Ident; first = false {
		name := c.next().Text
		switch {
		case first && begin == c.i-1:
			e = in.lookup(name)
		case in != nil:
			e = in.within(name)
		}
		if !c.accept("::") {
			break
		}
		if in = nil; e != nil {
			in = e.namespace
		}
		e = nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(join(c.list[begin:min(c.i, c.stop)]), "::"), "cuda::")
	bare, std := strings.CutPrefix(name, "std::")
	if (e == nil || e.concept == nil) && !(std && standardConcepts[bare] != "") {
		return false
	}
	c.angles()
	c.accept("...")
	return !c.peek().Is("auto") && !c.peek().Is("decltype")
}

// abbreviate reads auto in the parameters of a function: it stands for the type of a template parameter
// that has no name, which comes behind those of the head t. It returns the head with them, t if
// there are none, and the parameters with names for auto.
//
// C++ standard, [dcl.fct]: abbreviated function template.
func (r resolver) abbreviate(parameters cursor, t *templateHead) (*templateHead, cursor) {
	parts := r.split(parameters)
	if !slices.ContainsFunc(parts, abbreviates) || t != nil && t.empty {
		return t, parameters
	}
	head := &templateHead{}
	if t != nil {
		*head = *t
		head.params = slices.Clone(t.params)
	}
	var list []lex.Token
	for i, one := range parts {
		if i > 0 {
			list = append(list, parts[i-1].list[parts[i-1].stop]) // the comma
		}
		if !abbreviates(one) {
			list = append(list, one.list[one.i:one.stop]...)
			continue
		}
		constraint, at := placeholder(one)
		param := &templateParam{kind: paramType, name: fmt.Sprint("auto:", len(head.params)), invented: true, pack: ellipsis(one) >= 0}
		param.written = join(one.list[constraint : at+1])
		param.typ = one.piece(constraint, at)
		name := one.list[at]
		if !param.typ.more() {
			class := name
			class.Text = "class"
			param.typ = newCursor(newTokens([]lex.Token{class}), name)
		}
		head.params = append(head.params, param)
		name.Kind, name.Text = lex.Ident, param.name
		list = append(list, one.list[one.i:constraint]...)
		list = append(append(list, name), one.list[at+1:one.stop]...)
	}
	return head, newCursor(newTokens(list), parameters.end)
}

// abbreviates reports whether the parameter c is declared with auto, for a type that arguments decide.
func abbreviates(c cursor) bool {
	found := false
	for ; c.more() && !c.peek().Is("="); c.skip() {
		for c.peek().Is("<") {
			if _, ok := c.angles(); !ok {
				break
			}
		}
		if c.peek().Is("->") || !c.more() {
			return found && !c.more() // the type of a function stands behind it
		}
		found = found || c.peek().Is("auto")
	}
	return found
}

// placeholder returns the index of the auto that c is declared with, and of the concept before it, which
// is the same if there is none.
//
// C++ standard, [dcl.spec.auto].
func placeholder(c cursor) (constraint, at int) {
	for begin := c.i; ; begin = c.i {
		switch l := c.peek(); {
		case l.Is("auto"):
			return c.i, c.i
		case l.Kind == lex.Ident && !scalarWords[l.Text] && !restricts[l.Text] && !l.Is("const") && !l.Is("volatile"), l.Is("::"):
			c.accept("::")
			for c.peek().Kind == lex.Ident && !c.peek().Is("auto") {
				c.next()
				if c.peek().Is("<") {
					c.angles()
				}
				if !c.accept("::") {
					break
				}
			}
			if c.peek().Is("auto") {
				return begin, c.i
			}
		}
		if c.i == begin {
			c.skip()
		}
	}
}

// abbreviatedReason returns why a parameter that is declared with auto is not understood in an explicit
// specialisation.
func abbreviatedReason(at *lex.Token) *ctype.Reason {
	return reasonf(at, diag.NotUnderstood, "is declared with auto, which an explicit specialisation cannot have (%w)", diag.Do("write its type"))
}

// The examples that stand for the name of a function and of a class template.
const exampleFunction, exampleTemplate = "function", "class_template"

// exampleArguments gives each parameter of the kernel template head an argument for messages. body
// has the kernel's tokens.
func (r resolver) exampleArguments(head *templateHead, body cursor) {
	inner := parameterScope(r.scope)
	for i, hole := range r.holesOf(head) {
		param := head.params[i]
		param.example = r.exampleArgument(param, inner, body)
		inner.declare(param.name, hole.entity())
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
	case *ctype.Struct:
		return strings.ReplaceAll(t.QualifiedName(), ctype.AnonymousNamespace+"::", "") + "{}"
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

// dependent reports whether c names a parameter of a template.
func (r resolver) dependent(c cursor) bool {
	for ; c.more(); c.next() {
		if l := c.peek(); l.Kind == lex.Ident && !c.before().Is("::") {
			e := r.scope.lookup(l.Text)
			if e == nil {
				continue
			}
			if e.bound || e.argument != nil || e.pack != nil || e.dependent || r.dependentAlias(e) {
				return true
			}
		}
	}
	return false
}

// dependentAlias reports whether e is a typedef or alias in a class template that stands for
// something which depends on its parameters.
func (r resolver) dependentAlias(e *entity) bool {
	if _, ok := e.typ.(*ctype.Alias); !ok || e.home == nil || !e.home.class {
		return false
	}
	for _, class := range r.reading {
		for i := class.i; i < class.stop; i++ {
			if class.list[i].At != e.at || class.list[i].Kind != lex.Ident {
				continue
			}
			begin, end := i, i
			for begin > class.i && !class.list[begin].Is(";") && !class.list[begin].Is("{") && !class.list[begin].Is("}") {
				begin--
			}
			for end < class.stop && !class.list[end].Is(";") {
				end++
			}
			for _, l := range class.list[begin:end] {
				if found := r.scope.lookup(l.Text); l.Kind == lex.Ident && found != nil && found != e &&
					(found.bound || found.argument != nil || found.pack != nil) {
					return true
				}
			}
			return false
		}
	}
	return false
}

// spelledDependent reports whether the symbol of an instance of a template may spell the type
// of the parameter c in terms of the template's parameters, as in Traits<float>::type and
// A<(4)+(1)>: Itanium C++ ABI, Mangling: instantiation-dependent types. Member types and
// expressions are spelled so, alias templates stand for what they name. A parameter of type T keeps the
// qualifiers of T there.
func (r resolver) spelledDependent(c cursor) bool {
	if !r.dependent(c) {
		return false
	}
	qualified, plain := false, true
	for ; c.more() && !c.peek().Is("="); c.next() {
		l := c.peek()
		plain = plain && l.Kind == lex.Ident
		switch {
		case l.Is("typename"), l.Is("decltype"), l.Is("sizeof"), l.Is("alignof"), l.Is("::") && c.before().Is(">"):
			return true
		case l.Is("::") && c.before().Kind == lex.Ident && r.dependent(c.piece(c.i-1, c.i)):
			return true
		case l.Is("<") && c.before().Kind == lex.Ident:
			e := r.scope.lookup(c.before().Text)
			if e == nil || e.template == nil || e.template.isAlias {
				return true // qualified names, too
			}
			inside := c
			if list, ok := inside.angles(); ok && (r.computes(list) || r.retypes(e.template, list)) {
				return true
			}
		case l.Is("["):
			inside := c
			if list, ok := inside.group(); ok && list.stop > list.i+1 && r.dependent(list) {
				return true
			}
		case plain:
			e := r.scope.lookup(l.Text)
			qualified = qualified || e != nil && e.typ != nil && (qualifiers(e.typ).Const || qualifiers(e.typ).Volatile)
		}
	}
	return qualified && plain
}

// computes reports whether one of the template arguments in list is an expression of a
// template parameter, and not one alone.
func (r resolver) computes(list cursor) bool {
	for _, one := range splitAngles(list) {
		if !r.dependent(one) || one.stop == one.i+1 {
			continue
		}
		for scan := one; scan.more(); scan.skip() {
			switch l := scan.peek(); {
			case l.Is("<"):
				if _, ok := scan.angles(); ok {
					scan.i--
				}
			case l.Is("("), l.Kind == lex.Number, l.Is("+"), l.Is("-"), l.Is("/"), l.Is("%"), l.Is("=="), l.Is("!="), l.Is("<="), l.Is(">="), l.Is("!"), l.Is("."), l.Is("{"), l.Is("~"), l.Is("?"), l.Is("|"), l.Is("^"):
				return true
			case (l.Is("*") || l.Is("&") || l.Is("&&")) && scan.ahead(1).Kind == lex.Ident && !scan.ahead(1).Is("const") && !scan.ahead(1).Is("volatile"):
				return true
			}
		}
	}
	return false
}

// retypes reports whether one of the arguments in list of t is a value of a template parameter that has another type
// than the parameter of t: symbols say the former.
func (r resolver) retypes(t *template, list cursor) bool {
	params := t.head.params
	for i, one := range splitAngles(list) {
		e := r.scope.lookup(one.peek().Text)
		if len(params) == 0 || one.stop != one.i+1 || e == nil || e.constant == nil || !e.bound {
			continue
		}
		param := params[min(i, len(params)-1)]
		of, reason := r.in(t.scope).valueType(param)
		if reason != nil || !isAuto(of) && of.Demangled() != ctype.Unqualified(e.constant.typ).Demangled() {
			return true
		}
	}
	return false
}
