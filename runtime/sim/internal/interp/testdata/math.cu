// One kernel for each function and type: exp_f is y[i] = exp(x[i]) of floats.
#include <cuda_bf16.h>

#define ONE(name) OF(name, float, f) OF(name, double, d)
#define OF(name, T, suffix) \
  extern "C" __global__ void name##_##suffix(const T *x, const T *, T *z) { int i = threadIdx.x; z[i] = name(x[i]); }
ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p)
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(erf) ONE(erfc) ONE(cbrt) ONE(sqrt) ONE(rsqrt) ONE(tgamma) ONE(lgamma) ONE(logb)
ONE(floor) ONE(ceil) ONE(trunc) ONE(rint) ONE(round) ONE(fabs)
#undef OF

#define TWO(name) OF(name, float, f) OF(name, double, d)
#define OF(name, T, suffix) \
  extern "C" __global__ void name##_##suffix(const T *x, const T *y, T *z) { int i = threadIdx.x; z[i] = name(x[i], y[i]); }
TWO(pow) TWO(atan2) TWO(hypot) TWO(fmod) TWO(remainder) TWO(nextafter) TWO(copysign) TWO(fdim) TWO(fmin) TWO(fmax)

// Sums, differences, products and quotients of x and y.
extern "C" __global__ void bfloat16_arithmetic(const float *x, const float *y, unsigned short *z) {
  int i = threadIdx.x;
  __nv_bfloat16 a = __float2bfloat16_rn(x[i]), b = __float2bfloat16_rn(y[i]);
  z[4 * i] = __bfloat16_as_ushort(a + b);
  z[4 * i + 1] = __bfloat16_as_ushort(a - b);
  z[4 * i + 2] = __bfloat16_as_ushort(a * b);
  z[4 * i + 3] = __bfloat16_as_ushort(a / b);
}

// Conversions of a double, of a float and of an integer, in every direction.
extern "C" __global__ void bfloat16_convert(const double *x, const float *y, const long long *n, unsigned short *z) {
  int i = threadIdx.x;
  z[9 * i] = __bfloat16_as_ushort(__double2bfloat16(x[i]));
  z[9 * i + 1] = __bfloat16_as_ushort(__float2bfloat16_rn(y[i]));
  z[9 * i + 2] = __bfloat16_as_ushort(__float2bfloat16_rz(y[i]));
  z[9 * i + 3] = __bfloat16_as_ushort(__float2bfloat16_ru(y[i]));
  z[9 * i + 4] = __bfloat16_as_ushort(__float2bfloat16_rd(y[i]));
  z[9 * i + 5] = __bfloat16_as_ushort(__ll2bfloat16_rn(n[i]));
  z[9 * i + 6] = __bfloat16_as_ushort(__ll2bfloat16_rz(n[i]));
  z[9 * i + 7] = __bfloat16_as_ushort(__ll2bfloat16_ru(n[i]));
  z[9 * i + 8] = __bfloat16_as_ushort(__ll2bfloat16_rd(n[i]));
}
