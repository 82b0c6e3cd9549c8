// LostUpdate adds up the numbers of each block. Threads read the sum, and write it when others have changed it.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void lostUpdate(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) sum += in[i];
  __syncthreads();
  if (i < n) out[i] = sum;
}

// LostUpdateMended adds in one step.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void lostUpdateMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (i < n) out[i] = sum;
}
