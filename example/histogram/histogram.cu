// Histogram adds to counts how often each byte occurs in data. Each block counts in shared memory
// first, where atomic functions are fast.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads (n+15)/16
//cudagen:len counts=256
//cudagen:infer n=len(data)
extern "C" __global__ void histogram(const unsigned char *data, unsigned long long *counts, size_t n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  if (local[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], (unsigned long long)local[threadIdx.x]);
}
