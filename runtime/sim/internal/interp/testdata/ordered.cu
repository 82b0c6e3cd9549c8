// Kernels as programs have them that use CUDA's libraries: those called right are right, the others lack
// something. All have 128 threads to a block.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <mma.h>

namespace cg = cooperative_groups;

constexpr int threads = 128;

extern "C" __global__ void rightReduce(int *out, const int *in) {
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ typename Reduce::TempStorage storage;
  int a = Reduce(storage).Sum(in[threadIdx.x]);
  __syncthreads();
  int b = Reduce(storage).Reduce(in[threadIdx.x], cuda::maximum<>{});
  if (threadIdx.x == 0) out[blockIdx.x] = a + b;
}

extern "C" __global__ void wrongReduce(int *out, const int *in) {
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ typename Reduce::TempStorage storage;
  int a = Reduce(storage).Sum(in[threadIdx.x]);
  int b = Reduce(storage).Reduce(in[threadIdx.x], cuda::maximum<>{});
  if (threadIdx.x == 0) out[blockIdx.x] = a + b;
}

extern "C" __global__ void rightScanSort(int *out, const int *in) {
  using Load = cub::BlockLoad<int, threads, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, threads>;
  using Sort = cub::BlockRadixSort<int, threads, 4>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } storage;
  int items[4];
  Load(storage.load).Load(in, items);
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(items, items);
  __syncthreads();
  Sort(storage.sort).SortDescending(items);
  for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = items[i];
}

extern "C" __global__ void rightWarps(int *out, const int *in) {
  using Reduce = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage storage[threads / 32];
  int warp = threadIdx.x / 32;
  int sum = Reduce(storage[warp]).Sum(in[threadIdx.x]);
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int other = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  out[threadIdx.x] = threadIdx.x % 32 == 0 ? sum : other;
}

template <bool waits>
__device__ void pipelined(int *out, const int *in, int stages) {
  __shared__ int tile[2][threads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[0][threadIdx.x], in + threadIdx.x, sizeof(int), pipe);
  pipe.producer_commit();
  int sum = 0;
  for (int stage = 0; stage < stages; stage++) {
    pipe.producer_acquire();
    if (stage + 1 < stages) cuda::memcpy_async(&tile[(stage + 1) % 2][threadIdx.x], in + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
    if (waits) cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    sum += tile[stage % 2][threads - 1 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void rightPipeline(int *out, const int *in) { pipelined<true>(out, in, 5); }
extern "C" __global__ void wrongPipeline(int *out, const int *in) { pipelined<false>(out, in, 5); }

// A pipeline that all threads of the block share.
extern "C" __global__ void rightSharedPipeline(int *out, const int *in) {
  __shared__ int tile[2][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < 4; compute++) {
    for (; fetch < 4 && fetch < compute + 2; fetch++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % 2], in, sizeof(int) * threads, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[compute % 2][threads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

template <bool waits>
__device__ void groupCopy(int *out, const int *in) {
  __shared__ int tile[threads];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(tile));
  if (waits) cg::wait(block);
  else block.sync();
  out[threadIdx.x] = tile[threads - 1 - threadIdx.x];
}

extern "C" __global__ void rightGroupCopy(int *out, const int *in) { groupCopy<true>(out, in); }
extern "C" __global__ void wrongGroupCopy(int *out, const int *in) { groupCopy<false>(out, in); }

// Warps 0 and 1 fill a buffer that warps 2 and 3 empty.
template <bool waits>
__device__ void produced(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full, empty;
  __shared__ int buffer[threads / 2];
  if (threadIdx.x == 0) {
    init(&full, threads);
    init(&empty, threads);
  }
  __syncthreads();
  int i = threadIdx.x % (threads / 2);
  if (threadIdx.x < threads / 2) {
    for (int round = 0; round < 3; round++) {
      if (waits) empty.arrive_and_wait();
      buffer[i] = in[i] + round;
      auto token = full.arrive();
      (void)token;
    }
  } else {
    int sum = 0;
    for (int round = 0; round < 3; round++) {
      if (waits) (void)empty.arrive();
      full.arrive_and_wait();
      sum += buffer[threads / 2 - 1 - i];
    }
    out[i] = sum;
  }
}

extern "C" __global__ void rightBarriers(int *out, const int *in) { produced<true>(out, in); }

extern "C" __global__ void wrongBarrier(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ int buffer[threads];
  if (threadIdx.x == 0) init(&bar, threads);
  __syncthreads();
  buffer[threadIdx.x] = in[threadIdx.x];
  auto token = bar.arrive();
  int other = buffer[threads - 1 - threadIdx.x];
  bar.wait(std::move(token));
  out[threadIdx.x] = other;
}

extern "C" __global__ void wrongInit(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, threads);
  bar.arrive_and_wait();
  out[threadIdx.x] = in[threadIdx.x];
}

template <bool waits>
__device__ void bulk(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) int tile[threads];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, threads);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(tile, in, sizeof(tile), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  if (waits) bar.wait(std::move(token));
  else __syncthreads();
  tile[threadIdx.x] += 1;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(out + blockIdx.x * threads, tile, sizeof(tile));
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
  __syncthreads();
  tile[threadIdx.x] = 0;
}

extern "C" __global__ void rightBulk(int *out, const int *in) { bulk<true>(out, in); }
extern "C" __global__ void wrongBulk(int *out, const int *in) { bulk<false>(out, in); }

template <cuda::memory_order order>
__device__ void message(int *out, const int *in) {
  __shared__ int flag, value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
  if (threadIdx.x == 0) {
    value = in[5];
    ready.store(1, order == cuda::memory_order_relaxed ? order : cuda::memory_order_release);
  } else if (threadIdx.x == 64) {
    while (ready.load(order) == 0) {}
    out[0] = value;
  }
}

extern "C" __global__ void rightMessage(int *out, const int *in) { message<cuda::memory_order_acquire>(out, in); }
extern "C" __global__ void wrongMessage(int *out, const int *in) { message<cuda::memory_order_relaxed>(out, in); }

extern "C" __global__ void rightLock(int *out, const int *in) {
  __shared__ int sum;
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> lock;
  if (threadIdx.x == 0) {
    sum = 0;
    new (&lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
  }
  __syncthreads();
  lock.acquire();
  sum += in[threadIdx.x];
  lock.release();
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

// The last block adds up what the others have left.
__device__ unsigned arrived;

template <bool fences>
__device__ void lastBlock(int *out, const int *in) {
  __shared__ bool last;
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = sum;
    if (fences) __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    if (fences) __threadfence();
    int total = 0;
    for (int i = 0; i < gridDim.x; i++) total += out[1 + i];
    out[0] = total;
  }
}

extern "C" __global__ void rightLastBlock(int *out, const int *in) { lastBlock<true>(out, in); }
extern "C" __global__ void wrongLastBlock(int *out, const int *in) { lastBlock<false>(out, in); }

extern "C" __global__ void rightMatrices(float *out, const half *in) {
  using namespace nvcuda;
  __shared__ half a[256];
  __shared__ float c[256];
  for (int i = threadIdx.x; i < 256; i += threads) a[i] = in[i % 128];
  __syncthreads();
  if (threadIdx.x < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  }
  __syncthreads();
  out[threadIdx.x] = c[threadIdx.x];
}

struct Padded {
  char kind;
  double value;
  short rest;
};

extern "C" __global__ void rightPadding(Padded *out, const int *in) {
  __shared__ Padded all[threads];
  Padded mine;
  mine.kind = char(in[threadIdx.x]);
  mine.value = in[threadIdx.x] * 0.5;
  mine.rest = short(threadIdx.x);
  all[threadIdx.x] = mine;
  __syncthreads();
  Padded other = all[threads - 1 - threadIdx.x];
  if (other.value > 3) other.kind++;
  if (threadIdx.x < 40) out[threadIdx.x] = other;
  if (threadIdx.x == 0) printf("%c %hhd %hd %d %f %s %p %5.2e %lld\n", other.kind, other.kind, other.rest, other.rest > 3, other.value, "text", (void *)out, 1.5f, (long long)other.rest);
}

template <bool syncs>
__device__ void clustered(int *out, const int *in) {
  __shared__ int bins[threads];
  auto cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  int value = in[threadIdx.x] & 255;
  int *there = cluster.map_shared_rank(bins, value / threads);
  atomicAdd(&there[value % threads], 1);
  if (syncs) cluster.sync();
  else __syncthreads();
  out[blockIdx.x * threads + threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void __cluster_dims__(2) rightCluster(int *out, const int *in) { clustered<true>(out, in); }
extern "C" __global__ void __cluster_dims__(2) wrongCluster(int *out, const int *in) { clustered<false>(out, in); }

// Blocks of a cluster, and threads of a block, hand on global memory.
extern "C" __global__ void __cluster_dims__(2) rightClusterGlobal(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, threads);
  __syncthreads();
  int *mine = out + blockIdx.x * threads, *other = out + (blockIdx.x ^ 1) * threads;
  mine[threadIdx.x] = in[threadIdx.x];
  bar.arrive_and_wait();
  int a = mine[threads - 1 - threadIdx.x];
  auto cluster = cg::this_cluster();
  cluster.sync();
  int b = other[threads - 1 - threadIdx.x];
  cluster.sync();
  mine[threadIdx.x] = a + b;
}

extern "C" __global__ void rightVolatile(int *out, const int *in) {
  __shared__ volatile int sum[threads];
  int i = threadIdx.x;
  sum[i] = in[i];
  __syncthreads();
  for (int half = threads / 2; half >= 32; half /= 2) {
    if (i < half) sum[i] = sum[i] + sum[i + half];
    __syncthreads();
  }
  if (i < 32) {
    for (int half = 16; half > 0; half /= 2) {
      int v = sum[i] + sum[i + half];
      __syncwarp();
      sum[i] = v;
      __syncwarp();
    }
  }
  if (i == 0) out[0] = sum[0];
}
