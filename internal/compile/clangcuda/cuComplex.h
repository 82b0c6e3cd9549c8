// Complex numbers of C.
#pragma once

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define CUDAGEN_HD static __host__ __device__ __forceinline__
#define CUDAGEN_COMPLEX(T, C, f, Name, fabs_, sqrt_) \
  CUDAGEN_HD C make_##Name(T x, T y) { return {x, y}; } \
  CUDAGEN_HD T cuCreal##f(C a) { return a.x; } \
  CUDAGEN_HD T cuCimag##f(C a) { return a.y; } \
  CUDAGEN_HD C cuConj##f(C a) { return {a.x, -a.y}; } \
  CUDAGEN_HD C cuCadd##f(C a, C b) { return {a.x + b.x, a.y + b.y}; } \
  CUDAGEN_HD C cuCsub##f(C a, C b) { return {a.x - b.x, a.y - b.y}; } \
  CUDAGEN_HD C cuCmul##f(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  CUDAGEN_HD C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); } \
  /* Scaled by the divisor, so that its square does not overflow. */ \
  CUDAGEN_HD C cuCdiv##f(C a, C b) { \
    T scale = 1 / (fabs_(b.x) + fabs_(b.y)); \
    C p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale}; \
    T norm = 1 / (q.x * q.x + q.y * q.y); \
    return {(p.x * q.x + p.y * q.y) * norm, (p.y * q.x - p.x * q.y) * norm}; \
  } \
  CUDAGEN_HD T cuCabs##f(C a) { \
    T x = fabs_(a.x), y = fabs_(a.y), most = x > y ? x : y, least = x > y ? y : x; \
    if (most == 0 || __builtin_isinf(most)) return most; \
    T ratio = least / most; \
    return most * sqrt_(1 + ratio * ratio); \
  }
CUDAGEN_COMPLEX(float, cuFloatComplex, f, cuFloatComplex, __builtin_fabsf, __builtin_sqrtf)
CUDAGEN_COMPLEX(double, cuDoubleComplex, , cuDoubleComplex, __builtin_fabs, __builtin_sqrt)
#undef CUDAGEN_COMPLEX
CUDAGEN_HD cuComplex make_cuComplex(float x, float y) { return {x, y}; }
CUDAGEN_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
CUDAGEN_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }
#undef CUDAGEN_HD
