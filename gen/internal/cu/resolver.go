package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A resolver says what names, types, template arguments and constant expressions mean in one scope of a
// unit: C++ standard, [basic.lookup], [dcl.type], [temp.arg].
type resolver struct {
	*unit
	scope *scope
}

// in returns a resolver of u in s.
func (u *unit) in(s *scope) resolver { return resolver{u, s} }

// split cuts c at the commas that are in no brackets. Behind an = only the < of a template is one.
func (r resolver) split(c cursor) []cursor {
	return c.split(func(c cursor, initializer bool) bool {
		return !initializer || r.namesTemplate(c.before()) || ofStandard(&c)
	})
}

// namesTemplate reports whether l is the name of a template, or of a cast.
func (r resolver) namesTemplate(l *lex.Token) bool {
	if e := r.scope.lookup(l.Text); e != nil {
		return e.template != nil || e.function != nil || e.concept != nil
	}
	switch l.Text {
	case "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast":
		return true
	}
	return false
}

// ofStandard reports whether a name of namespace std stands before c: nothing but templates of it stands before a <.
func ofStandard(c *cursor) bool {
	i := c.i - 1
	for i >= 2 && c.list[i].Kind == lex.Ident && c.list[i-1].Is("::") {
		i -= 2
	}
	return i >= 0 && i < c.i-1 && c.list[i].Is("std")
}

// endOfInitializer returns the index of the comma or semicolon that ends an initializer,
// and moves c there.
func (r resolver) endOfInitializer(c *cursor) int {
	for c.more() && !c.peek().Is(",") && !c.peek().Is(";") {
		if c.peek().Is("<") && c.before().Kind == lex.Ident && (r.namesTemplate(c.before()) || ofStandard(c)) {
			if _, ok := c.angles(); ok {
				continue
			}
		}
		c.skip()
	}
	return c.i
}

// obscure notes that name is of a kind that is not understood.
func (r resolver) obscure(name *lex.Token, what string) {
	r.scope.declare(name.Text, &entity{obscure: shortened(what, longestObscure), at: name.At})
}

// declareParameter declares the parameter that c reads, of the adjusted type t, which may be
// nil. Its type as declared is not known where the parameter itself is const.
func (r resolver) declareParameter(c cursor, name string, t ctype.Type) {
	if name == "" {
		return
	}
	r.scope.declare(name, parameterEntity(c, t))
}

// obscureQualifier returns what a message about f, which is not known, adds when its first qualifier
// is something that is not understood here, or is known only in an instance.
func (r resolver) obscureQualifier(f found) diag.Message {
	first, _, qualified := strings.Cut(f.text, "::")
	if !qualified || first == "" {
		return diag.Message{}
	}
	if e := r.scope.lookup(first); e != nil && e.obscure != "" {
		return diag.Message{Text: " (" + first + " is " + e.obscure + ")"}
	}
	return diag.Message{}
}
