// Kernels and variables in every form for which a compiler chooses a symbol.

#include <cstdint>
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

// Scale multiplies x by a.
//
//cudagen:kernel
//cudagen:instantiate T=float
//cudagen:instantiate T=unsigned ScaleCount
template <class T> __global__ void scale(T *x, T a) { x[threadIdx.x] = x[threadIdx.x] * a; }
