// DivergentBarrier adds a neighbour's number in the first half of each warp, which alone comes to the barrier.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void divergentBarrier(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = i < n ? in[i] : 0;
  int sum = tile[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    __syncthreads();
    sum += tile[threadIdx.x + 1];
  }
  if (i < n) out[i] = sum;
}

// DivergentBarrierMended has the barrier where all threads come.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void divergentBarrierMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = i < n ? in[i] : 0;
  int sum = tile[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 32 < 16) sum += tile[threadIdx.x + 1];
  if (i < n) out[i] = sum;
}
