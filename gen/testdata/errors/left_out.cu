// A condition that nothing fulfils leaves the kernel out.
// ERROR "there is no kernel \(a __global__ function\) in this file: kernels are left out \(1, the first in line 4\), and USE_CUDA is not defined: define it with -D"
#ifdef USE_CUDA
extern "C" __global__ void k(int *x) {}
#endif
