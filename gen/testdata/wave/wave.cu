// Kernels and variables in every form for which a compiler chooses a symbol.

#include <cstdint>
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include <wave/string.h>

namespace wave {
// Rest is where still lays points.
//
//cudagen:export
__constant__ Point rest;

// No kernel uses it.
//
//cudagen:export
static __device__ int spare[2];
}  // namespace wave

//cudagen:export
__managed__ long long moved;

namespace {
// Stills counts the points that still has laid down.
//
//cudagen:export
__device__ unsigned int stills;

// Still lays the string down.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:threads n
//cudagen:infer n=len(points)
__global__ void still(wave::Point *points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  points[i] = wave::rest;
  atomicAdd(&stills, 1u);
}
}  // namespace

namespace wave {
// Pull lifts every point by the tension.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:threads n
//cudagen:infer n=len(points)
__global__ void pull(Point *points, String s, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  points[i].height += float(STEPS * s.tension) + s.end.height;
  if (i == 0) moved += n;
}

//cudagen:kernel PullBy
__global__ void pull(Point *points, float by) { points[threadIdx.x].height += by; }
}  // namespace wave

// Mix is made of numbers of 16 bits.
struct Mix {
  __half weight;
  __half2 range;  // of the result
  __nv_bfloat16 offset;
};

//cudagen:export
__constant__ __nv_bfloat162 gains;

// Wide is the value of b, by instructions that the simulated device has.
__device__ float wide(__nv_bfloat16 b) { return __uint_as_float((unsigned int)__bfloat16_as_ushort(b) << 16); }

// Blend writes x, weighed, amplified and cut off, to y.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:threads n
//cudagen:len y=n
//cudagen:infer n=len(x)
__global__ void blend(const __half *x, __nv_bfloat16 *y, Mix mix, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = __half2float(x[i]) * __half2float(mix.weight) + wide(mix.offset);
  value = fminf(fmaxf(value, __low2float(mix.range)), __high2float(mix.range));
  value = value * wide(gains.x) + wide(gains.y);
  y[i] = __ushort_as_bfloat16((unsigned short)(__float_as_uint(value) >> 16));  // rounds towards 0
}

// Scale multiplies x by a.
//
//cudagen:kernel
//cudagen:instantiate T=float
//cudagen:instantiate T=unsigned ScaleCount
template <class T> __global__ void scale(T *x, T a) { x[threadIdx.x] = x[threadIdx.x] * a; }
