package cu

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addSeeds adds the test data, the example and some traps to the corpus.
func addSeeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.cu")
	require.NoError(f, err)
	for _, name := range append(files, "../../example/kernels.cu") {
		src, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(src)
	}
	for _, src := range []string{
		"//cudagen:kernel\n#include \"self.cu\"\nnamespace a { template <class T, int N = 4> __global__ void k(T *x, char (*y)[N]) {} }\n//cudagen:instantiate <int, 3> X\nusing a::k;\n//cudagen:block 1\ntemplate __global__ void a::k(short *, char (*)[7]);\nvoid f(float *x) { if (x) { char y[2][5]; k<<<1, 2>>>(x, y); } for (int i = 0; i < 3; i++) a::k<int, 3><<<dim3(1), 2>>>(&i, 0); }\n//cudagen:export\n#define N 3",
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

// fuzzed reads src as a file that can include itself.
func fuzzed(src []byte) *Config {
	return &Config{Include: []string{"."}, Read: files{"self.cu": string(src), "f.cu": string(src)}.read}
}

// What reading one input may take: a deadline that no slow machine misses, and memory in
// proportion to the bytes that are read.
const (
	longestRead  = 20 * time.Second
	leastMemory  = 256 << 20
	memoryByByte = 4 << 10
)

// watched calls read, which returns how many bytes it read, and demands that it ends in
// time and allocates no more than is allowed.
func watched(t *testing.T, read func() int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	n := read()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	require.Less(t, took, longestRead)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(leastMemory+memoryByByte*n))
}

func FuzzParseFile(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		marked := strings.Contains(string(src), "#") // perhaps #line
		watched(t, func() int {
			_, _ = ParseFile("f.cu", src)
			return len(src)
		})
		for _, e := range allErrors(t, "f.cu", src) {
			if !marked {
				checkPosition(t, src, e.Pos.Offset, e.Pos.Line, e.Pos.Column)
				require.Equal(t, "f.cu", e.Pos.Filename, e.Msg)
			}
			require.NotEmpty(t, e.Msg)
		}
		file, err := fuzzed(src).ParseFile("f.cu", src)
		again, errAgain := fuzzed(src).ParseFile("f.cu", src)
		require.Equal(t, err, errAgain)
		require.True(t, reflect.DeepEqual(file, again), "the same source is read in two ways")
		for _, k := range file.Kernels {
			require.NotEmpty(t, k.Name)
			if !marked {
				checkPosition(t, src, k.Pos.Offset, k.Pos.Line, k.Pos.Column)
			}
			for _, p := range k.Params {
				require.True(t, p.Type != nil || len(k.Errors) > 0, "a parameter without a type and without an error")
				if p.Type != nil {
					require.NotEmpty(t, p.Type.Demangled())
					require.NotEmpty(t, p.Type.String())
				}
			}
		}
	})
}

// checkPosition demands that line and column are those of the offset in src.
func checkPosition(t *testing.T, src []byte, offset, line, column int) {
	t.Helper()
	require.GreaterOrEqual(t, offset, 0)
	require.LessOrEqual(t, offset, len(src))
	before := string(src[:offset])
	assert.Equal(t, strings.Count(before, "\n")+1, line, "line")
	assert.Equal(t, offset-strings.LastIndexByte(before, '\n'), column, "column")
}
