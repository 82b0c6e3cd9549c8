// make_float4 and its kin.
#pragma once

#include "vector_types.h"

#define CUDAGEN_MAKE static __host__ __device__ __forceinline__ constexpr
#define CUDAGEN_MAKE_4(name, type) \
  CUDAGEN_MAKE name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }

#define CUDAGEN_ROW(name, type, ...) \
  CUDAGEN_MAKE name##1 make_##name##1(type x) { return {x}; } \
  CUDAGEN_MAKE name##2 make_##name##2(type x, type y) { return {x, y}; } \
  CUDAGEN_MAKE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  CUDAGEN_MAKE_4(name##4, type)
CUDAGEN_VECTORS(CUDAGEN_ROW)
CUDAGEN_WIDE_VECTORS(CUDAGEN_ROW)
#undef CUDAGEN_ROW

#define CUDAGEN_ROW(name, type, ...) \
  CUDAGEN_MAKE_4(name##4_16a, type) \
  CUDAGEN_MAKE_4(name##4_32a, type)
CUDAGEN_WIDE_VECTORS(CUDAGEN_ROW)
#undef CUDAGEN_ROW

#undef CUDAGEN_MAKE
#undef CUDAGEN_MAKE_4
