package image

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// withoutUnit returns symbol without what nvcc -rdc=true puts in front of the symbols
// of static kernels and of those in unnamed namespaces: __nv_static_26__TOKEN_, where
// 26 counts an underscore and TOKEN, which stands for the translation unit.
func withoutUnit(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "__nv_static_")
	if !ok {
		return symbol
	}
	digits, rest, _ := strings.Cut(rest, "_")
	length, err := strconv.Atoi(digits)
	if err != nil || length < 0 || length >= len(rest)-1 || rest[length] != '_' {
		return symbol
	}
	return rest[length+1:]
}

// LongestSymbol bounds the work of demangling, as a power of two of bytes.
const LongestSymbol = 16

// demangled returns the qualified C++ name of a symbol, and the types of its
// parameters: empty but not nil for a function without parameters. For a symbol that
// is not mangled, of an extern "C" function, it returns the name and nil. The inline
// namespaces with the versions of C++ libraries are left out, and template arguments that
// are functions have neither types nor parentheses: <&ns::f<4>, float>. Types that the
// demangler gets wrong are empty.
//
// Itanium C++ ABI, External Names (a.k.a. Mangling).
func demangled(symbol string) (name string, paramTypes []string) {
	symbol = withoutUnit(symbol)
	limit := demangle.MaxLength(LongestSymbol)
	ast, err := demangle.ToAST(symbol, limit)
	if err != nil {
		return symbol, nil
	}
	typed, ok := ast.(*demangle.Typed)
	if !ok {
		return symbol, nil // a variable's name, or not C++: no kernel has it
	}
	function, ok := typed.Type.(*demangle.FunctionType)
	if !ok {
		return symbol, nil
	}
	spell := func(ast demangle.AST) string {
		return ctype.WithoutVersions(demangle.ASTToString(plainEntities(ast), limit))
	}
	paramTypes = []string{}
	for _, arg := range function.Args {
		paramTypes = append(paramTypes, ctype.SplitList(spell(arg))...) // a pack is a list
	}
	if misnumbered.MatchString(withoutNames(symbol)) {
		clear(paramTypes)
	}
	return spell(typed.Name), paramTypes
}

// misnumbered matches symbols with a member of a template in an expression, as
// std::enable_if<std::is_integral<T>::value>::type is mangled. Compilers do not count the template among what the rest
// of the symbol may repeat by its number, and the demangler does.
//
// Itanium C++ ABI, Compression.
var misnumbered = regexp.MustCompile(`X[\w#]*sr#[\w#]*I`)

// sourceName matches what has digits in a symbol: literals, what is repeated by its number, arrays, and the lengths of names.
var sourceName = regexp.MustCompile(`L[a-z]n?\d+E|[ST][0-9A-Z]*_|[Av]\d+_|[1-9]\d*[A-Za-z_]`)

// withoutNames returns symbol with # in place of each name.
func withoutNames(symbol string) string {
	var b strings.Builder
	for {
		at := sourceName.FindStringIndex(symbol)
		if at == nil {
			return b.String() + symbol
		}
		b.WriteString(symbol[:at[0]])
		found := symbol[at[0]:at[1]]
		symbol = symbol[at[1]:]
		length, err := strconv.Atoi(found[:len(found)-1])
		if err != nil {
			b.WriteString(found)
			continue
		}
		b.WriteByte('#')
		symbol = symbol[min(length-1, len(symbol)):]
	}
}

// plainEntities returns ast with the functions in template arguments as their names, and
// without the namespaces that nvcc puts names of internal linkage into.
func plainEntities(ast demangle.AST) demangle.AST {
	plain := func(ast demangle.AST) demangle.AST {
		switch ast := ast.(type) {
		case *demangle.Typed:
			if _, ok := ast.Type.(*demangle.FunctionType); ok {
				return ast.Name
			}
		case *demangle.Qualified:
			if scope, ok := ast.Scope.(*demangle.Name); ok && internalNamespace.MatchString(scope.Name) {
				return ast.Name
			}
		case *demangle.ArrayType: // its length is a number, whatever the type of the template parameter that gave it
			if length, ok := argument(ast.Dimension).(*demangle.Literal); ok && !length.Neg && isDecimal(length.Val) {
				return &demangle.ArrayType{Dimension: &demangle.Name{Name: length.Val}, Element: ast.Element}
			}
		case *demangle.InitializerList:
			if list, ok := ast.Exprs.(*demangle.ExprList); ok { // clang leaves out the zeros at the end, nvcc does not
				return &demangle.InitializerList{Type: ast.Type, Exprs: &demangle.ExprList{Exprs: withoutZeros(list.Exprs)}}
			}
		case *demangle.Unary:
			if _, cast := ast.Op.(*demangle.Cast); cast { // clang writes (int const&)(x)
				switch ast.Expr.(type) {
				case *demangle.Name, *demangle.Qualified, *demangle.Template:
					return ast.Expr
				}
			}
			if operator, ok := ast.Op.(*demangle.Operator); ok && operator.Name == "&" && !ast.Suffix {
				return &demangle.Name{Name: "&" + demangle.ASTToString(ast.Expr, demangle.MaxLength(LongestSymbol))}
			}
		}
		return nil
	}
	// Of what symbols share the copy has many, so their number is bounded like the text.
	nodes := 0
	tooMany := func(demangle.AST) bool {
		nodes++
		return nodes > 1<<LongestSymbol
	}
	if changed := ast.Copy(plain, tooMany); changed != nil {
		return changed
	}
	return ast
}

// argument returns what ast stands for if it is a parameter of a template.
func argument(ast demangle.AST) demangle.AST {
	if param, ok := ast.(*demangle.TemplateParam); ok && param.Template != nil && param.Index < len(param.Template.Args) {
		ast = param.Template.Args[param.Index]
	}
	if qualified, ok := ast.(*demangle.TemplateParamQualifiedArg); ok { // of auto
		ast = qualified.Arg
	}
	return ast
}

func isDecimal(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// withoutZeros returns the values in list without the zeros at its end.
func withoutZeros(list []demangle.AST) []demangle.AST {
	for n := len(list); n > 0; n-- {
		zero := false
		switch last := list[n-1].(type) {
		case *demangle.Literal:
			zero = strings.Trim(last.Val, "0") == "" && !last.Neg
		case *demangle.InitializerList:
			elems, ok := last.Exprs.(*demangle.ExprList)
			zero = ok && len(elems.Exprs) == 0
		}
		if !zero {
			return list[:n]
		}
	}
	return nil
}

// internalNamespace matches the namespace that nvcc puts names of internal linkage into when
// they are template arguments: _INTERNAL_42808b65_4_b_cu__Z3addff.
var internalNamespace = regexp.MustCompile(`^_INTERNAL_[0-9a-f]{8}_`)

// withoutDeduced returns the name of a kernel without the template arguments of the functions
// whose addresses are among its own: k<&f> of k<&f<4, float> >.
func withoutDeduced(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] != '&' || i == 0 || name[i-1] != '<' && name[i-1] != ' ' || i+1 == len(name) || !isNameStart(name[i+1]) {
			b.WriteByte(name[i])
			i++
			continue
		}
		begin, depth := -1, 0
		j := i
	function:
		for ; j < len(name); j++ {
			switch name[j] {
			case '<', '(':
				if depth++; depth == 1 {
					begin = j
				}
			case '>', ')':
				if depth == 0 {
					break function
				}
				depth--
			case ',':
				if depth == 0 {
					break function
				}
			case ':':
				if depth == 0 {
					begin = -1 // of a class
				}
			}
		}
		if begin >= 0 && name[begin] == '<' {
			b.WriteString(name[i:begin])
		} else {
			b.WriteString(strings.TrimRight(name[i:j], " "))
		}
		i = j
	}
	return b.String()
}

func isNameStart(c byte) bool {
	return c == '_' || c == '(' || c == ':' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// Name returns the qualified C++ name of a symbol, without parameters, or a symbol that is not
// mangled as it is.
func Name(symbol string) string {
	name, _ := demangled(symbol)
	return name
}
