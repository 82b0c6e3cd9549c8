// Groups of threads: blocks, and tiles of at most a warp. Grids, clusters, reductions and
// asynchronous copies are lacking: compile with nvcc.
//
// CUDA C++ Programming Guide, Cooperative Groups.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  static __device__ void sync() { __syncthreads(); }
  static __device__ dim3 dim_threads() { return blockDim; }
  static __device__ dim3 group_dim() { return blockDim; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ unsigned int size() { return num_threads(); }
  static __device__ unsigned int thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
};

static __device__ __forceinline__ thread_block this_thread_block() { return {}; }

// A thread_block_tile is Size threads next to each other in a warp. Parent is the type of
// the group that was partitioned, as in CUDA's own headers.
template <unsigned int Size, class Parent = void>
class thread_block_tile {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= 32,
                "clang's back end has tiles of 1, 2, 4, 8, 16 and 32 threads: use nvcc");

  static __device__ unsigned int lane() {
    unsigned int lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
  }
  static __device__ unsigned int first() { return lane() & ~(Size - 1); }
  static __device__ unsigned int mask() { return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << first(); }

 public:
  static __device__ void sync() { __syncwarp(mask()); }
  static __device__ constexpr unsigned int num_threads() { return Size; }
  static __device__ constexpr unsigned int size() { return Size; }
  static __device__ unsigned int thread_rank() { return lane() & (Size - 1); }
  static __device__ unsigned int meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  static __device__ unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  template <class T> static __device__ T shfl(T value, int rank) { return __shfl_sync(mask(), value, rank, Size); }
  template <class T> static __device__ T shfl_up(T value, unsigned int by) { return __shfl_up_sync(mask(), value, by, Size); }
  template <class T> static __device__ T shfl_down(T value, unsigned int by) { return __shfl_down_sync(mask(), value, by, Size); }
  template <class T> static __device__ T shfl_xor(T value, unsigned int by) { return __shfl_xor_sync(mask(), value, by, Size); }
  static __device__ int any(int predicate) { return __any_sync(mask(), predicate); }
  static __device__ int all(int predicate) { return __all_sync(mask(), predicate); }
  static __device__ unsigned int ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first(); }
};

template <unsigned int Size, class Parent>
static __device__ __forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}

template <class Group>
static __device__ __forceinline__ void sync(const Group &group) {
  group.sync();
}

}  // namespace cooperative_groups
