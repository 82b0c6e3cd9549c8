// Kernels whose memory accesses are counted by the simulated device and by Nsight Compute. ncu.sh runs the program on a GPU,
// TestCounters the kernels on the simulated device. Both launch 64 blocks of 256 threads.
#include <cstdio>
#include <cstdlib>

constexpr int blocks = 64, threads = 256, size = 1 << 20;

__device__ __forceinline__ int self() { return blockIdx.x * threads + threadIdx.x; }

// Global memory.

extern "C" __global__ void saxpy(float *y, const float *x, const int *) { y[self()] = 2.0f * x[self()] + y[self()]; }

extern "C" __global__ void misaligned(float *y, const float *x, const int *) { y[self()] = x[self() + 1]; }

extern "C" __global__ void structs(float *y, const float *x, const int *) { y[self()] = x[4 * self()]; }

extern "C" __global__ void columns(float *y, const float *x, const int *) {
  int row = threadIdx.x, column = blockIdx.x;
  y[row * 1024 + column] = x[column * 1024 + row];
}

extern "C" __global__ void gather(float *y, const float *x, const int *index) { y[self()] = x[index[self()]]; }

extern "C" __global__ void stencil(float *y, const float *x, const int *) {
  const float *at = x + 1024 + self();
  y[self()] = at[-1024] + at[-1] + at[0] + at[1] + at[1024];
}

extern "C" __global__ void vectors(float4 *y, const float4 *x, const int *) { y[self()] = x[self() + 1]; }

extern "C" __global__ void letters(unsigned char *y, const unsigned char *x, const int *) { y[3 * self()] = x[2 * self()] + 1; }

extern "C" __global__ void oneforall(float *y, const float *x, const int *) { y[self()] = x[blockIdx.x * 16]; }

extern "C" __global__ void someof(float *y, const float *x, const int *) {
  if (threadIdx.x % 3 == 0) y[self()] = x[2 * self()];
}

// Shared memory. Each is written as a whole before, a word by each thread.

#define FILL(words)                                                            \
  __shared__ __align__(16) float tile[words];                                  \
  for (int i = threadIdx.x; i < words; i += threads) tile[i] = x[i];           \
  __syncthreads();

extern "C" __global__ void transposed(float *y, const float *x, const int *) {
  __shared__ float tile[32][32];
  for (int n = threadIdx.x / 32; n < 32; n += 8) tile[n][threadIdx.x % 32] = x[n * 32 + threadIdx.x % 32];
  __syncthreads();
  for (int n = threadIdx.x / 32; n < 32; n += 8) y[blockIdx.x * 1024 + n * 32 + threadIdx.x % 32] = tile[threadIdx.x % 32][n];
}

extern "C" __global__ void padded(float *y, const float *x, const int *) {
  __shared__ float tile[32][33];
  for (int n = threadIdx.x / 32; n < 32; n += 8) tile[n][threadIdx.x % 32] = x[n * 32 + threadIdx.x % 32];
  __syncthreads();
  for (int n = threadIdx.x / 32; n < 32; n += 8) y[blockIdx.x * 1024 + n * 32 + threadIdx.x % 32] = tile[threadIdx.x % 32][n];
}

extern "C" __global__ void everyother(float *y, const float *x, const int *) { FILL(512) y[self()] = tile[2 * threadIdx.x]; }

extern "C" __global__ void scattered(float *y, const float *x, const int *index) {
  FILL(1024)
  y[self()] = tile[index[self()] & 1023];
}

extern "C" __global__ void stores(float *y, const float *x, const int *) {
  __shared__ volatile float tile[2048]; // so that ptxas makes no wider stores of them
  for (int n = 0; n < 8; n++) tile[8 * threadIdx.x + n] = x[threadIdx.x + n * threads];
  __syncthreads();
  y[self()] = tile[threadIdx.x];
}

extern "C" __global__ void reduce(float *y, const float *x, const int *) {
  __shared__ float sums[threads];
  sums[threadIdx.x] = x[self()];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < threads; step *= 2) {
    int at = 2 * step * threadIdx.x;
    if (at < threads) sums[at] += sums[at + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}

// Accesses of 8 and 16 bytes.

#define READ2(name, at)                                                        \
  extern "C" __global__ void name(float *y, const float *x, const int *) {     \
    FILL(4096)                                                                 \
    int lane = threadIdx.x % 32;                                               \
    float2 v = reinterpret_cast<const float2 *>(tile)[at];                     \
    y[self()] = v.x + v.y;                                                     \
  }
READ2(pairs, lane)
READ2(pairsoffset, lane + lane / 16 * 8)
READ2(pairsapart, 2 * lane)
READ2(pairsfar, 16 * lane)
READ2(pairsequal, 5)
READ2(pairshalves, lane / 2)
READ2(pairsquarters, lane / 4)
READ2(pairsboth, lane % 16)

#define READ4(name, at)                                                        \
  extern "C" __global__ void name(float *y, const float *x, const int *) {     \
    FILL(4096)                                                                 \
    int lane = threadIdx.x % 32;                                               \
    float4 v = reinterpret_cast<const float4 *>(tile)[at];                     \
    y[self()] = v.x + v.y + v.z + v.w;                                         \
  }
READ4(quads, lane)
READ4(quadsapart, 2 * lane)
READ4(quadsfar, 8 * lane)
READ4(quadsequal, 5)
READ4(quadshalves, lane / 2)
READ4(quadsquarters, lane / 4)
READ4(quadsboth, lane % 8)

// Which lanes ask for the same: wavefronts are shared only between some.

READ2(pairscrossed, lane & ~2)
READ2(pairsmixed, lane % 8 < 4 ? lane / 2 : lane & ~2)
READ2(pairsfirst, lane < 16 ? lane / 2 : lane)
READ2(pairstwofold, lane / 2 * 16)
READ2(pairstwice, lane / 2 + lane % 8 / 4 * 32)
READ4(quadscrossed, lane & ~2)
READ4(quadsmixed, lane % 8 < 4 ? lane / 2 : lane & ~2)
READ4(quadsfirst, lane < 16 ? lane / 2 : lane)
READ4(quadsquarter, lane < 8 ? lane / 2 : lane)
READ4(quadstwofold, lane / 2 * 8)
READ4(quadsacross, lane & ~4)

#define READSOME(name, type, condition, at)                                    \
  extern "C" __global__ void name(float *y, const float *x, const int *) {     \
    FILL(4096)                                                                 \
    int lane = threadIdx.x % 32;                                               \
    type v = {};                                                               \
    if (condition) v = reinterpret_cast<const type *>(tile)[at];               \
    y[self()] = v.x + v.y;                                                     \
  }
READSOME(pairseven, float2, lane % 2 == 0, lane)
READSOME(pairstwooffour, float2, lane % 4 < 2, lane)
READSOME(pairsthreeoffour, float2, lane % 4 != 3, lane)
READSOME(pairslow, float2, lane < 16, lane)
READSOME(pairsninth, float2, lane % 9 == 0, lane)
READSOME(quadseven, float4, lane % 2 == 0, lane)
READSOME(quadsthreeoffour, float4, lane % 4 != 3, lane)
READSOME(quadslow, float4, lane < 8, lane)
READSOME(quadsends, float4, lane < 8 || lane >= 24, lane)
READSOME(quadsone, float4, lane % 20 == 19, lane)

#define WRITE(name, type, condition, at)                                       \
  extern "C" __global__ void name(float *y, const float *x, const int *) {     \
    __shared__ __align__(16) float tile[4096];                                 \
    int lane = threadIdx.x % 32;                                               \
    type v = *reinterpret_cast<const type *>(x + 4 * self());                  \
    if (condition) reinterpret_cast<type *>(tile)[at] = v;                     \
    __syncthreads();                                                           \
    y[self()] = tile[threadIdx.x];                                             \
  }
WRITE(writespairs, float2, true, lane)
WRITE(writespairsequal, float2, true, 5)
WRITE(writespairshalves, float2, true, lane / 2)
WRITE(writespairscrossed, float2, true, lane & ~2)
WRITE(writespairsboth, float2, true, lane % 16)
WRITE(writespairseven, float2, lane % 2 == 0, lane)
WRITE(writespairsfar, float2, true, 16 * lane)
WRITE(writesquads, float4, true, lane)
WRITE(writesquadsequal, float4, true, 5)
WRITE(writesquadshalves, float4, true, lane / 2)
WRITE(writesquadsboth, float4, true, lane % 8)
WRITE(writesquadseven, float4, lane % 2 == 0, lane)
WRITE(writesquadsfar, float4, true, 8 * lane)

// Atomics.

extern "C" __global__ void counting(float *y, const float *, const int *index) {
  atomicAdd(reinterpret_cast<unsigned *>(y) + (index[self()] & 63), 1u);
}

extern "C" __global__ void histogram(float *y, const float *, const int *index) {
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[index[self()] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) reinterpret_cast<unsigned *>(y)[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

// Local memory.

extern "C" __global__ void locals(float *y, const float *x, const int *index) {
  float values[64];
#pragma unroll 1
  for (int n = 0; n < 64; n++) values[(n ^ index[n]) & 63] = x[self() + n * 32];
  y[self()] = values[index[self()] & 63];
}

// Matrices, and copies past the registers.

extern "C" __global__ void matrices(float *y, const float *x, const int *) {
  FILL(2048)
  unsigned r[4];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + threadIdx.x % 32 * 32;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  y[self()] = __uint_as_float(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

extern "C" __global__ void copies(float *y, const float *x, const int *) {
  __shared__ __align__(16) float tile[4 * threads];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + threadIdx.x * 16;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(x + 4 * self()) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  y[self()] = tile[threadIdx.x];
}

#ifndef KERNELS_ONLY
#define CHECK(call)                                                            \
  if (cudaError_t e = call) {                                                  \
    fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                 \
    exit(1);                                                                   \
  }

int main() {
  float *x, *y;
  int *index, *values = static_cast<int *>(malloc(size * sizeof(int)));
  CHECK(cudaMalloc(&x, size * sizeof(float)));
  CHECK(cudaMalloc(&y, size * sizeof(float)));
  CHECK(cudaMalloc(&index, size * sizeof(int)));
  for (unsigned i = 0; i < size; i++) values[i] = i * 2654435761u >> 12; // below size
  CHECK(cudaMemcpy(index, values, size * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(x, 0, size * sizeof(float)));
  CHECK(cudaMemset(y, 0, size * sizeof(float)));
#define RUN(kernel)                                                            \
  {                                                                            \
    auto launched = reinterpret_cast<void (*)(void *, const void *, const int *)>(kernel); \
    launched<<<blocks, threads>>>(y, x, index);                                \
    CHECK(cudaDeviceSynchronize());                                            \
  }
  RUN(saxpy) RUN(misaligned) RUN(structs) RUN(columns) RUN(gather) RUN(stencil) RUN(vectors) RUN(letters) RUN(oneforall) RUN(someof)
  RUN(transposed) RUN(padded) RUN(everyother) RUN(scattered) RUN(stores) RUN(reduce)
  RUN(pairs) RUN(pairsoffset) RUN(pairsapart) RUN(pairsfar) RUN(pairsequal) RUN(pairshalves) RUN(pairsquarters) RUN(pairsboth)
  RUN(quads) RUN(quadsapart) RUN(quadsfar) RUN(quadsequal) RUN(quadshalves) RUN(quadsquarters) RUN(quadsboth)
  RUN(pairscrossed) RUN(pairsmixed) RUN(pairsfirst) RUN(pairstwofold) RUN(pairstwice)
  RUN(quadscrossed) RUN(quadsmixed) RUN(quadsfirst) RUN(quadsquarter) RUN(quadstwofold) RUN(quadsacross)
  RUN(pairseven) RUN(pairstwooffour) RUN(pairsthreeoffour) RUN(pairslow) RUN(pairsninth)
  RUN(quadseven) RUN(quadsthreeoffour) RUN(quadslow) RUN(quadsends) RUN(quadsone)
  RUN(writespairs) RUN(writespairsequal) RUN(writespairshalves) RUN(writespairscrossed) RUN(writespairsboth) RUN(writespairseven) RUN(writespairsfar)
  RUN(writesquads) RUN(writesquadsequal) RUN(writesquadshalves) RUN(writesquadsboth) RUN(writesquadseven) RUN(writesquadsfar)
  RUN(counting) RUN(histogram) RUN(locals) RUN(matrices) RUN(copies)
}
#endif
