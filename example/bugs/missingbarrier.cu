// MissingBarrier reverses the numbers of each block. Threads read what others have perhaps not written yet.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void missingBarrier(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = i < n ? in[i] : 0;
  if (i < n) out[i] = tile[63 - threadIdx.x];
}

// MissingBarrierMended waits until all have written.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void missingBarrierMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[63 - threadIdx.x];
}
