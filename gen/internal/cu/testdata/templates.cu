// Templates, their arguments, and the directive that asks for an instance.
template <class T, int N> struct Plain { T x[N]; };
template <class... T> struct Pack { int x; T *y; };
template <class... T> struct Packs { T x; };
template <class... T, int N> struct PackFirst { int x; };
template <template <class> class C> struct OfTemplate { int x; };
template <mystery_t N> struct OfUnknown { int x; };
template <auto N> struct Deduces { int x; };
template <const auto N> struct DeducesConst { int x; };
template <unsigned char N> struct Small { int x; };
template <class T> using Alias = T +;
template <class T> using Nested = typename T::type;
template <class T> struct Several { T x; };
template <class T> struct Several<T *> { T x; };
template <class T> struct Several<const T> { T y; };
template <class T> struct Several<T **> { T z; };
template <class T> struct Deduced { T x; };
template <class A> struct Deduced<typename A::type> { int y; };
template <class A, class B> struct Ambiguous { int x; };
template <class A> struct Ambiguous<A, int> { int y; };
template <class B> struct Ambiguous<int, B> { int z; };
template <class T> struct Shouting { T x; } PACKED;
template <class T> struct Trailing { T x; } trailing;
template <class T> struct Endless { Endless<Endless<T>> *x; typename Endless<T *>::type y; };
#if UNKNOWN(1)
#else
template <class T> struct Doubtful { T x; };
template <class T> using DoubtfulAlias = T;
typedef int doubtful_t;
using doubtful_alias = int;
const int doubtful = 1;
enum DoubtfulEnum { doubtfulValue };
#endif
int variable;

__global__ void packs(Pack /* ERROR "it has a member that has unknown type T, a pack of template arguments" */<int> a, Packs /* ERROR "it has a member that has unknown type T, a pack of template arguments" */<int, int> b, PackFirst /* ERROR "a template argument has no type that is understood \(unexpected 3\)" */<int, 3> c);
__global__ void arguments(OfTemplate /* ERROR "template argument int is not a template that is known here" */<int> a, OfUnknown /* ERROR "the type of template parameter N has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)" */<1> b, Small /* ERROR "template argument N is not an integer of type unsigned char" */<300> c, Plain /* ERROR "it has 2 template parameters, and 3 arguments" */<int, 1, 2> d, Plain /* ERROR "a template argument is not understood \(unexpected \+\)" */<int +, 1> e, Plain /* ERROR "an expression is missing" */<int[], 1> f, Plain /* ERROR "a template argument has an alignment or attribute of its own, which is not understood" */<alignas(16) int, 1> g, Plain /* ERROR "a template argument is not understood \(unexpected x\)" */<int x, 1> h);
__global__ void deduced(Deduces /* ERROR "the type of template argument 1.5L is not understood" */ <1.5L> a, DeducesConst<1 == 1> b);
__global__ void aliases(Alias /* ERROR "alias template Alias is not understood \(unexpected \+\)" */<int> a, Nested /* ERROR "alias template Nested has unknown type T::type \(include its header, or leave the kernel out with //cudagen:ignore\)" */<int> b, Alias /* ERROR "it has 1 template parameters, and 2 arguments" */<int, int> c);
__global__ void partial(Ambiguous /* ERROR "more than one partial specialisation of Ambiguous fits, which is not understood" */<int, int> a, Deduced /* ERROR "it may be a partial specialisation of Deduced that is not understood" */<Pack<int>> b, Shouting /* ERROR "PACKED stands behind its \}, and may be a macro" */<int> c, Trailing /* ERROR "trailing stands behind its \}, and is not understood" */<int> d);
__global__ void doubts(Doubtful /* ERROR "template Doubtful is under a condition that could not be evaluated" */<int> a, DoubtfulAlias /* ERROR "template DoubtfulAlias is under a condition that could not be evaluated" */<int> b, doubtful_t /* ERROR "parameter c has unknown type doubtful_t, a typedef under a condition that could not be evaluated" */ c, doubtful_alias /* ERROR "parameter d has unknown type doubtful_alias, an alias under a condition that could not be evaluated" */ d, DoubtfulEnum /* ERROR "it is under a condition that could not be evaluated" */ e);
__global__ void values(Plain /* ERROR "doubtful is not an integer constant that is understood \(a constant under a condition that could not be evaluated\)" */<int, doubtful> a, Plain /* ERROR "doubtfulValue is not an integer constant that is understood \(an enumerator whose value is not known\)" */<int, doubtfulValue> b);
//cudagen:instantiate T=float,N=4
//cudagen:instantiate T=float
//                    ^ ERROR "template parameter N has no value \(write //cudagen:instantiate T=…,N=…\)"
//cudagen:instantiate T
//                    ^ ERROR "a directive instantiate reads T=…,N=…, with a GoName behind it if wanted"
//cudagen:instantiate T=float,M=4
//                            ^ ERROR "there is no template parameter M \(they are T=…,N=…\)"
//cudagen:instantiate T=float,T=int,N=1
//                            ^ ERROR "template parameter T is given twice"
//cudagen:instantiate T=mystery_t,N=1
//                      ^ ERROR "a template argument has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)"
//cudagen:instantiate T=float,N=variable
//                              ^ ERROR "variable is not an integer constant that is understood \(a variable\)"
template <class T, int N> __global__ void shaped(Plain<T, N> x) {}
//cudagen:instantiate T=float
//                    ^ ERROR "template parameter T \(class\.\.\.\) is a pack, which has no single value \(give all arguments, as in //cudagen:instantiate <float, int>\)"
//cudagen:instantiate <float> four
//                            ^ ERROR "unexpected four behind the arguments \(a GoName begins with a capital\)"
//cudagen:instantiate <float
//                    ^ ERROR "the < of the arguments is not closed"
//cudagen:instantiate <float, 4>
//                            ^ ERROR "a template argument has no type that is understood \(unexpected 4\) \(its template parameters are <T\.\.\.>\)"
template <class... T> __global__ void variadic(T... x) {}
//cudagen:instantiate T=float
template <class T> __global__ void local(typename T /* ERROR "parameter x has unknown type T::type \(include its header, or leave the kernel out with //cudagen:ignore\)" */::type x) {}
template < /* ERROR "the parameters of a template are not closed" */class T __global__ void open(T x) {}
