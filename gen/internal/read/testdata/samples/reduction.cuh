// A reduction in the style of a sample: one kernel with three template parameters, launched by a
// host function template that switches over the number of threads.
#pragma once
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class T>
struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int raw[];
    return (T *)raw;
  }
};

inline bool isPow2(unsigned int x) { return ((x & (x - 1)) == 0); }

template <class T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n) {
  cg::thread_block cta = cg::this_thread_block();
  T *sdata = SharedMemory<T>();
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
  T mine = 0;
  while (i < n) {
    mine += g_idata[i];
    if (nIsPow2 || i + blockSize < n) mine += g_idata[i + blockSize];
    i += gridDim.x * blockSize * 2;
  }
  sdata[tid] = mine;
  cg::sync(cta);
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = mine = mine + sdata[tid + s];
    cg::sync(cta);
  }
  if (tid == 0) g_odata[blockIdx.x] = mine;
}

template <class T>
void reduceOnDevice(int size, int threads, int blocks, T *d_idata, T *d_odata) {
  dim3 dimBlock(threads, 1, 1);
  dim3 dimGrid(blocks, 1, 1);
  int smemSize = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
  if (isPow2(size)) {
    switch (threads) {
      case 512:
        reduce<T, 512, true><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size);
        break;
      case 256:
        reduce<T, 256, true><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size);
        break;
    }
  }
}
