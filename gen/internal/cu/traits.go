package cu

import (
	"math"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// standardConcepts holds the concepts of <concepts> that a trait decides, by the name of the
// trait: C++ standard, [concepts.lang].
var standardConcepts = map[string]string{
	"same_as": "is_same", "convertible_to": "is_convertible", "integral": "is_integral", "floating_point": "is_floating_point",
}

// A trait is a class template of <type_traits> or <limits>, which the types of
// parameters are computed with. It returns the members of the class with the arguments
// args: C++ standard, [meta], [numeric.limits]. at is its name.
type trait func(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason)

// traits holds them by their names in namespace std.
var traits map[string]trait

func init() {
	// A trait may need others to evaluate its arguments.
	traits = map[string]trait{
		"conditional": conditionalType, "enable_if": enableIf, "void": voidType,
		"type_identity":    typeTrait(func(t ctype.Type) ctype.Type { return t }),
		"remove_const":     typeTrait(func(t ctype.Type) ctype.Type { return without(t, ctype.Qualified{Const: true}) }),
		"remove_volatile":  typeTrait(func(t ctype.Type) ctype.Type { return without(t, ctype.Qualified{Volatile: true}) }),
		"remove_cv":        typeTrait(removeCV),
		"remove_reference": typeTrait(removeReference),
		"remove_cvref":     typeTrait(func(t ctype.Type) ctype.Type { return removeCV(removeReference(t)) }),
		"remove_pointer":   typeTrait(removePointer),
		"add_const":        typeTrait(addConst),
		"add_pointer":      typeTrait(func(t ctype.Type) ctype.Type { return &ctype.Pointer{Elem: removeReference(t)} }),
		"make_signed":      typeTrait(func(t ctype.Type) ctype.Type { return withSign(t, false) }),
		"make_unsigned":    typeTrait(func(t ctype.Type) ctype.Type { return withSign(t, true) }),
		"underlying_type":  typeTrait(underlying),

		"is_same":           isSame,
		"is_convertible":    isConvertible,
		"is_const":          truth(func(t ctype.Type) bool { return qualifiers(t).Const }),
		"is_void":           truth(isKind(func(b *ctype.Basic) bool { return b.Kind == ctype.Void })),
		"is_integral":       truth(isKind((*ctype.Basic).Integer)),
		"is_floating_point": truth(isKind(floating)),
		"is_arithmetic":     truth(isKind(arithmetic)),
		"is_pointer":        truth(func(t ctype.Type) bool { _, ok := ctype.Unqualified(t).(*ctype.Pointer); return ok }),
		"is_enum":           truth(func(t ctype.Type) bool { _, ok := ctype.Unqualified(t).(*ctype.Enum); return ok }),

		"is_signed":    truth(isKind(func(b *ctype.Basic) bool { return arithmetic(b) && !b.Unsigned })),
		"is_unsigned":  truth(isKind(func(b *ctype.Basic) bool { return b.Integer() && b.Unsigned })),
		"is_reference": truth(isReference),
		"is_array":     truth(isArrayType),

		"numeric_limits": numericLimits,
	}
}

// standard returns what a template-id of namespace std stands for, whose name without
// arguments is name: an alias or a variable, as conditional_t or is_same_v, or a class
// that has members. It returns nil when name is not in the table. qualifies says that a
// member is named behind it, and not the class itself.
func (r resolver) standard(name string, list cursor, at *lex.Token, qualifies bool) (*entity, *ctype.Reason) {
	name = strings.TrimPrefix(name, "::")
	bare, ok := strings.CutPrefix(strings.TrimPrefix(name, "cuda::"), "std::")
	if !ok || r.matched > 0 {
		return nil, nil
	}
	if class := standardConcepts[bare]; class != "" {
		bare = class + "_v"
	}
	class, alias := strings.CutSuffix(bare, "_t")
	class, variable := strings.CutSuffix(class, "_v")
	f := traits[class]
	if f == nil {
		return nil, nil
	}
	if r.work.tooManyInstances() {
		return nil, reasonf(at, diag.Template, "too many templates are instantiated")
	}
	members, reason := f(r, r.split(list), at)
	switch {
	case reason != nil:
		return nil, reason
	case alias:
		return members.names["type"], nil
	case variable:
		return members.names["value"], nil
	}
	t := &ctype.Struct{Name: class, Scope: strings.Split(strings.TrimSuffix(name, "::"+bare), "::"), Unsupported: reasonf(at, diag.NotUnderstood, "it is a class of the C++ library without a layout")}
	if !qualifies {
		if t.Args, reason = r.traitArguments(class, r.split(list), at); reason != nil {
			return nil, reason
		}
		key := t.QualifiedName()
		if known := r.library[key]; known != nil {
			return &entity{typ: known, at: at.At}, nil
		}
		r.library[key] = t
	}
	r.members[t] = members
	return &entity{typ: t, at: at.At}, nil
}

// traitArguments returns the arguments of a class of the table, which tell one from another. Those that are values
// are bool.
func (r resolver) traitArguments(class string, list []cursor, at *lex.Token) (args []ctype.TemplateArg, reason *ctype.Reason) {
	for _, one := range list {
		t, refused := r.typeArgument(one)
		if refused == nil {
			args = append(args, ctype.TemplateArg{Type: t})
			continue
		}
		t = ctype.Builtin(ctype.Bool)
		v, failure := r.evaluate(one)
		v, ok := convert(v, t)
		if failure != nil || !ok {
			return nil, reasonf(at, diag.NotUnderstood, "an argument of %s is not understood", at.Text)
		}
		args = append(args, ctype.TemplateArg{Type: ctype.Unqualified(t), Value: v.bits, IsValue: true})
	}
	if class == "enable_if" && len(args) == 1 {
		args = append(args, ctype.TemplateArg{Type: ctype.Builtin(ctype.Void)})
	}
	return args, nil
}

// typeMember returns a scope with the member type.
func typeMember(t ctype.Type, at *lex.Token) *scope {
	s := &scope{class: true}
	s.declare("type", &entity{typ: t, at: at.At})
	return s
}

// conditionalType is std::conditional<B, X, Y>. The type that is not chosen does not count.
func conditionalType(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	if len(args) != 3 {
		return nil, reasonf(at, diag.NotUnderstood, "%s has %d arguments, not 3", at.Text, len(args))
	}
	holds, failure := r.evaluate(args[0])
	if failure != nil {
		return nil, reasonf(&failure.at, failure.Code, "%s is not understood: %w", at.Text, failure)
	}
	chosen := args[1]
	if holds.bits == 0 {
		chosen = args[2]
	}
	t, reason := r.typeArgument(chosen)
	if reason != nil {
		return nil, reason
	}
	return typeMember(t, at), nil
}

// voidType is std::void_t<…>, which is void if its arguments are types.
func voidType(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	list, reason := r.expandAll(args)
	if reason != nil {
		return nil, reason
	}
	for _, one := range list {
		if _, reason := r.in(one.scope).typeArgument(one.cursor); reason != nil {
			return nil, reason
		}
	}
	return typeMember(ctype.Builtin(ctype.Void), at), nil
}

// enableIf is std::enable_if<B, T>.
func enableIf(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	if len(args) != 1 && len(args) != 2 {
		return nil, reasonf(at, diag.NotUnderstood, "%s has %d arguments, not 1 or 2", at.Text, len(args))
	}
	holds, failure := r.evaluate(args[0])
	switch {
	case failure != nil:
		return nil, reasonf(&failure.at, failure.Code, "%s is not understood: %w", at.Text, failure)
	case holds.bits == 0:
		reason := reasonf(at, diag.NotUnderstood, "the condition of %s does not hold", at.Text)
		reason.Failed = true
		return nil, reason
	case len(args) == 1:
		return typeMember(ctype.Builtin(ctype.Void), at), nil
	}
	t, reason := r.typeArgument(args[1])
	if reason != nil {
		return nil, reason
	}
	return typeMember(t, at), nil
}

// typeTrait returns the trait that makes one type of another; change returns nil for a
// type that it does not take.
func typeTrait(change func(ctype.Type) ctype.Type) trait {
	return func(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
		t, reason := r.onlyType(args, at)
		if reason != nil {
			return nil, reason
		}
		changed := change(t)
		if changed == nil {
			return nil, reasonf(at, diag.NotUnderstood, "%s of %s is not understood", at.Text, t)
		}
		return typeMember(changed, at), nil
	}
}

// onlyType reads the single argument of a trait.
func (r resolver) onlyType(args []cursor, at *lex.Token) (ctype.Type, *ctype.Reason) {
	if len(args) != 1 {
		return nil, reasonf(at, diag.NotUnderstood, "%s has %d arguments, not 1", at.Text, len(args))
	}
	return r.typeArgument(args[0])
}

// truthMember returns a scope with the static member value.
func truthMember(holds bool, at *lex.Token) *scope {
	s := &scope{class: true}
	s.declare("value", &entity{constant: &constant{truthValue(holds), ctype.Builtin(ctype.Bool)}, at: at.At})
	return s
}

// truth returns the trait that says whether a type has a property.
func truth(holds func(ctype.Type) bool) trait {
	return func(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
		t, reason := r.onlyType(args, at)
		if reason != nil {
			return nil, reason
		}
		return truthMember(holds(t), at), nil
	}
}

// isSame is std::is_same<A, B>.
func isSame(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	if len(args) != 2 {
		return nil, reasonf(at, diag.NotUnderstood, "%s has %d arguments, not 2", at.Text, len(args))
	}
	a, reason := r.typeArgument(args[0])
	if reason != nil {
		return nil, reason
	}
	b, reason := r.typeArgument(args[1])
	if reason != nil {
		return nil, reason
	}
	return truthMember(a.Demangled() == b.Demangled(), at), nil
}

// numericLimits is std::numeric_limits<T> of an integer type, or of float or double.
func numericLimits(r resolver, args []cursor, at *lex.Token) (*scope, *ctype.Reason) {
	t, reason := r.onlyType(args, at)
	if reason != nil {
		return nil, reason
	}
	basic, ok := ctype.Unqualified(t).(*ctype.Basic)
	s := newScope("", r.scope.root())
	s.class = true
	function := func(name string, o operand) {
		o.typ = basic
		s.declare(name, &entity{function: &function{result: &o}, at: at.At})
	}
	number := func(name string, kind ctype.Kind, n int64) {
		s.declare(name, &entity{constant: &constant{integer(kind, n).value(), constType(ctype.Builtin(kind))}, at: at.At})
	}
	switch {
	case ok && isFloat(basic):
		largest, epsilon, least := extremes(basic)
		function("max", operand{float: largest})
		function("lowest", operand{float: -largest})
		function("min", operand{float: least})
		function("epsilon", operand{float: epsilon})
	case ok && isInteger(basic):
		bits := 8 * basic.Size
		if basic.Kind == ctype.Bool {
			bits = 1
		}
		low, high := int64(0), int64(-1)
		if !basic.Unsigned {
			bits--
			low, high = math.MinInt64>>(63-bits), math.MaxInt64>>(63-bits)
		} else if bits < 64 {
			high = 1<<bits - 1
		}
		function("max", operand{bits: high})
		function("min", operand{bits: low})
		function("lowest", operand{bits: low})
		number("digits", ctype.Int, bits)
	default:
		return nil, reasonf(at, diag.NotUnderstood, "%s of %s is not understood", at.Text, t)
	}
	number("is_integer", ctype.Bool, truthValue(isInteger(basic)).bits)
	number("is_signed", ctype.Bool, truthValue(!basic.Unsigned).bits)
	number("is_specialized", ctype.Bool, 1)
	return s, nil
}
