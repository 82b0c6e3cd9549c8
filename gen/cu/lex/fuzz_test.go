package lex

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addSeeds adds the test data, the example and some traps to the corpus.
func addSeeds(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.cu")
	require.NoError(f, err)
	for _, name := range append(files, "../../../example/kernels.cu") {
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

func FuzzScan(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		s := NewLexer(NewSource("f.cu", string(src)))
		last := -1
		for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
			require.Greater(t, l.Pos().Offset, last, "the lexer stands still")
			require.Less(t, l.Pos().Offset, len(src))
			require.NotEmpty(t, l.Text)
			last = l.Pos().Offset
		}
		require.Equal(t, hashes(string(src), false), hashes(string(src), true), "lines are skipped otherwise than read")
	})
}

// hashes returns the offsets of the tokens that begin preprocessor lines. The other lines are
// skipped, or read.
func hashes(src string, skip bool) []int32 {
	var offsets []int32
	s := NewLexer(NewSource("f.cu", src))
	for l := s.Scan(); l.Kind != EOF; l = s.Scan() {
		begins := l.LineStart && l.Is("#")
		switch {
		case begins:
			offsets = append(offsets, l.At.Offset)
		case skip && s.directive == 0:
			s.skipLines()
		}
	}
	return offsets
}

// What the preprocessor makes is bounded by a multiple of what it reads, and every token
// has a position in the source.
func FuzzPreprocess(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		var p *Preprocessor
		watched(t, func() int {
			p = Preprocess(fuzzed(src), "f.cu", string(src))
			return p.Bytes
		})
		require.LessOrEqual(t, len(p.Tokens), 1<<19+16*p.Bytes)
		require.Equal(t, EOF, p.Tokens[len(p.Tokens)-1].Kind)
		for i := range p.Tokens {
			l := &p.Tokens[i]
			require.NotNil(t, l.At.File())
			require.LessOrEqual(t, int(l.At.Offset), len(src))
			require.LessOrEqual(t, int(l.Comments), len(p.Comments))
		}
	})
}
