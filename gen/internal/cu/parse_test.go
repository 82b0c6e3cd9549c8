package cu

import (
	"fmt"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// parseClean returns the file that src is, which has to be understood as a whole.
func parseClean(t testing.TB, src string) *File {
	t.Helper()
	file, err := ParseFile("t.cu", []byte(src))
	require.NoError(t, err)
	for _, k := range file.Kernels {
		require.Empty(t, k.Errors)
	}
	return file
}

// The canonical spelling of a parameter's type, for each way to write one.
func TestParameterTypes(t *testing.T) {
	const before = `#define N 4
namespace ns { struct P { int x; struct Q { int y; }; }; inline namespace v1 { struct I {}; } }
namespace { struct Hidden { int x; }; }
typedef struct { int x; } Unnamed;
using ns::P;
`
	tests := []struct{ source, want string }{
		{"int n", "int"}, {"signed", "int"}, {"unsigned n", "unsigned int"}, {"int unsigned n", "unsigned int"},
		{"short n", "short"}, {"int short signed", "short"}, {"unsigned short int", "unsigned short"},
		{"long unsigned", "unsigned long"}, {"long int", "long"}, {"long signed int", "long"},
		{"unsigned long long int", "unsigned long long"}, {"long long", "long long"}, {"long int unsigned long", "unsigned long long"},
		{"char c", "char"}, {"char signed", "signed char"}, {"unsigned char", "unsigned char"},
		{"bool", "bool"}, {"double", "double"}, {"wchar_t", "wchar_t"}, {"char16_t", "char16_t"},
		{"size_t n", "unsigned long"}, {"std::size_t n", "unsigned long"}, {"::uint8_t b", "unsigned char"},
		{"std::int64_t", "long"}, {"cuda::std::uint32_t", "unsigned int"},
		{"const int n", "int"}, {"int const volatile n", "int"},
		{"const float *x", "float const*"}, {"float const *x", "float const*"}, {"float *const x", "float*"},
		{"float *__restrict__ x", "float*"}, {"const float *const __restrict x", "float const*"},
		{"float *__restrict__ *x", "float* restrict*"}, {"const float *const *x", "float const* const*"},
		{"volatile int *x", "int volatile*"}, {"void *", "void*"}, {"void **p", "void**"},
		{"int &r", "int&"}, {"const int &r", "int const&"}, {"int &&r", "int&&"},
		{"float x[]", "float*"}, {"const float x[N]", "float const*"}, {"float x[n]", "float*"}, {"float x[][N]", "float (*) [4]"},
		{"const int x[2][3][N - 1]", "int const (*) [3][3]"}, {"float *x[2]", "float**"},
		{"float4 v", "float4"}, {"dim3 d", "dim3"}, {"struct float4 v", "float4"}, {"const uchar4 *image", "uchar4 const*"},
		{"ns::P p", "ns::P"}, {"::ns::P *p", "ns::P*"}, {"P p", "ns::P"}, {"struct ns::P p", "ns::P"}, {"ns::P::Q q", "ns::P::Q"},
		{"ns::I i", "ns::v1::I"}, {"ns::v1::I i", "ns::v1::I"}, {"Hidden *h", "(anonymous namespace)::Hidden*"},
		{"Unnamed u", "Unnamed"}, {"struct Elsewhere *p", "Elsewhere*"},
		{"int n = f(1, 2)", "int"}, {"P p = {1, {2}}", "ns::P"}, {"[[maybe_unused]] int n", "int"},
		{"__grid_constant__ const P p", "ns::P"}, {"int n __attribute__((unused))", "int"}, {"register int n", "int"},
		{"in\\\nt n", "int"}, {"int/**/n // comment\n", "int"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			file := parseClean(t, before+"__global__ void k(char, "+test.source+", char last);")
			require.Len(t, file.Kernels, 1)
			require.Len(t, file.Kernels[0].Params, 3)
			assert.Equal(t, test.want, file.Kernels[0].Params[1].Type.Demangled())
			assert.Equal(t, "last", file.Kernels[0].Params[2].Name)
		})
	}
}

// Every place where the parts of a kernel's declaration may stand.
func TestKernelForms(t *testing.T) {
	tests := []struct {
		source, want string
	}{
		{"__global__ void k(int n) {}", "k(int n) defined"},
		{"__global__ void k(int n);", "k(int n)"},
		{"void __global__ k() {}", "k() defined"},
		{"__global__ void k(void) {}", "k(void) defined"},
		{`extern "C" __global__ void k(int n) {}`, "k(int n) C defined"},
		{`extern "C" { __global__ void k(int n) {} }`, "k(int n) C defined"},
		{`extern "C" { extern "C++" { __global__ void k(int n) {} } }`, "k(int n) defined"},
		{"static __global__ void k(int n) {}", "k(int n) static defined"},
		{"__global__ static inline void k(int n) {}", "k(int n) static defined"},
		{"__global__ void __launch_bounds__(256) k(int n) {}", "k(int n) defined [256]"},
		{"__launch_bounds__((2 + 2) * 8, 4) __global__ void k(int n) {}", "k(int n) defined [32 4]"},
		{"__global__ __launch_bounds__(f(2)) void k(int n) {}", "k(int n) defined"},
		{"__global__ void k(int n) __launch_bounds__(1);", "k(int n) [1]"},
		{"__global__ __attribute__((noinline, foo(1, (2)))) void k(int n) noexcept {}", "k(int n) defined"},
		{"[[vendor::a(b)]] __global__ __cluster_dims__(2, 1, 1) void k(int n) {}", "k(int n) defined"},
		{"namespace a::b { namespace c { __global__ void k(int n) {} } }", "a::b::c::k(int n) defined"},
		{"namespace a { inline namespace v { __global__ void k(int n) {} } }", "a::v::k(int n) defined"},
		{"namespace { __global__ void k(int n) {} }", "(anonymous namespace)::k(int n) anonymous defined"},
		{"namespace a { __global__ void k(int); } __global__ void a::k(int n) {}", "a::k(int n) defined"},
		{"template <typename T, int N = (3 > 2)> __global__ void k(T *x) {}", "k(T *x) template defined"},
		{"template <> __global__ void k<int>(int *x) {}", "k<int>(int *x) defined"},
		{"template __global__ void k<int>(int *x); __global__ void l();", "l()"},
		{"__global__ void k(const  float*__restrict__ x,unsigned   n=3,float y[ ]) {}", "k(const float *x, unsigned n, float y[]) defined"},
		{"__global__ void k(int a); __global__ void k(int b) { } __global__ void k(int c);", "k(int b) defined"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			file := parseClean(t, test.source)
			require.Len(t, file.Kernels, 1)
			k := file.Kernels[0]
			got := strings.TrimSuffix(k.QualifiedName(), k.Name+ctype.Arguments(k.Args)) + strings.TrimPrefix(k.Signature, "void ")
			for _, flag := range []struct {
				on   bool
				name string
			}{{k.ExternC, "C"}, {k.Static, "static"}, {k.Anonymous, "anonymous"}, {k.Template, "template"}, {k.Defined, "defined"}} {
				if flag.on {
					got += " " + flag.name
				}
			}
			if k.LaunchBounds != nil {
				got += " " + fmt.Sprint(k.LaunchBounds)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// What is no kernel, struct, namespace or constant is stepped over.
func TestSkipped(t *testing.T) {
	const last = "\n__global__ void last(int n);"
	for _, src := range []string{
		"int f() { if (1) { return '}'; } }", "void f(int a = (1, 2)) noexcept;", "int a[] = {1, {2}}, b{3};",
		"A::A() : a(1), b{2} { }", "A::A() try : a(1) { } catch (...) { }", "auto l = [](int x) { return x; };",
		"template <class T> struct B { T x; void f() { } };", "template <class T> using C = B<T>;", "using D = int;",
		"enum E { a, b };", "enum class F : int { a };", "typedef struct G { int x; } *GP;", "static_assert(sizeof(int) == 4, \"\");",
		"struct H { int x; } h = {1};", "struct I f() { return {}; }", "struct J;", "union K { int x; };", "extern int m;",
		"__constant__ float c[3] = {1, 2, 3};", "__device__ int d;", "namespace n = std;", "asm(\"x\");", ";;",
		"int s() { return R\"({)\"[0]; }", "const char *t = \"{\";", "void host() { last<<<1, 2>>>(3); }",
		"__device__ bool operator<(A a, A b) { return a.x < b.x; }", "class L { public: L(); ~L(); private: int x; };",
		"#if FOO\nvoid f() {}\n#else\nvoid g() {}\n#endif",
	} {
		t.Run(src, func(t *testing.T) {
			file := parseClean(t, src+last)
			require.Len(t, file.Kernels, 1)
			assert.Equal(t, "last", file.Kernels[0].Name)
		})
	}
}

func TestStruct(t *testing.T) {
	file := parseClean(t, `
// Not this one.

// Shape is
/* documented. */
//cudagen:export
struct alignas(8 * 2) Shape {
  static constexpr int corners = 5, sides = corners + 1; // constants
  float4 a, *b = nullptr; // two of them
  alignas(32) unsigned char c[corners][sides]{};
  Shape(int n) : b{0}, a() {}
  bool operator=(const Shape &s) { return b == s.b; }
  struct Inner { char c; } inner[2]; /* an array */
private:
  const double d;
};`)
	require.Len(t, file.Structs, 2)
	assert.Equal(t, "Shape::Inner", file.Structs[0].QualifiedName())
	s := file.Structs[1]
	assert.Nil(t, s.Unsupported)
	assert.Equal(t, []string{"Shape is", "documented."}, s.Doc)
	assert.EqualValues(t, 16, s.Align)
	assert.Equal(t, "t.cu:7:23", s.Pos.String())
	var fields []string
	for _, f := range s.Fields {
		fields = append(fields, fmt.Sprintf("%s %s %d %s", f.Type, f.Name, f.Align, f.Doc))
	}
	assert.Equal(t, []string{
		"float4 a 0 two of them", "float4 * b 0 two of them", "unsigned char[5][6] c 32 ",
		"Shape::Inner[2] inner 0 an array", "const double d 0 ",
	}, fields)
	require.Len(t, file.Directives, 1, "directives on structs are left to the caller")
	assert.Equal(t, map[string]int64{"Shape::corners": 5, "Shape::sides": 6}, file.Constants)
}

func TestComments(t *testing.T) {
	file := parseClean(t, `//cudagen:type a=b
#include "x.h"
#include <y/z.h> // and this
int x; //cudagen:trailing

// far away
//cudagen:lost one

// Adds, in two
// lines.
//
//cudagen:kernel  Add me `+"\r"+`
//cudagen:block	256
// More.
extern "C"
__global__ void add(int n) { //cudagen:inside
}
#if 0
//cudagen:dead
#endif
// After.
//cudagen:alive
__global__ void after(int n);
#if 0 // why
#else
//cudagen:other
__global__ void other(int n);
#endif
`)
	require.Len(t, file.Kernels, 3)
	assert.Equal(t, []string{"After."}, file.Kernels[1].Doc)
	assert.Len(t, file.Kernels[1].Directives, 1)
	assert.Len(t, file.Kernels[2].Directives, 1)
	k := file.Kernels[0]
	assert.Equal(t, []string{"Adds, in two", "lines.", "", "More."}, k.Doc)
	require.Len(t, k.Directives, 2)
	d := k.Directives[0]
	assert.Equal(t, "kernel|Add me|t.cu:12:1|t.cu:12:19", fmt.Sprintf("%s|%s|%s|%s", d.Verb, d.Args, d.Pos, d.ArgsPos))
	assert.Equal(t, "block|256", k.Directives[1].Verb+"|"+k.Directives[1].Args)
	var others []string
	for _, d := range file.Directives {
		others = append(others, d.Verb+" "+d.Args)
	}
	assert.Equal(t, []string{"type a=b", "trailing ", "lost one", "inside "}, others)
	require.Len(t, file.Includes, 2)
	assert.Equal(t, "x.h false t.cu:2:10", fmt.Sprintf("%s %t %s", file.Includes[0].Path, file.Includes[0].Angled, file.Includes[0].Pos))
	assert.Equal(t, "y/z.h true", fmt.Sprintf("%s %t", file.Includes[1].Path, file.Includes[1].Angled))
}

// The value of a constant expression; "" when it has none that is understood.
func TestConstants(t *testing.T) {
	const before = `
#define FOUR 4
#define SUM FOUR + 1
#define LOOP LOOP
#define CALL(x) x
enum { First, Second = 5, Third };
namespace ns { constexpr long inner = 1L << 40; const int hidden = f(); }
const int hidden = 7;
`
	tests := map[string]string{
		"1 + 2 * 3": "7", "(1 + 2) * 3": "9", "10 - 4 - 3": "3", "7 / 2": "3", "-7 / 2": "-3", "-7 % 3": "-1",
		"1 << 4 | 1": "17", "0x10": "16", "010": "8", "0b101": "5", "1'000": "1000", "'A'": "65", "true": "1",
		"~0": "-1", "!5": "0", "5 > 3 && 2 != 2 || 1": "1", "1 ? 2 : 3": "2", "0 ? 2 : 1 ? 3 : 4": "3",
		"FOUR": "4", "SUM * 2": "6", "Third": "6", "First": "0", "ns::inner": "1099511627776", "::hidden": "7",
		"4294967295u + 1u": "0", "0u - 1": "4294967295", "0xffffffff": "4294967295", "-1 < 0u": "0", "-1 < 0": "1",
		"2147483647 + 1": "", "2147483647L + 1": "2147483648", "1 << 31": "-2147483648", "2 << 31": "", "1 << 32": "", "1 / 0": "", "1 % 0": "",
		"-2147483647 - 1": "-2147483648", "(-2147483647 - 1) / -1": "", "9223372036854775807 + 1": "",
		"3037000500 * 3037000500": "", "3037000499 * 3037000499": "9223372030926249001",
		"18446744073709551615u": "", "18446744073709551615u >> 60": "15", "9223372036854775808u - 1": "9223372036854775807", "18446744073709551616": "", "1.5": "", "1e3": "", "LOOP": "", "CALL(1)": "1", "unknown": "",
		"ns::hidden": "", "(1": "", "1 +": "", "1 2": "", "sizeof(int)": "4",
		"sizeof(int(hidden))": "4", "sizeof(bool(1 < 2))": "1", "sizeof(short{3})": "2", "sizeof(char(1) + 1L)": "8", "sizeof(char(5))": "1", "sizeof(int(FOUR) FOUR)": "",
		"-1 << 1": "", "(0 - 1) << 31": "", "f(1)": "", "": "", "'ab'": "24930", "08": "",
		strings.Repeat("(", 1000) + "1": "",
	}
	for expression, want := range tests {
		t.Run(expression[:min(len(expression), 40)], func(t *testing.T) {
			file, _ := ParseFile("t.cu", []byte(before+"constexpr auto value = "+expression+";"))
			got := ""
			if v, ok := file.Constants["value"]; ok {
				got = fmt.Sprint(v)
			}
			assert.Equal(t, want, got)
		})
	}
}

// TestShiftsOfCxx20: a shift to the left loses bits since C++20, and is not defined before: C++ standard, [expr.shift].
func TestShiftsOfCxx20(t *testing.T) {
	for expression, want := range map[string]int64{"-5 << 1": -10, "2 << 31": 0, "3 << 31": math.MinInt32, "-3L << 63": math.MinInt64, "1 << 31": math.MinInt32} {
		for _, std := range []string{"c++20", "gnu++20"} {
			file, err := (&Config{Std: std}).ParseFile("t.cu", []byte("constexpr auto value = "+expression+";"))
			require.NoError(t, err)
			assert.Equal(t, want, file.Constants["value"], expression)
		}
	}
}

func TestConstantDeclarations(t *testing.T) {
	file := parseClean(t, `
const int a = 1, b{2}, c(3);
static constexpr unsigned char narrow = 300, fits = 200;
constexpr bool yes = 5;
const float f = 1;
int variable = 1;
__constant__ const int device = 1;
extern const int elsewhere;
const int *pointer = 0;
namespace n { constexpr long d = a + 9; namespace { const int e = d + 1; } }
#define M a + 1
#ifdef X
#define Y 1
const int z = 1;
#endif
`)
	assert.Equal(t, map[string]int64{"a": 1, "b": 2, "c": 3, "narrow": 44, "fits": 200, "yes": 1, "n::d": 10, "n::e": 11, "M": 2}, file.Constants)
	v, ok := file.Constant([]string{"n", ctype.AnonymousNamespace}, "d")
	assert.True(t, ok)
	assert.EqualValues(t, 10, v)
	_, ok = file.Constant(nil, "d")
	assert.False(t, ok)
}

// thousand returns a file of n kernels with comments, structs and bodies.
func thousand(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `// Kernel%d does it.
//
//cudagen:kernel
//cudagen:block 256
struct S%[1]d { float4 v; double d[3]; int n; };
extern "C" __global__ void __launch_bounds__(256) k%[1]d(const float *__restrict__ x, float *y, S%[1]d s, unsigned long long n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (i %% 2 == 0) { y[i] = x[i] * s.v.x + s.d[i %% 3]; } else { y[i] = x[i] - 1.0f; }
  }
}

`, i)
	}
	return []byte(b.String())
}

func BenchmarkParseFile(b *testing.B) {
	example, err := os.ReadFile("../../../example/kernels.cu")
	require.NoError(b, err)
	for _, bench := range []struct {
		name string
		src  []byte
	}{
		{"example", example}, {"1000 kernels", thousand(1000)}, {"2000 kernels", thousand(2000)}, {"4000 kernels", thousand(4000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.src)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := ParseFile("k.cu", bench.src)
				require.NoError(b, err)
			}
		})
	}
}

// A template on a line of its own ends what lacks its semicolon; one that belongs to a
// name does not.
func TestTemplateBehindWhatIsNotEnded(t *testing.T) {
	for _, test := range []struct {
		src  string
		want []string
	}{
		{"int x = a\ntemplate <class T> __global__ void k(T x) {}", []string{"k"}},
		{"int x =\nbehind\n+ 1;\n__global__ void k(int n) {}", []string{"k"}},
		{"int x = a::\ntemplate f<int>() + sizeof(\nint);\n__global__ void k(int n) {}", []string{"k"}},
	} {
		file := parseClean(t, test.src)
		var names []string
		for _, k := range file.Kernels {
			names = append(names, k.Name)
		}
		assert.Equal(t, test.want, names, "%q", test.src)
	}
}

// Headers of hash functions unroll their rounds with macros: a small file may become
// half a million tokens.
func TestLargeExpansion(t *testing.T) {
	const rounds = "#define A(x) x + x + x + x + x + x + x + x\n#define B(x) A(x) + A(x) + A(x) + A(x) + A(x) + A(x) + A(x) + A(x)\n" +
		"#define C(x) B(x) + B(x) + B(x) + B(x) + B(x) + B(x) + B(x) + B(x)\n"
	file := parseClean(t, rounds+"__device__ int f(int n) { return "+strings.Repeat("C(n) + ", 200)+"0; }\n__global__ void k(int n) {}")
	assert.Len(t, file.Kernels, 1)
}

// A comment behind a field or an enumerator belongs to it: in front of what separates it from the next one, or behind that
// at the end of the line.
func TestTrailingComments(t *testing.T) {
	file := parseClean(t, `enum Mode { A = 1, B = 200 /* b */, C /* c */ };
enum Two { D, // d
  E, F, // f
  G, /* whose */ H };
struct S {
  int x, y /* y */; int z; /* z */
  float u /* u */, v; // both
  int w; /* whose */ int q;
  int f : 3 /* f */, g : 4; // g
  int last /* last */;
};
struct T { int a; /* a */ };
enum Three { I, J, /* j */ };`)
	docs := make(map[string]string)
	for _, e := range file.Enums {
		for _, one := range e.Enumerators {
			docs[one.Name] = one.Doc
		}
	}
	for _, s := range file.Structs {
		for _, f := range s.Fields {
			docs[f.Name] = f.Doc
		}
	}
	maps.DeleteFunc(docs, func(_, doc string) bool { return doc == "" })
	assert.Equal(t, map[string]string{"B": "b", "C": "c", "D": "d", "F": "f", "y": "y", "z": "z", "u": "u", "v": "both", "f": "f", "g": "g", "last": "last", "a": "a", "J": "j"}, docs)
}
