// Declarations of kernels that are not understood. Each error stands alone: the
// others are still found.
__global__ int /* ERROR "^returns: a kernel returns void, not int" */ returns(int n) { return 0; }
__global__ untyped /* ERROR "untyped: a kernel returns void" */ (int n) {}
EXPORTED __global__ void exported(int n) {}
UNKNOWN_BOUNDS(256) __global__ void bounded(int n) {}
__global__ void UNKNOWN_BOUNDS(256, 2) behind(int n) OTHER {}
__global__ void first /* ERROR "it is not clear whether second or first is its name" */ (int n) second(int m) {}
__global__ auto trailing(int n) -> void {}
__global__ auto deduced /* ERROR "deduced: a kernel returns void" */ (int n) {}
__global__ /* ERROR "it has no name with parameters" */ void (*pointer)(int);
__global__ void elsewhere /* ERROR "namespace elsewhere is not known here" */ ::qualified(int n) {}
__global__ void twice(int n) {}
__global__ void twice /* ERROR "twice: defined more than once \(first in line 13\)" */ (int m) {}
__global__ void minus(int n) - /* ERROR "unexpected - behind the parameters" */ 1 {}
__global__ + /* ERROR "unexpected \+ in the declaration of a kernel" */ void plus(int n) {}
HARMLESS(foo)
__global__ void fine(int n) {}
struct Holder {
  static __global__ /* ERROR "kernel inside of a declaration that is not understood" */ void inside(int n) {}
  friend __global__ void befriended(int n);
};
REGISTER(x)
namespace found {
__global__ void swallowed(int n) {}
}
DECLARE(y)
__global__ void after(int n) {}
int /* ERROR "lost: a kernel returns void, not int" */ f /* ERROR "it is not clear whether lost or f" */ (int x) __global__ void lost(int n) {}
template <class T> __global__ void tmpl(T x);
template <> __global__ void tmpl<mystery_t /* ERROR "tmpl: a template argument has unknown type mystery_t" */ >(int x);
