package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Of preprocessed source nothing goes but what surely is the body of a kernel, and lines keep their numbers.
func TestWithoutBodies(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // G stands for the attribute of a kernel
	}{
		{"a kernel", "G void k(int n) { if (n) { n = 1; } }\nint after;\n", "G void k(int n) {}\nint after;\n"},
		{"attributes, defaults, noexcept", "template <class T = decltype(f({}))> void G __attribute__((launch_bounds(256))) k(S s = S{1}, int (*f)(int[]) = [](int[]) { return 1; }) noexcept(true) { x; }",
			"template <class T = decltype(f({}))> void G __attribute__((launch_bounds(256))) k(S s = S{1}, int (*f)(int[]) = [](int[]) { return 1; }) noexcept(true) {}"},
		{"lines", "G void k()\n{\n  f();\n# 7 \"a.h\" 1 3\n  g();\n# 4 \"k.cu\" 2\n  h(); }\nint n;", "G void k()\n{\n\n# 7 \"a.h\" 1 3\n\n# 4 \"k.cu\" 2\n}\nint n;"},
		{"literals", `G void k() { char c = '}'; s = "}\"}"; t = R"x(}")")x"; n = 1'000'0; u = L'\''; } int n;`, `G void k() {} int n;`},
		{"pragmas of loops", "G void k() {\n#pragma unroll 4\n#pragma unroll(2)\n# pragma nounroll\n}\nint n;", "G void k() {\n\n\n\n}\nint n;"},
		{"several", "G void a() { 1; } namespace n { G void b() { 2; } } [[nodiscard]] int c();", "G void a() {} namespace n { G void b() {} } [[nodiscard]] int c();"},

		{"a declaration", "G void k(int n); struct S { int a; };", ""},
		{"a friend", "struct S { friend G void k(S s); int a; };", ""},
		{"a string", `const char s[] = R"(G void k() { 1; })" "G void k() { 1; }"; G const int n = '"';`, ""},
		{"an expression in a name", "template <> G void k<S{1}>(int n) { f(); }", ""},
		{"an expression behind parentheses in a name", "template <> G void k<decltype(s()){1}>(int n) { f(); }", ""},
		{"an expression that goes on", "template <> G void k<decltype(s()){1}[0]>(int n) { f(); }", ""},
		{"a constraint", "template <class T> G void k(T t) requires requires { t.x; } { f(); }", ""},
		{"another type of result", "auto G k() -> decltype(T{}) { f(); }", ""},
		{"a pragma that goes on behind it", "G void k() {\n#pragma pack(1)\n}\nstruct S { char c; int n; };", ""},
		{"another pragma", "G void k() { _Pragma(\"pack(1)\") }\nstruct S { char c; int n; };", ""},
		{"a friend that an instance may define", "template <int N> struct F { friend constexpr int f(F<N>); }; template <int N> struct W { friend constexpr int f(F<N>) { return 1; } }; G void k() { W<1> w; }\nint n;", ""},
		{"a friend whose result an instance may tell", "template <int N> struct F { auto friend f(F<N>); }; template <int N> struct W { friend auto f(F<N>) noexcept(true) { return 1; } }; G void k() { W<1> w; }\nint n;", ""},
		{"an operator that an instance may define", "template <int N> struct F { friend constexpr int operator<=(F<N>, int); }; template <int N> struct W { friend constexpr int operator <= (F<N>, int) { return 1; } }; G void k() { W<1> w; }\nint n;", ""},
		{"a friend in parentheses", "template <int N> struct F { friend constexpr auto (f)(F<N>); }; template <int N> struct W { friend constexpr auto f(F<N>) { return 1; } }; G void k() { W<1> w; }\nint n;", ""},
		{"friends that no instance defines", "template <int N> struct F { friend constexpr int f(F<N>); friend constexpr bool operator<(F, F); friend int g() { return 1; } friend bool operator<=(F, F) { return 1; } }; G void k() { W<1> w; }\nint n;",
			"template <int N> struct F { friend constexpr int f(F<N>); friend constexpr bool operator<(F, F); friend int g() { return 1; } friend bool operator<=(F, F) { return 1; } }; G void k() {}\nint n;"},
		{"a friend of the system", "# 1 \"/usr/include/variant\" 1 3\nstruct V { friend constexpr int f(V); };\n# 2 \"k.cu\" 2\nstruct W { friend constexpr int f(W) { return 1; } }; G void k() { W<1> w; }\nint n;",
			"# 1 \"/usr/include/variant\" 1 3\nstruct V { friend constexpr int f(V); };\n# 2 \"k.cu\" 2\nstruct W { friend constexpr int f(W) { return 1; } }; G void k() {}\nint n;"},
		{"friends with bodies", "struct F { friend constexpr int f(F) { return 1; } friend constexpr bool operator==(F, F) = default; friend class H; }; G void k() { f(F()); }\nint n;",
			"struct F { friend constexpr int f(F) { return 1; } friend constexpr bool operator==(F, F) = default; friend class H; }; G void k() {}\nint n;"},
		{"no end", "G void k() { f(); ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			attribute := func(text string) string { return strings.ReplaceAll(text, "G ", "__attribute__((global)) ") }
			got, bodies := withoutBodies([]byte(attribute(tt.text)))
			if tt.want == "" {
				tt.want = tt.text
				assert.Zero(t, bodies)
			} else {
				assert.NotZero(t, bodies)
			}
			assert.Equal(t, attribute(tt.want), string(got))
		})
	}
}

func FuzzWithoutBodies(f *testing.F) {
	f.Add([]byte("__attribute__((global)) void k(int n = S{1}.x) {\n# 1 \"a\" 1\n'}' \"}\" R\"x(})x\" }\nint n;"))
	f.Fuzz(func(t *testing.T, text []byte) {
		cut, bodies := withoutBodies(text)
		assert.Equal(t, strings.Count(string(text), "\n"), strings.Count(string(cut), "\n"))
		if bodies == 0 {
			assert.Equal(t, text, cut)
		}
	})
}

// declaredSource has a macro that a second preprocessor would expand again, macros that one architecture has alone, and code.
const declaredSource = `#undef unix
struct Grown { char unix[3]; };
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
struct Special { long arch; };
__device__ Special special;
#endif
#ifdef __CUDACC_DEBUG__
#error debug
#endif
#include "inc/vec.h"
static __device__ Grown grown;
template <class T> __device__ T work(T x) { return x * 3; }
template <class T> __global__ void generic(T *x, Grown g) {
  #pragma unroll
  for (int i = 0; i < 4; i++) x[i] = work(x[i]) + twice(i);
}
void launch(double *x) { generic<<<1, 1>>>(x, Grown()); }
`

// TestDeclared: a compilation without the code of kernels has what is declared, as the whole one has.
func TestDeclared(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m #1$", map[string]string{"k.cu": declaredSource, "inc/vec.h": vecHeader})
	req := Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_90a", Debug: true, Declared: true, Suffix: "#line 9 \"end\"\n__device__ int behind[sizeof(Grown)];\n"}
	var commands []string
	req.Trace = func(command []string) { commands = append(commands, strings.Join(command, " ")) }
	out, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.True(t, out.Declared)
	assert.Len(t, commands, 2)
	for _, want := range []string{".debug_info", "special[8]", ".b8 behind[12]", ".entry _Z7genericIdEvPT_5Grown(", ".global .align 1 .b8 grown[3]"} {
		assert.Contains(t, string(out.Code), want)
	}
	assert.NotContains(t, string(out.Code), "work")
	assert.Contains(t, out.Includes, filepath.Join(root, "inc", "vec.h"))
	assert.NotContains(t, out.Includes, filepath.Join(root, "k.cu"))

	req.Declared = false
	whole, err := c.Compile(t.Context(), req)
	require.NoError(t, err)
	assert.False(t, whole.Declared)
	assert.Contains(t, string(whole.Code), "work")
	assert.ElementsMatch(t, whole.Includes, out.Includes)

	req.Declared, req.Suffix = true, "#line 9 \"end\"\nint wrong = nothing;\n"
	_, err = c.Compile(t.Context(), req)
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Equal(t, "end", filepath.Base(list[0].Pos.Filename))
	assert.Equal(t, 9, list[0].Pos.Line)
}

// TestDeclaredRelocatable: both phases have the macros of the image, and keep no files in the folder of the source.
func TestDeclaredRelocatable(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"k.cu": "#ifndef __CUDACC_RDC__\n#error whole\n#endif\n__global__ void k(int n) {}\n"})
	out, err := c.Compile(t.Context(), Request{Source: filepath.Join(root, "k.cu"), Arch: "compute_75", Debug: true, Declared: true, Relocatable: true, Flags: []string{"-keep"}})
	require.NoError(t, err)
	assert.True(t, out.Declared)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// What cannot be cut is compiled whole: without kernels, and by another preprocessor than gcc's.
func TestDeclaredWhole(t *testing.T) {
	c := findNVCC(t)
	emptyTemp(t)
	root := write(t, "m", map[string]string{"none.cu": "__device__ int n;\n", "k.cu": "__global__ void k(int n) {}\n", "wrong.cu": "#error stop\n__global__ void k(int n) {}\n"})
	compile := func(name string, flags ...string) (*Output, error) {
		return c.Compile(t.Context(), Request{Source: filepath.Join(root, name), Arch: "compute_75", Debug: true, Declared: true, Flags: flags})
	}
	out, err := compile("none.cu")
	require.NoError(t, err)
	assert.False(t, out.Declared)
	out, err = compile("k.cu")
	require.NoError(t, err)
	assert.True(t, out.Declared)
	_, err = compile("wrong.cu")
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Contains(t, list.Error(), filepath.Join(root, "wrong.cu")+":1")

	clang, err := FindClang(os.Getenv)
	if err != nil {
		testenv.Need(t, testenv.Clang)
	}
	require.NoError(t, err)
	words := strings.TrimSuffix(strings.Fields(clang.String())[0], ",")
	out, err = compile("k.cu", "-ccbin", words, "-allow-unsupported-compiler")
	require.NoError(t, err)
	assert.False(t, out.Declared)
}
