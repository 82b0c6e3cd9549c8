package cu

import (
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// known returns the type that the libraries give to a name that the source does not
// declare, nil when they give it none.
func (r resolver) known(f found) ctype.Type {
	name := strings.TrimPrefix(f.text, "::")
	if f.angled {
		return r.knownTemplate(f)
	}
	bare, std := name, false
	for _, prefix := range []string{"std::", "cuda::std::", "thrust::"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			bare, std = rest, true
		}
	}
	if strings.Contains(bare, "::") {
		return nil
	}
	if !std {
		return ctype.Known(bare)
	}
	if bare == "byte" {
		return ctype.Byte(strings.Split(strings.TrimSuffix(name, "::byte"), "::"))
	}
	if a := ctype.Standard(bare); a != nil && standardNames(bare) {
		a.Name = name
		return a
	}
	return nil
}

// knownTemplate returns the specialisation of a class template of the libraries, nil
// when it is not known.
func (r resolver) knownTemplate(f found) ctype.Type {
	end := strings.IndexByte(f.text, '<')
	name := strings.TrimPrefix(f.text[:end], "::")
	args := r.split(f.args)
	var types []ctype.Type
	for _, one := range args {
		t, reason := r.typeArgument(one)
		if reason != nil {
			break
		}
		types = append(types, t)
	}
	switch {
	case len(types) == 1 && len(args) == 1:
		if l := ctype.Complex(name, types[0]); l != nil {
			return l
		}
		return ctype.Smart(name, types[0])
	case (name == "std::array" || name == "cuda::std::array") && len(types) == 1 && len(args) == 2:
		v, failure := r.evaluate(args[1])
		if n, ok := v.int64(); failure == nil && ok && n > 0 {
			return r.libraryClass(name, []ctype.TemplateArg{{Type: types[0]}, {Type: ctype.Builtin(ctype.UnsignedLong), Value: n, IsValue: true}},
				ctype.Field{Name: arrayMember(name), Type: &ctype.Array{Elem: types[0], Len: n}})
		}
	case (name == "std::pair" || name == "cuda::std::pair") && len(types) == 2 && len(args) == 2:
		return r.libraryClass(name, []ctype.TemplateArg{{Type: types[0]}, {Type: types[1]}},
			ctype.Field{Name: "first", Type: types[0]}, ctype.Field{Name: "second", Type: types[1]})
	}
	return nil
}

// libraryClass returns the class of the C++ library called name with these arguments.
// The standard says which members it has, and that they lie in this order: C++ standard,
// [array.overview], [pairs.pair].
func (u *unit) libraryClass(name string, args []ctype.TemplateArg, fields ...ctype.Field) ctype.Type {
	key := name + ctype.Arguments(args)
	if t := u.library[key]; t != nil {
		return t
	}
	path := strings.Split(name, "::")
	t := &ctype.Struct{Name: path[len(path)-1], Scope: path[:len(path)-1], Args: args, Fields: fields, Complete: true, POD: ctype.PODUnsure}
	for _, f := range fields {
		if reason := u.byValue(f.Type, u.all.peek()); reason != nil && t.Unsupported == nil {
			t.Unsupported = &ctype.Reason{Pos: reason.Pos, Message: reason.Before("its " + f.Name + " ")}
		}
	}
	u.library[key] = t
	return t
}

// constantClasses are what the C++ library says about types that are constants: C++ standard, [meta.help].
const constantClasses = `
template <class T, T v> struct integral_constant {
	static constexpr T value = v;
	typedef T value_type;
	typedef integral_constant type;
	constexpr operator value_type() const noexcept { return value; }
	constexpr value_type operator()() const noexcept { return value; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
`

// constantNames are the names that constantClasses declares.
var constantNames = words("integral_constant bool_constant true_type false_type")

// constantClass returns what the name, which nothing declares, stands for in the C++ library, nil if it is not in
// constantNames.
func (u *unit) constantClass(name string) *entity {
	name = strings.TrimPrefix(name, "::")
	last := strings.LastIndex(name, "::")
	if last < 0 || !constantNames[name[last+2:]] || name[:last] != "std" && name[:last] != "cuda::std" {
		return nil
	}
	s := u.constants[name[:last]]
	if s == nil {
		s = newScope("", nil)
		for _, part := range strings.Split(name[:last], "::") {
			s = newScope(part, s)
		}
		u.constants[name[:last]] = s
		u.readDeclarations(newCursor(newTokens(lex.Words("<type_traits>", constantClasses)), lex.Token{}), s)
	}
	return s.names[name[last+2:]]
}

// standardNames reports whether namespace std has the C library's type name.
func standardNames(name string) bool {
	return strings.HasSuffix(name, "_t") && !strings.HasPrefix(name, "u_") && !strings.HasPrefix(name, "cuda")
}

// knownConstant returns the constant of the C++ library that f names, nil when it names
// none: C++ standard, [span.syn].
func knownConstant(f found) *constant {
	switch strings.TrimPrefix(f.text, "::") {
	case "std::dynamic_extent", "cuda::std::dynamic_extent":
		return &constant{value{bits: -1, wide: true, unsigned: true}, ctype.Builtin(ctype.UnsignedLong)}
	}
	return nil
}

// arrayMember returns the name of the only member of std::array: that of libstdc++, or of
// libcu++.
func arrayMember(name string) string {
	if name == "std::array" {
		return "_M_elems"
	}
	return "__elems_"
}

// ofLibrary reports whether name is one of the C++ libraries, whose headers are not read unless -I
// names their folders.
func ofLibrary(name string) bool {
	name = strings.TrimPrefix(name, "::")
	return strings.HasPrefix(name, "std::") || strings.HasPrefix(name, "cuda::") || strings.HasPrefix(name, "thrust::")
}

// libraryHint is unknownHint for types of the C++ libraries.
var libraryHint = diag.Hint("include its header, which only the compiler reads, and generate to ask it, or leave the kernel out with //cudagen:ignore")

// unknownHint is for types that nothing declares: a directive type cannot help, because it
// needs the layout to verify the Go type.
var unknownHint = diag.Hint("include its header, or leave the kernel out with //cudagen:ignore")

// unknownWord reports whether nothing is known of the name l.
func (r resolver) unknownWord(l *lex.Token) bool {
	return l.Kind == lex.Ident && r.scope.lookup(l.Text) == nil && r.known(found{text: l.Text}) == nil
}

// knownFunction returns a constexpr function of the C++ library, nil for other
// names: C++ standard, [alg.min.max].
func knownFunction(f found) *function {
	name, _, _ := strings.Cut(f.text, "<")
	switch strings.TrimPrefix(strings.TrimPrefix(name, "::"), "cuda::") {
	case "std::max":
		return &function{extreme: "<"}
	case "std::min":
		return &function{extreme: ">"}
	}
	return nil
}

// callLibrary evaluates the call of f, a function of the C++ library.
func (e *evaluator) callLibrary(f *function, name found, args []operand) operand {
	e.explicitType(name, args)
	switch {
	case f.extreme != "":
		return e.extreme(name.last, args, f.extreme)
	case len(args) > 0:
		e.fail(name.last, diag.ConstantExpression, "the value of function "+name.last.Text+" is not known here")
	}
	return *f.result
}

// extreme is std::max, or std::min, of two arguments.
func (e *evaluator) extreme(at *lex.Token, args []operand, operator string) operand {
	if len(args) != 2 || !sameType(args[0].typ, args[1].typ) || !isInteger(args[0].typ) && !isFloat(args[0].typ) {
		e.fail(at, diag.ConstantExpression, "the value of "+at.Text+" is not known here: its arguments are not two numbers of one type")
	}
	compare := *at
	compare.Kind, compare.Text = lex.Punct, operator
	less := e.apply(&compare, args[0], args[1])
	chosen := args[0].rvalue()
	if less.unknown.Text != "" {
		chosen.unknown = less.unknown
	} else if less.isTrue() {
		chosen = args[1].rvalue()
	}
	chosen.lvalue, chosen.place = true, nil
	return chosen
}
