package cu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
)

// wrapped returns the kernels of file that are not templates, as k<float>(float* p)[64], with their
// launch bounds.
func wrapped(t *testing.T, file *cu.File) string {
	t.Helper()
	var list []string
	for _, k := range file.Kernels {
		if k.Template {
			continue
		}
		require.Empty(t, k.Errors)
		var params []string
		for _, p := range k.Params {
			params = append(params, strings.TrimRight(p.Type.Demangled()+" "+p.Name, " "))
		}
		list = append(list, fmt.Sprintf("%s(%s)%v", k.QualifiedName(), strings.Join(params, ", "), k.LaunchBounds))
	}
	return strings.Join(list, "; ")
}

// C++ standard, [dcl.meaning]: parentheses around a declarator change nothing.
func TestParenthesisedNames(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"__global__ void (k)(int (a), float (b), int (*c), int (d)[3]) {}", "k(int a, float b, int* c, int* d)[]"},
		{"__global__ void ((k))(int a) {}", "k(int a)[]"},
		{"__global__ void (k)(int a);", "k(int a)[]"},
		{"namespace n { __global__ void k(int a); } __global__ void (n::k)(int a) {}", "n::k(int a)[]"},
		{"typedef void nothing; __global__ nothing (k)(int a) {}", "k(int a)[]"},
		{"auto __global__ (k)(int a) -> void {}", "k(int a)[]"},
		{"__global__ __launch_bounds__(64) void (k)(int a) {}", "k(int a)[64]"},
		{"#define NAME(x) (x)\nextern \"C\" __global__ void NAME(k)(int a) {}", "k(int a)[]"},
		{"namespace n { template <int N> __global__ void (k)(int a) {} } template __global__ void (n::k<3>)(int);", "n::k<3>(int a)[]"},
		{"template <class T> __global__ void (k)(T *p) {} template <> __global__ void (k<float>)(float *p) {}", "k<float>(float* p)[]"},
	} {
		t.Run(test.source, func(t *testing.T) {
			assert.Equal(t, test.want, wrapped(t, parseWith(t, test.source, "")))
		})
	}
	// The controls: a pointer to a kernel and a macro that is not known are not read like this.
	for _, source := range []string{"__global__ void (*k)(int a);", "__global__ void (k) = 3;"} {
		config := cu.Config{}
		_, err := config.ParseFile("k.cu", []byte(source))
		assert.ErrorContains(t, err, "it has no name with parameters behind it", source)
	}
}

// C++ standard, [temp.expl.spec], [temp.deduct.decl]: which template an explicit specialisation
// belongs to, and its arguments, follow from its parameters, too.
func TestExplicitSpecialisations(t *testing.T) {
	const two = "template <class T, int N = 1> __global__ void k(T *p) {} template <class T> __global__ void k(T p, int n) {} "
	for _, test := range []struct{ source, want string }{
		{"template <class T> __global__ void k(T *p) {} template <> __global__ void k(float *p) {}", "k<float>(float* p)[]"},
		{"template <class T> __global__ void k(T *p) {} template <> __global__ void k<>(float *p) {}", "k<float>(float* p)[]"},
		{two + "template <> __global__ void k<float>(float p, int n) {}", "k<float>(float p, int n)[]"},
		{two + "template <> __global__ void k<float>(float *p) {}", "k<float, 1>(float* p)[]"},
		{two + "template <> __global__ void k<float, 2>(float *p) {}", "k<float, 2>(float* p)[]"},
		{two + "template <> __global__ void k(char *p) {}", "k<char, 1>(char* p)[]"},
		{"template <class... T> __global__ void k(T... p) {} template <> __global__ void k<int, float>(int, float) {}", "k<int, float>(int, float)[]"},
		{"template <class... T> __global__ void k(T... p) {} template <> __global__ void k(short p, char) {}", "k<short, char>(short p, char)[]"},
		{"namespace n { template <int N> __global__ void k(int a) {} } template <> __global__ void n::k<4>(int a) {}", "n::k<4>(int a)[]"},
	} {
		t.Run(test.source, func(t *testing.T) {
			assert.Equal(t, test.want, wrapped(t, parseWith(t, test.source, "")))
		})
	}

	file := parseWith(t, "template <class T> struct A { using type = T *; };\n"+
		"template <class T> __global__ void k(typename A<T>::type p, T *q) {}\ntemplate <> __global__ void k<float>(float *p, float *q) {}", "")
	require.Equal(t, "k<float>(float* p, float* q)[]", wrapped(t, file))
	special := file.Kernels[1]
	assert.True(t, special.Params[0].Dependent, "symbols have A<float>::type")
	assert.False(t, special.Params[1].Dependent)

	for _, test := range []struct{ source, want string }{
		{"#include <gone.h>\ntemplate <> __global__ void k(float *p) {}", "k: is an explicit specialisation, and its template is not known here (perhaps from <gone.h>"},
		{two + "template <> __global__ void k<float>(float *p, float *q) {}", "k: no template of this name fits"},
	} {
		kernels := parseWith(t, test.source, "").Kernels
		last := kernels[len(kernels)-1]
		assert.ErrorContains(t, last.Errors, test.want)
		assert.Empty(t, last.Args)
	}
}

// A kernel returns void, whatever says so, before its name or behind its parameters: C++ standard,
// [dcl.fct], trailing-return-type.
func TestResults(t *testing.T) {
	const own = "template <bool> struct If {}; template <> struct If<true> { using type = void; };\nnamespace n { using V = void; } "
	for _, test := range []struct{ source, want string }{
		{"__global__ auto k(int a) -> void {}", "k(int a)[]"},
		{"__global__ auto k(int a) -> n::V;", "k(int a)[]"},
		{"__global__ auto k(int a) -> void __launch_bounds__(32) {}", "k(int a)[32]"},
		{"__global__ n::V k(int a) {}", "k(int a)[]"},
		{"__global__ decltype(void()) k(int a) {}", "k(int a)[]"},
		{"__global__ auto k(int a) -> decltype(void(1)) {}", "k(int a)[]"},
		{"__global__ auto k(int a) -> typename If<true>::type {}", "k(int a)[]"},
		{"__global__ void k [[gnu::noinline]] (int a) {}", "k(int a)[]"},
		{"template <class T> __global__ auto k(T a) -> std::enable_if_t<sizeof(T) == 4> {} template __global__ auto k(int) -> void;", "k<int>(int a)[]"},
		{"template <class T> __global__ typename If<sizeof(T) == 4>::type k(T a) {} template __global__ void k(int);", "k<int>(int a)[]"},
		{"template <class T> __global__ auto k(T a) -> typename If<sizeof(T) == 4>::type {} template <> __global__ auto k(int a) -> If<true>::type {}", "k<int>(int a)[]"},
		{"auto f(int) -> int (*)(char); __global__ void k(decltype(f(1)) a) {}", "k(int (*)(char) a)[]"},
	} {
		t.Run(test.source, func(t *testing.T) {
			assert.Equal(t, test.want, wrapped(t, parseWith(t, own+test.source, "")))
		})
	}
	// The controls: what is not void, or not known.
	for _, test := range []struct{ source, want string }{
		{"__global__ auto k(int a) {}", "k: a kernel returns void"},
		{"__global__ auto k(int a) -> int {}", "k: a kernel returns void, not int"},
		{"namespace n { using I = int; } __global__ n::I k(int a) {}", "k: a kernel returns void"},
		{"__global__ decltype(1) k(int a) {}", "k: a kernel returns void"},
		{"__global__ auto k(int a) -> decltype(gone) {}", "k: its result has type decltype, and the type of its expression is not known here"},
		{"__global__ auto k(int a) -> If<false>::type {}", "k: a kernel returns void"},
		{"__global__ n::V (k)(int a) {}", "V: parameter 1 has unknown type k"},
	} {
		kernels := parseWith(t, own+test.source, "").Kernels
		require.Len(t, kernels, 1)
		assert.ErrorContains(t, kernels[0].Errors, test.want, test.source)
	}
}

// The type of nullptr is one of its own, and no void *: C++ standard, [basic.fundamental].
func TestNullPointerType(t *testing.T) {
	const source = "template <int> struct A {}; template <class T> __global__ void k(T a) {} void f() { k<<<1, 2>>>(nullptr); }\n" +
		"__global__ void n(std::nullptr_t a, decltype(nullptr) *b, A<std::is_pointer_v<decltype(nullptr)> + 2 * std::is_arithmetic_v<std::nullptr_t> + 4 * std::is_signed_v<std::nullptr_t> + 8 * sizeof(nullptr)> *c) {}"
	assert.Equal(t, "k<decltype(nullptr)>(decltype(nullptr) a)[]; n(decltype(nullptr) a, decltype(nullptr)* b, A<64>* c)[]", wrapped(t, parseWith(t, source, "")))
}

// A kernel may be declared, and not defined, with the name of a function's type: C++ standard, [dcl.fct].
func TestKernelsOfNamedTypes(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"typedef void F(int *a); extern \"C\" __global__ F k; __global__ void k(int *b) {}", "k(int* b)[]"},
		{"namespace n { using F = void(float, int[]); } __global__ __launch_bounds__(32) n::F k; __global__ void k(float b, int *c) {}", "k(float b, int* c)[32]"},
		{"template <class T> using F = void(T, T *); static __global__ F<char> k;", "k(char, char*)[]"},
		{"typedef void F(int); __global__ F __launch_bounds__(64) k, l; __global__ void k(int a) {} __global__ void l(int b) {}", "k(int a)[64]; l(int b)[]"},
		{"__global__ void __launch_bounds__(64) k(int), l(float); __global__ void k(int a) {} __global__ void l(float b) {}", "k(int a)[64]; l(float b)[]"},
		{"template <class T> struct S { using F = void(T); }; __global__ typename S<int>::F k; __global__ void k(long) {}", "k(int)[]; k(long)[]"},
	} {
		t.Run(test.source, func(t *testing.T) {
			file := parseWith(t, test.source, "")
			assert.Equal(t, test.want, wrapped(t, file))
			assert.Equal(t, strings.Contains(test.source, `"C"`), file.Kernels[0].ExternC)
		})
	}
	// The controls.
	for _, test := range []struct{ source, want string }{
		{"typedef int F(int); __global__ F k;", "a kernel returns void"},
		{"struct S; typedef void F(S); __global__ F k;", "parameter 1 has type S, which is declared but not defined"},
		{"typedef void F(int); __global__ F k = 0;", "it has no name with parameters behind it"},
		{"typedef void F(int, ...); __global__ F k;", "it has no name with parameters behind it"},
		{"typedef void (*F)(int); __global__ F k;", "it has no name with parameters behind it"},
	} {
		config := cu.Config{}
		file, err := config.ParseFile("k.cu", []byte(test.source))
		for _, k := range file.Kernels {
			err = k.Errors.Err()
		}
		assert.ErrorContains(t, err, test.want, test.source)
	}
}

// A parameter without a name hides nothing, and one in parentheses has a name: C++ standard, [dcl.meaning].
func TestNamesOfParameters(t *testing.T) {
	const source = "namespace n { typedef int I; }\ntemplate <class IN, class OUT> __global__ void k(const IN, IN *, const OUT) {} template __global__ void k<float, int>(float, float *, int);\n" +
		"template <int (N), n::I (M), const int (*P)> struct A { int x[N + M]; }; __global__ void l(A<1, 2, nullptr> a) {}\n" +
		"template <class... Ts> constexpr int count(Ts (&...args)[1]) { return sizeof...(args); } template <int (T)(n::I), decltype(1) (L)> __global__ void m() {} int f(int); template __global__ void m<f, 3>();"
	assert.Equal(t, "k<float, int>(float, float*, int)[]; l(A<1, 2, (int const*)0> a)[]; m<&f, 3>()[]", wrapped(t, parseWith(t, source, "")))
}

// A symbol has a number in place of the name that a class has not: Itanium C++ ABI, Mangling: unnamed types.
func TestParametersOfUnnamedTypes(t *testing.T) {
	file := parseWith(t, "struct { int x; } a; typedef struct { int x; } *B; typedef struct { int x; } C; struct D { struct { int x; } y; }; enum { e };\n"+
		"template <class T> struct E { T x; }; __global__ void k(decltype(a) *a, B b, C c, decltype(D::y) *d, decltype(e) e, E<decltype(e)> f, E<C> g) {}", "")
	var dependent []bool
	for _, p := range file.Kernels[0].Params {
		dependent = append(dependent, p.Dependent)
	}
	assert.Equal(t, []bool{true, true, false, true, true, true, false}, dependent)
}

// A symbol has an argument that is a value of a parameter of the kernel's template with the type of that one.
func TestRetypedArguments(t *testing.T) {
	file := parseWith(t, "enum E { x = 2 }; template <int N, class T = int> struct A {}; template <auto N> struct B {}; template <class T, T N> struct C {};\n"+
		"template <int N, unsigned M, E e> __global__ void k(A<N> a, A<M> b, A<e, float> c, B<M> d, C<int, N> f, A<3> g) {} template __global__ void k<1, 2, x>(A<1>, A<2>, A<2, float>, B<2u>, C<int, 1>, A<3>);", "")
	var dependent []bool
	for _, p := range file.Kernels[1].Params {
		dependent = append(dependent, p.Dependent)
	}
	assert.Equal(t, []bool{false, true, true, false, true, false}, dependent)
}

// The types of names that stand for functions and members: C++ standard, [expr.prim.id], [expr.unary.op].
func TestNamesWithoutCalls(t *testing.T) {
	const declared = "int f(int *, char[3]); int f(int *, char *); int g(int); int g(float); int n() noexcept; int v(int, ...); template <class T> int h(T);\n" +
		"struct B { int x; }; struct S : B { short y; union { int u; }; static int s; void m(); }; template <class T> __global__ void t(T) {}\n"
	for _, test := range []struct{ source, want string }{
		{"__global__ void k(decltype(f) *a, decltype((f)) b, decltype(&f) c, decltype(f) d) {}", "k(int (*)(int*, char*) a, int (&)(int*, char*) b, int (*)(int*, char*) c, int (*)(int*, char*) d)[]"},
		{"__global__ void k(decltype(&S::y) a, decltype(&B::x) b, decltype(&S::s) c) {}", "k(short S::* a, int B::* b, int* c)[]"},
		{"void l() { t<<<1, 2>>>(f); t<<<1, 2>>>(&f); }", "t<int (*)(int*, char*)>(int (*)(int*, char*))[]"},
	} {
		assert.Equal(t, test.want, wrapped(t, parseWith(t, declared+test.source, "")), test.source)
	}
	for _, name := range []string{"g", "n", "v", "h<int>", "&S::x", "&S::u", "&S::m"} {
		kernels := parseWith(t, declared+"__global__ void k(decltype("+name+") a) {}", "").Kernels
		assert.ErrorContains(t, kernels[len(kernels)-1].Errors, "has type decltype", name)
	}
}

// A symbol has the qualifiers of an argument T in a parameter of type T, which has none itself.
func TestQualifiedArguments(t *testing.T) {
	file := parseWith(t, "template <class T> __global__ void k(T a, const T b, T *c, T d[2], T &e) {} template __global__ void k(int, int, int *, int *, int &);\n"+
		"template __global__ void k<int *const>(int *const, int *const, int *const *, int *const *, int *const &);", "")
	var dependent []bool
	for _, k := range file.Kernels[1:] {
		for _, p := range k.Params {
			dependent = append(dependent, p.Dependent)
		}
	}
	assert.Equal(t, []bool{false, false, false, false, false, true, true, false, false, false}, dependent)
}
