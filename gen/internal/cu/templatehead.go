package cu

import (
	"cmp"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

// A templateHead is what stands between template < and >.
type templateHead struct {
	params     []*templateParam
	constraint cursor // the requires-clause behind it; empty when there is none
	trailing   cursor // that behind the parameters of a kernel
	empty      bool   // template <>: a specialisation follows
	nested     bool   // more than one: a member of a class template
}

// A templateParam is one parameter of a template.
type templateParam struct {
	name     string
	invented bool // for auto in a parameter of the function: the source has no name for it
	kind     paramKind
	pack     bool
	written  string // the type as written
	typ      cursor // of a value, or the concept of a type; its declarator may hold the name
	fallback cursor // the default argument; empty when there is none
	example  string // an argument for messages; empty when nobody needs one
}

type paramKind uint8

const (
	paramType paramKind = iota
	paramValue
	paramTemplate
)

// label returns how messages call the parameter.
func (t *templateParam) label() string { return cmp.Or(t.sayable(), t.written) }

// sayable returns the name that the source has for the parameter, which may be empty.
func (t *templateParam) sayable() string {
	if t.invented {
		return ""
	}
	return t.name
}

// hasDefault reports whether the parameter has a default argument.
func (t *templateParam) hasDefault() bool { return t.fallback.tokens != nil && t.fallback.more() }

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

// splitAngles cuts the inside of <…> at its commas. Whatever < can have a > is a bracket
// there, in default arguments too: C++ standard, [temp.names].
func splitAngles(c cursor) []cursor { return c.split(func(cursor, bool) bool { return true }) }

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
	name := paramName(declared)
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

// paramName returns the index of the name that the declaration of a template parameter
// has, -1 when it has none.
func paramName(c cursor) int {
	last := c.stop - 1
	for last > c.i && c.list[last].Is("]") && c.match[last] > 0 { // T (&x)[N], T x[]
		last = int(c.match[last]) - 1
	}
	if last <= c.i {
		return -1
	}
	l, before := &c.list[last], &c.list[last-1]
	switch {
	case l.Is(")"):
		// A pointer or reference to a function or array: its name is in the first
		// parentheses. Otherwise it stands before those of the parameters.
		for scan := c; scan.more(); {
			if scan.peek().Is("<") {
				if _, ok := scan.angles(); ok {
					continue
				}
			}
			at := scan.i
			inside, ok := scan.group()
			if !ok {
				scan.next()
				continue
			}
			if inside.stop > inside.i && (inside.list[inside.stop-1].Kind == lex.Ident || inside.list[inside.stop-1].Is(")")) && declares(inside) {
				return paramName(inside.piece(inside.i, inside.stop))
			}
			if at-1 > c.i && c.list[at-1].Kind == lex.Ident && !scalarWords[c.list[at-1].Text] && !c.list[at-2].Is("::") && !declares(inside) {
				return at - 1
			}
			return -1
		}
		return -1
	case l.Kind != lex.Ident, scalarWords[l.Text], before.Is("::"), l.Is("const"), l.Is("volatile"), l.Is("auto"), l.Is("typename"), l.Is("class"):
		return -1
	}
	for i := c.i; i < last; i++ { // const T: the last word is the type
		if w := &c.list[i]; !w.Is("const") && !w.Is("volatile") {
			return last
		}
	}
	return -1
}

// declares reports whether the parentheses around c are those of a declarator, as in
// int (*f)(int).
func declares(c cursor) bool {
	if l := c.peek(); l.Is("*") || l.Is("&") || l.Is("&&") {
		return true
	}
	for c.peek().Kind == lex.Ident && c.ahead(1).Is("::") {
		c.i += 2
	}
	return c.peek().Is("*")
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

// inherit takes over the default arguments of an earlier declaration.
func inherit(head, earlier *templateHead) {
	for i, param := range head.params {
		if i < len(earlier.params) && !param.hasDefault() && earlier.params[i].hasDefault() {
			param.fallback = earlier.params[i].fallback
		}
	}
}

// describe returns the template's parameters as the model has them.
func (h *templateHead) describe() []TemplateParam {
	params := make([]TemplateParam, len(h.params))
	for i, param := range h.params {
		params[i] = TemplateParam{Name: param.sayable(), Type: param.written, Example: param.example, Pack: param.pack}
		if param.hasDefault() {
			params[i].Default = join(param.fallback.list[param.fallback.i:param.fallback.stop])
		}
	}
	return params
}

// nameable reports whether a directive can give every argument by its name.
func (h *templateHead) nameable() bool {
	for _, param := range h.params {
		if param.sayable() == "" && !param.hasDefault() || param.pack {
			return false
		}
	}
	return true
}

// positional returns the parameters in the order of C++, for messages: <T, int, Ts...>.
func (h *templateHead) positional() string {
	var names []string
	for _, param := range h.params {
		name := param.label()
		if param.pack {
			name = strings.TrimSuffix(name, "...") + "..."
		}
		names = append(names, name)
	}
	return "<" + strings.Join(names, ", ") + ">"
}

// String returns the arguments that a directive could give, for messages: T=…,N=…, or the
// positional ones when not all can be named.
func (h *templateHead) String() string {
	if !h.nameable() {
		return h.positional()
	}
	var names []string
	for _, param := range h.params {
		if param.sayable() != "" {
			names = append(names, param.name+"=…")
		}
	}
	return strings.Join(names, ",")
}
