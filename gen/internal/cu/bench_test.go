package cu

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// synthetic returns a file with n kernels, each with a struct, a typedef, a macro and a
// constant of its own, and a body.
func synthetic(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `#define WIDTH%[1]d (4 + %[1]d %% 8)
constexpr int depth%[1]d = WIDTH%[1]d * 2;
typedef unsigned int index%[1]d;
struct Args%[1]d {
  float4 origin; // of the grid
  index%[1]d count[depth%[1]d];
  __host__ __device__ float get(int i) const { return count[i] * origin.x; }
};
// kernel%[1]d does nothing in particular.
extern "C" __global__ void __launch_bounds__(256) kernel%[1]d(Args%[1]d args, const float *__restrict__ x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > 0.0f && i %% 2 == 0) { y[i] = args.get(i) + x[i] * 2.0f; } else { y[i] = 0; }
  }
}
`, i)
	}
	return []byte(b.String())
}

// headers returns a file with one kernel that includes n local headers, each of which
// includes the one before.
func headers(n int) (src []byte, tree files) {
	tree = make(files)
	var main strings.Builder
	for i := range n {
		name := fmt.Sprintf("h%d.h", i)
		before := ""
		if i > 0 {
			before = fmt.Sprintf("#include \"h%d.h\"\n", i-1)
		}
		tree[name] = fmt.Sprintf("#ifndef H%[1]d\n#define H%[1]d\n%[2]s%[3]s\n#endif\n", i, before,
			strings.ReplaceAll(strings.ReplaceAll(string(synthetic(20)), "extern \"C\"", ""), "kernel", fmt.Sprintf("k%d_", i)))
		tree[name] = strings.NewReplacer("Args", fmt.Sprintf("Args%d_", i), "index", fmt.Sprintf("index%d_", i), "depth", fmt.Sprintf("depth%d_", i)).Replace(tree[name])
		fmt.Fprintf(&main, "#include %q\n", name)
	}
	main.WriteString("__global__ void k(int n) {}\n")
	return []byte(main.String()), tree
}

// library returns a file with one kernel that includes n headers as libraries have them: a
// guard, comments, macros with arguments that make functions, templates, and more lines that no
// condition selects than others.
func library(n int) (src []byte, tree files) {
	tree = make(files)
	var main strings.Builder
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "#ifndef L%[1]d\n#define L%[1]d\n#define L%[1]d_ 9\n#define CAT%[1]d(a, b) a##b\n#define FUNCTION%[1]d(name, ...) inline int CAT%[1]d(name, %[1]d)(__VA_ARGS__) { return sizeof(#name); }\n", i)
		for j := range 100 {
			fmt.Fprintf(&b, "/// f%[2]d_ is one of many.\n/* It says \"so\". */\nFUNCTION%[1]d(f%[2]d_, int a, CAT%[1]d(lo, ng) b)\ntemplate <class T, int N = %[2]d> struct Box%[1]d_%[2]d { T inner[N]; T get(int i) const { return inner[i]; } };\n", i, j)
			fmt.Fprintf(&b, "#if defined(ABSENT_%[2]d_) && __GNUC__ < L%[1]d_\n#  pragma once\nasm(\"lots of text\"); // 1'000\nint unused = 'c' + 1'000;\n#elif __cplusplus < 201103L\nstatic_assert(false, \"it's old\");\n#endif\n", i, j)
		}
		b.WriteString("#endif\n")
		name := fmt.Sprintf("l%d.h", i)
		tree[name] = b.String()
		fmt.Fprintf(&main, "#include %q\n#include %[1]q\n", name)
	}
	main.WriteString("__global__ void k(Box0_7<float> b) {}\n")
	return []byte(main.String()), tree
}

// BenchmarkLibrary reads what is like the headers of large libraries.
func BenchmarkLibrary(b *testing.B) {
	src, tree := library(100)
	size := len(src)
	for _, text := range tree {
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		file, err := (&Config{Read: tree.read}).ParseFile("t.cu", src)
		require.NoError(b, err)
		require.Len(b, file.Kernels, 1)
		require.Empty(b, file.Kernels[0].Errors)
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		src := synthetic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				file, err := ParseFile("t.cu", src)
				require.NoError(b, err)
				require.Len(b, file.Kernels, n)
			}
		})
	}
}

func BenchmarkHeaders(b *testing.B) {
	src, tree := headers(50)
	b.ReportAllocs()
	for b.Loop() {
		_, err := (&Config{Read: tree.read}).ParseFile("t.cu", src)
		require.NoError(b, err)
	}
}

// The memory for a file of 1,000 kernels, counted as all that is allocated and not only
// what is live, stays below 256 MiB. Time is measured by the benchmarks; the limits
// here only notice a cost that is not linear.
func TestCost(t *testing.T) {
	cost := func(n int) (time.Duration, uint64) {
		src := synthetic(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		file, err := ParseFile("t.cu", src)
		elapsed := time.Since(begin)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Len(t, file.Kernels, n)
		for _, k := range file.Kernels {
			require.Empty(t, k.Errors)
		}
		return elapsed, after.TotalAlloc - before.TotalAlloc
	}
	_, once := cost(1000)
	_, fourfold := cost(4000)
	assert.Less(t, once, uint64(256<<20))
	assert.Less(t, float64(fourfold), 5*float64(once))
}

// What large headers take, counted as all that is allocated, stays below 40 bytes for each
// of theirs: a token has 40 and is copied once, and has five bytes of text.
func TestCostOfHeaders(t *testing.T) {
	src, tree := library(20)
	size := 0
	for _, text := range tree {
		size += len(text)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := (&Config{Read: tree.read}).ParseFile("t.cu", src)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, file.Kernels, 1)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40*size))
}
