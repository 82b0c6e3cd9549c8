// Half precision numbers. half_functions.inc has what they share with __nv_bfloat16.
//
// CUDA Math API, Half Precision Intrinsics.
#pragma once

#include "cuda_runtime.h"

#define CUDAGEN_HD static __host__ __device__ __forceinline__
#define CUDAGEN_CVT(name, instruction, R, r, A, a) \
  CUDAGEN_HD R __cudagen_##name(A x) { R d; __asm__(instruction " %0, %1;" : "=" r(d) : a(x)); return d; }
CUDAGEN_CVT(half_float, "cvt.f32.f16", float, "f", unsigned short, "h")
#define CUDAGEN_ROUNDED(to, m) \
  CUDAGEN_CVT(float_half_##to, "cvt." m ".f16.f32", unsigned short, "h", float, "f") \
  CUDAGEN_CVT(double_half_##to, "cvt." m ".f16.f64", unsigned short, "h", double, "d") \
  CUDAGEN_CVT(int_half_##to, "cvt." m ".f16.s32", unsigned short, "h", int, "r") \
  CUDAGEN_CVT(uint_half_##to, "cvt." m ".f16.u32", unsigned short, "h", unsigned int, "r") \
  CUDAGEN_CVT(ll_half_##to, "cvt." m ".f16.s64", unsigned short, "h", long long, "l") \
  CUDAGEN_CVT(ull_half_##to, "cvt." m ".f16.u64", unsigned short, "h", unsigned long long, "l")
CUDAGEN_ROUNDED(rn, "rn")
CUDAGEN_ROUNDED(rz, "rz")
CUDAGEN_ROUNDED(ru, "rp")
CUDAGEN_ROUNDED(rd, "rm")
#undef CUDAGEN_ROUNDED
#undef CUDAGEN_CVT

// One instruction each: the sum and the product are not contracted.
#define CUDAGEN_OP(name, instruction, T, r) \
  CUDAGEN_HD T __cudagen_half_##name(T x, T y) { T d; __asm__(instruction " %0, %1, %2;" : "=" r(d) : r(x), r(y)); return d; }
CUDAGEN_OP(add, "add.rn.f16", unsigned short, "h")
CUDAGEN_OP(sub, "sub.rn.f16", unsigned short, "h")
CUDAGEN_OP(mul, "mul.rn.f16", unsigned short, "h")
#undef CUDAGEN_OP
CUDAGEN_HD unsigned short __cudagen_half_fma(unsigned short x, unsigned short y, unsigned short z) {
  unsigned short d;
  __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(x), "h"(y), "h"(z));
  return d;
}

#define CUDAGEN_H __half
#define CUDAGEN_RAW __half_raw
#define CUDAGEN_RAW_2 __half2_raw
#define CUDAGEN_H2 __half2
#define CUDAGEN_NAME(before, after) before##half##after
#define CUDAGEN_NAME_2(before, after) before##half2##after
#define CUDAGEN_TWICE __half2half2
#define CUDAGEN_CALL(what) __cudagen_half_##what
#define CUDAGEN_FROM(type, to) __cudagen_##type##_half_##to
#include "half_functions.inc"

typedef __half half;
typedef __half2 half2;

static __device__ __forceinline__ __half atomicAdd(__half *address, __half value) {
  unsigned short old;
  __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(address), "h"(__half_as_ushort(value)) : "memory");
  return __ushort_as_half(old);
}
static __device__ __forceinline__ __half2 atomicAdd(__half2 *address, __half2 value) {
  unsigned int old;
  __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(address), "r"(__builtin_bit_cast(unsigned int, value)) : "memory");
  return __builtin_bit_cast(__half2, old);
}
