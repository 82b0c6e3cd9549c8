// Package fuzzing holds what the fuzz tests of the front end share: where they begin, and what
// reading one input may take. It imports nothing of the module. Only tests import it.
package fuzzing

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Seeds adds the test data, the example and some traps to the corpus. root is the path of the
// module's folder.
func Seeds(f *testing.F, root string) {
	files, err := filepath.Glob(filepath.Join(root, "gen/internal/cu/testdata/*.cu"))
	require.NoError(f, err)
	for _, name := range append(files, filepath.Join(root, "example/kernels.cu")) {
		src, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(src)
	}
	for _, src := range []string{
		"", "\\", "\\\n", "#", "#if\n", "#define A A\nint x[A];", "#define A B B\n#define B A\nconst int n = A;",
		"template <", "struct", "struct {", "__global__", "__global__ void k(", "__global__ void ::(int)", "typedef", "enum {",
		"namespace", "inline namespace ::", "extern \"C\"", "using namespace a;", "[[", "alignas(", "R\"(", "'", "\"\\",
		"struct A { A(", "struct A { operator", "const int a = (((((", "#ifdef A\n#else\n}\n#endif", "#include",
		"#define F(x) x ## x # x\nF(F(a))", "#define V(...) __VA_OPT__(a) ## __VA_ARGS__\nV()V(1)", "#if defined(\n#elif __has_include(<a\n#endif",
		"#include \"self.cu\"\n", "#pragma pack(push, 1)\n_Pragma(\"pack(pop)\")", "#line 4 \"x\"\nint",
		"template <class T> struct A : A<T *> {}; A<int>::T x;", "template <class T> using A = A<T>; __global__ void k(A<int> a);",
		"template <int N> struct F { static const int v = F<N - 1>::v; }; const int n = F<9>::v;", "constexpr int f(int n) { return f(n); } const int x = f(1);",
		"template <class T> struct A {}; template <class T> struct A<T *> { T x; }; __global__ void k(A<int *> a);",
		"//cudagen:instantiate T=A<int>,N=1>>2 X\ntemplate <class T, int N> __global__ void k(T x) {}", "template <template <class> class T> struct A; A<A> x;",
		"struct S { struct { int a; } b; union { S *c; }; int d : 3, : 0; }; __global__ void k(S s);", "typedef int (*(*f)(int (*)[3]))(void);",
	} {
		f.Add([]byte(src))
	}
}

// What reading one input may take: steps and memory in proportion to the bytes that are read, and a
// deadline that no slow machine misses, for what counts no steps.
const (
	longestRead  = 20 * time.Second
	leastMemory  = 256 << 20
	memoryByByte = 4 << 10
	leastSteps   = 1 << 25
	stepsByByte  = 1 << 8
)

// Watch calls read, which returns how many bytes it read and how many steps it took, and demands that it
// takes no more steps, memory and time than are allowed. Steps are the same on every machine.
func Watch(t *testing.T, read func() (bytes, steps int)) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	n, steps := read()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, steps, leastSteps+stepsByByte*n, "steps")
	require.Less(t, took, longestRead)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(leastMemory+memoryByByte*n))
}
