// Declarations of kernels that are not understood. Each error stands alone: the
// others are still found.
#define BOUNDS __launch_bounds__(256)
#define NAME good
#define KERNEL extern "C" __global__ void
#define OPEN namespace hidden {
#define MAKE(n) __global__ void n##_kernel(int n) {}
#define HARMLESS(n) int n##_value() { return 1; }

__global__ int /* ERROR "^returns: a kernel returns void, not int" */ returns(int n) { return 0; }
__global__ untyped /* ERROR "untyped: a kernel returns void" */ (int n) {}
__global__ BOUNDS /* ERROR "macro: macro BOUNDS is not expanded" */ void macro(int n) {}
EXPORTED /* ERROR "exported: unexpected EXPORTED in the declaration of a kernel" */ __global__ void exported(int n) {}
__global__ void behind(int n) BOUNDS /* ERROR "macro BOUNDS" */ {}
__global__ auto /* ERROR "unexpected auto" */ trailing(int n) -> /* ERROR "unexpected -> behind the parameters" */ void {}
__global__ /* ERROR "it has no name with parameters" */ void (*pointer)(int);
__global__ void elsewhere /* ERROR "namespace elsewhere is not known here" */ ::qualified(int n) {}
__global__ void twice(int n) {}
__global__ void twice /* ERROR "twice: defined more than once \(first in line 18\)" */ (int m) {}
KERNEL /* ERROR "macro KERNEL stands for a declaration with extern" */ hidden(int n) {}
MAKE /* ERROR "macro MAKE stands for a declaration with __global__" */ (made)
HARMLESS(foo)
__global__ void fine(int n) {}
struct Holder {
  static __global__ /* ERROR "kernel inside of a declaration that is not understood" */ void inside(int n) {}
  friend __global__ void befriended(int n);
};
REGISTER(x)
namespace lost {
__global__ /* ERROR "is a ; missing before it, or a macro" */ void swallowed(int n) {}
}
