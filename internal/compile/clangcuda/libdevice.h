// The functions that clang's own CUDA headers expect from NVIDIA's libdevice, as far as
// PTX has an instruction for them or libclc has the function.
//
// What is not defined here stays an undefined symbol __nv_…, which cudagen finds in the
// PTX and reports.
#pragma once

#define CUDAGEN_NV extern "C" __device__ __forceinline__

// Functions that are one instruction. It is written as such because its rounding must not
// be contracted with another operation.
//
// PTX ISA, Integer Arithmetic Instructions, Floating Point Instructions, Data Movement
// and Conversion Instructions.
#define CUDAGEN_1(name, instruction, R, r, A, a) \
  CUDAGEN_NV R __nv_##name(A x) { R d; __asm__(instruction " %0, %1;" : "=" r(d) : a(x)); return d; }
#define CUDAGEN_2(name, instruction, R, r) \
  CUDAGEN_NV R __nv_##name(R x, R y) { R d; __asm__(instruction " %0, %1, %2;" : "=" r(d) : r(x), r(y)); return d; }
#define CUDAGEN_3(name, instruction, R, r) \
  CUDAGEN_NV R __nv_##name(R x, R y, R z) { R d; __asm__(instruction " %0, %1, %2, %3;" : "=" r(d) : r(x), r(y), r(z)); return d; }

#define CUDAGEN_ROUNDED(to, m) \
  CUDAGEN_2(fadd_##to, "add." m ".f32", float, "f") \
  CUDAGEN_2(dadd_##to, "add." m ".f64", double, "d") \
  CUDAGEN_2(fsub_##to, "sub." m ".f32", float, "f") \
  CUDAGEN_2(dsub_##to, "sub." m ".f64", double, "d") \
  CUDAGEN_2(fmul_##to, "mul." m ".f32", float, "f") \
  CUDAGEN_2(dmul_##to, "mul." m ".f64", double, "d") \
  CUDAGEN_2(fdiv_##to, "div." m ".f32", float, "f") \
  CUDAGEN_2(ddiv_##to, "div." m ".f64", double, "d") \
  CUDAGEN_1(frcp_##to, "rcp." m ".f32", float, "f", float, "f") \
  CUDAGEN_1(drcp_##to, "rcp." m ".f64", double, "d", double, "d") \
  CUDAGEN_1(fsqrt_##to, "sqrt." m ".f32", float, "f", float, "f") \
  CUDAGEN_1(dsqrt_##to, "sqrt." m ".f64", double, "d", double, "d") \
  CUDAGEN_3(fmaf_##to, "fma." m ".f32", float, "f") \
  CUDAGEN_3(fmaf_ieee_##to, "fma." m ".f32", float, "f") \
  CUDAGEN_3(fma_##to, "fma." m ".f64", double, "d") \
  CUDAGEN_1(double2float_##to, "cvt." m ".f32.f64", float, "f", double, "d") \
  CUDAGEN_1(int2float_##to, "cvt." m ".f32.s32", float, "f", int, "r") \
  CUDAGEN_1(uint2float_##to, "cvt." m ".f32.u32", float, "f", unsigned int, "r") \
  CUDAGEN_1(ll2float_##to, "cvt." m ".f32.s64", float, "f", long long, "l") \
  CUDAGEN_1(ull2float_##to, "cvt." m ".f32.u64", float, "f", unsigned long long, "l") \
  CUDAGEN_1(ll2double_##to, "cvt." m ".f64.s64", double, "d", long long, "l") \
  CUDAGEN_1(ull2double_##to, "cvt." m ".f64.u64", double, "d", unsigned long long, "l") \
  CUDAGEN_1(float2int_##to, "cvt." m "i.s32.f32", int, "r", float, "f") \
  CUDAGEN_1(float2uint_##to, "cvt." m "i.u32.f32", unsigned int, "r", float, "f") \
  CUDAGEN_1(float2ll_##to, "cvt." m "i.s64.f32", long long, "l", float, "f") \
  CUDAGEN_1(float2ull_##to, "cvt." m "i.u64.f32", unsigned long long, "l", float, "f") \
  CUDAGEN_1(double2int_##to, "cvt." m "i.s32.f64", int, "r", double, "d") \
  CUDAGEN_1(double2uint_##to, "cvt." m "i.u32.f64", unsigned int, "r", double, "d") \
  CUDAGEN_1(double2ll_##to, "cvt." m "i.s64.f64", long long, "l", double, "d") \
  CUDAGEN_1(double2ull_##to, "cvt." m "i.u64.f64", unsigned long long, "l", double, "d")
CUDAGEN_ROUNDED(rn, "rn")
CUDAGEN_ROUNDED(rz, "rz")
CUDAGEN_ROUNDED(ru, "rp")
CUDAGEN_ROUNDED(rd, "rm")
#undef CUDAGEN_ROUNDED

CUDAGEN_1(rsqrtf, "rsqrt.approx.f32", float, "f", float, "f")
CUDAGEN_1(rcp64h, "rcp.approx.ftz.f64", double, "d", double, "d")
CUDAGEN_1(saturatef, "cvt.sat.f32.f32", float, "f", float, "f")
CUDAGEN_1(llrint, "cvt.rni.s64.f64", long long, "l", double, "d")
CUDAGEN_1(llrintf, "cvt.rni.s64.f32", long long, "l", float, "f")
CUDAGEN_1(half2float, "cvt.f32.f16", float, "f", unsigned short, "h")
CUDAGEN_1(float2half_rn, "cvt.rn.f16.f32", unsigned short, "h", float, "f")
CUDAGEN_1(clz, "clz.b32", int, "r", int, "r")
CUDAGEN_1(clzll, "clz.b64", int, "r", long long, "l")
CUDAGEN_1(popc, "popc.b32", int, "r", unsigned int, "r")
CUDAGEN_1(popcll, "popc.b64", int, "r", unsigned long long, "l")
CUDAGEN_1(brev, "brev.b32", int, "r", int, "r")
CUDAGEN_1(brevll, "brev.b64", long long, "l", long long, "l")
CUDAGEN_2(mul24, "mul24.lo.s32", int, "r")
CUDAGEN_2(umul24, "mul24.lo.u32", unsigned int, "r")
CUDAGEN_2(mulhi, "mul.hi.s32", int, "r")
CUDAGEN_2(umulhi, "mul.hi.u32", unsigned int, "r")
CUDAGEN_2(mul64hi, "mul.hi.s64", long long, "l")
CUDAGEN_2(umul64hi, "mul.hi.u64", unsigned long long, "l")
CUDAGEN_3(byte_perm, "prmt.b32", int, "r")
CUDAGEN_3(usad, "sad.u32", unsigned int, "r")
CUDAGEN_NV int __nv_sad(int x, int y, int z) {
  int d;
  __asm__("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z));
  return d;
}

// Conversions that are exact, and bits seen as another type.
CUDAGEN_NV double __nv_int2double_rn(int x) { return x; }
CUDAGEN_NV double __nv_uint2double_rn(unsigned int x) { return x; }
CUDAGEN_NV int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
CUDAGEN_NV unsigned int __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
CUDAGEN_NV float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
CUDAGEN_NV float __nv_uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
CUDAGEN_NV unsigned long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(unsigned long long, x); }
CUDAGEN_NV double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
CUDAGEN_NV int __nv_double2hiint(double x) { return (int)(__nv_double_as_longlong(x) >> 32); }
CUDAGEN_NV int __nv_double2loint(double x) { return (int)__nv_double_as_longlong(x); }
CUDAGEN_NV double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}

// Integers. Averages do not overflow.
CUDAGEN_NV int __nv_ffs(int x) { return __builtin_ffs(x); }
CUDAGEN_NV int __nv_ffsll(long long x) { return __builtin_ffsll(x); }
CUDAGEN_NV int __nv_hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
CUDAGEN_NV int __nv_rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
CUDAGEN_NV int __nv_uhadd(unsigned int x, unsigned int y) { return (int)(((unsigned long long)x + y) >> 1); }
CUDAGEN_NV unsigned int __nv_urhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y + 1) >> 1); }
CUDAGEN_NV int __nv_abs(int x) { return x < 0 ? (int)-(unsigned int)x : x; }
CUDAGEN_NV long long __nv_llabs(long long x) { return x < 0 ? (long long)-(unsigned long long)x : x; }
CUDAGEN_NV int __nv_min(int x, int y) { return x < y ? x : y; }
CUDAGEN_NV int __nv_max(int x, int y) { return x > y ? x : y; }
CUDAGEN_NV unsigned int __nv_umin(unsigned int x, unsigned int y) { return x < y ? x : y; }
CUDAGEN_NV unsigned int __nv_umax(unsigned int x, unsigned int y) { return x > y ? x : y; }
CUDAGEN_NV long long __nv_llmin(long long x, long long y) { return x < y ? x : y; }
CUDAGEN_NV long long __nv_llmax(long long x, long long y) { return x > y ? x : y; }
CUDAGEN_NV unsigned long long __nv_ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
CUDAGEN_NV unsigned long long __nv_ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }

// Functions that clang turns into instructions, for float and double.
#define CUDAGEN_BUILTIN_1(name) \
  CUDAGEN_NV double __nv_##name(double x) { return __builtin_##name(x); } \
  CUDAGEN_NV float __nv_##name##f(float x) { return __builtin_##name##f(x); }
#define CUDAGEN_BUILTIN_2(name) \
  CUDAGEN_NV double __nv_##name(double x, double y) { return __builtin_##name(x, y); } \
  CUDAGEN_NV float __nv_##name##f(float x, float y) { return __builtin_##name##f(x, y); }
CUDAGEN_BUILTIN_1(fabs)
CUDAGEN_BUILTIN_1(ceil)
CUDAGEN_BUILTIN_1(floor)
CUDAGEN_BUILTIN_1(trunc)
CUDAGEN_BUILTIN_1(rint)
CUDAGEN_BUILTIN_1(nearbyint)
CUDAGEN_BUILTIN_1(round)
CUDAGEN_BUILTIN_1(sqrt)
CUDAGEN_BUILTIN_2(fmin)
CUDAGEN_BUILTIN_2(fmax)
CUDAGEN_BUILTIN_2(copysign)
#undef CUDAGEN_BUILTIN_1
#undef CUDAGEN_BUILTIN_2
CUDAGEN_NV double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CUDAGEN_NV float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUDAGEN_NV long long __nv_llround(double x) { return (long long)__builtin_round(x); }
CUDAGEN_NV long long __nv_llroundf(float x) { return (long long)__builtin_roundf(x); }
CUDAGEN_NV double __nv_rsqrt(double x) { return 1 / __builtin_sqrt(x); }
CUDAGEN_NV double __nv_fdim(double x, double y) { return x <= y ? 0 : x - y; }
CUDAGEN_NV float __nv_fdimf(float x, float y) { return x <= y ? 0 : x - y; }
CUDAGEN_NV double __nv_nan(const signed char *) { return __builtin_nan(""); }
CUDAGEN_NV float __nv_nanf(const signed char *) { return __builtin_nanf(""); }
CUDAGEN_NV int __nv_isnand(double x) { return __builtin_isnan(x); }
CUDAGEN_NV int __nv_isnanf(float x) { return __builtin_isnan(x); }
CUDAGEN_NV int __nv_isinfd(double x) { return __builtin_isinf(x); }
CUDAGEN_NV int __nv_isinff(float x) { return __builtin_isinf(x); }
CUDAGEN_NV int __nv_isfinited(double x) { return __builtin_isfinite(x); }
CUDAGEN_NV int __nv_finitef(float x) { return __builtin_isfinite(x); }
CUDAGEN_NV int __nv_signbitd(double x) { return __nv_double2hiint(x) < 0; }
CUDAGEN_NV int __nv_signbitf(float x) { return __nv_float_as_int(x) < 0; }
CUDAGEN_NV double __nv_modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}
CUDAGEN_NV float __nv_modff(float x, float *whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}
CUDAGEN_NV double __nv_frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !__builtin_isfinite(x)) return x;
  if (__builtin_fabs(x) < 0x1p-1022) {
    x *= 0x1p54;
    *exponent = -54;
  }
  unsigned long long bits = __nv_double_as_longlong(x);
  *exponent += (int)(bits >> 52 & 0x7ff) - 1022;
  return __builtin_bit_cast(double, (bits & ~(0x7ffull << 52)) | 1022ull << 52);
}
CUDAGEN_NV float __nv_frexpf(float x, int *exponent) { return (float)__nv_frexp(x, exponent); }
CUDAGEN_NV int __nv_ilogb(double x) {
  if (x == 0 || __builtin_isnan(x)) return INT_MIN;
  if (__builtin_isinf(x)) return INT_MAX;
  int exponent;
  __nv_frexp(x, &exponent);
  return exponent - 1;
}
CUDAGEN_NV int __nv_ilogbf(float x) { return __nv_ilogb(x); }

// Fast functions of the special function unit, with the few digits that it has.
//
// CUDA C++ Programming Guide, Mathematical Functions: Intrinsic Functions.
#define CUDAGEN_FAST(name, instruction) \
  static __device__ __forceinline__ float __cudagen_##name(float x) { float d; __asm__(instruction " %0, %1;" : "=f"(d) : "f"(x)); return d; }
CUDAGEN_FAST(ex2, "ex2.approx.f32")
CUDAGEN_FAST(lg2, "lg2.approx.f32")
CUDAGEN_FAST(sin, "sin.approx.f32")
CUDAGEN_FAST(cos, "cos.approx.f32")
#undef CUDAGEN_FAST
CUDAGEN_2(fast_fdividef, "div.approx.f32", float, "f")
CUDAGEN_NV float __nv_fast_expf(float x) { return __cudagen_ex2(x * 1.4426950408889634f); }
CUDAGEN_NV float __nv_fast_exp10f(float x) { return __cudagen_ex2(x * 3.3219280948873623f); }
CUDAGEN_NV float __nv_fast_log2f(float x) { return __cudagen_lg2(x); }
CUDAGEN_NV float __nv_fast_logf(float x) { return __cudagen_lg2(x) * 0.69314718055994531f; }
CUDAGEN_NV float __nv_fast_log10f(float x) { return __cudagen_lg2(x) * 0.30102999566398120f; }
CUDAGEN_NV float __nv_fast_powf(float x, float y) { return __cudagen_ex2(y * __cudagen_lg2(x)); }
CUDAGEN_NV float __nv_fast_sinf(float x) { return __cudagen_sin(x); }
CUDAGEN_NV float __nv_fast_cosf(float x) { return __cudagen_cos(x); }
CUDAGEN_NV float __nv_fast_tanf(float x) { return __nv_fast_fdividef(__cudagen_sin(x), __cudagen_cos(x)); }
CUDAGEN_NV void __nv_fast_sincosf(float x, float *s, float *c) {
  *s = __cudagen_sin(x);
  *c = __cudagen_cos(x);
}

#undef CUDAGEN_1
#undef CUDAGEN_2
#undef CUDAGEN_3

// libclc's functions are OpenCL C's: overloaded, so mangled.
#ifdef CUDAGEN_LIBCLC
#define CUDAGEN_CLC(name, mangled, args, pass) \
  extern "C" __device__ double __cudagen_##name(CUDAGEN_##args(double)) __asm__("_Z" mangled CUDAGEN_##args##_d); \
  extern "C" __device__ float __cudagen_##name##f(CUDAGEN_##args(float)) __asm__("_Z" mangled CUDAGEN_##args##_f); \
  CUDAGEN_NV double __nv_##name(CUDAGEN_##args(double)) { return __cudagen_##name pass; } \
  CUDAGEN_NV float __nv_##name##f(CUDAGEN_##args(float)) { return __cudagen_##name##f pass; }
#define CUDAGEN_X(T) T x
#define CUDAGEN_X_d "d"
#define CUDAGEN_X_f "f"
#define CUDAGEN_XY(T) T x, T y
#define CUDAGEN_XY_d "dd"
#define CUDAGEN_XY_f "ff"
#define CUDAGEN_XN(T) T x, int n
#define CUDAGEN_XN_d "di"
#define CUDAGEN_XN_f "fi"
CUDAGEN_CLC(acos, "4acos", X, (x))
CUDAGEN_CLC(acosh, "5acosh", X, (x))
CUDAGEN_CLC(asin, "4asin", X, (x))
CUDAGEN_CLC(asinh, "5asinh", X, (x))
CUDAGEN_CLC(atan, "4atan", X, (x))
CUDAGEN_CLC(atanh, "5atanh", X, (x))
CUDAGEN_CLC(cbrt, "4cbrt", X, (x))
CUDAGEN_CLC(cos, "3cos", X, (x))
CUDAGEN_CLC(cosh, "4cosh", X, (x))
CUDAGEN_CLC(cospi, "5cospi", X, (x))
CUDAGEN_CLC(erf, "3erf", X, (x))
CUDAGEN_CLC(erfc, "4erfc", X, (x))
CUDAGEN_CLC(exp, "3exp", X, (x))
CUDAGEN_CLC(exp10, "5exp10", X, (x))
CUDAGEN_CLC(exp2, "4exp2", X, (x))
CUDAGEN_CLC(expm1, "5expm1", X, (x))
CUDAGEN_CLC(lgamma, "6lgamma", X, (x))
CUDAGEN_CLC(log, "3log", X, (x))
CUDAGEN_CLC(log10, "5log10", X, (x))
CUDAGEN_CLC(log1p, "5log1p", X, (x))
CUDAGEN_CLC(log2, "4log2", X, (x))
CUDAGEN_CLC(logb, "4logb", X, (x))
CUDAGEN_CLC(sin, "3sin", X, (x))
CUDAGEN_CLC(sinh, "4sinh", X, (x))
CUDAGEN_CLC(sinpi, "5sinpi", X, (x))
CUDAGEN_CLC(tan, "3tan", X, (x))
CUDAGEN_CLC(tanh, "4tanh", X, (x))
CUDAGEN_CLC(tgamma, "6tgamma", X, (x))
CUDAGEN_CLC(atan2, "5atan2", XY, (x, y))
CUDAGEN_CLC(fmod, "4fmod", XY, (x, y))
CUDAGEN_CLC(hypot, "5hypot", XY, (x, y))
CUDAGEN_CLC(nextafter, "9nextafter", XY, (x, y))
CUDAGEN_CLC(pow, "3pow", XY, (x, y))
CUDAGEN_CLC(remainder, "9remainder", XY, (x, y))
CUDAGEN_CLC(ldexp, "5ldexp", XN, (x, n))
CUDAGEN_CLC(powi, "4pown", XN, (x, n))
#undef CUDAGEN_CLC
#undef CUDAGEN_X
#undef CUDAGEN_X_d
#undef CUDAGEN_X_f
#undef CUDAGEN_XY
#undef CUDAGEN_XY_d
#undef CUDAGEN_XY_f
#undef CUDAGEN_XN
#undef CUDAGEN_XN_d
#undef CUDAGEN_XN_f

#define CUDAGEN_OVER_CLC(T, f) \
  CUDAGEN_NV T __nv_scalbn##f(T x, int n) { return __nv_ldexp##f(x, n); } \
  CUDAGEN_NV T __nv_rcbrt##f(T x) { return 1 / __nv_cbrt##f(x); } \
  CUDAGEN_NV T __nv_rhypot##f(T x, T y) { return 1 / __nv_hypot##f(x, y); } \
  CUDAGEN_NV T __nv_norm3d##f(T x, T y, T z) { return __nv_hypot##f(__nv_hypot##f(x, y), z); } \
  CUDAGEN_NV T __nv_norm4d##f(T x, T y, T z, T w) { return __nv_hypot##f(__nv_hypot##f(x, y), __nv_hypot##f(z, w)); } \
  CUDAGEN_NV T __nv_rnorm3d##f(T x, T y, T z) { return 1 / __nv_norm3d##f(x, y, z); } \
  CUDAGEN_NV T __nv_rnorm4d##f(T x, T y, T z, T w) { return 1 / __nv_norm4d##f(x, y, z, w); } \
  CUDAGEN_NV T __nv_norm##f(int n, const T *x) { \
    T length = 0; \
    for (int i = 0; i < n; i++) length = __nv_hypot##f(length, x[i]); \
    return length; \
  } \
  CUDAGEN_NV T __nv_rnorm##f(int n, const T *x) { return 1 / __nv_norm##f(n, x); } \
  CUDAGEN_NV T __nv_normcdf##f(T x) { return (T)0.5 * __nv_erfc##f(x * (T)-0.70710678118654752440); } \
  CUDAGEN_NV void __nv_sincos##f(T x, T *s, T *c) { \
    *s = __nv_sin##f(x); \
    *c = __nv_cos##f(x); \
  } \
  CUDAGEN_NV void __nv_sincospi##f(T x, T *s, T *c) { \
    *s = __nv_sinpi##f(x); \
    *c = __nv_cospi##f(x); \
  }
CUDAGEN_OVER_CLC(double, )
CUDAGEN_OVER_CLC(float, f)
#undef CUDAGEN_OVER_CLC
#endif

#undef CUDAGEN_NV
