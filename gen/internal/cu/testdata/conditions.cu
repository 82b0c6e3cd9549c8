// Conditions are evaluated as in a device pass.
#ifdef __CUDACC__
__global__ void seen(int n);
#else
__global__ void host(mystery_t n);
#endif
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
#if __CUDA_ARCH__ >= 700 && CUDART_VERSION > 12000 && defined(__linux__) && !defined(_WIN32)
typedef float real;
#else
typedef mystery_t real;
#endif
__global__ void uses(real x);
__global__ void body(int n) {
#if A
  if (n) {
#elif B
  while (n) {
#else
  {
#endif
  }
}
__global__ void signature(int n,
#ifdef WIDE
  mystery_t m
#else
  int m
#endif
) {}
#if HAS_FEATURE(x) // a macro of a header that is not there
__global__ void absent(mystery_t n) {}
#else
typedef int doubtful;
const int kSize = 4;
struct S { int a; };
__global__ void present /* ERROR "present: is under a condition that could not be evaluated" */ () {}
#endif
struct Half {
  int a;
#if HAS_FEATURE(y)
#else
  int b;
#endif
};
__global__ void types(doubtful /* ERROR "a typedef under a condition" */ n, S /* ERROR "it is under a condition that could not be evaluated" */ s, Half /* ERROR "under a condition that could not be evaluated" */ h);
__global__ void sized(float x[1][kSize /* ERROR "under a condition" */ ]);
__global__ void inside(int a
#if HAS_FEATURE(z)
#else
  , int b /* ERROR "inside: parameter b is under a condition" */
#endif
);
__global__ void fine(int n);
#if 0 && 1 / 0 && UNKNOWN(1)
#endif
#if 1 / /* ERROR "#if: a constant expression divides by zero" */ 0
#endif
# /* ERROR "#ifdef names no macro" */ ifdef
#endif
