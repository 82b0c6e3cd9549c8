// Sizes and alignments that every compiler must give. With -DWRONG the last one is wrong.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#define SAME(T, size, align) static_assert(sizeof(T) == size && alignof(T) == align, #T);
#define VECTORS(name, one, two, four) \
  SAME(name##1, one, one) \
  SAME(name##2, 2 * one, two) \
  SAME(name##3, 3 * one, one) \
  SAME(name##4, 4 * one, four)
VECTORS(char, 1, 2, 4)
VECTORS(uchar, 1, 2, 4)
VECTORS(short, 2, 4, 8)
VECTORS(ushort, 2, 4, 8)
VECTORS(int, 4, 8, 16)
VECTORS(uint, 4, 8, 16)
VECTORS(float, 4, 8, 16)
VECTORS(long, 8, 16, 16)
VECTORS(ulong, 8, 16, 16)
VECTORS(longlong, 8, 16, 16)
VECTORS(ulonglong, 8, 16, 16)
VECTORS(double, 8, 16, 16)
#define WIDE(name) SAME(name##4_16a, 32, 16) SAME(name##4_32a, 32, 32)
WIDE(long)
WIDE(ulong)
WIDE(longlong)
WIDE(ulonglong)
WIDE(double)

SAME(dim3, 12, 4)
SAME(__half, 2, 2)
SAME(__half2, 4, 4)
SAME(__half_raw, 2, 2)
SAME(__half2_raw, 4, 4)
SAME(__nv_bfloat16, 2, 2)
SAME(__nv_bfloat162, 4, 4)
SAME(__nv_bfloat16_raw, 2, 2)
SAME(__nv_bfloat162_raw, 4, 4)
#define FP8(name) SAME(__nv_fp8_##name, 1, 1) SAME(__nv_fp8x2_##name, 2, 2) SAME(__nv_fp8x4_##name, 4, 4)
FP8(e4m3)
FP8(e5m2)
FP8(e8m0)
SAME(cuComplex, 8, 8)
SAME(cuDoubleComplex, 16, 16)
SAME(CUtensorMap, 128, 128)
SAME(CUdeviceptr, 8, 8)
SAME(cudaTextureObject_t, 8, 8)
SAME(cudaSurfaceObject_t, 8, 8)
SAME(cudaStream_t, 8, 8)
#ifdef WRONG
SAME(float3, 16, 16)
#endif

// Parameters of each kind, in an order that needs padding.
__global__ void vectors(char c, double4 a, char3 b, short3 d, float3 e, longlong3 f, uchar4 g, long2 h, double4_32a i, double2 j) {}
__global__ void numbers(__half h, __half2 h2, __nv_bfloat16 b, __nv_bfloat162 b2, __nv_fp8_e4m3 f, __nv_fp8x4_e5m2 f4, cuComplex c, cuDoubleComplex d) {}
__global__ void handles(CUtensorMap m, cudaTextureObject_t t, dim3 d, CUdeviceptr p, bool b) {}
