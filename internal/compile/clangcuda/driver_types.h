// Types of the CUDA runtime that parameters of kernels have. They are handles: clang's
// back end has no functions on them.
#pragma once

#include "vector_types.h"

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
