package image

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
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

// versionNamespace matches the inline namespaces that hold the version of CUDA's C++
// libraries: thrust::THRUST_300001_SM_750_NS::, cub::CUB_300001_SM_750::,
// cuda::std::__4::. Source does not name them.
var versionNamespace = regexp.MustCompile(`\b((?:thrust|cub)::)(?:THRUST|CUB)_[0-9]+\w*::|\b(cuda::(?:std::)?)__[0-9]+::`)

// withoutVersion returns a demangled name or type as source spells it.
func withoutVersion(name string) string {
	return versionNamespace.ReplaceAllString(name, "$1$2")
}

// longestSymbol bounds the work of demangling, as a power of two of bytes.
const longestSymbol = 16

// demangled returns the qualified C++ name of a symbol, and the types of its
// parameters: empty but not nil for a function without parameters. For a symbol that
// is not mangled, of an extern "C" function, it returns the name and nil. The inline
// namespaces with the versions of CUDA's C++ libraries are left out.
//
// Itanium C++ ABI, External Names (a.k.a. Mangling).
func demangled(symbol string) (name string, paramTypes []string) {
	symbol = withoutUnit(symbol)
	limit := demangle.MaxLength(longestSymbol)
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
	paramTypes = []string{}
	for _, arg := range function.Args {
		paramTypes = append(paramTypes, withoutVersion(demangle.ASTToString(arg, limit)))
	}
	return withoutVersion(demangle.ASTToString(typed.Name, limit)), paramTypes
}
