package cu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Conditions that depend on macros that nothing defines: when a header is missing, what
// they change in a kernel's parameters is a warning.
func TestUnsettled(t *testing.T) {
	const missing = "#include \"config.h\"\n"
	const warned = "k: parameter a depends on the condition in t.cu:2, and X is not defined: define it with -D if it is meant (perhaps from \"config.h\", not found: add -I)"
	for _, test := range []struct{ name, src, want string }{
		{"typedef", missing + "#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", warned},
		{"typedef of a pointer's element", missing + "#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R *a) {}", warned},
		{"alias of it", missing + "#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\nusing S = R;\ntypedef S V;\n__global__ void k(V a) {}", warned},
		{"constant", missing + "#if X > 2\nconst int N = 4;\n#else\nconst int N = 3;\n#endif\nstruct S { int a[N]; };\n__global__ void k(S a) {}", warned},
		{"struct", missing + "#if defined(X)\nstruct S { double a; };\n#else\nstruct S { float a; };\n#endif\n__global__ void k(S a) {}",
			warned},
		{"field", missing + "#ifdef A\n#endif\nstruct S {\n#ifdef X\nint b;\n#endif\nint a; };\nstruct D : S { S c[2]; };\n__global__ void k(D a) {}",
			"in t.cu:5, and X is not defined"},
		{"field of a class template", missing + "template <class T> struct S { T a;\n#ifdef X\nT b;\n#endif\n};\n__global__ void k(S<int> a) {}", "in t.cu:3, and X is not defined"},
		{"macro", missing + "#ifdef X\n#define R double\n#else\n#define R float\n#endif\n__global__ void k(R a) {}", "k: its list of parameters depends on the condition in t.cu:2"},
		{"header in a branch", missing + "#ifdef X\n#include \"double.h\"\n#else\n#include \"float.h\"\n#endif\n__global__ void k(R a) {}", "k: parameter a depends on the condition in t.cu:2"},
		{"parameter", missing + "__global__ void k(int a\n#ifdef X\n, int b\n#endif\n) {}", "k: its list of parameters depends on the condition in t.cu:3"},
		{"macro with arguments", missing + "struct S {\n#if HAS(4)\nint b;\n#endif\nint a; };\n__global__ void k(S a) {}", "in t.cu:3, and HAS is not defined"},
		{"instance", missing + "#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n//cudagen:instantiate T=int\ntemplate <class T> __global__ void k(T b, R a) {}", "k: parameter a depends on the condition in t.cu:2"},
		{"kernel", "#if X\n__global__ void a(int n) {}\n__global__ void b(int n) {}\n#endif", "kernels are left out (2, the first in line 2), and X is not defined: define it with -D if they are meant"},

		{"no header is missing", "#include <stdio.h>\n#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", ""},
		{"defined", missing + "#define X 1\n#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", ""},
		{"default value", missing + "#ifndef X\n#define X 3\n#else\n#define Y\n#endif\nstruct S { int a[X]; };\n__global__ void k(S a) {}", ""},
		{"include guard", "#include \"guarded.h\"\n" + missing + "__global__ void k(G a) {}", ""},
		{"nothing is left out", missing + "#ifndef X\ntypedef float R;\n#endif\n__global__ void k(R a) {}", ""},
		{"compiler's macro", missing + "#ifdef _MSC_VER\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", ""},
		{"pointer to a class", missing + "#ifdef X\nstruct S { double a; };\n#else\nstruct S { float a; };\n#endif\n__global__ void k(S *a, const S &b) {}", ""},
		{"body of a kernel", missing + "__global__ void k(int a) {\n#ifdef X\na++;\n#endif\n}", ""},
		{"body of a method", missing + "struct S { int a; void f() {\n#ifdef X\na++;\n#endif\n} };\n__global__ void k(S a) {}", ""},
		{"the same branch", missing + "#ifdef X\n#else\nstruct S { float a; };\n__global__ void k(S a) {}\n#endif", ""},
		{"certain condition", missing + "#if 0\n__global__ void k(double a) {}\n#endif", ""},
		{"not evaluated", missing + "#if 0 && X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := files{
				"float.h": "typedef float R;\n", "double.h": "typedef double R;\n",
				"guarded.h": "#ifndef GUARDED\n#define GUARDED\nstruct G { int x; };\n#endif\n",
			}
			c := Config{Read: tree.read}
			file, err := c.ParseFile("t.cu", []byte(test.src))
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, file.Warnings)
				return
			}
			require.NotEmpty(t, file.Warnings)
			assert.Contains(t, file.Warnings[0].Message.Error(), test.want)
		})
	}
}

// The work and memory for unsettled conditions is in proportion to the file, however
// they depend on each other.
func TestUnsettledChain(t *testing.T) {
	const n = 4000
	var b strings.Builder
	b.WriteString("#include \"config.h\"\ntypedef int t0;\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "#ifdef X%d\ntypedef long t%[1]d;\n#else\ntypedef t%d t%[1]d;\n#endif\n", i, i-1)
	}
	fmt.Fprintf(&b, "__global__ void k(t%d a) {}\n", n)
	file, err := ParseFile("t.cu", []byte(b.String()))
	require.NoError(t, err)
	assert.NotEmpty(t, file.Warnings)
	assert.Less(t, len(file.Warnings), 32)
}
