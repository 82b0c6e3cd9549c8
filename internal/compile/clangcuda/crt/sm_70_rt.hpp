// What clang's own header of intrinsics expects here: the matching functions of warps over
// the functions of fixed width that it has just defined, and __nanosleep.
#pragma once

#define CUDAGEN_MATCH(T, width, bits) \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, T value) { \
    return __match##width##_any_sync(mask, __builtin_bit_cast(bits, value)); \
  } \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, T value, int *pred) { \
    return __match##width##_all_sync(mask, __builtin_bit_cast(bits, value), pred); \
  }
CUDAGEN_MATCH(int, 32, unsigned int)
CUDAGEN_MATCH(unsigned int, 32, unsigned int)
CUDAGEN_MATCH(float, 32, unsigned int)
CUDAGEN_MATCH(long, 64, unsigned long long)
CUDAGEN_MATCH(unsigned long, 64, unsigned long long)
CUDAGEN_MATCH(long long, 64, unsigned long long)
CUDAGEN_MATCH(unsigned long long, 64, unsigned long long)
CUDAGEN_MATCH(double, 64, unsigned long long)
#undef CUDAGEN_MATCH

static __device__ __forceinline__ void __nanosleep(unsigned int ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }
