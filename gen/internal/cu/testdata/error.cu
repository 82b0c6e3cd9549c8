#include <cuda_runtime.h> // known without being there
#if __CUDA_ARCH__ < 700
#error too old
#endif
# /* ERROR "#error not for this compiler \(reached: if that is not meant, define what selects another branch with -D\)" */ error "not for this compiler"
__global__ void k(int n);
