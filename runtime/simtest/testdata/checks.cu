// Kernels with one bug each, whose comments say what is reported, and right ones beside them, which are never reported.
// TestChecks runs them in two blocks of 128 threads. in[i] is i; out is zero. Made with nvcc -arch=sm_90 -lineinfo -ptx; the paths of files
// are cut to their names.

struct Parts {
  int x[4];
  float y[4];
};

extern __shared__ int dynamic[];
extern __shared__ float alsoDynamic[];

#define KERNEL extern "C" __global__ void
#define ARGS (int *out, const int *in, int n)
#define T (threadIdx.x)
#define MINE (blockIdx.x * 128 + threadIdx.x)

// Arrays in shared and local memory.

// want: is beyond the shared array a, from whose address it was computed: 4 bytes at offset 512 of 512, in the shared array b
KERNEL wrongSharedNeighbour ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  out[MINE] = a[T + in[1]] + b[T];
}

// want: is beyond the shared array b, from whose address it was computed: 4 bytes at offset -4 of 512, in the shared array a
KERNEL wrongSharedBefore ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  out[MINE] = a[T] + b[T - in[1]];
}

// want: is beyond the shared array a
KERNEL wrongSharedStore ARGS {
  __shared__ int a[128], b[128];
  b[T] = 1;
  __syncthreads();
  a[T + in[1]] = 2;
  __syncthreads();
  out[MINE] = a[T | 1] + b[T];
}

// want: is beyond the shared array a
KERNEL wrongSharedAtomic ARGS {
  __shared__ int a[128], b[128];
  a[T] = 0; b[T] = 1;
  __syncthreads();
  atomicAdd(&a[T + in[1]], 1);
  __syncthreads();
  out[MINE] = a[T] + b[T];
}

// want: is beyond the shared array a
KERNEL wrongSharedIntoDynamic ARGS {
  __shared__ int a[128];
  a[T] = in[T]; dynamic[T] = in[T];
  __syncthreads();
  out[MINE] = a[T + in[1]] + dynamic[T];
}

// want: dynamic shared memory
KERNEL wrongDynamicBefore ARGS {
  __shared__ int a[128];
  a[T] = in[T]; dynamic[T] = in[T];
  __syncthreads();
  out[MINE] = a[T] + dynamic[(int)T - in[1]];
}

// want: is beyond a local array of 32 bytes, from whose address it was computed: 4 bytes at offset 32 of 32
KERNEL wrongLocalNeighbour ARGS {
  int a[8], b[8];
  for (int i = 0; i < 8; i++) { a[in[i]] = in[i]; b[in[7 - i]] = in[i]; }
  out[MINE] = a[in[8]] + b[in[3]];
}

// want: is beyond a local array of 32 bytes, from whose address it was computed: 4 bytes at offset -4 of 32
KERNEL wrongLocalBefore ARGS {
  int a[8], b[8];
  for (int i = 0; i < 8; i++) { a[in[i]] = in[i]; b[in[7 - i]] = in[i]; }
  out[MINE] = a[in[2]] + b[in[3] - 4];
}

__device__ __noinline__ int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  return s;
}

// want: is beyond the shared array a
KERNEL wrongSharedInFunction ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  out[MINE] = sum(a, 128 + in[1]) + b[T];
}

KERNEL rightNeighbours ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  out[MINE] = a[127 - T] + b[(T + in[1]) & 127];
}

KERNEL rightEnds ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  int s = 0;
  for (int *p = a + 128; p != a;) s += *--p;
  for (int *p = b; p != b + 128; p++) s += *p;
  out[MINE] = s;
}

KERNEL rightLocalEnds ARGS {
  int a[8], b[8];
  for (int i = 0; i < 8; i++) { a[in[i]] = i; b[in[i]] = 2 * i; }
  int s = 0;
  for (int *p = b + 8; p != b;) s += *--p;
  for (int *p = a + in[8]; p > a;) s += *--p * 3;
  int *q = &b[3];
  out[MINE] = s + q[in[1]] + q[in[2] - 3];
}

KERNEL rightChoice ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  int *p = a, *q = b, s = 0;
  for (int i = 0; i < in[5]; i++) { s += p[(T + i) & 127]; int *t = p; p = q; q = t; }
  out[MINE] = s + (in[T] & 1 ? a : b)[T];
}

KERNEL rightDifference ARGS {
  __shared__ int a[128], b[128];
  __shared__ long long between;
  a[T] = in[T]; b[T] = 1;
  if (T == 0) between = (char *)b - (char *)a;
  __syncthreads();
  out[MINE] = *(int *)((char *)&a[T] + between);
}

KERNEL rightStructs ARGS {
  __shared__ Parts all[16];
  int *flat = (int *)all;
  flat[T] = in[T];
  __syncthreads();
  out[MINE] = all[T / 8].x[T & 3] + __float_as_int(all[T / 8].y[T & 3]) + all[0].x[T];
}

KERNEL rightRows ARGS {
  __shared__ int rows[4][32];
  rows[T / 32][T % 32] = in[T];
  __syncthreads();
  out[MINE] = rows[0][T] + rows[3][(int)T - 96];
}

KERNEL rightDynamic ARGS {
  dynamic[T] = in[T];
  float *second = (float *)&dynamic[128];
  second[T] = in[T];
  __syncthreads();
  out[MINE] = dynamic[127 - T] + (int)alsoDynamic[255 - T];
}

KERNEL rightPointers ARGS {
  __shared__ int a[32], b[32], c[64];
  __shared__ int *all[3];
  if (T == 0) { all[0] = a; all[1] = b; all[2] = c; }
  __syncthreads();
  all[T / 32 > 1 ? 2 : T / 32][T & (T < 64 ? 31 : 63)] = in[T];
  __syncthreads();
  out[MINE] = T < 32 ? a[T] : T < 64 ? b[T - 32] : c[T - 64];
}

KERNEL rightRoundTrip ARGS {
  __shared__ int a[128], b[128];
  a[T] = in[T]; b[T] = 1;
  __syncthreads();
  unsigned low = (unsigned)__cvta_generic_to_shared(b);
  int v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(low + 4 * T));
  int *p = (int *)__cvta_shared_to_generic(low ^ 0);
  out[MINE] = v + p[T] + a[T];
}

// Undefined memory in a frame of a function that calls itself.
__device__ __noinline__ int deep(int n, const int *in, int *of) {
  int a[8], b[8];
  for (int i = 0; i < 8; i++) { a[in[i]] = of ? of[i] : i; b[in[i]] = 2 * i; }
  return n > 0 ? deep(n - 1, in, b) + a[in[1]] : a[in[7]] + b[in[3]];
}

KERNEL rightRecursion ARGS { out[MINE] = deep(3, in, 0); }

// Masks.

// want: names 16 lanes that have exited, 0xffff0000
KERNEL wrongShuffleMask ARGS {
  int v = in[T];
  if (T % 32 < 16) {
    for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o, 16);
    if (T % 32 == 0) out[MINE] = v;
  }
}

// want: lanes that have exited
KERNEL wrongBallotMask ARGS {
  int c = 0;
  for (int i = 0; i < (T & 7); i++) c += __popc(__ballot_sync(0xffffffff, in[i] > 2));
  out[MINE] = c;
}

// want: lanes that have exited
KERNEL wrongMatchMask ARGS {
  if (T % 32 == 5) return;
  out[MINE] = __match_any_sync(0xffffffff, in[T] & 3);
}

// want: lanes that have exited
KERNEL wrongWarpBarrierMask ARGS {
  if (T % 32 == 5) return;
  __syncwarp();
  out[MINE] = 1;
}

// want: the lane takes the value of lane 20, which takes no part (member mask 0x0000ffff
KERNEL wrongShuffleSource ARGS {
  int v = in[T];
  if (T % 32 < 16) v = __shfl_sync(0x0000ffff, v, 20);
  out[MINE] = v;
}

KERNEL rightMask ARGS {
  int v = in[T];
  unsigned mask = __ballot_sync(0xffffffff, T % 32 < 16);
  if (T % 32 < 16) {
    for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(mask, v, o, 16);
    if (T % 32 == 0) out[MINE] = v;
  }
}

// What lanes take from others that take no part, they do not use.
KERNEL rightPartialSum ARGS {
  int v = in[T], lanes = 20;
  if (T % 32 < lanes) {
    for (int o = 16; o > 0; o >>= 1) {
      int w = __shfl_down_sync(0x000fffff, v, o);
      if (T % 32 + o < lanes) v += w;
    }
    if (T % 32 == 0) out[MINE] = v;
  }
}

// Blocks.

// want: an operation of the block's scope is no atomic for other blocks
KERNEL wrongBlockAtomic ARGS { if (T == 0) atomicAdd_block(&out[0], 1); }

// want: which thread (0,0,0) of block (0,0,0) updated
KERNEL wrongReadBesideAtomic ARGS {
  if (T == 0) {
    atomicAdd(&out[0], 1);
    if (blockIdx.x == 1) out[1] = out[0];
  }
}

// want: which thread (0,0,0) of block (0,0,0) updated
KERNEL wrongWriteBesideAtomic ARGS {
  if (T == 0) {
    atomicAdd(&out[0], 1);
    if (blockIdx.x == 1) out[0] = 7;
  }
}

// want: wrote
KERNEL wrongWriteBeforeAtomic ARGS {
  if (T == 0) {
    if (blockIdx.x == 0) out[0] = 7;
    atomicAdd(&out[0], 1);
  }
}

// want: shared address 0x0, which thread
KERNEL wrongSharedBesideAtomic ARGS {
  __shared__ int s;
  if (T == 0) s = 0;
  __syncthreads();
  if (T % 32 == 0) {
    atomicAdd(&s, 1);
    if (T == 96) s = 7;
  }
  __syncthreads();
  out[MINE] = s;
}

template <void fence(), void behind()> __device__ void handOver(int *out) {
  volatile int *flag = out + 500;
  if (T != 0) return;
  if (blockIdx.x == 0) {
    out[0] = 42;
    fence();
    *flag = 1;
  } else {
    while (*flag == 0) ;
    behind();
    out[1] = out[0];
  }
}
__device__ void block() { __threadfence_block(); }
__device__ void device() { __threadfence(); }
__device__ void nothing() {}

// want: which thread (0,0,0) of block (0,0,0) wrote
KERNEL wrongFences ARGS { handOver<block, block>(out); }

// want: which thread (0,0,0) of block (0,0,0) wrote
KERNEL wrongFenceBehind ARGS { handOver<device, block>(out); }

// want: which thread (0,0,0) of block (0,0,0) wrote
KERNEL wrongFenceBefore ARGS { handOver<block, device>(out); }

// want: which thread (0,0,0) of block (0,0,0) wrote
KERNEL wrongNoFenceBehind ARGS { handOver<device, nothing>(out); }

KERNEL rightFences ARGS { handOver<device, device>(out); }

KERNEL rightLock ARGS {
  if (T == 0) {
    while (atomicCAS(&out[0], 0, 1) != 0) ;
    __threadfence();
    out[1] = out[1] + in[blockIdx.x + 1];
    __threadfence();
    atomicExch(&out[0], 0);
  }
}

__device__ unsigned arrived;

// As in CUDA's guide: the last block to arrive sums up.
KERNEL rightLastBlock ARGS {
  __shared__ bool last;
  if (T == 0) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && T < gridDim.x) atomicAdd(&out[n - 2], out[T]);
}

KERNEL rightGridBarrier ARGS {
  volatile unsigned *count = (volatile unsigned *)(out + n - 1);
  out[MINE] = in[T];
  __syncthreads();
  if (T == 0) {
    __threadfence();
    atomicAdd((unsigned *)count, 1u);
    while (*count < gridDim.x) ;
    __threadfence();
  }
  __syncthreads();
  out[256 + MINE] = out[(1 - blockIdx.x) * 128 + T];
}

KERNEL rightSharedLock ARGS {
  __shared__ int lock, value;
  if (T == 0) { lock = 0; value = 0; }
  __syncthreads();
  if (T % 32 < 2) {
    while (atomicCAS(&lock, 0, 1) != 0) ;
    __threadfence_block();
    value += 1;
    out[MINE / 128] += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (T == 0) out[2 + blockIdx.x] = value;
}

KERNEL rightHistogram ARGS {
  __shared__ int bins[16];
  if (T < 16) bins[T] = 0;
  __syncthreads();
  atomicAdd(&bins[in[T] & 15], 1);
  __syncthreads();
  if (T < 16) atomicAdd(&out[T], bins[T]);
}

// What the last of the threads that have counted does plainly is behind what all have counted.

KERNEL rightMemoryFence ARGS { // CUDA C++ Programming Guide, Memory Fence Functions
  __shared__ bool last;
  volatile float *result = (volatile float *)out + 8;
  if (T == 0) {
    result[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    unsigned value = atomicInc((unsigned *)out, gridDim.x);
    last = value == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += result[i];
    if (T == 0) { result[0] = sum; out[0] = 0; }
  }
}

KERNEL rightResetByLast ARGS {
  if (T == 0 && atomicAdd(&out[0], 1) == gridDim.x - 1) {
    __threadfence();
    out[0] = 0;
    out[1] = 1;
  }
}

KERNEL rightGridBarrierThatResets ARGS {
  volatile int *generation = out + 1;
  for (int i = 0; i < 3; i++) {
    out[2 + 256 * i + MINE] = in[T] + (i == 0 ? 0 : out[2 + 256 * (i - 1) + (MINE + 128) % 256]);
    __syncthreads();
    if (T == 0) {
      int before = *generation;
      __threadfence();
      if (atomicAdd(&out[0], 1) == gridDim.x - 1) {
        out[0] = 0;
        __threadfence();
        *generation = before + 1;
      } else {
        while (*generation == before);
      }
      __threadfence();
    }
    __syncthreads();
  }
}

// want: an atomic
KERNEL wrongResetByFirst ARGS { if (T == 0 && atomicAdd(&out[0], 1) == 0) out[0] = 0; }

// want: an atomic
KERNEL wrongAddBehindAtomic ARGS { if (T == 0) { out[1 + blockIdx.x] = atomicAdd(&out[0], 1); out[0] = out[0] + 1; } }

// A copy of fewer bytes than it fills reads those alone.
KERNEL partialCopy ARGS {
  __shared__ int4 a[128];
  if (T < 100 && blockIdx.x == 0) {
    unsigned to = __cvta_generic_to_shared(&a[T]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 8; cp.async.wait_all;" ::"r"(to), "l"(__cvta_generic_to_global(&out[4 * T])) : "memory");
  } else if (T < 100) {
    out[4 * T + 2] = 1;
  }
}
