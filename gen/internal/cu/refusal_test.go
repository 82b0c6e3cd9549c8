package cu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// refusals are expressions without a value, or without one that is understood, behind what
// they need.
var refusals = []struct{ before, expression, want string }{
	{"auto f(int);", "f(1) + 1", "the type of an operand of + is not known here (the value of function f is not known here: it is not constexpr)"},
	{"auto f(int);", "f(1)[1]", "an element of what has a type that is not known here"},
	{"auto f(int);", "*f(1)", "what is pointed at has a type that is not known here"},
	{"constexpr int f(int n) { return f(n); }", "f(1)", "constant expressions call functions that are nested too deeply"},
	{"struct A { int x[2]; };", "offsetof(A, x.y)", "unexpected offsetof in a constant expression"},
	{"", "nullptr == 1", "operator == of decltype(nullptr) and int is not understood in a constant expression"},
	{"struct A { int x; }; constexpr A a{1};", "a + 1", "operator + of const A and int is not understood in a constant expression"},
	{"struct A { int x; }; constexpr A a{1};", "a && 1", "operator && of const A is not understood in a constant expression"},
	{"struct A { int x; }; constexpr A a{1};", "!a", "operator ! of const A is not understood in a constant expression"},
	{"struct A { int x; }; constexpr A a{1};", "-a", "operator - of const A is not understood in a constant expression"},
	{"struct A { int x; }; constexpr A a{1};", "*a", "operator * of const A is not understood in a constant expression"},
	{"", `sizeof(L"a" "é")`, "the size of this string is not understood"},
	{"", `sizeof("é" U"a")`, "the size of this string is not understood"},
	{"extern int a[3];", "a[1]", "the element of an array is not known here"},
	{"", "1.5 % 2", "operator % of double is not understood in a constant expression"},
	{"", "1.5 << 2", "operator << of double and int is not understood in a constant expression"},
	{"", "nullptr", "a pointer is not an integer constant"},
	{"", "1.5", "it is not an integer, but has type double"},
	{"int x;", "x = 5", "a constant expression changes what is not a variable of its own"},
	{"int x;", "x ? 1 : 2", "x is not an integer constant that is understood (a variable)"},
	{"", "nullptr ? 1 : 2", "a condition is not understood: a pointer is not an integer constant"},
	{"", "true ? -1 : nothing", "the type of a conditional expression is not known"},
	{"", "true ? nullptr : 1", "a conditional expression of decltype(nullptr) and int is not understood"},
	{"int x;", "static_cast<unsigned &>(x)", "a cast to a reference is not understood"},
	{"", "(void)1", "it is void"},
	{"template <class... T> concept C = requires(T... t) { 1; };", "C<int>", "a pack among the parameters of requires is not understood"},
	{"template <class T> concept C = requires(T t) { std::thing<T>(t); };", "C<int>", "whether a requirement holds is not known here"},
	{"", "int(1, 2)", "a value of int of several others is not understood in a constant expression"},
	{"", "1(2)", "a call of something that is not a function is not understood in a constant expression"},
	{"namespace n { struct A { int x; }; constexpr int f(A a) { return 1; } constexpr A a{1}; } constexpr int f(int) { return 2; }", "f(n::a)", "which function f is, the namespaces of its arguments decide, which is not understood"},
	{"constexpr int f(char) { return 1; } constexpr int f(short) { return 2; }", "f(1)", "which function f is called is not known here"},
	{"template <int... N> constexpr int f(decltype(N)... n) { return 1; }", "f(1)", "has a pack of template parameters, which is not deduced here"},
	{"template <class... T> struct A {}; template <class... T> constexpr int f(A<T...> a, T... t) { return 1; } constexpr A<int> a{};", "f(a, 1)", "has a pack of template parameters, which is not deduced here"},
	{"template <class T> struct A { T t; }; template <class... T> constexpr int f(A<T>... a) { return 1; } constexpr A<int> a{};", "f(a)", "has template arguments that are not deduced here"},
	{"template <class... T> constexpr int f(T... t, int n) { return 1; }", "f<int>(1, 2)", "has a pack of parameters before its last one, which is not understood here"},
	{"template <class... T> constexpr int f(const int &n, typename T::type... t) { return 1; }", "f(1, 2)", "it has unknown type T::type"},
	{"constexpr int n = 1; constexpr int f(int n) { return n; }", "f(n ...)", "a list is an expansion of a pack that is not known here"},
	{"template <class... T> constexpr int f(T... t) { return f(t..., 1); }", "f(1)", "constant expressions call functions that are nested too deeply"},
	{"template <class... T> constexpr int f(T... t) { return f(t..., 1) + f(1, t...); }", "f(1)", "constant expressions call functions that are nested too deeply"},
	{"template <class... T> constexpr int f(T... t) { int n = 0; while (true) (void)(n ^= ... ^ t); return n; }", "f(1)", "a fold expression is not understood"},
	{"template <class... T> constexpr int f(T... t) { while (true) (void)(0 ^ ... ^ t); return 0; }", "f(1)", "too many"},
	{"template <class... T> constexpr int f(T... t) { return (t / ...); }", "f(1, 0)", "a constant expression divides by zero"},
	{"template <class... T> constexpr int f(T... t) { return (t + ...); }", "f(2147483647, 1)", "a constant expression overflows"},
	{"template <class T> constexpr int f(T *) { return 1; }", "f(1)", "has template arguments that do not follow from the types of arguments"},
	{"template <class T> constexpr int f(T, T) { return 1; }", "f(1, 2l)", "has template arguments that do not follow from the types of arguments"},
	{"template <class T> constexpr int f(T) { return 1; }", "f<int, int>(1)", "has fewer template parameters"},
	{"template <class T> constexpr int f(T, int) { return 1; } template <class T> constexpr int f(int, T) { return 2; }", "f(1, 2)", "which function f is called is not known here"},
	{"template <class T> constexpr int f(const T &) { return 1; } template <class T> constexpr int f(T &&) { return 2; }", "f(1)", "which function f is called is not known here"},
	{"template <class T> requires (sizeof(T) > 8) constexpr int f(T *) { return 1; } template <class T> constexpr int f(T) { return 2; }", "f((int *)0)", "which function f is called is not known here"},
	{"template <class T> constexpr int g(T, long) { return 1; } template <class T> constexpr int f(T t) { return g(t, 0); } template <class T> constexpr int g(T, int) { return 2; }", "f('a')", "g is declared behind the function that uses it, which is not understood"},
	{"template <int N> constexpr int f(int n) { return N; }", "f(1)", "has template parameter N, which is not deduced here"},
	{"constexpr int a[1] = {1, 2, 3}; constexpr int b[2] = {1, 2, 3};", "b[0]", "an array has more initializers than elements"},
	{"constexpr int a[100000] = {1};", "a[0]", "an array of a constant expression is too large"},
	{"struct A { __int128 x; int y; }; constexpr A a{};", "(int)a.x", "a value of type __int128 is not known here"},
	{"constexpr int f() { int n; return n; }", "f()", "n has no value yet"},
	{"union A { int x; float y; }; constexpr A a{1};", "a.x", "a value of class A is not understood in a constant expression"},
	{"struct B { int y; }; struct A : B { int x; }; constexpr A a{1, 2};", "a.x", "a value of class A, which has base classes, is not understood in a constant expression"},
	{"struct A { int x; constexpr A(int n) : x(n + 1) {} }; constexpr A a{1};", "a.x", "a value of class A, which has constructors, is not understood in a constant expression"},
	{"struct A { int x : 3; }; constexpr A a{1};", "a.x", "a bit-field is not understood in a constant expression"},
	{"struct B { int x, y; }; struct A { B b; int z; }; constexpr A a{1, 2, 3};", "a.z", "initializers of members without braces of their own are not understood in a constant expression"},
	{"", "this", "this is not understood in a constant expression"},
	{"", "std::max(1, 2l)", "the value of max is not known here: its arguments are not two numbers of one type"},
	{"", "(int)1.5L", "1.5L is a long double"},
	{"", "'abcde'", "character 'abcde' is not understood in a constant expression"},
	{"", "'\xc3\xa9'", "character '\xc3\xa9' is not understood in a constant expression"},
	{"", "'a\\377'", "character 'a\\377' is not understood in a constant expression"},
	{"", "'\\400'", "character '\\400' is not understood in a constant expression"},
	{"", "u8'\\377'", "character u8'\\377' is not understood in a constant expression"},
	{"", "L'ab'", "character L'ab' is not understood in a constant expression"},
	{"", "sizeof(u\"a\")", "the size of this string is not understood"},
	{"", "sizeof(L\"a\" U\"b\")", "the size of this string is not understood"},
	{"namespace n { constexpr int f() { return later; } } constexpr int later = 3;", "n::f()", "later is declared behind the function that uses it, which is not understood"},
	{"struct A { int x; };", "A::x", "x is a member, not a constant"},
	{"", "nothing.x", "nothing is not a constant that is known here"},
	{"", "sizeof(nothing.x)", "a member of what has a type that is not known here (nothing is not a constant that is known here)"},
	{"float4 v;", "(int)v.x", "a component of a vector is not known here"},
	{"", "(1).x", "a member of int is not understood in a constant expression"},
	{"struct A; extern A &a;", "a.x", "the members of A are not known here"},
	{"struct A { int x; }; constexpr A a{1};", "a.y", "member y of A is not understood in a constant expression"},
	{"int a[2];", "a[0]", "the element of an array is not known here (a is not an integer constant that is understood (a variable))"},
	{"constexpr int a[2] = {1, 2};", "a[2]", "a constant expression reads beyond an array"},
	{"int *p;", "*p", "what a pointer points at is not an integer constant"},
	{"enum class E { A }; constexpr int f(int n) { return n; }", "f(E::A)", "argument 1 of f has another type than int"},
	{"", "(int)1e10", "a value is not a value of int"},
	{"constexpr float f = 1e300;", "(int)f", "a value is not a value of float"},
	{"struct A { int x; }; constexpr A a{1};", "(float)a", "it has type const A, and is not an integer constant that is understood"},
	{"struct A { int x; }; struct B { int x; }; constexpr A a{1}; constexpr B b = a;", "b.x", "a value has type const A, which is not converted to B here"},
	{"int f(int);", "f(1)", "the value of function f is not known here: it is not constexpr"},
	{"struct A { constexpr int f() const { return 1; } };", "A::f()", "the value of function A::f is not known here: it is a member, and its object is not known"},
	{"constexpr int f(int);", "f(1)", "the value of function f is not known here: it is not defined here"},
	{"constexpr int f(int n) { if (n) return 1; }", "f(0)", "function f returns nothing"},
	{"constexpr int f(int n) { for (int i : {1, 2}) n += i; return n; }", "f(0)", "unexpected ( in a constant expression"},
	{"constexpr int f(int n) { switch (n) { case nothing: return 1; } return 2; }", "f(0)", "nothing is not a constant that is known here"},
	{"int x; constexpr int f(int n) { switch (n) { case sizeof(int *) + x: return 1; } return 2; }", "f(0)", "a label is not understood"},
	{"constexpr const unsigned &f(const int &n) { return n; }", "f(0)", "a reference is returned to another type, which is not understood"},
	{"constexpr int f() { const mystery_t n = 1; return n; }", "f()", "a declaration in a constexpr function has unknown type mystery_t"},
	{"constexpr int f() { const int n[nothing][2] = {}, m[2][nothing] = {}; return 1; }", "f()", "a variable in a constexpr function has an array bound that is not understood"},
	{"constexpr int f() { const int &n; return n; }", "f()", "a variable in a constexpr function has no initializer"},
	{"", "alignof(1)", "alignof of an expression is not understood (write its type)"},
	{"", "sizeof(nothing)", "sizeof of an expression whose type is not known here (nothing is not a constant that is known here)"},
	{"struct A { int x : 3; };", "sizeof(A::x)", "sizeof of a bit-field is not understood"},
	{"int f();", "noexcept(f())", "noexcept of a call is not understood in a constant expression"},
	{"", "offsetof(mystery_t, x)", "the class of offsetof has unknown type mystery_t"},
	{"struct A { int x; };", "offsetof(A, x)", "unexpected offsetof in a constant expression"},
	{"typedef int A __attribute__((aligned(16)));", "alignof(A)", "the alignment of A is not known here"},
	{"template <int N> constexpr int v = v<N> + 1;", "v<1>", "variable template v depends on itself"},
	{"template <int N> constexpr mystery_t v = N;", "v<1>", "variable template v has unknown type mystery_t"},
	{"int f(); template <int N> constexpr int v = f();", "v<1>", "variable template v has a value that is not known: the value of function f is not known here"},
	{"int &f(); constexpr const int &r = f();", "r", "it is a reference"},
	{"constexpr int f(int n) { return g(n); } constexpr int g(int n) { return n; }", "f(1)", "g is declared behind the function that uses it"},
	{"constexpr int f(int n) { int m = n; { int m = 7; } goto end; end: return m; }", "f(1)", "goto is not a constant that is known here"},
	{"constexpr int f(int n) { while (true) n++; return n; }", "f(1)", "constant expressions call too many functions"},
	{"constexpr int f(unsigned n) { while (true) n++; return n; }", "f(1)", "constant expressions call too many functions"},
	{"constexpr int f(unsigned n) { throw n; }", "f(1)", "unexpected throw in a constant expression"},
	{"constexpr int f(int, ...) { return 1; }", "f(1)", "the value of function f is not known here: it has an ellipsis, which is not understood here"},
	{"template <int N> constexpr int f(int n) { return n; } template <> constexpr int f<3>(int n) { return 7; }", "f<3>(1)", "the value of function f<3> is not known here"},
	{"template <int N> constexpr int f(int n) { return n; } template <> constexpr int f<3>(int n) { return 7; }", "f<2>(1)", "the value of function f<2> is not known here"},
	{"template <class T> struct A { static constexpr int f() { return 1; } }; template <> constexpr int A<int>::f() { return 7; }", "A<int>::f()", "the value of function A<int>::f is not known here"},
	{"struct A { constexpr operator int() const { return 3; } constexpr operator long() const { return 4; } };", "A{} + 1", "which conversion function of A is meant is not known here"},
	{"struct A { constexpr operator int() const { return 3; } constexpr operator long() const { return 4; } };", "A{}", "which conversion function of A is meant is not known here"},
	{"struct A { constexpr operator int() const { return 3; } constexpr operator long() const { return 4; } };", "(char)A{}", "which conversion function of A is meant is not known here"},
	{"struct A { constexpr operator int() { return 3; } constexpr operator int() const { return 4; } };", "A{} + 1", "which conversion function of A is meant is not known here"},
	{"struct A { constexpr operator const char *() const { return nullptr; } };", "A{} ? 1 : 2", "which conversion function of A is meant is not known here"},
	{"struct A { explicit constexpr operator int() const { return 3; } };", "A{} + 1", "operator + of A and int is not understood in a constant expression"},
	{"struct A { explicit constexpr operator int() const { return 3; } };", "A{}", "it has type A, and is not an integer constant that is understood"},
	{"struct A { explicit constexpr operator int() const { return 3; } };", "(long)A{}", "it has type A, and is not an integer constant that is understood"},
	{"struct A { explicit(true) constexpr operator int() const { return 3; } };", "A{} + 1", "operator + of A and int is not understood in a constant expression"},
	{"struct A { constexpr operator int() & { return 3; } constexpr operator int() && { return 4; } };", "A{} + 1", "operator + of A and int is not understood in a constant expression"},
	{"struct A { template <class T> constexpr operator T() const { return 3; } };", "A{} + 1", "operator + of A and int is not understood in a constant expression"},
	{"struct A { constexpr operator auto() const { return 3; } };", "A{} + 1", "operator + of A and int is not understood in a constant expression"},
	{"struct A { int x; constexpr operator int() { return x; } }; constexpr A a{3};", "a + 1", "operator + of const A and int is not understood in a constant expression"},
	{"struct A { operator int() const { return 3; } };", "A{} + 1", "the value of function A::operator int is not known here: it is not constexpr"},
	{"struct A { constexpr operator int() const; };", "A{} + 1", "the value of function A::operator int is not known here: it is not defined here"},
	{"struct A { int x; constexpr operator int() const { return x; } }; extern const A a;", "a + 1", "a is not an integer constant that is understood (a variable)"},
	{"struct A { constexpr operator int() const { return *this + 1; } };", "A{} + 1", "constant expressions call functions that are nested too deeply"},
	{"struct B { constexpr operator int() const { return 1; } }; struct C { constexpr operator int() const { return 2; } }; struct A : B, C {};", "A{} + 1", "which conversion function of A is meant is not known here"},
	{"template <int N> struct A { constexpr operator int() const { return N; } }; template <> constexpr A<3>::operator int() const { return 7; }", "A<3>{} + 1", "operator + of A<3> and int is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } }; constexpr int operator+(A, long) { return 7; }", "A{} + 1", "operator + of A and int may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } constexpr int operator+(int) const { return 7; } };", "A{} + 1", "operator + of A and int may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } friend constexpr int operator+(A, int) { return 7; } };", "A{} + 1", "operator + of A and int may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } template <class T> friend constexpr int operator+(T, int) { return 7; } };", "A{} + 1", "operator + of A and int may be a function, which is not understood in a constant expression"},
	{"namespace n { struct A { constexpr operator int() const { return 3; } }; template <class T> constexpr int operator-(T &&) { return 7; } template <class T> constexpr int operator-(const T &) { return 8; } }", "-n::A{}", "operator - of n::A may be a function, which is not understood in a constant expression"},
	{"namespace n { struct A { constexpr operator int() const { return 3; } }; inline namespace v { struct B { constexpr B(A) {} }; constexpr int operator!(B) { return 7; } } }", "!n::A{}", "operator ! of n::A may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } }; struct B { constexpr B(A) {} }; constexpr int operator+(B, int) { return 7; }", "A{} + 1", "operator + of A and int may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr operator int() const { return 3; } }; constexpr bool operator&&(A, int) { return false; }", "(A{} && 1) + 1", "operator && of A and that is not known here may be a function"},
	{"struct A { constexpr operator int() const { return 3; } }; constexpr int operator+=(int &n, A) { return n = 7; } constexpr int f() { int n = 1; n += A{}; return n; }", "f()", "operator += of int and A may be a function, which is not understood in a constant expression"},
	{"constexpr int operator\"\"_x(unsigned long n) { return n; }", "3_x", "which literal operator operator\"\"_x is called is not known here"},
	{"constexpr int operator\"\"_x(const char *s) { return s[0]; }", "3_x", "which literal operator operator\"\"_x is called is not known here"},
	{"", "34_x", "literal operator operator\"\"_x is not known here"},
	{"", "'a'_x", "literal operator operator\"\"_x is not known here"},
	{"", "\"ab\"_x[1]", "literal operator operator\"\"_x is not known here"},
	{"", "\"ab\"[3]", "a constant expression reads beyond an array"},
	{"", "\"\\x80\"[0]", "a character of a string has a sign that the host decides"},
	{"enum E { a = 1, b = 2 }; constexpr int operator|(E, int) { return 7; }", "a | b", "operator | of E and E may be a function, which is not understood in a constant expression"},
	{"struct A { constexpr int operator()(int n) { return n; } }; constexpr A a{};", "a(1)", "the value of function A::operator() is not known here"},
	{"struct A { constexpr int operator()(int) const { return 1; } constexpr int operator()(int) { return 2; } };", "A{}(1)", "which function A::operator() is called is not known here"},
	{"struct A { constexpr int f(int) const { return 1; } constexpr int f(long) { return 2; } constexpr int g() const { return f(1); } }; constexpr A a{};", "a.g()", "which function f is called is not known here"},
	{"struct A { template <class T> constexpr int operator()(A *, T) const { return 1; } };", "A{}(1)", "the value of function A::operator() is not known here"},
	{"struct B { constexpr int operator()() const { return 1; } }; struct C { constexpr int operator()() const { return 2; } }; struct A : B, C {};", "A{}()", "a call of something that is not a function is not understood in a constant expression"},
	{"struct A { int x; };", "A{1}()", "a call of something that is not a function is not understood in a constant expression"},
	{"", "std::is_same<int, int>{} + 1", "a value of class std::is_same<int, int> is not understood in a constant expression"},
	{"int x; struct A { int x; static constexpr int n = sizeof(x); };", "A::n / 0", "a constant expression divides by zero"},
}

func refusalSource(before, expression string) string { return before + "\n" + kernelOf(expression) }

// What is not understood has no value; the rest of the file is read.
func TestRefusals(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.expression, func(t *testing.T) {
			got := everyMessage(t, &Config{}, "t.cu", []byte(refusalSource(test.before, test.expression)))
			assert.Contains(t, strings.Join(got, "\n"), test.want)
		})
	}
}

// types are parameters whose type is not understood, behind what they need.
var types = []struct{ before, parameter, want string }{
	{"", "decltype(nothing) x", "has type decltype, and the type of its expression is not known here (nothing is not a constant that is known here)"},
	{"", "decltype(1 +) x", "has type decltype, whose expression is not understood: unexpected ) in a constant expression"},
	{"struct A { int x : 3; };", "decltype(A::x) x", "has type decltype of a bit-field, which is not understood"},
	{"typedef void V;", "int (*x)(V &)", "is a reference to void"},
	{"typedef void V;", "V (*x)[3]", "is an array of void"},
	{"typedef void V;", "void (*x)(V, int)", "has a parameter of type void"},
	{"typedef int A[3];", "A (*x)(int)", "is a function that returns an array or a function"},
	{"class A { typedef int T; }; template <class T> struct B { int x; }; template <class T> auto f(T) -> typename T::T;", "decltype(f(A())) x", "T is private or protected"},
	{"struct A { A(int); }; template <class T> auto f(T) -> decltype(A(T())); ", "decltype(f(1)) x", "whether the expression is valid is not known here"},
	{"template <class T> auto f(T) -> decltype(T() % 2); ", "decltype(f(1.0)) x", "the expression is not valid"},
	{"template <class T> struct A { template <class U> struct B { char c; }; }; template <class T> template <class U> struct A<T>::B<U *> { int x; };", "A<int>::B<int *> x", "template B may have a specialisation outside of its class, which is not understood"},
	{"", "decltype(new nothing) x", "the type of new has unknown type nothing"},
	{"", "decltype(auto) x", "has type decltype, which only the compiler knows (write the type out)"},
	{"typedef int A __attribute__((aligned(16))); template <class T> struct B { T x; };", "B<A> x", "a template argument has a type that a typedef aligns, which compilers understand in different ways"},
	{"template <class T> using A __attribute__((aligned(16))) = T;", "A<int> x", "has unknown type A<int>"},
	{"using A alignas(16) = int;", "A x", "an alias that is not understood: it has alignas, which a typedef or alias cannot have"},
	{"struct A { int x [[aligned(16)]]; };", "A x", "field x has attribute aligned, which compilers ignore between [[ and ]] (write gnu:: before it, or alignas)"},
	{"struct A { [[clang::aligned(16)]] int x; };", "A x", "field x has attribute aligned, which compilers ignore between [[ and ]]"},
	{"struct [[packed]] A { char c; int x; };", "A x", "it has attribute packed, which compilers ignore between [[ and ]]"},
	{"struct A { int x __attribute__((align(16))); };", "A x", "field x has attribute align, which is not understood"},
	{"struct A { int x __attribute__((_aligned_(16))); };", "A x", "field x has attribute _aligned_, which is not understood"},
	{"struct A { char c; int x[2] [[gnu::aligned(16)]]; };", "A x", "field x has attribute aligned behind the bounds of an array, where compilers understand it differently"},
	{"struct E {}; struct A { int x; [[no_unique_address]] E e; };", "A x", "has attribute no_unique_address, with which nvcc itself has two opinions on the size of a parameter"},
	{"", "std::integral_constant<int>::value_type x", "template argument 2 is missing"},
	{"", "std::conditional<true, int, nothing> x", "an argument of conditional is not understood"},
	{"", "std::integral_constant<int, nothing>::value_type x", "template argument v is not understood: nothing is not a constant that is known here"},
	{"", "std::integral_constant<float, 2>::value_type x", "template argument v is not understood: it has type int, and not float"},
	{"struct P { int a, b; }; template <P V> struct A { int x; };", "A<{1, 2}> x", "template argument V is not understood: it has no type of its own"},
	{"template <double D> struct A { int x; }; extern const double e;", "A<e> x", "template argument D has no value that is understood (e is not an integer constant that is understood"},
	{"typedef int A __attribute__((strange));", "A x", "a typedef that has attribute strange, which is not understood"},
}

func TestTypesNotUnderstood(t *testing.T) {
	for _, test := range types {
		t.Run(test.parameter, func(t *testing.T) {
			got := everyMessage(t, &Config{}, "t.cu", []byte(typeSource(test.before, test.parameter)))
			assert.Contains(t, strings.Join(got, "\n"), test.want)
		})
	}
}

func typeSource(before, parameter string) string {
	return before + "\n__global__ void k(" + parameter + ");"
}

// A parameter hides what is declared outside.
func TestParametersHide(t *testing.T) {
	file := parseClean(t, `
const long n = 4;
int a;
template <class T> constexpr auto f(double a) -> decltype(a) { return a; }
__global__ void k(int n, decltype(n) m, float *p, decltype(*p) r, decltype(p) q) {}
constexpr int size = sizeof(f<int>(1));
template <class T> struct Static { static const int count; };
template <class T> const int Static<T>::count = 3;
const volatile int changing = 3;
`)
	var got []string
	for _, p := range file.Kernels[0].Params {
		got = append(got, p.Type.String())
	}
	assert.Equal(t, []string{"int", "int", "float *", "float &", "float *"}, got)
	assert.Equal(t, map[string]int64{"n": 4, "size": 8}, file.Constants)

	texts := everyMessage(t, &Config{}, "t.cu", []byte("const long n = 4;\n__global__ void k(const int n, decltype(n) m);"))
	assert.Contains(t, strings.Join(texts, "\n"), "parameter m has type decltype")
}
