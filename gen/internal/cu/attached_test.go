package cu_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
)

// declared returns what the declarations with directives above them declare, as words, and how
// many directives belong to none of these, nor to a kernel or variable.
func declared(file *cu.File) (words []string, stray int) {
	attached := make(map[cu.Directive]bool)
	for _, d := range file.Declarations {
		for _, t := range d.Types {
			name := ""
			switch t := t.(type) {
			case *ctype.Struct:
				name = "struct " + t.QualifiedName()
			case *ctype.Enum:
				name = "enum " + t.QualifiedName()
			}
			words = append(words, name)
		}
		words = append(words, d.Constants...)
		for _, one := range d.Directives {
			attached[one] = len(d.Types)+len(d.Constants) > 0
		}
	}
	for _, d := range file.Directives {
		if !attached[d] {
			stray++
		}
	}
	return words, stray
}

// A directive belongs to the declaration that it stands directly above, wherever in that the name
// stands, and to no other.
func TestDirectivesBelongToDeclarations(t *testing.T) {
	const d = "//cudagen:export\n"
	for name, test := range map[string]struct {
		source string
		want   string // in its order, with blanks between
		stray  int
	}{
		"struct":                      {d + "struct S { int a; };", "struct S", 0},
		"comment between":             {d + "// Words.\n/* More\n words. */\nstruct S { int a; };", "struct S", 0},
		"two directives":              {"//cudagen:export\n//cudagen:type X=y.Z\nstruct S { int a; };", "struct S", 0},
		"blank line between":          {d + "\nstruct S { int a; };", "", 1},
		"line with code between":      {d + ";\nstruct S { int a; };", "", 1},
		"behind code":                 {"int x; //cudagen:export\nstruct S { int a; };", "", 1},
		"name in another line":        {d + "struct\n  S\n{ int a; };", "struct S", 0},
		"attribute in a line":         {d + "struct\n__align__(16)\nS { int a; };", "struct S", 0},
		"alignas in a line":           {d + "class alignas(16)\n S { int a; };", "struct S", 0},
		"typedef":                     {d + "typedef struct {\n int a;\n} S;", "struct S", 0},
		"typedef of another":          {"struct S { int a; };\n" + d + "typedef S T;", "struct S", 0},
		"alias of another":            {"namespace n { struct S { int a; }; }\n" + d + "using T = n::S;", "struct n::S", 0},
		"alias of an instance":        {"template<class T> struct V { T x; };\n" + d + "using Vf = V<float>;", "struct V<float>", 0},
		"class of a template":         {"template<class T> struct V { T x; };\n" + d + "template struct V<int>;", "struct V<int>", 0},
		"using-declaration":           {"namespace n { enum E { A }; }\n" + d + "using n::E;", "enum n::E", 0},
		"using a constant":            {"namespace n { const int A = 3; }\n" + d + "using n::A;", "n::A", 0},
		"declared again":              {"namespace n { struct S { int a; }; }\nnamespace n {\n" + d + "struct S;\n}", "struct n::S", 0},
		"enum":                        {d + "enum\nE : short { A, B };", "enum E", 0},
		"scoped enum":                 {d + "enum class\nE { A, B };", "enum E", 0},
		"enum of a typedef":           {d + "typedef enum { A, B }\nE;", "enum E", 0},
		"two types":                   {d + "typedef struct S { int a; } T;", "struct S", 0},
		"struct and variable":         {d + "struct S { int a; } s;", "struct S", 0},
		"in a namespace":              {"namespace a {\nnamespace {\n" + d + "struct S { int a; };\n} }", "struct a::(anonymous namespace)::S", 0},
		"above a namespace":           {d + "namespace a { struct S { int a; }; }", "", 1},
		"above extern C":              {d + "extern \"C\" { struct S { int a; }; }", "", 1},
		"in extern C":                 {"extern \"C\" {\n" + d + "struct S { int a; };\n}", "struct S", 0},
		"in a class":                  {"struct O {\n" + d + "enum E { A };\n" + d + "static constexpr int n = 4;\n};", "enum O::E O::n", 0},
		"above a field":               {"struct O {\n" + d + "int a;\n};", "", 1},
		"class with classes":          {d + "struct O { struct I { int a; }; enum { A = 1 }; static const int n = 2; I i; };", "struct O", 0},
		"in a function":               {"void f() {\n" + d + "struct S { int a; };\n}", "", 1},
		"in a template":               {"template<class T> struct V {\n" + d + "enum E { A };\n T x; };\nV<int> v;", "", 1},
		"above a template":            {d + "template<class T> struct V { T x; };\nV<int> v;", "", 1},
		"above a function":            {d + "int f(int a);", "", 1},
		"constant":                    {d + "const int\n N = 4;", "N", 0},
		"constant with braces":        {d + "constexpr unsigned N{4};", "N", 0},
		"constant in parentheses":     {d + "constexpr unsigned N(4);", "N", 0},
		"constant of another's size":  {d + "static constexpr auto\nN = sizeof(int) * 2;", "N", 0},
		"two constants":               {d + "const int N = 4, M = 5;", "N M", 0},
		"constant and array":          {d + "const int N = 4, a[2] = {1, 2};", "N", 0},
		"constant with commas":        {d + "template<int A, int B> struct M { enum { v = A }; };\n" + d + "const int N = M<3, 4>::v;", "N", 1},
		"no constant":                 {d + "int N = 4;", "", 1},
		"float":                       {d + "const float N = 4;", "", 1},
		"by a macro":                  {"#define DECLARE(n) struct n { int a; }\n" + d + "DECLARE(S);", "struct S", 0},
		"constant by a macro":         {"#define K(n, v) constexpr int n = v\n" + d + "K(N, 3);", "N", 0},
		"macro":                       {d + "#define N 4", "N", 0},
		"macro with blanks":           {d + "  #  define\tN (1 << 3)", "N", 0},
		"macro in several lines":      {d + "#define N \\\n  4", "N", 0},
		"macro and comment":           {d + "// Words.\n#define N 4 // four\nint x;", "N", 0},
		"macro that is none":          {d + "#define N f(4)", "", 1},
		"macro with parameters":       {d + "#define N(x) 4", "", 1},
		"macro that is undefined":     {d + "#define N 4\n#undef N", "", 1},
		"macro that another replaces": {d + "#define N 4\n#undef N\n#define N 5", "", 1},
		"last of two macros":          {"#define N 4\n#undef N\n" + d + "#define N 5", "N", 0},
		"above another line":          {d + "#undef N\n#define N 5", "", 1},
		"above a condition":           {d + "#if 1\nstruct S { int a; };\n#endif", "", 1},
		"in a condition":              {"#if 1\n" + d + "struct S { int a; };\n#else\n" + d + "struct T { int a; };\n#endif", "struct S", 0},
		"above an include":            {d + "#include \"h.h\"\nstruct S { int a; };", "", 1},
		"in an included file":         {"#include \"h.h\"\n", "", 0},
		"line marker":                 {"#line 70 \"other.y\"\n" + d + "struct S { int a; };", "struct S", 0},
		"line marker between":         {d + "#line 3\nstruct S { int a; };", "", 1},
		"line marker that goes back":  {"struct A { int a; };\n#line 1\n" + d + "struct S { int a; };", "struct S", 0},
		"at the end":                  {"struct S { int a; };\n" + d, "", 1},
		"friend":                      {"struct O {\n" + d + "friend struct S;\nint x; };", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			config := cu.Config{Read: func(path string) ([]byte, error) {
				if path == "h.h" {
					return []byte(d + "struct H { int a; };\n" + d + "#define H_N 4\n"), nil
				}
				return nil, fs.ErrNotExist
			}}
			file, err := config.ParseFile("k.cu", []byte(test.source))
			require.NoError(t, err)
			words, stray := declared(file)
			assert.Equal(t, test.want, strings.Join(words, " "))
			for _, below := range file.Declarations {
				for _, one := range below.Types {
					if s, ok := one.(*ctype.Struct); ok {
						assert.True(t, s.Complete)
					}
				}
			}
			assert.Equal(t, test.stray, stray, "directives that belong to nothing")
		})
	}
}

// A { behind the type of a conversion belongs to the width of a bit-field, and any other begins its
// initializer.
func TestBitFieldWidths(t *testing.T) {
	file := parseWith(t, `typedef int I;
struct S { unsigned a : decltype(3){3}; int b : I{4}, c : (2) {1}, d : int(5), e : 6 {2}, f : decltype(3)(7) {1}; };
__global__ void k(S s) {}`, "")
	require.Len(t, file.Structs, 1)
	var widths []int64
	for _, f := range file.Structs[0].Fields {
		widths = append(widths, int64(f.Bits))
	}
	assert.Nil(t, file.Structs[0].Unsupported)
	assert.Equal(t, []int64{3, 4, 2, 5, 6, 7}, widths)
}
