#include <cuda.h>

constexpr int tile = 32;

// Tiles copies a matrix of rows × columns elements, multiples of tile, whose boxes of tile × tile the tensor memory
// accelerator brings to shared memory.
//
//cudagen:kernel
//cudagen:block tile,8
//cudagen:grid columns/tile, rows/tile
//cudagen:len out=rows*columns
extern "C" __global__ void tiles(const __grid_constant__ CUtensorMap map, float *out, int rows, int columns) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ alignas(128) float box[tile][tile];
  __shared__ alignas(8) unsigned long long arrived;
  unsigned to = (unsigned)__cvta_generic_to_shared(box), barrier = (unsigned)__cvta_generic_to_shared(&arrived);
  bool first = threadIdx.x == 0 && threadIdx.y == 0;
  int x = blockIdx.x * tile, y = blockIdx.y * tile;
  if (first) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" ::"r"(barrier) : "memory");
  __syncthreads();
  if (first) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"((unsigned)sizeof box) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(barrier) : "memory");
  }
  int done = 0;
  while (!done) {
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(done) : "r"(barrier) : "memory");
  }
  for (int i = threadIdx.y; i < tile; i += blockDim.y) out[(size_t)(y + i) * columns + x + threadIdx.x] = box[i][threadIdx.x];
#endif
}
