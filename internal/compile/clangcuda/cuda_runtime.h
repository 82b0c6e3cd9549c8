// Device code's view of CUDA for clang, without any file of NVIDIA's. It is included in
// front of every source, as nvcc includes its own.
//
// clang's own headers, which come with every clang, define most device functions over
// NVIDIA's libdevice; libdevice.h stands in for that.
#pragma once

#include "host_defines.h"
#include "cuda.h"
#define CUDART_VERSION CUDA_VERSION

// Device functions must be declared before the host's of the same name.
#include <__clang_cuda_math_forward_declares.h>
#define __CUDACC__ 1
#include <limits.h>
#include <cmath>
#include <cstdlib>
#include <stdlib.h>
#include <string.h>

#include <__clang_cuda_builtin_vars.h>
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include <__clang_cuda_libdevice_declares.h>
#include "libdevice.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "device_functions.h"
#include "device_atomic_functions.h"

// CUDA C++ Programming Guide, Formatted Output, Assertion, Dynamic Global Memory
// Allocation: the functions that the driver links in. clang makes vprintf of printf.
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *text, const char *file, unsigned int line, const char *function, size_t charSize);
static inline __device__ void __assert_fail(const char *text, const char *file, unsigned int line, const char *function) {
  __assertfail(text, file, line, function, sizeof(char));
}
}
namespace std {
static inline __device__ void *malloc(size_t size) { return ::malloc(size); }
static inline __device__ void free(void *p) { ::free(p); }
}

// clang declares these conversions, and leaves them to whoever defines the types.
#define CUDAGEN_CONVERSIONS(variable) \
  __device__ inline __cuda_builtin_##variable##_t::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline __cuda_builtin_##variable##_t::operator uint3() const { return uint3{x, y, z}; }
CUDAGEN_CONVERSIONS(threadIdx)
CUDAGEN_CONVERSIONS(blockIdx)
CUDAGEN_CONVERSIONS(blockDim)
CUDAGEN_CONVERSIONS(gridDim)
#undef CUDAGEN_CONVERSIONS

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>

// What clang calls for <<<>>>. Host functions are parsed, never compiled.
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t sharedBytes = 0, cudaStream_t stream = 0);
extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes = 0, cudaStream_t stream = 0);
