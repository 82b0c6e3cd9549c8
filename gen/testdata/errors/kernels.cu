// Kernels that cannot be chosen, or that have no wrapper.
#include "missing.h"
struct Large { char bytes[32765]; };
struct Virtual { virtual void f(); int x; };
struct Strange;

//cudagen:kernel
// ERROR "both exported and ignored: keep one of the two directives"
//cudagen:ignore
extern "C" __global__ void both(int n) {}
//cudagen:block 32
// ERROR "unmarked: has directives, but other kernels have //cudagen:kernel and this one does not: add it, or //cudagen:ignore"
extern "C" __global__ void unmarked(int n) {}
//cudagen:kernel saxpy
//               ^ ERROR "write //cudagen:kernel Unexported"
extern "C" __global__ void unexported(int n) {}
//cudagen:kernel
template <class T> __global__ void wide(T x) {}
//                                 ^ ERROR "is a template: add above it, for each instantiation, a line such as //cudagen:instantiate T=float, or //cudagen:ignore"
//cudagen:kernel
template <class T> __global__ void suggested(T x) {}
//                                 ^ ERROR "is a template: add above it //cudagen:instantiate T=float, or //cudagen:ignore"
extern template __global__ void suggested<float>(float x);
//cudagen:kernel
extern "C" __global__ void declared(int n);
//                         ^ ERROR "is declared here but not defined: put the directives above the definition"
//cudagen:kernel
// cudagen: block 32
extern "C" __global__ void near(int n) {}
//                         ^ ERROR "looks like a directive but is not one: write //cudagen:verb, without blanks, on a line of its own"
//cudagen:kernel
extern "C" __global__ void large(Large l) {}
//                         ^ ERROR "parameter 1 ends at byte 32765, but all parameters together may have 32764 bytes"
//cudagen:kernel
extern "C" __global__ void object(Virtual v) {}
//                         ^ ERROR "it has virtual functions, and kernels cannot use objects that the host made of such a class"
//cudagen:kernel
extern "C" __global__ void unknown(Strange s) {}
//                                 ^ ERROR "parameter s has type Strange, which is declared but not defined here \(perhaps from .missing\.h., not found: add -I\)"
//cudagen:block 32
// ERROR "directive block is not attached to a declaration: put it directly above a kernel, such as unknown in line 38"
int hanging;
//cudagen:frobnicate
// ERROR "unknown directive .frobnicate. \(there are block, cluster, cooperative, data, export, grid, ignore, infer, instantiate, kernel, len, nullable, ptr, shared, surface, texture, threads, type\)"
// Identifiers with a $ have the spellings of others.
//cudagen:kernel
extern "C" __global__ void dollars(int c$d, int c_d, int C_D) {}
//                                     ^ ERROR "dollars: the parameters c\$d and c_d have the same Go name: rename one of them"
//                                              ^ ERROR "dollars: the parameters c_d and c\$d have the same Go name: rename one of them"
//cudagen:kernel
//cudagen:kernel Twice
//cudagen:kernel Again
// ERROR "kernel is given twice: one line may choose the kernel, and another one give its Go name"
extern "C" __global__ void given(int n) {}
