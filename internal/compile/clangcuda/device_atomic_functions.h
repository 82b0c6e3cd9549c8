// Atomic functions: relaxed, of the scope that their name says.
//
// CUDA C++ Programming Guide, Atomic Functions. PTX ISA, Parallel Synchronization and
// Communication Instructions: atom.
#pragma once

#include "vector_types.h"

#define CUDAGEN_ATOM(name, scope, op, T, r) \
  static __device__ __forceinline__ T name(T *address, T value) { \
    T old; \
    __asm__ volatile("atom" scope "." op " %0, [%1], %2;" : "=" r(old) : "l"(address), r(value) : "memory"); \
    return old; \
  }
#define CUDAGEN_ATOM_CAS(name, scope, op, T, r) \
  static __device__ __forceinline__ T name(T *address, T compare, T value) { \
    T old; \
    __asm__ volatile("atom" scope ".cas." op " %0, [%1], %2, %3;" : "=" r(old) : "l"(address), r(compare), r(value) : "memory"); \
    return old; \
  }

#define CUDAGEN_ATOMICS(suffix, scope) \
  CUDAGEN_ATOM(atomicAdd##suffix, scope, "add.s32", int, "r") \
  CUDAGEN_ATOM(atomicAdd##suffix, scope, "add.u32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicAdd##suffix, scope, "add.u64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicAdd##suffix, scope, "add.f32", float, "f") \
  CUDAGEN_ATOM(atomicAdd##suffix, scope, "add.f64", double, "d") \
  CUDAGEN_ATOM(atomicExch##suffix, scope, "exch.b32", int, "r") \
  CUDAGEN_ATOM(atomicExch##suffix, scope, "exch.b32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicExch##suffix, scope, "exch.b64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicExch##suffix, scope, "exch.b32", float, "f") \
  CUDAGEN_ATOM(atomicMin##suffix, scope, "min.s32", int, "r") \
  CUDAGEN_ATOM(atomicMin##suffix, scope, "min.u32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicMin##suffix, scope, "min.s64", long long, "l") \
  CUDAGEN_ATOM(atomicMin##suffix, scope, "min.u64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicMax##suffix, scope, "max.s32", int, "r") \
  CUDAGEN_ATOM(atomicMax##suffix, scope, "max.u32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicMax##suffix, scope, "max.s64", long long, "l") \
  CUDAGEN_ATOM(atomicMax##suffix, scope, "max.u64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicInc##suffix, scope, "inc.u32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicDec##suffix, scope, "dec.u32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicAnd##suffix, scope, "and.b32", int, "r") \
  CUDAGEN_ATOM(atomicAnd##suffix, scope, "and.b32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicAnd##suffix, scope, "and.b64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicOr##suffix, scope, "or.b32", int, "r") \
  CUDAGEN_ATOM(atomicOr##suffix, scope, "or.b32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicOr##suffix, scope, "or.b64", unsigned long long, "l") \
  CUDAGEN_ATOM(atomicXor##suffix, scope, "xor.b32", int, "r") \
  CUDAGEN_ATOM(atomicXor##suffix, scope, "xor.b32", unsigned int, "r") \
  CUDAGEN_ATOM(atomicXor##suffix, scope, "xor.b64", unsigned long long, "l") \
  CUDAGEN_ATOM_CAS(atomicCAS##suffix, scope, "b16", unsigned short, "h") \
  CUDAGEN_ATOM_CAS(atomicCAS##suffix, scope, "b32", int, "r") \
  CUDAGEN_ATOM_CAS(atomicCAS##suffix, scope, "b32", unsigned int, "r") \
  CUDAGEN_ATOM_CAS(atomicCAS##suffix, scope, "b64", unsigned long long, "l") \
  static __device__ __forceinline__ int atomicSub##suffix(int *address, int value) { \
    return atomicAdd##suffix(address, (int)-(unsigned int)value); \
  } \
  static __device__ __forceinline__ unsigned int atomicSub##suffix(unsigned int *address, unsigned int value) { \
    return atomicAdd##suffix(address, -value); \
  }
CUDAGEN_ATOMICS(, "")
CUDAGEN_ATOMICS(_block, ".cta")
CUDAGEN_ATOMICS(_system, ".sys")
#undef CUDAGEN_ATOMICS
#undef CUDAGEN_ATOM
#undef CUDAGEN_ATOM_CAS
