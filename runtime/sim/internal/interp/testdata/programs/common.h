// What random programs have on a device and on the host alike.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

#if defined(__CUDACC__) || defined(__CUDA__)
#define FN __device__
#define NOINLINE __noinline__
#define INLINE __forceinline__
#else
#include "host.h"
#endif

// Division where C++ defines it.
template <class T> FN inline T quo(T a, T b) { return b == 0 || (b == (T)-1 && (T)-1 < 0) ? (T)a : (T)(a / b); }
template <class T> FN inline T rest(T a, T b) { return b == 0 || (b == (T)-1 && (T)-1 < 0) ? (T)b : (T)(a % b); }

// Bits of numbers: of what is not a number always the same ones.
FN inline u32 bitsOf(f32 x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
FN inline u64 bitsOf(f64 x) { return x != x ? 0x7ff8000000000000ull : (u64)__double_as_longlong(x); }
FN inline u64 word(f32 x) { return bitsOf(x); }
FN inline u64 word(f64 x) { return bitsOf(x); }
FN inline u64 word(i8 x) { return (u64)x; }
FN inline u64 word(u8 x) { return x; }
FN inline u64 word(i16 x) { return (u64)x; }
FN inline u64 word(u16 x) { return x; }
FN inline u64 word(i32 x) { return (u64)x; }
FN inline u64 word(u32 x) { return x; }
FN inline u64 word(i64 x) { return (u64)x; }
FN inline u64 word(u64 x) { return x; }
FN inline u64 word(bool x) { return x; }
FN inline u64 word(i128 x) { return (u64)x ^ (u64)(x >> 64) * 31; }
FN inline u64 word(u128 x) { return (u64)x ^ (u64)(x >> 64) * 31; }
FN inline u64 mix(u64 h, u64 v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}

template <class T> FN inline T lesserOf(T a, T b) { return min(a, b); }
template <class T> FN inline T greaterOf(T a, T b) { return max(a, b); }

// What compute capability 8.0 has an instruction for.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
FN inline u32 sumOf(u32 mask, u32 v) { return __reduce_add_sync(mask, v); }
FN inline u32 greatestOf(u32 mask, u32 v) { return __reduce_max_sync(mask, v); }
FN inline u32 xorOf(u32 mask, u32 v) { return __reduce_xor_sync(mask, v); }
#else
#define OVER(name, f) FN inline u32 name(u32 mask, u32 v) { u32 r = 0; for (u32 left = mask; left; left &= left - 1) { u32 w = __shfl_sync(mask, v, __ffs(left) - 1); r = f; } return r; }
OVER(sumOf, r + w)
OVER(greatestOf, r > w ? r : w)
OVER(xorOf, r ^ w)
#endif
#define MIX(x) (h = mix(h, word(x)))

// The n-th lane of a mask, or one that is near.
FN inline int laneOf(u32 mask, u32 n) {
  n %= __popc(mask);
  for (; n > 0; n--) mask &= mask - 1;
  return __ffs(mask) - 1;
}

struct S0 { u8 a; i32 b; u16 c[3]; i64 d; };
struct S1 { i16 a; S0 s; u32 b; };
struct S2 { u32 a : 5; i32 b : 11; u32 c : 16; u8 d; f32 e; };
struct S3 { u32 v[5]; };
struct alignas(16) S4 { u64 a; i8 b; u32 c; };
