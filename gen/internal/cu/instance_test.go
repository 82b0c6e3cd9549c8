package cu_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// parseWith reads source with the included file "h.cuh".
func parseWith(t *testing.T, source, header string) *cu.File {
	t.Helper()
	config := cu.Config{Read: func(path string) ([]byte, error) {
		if path == "h.cuh" {
			return []byte(header), nil
		}
		return nil, fs.ErrNotExist
	}}
	file, err := config.ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	return file
}

// own returns the kernels of file that it asks for itself, templates aside, with their directives:
// "k<float>[block 256]".
func own(file *cu.File) string {
	var list []string
	for _, k := range file.Kernels {
		if !k.Own || k.Template {
			continue
		}
		one := k.QualifiedName()
		if len(k.Errors) > 0 {
			one += "!" + k.Errors[0].Message.Error()
		}
		for _, d := range k.Directives {
			one += strings.TrimRight(fmt.Sprintf("[%s %s", d.Verb, d.Args), " ") + "]"
		}
		if k.Instance != nil && k.Instance.GoName != "" {
			one += " as " + k.Instance.GoName
		}
		if k.Instance != nil && k.Instance.Explicit {
			one += " explicit"
		}
		list = append(list, one)
	}
	return strings.Join(list, "; ")
}

const (
	kernelK    = "template<class T, int N = 4> __global__ void k(const T *x, T *y, int n) {}\n"
	inFunction = "void f(float *d, double *e, int n) { "
)

// impliedCases are sources with what they instantiate and launch.
var impliedCases = map[string]struct {
	source string
	want   string // as own has it
	note   string // why something is not known; empty when all is
}{
	"explicit instantiation":             {kernelK + "template __global__ void k<float, 8>(const float *, float *, int);", "k<float, 8> explicit", ""},
	"default argument":                   {kernelK + "template __global__ void k<float>(const float *, float *, int);", "k<float, 4> explicit", ""},
	"deduced by it":                      {kernelK + "template __global__ void k(const float *, float *, int);", "k<float, 4> explicit", ""},
	"deduced in part":                    {"template<int N, class T> __global__ void k(T *x) {}\ntemplate __global__ void k<3>(double *);", "k<3, double> explicit", ""},
	"without parameters":                 {kernelK + "template __global__ decltype(k<float, 2>) k<float, 2>;", "k<float, 2> explicit", ""},
	"extern template":                    {kernelK + "extern template __global__ void k<float>(const float *, float *, int);", "", ""},
	"twice":                              {kernelK + inFunction + "k<float><<<1, 2>>>(d, d, n); k<float, 4><<<1, 2>>>(d, d, n); }\ntemplate __global__ void k<float>(const float *, float *, int);", "k<float, 4> explicit", ""},
	"overloads":                          {"template<class T> __global__ void k(T *x) {}\ntemplate<class T> __global__ void k(T *x, T *y) {}\ntemplate __global__ void k<float>(float *, float *);", "k<float> explicit", ""},
	"in its namespace":                   {"namespace a { namespace b { " + kernelK + "}\ntemplate __global__ void b::k<float>(const float *, float *, int);\n}", "a::b::k<float, 4> explicit", ""},
	"through an alias":                   {"namespace a { " + kernelK + "}\nnamespace s = a;\ntemplate __global__ void ::s::k<float>(const float *, float *, int);", "a::k<float, 4> explicit", ""},
	"inline namespace":                   {"namespace a { inline namespace v2 { " + kernelK + "} }\ntemplate __global__ void a::k<float>(const float *, float *, int);", "a::v2::k<float, 4> explicit", ""},
	"no kernel":                          {"template<class T> void k(T *x) {}\ntemplate void k<float>(float *);", "", ""},
	"launch":                             {kernelK + inFunction + "k<float, 8><<<1, 2>>>(d, d, n); }", "k<float, 8>", ""},
	"deduced by a launch":                {kernelK + inFunction + "k<<<1, 2>>>(d, d, n); }", "k<float, 4>", ""},
	"deduced in part by a launch":        {"template<int N, class T> __global__ void k(T *x) {}\n" + inFunction + "k<3><<<1, 2, 0, 0>>>(e); }", "k<3, double>", ""},
	"without const":                      {kernelK + "void f() { const float *x; float *y; k<<<1, 2>>>(x, y, 1); }", "k<float, 4>", ""},
	"told apart by a class":              {"struct A {}; struct B {};\ntemplate<class T> __global__ void k(T *x, A) {}\ntemplate<class T> __global__ void k(T *x, B) {}\n" + inFunction + "k<<<1, 2>>>(d, A{}); k<<<1, 2>>>(e, B{}); }", "k<float>; k<double>", ""},
	"told apart by what converts":        {"struct A {}; struct B { B(A); };\ntemplate<class T> __global__ void k(T *x, A) {}\ntemplate<class T> __global__ void k(T *x, B) {}\n" + inFunction + "k<<<1, 2>>>(d, A{}); }", "", "more than one template of this name fits"},
	"told apart by a template parameter": {"template<class T, class U> __global__ void k(T *x) {}\ntemplate<class T, int N> __global__ void k(T *x) {}\nstruct A {};\ntemplate __global__ void k<float, A>(float *);\ntemplate __global__ void k<double, 3>(double *);", "k<float, A> explicit; k<double, 3> explicit", ""},
	"a value of a class":                 {"struct V { int x, y; };\nconstexpr V w{3, 4};\ntemplate<V v> __global__ void k(char (*x)[v.x + 1]) {}\nvoid f() { k<V{1, 2}><<<1, 2>>>(nullptr); k<w><<<1, 2>>>(nullptr); }", "k<V{1, 2}>; k<V{3, 4}>", ""},
	"a conversion to dim3":               {"template<class T> __global__ void k(T *x, dim3 d) {}\nvoid f(float *d) { k<<<1, 2>>>(d, 64); }", "k<float>", ""},
	"a conversion by a base's":           {"struct B { B(int n); }; struct D : B { using B::B; };\ntemplate<class T> __global__ void k(T *x, D d) {}\nvoid f(float *d) { k<<<1, 2>>>(d, 64); }", "k<float>", ""},
	"a name for a deduced value":         {"struct V { int x, y; };\nconstexpr V w{3, 4};\nconst float h = 1.5f;\ntemplate<auto v> __global__ void k(int x) {}\nvoid f() { k<w><<<1, 2>>>(1); k<V{}><<<1, 2>>>(1); k<1.5f><<<1, 2>>>(1); k<&w><<<1, 2>>>(1); }", "k<V{3, 4}>; k<V{}>; k<(float)[3fc00000]>; k<&w>", ""},
	"two types for one":                  {kernelK + inFunction + "k<<<1, 2>>>(d, e, n); }", "", "no template of this name fits"},
	"pointer to const":                   {"template<class T> __global__ void k(T *x) {}\nvoid f(const float *x) { k<<<1, 2>>>(x); }", "k<float const>", ""},
	"by value":                           {"template<class T> __global__ void k(T x) {}\nvoid f() { const unsigned char x = 1; k<<<1, 2>>>(x); }", "k<unsigned char>", ""},
	"an array":                           {"template<class T> __global__ void k(T x) {}\nvoid f() { float x[4]; k<<<1, 2>>>(x); }", "k<float*>", ""},
	"an array parameter":                 {"template<class T> __global__ void k(T x[]) {}\nvoid f(short x[4]) { k<<<1, 2>>>(x); }", "k<short>", ""},
	"literals":                           {"template<class A, class B, class C, class D> __global__ void k(A, B, C, D) {}\nvoid f() { k<<<1, 2>>>(1, 2u, 3.0f, true); }", "k<int, unsigned int, float, bool>", ""},
	"pointers to pointers":               {"template<class T> __global__ void k(T **x) {}\nvoid f(int **x) { k<<<1, 2>>>(x); }", "k<int>", ""},
	"a class":                            {"template<class T, int N> struct V { T x[N]; };\ntemplate<class T, int N> __global__ void k(V<T, N> v) {}\nvoid f() { V<float, 3> v; k<<<1, 2>>>(v); }", "k<float, 3>", ""},
	"a member":                           {"struct S { double *p; };\ntemplate<class T> __global__ void k(T *x) {}\nvoid f(S s, S *t) { k<<<1, 2>>>(s.p); k<<<1, 2>>>(t->p + 3); }", "k<double>", ""},
	"casts and addresses":                {"template<class T, class U> __global__ void k(T *x, U *y) {}\nvoid f(void *p) { int n; k<<<1, 2>>>((float *)p, &n); k<<<1, 2>>>(static_cast<char *>(p), &n); }", "k<float, int>; k<char, int>", ""},
	"a typedef":                          {"typedef float real;\n" + kernelK + "void f() { real *d = 0; k<<<1, 2>>>(d, d, 1); }", "k<float, 4>", ""},
	"constants of the function":          {kernelK + "void f(float *d) { const int block = 64; constexpr int two = 2; { k<float, block * two><<<1, 2>>>(d, d, 1); } }", "k<float, 128>", ""},
	"a block hides":                      {kernelK + "double *d;\nvoid f() { float *d; { int *d; { } k<<<1, 2>>>(d, d, 1); } k<<<1, 2>>>(d, d, 1); }", "k<int, 4>; k<float, 4>", ""},
	"declared later":                     {kernelK + "double *d;\nvoid f() { k<<<1, 2>>>(d, d, 1); float *d; }", "k<double, 4>", ""},
	"in a loop":                          {kernelK + "void f(double **p) { for (short *d = 0; d; d++) if (*d) { k<<<1, 2>>>(d, d, 1); } else k<<<1, 2>>>(p[0], p[0], 1); }", "k<short, 4>; k<double, 4>", ""},
	"over a range":                       {kernelK + "template<class T> void g(T *x) { k<T, 1><<<1, 2>>>(x, x, 1); }\nstruct P { int a, b; };\nvoid f(float *d) { const int n = 1; int numbers[2]; P all[2]; double *list[3]; for (signed i : numbers) for (auto [p, q] : all) for (double *e : list) { k<signed><<<1, 2>>>(nullptr, nullptr, n); g<P>(nullptr); k<<<1, 2>>>(d, d, i); k<<<1, 2>>>(e, e, n); } }", "k<int, 4>; k<float, 4>; k<double, 4>; k<P, 1>", ""},
	"over a range of a typedef":          {"typedef int i32;\n" + kernelK + "template<class T> void g(T *x) { k<T, 1><<<1, 2>>>(x, x, 1); }\nvoid f(float *d) { i32 numbers[2]; for (const i32 i : numbers) { g<i32>(nullptr); k<i32><<<1, 2>>>(nullptr, nullptr, i); } }", "k<int, 4>; k<int, 1>", ""},
	"over a range behind another":        {kernelK + "void f(float *d) { int numbers[2]; for (short *e = 0; const int n : numbers) { k<<<1, 2>>>(e, e, 1); k<<<1, 2>>>(d, d, n); } }", "k<short, 4>; k<float, 4>", ""},
	"a range of something hidden":        {kernelK + "float *d;\nvoid f() { for (auto &d : gone()) k<<<1, 2>>>(d, d, 1); for (Gone *d : gone()) k<<<1, 2>>>(d, d, 1); }", "", "the type of argument 1 is not understood"},
	"a condition in a for":               {kernelK + "void f(float *d, short *e, bool b) { for (int i = b ? 1 : 2; i < 3; i++) { k<<<1, 2>>>(d, d, i); k<<<1, 2>>>(e, e, b); } for (int i = 0; i < (b ? 1 : 2); i = b ? 4 : 5) k<int><<<1, 2>>>(0, 0, i); }", "k<float, 4>; k<short, 4>; k<int, 4>", ""},
	"in a switch":                        {kernelK + inFunction + "switch (n) { case 1: k<float, 1><<<1, 2>>>(d, d, n); break; case 2: { k<float, 2><<<1, 2>>>(d, d, n); } break; default: k<double, 3><<<1, 2>>>(e, e, n); } }", "k<float, 1>; k<float, 2>; k<double, 3>", ""},
	"in do and try":                      {kernelK + inFunction + "do k<float, 1><<<1, 2>>>(d, d, n); while (0); try { k<<<1, 2>>>(e, e, n); } catch (int *d) { k<<<1, 2>>>(d, d, n); } }", "k<float, 1>; k<double, 4>; k<int, 4>", ""},
	"in a macro":                         {kernelK + "#define LAUNCH(T, x) do { k<T><<<1, 2>>>(x, x, 1); } while (0)\n" + inFunction + "LAUNCH(float, d); }", "k<float, 4>", ""},
	"in a macro nobody uses":             {kernelK + "#define LAUNCH(T, x) k<T><<<1, 2>>>(x, x, 1)\n", "", ""},
	"in an argument":                     {kernelK + "int check(...);\n" + inFunction + "check((k<<<1, 2>>>(d, d, n), 1)); }", "k<float, 4>", ""},
	"in a member function":               {kernelK + "struct S { double *d; void f(float *e) { k<<<1, 2>>>(e, e, 1); } };", "k<float, 4>", ""},
	"outside its class":                  {kernelK + "struct S { double *d; void f(float *e); };\nvoid S::f(float *e) { k<<<1, 2>>>(e, e, 1); }", "k<float, 4>", ""},
	"a field":                            {kernelK + "float *d;\nstruct S { double *d; void f(); };\nvoid S::f() { k<<<1, 2>>>(d, d, 1); }", "k<double, 4>", ""},
	"a field through this":               {kernelK + "float *d;\nstruct B { short *b; };\nstruct S : B { double *d; void f() { k<<<1, 2>>>(this->d, d, 1); k<<<1, 2>>>(b, this->b, 1); } };", "k<double, 4>; k<short, 4>", ""},
	"a field that is not known":          {kernelK + "float *d;\nstruct S { Unknown x; void f() { k<<<1, 2>>>(d, d, 1); } };", "", "the type of argument 1 is not understood"},
	"in a template":                      {kernelK + "template<class T> void f(T *d) { k<T><<<1, 2>>>(d, d, 1); }\ntemplate void f<float>(float *);", "k<float, 4>", ""},
	"in a template that is called":       {kernelK + "template<class T, int N = 2> void f(T *d, int n) { k<T, N><<<1, 2>>>(d, d, n); }\n" + inFunction + "f(d, n); f<double, 8>(e, n); f<short>(nullptr, 1); }", "k<float, 2>; k<double, 8>; k<short, 2>", ""},
	"in a template of a template":        {kernelK + "template<class T> void f(T *d) { k<<<1, 2>>>(d, d, 1); }\ntemplate<class T> void g(T *d) { f(d); auto l = [&] { f<const T>(d); }; }\n" + inFunction + "g(d); }", "k<float, 4>", "no template of this name fits"},
	"called with what is not known":      {kernelK + "template<class T> void f(T *d) { k<T><<<1, 2>>>(d, d, 1); }\nvoid g() { f(gone()); }", "", "f: the template arguments of this function are not known here, so the kernels that it launches are not wrapped for them: the type of argument 1 is not understood (instantiate the function explicitly, or write //cudagen:instantiate above those kernels)"},
	"a template with an overload":        {kernelK + "template<class T> void f(T *d) { k<T><<<1, 2>>>(d, d, 1); }\nvoid f(float *d) {}\n" + inFunction + "f(d); }", "", "other functions have this name, too"},
	"a template declared before":         {kernelK + "template<class T> void f(T *d);\nnamespace a { void g(float *d, double *e) { f(d); f<double>(e); } }\ntemplate<class T> void f(T *d) { k<T><<<1, 2>>>(d, d, 1); }", "k<float, 4>; k<double, 4>", ""},
	"a pointer that is called":           {kernelK + "template<class T> void f(T *d) { k<T><<<1, 2>>>(d, d, 1); }\nvoid g(void (*f)(int *), int *x) { f(x); }\ntemplate void f(short *);", "k<short, 4>", ""},
	"deduced in a template":              {kernelK + "template<class T> void f(T *d) { k<<<1, 2>>>(d, d, 1); }", "", "the type of argument 1 is not understood"},
	"certain in a template":              {kernelK + "template<class T> void f(T *e) { float *d; k<<<1, 2>>>(d, d, 1); k<double><<<1, 2>>>(d, d, 1); }", "k<float, 4>; k<double, 4>", ""},
	"in a class template":                {kernelK + "template<class T> struct S { void f(T *d) { k<T><<<1, 2>>>(d, d, 1); } };", "", "it stands in class template S, of which no instance is known here"},
	"in an instance of a class":          {kernelK + "template<class T> struct S { void f(T *d) { k<T><<<1, 2>>>(d, d, 1); } };\n" + inFunction + "S<float> s; s.f(d); }\ntemplate struct S<double>;", "k<double, 4>; k<float, 4>", ""},
	"in a member of an instance":         {kernelK + "template<class T, int M> struct S { static constexpr int N = 2 * M; T *d; void f(int n) { k<T, N><<<1, 2>>>(d, d, n); } static void h(T *x) { k<<<1, 2>>>(x, x, 1); } };\n" + "void g() { S<float, 3> s{nullptr}; s.f(1); s.h(nullptr); S<double, 4>::h(nullptr); S<double, 4>{nullptr}.f(1); }", "k<double, 8>; k<double, 4>; k<float, 6>; k<float, 4>", ""},
	"in a constructor":                   {kernelK + "template<class T> struct S { S(T *x) { k<T, 1><<<1, 2>>>(x, x, 1); } ~S() { k<T, 2><<<1, 2>>>(nullptr, nullptr, 1); } void operator()(T *x) { k<T, 3><<<1, 2>>>(x, x, 1); } };\n" + inFunction + "S<float> s(d); s(d); }", "k<float, 1>; k<float, 2>; k<float, 3>", ""},
	"outside of a class template":        {kernelK + "template<class T, int M> struct S { T *d; enum { N = M + 1 }; S(int n); void f(int n); };\ntemplate<class U, int I> S<U, I>::S(int n) { k<U, I><<<1, 2>>>(d, d, n); }\ntemplate<class U, int I> void S<U, I>::f(int n) { k<U, N><<<1, 2>>>(d, d, n); }\n" + "struct H { S<float, 3> s; };\nvoid g(H h) { h.s.f(2); S<float, 3> s(1); }", "k<float, 3>; k<float, 4>", ""},
	"a member that is specialised":       {kernelK + "template<class T> struct S { static void f(T *x); static void g(T *x) { k<T, 1><<<1, 2>>>(x, x, 1); } };\ntemplate<class T> void S<T>::f(T *x) { k<T, 2><<<1, 2>>>(x, x, 1); }\ntemplate<> void S<int>::f(int *x) { k<int, 3><<<1, 2>>>(x, x, 1); }\ntemplate<> void S<int>::g(int *x) { k<int, 4><<<1, 2>>>(x, x, 1); }\nvoid h() { S<int>::f(nullptr); S<int>::g(nullptr); S<char>::f(nullptr); S<char>::g(nullptr); }", "k<int, 3>; k<int, 4>; k<char, 1>; k<char, 2>", ""},
	"nobody calls it":                    {kernelK + "template<class T> struct S { void f(T *d) { k<T><<<1, 2>>>(d, d, 1); } };\nS<float> s;", "", ""},
	"a partial specialisation":           {kernelK + "template<class T> struct S { void f() { k<T, 1><<<1, 2>>>(nullptr, nullptr, 1); } };\ntemplate<class T> struct S<T *> { void f() { k<T, 2><<<1, 2>>>(nullptr, nullptr, 1); } };\ntemplate<> struct S<short> { void f() { k<short, 3><<<1, 2>>>(nullptr, nullptr, 1); } };\nvoid g() { S<float> a; a.f(); S<int *>().f(); S<short>().f(); }", "k<short, 3>; k<float, 1>; k<int, 2>", ""},
	"through another class":              {kernelK + "template<class T> struct S { void f(T *x) { k<<<1, 2>>>(x, x, 1); } };\ntemplate<class T> struct O { S<T> s; void g(T *x) { s.f(x); } };\ntemplate<class T> struct D : O<T> {};\nvoid h(D<float> *d) { d->g(nullptr); }", "k<float, 4>", ""},
	"through an alias template":          {kernelK + "template<class T, int N> struct S { void f(T *x) { k<T, N><<<1, 2>>>(x, x, 1); } };\ntemplate<class T> using A = S<T, 9>;\nusing B = A<float>;\nvoid h() { B b; b.f(nullptr); }", "k<float, 9>", ""},
	"an instance with a macro":           {kernelK + "template<class T> struct S { void f(T *x) { k<T><<<1, 2>>>(x, x, 1); } };\n#define USE(T) case sizeof(T): { S<T> s; s.f(nullptr); break; }\nvoid g(int n) { switch (n) { USE(float) USE(double) } }", "k<float, 4>; k<double, 4>", ""},
	"an instance that is not known":      {kernelK + "template<class T> struct S { void f(T *x) { k<T><<<1, 2>>>(x, x, 1); } };\ntemplate<class T> void g() { S<T>().f(nullptr); }\nvoid h() { S<float>().f(nullptr); }", "k<float, 4>", "S: the template arguments of this class are not known here, so the kernels that it launches are not wrapped for them"},
	"a member template":                  {kernelK + "struct S { template<class T> void f(T *x) { k<T><<<1, 2>>>(x, x, 1); } };\nvoid g(S s) { s.f((int *)0); }", "", "a parameter of the template around the launch"},
	"in a lambda":                        {kernelK + inFunction + "auto g = [&](int *d) { k<<<1, 2>>>(d, d, n); }; auto h = [=] { k<<<1, 2>>>(d, d, n); if (n) { short *d = 0; k<<<1, 2>>>(d, d, n); } }; }", "k<int, 4>; k<float, 4>; k<short, 4>", ""},
	"in a lambda that is called":         {kernelK + "template<class F> void each(F f, int n);\n" + inFunction + "each([d, &e](int i) mutable -> void { k<<<1, 2>>>(d, d, i); each([&] { k<<<1, 2>>>(e, e, 2); }, 1); }, 3); }", "k<float, 4>; k<double, 4>", ""},
	"in a lambda of an if":               {kernelK + inFunction + "if ([&] { k<<<1, 2>>>(d, d, n); return true; }()) return; }", "k<float, 4>", ""},
	"captured copies":                    {"template<class T> __global__ void k(T x) {}\n" + "struct S { int *p; short a[3]; };\nvoid f(S s) { float x[4]; static double y[4]; int n; const char *c; float *q; int *&r = s.p; auto g = [=] { k<<<1, 2>>>(x); k<<<1, 2>>>(y); k<<<1, 2>>>(&n); k<<<1, 2>>>(c); k<<<1, 2>>>(q); k<<<1, 2>>>(s.a); k<<<1, 2>>>(&s.p); k<<<1, 2>>>(&r); }; }", "k<float const*>; k<double*>; k<int const*>; k<char const*>; k<float*>; k<short const*>; k<int* const*>", ""},
	"captured references":                {"template<class T> __global__ void k(T x) {}\n" + "struct S { short a[3]; };\nvoid f(S s) { float x[4]; int n; auto g = [&] { k<<<1, 2>>>(x); k<<<1, 2>>>(&n); k<<<1, 2>>>(s.a); }; }", "k<float*>; k<int*>; k<short*>", ""},
	"captured by name":                   {"template<class T> __global__ void k(T x) {}\n" + "void f() { float x[4]; int y[4]; auto g = [x, &y] { k<<<1, 2>>>(x); k<<<1, 2>>>(y); }; auto h = [x, y]() mutable { k<<<1, 2>>>(x); k<<<1, 2>>>(y); }; auto i = [&, x] { k<<<1, 2>>>(&x[1]); k<<<1, 2>>>(&y[1]); }; }", "k<float const*>; k<int*>; k<float*>", ""},
	"captured twice":                     {"template<class T> __global__ void k(T x) {}\n" + "void f() { float x[4]; auto g = [&] { auto h = [=] { k<<<1, 2>>>(x); }; auto i = [&] { k<<<1, 2>>>(x); }; }; }", "k<float const*>; k<float*>", ""},
	"captured with a value":              {kernelK + "int *p;\n" + inFunction + "auto g = [p = d] { k<<<1, 2>>>(p, p, 1); }; }", "", "the type of argument 1 is not understood"},
	"in a generic lambda":                {kernelK + "int *p;\n" + inFunction + "auto g = [](auto *p) { k<<<1, 2>>>(p, p, 1); }; g(d); auto h = []<class T>(T *x) { k<T><<<1, 2>>>(x, x, 1); }; h(e); }", "", "the type of argument 1 is not understood"},
	"in one with const":                  {"template<class T> __global__ void k(T x) {}\nvoid f() { auto g = [](const auto &x) { k<<<1, 2>>>(&x); }; g(1); auto h = [](const auto *x) { k<<<1, 2>>>(x); }; try {} catch (const auto &x) { k<<<1, 2>>>(x); } }", "", "the type of argument 1 is not understood"},
	"an unknown type, and a default":     {"float n = 1;\ntemplate<class T> __global__ void k(T x) {}\nvoid f(unknown::T n = 0.5) { k<<<1, 2>>>(n); }\nvoid g(unknown::T n __attribute__((unused))) { k<<<1, 2>>>(n); }\nvoid h(unknown::T n = {}) { k<<<1, 2>>>(n); }", "", "the type of argument 1 is not understood"},
	"a class for a trial, and others":    {"#include <type_traits>\ntemplate<class T> struct Traits { static constexpr int n = sizeof(T) > 4 || std::is_empty<T>::value ? 8 : 4; };\ntemplate<class T> struct Box { T v[Traits<T>::n]; };\ntemplate<class T, int N = Traits<T>::n> __global__ void k(T x) {}\ntemplate<class T> __global__ void b(Box<T> y) {}\nvoid f() { k<<<1, 2>>>(1.0); b<<<1, 2>>>(Box<double>()); }", "k<double, 8>; b<double>", ""},
	"all arguments of a pack":            {"template<class T, int... N> __global__ void k(T x, int (*p)[sizeof...(N)]) {}\ntemplate<class T, class... Ts> struct Last { typedef typename Last<Ts...>::type type; };\ntemplate<class T> struct Last<T> { typedef T type; };\ntemplate<class... Ts> __global__ void last(typename Last<Ts...>::type x) {}\nvoid f(int (*q)[2]) { k<float, 1, 2><<<1, 2>>>(1.0f, q); last<float, int><<<1, 2>>>(1); }", "k<float, 1, 2>; last<float, int>", ""},
	"its own lambda":                     {kernelK + "float *g;\n" + "void f(int n) { auto g = [&] { k<<<1, 2>>>(g, g, 1); }; }", "", "the type of argument 1 is not understood"},
	"in a statement expression":          {kernelK + "#define CHECK(x) ({ int err = 0; x; err; })\n" + inFunction + "int e2 = CHECK((k<<<1, 2>>>(d, d, n))); CHECK((k<<<1, 2>>>(e, e, n))); }", "k<float, 4>; k<double, 4>", ""},
	"an index is no lambda":              {kernelK + "void f(float **p, int n) { int x[2]; k<<<x[n], 2>>>(p[n], p[x[1]], n); }", "k<float, 4>", ""},
	"a variable with auto":               {kernelK + "int *d;\nvoid f() { auto d = gone(); k<<<1, 2>>>(d, d, 1); auto *e = d; k<<<1, 2>>>(e, e, 1); }", "", "the type of argument 1 is not understood"},
	"variables with auto": {"template<class T> __global__ void k(T p) {}\ntemplate<class T> __global__ void m(T *p) {}\nstruct S { int a; float f[3]; double *p; };\nfloat *g(int);\n" +
		"void f(float *d, S s, S *t, const short *c) { auto *p = d; const auto q = p; auto n = 3; auto *const r = d; m<<<1, 2>>>(&q); m<<<1, 2>>>(&r); k<<<1, 2>>>(n); auto x = s.f; k<<<1, 2>>>(x); auto &y = s.f; m<<<1, 2>>>(&y); const auto &z = s; m<<<1, 2>>>(&z.a); m<<<1, 2>>>(t->p + 2); auto *o = c; m<<<1, 2>>>(o); auto w = g(1); k<<<1, 2>>>(w); auto e = n * 2.5; k<<<1, 2>>>(e); auto v = S{}; k<<<1, 2>>>(v); auto u = \"abc\"; k<<<1, 2>>>(u); auto l = [=] { m<<<1, 2>>>(&n); }; { auto n = 'c'; k<<<1, 2>>>(n); } }",
		"k<int>; k<float*>; k<double>; k<S>; k<char const*>; k<char>; m<float* const>; m<float [3]>; m<int const>; m<double>; m<short const>", ""},
	"auto that is not known":       {"template<class T> __global__ void k(T p) {}\nfloat *g(int); struct S { unsigned b : 3; };\nvoid f(float *d, S s) { auto a = 1, b = 2; k<<<1, 2>>>(b); const auto *c = d; k<<<1, 2>>>(c); auto &&e = d; k<<<1, 2>>>(e); auto h = g(1); k<<<1, 2>>>(h); auto i = s.b; k<<<1, 2>>>(i); auto [j] = s; k<<<1, 2>>>(j); }\nfloat *g(long);", "", "the type of argument 1 is not understood"},
	"of an unknown type":           {kernelK + "int *d;\nvoid f() { Unknown d; k<<<1, 2>>>(d, d, 1); }", "", "the type of argument 1 is not understood"},
	"structured binding":           {kernelK + "int *d;\nvoid f(S s) { auto [d, e] = s; k<<<1, 2>>>(d, d, 1); }", "", "the type of argument 1 is not understood"},
	"range":                        {kernelK + "int *d;\nvoid f(S s) { for (auto d : s) k<<<1, 2>>>(d, d, 1); }", "", "the type of argument 1 is not understood"},
	"behind a macro":               {kernelK + "int *d;\nvoid f() { CHECK(1) float *d; k<<<1, 2>>>(d, d, 1); }", "k<float, 4>", ""},
	"local class":                  {kernelK + "struct L { int a; };\nvoid f() { struct L { float a; }; L *d; k<<<1, 2>>>(d, d, 1); k<L><<<1, 2>>>(d, d, 1); }", "", "not"},
	"pointer to a kernel":          {kernelK + "void f(void (*k)(int)) { k<<<1, 2>>>(1); }", "", ""},
	"member pointer":               {kernelK + "struct S { void (*k)(int); };\nvoid f(S s) { s.k<<<1, 2>>>(1); }", "", ""},
	"base class":                   {"template<class T> struct B { T x; };\nstruct D : B<int> {};\ntemplate<class T> __global__ void k(B<T> b) {}\nvoid f(D d) { k<<<1, 2>>>(d); }", "", "no template of this name fits"},
	"not deducible":                {"template<class T> struct I { typedef T type; };\ntemplate<class T> __global__ void k(typename I<T>::type *x) {}\nvoid f(int *x) { k<<<1, 2>>>(x); k<int><<<1, 2>>>(x); }", "k<int>", "is not deduced here"},
	"forwarding":                   {"template<class T> __global__ void k(T &&x) {}\nvoid f(int x) { k<<<1, 2>>>(x); }", "", "the type of argument 1 is not understood"},
	"overloads with a launch":      {"template<class T> __global__ void k(T *x) {}\ntemplate<class T> __global__ void k(T *x, T *y) {}\n" + inFunction + "k<<<1, 2>>>(d, d); }", "k<float>", ""},
	"more special overloads":       {"template<class T> __global__ void k(T x) {}\ntemplate<class T> __global__ void k(T *x) {}\n" + inFunction + "k<<<1, 2>>>(d); }", "", "more than one template"},
	"ordinary overload":            {"template<class T> __global__ void k(T *x, int n) {}\n__global__ void k(float *x) {}\n" + inFunction + "k<<<1, 2>>>(d); }", "k", "kernels that are not templates"},
	"a pack that is given":         {"template<class... T> __global__ void k(T... x) {}\n" + inFunction + "k<float *, int><<<1, 2>>>(d, n); }", "k<float*, int>", ""},
	"a pack that is deduced":       {"template<class... T> __global__ void k(T... x) {}\n" + inFunction + "k<<<1, 2>>>(d, n); k<<<1, 2>>>(); k<<<1, 2>>>(3u); }", "k<float*, int>; k<>; k<unsigned int>", ""},
	"a pack behind others":         {"template<int N, class U, class... T> __global__ void k(U *u, const T *... x) {}\n" + inFunction + "const short *s; k<3><<<1, 2>>>(d, e, s); k<4, int><<<1, 2>>>(nullptr, d); }", "k<3, float, double, short>; k<4, int, float>", ""},
	"a pack in a class":            {"template<class T, int N> struct V { T x[N]; };\ntemplate<class... T> __global__ void k(V<T, 2>... x) {}\n" + "void f(V<int, 2> a, V<char, 2> b, V<char, 3> c) { k<<<1, 2>>>(a, b); }", "k<int, char>", ""},
	"a pack with auto":             {"__global__ void k(int n, auto... x) {}\n" + inFunction + "k<<<1, 2>>>(1, d, 2u); }", "k<float*, unsigned int>", ""},
	"a pack that is forwarded":     {"template<class... T> __global__ void k(T... x) {}\ntemplate<class... T> void g(T... x) { k<T...><<<1, 2>>>(x...); }\n" + inFunction + "g(d, n); }", "k<float*, int>", ""},
	"a pack that is given in part": {"template<class... T> __global__ void k(T... x) {}\n" + inFunction + "k<float *><<<1, 2>>>(d, n); }", "", "pack"},
	"a pack of values":             {"template<class T, int... N> __global__ void k(T *x) {}\n" + inFunction + "k<float, 1, 2><<<1, 2>>>(d); k<float><<<1, 2>>>(d); }", "k<float, 1, 2>; k<float>", ""},
	"specialisation":               {kernelK + "template<> __global__ void k<int, 4>(const int *x, int *y, int n) {}\nvoid f(int *d) { k<<<1, 2>>>(d, d, 1); }", "k<int, 4>", ""},
	"using-directive":              {"namespace a { " + kernelK + "}\n" + inFunction + "using namespace a; k<<<1, 2>>>(d, d, n); }", "a::k<float, 4>", ""},
	"using-declaration":            {"namespace a { " + kernelK + "}\nusing a::k;\n" + inFunction + "k<<<1, 2>>>(d, d, n); ::k<double><<<1, 2>>>(e, e, n); }", "a::k<float, 4>; a::k<double, 4>", ""},
	"two namespaces":               {"namespace a { " + kernelK + "}\nnamespace b { " + kernelK + inFunction + "k<<<1, 2>>>(d, d, n); a::k<<<1, 2>>>(e, e, n); } }", "a::k<double, 4>; b::k<float, 4>", ""},
	"a function":                   {"__device__ float add(float a, float b) { return a + b; }\ntemplate<float (*op)(float, float)> __global__ void k(float *x) {}\n" + inFunction + "k<add><<<1, 2>>>(d); }", "k<&add>", ""},
	"default parameter":            {"template<class T> __global__ void k(T *x, int n = 4) {}\n" + inFunction + "k<<<1, 2>>>(d); }", "k<float>", ""},
	"configuration with >":         {kernelK + inFunction + "k<<<(n > 1 ? 2 : 3), dim3(1, 2), n >> 2>>>(d, d, n); }", "k<float, 4>", ""},
	"array bounds":                 {"template<class T, int N, unsigned M> __global__ void k(T (*x)[N], T (*y)[M][2]) {}\ntemplate __global__ void k(float (*)[4], float (*)[3][2]);\nvoid f() { int x[2][5], y[3][4][2]; k<<<1, 2>>>(x, y); }", "k<float, 4, 3u> explicit; k<int, 5, 4u>", ""},
	"array that is a pointer":      {"template<class T, int N = 7> __global__ void k(T x[N]) {}\nvoid f() { int x[2]; k<<<1, 2>>>(x); }", "k<int, 7>", ""},
	"bound that is calculated":     {"template<int N> __global__ void k(int (*x)[N + 1]) {}\nvoid f() { int x[2][3]; k<<<1, 2>>>(x); }", "", "is not deduced here"},
	"two bounds":                   {"template<int N> __global__ void k(int (*x)[N], int (*y)[N]) {}\nvoid f() { int x[2][3], y[2][4]; k<<<1, 2>>>(x, y); }", "", "no template of this name fits"},
	"name of the template":         {"//cudagen:kernel Fill\n//cudagen:instantiate N=3\ntemplate<int N> __global__ void k(int *x) {}\nvoid f(int *x) { k<4><<<1, 2>>>(x); }\n//cudagen:kernel Five\ntemplate __global__ void k<5>(int *);", "k<3>[kernel Fill]; k<5>[kernel Five] explicit; k<4>[kernel]", ""},
	"name of one":                  {"//cudagen:kernel Fill\n//cudagen:block 3\n//cudagen:threads 4\ntemplate<int N> __global__ void k(int *x) {}\n//cudagen:grid 5\ntemplate __global__ void k<5>(int *);", "k<5>[kernel Fill][block 3][grid 5] explicit", ""},
	"declared behind it":           {"float *d;\n" + kernelK + "namespace a { void f() { k<<<1, 2>>>(d, d, 1); } int *d; }", "k<float, 4>", ""},
	"function declared behind it":  {"float *d();\n" + kernelK + "namespace a { void f() { k<<<1, 2>>>(d(), d(), 1); } int *d(); }", "", "is declared behind the function, too"},
	"kernel behind it":             {kernelK + "namespace a { " + inFunction + "k<<<1, 2>>>(d, d, n); }\n" + kernelK + "}", "k<float, 4>", ""},
	"local enumerators":            {"enum { A = 3 }; template<int N> __global__ void k(int *x) {}\nvoid f(int *x) { k<A><<<1, 2>>>(x); enum { A = 4, B = A * 2 }; k<A><<<1, 2>>>(x); k<B + 1><<<1, 2>>>(x); { enum E { A = 15 } e = A; k<A><<<1, 2>>>(x); } k<A + 2><<<1, 2>>>(x); }", "k<3>; k<4>; k<9>; k<15>; k<6>", ""},
	"local, of a given type":       {"template<int N> __global__ void k(int *x) {}\nvoid f(int *x) { enum E : short { A = 4 }; k<sizeof(A) + A><<<1, 2>>>(x); }", "k<6>", ""},
	"type of a local enumerator":   {"template<auto N> __global__ void k(int *x) {}\nvoid f(int *x) { enum { A = 4 }; k<A><<<1, 2>>>(x); }", "", "the type of a template argument is a class or an enumeration in the function, which has no name outside"},
	"local, with a scope":          {"template<int N> __global__ void k(int *x) {}\nenum class E { A = 3 };\nvoid f(int *x) { enum class E { A = 4 }; k<(int)E::A><<<1, 2>>>(x); }", "", "E::A is not a constant that is known here (E is declared with a class or an enumeration in the function)"},
	"hidden by a local class":      {"struct S { enum { N = 3 }; using T = int; };\ntemplate<int N> __global__ void k(int *x) {}\nvoid f(int *x) { struct S { enum { N = 4 }; using T = float; }; k<S::N><<<1, 2>>>(x); k<sizeof(S::T)><<<1, 2>>>(x); }", "", "S is declared with a class or an enumeration in the function"},
	"hidden by a parameter":        {"struct S { enum { N = 3 }; };\ntemplate<int N> __global__ void k(int *x) {}\nvoid f(int S, int *x) { k<S::N><<<1, 2>>>(x); }", "k<3>", ""},
	"local namespace alias":        {"namespace a { constexpr int N = 3; }\nnamespace b { constexpr int N = 4; }\ntemplate<int N> __global__ void k(int *x) {}\nvoid f(int *x) { namespace a = b; k<a::N><<<1, 2>>>(x); }", "k<4>", ""},
	"alias of an unknown one":      {"namespace a { constexpr int N = 3; }\ntemplate<int N> __global__ void k(int *x) {}\nvoid f(int *x) { namespace a = gone; k<a::N><<<1, 2>>>(x); }", "", "a::N is not a constant that is known here (a is another name of a namespace that is not known here)"},
	"a qualified parameter":        {"template<int N> __global__ void k(int *x) {}\ntemplate<class C> void f(int *x) { k<C::K><<<1, 2>>>(x); }", "", "C::K is not a constant that is known here (C is a parameter of the template around the launch)"},
	"local template arguments":     {"struct A { int a; };\ntemplate<class T, int N> struct P { T t[N]; };\ntemplate<class T> __global__ void k(T *x) {}\nvoid f(P<A, 3> *q) { P<A, 3> *p = q, *r; k<A><<<1, 2>>>(nullptr); k<<<1, 2>>>(p); }", "k<A>; k<P<A, 3> >", ""},
	"member behind its class": {"constexpr int N = 3; using U = int;\ntemplate<int I> __global__ void k(int *x) {}\ntemplate<class T> __global__ void l(T *x) {}\nstruct C { static constexpr int N = 4; using U = float; void f(int *); C(int *); ~C(); operator int(); int operator()(int *); struct D { void g(int *); }; };\n" +
		"void C::f(int *x) { k<N><<<1, 2>>>(x); l<U *><<<1, 2>>>(nullptr); }\nC::C(int *x) { k<N + 1><<<1, 2>>>(x); }\nC::~C() { k<N + 2><<<1, 2>>>(nullptr); }\nC::operator int() { k<N + 3><<<1, 2>>>(nullptr); return 1; }\n" +
		"int C::operator()(int *x) { k<N + 4><<<1, 2>>>(x); return 1; }\nvoid C::D::g(int *x) { k<N + 5><<<1, 2>>>(x); }", "k<4>; k<5>; k<6>; k<7>; k<8>; k<9>; l<float*>", ""},
	"behind its namespace":          {"constexpr int N = 3; using U = int;\ntemplate<int I> __global__ void k(int *x) {}\ntemplate<class T> __global__ void l(T *x) {}\nnamespace a { constexpr int N = 4; void f(int *); }\nvoid a::f(int *x) { k<N><<<1, 2>>>(x); }", "k<4>", ""},
	"inherited constant":            {"constexpr int N = 3; using U = int;\ntemplate<int I> __global__ void k(int *x) {}\ntemplate<class T> __global__ void l(T *x) {}\nstruct B { static constexpr int N = 4; };\nstruct C : B { void f(int *); void g(int *x) { k<N + 1><<<1, 2>>>(x); } };\nvoid C::f(int *x) { k<N><<<1, 2>>>(x); }", "k<5>; k<4>", ""},
	"member of a class template":    {"constexpr int N = 3; using U = int;\ntemplate<int I> __global__ void k(int *x) {}\ntemplate<class T> __global__ void l(T *x) {}\ntemplate<class T> struct C { static constexpr int N = 4; void f(int *); };\ntemplate<class T> void C<T>::f(int *x) { k<7><<<1, 2>>>(x); k<N><<<1, 2>>>(x); }", "k<7>", "a name in it may be that of a member of the class that the function belongs to, which is not known here"},
	"auto":                          {"__global__ void k(auto *x, const auto n, int m) {}\n" + inFunction + "k<<<1, 2>>>(d, 3u, n); k<double><<<1, 2>>>(e, n, n); }\ntemplate __global__ void k(short *, char, int);\ntemplate __global__ void k<int, long>(int *, long, int);", "k<short, char> explicit; k<int, long> explicit; k<float, unsigned int>; k<double, int>", ""},
	"auto behind a head":            {"template<int N> __global__ void k(auto x, auto y[]) {}\n" + inFunction + "k<3><<<1, 2>>>(n, d); k<4, short><<<1, 2>>>(n, e); }", "k<3, int, float>; k<4, short, double>", ""},
	"auto with a concept":           {"template<class T> concept Four = sizeof(T) == 4;\nnamespace n { template<class T, class U> concept Same = sizeof(T) == sizeof(U); }\n__global__ void k(Four auto x, n::Same<double> auto const *y) {}\n" + inFunction + "k<<<1, 2>>>(n, e); }", "k<int, double>", ""},
	"auto declared first":           {"__global__ void k(auto x, auto);\n" + inFunction + "k<<<1, 2>>>(n, d); }\n__global__ void k(auto, auto y) {}", "k<int, float*>", ""},
	"auto of a pack":                {"__global__ void k(auto... x) {}\n" + inFunction + "k<int, float *><<<1, 2>>>(n, d); }", "k<int, float*>", ""},
	"a trailing type":               {"__global__ auto k(auto x, decltype(x) y) -> void {}\n" + inFunction + "k<<<1, 2>>>(n, 4); }", "k<int>", ""},
	"by their constraints":          {"template<class T> requires (sizeof(T) == 4) __global__ void k(T *x) {}\ntemplate<class U> __global__ void k(U *x) requires (sizeof(U) == 8) {}\n" + inFunction + "k<<<1, 2>>>(d); k<<<1, 2>>>(e); }", "k<float>; k<double>", ""},
	"by their concepts":             {"template<class T> concept Four = sizeof(T) == 4;\ntemplate<class T> concept Eight = sizeof(T) == 8;\n__global__ void k(Four auto *x) {}\n__global__ void k(Eight auto *x) {}\n" + inFunction + "k<<<1, 2>>>(d); k<<<1, 2>>>(e); }", "k<float>; k<double>", ""},
	"more constrained":              {"template<class T> concept Four = sizeof(T) == 4;\n__global__ void k(Four auto *x) {}\n__global__ void k(auto *x) {}\n" + inFunction + "k<<<1, 2>>>(e); k<<<1, 2>>>(d); }", "k<double>", "more than one template"},
	"declared by another name":      {"template<class T, int N> __global__ void k(T *x);\n" + inFunction + "k<float, 3><<<1, 2>>>(d); }\ntemplate<class U, int M> __global__ void k(U *y) {}", "k<float, 3>", ""},
	"constant conditions":           {kernelK + "template<class T, int N> void f(T *d) { if constexpr (sizeof(T) == 4) { k<T, 4><<<1, 2>>>(d, d, 1); } else if constexpr (constexpr int M = N + 1; M == 3) k<T, 3><<<1, 2>>>(d, d, 1); else { k<T, 5><<<1, 2>>>(d, d, 1); } if (sizeof(T) == 4) k<T, 6><<<1, 2>>>(d, d, 1); }\n" + inFunction + "f<float, 1>(d); f<double, 2>(e); f<double, 3>(e); if constexpr (1 > 2) k<short><<<1, 2>>>(nullptr, nullptr, 1); else k<char><<<1, 2>>>(nullptr, nullptr, 1); }", "k<char, 4>; k<float, 4>; k<float, 6>; k<double, 3>; k<double, 6>; k<double, 5>", ""},
	"a condition that is not known": {kernelK + "void f(float *d) { if constexpr (gone<float>) k<<<1, 2>>>(d, d, 1); else { k<<<1, 2>>>(d, d, 2); } k<int><<<1, 2>>>(nullptr, nullptr, 3); }", "k<int, 4>", "it stands in a branch of an if constexpr whose condition is not understood"},
	"named":                         {kernelK + "template<class F> void run(F f, ...);\ntemplate<class T> void go() { auto f = k<T, 9>; run(f); }\n" + inFunction + "run(k<float>, d); auto f = &k<double, 3>; void (*g)(const int *, int *, int) = k<int, 1>; run((void *)k<short, 2>); go<char>(); }", "k<float, 4>; k<double, 3>; k<int, 1>; k<short, 2>; k<char, 9>", ""},
	"named by a part":               {"template<class A, class B> __global__ void k(A *a, B *b) {}\n" + "void f() { void (*g)(int *, float *) = k<int>; }", "", "template parameter B does not follow from the arguments"},
	"deduced values":                {"enum class E : short { A = 3 }; enum P { Q = 2 }; constexpr long long big(int x) { return x * 3; } struct S { static constexpr unsigned char c = 9; };\ntemplate<auto N> __global__ void k(int *x) {}\n" + "void f(int *x) { k<-5ll><<<1, 2>>>(x); k<3u + 1><<<1, 2>>>(x); k<sizeof(int) * 2><<<1, 2>>>(x); k<'a' + 0><<<1, 2>>>(x); k<(1l << 3)><<<1, 2>>>(x); k<!true><<<1, 2>>>(x); k<~0u><<<1, 2>>>(x); k<E::A><<<1, 2>>>(x); k<-Q><<<1, 2>>>(x); k<big(2)><<<1, 2>>>(x); k<S::c><<<1, 2>>>(x); k<+S::c><<<1, 2>>>(x); k<(Q == 2 ? 1u : 2)><<<1, 2>>>(x); }", "k<-5ll>; k<4u>; k<8ul>; k<97>; k<8l>; k<false>; k<4294967295u>; k<(E)3>; k<-2>; k<6ll>; k<(unsigned char)9>; k<9>; k<1u>", ""},
	"a recursion":                   {"template<class T, int N> __global__ void k(T *x) {}\n" + "template<int N> void f(float *x) { if constexpr (N > 0) { k<float, N><<<1, 2>>>(x); f<N - 1>(x); } }\ntemplate<class T> void g(T *x); template<class T> void h(T *x) { g(x); k<T, 9><<<1, 2>>>(x); }\ntemplate<class T> void g(T *x) { if (x) h(x); }\nvoid m(float *x, int *y) { f<3>(x); g(y); }", "k<float, 3>; k<float, 2>; k<int, 9>; k<float, 1>", ""},
	"in a local class":              {kernelK + inFunction + "static constexpr int M = 3; struct L { short *p; enum { N = M + 1 }; L(float *x) { k<float, N><<<1, 2>>>(x, x, 1); } void f(int n) { k<<<1, 2>>>(p, p, n); struct I { void operator()(int *d) { k<<<1, 2>>>(d, d, 1); } }; I()(nullptr); } } l(d), *m = &l; l.f(n); k<<<1, 2>>>(e, e, n); }", "k<float, 4>; k<short, 4>; k<int, 4>; k<double, 4>", ""},
	"in a local functor":            {kernelK + "template<class F> void run(F f);\n" + inFunction + "{ struct { float *p; void operator()() const { k<<<1, 2>>>(p, p, 1); } } f{d}; run(f); } auto g = [=] { struct S { void f(int *x) { k<<<1, 2>>>(x, x, 2); } }; S().f(nullptr); }; }", "k<float, 4>; k<int, 4>", ""},
	"of a local class":              {"template<class T> struct V { T *x; };\ntemplate<class T> __global__ void k(T x) {}\n" + inFunction + "struct L { int a; void f(L *l, V<L> v) { k<<<1, 2>>>(l); k<<<1, 2>>>(v); k<<<1, 2>>>(&a); } }; }", "k<int*>", "the type of a template argument is a class or an enumeration in the function, which has no name outside"},
	"of an enumeration in one":      {"template<auto N> __global__ void k(int *x) {}\ntemplate<class T> __global__ void l(T x) {}\n" + inFunction + "struct L { enum { A = 3 }; enum E : char { B }; void f() { k<A><<<1, 2>>>(nullptr); k<(int)A><<<1, 2>>>(nullptr); E *e; l<<<1, 2>>>(e); } }; }", "k<3>", "is a class or an enumeration in the function, which has no name outside"},
	"of a conversion":               {"struct B {}; struct S : B { S(int, float) {} S *p; }; template<class T> struct V : B { T t; };\ntemplate<class T> __global__ void k(T x) {}\nvoid f(int n, float *d) { k<<<1, 2>>>(S(n, 2)); k<<<1, 2>>>(V<float>{}); k<<<1, 2>>>(unsigned(n)); k<<<1, 2>>>(double{}); k<<<1, 2>>>(S(n, 2).p); }", "k<S>; k<V<float> >; k<unsigned int>; k<double>", "the type of argument 1 is not understood"},
	"packs of classes": {"template<int...> struct D {}; template<class...> struct U {}; template<int> struct O {};\ntemplate<class T, int... N> __global__ void k(T x, D<3, N...> d) {}\ntemplate<class... T> __global__ void l(U<T *...> a, U<U<T>...> *b) {}\ntemplate<template<class...> class V, class... T> __global__ void m(V<T...> v) {}\ntemplate<int... N> __global__ void n(U<O<N>...> u) {}\ntemplate<class... T> __global__ void o(int x) {}\ntemplate<long... N> __global__ void p(D<3, 4> d) {}\ntemplate<int... N> __global__ void q(D<N...> d) {}\n" +
		"void f() { k<<<1, 2>>>(1.f, D<3, 4, 5>{}); k<int><<<1, 2>>>(1, D<3>{}); l<<<1, 2>>>(U<int *, char *>{}, (U<U<int>, U<char>> *)0); m<<<1, 2>>>(U<long, short>{}); n<<<1, 2>>>(U<O<1>, O<7>>{}); o<<<1, 2>>>(3); o<int, char><<<1, 2>>>(3); p<8><<<1, 2>>>({}); q<9><<<1, 2>>>(D<9, 8>{}); }",
		"k<float, 4, 5>; k<int>; l<int, char>; m<U, long, short>; n<1, 7>; o<>; o<int, char>; p<8l>; q<9, 8>", ""},
	"two packs for one":          {"template<class...> struct U {};\ntemplate<class... T> __global__ void k(U<T...> a, U<T...> b) {}\ntemplate<long... N> __global__ void l(U<int[N]...> b) {}\ntemplate<int... N> struct D {}; template<long... N> __global__ void m(D<N...> d) {}\nvoid f() { k<<<1, 2>>>(U<int>{}, U<char>{}); k<int, int><<<1, 2>>>(U<int>{}, U<int>{}); m<<<1, 2>>>(D<1>{}); }", "", "no template of this name fits"},
	"by what they return":        {"template<bool B, class T = void> struct E {}; template<class T> struct E<true, T> { using type = T; }; template<bool B, class T = void> using E_t = typename E<B, T>::type; struct W { using nothing = void; };\ntemplate<class T> __global__ E_t<(sizeof(T) < 4)> k(T *x) {}\ntemplate<class T> __global__ __launch_bounds__(64) typename E<(sizeof(T) >= 4)>::type k(T *x) {}\ntemplate<class T> static __global__ typename T::nothing l(T x) {}\ntemplate<class T> static __global__ typename T::other l(T x) {}\nvoid f() { k<<<1, 2>>>((char *)0); k<<<1, 2>>>((float *)0); l<<<1, 2>>>(W()); }", "k<char>; k<float>; l<W>", ""},
	"by what is no argument":     {"template<bool B, class T = void> struct E {}; template<class T> struct E<true, T> { using type = T; }; template<bool B, class T = void> using E_t = typename E<B, T>::type;\ntemplate<class T, E_t<sizeof(T) == 8, int> = 0> __global__ void k(T x) {}\ntemplate<class T, E_t<sizeof(T) == 4, int> = 0> __global__ void k(T x) {}\ntemplate<class T, class = E_t<sizeof(T) == 4>> __global__ void l(T x) {}\ntemplate<class T, class = E_t<sizeof(T) == 8>, int = 1> __global__ void l(T x) {}\nvoid f() { k<<<1, 2>>>(1.0); k<<<1, 2>>>(1); l<<<1, 2>>>(1u); l<<<1, 2>>>(1ul); }", "k<double, 0>; k<int, 0>; l<unsigned int, void>; l<unsigned long, void, 1>", ""},
	"a parameter without a name": {"template<class T> __global__ void k(T) {}\nvoid f() { k<<<1, 2>>>(1.f); }", "k<float>", ""},
	"no parameters":              {"template<int N> __global__ void k(void) {}\nvoid f() { k<3><<<1, 2>>>(); }", "k<3>", ""},
	"dynamic parallelism":        {kernelK + "__global__ void outer(float *d) { k<<<1, 2>>>(d, d, 1); }", "k<float, 4>; outer", ""},
}

// The arguments with which the source instantiates and launches templates are found exactly, or
// there is a note that says why not.
func TestImpliedInstances(t *testing.T) {
	for name, test := range impliedCases {
		t.Run(name, func(t *testing.T) {
			file := parseWith(t, test.source, "")
			assert.Equal(t, test.want, own(file))
			if test.note == "" {
				assert.Empty(t, file.Notes)
			} else if assert.NotEmpty(t, file.Notes) {
				var notes []string
				for _, note := range file.Notes {
					notes = append(notes, note.Message.Error())
				}
				assert.Contains(t, strings.Join(notes, "\n"), test.note)
				assert.Contains(t, file.Notes[0].Message.Error(), "//cudagen:instantiate")
			}
		})
	}
}

// Overloads of a template are kernels of their own, and a declaration and a definition are one.
func TestOverloadsOfTemplates(t *testing.T) {
	for source, want := range map[string]int{
		"template<class T> __global__ void k(T *x);\ntemplate<class U> __global__ void k(U *y) {}":               1,
		"template<class T> __global__ void k(T *x) {}\ntemplate<class T> __global__ void k(T *x, int n) {}":      2,
		"template<class T> __global__ void k(T *x) {}\ntemplate<class T, int N> __global__ void k(T *x) {}":      2,
		"template<class T> __global__ void k(T *x) {}\ntemplate<int N> __global__ void k(int *x) {}":             2,
		"template<int N> __global__ void k(int *x) {}\ntemplate<int N> __global__ void k(const int *x) {}":       2,
		"template<class T> __global__ void k(T *x);\ntemplate<class T> __global__ void k(T *x) requires true {}": 2,
	} {
		assert.Len(t, parseWith(t, source, "").Kernels, want, source)
	}
}

// notCompiled are the cases that are not valid C++, or need what is not there, those about names
// outside of all namespaces, one whose launches nobody instantiates, and one with
// a directive instantiate.
var notCompiled = words("extern template;of an unknown type;structured binding;range;behind a macro;a field;through an alias;using-declaration;in an argument;" +
	"pointer to a kernel;member pointer;dynamic parallelism;two types for one;local class;two bounds;forwarding;base class;not deducible;certain in a template;name of the template;member of a class template;a class for a trial, and others;an unknown type, and a default")

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for one := range strings.SplitSeq(list, ";") {
		set[one] = true
	}
	return set
}

// What is found without a note is what nvcc makes of the same sources.
func TestImpliedInstancesAreTheCompilers(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	var source strings.Builder
	var want []string
	for i, name := range slices.Sorted(maps.Keys(impliedCases)) {
		test := impliedCases[name]
		if test.note != "" || notCompiled[name] {
			continue
		}
		space := fmt.Sprintf("c%d", i)
		text := "namespace " + space + " {\n" + test.source + "\n}\n"
		fmt.Fprintf(&source, "// %s\n%s", name, text)
		for _, k := range parseWith(t, text, "").Kernels {
			if k.Own && !k.Template {
				want = append(want, k.QualifiedName())
			}
		}
	}
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source.String()), 0o644))
	compiler, err := compile.Find("nvcc", os.Getenv)
	require.NoError(t, err)
	out, err := compiler.Compile(t.Context(), compile.Request{Source: path, Arch: "compute_75", Flags: []string{"-std=c++20"}})
	require.NoError(t, err)
	img, err := image.ReadPTX("k.ptx", out.Code)
	require.NoError(t, err)
	var got []string
	for _, k := range img.Kernels {
		got = append(got, k.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Greater(t, len(got), 40)
	assert.Equal(t, want, got)
}
