package cu

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fuzzing"
)

// fuzzed reads src as a file that can include itself.
func fuzzed(src []byte) *Config {
	return &Config{Include: []string{"."}, Read: files{"self.cu": string(src), "f.cu": string(src)}.read}
}

func FuzzParseFile(f *testing.F) {
	fuzzing.Seeds(f, "../../..")
	f.Add([]byte("//cudagen:kernel\n#include \"self.cu\"\nnamespace a { template <class T, int N = 4> __global__ void k(T *x, char (*y)[N]) {} }\n//cudagen:instantiate <int, 3> X\nusing a::k;\n//cudagen:block 1\ntemplate __global__ void a::k(short *, char (*)[7]);\nvoid f(float *x) { if (x) { char y[2][5]; k<<<1, 2>>>(x, y); } for (int i = 0; i < 3; i++) a::k<int, 3><<<dim3(1), 2>>>(&i, 0); }\n//cudagen:export\n#define N 3"))
	f.Add([]byte("template <class T, int N = 4> __global__ void k(T *x, int n) {}\n__global__ void a(auto *x, const auto... y) requires (sizeof(*x) > 1) {}\ntemplate <class T> struct S { T *d; S(int n); void f() { [=, this]() mutable { k<T><<<1, 2>>>(d, 3); }(); auto p = &k<T, 5>; } };\n" +
		"template <class U> S<U>::S(int n) { struct L { U *e; void g() { if constexpr (sizeof(U) > 4) k<<<1, 2>>>(e, 1); else a<<<1, 2>>>(e, 2, 'c'); } } l; l.g(); }\ntemplate <> void S<char>::f() { k<char, 9><<<1, 2>>>(d, 1); }\n" +
		"template <class T, class... R> void run(T *x, R... r) { S<T>(1).f(); a<T, R...><<<1, 2>>>(x, r...); if (x) run<T>(x); }\nvoid h(float *x) { run(x, 1, 2.0); S<char> s(1); s.f(); }\ntemplate struct S<short>;"))
	f.Add([]byte("template <class T, T V> struct I { constexpr operator T() const { return V; } constexpr T operator()() const { return V; } friend int operator*(I, I); };\ntemplate <class T, class... U> constexpr int f(T t, U &&...u) { return ((t + u) + ... + f(u...)) + sizeof...(U); }\ntemplate <class T> constexpr int f(T t) { int a[] = {t, 1}; return a[I<int, 1>{}] + f<int>(t); }\n" +
		"struct B : I<int, 2>, I<char, 3> { I<long, 4> *x; char y[f(1, 'c', I<int, 3>{} + 1) && I<bool, 1>{} ? I<int, 3>{}() : 2]; };\n__global__ void k(B b) {}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		marked := strings.Contains(string(src), "#") // perhaps #line
		fuzzing.Watch(t, func() (bytes, steps int) {
			file, _ := ParseFile("f.cu", src)
			return len(src), file.steps
		})
		for _, e := range allErrors(t, "f.cu", src) {
			if !marked {
				checkPosition(t, src, e.Pos.Offset, e.Pos.Line, e.Pos.Column)
				require.Equal(t, "f.cu", e.Pos.Filename, e.Message.Error())
			}
			require.NotEmpty(t, e.Message.Error())
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
