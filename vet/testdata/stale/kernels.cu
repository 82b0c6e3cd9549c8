//cudagen:kernel
//cudagen:block 128
//cudagen:threads n
//cudagen:infer n=len(x)
extern "C" __global__ void twice(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3;
}
