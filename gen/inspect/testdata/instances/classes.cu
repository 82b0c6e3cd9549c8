// Instances of templates whose parameters are classes of templates.
#include <cstdint>
#include <cstddef>
#include <type_traits>
// tuples
template<class... T> struct Tup;
template<> struct Tup<> {};
template<class H, class... T> struct Tup<H, T...> : Tup<T...> { H h; };
//cudagen:instantiate <int, double, char>
//cudagen:instantiate <>
template<class... T> __global__ void k_tup(char c, Tup<T...> t, char e) {}
// members
template<class... T> struct Tup2;
template<class H> struct Tup2<H> { H h; };
template<class H, class... T> struct Tup2<H, T...> { H h; Tup2<T...> t; };
//cudagen:instantiate <char, double, short>
template<class... T> __global__ void k_tup2(char c, Tup2<T...> t, T... a) {}
// bases
template<int N> struct B { char x[N]; };
template<class... Bs> struct M : Bs... { int y; };
template<int... N> struct MN : B<N>... { static constexpr int n = sizeof...(N); double z[sizeof...(N) + 1]; };
//cudagen:instantiate <1, 2, 3>
template<int... N> __global__ void k_b(M<B<N>...> m, MN<N...> mn, char (*p)[sizeof...(N) + 1]) {}
// number 10
template<class T, unsigned N> struct A10 { int dummy[11]; }; template<class T, int N> struct A10<T *, N> { char c; };
template<class T, unsigned N> struct A10b { int dummy[11]; }; template<class T, unsigned N> struct A10b<T *, N> { char c; };
//cudagen:instantiate <int>
template<class T> __global__ void k_10(A10<T *, 3> a, A10b<T *, 3> b, A10b<T, 3> c) {}
// partial specs
template<class T> struct P1 { char c; };
template<class T> struct P1<const T> { char c[2]; };
template<class T> struct P1<T *> { char c[3]; };
template<class T> struct P1<T **> { char c[4]; };
template<class T, int N> struct P1<T[N]> { char c[5]; T t; short n[N]; };
template<class R, class... Ar> struct P1<R(Ar...)> { char c[6]; char n[sizeof...(Ar) + 1]; };
template<class R, class... Ar> struct P1<R(*)(Ar...)> { char c[8]; char n[sizeof...(Ar) + 1]; };
template<class T> struct P1<T &> { char c[9]; };
template<class T> struct P1<volatile T> { char c[10]; };
template<template<class...> class C, class... T> struct P1<C<T...>> { char c[11 + sizeof...(T)]; };
//cudagen:instantiate <int>
//cudagen:instantiate <const int>
//cudagen:instantiate <int *>
//cudagen:instantiate <int *const>
//cudagen:instantiate <int **>
//cudagen:instantiate <int ***>
//cudagen:instantiate <double[3]>
//cudagen:instantiate <int(char, double)>
//cudagen:instantiate <int()>
//cudagen:instantiate <int(*)(char)>
//cudagen:instantiate <int &>
//cudagen:instantiate <volatile int>
//cudagen:instantiate <Tup<int, char>>
//cudagen:instantiate <P1<int>>
template<class T> __global__ void k_p1(P1<T> p, char e) {}
// seq
template<int... I> struct Seq { static constexpr int size = sizeof...(I); static constexpr int sum = (I + ... + 0); };
template<int N, int... I> struct MakeSeq : MakeSeq<N - 1, N - 1, I...> {};
template<int... I> struct MakeSeq<0, I...> { using type = Seq<I...>; };
template<class S> struct OfSeq; template<int... I> struct OfSeq<Seq<I...>> { char c[(I + ...) + 1]; int v[sizeof...(I)]; };
//cudagen:instantiate <4>
template<int N> __global__ void k_seq(OfSeq<typename MakeSeq<N>::type> s, char e) {}
// auto
template<auto V> struct IC { decltype(V) *p; char c; };
template<auto V> struct Sz { char c[V]; };
enum class En : short { a = 3, b = 7 };
//cudagen:instantiate <4>
//cudagen:instantiate <4u>
//cudagen:instantiate <'a'>
//cudagen:instantiate <true>
//cudagen:instantiate <En::b>
//cudagen:instantiate <5l>
//cudagen:instantiate <(short)5>
//cudagen:instantiate <sizeof(int)>
template<auto V> __global__ void k_auto(Sz<(int)V> s, char e) {}
// enable_if heads
template<class T, int N> struct X2 { static constexpr bool value = sizeof(T) > N; };
//cudagen:instantiate <float>
template<class T, std::enable_if_t<X2<T, 2>::value, int> = 0> __global__ void k_e(T t) {}
//cudagen:instantiate <short>
template<class T, std::enable_if_t<!X2<T, 2>::value, int> = 0> __global__ void k_e2(T t, T u) {}
//cudagen:instantiate <double>
template<class T, typename = std::enable_if_t<X2<T, 2>::value>> __global__ void k_e3(T t, char c) {}
// detection
template<class...> using Void = void;
struct HasT { using type = double; }; struct NoT { };
template<class T, class = void> struct Det { char c; };
template<class T> struct Det<T, Void<typename T::type>> { typename T::type t; };
template<class T, class = void> struct Det2 { char c; };
template<class T> struct Det2<T, std::void_t<typename T::type>> { typename T::type t; };
template<class T, class E = void> struct Det3 { char c; };
template<class T> struct Det3<T, std::enable_if_t<std::is_integral<T>::value>> { T t; };
template<class T> struct Det3<T, typename std::enable_if<std::is_floating_point<T>::value>::type> { T t; char d; };
//cudagen:instantiate <HasT>
//cudagen:instantiate <NoT>
//cudagen:instantiate <int>
//cudagen:instantiate <double>
template<class T> __global__ void k_d(Det<T> a, Det2<T> b, Det3<T> c, char e) {}
// dependent bases
struct Base { struct T { double d; }; enum { K = 7 }; typedef long L; };
struct T { char c; }; enum { K = 2 }; typedef char L;
template<class Q> struct D : Q { T t; char x[K]; L l; };
template<class Q> struct D2 : Q { typename Q::T t; char x[Q::K]; typename D2::L l; };
struct D3 : Base { T t; char x[K]; };
template<class Q> struct D4 : Base { T t; char x[K]; };
template<class Q> struct D5 { typedef Q B; struct In : B { T t; char x[K]; }; In in; };
//cudagen:instantiate <Base>
template<class Q> __global__ void k_dep(char c, D<Q> a, D2<Q> b, D3 d, D4<Q> e, D5<Q> f, char g) {}
// nested
template<class A> struct S4 { struct In; struct In2 { A a; char c; }; In2 in2; };
template<class A> struct S4<A>::In { A a; short s; };
//cudagen:instantiate <double>
template<class A> __global__ void k_n(typename S4<A>::In i, typename S4<A>::In2 j, S4<A> s) {}
template<class T> struct S5 { struct Q { T t; char c; }; };
template<> struct S5<char>::Q { double d[3]; };
//cudagen:instantiate <char>
//cudagen:instantiate <int>
template<class T> __global__ void k_n5(typename S5<T>::Q q) {}
// comparisons with parameters of the head
template<bool B, class T = void> struct When {};
template<class T> struct When<true, T> { typedef T type; };
template<bool B, class T = void> using When_t = typename When<B, T>::type;
template<int X> struct Bytes { char x[X]; };
//cudagen:instantiate <1>
template<int I, When_t<I<2, int> = 0> __global__ void k_less(Bytes<I> v, int n) {}
//cudagen:instantiate <float, 3>
template<class T, int I, typename = When_t<I<4 && 1<3, T>> __global__ void k_less2(Bytes<I> v, T n) {}
struct Less { char a; template<int I, class T, When_t<I<2, int> = 0> T lost(); double d; template<template<class> class Q, class W = Q<int>> W f(); int e; };
//cudagen:instantiate <Less>
template<class T> __global__ void k_less3(T s, char c) {}
// values of different types: clang 19 takes all of them for the same
template<auto v, class T> struct Auto { char c; };
template<class T> struct Auto<3, T> { T t[2]; };
template<class T> struct Auto<3u, T> { T t[3]; };
//cudagen:instantiate <3>
//cudagen:instantiate <3u>
//cudagen:instantiate <3l>
template<auto v> __global__ void automatic(Auto<v, int> a) {}
// members of decltype
struct Told { static constexpr int v = 3; using type = double; template<int N> struct In { char c[N]; }; template<class T> static constexpr int sz = sizeof(T); static constexpr int f(int x) { return x * 2; } struct Q { short s; }; };
constexpr Told told{};
template<int N> struct Chars { char n[N]; };
template<class T> struct FromQ : decltype(T{})::Q { typename decltype(T{})::type x; typename decltype(T{})::template In<4> in; decltype(told)::Q q, *p; };
template<class... T> struct Sum { char n[(decltype(T{})::v + ...)]; };
//cudagen:instantiate <Told>
template<class T> __global__ void told_members(Chars<decltype(told)::v> a, decltype(told)::type d, typename decltype(T{})::type *p, FromQ<T> q, Sum<T, Told> s, Chars<decltype(told)::f(5) + (int)decltype(told)::v> f, Chars<decltype(T{})::template sz<T>> z) {}
// operators of the global namespace that those of an inner one hide
namespace away { struct Q { int v; constexpr operator int() const { return v; } }; }
constexpr int operator+(away::Q a, int b) { return a.v * 100 + b; }
constexpr away::Q away_q{3};
namespace hides { struct R { int v; }; constexpr int operator+(R a, int b) { return a.v * b; }
//cudagen:instantiate <1>
template<int N> __global__ void hidden(Chars<away_q + N> a, Chars<R{2} + 3> b) {} }
namespace shows {
//cudagen:instantiate <1>
template<int N> __global__ void shown(Chars<away_q + N> a) {} }
// the largest of several alignments of a field
template<class... T> struct Aligned { alignas(T...) char c; alignas(alignof(T)...) char d; };
template<int... N> struct AlignedTo { alignas(N...) char c; };
//cudagen:instantiate <char, double, int>
//cudagen:instantiate <double, char>
//cudagen:instantiate <>
template<class... T> __global__ void aligned(Aligned<T...> a, AlignedTo<2, 8, 4> b) {}
