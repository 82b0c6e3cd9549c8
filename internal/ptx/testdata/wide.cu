// Kernels that use many kinds of instructions, for the architecture that they are
// compiled for.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <mma.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, __half2 *h, __half *h1) {
  __shared__ int s;
  atomicAdd(i, 1); atomicAdd(&s, 2); atomicMax(i + 1, s); atomicMin(u, 3u); atomicCAS(l, 1ull, 2ull); atomicExch(f, 1.f);
  atomicAdd(f, 2.f); atomicAdd(d, 2.); atomicInc(u, 7u); atomicDec(u, 7u); atomicAnd(i, 3); atomicOr(u, 4u); atomicXor(l, 5ull);
  atomicAdd(h, __half2{}); atomicAdd(h1, __half{}); atomicAdd_system(i, 1); atomicAdd_block(i, 1); __threadfence(); __threadfence_block(); __threadfence_system();
}
__global__ void warps(int *o, float *f) {
  int x = o[threadIdx.x];
  x += __shfl_xor_sync(~0u, x, 1) + __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2) + __shfl_sync(~0u, x, 0);
  x += __ballot_sync(~0u, x) + __any_sync(~0u, x) + __all_sync(~0u, x) + __activemask() + __match_any_sync(~0u, x);
  __syncwarp();
  x += __popc(x) + __clz(x) + __brev(x) + __ffs(x) + __byte_perm(x, x, 0x3210) + __dp4a(x, x, x) + __funnelshift_l(x, x, 3) + __sad(x, x, 1u);
  x += __syncthreads_count(x) + __syncthreads_or(x) + __mulhi(x, 3) + __mul24(x, 5) + __vadd2(x, x) + __vmaxs4(x, x) + __vabsdiffu4(x, x);
#if __CUDA_ARCH__ >= 800
  x += __reduce_add_sync(~0u, x) + __reduce_max_sync(~0u, x) + __reduce_or_sync(~0u, (unsigned)x);
#endif
  o[threadIdx.x] = x; f[0] = __sinf(f[1]) + __expf(f[2]) + __logf(f[3]) + sinf(f[4]) + powf(f[5], f[6]) + rsqrtf(f[7]) + sqrtf(f[8]) + __fdividef(f[9], f[10]) + tanhf(f[11]) + fmodf(f[12], f[13]);
}
__global__ void doubles(double *d) { d[0] = sin(d[1]) + exp(d[2]) + d[3] / d[4] + sqrt(d[5]) + fma(d[6], d[7], d[8]) + floor(d[9]) + (double)(long long)d[10] + fmin(d[1], d[2]) + copysign(d[1], d[2]); }
__global__ void halves(__half *h, __half2 *h2, float *f) {
  h[0] = __hadd(h[1], h[2]) * h[3] - h[4]; h2[0] = __hfma2(h2[1], h2[2], h2[3]); f[0] = __half2float(h[5]) + __low2float(h2[4]); h[6] = __float2half(f[1]); h2[5] = __float22half2_rn(make_float2(f[1], f[2]));
  h[7] = hexp(h[8]) + hsqrt(h[9]); h[10] = __hmax(h[11], h[12]); h2[6] = __hmin2(h2[7], h2[8]); h2[9] = h2exp2(h2[10]); f[3] = __hlt(h[1], h[2]); h[13] = __int2half_rn((int)f[4]); h2[11] = __habs2(h2[12]); h2[13] = __hneg2(h2[1]);
}
__global__ void brains(__nv_bfloat16 *h, __nv_bfloat162 *h2, float *f) {
#if __CUDA_ARCH__ >= 800
  h2[0] = __hfma2(h2[1], h2[2], h2[3]);
#endif
  h[0] = __hadd(h[1], h[2]) * h[3]; f[0] = __bfloat162float(h[5]); h[6] = __float2bfloat16(f[1]); h2[5] = __float22bfloat162_rn(make_float2(f[1], f[2]));
  h[10] = __hmax(h[11], h[12]); f[3] = __hlt(h[1], h[2]); h[13] = __int2bfloat16_rn((int)f[4]); h[7] = hexp(h[8]);
}
__global__ void matrices(__half *a, __half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa; fragment<matrix_b, 16, 16, 16, __half, col_major> fb; fragment<accumulator, 16, 16, 16, float> fc;
  load_matrix_sync(fa, a, 16); load_matrix_sync(fb, b, 16); fill_fragment(fc, 0.f); mma_sync(fc, fa, fb, fc); store_matrix_sync(c, fc, 16, mem_row_major);
}
__global__ void copies(int4 *in, int4 *out) {
  __shared__ int4 s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 16); __pipeline_commit(); __pipeline_wait_prior(0);
  __syncthreads(); out[threadIdx.x] = __ldg(&in[3]); __stcs(&out[40], __ldcs(&in[50])); out[0] = s[31 - threadIdx.x]; __nanosleep(10);
}
__global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *o) {
  o[0] = tex2D<float4>(t, 1.f, 2.f); o[1] = tex3D<float4>(t, 1.f, 2.f, 3.f); o[2].x = tex1Dfetch<float>(t, 3); o[3] = tex2DLod<float4>(t, 1.f, 2.f, 0.f); o[4].x = surf2Dread<float>(s, 4, 1); surf2Dwrite(1.f, s, 4, 1);
}
__global__ void grids(int *o) {
  cg::grid_group g = cg::this_grid(); g.sync(); auto tile = cg::tiled_partition<16>(cg::this_thread_block()); o[tile.thread_rank()] = tile.shfl_xor(o[1], 2) + clock() + (int)clock64();
  if (o[3]) __trap(); if (o[4] == 5) printf("%d\n", o[5]); assert(o[6]);
#if __CUDA_ARCH__ >= 900
  cg::cluster_group c = cg::this_cluster(); __shared__ int s; s = c.block_rank(); c.sync(); o[7] = *c.map_shared_rank(&s, 0); c.sync();
#endif
}
__device__ __noinline__ int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n - 2); }
__constant__ int table[8]; __device__ int counter;
__global__ void __launch_bounds__(128, 2) calls(int *o, int (*f)(int), short *s, unsigned char *c, long long *l) { o[0] = deep(o[1]) + f(o[2]) + table[o[3] & 7] + s[1] * c[2]; counter = o[4] / o[5] + (int)(l[0] / l[1] % 17); switch (o[6]) { case 0: o[7] = 1; break; case 1: o[8] = 3; break; case 2: o[9] = 7; break; case 3: o[1] = 9; break; case 4: o[2] = 5; break; case 5: o[3] = 8; } }
