// Accumulator adds up the numbers of each block to what shared memory happens to hold.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void accumulator(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum;
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (i < n) out[i] = sum;
}

// AccumulatorMended begins with zero.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void accumulatorMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (i < n) out[i] = sum;
}
