package compare

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// leaf returns the class, enumeration or builtin type at the end of a type as demanglers
// spell it: "phys::Vec" of "phys::Vec const* const&". Of pointers to functions and arrays
// it returns "".
func leaf(demangled string) string {
	for {
		rest := demangled
		for _, suffix := range []string{"*", "&", " const", " volatile", " restrict"} {
			rest = strings.TrimSuffix(rest, suffix)
		}
		if rest == demangled {
			break
		}
		demangled = rest
	}
	if strings.HasSuffix(demangled, ")") || strings.HasSuffix(demangled, "]") {
		return ""
	}
	return demangled
}

// split returns the parts of a qualified name: of "a::B<c::D>::E" they are a, B<c::D> and
// E. It returns nil when the brackets in it do not match.
func split(qualified string) (parts []string) {
	depth, begin := 0, 0
	for i := 0; i < len(qualified); i++ {
		switch qualified[i] {
		case '<', '(', '{', '[':
			depth++
		case '>', ')', '}', ']':
			if depth--; depth < 0 {
				return nil
			}
		case ':':
			if depth == 0 && strings.HasPrefix(qualified[i:], "::") {
				parts = append(parts, qualified[begin:i])
				begin = i + 2
				i++
			}
		}
	}
	if depth != 0 {
		return nil
	}
	return append(parts, qualified[begin:])
}

// baseSubobject begins the name that nvcc gives to a class as a base, where that has another size: in
// its tail lie members of the derived class. The mangled name follows.
const baseSubobject = "__SO__"

// statedName returns the namespaces and the name that the debug information has of a class or
// enumeration. nvcc mangles those of enumerations, that of CUDA 12 those of classes, too. Of
// an unnamed one statedName returns nothing: compilers make up __C10, or mangle something that
// is not a name.
func statedName(t *witness.Type) (scope []string, name string) {
	if digits, made := strings.CutPrefix(t.Name, "__C"); t.Name == "" || made && strings.Trim(digits, "0123456789") == "" {
		return nil, ""
	}
	symbol := t.Name
	if rest, ok := strings.CutPrefix(symbol, baseSubobject); ok {
		symbol = "_Z" + rest
	}
	if ast, err := demangle.ToAST(symbol, demangle.MaxLength(image.LongestSymbol)); err == nil && strings.HasPrefix(symbol, "_Z") {
		parts := split(ctype.WithoutVersions(demangle.ASTToString(ast)))
		if len(parts) == 0 || !isName(parts[len(parts)-1]) {
			return nil, ""
		}
		return parts[:len(parts)-1], parts[len(parts)-1]
	}
	for _, outer := range t.Scope {
		if outer == "" {
			outer = ctype.AnonymousNamespace
		}
		scope = append(scope, outer)
	}
	return scope, t.Name
}

// withoutArguments returns the name of a class without template arguments, which
// compilers spell in several ways.
func withoutArguments(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name
}

// known returns the class of CUDA that a name at file scope stands for, or nil.
func known(scope []string, name string) ctype.Type {
	if len(scope) > 0 {
		return nil
	}
	switch t := ctype.Known(name).(type) {
	case *ctype.Vector:
		return t
	case *ctype.Library:
		return t
	}
	return nil
}

// Bytes reports whether the class at the end of t, which a compiler told, is bytes in Go.
func Bytes(t ctype.Type) bool {
	class, ok := end(t).(*ctype.Library)
	return ok && known(nil, class.Name) == nil && ctype.Complex(withoutArguments(class.Name), ctype.Builtin(ctype.Float)) == nil
}

// isName reports whether a part of a qualified name is one of the source, and not made by a
// demangler: {unnamed type#1}, 'lambda'.
func isName(part string) bool { return part != "" && !strings.ContainsAny(part, "{}'$#") }
