package cu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Macros on which what is read depends, and which compilers may have otherwise.
func TestEnvironment(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"ifdef", "#ifdef __GLIBC__\n#endif", "__GLIBC__"},
		{"ifndef", "#define A\n#ifndef NULL\n#endif", "NULL"},
		{"defined", "#if 1 && defined(NAN)\n#endif", "NAN"},
		{"elif", "#if 0\n#elif __OPTIMIZE__\n#endif", "__OPTIMIZE__"},
		{"predefined", "#if __GNUC__ > 12\n#endif", "__GNUC__"},
		{"tested and predefined", "#ifdef __x86_64__\n#endif", "__x86_64__"},
		{"in a macro", "#define NEW (__GNUC__ > 12)\n#if NEW\n#endif", "__GNUC__"},
		{"in a declaration", "struct S { int a[__GNUC__]; };", "__GNUC__"},
		{"with arguments", "#if HAS(4)\n#endif", "HAS"},
		{"attribute", "#if __has_cpp_attribute(no_unique_address)\n#endif", "__has_cpp_attribute"},
		{"header of the system", "#if __has_include(<zlib.h>)\n#endif", "__has_include"},
		{"depth of includes", "#if __INCLUDE_LEVEL__\n#endif", "__INCLUDE_LEVEL__"},
		{"default value", "#include \"default.h\"", "SIDE"},
		{"whole file", "#include \"whole.h\"", "__GLIBC__"},
		{"text behind a guard", "#include \"behind.h\"", "BEHIND"},
		{"limit without its header", "#ifdef INT_MAX\n#endif", "INT_MAX"},

		{"a header that may define it again", "#define X 4\n#include <limits.h>\nstruct S { int a[X]; };", "X"},
		{"tested behind a header", "#define X 4\n#include \"none.h\"\n#if X > 3\n#endif", "X"},
		{"command line, behind a header", "#include <limits.h>\n#if SET == 2\n#endif", "SET"},

		{"defined behind the header", "#include <limits.h>\n#define X 4\nstruct S { int a[X]; };", ""},
		{"guard around a header", "#include \"around.h\"\n#include \"around.h\"", ""},
		{"nothing", "struct S { int a; };", ""},
		{"same with all compilers", "#if __CUDA_ARCH__ >= 700 && defined(__CUDACC__) && __cplusplus && !defined(__CUDACC_RTC__)\n#endif", ""},
		{"own", "#define X 1\n#ifdef X\n#elif X > 2\n#endif", ""},
		{"command line", "#if SET == 2\n#endif", ""},
		{"include guard", "#include \"guarded.h\"\n#include \"guarded.h\"", ""},
		{"own header", "#if __has_include(\"guarded.h\")\n#endif", ""},
		{"branch that is not read", "#if 0\n#ifdef __GLIBC__\n#endif\n#endif", ""},
		{"limit", "#include <limits.h>\nint i = INT_MAX;", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := files{
				"default.h": "#ifndef SIDE\n#define SIDE 4\n#endif\n",
				"whole.h":   "#ifndef __GLIBC__\nstruct S { int a; };\n#endif\n",
				"behind.h":  "#ifndef BEHIND\n#define BEHIND\n#endif\nstruct S { int a; };\n",
				"around.h":  "#ifndef AROUND\n#define AROUND\n#include <limits.h>\n#endif\n",
				"guarded.h": "// text\n#ifndef GUARDED\n#define GUARDED\nstruct S { int a; };\n#endif // GUARDED\n",
			}
			c := Config{Read: tree.read, Define: []string{"SET=2"}}
			file, err := c.ParseFile("t.cu", []byte(test.src+"\n"))
			require.NoError(t, err)
			var macros []string
			for _, a := range file.Environment {
				macros = append(macros, a.Macro)
			}
			assert.Equal(t, test.want, strings.Join(macros, " "))
		})
	}
}
