package cu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/testenv"
)

// A decided has declarations, and constants that they decide.
type decided struct {
	name, declarations string
	constants          []string
}

// specialised are specialisations of which not all is understood, behind the declarations of templates.
var specialised = []decided{
	{"explicit", "template<class T> struct A { enum { v = 1 }; }; template<> struct A<decltype(__builtin_strlen(\"a\"))> { enum { v = 2 }; };", []string{"A<unsigned long>::v", "A<int>::v"}},
	{"one of two arguments", "template<class T, class U> struct A { enum { v = 1 }; }; template<> struct A<char, decltype(__builtin_strlen(\"a\"))> { enum { v = 2 }; };", []string{"A<char, unsigned long>::v", "A<char, int>::v", "A<int, int>::v"}},
	{"partial", "template<class T, class U> struct A { enum { v = 1 }; }; template<class T> struct A<T, decltype(__builtin_strlen(\"a\"))> { enum { v = 2 }; };", []string{"A<char, unsigned long>::v", "A<char, int>::v"}},
	{"partial member", "template<class T> struct A { template<class U> struct B { enum { v = 1 }; }; }; template<class T> template<class U> struct A<T>::B<U *> { enum { v = 2 }; };", []string{"A<int>::B<int *>::v", "A<int>::B<int>::v"}},
	{"explicit member", "template<class T> struct A { template<class U> struct B { enum { v = 1 }; }; }; template<> template<> struct A<int>::B<float> { enum { v = 2 }; };", []string{"A<int>::B<float>::v", "A<int>::B<int>::v", "A<char>::B<float>::v"}},
	{"template member", "template<class T> struct A { template<class U> struct B { enum { v = 1 }; }; }; template<> template<class U> struct A<int>::B { enum { v = 2 }; };", []string{"A<int>::B<float>::v", "A<char>::B<float>::v"}},
	{"variable", "template<class T> constexpr int a = 1; template<> constexpr int a<decltype(__builtin_strlen(\"a\"))> = 2;", []string{"a<unsigned long>", "a<int>"}},
	{"partial variable", "template<class T, class U> constexpr int a = 1; template<class T> constexpr int a<T, decltype(__builtin_strlen(\"a\"))> = 2;", []string{"a<char, unsigned long>", "a<char, int>"}},
	{"member variable", "template<class T> struct A { template<class U> static constexpr int b = 1; }; template<class T> template<class U> constexpr int A<T>::b<U *> = 2;", []string{"A<int>::b<int *>", "A<int>::b<int>"}},
	{"static member", "template<class T> struct A { static const int v = 1; }; template<> const int A<int>::v = 2;", []string{"A<int>::v", "A<char>::v"}},
	{"enumeration", "template<class T> struct A { enum E : int; }; template<> enum A<int>::E : int { e = 5 };", []string{"A<int>::e"}},
	{"declared before", "template<class T> struct A { enum { v = 1 }; }; template<class T> struct A<T *>; template<class T> struct A<T *> { enum { v = 2 }; }; template<> struct A<char>; template<> struct A<char> { enum { v = 3 }; };", []string{"A<int *>::v", "A<char>::v", "A<int>::v"}},
	{"in a namespace", "namespace n { template<class T> struct A { enum { v = 1 }; }; } struct X {}; template<> struct n::A<X> { enum { v = 2 }; }; template<class T> struct n::A<T *> { enum { v = 3 }; };", []string{"n::A<X>::v", "n::A<int *>::v", "n::A<int>::v"}},
	{"in an inline namespace", "namespace n { inline namespace i { template<class T> struct A { enum { v = 1 }; }; } template<> struct A<int> { enum { v = 2 }; }; template<class T> struct A<T *> { enum { v = 3 }; }; }", []string{"n::A<int>::v", "n::A<int *>::v", "n::A<char>::v"}},
	{"of another type", "template<long N> struct A { enum { v = 1 }; }; template<> struct A<sizeof(int)> { enum { v = 2 }; }; template<> struct A<__builtin_strlen(\"a\")> { enum { v = 3 }; };", []string{"A<4>::v", "A<1>::v", "A<2>::v"}},
	{"function", "int g(); int h(); template<int (*f)()> struct A { enum { v = 1 }; }; template<> struct A<&g> { enum { v = 2 }; }; template<> struct A<+h> { enum { v = 3 }; };", []string{"A<g>::v", "A<h>::v"}},
	{"values of variables", "template<class T> constexpr bool is = false; template<class T> constexpr bool is<T *> = true; template<bool> struct B {}; template<class T, class U> struct A { enum { v = 1 }; }; template<class T> struct A<T, B<is<T>>> { enum { v = 2 }; };", []string{"A<int, B<false>>::v", "A<int *, B<true>>::v", "A<int *, B<false>>::v"}},
	{"true types", "template<class T> struct A : std::false_type {}; template<class T> struct A<T *> : std::true_type {}; template<> struct A<char> : std::bool_constant<(sizeof(char) == 1)> {}; template<> struct A<short> : std::integral_constant<int, 7> {};" +
		"template<class T> struct C { enum { v = 1 }; }; template<> struct C<std::true_type> { enum { v = 2 }; }; template<class T, T n> struct C<std::integral_constant<T, n>> { enum { v = n + 2 }; }; constexpr int f(std::true_type) { return 1; } constexpr int f(std::false_type) { return 2; }",
		[]string{"A<int>::value", "A<int *>::value", "A<char>::value", "A<short>::value", "C<std::true_type>::v", "C<std::integral_constant<int, 5>>::v", "C<A<int *>::type>::v", "C<std::bool_constant<false>>::v", "std::integral_constant<int, 3>{} + 1", "std::integral_constant<int, 3>()()", "f(std::true_type{})", "f(std::bool_constant<(1 > 2)>{})", "f(typename A<int *>::type())", "C<cuda::std::true_type>::v"}},
}

// computed are declarations of which all is understood.
var computed = []decided{
	{"lambdas", "constexpr auto f = [](int a) { return a * 2; }; const auto g = [](int a, int b = 2) -> int { return a + b; }; namespace n { inline constexpr auto h = [](unsigned n) noexcept { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i; return s; }; } template<int N> struct A { enum { v = N }; };",
		[]string{"f(3)", "g(1)", "g(f(1), 5)", "n::h(4)", "A<f(3) + g(1)>::v", "sizeof(char[f(2)])"}},
	{"literal operators", "template<char... C> constexpr int operator\"\"_c() { int n = 0; ((n = 10 * n + (C - '0')), ...); return n; } template<int N> struct I { enum { v = N }; }; template<char... C> constexpr auto operator\"\"_i() { return I<sizeof...(C)>{}; } template<class T> struct V { enum { v = T::v }; };",
		[]string{"12_c", "1'2_c", "V<decltype(123_i)>::v", "7_c * 2"}},
	{"operator templates of values", "template<int V> struct C { static constexpr int value = V; constexpr operator int() const { return V; } }; template<int X, int Y> constexpr C<X * Y> operator*(C<X>, C<Y>) { return {}; } template<int X> constexpr C<-X> operator-(const C<X> &) { return {}; } template<class T, int X> constexpr int f(T, C<X> *) { return X + sizeof(T); } template<int N> struct A { enum { v = N }; }; template<class T> struct V { enum { v = T::value }; };",
		[]string{"V<decltype(C<3>{} * C<4>{})>::v", "C<3>{} * C<4>{}", "A<C<3>{} * C<4>{} + 1>::v", "-C<3>{}", "f('a', (C<5> *)nullptr)", "C<3>{} * 2"}},
	{"constants of cute", "namespace cute { template<auto v> struct C { typedef C type; static constexpr auto value = v; using value_type = decltype(v); constexpr operator value_type() const noexcept { return value; } constexpr value_type operator()() const noexcept { return value; } }; template<auto t, auto u> constexpr C<(t * u)> operator*(C<t>, C<u>) { return {}; } template<auto t, auto u> constexpr C<(t == u)> operator==(C<t>, C<u>) { return {}; } using _3 = C<3>; using _4 = C<4>; } template<class T> struct V { enum { v = T::value }; };",
		[]string{"cute::_3{} * cute::_4{}", "V<decltype(cute::_3{} * cute::_4{})>::v", "cute::_3{} == cute::_3{}", "cute::_3{}() + cute::_4{}", "cute::C<3u>{} * cute::_4{}"}},
}

// What is computed is known, and is what the compiler computes.
func TestComputedConstantsAreTheCompilers(t *testing.T) { compareConstants(t, computed, 1) }

const detection = "template<class...> using void_t = void; template<class T> T &&val(); "

// looked are constants that names decide which are found elsewhere, later, or may not be used.
var looked = []decided{
	{"namespaces of bases, arguments and elements", detection + "namespace geo { struct Point { float x; }; template<class T> int dims(const T &); struct Out { struct In {}; friend int dims(In *); }; } template<class T> struct Wrap { T t; }; struct Pixel : geo::Point {}; int dims(const char *); template<class T, class = void> struct H { enum { v = 0 }; }; template<class T> struct H<T, void_t<decltype(dims(val<T>()))>> { enum { v = 1 }; };",
		[]string{"H<Pixel>::v", "H<Wrap<geo::Point>>::v", "H<geo::Point *>::v", "H<geo::Point[2]>::v", "H<int geo::Point::*>::v", "H<geo::Point (*)(int)>::v", "H<void (*)(geo::Point)>::v", "H<geo::Out::In *>::v"}},
	{"a function declared behind the template", detection + "template<class T, class = void> struct H { enum { v = 0 }; }; template<class T> struct H<T, void_t<decltype(weight(val<T>()))>> { enum { v = 1 }; }; int weight(long);",
		[]string{"H<int>::v", "H<char *>::v"}},
	{"an overload declared behind the template", detection + "char pick(long); template<class T> struct Sz { enum { v = sizeof(pick(T())) }; }; double pick(int);", []string{"Sz<int>::v", "Sz<long>::v"}},
	{"a namespace that hides later", detection + "namespace lib { int weight(int); } namespace app { using namespace lib; template<class T, class = void> struct H { enum { v = 0 }; }; template<class T> struct H<T, void_t<decltype(weight(val<T>()))>> { enum { v = 1 }; }; int weight(char *); }",
		[]string{"app::H<int>::v"}},
	{"names of several bases", detection + "struct L { int id; int f(int); enum { e }; }; struct R { int id; int f(long); enum { e }; }; struct LR : L, R {}; struct B { int x; }; struct D1 : B {}; struct D2 : B {}; struct DD : D1, D2 {}; template<class T, class = void> struct I { enum { v = 0 }; }; template<class T> struct I<T, void_t<decltype(val<T &>().id)>> { enum { v = 1 }; }; template<class T, class = void> struct X { enum { v = 0 }; }; template<class T> struct X<T, void_t<decltype(val<T &>().x)>> { enum { v = 1 }; }; template<class T, class = void> struct F { enum { v = 0 }; }; template<class T> struct F<T, void_t<decltype(val<T &>().f(1))>> { enum { v = 1 }; };",
		[]string{"I<LR>::v", "I<L>::v", "X<DD>::v", "X<D1>::v", "F<LR>::v", "F<R>::v"}},
	{"conversions that may not be used", detection + "class Handle { operator int() const; public: int x; }; struct Fd { operator int() const = delete; }; struct P { operator int() const; }; struct Q : private P {}; template<class T, class = void> struct A { enum { v = 0 }; }; template<class T> struct A<T, void_t<decltype(val<T &>() + 1)>> { enum { v = 1 }; };",
		[]string{"A<Handle>::v", "A<Fd>::v", "A<P>::v", "A<Q>::v"}},
	{"operators new and () that may not be used", detection + "struct No { void *operator new(decltype(sizeof 0)) = delete; int x; }; struct C { int operator()(int); }; struct D : protected C {}; struct E : D {}; template<class T, class = void> struct N { enum { v = 0 }; }; template<class T> struct N<T, void_t<decltype(new T)>> { enum { v = 1 }; }; template<class T, class = void> struct O { enum { v = 0 }; }; template<class T> struct O<T, void_t<decltype(val<T &>()(1))>> { enum { v = 1 }; };",
		[]string{"N<No>::v", "N<int>::v", "O<C>::v", "O<D>::v", "O<E>::v"}},
	{"names that a namespace declares behind a template", "enum { N = 4 }; struct S { enum { m = 1 }; }; namespace o { struct V { enum { m = 2 }; }; struct U { enum { m = 3 }; }; } namespace q { struct V { enum { m = 12 }; }; struct U { enum { m = 13 }; }; } using o::V; using namespace o; namespace a { template<class T> struct W { enum { n = N, s = S::m }; T t[N]; }; template<class T> struct W<T *> { struct In { enum { n = N, s = S::m }; }; enum { n = N + 20 }; }; template<class T> using Row = T[N]; template<class T> constexpr int two = N * 2; template<class T> constexpr int f(T) { return S::m + N; } constexpr int g() { return N + S::m; } template<int M = N> struct D { enum { v = M }; }; template<class T> struct X { enum { v = V::m }; }; template<class T> struct Y { enum { v = U::m }; }; template<class T> struct Z { enum { v = o::V::m }; }; enum { N = 8 }; struct S { enum { m = 11 }; }; using q::V; using namespace q; namespace o { struct V { enum { m = 22 }; }; } template<class T> struct Again { enum { n = N, s = S::m, v = V::m, o = o::V::m }; }; }",
		[]string{"a::W<char>::n", "a::W<char>::s", "a::W<int *>::n", "a::W<int *>::In::n", "a::W<int *>::In::s", "sizeof(a::Row<int>)", "a::two<int>", "a::f('a')", "a::g()", "a::D<>::v", "a::X<int>::v", "a::Y<int>::v", "a::Z<int>::v", "a::Again<char>::n", "a::Again<char>::s", "a::Again<char>::v", "a::Again<char>::o"}},
	{"names of members and of several declarations", "enum { N = 4 }; namespace a { constexpr int f(); template<class T> constexpr int g(T); template<class T> struct In { struct J; }; template<class T> struct S { static constexpr int f() { return N; } template<class U> static constexpr int g(U) { return N; } template<int M = N> struct D { enum { v = M }; constexpr int h() const { return N; } }; }; struct P { static constexpr int f() { return N; } }; template<int M = N> struct E; enum { N = 8 }; constexpr int f() { return N; } template<class T> constexpr int g(T) { return N; } template<class T> struct In<T>::J { enum { v = N }; }; template<int M> struct E { enum { v = M, n = N }; }; template<> struct S<char> { static constexpr int f() { return N; } }; }",
		[]string{"a::f()", "a::g(1)", "a::In<int>::J::v", "a::S<int>::f()", "a::S<int>::g(1)", "a::S<int>::D<>::v", "a::S<int>::D<>{}.h()", "a::P::f()", "a::E<>::v", "a::E<>::n", "a::S<char>::f()"}},
	{"partial specialisations declared with other names", "template<class T, int N> struct Vec; template<class S> struct Vec<S, 2>; template<class X, int M> struct Vec<X *, M>; template<class T> struct Vec<T, 2> { enum { v = 2 }; }; template<class T, int N> struct Vec<T *, N> { enum { v = N + 10 }; };",
		[]string{"Vec<int, 2>::v", "Vec<int *, 3>::v"}},
}

// Of names that something else decides, what is known is what the compiler finds.
func TestLookupsAreTheCompilers(t *testing.T) { compareConstants(t, looked, 0.25) }

// Which specialisation is meant, the front end knows as the compiler does, or not at all.
func TestSpecialisationsAreTheCompilers(t *testing.T) { compareConstants(t, specialised, 0.5) }

// compareConstants compares what is known of constants with nvcc. least is the part that is known.
func compareConstants(t *testing.T, table []decided, least float64) {
	var source strings.Builder
	source.WriteString("#include <type_traits>\n#ifdef __CUDACC__\n#include <cuda/std/type_traits>\n#endif\n")
	unknown, all, n := "", 0, 0
	for i, one := range table {
		fmt.Fprintf(&source, "namespace s%d {\n%s\n", i, one.declarations)
		var list strings.Builder
		for j, c := range one.constants {
			fmt.Fprintf(&list, "constexpr long c%d = %s;\n", j, c)
		}
		constants := parseWith(t, one.declarations+"\n"+list.String(), "").Constants
		source.WriteString(list.String())
		for j, c := range one.constants {
			all++
			if v, ok := constants[fmt.Sprint("c", j)]; ok {
				n++
				fmt.Fprintf(&source, "static_assert(c%d == %d, \"%s: %s is not %d\");\n", j, v, one.name, strings.ReplaceAll(c, `"`, "'"), v)
			} else {
				unknown += fmt.Sprintf("%s: %s\n", one.name, c)
			}
		}
		source.WriteString("}\n")
	}
	t.Logf("not known:\n%s", unknown)
	assert.GreaterOrEqual(t, float64(n), least*float64(all))
	assert.NoError(t, compiled(t, source.String(), testenv.NVCCPath(t), "-std=c++17", "-arch=compute_75", "-w", "-ptx", "-o", "/dev/null"))
}
