// CUDA's words on the host: threads are fibers that take turns, block after block.
#include <cmath>
#include <cfenv>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ucontext.h>
#include <vector>
#define FN
#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))
#define __device__
#define __constant__
#define __global__
#define __shared__ static
#define __restrict__ __restrict

struct dim3_ { unsigned x, y, z; };
struct uint2 { u32 x, y; };
struct alignas(16) uint4 { u32 x, y, z, w; };
struct alignas(4) ushort2 { u16 x, y; };
struct uint3 { u32 x, y, z; };
struct alignas(16) double2 { f64 x, y; };
struct alignas(4) uchar4 { u8 x, y, z, w; };
static inline uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
static inline uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
static inline uint3 make_uint3(u32 x, u32 y, u32 z) { return {x, y, z}; }
static inline ushort2 make_ushort2(u16 x, u16 y) { return {x, y}; }
static inline uchar4 make_uchar4(u8 x, u8 y, u8 z, u8 w) { return {x, y, z, w}; }
static inline double2 make_double2(f64 x, f64 y) { return {x, y}; }

static dim3_ threadIdx, blockIdx, blockDim, gridDim;
static unsigned now, live, progress;
struct Fiber { ucontext_t context; dim3_ index; bool done; std::vector<char> stack; };
static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static void yield() { swapcontext(&fibers[now].context, &scheduler); }
static unsigned arrived, phase;
static void __syncthreads() {
  unsigned p = phase;
  progress++;
  if (++arrived == live) { arrived = 0; phase++; return; }
  while (phase == p) yield();
}
static unsigned sumOfArrived, sumOfPhase;
static int __syncthreads_count(int x) {
  unsigned p = phase;
  progress++;
  sumOfArrived += x != 0;
  if (++arrived == live) { arrived = 0; phase++; sumOfPhase = sumOfArrived; sumOfArrived = 0; return sumOfPhase; }
  while (phase == p) yield();
  return sumOfPhase;
}
struct Group { u32 arrived = 0, generation = 0; u64 v[32], result[32]; };
static std::map<u64, Group> groups;
static int lane() { return now % 32; }
static void fail(const char *what) { fprintf(stderr, "host: %s\n", what); abort(); }
static const u64 *exchange(u32 mask, u64 v) {
  if (!(mask >> lane() & 1)) fail("mask without the caller");
  Group &g = groups[(u64)(now / 32) << 32 | mask];
  u32 generation = g.generation;
  progress++;
  g.v[lane()] = v;
  g.arrived |= 1u << lane();
  if (g.arrived == mask) { memcpy(g.result, g.v, sizeof g.v); g.arrived = 0; g.generation++; }
  else while (g.generation == generation) yield();
  return g.result;
}
template <class T> static T from(u32 mask, T v, int source, T other) {
  u64 w = 0;
  memcpy(&w, &v, sizeof v);
  const u64 *all = exchange(mask, w);
  if (source < 0) return other;
  if (!(mask >> source & 1)) fail("source lane outside of the mask");
  T r;
  memcpy(&r, &all[source], sizeof r);
  return r;
}
template <class T> static T __shfl_sync(u32 mask, T v, int source, int width = 32) { return from(mask, v, (lane() & ~(width - 1)) | (source & (width - 1)), v); }
template <class T> static T __shfl_xor_sync(u32 mask, T v, int x, int width = 32) { int s = lane() ^ x; return from(mask, v, (s & ~(width - 1)) <= lane() ? s : lane(), v); }
template <class T> static T __shfl_up_sync(u32 mask, T v, unsigned d, int width = 32) { int s = lane() - (int)d; return from(mask, v, s < (lane() & ~(width - 1)) ? lane() : s, v); }
template <class T> static T __shfl_down_sync(u32 mask, T v, unsigned d, int width = 32) { int s = lane() + (int)d; return from(mask, v, s > (lane() | (width - 1)) ? lane() : s, v); }
static u32 __ballot_sync(u32 mask, int x) { const u64 *a = exchange(mask, x != 0); u32 r = 0; for (int l = 0; l < 32; l++) if (mask >> l & 1) r |= (u32)a[l] << l; return r; }
static int __any_sync(u32 mask, int x) { return __ballot_sync(mask, x) != 0; }
static int __all_sync(u32 mask, int x) { return __ballot_sync(mask, x) == mask; }
template <class T> static u32 __match_any_sync(u32 mask, T v) { const u64 *a = exchange(mask, (u64)v); u32 r = 0; for (int l = 0; l < 32; l++) if (mask >> l & 1 && a[l] == (u64)v) r |= 1u << l; return r; }
template <class T> static u32 __match_all_sync(u32 mask, T v, int *p) { u32 r = __match_any_sync(mask, v); *p = r == mask; return *p ? mask : 0; }
static void __syncwarp(u32 mask = 0xffffffff) { exchange(mask, 0); }
template <class F> static u32 reduced(u32 mask, u32 v, F f) { const u64 *a = exchange(mask, v); bool first = true; u32 r = 0; for (int l = 0; l < 32; l++) if (mask >> l & 1) { r = first ? (u32)a[l] : f(r, (u32)a[l]); first = false; } return r; }
static u32 __reduce_add_sync(u32 m, u32 v) { return reduced(m, v, [](u32 a, u32 b) { return a + b; }); }
static u32 __reduce_max_sync(u32 m, u32 v) { return reduced(m, v, [](u32 a, u32 b) { return a > b ? a : b; }); }
static i32 __reduce_min_sync(u32 m, i32 v) { return reduced(m, v, [](u32 a, u32 b) { return (i32)a < (i32)b ? a : b; }); }
static u32 __reduce_xor_sync(u32 m, u32 v) { return reduced(m, v, [](u32 a, u32 b) { return a ^ b; }); }

template <class T> static T atomicAdd(T *p, T v) { T o = *p; *p = o + v; return o; }
template <class T> static T atomicMin(T *p, T v) { T o = *p; if (v < o) *p = v; return o; }
template <class T> static T atomicMax(T *p, T v) { T o = *p; if (v > o) *p = v; return o; }
template <class T> static T atomicXor(T *p, T v) { T o = *p; *p = o ^ v; return o; }
template <class T> static T atomicOr(T *p, T v) { T o = *p; *p = o | v; return o; }
template <class T> static T atomicAnd(T *p, T v) { T o = *p; *p = o & v; return o; }
template <class T> static T atomicExch(T *p, T v) { T o = *p; *p = v; return o; }
template <class T> static T atomicCAS(T *p, T c, T v) { T o = *p; if (o == c) *p = v; return o; }
static void __threadfence() {}
static void __threadfence_block() {}
template <class T> static T __ldg(const T *p) { return *p; }

static u32 __float_as_uint(f32 x) { u32 r; memcpy(&r, &x, 4); return r; }
static f32 __uint_as_float(u32 x) { f32 r; memcpy(&r, &x, 4); return r; }
static i64 __double_as_longlong(f64 x) { i64 r; memcpy(&r, &x, 8); return r; }
static f64 __longlong_as_double(i64 x) { f64 r; memcpy(&r, &x, 8); return r; }
static u32 __brev(u32 x) { u32 r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
static u64 __brevll(u64 x) { return (u64)__brev((u32)x) << 32 | __brev((u32)(x >> 32)); }
static int __ffs(int x) { return __builtin_ffs(x); }
static int __ffsll(i64 x) { return __builtin_ffsll(x); }
static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __clzll(i64 x) { return x ? __builtin_clzll(x) : 64; }
static int __popc(u32 x) { return __builtin_popcount(x); }
static int __popcll(u64 x) { return __builtin_popcountll(x); }
static u32 __byte_perm(u32 a, u32 b, u32 s) { u64 v = (u64)b << 32 | a; u32 r = 0; for (int i = 0; i < 4; i++) r |= (u32)(v >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i; return r; }
static u32 __funnelshift_l(u32 lo, u32 hi, u32 s) { return (u32)((((u64)hi << 32 | lo) << (s & 31)) >> 32); }
static u32 __funnelshift_r(u32 lo, u32 hi, u32 s) { return (u32)(((u64)hi << 32 | lo) >> (s & 31)); }
static u32 __funnelshift_lc(u32 lo, u32 hi, u32 s) { s = s > 32 ? 32 : s; return (u32)((((u128)hi << 32 | lo) << s) >> 32); }
static u32 __funnelshift_rc(u32 lo, u32 hi, u32 s) { s = s > 32 ? 32 : s; return (u32)(((u64)hi << 32 | lo) >> s); }
static int __mulhi(int a, int b) { return (int)((i64)a * b >> 32); }
static u32 __umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static i64 __mul64hi(i64 a, i64 b) { return (i64)((i128)a * b >> 64); }
static u64 __umul64hi(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
static int __mul24(int a, int b) { return (int)(u32)(((i64)(a << 8 >> 8)) * (b << 8 >> 8)); }
static u32 __umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
static u32 __usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
static u32 __sad(int a, int b, u32 c) { return (a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + c; }
static int __hadd(int a, int b) { return (int)(((i64)a + b) >> 1); }
static int __rhadd(int a, int b) { return (int)(((i64)a + b + 1) >> 1); }
static u32 __uhadd(u32 a, u32 b) { return (u32)(((u64)a + b) >> 1); }
static u32 __urhadd(u32 a, u32 b) { return (u32)(((u64)a + b + 1) >> 1); }
static int __dp4a(int a, int b, int c) { u32 r = c; for (int i = 0; i < 32; i += 8) r += (i8)(a >> i) * (i8)(b >> i); return r; }
static u32 __dp4a(u32 a, u32 b, u32 c) { for (int i = 0; i < 32; i += 8) c += (u8)(a >> i) * (u8)(b >> i); return c; }
#define BYTES(name, T, U, bits, expr) static u32 name(u32 p, u32 q) { u32 r = 0; for (int i = 0; i < 32; i += bits) { i32 a = (T)(p >> i), b = (T)(q >> i); r |= (u32)(U)(expr) << i; } return r; }
BYTES(__vadd4, i8, u8, 8, a + b)
BYTES(__vsub2, i16, u16, 16, a - b)
BYTES(__vadd2, i16, u16, 16, a + b)
BYTES(__vabsdiffu4, u8, u8, 8, a > b ? a - b : b - a)
BYTES(__vmaxs2, i16, u16, 16, a > b ? a : b)
BYTES(__vminu4, u8, u8, 8, a < b ? a : b)
BYTES(__vaddss2, i16, u16, 16, a + b > 32767 ? 32767 : a + b < -32768 ? -32768 : a + b)
BYTES(__vsubus4, u8, u8, 8, a < b ? 0 : a - b)
BYTES(__vcmpgts4, i8, u8, 8, a > b ? 255 : 0)
BYTES(__vseteq2, i16, u16, 16, a == b)
BYTES(__vavgu4, u8, u8, 8, (a + b + 1) >> 1)
static u32 min(u32 a, u32 b) { return a < b ? a : b; }
static u32 max(u32 a, u32 b) { return a > b ? a : b; }
static i32 min(i32 a, i32 b) { return a < b ? a : b; }
static i32 max(i32 a, i32 b) { return a > b ? a : b; }
static i64 min(i64 a, i64 b) { return a < b ? a : b; }
static u64 max(u64 a, u64 b) { return a > b ? a : b; }

// Arithmetic in a direction: the barriers keep the compiler from moving it.
template <class T, class F> static NOINLINE T rounded(int mode, F f) { fesetround(mode); T r = f(); asm volatile("" : "+m"(r) :: "memory"); fesetround(FE_TONEAREST); return r; }
#define ROUND2(T, name, suffix, mode, op) static T name##_##suffix(T a, T b) { volatile T x = a, y = b; return rounded<T>(mode, [&] { return x op y; }); }
#define ROUNDS(T, name, op) ROUND2(T, name, rn, FE_TONEAREST, op) ROUND2(T, name, rz, FE_TOWARDZERO, op) ROUND2(T, name, ru, FE_UPWARD, op) ROUND2(T, name, rd, FE_DOWNWARD, op)
ROUNDS(f32, __fadd, +)
ROUNDS(f32, __fsub, -)
ROUNDS(f32, __fmul, *)
ROUNDS(f32, __fdiv, /)
ROUNDS(f64, __dadd, +)
ROUNDS(f64, __dmul, *)
ROUNDS(f64, __ddiv, /)
#define ROUND1(T, name, suffix, mode, f) static T name##_##suffix(T a) { volatile T x = a; return rounded<T>(mode, [&] { return f(x); }); }
ROUND1(f32, __fsqrt, rn, FE_TONEAREST, sqrtf) ROUND1(f32, __fsqrt, ru, FE_UPWARD, sqrtf) ROUND1(f64, __dsqrt, rn, FE_TONEAREST, sqrt) ROUND1(f64, __dsqrt, rd, FE_DOWNWARD, sqrt)
#define ROUND3(T, name, suffix, mode, f) static T name##_##suffix(T a, T b, T c) { volatile T x = a, y = b, z = c; return rounded<T>(mode, [&] { return f(x, y, z); }); }
ROUND3(f32, __fmaf, rn, FE_TONEAREST, fmaf) ROUND3(f32, __fmaf, rz, FE_TOWARDZERO, fmaf) ROUND3(f32, __fmaf, ru, FE_UPWARD, fmaf) ROUND3(f64, __fma, rn, FE_TONEAREST, fma) ROUND3(f64, __fma, rd, FE_DOWNWARD, fma)
static f32 lesser(f32 a, f32 b) { return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b; }
static f32 greater(f32 a, f32 b) { return a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b; }
static f64 lesser(f64 a, f64 b) { return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b; }
static f64 greater(f64 a, f64 b) { return a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b; }
#define fminf lesser
#define fmaxf greater
#define fmin lesser
#define fmax greater
// PTX ISA, Data Movement and Conversion Instructions: cvt.
template <class T, class F> static T toInteger(F x, T ofNaN) {
  if (x != x) return ofNaN;
  const T most = (T)-1 < 0 ? (T)(((u64)1 << (sizeof(T) * 8 - 1)) - 1) : (T)-1, least = (T)-1 < 0 ? (T)(-most - 1) : 0;
  if (x >= ldexp((F)1, sizeof(T) * 8 - ((T)-1 < 0))) return most;
  if (x <= (F)least) return least;
  return (T)x;
}
static i32 __float2int_rz(f32 x) { return toInteger<i32>(x, 0); }
static i32 __float2int_rn(f32 x) { return toInteger<i32>(rintf(x), 0); }
static i32 __float2int_ru(f32 x) { return toInteger<i32>(ceilf(x), 0); }
static u32 __float2uint_rd(f32 x) { return toInteger<u32>(floorf(x), 0); }
static u32 __float2uint_rz(f32 x) { return toInteger<u32>(truncf(x), 0); }
static i64 __float2ll_rz(f32 x) { return toInteger<i64>(x, INT64_MIN); }
static u64 __float2ull_rn(f32 x) { return toInteger<u64>(rintf(x), 1ull << 63); }
static i32 __double2int_rz(f64 x) { return toInteger<i32>(x, INT32_MIN); }
static u32 __double2uint_ru(f64 x) { return toInteger<u32>(ceil(x), 1u << 31); }
static i64 __double2ll_rd(f64 x) { return toInteger<i64>(floor(x), INT64_MIN); }
static u64 __double2ull_rz(f64 x) { return toInteger<u64>(trunc(x), 1ull << 63); }
static f32 __double2float_rn(f64 x) { return (f32)x; }
static f32 __double2float_rz(f64 x) { volatile f64 v = x; return rounded<f32>(FE_TOWARDZERO, [&] { return (f32)v; }); }
static f32 __int2float_rn(i32 x) { return (f32)x; }
static f32 __uint2float_rz(u32 x) { volatile u32 v = x; return rounded<f32>(FE_TOWARDZERO, [&] { return (f32)v; }); }
static f32 __ull2float_ru(u64 x) { volatile u64 v = x; return rounded<f32>(FE_UPWARD, [&] { return (f32)v; }); }
static f64 __ll2double_rn(i64 x) { return (f64)x; }
static f64 __ull2double_rd(u64 x) { volatile u64 v = x; return rounded<f64>(FE_DOWNWARD, [&] { return (f64)v; }); }

// run runs a kernel: grid blocks of x·y threads.
typedef void Kernel(u64 *out, u32 *global, const u32 *in, u32 n);
static Kernel *kernelNow;
static u64 *outNow;
static u32 *globalNow;
static const u32 *inNow;
static u32 nNow;
static void enter() {
  kernelNow(outNow, globalNow, inNow, nNow);
  fibers[now].done = true;
  live--;
  progress++;
  yield();
}
static void run(Kernel *k, u32 grid, u32 x, u32 y, u64 *out, u32 *global, const u32 *in, u32 n) {
  kernelNow = k, outNow = out, globalNow = global, inNow = in, nNow = n;
  gridDim = {grid, 1, 1}, blockDim = {x, y, 1};
  fibers.resize(x * y);
  for (u32 b = 0; b < grid; b++) {
    blockIdx = {b, 0, 0};
    live = x * y, arrived = 0, sumOfArrived = 0;
    groups.clear();
    for (u32 i = 0; i < x * y; i++) {
      Fiber &f = fibers[i];
      f.done = false, f.index = {i % x, i / x, 0};
      f.stack.resize(1 << 17);
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.data(), f.context.uc_stack.ss_size = f.stack.size(), f.context.uc_link = nullptr;
      makecontext(&f.context, enter, 0);
    }
    while (live > 0) {
      unsigned before = progress;
      for (now = 0; now < fibers.size(); now++)
        if (!fibers[now].done) { threadIdx = fibers[now].index; swapcontext(&scheduler, &fibers[now].context); }
      if (progress == before) fail("deadlock");
    }
  }
}
