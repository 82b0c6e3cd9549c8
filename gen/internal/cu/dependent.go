package cu

import (
	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
)

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
			case l.Is("("), l.Kind == lex.Number, l.Is("+"), l.Is("-"), l.Is("/"), l.Is("%"), l.Is("=="), l.Is("!"), l.Is("~"), l.Is("?"), l.Is("|"), l.Is("^"):
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
