// Numbers of 8 bits, as they are stored. Conversions are lacking: compile with nvcc.
//
// CUDA Math API, FP8 Intrinsics.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

#define CUDAGEN_FP8(name) \
  struct __align__(1) __nv_fp8_##name { __nv_fp8_storage_t __x; }; \
  struct __align__(2) __nv_fp8x2_##name { __nv_fp8x2_storage_t __x; }; \
  struct __align__(4) __nv_fp8x4_##name { __nv_fp8x4_storage_t __x; };
CUDAGEN_FP8(e4m3)
CUDAGEN_FP8(e5m2)
CUDAGEN_FP8(e8m0)
#undef CUDAGEN_FP8
