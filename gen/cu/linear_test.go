package cu

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Input that repeats what nests, opens or refers back costs time in proportion to its
// length. The limit is far above what it takes, and far below what squares would take.
func TestHostileInput(t *testing.T) {
	const size = 1 << 18
	numbered := func(format string) string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "%i", fmt.Sprint(i)), "%j", fmt.Sprint(i-1)))
		}
		return b.String()
	}
	for _, unit := range []string{
		"{", "(", "[", "[[", "<", "template <", "template <> ", "struct A {", "struct A { struct B;", "struct A { int (", "a::", "::", "a ",
		"namespace a {", "namespace {", "extern \"C\" {", "#if A\n", "#if A\n#endif\n", "#if A\n{\n#endif\n", "#define A A A\nint x[A];\n",
		"__global__ ", "__global__ void k(", "__global__ void k(int);", "__global__ __launch_bounds__(3) __noinline__ void k(int);", "__global__ void k(int) {}", "void f() {}\n", "// a\n", "/* a */ ", "\\\n", "\"", "'",
		"R\"(", "*", "alignas(", "__attribute__((", "const int a = ", "const int a = 1 + (", "enum {", "typedef ", "using namespace a;", "namespace a { using namespace a; }",
		"#pragma pack(push, 1)\nstruct A { int x; };\n", "//cudagen:x\n", "\xff", "@", "int f(int x = 1 < 2", ",", "=", "struct A { A() : x{", "a<b>(", "operator",
		"const int a%i = 1;", "#define A%i A%j + A%j\nconst int c%i = A%i;\n", "namespace a%i { using namespace a%j; }", "struct S%i { S%j *p; };",
		"inline namespace n%i {}", "__global__ void k%i(unknown%i x);", "const int a%i = a%j + 1;",
		"template <class T> __global__ void k(T *x); void f(int *x) { k<<<1, 2>>>(x); }", "template <class T> __global__ void k%i(T *x); template __global__ void k%i<int>(int *);",
		"template <int N> __global__ __launch_bounds__(N) void k(int x); template __global__ __launch_bounds__(3) void k<%i>(int);", "template <int N> __global__ void k(int x); template __global__ void k<%i>(int);", "using a::k;", "k<<<", "void f() { k<<<1, 2>>>(x); ", "//cudagen:x\nstruct S%i {};\n", "//cudagen:x\n#define A%i 1\n",
		"template <class T> __global__ void k(T *x); template <class T> void f%i(T *x) { f%j(x); f%j(&x); k<<<1, 2>>>(x); }", "@template <class T> __global__ void k(T *x); void f(int *x) { auto l%i = [=] { k<<<1, %i>>>(x); };",
		"template <class T> __global__ void k(T *x); template <class T> struct S%i { S%j<T> b; void f(T *x) { k<<<1, 2>>>(x); b.f(x); } }; S%i<int> s%i;", "template <class T> __global__ void k(T *x); void f(int *x) { struct L { void g(int *x) { k<<<1, 2>>>(x); ",
		"@template <class T> __global__ void k(T *x); void f(int *x) { int y0 = 0;int y%i = y%j; k<<<1, y%i>>>(&y%i);", "@template <class T> __global__ void k(T *x); void f(int *x) { {if (x) { k<<<1, 2>>>(x);",
	} {
		if first, rest, ok := strings.Cut(strings.TrimPrefix(unit, "@"), "{ "); ok && unit[0] == '@' { // what comes once, in front
			begin := time.Now()
			_, _ = ParseFile("t.cu", []byte(first+"{ "+numbered(rest)+"}"))
			assert.Less(t, time.Since(begin), 20*time.Second, "%q", unit)
			continue
		}
		begin := time.Now()
		file, _ := ParseFile("t.cu", []byte(numbered(unit)))
		assert.NotNil(t, file)
		assert.Less(t, time.Since(begin), 20*time.Second, "%q", unit)
	}
}
