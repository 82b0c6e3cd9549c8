// Conditional compilation.
#ifndef CONDITIONS_CU
#define CONDITIONS_CU
#if 0
__global__ void dead(mystery_t don't);
#elif 1
__global__ void live(int n);
#else
# error it's dead
#endif
#ifdef __cplusplus
extern "C" {
#endif
__global__ void linkage(int n);
#if !defined(__cplusplus)
__global__ void c(mystery_t n);
#endif
#ifdef __cplusplus
}
#endif
# /* no error: nothing that a kernel depends on */ if FOO
static int helper(int x) { return x; }
typedef float real;
#else
typedef double real;
#endif
__global__ void uses(real /* ERROR "a typedef" */ x);
#if FOO
const int kSize = 1;
#else
const int kSize = 2;
#endif
__global__ void sized(float x[1][kSize /* ERROR "not an integer constant" */ ]);
__global__ void body(int n) {
#if A
  if (n) {
#elif B
  while (n) {
#else
  {
#endif
  }
#ifdef C
  if (n) { } else { }
#endif
}
__global__ void signature(int n,
# /* ERROR "signature: parameter m has no type that is understood \(unexpected #ifdef\)" */ ifdef WIDE
  long m
#else
  int m
#endif
) {}
# /* ERROR "conditional compilation around declarations" */ if defined(BAR)
__global__ void first(int n) {}
#else
__global__ void second(int n) {}
#endif
# /* ERROR "conditional compilation around declarations" */ ifdef BAR
struct S { int a; };
#endif
#endif
