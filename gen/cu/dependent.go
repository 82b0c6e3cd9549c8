package cu

import "github.com/cudagen/cudagen/gen/ctype"

// dependent reports whether c names a parameter of a template.
func (p *parser) dependent(c cursor) bool {
	for ; c.more(); c.next() {
		if l := c.peek(); l.kind == tokIdent && !c.before().is("::") {
			e := p.scope.lookup(l.text)
			if e == nil {
				continue
			}
			if e.bound || e.argument != nil || e.pack != nil || p.dependentAlias(e) {
				return true
			}
		}
	}
	return false
}

// dependentAlias reports whether e is a typedef or alias in a class template that stands for
// something which depends on its parameters.
func (p *parser) dependentAlias(e *entity) bool {
	if _, ok := e.typ.(*ctype.Alias); !ok || e.home == nil || !e.home.class {
		return false
	}
	for _, class := range p.reading {
		for i := class.i; i < class.stop; i++ {
			if class.list[i].at != e.at || class.list[i].kind != tokIdent {
				continue
			}
			begin, end := i, i
			for begin > class.i && !class.list[begin].is(";") && !class.list[begin].is("{") && !class.list[begin].is("}") {
				begin--
			}
			for end < class.stop && !class.list[end].is(";") {
				end++
			}
			for _, l := range class.list[begin:end] {
				if found := p.scope.lookup(l.text); l.kind == tokIdent && found != nil && found != e &&
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
// expressions are spelled so, alias templates stand for what they name.
func (p *parser) spelledDependent(c cursor) bool {
	if !p.dependent(c) {
		return false
	}
	for ; c.more() && !c.peek().is("="); c.next() {
		switch l := c.peek(); {
		case l.is("typename"), l.is("decltype"), l.is("sizeof"), l.is("alignof"), l.is("::") && c.before().is(">"):
			return true
		case l.is("::") && c.before().kind == tokIdent && p.dependent(c.piece(c.i-1, c.i)):
			return true
		case l.is("<") && c.before().kind == tokIdent:
			if e := p.scope.lookup(c.before().text); e == nil || e.template == nil || e.template.isAlias {
				return true // qualified names, too
			}
			inside := c
			if list, ok := inside.angles(); ok && p.computes(list) {
				return true
			}
		case l.is("["):
			inside := c
			if list, ok := inside.group(); ok && list.stop > list.i+1 && p.dependent(list) {
				return true
			}
		}
	}
	return false
}

// computes reports whether one of the template arguments in list is an expression of a
// template parameter, and not one alone.
func (p *parser) computes(list cursor) bool {
	for _, one := range splitAngles(list) {
		if !p.dependent(one) || one.stop == one.i+1 {
			continue
		}
		for scan := one; scan.more(); scan.skip() {
			switch l := scan.peek(); {
			case l.is("<"):
				if _, ok := scan.angles(); ok {
					scan.i--
				}
			case l.is("("), l.kind == tokNumber, l.is("+"), l.is("-"), l.is("/"), l.is("%"), l.is("=="), l.is("!"), l.is("~"), l.is("?"), l.is("|"), l.is("^"):
				return true
			case (l.is("*") || l.is("&") || l.is("&&")) && scan.ahead(1).kind == tokIdent && !scan.ahead(1).is("const") && !scan.ahead(1).is("volatile"):
				return true
			}
		}
	}
	return false
}
