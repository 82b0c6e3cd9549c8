// UseAfterFree doubles numbers in memory of its own, and reads it when it was freed.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void useAfterFree(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = (int *)malloc(sizeof(int));
  if (!mine) return;
  *mine = i < n ? in[i] : 0;
  free(mine);
  if (i < n) out[i] = 2 * *(volatile int *)mine;
}

// UseAfterFreeMended frees it last.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void useAfterFreeMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = (int *)malloc(sizeof(int));
  if (!mine) return;
  *mine = i < n ? in[i] : 0;
  if (i < n) out[i] = 2 * *(volatile int *)mine;
  free(mine);
}
