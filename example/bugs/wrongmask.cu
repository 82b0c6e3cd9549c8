// WrongMask adds a neighbour's number in the first half of each warp, and names the lanes of the other half.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void wrongMask(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0;
  if (threadIdx.x % 32 < 16) x += __shfl_down_sync(0xffff0000, x, 1, 16);
  if (i < n) out[i] = x;
}

// WrongMaskMended names the lanes that come.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void wrongMaskMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0;
  if (threadIdx.x % 32 < 16) x += __shfl_down_sync(0x0000ffff, x, 1, 16);
  if (i < n) out[i] = x;
}
