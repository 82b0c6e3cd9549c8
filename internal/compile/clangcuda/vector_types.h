// Vector types, with the sizes and alignments of CUDA 13.
//
// CUDA C++ Programming Guide, Built-in Vector Types: Alignment Requirements.
#pragma once

#include "host_defines.h"

#define CUDAGEN_VECTOR_1(name, type, align) struct __align__(align) name##1 { type x; };
#define CUDAGEN_VECTOR_2(name, type, align) struct __align__(align) name##2 { type x, y; };
#define CUDAGEN_VECTOR_3(name, type, align) struct __align__(align) name##3 { type x, y, z; };
#define CUDAGEN_VECTOR_4(name, type, align) struct __align__(align) name { type x, y, z, w; };

// One row a type: its own alignment, and those of its vectors of two and four.
#define CUDAGEN_VECTORS(row) \
  row(char, signed char, 1, 2, 4) \
  row(uchar, unsigned char, 1, 2, 4) \
  row(short, short, 2, 4, 8) \
  row(ushort, unsigned short, 2, 4, 8) \
  row(int, int, 4, 8, 16) \
  row(uint, unsigned int, 4, 8, 16) \
  row(float, float, 4, 8, 16)
#define CUDAGEN_WIDE_VECTORS(row) \
  row(long, long int, alignof(long), 2 * sizeof(long)) \
  row(ulong, unsigned long int, alignof(long), 2 * sizeof(long)) \
  row(longlong, long long int, 8, 16) \
  row(ulonglong, unsigned long long int, 8, 16) \
  row(double, double, 8, 16)

#define CUDAGEN_ROW(name, type, one, two, four) \
  CUDAGEN_VECTOR_1(name, type, one) \
  CUDAGEN_VECTOR_2(name, type, two) \
  CUDAGEN_VECTOR_3(name, type, one) \
  CUDAGEN_VECTOR_4(name##4, type, four)
CUDAGEN_VECTORS(CUDAGEN_ROW)
#undef CUDAGEN_ROW

// Vectors of four wide elements come in three: two aligned to 16 bytes, one to 32.
#define CUDAGEN_ROW(name, type, one, two) \
  CUDAGEN_VECTOR_1(name, type, one) \
  CUDAGEN_VECTOR_2(name, type, two) \
  CUDAGEN_VECTOR_3(name, type, one) \
  CUDAGEN_VECTOR_4(name##4, type, 16) \
  CUDAGEN_VECTOR_4(name##4_16a, type, 16) \
  CUDAGEN_VECTOR_4(name##4_32a, type, 32)
CUDAGEN_WIDE_VECTORS(CUDAGEN_ROW)
#undef CUDAGEN_ROW

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
