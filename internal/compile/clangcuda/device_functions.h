// Device functions that clang's own headers lack: dot products of bytes, cache hints,
// kinds of addresses, casts, and minima and maxima of every pair of types.
#pragma once

#include "vector_types.h"

#define CUDAGEN_D static __device__ __forceinline__

// Casts.
CUDAGEN_D unsigned long long __double_as_ulonglong(double x) { return __builtin_bit_cast(unsigned long long, x); }
CUDAGEN_D double __ulonglong_as_double(unsigned long long x) { return __builtin_bit_cast(double, x); }

// PTX ISA, Integer Arithmetic Instructions: dp4a, dp2a.
#define CUDAGEN_DP(T, A, B, a) \
  CUDAGEN_D T __dp4a(A x, B y, T sum) { \
    T d; \
    __asm__("dp4a." a "." a " %0, %1, %2, %3;" : "=r"(d) : "r"(__builtin_bit_cast(int, x)), "r"(__builtin_bit_cast(int, y)), "r"(sum)); \
    return d; \
  }
CUDAGEN_DP(int, int, int, "s32")
CUDAGEN_DP(unsigned int, unsigned int, unsigned int, "u32")
CUDAGEN_DP(int, char4, char4, "s32")
CUDAGEN_DP(unsigned int, uchar4, uchar4, "u32")
#undef CUDAGEN_DP
#define CUDAGEN_DP(name, half, T, A, B, a) \
  CUDAGEN_D T name(A x, B y, T sum) { \
    T d; \
    __asm__("dp2a." half "." a "." a " %0, %1, %2, %3;" : "=r"(d) : "r"(__builtin_bit_cast(int, x)), "r"(__builtin_bit_cast(int, y)), "r"(sum)); \
    return d; \
  }
#define CUDAGEN_DP2(name, half) \
  CUDAGEN_DP(name, half, int, int, int, "s32") \
  CUDAGEN_DP(name, half, unsigned int, unsigned int, unsigned int, "u32") \
  CUDAGEN_DP(name, half, int, short2, char4, "s32") \
  CUDAGEN_DP(name, half, unsigned int, ushort2, uchar4, "u32")
CUDAGEN_DP2(__dp2a_lo, "lo")
CUDAGEN_DP2(__dp2a_hi, "hi")
#undef CUDAGEN_DP2
#undef CUDAGEN_DP

// PTX ISA, Data Movement and Conversion Instructions: Cache Operators.
#define CUDAGEN_LOAD_1(name, op, T, t, r) \
  CUDAGEN_D T name(const T *p) { \
    T v; \
    __asm__ volatile("ld.global." op "." t " %0, [%1];" : "=" r(v) : "l"(p) : "memory"); \
    return v; \
  }
#define CUDAGEN_LOAD_2(name, op, T, t, r) \
  CUDAGEN_D T name(const T *p) { \
    T v; \
    __asm__ volatile("ld.global." op ".v2." t " {%0, %1}, [%2];" : "=" r(v.x), "=" r(v.y) : "l"(p) : "memory"); \
    return v; \
  }
#define CUDAGEN_LOAD_4(name, op, T, t, r) \
  CUDAGEN_D T name(const T *p) { \
    T v; \
    __asm__ volatile("ld.global." op ".v4." t " {%0, %1, %2, %3}, [%4];" : "=" r(v.x), "=" r(v.y), "=" r(v.z), "=" r(v.w) : "l"(p) : "memory"); \
    return v; \
  }
#define CUDAGEN_STORE_1(name, op, T, t, r) \
  CUDAGEN_D void name(T *p, T v) { __asm__ volatile("st.global." op "." t " [%0], %1;" : : "l"(p), r(v) : "memory"); }
#define CUDAGEN_STORE_2(name, op, T, t, r) \
  CUDAGEN_D void name(T *p, T v) { __asm__ volatile("st.global." op ".v2." t " [%0], {%1, %2};" : : "l"(p), r(v.x), r(v.y) : "memory"); }
#define CUDAGEN_STORE_4(name, op, T, t, r) \
  CUDAGEN_D void name(T *p, T v) { \
    __asm__ volatile("st.global." op ".v4." t " [%0], {%1, %2, %3, %4};" : : "l"(p), r(v.x), r(v.y), r(v.z), r(v.w) : "memory"); \
  }
#define CUDAGEN_CACHED(what, name, op) \
  CUDAGEN_##what##_1(name, op, int, "s32", "r") \
  CUDAGEN_##what##_1(name, op, unsigned int, "u32", "r") \
  CUDAGEN_##what##_1(name, op, long, "s64", "l") \
  CUDAGEN_##what##_1(name, op, unsigned long, "u64", "l") \
  CUDAGEN_##what##_1(name, op, long long, "s64", "l") \
  CUDAGEN_##what##_1(name, op, unsigned long long, "u64", "l") \
  CUDAGEN_##what##_1(name, op, short, "s16", "h") \
  CUDAGEN_##what##_1(name, op, unsigned short, "u16", "h") \
  CUDAGEN_##what##_1(name, op, float, "f32", "f") \
  CUDAGEN_##what##_1(name, op, double, "f64", "d") \
  CUDAGEN_##what##_2(name, op, int2, "s32", "r") \
  CUDAGEN_##what##_4(name, op, int4, "s32", "r") \
  CUDAGEN_##what##_2(name, op, uint2, "u32", "r") \
  CUDAGEN_##what##_4(name, op, uint4, "u32", "r") \
  CUDAGEN_##what##_2(name, op, float2, "f32", "f") \
  CUDAGEN_##what##_4(name, op, float4, "f32", "f") \
  CUDAGEN_##what##_2(name, op, double2, "f64", "d") \
  CUDAGEN_##what##_2(name, op, longlong2, "s64", "l") \
  CUDAGEN_##what##_2(name, op, ulonglong2, "u64", "l")
CUDAGEN_CACHED(LOAD, __ldcg, "cg")
CUDAGEN_CACHED(LOAD, __ldca, "ca")
CUDAGEN_CACHED(LOAD, __ldcs, "cs")
CUDAGEN_CACHED(LOAD, __ldlu, "lu")
CUDAGEN_CACHED(LOAD, __ldcv, "cv")
CUDAGEN_CACHED(STORE, __stwb, "wb")
CUDAGEN_CACHED(STORE, __stcg, "cg")
CUDAGEN_CACHED(STORE, __stcs, "cs")
CUDAGEN_CACHED(STORE, __stwt, "wt")
#undef CUDAGEN_CACHED
#undef CUDAGEN_LOAD_1
#undef CUDAGEN_LOAD_2
#undef CUDAGEN_LOAD_4
#undef CUDAGEN_STORE_1
#undef CUDAGEN_STORE_2
#undef CUDAGEN_STORE_4

// PTX ISA, Data Movement and Conversion Instructions: isspacep.
#define CUDAGEN_SPACE(name, space) \
  CUDAGEN_D __attribute__((const)) unsigned int name(const void *p) { \
    unsigned int is; \
    __asm__("{ .reg .pred q; isspacep." space " q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(is) : "l"(p)); \
    return is; \
  }
CUDAGEN_SPACE(__isGlobal, "global")
CUDAGEN_SPACE(__isShared, "shared")
CUDAGEN_SPACE(__isConstant, "const")
CUDAGEN_SPACE(__isLocal, "local")
#undef CUDAGEN_SPACE

// PTX ISA, Data Movement and Conversion Instructions: cvta.
#define CUDAGEN_SPACE(name, space) \
  CUDAGEN_D size_t __cvta_generic_to_##name(const void *p) { \
    size_t a; \
    __asm__("cvta.to." space ".u64 %0, %1;" : "=l"(a) : "l"(p)); \
    return a; \
  } \
  CUDAGEN_D void *__cvta_##name##_to_generic(size_t a) { \
    void *p; \
    __asm__("cvta." space ".u64 %0, %1;" : "=l"(p) : "l"(a)); \
    return p; \
  }
CUDAGEN_SPACE(global, "global")
CUDAGEN_SPACE(shared, "shared")
CUDAGEN_SPACE(constant, "const")
CUDAGEN_SPACE(local, "local")
#undef CUDAGEN_SPACE

// Minima and maxima of two integers of different types are those of the type that C++
// converts both to; of long, those of its width.
#define CUDAGEN_MIN_MAX(T, A, B) \
  CUDAGEN_D T min(A x, B y) { return (T)x < (T)y ? (T)x : (T)y; } \
  CUDAGEN_D T max(A x, B y) { return (T)x > (T)y ? (T)x : (T)y; }
CUDAGEN_MIN_MAX(unsigned int, unsigned int, unsigned int)
CUDAGEN_MIN_MAX(unsigned int, int, unsigned int)
CUDAGEN_MIN_MAX(unsigned int, unsigned int, int)
CUDAGEN_MIN_MAX(long, long, long)
CUDAGEN_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDAGEN_MIN_MAX(unsigned long, long, unsigned long)
CUDAGEN_MIN_MAX(unsigned long, unsigned long, long)
CUDAGEN_MIN_MAX(long long, long long, long long)
CUDAGEN_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDAGEN_MIN_MAX(unsigned long long, long long, unsigned long long)
CUDAGEN_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CUDAGEN_MIN_MAX
CUDAGEN_D float min(float x, float y) { return __builtin_fminf(x, y); }
CUDAGEN_D float max(float x, float y) { return __builtin_fmaxf(x, y); }
CUDAGEN_D double min(double x, double y) { return __builtin_fmin(x, y); }
CUDAGEN_D double max(double x, double y) { return __builtin_fmax(x, y); }
CUDAGEN_D double min(float x, double y) { return __builtin_fmin(x, y); }
CUDAGEN_D double max(float x, double y) { return __builtin_fmax(x, y); }
CUDAGEN_D double min(double x, float y) { return __builtin_fmin(x, y); }
CUDAGEN_D double max(double x, float y) { return __builtin_fmax(x, y); }

// Overloads for float that clang declares and leaves to NVIDIA's headers, and those of
// functions that C++ does not have.
#define CUDAGEN_FLOAT(R, name) CUDAGEN_D R name(float x) { return name##f(x); }
#define CUDAGEN_FLOAT_2(name) CUDAGEN_D float name(float x, float y) { return name##f(x, y); }
CUDAGEN_FLOAT(float, acosh)
CUDAGEN_FLOAT(float, asinh)
CUDAGEN_FLOAT(float, atanh)
CUDAGEN_FLOAT(float, cbrt)
CUDAGEN_FLOAT(float, erf)
CUDAGEN_FLOAT(float, erfc)
CUDAGEN_FLOAT(float, exp2)
CUDAGEN_FLOAT(float, expm1)
CUDAGEN_FLOAT(float, lgamma)
CUDAGEN_FLOAT(float, log1p)
CUDAGEN_FLOAT(float, log2)
CUDAGEN_FLOAT(float, logb)
CUDAGEN_FLOAT(float, nearbyint)
CUDAGEN_FLOAT(float, rint)
CUDAGEN_FLOAT(float, round)
CUDAGEN_FLOAT(float, tgamma)
CUDAGEN_FLOAT(float, trunc)
CUDAGEN_FLOAT(int, ilogb)
CUDAGEN_FLOAT(long, lrint)
CUDAGEN_FLOAT(long, lround)
CUDAGEN_FLOAT(long long, llrint)
CUDAGEN_FLOAT(long long, llround)
CUDAGEN_FLOAT_2(copysign)
CUDAGEN_FLOAT_2(fdim)
CUDAGEN_FLOAT_2(fmax)
CUDAGEN_FLOAT_2(fmin)
CUDAGEN_FLOAT_2(hypot)
CUDAGEN_FLOAT_2(nextafter)
CUDAGEN_FLOAT_2(remainder)
CUDAGEN_FLOAT(float, rsqrt)
CUDAGEN_FLOAT(float, rcbrt)
CUDAGEN_FLOAT(float, sinpi)
CUDAGEN_FLOAT(float, cospi)
CUDAGEN_FLOAT(float, normcdf)
CUDAGEN_FLOAT(float, exp10)
CUDAGEN_FLOAT(float, erfinv)
CUDAGEN_FLOAT(float, erfcinv)
CUDAGEN_FLOAT(float, erfcx)
CUDAGEN_FLOAT(float, normcdfinv)
#undef CUDAGEN_FLOAT
#undef CUDAGEN_FLOAT_2
CUDAGEN_D float fma(float x, float y, float z) { return fmaf(x, y, z); }
CUDAGEN_D float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
CUDAGEN_D float scalbn(float x, int n) { return scalbnf(x, n); }
CUDAGEN_D float scalbln(float x, long n) { return scalblnf(x, n); }
CUDAGEN_D double nan(const char *) { return __nv_nan(nullptr); }
CUDAGEN_D float nanf(const char *) { return __nv_nanf(nullptr); }
CUDAGEN_D void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
CUDAGEN_D void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }

#undef CUDAGEN_D
