// Instances of templates whose arguments are values of classes and floating-point numbers.
template<class T, class U> struct Same { char c[2]; };
template<class T> struct Same<T, T> { char c; };
enum E { e0, e1 };
enum class S : unsigned char { s0, s1 };
struct P { int x, y; constexpr int at(int i) const { return i ? y : x; } };
struct D { int x, y = 5; };
struct All { unsigned u; long l; char c; bool b; S s; float f; double d; P p; int a[3]; short n; char t[4]; };
constexpr P add(P a, P b) { return {a.x + b.x, a.y + b.y}; }
constexpr P table[] = {{5, 6}, {7, 8}};
template<P p> struct A { Same<decltype(p), P> a; Same<decltype((p)), const P &> b; Same<decltype(p.x), int> c; char d[p.at(1) + 1]; };
template<P p> struct B : A<add(p, p)> { static constexpr P twice = add(p, p); A<P{p.x * 3, p.y}> z; };
template<P p> struct Full { char c; };
template<> struct Full<P{1, 2}> { double d; };
template<P p, class T> struct Part { char c; };
template<class T> struct Part<P{3, 4}, T> { T t[2]; };
template<float f> struct F { Same<decltype(f), float> a; Same<decltype((f)), float> b; char c[int(f * 2)]; };
template<auto v, class T> struct Auto { char c; };
template<class T> struct Auto<1.5f, T> { T t[2]; };
//cudagen:instantiate <P{1, 2}>
//cudagen:instantiate <P{3, 4}>
//cudagen:instantiate <P{0, 7}>
//cudagen:instantiate <P{}>
//cudagen:instantiate <table[1]>
//cudagen:instantiate <B<P{4, 4}>::twice>
template<P p> __global__ void k(A<p> a, B<p> b, Full<p> f, Part<p, double> q) {}
//cudagen:instantiate <P{1, 2}>
//cudagen:instantiate <D{1}>
//cudagen:instantiate <D{1, 0}>
//cudagen:instantiate <table[0]>
//cudagen:instantiate <1.5f>
template<auto v> __global__ void automatic(Auto<v, int> a) {}
//cudagen:instantiate <All{}>
//cudagen:instantiate <All{1, 2, 'c', true, S::s1, 1.5f, 0.1, {1, 2}, {1, 2}, -3, "ab"}>
//cudagen:instantiate <All{.f = -0.f, .n = 1, .t = {'\n', '1', '\1', '1'}}>
//cudagen:instantiate <All{.t = {'a', -1}}>
template<All a> __global__ void all(int x) {}
//cudagen:instantiate <P{1}, P{0, 2}>
template<P... p> __global__ void pack(A<p>... a) {}
//cudagen:instantiate <1.5f, 0.1>
//cudagen:instantiate <2.f, -0.>
template<float f, double d> __global__ void number(F<f> a) {}
//cudagen:instantiate <P, P{1, 2}>
//cudagen:instantiate <float, 1.5f>
template<class T, T v> __global__ void dependent(int x) {}
namespace n { namespace { struct Q { int x; }; } constexpr Q q{3}; }
//cudagen:instantiate <n::q>
template<n::Q q, P p = P{q.x, 1}> __global__ void hidden(A<p> a) {}
//cudagen:instantiate <F<1.5f>>
template<class T> __global__ void holding(T t) {}
template<int N> struct Counted { char c[N]; };
//cudagen:instantiate <P{3, 2}>
template<P p> __global__ void member(Counted<p.x> a) {}
