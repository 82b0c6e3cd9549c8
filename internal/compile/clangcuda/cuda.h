// Types of the CUDA driver API that parameters of kernels have, as in CUDA 13.
#pragma once

#define CUDA_VERSION 13000

typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

struct CUtensorMap_st {
  __attribute__((aligned(128))) cuuint64_t opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;
