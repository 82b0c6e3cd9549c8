// Further bugs, each beside a kernel without it. The ten classic ones have files of their own.

#include <cuda_pipeline_primitives.h>

// UndefinedBranch asks a local array that it has not filled.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedBranch(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int flags[4];
  flags[threadIdx.x % 2] = 1;
  if (i < n) out[i] = flags[2 + threadIdx.x % 2] != 0 ? in[i] : 0;
}

// UndefinedBranchMended fills all of the array.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedBranchMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int flags[4];
  for (int k = 0; k < 4; k++) flags[k] = 1;
  if (i < n) out[i] = flags[2 + threadIdx.x % 2] != 0 ? in[i] : 0;
}

// UndefinedIndex takes an index from shared memory in which nobody has written.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedIndex(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int order[64];
  if (i < n) out[i] = in[order[threadIdx.x] & 15];
}

// UndefinedIndexMended writes it first.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedIndexMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int order[64];
  order[threadIdx.x] = 63 - threadIdx.x;
  __syncthreads();
  if (i < n) out[i] = in[order[threadIdx.x] & 15];
}

// UndefinedResult leaves every second number of new memory as it is.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedResult(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) out[i] = in[i];
}

// UndefinedResultMended writes all of them.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void undefinedResultMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i % 2 == 0 ? in[i] : 0;
}

// WarpSynchronous adds up a warp in steps, as if its lanes ran in lockstep.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void warpSynchronous(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum[64];
  int lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    int other = lane < step ? sum[warp + lane + step] : 0;
    sum[threadIdx.x] = sum[threadIdx.x] + other;
    asm volatile("" ::: "memory");
  }
  if (i < n) out[i] = sum[threadIdx.x];
}

// WarpSynchronousMended has a barrier of the warp behind each access.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void warpSynchronousMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum[64];
  int lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    __syncwarp();
    int other = lane < step ? sum[warp + lane + step] : 0;
    __syncwarp();
    sum[threadIdx.x] = sum[threadIdx.x] + other;
  }
  if (i < n) out[i] = sum[threadIdx.x];
}

// VolatileWarp does so with volatile memory, as was done before Volta.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void volatileWarp(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int sum[64];
  int lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    int other = lane < step ? sum[warp + lane + step] : 0;
    sum[threadIdx.x] = sum[threadIdx.x] + other;
  }
  if (i < n) out[i] = sum[threadIdx.x];
}

// VolatileWarpMended has the barriers.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void volatileWarpMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int sum[64];
  int lane = threadIdx.x % 32, warp = threadIdx.x - lane;
  sum[threadIdx.x] = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    __syncwarp();
    int other = lane < step ? sum[warp + lane + step] : 0;
    __syncwarp();
    sum[threadIdx.x] = sum[threadIdx.x] + other;
  }
  if (i < n) out[i] = sum[threadIdx.x];
}

// GlobalRace counts in global memory without an atomic.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void globalRace(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
  if (threadIdx.x == 0) out[0] += in[1];
}

// GlobalRaceMended counts with one, in a number that no block sets.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void globalRaceMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n) out[i] = 0;
  if (i == 0) out[0] = 0 * in[1];
}

// AsyncCopy reads what an asynchronous copy has perhaps not brought yet.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void asyncCopy(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  if (i < n) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(int));
    __pipeline_commit();
    out[i] = tile[threadIdx.x];
  }
}

// AsyncCopyMended waits for it.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void asyncCopyMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  if (i < n) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = tile[threadIdx.x];
  }
}

// BarrierCounts comes to one barrier with two numbers of threads.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void barrierCounts(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 1, 96;" ::: "memory");
  if (i < n) out[i] = in[i];
}

// BarrierCountsMended comes with one.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void barrierCountsMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (i < n) out[i] = in[i];
}

// Misaligned reads eight bytes at an address that is a multiple of four.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void misaligned(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 2) {
    int2 pair = *(const int2 *)(in + 1 + i / 2 * 2);
    out[i] = pair.x * pair.y;
  } else if (i < n) out[i] = 0;
}

// MisalignedMended reads four.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void misalignedMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 2) out[i] = in[1 + i / 2 * 2];
  else if (i < n) out[i] = 0;
}

// SharedBounds writes behind its shared memory.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void sharedBounds(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  volatile int *to = tile;
  to[threadIdx.x + (in[1] == 1 ? 64 * 1024 : 0)] = threadIdx.x;
  __syncthreads();
  if (i < n) out[i] = to[threadIdx.x];
}

// SharedBoundsMended writes inside.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void sharedBoundsMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  volatile int *to = tile;
  to[threadIdx.x + (in[1] == 1 ? 0 : 1024)] = threadIdx.x;
  __syncthreads();
  if (i < n) out[i] = to[threadIdx.x];
}

// LocalBounds writes behind a local array, far away.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void localBounds(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own[4] = {1, 2, 3, 4};
  volatile int *to = own;
  to[in[1] == 1 ? 1 << 20 : 0] = 5;
  if (i < n) out[i] = to[0];
}

// LocalBoundsMended writes inside.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void localBoundsMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own[4] = {1, 2, 3, 4};
  volatile int *to = own;
  to[in[1] == 1 ? 1 : 0] = 5;
  if (i < n) out[i] = to[0];
}

// FarAway reads far from its buffer.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void farAway(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(long long)i << (in[1] == 1 ? 34 : 0)];
}

// FarAwayMended reads near.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void farAwayMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(long long)i << (in[1] == 1 ? 0 : 34)];
}

// NullPointer reads where no pointer points.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void nullPointer(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int *from = (const int *)(size_t)(in[1] - 1);
  if (i < n) out[i] = from[0];
}

// NullPointerMended reads its numbers.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void nullPointerMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int *from = in + (in[1] - 1);
  if (i < n) out[i] = from[0];
}

// FreeInside frees an address inside of what it allocated.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void freeInside(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int *own = (int *)malloc(4 * sizeof(int));
    own[1] = in[i];
    out[i] = own[1];
    free(own + (in[1] == 1 ? 1 : 0));
  }
}

// FreeInsideMended frees its beginning.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void freeInsideMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int *own = (int *)malloc(4 * sizeof(int));
    own[1] = in[i];
    out[i] = own[1];
    free(own);
  }
}

// HeapBounds writes behind what malloc gave.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void heapBounds(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    volatile int *own = (volatile int *)malloc(4 * sizeof(int));
    own[in[1] == 1 ? 4 : 0] = in[i];
    out[i] = i;
    free((void *)own);
  }
}

// HeapBoundsMended writes inside.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void heapBoundsMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    volatile int *own = (volatile int *)malloc(4 * sizeof(int));
    own[in[1] == 1 ? 3 : 0] = in[i];
    out[i] = i;
    free((void *)own);
  }
}

// BarrierObject waits at a barrier in shared memory that nobody has set up.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void barrierObject(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  if (i < n) out[i] = in[i];
}

// BarrierObjectMended waits at one that is set up.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void barrierObjectMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  unsigned long long state;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  if (i < n) out[i] = in[i];
}
