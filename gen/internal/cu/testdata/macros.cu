// Macros are replaced; errors stand where they are used.
#define TWO(a, b) a b
#define KERNEL extern "C" __global__ void
#define MAKE(n) __global__ void n##_kernel(int n) {}
#define BROKEN(n) __global__ void n(mystery_t x) {}
#define BOUNDS __launch_bounds__(256)
#define FIELD int hidden;
#define PTR(T) T *
#define EMPTY()
KERNEL plain(int n) {}
MAKE(made)
BROKEN /* ERROR "broken: parameter x has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\) \(in expansion of BROKEN, defined at testdata/macros.cu:5:9\)" */ (broken)
__global__ BOUNDS void bound(PTR(float) x) BOUNDS {}
int one = TWO /* ERROR "macro TWO has 2 parameters, and is used with 1 arguments" */ (1);
struct S { FIELD int a; };
__global__ void uses(S s EMPTY(), int b);
int two = TWO /* ERROR "the arguments of macro TWO are not closed" */ (1
