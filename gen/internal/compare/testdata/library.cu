#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuComplex.h>
#include <cstdint>

struct Mixed { float4 color; double2 *at; __half weight; dim3 grid; cuFloatComplex z; uint8_t bytes[3]; short3 s; };
__global__ void vectors(float3 a, float4 b, double2 c, uchar4 d, long2 e, dim3 f, const int4 *g, Mixed m, Mixed *o) { o->color = m.color; o->weight = m.weight; }
__global__ void numbers(__half a, __half2 b, __nv_bfloat16 c, __nv_bfloat162 d, const __half *e, size_t f, uint16_t g, cudaTextureObject_t t, half h) {}
