// DoubleFree frees its memory twice in the threads that have a number.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void doubleFree(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = (int *)malloc(sizeof(int));
  if (!mine) return;
  *(volatile int *)mine = i < n ? in[i] : 0;
  if (i < n) out[i] = 2 * *(volatile int *)mine;
  if (i < n) free(mine);
  free(mine);
}

// DoubleFreeMended frees it once.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void doubleFreeMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = (int *)malloc(sizeof(int));
  if (!mine) return;
  *(volatile int *)mine = i < n ? in[i] : 0;
  if (i < n) out[i] = 2 * *(volatile int *)mine;
  free(mine);
}
