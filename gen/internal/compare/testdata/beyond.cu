// Kernels whose parameters a reader that is no whole C++ compiler may not understand.
#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#endif

template <bool, class A, class> struct choose { typedef A type; };
template <class A, class B> struct choose<false, A, B> { typedef B type; };
template <class T, int N> struct power { static constexpr int of = N * power<T, N - 1>::of; };
template <class T> struct power<T, 0> { static constexpr int of = 1; };
struct Wide { double d[power<int, 3>::of]; };
struct Narrow { char c; };
#pragma pack(push, 1)
struct Packed { char c; int i; short s; };
#pragma pack(pop)
struct Virtual { int a; __device__ virtual void f(); };
namespace one { struct Twin { int a; }; }
namespace two { struct Twin { float a, b; }; }
struct Twins { one::Twin x; two::Twin y; };
enum class Choice : long long { NO = -1, YES };
struct Held { Choice choice; };

__global__ void chosen(choose<sizeof(Wide) == 48, Wide, Narrow>::type w, decltype(Narrow()) *n, Packed p) { n->c = w.d[0] + p.i; }
__global__ void twins(Twins t, int *o) { *o = t.x.a; }
__global__ void virtuals(Virtual v, Virtual *p) { p->a = v.a; }
__global__ void member(int Narrow::*m, Held h, Choice c) {}
typedef const Wide ConstWide;
__global__ void qualified(const choose<sizeof(Wide) == 48, Wide, Narrow>::type w, ConstWide v, const int *const n, double *o) { *o = w.d[0] + v.d[1] + *n; }
