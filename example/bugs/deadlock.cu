// Deadlock lets the first warp wait for the second, which waits for the first at the barrier.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void deadlock(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (ready == 0) {
    }
    __syncthreads();
  } else {
    __syncthreads();
    ready = 1;
  }
  if (i < n) out[i] = in[i] + ready;
}

// DeadlockMended lets all come to the barrier when the second warp has done its part.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void deadlockMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x >= 32) ready = 1;
  __syncthreads();
  if (i < n) out[i] = in[i] + ready;
}
