// Device functions of every group, as code uses them.
#include <cassert>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

__constant__ float table[4] = {1, 2, 3, CUDART_PI_F};
__device__ int counter;

__global__ void numbers(half *x, half2 *y, __nv_bfloat16 *b, __nv_bfloat162 *c, half a, cuComplex z) {
  int i = threadIdx.x;
  x[i] = __hadd(x[i], a) * __float2half(2.5f) + __hfma(a, a, x[0]);
  y[i] = __hadd2(y[i], __half2half2(a)) * __floats2half2_rn(1, 2);
  b[i] = __hfma(b[i], b[0], __float2bfloat16(1.5f)) + b[2];
  c[i] += __bfloat162bfloat162(b[1]);
  if (x[i] > a && __hlt(b[0], b[1])) x[i] = hsqrt(x[i]);
  x[1] = (float)x[2] + 1.0f;
  x[3] = 4;
  int whole = x[4];
  x[5] = whole;
  x[6] = __shfl_xor_sync(~0u, x[6], 1);
  atomicAdd(&y[3], y[4]);
  atomicAdd(&c[3], c[4]);
  z = cuCdivf(cuCmulf(z, cuConjf(z)), make_cuComplex(cuCabsf(z), table[i % 4]));
  x[7] = z.x;
}

__global__ void groups(float *x) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  float sum = x[block.thread_rank()];
  for (int by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
  block.sync();
  if (tile.thread_rank() == 0) x[tile.meta_group_rank()] = sum;
  tile.sync();
  printf("%d %f\n", (int)threadIdx.x, x[0]);
  assert(x[0] > 0);
}

template <class T>
__global__ void maths(T *p, T v) {
  p[threadIdx.x] = std::sqrt(v) + std::abs(v) + std::fma(v, v, v) + max(v, T(3)) + fmax(v, T(2)) + floor(v) + (isnan(v) ? 1 : 0);
}
template __global__ void maths<float>(float *, float);
template __global__ void maths<double>(double *, double);

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, unsigned short *s) {
  i[0] = atomicAdd(i, 1) + atomicSub(i, 2) + atomicExch(i, 3) + atomicMin(i, 4) + atomicMax(i, 5) + atomicAnd(i, 6) + atomicOr(i, 7) + atomicXor(i, 8) + atomicCAS(i, 9, 10);
  u[0] = atomicAdd_block(u, 1u) + atomicSub_system(u, 2u) + atomicInc(u, 3) + atomicDec_block(u, 4) + atomicCAS_system(u, 5u, 6u);
  l[0] = atomicAdd(l, 1ull) + atomicMax_system(l, 2ull) + atomicExch_block(l, 3ull) + atomicCAS(l, 4ull, 5ull);
  atomicMin((long long *)l, -5ll);
  f[0] = atomicAdd(f, 1.0f) + atomicExch_system(f, 2.0f);
  d[0] = atomicAdd(d, 3.0);
  s[0] = atomicCAS(s, (unsigned short)1, (unsigned short)2);
}

__global__ void intrinsics(int *i, unsigned *u, float *f, double *d, long long *l) {
  i[0] = __dp4a(i[0], i[1], i[2]) + __mul24(i[3], i[4]) + __mulhi(i[5], i[6]) + __sad(i[7], i[8], u[9]) + __ffs(i[10]) + __clz(i[11]) + __popc(u[12]);
  u[0] = __brev(u[0]) + __byte_perm(u[1], u[2], 0x5410) + __funnelshift_l(u[3], u[4], 5) + __funnelshift_r(u[6], u[7], 8) + __umulhi(u[9], u[10]) + __vadd4(u[11], u[12]);
  u[1] = __match_any_sync(~0u, i[4]) + __activemask() + __ballot_sync(~0u, i[5]) + __all_sync(~0u, i[6]) + __any_sync(~0u, i[7]);
  f[0] = __ldg(f + 1) + __ldg((const float4 *)f).x + __ldcg(f + 2) + __fdividef(f[3], __expf(f[4])) + __fadd_rz(f[5], f[6]) + __fsqrt_ru(f[7]) + __int_as_float(i[8]);
  f[1] = min(f[1], f[2]) + min(3, 4u) + max(u[1], 3u) + __saturatef(f[2]) + rsqrtf(f[3]) + __sinf(f[4]) + __powf(f[5], f[6]) + __logf(f[7]) + __frcp_rn(f[8]);
  d[0] = __dadd_rd(d[1], d[2]) + __fma_rn(d[3], d[4], d[5]) + __longlong_as_double(clock64()) + __hiloint2double(i[1], i[2]) + __drcp_ru(d[6]);
  i[1] = __double2int_rn(d[0]) + __float2int_rd(f[0]) + __float_as_int(f[1]) + __syncthreads_count(i[2]) + __syncthreads_and(i[3]) + __syncthreads_or(i[4]) + (int)clock();
  l[0] = __double2ll_rz(d[1]) + __popcll(l[1]) + __clzll(l[2]) + __mul64hi(l[3], l[4]) + llrintf(f[5]) + abs(l[6]);
  u[2] = __shfl_sync(~0u, u[3], 4) + __shfl_up_sync(~0u, u[4], 1) + __isShared(u) + (unsigned)__cvta_generic_to_global(u);
  l[1] = __shfl_down_sync(~0u, l[2], 3, 16) + (long long)__shfl_xor_sync(~0u, d[3], 5);
  __stcs((float4 *)f, make_float4(1, 2, 3, 4));
  __syncwarp();
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(100);
  int *memory = (int *)malloc(4 * sizeof(int));
  memory[0] = atomicAdd(&counter, 1);
  free(memory);
}

__global__ void __launch_bounds__(256, 2) textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *x) {
  extern __shared__ float4 tile[];
  dim3 where = threadIdx;
  tile[where.x] = make_float4(texture, surface, warpSize, gridDim.z);
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x].w;
}

// Host functions are parsed.
void launch(cudaStream_t stream) {
  std::vector<float> values(3);
  std::string name = "x";
  groups<<<dim3(1, 2), 32>>>(values.data());
  maths<float><<<1, 2, 3, stream>>>(nullptr, 1.0f);
  printf("%s %f\n", name.c_str(), std::sin(values[0]));
}
