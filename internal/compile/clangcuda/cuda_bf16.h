// Numbers with the range of float and 8 bits of precision. half_functions.inc has what
// they share with __half.
//
// CUDA Math API, Bfloat16 Precision Intrinsics.
#pragma once

#include "cuda_runtime.h"

#define CUDAGEN_HD static __host__ __device__ __forceinline__

CUDAGEN_HD float __cudagen_bfloat16_float(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }

// What adds to the bits of a float before its lower half is cut off decides the rounding.
#define CUDAGEN_ROUNDED(to, increment) \
  CUDAGEN_HD unsigned short __cudagen_float_bfloat16_##to(float x) { \
    unsigned int bits = __builtin_bit_cast(unsigned int, x); \
    if (__builtin_isnan(x)) return 0x7fff; \
    return (unsigned short)((bits + (increment)) >> 16); \
  }
CUDAGEN_ROUNDED(rn, 0x7fff + (bits >> 16 & 1))
CUDAGEN_ROUNDED(rz, 0)
CUDAGEN_ROUNDED(ru, bits >> 31 ? 0 : 0xffff)
CUDAGEN_ROUNDED(rd, bits >> 31 ? 0xffff : 0)
#undef CUDAGEN_ROUNDED

// From wider types by way of float, rounded to odd there: towards zero, and the last bit
// set when something was cut off. float has more than two bits more than __nv_bfloat16,
// so the second rounding is that of the exact value.
CUDAGEN_HD float __cudagen_odd(float x, bool exact) {
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, x) | (exact ? 0u : 1u));
}
#define CUDAGEN_ODD(T, t, r) \
  CUDAGEN_HD float __cudagen_odd(T x) { \
    float f; \
    __asm__("cvt.rz.f32." t " %0, %1;" : "=f"(f) : r(x)); \
    return __cudagen_odd(f, (T)f == x); \
  }
CUDAGEN_ODD(double, "f64", "d")
CUDAGEN_ODD(int, "s32", "r")
CUDAGEN_ODD(unsigned int, "u32", "r")
CUDAGEN_ODD(long long, "s64", "l")
CUDAGEN_ODD(unsigned long long, "u64", "l")
#undef CUDAGEN_ODD
#define CUDAGEN_ROUNDED(T, name, to) \
  CUDAGEN_HD unsigned short __cudagen_##name##_bfloat16_##to(T x) { return __cudagen_float_bfloat16_##to(__cudagen_odd(x)); }
#define CUDAGEN_ROUNDED_4(T, name) \
  CUDAGEN_ROUNDED(T, name, rn) \
  CUDAGEN_ROUNDED(T, name, rz) \
  CUDAGEN_ROUNDED(T, name, ru) \
  CUDAGEN_ROUNDED(T, name, rd)
CUDAGEN_ROUNDED_4(double, double)
CUDAGEN_ROUNDED_4(int, int)
CUDAGEN_ROUNDED_4(unsigned int, uint)
CUDAGEN_ROUNDED_4(long long, ll)
CUDAGEN_ROUNDED_4(unsigned long long, ull)
#undef CUDAGEN_ROUNDED_4
#undef CUDAGEN_ROUNDED

// Sums and products of float, rounded again, are those of __nv_bfloat16: float has more
// than twice its digits and two.
#define CUDAGEN_OP(name, instruction) \
  CUDAGEN_HD unsigned short __cudagen_bfloat16_##name(unsigned short x, unsigned short y) { \
    float d; \
    __asm__(instruction " %0, %1, %2;" : "=f"(d) : "f"(__cudagen_bfloat16_float(x)), "f"(__cudagen_bfloat16_float(y))); \
    return __cudagen_float_bfloat16_rn(d); \
  }
CUDAGEN_OP(add, "add.rn.f32")
CUDAGEN_OP(sub, "sub.rn.f32")
CUDAGEN_OP(mul, "mul.rn.f32")
#undef CUDAGEN_OP
CUDAGEN_HD unsigned short __cudagen_bfloat16_fma(unsigned short x, unsigned short y, unsigned short z) {
#if __CUDA_ARCH__ >= 800
  unsigned short d;
  __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(x), "h"(y), "h"(z));
  return d;
#else
  // The product is exact in double, and the sum is rounded to odd there.
  double product = (double)__cudagen_bfloat16_float(x) * __cudagen_bfloat16_float(y), addend = __cudagen_bfloat16_float(z);
  double down, up, odd;
  __asm__("add.rm.f64 %0, %1, %2;" : "=d"(down) : "d"(product), "d"(addend));
  __asm__("add.rp.f64 %0, %1, %2;" : "=d"(up) : "d"(product), "d"(addend));
  __asm__("add.rz.f64 %0, %1, %2;" : "=d"(odd) : "d"(product), "d"(addend));
  if (down != up) odd = __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, odd) | 1);
  return __cudagen_double_bfloat16_rn(odd);
#endif
}

#define CUDAGEN_H __nv_bfloat16
#define CUDAGEN_RAW __nv_bfloat16_raw
#define CUDAGEN_RAW_2 __nv_bfloat162_raw
#define CUDAGEN_H2 __nv_bfloat162
#define CUDAGEN_NAME(before, after) before##bfloat16##after
#define CUDAGEN_NAME_2(before, after) before##bfloat162##after
#define CUDAGEN_TWICE __bfloat162bfloat162
#define CUDAGEN_CALL(what) __cudagen_bfloat16_##what
#define CUDAGEN_FROM(type, to) __cudagen_##type##_bfloat16_##to
#include "half_functions.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Below compute capability 9.0 there is no instruction: the word is exchanged until
// nobody else has changed it.
static __device__ __forceinline__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
  unsigned int *word = (unsigned int *)address;
  unsigned int old = *(volatile unsigned int *)word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __builtin_bit_cast(unsigned int, __hadd2(__builtin_bit_cast(__nv_bfloat162, seen), value)));
  } while (old != seen);
  return __builtin_bit_cast(__nv_bfloat162, old);
}
static __device__ __forceinline__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
  unsigned short *word = (unsigned short *)address;
  unsigned short old = *(volatile unsigned short *)word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __bfloat16_as_ushort(__hadd(__ushort_as_bfloat16(seen), value)));
  } while (old != seen);
  return __ushort_as_bfloat16(old);
}
