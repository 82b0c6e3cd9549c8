package cu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/messages"
	"github.com/cudagen/cudagen/internal/testenv"
)

// made are sources that are too large for a file in testdata, or that need other files,
// with the diagnostic that each has.
var made = []struct {
	name, source, want string
	files              files
}{
	{"ambiguous constant", "const int N = 2; namespace { const int N = 1;\n//cudagen:block N\n__global__ void k() {} }", "N: it means something else at the end of the file (write its whole name)", nil},
	{"two constants", "const int N = 2; namespace a {\n//cudagen:block N\n__global__ void k(); const int N = 3;\n//cudagen:shared N\n__global__ void k() {} }", "N: another directive of the kernel means something else by it (write its whole name)", nil},
	{"permuted parameters", "\n//cudagen:len x=n\n__global__ void k(float *x, int n, int m);\n__global__ void k(float *x, int m, int n) {}", "parameter 2 is called n in the declaration below, and is called m in line 4 of t.cu: give the parameters the same names", nil},
	{"parameter without a name", "\n//cudagen:len x=n\ntemplate __global__ void k<int>(float *x, int n);template<class T> __global__ void k(float *x, int);\n//cudagen:len x=n\ntemplate __global__ void k<int>(float *x, int n);\ntemplate<class T> __global__ void k(float *x, int) {}", "parameter 2 is called n in the declaration below, and has no name in line 6 of t.cu", nil},
	{"a macro of several kernels", "#define TWO(a) __global__ void a##_d(double *x); __global__ void a##_f(float *x) {} __global__ void a##_d(double *x) {}\n//cudagen:ignore\nTWO(k)\n", "the directives above this macro belong to more than one kernel: write a declaration of each", nil},
	{"a macro of several instantiations", "template<class T> __global__ void k(T *x) {}\n#define ALL(T) template __global__ void k<T>(T *); template __global__ void k<T *>(T **)\n//cudagen:block 32\nALL(int);\n", "the directives above this macro belong to more than one kernel: write a declaration of each", nil},
	{"large constant", "namespace a { const unsigned long N = -1; }\n//cudagen:block a::N\n__global__ void k() {}", "a::N: it does not fit into 64 bits with a sign", nil},
	{"large constant of the file", "const unsigned long N = -1;\n//cudagen:block N\n__global__ void k() {}", "N: it does not fit into 64 bits with a sign", nil},
	{"result", "__global__ auto k(int a) -> decltype(gone) {}", "its result has type decltype, and the type of its expression is not known here", nil},
	{"conditions", strings.Repeat("#if 1\n", 201), "conditions are nested more than 200 deep", nil},
	{"expression", kernelOf(strings.Repeat("-(", 150) + "1" + strings.Repeat(")", 150)), "the expression is nested too deeply", nil},
	{"calls", levels(6) + kernelOf("f6()"), "constant expressions call too many functions", nil},
	{"macros", "#define F(x) x\nint y = " + strings.Repeat("F(", 300) + strings.Repeat(")", 300) + ";", "macros are nested too deeply (write it out)", nil},
	{"bomb", bomb(64), "the expansion of macro A3 is too long (write it out)", nil},
	{"namespaces", strings.Repeat("namespace a {", 201) + strings.Repeat("}", 201), "declarations are nested more than 200 deep", nil},
	{"classes", strings.Repeat("struct A {", 300) + strings.Repeat("};", 300) + "__global__ void k(A a);", "it is nested too deeply", nil},
	{"parentheses", "__global__ void k(int " + strings.Repeat("(", 201) + "*x" + strings.Repeat(")", 201) + ");", "has more than 200 parentheses in its declaration", nil},
	{"pointers", "__global__ void k(int " + strings.Repeat("*", 202) + "x);", "has more than 200 pointers in its type", nil},
	{"bounds", "__global__ void k(int (*x)" + strings.Repeat("[1]", 202) + ");", "has more than 200 array bounds", nil},
	{"functions", "__global__ void k(" + strings.Repeat("int (*f)(", 202) + strings.Repeat(")", 202) + ");", "is nested too deeply", nil},
	{"instances", "template <int N> struct A { int x; };\n__global__ void k(" + pointers(40000) + "int n);", "too many templates are instantiated", nil},
	{"completed behind its first use", "template <class...> using V = void;\ntemplate <class T, class = void> struct S { char c; };\ntemplate <class T> struct S<T, V<decltype(sizeof(T))>> { double d; };\nstruct Y;\nS<Y> first;\nstruct Y { int a; };\n__global__ void k(S<Y> s) {}", "Y is only declared where it is used first, and a specialisation of S may depend on that", nil},
	{"base classes", doubledClasses(12, doubledBases) + "__global__ void k(B12 b) {}", "it has more than 4096 base classes, with those of its base classes", nil},
	{"circle", "#include \"a.h\"", `#include "a.h" goes round in a circle: a.h is being read already (included from a.h:1:10)`, files{"a.h": "#include \"a.h\""}},
	{"tree", "#include \"a.h\"", `#include "a.h": more than 65536 files or 64 MiB are included (does it go round in a circle?)`, files{"a.h": strings.Repeat("#if __INCLUDE_LEVEL__ < 14\n#include \"a.h\"\n#endif\n", 4)}},
	{"longest", strings.Repeat(" ", 32<<20+1), "file is longer than 32 MiB: move its kernels to one without the data", nil},
	{"UTF-16 of the least byte first", "\xff\xfei\x00n\x00t\x00", "file is UTF-16 text: save it as UTF-8", nil},
	{"UTF-16 of the most byte first", "\xfe\xff\x00i\x00n\x00t", "file is UTF-16 text: save it as UTF-8", nil},
	{"NUL", "int a;\x00", "file has a NUL byte: source is UTF-8 text", nil},
	{"bytes", "int a = \xff;", "character is not allowed here: source is UTF-8 text", nil},
	{"parameter", "#include \"config.h\"\n#ifdef X\ntypedef double R;\n#else\ntypedef float R;\n#endif\n__global__ void k(R a) {}", `k: parameter a depends on the condition in t.cu:2, and X is not defined: define it with -D if it is meant (perhaps from "config.h", not found: add -I)`, nil},
	{"list of parameters", "#include \"config.h\"\n__global__ void k(int a\n#ifdef X\n, int b\n#endif\n) {}", "k: its list of parameters depends on the condition in t.cu:3, and X is not defined", nil},
	{"member template", "#include \"a.h\"\n__global__ void k(S s) {}", "it has a member template whose parameters are not understood", files{"a.h": "struct S { char a; template <class T, E<Q<2, int> = 0> T lost(); double d; };"}},
	{"left out", "#ifdef X\n__global__ void k(int a) {}\n#endif", "kernels are left out (1, the first in line 2), and X is not defined: define it with -D if they are meant", nil},
	{"name", doubled(11) + "__global__ void k(P<T11, T11> x);", "it has arguments whose names are longer than 32768 bytes (give the types in them classes of their own, in place of aliases)", nil},
	{"function name", doubledFunctions(9) + "__global__ void k(int (*x)(F9, F9));", "has a type whose name is longer than 32768 bytes (give the types in it classes of their own, in place of aliases)", nil},
	{"function as a type", "void f(int);\n//cudagen:instantiate f=f\ntemplate <void (*f)(int)> __global__ void k(f x);", "has unknown type f, a template parameter that stands for f", nil},
	{"no function", "struct f;\n//cudagen:instantiate f=f\ntemplate <void (*f)(int)> __global__ void k(int x);", "template argument f is not a function or variable that is understood", nil},
	{"concept as a type", "template <class T> concept C = true;\n__global__ void k(C x);", "has unknown type C, a concept", nil},
	{"concept", "template <class T> concept C = requires(T t) { std::thing<T>(t); };\ntemplate <class T> struct A { char c; };\ntemplate <class T> requires (C<T>) struct A<T *> { int x; };\n__global__ void k(char (*x)[C<int> + 1]);", "concept C is not understood: ", nil},
	{"fold", "//cudagen:instantiate <1, 2>\ntemplate <int... N> __global__ void k(char (*x)[(N ; ...)]);", "a fold expression is not understood", nil},
	{"fold of two packs", "//cudagen:instantiate <1, 2>\ntemplate <int... N> __global__ void k(char (*x)[(N + ... + N)]);", "a fold expression is not understood (one operand is a pack)", nil},
	{"empty fold", "//cudagen:instantiate <>\ntemplate <int... N> __global__ void k(char (*x)[(N + ...)]);", "a fold expression of an empty pack has no value", nil},
	{"fold of different packs", "template <int... N> struct S { template <int... M> struct I { char c[(N + M + ...)]; }; };\n__global__ void k(S<1, 2>::I<1> x);", "a fold expression is an expansion of packs of different lengths", nil},
	{"largest pack", "template <int... N> struct S { };\n//cudagen:instantiate <" + strings.Repeat("1, ", 4000) + "1>\ntemplate <int... N> __global__ void k(S<N..., N...> x);", "is a pack of more than 4096 elements", nil},
	{"packs in a pattern", "template <class... T> struct S { }; template <class A, class B> struct P { };\ntemplate <class... A, class... B> struct S<P<A, B>...> { };\n__global__ void k(S<int> x);", "it may be a partial specialisation of S that is not understood", nil},
	{"elements of packs", "template <int... N> struct S { };\n//cudagen:instantiate <" + strings.Repeat("1, ", 4000) + "1>\ntemplate <int... N> __global__ void k(" + strings.Repeat("S<(N + 1)...> *, ", 10) + "int x);", "has too many elements of packs", nil},
	{"sizeof a pack", "//cudagen:instantiate <1>\ntemplate <int... N> __global__ void k(char (*x)[sizeof...(N + 1)]);", "sizeof... is not understood (write the name of a pack)", nil},
	{"specialised for a function", "template <int N, class T = int> void f(); template <void (*f)()> struct S { }; template <> struct S<f<1>> { };\ntemplate <int N> struct X { S<f<N, int>> x; };\n__global__ void k(X<1> x);", "it may be an explicit specialisation of S", nil},
	{"template in a pattern", "template <class T> struct S { }; template <template <class> class C> struct S<C<int[]>> { };\n__global__ void k(S<int> x);", "it may be a partial specialisation of S that is not understood", nil},
	{"pack of a launch", "template <class... T> __global__ void k(T... x) {}\nvoid f(int n) { k<int><<<1, 2>>>(n, n); }", "the pack of template parameters is not deduced here", nil},
	{"several templates", "template <class T> __global__ void k(T x) {}\ntemplate <class T> __global__ void k(T *x) {}\nvoid f(int *n) { k<<<1, 2>>>(n); }", "more than one template of this name fits", nil},
	{"no template", "template <class T> __global__ void k(T *x) {}\nvoid f(int n) { k<<<1, 2>>>(n); }", "k: the template arguments of this launch are not known here, so it is not wrapped: no template of this name fits (write //cudagen:instantiate T=… above the template, or instantiate it: template __global__ decltype(k<…>) k<…>;)", nil},
	{"no such template", "template <class T> __global__ void k(T *x) {}\nvoid f(int n) { k<<<1, 2>>>(n); }", "no template of this name fits", nil},
	{"type of a parameter", "template <int N> struct V { };\ntemplate <U N> __global__ void k(V<N> v) {}\nvoid f(V<1> v) { k<<<1, 2>>>(v); }", "the type of template parameter N is not understood", nil},
	{"argument that is missing", "template <class T, class U> __global__ void k(T *x) {}\nvoid f(int *x) { k<<<1, 2>>>(x); }", "template parameter U does not follow from the arguments", nil},
	{"long arguments", doubled(10) + "template <class A, class B, class C, class D> __global__ void k(A *, B *, C *, D *) {}\nvoid f(T10 *x) { k<<<1, 2>>>(x, x, x, x); }", "its arguments have names that are longer than 32768 bytes", nil},
	{"no type", "template <class T> __global__ void k(T *x) {}\nvoid f() { k<<<1, 2>>>(g()); }", "the type of argument 1 is not understood", nil},
	{"lambda", "template <class F> __global__ void k(F f) {}\nvoid f(int n) { k<<<1, 2>>>([=] __device__ (int i) { return i + n; }); }", "argument 1 is a lambda, whose type has no name (give an object of a class that has operator() in its place)", nil},
	{"variable of a lambda", "template <class F> __global__ void k(int n, F f) {}\nvoid f(int n) { auto g = [n] (int i) { return i + n; }; k<<<1, 2>>>(n, g); }", "argument 2 is a lambda, whose type has no name", nil},
	{"another variable of the name", "template <class F> __global__ void k(F f) {}\nvoid f() { auto g = [] (int i) { return i; }; { auto g = h(); k<<<1, 2>>>(g); } }", "the type of argument 1 is not understood (write", nil},
	{"result of a lambda", "template <class F> __global__ void k(F f) {}\nvoid f() { auto g = [] (int i) { return i; }; k<<<1, 2>>>(g(1)); }", "the type of argument 1 is not understood (write", nil},
	{"several kernels", "#include \"a.h\"\nvoid f() { k<<<1, 2>>>(g()); }", "k: it is not known here which of the kernels of this name is launched, so none of an included file is wrapped (put a directive kernel above a declaration of it)",
		files{"a.h": "__global__ void k(int n) {}\n__global__ void k(float n) {}\n"}},
	{"template and kernel", "template <class T> __global__ void k(T *x) {}\n__global__ void k(int x) {}\nvoid f(int *n) { k<<<1, 2>>>(n); }", "kernels that are not templates have this name, too", nil},
	{"launch in a template", "template <class T> __global__ void k(T *x) {}\ntemplate <class T> void f() { k<T><<<1, 2>>>(0); }", "has unknown type T, a parameter of the template around the launch", nil},
	{"declared later", "template <class T> __global__ void k(T *x) {}\nint *x();\nnamespace a { void f() { k<<<1, 2>>>(x()); } float *x(); }", "a name in it is declared behind the function, too", nil},
	{"deep launch", "template <class T> __global__ void k(T *x) {}\nvoid f(int *n) { " + strings.Repeat("if (n) ", 201) + "k<<<1, 2>>>(n); }", "the launch is nested too deeply", nil},
	{"member of what is not known", "constexpr int N = 3;\ntemplate <int I> __global__ void k(int *x) {}\nvoid gone::f(int *x) { k<N><<<1, 2>>>(x); }", "a name in it may be that of a member of the class that the function belongs to, which is not known here", nil},
	{"launch in a class template", "template <class T> __global__ void k(T *x) {}\ntemplate <class T> struct S { S(T *); void f(T *x) { k<T><<<1, 2>>>(x); } };\n", "it stands in class template S, of which no instance is known here", nil},
	{"launcher that is deduced", "template <class T> __global__ void k(T *x) {}\ntemplate <class T> struct S { S(T *); void f(T *x) { k<T><<<1, 2>>>(x); } };\nvoid g(int *n) { S s(n); s.f(n); }", "S: the template arguments of this class are not known here, so the kernels that it launches are not wrapped for them: they are deduced (instantiate the class explicitly, or write //cudagen:instantiate above those kernels)", nil},
	{"launcher with overloads", "template <class T> __global__ void k(T *x) {}\ntemplate <class T> void f(T *x) { k<T><<<1, 2>>>(x); }\nvoid f(int *x) {}\nvoid g(int *n) { f(n); }", "f: the template arguments of this function are not known here, so the kernels that it launches are not wrapped for them: other functions have this name, too", nil},
	{"launcher without end", "template <int N> __global__ void k(int *x) {}\ntemplate <int N> void f(int *x) { k<N><<<1, 2>>>(x); f<N + 1>(x); }\nvoid g(int *x) { f<0>(x); }", "there are too many instances of it, or of all", nil},
	{"function behind a template", "char pick(long); template <class T> struct Sz { char x[sizeof(pick(T()))]; }; double pick(int);\n__global__ void k(Sz<int> s) {}", "pick is declared behind the template that uses it, which is not understood", nil},
	{"launch that takes long", "constexpr int slow(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return n; }\ntemplate <int N> __global__ void k(int *x) {}\nvoid f(int *n) { k<slow(50000)><<<1, 2>>>(n); }", "finding out takes too many steps", nil},
	{"launch under a condition", "template <class T> __global__ void k(T *x) {}\nvoid f(int *n) { if constexpr (gone<int>) k<<<1, 2>>>(n); }", "it stands in a branch of an if constexpr whose condition is not understood", nil},
	{"launch in a local class", "template <class T> __global__ void k(T *x) {}\nvoid g(int *n) { struct L { int a = (k<<<1, 2>>>((int *)0), 1); }; }", "the launch stands in a class in a function, and not in a member of it that is understood", nil},
	{"auto in a specialisation", "template <class T> __global__ void k(T v) {}\ntemplate <> __global__ void k(auto v) {}", "k: parameter v is declared with auto, which an explicit specialisation cannot have (write its type)", nil},
	{"auto in a named specialisation", "template <class T> __global__ void k(T v) {}\ntemplate <> __global__ void k<int>(auto v) {}", "k: parameter v is declared with auto, which an explicit specialisation cannot have", nil},
	{"auto with C linkage", "extern \"C\" __global__ void k(auto v) {}", "k: is a template, because a parameter is declared with auto, and has C linkage, so that there is one instance at most (leave out extern \"C\", or write the type)", nil},
	{"auto as an argument", "template <class T> struct V {};\n__global__ void k(V<auto> v) {}", "a template argument has type auto, which only the compiler knows (write the type out)", nil},
	{"auto within a parameter", "__global__ void k(void (*f)(auto)) {}", "has type auto, which only the compiler knows (write the type out)", nil},
	{"no abbreviated template", "__global__ void k(auto (*f)(int) -> nothing, int n = [](auto x) { return x; }(1)) {}", "parameter f has unknown type nothing", nil},
	{"local enumeration", "template <auto N> __global__ void k(int *x) {}\nvoid f(int *x) { enum { A }; k<A><<<1, 2>>>(x); }", "the type of a template argument is a class or an enumeration in the function, which has no name outside", nil},
	{"local class", "template <int N> __global__ void k(int *x) {}\nvoid f(int *x) { struct S { enum { A }; }; k<S::A><<<1, 2>>>(x); }", "S::A is not a constant that is known here (S is declared with a class or an enumeration in the function)", nil},
	{"alias of a namespace", "namespace n {}\ntemplate <int N> __global__ void k(int *x) {}\nvoid f(int *x) { namespace n = gone; k<n::A><<<1, 2>>>(x); }", "n is another name of a namespace that is not known here", nil},
	{"specialisation", "#include <gone.h>\ntemplate <> __global__ void k(float *p) {}", "is an explicit specialisation, and its template is not known here (perhaps from <gone.h>, not found: add -I)", nil},
	{"using two kernels", "namespace a { __global__ void k(int x) {} __global__ void l(int x) {} }\n//cudagen:block 1\nusing a::k, a::l;", "the directives above this using-declaration belong to more than one name: write a declaration for each", nil},
	{"using overloads", "namespace a { __global__ void k(int x) {} __global__ void k(float x) {} }\n//cudagen:block 1\nusing a::k;", "k: there are 2 kernels of this name: put the directives above a declaration of the one that is meant", nil},
	{"directives of an instance", "template <class T> __global__ void k(T *x) {}\n//cudagen:block 1\ntemplate __global__ void k<U>(int *);", "k: the template arguments of the explicit instantiation below are not understood: ", nil},
	{"unclear instance", "template <class T> __global__ void k(T *x) {}\ntemplate __global__ void k<U>(int *);", "k: the template arguments of this explicit instantiation are not known here, so it is not wrapped: a template argument has unknown type U", nil},
	{"brackets", "#include \"missing.h\"\nvoid f() { (; }", "( has no counterpart (perhaps from \"missing.h\", not found: add -I)", nil},
}

// kernelOf returns a kernel with an array whose bound is expression.
func kernelOf(expression string) string {
	return "__global__ void k(int (*x)[" + expression + "]);"
}

// levels returns constexpr functions, each of which calls the one before sixteen times.
func levels(n int) string {
	var b strings.Builder
	b.WriteString("constexpr int f0() { return 1; }\n")
	for i := range n {
		fmt.Fprintf(&b, "constexpr int f%d() { return %s0; }\n", i+1, strings.Repeat(fmt.Sprintf("f%d() + ", i), 16))
	}
	return b.String()
}

// doubled returns types each of which has the one before twice among its arguments.
func doubled(n int) string {
	var b strings.Builder
	b.WriteString("template <class A, class B> struct P { A a; B b; };\nusing T0 = P<int, int>;\n")
	for i := range n {
		fmt.Fprintf(&b, "using T%d = P<T%d, T%[2]d>;\n", i+1, i)
	}
	return b.String()
}

// doubledFunctions returns pointers to functions each of which has the one before twice among
// its parameters.
func doubledFunctions(n int) string {
	var b strings.Builder
	b.WriteString("typedef int (*F0)(int, int);\n")
	for i := range n {
		fmt.Fprintf(&b, "typedef int (*F%d)(F%d, F%[2]d);\n", i+1, i)
	}
	return b.String()
}

// pointers returns n parameters, each with another instance of a template.
func pointers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "A<%d> *, ", i)
	}
	return b.String()
}

// bomb returns a macro that doubles n times.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("#define A0 x\n")
	for i := range n {
		fmt.Fprintf(&b, "#define A%d A%d A%[2]d\n", i+1, i)
	}
	fmt.Fprintf(&b, "int y = A%d;", n)
	return b.String()
}

// everyMessage returns the messages of all diagnostics of a source.
func everyMessage(t *testing.T, c *Config, name string, src []byte) []string {
	t.Helper()
	plain, key := c.Read == nil, name+"\n"+string(src)
	if texts, ok := messagesOf[key]; ok && plain {
		return texts
	}
	file, err := c.ParseFile(name, src)
	var list diag.List
	if err != nil {
		require.True(t, errors.As(err, &list), "%T", err)
	}
	list = append(list, file.Warnings...)
	list = append(list, file.Notes...)
	for _, k := range file.Kernels {
		list = append(list, k.Errors...)
		for _, d := range k.Directives {
			if d.Unclear.Text != "" {
				list.Add(d.Pos, d.Unclear)
			}
		}
		for text, c := range k.Constants {
			list.Add(k.Pos, diag.NotUnderstood.New(text+": "+c.Reason.Text))
		}
	}
	var texts []string
	for _, e := range list {
		texts = append(texts, e.Message.Error())
	}
	if plain {
		messagesOf[key] = texts
	}
	return texts
}

// messagesOf are the messages of sources without headers, which more than one test looks at.
var messagesOf = map[string][]string{}

func TestMadeDiagnostics(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for _, test := range made {
		t.Run(test.name, func(t *testing.T) {
			got := everyMessage(t, &Config{Read: test.files.read}, "t.cu", []byte(test.source))
			assert.Contains(t, strings.Join(got, "\n"), test.want)
		})
	}
}

func TestUnknownStandard(t *testing.T) {
	_, err := (&Config{Std: "c++99"}).ParseFile("t.cu", []byte("__global__ void k(int n) {}"))
	assert.EqualError(t, err, "<command line>: -std c++99 is not known here: give c++11, c++14, c++17 or c++20")
	for _, std := range []string{"17", "C++17", "++17", "c++", "c17", "cc++17"} {
		_, err := (&Config{Std: std}).ParseFile("t.cu", []byte("__global__ void k(int n) {}"))
		assert.ErrorContains(t, err, "-std "+std+" is not known here")
	}
	for _, std := range []string{"", "c++11", "gnu++14", "c++20"} {
		_, err := (&Config{Std: std}).ParseFile("t.cu", []byte("__global__ void k(int n) {}"))
		assert.NoError(t, err, std)
	}
}

func TestMacrosOfTheCommandLine(t *testing.T) {
	for define, fits := range map[string]bool{"N": true, "N=": true, "N=1": true, "F(x)=x": true, "_n2=a b": true, "größe=1": true, "1X": false, "": false, "=1": false, "A-B=1": false, "A B": false} {
		_, err := (&Config{Define: []string{define}}).ParseFile("t.cu", []byte("__global__ void k(int n) {}"))
		if fits {
			assert.NoError(t, err, define)
		} else {
			assert.EqualError(t, err, "<command line>: -D "+define+" does not begin with the name of a macro: give -D NAME or -D NAME=value")
		}
	}
}

// Every diagnostic of the package is in the test data, where TestErrors demands a marker
// for it, or in the table above.
func TestEveryDiagnosticHasACase(t *testing.T) {
	testenv.Need(t, testenv.Long)
	list, err := messages.InPackage(".")
	require.NoError(t, err)
	lexical, err := messages.InPackage("lex")
	require.NoError(t, err)
	list = append(list, lexical...)
	require.Greater(t, len(list), 100)
	paths, err := filepath.Glob("testdata/*.cu")
	require.NoError(t, err)
	var seen []string
	for _, path := range paths {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		seen = append(seen, everyMessage(t, &Config{}, path, src)...)
	}
	for _, test := range made {
		seen = append(seen, test.want)
	}
	for _, test := range functionReasons {
		seen = append(seen, test.want)
	}
	for _, test := range refusals {
		seen = append(seen, everyMessage(t, &Config{}, "t.cu", []byte(refusalSource(test.before, test.expression)))...)
	}
	for _, test := range types {
		seen = append(seen, everyMessage(t, &Config{}, "t.cu", []byte(typeSource(test.before, test.parameter)))...)
	}
	for _, test := range imageInstances {
		seen = append(seen, "the compiler makes the instance <"+test.arguments+"> of it, which is not wrapped: "+test.note)
		seen = append(seen, test.note)
	}
	missing := messages.Missing(list, seen)
	for _, m := range missing {
		_, ok := exempt[m.Text]
		assert.True(t, ok, "%s: no case has the diagnostic %q", m.Pos, m.Text)
	}
	for text := range exempt {
		assert.True(t, slices.ContainsFunc(missing, func(m messages.Message) bool { return m.Text == text }), "exempt, and not missing: %q", text)
	}
}

// exempt are the texts in the package that no test source has, and why.
var exempt = map[string]string{
	"templates are nested too deeply":                                "ends a chain of reasons that is cut short before",
	"has parameters that are not closed":                             "matching the brackets reports it, and nothing behind it is read",
	"is an enumeration that is not closed":                           "matching the brackets reports it, and nothing behind it is read",
	"is a pack of parameters, which only an instance has":            "reading the list of parameters reports it",
	"is an expansion of several packs, which is not understood here": "of the pattern of a partial specialisation, which is not understood then",
	"the arguments of %s are not understood":                         "of a template in the pattern of a partial specialisation, which is not understood then",
	"a parameter of a partial specialisation":                        "of a value in a pattern, which is compared later then",
	"template argument %s is computed of a parameter":                "in a pattern, which is compared later then",
	"alias template %s drops an argument":                            "in a pattern, which is compared later then",
	" const volatile":                                                "a length",
	"it has a } too many":                                            "cannot come as long as the brackets of a class match",

	"\"Jan  1 1970\"": "a value", "<command line>": "a name", "CUDA_VERSION 13000": "a value", "THRUST_VERSION 300001": "a value", "CUB_VERSION 300001": "a value", "#define %s %s\n": "source", "#define __STRICT_ANSI__ 1\n": "source", "#define linux 1\n#define unix 1\n": "source", "void ……(…)": "a signature", "namespace { … }": "source", "template __global__ void %s(%s);": "source",
	" -I … ": "looked for in a hint", "-std %s is not known here: %w": "an option: TestUnknownStandard",
	"trigraph %s is not understood (%w)":                                                  "an option: TestTrigraphs",
	"-D %s does not begin with the name of a macro: %w":                                   "an option: TestMacrosOfTheCommandLine",
	"#define __cplusplus %s\n#define __CUDA_ARCH__ %d0\n#define __CUDA_ARCH_LIST__ %d0\n": "source",
}
