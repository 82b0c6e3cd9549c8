package cu

import (
	"cmp"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// name returns the value of a constant or variable, of a conversion T(x), or of a call.
func (e *evaluator) name() operand {
	at := e.peek()
	if t, ok := e.writtenType(at); ok {
		return e.conversion(at, t)
	}
	if o, ok := e.field(); ok {
		return o
	}
	begin := e.i
	f := e.resolver.name(&e.cursor)
	found := f.entity
	if e.frame != nil && f.plain && found != nil && e.later(f.last.Text, found) {
		e.fail(at, diag.NotUnderstood, f.text+" is declared behind the function that uses it, which is not understood")
	}
	switch {
	case f.last == nil:
		e.unexpected(at)
	case f.reason != nil:
		if f.reason.Failed {
			panic(&constError{at: *at, Message: f.reason.Before(f.text + " is not understood: "), failed: true})
		}
		return e.unlessDead(at, f.reason.Before(f.text+" is not understood: "))
	case found != nil && found.local != nil:
		o := *found.local
		o.place, o.lvalue, o.declared, o.declares = found.local, true, true, found.declares
		return o
	case found != nil && found.constant != nil:
		return constantOperand(found.constant)
	case found != nil && found.typ != nil && (e.peek().Is("(") || e.peek().Is("{")):
		return e.conversion(at, found.typ)
	case found != nil && found.argument != nil && found.argument.IsValue:
		return parameterOperand(found.argument)
	case found != nil && found.function != nil:
		return operand{function: found.function, named: f}
	case found != nil && found.variable != nil:
		o := variableOperand(f.text, found.variable)
		if o.unknown.Text != "" {
			o.unknown = diag.ConstantExpression.Errorf("%s is not an integer constant that is understood (%s)", f.text, found.obscure)
		}
		return o
	case found == nil:
		return e.undeclared(at, begin, f)
	}
	detail := ""
	if found.obscure != "" {
		detail = " (" + found.obscure + ")"
	}
	return e.unlessDead(at, diag.ConstantExpression.Errorf("%s is not an integer constant that is understood%s", f.text, detail))
}

// writtenType reads the type of a conversion that begins with a word of the language, if there is one at the cursor.
func (e *evaluator) writtenType(at *lex.Token) (t ctype.Type, ok bool) {
	var reason *ctype.Reason
	switch {
	case scalarWords[at.Text]:
		end := e.i + 1
		t, reason = e.typeID(&cursor{tokens: e.tokens, i: e.i, stop: end, end: e.end})
		e.next()
	case at.Is("decltype") && !qualifies(e.cursor) || at.Is("typename"):
		s := e.specifiers(&e.cursor, nil)
		t, reason = s.typ, s.reason
	default:
		return nil, false
	}
	if reason != nil {
		e.failReason(at, reason, "a conversion ")
	}
	return t, true
}

// undeclared returns the value of a name that begins at the token begin and that no declaration in sight explains: a field
// of a class, or what the C++ library has.
func (e *evaluator) undeclared(at *lex.Token, begin int, f found) operand {
	if class, field := e.qualifiedField(begin, f.last); field != nil {
		e.demand(at, e.accessible(class, field.Name))
		return fieldOperand(field)
	}
	if t := e.known(f); t != nil && (e.peek().Is("(") || e.peek().Is("{")) {
		return e.conversion(at, t)
	}
	if c := knownConstant(f); c != nil {
		return operand{typ: c.typ, bits: c.value.bits}
	}
	if function := knownFunction(f); function != nil {
		return operand{function: function, named: f}
	}
	why := diag.ExpressionName.Errorf("%s is not a constant that is known here%w", f.text, cmp.Or(e.obscureQualifier(f), e.hint(diag.Message{})))
	if f.failed {
		panic(&constError{at: *at, Message: why, failed: true})
	}
	if e.dead > 0 && e.peek().Is("(") {
		e.risky = true
		e.group()
	}
	return e.unlessDead(at, why)
}

// unlessDead ends the expression with why, unless its value does not matter.
func (e *evaluator) unlessDead(at *lex.Token, why diag.Message) operand {
	if e.dead == 0 {
		e.failWith(at, why)
	}
	return operand{unknown: why}
}

// constantOperand is the name of c.
func constantOperand(c *constant) operand {
	return operand{typ: c.typ, bits: c.value.bits, lvalue: qualifiers(c.typ).Const, declared: true, declares: c.typ}
}

// later reports whether found, which name stands for here, is declared behind the function
// that is called, so that the name may stand for something else there.
func (e *evaluator) later(name string, found *entity) bool {
	order := found.order
	if found.function != nil && len(found.function.overloads) > 0 {
		order = found.function.overloads[0].order // choose looks at the others
	}
	if order <= e.frame.order || found.local != nil || e.frame.order == 0 {
		return false
	}
	for s := e.scope; s != nil; s = s.parent {
		if s.names[name] == found {
			return !s.class && !s.parameters
		}
	}
	return true
}

// field returns the member of a class around the expression that the name at the cursor
// stands for: they hide what is declared outside.
func (e *evaluator) field() (operand, bool) {
	l := e.peek()
	if l.Kind != lex.Ident || e.ahead(1).Is("::") || e.ahead(1).Is("<") {
		return operand{}, false
	}
	for s := e.scope; s != nil; s = s.parent {
		if s.declared(l.Text) != nil {
			return operand{}, false
		}
		if s.of == nil {
			continue
		}
		path, f := e.memberPath(s.of, l.Text, 0)
		if f == nil {
			continue
		}
		e.next()
		if e.frame != nil && e.frame.self != nil && sameType(e.frame.self.typ, s.of) {
			return follow(*e.frame.self, e.frame.self, path, f), true
		}
		return fieldOperand(f), true
	}
	return operand{}, false
}

// qualifiedField returns the field that the qualified name from the index begin to last
// names, and the class before it, or nil if it names none.
func (e *evaluator) qualifiedField(begin int, last *lex.Token) (*ctype.Struct, *ctype.Field) {
	end := e.i - 1
	for end > begin && &e.list[end] != last {
		end--
	}
	if end-1 <= begin || !e.list[end-1].Is("::") {
		return nil, nil
	}
	c := e.piece(begin, end-1)
	f := e.resolver.name(&c)
	if f.entity == nil || f.entity.typ == nil || c.more() {
		return nil, nil
	}
	class, ok := ctype.Unqualified(f.entity.typ).(*ctype.Struct)
	if !ok {
		return nil, nil
	}
	_, field := e.memberPath(class, last.Text, 0)
	return class, field
}

// variableOperand returns what v, called name, stands for.
func variableOperand(name string, v *variable) operand {
	o := operand{typ: v.typ, unknown: diag.ConstantExpression.New(name + " is not an integer constant that is understood (a variable)")}
	if r, ok := ctype.Unqualified(v.typ).(*ctype.Reference); ok {
		o.typ = r.Elem
	}
	if v.value != nil {
		o = *v.value
		o.place, o.typ = nil, v.typ
	}
	o.lvalue, o.declared, o.declares = true, true, v.typ
	return o
}

// fieldOperand returns the field f without an object.
func fieldOperand(f *ctype.Field) operand {
	o := variableOperand(f.Name, &variable{typ: f.Type})
	o.unknown = diag.NotUnderstood.New(f.Name + " is a member, not a constant")
	o.bitField = f.BitField
	return o
}

// memberPath returns the way to the data member called name from an object of class s: the
// index of a base or field in each class on it. The field is nil when there is none.
func (u *unit) memberPath(s *ctype.Struct, name string, depth int) (path []int, f *ctype.Field) {
	if depth > deepestNesting {
		return nil, nil
	}
	u.complete(s)
	for i := range s.Fields {
		field := &s.Fields[i]
		if field.Name == name {
			return []int{len(s.Bases) + i}, field
		}
		if inner, ok := field.Type.(*ctype.Struct); ok && field.Name == "" && !field.BitField {
			if path, f := u.memberPath(inner, name, depth+1); f != nil {
				return append([]int{len(s.Bases) + i}, path...), f
			}
		}
	}
	if m := u.members[s]; m != nil && m.declared(name) != nil {
		return nil, nil
	}
	for i := range s.Bases {
		if s.Bases[i].Type == nil {
			continue
		}
		if path, f := u.memberPath(s.Bases[i].Type, name, depth+1); f != nil {
			return append([]int{i}, path...), f
		}
	}
	return nil, nil
}

// follow returns the member f at path of the object o. place is the variable that o designates, or
// nil.
func follow(o operand, place *operand, path []int, f *ctype.Field) (result operand) {
	found := fieldOperand(f)
	category := func(m *operand) {
		if !isReference(f.Type) {
			m.lvalue, m.xvalue = o.lvalue, !o.lvalue
		}
	}
	category(&found)
	if q := qualifiers(o.typ); !isReference(f.Type) && (q.Const && !f.Mutable || q.Volatile) {
		defer func() {
			result.typ = qualifiedBy(result.typ, ctype.Qualified{Const: q.Const && !f.Mutable, Volatile: q.Volatile})
		}()
	}
	if o.unknown.Text != "" {
		found.unknown = o.unknown
		return found
	}
	at := &o
	if place != nil {
		at = place
	}
	for _, i := range path {
		if i >= len(at.elems) {
			return found
		}
		at = &at.elems[i]
	}
	declares, bitField := found.declares, found.bitField
	found = *at
	category(&found)
	found.declared, found.declares, found.bitField = true, declares, bitField
	if place != nil {
		found.place = at
	}
	return found
}

// member reads the name behind o. or o->.
func (e *evaluator) member(at *lex.Token, o operand) operand {
	if at.Is("->") {
		if o.self == nil {
			e.noFunction(at, []operand{o})
			o = e.pointee(at, o)
		} else {
			o = *o.self
		}
	}
	e.accept("template")
	name := e.peek()
	if o.typ == nil {
		e.fail(at, cmp.Or(o.unknown.Code, diag.NotUnderstood), "a member of what has a type that is not known here"+because(o.unknown))
	}
	if k := e.kindOf(o.typ); k != ofUnknown && k != ofClass && !e.peek().Is("~") {
		e.demand(at, invalid)
	}
	class, ok := ctype.Unqualified(o.typ).(*ctype.Struct)
	if v, vector := ctype.Unqualified(o.typ).(*ctype.Vector); vector && name.Kind == lex.Ident {
		i := strings.Index("xyzw", name.Text)
		if len(name.Text) != 1 || i < 0 || int64(i) >= v.Count {
			e.fail(name, diag.ConstantExpression, "member "+name.Text+" of "+v.String()+" is not understood in a constant expression")
		}
		e.next()
		elem := qualifiedBy(v.Elem, qualifiers(o.typ))
		return operand{typ: elem, unknown: diag.NotUnderstood.New("a component of a vector is not known here"), lvalue: o.lvalue, xvalue: !o.lvalue, declared: true, declares: v.Elem}
	}
	if !ok || name.Kind != lex.Ident {
		e.fail(at, diag.ConstantExpression, "a member of "+o.typ.String()+" is not understood in a constant expression")
	}
	if path, f := e.memberPath(class, name.Text, 0); f != nil {
		e.next()
		e.demand(name, e.accessible(class, name.Text))
		return follow(o, o.place, path, f)
	}
	scope := e.scopeOf(&entity{typ: class})
	if scope == nil {
		e.fail(at, diag.NotUnderstood, "the members of "+class.String()+" are not known here")
	}
	found := scope.within(name.Text)
	if found == nil && lacksMembers(&entity{typ: class}) && !e.ahead(1).Is("::") {
		e.demand(name, invalid)
	}
	if found != nil {
		e.demand(name, e.accessible(class, name.Text))
	}
	switch {
	case found == nil:
	case found.function != nil:
		e.next()
		f := plainName(name, found)
		if e.peek().Is("<") {
			if args, ok := e.angles(); ok {
				f.args, f.angled = args, true
			}
		}
		self := o
		if o.place != nil {
			self = *o.place
			self.place = o.place
		}
		self.lvalue = o.lvalue
		return operand{function: found.function, named: f, self: &self}
	case found.constant != nil:
		e.next()
		return constantOperand(found.constant)
	case found.variable != nil:
		e.next()
		return variableOperand(name.Text, found.variable)
	}
	e.fail(name, diag.ConstantExpression, "member "+name.Text+" of "+class.String()+" is not understood in a constant expression")
	return operand{}
}

// index returns the element of o.
func (e *evaluator) index(at *lex.Token, o, index operand) operand {
	if o.typ == nil {
		e.undefined(at, cmp.Or(o.unknown.Code, diag.NotUnderstood), "an element of what has a type that is not known here"+because(o.unknown))
		return operand{unknown: noType}
	}
	if isInteger(o.typ) && index.typ != nil && isPointer(index.typ) {
		o, index = index, o
	}
	e.demand(at, e.indexValid(o, index))
	array, ok := ctype.Unqualified(o.typ).(*ctype.Array)
	if !ok {
		return e.pointee(at, o)
	}
	index, _ = e.conversionOf(at, index, ctype.Builtin(ctype.Long), false)
	switch {
	case o.unknown.Text != "" && o.elems == nil, index.unknown.Text != "", e.dead > 0:
		elem := operand{typ: array.Elem, unknown: cmp.Or(o.unknown.Code, diag.NotUnderstood).New("the element of an array is not known here" + because(o.unknown)), lvalue: true}
		if qualifiers(o.typ).Const {
			elem.typ = constType(elem.typ)
		}
		return elem
	case !isInteger(index.typ) || index.bits < 0 || index.bits >= int64(len(o.elems)):
		e.fail(at, diag.ConstantExpression, "a constant expression reads beyond an array")
	}
	elem := o.elems[index.bits].rvalue()
	elem.lvalue = true
	if o.place != nil {
		elem.place = &o.place.elems[index.bits]
		elem = *elem.place
		elem.place, elem.lvalue = &o.place.elems[index.bits], true
	}
	if elem.typ == nil {
		elem.typ = array.Elem
	}
	if qualifiers(o.typ).Const {
		elem.typ = constType(elem.typ)
	}
	return elem
}

// pointee returns what o points at.
func (e *evaluator) pointee(at *lex.Token, o operand) operand {
	if o.self != nil {
		return *o.self
	}
	if o.typ == nil {
		e.undefined(at, cmp.Or(o.unknown.Code, diag.NotUnderstood), "what is pointed at has a type that is not known here"+because(o.unknown))
		return operand{unknown: noType}
	}
	e.demand(at, e.pointeeValid(o))
	pointer, ok := ctype.Unqualified(decayed(o.typ)).(*ctype.Pointer)
	if !ok {
		e.fail(at, diag.ConstantExpression, "operator "+at.Text+" of "+o.typ.String()+" is not understood in a constant expression")
	}
	return operand{typ: pointer.Elem, unknown: diag.ConstantExpression.New("what a pointer points at is not an integer constant"), lvalue: true}
}
