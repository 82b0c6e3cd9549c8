// OffByOne doubles numbers. Thread n is one too many.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void offByOne(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 2 * in[i];
}

// OffByOneMended leaves thread n out.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void offByOneMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
